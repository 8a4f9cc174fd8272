/*
 * The clock above the slots: what part of the time the target ran, was ready but waited for a CPU,
 * or did neither (blocked, asleep). Every model has the metrics Running, Run_Queue_Wait and Idle
 * (src/model/shared/scheduling.toml); they sum to 1. The whole is the time of one CPU (of those
 * that are measured with -a or -C), or all CPU time that was wanted, where threads wanted more than
 * that: so a share of waiting is never one of next to nothing.
 */
#ifndef TDTOP_MODEL_TIME_PARTS_H
#define TDTOP_MODEL_TIME_PARTS_H

#include "model/load/frame.h"
#include "model/load/model.h"

enum time_part time_part_find(const char *name); /* of a metric's name; TIME_NONE */

struct time_parts {
    double share[TIME_PARTS]; /* 0..1 by enum time_part; NAN: not known */
    double cpus;              /* what 100 % is, in CPUs; NAN: not known */
    struct why why;           /* of the first that is not known */
};

/* False if the model has no such metrics; then nothing is filled. */
bool time_parts_of(const struct model *m, const struct frame *f, struct time_parts *out);

/* "running 62.1%, waiting for a CPU 3.0%, idle 34.9% of one CPU"; "" if nothing is known. */
const char *time_parts_words(const struct time_parts *p, char *buf, size_t cap);

/* " of one CPU", " of 2.3 CPUs"; "" if that is not known. */
const char *time_parts_whole(const struct time_parts *p, char *buf, size_t cap);

#endif
