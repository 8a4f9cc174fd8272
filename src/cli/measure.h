/* From arguments and settings to unopened sessions: which source, which models, which options. */
#ifndef TDTOP_CLI_MEASURE_H
#define TDTOP_CLI_MEASURE_H

#include "cli/cli.h"
#include "hybrid.h"

struct measure {
    const struct source_ops *ops;
    struct source_options opt[SESSIONS_MAX]; /* of each session */
    enum focus_mode focus;      /* of the screen; opt.focus says whether there is one at all */
    bool *wanted[SESSIONS_MAX]; /* owned: what --nodes selects; opt.wanted, or NULL */
    struct run *run;            /* owned: a stored run that is replayed; or NULL */
};

/*
 * Makes the sessions, one or one for each core type, loads their models and fills m. on_screen
 * decides the default speed of recordings. 0 or negative errno with words; at least one session is
 * there then, too. The caller then calls sessions_open(all, m->ops, m->opt, ...).
 */
int measure_prepare(struct measure *m, struct sessions *all, const struct args *a, bool on_screen,
                    struct err *err);
void measure_destroy(struct measure *m); /* once the sessions are closed; accepts a zeroed one */

#endif
