/*
 * The store of topdown-profiler, read only: tables runs (run_id, started_at, ended_at,
 * duration_seconds, process_name, level, system_wide, labels as JSON) and samples (run_id,
 * timestamp, cpu, metric_name, value, unit, status). It has values and no counts.
 */
#ifndef TDTOP_DB_TOPDOWN_PROFILER_H
#define TDTOP_DB_TOPDOWN_PROFILER_H

#include "model/run/run.h"

#define TOPDOWN_PROFILER_ID "imported_id" /* the label that holds the run's id there */

struct topdown_profiler; /* private */

/* 0; -EINVAL: it is no such store, or another SQLite database; or why it cannot be read. */
int topdown_profiler_open(struct topdown_profiler **p, const char *path, struct err *err);
/*
 * The next run, the oldest first: with an id of its own, and its old one as label
 * TOPDOWN_PROFILER_ID. 1; 0: the end; negative errno with words. `known` says whether a run of that
 * old id is to be passed over
 * (*passed counts them). run_free(out) whatever the result.
 */
int topdown_profiler_next(struct topdown_profiler *p, bool (*known)(void *user, const char *id),
                          void *user, uint64_t *passed, struct run *out, struct err *err);
void topdown_profiler_close(struct topdown_profiler *p); /* accepts NULL */

#endif
