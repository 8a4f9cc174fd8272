/*
 * All counters of all threads or CPUs of a target, and reading them. A unit is one thread or CPU;
 * it has one descriptor per counter and costs one read() per group.
 */
#ifndef TDTOP_PMU_PERF_UNITS_H
#define TDTOP_PMU_PERF_UNITS_H

#include "pmu/perf_shape.h"
#include "pmu/target.h"

struct perf_unit {
    pid_t tid; /* or -1 */
    int cpu;   /* or -1 */
};

/* Of one group, over all units, in one interval. */
struct perf_sum {
    uint64_t enabled_ns, running_ns;
    uint64_t counted_ns; /* enabled time of the units whose group ran at all */
    uint32_t reads;      /* that succeeded */
};

struct perf_units {
    const struct plan *plan;         /* borrowed */
    const struct target_set *target; /* borrowed */
    struct perf_shape *shape;        /* borrowed */
    struct perf_mode mode;
    struct perf_unit *unit;
    uint32_t n;
    int *fd;              /* [n][n_counter] */
    uint64_t *last;       /* [n][shape->n_word]: what was read last */
    struct perf_sum *sum; /* [n_group] of the last interval */
    double *value;        /* [n_counter] of the last interval, scaled */
    bool pin_failed;      /* a pinned group found no place: it must be opened anew, unpinned */
    uint16_t event;       /* that opening failed on */
    struct perf_unit failed;
    uint32_t n_wanted; /* units that were to be opened */
};

/*
 * Opens. With `shape` empty it is found, else kept. Threads that start meanwhile are not lost: the
 * list is read again after opening, and all is done anew if it has grown. 0; -ESRCH if nothing is
 * left to open; else a negative errno with `event` and `failed` set; nothing is open then.
 */
int perf_units_open(struct perf_units *pu);
void perf_units_close(struct perf_units *pu); /* accepts a zeroed one */

/*
 * Reads everything and sums up what was counted since the last call in sum and value. Never
 * allocates. Returns -ECHILD if a thread was born while its parent's group was half open, which
 * only the first read can find.
 */
int perf_units_read(struct perf_units *pu);

#endif
