/*
 * One clock for all groups. Groups are read one after the other, and when the sampler has to wait
 * in between (a busy machine, thousands of threads), an interval of one group is longer than that
 * of another: a ratio of their counts would be off by as much, unnoticed. Each
 * group's enabled time says how far it has been read. The first group sets the end of the interval;
 * what the others have read beyond it is left for their next interval, and what they lack is
 * borrowed from there. Nothing is lost.
 *
 * The part that is moved is taken to be spread evenly over the group's interval.
 */
#ifndef TDTOP_PMU_PERF_ALIGN_H
#define TDTOP_PMU_PERF_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

struct perf_units;

struct perf_align { /* once per group: read beyond the end of the interval; negative: borrowed */
    double enabled_ns, running_ns;
    bool unknown; /* that part has no count */
};

int perf_align_init(struct perf_units *pu);  /* 0 or -ENOMEM */
void perf_align_free(struct perf_units *pu); /* accepts what init has left */

/* After sum and value have been filled; n units are there to be counted. */
void perf_align(struct perf_units *pu, uint32_t n);

#endif
