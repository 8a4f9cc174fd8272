/*
 * The events behind a metric: those of the formula that it is bound to, then those of the metrics
 * it names; each with the slot that is read for it. Where a fallback is used, also those whose
 * absence made it so. Of a branch that constants decide only the
 * one that is taken counts. Finding them costs more than showing them, so the last answer is kept.
 */
#ifndef TDTOP_MODEL_NEEDS_H
#define TDTOP_MODEL_NEEDS_H

#include "model/eval/eval.h"
#include "model/eval/sample.h"
#include "model/load/model.h"

struct need {
    int event;
    int slot; /* of the layout; -1: not measured */
};

struct needs {
    struct need *at; /* [n_event] of the model, n of them found */
    uint32_t n;
    int of; /* the metric they belong to, or METRIC_NONE */

    int *todo; /* private: [n_metric] formulas to be read, in this order */
    uint32_t n_todo;
    bool *seen, *listed; /* private: [n_metric], [n_event] */
};

int needs_init(struct needs *nd, const struct model *m); /* 0 or -ENOMEM */
void needs_destroy(struct needs *nd);

/* Fills at and n. Never allocates. All three must be those of one session. */
void needs_find(struct needs *nd, const struct model *m, const struct layout *layout,
                const struct eval *ev, int metric);

#endif
