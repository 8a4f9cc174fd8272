/*
 * All that a session remembers of what it measured, in memory that is taken at the start: the
 * counts of every interval exactly, packed, as far back as they have room (series.h); coarser ones
 * farther back, which any span is summed from (tiers.h); how each value varies since the reset;
 * named marks.
 */
#ifndef TDTOP_MODEL_TIMELINE_H
#define TDTOP_MODEL_TIMELINE_H

#include "model/load/frame.h"
#include "model/run/series.h"
#include "model/run/tiers.h"
#include "model/stats/moments.h"

enum {
    TIMELINE_BYTES = 6 << 20, /* of packed counts: over an hour at 1 s of the largest model */
    TIMELINE_MARKS = 256,     /* the oldest give way */
    MARK_NAME = 64,
    TIMELINE_LOSSES = 16, /* the two nearest become one */
};

struct timeline_mark {
    uint64_t t_ns; /* session time */
    char name[MARK_NAME];
};

/* Intervals lost in a row; or several such rows, where there were too many to tell apart. */
struct timeline_loss {
    uint64_t first_ns, last_ns; /* session time: the ends of the first and the last */
    uint64_t n;
};

struct timeline {
    struct tiers tiers;
    struct series series;
    struct moments *moments; /* [n_metric] of the intervals since the reset */
    uint32_t n_metric;
    struct timeline_mark *mark; /* [TIMELINE_MARKS], in order of time */
    int n_mark;
    uint64_t reset_ns; /* session time of the reset */
    uint64_t n_lost;   /* intervals that memory was too short for, in all */
    struct timeline_loss loss[TIMELINE_LOSSES]; /* in order of time */
    int n_loss;
    bool losing; /* private: the newest interval was lost */
};

/* keep_bytes: as series_init, where 0 lets it grow. 0 or -ENOMEM. */
int timeline_init(struct timeline *tl, const struct layout *layout, uint32_t n_metric,
                  size_t keep_bytes);
void timeline_destroy(struct timeline *tl); /* accepts a zeroed one */

/* The newest interval and its values. 0, or -ENOMEM where it grows: the interval is in the tiers
 * alone then, and counted as lost. */
int timeline_push(struct timeline *tl, const struct sample *s, const struct frame *f);

/*
 * Sums the counts that end in (t0_ns, t1_ns], or, where no interval ends then, takes those of the
 * interval that t1_ns is in. Returns the number of rows of the tiers; 0: nothing was measured then.
 */
int timeline_sum(const struct timeline *tl, uint64_t t0_ns, uint64_t t1_ns, struct sample *out);
/* Counts of the intervals that end in (t0_ns, t1_ns], held for later as they lie in memory
 * (series_hold), and in `early` those before them, which only the tiers have. Both are made here.
 * Returns whether there are any, or -ENOMEM. */
int timeline_hold(const struct timeline *tl, const struct layout *layout, uint64_t t0_ns,
                  uint64_t t1_ns, struct series *early, struct series *late);
/* True if every interval since t_ns is known exactly. */
bool timeline_reaches(const struct timeline *tl, uint64_t t_ns);
/* A new beginning for the moments; counts and marks stay. */
void timeline_reset(struct timeline *tl, uint64_t now_ns);
/* How many intervals that end in (t0_ns, t1_ns] were lost; at_most: it may be fewer, because the
 * span ends where several were lost in a row. */
uint64_t timeline_lost(const struct timeline *tl, uint64_t t0_ns, uint64_t t1_ns, bool *at_most);
/* Puts a mark on the time line; an unsafe name is made safe, a long one cut. */
void timeline_mark(struct timeline *tl, uint64_t t_ns, const char *name);

#endif
