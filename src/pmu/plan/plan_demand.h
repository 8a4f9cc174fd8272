/* What formulas ask of the counters. Private to the planner. */
#ifndef TDTOP_PMU_PLAN_DEMAND_H
#define TDTOP_PMU_PLAN_DEMAND_H

#include "model/load/expr.h"
#include "model/load/model.h"
#include "pmu/plan/plan_fit.h"

#include <stdbool.h>
#include <stdint.h>

/* The model of the formulas, and what decides them. */
struct demand_from {
    const struct model *model;
    struct consts consts;   /* of the branches that they decide one counts */
    const uint8_t *blocked; /* [n_event] enum count_state: why it cannot be counted, or COUNT_OK */
    bool no_perf_metrics;   /* alternative formulas */
};

/* What one formula needs, inlined metrics included; blocked events are left out. */
struct demand {
    struct event_set events;
    struct event_set divisors; /* those of them that something is divided by */
};

/* The formula that the evaluation will use, as far as that can be known now. May be NULL. */
const struct ast *demand_formula(const struct demand_from *from, const struct metric *metric);

struct demand demand_of(const struct demand_from *from, const struct ast *formula);

/* Marks a metric and all that its formula and threshold ask for. */
void demand_want(const struct demand_from *from, int metric, bool *wanted);

/*
 * Cuts a formula that does not fit one group into parts that do, along its sub-formulas: both sides
 * of a division, the terms of a sum. Only events of `of` count. The event that the whole is
 * divided by stands in every part that has room for it. Calls part for each; what fits nowhere is a
 * part by itself.
 */
void demand_split(const struct demand_from *from, const struct fit *fit, const struct ast *formula,
                  const struct event_set *of,
                  void (*part)(void *user, const struct event_set *part), void *user);

#endif
