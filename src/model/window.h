/*
 * Sums since a reset, and moments of the last intervals.
 * A mean of ratios is a bug: the value of a window is the formula applied to summed counts.
 */
#ifndef TDTOP_MODEL_WINDOW_H
#define TDTOP_MODEL_WINDOW_H

#include "model/eval.h"

enum { SPREAD_N = 8 }; /* intervals that the ± is taken from */

struct window {
    struct sample sum; /* counts, enabled and running summed; t0 of the first, t1 of the last */
    uint64_t n;        /* intervals summed */
    double covered_s;  /* seconds actually measured: differs from t1-t0 when samples were dropped */
    uint64_t covered_ns;  /* private: the same, exact */
    uint64_t *stale_ns;   /* [n_slot] private: enabled time of intervals in which it was stale */
    struct sample *whole; /* private: result of window_sample */
    double *recent;       /* private: [n_metric] rings of the last SPREAD_N known values */
    uint8_t *n_recent; /* private: [n_metric][2] where the next one goes, and how many there are */
    uint32_t n_metric;
};

int window_init(struct window *w, uint32_t n_slot, uint32_t n_metric); /* 0 or -ENOMEM */
void window_destroy(struct window *w);
void window_reset(struct window *w);

/* Adds an interval's counts. A slot without a count in an interval adds neither count nor time. */
void window_add(struct window *w, const struct sample *s);

/*
 * The sums as one interval to evaluate or store: t1 - t0 is the time covered. A slot that was not
 * scheduled in some intervals while its target ran is scaled up to that time too, as the kernel's
 * enabled / running would have it for the whole. Valid until the next call.
 */
const struct sample *window_sample(const struct window *w);

/*
 * Remembers the frame's values and fills `err` of each: half the width of the 95 % interval of the
 * mean of the last SPREAD_N known values (Student's t), NAN with fewer than 3.
 */
void window_spread(struct window *w, struct frame *f);

/* Evaluates the summed counts: DURATION_S is covered_s. */
void window_frame(const struct window *w, struct eval *ev, struct frame *out);

#endif
