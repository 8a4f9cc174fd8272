/* The past in equal buckets, as plots and sparklines draw it. */
#ifndef TDTOP_MODEL_TREND_H
#define TDTOP_MODEL_TREND_H

#include "model/run/tiers.h"

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
    uint64_t seen_ns; /* private: end of the newest row at the last update */
    float *value;     /* private: [n][n_metric] ring by bucket index % n */
    float *err;       /* private: likewise; NULL without trend_keep_err */
    uint8_t *of_now;  /* private: likewise: values that the ± is of, without those before a step */
    int16_t *end;     /* private: [n] what trend_end says */
    bool *part;       /* private: [n] of a row that is longer than the bucket */
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
void trend_update(struct trend *t, const struct tiers *h, struct eval *ev, uint64_t end_ns);
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
