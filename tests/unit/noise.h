/*
 * Runs whose truth is known: metrics of a tree, made of a dozen causes that vary in a given way.
 * Everything follows from a seed. For test_moments.c, test_compare.c and bench_compare.c.
 */
#ifndef TDTOP_TESTS_NOISE_H
#define TDTOP_TESTS_NOISE_H

#include "model/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAUSES = 12, METRICS = 40, INTERVALS_MOST = 3600 };

struct noise_random {
    uint64_t state;
    double spare;
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
        return r->spare;
    }
    const double size = sqrt(-2.0 * log(noise_uniform(r)));
    const double angle = 2.0 * M_PI * noise_uniform(r);
    r->spare = size * sin(angle);
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
};

/* What two runs of the same program have in common. */
struct noise_program {
    double level[CAUSES][5];        /* of the phases */
    double weight[METRICS][CAUSES]; /* of causes in metrics */
};

static inline void noise_program(struct noise_random *r, const struct noise *how,
                                 struct noise_program *p) {
    memset(p, 0, sizeof(*p));
    for (int c = 0; c < CAUSES; c++)
        for (int k = 0; k < 5; k++)
            p->level[c][k] =
                how->size * (how->kind == NOISE_SWITCH ? (k % 2 ? 0.5 : -0.5) * (c % 2 ? 1 : -1)
                                                       : noise_normal(r) / 1.4142);
    for (int m = 0; m < METRICS; m++) { /* leaves; sums of four of them; and whatever mixes */
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
    struct moments moments[METRICS];
    struct moments_result result[METRICS];
    struct run_node node[METRICS];
    char name[METRICS][24], path[METRICS][48];
};

/* Shares of mean 30 points with a standard deviation of 2 points; `up` is added to metric 0. */
static inline void noise_run(struct noise_random *r, const struct noise *how,
                             const struct noise_program *p, int n, double up,
                             struct noise_run *out) {
    static double x[CAUSES * INTERVALS_MOST];
    noise_causes(r, how, p, x, n);
    for (int m = 0; m < METRICS; m++) {
        moments_reset(&out->moments[m]);
        for (int i = 0; i < n; i++) {
            double v = 0;
            for (int c = 0; c < CAUSES; c++)
                v += p->weight[m][c] * x[c * n + i];
            moments_add(&out->moments[m], 0.30 + 0.02 * v + (m == 0 ? up : 0.0));
        }
    }
    moments_results(out->moments, METRICS, out->result);
    for (int m = 0; m < METRICS; m++) {
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
    return (struct compare_side){
        .name = "run", .model = "tiny", .node = r->node, .n_node = METRICS, .measured_s = 1};
}

/* Of `times` comparisons of two runs with the same truth but for `up` in metric 0. */
struct noise_score {
    int times;
    int alarms;  /* comparisons in which any metric changed (with `up`: any but metric 0) */
    int found;   /* comparisons in which metric 0 changed */
    int too_few; /* metrics without a verdict */
};

static inline bool noise_is_alarm(enum verdict v) {
    return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED || v == VERDICT_CHANGED;
}

static inline void noise_count(const struct comparison *c, const struct noise_run *a, bool up,
                               struct noise_score *score) {
    bool alarm = false;
    for (size_t i = 0; i < c->n_row; i++) {
        const bool changed = noise_is_alarm(c->row[i].verdict);
        const bool moved = up && c->row[i].a == &a->node[0];
        score->found += moved && changed;
        alarm |= !moved && changed;
        score->too_few += c->row[i].verdict == VERDICT_TOO_FEW;
    }
    score->alarms += alarm;
}

/* least_points is what the user needs to act on: 0 for the statistics alone. */
static inline struct noise_score noise_score(uint64_t seed, const struct noise *how, int n,
                                             double up, double least_points, int times) {
    static struct noise_run a, b;
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
        noise_count(&c, &a, up != 0, &score);
        compare_free(&c);
    }
    return score;
}

#endif
