/*
 * Who the built-in models are and what their metrics are called, without reading them: tables that
 * tools/models_index.sh makes when the program is built. For who looks at all of them: the list of
 * models, the search for the one of a CPU, the names that `tdtop explain` knows.
 */
#ifndef TDTOP_MODEL_MODEL_INDEX_H
#define TDTOP_MODEL_MODEL_INDEX_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct model;

/* Texts are places in model_index_text; 0, an empty one, for those that are not in the file. */
struct model_index {
    uint16_t name, title, tma, vendor, origin, rung, core_type, limits, scope;
    uint16_t match, n_match; /* in model_index_matches */
    uint16_t slots_per_cycle;
    uint16_t metric, n_metric; /* in model_index_metrics: n_tree nodes, n_bottleneck, others */
    uint16_t n_tree, n_bottleneck;
    uint16_t n_event, n_latency;
};

struct model_index_metric {
    uint16_t name, vendor, groups;
    int16_t parent; /* counted from the model's first metric, or METRIC_NONE */
};

extern const char model_index_text[];            /* NUL terminated, one behind the other */
extern const struct model_index model_indexes[]; /* by index in embedded_models */
extern const uint16_t model_index_matches[];     /* texts: patterns of ids */
extern const struct model_index_metric model_index_metrics[]; /* in the order of struct model */

/*
 * The outline of embedded_models[i]: as model_load would give it, but of counters, events,
 * latencies and metrics there is only how many of the latter three. 0 or -ENOMEM; model_free ends
 * it, as it accepts what a failed one left.
 */
int model_outline(struct model *m, size_t i, struct err *err);

/* The same with its metrics: name, path, vendor, groups, kind and place in the tree of each. */
int model_outline_metrics(struct model *m, size_t i, struct err *err);

#endif
