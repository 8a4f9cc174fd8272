/*
 * The one background thread. Live sources: absolute ticks (CLOCK_MONOTONIC, no drift) at the
 * interval of the newest control request; others: at the pace of their samples divided by speed, or
 * without pause. Owns the source from start to join. All signals that can wait are blocked in it;
 * those of a crash are not, so that the handler that restores the terminal runs wherever it is.
 */
#ifndef TDTOP_PMU_SAMPLER_H
#define TDTOP_PMU_SAMPLER_H

#include "pmu/source.h"

#define SAMPLER_MIN_INTERVAL_NS     (20 * 1000000ull)
#define SAMPLER_DEFAULT_INTERVAL_NS (1000 * 1000000ull)

struct sampler {
    pthread_t thread;
    struct source *src;  /* borrowed; used by the thread alone between start and join */
    struct mailbox *box; /* borrowed */
    /* The rest is the thread's own between start and join. */
    struct sample buf;
    uint64_t seq;            /* of the next sample */
    uint64_t control_seq;    /* of the newest request taken */
    struct control control;  /* that request, interval clamped */
    char said[256];          /* the news that were delivered last */
    char named[160];         /* the name that was */
    struct unit_table units; /* filled next, if rows are asked for */
    bool started;            /* of the caller: the thread has been created and not joined */
};

/* The interval that is really used when `wanted_ns` is asked for (0: the default). */
uint64_t sampler_interval(uint64_t wanted_ns);

/* The thread keeps src->opt.interval_ns at the interval in force, for the source's read. */
int sampler_start(struct sampler *sp, struct source *src, struct mailbox *box, struct err *err);
/* Stops (flag + wake-up) and joins. Safe if start failed or the thread has ended. Returns within
 * milliseconds. */
void sampler_join(struct sampler *sp);

#endif
