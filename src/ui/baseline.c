#include "ui/baseline.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/screen.h"
#include "ui/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Verdicts need many intervals: a newer one each second is soon enough. */
#define COMPARE_EVERY_NS NS_PER_S

void baseline_destroy(struct baseline *b) {
    run_free(&b->run);
    frame_destroy(&b->sums);
    compare_free(&b->c);
    free(b->result);
    free(b->live);
    free(b->row);
    *b = (struct baseline){0};
}

static int make_room(struct baseline *b, uint32_t n_metric) {
    b->result = calloc(n_metric + 1u, sizeof(*b->result));
    b->live = calloc(n_metric + 1u, sizeof(*b->live));
    b->row = calloc(n_metric + 1u, sizeof(*b->row));
    return b->result && b->live && b->row ? frame_init(&b->sums, n_metric) : -ENOMEM;
}

/* ---- the live side ---- */

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
                             .value = *v,
                             .m = *m,
                             .reason = lend("")};
}

static void take_live(struct screen *sc, struct baseline *b) {
    struct session *s = sc->s;
    window_frame(&s->window, &s->eval, &b->sums);
    moments_results(s->record.moments, s->record.n_metric, b->result);
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        b->live[i] = live_node(&s->model.metric[i], &b->sums.at[i], &b->result[i]);
}

static struct compare_side live_side(const struct screen *sc, const struct baseline *b) {
    return (struct compare_side){.name = "live",
                                 .model = screen_model(sc)->name,
                                 .node = b->live,
                                 .n_node = screen_model(sc)->n_metric,
                                 .measured_s = sc->s->window.covered_s};
}

/* ---- comparing ---- */

static void index_rows(struct baseline *b, uint32_t n_metric) {
    for (uint32_t i = 0; i < n_metric; i++)
        b->row[i] = -1;
    for (size_t i = 0; i < b->c.n_row; i++)
        if (b->c.row[i].b)
            b->row[b->c.row[i].b - b->live] = (int32_t)i;
}

static void compare(struct screen *sc) {
    struct baseline *b = &sc->base;
    struct err err = {0};
    struct compare_options opt = compare_defaults();
    compare_free(&b->c);
    take_live(sc, b);
    struct compare_side base = compare_side_of(&b->run), live = live_side(sc, b);
    base.name = b->name;
    if (compare_sides(&base, &live, &opt, &b->c, &err) < 0)
        screen_say(sc, "%s", err.text);
    index_rows(b, screen_model(sc)->n_metric);
    b->compared_ns = sc->s->sample.t1_ns;
}

void baseline_update(struct screen *sc) {
    struct baseline *b = &sc->base;
    if (!b->on || sc->s->window.n == 0)
        return;
    uint64_t now_ns = sc->s->sample.t1_ns;
    bool over = sc->s->state != STREAM_LIVE; /* nothing newer comes to wait for */
    if (b->c.n_row == 0 || over || now_ns - b->compared_ns >= COMPARE_EVERY_NS)
        compare(sc);
}

const struct compare_row *baseline_row(const struct baseline *b, int metric) {
    int32_t row = b->on && b->c.n_row && metric != METRIC_NONE ? b->row[metric] : -1;
    return row < 0 ? NULL : &b->c.row[row];
}

/* ---- pinning ---- */

/* The texts that everybody reads; those that nobody set are empty. */
static int set_texts(struct run *r, const struct session *s) {
    struct {
        char **at;
        const char *text;
    } const text[] = {{&r->model, s->model.name},
                      {&r->target, s->source.target_text},
                      {&r->process, ""},
                      {&r->note, ""},
                      {&r->bottleneck, ""}};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (!(*text[i].at = strdup(text[i].text)))
            return -ENOMEM;
    return 0;
}

static int keep_node(struct run *r, const struct run_node *live) {
    struct run_node n = *live;
    n.name = strdup(live->name);
    n.path = strdup(live->path);
    n.unit = strdup(live->unit);
    n.reason = strdup(live->reason);
    if (n.name && n.path && n.unit && n.reason && array_push(&r->node, n) == 0)
        return 0;
    free(n.name);
    free(n.path);
    free(n.unit);
    free(n.reason);
    return -ENOMEM;
}

/* The values since the reset, without their counts: they are at hand. */
static int keep_sums(struct screen *sc, struct baseline *b, struct err *err) {
    struct session *s = sc->s;
    char span[16];
    if (s->window.n == 0)
        return err_set(err, -ENODATA,
                       "baseline: nothing was measured since the reset; wait for an "
                       "interval");
    take_live(sc, b);
    b->run.measured_ns = s->window.covered_ns;
    b->run.t0_ns = s->record.reset_ns;
    b->run.t1_ns = s->sample.t1_ns;
    int rc = set_texts(&b->run, s);
    for (uint32_t i = 0; i < s->model.n_metric && rc == 0; i++)
        rc = keep_node(&b->run, &b->live[i]);
    if (rc < 0)
        return err_set(err, rc, "baseline: out of memory; close other programs");
    snprintf(b->name, sizeof(b->name), "the %s before",
             words_span(span, sizeof(span), s->window.covered_ns));
    return 0;
}

static int keep_past(struct screen *sc, struct baseline *b, struct err *err) {
    const struct cursor *cu = &sc->cursor;
    char span[16], at[16];
    int rc = session_run(sc->s, cu->t0_ns, cu->t1_ns, &b->run, err);
    if (rc < 0)
        return rc;
    snprintf(b->name, sizeof(b->name), "%s until %s",
             words_span(span, sizeof(span), cu->t1_ns - cu->t0_ns),
             words_clock(at, sizeof(at), cu->t1_ns));
    return 0;
}

static int pinned(struct screen *sc, struct baseline *next, int rc, struct err *err) {
    if (rc < 0) {
        baseline_destroy(next);
        return rc;
    }
    baseline_destroy(&sc->base);
    sc->base = *next;
    sc->base.on = true;
    sc->base.pinned_ns = sc->s->sample.t1_ns;
    session_reset(sc->s);
    if (screen_columns(sc) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory; close other programs");
    return 0;
}

static int begin(const struct screen *sc, struct baseline *next, struct err *err) {
    *next = (struct baseline){0};
    if (!sc->connected)
        return err_set(err, -ENODATA, "baseline: nothing is measured yet");
    if (make_room(next, screen_model(sc)->n_metric) < 0)
        return err_set(err, -ENOMEM, "baseline: out of memory; close other programs");
    return 0;
}

int baseline_pin_live(struct screen *sc, struct err *err) {
    struct baseline next;
    int rc = begin(sc, &next, err);
    if (rc == 0)
        rc = (sc->cursor.shows == CURSOR_LIVE ? keep_sums : keep_past)(sc, &next, err);
    return pinned(sc, &next, rc, err);
}

int baseline_pin_run(struct screen *sc, struct run *r, struct err *err) {
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

void baseline_unpin(struct screen *sc) {
    baseline_destroy(&sc->base);
    if (screen_columns(sc) < 0)
        screen_say(sc, "out of memory: close other programs");
}

/* ---- words ---- */

const char *baseline_delta(const struct compare_row *r, char *buf, size_t cap) {
    const struct run_node *n = r->a ? r->a : r->b;
    double by = n->share ? r->delta * 100 : r->relative * 100;
    if (isnan(by) || !r->a || !r->b)
        return str_copy(buf, cap, "");
    const char *unit = n->share ? "" : "%";
    if (fabs(by) < 0.05)
        by = 0; /* "-0.0" is noise, not news */
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
        [VERDICT_REGRESSED] = {"▲", STYLE_ERROR}, [VERDICT_IMPROVED] = {"▼", STYLE_GOOD},
        [VERDICT_CHANGED] = {"◆", STYLE_WARN},    [VERDICT_NOISE] = {"~", STYLE_DIM},
        [VERDICT_TOO_FEW] = {"?", STYLE_DIM},     [VERDICT_ONLY_A] = {"", STYLE_DIM},
        [VERDICT_ONLY_B] = {"", STYLE_DIM},
    };
    *st = signs[v].st;
    return signs[v].sign;
}

const char *baseline_words(const struct screen *sc, char *buf, size_t cap) {
    const struct baseline *b = &sc->base;
    char span[16];
    if (!b->on)
        return str_copy(buf, cap, "");
    snprintf(buf, cap, "Δ: the last %s against %s",
             words_span(span, sizeof(span), sc->s->window.covered_ns), b->name);
    return buf;
}
