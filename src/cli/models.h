/* The parts of `tdtop models`. Each returns an exit code and prints its own errors. */
#ifndef TDTOP_CLI_MODELS_H
#define TDTOP_CLI_MODELS_H

#include "cli/cli.h"
#include "model/model.h"

#include <jansson.h>

/* Every model there is, one a line. */
int models_list(const struct args *a);

/* One model, or one metric of it (METRIC_NONE: all), for people. */
void models_show(const struct model *m, int metric);

/* The same as data, all of it. The caller owns the result. */
json_t *models_json(const struct model *m);
json_t *models_json_metric(const struct model *m, int metric);

/* Prints and frees. */
void models_print_json(json_t *o);

/* --check */
int models_check(const struct args *a);

/*
 * The events of a metric's formulas and of all metrics they name: marks them in seen[n_event].
 * done[n_metric] is scratch, false at first.
 */
void models_events_of(const struct model *m, int metric, bool *done, bool *seen);

#endif
