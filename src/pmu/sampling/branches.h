/*
 * The branch records of a sample (perf_event_open(2), PERF_SAMPLE_BRANCH_STACK: Intel's LBR, AMD's
 * LbrExtV2, Arm's BRBE): those of one branch together.
 */
#ifndef TDTOP_PMU_BRANCHES_H
#define TDTOP_PMU_BRANCHES_H

#include "pmu/sampling/tally.h"

/*
 * How many branches. Left out are records with one end only, those of a wrong path that was taken
 * by speculation, and what is behind the first TALLY_JUMPS. Addresses in the upper half are the
 * kernel's.
 */
uint32_t branches_find(struct spaces *sp, const struct record *r,
                       struct tally_jump out[TALLY_JUMPS]);

#endif
