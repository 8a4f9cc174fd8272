/* From arguments and settings to an unopened session: which source, which model, which options. */
#ifndef TDTOP_CLI_MEASURE_H
#define TDTOP_CLI_MEASURE_H

#include "cli/cli.h"
#include "session.h"

struct measure {
    const struct source_ops *ops;
    struct source_options opt;
};

/*
 * Loads the model into s->model and fills m. on_screen decides the default speed of recordings. 0
 * or negative errno with words. The caller then calls session_open(s, m->ops, &m->opt, ...).
 */
int measure_prepare(struct measure *m, struct session *s, const struct args *a, bool on_screen,
                    struct err *err);

#endif
