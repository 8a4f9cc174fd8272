#include "ui/scene/sentence.h"

#include "base/clock.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define HOLD_NS  (5 * NS_PER_S)
#define EVERY_NS (20 * NS_PER_S) /* between frames that are kept */
#define AGO_NS   (50 * NS_PER_S) /* "a minute ago" is at least so long ago */

int sentence_load(struct sentence *se, const char *source, struct err *err) {
    struct advice next;
    int rc = advice_load(&next, source, err);
    if (rc < 0)
        return rc;
    if (se->loaded)
        advice_free(&se->advice);
    se->advice = next;
    se->loaded = true;
    se->made = false;
    return 0;
}

static void drop_past(struct sentence *se) {
    for (int i = 0; i < SENTENCE_PAST; i++)
        frame_destroy(&se->past[i]);
    se->n_past = 0;
}

int sentence_init(struct sentence *se, const struct model *m) {
    drop_past(se);
    se->made = false;
    for (int i = 0; i < SENTENCE_PAST; i++)
        if (frame_init(&se->past[i], m->n_metric) < 0)
            return -ENOMEM;
    return 0;
}

void sentence_destroy(struct sentence *se) {
    drop_past(se);
    if (se->loaded)
        advice_free(&se->advice);
    *se = (struct sentence){0};
}

/* --- a minute ago --- */

void sentence_note(struct scene *sc) {
    struct sentence *se = &sc->sentence;
    const struct frame *now = sc->newest;
    if (!now || !se->past[0].at)
        return;
    if (se->n_past > 0 && now->t1_ns < se->past[se->newest_past].t1_ns + EVERY_NS)
        return;
    se->newest_past = se->n_past ? (se->newest_past + 1) % SENTENCE_PAST : 0;
    frame_copy(&se->past[se->newest_past], now);
    if (se->n_past < SENTENCE_PAST)
        se->n_past++;
}

/* The newest frame that is a minute old, or NULL. */
static const struct frame *minute_ago(const struct sentence *se, uint64_t now_ns) {
    const struct frame *best = NULL;
    for (int i = 0; i < se->n_past; i++) {
        const struct frame *f = &se->past[i];
        if (f->t1_ns + AGO_NS <= now_ns && (!best || f->t1_ns > best->t1_ns))
            best = f;
    }
    return best;
}

const struct frame *sentence_minute_ago(const struct scene *sc) {
    return sc->frame && sc->frame == sc->newest ? minute_ago(&sc->sentence, sc->frame->t1_ns)
                                                : NULL;
}

/* --- the sentence --- */

static bool baseline_value(void *user, int metric, double *v, double *err) {
    const struct compare_row *row = baseline_row(user, metric);
    if (!row || !row->a)
        return false;
    *v = row->a->value.v;
    *err = row->a->value.err;
    return !isnan(*v);
}

/* The sentence says of a change what the column beside it says. */
static bool baseline_judge(void *user, int metric, struct advice_change *out) {
    const struct compare_row *row = baseline_row(user, metric);
    if (!row || isnan(row->delta))
        return false;
    *out = (struct advice_change){.delta = row->delta,
                                  .relative = row->relative,
                                  .sure = bench_is_sure(row->verdict),
                                  .better = row->verdict == VERDICT_IMPROVED    ? 1
                                            : row->verdict == VERDICT_REGRESSED ? -1
                                                                                : 0};
    return true;
}

/* The first line of the bench. */
static int baseline_largest(void *user) {
    const struct baseline *b = user;
    const struct compare_row *row = b->c.row;
    return b->c.n_row > 0 && bench_is_sure(row->verdict) ? (int)(row->b - b->live_node)
                                                         : METRIC_NONE;
}

/* There is a baseline that something was compared with. */
static bool is_based(const struct scene *sc) {
    return sc->base.on && sc->base.c.n_row > 0;
}

/* The change since the baseline that the sentence tells: its metric from 1 on, with the sign of
 * the change; 0: none is sure. */
static int told_since(struct scene *sc, int node) {
    struct advice_change c;
    if (!is_based(sc))
        return 0;
    if (node == METRIC_NONE || !baseline_judge(&sc->base, node, &c) || !c.sure)
        node = baseline_largest(&sc->base);
    if (node == METRIC_NONE || !baseline_judge(&sc->base, node, &c))
        return 0;
    return c.delta > 0 ? node + 1 : -(node + 1);
}

static bool has_moved(void *user, int metric) {
    return changes_mark(user, metric).step > 0;
}

static bool is_over(const struct scene *sc) {
    return sc->frame != sc->newest || sc->s->state != STREAM_LIVE;
}

/* What the steps depend on besides the frame: where the cursor is, and what is open. */
static unsigned stance(const struct scene *sc) {
    enum { ON_IT = 1, OPEN = 2, OVER = 4, CODE = 8 };
    const int node = sc->sentence.text.node;
    if (node < 0 || (uint32_t)node >= scene_model(sc)->n_tree)
        return 0;
    return (scene_selected(sc) == node ? ON_IT : 0u) | (sc->tree.open[node] ? OPEN : 0u) |
           (is_over(sc) ? OVER : 0u) | (scene_has_code(sc) ? CODE : 0u);
}

/* held: of what is said already, if it can still be said; else of what is to be said now. */
static void make(struct scene *sc, bool held, struct advice_text *out) {
    struct sentence *se = &sc->sentence;
    char name[4][16];
    const struct advice_keys at = {
        app_key_here(sc, sc->view == &view_funnel ? "funnel-drill" : "open-close", name[0], 16),
        app_key_here(sc, "doctor", name[1], 16), app_key_here(sc, "bottleneck", name[2], 16),
        scene_has_code(sc) ? app_key_here(sc, "where", name[3], 16) : ""};
    const int cursor = scene_selected(sc);
    struct advice_input in = {.model = scene_model(sc),
                              .frame = sc->frame,
                              .explain = &sc->explain,
                              .pid = session_pid(sc->s),
                              .keys = &at,
                              .open = sc->tree.open,
                              .cursor = cursor == METRIC_NONE ? NULL : &cursor,
                              .over = is_over(sc),
                              .moved = has_moved,
                              .moved_user = sc};
    if (held)
        in.held = &se->text;
    if (is_based(
            sc)) { /* the judge is about all since; an interval of the past speaks for itself */
        const bool now = sc->frame == sc->newest;
        in.baseline =
            (struct advice_past){.get = baseline_value,
                                 .user = &sc->base,
                                 .since = now ? "since the baseline" : "from the baseline",
                                 .judge = now ? baseline_judge : NULL,
                                 .largest = now ? baseline_largest : NULL};
    }
    advice_make(&se->advice, &in, out);
}

static bool says_another(const struct advice_text *a, const struct advice_text *b) {
    return a->node != b->node || a->certainty != b->certainty;
}

/* Sure of it or not: both are about one node. */
static bool is_about_another(const struct advice_text *a, const struct advice_text *b) {
    const bool one_a = a->certainty == ADVICE_SURE || a->certainty == ADVICE_UNSURE;
    const bool one_b = b->certainty == ADVICE_SURE || b->certainty == ADVICE_UNSURE;
    return a->node != b->node || (a->certainty != b->certainty && !(one_a && one_b));
}

static bool same_path(const struct bottleneck *a, const struct bottleneck *b) {
    return a->n == b->n && a->tie[0] == b->tie[0] && a->tie[1] == b->tie[1] &&
           !memcmp(a->at, b->at, (size_t)a->n * sizeof(a->at[0]));
}

/* The words of `next_`, which is of the frame that is shown. */
static void take(struct scene *sc) {
    struct sentence *se = &sc->sentence;
    se->text = se->next_;
    se->path_ = sc->frame->bottleneck;
    se->made = true;
    se->stance_ = stance(sc);
    se->made_ns = sc->frame->t1_ns;
    se->differs = 0;
}

/* The words stay as they are, with the numbers of now: false if they cannot be said any more. */
static bool keep(struct scene *sc) {
    struct sentence *se = &sc->sentence;
    if (se->differs > 0)
        make(sc, true, &se->next_);
    if (!is_about_another(&se->next_, &se->text) && advice_refresh(&se->text, &se->next_))
        return true;
    if (se->differs > 0)
        make(sc, false, &se->next_);
    return false;
}

void sentence_follow(struct scene *sc) {
    struct sentence *se = &sc->sentence;
    enum { HOLD_INTERVALS = 2 };
    if (!sc->frame || !se->loaded)
        return;
    uint64_t now_ns = sc->frame->t1_ns;
    bool same = se->made && se->of == sc->frame && se->based == is_based(sc) &&
                se->view == sc->view && se->stance_ == stance(sc);
    if (same && now_ns == se->seen_ns)
        return;
    bool jumped = !same || now_ns < se->seen_ns || sc->frame != sc->newest;
    se->seen_ns = now_ns;
    se->of = sc->frame;
    se->based = is_based(sc);
    se->view = sc->view;
    make(sc, false, &se->next_);
    se->differs = says_another(&se->next_, &se->text) ? se->differs + 1 : 0;
    /* A verdict is said when it stands, and no longer than it does. */
    jumped = jumped || told_since(sc, se->text.node) != se->told_;
    /* Words that follow the path name what the tree shows as its end, never another node. */
    jumped = jumped || (se->advice.tree && !same_path(&se->path_, &sc->frame->bottleneck));
    bool due = jumped || se->differs >= HOLD_INTERVALS || now_ns >= se->made_ns + HOLD_NS;
    if (due || !keep(sc))
        take(sc);
    se->told_ = told_since(sc, se->text.node);
}
