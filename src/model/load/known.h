/*
 * What is known before anything is counted: constants, and expressions of nothing but constants.
 * The planner and the binder ask it, so that a branch that is never taken costs no counter.
 */
#ifndef TDTOP_MODEL_KNOWN_H
#define TDTOP_MODEL_KNOWN_H

#include "model/load/expr.h"
#include "model/load/model.h"

/*
 * Value of constant `index` (enum const_id, or CONST_N + i for a latency of the model): the user's
 * or machine's; SLOTS_PER_CYCLE falls back to the model's width, a latency to the model's, EBS_MODE
 * to 0 (what perf records with -a; known_warning says where that matters). NAN if not known.
 * DURATION_S and TSC are known only if the user fixed them.
 */
double known_const(const struct model *m, const struct consts *c, int index);

/*
 * Evaluates an expression without events. False if it depends on an event or on something that is
 * not known. Inside `LATENCY >= 0` (any comparison with a latency as one side) a latency that is
 * not known counts as -1, as in the vendor's formulas; everywhere else it is unknown.
 */
bool known_value(const struct model *m, const struct consts *c, const struct ast *ast, double *v);

/* Is a metric approximate by its own `approximate` and `approximate_when`? */
enum known_warning {
    WARNING_NONE,
    WARNING_SURE,
    WARNING_EBS_MODE, /* not with EBS_MODE 0, which was not given */
};
enum known_warning known_warning(const struct model *m, const struct consts *c,
                                 const struct metric *mt);

/*
 * Calls fn for each leaf (AST_EVENT, AST_METRIC, AST_CONST) that can matter, left to right: not for
 * those of a branch that constants rule out, nor for those of the condition that does so.
 */
void known_leaves(const struct model *m, const struct consts *c, const struct ast *ast,
                  void (*fn)(const struct ast *leaf, void *user), void *user);

/* The user's setting of a latency, or NULL. */
const struct latency_setting *known_latency_setting(const struct consts *c, const char *event);

#endif
