/* The past of the screen: trends as wide as it is, and the buckets of time they are made of. */
#include "base/clock.h"
#include "ui/app/screen_impl.h"
#include "ui/draw/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

uint64_t screen_longer_ns(uint64_t bucket_ns) {
    const uint64_t next = bucket_for(bucket_ns + 1);
    return next > bucket_ns ? next : 2 * bucket_ns;
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
    history_view_drop(&sc->history);
    free(sc->dots);
    free(sc->warning);
    free(sc->pile);
    free(sc->lane);
    sc->dots = sc->warning = sc->pile = NULL;
    sc->lane = NULL;
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

enum { FUNNEL_PAST_FROM_H = 20 }; /* below that the funnel has no room for the past */

static int make_scratch(struct screen *sc) {
    sc->n_dots = 2 * sc->canvas.w;
    const size_t n = (size_t)sc->n_dots + 1;
    sc->dots = calloc(n, sizeof(*sc->dots));
    sc->warning = calloc(n, sizeof(*sc->warning));
    sc->pile = calloc(n * ROOTS_MAX, sizeof(*sc->pile));
    sc->lane = calloc(n, sizeof(*sc->lane));
    return sc->dots && sc->warning && sc->pile && sc->lane ? 0 : -ENOMEM;
}

/* Trends are as long as the screen is wide. */
int screen_make_trends(struct screen *sc) {
    screen_drop_trends(sc);
    if (!sc->connected || sc->panes.too_small)
        return 0;
    uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    int n_spark = sc->panes.at[PANE_TREE].w > 0 ? sc->columns.spark - 1 : 0;
    bool plots = sc->panes.at[PANE_PLOT].w > 0 || sc->canvas.h >= FUNNEL_PAST_FROM_H;
    int n_plot = plots ? 2 * sc->canvas.w : 0; /* the funnel has it over the whole width */
    int rc = make_scratch(sc);
    if (rc == 0)
        rc = make_trend(sc, &sc->spark, n_spark, spark_bucket(interval), &sc->has_spark);
    if (rc == 0)
        rc = make_trend(sc, &sc->plot, n_plot, plot_bucket(interval), &sc->has_plot);
    if (rc == 0 && sc->has_plot)
        rc = trend_keep_err(&sc->plot);
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
    zoom(&sc->plot, sc->has_plot, plot_bucket(dt));
}

/* A young session has finer buckets, so that its sparklines fill their column: it becomes the
 * usual one in two or three steps. */
static uint64_t spark_bucket_now(const struct screen *sc) {
    const uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    const uint64_t usual = spark_bucket(interval);
    uint64_t bucket = plot_bucket(interval);
    while (bucket < usual && bucket * (uint64_t)sc->spark.n < sc->newest->t1_ns)
        bucket = screen_longer_ns(bucket);
    return bucket < usual ? bucket : usual;
}

void screen_update_trends(struct screen *sc) {
    if (!sc->newest)
        return;
    struct session *s = sc->s;
    zoom(&sc->spark, sc->has_spark, spark_bucket_now(sc));
    if (sc->has_spark)
        trend_update(&sc->spark, &s->history, &s->eval, sc->newest->t1_ns);
    if (sc->has_plot)
        trend_update(&sc->plot, &s->history, &s->eval, sc->newest->t1_ns);
}

/* In whole buckets once there is one: it changes as they do. */
const char *screen_last_words(const struct screen *sc, int n, char *buf, size_t cap) {
    uint64_t bucket = sc->spark.bucket_ns, all = bucket * (uint64_t)n;
    uint64_t now = screen_newest_ns(sc);
    char span[16];
    if (now > bucket)
        now -= now % bucket;
    words_span(span, sizeof(span), now > 0 && now < all ? now : all);
    snprintf(buf, cap, "last %s", span);
    return buf;
}

uint64_t screen_bucket_ns(const struct screen *sc) {
    const uint64_t finest_ns = screen_finest_ns(sc), column_ns = sc->history.x.cell_ns;
    return sc->view == VIEW_HISTORY && column_ns > finest_ns ? column_ns : finest_ns;
}

uint64_t screen_finest_ns(const struct screen *sc) {
    if (sc->has_plot)
        return sc->plot.bucket_ns;
    return plot_bucket(sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns);
}

uint64_t screen_first_bucket(const struct trend *t, int n, int parts) {
    uint64_t step = (uint64_t)(n >= parts ? n / parts : 1);
    uint64_t end = (t->newest / step + 1) * step;
    return end < (uint64_t)n ? 0 : end - (uint64_t)n;
}

int screen_whole_buckets(const struct trend *t, uint64_t first, int n) {
    if (t->newest <= first)
        return 0;
    return t->newest - first < (uint64_t)n ? (int)(t->newest - first) : n;
}

float *screen_values(struct screen *sc, const struct trend *t, int metric, uint64_t first, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t bucket = first + (uint64_t)i;
        bool held = bucket <= t->newest && t->newest - bucket < (uint64_t)t->n;
        sc->dots[i] = held ? (float)trend_at(t, metric, t->n - 1 - (int)(t->newest - bucket)) : NAN;
    }
    return sc->dots;
}
