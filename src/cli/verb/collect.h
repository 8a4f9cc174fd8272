/* One run after the other, measured without a screen: `tdtop collect`, `tdtop ab` in turns, and
 * each row of `tdtop agent`. */
#ifndef TDTOP_CLI_COLLECT_H
#define TDTOP_CLI_COLLECT_H

#include "cli/config/config.h"
#include "cli/file/run_pick.h"
#include "cli/measure.h"
#include "cli/verb/collect_expose.h"
#include "cli/verb/collect_keep.h"
#include "cli/verb/collect_sum.h"
#include "cli/verb/collect_when.h"
#include "cli/verb/collect_where.h"
#include "cli/verb/progress.h"
#include "db/store.h"
#include "session/session.h"

#include <pthread.h>
#include <stdatomic.h>

/* What the rows of an agent have together. A run that fails does not end such a row, targets that
 * are absent are waited for, and one row at a time opens its counters, or uses the store. */
struct collect_shared { /* zeroed, but for the locks */
    pthread_mutex_t opens, stores;
    struct run_pick pick; /* open once it was used; run_pick_close */
};

struct collect {
    const struct args *a;          /* the next */
    struct args args;              /* what was said, and what the settings add to it */
    struct config config;          /* owned */
    struct collect_shared *shared; /* borrowed, of an agent; NULL: this is no agent's */
    bool holds;                    /* private: the shared store */
    _Atomic uint64_t busy_ns;      /* CLOCK_MONOTONIC since when it does not wait; 0: it waits */
    struct run_pick pick; /* the store, for writing (collect_store_use); not used if it is shared */
    char db[4096];        /* its file */
    struct progress progress;
    int stop_fd;
    bool failed; /* the last could not be opened: what was said of it, and when */
    char said[768];
    uint64_t tried_ns, begun_ns; /* CLOCK_MONOTONIC; begun: the last that could */
    bool stopped;                /* by a signal */
    bool cut;                    /* and the last run with it */
    bool said_lost;              /* that memory is too short */
    int64_t done, n;             /* runs; n 0: until stopped */
    uint64_t first_ns;           /* when the first began */
    struct sessions all;         /* of the run at hand; each core type's becomes a run of its own */
    struct measure measure;
    struct collect_keep keep[SESSIONS_MAX]; /* of the run at hand */
    struct collect_sum sum[SESSIONS_MAX];   /* of the runs that came to their end */
    struct collect_where where;             /* samples of the run at hand */
    struct collect_expose expose;           /* of an agent that is asked for series */
    struct collect_when when;               /* --when: only what rules point at is kept */
    /* Gets each run of the core type in the place of store and standard output; it may take what is
     * in it. Returns an exit code. NULL: those. */
    int (*take)(struct collect *c, int type, struct run *r);
    void *user; /* of take */
};

/* Slips of the pen, before anything is measured. 0 or -EINVAL with words. */
int collect_check(const struct args *a, bool by_agent, struct err *err);
/* What `said` asks for, in c, zeroed but for stop_fd and what an agent sets. 0, or negative errno
 * with words: collect_close in both cases. */
int collect_open(struct collect *c, const struct args *said, struct err *err);
/* Would this machine's model, and what else it is, do for what an agent's row asks? Nothing is
 * opened or stored for it. 0, or negative errno with words. */
int collect_try(const struct args *said, struct err *err);
/* All runs. Returns an exit code; errors are printed. */
int collect_all(struct collect *c);
void collect_close(struct collect *c);

/* Measures what c->a says, one run of each core type. Returns an exit code; errors are printed. */
int collect_one(struct collect *c);
/* Labels and note of a run of this session. 0, or negative errno with words. */
int collect_words(const struct collect *c, int type, struct run *r, struct err *err);
/* The store, for writing; of an agent no other row has it until rest, which is to be called in any
 * case. 0, or negative errno with words. */
int collect_store_use(struct collect *c, struct err *err);
void collect_store_rest(struct collect *c);
static inline struct run_pick *collect_pick(struct collect *c) {
    return c->shared ? &c->shared->pick : &c->pick;
}
/* What could not be stored is put into a file. */
void collect_rescue(const struct run *r);
/* Standard output gets its id, or with -j its head. An exit code. */
int collect_say(struct collect *c, const struct run *r);
/* Puts a run of collect_one, while c->all is open, into the store; elsewhere if that fails. */
int collect_store(struct collect *c, int type, struct run *r);

#endif
