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
    uint8_t *counted;  /* [n_slot] private: slot had a count in at least one interval */
    double *recent;    /* private: ring of the last SPREAD_N values per metric */
    uint32_t n_metric;
};

int window_init(struct window *w, uint32_t n_slot, uint32_t n_metric); /* 0 or -ENOMEM */
void window_destroy(struct window *w);
void window_reset(struct window *w);

/* Adds an interval's counts. A slot without a count in an interval adds neither count nor time. */
void window_add(struct window *w, const struct sample *s);

/*
 * Remembers the frame's values and fills `err` of each: half the width of the 95 % interval of the
 * mean of the last SPREAD_N known values (Student's t), NAN with fewer than 3.
 */
void window_spread(struct window *w, struct frame *f);

/* Evaluates the summed counts. */
void window_frame(const struct window *w, struct eval *ev, struct frame *out);

#endif
