/*
 * Address spaces: which module an address of a process lies in. A process is read from
 * /proc/PID/maps when it is first asked for, and followed by records from then on; only what is
 * executable is kept. Records from before the reading are in it already and are left out, for which
 * their times are those of CLOCK_MONOTONIC (use_clockid).
 *
 * Memory is bounded: spaces that were not asked for longest are dropped and read again when needed;
 * that is counted, because a process that has ended cannot be read again.
 */
#ifndef TDTOP_PMU_SPACES_H
#define TDTOP_PMU_SPACES_H

#include "pmu/sampling/modules.h"
#include "pmu/sampling/record.h"

struct place {
    uint32_t module; /* of the table of modules */
    uint64_t offset; /* as its kind says: module.h */
};

struct mapping {
    uint64_t start, end;
    uint64_t offset; /* of start */
    uint32_t module;
};

struct space {
    pid_t pid;
    ARRAY(struct mapping) map; /* ascending, apart from each other */
    uint32_t next;    /* private: number + 1 of the next of its hash, or of the free ones */
    uint64_t read_ns; /* what is older is in it already */
    uint64_t asked;   /* private: when it was last asked for */
    bool known;       /* false: maps could not be read, and it was not seen to begin */
    bool ended;
};

struct spaces_limits {
    uint32_t spaces, mappings; /* at most */
};

struct spaces {
    struct modules *modules; /* borrowed */
    const char *root;        /* borrowed: "" or a folder with a fake /proc */
    struct spaces_limits limits;
    struct space *at; /* [limits.spaces] */
    uint32_t n_used;
    size_t n_mapping;
    uint64_t n_evicted;    /* spaces that were dropped for want of room */
    uint64_t n_unreadable; /* processes whose maps could not be read, by rights or as they ended */
    uint64_t n_dropped;    /* mappings without room */
    uint64_t clock;        /* private: counts questions */
    uint32_t first_free;
    uint32_t *hash;
    uint32_t n_hash;
    bool timed;          /* records have the times of CLOCK_MONOTONIC; true until it is set */
    struct space kernel; /* what BPF programs take of the kernel's addresses */
};

/* 0 or -ENOMEM. */
int spaces_init(struct spaces *sp, struct modules *modules, const char *root,
                const struct spaces_limits *limits);
void spaces_destroy(struct spaces *sp); /* accepts a failed one */

/* Reads the maps of a process now, whatever was known of it. 0, -ESRCH, -EACCES and others. */
int spaces_read(struct spaces *sp, pid_t pid);

/* Follows MMAP, COMM, FORK, EXIT and KSYMBOL; others are nothing to it. */
void spaces_follow(struct spaces *sp, const struct record *r);

/* Where an address lies. What is in no mapping is MODULES_UNKNOWN, the offset its address. */
void spaces_find(struct spaces *sp, pid_t pid, uint64_t addr, enum record_mode mode,
                 struct place *out);

#endif
