/* The past of the screen: trends as wide as it is, and the buckets of time they are made of. */
#include "base/clock.h"
#include "ui/screen_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Widths of a bucket of time that read well on an axis. */
static const uint64_t buckets[] = {
    NS_PER_S / 10, NS_PER_S / 5,   NS_PER_S / 2,   NS_PER_S,       NS_PER_S * 2,
    NS_PER_S * 3,  NS_PER_S * 5,   NS_PER_S * 10,  NS_PER_S * 20,  NS_PER_S * 30,
    NS_PER_S * 60, NS_PER_S * 120, NS_PER_S * 300, NS_PER_S * 600, NS_PER_S * 3600,
};

static uint64_t bucket_for(uint64_t least_ns) {
    size_t i = 0;
    while (i + 1 < sizeof(buckets) / sizeof(buckets[0]) && buckets[i] < least_ns)
        i++;
    return buckets[i];
}

/* A sparkline moves seldom, so that few bytes go to the terminal: 3 s, or two intervals. */
static uint64_t spark_bucket(uint64_t interval_ns) {
    uint64_t least = interval_ns * 3 / 2 <= 3 * NS_PER_S ? 3 * NS_PER_S : interval_ns * 2;
    return bucket_for(least);
}

/* The plot shows every interval; a recording's may be a little longer than their round name. */
static uint64_t plot_bucket(uint64_t interval_ns) {
    return bucket_for(interval_ns - interval_ns / 10);
}

void screen_drop_trends(struct screen *sc) {
    trend_destroy(&sc->spark);
    trend_destroy(&sc->plot);
    free(sc->dots);
    free(sc->pile);
    sc->dots = sc->pile = NULL;
    sc->has_spark = sc->has_plot = false;
    sc->n_dots = 0;
}

static int make_trend(struct screen *sc, struct trend *t, int n, uint64_t bucket_ns, bool *has) {
    if (n <= 0)
        return 0;
    struct session *s = sc->s;
    int rc = trend_init(t, n, bucket_ns, &s->model, s->source.layout.n_slot);
    *has = rc == 0;
    return rc;
}

/* Trends are as long as the screen is wide. */
int screen_make_trends(struct screen *sc) {
    screen_drop_trends(sc);
    if (!sc->connected || sc->panes.too_small)
        return 0;
    uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    int n_spark = sc->panes.at[PANE_TREE].w > 0 ? sc->columns.spark - 1 : 0;
    int n_plot = sc->panes.at[PANE_PLOT].w > 0 ? 2 * sc->panes.at[PANE_PLOT].w : 0;
    sc->n_dots = n_plot > n_spark ? n_plot : n_spark;
    sc->dots = calloc((size_t)(sc->n_dots > 0 ? sc->n_dots : 1), sizeof(*sc->dots));
    sc->pile = calloc((size_t)(sc->n_dots > 0 ? sc->n_dots : 1), sizeof(*sc->pile));
    if (!sc->dots || !sc->pile)
        return -ENOMEM;
    int rc = make_trend(sc, &sc->spark, n_spark, spark_bucket(interval), &sc->has_spark);
    if (rc == 0)
        rc = make_trend(sc, &sc->plot, n_plot, plot_bucket(interval), &sc->has_plot);
    return rc;
}

static void zoom(struct trend *t, bool has, uint64_t bucket_ns) {
    if (has && t->bucket_ns != bucket_ns)
        trend_zoom(t, bucket_ns);
}

/* Follows the interval between frames once three in a row agree that it has changed. */
void screen_follow_interval(struct screen *sc) {
    uint64_t dt = sc->newest->t1_ns - sc->newest->t0_ns;
    bool odd = dt * 10 > sc->interval_ns * 14 || dt * 14 < sc->interval_ns * 10;
    sc->odd_intervals = odd ? sc->odd_intervals + 1 : 0;
    if (dt == 0 || (sc->interval_ns && sc->odd_intervals < 3))
        return;
    sc->interval_ns = dt;
    sc->odd_intervals = 0;
    zoom(&sc->spark, sc->has_spark, spark_bucket(dt));
    zoom(&sc->plot, sc->has_plot, plot_bucket(dt));
}

void screen_update_trends(struct screen *sc) {
    if (!sc->newest)
        return;
    struct session *s = sc->s;
    if (sc->has_spark)
        trend_update(&sc->spark, &s->history, &s->eval, sc->newest->t1_ns);
    if (sc->has_plot)
        trend_update(&sc->plot, &s->history, &s->eval, sc->newest->t1_ns);
}

uint64_t screen_bucket_ns(const struct screen *sc) {
    if (sc->has_plot)
        return sc->plot.bucket_ns;
    return plot_bucket(sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns);
}

uint64_t screen_first_bucket(const struct trend *t, int n, int parts) {
    uint64_t step = (uint64_t)(n >= parts ? n / parts : 1);
    uint64_t end = (t->newest / step + 1) * step;
    return end < (uint64_t)n ? 0 : end - (uint64_t)n;
}

float *screen_values(struct screen *sc, const struct trend *t, int metric, uint64_t first, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t bucket = first + (uint64_t)i;
        bool held = bucket <= t->newest && t->newest - bucket < (uint64_t)t->n;
        sc->dots[i] = held ? (float)trend_at(t, metric, t->n - 1 - (int)(t->newest - bucket)) : NAN;
    }
    return sc->dots;
}
