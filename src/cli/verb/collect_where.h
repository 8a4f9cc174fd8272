/*
 * Samples that `tdtop collect --where NODE,EVENT,...` takes meanwhile: one event after the other,
 * each for its part of the time. `--where auto`: the events of the nodes that the bottleneck path
 * has then, WHERE_AUTO_NS each, over and over; samples of one event go together. One of several it
 * is the event of the end of that path when its turn comes.
 */
#ifndef TDTOP_CLI_COLLECT_WHERE_H
#define TDTOP_CLI_COLLECT_WHERE_H

#include "base/clock.h"
#include "cli/verb/where_sample.h"
#include "model/run/run.h"
#include "session/hybrid.h"

enum { WHERE_MOST = 16, WHERE_LINES = 100 };
#define WHERE_AUTO_NS (2 * NS_PER_S)
#define WHERE_WHEN_NS (5 * NS_PER_S) /* from where a rule of --when fires, each of them */

struct collect_where { /* zeroed at first */
    const struct args *a;
    char *words;                /* owned: what --where says, cut at its commas */
    char *what[WHERE_MOST];     /* into words */
    int n, at;                  /* at: of the one that is sampled now; n: none is */
    uint64_t turn_ns;           /* that each has; 0: the one has all of it */
    bool by_path;               /* auto: `what` and `n` are not used */
    uint64_t due_ns;            /* of that: when another event may have its turn; CLOCK_MONOTONIC */
    bool detected;              /* the machine of `sample`, for the events of the path */
    char asked[128];            /* the node or event that is sampled; "": cycles, of no node */
    const struct sessions *all; /* borrowed, of that */
    struct target_set target;
    struct where_sample sample;
    ARRAY(struct hot) done;
};

/* What --where says; all names are looked up. 0 or negative errno with words. */
int collect_where_check(struct collect_where *w, const struct args *a, struct err *err);
/* Begins with the first, of what the sessions have opened and not started. As above. */
int collect_where_begin(struct collect_where *w, const struct sessions *all, struct err *err);
/* From where a rule of --when fires: as long as there is time behind it. */
uint64_t collect_where_when_ns(const struct collect_where *w);
/* Until the next one is due, for poll(2); -1: there is none. */
int collect_where_wait_ms(const struct collect_where *w);
/* The next one, if it is time for it. Waits for names of the one that is over. */
void collect_where_turn(struct collect_where *w);
/* No more samples. */
void collect_where_end(struct collect_where *w);
/* The run gets what was sampled. 0 or -ENOMEM with words. */
int collect_where_give(struct collect_where *w, struct run *r, struct err *err);
void collect_where_free(struct collect_where *w); /* accepts a zeroed one */

#endif
