/* The system call perf_event_open(2), and its refusals in words. */
#ifndef TDTOP_PMU_PERF_OPEN_H
#define TDTOP_PMU_PERF_OPEN_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/* Opens one event. Returns the descriptor or a negative errno. */
int perf_open_fd(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

/* The same for what the tasks of a cgroup (its folder, open) do on a CPU. */
int perf_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu, int group_fd);

/* Can an event be counted? Opens it on this very thread, user space only, and closes it again. 0 or
 * a negative errno. */
int perf_probe(uint32_t type, uint64_t config);

/* True if the errno says "you may not", not "it cannot be". */
bool perf_is_denied(int rc);

/* Above 2 the kernels of Debian and Ubuntu want CAP_SYS_ADMIN for everything, CAP_PERFMON is not
 * enough: is this such a kernel, and are we refused? */
bool perf_is_strict(int paranoid);

/* True if this event cannot be counted here, with any permissions. */
bool perf_is_unsupported(int rc);

/* What was to be opened, for words. */
struct perf_where {
    const char *event; /* "TOPDOWN.SLOTS" */
    const char *on;    /* "process 42", "CPU 3" */
    int paranoid;      /* kernel.perf_event_paranoid */
    bool system_wide;
    bool kernel;            /* the kernel's part is needed, too */
    bool foreign;           /* the process belongs to another user */
    uint64_t fds_needed;    /* descriptors for the whole plan; 0 = not known */
    uint64_t fds_limit;     /* RLIMIT_NOFILE */
    unsigned events, units; /* of the plan, and threads or CPUs it is opened on */
};

/* Stores what a refusal means and what helps. Returns rc. */
int perf_explain(struct err *err, int rc, const struct perf_where *where);

#endif
