/*
 * From the command line to what runs: the screen on what was asked for or chosen from a list, or
 * rows. The only room that knows both the options and the screen.
 */
#ifndef TDTOP_START_H
#define TDTOP_START_H

#include "cli/cli.h"

/* tdtop, demo, replay: measures until the end or until the user quits. What went wrong was told.
 * Returns the exit code. */
int start_measure(struct args *a);
/* `runs`: the stored runs, without a session. Likewise. */
int start_runs(struct args *a);

#endif
