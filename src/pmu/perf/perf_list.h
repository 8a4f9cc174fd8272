/*
 * The threads of a target: of its processes, and of the processes that these have started since.
 * Inherited counters follow both, so whoever closes a counter must know them all.
 *
 * A process that was started by one of ours is ours, too, by its parent in /proc/PID/stat; once
 * known it stays ours, also when its parent has ended. One with a parent that ends before we look
 * is never found: the counters that it inherited still count it, until they are closed.
 */
#ifndef TDTOP_PMU_PERF_LIST_H
#define TDTOP_PMU_PERF_LIST_H

#include "base/array.h"
#include "pmu/host/target.h"

struct perf_thread {
    pid_t pid, tid;
};

struct perf_process {
    pid_t pid, parent; /* parent: 0 for those the target names */
    uint64_t start;    /* in ticks since boot; 0 for those the target names */
    uint32_t n_thread; /* in the last list */
    bool starting;     /* private to perf_reopen.c: it or one below it has new threads */
};

struct perf_list {
    const struct target_set *target; /* borrowed */
    ARRAY(struct perf_thread) thread;
    ARRAY(struct perf_process) process;
    uint64_t since;         /* processes that started before this tick are not ours */
    bool lacks;             /* threads that live may be missing: too many came and went */
    uint64_t newest, links; /* private: see perf_list_changed */
    uint64_t looked;        /* private: the newest task of the last look for processes; 0 = none */
    off_t pids_at;          /* private: see perf_list.c, note_place */
    char *buf;              /* private */
};

int perf_list_init(struct perf_list *l, const struct target_set *target); /* 0 or -ENOMEM */
void perf_list_free(struct perf_list *l);                                 /* accepts a zeroed one */

/* The number of the newest task of the machine; 0: not known. */
uint64_t perf_list_newest(void);

/* False if the threads are those of the last perf_list_read; costs a few system calls. */
bool perf_list_changed(const struct perf_list *l);

/*
 * Reads all threads; with `family` looks for new processes, too: among those created since
 * the last look. Allocates only when there are more than ever before. 0 or a negative errno: then
 * `thread` is not whole.
 */
int perf_list_read(struct perf_list *l, bool family);

/* Is the thread there now? One that is not in a list may have been missed by it. */
bool perf_list_lives(const struct perf_thread *t);

/* Does it run, wait for a CPU, or wait where no signal reaches it? Only then it can be in the
 * middle of a system call like clone. */
bool perf_list_is_busy(const struct perf_thread *t);

/* The process, or NULL. */
struct perf_process *perf_list_process(const struct perf_list *l, pid_t pid);

#endif
