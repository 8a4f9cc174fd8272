#include "pmu/host/perf_open.h"

#include "base/caps.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(const struct perf_event_attr *attr, int who, int cpu, int group_fd,
                      unsigned long flags) {
    caps_raise();
    long fd = syscall(SYS_perf_event_open, attr, who, cpu, group_fd, PERF_FLAG_FD_CLOEXEC | flags);
    const int rc = fd < 0 ? -errno : (int)fd;
    caps_lower();
    return rc;
}

int perf_open_fd(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd) {
    return open_event(attr, tid, cpu, group_fd, 0);
}

int perf_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu, int group_fd) {
    return open_event(attr, cgroup_fd, cpu, group_fd, PERF_FLAG_PID_CGROUP);
}

int perf_probe(uint32_t type, uint64_t config) {
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = perf_open_fd(&attr, 0, -1, -1);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

bool perf_is_denied(int rc) {
    return rc == -EACCES || rc == -EPERM;
}

bool perf_is_unsupported(int rc) {
    return rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -EINVAL || rc == -EBUSY ||
           rc == -ENXIO || rc == -ENOSPC;
}

/* perf_event_open(2), ERRORS. EACCES and EMFILE have more to say: see below. */
static const struct {
    int rc;
    const char *words;
} reasons[] = {
    {-EBUSY, "another program has the PMU for exclusive use (another profiler?); end that one"},
    {-EINVAL, "the kernel refuses this event as invalid; it may be newer than the kernel"},
    {-ENFILE, "the system is out of open files; raise sysctl fs.file-max"},
    {-ENODEV, "the PMU lacks this feature; see tdtop doctor"},
    {-ENOENT, "the kernel has no such event here; see tdtop doctor"},
    {-ENOSPC, "no counter is left for it; end other profilers"},
    {-EOPNOTSUPP, "not supported by this CPU, or by the hypervisor under it; see tdtop doctor"},
    {-ENOSYS, "this kernel is built without perf events (CONFIG_PERF_EVENTS)"},
    {-ESRCH, "no such process; it has ended"},
};

/* Others know no such level, and there one's own user space is permitted at any. */
bool perf_is_strict(int paranoid) {
    return paranoid > 2 && paranoid != 99 &&
           perf_is_denied(perf_probe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY));
}

static int explain_strict(struct err *err, int rc, const struct perf_where *w) {
    return err_set(
        err, rc,
        "%s on %s: not permitted; run tdtop as root, or sysctl "
        "kernel.perf_event_paranoid=%d (it is %d now), or setcap cap_sys_admin+ep tdtop: "
        "above 2 this kernel does not accept cap_perfmon",
        w->event, w->on, w->system_wide ? 0 : 1, w->paranoid);
}

static int explain_denied(struct err *err, int rc, const struct perf_where *w) {
    if (perf_is_strict(w->paranoid))
        return explain_strict(err, rc, w);
    if (w->foreign && w->paranoid <= 2)
        return err_set(
            err, rc,
            "%s: it belongs to another user; run tdtop as root or as that user, or give it the "
            "capability once: setcap cap_perfmon,cap_sys_ptrace+ep tdtop",
            w->on);
    int want = w->system_wide ? 0 : 1;
    char now[96] = "is not readable";
    if (w->paranoid != 99)
        snprintf(now, sizeof(now), "is %d now", w->paranoid);
    int enough = w->system_wide ? 0 : w->kernel ? 1 : 2; /* 2: one's own, user space only */
    if (w->paranoid <= enough)                           /* then it is not the setting */
        return err_set(
            err, rc,
            "%s on %s: not permitted although kernel.perf_event_paranoid %s: a container's seccomp "
            "filter forbids it, or the process once changed its user and may not be watched; run "
            "tdtop as root (containers: --cap-add PERFMON --security-opt seccomp=unconfined)",
            w->event, w->on, now);
    return err_set(err, rc,
                   "%s on %s: not permitted; run tdtop as root, or setcap cap_perfmon+ep tdtop, or "
                   "sysctl kernel.perf_event_paranoid=%d (it %s)",
                   w->event, w->on, want, now);
}

static int explain_files(struct err *err, int rc, const struct perf_where *w) {
    return err_set(err, rc,
                   "too few file descriptors: %llu are needed (%u events x %u threads or CPUs, and "
                   "some of our "
                   "own), the limit is %llu; raise it (ulimit -n %llu) or measure less (-l 1)",
                   (unsigned long long)w->fds_needed, w->events, w->units,
                   (unsigned long long)w->fds_limit, (unsigned long long)w->fds_needed);
}

int perf_explain(struct err *err, int rc, const struct perf_where *w) {
    if (perf_is_denied(rc))
        return explain_denied(err, rc, w);
    if (rc == -EMFILE && w->fds_needed)
        return explain_files(err, rc, w);
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].rc == rc)
            return err_set(err, rc, "%s on %s: %s", w->event, w->on, reasons[i].words);
    return err_set(err, rc, "%s on %s: %s", w->event, w->on, strerror(-rc));
}
