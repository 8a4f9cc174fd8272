/* Rows instead of a screen. */
#ifndef TDTOP_CLI_BATCH_H
#define TDTOP_CLI_BATCH_H

#include "cli/cli.h"
#include "session.h"

/*
 * Runs an opened session until its end, --duration, --count or a signal, printing each interval.
 * Returns an exit code; for a command, the command's.
 */
int batch_run(struct session *s, const struct args *a);

#endif
