/*
 * Sums since a reset, and how far values may be off (spread.h).
 * A mean of ratios is a bug: the value of a window is the formula applied to summed counts.
 */
#ifndef TDTOP_MODEL_WINDOW_H
#define TDTOP_MODEL_WINDOW_H

#include "model/eval/eval.h"
#include "model/eval/spread.h"

struct window {
    struct sample sum;    /* counts, enabled and running summed; t0 of the first, t1 of the last */
    uint64_t n;           /* intervals summed */
    double covered_s;     /* seconds actually measured: differs from t1-t0 when there was a pause */
    uint64_t covered_ns;  /* private: the same, exact */
    uint64_t *stale_ns;   /* [n_slot] private: enabled time of intervals in which it had to wait */
    struct sample *whole; /* private: result of window_sample */
    struct spread *spread; /* private: of the values of its intervals */
};

int window_init(struct window *w, uint32_t n_slot, uint32_t n_metric); /* 0 or -ENOMEM */
void window_destroy(struct window *w);
void window_reset(struct window *w);

/* For `err` of values that PERF_METRICS are part of: optional, once. 0 or -ENOMEM. */
int window_layout(struct window *w, const struct model *m, const struct layout *layout);

/* Adds an interval's counts. A slot without a count in an interval adds neither count nor time. */
void window_add(struct window *w, const struct sample *s);

/*
 * The sums as one interval to evaluate or store: t1 - t0 is the time covered. A slot that had to
 * wait in some intervals while its target ran (not scheduled, or out of focus) is scaled up to that
 * time too, as the kernel's enabled / running would have it for the whole; its duty says so. A slot
 * that never ran has no count. Valid until the next call.
 */
const struct sample *window_sample(const struct window *w);

/* Remembers the values of an interval, f, which is the evaluation of s, and fills `err` of each. */
void window_spread(struct window *w, struct eval *ev, const struct sample *s, struct frame *f);

/* Only remembers them: enough for the `err` of window_frame. */
void window_remember(struct window *w, const struct frame *f);

/* Evaluates the summed counts, `err` too: DURATION_S is covered_s. */
void window_frame(const struct window *w, struct eval *ev, struct frame *out);

/* Adds the sums of another, of later intervals; its spread stays where it is. */
void window_join(struct window *w, const struct window *later);
/* window_frame of what was added to both, with the spread of `now`; before NULL: of `now` alone.
 * Returns the sums, valid until the next call. */
const struct sample *window_frame_joined(const struct window *before, const struct window *now,
                                         struct eval *ev, struct frame *out);

/* How `err` came about: of a value of the newest interval, or with `sum` of the newest
 * window_frame. */
struct spread_parts window_err(const struct window *w, int metric, const struct value *v, bool sum);

#endif
