/*
 * A run of values that another tool computed: its counts are not known, so the value of the whole
 * can only be the mean of those of the intervals, and says that it is approximate.
 */
#ifndef TDTOP_MODEL_RUN_VALUES_H
#define TDTOP_MODEL_RUN_VALUES_H

#include "model/load/dict.h"
#include "model/run/run.h"

struct run_values_item; /* private */
struct run_values {
    ARRAY(struct run_values_item) item; /* private */
    struct dict by_path;                /* private: index in item */
    size_t hint;                        /* private: where the next is likely to be */
};

/* One value of one interval, as a tool printed it. */
struct run_value {
    const char *path; /* "Backend_Bound.Memory_Bound" */
    const char *unit; /* "% Slots <", "%", "Metric": '%' makes it a share, '<' is below threshold */
    double v;         /* in percent where it is a share */
    double duty;      /* 0..1 */
    bool over;        /* over its threshold */
    bool limits;      /* the tool calls it the bottleneck */
};
/* Values of one path in order of time. What is not finite is left out. 0 or -ENOMEM. */
int run_values_add(struct run_values *rv, const struct run_value *v);

/*
 * Fills r->node, in order of paths, and r->bottleneck; each node says `reason`. All texts of r that
 * are NULL become "". 0, -ENOMEM, or -ENODATA: no value was added.
 */
int run_values_finish(struct run_values *rv, const char *reason, struct run *r, struct err *err);
void run_values_free(struct run_values *rv); /* accepts a zeroed one */

#endif
