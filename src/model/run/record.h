/*
 * What a session keeps beside its history, so that a stretch of it can become a run
 * (model/run/run.h): the counts of every interval, packed; how each value varies since the reset;
 * named marks on the time line. All memory is taken at the start; where the packed counts no longer
 * reach back, session_run takes coarser rows from the history.
 */
#ifndef TDTOP_MODEL_RECORD_H
#define TDTOP_MODEL_RECORD_H

#include "model/load/frame.h"
#include "model/run/run.h"
#include "model/run/series.h"
#include "model/stats/moments.h"

enum {
    RECORD_BYTES = 6 << 20, /* of packed counts: over an hour at 1 s of the largest model */
    RECORD_MARKS = 256,     /* the oldest give way */
    MARK_NAME = 64,
    RECORD_LOSSES = 16, /* the two nearest become one */
};

struct record_mark {
    uint64_t t_ns; /* session time */
    char name[MARK_NAME];
};

/* Intervals lost in a row; or several such rows, where there were too many to tell apart. */
struct record_loss {
    uint64_t first_ns, last_ns; /* session time: the ends of the first and the last */
    uint64_t n;
};

struct record {
    struct series series;
    struct moments *moments; /* [n_metric] of the intervals since the reset */
    uint32_t n_metric;
    struct record_mark *mark; /* [RECORD_MARKS], in order of time */
    int n_mark;
    uint64_t reset_ns;                      /* session time of the reset */
    uint64_t n_lost;                        /* intervals that memory was too short for, in all */
    struct record_loss loss[RECORD_LOSSES]; /* in order of time */
    int n_loss;
    bool losing; /* private: the newest interval was lost */
};

/* keep_bytes: as series_init, where 0 lets it grow. 0 or -ENOMEM. */
int record_init(struct record *rec, const struct layout *layout, uint32_t n_metric,
                size_t keep_bytes);
void record_destroy(struct record *rec); /* accepts a zeroed one */

/* The newest interval and its values. 0, or -ENOMEM where it grows: the interval is not kept then,
 * and counted as lost. */
int record_take(struct record *rec, const struct sample *s, const struct frame *f);
/* A new beginning for the moments; counts and marks stay. */
void record_reset(struct record *rec, uint64_t now_ns);
/* How many intervals that end in (t0_ns, t1_ns] were lost; at_most: it may be fewer, because the
 * span ends where several were lost in a row. */
uint64_t record_lost(const struct record *rec, uint64_t t0_ns, uint64_t t1_ns, bool *at_most);
/* Puts a mark on the time line; an unsafe name is made safe, a long one cut. */
void record_mark(struct record *rec, uint64_t t_ns, const char *name);

#endif
