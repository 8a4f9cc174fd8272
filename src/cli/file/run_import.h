/* A run from a file of tdtop's own, as run_export_json wrote it. */
#ifndef TDTOP_CLI_RUN_IMPORT_H
#define TDTOP_CLI_RUN_IMPORT_H

#include "model/run/run.h"

/* The first key of the file, and its value: the number of the format. */
#define RUN_JSON_MAGIC "tdtop_run"
enum { RUN_JSON_FORMAT = 1 };

/* True if the first bytes of a file look like one. */
bool run_import_is_json(const char *begin);

/*
 * Reads a whole run: what it gives is, bit for bit, what was exported. 0; -EINVAL: the file is no
 * such thing, or says what cannot be (words name the file and the place in it); -EPROTO: a newer
 * tdtop wrote it; -ENOMEM; or what reading failed with. run_free(out) whatever the result.
 */
int run_import_json(const char *path, struct run *out, struct err *err);

#endif
