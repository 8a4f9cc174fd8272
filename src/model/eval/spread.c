#include "model/eval/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Student's t, two-sided 95 %, by degrees of freedom n - 1. */
static const double student_t[SPREAD_N] = {NAN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
#define NORMAL_95 1.960 /* the same for ever so many */

/* Above the table: Abramowitz and Stegun 26.7.5, to 1/n^2; off by less than 0.005. */
static double t_of(int n) {
    const double df = n - 1, z = NORMAL_95;
    if (n <= SPREAD_N)
        return student_t[n - 1];
    return z + (z * z * z + z) / (4 * df) +
           (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * df * df);
}

/* Standard deviation of a number that was rounded to n / 255. */
static const double rounding = 1.0 / 255 / 3.4641016151377544; /* sqrt(12) */

enum which { OF_INTERVAL, OF_SUM };

int spread_init(struct spread *sp, uint32_t n_metric) {
    *sp = (struct spread){.n_metric = n_metric};
    sp->recent = calloc((size_t)n_metric * SPREAD_N + 1, sizeof(*sp->recent));
    sp->seen = calloc(n_metric + 1u, sizeof(*sp->seen));
    sp->begun = calloc(n_metric + 1u, sizeof(*sp->begun));
    sp->mean = calloc(n_metric + 1u, sizeof(*sp->mean));
    sp->squares = calloc(n_metric + 1u, sizeof(*sp->squares));
    sp->resolution = calloc((size_t)n_metric * 2 + 1, sizeof(*sp->resolution));
    if (sp->recent && sp->seen && sp->begun && sp->mean && sp->squares && sp->resolution)
        return 0;
    spread_destroy(sp);
    return -ENOMEM;
}

void spread_destroy(struct spread *sp) {
    free(sp->recent);
    free(sp->seen);
    free(sp->begun);
    free(sp->mean);
    free(sp->squares);
    free(sp->resolution);
    free(sp->fraction);
    *sp = (struct spread){0};
}

void spread_reset(struct spread *sp) {
    memset(sp->seen, 0, sp->n_metric * sizeof(*sp->seen));
    memset(sp->begun, 0, sp->n_metric * sizeof(*sp->begun));
    memset(sp->mean, 0, sp->n_metric * sizeof(*sp->mean));
    memset(sp->squares, 0, sp->n_metric * sizeof(*sp->squares));
}

/* ---- PERF_METRICS ---- */

static bool is_fraction(const struct model *m, const struct layout *l, uint32_t slot) {
    const uint16_t event = l->slot[slot].event;
    return event != SLOT_NO_EVENT && m->event[event].perf_metrics;
}

/* The leader of the same group, or of any. */
static int leader_of(const struct model *m, const struct layout *l, uint32_t slot) {
    int any = -1;
    for (uint32_t i = 0; i < l->n_slot; i++) {
        const uint16_t event = l->slot[i].event;
        if (event == SLOT_NO_EVENT || !m->event[event].slots_leader)
            continue;
        if (l->slot[i].group == l->slot[slot].group)
            return (int)i;
        any = any < 0 ? (int)i : any;
    }
    return any;
}

int spread_layout(struct spread *sp, const struct model *m, const struct layout *layout) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < layout->n_slot; i++)
        n += is_fraction(m, layout, i);
    if (n == 0)
        return 0;
    sp->fraction = calloc(n, sizeof(*sp->fraction));
    if (!sp->fraction)
        return -ENOMEM;
    for (uint32_t i = 0; i < layout->n_slot; i++)
        if (is_fraction(m, layout, i))
            sp->fraction[sp->n_fraction++] =
                (struct spread_fraction){(uint16_t)i, leader_of(m, layout, i)};
    return 0;
}

/* All slots of the time: the leader's count, or where it is not measured what the parts add up to
 * (with those of level 2 that is too many: too wide, not too narrow). */
static double slots_of(const struct spread *sp, const struct sample *s, uint32_t k) {
    const int leader = sp->fraction[k].leader;
    if (leader >= 0)
        return s->at[leader].value;
    double sum = 0.0;
    for (uint32_t i = 0; i < sp->n_fraction; i++) {
        const struct count *c = &s->at[sp->fraction[i].slot];
        sum += c->state == COUNT_OK ? c->value : 0.0;
    }
    return sum;
}

/* f is ev's last evaluation, of s, a sum of n reads; their roundings are independent of each other.
 */
static void find_resolution(struct spread *sp, struct eval *ev, const struct sample *s, uint64_t n,
                            const struct frame *f, double *out) {
    memset(out, 0, sp->n_metric * sizeof(*out));
    if (sp->n_fraction == 0)
        return;
    for (uint32_t k = 0; k < sp->n_fraction; k++) {
        const struct count *c = &s->at[sp->fraction[k].slot];
        const double by = slots_of(sp, s, k) * rounding / sqrt(n ? (double)n : 1.0);
        if (c->state == COUNT_OK && isfinite(c->value) && by > 0)
            eval_moves(ev, sp->fraction[k].slot, c->value + by, f, out);
    }
    for (uint32_t i = 0; i < sp->n_metric; i++)
        out[i] = NORMAL_95 * sqrt(out[i]);
}

static double *resolution_of(const struct spread *sp, enum which which) {
    return sp->resolution + (size_t)which * sp->n_metric;
}

/* ---- the last values, and all ---- */

/* The last values since the program does what it does now, from the newest back. Returns how many.
 */
static int recent_values(const struct spread *sp, int metric, double *x) {
    const uint64_t seen = sp->seen[metric];
    const int n = spread_of_now(sp, metric);
    for (int i = 0; i < n; i++)
        x[i] = sp->recent[(size_t)metric * SPREAD_N + (seen - 1 - (uint64_t)i) % SPREAD_N];
    return n;
}

static double mean_of(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

static double deviation(const double *x, int n) {
    const double mean = mean_of(x, n);
    double squares = 0.0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (n - 1));
}

static double recent_deviation(const struct spread *sp, int metric) {
    double x[SPREAD_N];
    const int n = spread_of_now(sp, metric);
    if (n == SPREAD_N) /* the whole ring, in any order */
        return deviation(sp->recent + (size_t)metric * SPREAD_N, n);
    return deviation(x, recent_values(sp, metric, x));
}

/* Of n values from the newest back, how many stand on another level than those before: all, two,
 * or one where the older of the two was a mixture. */
static int stepped(const double *x, int n) {
    enum { NOW = 2 };
    if (n < NOW + SPREAD_MIN)
        return n;
    const double mean = mean_of(x + NOW, n - NOW), sd = deviation(x + NOW, n - NOW);
    const double a = x[0] - mean, b = x[1] - mean, far = 2 * t_of(n - NOW) * sd;
    if (a * b <= 0 || fabs(a) <= far || fabs(b) <= far || fabs(b) > 1.5 * fabs(a))
        return n; /* a moment of something else is no step */
    return fabs(a - b) > fabs(a) / 10 ? 1 : NOW;
}

/* Welford's way to sum squares: without the difference of two large numbers. */
static void remember(struct spread *sp, uint32_t metric, double v) {
    sp->recent[(size_t)metric * SPREAD_N + sp->seen[metric]++ % SPREAD_N] = v;
    const double off = v - sp->mean[metric];
    sp->mean[metric] += off / (double)sp->seen[metric];
    sp->squares[metric] += off * (v - sp->mean[metric]);
}

/* Are the newest two beyond all others, on one side? Else they are no step: most are not, and cost
 * little. */
static bool are_beyond(const struct spread *sp, uint32_t metric) {
    const double *ring = sp->recent + (size_t)metric * SPREAD_N;
    const uint64_t seen = sp->seen[metric];
    const int n = spread_of_now(sp, (int)metric);
    if (n < 3)
        return false;
    const double a = ring[(seen - 1) % SPREAD_N], b = ring[(seen - 2) % SPREAD_N];
    const bool up = a > ring[(seen - 3) % SPREAD_N];
    for (int k = 3; k <= n; k++) {
        const double v = ring[(seen - (uint64_t)k) % SPREAD_N];
        if (up ? a <= v || b <= v : a >= v || b >= v)
            return false;
    }
    return true;
}

void spread_notice(struct spread *sp, int metric) {
    double x[SPREAD_N];
    if (!are_beyond(sp, (uint32_t)metric))
        return;
    const int n = recent_values(sp, metric, x), of_now = stepped(x, n);
    if (of_now < n)
        sp->begun[metric] = sp->seen[metric] - (uint64_t)of_now;
}

int spread_of_now(const struct spread *sp, int metric) {
    const uint64_t since = sp->seen[metric] - sp->begun[metric];
    return (int)(since < SPREAD_N ? since : SPREAD_N);
}

void spread_set_of_now(struct spread *sp, int metric, int n) {
    const uint64_t seen = sp->seen[metric];
    sp->begun[metric] = n < SPREAD_N && (uint64_t)n < seen ? seen - (uint64_t)n : 0;
}

/* A ratio of sums is near the mean of the ratios; what is counted grows with the time. */
static bool is_total(double of_sum, double mean, double intervals) {
    return intervals > 1 && fabs(of_sum) > fabs(mean) * sqrt(intervals);
}

struct spread_parts spread_parts(const struct spread *sp, int metric, const struct value *v,
                                 uint64_t n) {
    const uint64_t seen = sp->seen[metric];
    struct spread_parts p = {
        .n = n ? (int)(seen < INT32_MAX ? seen : INT32_MAX) : spread_of_now(sp, metric),
        .t = NAN,
        .sd = NAN,
        .unseen = v->duty < 1.0f ? sqrt(1.0 - (double)v->duty) : 0.0,
        .intervals = n == 0 || seen == 0 ? 1.0 : (double)(seen < n ? seen : n),
        .resolution = resolution_of(sp, n ? OF_SUM : OF_INTERVAL)[metric],
        .err = NAN,
    };
    if (p.n >= SPREAD_MIN) {
        p.t = t_of(p.n);
        p.sd = n ? sqrt(sp->squares[metric] / (double)(seen - 1)) : recent_deviation(sp, metric);
    }
    if (isnan(v->v))
        return p;
    p.total = n && is_total(v->v, sp->mean[metric], p.intervals);
    if (p.unseen == 0.0)
        p.err = v->approx ? NAN : p.resolution;
    else
        p.err = hypot(p.t * p.sd * p.unseen / sqrt(p.intervals) * (p.total ? p.intervals : 1.0),
                      p.resolution);
    return p;
}

/* ---- frames ---- */

void spread_remember(struct spread *sp, const struct frame *f) {
    for (uint32_t i = 0; i < sp->n_metric; i++)
        if (!isnan(f->at[i].v))
            remember(sp, i, f->at[i].v);
}

/* The same without how it came about, which most do not need. */
static void write_err(struct spread *sp, uint64_t n, struct frame *f) {
    const double *resolution = resolution_of(sp, n ? OF_SUM : OF_INTERVAL);
    for (uint32_t i = 0; i < sp->n_metric; i++) {
        struct value *v = &f->at[i];
        if (isnan(v->v)) {
            v->err = NAN;
        } else if (!(v->duty < 1.0f)) {
            v->err = v->approx ? NAN : resolution[i]; /* not of the spread */
        } else {
            if (n == 0)
                spread_notice(sp, (int)i);
            v->err = spread_parts(sp, (int)i, v, n).err;
        }
    }
}

void spread_interval(struct spread *sp, struct eval *ev, const struct sample *s, struct frame *f) {
    find_resolution(sp, ev, s, 1, f, resolution_of(sp, OF_INTERVAL));
    spread_remember(sp, f);
    write_err(sp, 0, f);
}

void spread_sum(struct spread *sp, struct eval *ev, const struct sample *s, uint64_t n,
                struct frame *f) {
    find_resolution(sp, ev, s, n, f, resolution_of(sp, OF_SUM));
    write_err(sp, n ? n : 1, f);
}
