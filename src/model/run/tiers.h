/*
 * What was measured, in fixed memory: finest recent, coarser old. Tier 0 holds the last
 * TIERS_ROWS intervals as they came; each further tier holds TIERS_ROWS rows of TIERS_FOLD
 * rows of the tier before, their counts summed. With 1 s intervals the tiers reach back 8 min, 68
 * min, 9 h and 72 h. Only counts are kept: every value ever shown is a formula applied to summed
 * counts. Nothing is allocated after tiers_init.
 *
 * A slot that had to wait in some rows (not scheduled, or out of focus) is scaled up from the
 * others by the time that the target ran, as in window.h. One such time per row is enough: all
 * groups of a target are enabled together.
 *
 * The counts of a slot lie together, and those of one that was never in focus are memory that was
 * never touched: resident is what has been counted.
 */
#ifndef TDTOP_MODEL_TIERS_H
#define TDTOP_MODEL_TIERS_H

#include "model/eval/eval.h"
#include "model/eval/window.h"

enum { TIERS_ROWS = 512, TIERS_FOLD = 8, TIERS_N = 4 };

struct tier {
    uint64_t *t0_ns, *t1_ns; /* [TIERS_ROWS] ring */
    uint64_t
        *covered_ns; /* [TIERS_ROWS] measured time: less than t1 - t0 where there was a pause */
    uint64_t *enabled_ns; /* [TIERS_ROWS] CPU time of the target in which counters were wanted */
    float *count;         /* [n_slot][TIERS_ROWS] scaled counts; NAN = none */
    uint8_t *duty;        /* [TIERS_ROWS][n_slot] running/enabled in 1/250; without a count: why,
                             enum count_state; 0: COUNT_NOT_FOCUSED, and no count was written */
    uint64_t pushed;      /* rows ever pushed; row k is at k % TIERS_ROWS */
    struct window fold;   /* of the rows that will become one row of the next tier */
};

struct tiers {
    struct tier tier[TIERS_N];
    uint64_t *stale_ns; /* [n_slot] private: scratch of tiers_sum */
    uint8_t *part; /* [n_slot] of what part of the target counts are (sample.h), as seen last */
    uint32_t n_slot;
    bool timed; /* private: counts come with times; else each row weighs as long as it lasted */
};

int tiers_init(struct tiers *h, uint32_t n_slot); /* 0 or -ENOMEM */
void tiers_destroy(struct tiers *h);
size_t tiers_bytes(const struct tiers *h); /* upper bound of its memory */
void tiers_push(struct tiers *h, const struct sample *s);

/*
 * Sums the rows that end in (t0_ns, t1_ns] into out (n_slot as the history). Each end of the span
 * is exact to within a row of the finest tier that still has that time, and sums of adjacent spans
 * add up to the sum of both. Returns the number of rows summed; 0: no row ends then. out's t1 is
 * the end of the last row, t1 - t0 the time measured.
 */
int tiers_sum(const struct tiers *h, uint64_t t0_ns, uint64_t t1_ns, struct sample *out);

/* The finest row held that covers the time t_ns, as in tiers_sum. 1, or 0 if there is none. */
int tiers_at(const struct tiers *h, uint64_t t_ns, struct sample *out);

/* The finest row held that ends after the time t_ns, after a gap too. 1, or 0 at the end. */
int tiers_next(const struct tiers *h, uint64_t t_ns, struct sample *out);

uint64_t tiers_oldest_ns(const struct tiers *h); /* begin of the oldest row held; 0 when empty */
uint64_t tiers_newest_ns(const struct tiers *h); /* end of the newest row; 0 when empty */

#endif
