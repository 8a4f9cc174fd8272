/*
 * Focus: of the groups of a layout only those are programmed that have counts to show. The
 * plan and the layout stay as they are, so history and sums keep their meaning; what is not
 * programmed has no count in that time, and says so.
 */
#ifndef TDTOP_PMU_FOCUS_H
#define TDTOP_PMU_FOCUS_H

#include "model/eval/eval.h"
#include "model/eval/sample.h"
#include "model/load/model.h"
#include "pmu/mailbox.h"

struct focus {
    const struct model *model; /* borrowed */
    uint64_t *groups;          /* [n_metric][FOCUS_WORDS] bit g: it reads group g of the layout */
    struct group_set level1;   /* what the formulas of level 1 read, their thresholds left out */
    bool *always;              /* [n_metric] levels 1 and 2, vital metrics, parts of the time */
};

/* 0 or -ENOMEM. The three must be those of one session; only model is kept. */
int focus_init(struct focus *f, const struct model *m, const struct layout *layout,
               const struct eval *ev);
void focus_destroy(struct focus *f); /* accepts a zeroed one */

/* The groups that the wanted metrics (and those that are always) read. Never allocates. */
void focus_want(const struct focus *f, const bool *wanted, struct group_set *out);

#endif
