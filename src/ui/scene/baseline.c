#include "ui/scene/baseline.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/store.h"
#include "ui/draw/label_text.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Verdicts need many intervals: a newer one each second is soon enough. */
#define COMPARE_EVERY_NS NS_PER_S

void baseline_destroy(struct baseline *b) {
    run_free(&b->run);
    past_destroy(&b->live);
    frame_destroy(&b->sums);
    compare_free(&b->c);
    free(b->result);
    free(b->live_node);
    free(b->row);
    *b = (struct baseline){0};
}

static int make_room(struct baseline *b, const struct session *s) {
    const uint32_t n = s->model.n_metric;
    b->result = calloc(n + 1u, sizeof(*b->result));
    b->live_node = calloc(n + 1u, sizeof(*b->live_node));
    b->row = calloc(n + 1u, sizeof(*b->row));
    if (!b->result || !b->live_node || !b->row || frame_init(&b->sums, n) < 0)
        return -ENOMEM;
    return past_init(&b->live, s);
}

/* ---- the other side ---- */

/* A side only reads the texts of its nodes, so that they can be those of the model. */
static char *lend(const char *text) {
    union {
        const char *from;
        char *to;
    } u = {.from = text ? text : ""};
    return u.to;
}

static struct run_node live_node(const struct metric *mt, const struct value *v,
                                 const struct moments_result *m) {
    return (struct run_node){.name = lend(mt->name),
                             .path = lend(mt->path),
                             .unit = lend(mt->unit),
                             .level = mt->level,
                             .good_up = mt->good_up,
                             .share = mt->share,
                             .total = mt->total,
                             .better = mt->better,
                             .value = *v,
                             .m = *m,
                             .reason = lend("")};
}

static void take_nodes(struct scene *sc, struct baseline *b, const struct frame *f,
                       const struct moments *m) {
    const struct model *model = scene_model(sc);
    moments_results(m, model->n_metric, b->result);
    for (uint32_t i = 0; i < model->n_metric; i++)
        b->live_node[i] = live_node(&model->metric[i], &f->at[i], &b->result[i]);
}

static bool is_past(const struct scene *sc) {
    return sc->cursor.shows != CURSOR_LIVE;
}

/* ---- when it starts again ---- */

static bool begins_anew(const struct break_point *p) {
    return p->cause == BREAK_LEVEL || p->cause == BREAK_RESTART || p->cause == BREAK_MARK ||
           p->cause == BREAK_RESET;
}

/* A program that changes its level over and over is compared over its levels. */
static bool is_own_phase(struct baseline *b, const struct break_point *p, uint64_t interval_ns) {
    if (p->cause != BREAK_LEVEL) {
        b->n_short = 0;
        return false;
    }
    if (p->id > b->seen_id) /* else it is known, and its begin has moved on */
        b->n_short = p->t_ns < b->level_ns + BASELINE_SHORT * interval_ns ? b->n_short + 1 : 0;
    b->level_ns = p->t_ns;
    return b->n_short >= BASELINE_SHORTS;
}

/* A ends at the time, where it is longer. It has the memory of B meanwhile. */
static void end_base(struct scene *sc, uint64_t t1_ns) {
    struct baseline *b = &sc->base;
    char span[16];
    past_reset(&b->live);
    if (past_take(&b->live, sc->s, b->run.t0_ns, t1_ns) < SINCE_LEAST)
        return;
    window_frame(&b->live.sums, &sc->s->eval, &b->sums);
    take_nodes(sc, b, &b->sums, b->live.moments);
    for (uint32_t i = 0; i < scene_model(sc)->n_metric && i < b->run.node.n; i++) {
        b->run.node.at[i].value = b->live_node[i].value;
        b->run.node.at[i].m = b->live_node[i].m;
    }
    b->n_left_out += b->n_interval - b->live.sums.n;
    b->n_interval = b->live.sums.n;
    b->run.measured_ns = b->live.sums.covered_ns;
    b->run.t1_ns = t1_ns;
    snprintf(b->name, sizeof(b->name), "the %s before the change",
             words_span(span, sizeof(span), b->run.measured_ns));
}

/* B gets what came in (t0_ns, t1_ns], but for the interval in which the target ended: it was idle
 * for the rest of that. */
static void add_live(struct scene *sc, uint64_t t0_ns, uint64_t t1_ns) {
    struct past *live = &sc->base.live;
    struct session *s = sc->s;
    if (!sc->stored && s->end_t1_ns > t0_ns && s->end_t1_ns <= t1_ns) {
        past_add(live, s, t0_ns, s->end_t0_ns);
        t0_ns = s->end_t1_ns;
    }
    past_add(live, s, t0_ns, t1_ns);
}

static void begin_other(struct scene *sc, const struct break_point *p) {
    struct baseline *b = &sc->base;
    struct past *live = &b->live;
    const uint64_t now_ns = sc->s->sample.t1_ns, after_ns = live->t1_ns ? live->t1_ns : b->since_ns;
    add_live(sc, after_ns, now_ns);
    const uint64_t n = live->sums.n;
    if (b->of_session && p->cause == BREAK_LEVEL && p->left_ns < b->run.t1_ns)
        end_base(sc, p->left_ns);
    past_reset(live);
    if (p->t_ns > b->since_ns) {
        b->since_ns = p->t_ns;
        b->since = p->cause;
    }
    add_live(sc, b->since_ns, now_ns);
    b->n_left_out = p->cause == BREAK_RESET ? 0 : b->n_left_out + n - live->sums.n;
}

static void follow_breaks(struct scene *sc) {
    struct baseline *b = &sc->base;
    const struct breaks *all = &sc->s->breaks;
    for (int i = 0; i < all->n && b->seen_seq < all->seq; i++) {
        const struct break_point *p = &all->at[i];
        if (p->seq > b->seen_seq && begins_anew(p) && p->left_ns >= b->run.t0_ns &&
            !is_own_phase(b, p, sc->s->control.interval_ns))
            begin_other(sc, p);
    }
    b->seen_seq = all->seq;
    b->seen_id = all->id;
}

/* What came since; of a stored run all there is. */
static void follow_live(struct scene *sc) {
    struct baseline *b = &sc->base;
    if (!sc->stored)
        follow_breaks(sc);
    add_live(sc, b->live.t1_ns ? b->live.t1_ns : b->since_ns, sc->s->sample.t1_ns);
}

/* Returns the seconds that were measured; 0: nothing was. */
static double take_other(struct scene *sc) {
    struct baseline *b = &sc->base;
    struct cursor *cu = &sc->cursor;
    const struct past *p = is_past(sc) ? &cu->past : &b->live;
    if (is_past(sc) && !cu->packed) { /* values of the history, which have no spread */
        past_reset(&cu->past);
        take_nodes(sc, b, &cu->frame, cu->past.moments);
        return (double)(cu->sample.t1_ns - cu->sample.t0_ns) / 1e9;
    }
    if (p->sums.n == 0)
        return 0;
    window_frame(&p->sums, &sc->s->eval, &b->sums);
    take_nodes(sc, b, &b->sums, p->moments);
    return p->sums.covered_s;
}

/* ---- comparing ---- */

static void index_rows(struct baseline *b, uint32_t n_metric) {
    for (uint32_t i = 0; i < n_metric; i++)
        b->row[i] = -1;
    for (size_t i = 0; i < b->c.n_row; i++)
        if (b->c.row[i].b)
            b->row[b->c.row[i].b - b->live_node] = (int32_t)i;
}

static void compare(struct scene *sc) {
    struct baseline *b = &sc->base;
    struct err err = {0};
    struct compare_options opt = compare_defaults();
    opt.watched = !is_past(sc) && !sc->stored; /* looked at each second while it grows */
    follow_live(sc);
    const double measured_s = take_other(sc);
    struct compare_side base = compare_side_of(&b->run);
    struct compare_side other = {.name = "live",
                                 .model = scene_model(sc)->name,
                                 .node = b->live_node,
                                 .n_node = scene_model(sc)->n_metric,
                                 .measured_s = measured_s};
    base.name = b->name;
    compare_clear(&b->c);
    if (measured_s > 0 && compare_again(&b->c, &base, &other, &opt, &err) < 0)
        app_say(sc, "%s", err.text);
    index_rows(b, scene_model(sc)->n_metric);
    b->compared_ns = sc->s->sample.t1_ns;
}

void baseline_update(struct scene *sc) {
    struct baseline *b = &sc->base;
    if (!b->on || is_past(sc))
        return;
    uint64_t now_ns = sc->s->sample.t1_ns;
    bool over = sc->s->state != STREAM_LIVE; /* nothing newer comes to wait for */
    bool broken = !sc->stored && sc->s->breaks.seq != b->seen_seq;
    if (b->c.n_row == 0 || over || broken || now_ns - b->compared_ns >= COMPARE_EVERY_NS)
        compare(sc);
}

void baseline_moved(struct scene *sc) {
    if (sc->base.on)
        compare(sc);
}

const struct compare_row *baseline_row(const struct baseline *b, int metric) {
    int32_t row = b->on && b->c.n_row && metric != METRIC_NONE ? b->row[metric] : -1;
    return row < 0 ? NULL : &b->c.row[row];
}

/* ---- pinning ---- */

/* Readers expect every text: those that are not set are empty. */
static int set_texts(struct run *r, const struct session *s, const struct bottleneck *b) {
    struct {
        char **at;
        const char *text;
    } const text[] = {{&r->model, s->model.name},
                      {&r->target, s->source.target_text},
                      {&r->process, ""},
                      {&r->note, ""},
                      {&r->bottleneck, b->n ? s->model.metric[b->at[b->n - 1]].path : ""}};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (!(*text[i].at = strdup(text[i].text)))
            return -ENOMEM;
    return 0;
}

static int keep_node(struct run *r, const struct run_node *live) {
    struct run_node n;
    if (run_node_copy(&n, live) < 0)
        return -ENOMEM;
    if (array_push(&r->node, n) == 0)
        return 0;
    run_node_free(&n);
    return -ENOMEM;
}

/* The values since the last change, without their counts: they are at hand. Sums since the reset
 * are ready. Returns how many intervals. */
static uint64_t take_since(struct scene *sc, struct baseline *b, uint64_t since_ns) {
    struct session *s = sc->s;
    const bool all = sc->stored || since_ns <= s->timeline.reset_ns;
    if (!all)
        past_take(&b->live, s, since_ns, s->sample.t1_ns);
    const struct window *w = all ? &s->window : &b->live.sums;
    if (w->n == 0)
        return 0;
    window_frame(w, &s->eval, &b->sums);
    take_nodes(sc, b, &b->sums, all ? s->timeline.moments : b->live.moments);
    b->run.measured_ns = w->covered_ns;
    b->run.t0_ns = all ? s->timeline.reset_ns : since_ns;
    b->run.t1_ns = s->sample.t1_ns;
    b->n_interval = w->n;
    past_reset(&b->live);
    return b->n_interval;
}

static int keep_since(struct scene *sc, struct baseline *b, struct err *err) {
    struct session *s = sc->s;
    const struct break_point from = session_since(s);
    char span[16], at[16];
    if (take_since(sc, b, from.t_ns) == 0)
        return err_set(err, -ENODATA,
                       "baseline: nothing was measured since %s; wait for an interval",
                       break_words(from.cause));
    int rc = set_texts(&b->run, s, &b->sums.bottleneck);
    for (uint32_t i = 0; i < s->model.n_metric && rc == 0; i++)
        rc = keep_node(&b->run, &b->live_node[i]);
    if (rc < 0)
        return err_set(err, rc, "baseline: out of memory; close other programs");
    b->of_session = !sc->stored;
    b->from = from;
    words_span(span, sizeof(span), b->run.measured_ns);
    if (sc->stored)
        snprintf(b->name, sizeof(b->name), "all %s of this run", span);
    else
        snprintf(b->name, sizeof(b->name), "%s until %s", span,
                 words_clock(at, sizeof(at), b->run.t1_ns));
    return 0;
}

static int keep_past(struct scene *sc, struct baseline *b, struct err *err) {
    const struct cursor *cu = &sc->cursor;
    char span[16], at[16];
    int rc = session_run(sc->s, cu->t0_ns, cu->t1_ns, &b->run, err);
    if (rc < 0)
        return rc;
    b->n_interval = series_rows(&b->run.series);
    snprintf(b->name, sizeof(b->name), "%s until %s",
             words_span(span, sizeof(span), cu->t1_ns - cu->t0_ns),
             words_clock(at, sizeof(at), cu->t1_ns));
    return 0;
}

static int pinned(struct scene *sc, struct baseline *next, int rc, struct err *err) {
    if (rc == 0 && compare_reserve(&next->c, next->run.node.n + scene_model(sc)->n_metric) < 0)
        rc = err_set(err, -ENOMEM, "baseline: out of memory; close other programs");
    if (rc < 0) {
        baseline_destroy(next);
        return rc;
    }
    baseline_destroy(&sc->base);
    sc->base = *next;
    sc->base.on = true;
    sc->base.since_ns = sc->stored ? 0 : sc->s->sample.t1_ns;
    sc->base.level_ns = sc->base.since_ns;
    sc->base.since = BREAK_PIN;
    if (!sc->stored)
        session_break(sc->s, BREAK_PIN);
    sc->base.seen_seq = sc->s->breaks.seq;
    sc->base.seen_id = sc->s->breaks.id;
    if (app_columns_changed(sc) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory; close other programs");
    baseline_moved(sc);
    return 0;
}

static int begin(const struct scene *sc, struct baseline *next, struct err *err) {
    *next = (struct baseline){0};
    if (!sc->connected)
        return err_set(err, -ENODATA, "baseline: nothing is measured yet");
    if (make_room(next, sc->s) < 0)
        return err_set(err, -ENOMEM, "baseline: out of memory; close other programs");
    return 0;
}

int baseline_pin_live(struct scene *sc, struct err *err) {
    struct baseline next;
    int rc = begin(sc, &next, err);
    if (rc == 0)
        rc = (sc->cursor.shows == CURSOR_LIVE ? keep_since : keep_past)(sc, &next, err);
    if (rc == 0 && app_add_samples(sc, &next.run) < 0)
        rc = err_set(err, -ENOMEM, "baseline: out of memory; close other programs");
    return pinned(sc, &next, rc, err);
}

int baseline_load(const char *db, const char *id, struct run *out, struct err *err) {
    struct store st;
    char whole[RUN_ID_LEN + 1];
    int rc = store_open(&st, db, STORE_READ, err);
    if (rc < 0)
        return rc;
    rc = store_find(&st, id, whole, err);
    if (rc == 0)
        rc = store_load(&st, whole, RUN_HEAD | RUN_SAMPLES, out, err);
    store_close(&st);
    if (rc < 0)
        err_prefix(err, "--baseline");
    return rc;
}

int baseline_pin_run(struct scene *sc, struct run *r, struct err *err) {
    struct baseline next;
    char process[64];
    int rc = begin(sc, &next, err);
    next.run = *r;
    *r = (struct run){0};
    const struct run *run = &next.run;
    snprintf(next.name, sizeof(next.name), "%.8s %s%s", run->id, run->simulated ? "SIMULATED " : "",
             str_safe(process, sizeof(process), run->process ? run->process : ""));
    if (rc == 0 && run->node.n == 0)
        rc = err_set(err, -ENODATA, "baseline: run %.8s has no values; reeval makes new ones",
                     run->id);
    return pinned(sc, &next, rc, err);
}

void baseline_unpin(struct scene *sc) {
    baseline_destroy(&sc->base);
    if (app_columns_changed(sc) < 0)
        app_say(sc, "out of memory: close other programs");
}

void baseline_restart(struct scene *sc) {
    struct baseline *b = &sc->base;
    session_reset(sc->s);
    b->n_short = 0;
    if (b->on)
        compare(sc);
}

/* ---- words ---- */

const struct value *baseline_of_other(const struct scene *sc, int metric) {
    const struct baseline *b = &sc->base;
    const bool is_live = !is_past(sc) && !sc->stored && sc->frame == sc->newest;
    return is_live && baseline_row(b, metric) && b->live.sums.n ? &b->sums.at[metric] : NULL;
}

const char *baseline_delta(const struct compare_row *r, char *buf, size_t cap) {
    const struct run_node *n = r->a ? r->a : r->b;
    double by = n->share ? r->delta * 100 : r->relative * 100;
    if (!r->a || !r->b)
        return str_copy(buf, cap, r->a ? "only A" : "only B");
    if (isnan(by))
        return str_copy(buf, cap, "");
    const char *unit = n->share ? "" : "%";
    if (fabs(by) < 0.05)
        by = 0; /* "-0.0" is noise */
    if (fabs(by) < 1000)
        snprintf(buf, cap, "%+.*f%s", fabs(by) < 99.95 ? 1 : 0, by, unit);
    else
        snprintf(buf, cap, by > 0 ? ">999%s" : "<-999%s", unit);
    return buf;
}

const char *baseline_sign(enum verdict v, enum style *st) {
    static const struct {
        const char *sign;
        enum style st;
    } signs[VERDICTS] = {
        [VERDICT_REGRESSED] = {"✗", STYLE_ERROR}, [VERDICT_IMPROVED] = {"✓", STYLE_GOOD},
        [VERDICT_CHANGED] = {"◆", STYLE_WARN},    [VERDICT_NOISE] = {"~", STYLE_DIM},
        [VERDICT_UNSURE] = {"?", STYLE_DIM},      [VERDICT_ONLY_A] = {"", STYLE_DIM},
        [VERDICT_ONLY_B] = {"", STYLE_DIM},
    };
    *st = signs[v].st;
    return signs[v].sign;
}

/* What is compared with it is still to come, and never will. */
static bool is_over(const struct scene *sc) {
    return !sc->stored && sc->s->state != STREAM_LIVE && sc->base.live.sums.covered_ns == 0;
}

const char *baseline_pinned(const struct scene *sc, char *buf, size_t cap) {
    const struct baseline *b = &sc->base;
    char why[64] = "", at[16];
    if (b->of_session && b->from.t_ns)
        snprintf(why, sizeof(why), ", since %s at %s", break_words(b->from.cause),
                 words_clock(at, sizeof(at), b->from.t_ns));
    snprintf(buf, cap, "pinned: %s%s, %llu interval%s; %s {baseline} unpins", b->name, why,
             (unsigned long long)b->n_interval, b->n_interval == 1 ? "" : "s",
             sc->stored    ? "Δ is against it;"
             : is_over(sc) ? "{earlier} {later} go to the moment that Δ is of;"
                           : "Δ is against it; {reset-sums} starts anew,");
    return buf;
}

const char *baseline_words(const struct scene *sc, char *buf, size_t cap) {
    const struct baseline *b = &sc->base;
    char span[16], at[16], other[64];
    if (!b->on)
        return str_copy(buf, cap, "");
    if (is_past(sc))
        str_copy(other, sizeof(other),
                 sc->cursor.shows == CURSOR_SPAN ? "this span" : "this moment");
    else if (sc->stored)
        str_copy(other, sizeof(other), "this run");
    else if (b->live.sums.covered_ns && (b->since == BREAK_LEVEL || b->since == BREAK_RESTART))
        snprintf(other, sizeof(other), "the %s since %s at %s",
                 words_span(span, sizeof(span), b->live.sums.covered_ns), break_words(b->since),
                 words_clock(at, sizeof(at), b->since_ns));
    else if (b->live.sums.covered_ns)
        snprintf(other, sizeof(other), "the last %s",
                 words_span(span, sizeof(span), b->live.sums.covered_ns));
    else
        str_copy(other, sizeof(other), is_over(sc) ? "nothing more" : "no interval yet");
    snprintf(buf, cap, "Δ: %s against %s", other, b->name);
    return buf;
}

/* ---- moves of A and B ---- */

void baseline_moves_destroy(struct baseline_moves *mv) {
    baseline_destroy(&mv->was);
    *mv = (struct baseline_moves){0};
}

/* A stays: only where B begins, and who is who, is remembered. */
static void remember(struct scene *sc) {
    baseline_moves_destroy(&sc->moves);
    sc->moves = (struct baseline_moves){.can_undo = true,
                                        .since_ns = sc->base.since_ns,
                                        .n_left_out = sc->base.n_left_out,
                                        .swapped = sc->bench.swapped};
}

/* A leaves its place. */
static void put_away(struct scene *sc) {
    remember(sc);
    sc->moves.replaced = true;
    sc->moves.was = sc->base;
    sc->base = (struct baseline){0};
}

static void put_back(struct scene *sc) {
    struct baseline_moves *mv = &sc->moves;
    baseline_destroy(&sc->base);
    sc->base = mv->was;
    mv->was = (struct baseline){0};
    if (app_columns_changed(sc) < 0)
        app_say(sc, "out of memory: close other programs");
}

/* ---- B becomes A ---- */

/* The newest intervals of the session, as a run. */
static int keep_live(struct scene *sc, struct run *r, char *name, size_t cap, struct err *err) {
    const struct baseline *b = &sc->base;
    char span[16], at[16];
    if (b->live.sums.n == 0)
        return err_set(err, -ENODATA, "B has no interval yet: it begins with the next one");
    const int rc = session_run(sc->s, b->since_ns, sc->s->sample.t1_ns, r, err);
    r->id[0] = '\0'; /* it is not stored */
    if (rc == 0)
        snprintf(name, cap, "%s until %s", words_span(span, sizeof(span), b->live.sums.covered_ns),
                 words_clock(at, sizeof(at), r->t1_ns));
    return rc;
}

static int pin_live_side(struct scene *sc, struct err *err) {
    struct run r = {0};
    char name[sizeof(sc->base.name)];
    int rc = keep_live(sc, &r, name, sizeof(name), err);
    if (rc < 0)
        return rc;
    const uint64_t n = series_rows(&r.series);
    put_away(sc);
    rc = baseline_pin_run(sc, &r, err);
    if (rc < 0)
        return rc;
    str_copy(sc->base.name, sizeof(sc->base.name), name);
    sc->base.n_interval = n;
    return 0;
}

int baseline_advance(struct scene *sc, struct err *err) {
    const bool live = sc->cursor.shows == CURSOR_LIVE && !sc->stored;
    int rc = 0;
    if (sc->base.on && sc->bench.swapped && live) { /* B is what is pinned: it stays */
        baseline_begin_again(sc);
        sc->bench.swapped = false;
        return 0;
    }
    if (sc->base.on && live) {
        rc = pin_live_side(sc, err);
    } else {
        put_away(sc);
        rc = baseline_pin_live(sc, err);
    }
    if (rc < 0 && sc->moves.replaced && !sc->base.on) {
        put_back(sc);
        sc->moves.can_undo = false;
        return rc;
    }
    sc->bench.swapped = false;
    baseline_label(sc);
    return rc;
}

void baseline_label(struct scene *sc) {
    struct run *r = &sc->base.run;
    const char *labels = app_labels_between(sc, r->t0_ns, r->t1_ns);
    if (labels[0] && !sc->stored)
        label_text_set(labels, r, NULL);
}

/* ---- the others ---- */

void baseline_begin_again(struct scene *sc) {
    remember(sc);
    app_reset_sums(sc);
    baseline_moved(sc);
}

void baseline_exchange(struct scene *sc) {
    remember(sc);
    bench_swap(sc);
}

/* B has what came since it began then, and what came since the key that is taken back. */
bool baseline_undo(struct scene *sc) {
    struct baseline_moves *mv = &sc->moves;
    struct baseline *b = &sc->base;
    if (!mv->can_undo)
        return false;
    if (mv->replaced)
        put_back(sc);
    sc->bench.swapped = mv->swapped;
    if (b->on) {
        if (b->since_ns != mv->since_ns)
            past_reset(&b->live);
        b->since_ns = mv->since_ns;
        b->n_left_out = mv->n_left_out;
        b->level_ns = b->since_ns;
        b->seen_seq = sc->s->breaks.seq;
        b->seen_id = sc->s->breaks.id;
        baseline_moved(sc);
    }
    mv->can_undo = false;
    return true;
}
