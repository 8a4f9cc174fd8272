/* A run as a file of tdtop's own, which `tdtop import` reads back. */
#ifndef TDTOP_CLI_RUN_EXPORT_H
#define TDTOP_CLI_RUN_EXPORT_H

#include "model/run/run.h"

#include <stdio.h>

/* Everything that the run holds, as one JSON object. 0, -ENOMEM, or what writing failed with. */
int run_export_json(const struct run *r, FILE *out, struct err *err);

/* Writes a file as its ending says: .json the whole run, .csv its intervals, .md a report; another
 * ending is -EINVAL. It is there whole, or as it was; a link stays one. 0, or negative errno with
 * words. */
int run_export_file(const struct run *r, const char *path, struct err *err);
/* The same; a new file is its owner's alone: it may lie where others can look. */
int run_export_rescue(const struct run *r, const char *path, struct err *err);

#endif
