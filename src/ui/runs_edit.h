/*
 * What the runs view changes in the store: labels, notes, what is deleted. Each opens the store for
 * writing only as long as it takes; if another process holds its lock for more than a second, it
 * gives up and says so, so that the screen goes on.
 */
#ifndef TDTOP_UI_RUNS_EDIT_H
#define TDTOP_UI_RUNS_EDIT_H

#include "db/store.h"

enum { RUNS_UNDO = 32 };

struct runs_undo { /* the runs that were deleted here, the newest last */
    char id[RUNS_UNDO][RUN_ID_LEN + 1];
    int n;
};

/* Makes the user's labels of a run those of the text ("key=value key2=value2"): what is not in it
 * is removed. 0, or negative errno with words; what was wrong changes nothing. */
int runs_edit_labels(const char *path, const char *id, const char *text, struct err *err);
/* The user's labels as such a text; false if cap has no room for them. */
bool runs_edit_text(const struct run_row *row, char *text, size_t cap);
int runs_edit_note(const char *path, const char *id, const char *note, struct err *err);
int runs_edit_delete(const char *path, const char *id, struct runs_undo *u, struct err *err);
/* Brings the newest of u back; id gets which. -ENOENT with words: there is none. */
int runs_edit_undo(const char *path, struct runs_undo *u, char id[RUN_ID_LEN + 1], struct err *err);

#endif
