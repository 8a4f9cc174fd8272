/* What the parts of the list of runs share: what is read, which line is what, what is selected.
 * Private to runs*.c. */
#ifndef TDTOP_UI_RUNS_PAGES_H
#define TDTOP_UI_RUNS_PAGES_H

#include "ui/runs/runs.h"

/* Reads the page of a group that begins with run `from`; group.n is set where runs are not grouped.
 * 0, or negative errno with words in r->err. */
int pages_read(struct runs *r, uint32_t group, uint64_t from);
void pages_drop(struct runs *r);
/* Which line each group begins with, after one was opened or closed. */
void pages_lines(struct runs *r);
/* Finds out how r->metric is to be shown: from what is read, or by looking for a run that has it.
 */
void pages_shape(struct runs *r, bool looks);

/* For store_open_waiting: a wait on another process must not stop the screen. A list is read again
 * a second later; a change that is given up says so. */
bool runs_wait_a_little(void *user, double waited_s);

/* What is selected. */
/* The group of a value (NULL: of the runs without the label), or NULL. */
const struct runs_group *runs_group_of_value(const struct runs *r, const char *value);
/* Where what was selected is now; false, and the line that comes to mind instead: it is not there.
 * Without groups it is not known yet how many lines there are. */
bool runs_locate(struct runs *r, uint64_t *line);
/* The list was read anew: goes there. */
void runs_follow(struct runs *r, bool found, uint64_t line);
/* rows.moved of a struct runs: what the user has selected is followed from now on. */
void runs_selected(void *runs);

#endif
