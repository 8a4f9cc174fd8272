/* Stored runs as one side of a comparison (model/compare/pool.h says how). */
#ifndef TDTOP_DB_POOL_OF_RUNS_H
#define TDTOP_DB_POOL_OF_RUNS_H

#include "db/store.h"

enum side_kind {
    SIDE_RUN,       /* one run; its intervals are the samples */
    SIDE_RUNS,      /* several runs, each is a sample */
    SIDE_INTERVALS, /* two runs, their intervals put together */
    SIDE_VALUES,    /* two runs, their values put together: they counted differently */
};
enum { SIDE_RUNS_MAX = 1000 }; /* the newest are taken */

struct pool_of_runs {
    struct run run; /* of several: their values; its process names all of theirs */
    enum side_kind kind;
    uint64_t n_interval;
    double shortest_s, longest_s; /* that they were measured */
};

/* Loads the runs of a list, which has at least one, the newest first. 0, or negative errno with
 * words: -EINVAL if their models are not the same. */
int pool_of_runs(struct store *st, const struct run_list *list, struct pool_of_runs *out,
                 struct err *err);
void pool_of_runs_free(struct pool_of_runs *p); /* accepts a zeroed one */

#endif
