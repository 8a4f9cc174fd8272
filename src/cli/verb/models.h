/* One model, or one metric or group of it, as `tdtop models` and `tdtop explain` show it. */
#ifndef TDTOP_CLI_MODELS_H
#define TDTOP_CLI_MODELS_H

#include "model/load/model.h"

#include <jansson.h>

/* As text on stdout: a summary of the model; all of it; one metric; one group of metrics. */
void models_brief(const struct model *m);
void models_show(const struct model *m);
void models_show_metric(const struct model *m, int metric);
void models_show_group(const struct model *m, const char *group);

/* The same as JSON. The caller owns the result. */
json_t *models_json(const struct model *m);
json_t *models_json_metric(const struct model *m, int metric);
json_t *models_json_group(const struct model *m, const char *group);

/* The events of a metric's formulas and of all metrics that these name: [n_event], malloc'ed. NULL:
 * out of memory, which cli_finish reports. */
bool *models_events_of(const struct model *m, int metric);

#endif
