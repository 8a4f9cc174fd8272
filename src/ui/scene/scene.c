#include "ui/scene/scene.h"

#include "base/clock.h"
#include "base/str.h"
#include "session/hybrid.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *scene_away_words(const struct scene *sc, char *buf, size_t cap) {
    const char *name = sc->s->source.opt.target.name;
    char safe[48];
    snprintf(buf, cap, "waiting for %s", str_safe(safe, sizeof(safe), name ? name : "a process"));
    return buf;
}

const char *scene_type_words(const struct scene *sc, bool brief, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (!session_type(sc->s)[0])
        return buf;
    const char *cores = session_cores(sc->s);
    strbuf_add(&sb, "%s", cores[0] ? cores : session_type(sc->s));
    if (sc->frame && !isnan(sc->frame->here))
        strbuf_add(&sb, " %.0f%%%s", sc->frame->here * 100, brief ? "" : " of the CPU time");
    return buf;
}

const char *scene_focus_word(enum focus_mode mode) {
    static const char *const words[] = {
        [FOCUS_AUTO] = "auto", [FOCUS_OPEN] = "open", [FOCUS_OFF] = "off"};
    return words[mode];
}

bool scene_is_beside(const struct scene *sc) {
    return sc->beside && sc->view == &view_tree;
}

uint64_t scene_now_ns(const struct scene *sc) {
    if (sc->frame == sc->newest && !sc->frozen && sc->s->state != STREAM_LIVE && sc->s->ended_ns)
        return sc->s->ended_ns;
    return sc->frame ? sc->frame->t1_ns : 0;
}

uint64_t scene_newest_ns(const struct scene *sc) {
    return sc->newest ? sc->newest->t1_ns : 0;
}

/* --- values that follow slowly --- */

static void follow(float *shown, double now, double dead_band) {
    if (isnan(now) != isnan(*shown) || fabs(now - (double)*shown) > dead_band)
        *shown = (float)now;
}

bool scene_is_resting(const struct value *v) {
    return isnan(v->v) && v->why.kind == WHY_EVENT && v->why.code == COUNT_NOT_FOCUSED;
}

static bool is_now(const struct scene *sc) {
    return sc->cursor.shows == CURSOR_LIVE && !sc->stored;
}

/* It has something to say: near or over its threshold, on the path, changed, or n/a for a reason.
 */
static bool is_loud(const void *user, int metric) {
    const struct scene *sc = user;
    const struct value *v = &sc->frame->at[metric];
    const struct bottleneck *b = &sc->frame->bottleneck;
    const struct compare_row *row = sc->base.on ? baseline_row(&sc->base, metric) : NULL;
    if (bottleneck_has(b, metric))
        return true;
    if (isnan(v->v)) /* what is off is counted as soon as its row is seen; not that of a past */
        return v->state != VALUE_STALE && !(scene_is_resting(v) && is_now(sc));
    return v->over || v->near || b->tie[0] == metric || b->tie[1] == metric ||
           (row && row->verdict <= VERDICT_CHANGED);
}

void scene_follow(struct scene *sc) {
    outline_hear(&sc->tree, is_loud, sc, sc->frame->t1_ns, is_now(sc));
    int eighths = sc->columns.bar > 1 ? (sc->columns.bar - 1) * 8 : 8;
    for (uint32_t i = 0; i < sc->frame->n_metric; i++) {
        const struct value *v = &sc->frame->at[i];
        struct shown *sh = &sc->shown[i];
        follow(&sh->err, v->err, 0.25 * (double)sh->err);
        follow(&sh->bar, v->v, 0.8 / eighths);
        follow(&sh->duty, (double)v->duty, v->duty >= 1 ? 0 : 0.008);
    }
}

void scene_forget(struct scene *sc) {
    sc->jumps++;
    for (uint32_t i = 0; i < sc->s->model.n_metric; i++)
        sc->shown[i] = (struct shown){NAN, NAN, NAN};
}

void scene_jump(struct scene *sc) {
    if (!sc->shown || !sc->frame)
        return;
    scene_forget(sc);
    scene_follow(sc);
}

/* --- trends as wide as the screen, and the buckets of time they are made of --- */

/* Widths of a bucket of time that read well on an axis. */
static const uint64_t buckets[] = {
    NS_PER_S / 10,  NS_PER_S / 5,   NS_PER_S / 2,    NS_PER_S,        NS_PER_S * 2,  NS_PER_S * 3,
    NS_PER_S * 5,   NS_PER_S * 10,  NS_PER_S * 20,   NS_PER_S * 30,   NS_PER_S * 60, NS_PER_S * 120,
    NS_PER_S * 300, NS_PER_S * 600, NS_PER_S * 1800, NS_PER_S * 3600,
};

static uint64_t bucket_for(uint64_t least_ns) {
    size_t i = 0;
    while (i + 1 < sizeof(buckets) / sizeof(buckets[0]) && buckets[i] < least_ns)
        i++;
    return buckets[i];
}

uint64_t scene_longer_ns(uint64_t bucket_ns) {
    const uint64_t next = bucket_for(bucket_ns + 1);
    return next > bucket_ns ? next : 2 * bucket_ns;
}

/* A sparkline of n buckets shows a minute, or as long as its intervals need. It moves on with each
 * bucket, which costs most of its cells: not more often than every 3 s. */
static uint64_t spark_bucket(uint64_t interval_ns, int n) {
    const uint64_t minute = 60 * NS_PER_S / (uint64_t)(n > 1 ? n - 1 : 1);
    const uint64_t least = minute > 3 * NS_PER_S ? minute : 3 * NS_PER_S;
    const uint64_t interval = interval_ns - interval_ns / 10;
    return bucket_for(least > interval ? least : interval);
}

/* The plot shows every interval; a recording's may be a little longer than their round name. */
static uint64_t plot_bucket(uint64_t interval_ns) {
    return bucket_for(interval_ns - interval_ns / 10);
}

void scene_drop_trends(struct scene *sc) {
    struct trends *t = &sc->trends;
    trend_destroy(&t->spark);
    trend_destroy(&t->plot);
    free(t->dots);
    free(t->warning);
    free(t->pile);
    free(t->lane);
    *t = (struct trends){.has_spark = false};
}

static int make_trend(struct scene *sc, struct trend *t, int n, uint64_t bucket_ns, bool *has) {
    if (n <= 0)
        return 0;
    struct session *s = sc->s;
    int rc = trend_init(t, n, bucket_ns, &s->model, s->source.layout.n_slot);
    *has = rc == 0;
    return rc;
}

static int make_scratch(struct trends *t, int w) {
    t->n_dots = 2 * w;
    const size_t n = (size_t)t->n_dots + 1;
    t->dots = calloc(n, sizeof(*t->dots));
    t->warning = calloc(n, sizeof(*t->warning));
    t->pile = calloc(n * ROOTS_MAX, sizeof(*t->pile));
    t->lane = calloc(n, sizeof(*t->lane));
    return t->dots && t->warning && t->pile && t->lane ? 0 : -ENOMEM;
}

int scene_make_trends(struct scene *sc, int n_spark, int n_plot, int w) {
    struct trends *t = &sc->trends;
    const uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    scene_drop_trends(sc);
    int rc = make_scratch(t, w);
    if (rc == 0)
        rc = make_trend(sc, &t->spark, n_spark, spark_bucket(interval, n_spark), &t->has_spark);
    if (rc == 0)
        rc = make_trend(sc, &t->plot, n_plot, plot_bucket(interval), &t->has_plot);
    if (rc == 0 && t->has_plot)
        rc = trend_keep_err(&t->plot);
    return rc;
}

static void zoom(struct trend *t, bool has, uint64_t bucket_ns) {
    if (has && t->bucket_ns != bucket_ns)
        trend_zoom(t, bucket_ns);
}

void scene_follow_interval(struct scene *sc, int *odd) {
    uint64_t dt = sc->newest->t1_ns - sc->newest->t0_ns;
    bool is_odd = dt * 10 > sc->interval_ns * 14 || dt * 14 < sc->interval_ns * 10;
    *odd = is_odd ? *odd + 1 : 0;
    if (dt == 0 || (sc->interval_ns && *odd < 3))
        return;
    sc->interval_ns = dt;
    *odd = 0;
    zoom(&sc->trends.plot, sc->trends.has_plot, plot_bucket(dt));
    zoom(&sc->trends.spark, sc->trends.has_spark, spark_bucket(dt, sc->trends.spark.n));
}

void scene_update_trends(struct scene *sc) {
    if (!sc->newest)
        return;
    struct session *s = sc->s;
    if (sc->trends.has_spark)
        trend_update(&sc->trends.spark, &s->timeline.tiers, &s->eval, sc->newest->t1_ns);
    if (sc->trends.has_plot)
        trend_update(&sc->trends.plot, &s->timeline.tiers, &s->eval, sc->newest->t1_ns);
}

uint64_t scene_bucket_ns(const struct scene *sc) {
    const uint64_t finest_ns = scene_finest_ns(sc);
    return sc->view == &view_history && sc->column_ns > finest_ns ? sc->column_ns : finest_ns;
}

uint64_t scene_finest_ns(const struct scene *sc) {
    if (sc->trends.has_plot)
        return sc->trends.plot.bucket_ns;
    return plot_bucket(sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns);
}
