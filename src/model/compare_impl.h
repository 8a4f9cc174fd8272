/* Private to compare*.c. */
#ifndef TDTOP_MODEL_COMPARE_IMPL_H
#define TDTOP_MODEL_COMPARE_IMPL_H

#include "model/compare.h"

struct sides {
    const struct compare_side *a, *b;
    const struct compare_options *opt;
};

/* Regressed, improved or changed. */
bool compare_is_sure(const struct compare_row *r);
bool compare_in_tree(const struct compare_row *r);

/* Fills leads, counts and shared. The rows are in order of their paths. 0 or -ENOMEM. */
int compare_explain(struct comparison *c, const struct sides *s);

#endif
