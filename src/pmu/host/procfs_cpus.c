/* The numbers of CPUs: /proc/stat and /proc/schedstat have a line for each. */
#include "pmu/host/proc_lines.h"
#include "pmu/host/procfs_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Is this the line of a CPU that is measured? Returns its numbers, or NULL. */
static const char *wanted_cpu(const struct target_set *ts, const char *line) {
    const char *numbers;
    int cpu = proc_lines_cpu(line, &numbers);
    for (int i = 0; i < ts->n_cpu; i++)
        if (ts->cpu[i] == cpu)
            return numbers;
    return NULL;
}

/* Adds numbers of a CPU's line, as a list of (which number, which total) says. */
struct cpu_number {
    int n;
    enum proc_event total;
};

static int add_cpu_numbers(const char *line, const struct cpu_number *list, int n_list,
                           uint64_t unit, uint64_t total[PROC_EVENTS]) {
    int rc = 0;
    for (int i = 0; i < n_list && rc == 0; i++)
        rc = procfs_add_number(line, list[i].n, unit, &total[list[i].total]);
    return rc;
}

/* /proc/stat, proc(5): user nice system idle iowait irq softirq steal ... in ticks. */
static int read_cpu_times(const struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    static const struct cpu_number list[] = {{0, PROC_UTIME_NS},
                                             {1, PROC_UTIME_NS},
                                             {2, PROC_STIME_NS},
                                             {5, PROC_STIME_NS},
                                             {6, PROC_STIME_NS}};
    struct proc_lines l = proc_lines_of(pf->stat_fd, pf->buf, PROCFS_BUF);
    if (l.fd < 0)
        return l.fd;
    int rc = -ENODATA; /* no line of a CPU that is measured */
    for (const char *line; (line = proc_lines_next(&l)) && strncmp(line, "cpu", 3) == 0;) {
        const char *n = wanted_cpu(pf->target, line);
        if (n && (rc = add_cpu_numbers(n, list, 5, pf->tick_ns, total)) < 0)
            return rc;
    }
    return rc;
}

/* /proc/schedstat, Documentation/scheduler/sched-stats: the 8th number of a CPU is the ns that
 * tasks waited for it. */
static int read_cpu_waits(const struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    static const struct cpu_number list[] = {{7, PROC_RUN_WAIT_NS}};
    struct proc_lines l = proc_lines_of(pf->schedstat_fd, pf->buf, PROCFS_BUF);
    if (l.fd < 0)
        return l.fd;
    int rc = -ENODATA;
    for (const char *line; (line = proc_lines_next(&l));) {
        const char *n = wanted_cpu(pf->target, line);
        if (n && (rc = add_cpu_numbers(n, list, 1, 1, total)) < 0)
            return rc;
    }
    return rc;
}

/* /proc/loadavg: the number behind the slash is all threads there are. */
static int read_all_threads(const struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    char buf[96];
    int rc = procfs_read_at(pf->loadavg_fd, buf, sizeof(buf), 0);
    if (rc < 0)
        return rc;
    const char *slash = strchr(buf, '/');
    total[PROC_THREADS] = slash ? strtoull(slash + 1, NULL, 10) : 0;
    return slash ? 0 : -ENODATA;
}

void procfs_read_cpus(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
    if (pf->want[PROC_UTIME_NS] || pf->want[PROC_STIME_NS])
        rc[PROC_UTIME_NS] = rc[PROC_STIME_NS] = read_cpu_times(pf, total);
    if (pf->want[PROC_RUN_WAIT_NS])
        rc[PROC_RUN_WAIT_NS] = read_cpu_waits(pf, total);
    if (pf->want[PROC_THREADS])
        rc[PROC_THREADS] = read_all_threads(pf, total);
}
