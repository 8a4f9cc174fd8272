/*
 * The one background thread, or the reader's own where that has nothing else to do. Live sources:
 * absolute ticks (CLOCK_MONOTONIC, no drift) at the interval of the newest control request; others:
 * at the pace of their samples divided by speed, or without pause. Owns the source from start to
 * join. All signals that can wait are blocked in it; those of a crash are not, so that the handler
 * that restores the terminal runs wherever it is.
 */
#ifndef TDTOP_PMU_SAMPLER_H
#define TDTOP_PMU_SAMPLER_H

#include "pmu/host/environment.h"
#include "pmu/source.h"

#define SAMPLER_MIN_INTERVAL_NS     (20 * 1000000ull)
#define SAMPLER_DEFAULT_INTERVAL_NS (1000 * 1000000ull)
/* After so long an early sample tells what an interval of at least twice that has begun with: who
 * has started a screen waits for its first numbers. */
#define SAMPLER_EARLY_NS (80 * 1000000ull)

struct sampler {
    pthread_t thread;
    struct source *src;      /* borrowed; used by the thread alone between start and join */
    struct mailbox *box;     /* borrowed */
    struct env_files *files; /* borrowed, likewise: what a look at the machine reads; NULL: none */
    /* The rest is the thread's own between start and join. */
    struct sample buf;
    uint64_t seq;            /* of the next sample */
    uint64_t control_seq;    /* of the newest request taken */
    struct control control;  /* that request, interval clamped */
    char said[256];          /* the status that was delivered last */
    char named[160];         /* the name that was */
    struct unit_table units; /* filled next, if rows are asked for */
    uint64_t base_ns;        /* where the grid of ticks begins */
    int reader_fd;           /* of sampler_wait, or -1 */
    bool over;               /* no more samples come */
    /* Of the caller. */
    bool started;  /* and not joined */
    bool threaded; /* has a thread */
};

/* The interval that is really used when `wanted_ns` is asked for (0: the default). */
uint64_t sampler_interval(uint64_t wanted_ns);

/* The thread keeps src->opt.interval_ns at the interval in force, for the source's read. files may
 * be NULL. */
int sampler_start(struct sampler *sp, struct source *src, struct mailbox *box,
                  struct env_files *files, struct err *err);
/*
 * The same without a thread, for a live source: the caller reads the box, and counts in between by
 * sampler_wait, which returns after a tick, with a sample in the box, and when fd is readable (-1:
 * none): true then. It is not called once the stream has ended. sampler_spawn makes a thread go on
 * with the counting; where there is one already, or the stream has ended, it does nothing.
 */
int sampler_prepare(struct sampler *sp, struct source *src, struct mailbox *box,
                    struct env_files *files, struct err *err);
bool sampler_wait(struct sampler *sp, int fd);
int sampler_spawn(struct sampler *sp, struct err *err);
/* Stops (flag + wake-up) and joins. Safe if start failed or the thread has ended. Returns within
 * milliseconds. */
void sampler_join(struct sampler *sp);

#endif
