#include "model/eval/window.h"

#include "model/eval/steady.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int window_init(struct window *w, uint32_t n_slot, uint32_t n_metric) {
    *w = (struct window){0};
    w->whole = calloc(1, sizeof(*w->whole));
    w->spread = calloc(1, sizeof(*w->spread));
    w->stale_ns = calloc(n_slot + 1u, sizeof(*w->stale_ns));
    if (!w->whole || !w->spread || !w->stale_ns || sample_init(&w->sum, n_slot) < 0 ||
        sample_init(w->whole, n_slot) < 0 || spread_init(w->spread, n_metric) < 0) {
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
    if (w->spread)
        spread_destroy(w->spread);
    free(w->spread);
    free(w->stale_ns);
    *w = (struct window){0};
}

void window_reset(struct window *w) {
    for (uint32_t i = 0; i < w->sum.n_slot; i++) {
        w->sum.at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
        w->stale_ns[i] = 0;
    }
    w->sum.seq = w->sum.t0_ns = w->sum.t1_ns = 0;
    w->sum.target_threads = 0;
    w->sum.busy_ns = w->sum.resident_ns = 0;
    spread_reset(w->spread);
    w->n = 0;
    w->covered_ns = 0;
    w->covered_s = 0.0;
}

static void add_count(struct count *sum, const struct count *c) {
    sum->part = count_lesser_part(sum->part, c->part);
    if (sum->state != COUNT_OK)
        *sum = (struct count){.state = COUNT_OK, .part = sum->part};
    sum->value += c->value;
    sum->enabled_ns += c->enabled_ns;
    sum->running_ns += c->running_ns;
}

int window_layout(struct window *w, const struct model *m, const struct layout *layout) {
    return spread_layout(w->spread, m, layout);
}

static bool has_count(const struct count *c) {
    return c->state == COUNT_OK && !isnan(c->value);
}

/* The reason of a slot without a count: that it waited says more than that the target slept. */
static uint8_t reason(enum count_state was, enum count_state is) {
    if (is == COUNT_OK)
        is = COUNT_NOT_COUNTED; /* counted, but no number */
    return (uint8_t)(count_waits(was) && !count_waits(is) ? was : is);
}

static void add_slot(struct count *sum, uint64_t *stale_ns, const struct count *c) {
    if (has_count(c))
        add_count(sum, c);
    else if (sum->state != COUNT_OK)
        sum->state = reason((enum count_state)sum->state, (enum count_state)c->state);
    if (count_waits((enum count_state)c->state))
        *stale_ns += c->enabled_ns;
}

void window_add(struct window *w, const struct sample *s) {
    for (uint32_t i = 0; i < w->sum.n_slot; i++)
        add_slot(&w->sum.at[i], &w->stale_ns[i], &s->at[i]);
    if (w->n == 0)
        w->sum.t0_ns = s->t0_ns;
    w->sum.t1_ns = s->t1_ns;
    w->sum.seq = s->seq;
    w->sum.target_threads = s->target_threads;
    w->sum.busy_ns += s->busy_ns;
    w->sum.resident_ns += s->resident_ns;
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

void window_spread(struct window *w, struct eval *ev, const struct sample *s, struct frame *f) {
    spread_interval(w->spread, ev, s, f);
}

void window_remember(struct window *w, const struct frame *f) {
    spread_remember(w->spread, f);
}

void window_frame(const struct window *w, struct eval *ev, struct frame *out) {
    const struct sample *s = window_sample(w);
    eval_run(ev, s, out);
    spread_sum(w->spread, ev, s, w->n, out);
    out->t0_ns = w->sum.t0_ns; /* what is shown is the span, gaps included */
    steady_rest(ev->model, out);
}

void window_join(struct window *w, const struct window *later) {
    const uint64_t n = w->n, covered_ns = w->covered_ns, t0_ns = w->sum.t0_ns;
    if (later->n == 0)
        return;
    for (uint32_t i = 0; i < w->sum.n_slot; i++) {
        uint64_t counted_apart = 0; /* by later itself */
        add_slot(&w->sum.at[i], &counted_apart, &later->sum.at[i]);
        w->stale_ns[i] += later->stale_ns[i];
    }
    w->sum.t0_ns = n ? t0_ns : later->sum.t0_ns;
    w->sum.t1_ns = later->sum.t1_ns;
    w->sum.seq = later->sum.seq;
    w->sum.target_threads = later->sum.target_threads;
    w->sum.busy_ns += later->sum.busy_ns;
    w->sum.resident_ns += later->sum.resident_ns;
    w->covered_ns = covered_ns + later->covered_ns;
    w->covered_s = (double)w->covered_ns / 1e9;
    w->n = n + later->n;
}

const struct sample *window_frame_joined(const struct window *before, const struct window *now,
                                         struct eval *ev, struct frame *out) {
    const struct sample *add = window_sample(now);
    if (!before || now->n == 0) {
        window_frame(now->n || !before ? now : before, ev, out);
        return now->n || !before ? add : window_sample(before);
    }
    window_sample(before);
    struct sample *all = before->whole;
    for (uint32_t i = 0; i < all->n_slot; i++)
        if (has_count(&add->at[i]))
            add_count(&all->at[i], &add->at[i]);
    all->t1_ns = add->t1_ns;
    all->t0_ns = all->t1_ns - before->covered_ns - now->covered_ns;
    all->busy_ns += add->busy_ns;
    all->resident_ns += add->resident_ns;
    eval_run(ev, all, out);
    spread_sum(now->spread, ev, all, before->n + now->n, out);
    out->t0_ns = before->sum.t0_ns;
    return all;
}

struct spread_parts window_err(const struct window *w, int metric, const struct value *v,
                               bool sum) {
    const uint64_t n = w->n ? w->n : 1;
    return spread_parts(w->spread, metric, v, sum ? n : 0);
}
