/* The parts of `tdtop models`. Each returns an exit code and prints its own errors. */
#ifndef TDTOP_CLI_MODELS_H
#define TDTOP_CLI_MODELS_H

#include "cli/cli.h"
#include "model/load/model.h"

#include <jansson.h>

/* Every model there is, one a line; with an id ("" = none) only those for that CPU's kinds of
 * core. */
int models_list(const struct args *a, const char *id);

/* What this machine gets, and why. */
int models_here(const struct args *a);

/* One model for people: who it is, its tree, what else there is; all of it; one metric; one group
 * of metrics. */
void models_brief(const struct model *m);
void models_show(const struct model *m);
void models_show_metric(const struct model *m, int metric);
void models_show_group(const struct model *m, const char *group);

/* The same as data, all of it. The caller owns the result. */
json_t *models_json(const struct model *m);
json_t *models_json_metric(const struct model *m, int metric);
json_t *models_json_group(const struct model *m, const char *group);

/* True if the model has metrics of this group. */
bool models_has_group(const struct model *m, const char *group);

/* Parts of a page of text: a wrapped paragraph behind `used` columns; "label  text", nothing
 * without a text; who the model is. */
void models_put_wrapped(int used, const char *text);
void models_put_pair(int indent, const char *label, const char *text);
void models_put_head(const struct model *m);

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
