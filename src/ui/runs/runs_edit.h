/*
 * What the runs view changes in the store: labels, notes, what is deleted. Each opens the store for
 * writing only as long as it takes; if another process holds its lock for more than a second, it
 * gives up and says so, so that the screen goes on.
 */
#ifndef TDTOP_UI_RUNS_EDIT_H
#define TDTOP_UI_RUNS_EDIT_H

#include "db/store.h"

/* The runs that were removed here, the newest last; those of one number went together. */
struct runs_undo {
    ARRAY(struct runs_gone {
        char id[RUN_ID_LEN + 1];
        unsigned together;
    })
    run;
    unsigned last; /* private */
};
void runs_undo_free(struct runs_undo *u);

/* Makes the user's labels of a run those of the text ("key=value key2=value2"): what is not in it
 * is removed. 0, or negative errno with words; what was wrong changes nothing. */
int runs_edit_labels(const char *path, const char *id, const char *text, struct err *err);
/* The user's labels as such a text; false if cap has no room for them. */
bool runs_edit_text(const struct run_row *row, char *text, size_t cap);
int runs_edit_note(const char *path, const char *id, const char *note, struct err *err);
/* Removes n runs, or none of them. */
int runs_edit_remove(const char *path, char (*id)[RUN_ID_LEN + 1], size_t n, struct runs_undo *u,
                     struct err *err);
/* Brings back what was removed last, all that is still there or nothing: how many runs, and id gets
 * one of them. -ENOENT with words: there is none, or somebody else has pruned it. */
int runs_edit_undo(const char *path, struct runs_undo *u, char id[RUN_ID_LEN + 1], struct err *err);
/* Brings back one, whoever removed it. */
int runs_edit_restore(const char *path, struct runs_undo *u, const char *id, struct err *err);

#endif
