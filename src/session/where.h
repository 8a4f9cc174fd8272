/*
 * Where it happens: samples of one event of what a session measures, while somebody looks, added up
 * by function and by stack. Nothing is open, and nothing costs anything, before where_live_open and
 * after where_live_close.
 *
 * All of it is for one thread, the screen's: where_live_update copies what is new, four times a
 * second at most, and asks for names without waiting for them (pmu/symbols/names.h).
 */
#ifndef TDTOP_SESSION_WHERE_H
#define TDTOP_SESSION_WHERE_H

#include "pmu/sampling/sampling.h"
#include "pmu/symbols/names.h"
#include "session/session.h"

#include <pthread.h>

enum {
    WHERE_LEAST = 10,          /* samples that a share takes */
    WHERE_FUNCTIONS = 1 << 15, /* at most; what more there is counts for WHERE_REST */
    WHERE_REST = 0,
    WHERE_NONE = -1,
};
#define WHERE_UPDATE_NS (250 * NS_PER_MS)

struct where_function {
    uint32_t module;  /* TALLY_PROCESS: it is none, but what calls all of a process */
    uint64_t start;   /* offset in it; that of a process is the pid */
    const char *name; /* safe for a terminal; borrowed until where_live_destroy. NULL: `text` */
    char text[64];    /* "redis-server+0x4f2a0": not known, or not yet */
    char file[48];    /* the name of what it lies in, "kernel" */
    char line[64];    /* "dict.c:512", its hottest; "" until it was opened */
    bool kernel, pending;
    struct tally_count count;
    double share, low, high; /* 0..1, and 95 % interval; NAN of fewer samples than WHERE_LEAST */
    uint64_t hottest;        /* offset with the most samples */
    pid_t pid, tid;          /* the thread with the most */
    pid_t thread_of;         /* private: whose name `thread` is */
    char thread[COMM_SIZE];  /* its name, safe */
    double hottest_weight, thread_weight; /* private */
};

/* A function with one chain of callers: a block of the flame graph. Callers come before those they
 * call. */
struct where_block {
    uint32_t parent;   /* of itself: the root, which is 0 */
    uint32_t function; /* of where_live.function; of the root WHERE_REST */
    uint32_t node;     /* of the tally: the same block after the next update, too */
    int depth;         /* 0: the root */
    double weight;     /* its own, and of all that it calls */
    double x, w;       /* of the root: 0 and 1 */
};

/* What samples say of the function that is open: shares of its own samples. */
struct where_spots {
    double *code, *line;         /* [listing.code.n]; [text.n_line + 1], from 1 on; owned */
    uint32_t hot_code, hot_line; /* line 0: none */
    uint64_t n;                  /* samples of it */
};

struct where_live {
    bool tried;     /* it was asked for, and what follows says how it went */
    char lack[512]; /* why nothing is sampled; "" if it is */
    int node;       /* whose event was asked for, METRIC_NONE */
    struct sampling_info info;
    struct tally_total total;
    uint64_t now_ns; /* CLOCK_MONOTONIC of the last update */

    struct where_function *function; /* [n_function], owned */
    uint32_t n_function, cap_function;
    uint32_t *row; /* [n_row] functions with samples, the largest first; owned */
    uint32_t n_row;
    uint32_t n_pending; /* names that are awaited */

    bool flame;                /* set it, and an update makes blocks */
    struct where_block *block; /* [n_block], owned; the largest of one caller first */
    uint32_t n_block;

    int open;                /* the function whose listing was asked for, WHERE_NONE */
    struct listing *listing; /* owned; NULL: not there yet, or listing_rc says why not */
    int listing_rc;
    struct where_spots spots;

    /* private */
    const struct session *s; /* borrowed */
    struct sampling *sampling;
    struct names *names;
    struct target_set target;
    struct tally_copy copy;
    uint64_t epoch, due_ns;
    int32_t *leaf_function, *node_function; /* [copy.n_leaf], [copy.n_node]; WHERE_NONE */
    uint32_t n_leaf, n_node, cap_leaf, cap_node;
    uint32_t *hash; /* function + 1 by module and start */
    uint32_t n_hash;
    pthread_t closer; /* closes descriptors, which may take long */
    bool closing;
};

/*
 * Opens the event that says where `node` happens (METRIC_NONE: where cycles go) for the target of
 * the session. False: `lack` says why. w is zeroed or was used before. Takes milliseconds: the
 * event is opened on the first thread here, on the others by a thread.
 */
bool where_live_open(struct where_live *w, const struct session *s, int node);
/* No more samples; what was seen stays, and so do names. Accepts one that is not open. */
void where_live_close(struct where_live *w);
void where_live_destroy(struct where_live *w);

/* Brings all of it to what there is now, if it is time. True if it was. May allocate. */
bool where_live_update(struct where_live *w, uint64_t now_ns);
/* When the next update is due: CLOCK_MONOTONIC; 0: never. */
uint64_t where_live_due(const struct where_live *w);
/* Counts begin again. */
void where_live_reset(struct where_live *w);

/* Asks for source and instructions of a function; WHERE_NONE: of none any more. */
void where_live_ask(struct where_live *w, int function);
/* What would bring names, or lines, to a function; "" if nothing is missing. Returns buf. */
const char *where_live_lack(struct where_live *w, int function, char *buf, size_t cap);

static inline const char *where_function_name(const struct where_function *f) {
    return f->name ? f->name : f->text;
}

#endif
