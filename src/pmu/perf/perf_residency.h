/*
 * Tasks on a CPU with several core types: only the time on cores of our type counts.
 *
 * A task's event of cpu_core counts while the task runs on such a core. Elsewhere the kernel leaves
 * it out (Linux up to 6.1: pmu->filter_match for each event; from 6.2 on: pmu->filter for the whole
 * PMU), but its enabled time goes on with the task, as if it waited for a counter. Enabled over
 * running would then add what the task did on other cores. So the enabled time of each group is cut
 * down to what was spent here:
 *
 *   a pinned group      ran here all the time, and never elsewhere: its running time is it
 *   groups in turns     one of them runs at any time, often more: the sum of their running times
 *                       over the number that runs at once by the plan; not less than any of them
 */
#ifndef TDTOP_PMU_PERF_RESIDENCY_H
#define TDTOP_PMU_PERF_RESIDENCY_H

#include "pmu/perf/perf_units.h"
#include "pmu/source.h"

/* How many groups run at once, by the plan: once the units are open, and when other groups are on.
 */
void perf_residency_plan(const struct source *src);

/* Before groups of a unit are read: finds the share of its time since the last read that was spent
 * here. */
void perf_residency_look(struct perf_units *pu, uint32_t u);

/* What a group's times since the last read come to here; adds up how much that is in all. */
void perf_residency_cut(struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *enabled,
                        uint64_t *running);

/* CPU time of the target, and what was spent here of it. */
uint64_t perf_residency_part(const struct perf_units *pu, uint64_t cpu_ns);

/* The kernel's clocks tick everywhere: what of the count of a counter belongs here, 0..1. */
double perf_residency_weight(const struct perf_units *pu, uint32_t u, uint32_t g, uint32_t counter);

/* True if the target ran in the last interval, but on other cores alone. */
bool perf_residency_is_elsewhere(const struct perf_units *pu, uint32_t g);

#endif
