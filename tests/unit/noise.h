/*
 * Runs whose truth is known: metrics of a tree, made of a dozen causes that vary in a given way.
 * Everything follows from a seed. For test_moments.c, test_compare.c and bench_compare.c.
 */
#ifndef TDTOP_TESTS_NOISE_H
#define TDTOP_TESTS_NOISE_H

#include "model/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAUSES = 12, METRICS = 40, METRICS_MOST = 200, INTERVALS_MOST = 3600 };

struct noise_random {
    uint64_t state;
    double pending;
    bool has_spare;
};

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t noise_bits(struct noise_random *r) {
    uint64_t x = r->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static inline double noise_uniform(struct noise_random *r) {
    return ((double)(noise_bits(r) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static inline double noise_normal(struct noise_random *r) {
    if (r->has_spare) {
        r->has_spare = false;
        return r->pending;
    }
    const double size = sqrt(-2.0 * log(noise_uniform(r)));
    const double angle = 2.0 * M_PI * noise_uniform(r);
    r->pending = size * sin(angle);
    r->has_spare = true;
    return size * cos(angle);
}

/* How causes vary. All but the phases have mean 0 and variance 1. */
enum noise_kind {
    NOISE_AR1,    /* of given phi; 0: white */
    NOISE_MIXED,  /* half white, half AR(1) */
    NOISE_ONE,    /* AR(1), and nearly the same in all causes */
    NOISE_HALF,   /* AR(1) in every second cause, white in the others */
    NOISE_PHASES, /* white, and levels that all causes change at the same moments, in rotation,
                     every `length` intervals: like the demo */
    NOISE_SWITCH, /* white, and two levels that they change between at random, every `length`
                     intervals in the mean */
};

struct noise {
    enum noise_kind kind;
    double phi;    /* AR(1) */
    double length; /* phases: intervals */
    double size;   /* phases: of the difference of levels, in standard deviations */
    int n_metric;  /* METRICS_MOST at most; 0: METRICS */
};

static inline int noise_metrics(const struct noise *how) {
    return how->n_metric ? how->n_metric : METRICS;
}

/* What two runs of the same program have in common. */
struct noise_program {
    double level[CAUSES][5];             /* of the phases */
    double weight[METRICS_MOST][CAUSES]; /* of causes in metrics */
};

static inline void noise_program(struct noise_random *r, const struct noise *how,
                                 struct noise_program *p) {
    memset(p, 0, sizeof(*p));
    for (int c = 0; c < CAUSES; c++)
        for (int k = 0; k < 5; k++)
            p->level[c][k] =
                how->size * (how->kind == NOISE_SWITCH ? (k % 2 ? 0.5 : -0.5) * (c % 2 ? 1 : -1)
                                                       : noise_normal(r) / 1.4142);
    for (int m = 0; m < noise_metrics(how);
         m++) { /* leaves; sums of four of them; and whatever mixes */
        double squares = 0;
        for (int c = 0; c < CAUSES; c++) {
            double *w = &p->weight[m][c];
            *w = m < CAUSES               ? m == c
                 : m < CAUSES + 3         ? c / 4 == m - CAUSES
                 : noise_uniform(r) < 0.3 ? noise_normal(r)
                                          : 0.0;
            squares += *w * *w;
        }
        if (squares == 0)
            squares = p->weight[m][m % CAUSES] = 1;
        for (int c = 0; c < CAUSES; c++)
            p->weight[m][c] /= sqrt(squares);
    }
}

static inline void noise_ar1(struct noise_random *r, double phi, double *x, int n) {
    double v = noise_normal(r);
    for (int i = 0; i < n; i++) {
        v = i ? phi * v + sqrt(1 - phi * phi) * noise_normal(r) : v;
        x[i] = v;
    }
}

/* Which level is on in each interval. */
static inline void noise_phase(struct noise_random *r, const struct noise *how, uint8_t *phase,
                               int n) {
    double left = noise_uniform(r) * how->length;
    unsigned now = (unsigned)(noise_uniform(r) * 5);
    for (int i = 0; i < n; i++, left--) {
        const bool next = how->kind == NOISE_SWITCH ? noise_uniform(r) < 1 / how->length : left < 0;
        now += next;
        left += next ? how->length : 0;
        phase[i] = (uint8_t)(how->kind == NOISE_SWITCH ? now % 2 : now % 5);
    }
}

/* The causes of one run, [CAUSES][n] in x. */
static inline void noise_causes(struct noise_random *r, const struct noise *how,
                                const struct noise_program *p, double *x, int n) {
    static double other[INTERVALS_MOST];
    static uint8_t phase[INTERVALS_MOST];
    noise_phase(r, how, phase, how->length > 0 ? n : 0);
    if (how->kind == NOISE_ONE)
        noise_ar1(r, how->phi, other, n);
    for (int c = 0; c < CAUSES; c++) {
        double *at = x + (size_t)c * (size_t)n;
        const bool white = how->kind == NOISE_ONE || (how->kind == NOISE_HALF && c % 2 == 0);
        noise_ar1(r, white ? 0 : how->phi, at, n);
        for (int i = 0; i < n; i++) {
            if (how->kind == NOISE_MIXED)
                at[i] = 0.70710678 * (at[i] + noise_normal(r));
            if (how->kind == NOISE_ONE)
                at[i] = 0.95 * other[i] + 0.3122499 * at[i];
            if (how->length > 0)
                at[i] += p->level[c][phase[i]];
        }
    }
}

/* ---- as runs ---- */

struct noise_run {
    int n_metric;
    struct moments moments[METRICS_MOST];
    struct moments_result result[METRICS_MOST];
    struct run_node node[METRICS_MOST];
    char name[METRICS_MOST][24], path[METRICS_MOST][48];
};

/* Metric m in interval i of n. */
static inline double noise_value(const struct noise_program *p, const double *x, int n, int m,
                                 int i) {
    double v = 0;
    for (int c = 0; c < CAUSES; c++)
        v += p->weight[m][c] * x[c * n + i];
    return 0.30 + 0.02 * v;
}

/* Shares of mean 30 points with a standard deviation of 2 points; `up` is added to metric 0. */
static inline void noise_run(struct noise_random *r, const struct noise *how,
                             const struct noise_program *p, int n, double up,
                             struct noise_run *out) {
    static double x[CAUSES * INTERVALS_MOST];
    noise_causes(r, how, p, x, n);
    out->n_metric = noise_metrics(how);
    for (int m = 0; m < out->n_metric; m++) {
        moments_reset(&out->moments[m]);
        for (int i = 0; i < n; i++)
            moments_add(&out->moments[m], noise_value(p, x, n, m, i) + (m == 0 ? up : 0.0));
    }
    moments_results(out->moments, (uint32_t)out->n_metric, out->result);
    for (int m = 0; m < out->n_metric; m++) {
        snprintf(out->name[m], sizeof(out->name[m]), "Node_%02d", m);
        snprintf(out->path[m], sizeof(out->path[m]), m < 4 ? "Node_%02d" : "Node_%02d.Node_%02d",
                 m < 4 ? m : m % 4, m);
        static char unit[] = "percent", reason[] = "";
        out->node[m] = (struct run_node){.name = out->name[m],
                                         .path = out->path[m],
                                         .unit = unit,
                                         .reason = reason,
                                         .level = m < 4 ? 1 : 2,
                                         .share = true,
                                         .better = -1,
                                         .value = {.v = out->result[m].mean, .duty = 1},
                                         .m = out->result[m]};
    }
}

static inline struct compare_side noise_side(const struct noise_run *r) {
    return (struct compare_side){.name = "run",
                                 .model = "tiny",
                                 .node = r->node,
                                 .n_node = (size_t)r->n_metric,
                                 .measured_s = 1};
}

static inline bool noise_is_alarm(enum verdict v) {
    return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED || v == VERDICT_CHANGED;
}

/* Of `times` comparisons of two runs with the same truth but for `up` in metric 0. */
struct noise_score {
    int times;
    int alarms;   /* comparisons in which any metric changed (with `up`: any but metric 0) */
    int found;    /* comparisons in which metric 0 changed */
    double width; /* median half width of the interval of metric 0 */
};

enum { NOISE_TIMES = 4000 };

static inline int noise_by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static inline double noise_median(double *x, int n) {
    qsort(x, (size_t)n, sizeof(*x), noise_by_value);
    return x[n / 2];
}

static inline double noise_count(const struct comparison *c, const struct noise_run *a, bool up,
                                 struct noise_score *score) {
    bool alarm = false;
    double width = NAN;
    for (size_t i = 0; i < c->n_row; i++) {
        const bool changed = noise_is_alarm(c->row[i].verdict), first = c->row[i].a == &a->node[0];
        score->found += up && first && changed;
        alarm |= !(up && first) && changed;
        width = first ? compare_err_alone(c, &c->row[i]) : width;
    }
    score->alarms += alarm;
    return width;
}

/* least_points is what the user needs to act on: 0 for the statistics alone. NOISE_TIMES at most.
 */
static inline struct noise_score noise_score(uint64_t seed, const struct noise *how, int n,
                                             double up, double least_points, int times) {
    static struct noise_run a, b;
    static double width[NOISE_TIMES];
    struct noise_random r = {.state = seed};
    struct noise_program p;
    struct noise_score score = {.times = times};
    struct compare_options opt = compare_defaults();
    opt.least_points = least_points > 0 ? least_points : 1e-9;
    for (int i = 0; i < times; i++) {
        struct comparison c;
        noise_program(&r, how, &p);
        noise_run(&r, how, &p, n, 0.0, &a);
        noise_run(&r, how, &p, n, up, &b);
        const struct compare_side sa = noise_side(&a), sb = noise_side(&b);
        if (compare_sides(&sa, &sb, &opt, &c, NULL) < 0)
            abort();
        width[i] = noise_count(&c, &a, up != 0, &score);
        compare_free(&c);
    }
    score.width = noise_median(width, times);
    return score;
}

/* Half width of the 95 % interval of a difference, of whom knows the AR(1) noise exactly. */
static inline double noise_ideal(double phi, int n) {
    double sum = n;
    for (int k = 1; k < n; k++)
        sum += 2.0 * (n - k) * pow(phi, k);
    return 1.96 * 0.02 * sqrt(2 * sum) / n;
}

/* ---- looked at with every interval ---- */

struct noise_looks {
    int alarms;    /* comparisons in which any look found a change where there is none */
    double found;  /* the look in which metric 0 was first found: median; n + 1: never */
    double latest; /* the same, of 95 in 100 */
};

static inline bool noise_look(const struct noise_run *a, struct noise_run *b, bool watched, bool up,
                              bool *alarm) {
    struct comparison c;
    struct compare_options opt = compare_defaults();
    bool found = false;
    opt.least_points = 1e-9;
    opt.watched = watched;
    moments_results(b->moments, (uint32_t)b->n_metric, b->result);
    for (int m = 0; m < b->n_metric; m++) {
        b->node[m].m = b->result[m];
        b->node[m].value.v = b->result[m].mean;
    }
    const struct compare_side sa = noise_side(a), sb = noise_side(b);
    if (compare_sides(&sa, &sb, &opt, &c, NULL) < 0)
        abort();
    for (size_t i = 0; i < c.n_row; i++) {
        const bool moved = up && c.row[i].a == &a->node[0];
        found |= moved && noise_is_alarm(c.row[i].verdict);
        *alarm |= !moved && noise_is_alarm(c.row[i].verdict);
    }
    compare_free(&c);
    return found;
}

/* Side a stands still at n_a intervals, b grows to n; `up` is added to metric 0 of b. */
static inline struct noise_looks noise_looks(uint64_t seed, const struct noise *how, bool watched,
                                             int n_a, int n, double up, int times) {
    static struct noise_run a, b;
    static double x[CAUSES * INTERVALS_MOST], first[NOISE_TIMES];
    struct noise_random r = {.state = seed};
    struct noise_program p;
    struct noise_looks out = {0};
    for (int t = 0; t < times; t++) {
        bool alarm = false;
        noise_program(&r, how, &p);
        noise_run(&r, how, &p, n_a, 0.0, &a);
        noise_run(&r, how, &p, 1, 0.0, &b); /* its names */
        noise_causes(&r, how, &p, x, n);
        for (int m = 0; m < b.n_metric; m++)
            moments_reset(&b.moments[m]);
        first[t] = n + 1;
        for (int i = 0; i < n && (up == 0 || first[t] > n); i++) {
            for (int m = 0; m < b.n_metric; m++)
                moments_add(&b.moments[m], noise_value(&p, x, n, m, i) + (m == 0 ? up : 0.0));
            if (noise_look(&a, &b, watched, up != 0, &alarm))
                first[t] = i + 1;
        }
        out.alarms += alarm;
    }
    out.found = noise_median(first, times);
    out.latest = first[times * 95 / 100];
    return out;
}

#endif
