/* What is measured, for Prometheus: `tdtop serve`. */
#ifndef TDTOP_CLI_SERVE_H
#define TDTOP_CLI_SERVE_H

#include "cli/cli.h"
#include "session/hybrid.h"

/* Runs opened sessions until their end, --duration or a signal; each interval is published by HTTP
 * (--listen), as a file (--textfile), or both. Returns an exit code. */
int serve_run(struct sessions *all, const struct args *a);

#endif
