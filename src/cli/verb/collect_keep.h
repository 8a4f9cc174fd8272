/*
 * A long record goes into the store while it is measured.
 *
 * Memory does not grow with it, and a process that is killed leaves a run up to its last seconds,
 * which says that it is unfinished. A short run is saved at its end, in one piece.
 */
#ifndef TDTOP_CLI_COLLECT_KEEP_H
#define TDTOP_CLI_COLLECT_KEEP_H

#include "db/store.h"
#include "session/session.h"

/* What of it is there. */
struct collect_keep { /* of one session; zeroed before each run */
    struct store_growth growth;
    struct run_tally tally;
    char id[RUN_ID_LEN + 1];
    uint64_t n_tallied; /* rows of the session's record that the tally has */
    uint64_t from_ns;   /* session time that the run begins at, where that is not the first */
    uint64_t tried_ns;  /* CLOCK_MONOTONIC: the begin, or when it was last put into the store */
    uint64_t tried_bytes;
    uint64_t every_ns; /* at the latest */
};

/* When the session was started; at the latest so often it goes into the store. */
void collect_keep_begin(struct collect_keep *k, uint64_t every_ns);
/* Accepts a zeroed one, and leaves it so. */
void collect_keep_end(struct collect_keep *k);
/* True if the record should go into the store now: it is large, or the last time is long ago. */
bool collect_keep_is_due(const struct collect_keep *k, const struct session *s);
/* The run so far: of it, r->series has what is not in the store for good. As session_run. */
int collect_keep_run(struct collect_keep *k, const struct session *s, struct run *r,
                     struct err *err);
/*
 * Puts it there; on the way (not `over`) it is marked as unfinished, and the session's record gives
 * up what is in the store for good. A run that was removed meanwhile, or a file that was replaced,
 * is begun again with what is still in memory: 1 is returned then, else 0 or as store_grow.
 */
int collect_keep_store(struct collect_keep *k, struct store *st, struct session *s, struct run *r,
                       bool over, struct err *err);
/* After a failure: r gets the intervals that are in the store, so that it can be saved elsewhere,
 * under another id. 0, or why they cannot be had: it has the rest alone then. */
int collect_keep_rescue(struct collect_keep *k, struct store *st, struct run *r, struct err *err);

#endif
