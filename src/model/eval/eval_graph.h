/*
 * Private to eval*.c: a graph of operations in which nothing occurs twice, and its way into a
 * program. Constants are folded while it grows; what no metric needs is left out in the end.
 */
#ifndef TDTOP_MODEL_EVAL_GRAPH_H
#define TDTOP_MODEL_EVAL_GRAPH_H

#include "base/array.h"
#include "model/eval/eval_program.h"

struct graph_node {
    uint32_t op;        /* enum eval_op */
    uint32_t kid[3];    /* nodes; of EVAL_SLOT: slot and event */
    struct cell number; /* EVAL_NUMBER */
    uint32_t depth;     /* 0 for leaves */
    uint32_t cell;      /* set by graph_schedule */
    bool used;          /* set by graph_use */
    uint32_t looked;    /* private to graph_leaves */
};

struct graph {
    ARRAY(struct graph_node) node;
    uint32_t *hash; /* node + 1, open addressing; size is a power of two */
    uint32_t n_hash;
    uint32_t n_looks; /* of graph_leaves */
    int rc;           /* -ENOMEM once something failed; results are then node 0 */
};

int graph_init(struct graph *g);
void graph_destroy(struct graph *g);

/* Each returns the node, an old one where it is the same. */
uint32_t graph_number(struct graph *g, double v);
uint32_t graph_unknown(struct graph *g, struct why why);
uint32_t graph_slot(struct graph *g, uint32_t slot, uint32_t event);
uint32_t graph_time(struct graph *g, enum eval_op op); /* EVAL_DURATION, EVAL_TSC */
uint32_t graph_op(struct graph *g, enum eval_op op, uint32_t a, uint32_t b, uint32_t c);

/* The constant that a node is, or NULL. Valid until the graph grows. */
const struct cell *graph_constant(const struct graph *g, uint32_t node);

/* Marks a node and all it needs. */
void graph_use(struct graph *g, uint32_t node);

/* Calls take for each slot and each time that a node is made of, once. */
void graph_leaves(struct graph *g, uint32_t node,
                  void (*take)(void *arg, const struct graph_node *leaf), void *arg);

/* Lays the marked nodes out as cells, steps and runs of p. 0, -ENOMEM or -E2BIG. */
int graph_schedule(struct graph *g, struct program *p);

#endif
