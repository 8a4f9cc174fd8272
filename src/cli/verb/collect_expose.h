/* The series of a row of `tdtop agent`, which go on from run to run. */
#ifndef TDTOP_CLI_COLLECT_EXPOSE_H
#define TDTOP_CLI_COLLECT_EXPOSE_H

#include "cli/cli.h"
#include "serve/exposition.h"
#include "session/hybrid.h"

struct collect_expose {   /* zeroed, but for the first two */
    struct exposition *e; /* borrowed; NULL: no one asks, and nothing below does anything */
    const char *target;   /* borrowed: as the row is called */
    struct exposed *at[SESSIONS_MAX];
};

/* Of sessions that are open, or (absent) of which there is nothing to open: as exposition_enter. 0,
 * or -ENOMEM with words. */
int collect_expose_begin(struct collect_expose *x, const struct sessions *all, const struct args *a,
                         bool absent, struct err *err);
/* Behind session_take. */
void collect_expose_take(struct collect_expose *x, const struct sessions *all, int type);
/* What is measured has ended: of those sessions. */
void collect_expose_ended(struct collect_expose *x, const struct sessions *all);
/* Nothing is measured for a time: as exposition_rest. */
void collect_expose_rest(struct collect_expose *x, double up);
void collect_expose_end(struct collect_expose *x);

#endif
