/*
 * What was measured, in fixed memory: finest recent, coarser old. Tier 0 holds the last
 * HISTORY_ROWS intervals as they came; each further tier holds HISTORY_ROWS rows of HISTORY_FOLD
 * rows of the tier before, their counts summed. With 1 s intervals the tiers reach back 8 min, 68
 * min, 9 h and 72 h. Only counts are kept: every value ever shown is a formula applied to summed
 * counts. Nothing is allocated after history_init.
 *
 * A slot that had to wait in some rows (not scheduled, or out of focus) is scaled up from the
 * others by the time that the target ran, as in window.h. One such time per row is enough: all
 * groups of a target are enabled together.
 *
 * The counts of a slot lie together, and those of one that was never in focus are memory that was
 * never touched: resident is what has been counted.
 */
#ifndef TDTOP_MODEL_HISTORY_H
#define TDTOP_MODEL_HISTORY_H

#include "model/eval/eval.h"
#include "model/eval/window.h"

enum { HISTORY_ROWS = 512, HISTORY_FOLD = 8, HISTORY_TIERS = 4 };

struct history_tier {
    uint64_t *t0_ns, *t1_ns; /* [HISTORY_ROWS] ring */
    uint64_t
        *covered_ns; /* [HISTORY_ROWS] measured time: less than t1 - t0 where there was a pause */
    uint64_t *enabled_ns; /* [HISTORY_ROWS] CPU time of the target in which counters were wanted */
    float *count;         /* [n_slot][HISTORY_ROWS] scaled counts; NAN = none */
    uint8_t *duty;        /* [HISTORY_ROWS][n_slot] running/enabled in 1/250; without a count: why,
                             enum count_state; 0: COUNT_NOT_FOCUSED, and no count was written */
    uint64_t pushed;      /* rows ever pushed; row k is at k % HISTORY_ROWS */
    struct window fold;   /* of the rows that will become one row of the next tier */
};

struct history {
    struct history_tier tier[HISTORY_TIERS];
    uint64_t *stale_ns; /* [n_slot] private: scratch of history_sum */
    uint8_t *part; /* [n_slot] of what part of the target counts are (sample.h), as seen last */
    uint32_t n_slot;
    bool timed; /* private: counts come with times; else each row weighs as long as it lasted */
};

int history_init(struct history *h, uint32_t n_slot); /* 0 or -ENOMEM */
void history_destroy(struct history *h);
size_t history_bytes(const struct history *h); /* upper bound of its memory */
void history_push(struct history *h, const struct sample *s);

/*
 * Sums the rows that end in (t0_ns, t1_ns] into out (n_slot as the history). Each end of the span
 * is exact to within a row of the finest tier that still has that time, and sums of adjacent spans
 * add up to the sum of both. Returns the number of rows summed; 0: no row ends then. out's t1 is
 * the end of the last row, t1 - t0 the time measured.
 */
int history_sum(const struct history *h, uint64_t t0_ns, uint64_t t1_ns, struct sample *out);

/* The finest row held that covers the time t_ns, as in history_sum. 1, or 0 if there is none. */
int history_at(const struct history *h, uint64_t t_ns, struct sample *out);

/* The finest row held that ends after the time t_ns, after a gap too. 1, or 0 at the end. */
int history_next(const struct history *h, uint64_t t_ns, struct sample *out);

uint64_t
history_oldest_ns(const struct history *h); /* begin of the oldest row held; 0 when empty */
uint64_t history_newest_ns(const struct history *h); /* end of the newest row; 0 when empty */

/*
 * A trend: the history seen in `n` equal time buckets, for sparklines and plots. Buckets are
 * aligned to multiples of bucket_ns, so a drawn point does not change when time moves on; each
 * update evaluates only the newest bucket and those that are new, be they before or behind what is
 * held. All memory is taken at the start.
 */
struct trend {
    uint64_t bucket_ns;
    int n;
    uint32_t n_metric;
    uint64_t
        newest; /* index of the newest bucket: it covers (newest*bucket_ns, (newest+1)*bucket_ns] */
    bool valid; /* private: false = evaluate everything again */
    uint64_t seen_ns;     /* private: end of the newest row at the last update */
    float *value;         /* private: [n][n_metric] ring by bucket index % n */
    float *err;           /* private: likewise; NULL without trend_keep_err */
    int16_t *end;         /* private: [n] what trend_end says */
    bool *part;           /* private: [n] of a row that is longer than the bucket */
    struct spread spread; /* private: of the buckets before `next` */
    uint64_t next;        /* private: UINT64_MAX: of none */
    struct sample sum;    /* private */
    struct frame scratch; /* private */
};

int trend_init(struct trend *t, int n, uint64_t bucket_ns, const struct model *m, uint32_t n_slot);
/* Keeps the ± of the values, too. Once, right after trend_init. 0 or -ENOMEM. */
int trend_keep_err(struct trend *t);
void trend_destroy(struct trend *t);
/* Another zoom: everything is evaluated again at the next update. */
void trend_zoom(struct trend *t, uint64_t bucket_ns);
/* Brings the trend to the n buckets until the time end_ns, later or earlier than before. */
void trend_update(struct trend *t, const struct history *h, struct eval *ev, uint64_t end_ns);
/* The first bucket that is held. */
uint64_t trend_oldest(const struct trend *t);
/* Value of bucket i (0 = oldest, n-1 = newest); NAN where nothing was measured. */
double trend_at(const struct trend *t, int metric, int i);
/*
 * Its ±, as spread.h has it: from the values of the SPREAD_N buckets until this one, but without
 * the resolution of PERF_METRICS, which is less than a plot can show. NAN: not known, also where a
 * bucket is only a part of what is still known as one.
 */
double trend_err_at(const struct trend *t, int metric, int i);

/* Where the bottleneck path of bucket i ends: a metric; nothing is over its threshold; unknown. */
enum { TREND_NOTHING = -1, TREND_UNKNOWN = -2 };
int trend_end(const struct trend *t, int i);

#endif
