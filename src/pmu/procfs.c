/*
 * A read costs one pread per process and one per thread: the files stay open, and the list of
 * threads is read again only when a thread has vanished or their number has changed (the link count
 * of /proc/PID/task, which costs one fstat).
 */
#include "pmu/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BUF_SIZE = 32768 };

static const char *const names[PROC_EVENTS] = {
    [PROC_UTIME_NS] = "utime_ns",
    [PROC_STIME_NS] = "stime_ns",
    [PROC_RUN_WAIT_NS] = "run_wait_ns",
    [PROC_THREADS] = "threads",
};

int proc_event_find(const char *name) {
    for (int i = 0; i < PROC_EVENTS; i++)
        if (strcmp(names[i], name) == 0)
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

static int open_file(const char *dir, const char *rest) {
    char path[600];
    snprintf(path, sizeof(path), "%s%s", dir, rest);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Length read from the beginning of an open file, or a negative errno. A negative fd is one too. */
static int read_at(int fd, char *buf, size_t cap, off_t at) {
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

/* Adds the n-th number (from 0) of a text of numbers, times unit. 0, or -ENODATA if there is none.
 */
static int add_number(const char *p, int n, uint64_t unit, uint64_t *sum) {
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

/* ---- one process ---- */

/* /proc/PID/stat, proc(5): comm may hold anything, so count from the last ')'. */
static int read_stat(const struct procfs *pf, struct proc_process *p, uint64_t total[PROC_EVENTS]) {
    char buf[1024];
    int rc = read_at(p->stat_fd, buf, sizeof(buf), 0);
    if (rc < 0)
        return rc;
    const char *at = strrchr(buf, ')');
    if (!at || !at[1] || !at[2] || !at[3])
        return -ENODATA;
    at += 3; /* field 4 (ppid) follows the state */
    enum { PPID = 4, UTIME = 14, STIME = 15 };
    rc = add_number(at, UTIME - PPID, pf->tick_ns, &total[PROC_UTIME_NS]);
    return rc < 0 ? rc : add_number(at, STIME - PPID, pf->tick_ns, &total[PROC_STIME_NS]);
}

/* schedstat of a thread: time on CPU, time waiting for one, times scheduled. */
static int read_waited(int fd, uint64_t *waited_ns) {
    char buf[96];
    int rc = read_at(fd, buf, sizeof(buf), 0);
    if (rc <= 0) /* nothing to read: it has ended */
        return rc < 0 ? rc : -ESRCH;
    *waited_ns = 0;
    return add_number(buf, 1, 1, waited_ns);
}

/* Where tid is or belongs. */
static uint32_t thread_at(const struct proc_process *p, pid_t tid) {
    uint32_t lo = 0, hi = p->n_thread;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->thread[mid].tid < tid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Takes up a thread unless it is known. A thread that has ended since the listing is no error. */
static int add_thread(struct proc_process *p, const char *tid_text) {
    pid_t tid = (pid_t)atoi(tid_text);
    uint32_t at = thread_at(p, tid);
    if (at < p->n_thread && p->thread[at].tid == tid)
        return 0;
    if (p->n_thread == PROC_THREADS_MAX)
        return -EMFILE;
    char rest[64];
    struct proc_thread t = {.tid = tid};
    snprintf(rest, sizeof(rest), "/%d/schedstat", (int)tid);
    t.fd = open_file(p->task_path, rest);
    if (t.fd == -ENOENT && faccessat(p->task_fd, tid_text, F_OK, 0) < 0)
        return 0;
    if (t.fd < 0)
        return t.fd;
    memmove(&p->thread[at + 1], &p->thread[at], (p->n_thread - at) * sizeof(t));
    p->thread[at] = t;
    p->n_thread++;
    return 0;
}

/* struct linux_dirent64 of getdents64(2): the C library shows it only through readdir, which
 * allocates. */
struct entry {
    uint64_t ino;
    int64_t off;
    unsigned short len;
    unsigned char type;
    char name[];
};

static int list_threads(const struct procfs *pf, struct proc_process *p) {
    int worst = 0;
    if (lseek(p->task_fd, 0, SEEK_SET) < 0)
        return -errno;
    for (;;) {
        long n = syscall(SYS_getdents64, p->task_fd, pf->buf, BUF_SIZE);
        if (n <= 0)
            return n < 0 ? -errno : worst;
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(const void *)(pf->buf + at);
            int rc = e->name[0] == '.' ? 0 : add_thread(p, e->name);
            worst = rc < 0 ? rc : worst;
            at += e->len;
        }
    }
}

/* /proc/PID/task has a link per thread besides the usual two; none when the process has ended. */
static uint32_t count_threads(const struct proc_process *p) {
    struct stat st;
    if (p->task_fd < 0 || fstat(p->task_fd, &st) < 0 || st.st_nlink < 2)
        return 0;
    return (uint32_t)st.st_nlink - 2;
}

/* Reads all known threads; those that have ended leave what they had when last seen. */
static void read_threads(struct proc_process *p, uint64_t *sum) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_thread; i++) {
        struct proc_thread *t = &p->thread[i];
        if (read_waited(t->fd, &t->waited_ns) < 0) {
            p->ended_ns += t->waited_ns;
            close(t->fd);
            continue;
        }
        *sum += t->waited_ns;
        p->thread[kept++] = *t;
    }
    p->n_thread = kept;
}

static int read_waits(const struct procfs *pf, struct proc_process *p, uint32_t n_now,
                      uint64_t total[PROC_EVENTS]) {
    if (p->task_fd < 0)
        return p->task_fd;
    uint64_t sum = 0;
    read_threads(p, &sum);
    int rc = 0;
    if (p->single && p->n_thread == 0)
        return -ENOENT;
    if (p->n_thread != n_now && !p->single) {
        rc = list_threads(pf, p); /* new ones are read below, with the rest: all from their start */
        sum = 0;
        read_threads(p, &sum);
    }
    total[PROC_RUN_WAIT_NS] += sum + p->ended_ns;
    return rc;
}

/* How many threads there are: of a process, or one and itself. */
static uint32_t count_alive(const struct proc_process *p) {
    if (p->single)
        return p->task_fd >= 0 && faccessat(p->task_fd, "stat", F_OK, 0) == 0;
    return count_threads(p);
}

static void read_one(struct procfs *pf, struct proc_process *p, uint64_t total[PROC_EVENTS],
                     int rc[PROC_EVENTS]) {
    uint32_t n = count_alive(p);
    total[PROC_THREADS] = n;
    rc[PROC_THREADS] = p->task_fd < 0 ? p->task_fd : 0;
    if (pf->want[PROC_UTIME_NS] || pf->want[PROC_STIME_NS])
        rc[PROC_UTIME_NS] = rc[PROC_STIME_NS] = read_stat(pf, p, total);
    if (pf->want[PROC_RUN_WAIT_NS] && n)
        rc[PROC_RUN_WAIT_NS] = read_waits(pf, p, n, total);
    p->ended = n == 0 && p->task_fd >= 0;
}

/* Adds up all processes. One that has ended counts as it was last seen; when none is left, nothing
 * is known of the last interval. */
static void read_processes(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
    int alive = 0;
    for (int i = 0; i < pf->n_process; i++) {
        struct proc_process *p = &pf->process[i];
        uint64_t now[PROC_EVENTS] = {0};
        int r[PROC_EVENTS] = {0};
        if (!p->ended)
            read_one(pf, p, now, r);
        alive += !p->ended;
        for (int k = 0; k < PROC_EVENTS; k++) {
            if (p->ended) {
                now[k] = k == PROC_THREADS ? 0 : p->total[k];
                r[k] = 0;
            }
            if (r[k] == 0) /* a failed read must not look like a fall */
                p->total[k] = now[k];
            total[k] += now[k];
            rc[k] = r[k] < 0 ? r[k] : rc[k];
        }
    }
    for (int k = 0; k < PROC_EVENTS && !alive; k++)
        rc[k] = k == PROC_THREADS ? 0 : -ESRCH;
}

/* ---- CPUs ---- */

/* Lines of a /proc file that may be longer than the buffer. */
struct lines {
    int fd;
    char *buf;
    int n, at; /* bytes in the buffer, and where the next line begins */
    off_t off; /* of the next read */
};

/* The next line, terminated; NULL at the end. A line longer than the buffer is cut into pieces. */
static char *next_line(struct lines *l) {
    char *end = memchr(l->buf + l->at, '\n', (size_t)(l->n - l->at));
    if (!end) {
        memmove(l->buf, l->buf + l->at, (size_t)(l->n - l->at));
        l->n -= l->at;
        l->at = 0;
        int got = read_at(l->fd, l->buf + l->n, (size_t)(BUF_SIZE - l->n), l->off);
        if (got > 0) {
            l->n += got;
            l->off += got;
        }
        end = memchr(l->buf, '\n', (size_t)l->n);
        if (!end && l->n == 0)
            return NULL;
        if (!end)
            end = l->buf + l->n - (l->n == BUF_SIZE - 1);
    }
    char *line = l->buf + l->at;
    *end = '\0';
    l->at = (int)(end - l->buf) + 1 < l->n ? (int)(end - l->buf) + 1 : l->n;
    return line;
}

/* Is this the line of a CPU that is measured? Returns its numbers, or NULL. */
static const char *wanted_cpu(const struct target_set *ts, const char *line) {
    char *end;
    if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
        return NULL;
    long cpu = strtol(line + 3, &end, 10);
    for (int i = 0; i < ts->n_cpu; i++)
        if (ts->cpu[i] == cpu)
            return end;
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
        rc = add_number(line, list[i].n, unit, &total[list[i].total]);
    return rc;
}

/* /proc/stat, proc(5): user nice system idle iowait irq softirq steal ... in ticks. */
static int read_cpu_times(const struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    static const struct cpu_number list[] = {{0, PROC_UTIME_NS},
                                             {1, PROC_UTIME_NS},
                                             {2, PROC_STIME_NS},
                                             {5, PROC_STIME_NS},
                                             {6, PROC_STIME_NS}};
    struct lines l = {.fd = pf->stat_fd, .buf = pf->buf};
    if (l.fd < 0)
        return l.fd;
    int rc = -ENODATA; /* no line of a CPU that is measured */
    for (const char *line; (line = next_line(&l)) && strncmp(line, "cpu", 3) == 0;) {
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
    struct lines l = {.fd = pf->schedstat_fd, .buf = pf->buf};
    if (l.fd < 0)
        return l.fd;
    int rc = -ENODATA;
    for (const char *line; (line = next_line(&l));) {
        const char *n = wanted_cpu(pf->target, line);
        if (n && (rc = add_cpu_numbers(n, list, 1, 1, total)) < 0)
            return rc;
    }
    return rc;
}

/* /proc/loadavg: the number behind the slash is all threads there are. */
static int read_all_threads(const struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    char buf[96];
    int rc = read_at(pf->loadavg_fd, buf, sizeof(buf), 0);
    if (rc < 0)
        return rc;
    const char *slash = strchr(buf, '/');
    total[PROC_THREADS] = slash ? strtoull(slash + 1, NULL, 10) : 0;
    return slash ? 0 : -ENODATA;
}

static void read_cpus(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
    if (pf->want[PROC_UTIME_NS] || pf->want[PROC_STIME_NS])
        rc[PROC_UTIME_NS] = rc[PROC_STIME_NS] = read_cpu_times(pf, total);
    if (pf->want[PROC_RUN_WAIT_NS])
        rc[PROC_RUN_WAIT_NS] = read_cpu_waits(pf, total);
    if (pf->want[PROC_THREADS])
        rc[PROC_THREADS] = read_all_threads(pf, total);
}

/* ---- a cgroup ---- */

/* Adds the number behind a key of a file such as cpu.stat: lines "key number". */
static int add_keyed(const char *text, const char *key, uint64_t unit, uint64_t *sum) {
    size_t n = strlen(key);
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, key, n) == 0 && p[n] == ' ')
            return add_number(p + n, 0, unit, sum);
    }
    return -ENODATA;
}

/* Documentation/admin-guide/cgroup-v2: cpu.stat of any cgroup has its CPU time in microseconds. */
static void read_cgroup(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
    enum { NS_PER_US = 1000 };
    char buf[1024];
    int n = read_at(pf->cpu_stat_fd, buf, sizeof(buf), 0);
    rc[PROC_UTIME_NS] = n < 0 ? n : add_keyed(buf, "user_usec", NS_PER_US, &total[PROC_UTIME_NS]);
    rc[PROC_STIME_NS] = n < 0 ? n : add_keyed(buf, "system_usec", NS_PER_US, &total[PROC_STIME_NS]);
    n = read_at(pf->tasks_fd, buf, sizeof(buf), 0);
    rc[PROC_THREADS] = n < 0 ? n : add_number(buf, 0, 1, &total[PROC_THREADS]);
    rc[PROC_RUN_WAIT_NS] = -ENOENT;
}

/* ---- all of them ---- */

/*
 * What was counted since the last call. After a failure, or when a total has fallen (a CPU went
 * offline and took its line along), there is no last value to count from: that interval is lost,
 * not negative.
 */
static struct count difference(struct procfs *pf, int event, uint64_t total, int rc) {
    struct count c = {.value = NAN, .state = state_of(rc)};
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

void procfs_read(struct procfs *pf, struct count out[PROC_EVENTS]) {
    uint64_t total[PROC_EVENTS] = {0};
    int rc[PROC_EVENTS] = {0};
    if (pf->process)
        read_processes(pf, total, rc);
    else if (pf->target->kind == TARGET_CGROUP)
        read_cgroup(pf, total, rc);
    else
        read_cpus(pf, total, rc);
    for (int i = 0; i < PROC_EVENTS; i++)
        out[i] = i == PROC_THREADS && rc[i] == 0
                     ? (struct count){.value = (double)total[i], .state = COUNT_OK}
                     : difference(pf, i, total[i], rc[i]);
}

static int make_process(struct proc_process *p) {
    *p = (struct proc_process){.stat_fd = -1, .task_fd = -1};
    /* Lazily filled by the kernel: pages that are never touched cost nothing. */
    p->thread = calloc(PROC_THREADS_MAX, sizeof(*p->thread));
    return p->thread ? 0 : -ENOMEM;
}

static void open_process(struct proc_process *p, const char *proc, pid_t pid) {
    char rest[32];
    snprintf(rest, sizeof(rest), "/%d/stat", (int)pid);
    p->stat_fd = open_file(proc, rest);
    snprintf(p->task_path, sizeof(p->task_path), "%s/%d/task", proc, (int)pid);
    p->task_fd = open_file(p->task_path, "");
}

/* Only below task/ do the files speak of the thread alone. */
static void open_thread(struct proc_process *p, const char *proc, const struct target_thread *t) {
    snprintf(p->task_path, sizeof(p->task_path), "%s/%d/task/%d", proc, (int)t->pid, (int)t->tid);
    p->single = true;
    p->stat_fd = open_file(p->task_path, "/stat");
    p->task_fd = open_file(p->task_path, "");
    int fd = open_file(p->task_path, "/schedstat");
    if (fd >= 0)
        p->thread[p->n_thread++] = (struct proc_thread){.tid = t->tid, .fd = fd};
}

static void open_cgroup(struct procfs *pf) {
    int fd = openat(pf->target->cgroup_fd, "cpu.stat", O_RDONLY | O_CLOEXEC);
    pf->cpu_stat_fd = fd < 0 ? -errno : fd;
    fd = openat(pf->target->cgroup_fd, "pids.current", O_RDONLY | O_CLOEXEC);
    pf->tasks_fd = fd < 0 ? -errno : fd;
}

static int open_tasks(struct procfs *pf, const char *proc) {
    const struct target_set *ts = pf->target;
    bool threads = ts->kind == TARGET_TIDS;
    int n = threads ? ts->n_thread : ts->n_process;
    pf->process = calloc((size_t)n, sizeof(*pf->process));
    for (int i = 0; pf->process && i < n; i++) {
        pf->n_process = i + 1;
        if (make_process(&pf->process[i]) < 0)
            return -ENOMEM;
        if (threads)
            open_thread(&pf->process[i], proc, &ts->thread[i]);
        else
            open_process(&pf->process[i], proc, ts->process[i].pid);
    }
    return pf->process ? 0 : -ENOMEM;
}

int procfs_open(struct procfs *pf, const char *proc, const struct target_set *target,
                const bool want[PROC_EVENTS]) {
    *pf = (struct procfs){.target = target, .stat_fd = -1, .schedstat_fd = -1, .loadavg_fd = -1};
    pf->cpu_stat_fd = pf->tasks_fd = -1;
    memcpy(pf->want, want, sizeof(pf->want));
    pf->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    pf->buf = malloc(BUF_SIZE);
    if (!pf->buf)
        return -ENOMEM;
    if (target->kind == TARGET_CGROUP) {
        open_cgroup(pf);
        return 0;
    }
    if (!target->process) {
        pf->stat_fd = open_file(proc, "/stat");
        pf->schedstat_fd = open_file(proc, "/schedstat");
        pf->loadavg_fd = open_file(proc, "/loadavg");
        return 0;
    }
    int rc = open_tasks(pf, proc);
    if (rc < 0)
        procfs_close(pf);
    return rc;
}

static void close_fd(int fd) {
    if (fd >= 0)
        close(fd);
}

void procfs_close(struct procfs *pf) {
    if (!pf->target)
        return;
    for (int i = 0; i < pf->n_process; i++) {
        struct proc_process *p = &pf->process[i];
        for (uint32_t k = 0; k < p->n_thread; k++)
            close_fd(p->thread[k].fd);
        close_fd(p->stat_fd);
        close_fd(p->task_fd);
        free(p->thread);
    }
    close_fd(pf->stat_fd);
    close_fd(pf->schedstat_fd);
    close_fd(pf->loadavg_fd);
    close_fd(pf->cpu_stat_fd);
    close_fd(pf->tasks_fd);
    free(pf->process);
    free(pf->buf);
    *pf = (struct procfs){0};
}
