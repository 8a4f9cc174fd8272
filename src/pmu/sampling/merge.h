/*
 * The records of all rings in the order of their times: an exec on one CPU comes before samples of
 * the new program on another. What is younger than when the reading began waits for the next time,
 * because an older one may not have been written yet.
 */
#ifndef TDTOP_PMU_MERGE_H
#define TDTOP_PMU_MERGE_H

#include "pmu/sampling/events.h"

struct merge {
    struct record *at; /* [n] the next of each ring */
    bool *has;
    int n;
    uint64_t n_garbled; /* records and batches that could not be read */
};

int merge_init(struct merge *m, int n); /* 0 or -ENOMEM */
void merge_destroy(struct merge *m);

/* Takes each record with a time of until_ns or before; those without one come first. What it points
 * to is valid until take returns. */
void merge_rings(struct merge *m, struct events *ev, uint64_t until_ns,
                 void (*take)(void *user, const struct record *r), void *user);

#endif
