#include "pmu/host/procfs_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[PROC_EVENTS] = {
    [PROC_UTIME_NS] = "utime_ns",
    [PROC_STIME_NS] = "stime_ns",
    [PROC_RUN_WAIT_NS] = "run_wait_ns",
    [PROC_THREADS] = "threads",
};

int proc_event_find(const char *name) {
    for (int i = 0; i < PROC_EVENTS; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return i;
    return -1;
}

bool proc_event_exists(const char *proc, enum proc_event event, bool on_cpus) {
    char path[128];
    if (event != PROC_RUN_WAIT_NS) /* schedstat depends on CONFIG_SCHEDSTATS, CONFIG_SCHED_INFO */
        return true;
    snprintf(path, sizeof(path), "%s%s/schedstat", proc, on_cpus ? "" : "/self");
    return access(path, R_OK) == 0;
}

/* What a failed open or read says about the count. */
static uint8_t state_of(int rc) {
    switch (-rc) {
    case 0:
        return COUNT_OK;
    case EACCES:
    case EPERM:
        return COUNT_NOT_PERMITTED;
    case EMFILE:
    case ENFILE:
        return COUNT_NO_FDS;
    case ENOENT: /* the kernel is built without it, or hides it */
        return COUNT_NOT_SUPPORTED;
    case ESRCH: /* it has ended */
        return COUNT_NOT_COUNTED;
    default:
        return COUNT_LOST;
    }
}

int procfs_open_file(const char *dir, const char *rest) {
    char path[600];
    snprintf(path, sizeof(path), "%s%s", dir, rest);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

void procfs_close_file(int fd) {
    if (fd >= 0)
        close(fd);
}

int procfs_read_at(int fd, char *buf, size_t cap, off_t at) {
    if (fd < 0)
        return fd;
    ssize_t n;
    do
        n = pread(fd, buf, cap - 1, at);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    buf[n] = '\0';
    return (int)n;
}

int procfs_add_number(const char *p, int n, uint64_t unit, uint64_t *sum) {
    char *end;
    for (;; n--, p = end) {
        uint64_t v = strtoull(p, &end, 10);
        if (end == p)
            return -ENODATA;
        if (n > 0)
            continue;
        *sum += v * unit;
        return 0;
    }
}

/*
 * What was counted since the last call. After a failure, or when a total has fallen (a CPU went
 * offline and took its line along), there is no last value to count from: that interval is lost,
 * not negative.
 */
static struct count difference(struct procfs *pf, int event, uint64_t total, int rc) {
    struct count c = {.value = NAN, .state = state_of(rc)};
    if (!pf->want[event]) {
        c.state = COUNT_NOT_PLANNED;
        return c;
    }
    bool known = pf->known[event];
    uint64_t last = pf->last[event];
    pf->known[event] = rc == 0;
    if (rc < 0)
        return c;
    pf->last[event] = total;
    c.state = known && total >= last ? COUNT_OK : COUNT_LOST;
    if (c.state == COUNT_OK)
        c.value = (double)(total - last);
    return c;
}

static bool is_short(int rc) {
    return rc == -EMFILE || rc == -ENFILE;
}

void procfs_read(struct procfs *pf, const struct proc_sleepers *sleepers,
                 struct count out[PROC_EVENTS]) {
    uint64_t total[PROC_EVENTS] = {0};
    int rc[PROC_EVENTS] = {0};
    pf->sleepers = sleepers;
    if (pf->process)
        procfs_read_tasks(pf, total, rc);
    else if (pf->target->kind == TARGET_CGROUP)
        procfs_read_cgroup(pf, total, rc);
    else
        procfs_read_cpus(pf, total, rc);
    pf->sleepers = NULL;
    pf->starved = false;
    for (int i = 0; i < PROC_EVENTS; i++)
        pf->starved = pf->starved || (pf->want[i] && is_short(rc[i]));
    for (int i = 0; i < PROC_EVENTS; i++)
        out[i] = i == PROC_THREADS && rc[i] == 0
                     ? (struct count){.value = (double)total[i], .state = COUNT_OK}
                     : difference(pf, i, total[i], rc[i]);
}

int procfs_open(struct procfs *pf, const char *proc, const struct target_set *target,
                const bool want[PROC_EVENTS]) {
    *pf = (struct procfs){.target = target, .stat_fd = -1, .schedstat_fd = -1, .loadavg_fd = -1};
    pf->cpu_stat_fd = pf->tasks_fd = -1;
    pf->keep = UINT32_MAX;
    memcpy(pf->want, want, sizeof(pf->want));
    pf->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    pf->buf = malloc(PROCFS_BUF);
    if (!pf->buf)
        return -ENOMEM;
    if (target->kind == TARGET_CGROUP) {
        procfs_open_cgroup(pf);
        return 0;
    }
    if (!target->process) {
        pf->stat_fd = procfs_open_file(proc, "/stat");
        pf->schedstat_fd = procfs_open_file(proc, "/schedstat");
        pf->loadavg_fd = procfs_open_file(proc, "/loadavg");
        return 0;
    }
    int rc = procfs_open_tasks(pf, proc);
    if (rc < 0)
        procfs_close(pf);
    return rc;
}

uint32_t procfs_lacks(const struct procfs *pf) {
    uint32_t n = 0;
    for (int i = 0; pf->process && i < pf->n_process; i++)
        n += is_short(pf->process[i].stat_fd) + is_short(pf->process[i].task_fd);
    return n;
}

void procfs_close(struct procfs *pf) {
    if (!pf->target)
        return;
    procfs_close_tasks(pf);
    procfs_close_file(pf->stat_fd);
    procfs_close_file(pf->schedstat_fd);
    procfs_close_file(pf->loadavg_fd);
    procfs_close_file(pf->cpu_stat_fd);
    procfs_close_file(pf->tasks_fd);
    free(pf->buf);
    *pf = (struct procfs){0};
}
