/* How far a measurement without a screen is. */
#ifndef TDTOP_CLI_PROGRESS_H
#define TDTOP_CLI_PROGRESS_H

#include "cli/cli.h"
#include "session/session.h"

/* One line on standard error that says how far a measurement is; nothing where that is no terminal.
 */
struct progress {
    bool on;             /* standard error is a terminal */
    int shown;           /* columns of the line that stands there */
    uint64_t last_ns;    /* when it was written */
    char which[128];     /* "run 2 of 10, " */
    uint64_t whole_ns;   /* 0: not known */
    int64_t whole_count; /* 0: not known */
};

/* Run number done (0...) of n (0: no end). */
void progress_begin(struct progress *p, int64_t done, int64_t n, const struct args *a);
void progress_say(struct progress *p, const char *text); /* at once */
/* After an interval: at most ten times a second. */
void progress_show(struct progress *p, const struct session *s);
void progress_wait(struct progress *p, uint64_t left_ns); /* for the next run */
void progress_clear(struct progress *p);

#endif
