/*
 * Samples, added up in bounded memory and without allocation: by place and thread (leaves), by
 * stack (a tree of nodes, whose roots are processes), and by second (cells), so that a span of the
 * past can be summed; their branch records by where the branch is and where it went, and what they
 * say of memory by leaf, cache line and source. All of these are only ever appended, so that a
 * reader copies what is new, and the counts, under the lock; it then looks at its copy.
 *
 * What does not fit: a sample of a new place goes to the leaf TALLY_OTHER, a new stack to the
 * longest part of it that is there, a new branch to the sum of all alone, a new cache line to
 * ACCESS_NO_LINE of its leaf and source. All are counted, and the
 * totals stay right.
 */
#ifndef TDTOP_PMU_TALLY_H
#define TDTOP_PMU_TALLY_H

#include "model/hot/hot_access.h"
#include "model/hot/hot_count.h"
#include "pmu/sampling/spaces.h"

#include <pthread.h>

enum {
    TALLY_OTHER = 0, /* leaf of what had no room */
    TALLY_ROOT = 0,  /* node above all processes */
    TALLY_DEPTH = 512,
    TALLY_JUMPS = 64, /* branch records of a sample; Intel has 32 at most, AMD 16, Arm 64 */
};
/* Module of a node that is a process; its offset is the pid. */
#define TALLY_PROCESS UINT32_MAX

struct tally_limits {
    /* 0: the default of tally.c, some 22 MB when full */
    uint32_t leaves, nodes, cells, seconds, branches, accesses;
};

struct tally_leaf {
    struct place at;
    pid_t pid, tid;
};

struct tally_node {
    uint32_t parent; /* smaller than its own number */
    struct place at; /* of a caller: the last byte of the call, so that it lies in the caller */
};

struct tally_branch {
    struct place from, to; /* the branch, and what it went to */
    struct hot_taken count;
};

struct tally_access {
    uint32_t leaf;
    enum data_source source;
    uint64_t line, bytes; /* as in struct hot_access */
    struct access_count sum;
};

/* Of one second: so many samples had this leaf and ended in this node. */
struct tally_cell {
    uint32_t leaf, node, n;
    float weight;
};

struct tally_second {
    uint64_t s;     /* CLOCK_MONOTONIC */
    uint64_t first; /* its first cell; they go on to that of the next second */
};

struct tally_total {
    struct hot_count all;
    uint64_t n_exact;          /* of them, the place is that of the very instruction */
    uint64_t n_kernel;         /* that were in the kernel */
    uint64_t n_unknown;        /* that are in no module */
    uint64_t n_no_leaf;        /* that went to TALLY_OTHER */
    uint64_t n_cut;            /* with a stack that had no room */
    struct hot_taken taken;    /* branch records */
    uint64_t n_recorded;       /* samples that have some */
    uint64_t n_no_branch;      /* records whose branch had no room */
    struct hot_count data;     /* samples with an address */
    uint64_t n_no_line;        /* of them, those whose line had no room */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC: first and last sample */
};

/* What a reader has: plain data of its own. Cell number i is cell[i % cells]. */
struct tally_copy {
    uint64_t epoch; /* another after tally_reset */
    struct tally_leaf *leaf;
    struct hot_count *leaf_count;
    uint32_t n_leaf, cap_leaf;
    struct tally_node *node;
    struct hot_count *node_count; /* that ended there; not those below it */
    uint32_t n_node, cap_node;
    struct tally_branch *branch;
    uint32_t n_branch, cap_branch;
    struct tally_access *access;
    uint32_t n_access, cap_access;
    struct tally_cell *cell;
    uint32_t cells, seconds; /* rooms of the rings */
    struct tally_second *second;
    uint64_t first_second, n_second; /* numbers that are there: first <= i < n */
    uint64_t n_cell;
    struct tally_total total;
};

struct tally {
    pthread_mutex_t lock; /* guards all but what is private */
    struct tally_copy is;
    struct tally_limits limits;
    /* private to the writer, as all below */
    uint32_t *leaf_hash, *node_hash, *branch_hash, *cell_hash, *access_hash;
    uint32_t n_leaf_hash, n_node_hash, n_branch_hash, n_access_hash;
    struct tally_step { /* of the stack before, from its process on */
        struct place at;
        uint32_t node;
    } path[TALLY_DEPTH + 1];
    uint32_t n_path;
};

/* What the records of one sample say of a branch. */
struct tally_jump {
    struct place from, to;
    uint32_t n, n_told, n_missed, n_timed;
    uint64_t cycles;
};

struct tally_sample {
    pid_t pid, tid;
    uint64_t time_ns, period;
    double before; /* weight of the parts of this one that were added before; 0: it is the first */
    bool exact, kernel;
    const struct place *stack; /* the place first, then its callers */
    uint32_t n_stack;          /* 1 at least */
    const struct tally_jump *jump;
    uint32_t n_jump;
    uint64_t addr;   /* that was accessed; 0: not known */
    uint64_t cycles; /* that it took; 0: not known */
    enum data_source source;
    bool store;
};

/* 0 or -ENOMEM. */
int tally_init(struct tally *t, const struct tally_limits *limits);
void tally_destroy(struct tally *t); /* accepts a failed one */

/* By one thread; never allocates. */
void tally_add(struct tally *t, const struct tally_sample *s);
/* Begins again with nothing. By any thread. */
void tally_reset(struct tally *t);

/* Brings a zeroed or older copy to what there is now. Allocates only when there is more than ever
 * before. 0 or -ENOMEM: the copy is as it was. */
int tally_read(struct tally *t, struct tally_copy *copy);
void tally_copy_free(struct tally_copy *copy);

/*
 * Adds up the seconds from_s <= s < to_s: leaf [n_leaf], node [n_node], all; each may be NULL. What
 * is too long ago is not there any more. Returns how many samples.
 */
uint64_t tally_span(const struct tally_copy *copy, uint64_t from_s, uint64_t to_s,
                    struct hot_count *leaf, struct hot_count *node, struct hot_count *all);

#endif
