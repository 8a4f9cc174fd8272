/*
 * Accesses to memory: samples of loads and stores that say which address they went to, where the
 * data came from, and how long it took. Added up by place in the code, thread, cache line and
 * source; from these sums follow those of a cache line, and who shares it.
 */
#ifndef TDTOP_MODEL_HOT_ACCESS_H
#define TDTOP_MODEL_HOT_ACCESS_H

#include "model/hot/hot_count.h"

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_LINE = 64 }; /* bytes, of all cores that have a model */
#define ACCESS_NO_LINE UINT64_MAX

/* Where data came from (union perf_mem_data_src in include/uapi/linux/perf_event.h). */
enum data_source {
    DATA_UNKNOWN, /* the CPU does not say */
    DATA_L1,
    DATA_FILL_BUFFER, /* the line was on its way already */
    DATA_L2,
    DATA_L3,
    DATA_OTHER_CORE, /* a cache of another core had it: modified, or forwarded */
    DATA_DRAM,
    DATA_REMOTE_CACHE,
    DATA_REMOTE_DRAM,
    DATA_SLOW, /* CXL, persistent memory, I/O */
    DATA_SOURCES
};

/* "L1", "fill buffer", ..., "DRAM"; "" of DATA_UNKNOWN. */
const char *data_source_name(enum data_source s);
/* The source of that name; DATA_UNKNOWN: there is none. */
enum data_source data_source_named(const char *name);

struct access_count {
    struct hot_count count;
    uint64_t n_store;         /* samples of stores; the others are loads, or do not say */
    uint64_t n_timed, cycles; /* samples that say the latency; these */
};

static inline void access_add(struct access_count *to, const struct access_count *c) {
    hot_add(&to->count, &c->count);
    to->n_store += c->n_store;
    to->n_timed += c->n_timed;
    to->cycles += c->cycles;
}

/* The mean latency in CPU cycles; NAN: not known. */
double access_cycles(const struct access_count *c);

struct hot_access {
    uint32_t function, thread; /* numbers of whoever uses it */
    uint32_t space;            /* whose address it is: access_space */
    uint64_t line;             /* address / CACHE_LINE, or ACCESS_NO_LINE: many, or not kept */
    uint64_t bytes;            /* bit i: byte i of the line; accesses are taken for the aligned 8
                                  bytes that they begin in */
    enum data_source source;
    struct access_count sum;
};

/* The process, or 0: addresses in the upper half are the kernel's. What processes share at the same
 * address is not seen as shared. */
static inline uint32_t access_space(int32_t pid, uint64_t line) {
    return line >> (63 - 6) ? 0 : (uint32_t)pid;
}

/* Sums of several accesses. */
struct access_sum {
    struct access_count all;
    double from[DATA_SOURCES]; /* their weights, by source */
};

/* Of n accesses those of each source, added to `by`. */
void access_by_source(const struct hot_access *a, size_t n, struct access_count by[DATA_SOURCES]);

void access_sum_add(struct access_sum *to, const struct hot_access *a);
/* The source of most of it, and its share of what has one. DATA_UNKNOWN with NAN: not known. */
enum data_source access_mostly(const struct access_sum *s, double *share);

enum line_sharing {
    LINE_PRIVATE,     /* one thread has accessed it */
    LINE_SHARED,      /* several; not known to be false sharing */
    LINE_FALSE_SHARED /* several, each other bytes: false sharing */
};

struct access_line {
    uint64_t line;
    uint32_t space;
    struct access_sum sum;
    uint64_t bytes;
    uint32_t n_thread, n_function;
    uint32_t function, thread; /* those of most of it */
    enum line_sharing sharing;
};

/*
 * Cache lines of n accesses, which are sorted for it, the line of most weight first; without
 * ACCESS_NO_LINE. malloc'ed. 0 or -ENOMEM. False sharing is said of lines that caches take from
 * each other (a store, or data of another core's cache); threads count that have two samples and 2
 * % of those of the line.
 */
int access_lines(struct hot_access *a, size_t n, struct access_line **line, size_t *n_line);

#endif
