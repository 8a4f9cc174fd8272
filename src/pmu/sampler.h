/*
 * The one background thread. Live sources: absolute ticks (CLOCK_MONOTONIC, no drift) at the
 * interval of the newest control request; others: at the pace of their samples divided by speed, or
 * without pause. Owns the source from start to join. All signals are blocked in it.
 */
#ifndef TDTOP_PMU_SAMPLER_H
#define TDTOP_PMU_SAMPLER_H

#include "pmu/source.h"

#define SAMPLER_MIN_INTERVAL_NS (20 * 1000000ull)

struct sampler {
    pthread_t thread;
    struct source *src;  /* borrowed; used by the thread alone between start and join */
    struct mailbox *box; /* borrowed */
    struct sample buf;   /* of the thread */
    int timer_fd;
    bool started;
};

int sampler_start(struct sampler *sp, struct source *src, struct mailbox *box, struct err *err);
/* Stops (flag + wake-up) and joins. Safe if start failed or the thread has ended. Returns within
 * milliseconds. */
void sampler_join(struct sampler *sp);

#endif
