#include "model/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPREAD_MIN = 3 }; /* two values have a spread, but 12.7 times it is no error bar */

/* Student's t, two-sided 95 %, by degrees of freedom n - 1. */
static const double student_t[SPREAD_N] = {0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};

int window_init(struct window *w, uint32_t n_slot, uint32_t n_metric) {
    *w = (struct window){.n_metric = n_metric};
    w->whole = calloc(1, sizeof(*w->whole));
    int rc = w->whole ? sample_init(&w->sum, n_slot) : -ENOMEM;
    if (rc == 0)
        rc = sample_init(w->whole, n_slot);
    w->stale_ns = calloc(n_slot + 1u, sizeof(*w->stale_ns));
    w->recent = calloc((size_t)n_metric * SPREAD_N + 1, sizeof(*w->recent));
    w->n_recent = calloc((size_t)n_metric * 2 + 1, sizeof(*w->n_recent));
    if (rc < 0 || !w->stale_ns || !w->recent || !w->n_recent) {
        window_destroy(w);
        return -ENOMEM;
    }
    window_reset(w);
    return 0;
}

void window_destroy(struct window *w) {
    sample_destroy(&w->sum);
    if (w->whole)
        sample_destroy(w->whole);
    free(w->whole);
    free(w->stale_ns);
    free(w->recent);
    free(w->n_recent);
    *w = (struct window){0};
}

void window_reset(struct window *w) {
    for (uint32_t i = 0; i < w->sum.n_slot; i++) {
        w->sum.at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
        w->stale_ns[i] = 0;
    }
    w->sum.seq = w->sum.t0_ns = w->sum.t1_ns = 0;
    w->sum.target_threads = 0;
    memset(w->n_recent, 0, (size_t)w->n_metric * 2);
    w->n = 0;
    w->covered_ns = 0;
    w->covered_s = 0.0;
}

static void add_count(struct count *sum, const struct count *c) {
    if (sum->state != COUNT_OK)
        *sum = (struct count){.state = COUNT_OK};
    sum->value += c->value;
    sum->enabled_ns += c->enabled_ns;
    sum->running_ns += c->running_ns;
}

static bool has_count(const struct count *c) {
    return c->state == COUNT_OK && !isnan(c->value);
}

void window_add(struct window *w, const struct sample *s) {
    for (uint32_t i = 0; i < w->sum.n_slot; i++) {
        const struct count *c = &s->at[i];
        if (has_count(c))
            add_count(&w->sum.at[i], c);
        else if (w->sum.at[i].state != COUNT_OK)
            w->sum.at[i].state = c->state == COUNT_OK ? COUNT_NOT_COUNTED : c->state;
        if (c->state == COUNT_STALE || c->state == COUNT_NOT_FOCUSED)
            w->stale_ns[i] += c->enabled_ns;
    }
    if (w->n == 0)
        w->sum.t0_ns = s->t0_ns;
    w->sum.t1_ns = s->t1_ns;
    w->sum.seq = s->seq;
    w->sum.target_threads = s->target_threads;
    w->covered_ns += s->t1_ns - s->t0_ns;
    w->covered_s = (double)w->covered_ns / 1e9;
    w->n++;
}

const struct sample *window_sample(const struct window *w) {
    struct sample *whole = w->whole;
    sample_copy(whole, &w->sum);
    whole->t0_ns = whole->t1_ns - w->covered_ns;
    for (uint32_t i = 0; i < whole->n_slot; i++) {
        struct count *c = &whole->at[i];
        if (w->stale_ns[i] == 0)
            continue;
        if (c->state == COUNT_OK && c->enabled_ns > 0)
            c->value *= 1.0 + (double)w->stale_ns[i] / (double)c->enabled_ns;
        c->enabled_ns += w->stale_ns[i];
    }
    return whole;
}

/* Half width of the 95 % interval of the mean, or NAN. */
static double spread(const double *x, int n) {
    if (n < SPREAD_MIN)
        return NAN;
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return student_t[n - 1] * sqrt(squares / (n - 1) / n);
}

void window_spread(struct window *w, struct frame *f) {
    for (uint32_t i = 0; i < w->n_metric; i++) {
        struct value *v = &f->at[i];
        double *ring = w->recent + (size_t)i * SPREAD_N;
        uint8_t *next = &w->n_recent[2 * i], *n = next + 1;
        v->err = NAN;
        if (isnan(v->v))
            continue;
        ring[*next] = v->v;
        *next = (uint8_t)((*next + 1) % SPREAD_N);
        if (*n < SPREAD_N)
            (*n)++;
        v->err = spread(ring, *n);
    }
}

void window_frame(const struct window *w, struct eval *ev, struct frame *out) {
    eval_run(ev, window_sample(w), out);
    out->t0_ns = w->sum.t0_ns; /* what is shown is the span, gaps included */
}
