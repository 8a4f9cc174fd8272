/* Samples of this machine for a verb: which event, of what, until they are kept. */
#ifndef TDTOP_CLI_WHERE_SAMPLE_H
#define TDTOP_CLI_WHERE_SAMPLE_H

#include "cli/cli.h"
#include "model/hot/hot.h"
#include "pmu/host/machine.h"
#include "pmu/host/target.h"
#include "pmu/sampling/sampling.h"
#include "pmu/symbols/names.h"

struct where_sample { /* zeroed at first */
    const struct args *a;
    struct machine mc;
    struct locate locate[CORE_TYPES_MAX]; /* of each core type */
    int n_locate;
    struct sampling
        *sampling[CORE_TYPES_MAX]; /* each has its own: events of one are not another's */
    int n_sampling;
    struct names *names;
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end_ns 0: it goes on */
};

/* The events of a node of the model, or the event of that name; NULL: cycles, or time. 0, or
 * negative errno with words. */
int where_find(struct where_sample *w, const struct args *a, const char *what, struct err *err);
/* Begins. The target is borrowed by this call alone. 0 or negative errno with words. */
int where_begin(struct where_sample *w, const struct target_set *target, struct err *err);
/* Opens what a names, samples it until its time is over, it has ended, or the user ends it. As
 * above; target_close in both cases. */
int where_measure(struct where_sample *w, struct target_set *target, const struct args *a,
                  struct err *err);
/* Ends it; within a second. */
void where_end(struct where_sample *w);
/* What there is of one of n_sampling, with the source lines of so many functions. 0 or -ENOMEM with
 * words. */
int where_keep(struct where_sample *w, int which, struct target_set *target, const char *asked,
               size_t lines, struct hot *out, struct err *err);
/* What was sampled goes; names stay, for another where_find and where_begin. */
void where_halt(struct where_sample *w);
void where_close(struct where_sample *w); /* accepts a zeroed one */

#endif
