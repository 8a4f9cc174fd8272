/*
 * Runs as JSON. One set of keys for all verbs: those of topdown-profiler where it has one. As
 * there, a share is in percent (its unit is "%"), and a difference of shares in points; what is not
 * known is null. Ids are whole.
 */
#ifndef TDTOP_CLI_RUN_JSON_H
#define TDTOP_CLI_RUN_JSON_H

#include "cli/file/json_out.h"
#include "cli/file/run_pick.h"

#include <jansson.h>

/* The value, in percent for a share; and the unit that goes with it. */
double run_shown(bool share, double v);
const char *run_unit(bool share, const char *unit);
/* "48.0%", "3.210 GHz", "n/a". Returns buf. */
const char *run_value_text(bool share, const char *unit, double v, char *buf, size_t cap);
/* "0.4": how far the value may be off (value.err), how much the intervals vary (m.sd); as decimals
 * and unit of the value have it, without the unit. "" where that is not known. Returns buf. */
const char *run_err_text(const struct run_node *n, char *buf, size_t cap);
const char *run_sd_text(const struct run_node *n, char *buf, size_t cap);

/* How many intervals were measured, also where only the values were loaded. */
uint64_t run_intervals(const struct run *r);

json_t *run_json_text(const char *text); /* invalid UTF-8 becomes '?' */
json_t *run_json_labels(const struct run_label *label, size_t n);
/* run_id, started_at, duration, process_name, level, labels, samples, model, ... */
json_t *run_json_head(const struct run *r);
json_t *run_json_row(const struct run_row *row);
/* metric_name, path, value, unit, level, status, and how it varied. */
json_t *run_json_node(const struct run_node *n);

#endif
