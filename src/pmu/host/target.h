/* What is measured: processes, threads, a cgroup, a command of our own, CPUs. Finds them, starts
 * it, sees them end. */
#ifndef TDTOP_PMU_TARGET_H
#define TDTOP_PMU_TARGET_H

#include "base/err.h"
#include "pmu/host/cgroup.h"
#include "pmu/host/target_kind.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct target_process {
    pid_t pid;
    int pidfd; /* readable when the whole process has ended */
    bool gone;
    char comm[48];  /* safe for the screen */
    char first[48]; /* its name before an exec changed it; "" = it has not */
    int comm_file;  /* private: a descriptor + 1, or 0: what target_renamed reads */
    int how;        /* once gone (and reaped): as waitpid's status; -1 = not known */
    bool defunct;   /* a command that is gone, and not reaped yet */
};

struct target_thread {
    pid_t pid, tid;
    bool gone;
    char comm[48]; /* safe for the screen */
};

struct target_set {
    enum target_kind kind;
    /* TARGET_PIDS, TARGET_NAME, TARGET_COMMAND; of TARGET_TIDS those that the threads belong to */
    struct target_process *process;
    int n_process;
    int *cpu; /* TARGET_ALL, TARGET_CPUS, TARGET_CGROUP: online CPU numbers, ascending */
    int n_cpu;
    struct target_thread *thread; /* TARGET_TIDS */
    int n_thread;
    int cgroup_fd; /* TARGET_CGROUP: its folder (v2); it is counted on all of `cpu`; else -1 */
    struct cgroup cgroup; /* the same; owns the descriptor */
    int n_in_cgroup;      /* processes there when it was opened */
    /* A command, between fork and exec: private. */
    int go_fd;   /* writing lets it run */
    int fail_fd; /* brings the errno of a failed exec */
    bool started;
    bool waits; /* the process is another source's command: nothing counts before its exec */
    int status; /* exit code, 128+N for signal N; -1 while it runs or is no command */
    const char *command; /* borrowed: argv[0] */
    uint64_t look_ns;    /* private: when target_renamed looks again */
};

/*
 * Finds everything that `t` names. A command is forked and waits; its open file limit will be
 * `files`. 0 or a negative errno with words; after failure nothing is left to close.
 */
int target_open(struct target_set *ts, const struct target *t, const struct rlimit *files,
                struct err *err);

/* Lets the command run and waits for its exec. On failure status is 127 or 126, as in a shell. */
int target_start(struct target_set *ts, struct err *err);

/* True once all processes or threads have ended, or the cgroup was removed; notices each. Never
 * blocks. False for CPUs. A command can still be read in /proc until target_reap. */
bool target_gone(struct target_set *ts);

/* A command that is gone leaves the list of processes: how it ended is known from then on. */
void target_reap(struct target_set *ts);

/*
 * TARGET_NAME, once all have ended: takes the processes of that name that run now. 0; -ENOENT if
 * there are none, or another negative errno: the old ones stay then.
 */
int target_again(struct target_set *ts, const char *name, struct err *err);

/* A CPU that has come online belongs to it, too, now (TARGET_ALL, TARGET_CGROUP). True if it did
 * not before. */
bool target_add_cpu(struct target_set *ts, int cpu);

/* Reads the names of the first few processes: an exec changes them. True if one is another. */
bool target_renamed(struct target_set *ts, uint64_t now_ns);

/* "redis-server 4242", "spin 4242 (was sh)", "3 processes: ...", "thread io_thd_1 4243 of
 * redis-server 4242", "cgroup system.slice/redis.service · 5 processes", "CPUs 0-3,8", "all 8
 * CPUs". */
void target_words(const struct target_set *ts, char *buf, size_t cap);

/* "redis-server 4242 ended at 12:03:04", "make ended with exit code 2 at ...", "... was ended by
 * signal 9 (Killed) at ...". How is known of a command, and of others where the kernel tells. */
void target_last_words(const struct target_set *ts, uint64_t wall_ns, char *buf, size_t cap);

/* Ends a command that still runs (SIGTERM) and frees. Accepts a zeroed set. */
void target_close(struct target_set *ts);

/*
 * Thread ids of a process, ascending, into a malloc'ed array that may be passed again (*cap grows).
 * Returns how many, 0 if it has ended, or a negative errno (-EMFILE, -ENOMEM).
 */
int target_tids(pid_t pid, pid_t **tids, int *cap);

/* True if the process runs as another user than we do and we are not root. */
bool target_is_foreign(pid_t pid);

/*
 * Processes called `name`: comm or basename of argv[0], exactly; never ourselves. proc is "/proc"
 * or a fake one. Returns how many were written to a malloc'ed *pids, or -ENOENT naming the nearest.
 */
int target_find(const char *proc, const char *name, pid_t **pids, struct err *err);

#endif
