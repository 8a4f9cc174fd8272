/* What `tdtop query` tells of a run, for others that have one in memory. */
#ifndef TDTOP_CLI_QUERY_VIEW_H
#define TDTOP_CLI_QUERY_VIEW_H

#include "model/load/model.h"
#include "model/run/run.h"

#include <jansson.h>

enum query_part { QUERY_BOTTLENECKS, QUERY_FUNNEL, QUERY_VITAL };

/*
 * As the verb prints it with --json: of --bottlenecks, or of --funnel with all levels; of
 * QUERY_VITAL the vital signs. r has its values; m is the model that gave them. NULL: out of
 * memory.
 */
json_t *query_json(const struct run *r, const struct model *m, enum query_part part);

/* The path of the bottleneck, or what is to be said in its place: "mostly idle", "nothing is over
 * its threshold", "not known: level 1 was not measured". Borrowed. */
const char *query_verdict(const struct run *r);

#endif
