/* How far what has no screen is. */
#ifndef TDTOP_CLI_PROGRESS_H
#define TDTOP_CLI_PROGRESS_H

#include "cli/cli.h"
#include "session/session.h"

/* One line on standard error; nothing where that is no terminal. */
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
/* "N of ALL runs", at most ten times a second. */
void progress_runs(struct progress *p, size_t n, size_t all);
void progress_wait(struct progress *p, uint64_t left_ns); /* for the next run */
void progress_clear(struct progress *p);

#endif
