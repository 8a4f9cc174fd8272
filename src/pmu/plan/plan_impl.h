/* What the files of the planner share (plan.c, plan_items.c). */
#ifndef TDTOP_PMU_PLAN_IMPL_H
#define TDTOP_PMU_PLAN_IMPL_H

#include "base/array.h"
#include "pmu/plan/plan.h"
#include "pmu/plan/plan_demand.h"
#include "pmu/plan/plan_fit.h"
#include "pmu/plan/plan_pack.h"

/* A group of the plan that is being made. */
struct draft {
    enum event_pmu pmu;
    struct event_set events;
    uint32_t n_shared;
    bool slots, pinned, unfit;
};

struct known_demand {
    bool there;
    struct demand demand;
};

struct planner {
    const struct model *m;
    const struct plan_options *opt;
    struct demand_from from;
    struct fit fit;
    ARRAY(struct draft) group;
    ARRAY(struct pack_item) item; /* of the kind that is being packed */
    uint32_t branch;              /* of the next item */
    bool top;                     /* the next item is for what is always in focus */
    enum event_pmu kind;          /* of the items */
    bool *wanted;                 /* [n_metric] */
    bool *in_top;                 /* [n_metric] levels 1 and 2, vital signs, parts of the time, what
                                     those refer to */
    bool *unfit;                  /* [n_metric] */
    bool *added;                  /* [n_metric] its items are there */
    struct known_demand *demand;  /* [n_metric] see planner_demand */
    uint8_t *blocked;             /* [n_event] why it cannot be counted whatever we do; COUNT_OK */
    struct event_set held; /* fixed-only events of the pinned group: others take them from there */
    int rc;
};

bool planner_is_level(const struct metric *mt, int level); /* of the tree */
/* True if the metric is wanted, and the model can give it. */
bool planner_is_asked(const struct planner *pl, uint32_t metric);
/* What the formula in use asks for; found out when it is first asked. */
const struct demand *planner_demand(const struct planner *pl, uint32_t metric);

/* Appends the groups of a kind whose events compete for counters (plan_items.c); pl->rc says how
 * that went. */
void planner_counters(struct planner *pl, enum event_pmu kind);

#endif
