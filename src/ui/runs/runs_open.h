/*
 * A stored run that was opened: a session of its own that gets the run's intervals, and a screen of
 * its own on it, as if it were measured now. What is live goes on meanwhile.
 */
#ifndef TDTOP_UI_RUNS_OPEN_H
#define TDTOP_UI_RUNS_OPEN_H

#include "ui/screen/screen.h"

struct runs_open {
    struct run run;
    struct session s;
    struct screen sc;
    struct frame whole; /* values of all its counts: what is shown at first */
    struct sample whole_sample;
    bool complete; /* all intervals are in */
    bool over;     /* the session said its last word: its descriptor is left alone */
};

/* Takes the run over, whatever the result; the screen is as large as `from`. 0, or negative errno
 * with words: -ENODATA if no counts were kept. */
int runs_open_new(struct screen *from, struct run *r, struct runs_open **out, struct err *err);
void runs_open_free(struct runs_open *o); /* accepts NULL */

/* The last interval was taken: from now on the sums are what is newest. */
void runs_open_complete(struct runs_open *o);

#endif
