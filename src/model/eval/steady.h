/*
 * What a screen calls over its threshold, and the path that it shows: calmer than single intervals.
 * A node is over once it was so by more than its ± for three intervals in a row, and until it was
 * not for three; at once where it is beyond twice its threshold, or below half of it, and level 1
 * from the first interval on. A path takes the place of another when it was found three times in a
 * row, when the other no longer holds, or when its root is larger by more than what makes a tie.
 */
#ifndef TDTOP_MODEL_STEADY_H
#define TDTOP_MODEL_STEADY_H

#include "model/load/frame.h"
#include "model/load/model.h"

enum { STEADY_INTERVALS = 3 };
/* Below this part of one CPU nothing is over its threshold: what a program waits for while it
 * sleeps is no matter of the pipeline. */
#define STEADY_IDLE_CPUS 0.10

struct steady {
    struct steady_node *node; /* private: [n_tree]; NULL: takes nothing */
    uint32_t n;
    uint64_t n_taken;
    int cpus;    /* the metric that says how many CPUs were busy, or METRIC_NONE */
    int n_other; /* intervals in a row that were idle while this is not, or the other way round */
    bool idle;
    struct bottleneck shown, next;
    int n_next; /* how often `next` was found in a row */
};

int steady_init(struct steady *st, const struct model *m); /* 0 or -ENOMEM */
void steady_destroy(struct steady *st);                    /* accepts a zeroed one */

/* Judges the values of the tree: `over` of each, none of them while it is idle, `near` where the
 * threshold lies within what is not sure, and the path. Frames come in the order of time. */
void steady_take(struct steady *st, const struct model *m, struct frame *f);

/* What needs no memory of others, for rows, sums and runs: a frame in which hardly a CPU was busy
 * is idle, and nothing in it is over its threshold; and the path, now that the ± is known. */
void steady_rest(const struct model *m, struct frame *f);

#endif
