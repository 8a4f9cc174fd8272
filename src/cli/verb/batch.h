/* Rows instead of a screen. */
#ifndef TDTOP_CLI_BATCH_H
#define TDTOP_CLI_BATCH_H

#include "cli/cli.h"
#include "session/hybrid.h"

/*
 * Runs opened sessions until their end, --duration, --count or a signal, printing each interval.
 * Returns an exit code; for a command, the command's.
 */
int batch_run(struct sessions *all, const struct args *a);

#endif
