/*
 * Samples of one event as they are kept: added up by place and thread, and by stack, with the names
 * that were found, so that they can be shown, exported and compared without the programs.
 *
 * What a sample stands for differs where a frequency was asked for: shares are of `weight`
 * (hot_count.h).
 *
 * Bounded: the places and stacks of most samples are kept; what was left out is counted.
 */
#ifndef TDTOP_MODEL_HOT_H
#define TDTOP_MODEL_HOT_H

#include "base/array.h"
#include "base/err.h"
#include "model/hot/hot_access.h"
#include "model/hot/hot_count.h"
#include "model/stats/binomial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOT_LEAVES = 1 << 14, HOT_NODES = 1 << 15, HOT_BRANCHES = 1 << 12, HOT_ACCESSES = 1 << 13 };
enum { HOT_NAME = 512, HOT_BUILD_ID = 41 };
enum { HOT_LEAST = 10 }; /* samples, for a share to be told */
#define HOT_NONE UINT32_MAX

/* All texts of this file are owned, and never NULL. */
struct hot_event { /* of a core type */
    char *name, *precision, *of, *why;
    int precise_ip;
    bool clock; /* weights are ns */
};

struct hot_module {
    char *path, *kind; /* "file", "kernel", "kernel module", "vdso", "jit", "bpf", "unknown" */
    char *lack;        /* why functions have no names, and what would bring them; "" */
    char build_id[HOT_BUILD_ID]; /* in hex; "": not known */
    bool deleted;
};

struct hot_function {
    uint32_t module;
    uint64_t start; /* offset in the module */
    char *name;
    char *file; /* of the source line of its hottest place; "": not known, or not looked for */
    uint32_t line;
};

struct hot_thread {
    int32_t pid, tid;
    char *name; /* "": not known; not safe for a terminal */
};

struct hot_leaf {
    uint32_t function, thread;
    uint64_t offset; /* in the module of the function */
    struct hot_count count;
};

/* Of the tree of stacks. Each process is a root, and below are functions. */
struct hot_node {
    uint32_t parent;        /* smaller than its own number; HOT_NONE: it is a process */
    uint32_t function;      /* HOT_NONE of a process */
    uint32_t thread;        /* of a process: its first thread; else HOT_NONE */
    struct hot_count count; /* that ended here; not those below */
};

struct hot_branch {
    uint32_t from, to; /* functions */
    uint64_t from_offset, to_offset;
    char *file; /* of the source line that it is in; "": not known, or not looked for */
    uint32_t line;
    struct hot_taken count;
};

struct hot {
    char *target;                   /* "redis-server 4242" */
    char *asked;                    /* the node or event that was asked for; "": none was */
    int64_t begun_ns;               /* CLOCK_REALTIME */
    double seconds, cpu_s, freq_hz; /* sampled; of our own CPU time; asked of each CPU */
    struct hot_count all;
    uint64_t n_exact, n_kernel, n_unknown; /* of all, as in struct tally_total */
    uint64_t n_lost, n_throttled, n_foreign, n_garbled, n_no_room, n_unreadable, n_reopened;
    uint64_t n_left_out; /* threads */
    uint64_t n_no_leaf;  /* samples whose place is not kept, */
    uint64_t n_cut;      /* and those whose stack is kept in part */
    bool user_only, system_wide;
    bool branches;                    /* samples have branch records */
    char *no_branches;                /* why not, though they were asked for; "" */
    struct hot_taken taken;           /* all records */
    uint64_t n_recorded, n_no_branch; /* samples that have some; records whose branch is not kept */
    struct hot_count
        data;           /* samples that say which address was accessed: shares of lines are of it */
    uint64_t n_no_line; /* of them, those whose line is not kept */
    ARRAY(struct hot_event) event;
    ARRAY(char *) note; /* what else is to be said, a sentence each */
    ARRAY(struct hot_module) module;
    ARRAY(struct hot_function) function;
    ARRAY(struct hot_thread) thread;
    ARRAY(struct hot_leaf) leaf;
    ARRAY(struct hot_node) node;
    ARRAY(struct hot_branch) branch; /* the most mispredicted first */
    ARRAY(struct hot_access) access; /* of functions and threads by their numbers here */
};

void hot_free(struct hot *h); /* accepts a zeroed one; leaves it zeroed */

/* All of it, texts too. 0 or -ENOMEM: *to is empty. */
int hot_copy(struct hot *to, const struct hot *from);

/* 0, or -EINVAL with words: numbers of modules, functions, threads and parents that are not there.
 * Of what comes from a file. Its texts are cleaned (str_clean). */
int hot_check(struct hot *h, struct err *err);

/* Accesses whose lines are not among those of most samples, `most` of them, go to ACCESS_NO_LINE of
 * the same function, thread and source. */
void hot_fold_accesses(struct hot *h, size_t most);
/* Cache lines as access_lines has them. malloc'ed. 0 or -ENOMEM. */
int hot_access_lines(const struct hot *h, struct access_line **line, size_t *n);
/* Sums of accesses by function, [function.n] malloc'ed; NULL: no memory. */
struct access_sum *hot_access_sums(const struct hot *h);

/* The functions by weight, the largest first, in a malloc'ed list. 0 or -ENOMEM. */
struct hot_row {
    uint32_t function;
    uint32_t leaf; /* its hottest */
    struct hot_count count;
};
int hot_rows(const struct hot *h, struct hot_row **row, size_t *n);

/* Its samples are waits, and weights the time that they took. */
bool hot_is_off_cpu(const struct hot *h);
/* "1300 samples in 10.0 s", "1300 waits of 27.4 s in 10.0 s". Returns buf. */
const char *hot_amount(const struct hot *h, char *buf, size_t cap);

/* The share of so much of h, and its 95 % interval; all NAN for fewer than HOT_LEAST samples, but
 * of waits. */
double hot_share(const struct hot *h, const struct hot_count *c, struct binomial *interval);

/*
 * How often of all times a branch was mispredicted, and which share of all mispredicted ones is its
 * own, with 95 % intervals; all NAN for fewer than HOT_LEAST samples. Records of a sample belong
 * together: the intervals are those of a ratio over samples, by the number of independent records
 * that would be as sure (Korn and Graubard, Survey Methodology 24 (1998), 193-201).
 */
double hot_missed_rate(const struct hot_taken *t, struct binomial *interval);
double hot_missed_share(const struct hot_taken *t, const struct hot_taken *all,
                        struct binomial *interval);
/* Cycles since the branch before, the mean; NAN: not known. */
double hot_taken_cycles(const struct hot_taken *t);
/* The order by what was mispredicted, then by what was taken: for qsort. */
int hot_taken_order(const struct hot_taken *a, const struct hot_taken *b);
/* The most mispredicted first. */
void hot_sort_branches(struct hot *h);
/* "server.c:42", "" if it is not known. Returns buf. */
const char *hot_branch_source(const struct hot_branch *b, char *buf, size_t cap);
/* "dictFind+0x1a". Returns buf. */
const char *hot_branch_place(const struct hot *h, uint32_t function, uint64_t offset, char *buf,
                             size_t cap);

/* "perf", "perf-4242" where the name is not known. Returns buf. */
const char *hot_process(const struct hot *h, uint32_t thread, char *buf, size_t cap);
/* What a node is called: its function, or process. Returns buf. */
const char *hot_name(const struct hot *h, uint32_t node, char *buf, size_t cap);
/* "server.c:42", "" if it is not known. Returns buf. */
const char *hot_source(const struct hot_function *f, char *buf, size_t cap);

/* The sum of each node and all below it, [n] malloc'ed; NULL: no memory. */
struct hot_count *hot_sums(const struct hot *h);

#endif
