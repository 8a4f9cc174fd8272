/*
 * Which threads of a target have the event. It is opened on those that exist; the ones that they
 * start inherit it, and a record says so: the list of threads is read again, and only those that no
 * record has named are opened.
 *
 * The record is not the whole truth. The kernel inherits events early in clone(2) and writes the
 * record late in it (copy_process in kernel/fork.c): of the clone that goes on when the event is
 * opened on a thread, on one CPU after the other, nobody knows. So the first that a thread starts
 * after it was opened, and those before, are in doubt: they have events of their own as well, and
 * where samples of another one come, the own one is
 * closed. Which is which the kernel's number of the event tells (PERF_SAMPLE_STREAM_ID), not
 * whether it was inherited: threads that have the same events may exchange them when one follows
 * the other on a CPU (perf_event_context_sched_out in kernel/events/core.c).
 */
#ifndef TDTOP_PMU_THREADS_H
#define TDTOP_PMU_THREADS_H

#include "base/array.h"
#include "pmu/host/target.h"
#include "pmu/sampling/events.h"
#include "pmu/sampling/id_set.h"

enum { THREADS_DOUBTS = 256 };

struct threads_doubt {
    pid_t tid;
    uint32_t first, n; /* its descriptors */
};

struct threads_opened {
    pid_t tid;
    uint32_t first, n; /* its descriptors */
    uint64_t ns;       /* when it had the event on all CPUs */
};

struct threads {
    struct id_set have; /* that have the event */
    pid_t *pid;         /* whose threads are to have it; none: only those that were named */
    int n_pid;
    ARRAY(pid_t) tid; /* that are to be opened, in this order */
    size_t next;      /* of tid */
    int round;
    uint32_t n_left_out; /* there are too many */
    ARRAY(struct threads_opened) opened;
    /* Private. */
    struct id_set fresh;          /* opened here, and have started none since */
    pid_t unsure[THREADS_DOUBTS]; /* in doubt, not opened yet */
    int n_unsure;
    struct threads_doubt doubt[THREADS_DOUBTS];
    int n_doubt;
};

/* Lists the threads of the processes, or the threads, that the target names. 0 or -ENOMEM. */
int threads_init(struct threads *t, const struct target_set *ts);
void threads_destroy(struct threads *t); /* accepts a failed one */

/* Those that have run longest come first. */
void threads_busiest_first(struct threads *t);
/* The next that is to be opened has the event; its descriptors are all from `first` on. */
void threads_opened(struct threads *t, const struct events *ev, uint32_t first);

/* True until all have it. */
bool threads_open(const struct threads *t);
/* Should records be waited for before threads_work? */
bool threads_listed(const struct threads *t);
/* Goes on opening for some 50 ms. Before it, records are to be read. */
void threads_work(struct threads *t, struct events *ev);
/* A record of a new thread, or of the end of one. */
void threads_follow(struct threads *t, struct events *ev, const struct record *r);
/* A sample: false if it is to be left out, because another event has counted the same. */
bool threads_count(struct threads *t, struct events *ev, const struct record *r);
/* All that have it are to be opened again; for which all of them are closed now. */
void threads_again(struct threads *t, struct events *ev);

#endif
