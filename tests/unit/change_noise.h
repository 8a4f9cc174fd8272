/* Levels with noise, of which it is known when they change. For test_change_point.c and
 * bench_changes.c. */
#ifndef TDTOP_TESTS_CHANGE_NOISE_H
#define TDTOP_TESTS_CHANGE_NOISE_H

#include "model/run/change_point.h"
#include "noise.h"

enum { CHANGE_NOISE_METRICS = 6, CHANGE_NOISE_LONG = 60 };
#define CHANGE_NOISE_NS 1000000000ull

/* Shares about 20 %, sd 2 points. */
struct change_noise {
    struct noise_random r;
    struct change_point cp;
    double rho, x[CHANGE_NOISE_METRICS];
    uint64_t n;
};

static inline void change_noise_init(struct change_noise *w, uint64_t seed, double rho) {
    *w = (struct change_noise){.r = {.state = seed}, .rho = rho};
    change_point_init_plain(&w->cp, CHANGE_NOISE_METRICS, 0.01, 0);
    for (int i = 0; i < CHANGE_NOISE_METRICS; i++)
        w->x[i] = noise_normal(&w->r);
}

/* An interval: metric 0 is `up` standard deviations above its level. */
static inline enum change_status change_noise_step(struct change_noise *w, double up) {
    double v[CHANGE_NOISE_METRICS];
    for (int i = 0; i < CHANGE_NOISE_METRICS; i++) {
        w->x[i] = w->rho * w->x[i] + sqrt(1 - w->rho * w->rho) * noise_normal(&w->r);
        v[i] = 0.2 + 0.02 * (w->x[i] + (i == 0 ? up : 0));
    }
    w->n++;
    return change_point_values(&w->cp, v, (w->n - 1) * CHANGE_NOISE_NS, w->n * CHANGE_NOISE_NS);
}

/* Changes that are found in n intervals without any. */
static inline uint64_t change_noise_false(uint64_t seed, double rho, int n) {
    static struct change_noise w;
    uint64_t found = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3600 == 0) /* an hour is a session */
            change_noise_init(&w, seed * 1000003 + (uint64_t)i, rho);
        found += change_noise_step(&w, 0) == CHANGE_FOUND;
    }
    return found;
}

struct change_score {
    int in_6, in_12;    /* found within so many intervals */
    int median, latest; /* intervals until it was found; of 95 in 100 */
    int off;            /* the new level begins more than one interval beside the truth */
};

static inline int change_noise_by_value(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* A change after `before` intervals that takes `ramp` intervals to rise. 4000 times at most. */
static inline struct change_score change_noise_found(uint64_t seed, double rho, double sd,
                                                     int before, int ramp, int times) {
    static struct change_noise w;
    static int after[4000];
    struct change_score s = {0};
    for (int t = 0; t < times; t++) {
        change_noise_init(&w, seed * 7919 + (uint64_t)t, rho);
        for (int i = 0; i < before; i++)
            change_noise_step(&w, 0);
        w.cp.n_found = 0;
        after[t] = CHANGE_NOISE_LONG + 1;
        for (int i = 1; i <= CHANGE_NOISE_LONG; i++) {
            change_noise_step(&w, i > ramp ? sd : sd * i / (ramp + 1));
            if (w.cp.n_found && after[t] > CHANGE_NOISE_LONG)
                after[t] = i;
        }
        const int64_t off = (int64_t)(w.cp.level_ns / CHANGE_NOISE_NS) - before - ramp;
        s.in_6 += after[t] <= 6;
        s.in_12 += after[t] <= 12;
        s.off += off < -1 || off > 1;
    }
    qsort(after, (size_t)times, sizeof(after[0]), change_noise_by_value);
    s.median = after[times / 2];
    s.latest = after[times * 95 / 100];
    return s;
}

/* ---- the whole loop: pin, find, compare ---- */

/*
 * As noise_looks, where levels are watched from the start: A is what came since the last change
 * until interval n_a, B begins anew with each change that is found after it, as ui/app/baseline.h
 * has it. `up` is added to metric 0 from interval n_a + `later` on.
 */
struct loop_score {
    struct noise_looks looks; /* found: counted from the change on */
    int restarts;             /* runs in which B began anew */
};

static inline void loop_add(struct noise_run *to, const struct noise_program *p, const double *x,
                            int n, int from, int until, int change, double up) {
    for (int m = 0; m < to->n_metric; m++) {
        for (int i = from; i < until; i++)
            moments_add(&to->moments[m],
                        noise_value(p, x, n, m, i) + (m == 0 && i >= change ? up : 0.0));
    }
}

static inline void loop_clear(struct noise_run *r) {
    for (int m = 0; m < r->n_metric; m++)
        moments_reset(&r->moments[m]);
}

static inline void loop_results(struct noise_run *r) {
    moments_results(r->moments, (uint32_t)r->n_metric, r->result);
    for (int m = 0; m < r->n_metric; m++) {
        r->node[m].m = r->result[m];
        r->node[m].value.v = r->result[m].mean;
    }
}

static inline struct loop_score change_noise_loop(uint64_t seed, const struct noise *how, int n_a,
                                                  int later, int n_b, double up, int times) {
    static struct noise_run a, b;
    static struct change_point cp;
    static double x[CAUSES * INTERVALS_MOST], first[NOISE_TIMES];
    struct noise_random r = {.state = seed};
    struct noise_program p;
    struct loop_score out = {0};
    const int n = n_a + later + n_b, change = n_a + later;
    for (int t = 0; t < times; t++) {
        bool alarm = false, anew = false;
        int since = 0, a_from = 0, a_until = n_a, shorts = 0;
        noise_program(&r, how, &p);
        noise_run(&r, how, &p, 1, 0.0, &a); /* its names */
        noise_run(&r, how, &p, 1, 0.0, &b);
        noise_causes(&r, how, &p, x, n);
        change_point_init_plain(&cp, CHANGE_NOISE_METRICS, 0.01, 0);
        first[t] = n_b + 1;
        for (int i = 0; i < n && (up == 0 || first[t] > n_b); i++) {
            double v[CHANGE_NOISE_METRICS];
            for (int m = 0; m < CHANGE_NOISE_METRICS; m++)
                v[m] = noise_value(&p, x, n, m, i) + (m == 0 && i >= change ? up : 0.0);
            const enum change_status status = change_point_values(
                &cp, v, (uint64_t)i * CHANGE_NOISE_NS, (uint64_t)(i + 1) * CHANGE_NOISE_NS);
            const int level = (int)(cp.level_ns / CHANGE_NOISE_NS),
                      left = (int)(cp.left_ns / CHANGE_NOISE_NS);
            if (i < n_a) {
                if (status != CHANGE_NONE)
                    a_from = level;
                continue;
            }
            if (i == n_a) {
                if (n_a - a_from < 3)
                    a_from = 0;
                since = n_a;
            }
            if (status == CHANGE_FOUND)
                shorts = level < since + 30 ? shorts + 1 : 0;
            if (status != CHANGE_NONE && shorts < 4 && level > a_from) {
                if (left < a_until && left >= a_from + 3)
                    a_until = left;
                since = level > since ? level : since;
                anew = true;
            }
            loop_clear(&a);
            loop_add(&a, &p, x, n, a_from, a_until, change, up);
            loop_results(&a);
            loop_clear(&b);
            loop_add(&b, &p, x, n, since, i + 1, change, up);
            if (noise_look(&a, &b, true, up != 0, &alarm) && i >= change)
                first[t] = i - change + 1;
        }
        out.looks.alarms += alarm;
        out.restarts += anew;
    }
    out.looks.found = noise_median(first, times);
    out.looks.latest = first[times * 95 / 100];
    return out;
}

#endif
