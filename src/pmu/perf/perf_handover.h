/*
 * The moment at which new counters take over from those that were there (perf_reopen.c has opened
 * them). Until then the first count, from then on the second: each task in one of them, at any
 * time.
 */
#ifndef TDTOP_PMU_PERF_HANDOVER_H
#define TDTOP_PMU_PERF_HANDOVER_H

#include "pmu/perf/perf_units.h"

/*
 * Before: clocks of the units that are handed over; they go on while pinned groups change. Threads
 * created after that inherit them.
 */
void perf_handover_open_clocks(struct perf_units *pu, uint32_t n);
void perf_handover_close_clocks(struct perf_units *pu);

/*
 * Is no unit that switches in the middle of a clone that began before its clock was opened? A new
 * thread inherits before it has a number: until then the list lacks it, and it may be in none of
 * the second counters. Each unit must have run on for longer than that takes, or sleep.
 */
bool perf_handover_no_clone(const struct perf_units *pu, uint32_t n);

/*
 * Units before n that are `reopening` go over to their pending counters, where they have any: then
 * those hold the first, for the caller to close. The others, from n on, are new and begin to
 * count. What has been counted belongs to this interval. 0; where it `can_wait`, -EBUSY, and
 * nothing has changed, if it could not be told how long pinned groups stand still: on a machine
 * under load, where the target runs on between two readings.
 */
int perf_handover(struct perf_units *pu, uint32_t n, bool can_wait);

/* A unit's second counters [n_counter], -1 where there is none. */
int *perf_handover_pending(const struct perf_units *pu, uint32_t u);

/* Where the times of a unit's two sets of counters will be compared from: once they are open. */
void perf_handover_mark(struct perf_units *pu, uint32_t u);

/* Has its thread ended, so that it needs no second counters? */
bool perf_handover_has_ended(const struct perf_unit *unit);

#endif
