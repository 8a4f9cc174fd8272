/*
 * Numbers of the kernel's own accounting. Those of processes and threads: a read costs one pread
 * per process and one per thread that may have run. The files stay open, as many as there are
 * descriptors for, and the list of threads is read again only when a thread has vanished or their
 * number has changed (the link count of /proc/PID/task, which costs one fstat). Threads beyond that
 * have their file opened each time; where these are thousands, some are read at each call, and what
 * one has waited is counted when it is read. Processes that are followed cost one pread for each of
 * the target's that ran, and some ten calls for each one found.
 */
#include "pmu/host/procfs.h"

#include "base/clock.h"
#include "base/folder.h"
#include "pmu/host/proc_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { BUF_SIZE = 32768 /* of procfs.buf */ };

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

/* A descriptor or a negative errno. */
static int open_file(const char *dir, const char *rest) {
    char path[600];
    snprintf(path, sizeof(path), "%s%s", dir, rest);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static bool is_short(int rc) {
    return rc == -EMFILE || rc == -ENFILE;
}

/* Accepts a negative one. */
static void close_file(int fd) {
    if (fd >= 0)
        close(fd);
}

/* Adds the n-th number (from 0) of a text of numbers, times unit. 0, or -ENODATA if there is none.
 */
static int add_number(const char *p, int n, uint64_t unit, uint64_t *sum) {
    uint64_t v;
    if (!proc_number(p, n, &v))
        return -ENODATA;
    *sum += v * unit;
    return 0;
}

/* ---- processes and threads ---- */

/* n_thread and start may be NULL. */
static int read_stat(const struct procfs *pf, int fd, uint64_t total[PROC_EVENTS],
                     uint64_t *n_thread, uint64_t *start) {
    char buf[1024];
    int64_t field[STAT_N];
    const int rc = proc_read_at(fd, buf, sizeof(buf), 0);
    if (rc < 0)
        return rc;
    if (!proc_stat(buf, STAT_START, field, NULL, 0))
        return -ENODATA;
    total[PROC_UTIME_NS] += (uint64_t)field[STAT_UTIME] * pf->tick_ns;
    total[PROC_STIME_NS] += (uint64_t)field[STAT_STIME] * pf->tick_ns;
    total[PROC_MINOR_FAULTS] += (uint64_t)field[STAT_MINFLT];
    total[PROC_MAJOR_FAULTS] += (uint64_t)field[STAT_MAJFLT];
    if (n_thread)
        *n_thread += (uint64_t)field[STAT_THREADS];
    if (start)
        *start += (uint64_t)field[STAT_START];
    return 0;
}

/* The path below task/; of a thread that is the target itself task_fd is its own folder. */
static int open_schedstat(const struct proc_process *p, pid_t tid) {
    char rest[64];
    snprintf(rest, sizeof(rest), "%d/schedstat", (int)tid);
    int fd = openat(p->task_fd, p->single ? "schedstat" : rest, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* schedstat of a thread: time on CPU, time waiting for one, times scheduled. -ESRCH: it has ended.
 */
static int read_sched(const struct proc_process *p, struct proc_thread *t) {
    char buf[96];
    int fd = t->fd >= 0 ? t->fd : open_schedstat(p, t->tid);
    int rc = proc_read_at(fd, buf, sizeof(buf), 0);
    if (t->fd < 0)
        close_file(fd);
    if (rc <= 0) /* nothing to read: it has ended, too */
        return rc == 0 || rc == -ENOENT ? -ESRCH : rc;
    t->sched = (struct proc_sched){0};
    rc = add_number(buf, 0, 1, &t->sched.ran_ns);
    if (!rc)
        rc = add_number(buf, 1, 1, &t->sched.waited_ns);
    return rc ? rc : add_number(buf, 2, 1, &t->sched.times);
}

static void add_sched(struct proc_sched *sum, const struct proc_sched *s) {
    sum->ran_ns += s->ran_ns;
    sum->waited_ns += s->waited_ns;
    sum->times += s->times;
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
static int add_thread(struct procfs *pf, struct proc_process *p, const char *tid_text) {
    pid_t tid = (pid_t)atoi(tid_text);
    uint32_t at = thread_at(p, tid);
    if (at < p->n_thread && p->thread[at].tid == tid)
        return 0;
    if (p->n_thread == PROC_THREADS_MAX)
        return -EMFILE;
    struct proc_thread t = {.tid = tid, .fd = -1, .stale = true};
    if (pf->kept < pf->keep)
        t.fd = open_schedstat(p, tid);
    if (t.fd == -ENOENT && faccessat(p->task_fd, tid_text, F_OK, 0) < 0)
        return 0;
    if (t.fd < -1)
        return t.fd;
    pf->kept += t.fd >= 0;
    memmove(&p->thread[at + 1], &p->thread[at], (p->n_thread - at) * sizeof(t));
    p->thread[at] = t;
    p->n_thread++;
    return 0;
}

/* Of a folder task/, which stays open. */
static int list_threads(struct procfs *pf, struct proc_process *p, int task_fd) {
    int worst = 0;
    if (lseek(task_fd, 0, SEEK_SET) < 0)
        return -errno;
    struct folder f = {.fd = task_fd, .buf = pf->buf, .size = BUF_SIZE};
    for (const char *name; (name = folder_next(&f));) {
        int rc = name[0] == '.' ? 0 : add_thread(pf, p, name);
        worst = rc < 0 ? rc : worst;
    }
    return f.rc ? f.rc : worst;
}

/* /proc/PID/task has a link per thread besides the usual two; none when the process has ended. */
static uint32_t count_threads(const struct proc_process *p) {
    struct stat st;
    if (p->task_fd < 0 || fstat(p->task_fd, &st) < 0 || st.st_nlink < 2)
        return 0;
    return (uint32_t)st.st_nlink - 2;
}

/* One that has ended ran for that: whoever slept is still there. */
static bool may_have_run(const struct procfs *pf, pid_t tid) {
    const struct proc_sleepers *s = pf->sleepers;
    return !s || !s->slept(s->who, tid);
}

static void find_stale(const struct procfs *pf, struct proc_process *p) {
    for (uint32_t i = 0; i < p->n_thread; i++)
        p->thread[i].stale |= may_have_run(pf, p->thread[i].tid);
}

/* Is there time for it? Files that are open are read; of the others as many as go. */
static bool is_due(const struct proc_process *p, uint32_t i, uint64_t until_ns) {
    return p->thread[i].fd >= 0 || (i >= p->turn && clock_now_ns() < until_ns);
}

/*
 * Reads the threads that are stale; those that have ended leave what they had when last seen, and
 * so do those whose turn it is not. 0, or the errno of one that could not be read though it may
 * still be there.
 */
static int read_threads(struct procfs *pf, struct proc_process *p, uint64_t until_ns,
                        struct proc_sched *sum) {
    uint32_t alive = 0, turn = 0;
    int worst = 0;
    for (uint32_t i = 0; i < p->n_thread; i++) {
        struct proc_thread *t = &p->thread[i];
        bool due = t->stale && is_due(p, i, until_ns);
        int rc = due ? read_sched(p, t) : 0;
        if (t->stale && !due && i >= p->turn && !turn)
            turn = alive; /* the next one begins here */
        t->stale = t->stale && (!due || rc < 0);
        if (rc == -ESRCH) {
            add_sched(&p->done, &t->sched);
            pf->kept -= t->fd >= 0;
            close_file(t->fd);
            continue;
        }
        worst = rc < 0 ? rc : worst;
        add_sched(sum, &t->sched);
        p->thread[alive++] = *t;
    }
    p->n_thread = alive;
    p->turn = turn;
    return worst;
}

/* The first time everything is read: later ones count from there. */
static uint64_t time_limit(const struct procfs *pf) {
    enum { BUDGET_MS = 10 };
    bool began = pf->known[PROC_RUN_WAIT_NS] || pf->known[PROC_SWITCHES];
    return began ? clock_now_ns() + BUDGET_MS * NS_PER_MS : UINT64_MAX;
}

static int read_scheds(struct procfs *pf, struct proc_process *p, uint32_t n_now,
                       uint64_t total[PROC_EVENTS]) {
    if (p->task_fd < 0)
        return p->task_fd;
    struct proc_sched sum = {0};
    uint64_t until_ns = time_limit(pf);
    find_stale(pf, p);
    int rc = read_threads(pf, p, until_ns, &sum);
    if (p->single && p->n_thread == 0)
        return -ENOENT;
    if (p->n_thread != n_now && !p->single) {
        rc = list_threads(pf, p, p->task_fd); /* new ones are read below: all from their start */
        sum = (struct proc_sched){0};
        int unread = read_threads(pf, p, until_ns, &sum);
        rc = unread < 0 ? unread : rc;
    }
    add_sched(&sum, &p->done);
    p->ran_ns = sum.ran_ns;
    total[PROC_RUN_WAIT_NS] += sum.waited_ns;
    total[PROC_SWITCHES] += sum.times;
    total[PROC_RUN_NS] += p->single ? sum.ran_ns : 0; /* a process has a clock for that */
    return rc;
}

/* How many threads there are: of a process, or one and itself. */
static uint32_t count_alive(const struct proc_process *p) {
    if (p->single)
        return p->task_fd >= 0 && faccessat(p->task_fd, "stat", F_OK, 0) == 0;
    return count_threads(p);
}

static bool wants(const struct procfs *pf, enum proc_event a, enum proc_event b) {
    return pf->want[a] || pf->want[b];
}

static void read_one(struct procfs *pf, struct proc_process *p, uint64_t total[PROC_EVENTS],
                     int rc[PROC_EVENTS]) {
    uint32_t n = count_alive(p);
    total[PROC_THREADS] = n;
    rc[PROC_THREADS] = p->task_fd < 0 ? p->task_fd : 0;
    if (wants(pf, PROC_UTIME_NS, PROC_STIME_NS) || wants(pf, PROC_MINOR_FAULTS, PROC_MAJOR_FAULTS))
        rc[PROC_UTIME_NS] = rc[PROC_STIME_NS] = rc[PROC_MINOR_FAULTS] = rc[PROC_MAJOR_FAULTS] =
            read_stat(pf, p->stat_fd, total, NULL, NULL);
    if (n && (wants(pf, PROC_RUN_WAIT_NS, PROC_SWITCHES) || (pf->want[PROC_RUN_NS] && p->single)))
        rc[PROC_RUN_WAIT_NS] = rc[PROC_SWITCHES] = rc[PROC_RUN_NS] = read_scheds(pf, p, n, total);
    if (n && pf->want[PROC_RUN_NS] && !p->single) {
        total[PROC_RUN_NS] = clock_process_ns(pf->target->process[p - pf->process].pid);
        rc[PROC_RUN_NS] = total[PROC_RUN_NS] ? 0 : -ESRCH;
    }
    p->ended = n == 0 && p->task_fd >= 0;
}

/* Adds up all processes. One that has ended counts as it was last seen; when none is left, nothing
 * is known of the last interval. */
static void read_tasks(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]) {
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

/* ---- processes that they have started ---- */

/*
 * Inherited counters count them, so their times belong to the target. They are found by
 * /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN) of threads that ran: of the main thread, and
 * of the others where these are few. Once known a process is followed, also when its parent has
 * ended.
 */
enum { FAMILY_MAX = 512, FEW_THREADS = 16 };

static void add_child(struct proc_family *f, pid_t pid) {
    for (uint32_t i = 0; i < f->n_child; i++)
        if (f->child[i].pid == pid)
            return;
    if (f->n_child < FAMILY_MAX)
        f->child[f->n_child++] = (struct proc_child){.pid = pid, .before = !f->began};
}

/* A file that is too long is cut, and its last number with it. */
static void take_children(struct proc_family *f, int fd) {
    char buf[4096], *end;
    int n = proc_read_at(fd, buf, sizeof(buf), 0);
    if (n <= 0)
        return;
    for (char *p = buf; *p; p = end) {
        long pid = strtol(p, &end, 10);
        if (end == p || *end != ' ')
            break;
        add_child(f, (pid_t)pid);
        end++;
    }
}

/* Of a thread in a folder task/. */
static int open_children(int task_fd, pid_t tid) {
    char rest[32];
    snprintf(rest, sizeof(rest), "%d/children", (int)tid);
    return openat(task_fd, rest, O_RDONLY | O_CLOEXEC);
}

static void find_children(struct proc_family *f, int task_fd, pid_t tid) {
    int fd = open_children(task_fd, tid);
    take_children(f, fd);
    close_file(fd);
}

/* A file that was opened stays open, if it may: the descriptor or -1. */
static int keep_open(struct procfs *pf, int fd) {
    if (fd >= 0 && pf->kept < pf->keep) {
        pf->kept++;
        return fd;
    }
    close_file(fd);
    return -1;
}

static void find_children_of_main(struct procfs *pf, struct proc_process *p, pid_t pid) {
    const bool kept = p->children_fd >= 0;
    int fd = kept ? p->children_fd : open_children(p->task_fd, pid);
    take_children(pf->family, fd);
    p->children_fd = kept ? fd : keep_open(pf, fd);
}

static void find_children_of_target(struct procfs *pf) {
    for (int i = 0; i < pf->n_process; i++) {
        struct proc_process *p = &pf->process[i];
        const pid_t pid = pf->target->process[i].pid;
        if (p->ended)
            continue;
        if (may_have_run(pf, pid))
            find_children_of_main(pf, p, pid);
        for (uint32_t k = 0; k < p->n_thread && p->n_thread <= FEW_THREADS; k++)
            if (p->thread[k].tid != pid && may_have_run(pf, p->thread[k].tid))
                find_children(pf->family, p->task_fd, p->thread[k].tid);
    }
}

/* Takes up its threads and what these have started. */
static void find_threads(struct procfs *pf, pid_t pid, uint64_t n_thread) {
    struct proc_family *f = pf->family;
    char path[32];
    snprintf(path, sizeof(path), "%d/task", (int)pid);
    int fd = openat(f->all.task_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    find_children(f, fd, pid);
    if (n_thread <= 1) {
        snprintf(path, sizeof(path), "%d", (int)pid);
        add_thread(pf, &f->all, path);
        n_thread = FEW_THREADS + 1; /* no others */
    } else {
        list_threads(pf, &f->all, fd);
    }
    if (n_thread <= FEW_THREADS && lseek(fd, 0, SEEK_SET) == 0) {
        struct folder dir = {.fd = fd, .buf = pf->buf, .size = BUF_SIZE};
        for (const char *name; (name = folder_next(&dir));)
            if (name[0] != '.' && atoi(name) != pid)
                find_children(f, fd, (pid_t)atoi(name));
    }
    close(fd);
}

/* False once it has ended. One that was there before is only known to be left out. */
static bool read_child(struct procfs *pf, struct proc_child *c) {
    struct proc_family *f = pf->family;
    uint64_t now[PROC_EVENTS] = {0}, n_thread = 0, start = 0;
    char path[32];
    snprintf(path, sizeof(path), "%d/stat", (int)c->pid);
    if (c->before)
        return faccessat(f->all.task_fd, path, F_OK, 0) == 0;
    int fd = openat(f->all.task_fd, path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : read_stat(pf, fd, now, &n_thread, &start);
    close_file(fd);
    if (rc < 0)
        return is_short(rc);
    if (c->start && start != c->start) /* another one with its number */
        return false;
    c->start = start;
    c->before = start < f->since; /* adopted */
    if (c->before)
        return true;
    f->any = true;
    memcpy(c->total, now, sizeof(now));
    find_threads(pf, c->pid, n_thread);
    return true;
}

/* Those that are found on the way are read, too: they are behind the one that started them. */
static void read_children(struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    struct proc_family *f = pf->family;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_child; i++) {
        struct proc_child c = f->child[i];
        const bool there = read_child(pf, &c);
        for (int k = 0; k < PROC_EVENTS; k++) {
            total[k] += c.total[k];
            f->done[k] += there ? 0 : c.total[k];
        }
        if (there)
            f->child[n++] = c;
    }
    f->n_child = n;
}

/* As /proc/PID/stat has the start of a process. */
static uint64_t now_ticks(const struct procfs *pf) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return ((uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec) / pf->tick_ns;
}

static void read_family(struct procfs *pf, uint64_t total[PROC_EVENTS]) {
    struct proc_family *f = pf->family;
    struct proc_sched sum = {0};
    uint64_t until_ns = time_limit(pf);
    if (!f->began)
        f->since = now_ticks(pf);
    for (int k = 0; k < PROC_EVENTS; k++)
        total[k] += f->done[k];
    find_children_of_target(pf);
    if (f->n_child || f->all.n_thread) {
        const bool kept = f->all.task_fd >= 0;
        if (!kept)
            f->all.task_fd = open_file(f->proc, "");
        read_children(pf, total);
        find_stale(pf, &f->all);
        read_threads(pf, &f->all, until_ns, &sum);
        if (!kept)
            f->all.task_fd = keep_open(pf, f->all.task_fd);
    }
    add_sched(&sum, &f->all.done);
    total[PROC_RUN_WAIT_NS] += sum.waited_ns;
    total[PROC_SWITCHES] += sum.times;
    total[PROC_RUN_NS] += sum.ran_ns;
    uint64_t ran_ns = sum.ran_ns;
    for (int i = 0; i < pf->n_process; i++)
        ran_ns += pf->process[i].ran_ns;
    f->ran_ns = f->began && ran_ns > f->last_ran_ns ? ran_ns - f->last_ran_ns : 0;
    f->last_ran_ns = ran_ns;
    f->began = true;
}

/* More than the number of threads? */
static bool wants_times(const struct procfs *pf) {
    bool any = false;
    for (int i = 0; i < PROC_EVENTS; i++)
        any |= i != PROC_THREADS && pf->want[i];
    return any;
}

bool procfs_ran(const struct procfs *pf, uint64_t *ran_ns) {
    if (!pf->family || !pf->family->any)
        return false;
    *ran_ns = pf->family->ran_ns;
    return true;
}

/* ---- CPUs: /proc/stat and /proc/schedstat have a line for each ---- */

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
    struct proc_lines l = proc_lines_of(pf->stat_fd, pf->buf, BUF_SIZE);
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
    struct proc_lines l = proc_lines_of(pf->schedstat_fd, pf->buf, BUF_SIZE);
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
    int rc = proc_read_at(pf->loadavg_fd, buf, sizeof(buf), 0);
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

/* ---- cgroups: cpu.stat and pids.current ---- */

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
    int n = proc_read_at(pf->cpu_stat_fd, buf, sizeof(buf), 0);
    rc[PROC_UTIME_NS] = n < 0 ? n : add_keyed(buf, "user_usec", NS_PER_US, &total[PROC_UTIME_NS]);
    rc[PROC_STIME_NS] = n < 0 ? n : add_keyed(buf, "system_usec", NS_PER_US, &total[PROC_STIME_NS]);
    n = proc_read_at(pf->tasks_fd, buf, sizeof(buf), 0);
    rc[PROC_THREADS] = n < 0 ? n : add_number(buf, 0, 1, &total[PROC_THREADS]);
    rc[PROC_RUN_WAIT_NS] = -ENOENT;
}

/* ---- what was counted ---- */

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

void procfs_read(struct procfs *pf, const struct proc_sleepers *sleepers,
                 struct count out[PROC_EVENTS]) {
    uint64_t total[PROC_EVENTS] = {0};
    int rc[PROC_EVENTS] = {0};
    pf->sleepers = sleepers;
    if (pf->process)
        read_tasks(pf, total, rc);
    else if (pf->target->kind == TARGET_CGROUP)
        read_cgroup(pf, total, rc);
    else
        read_cpus(pf, total, rc);
    if (pf->family && wants_times(pf))
        read_family(pf, total);
    pf->sleepers = NULL;
    pf->starved = false;
    for (int i = 0; i < PROC_EVENTS; i++)
        pf->starved = pf->starved || (pf->want[i] && is_short(rc[i]));
    for (int i = 0; i < PROC_EVENTS; i++)
        out[i] = i == PROC_THREADS && rc[i] == 0
                     ? (struct count){.value = (double)total[i], .state = COUNT_OK}
                     : difference(pf, i, total[i], rc[i]);
}

bool procfs_waited(const struct procfs *pf, pid_t pid, pid_t tid, uint64_t *ns) {
    for (int i = 0; i < pf->n_process; i++) {
        const struct proc_process *p = &pf->process[i];
        if (!p->single && pf->target->process[i].pid != pid)
            continue;
        uint32_t at = thread_at(p, tid);
        if (at == p->n_thread || p->thread[at].tid != tid)
            continue;
        *ns = p->thread[at].sched.waited_ns;
        return !p->thread[at].stale;
    }
    return false;
}

/* ---- opening and closing ---- */

static void open_process(struct proc_process *p, const char *proc, pid_t pid) {
    char rest[32];
    snprintf(rest, sizeof(rest), "/%d/stat", (int)pid);
    p->stat_fd = open_file(proc, rest);
    snprintf(p->task_path, sizeof(p->task_path), "%s/%d/task", proc, (int)pid);
    p->task_fd = open_file(p->task_path, "");
}

/* Only below task/ do the files speak of the thread alone. */
static void open_thread(struct procfs *pf, struct proc_process *p, const char *proc,
                        const struct target_thread *t) {
    snprintf(p->task_path, sizeof(p->task_path), "%s/%d/task/%d", proc, (int)t->pid, (int)t->tid);
    p->single = true;
    p->stat_fd = open_file(p->task_path, "/stat");
    p->task_fd = open_file(p->task_path, "");
    int fd = p->task_fd < 0 ? p->task_fd : open_schedstat(p, t->tid);
    if (fd < 0)
        return;
    p->thread[p->n_thread++] = (struct proc_thread){.tid = t->tid, .fd = fd, .stale = true};
    pf->kept++;
}

/* 0 or -ENOMEM. */
static int open_tasks(struct procfs *pf, const char *proc) {
    const struct target_set *ts = pf->target;
    bool threads = ts->kind == TARGET_TIDS;
    int n = threads ? ts->n_thread : ts->n_process;
    pf->process = calloc((size_t)n, sizeof(*pf->process));
    for (int i = 0; pf->process && i < n; i++) {
        pf->n_process = i + 1;
        struct proc_process *p = &pf->process[i];
        *p = (struct proc_process){.stat_fd = -1, .task_fd = -1, .children_fd = -1};
        /* Lazily filled by the kernel: pages that are never touched cost nothing. */
        p->thread = calloc(PROC_THREADS_MAX, sizeof(*p->thread));
        if (!p->thread)
            return -ENOMEM;
        if (threads)
            open_thread(pf, p, proc, &ts->thread[i]);
        else
            open_process(p, proc, ts->process[i].pid);
    }
    return pf->process ? 0 : -ENOMEM;
}

static void open_cgroup(struct procfs *pf) {
    int fd = openat(pf->target->cgroup_fd, "cpu.stat", O_RDONLY | O_CLOEXEC);
    pf->cpu_stat_fd = fd < 0 ? -errno : fd;
    fd = openat(pf->target->cgroup_fd, "pids.current", O_RDONLY | O_CLOEXEC);
    pf->tasks_fd = fd < 0 ? -errno : fd;
}

static void close_tasks(struct procfs *pf) {
    for (int i = 0; i < pf->n_process; i++) {
        struct proc_process *p = &pf->process[i];
        for (uint32_t k = 0; k < p->n_thread; k++)
            close_file(p->thread[k].fd);
        close_file(p->stat_fd);
        close_file(p->task_fd);
        close_file(p->children_fd);
        free(p->thread);
    }
    free(pf->process);
}

static void close_family(struct procfs *pf) {
    struct proc_family *f = pf->family;
    if (!f)
        return;
    for (uint32_t k = 0; k < f->all.n_thread; k++)
        close_file(f->all.thread[k].fd);
    close_file(f->all.task_fd);
    free(f->all.thread);
    free(f->child);
    free(f);
}

int procfs_follow(struct procfs *pf, const char *proc) {
    struct proc_family *f = calloc(1, sizeof(*f));
    pf->family = f;
    if (!f)
        return -ENOMEM;
    *f = (struct proc_family){.proc = proc, .all.task_fd = -1};
    f->all.thread = calloc(PROC_THREADS_MAX, sizeof(*f->all.thread));
    f->child = calloc(FAMILY_MAX, sizeof(*f->child));
    return f->all.thread && f->child ? 0 : -ENOMEM;
}

int procfs_open(struct procfs *pf, const char *proc, const struct target_set *target,
                const bool want[PROC_EVENTS]) {
    *pf = (struct procfs){.target = target, .stat_fd = -1, .schedstat_fd = -1, .loadavg_fd = -1};
    pf->cpu_stat_fd = pf->tasks_fd = -1;
    pf->keep = UINT32_MAX;
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

uint32_t procfs_lacks(const struct procfs *pf) {
    uint32_t n = 0;
    for (int i = 0; pf->process && i < pf->n_process; i++)
        n += is_short(pf->process[i].stat_fd) + is_short(pf->process[i].task_fd);
    return n;
}

void procfs_close(struct procfs *pf) {
    if (!pf->target)
        return;
    close_tasks(pf);
    close_family(pf);
    close_file(pf->stat_fd);
    close_file(pf->schedstat_fd);
    close_file(pf->loadavg_fd);
    close_file(pf->cpu_stat_fd);
    close_file(pf->tasks_fd);
    free(pf->buf);
    *pf = (struct procfs){0};
}

static void drop(struct procfs *pf, int *fd) {
    if (*fd < 0 || pf->kept <= pf->keep)
        return;
    close_file(*fd);
    *fd = -1;
    pf->kept--;
}

static void drop_threads(struct procfs *pf, struct proc_process *p) {
    for (uint32_t k = 0; k < p->n_thread; k++)
        drop(pf, &p->thread[k].fd);
}

/* Those that have one too many go on without. */
void procfs_keep(struct procfs *pf, uint32_t n) {
    pf->keep = n;
    for (int i = 0; i < pf->n_process; i++) {
        drop_threads(pf, &pf->process[i]);
        drop(pf, &pf->process[i].children_fd);
    }
    if (pf->family) {
        drop_threads(pf, &pf->family->all);
        drop(pf, &pf->family->all.task_fd);
    }
}
