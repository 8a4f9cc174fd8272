/* The numbers of a cgroup: its cpu.stat and pids.current. */
#include "pmu/host/procfs_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Adds the number behind a key of a file such as cpu.stat: lines "key number". */
static int add_keyed(const char *text, const char *key, uint64_t unit, uint64_t *sum) {
    size_t n = strlen(key);
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, key, n) == 0 && p[n] == ' ')
            return procfs_add_number(p + n, 0, unit, sum);
    }
    return -ENODATA;
}

/* Documentation/admin-guide/cgroup-v2: cpu.stat of any cgroup has its CPU time in microseconds. */
void procfs_read_cgroup(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
    enum { NS_PER_US = 1000 };
    char buf[1024];
    int n = procfs_read_at(pf->cpu_stat_fd, buf, sizeof(buf), 0);
    rc[PROC_UTIME_NS] = n < 0 ? n : add_keyed(buf, "user_usec", NS_PER_US, &total[PROC_UTIME_NS]);
    rc[PROC_STIME_NS] = n < 0 ? n : add_keyed(buf, "system_usec", NS_PER_US, &total[PROC_STIME_NS]);
    n = procfs_read_at(pf->tasks_fd, buf, sizeof(buf), 0);
    rc[PROC_THREADS] = n < 0 ? n : procfs_add_number(buf, 0, 1, &total[PROC_THREADS]);
    rc[PROC_RUN_WAIT_NS] = -ENOENT;
}

void procfs_open_cgroup(struct procfs *pf) {
    int fd = openat(pf->target->cgroup_fd, "cpu.stat", O_RDONLY | O_CLOEXEC);
    pf->cpu_stat_fd = fd < 0 ? -errno : fd;
    fd = openat(pf->target->cgroup_fd, "pids.current", O_RDONLY | O_CLOEXEC);
    pf->tasks_fd = fd < 0 ? -errno : fd;
}
