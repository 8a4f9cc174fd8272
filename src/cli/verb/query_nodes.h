/* Which nodes of a run a view shows, and in which order. */
#ifndef TDTOP_CLI_QUERY_NODES_H
#define TDTOP_CLI_QUERY_NODES_H

#include "base/array.h"
#include "model/load/model.h"
#include "model/run/run.h"

#include <stdbool.h>

struct node_list {
    const struct run_node **at; /* borrowed from the run */
    void *grown_;               /* private, as in base/array.h */
    size_t n, cap;
};

/* Depth first, siblings by value, unknown ones last; to a level (0: all). beside: then the metrics
 * outside the tree. All return 0 or -ENOMEM; array_free(out). */
int nodes_in_order(const struct run *r, int level, bool beside, struct node_list *out);
/* What it is a share of where that is not the scope of its model ("clocks"); NULL: it is the scope,
 * or not known (m may be NULL). */
const char *nodes_share_of(const struct model *m, const struct run_node *n);
/* Nodes over their threshold of at least this share: those of the scope, largest first, then those
 * of something else, largest first: one share is not larger than another of something else. limit
 * 0: all. */
int nodes_over(const struct run *r, const struct model *m, double least, int level, size_t limit,
               struct node_list *out);
/* First the end of the bottleneck's path, then of each other root the deepest node of at least this
 * share, of several as deep the largest; in the order of nodes_over. */
int nodes_deepest(const struct run *r, const struct model *m, double least, int level, size_t limit,
                  struct node_list *out);

/* The root above a node (or itself), NULL outside the tree or if the run does not have it. */
const struct run_node *nodes_root(const struct run *r, const struct run_node *n);

#endif
