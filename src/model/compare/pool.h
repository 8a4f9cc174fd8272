/*
 * Several runs as one side of a comparison.
 *
 * Runs of the same thing differ by more than their intervals do: where code and data happen to lie,
 * what else the machine did. With POOL_LEAST runs or more, each run is one sample: the value is the
 * mean of the runs' values, its error that of this mean. Two runs tell nothing about that; their
 * intervals are put together as if it were one longer run, from summed counts where both counted
 * the same way, else by values weighted by time.
 */
#ifndef TDTOP_MODEL_POOL_H
#define TDTOP_MODEL_POOL_H

#include "model/run/run.h"

enum { POOL_LEAST = 3 };

/* Runs as samples, added one by one: only their nodes are looked at. */
struct pool_metric; /* private */
struct pool {
    ARRAY(struct pool_metric) metric; /* private */
    struct moments measured_s;
    size_t n_run, n_through; /* those of them that ran_through */
    uint64_t n_interval;
    char *model; /* of all of them; owned */
};

/*
 * Adds a run, of which nothing is kept. A metric that adds up with time is taken per second. 0,
 * -ENOMEM, or -EINVAL with words: its model is not that of the others, so that the same name may
 * mean something else.
 */
int pool_add(struct pool *p, const struct run *r, struct err *err);
/*
 * Fills out->node, model, ran_through and measured_ns (the mean): m.n is the number of runs that
 * know a metric; of what none knows there is the reason. A metric that adds up is that of the mean
 * time. If all are commands that ran through, what they took is there too (run_work, run.h). 0 or
 * -ENOMEM; run_free(out) whatever the result.
 */
int pool_finish(struct pool *p, struct run *out, struct err *err);
void pool_free(struct pool *p); /* accepts a zeroed one */

/* Intervals that the values of a run come from: as many as its best known metric has values. */
uint64_t pool_intervals(const struct run *r);

/*
 * Puts the intervals of b behind those of a, and evaluates a again; b is unchanged. Both are whole
 * (model text and counts); where that cannot be, a's values become those of both, weighted by time,
 * with what b has alone, and *by_counts is false. 0, -ENOMEM, -EINVAL as pool_add.
 */
int pool_join(struct run *a, const struct run *b, bool *by_counts, struct err *err);

#endif
