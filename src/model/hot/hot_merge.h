/* Samples of one event, taken at several times, as if they had been taken at once. */
#ifndef TDTOP_MODEL_HOT_MERGE_H
#define TDTOP_MODEL_HOT_MERGE_H

#include "model/hot/hot.h"

/* Adds those of `from`: modules are the same by path and build id, functions by their place in
 * them, threads by their numbers. No more than HOT_LEAVES places and HOT_NODES of stacks: what is
 * new beyond them is counted as left out. 0, or -ENOMEM: a part is in. */
int hot_merge(struct hot *to, const struct hot *from);

#endif
