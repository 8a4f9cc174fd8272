/* From arguments and settings to unopened sessions: which source, which models, which options. */
#ifndef TDTOP_CLI_MEASURE_H
#define TDTOP_CLI_MEASURE_H

#include "cli/cli.h"
#include "session/hybrid.h"

struct measure {
    const struct source_ops *ops;
    struct source_options opt[SESSIONS_MAX]; /* of each session */
    enum focus_mode focus;      /* of the screen; opt.focus says whether there is one at all */
    bool *wanted[SESSIONS_MAX]; /* owned: what --nodes selects; opt.wanted, or NULL */
    struct run *run;            /* owned: a stored run that is replayed; or NULL */
    uint64_t wait_ns;           /* CLOCK_MONOTONIC when measure_wait was first called; 0: never */
    uint64_t waited_ns;         /* spent there so far */
    uint64_t look_ms;           /* between two looks for it; 0: MEASURE_WAIT_MS */
};

/* What of this machine the options name; kind is TARGET_NONE where that is nothing. Strings are
 * those of a. */
void measure_target(struct target *t, const struct args *a);
/* -EINVAL with words that there is none. */
int measure_no_target(struct err *err);

/*
 * Makes the sessions, one or one for each core type, loads their models and fills m. on_screen
 * decides the default speed of recordings. 0 or negative errno with words; at least one session is
 * there then, too. The caller then calls sessions_open(all, m->ops, m->opt, ...).
 */
int measure_prepare(struct measure *m, struct sessions *all, const struct args *a, bool on_screen,
                    struct err *err);

/*
 * Opens the sessions of measure_prepare. 0 or a negative errno with words; MEASURE_WAITS with words
 * if no process has the name of -P yet: nothing is open then, and it is to be called again.
 */
enum { MEASURE_WAITS = 1, MEASURE_WAIT_MS = 250 };
int measure_open(const struct measure *m, struct sessions *all, struct err *err);

/*
 * For what has no screen, after MEASURE_WAITS: passes the words on to standard error once, and time
 * until it is to be tried again. 0; -ETIMEDOUT with words when most_ns (0: no limit) have been
 * waited in all; -EINTR with words when fd (-1: none) is readable.
 */
int measure_wait(struct measure *m, uint64_t most_ns, int fd, struct err *err);

void measure_destroy(struct measure *m); /* once the sessions are closed; accepts a zeroed one */

#endif
