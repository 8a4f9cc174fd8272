/* From arguments and settings to an unopened session: which source, which model, which options. */
#ifndef TDTOP_CLI_MEASURE_H
#define TDTOP_CLI_MEASURE_H

#include "cli/cli.h"
#include "session.h"

struct measure {
    const struct source_ops *ops;
    struct source_options opt;
    enum focus_mode focus; /* of the screen; opt.focus says whether there is one at all */
    bool *wanted;          /* owned: what --nodes selects; opt.wanted, or NULL */
};

/*
 * Loads the model into s->model and fills m. on_screen decides the default speed of recordings. 0
 * or negative errno with words. The caller then calls session_open(s, m->ops, &m->opt, ...).
 */
int measure_prepare(struct measure *m, struct session *s, const struct args *a, bool on_screen,
                    struct err *err);
void measure_destroy(struct measure *m); /* once the session is closed; accepts a zeroed one */

#endif
