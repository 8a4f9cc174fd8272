/* Private to compare*.c and pairs.c. */
#ifndef TDTOP_MODEL_COMPARE_IMPL_H
#define TDTOP_MODEL_COMPARE_IMPL_H

#include "model/compare/compare.h"

struct sides {
    const struct compare_side *a, *b;
    const struct compare_options *opt;
};

bool compare_in_tree(const struct compare_row *r);

/* How many least changes a change is: in points, or relative. */
double compare_in_least(const struct run_node *n, double delta, double relative,
                        const struct compare_options *opt);
/*
 * Of a row whose values are there: delta, err and p from the pairs. scale: from the difference of a
 * pair to that of the values. False: no pair knows the metric on both sides.
 */
bool compare_pairs(struct compare_row *r, double scale, const struct compare_options *opt);

/* Fills leads, counts and shared. The rows are in order of their paths. */
void compare_explain(struct comparison *c, const struct sides *s);

#endif
