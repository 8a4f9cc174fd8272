/*
 * Where it happens: samples of one event of what a session measures, added up by function, source
 * line or thread, and by stack; or the samples of a stored run (model/hot/hot.h). Nothing is open,
 * and nothing is sampled, before where_live_open and after where_live_close.
 *
 * All of it is for one thread, the screen's: where_live_update copies what is new, four times a
 * second at most, and asks for names without waiting for them (pmu/symbols/names.h).
 */
#ifndef TDTOP_SESSION_WHERE_H
#define TDTOP_SESSION_WHERE_H

#include "model/hot/hot.h"
#include "pmu/sampling/sampling.h"
#include "pmu/symbols/names.h"
#include "session/session.h"

#include <pthread.h>

enum {
    WHERE_LEAST = 10,          /* samples that a share takes */
    WHERE_FUNCTIONS = 1 << 15, /* at most; what more there is counts for WHERE_REST */
    WHERE_REST = 0,
    WHERE_NONE = -1,
    WHERE_KEPT = 4, /* events of which samples are kept when they are closed */
};

/* What a row stands for. */
enum where_by {
    WHERE_BY_FUNCTION,
    WHERE_BY_LINE,
    WHERE_BY_THREAD,
    WHERE_BY_BRANCH, /* all of them, whatever span or thread is looked at */
    WHERE_BY_ACCESS, /* cache lines; likewise, whatever span */
    WHERE_BYS
};

/* `module` of rows that are no function of a module: greater than any module. */
#define WHERE_PROCESS     TALLY_PROCESS    /* what calls all of a process; start: its pid */
#define WHERE_THREAD      (UINT32_MAX - 1) /* start: pid << 32 | tid */
#define WHERE_LINE        (UINT32_MAX - 2) /* start: its number */
#define WHERE_GONE        (UINT32_MAX - 3) /* of the baseline alone; start: its number there */
#define WHERE_BRANCH      (UINT32_MAX - 4) /* start: its number in the tally */
#define WHERE_CACHE_LINE  (UINT32_MAX - 5) /* start: its number and process */
#define WHERE_MODULE_MOST (UINT32_MAX - 6)

/* Against the baseline: how much of the share came or went. */
struct where_change {
    double was;              /* share in the baseline; NAN: not known */
    double delta, low, high; /* and 95 % interval; NAN of too few samples */
    bool sure;               /* with all rows in mind */
};

/* Of a branch; its share is one of the mispredicted ones. */
struct where_taken {
    uint32_t to; /* function; that it is in is `top` */
    struct hot_taken count;
    double rate, low, high; /* mispredicted of all, and 95 % interval; NAN of too few samples */
};

/* What samples say of memory: of a function, or of a cache line. */
struct where_data {
    struct access_sum sum;
    uint32_t n_thread; /* of a cache line, as in struct access_line */
    enum line_sharing sharing;
};

struct where_function {
    uint32_t module;  /* or WHERE_PROCESS and those below it */
    uint64_t start;   /* offset in it */
    const char *name; /* safe for a terminal; borrowed until where_live_destroy. NULL: `text` */
    char text[64];    /* "redis-server+0x4f2a0": not known, or not yet */
    char file[48];    /* the name of what it lies in, "kernel" */
    char line[64];    /* "dict.c:512", its hottest; "" until it is known */
    bool kernel, pending;
    struct hot_count count;
    double share, low, high; /* 0..1, and 95 % interval; NAN of fewer samples than WHERE_LEAST */
    uint64_t hottest;        /* offset with the most samples */
    uint32_t top;            /* of a line, or thread: the function of its hottest place */
    struct where_taken taken;
    struct where_data data;
    struct where_change change;
    pid_t pid, tid;                       /* the thread with the most */
    pid_t thread_of;                      /* private: whose name `thread` is */
    char thread[COMM_SIZE];               /* its name, safe */
    double hottest_weight, thread_weight; /* private */
    uint32_t hottest_leaf;                /* private */
    const char *path;     /* private: of the file of `line`; borrowed until where_live_destroy */
    uint32_t line_number; /* private: of `line` */
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
    struct where_change change;
};

/* What samples say of the function that is open: shares of its own samples. */
struct where_spots {
    double *code, *line;         /* [listing.code.n]; [text.n_line + 1], from 1 on; owned */
    uint32_t hot_code, hot_line; /* line 0: none */
    uint64_t n;                  /* samples of it */
};

/* Seconds of CLOCK_MONOTONIC, from <= s < to; both 0: all there is. */
struct where_span {
    uint64_t from, to;
};

/* Samples that were closed: until the next snapshot. */
struct where_kept {
    struct hot hot;
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
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

    /* Set these, and due_ns to 0, and the next update follows. */
    bool branches; /* before it is opened: asks for branch records, whatever the node */
    bool accesses; /* likewise for addresses, by another event if that of the node has none */
    char no_accesses[96];   /* why there are none, though they were asked for; "" */
    bool off_cpu;           /* before it is opened: waits, whatever the node */
    bool flame;             /* it makes blocks */
    enum where_by by;       /* what rows are */
    uint64_t only;          /* start of a WHERE_THREAD: rows are of its samples; 0: of all */
    struct where_span span; /* of live samples */
    const struct hot *base; /* borrowed: what rows and blocks are compared with; or NULL */

    struct where_block *block; /* [n_block], owned; the largest of one caller first */
    uint32_t n_block;
    uint32_t *block_of;               /* private: a table of blocks, and of nodes; owned */
    uint32_t cap_block, n_block_hash; /* private: nodes that there is room for */

    int open;                /* the function whose listing was asked for, WHERE_NONE */
    struct listing *listing; /* owned; NULL: not there yet, or listing_rc says why not */
    int listing_rc;
    struct where_spots spots;

    const struct hot *stored; /* borrowed: whose samples these are; NULL: live */

    ARRAY(struct where_kept) kept; /* of one event each; the oldest first */

    /* private */
    const struct session *s; /* borrowed */
    struct sampling *sampling;
    struct names *names;
    struct target_set target;
    struct tally_copy copy;
    struct hot_count *leaf_count, *node_count; /* those of `copy`, or of the span */
    struct hot_count *span_count;              /* owned; [cap_span], of leaves, then of nodes */
    uint32_t cap_span;
    uint64_t epoch, due_ns;
    int32_t *leaf_function, *node_function; /* [copy.n_leaf], [copy.n_node]; WHERE_NONE */
    uint32_t n_leaf, n_node, cap_leaf, cap_node;
    struct hot_access *access; /* [n_access], of functions here, threads by their tid; owned */
    uint32_t n_access, cap_access;
    struct access_count by_source[DATA_SOURCES]; /* all of them */
    int32_t *from_function, *to_function;        /* [copy.n_branch]; WHERE_NONE */
    uint32_t n_branch, cap_from, cap_to;
    uint32_t *hash; /* function + 1 by module and start */
    uint32_t n_hash;
    struct where_lines *lines; /* owned */
    pthread_t closer;          /* closes descriptors, which may take long */
    bool closing;
};

/*
 * Opens the event that says where `node` happens (METRIC_NONE: where cycles go) for the target of
 * the session. False: `lack` says why. w is zeroed or was used before. Takes milliseconds: the
 * event is opened on the first thread here, on the others by a thread.
 */
bool where_live_open(struct where_live *w, const struct session *s, int node);
/* The samples of a stored run, which outlives them; `node` is the one that was asked for. As they
 * are for ever, where_live_due soon is 0. */
void where_live_show(struct where_live *w, const struct hot *h, const struct session *s, int node);
/* No more samples; what was seen stays, and so do names. Live samples are kept (`kept`). Accepts
 * one that is not open. */
void where_live_close(struct where_live *w);
void where_live_destroy(struct where_live *w);

/* Brings all of it to what there is now, if it is time. True if it was. May allocate. */
bool where_live_update(struct where_live *w, uint64_t now_ns);
/* When the next update is due: CLOCK_MONOTONIC; 0: never. */
uint64_t where_live_due(const struct where_live *w);
/* Counts begin again. */
void where_live_reset(struct where_live *w);

/*
 * Appends what belongs to (t0_ns, t1_ns] of CLOCK_MONOTONIC to a run, to whole seconds: of what is
 * sampled now the samples of that time, and those kept that overlap it. From what is known: reads
 * no file. 0 or -ENOMEM: some may be there.
 */
int where_live_give(struct where_live *w, uint64_t t0_ns, uint64_t t1_ns, struct run *to);

/* Asks for source and instructions of a function; WHERE_NONE: of none any more. */
void where_live_ask(struct where_live *w, int function);
/* What would bring names, or lines, to a function; "" if nothing is missing. Returns buf. */
const char *where_live_lack(struct where_live *w, int function, char *buf, size_t cap);

/* The function that a row is, or is at most: of a thread that of its hottest place; WHERE_NONE. */
int where_row_function(const struct where_live *w, int row);

static inline const char *where_function_name(const struct where_function *f) {
    return f->name ? f->name : f->text;
}

#endif
