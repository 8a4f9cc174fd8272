/* Which metrics of a model --nodes asks for. */
#ifndef TDTOP_CLI_NODES_H
#define TDTOP_CLI_NODES_H

#include "cli/cli.h"
#include "model/load/model.h"

/*
 * Sets *wanted to what --nodes makes of the level, [n_metric], to be freed; to NULL without
 * --nodes: then the level alone decides. 0, -ENOMEM, or -EINVAL with words that name the item.
 */
int nodes_wanted(const struct args *a, const struct model *m, bool **wanted, struct err *err);

#endif
