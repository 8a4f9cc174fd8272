/*
 * Level 1 first, where everything is counted but the counters are few: each of its groups in turn
 * has them for itself (pinned, and enabled only then), and in the rest of the time it is off and
 * all others take turns as the kernel lets them. It costs two ioctl(2) per thread or CPU and turn,
 * several times in each interval. Counts of a group that was off for a part of the interval are
 * stretched like those of any that was (perf_read.c); its duty says how much was really counted.
 */
#ifndef TDTOP_PMU_PERF_TURNS_H
#define TDTOP_PMU_PERF_TURNS_H

#include "pmu/perf/perf_units.h"
#include "pmu/plan/plan.h"

struct perf_turns {
    uint32_t n;  /* groups that have turns; 0: none */
    uint32_t at; /* the one that has its turn, counted among them; n: the others */
    uint64_t next_ns, cycle_ns;
};

/*
 * Marks the groups of the units' shape, before they are opened. opt NULL: none. None either where
 * there are so many threads that the turns would cost more than a hundredth of a CPU. 0 or -ENOMEM.
 */
int perf_turns_begin(struct perf_turns *t, struct perf_units *pu, const struct model *m,
                     const struct plan_options *opt, uint64_t interval_ns);

/* The next turn if it is due. Returns when the one after it is; UINT64_MAX without turns. */
uint64_t perf_turns_go_on(struct perf_turns *t, struct perf_units *pu, uint64_t now_ns);

/* Switches the groups of level 1 off until the turn of the others that begins now has ended. A
 * pinned group that is on holds its counters: to ask which are free, it must be off. */
void perf_turns_yield(struct perf_turns *t, struct perf_units *pu, uint64_t now_ns);

/* True if in the interval that was read a group never ran in its turns: others have the counters.
 */
bool perf_turns_failed(const struct perf_turns *t, const struct perf_units *pu);

/* No turns from now on; what is open is to be reopened. */
void perf_turns_end(struct perf_turns *t, struct perf_units *pu);

#endif
