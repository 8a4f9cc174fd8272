/*
 * Counts that only /proc knows: the EVENT_PROC events of the software model.
 *
 *   utime_ns, stime_ns   CPU time in user space and in the kernel, threads that ended included. The
 *                        kernel shows it in steps of 10 ms (USER_HZ)
 *   run_wait_ns          time spent runnable but waiting for a CPU, over all threads
 *   threads              how many there are: a gauge, not a difference
 *
 * Of processes these are without those that they have started, unless procfs_follow is called; but
 * for threads, which are the target's own in any case.
 *
 * And, of processes and threads, what the kernel counts as software events, too: where descriptors
 * do not suffice for all threads these know the whole.
 *
 * A cgroup knows its CPU time to the microsecond and, where its pids controller is on, its tasks;
 * how long they waited it does not say.
 */
#ifndef TDTOP_PMU_PROCFS_H
#define TDTOP_PMU_PROCFS_H

#include "model/eval/sample.h"
#include "pmu/host/target.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum proc_event {
    PROC_UTIME_NS,
    PROC_STIME_NS,
    PROC_RUN_WAIT_NS,
    PROC_THREADS,
    PROC_RUN_NS,       /* on a CPU, not in steps of a tick */
    PROC_SWITCHES,     /* times that threads were put onto a CPU */
    PROC_MINOR_FAULTS, /* page faults */
    PROC_MAJOR_FAULTS,
    PROC_EVENTS
};

/* The event that models call by that name, or -1. */
int proc_event_find(const char *name);

/* Does this kernel keep the event at all for CPUs (on_cpus) or processes? proc is "/proc". */
bool proc_event_exists(const char *proc, enum proc_event event, bool on_cpus);

struct proc_sched {
    uint64_t ran_ns, waited_ns, times;
};

struct proc_thread {
    pid_t tid;
    int fd;     /* its schedstat, kept open; -1: opened each time */
    bool stale; /* it may have run since it was read */
    struct proc_sched sched;
};

/* One process. Its files are kept open. */
struct proc_process {
    int stat_fd, task_fd;
    int children_fd; /* of its main thread, while it stays open; or -1 */
    struct proc_thread
        *thread; /* ascending by tid; room for PROC_THREADS_MAX, touched as far as used */
    uint32_t n_thread;
    uint32_t turn;               /* which of those without an open file is read next */
    struct proc_sched done;      /* of threads that have ended, as far as we saw it */
    uint64_t total[PROC_EVENTS]; /* when last seen */
    uint64_t ran_ns;             /* likewise, over all threads */
    bool ended;
    bool single; /* not a process but one thread: task_fd is its own folder */
    char task_path[64];
};

enum { PROC_THREADS_MAX = 32768 };

/* A process that one of the target's has started. */
struct proc_child {
    pid_t pid;
    bool before;                 /* it was there at first: not counted, nor what it starts */
    uint64_t start;              /* in ticks since boot; 0: not read yet */
    uint64_t total[PROC_EVENTS]; /* of its stat, when last seen */
};

/* All that are followed. */
struct proc_family {
    const char *proc;        /* borrowed */
    struct proc_process all; /* their threads, as if of one process; task_fd is /proc */
    struct proc_child *child;
    uint32_t n_child;
    uint64_t done[PROC_EVENTS]; /* of those that have ended */
    uint64_t since;             /* in ticks since boot */
    uint64_t ran_ns, last_ran_ns;
    bool began, any;
};

struct procfs {
    const struct target_set *target; /* borrowed */
    /* One per process (or thread, where those are the target); NULL for CPUs and cgroups. */
    struct proc_process *process;
    int n_process;
    struct proc_family *family;            /* NULL: not followed */
    int stat_fd, schedstat_fd, loadavg_fd; /* of the whole system */
    int cpu_stat_fd, tasks_fd;             /* of a cgroup */
    uint64_t tick_ns;                      /* USER_HZ */
    uint32_t keep; /* files of threads (and of procfs_follow) that may stay open */
    uint32_t kept; /* that do */
    bool want[PROC_EVENTS];
    bool starved;                         /* the last read lacked descriptors */
    const struct proc_sleepers *sleepers; /* of the read that goes on; or NULL */
    uint64_t last[PROC_EVENTS];
    bool known[PROC_EVENTS]; /* last holds something to count from */
    char *buf;               /* for reading; private */
};

/* Opens what the wanted events need. 0 or -ENOMEM; what cannot be read shows in procfs_read. */
int procfs_open(struct procfs *pf, const char *proc, const struct target_set *target,
                const bool want[PROC_EVENTS]);

/*
 * From now on processes that the target's have started after the first procfs_read, and what these
 * start, are counted with them, up to 512 at a time: as counters do that are inherited. What one
 * had when last seen stays; one that begins and ends between two reads is not seen. 0 or -ENOMEM.
 */
int procfs_follow(struct procfs *pf, const char *proc);

/* Have any been started? Then ran_ns is what all threads that were read ran in the last interval,
 * the target's own included. Known where PROC_RUN_WAIT_NS is wanted. */
bool procfs_ran(const struct procfs *pf, uint64_t *ran_ns);

/* Files that stay open, one or two per process, and could not be opened for want of descriptors. */
uint32_t procfs_lacks(const struct procfs *pf);

/* From now on at most so many files of threads, and of procfs_follow, stay open; the others are
 * opened each time, as far as there is time for it. */
void procfs_keep(struct procfs *pf, uint32_t n);

/* Who knows of threads whether they ran since the last procfs_read. */
struct proc_sleepers {
    bool (*slept)(const void *who, pid_t tid); /* true: it was surely on no CPU */
    const void *who;
};

/*
 * What was counted since the last call (threads: how many there are now). The first call after open
 * sets the beginning. Events that are not wanted are COUNT_NOT_PLANNED. Never allocates.
 *
 * A thread that slept is not read: its time on a CPU and the number of times are the same, and the
 * kernel adds what it has waited when it gets onto one (sched_info_arrive). Where a waiting thread
 * is moved to another CPU a part is added then (sched_info_dequeue): that is counted, too, when the
 * thread has run. sleepers may be NULL: all are read.
 */
void procfs_read(struct procfs *pf, const struct proc_sleepers *sleepers,
                 struct count out[PROC_EVENTS]);

/* What a thread of these processes had waited for a CPU, in ns since it began, at the last
 * procfs_read. False if it is not known of then. */
bool procfs_waited(const struct procfs *pf, pid_t pid, pid_t tid, uint64_t *ns);

void procfs_close(struct procfs *pf); /* accepts a zeroed one */

#endif
