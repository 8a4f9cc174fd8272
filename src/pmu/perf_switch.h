/*
 * The moment at which new counters take over from those that were there (perf_renew.c has opened
 * them). Until then the first count, from then on the second: each task in one of them, at any
 * time.
 */
#ifndef TDTOP_PMU_PERF_SWITCH_H
#define TDTOP_PMU_PERF_SWITCH_H

#include "pmu/perf_units.h"

/*
 * Before: clocks for those units, whose time goes on while pinned groups change. Who is born after
 * that inherits them.
 */
void perf_switch_open_clocks(struct perf_units *pu, uint32_t n);
void perf_switch_close_clocks(struct perf_units *pu);

/*
 * Units before n that are `renewing` go over to their spare counters, where they have any: then
 * those hold the first, for the caller to close. The others, from n on, were born and begin to
 * count. What has been counted belongs to this interval.
 */
void perf_switch(struct perf_units *pu, uint32_t n);

/* A unit's second counters [n_counter], -1 where there is none. */
int *perf_switch_spare(const struct perf_units *pu, uint32_t u);

/* Where the times of a unit's two sets of counters will be compared from: once they are open. */
void perf_switch_mark(struct perf_units *pu, uint32_t u);

/* Is nobody there any more who could need second ones? */
bool perf_switch_is_over(const struct perf_unit *unit);

#endif
