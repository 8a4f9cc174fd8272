/* One run after the other, measured without a screen: `tdtop collect`, and `tdtop ab` in turns. */
#ifndef TDTOP_CLI_COLLECT_H
#define TDTOP_CLI_COLLECT_H

#include "cli/file/run_pick.h"
#include "cli/measure.h"
#include "cli/verb/collect_keep.h"
#include "cli/verb/collect_sum.h"
#include "cli/verb/progress.h"

struct collect {
    const struct args *a;
    struct run_pick pick; /* the store, for writing */
    struct progress progress;
    int stop_fd;
    bool stopped;        /* by a signal */
    bool cut;            /* and the last run with it */
    bool said_lost;      /* that memory is too short */
    int64_t done, n;     /* runs; n 0: until stopped */
    uint64_t first_ns;   /* when the first began */
    struct sessions all; /* of the run at hand; each core type's becomes a run of its own */
    struct measure measure;
    struct collect_keep keep[SESSIONS_MAX]; /* of the run at hand */
    struct collect_sum sum[SESSIONS_MAX];   /* of the runs that came to their end */
    /* Gets each run of the core type in the place of store and standard output; it may take what is
     * in it. Returns an exit code. NULL: those. */
    int (*take)(struct collect *c, int type, struct run *r);
    void *user; /* of take */
};

/* Measures what c->a says, one run of each core type. Returns an exit code; errors are printed. */
int collect_one(struct collect *c);
/* Puts a run of collect_one, while c->all is open, into the store; elsewhere if that fails. */
int collect_store(struct collect *c, int type, struct run *r);

#endif
