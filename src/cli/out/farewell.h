/* What the screen leaves in the terminal. */
#ifndef TDTOP_CLI_FAREWELL_H
#define TDTOP_CLI_FAREWELL_H

#include <stdbool.h>

struct sessions;

/*
 * Prints for each core type, in three lines, what was measured and how long, the bottleneck of the
 * whole session, resets or not, and its phases (or level 1, if it had but one); then how many runs
 * were kept, of which last_id is the newest; asked: one was asked for and is not. Nothing where
 * nothing was measured.
 */
void farewell(const struct sessions *all, int n_kept, const char *last_id, bool asked);

#endif
