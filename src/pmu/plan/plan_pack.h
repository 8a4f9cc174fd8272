/*
 * Formulas into groups: few groups, and those of one branch of the tree near each other. Private to
 * the planner.
 *
 * Branch after branch, and in each always the formula next that shares most with a group that has
 * room for it; where none has, the biggest one begins a new group. Then groups are given up where
 * all formulas find room elsewhere. 400 random restarts of this found at best 2 groups of 42 fewer
 * (Sapphire Rapids, everything), so there is no search here.
 */
#ifndef TDTOP_PMU_PLAN_PACK_H
#define TDTOP_PMU_PLAN_PACK_H

#include "pmu/plan/plan_fit.h"

#include <stdbool.h>
#include <stdint.h>

/* What must be counted together: a formula, or a part of one that does not fit. */
struct pack_item {
    struct event_set events; /* they fit together, unless there is only one */
    struct event_set divisors;
    uint32_t branch; /* ascending: placed in this order */
    bool top;        /* always in focus: it stands in groups that begin with such */
    bool part;
    uint32_t group; /* the answer */
};

/*
 * Fills item[].group with numbers from 0, in the order of the items, and n_group. 0 or -ENOMEM.
 * Items are in the order of their branches.
 */
int pack_items(const struct fit *fit, struct pack_item *item, uint32_t n_item, uint32_t *n_group);

#endif
