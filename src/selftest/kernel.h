/*
 * Small programs of known character, for measuring what is known beforehand: where their pipeline
 * slots go (a pointer chase waits for memory), or how often the kernel does something for them
 * (a thousand fresh pages are a thousand page faults).
 *
 * No compiler may remove or improve them: values pass through empty asm statements, and what they
 * compute ends in kernel_run.sum. They are plain C but for the one that emits its own code.
 */
#ifndef TDTOP_SELFTEST_KERNEL_H
#define TDTOP_SELFTEST_KERNEL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a kernel runs: the sizes decide what is "in DRAM" and what "in L2". */
struct kernel_place {
    size_t l1d, l2, l3; /* bytes; l3 is the last cache there is */
    size_t memory;      /* bytes that a kernel may take */
    int cpu[2];         /* the second one is on another core; -1: none */
};

/* One run of a kernel. Zero it, set place, then prepare, round..., finish. */
struct kernel_run {
    const struct kernel_place *place; /* borrowed */
    void *memory;                     /* the kernel's own mapping */
    size_t size;
    void *state;   /* the kernel's own */
    uint64_t seed; /* where the last round stopped */
    uint64_t sum;  /* depends on all work that was done */
};

enum kernel_judge {
    JUDGE_PATH,  /* by the bottleneck path of the machine's model: judge.h */
    JUDGE_SHARE, /* by the path of the software model */
    JUDGE_COUNT, /* by how often the kernel counted `event` */
};

struct kernel {
    const char *name; /* "chase-dram" */
    const char *what; /* one line */
    enum kernel_judge judge;

    /* Takes memory, starts threads. Optional. 0 or negative errno with words; finish follows also
     * after a failure. */
    int (*prepare)(struct kernel_run *run, struct err *err);
    /* A piece of work of about a millisecond. */
    void (*round)(struct kernel_run *run);
    /* Optional. */
    void (*finish)(struct kernel_run *run);

    /* JUDGE_COUNT: the software model's event, and how often a round makes it happen. 0: what it
     * counts is CPU time in ns. */
    const char *event;
    uint64_t per_round;
    uint64_t rounds;  /* that are run; 0 = for a second */
    bool sees_kernel; /* nothing is seen of it where only user space may be counted */
};

extern const struct kernel kernels[];
extern const size_t kernel_count;

enum { KERNEL_LINE = 64, KERNEL_PAGE = 4096 }; /* bytes */

/*
 * Fills order[n] with 0..n-1 for a walk that no prefetcher guesses: windows of `window` neighbours
 * in random order, and within each in random order. A window small enough for the TLB keeps the
 * walk free of page walks.
 */
void kernel_shuffle(uint32_t *order, uint32_t n, uint32_t window);

/* NULL if there is none of that name. */
const struct kernel *kernel_find(const char *name);

/* Runs prepare, if there is one. */
int kernel_prepare(const struct kernel *k, struct kernel_run *run, struct err *err);
/* Runs finish, if there is one, and gives the memory back. */
void kernel_finish(const struct kernel *k, struct kernel_run *run);

#endif
