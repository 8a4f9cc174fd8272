/*
 * Finding: processes by id and by name, threads, cgroups, CPUs; a command of our own. Then seeing
 * them renamed and ended, and words for it.
 */
#include "pmu/host/target.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/command.h"
#include "pmu/host/proc_lines.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CPUS_MAX = 8192, /* there is room for so many */
    LIST_MAX = 256,  /* ids of -p and -t */
    NEAR = 3,        /* typing errors that still count as meant */
};

/* ---- processes ---- */

/* Name of a thread (of a process: of its first), safe for the screen. False if there is none. */
static bool read_comm(pid_t tid, char *out, size_t cap) {
    char path[64], raw[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
    bool known = str_read_small(path, raw, sizeof(raw)) > 0;
    str_safe(out, cap, known ? raw : "process");
    return known;
}

/* Process of a thread, or 0 if there is no such thread. */
static pid_t process_of(pid_t tid) {
    char path[64], text[2048];
    snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
    if (str_read_small(path, text, sizeof(text)) <= 0)
        return 0;
    const char *line = strstr(text, "\nTgid:");
    return line ? (pid_t)atoi(line + strlen("\nTgid:")) : 0;
}

static int say_no_file(pid_t pid, int rc, struct err *err) {
    struct rlimit lim = {0};
    getrlimit(RLIMIT_NOFILE, &lim);
    return err_set(
        err, rc,
        "process %d: no file descriptor is left to watch it, the limit is %llu; raise it "
        "(ulimit -n 1024)",
        (int)pid, (unsigned long long)lim.rlim_cur);
}

static int add_process(struct target_set *ts, pid_t pid, struct err *err) {
    struct target_process *p = &ts->process[ts->n_process];
    *p = (struct target_process){.pid = pid, .pidfd = -1, .how = -1};
    pid_t group = process_of(pid);
    if (group && group != pid)
        return err_set(err, -EINVAL, "%d is a thread of process %d; measure the process: -p %d",
                       (int)pid, (int)group, (int)group);
    p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    int rc = p->pidfd < 0 ? -errno : 0;
    if (rc == -EMFILE || rc == -ENFILE)
        return say_no_file(pid, rc, err);
    if (rc == -ESRCH || (rc && !group))
        return err_set(err, -ESRCH,
                       "process %d: no such process; tdtop -P NAME finds one by its name",
                       (int)pid);
    /* Kernels before 5.3 have no pidfd: then target_gone looks for the process itself. */
    read_comm(pid, p->comm, sizeof(p->comm));
    ts->n_process++;
    return 0;
}

/* Watches these processes. 0 or negative with words. */
static int add_processes(struct target_set *ts, const pid_t *pid, int n, struct err *err) {
    ts->process = calloc((size_t)n, sizeof(*ts->process));
    if (!ts->process)
        return err_set(err, -ENOMEM, "out of memory for %d processes", n);
    for (int i = 0; i < n; i++) {
        int rc = add_process(ts, pid[i], err);
        if (rc)
            return rc;
    }
    return 0;
}

static const char *skip_space(const char *p) {
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* "42,43", or "42 43" as pidof prints it, into out[LIST_MAX]: order kept, doubles dropped. How
 * many, or negative with words that name the option. */
static int read_list(const char *text, const char *option, const char *what, pid_t *out,
                     struct err *err) {
    int n = 0;
    for (const char *p = skip_space(text);;) {
        char *end;
        errno = 0;
        long v = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : 0;
        p = v > 0 ? skip_space(end) : p;
        if (v <= 0 || v > INT32_MAX || errno || (p == end && *p && *p != ','))
            return err_set(err, -EINVAL, "%s %s: not a list of %s ids such as 42 or 42,43", option,
                           text, what);
        bool seen = false;
        for (int i = 0; i < n; i++)
            seen |= out[i] == (pid_t)v;
        if (!seen && n == LIST_MAX)
            return err_set(err, -E2BIG,
                           "%s: more than %d of them; measure the whole system with -a", option,
                           LIST_MAX);
        if (!seen)
            out[n++] = (pid_t)v;
        if (!*p)
            return n;
        p = *p == ',' ? skip_space(p + 1) : p;
    }
}

/* ---- processes by name ---- */

/* What a process is called: comm, and the last part of argv[0]. */
struct names {
    char comm[64], base[256];
};

static bool read_names(const char *proc, const char *pid, struct names *out) {
    char path[512], line[512];
    snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);
    if (str_read_small(path, out->comm, sizeof(out->comm)) < 0)
        return false;
    snprintf(path, sizeof(path), "%s/%s/cmdline", proc, pid);
    if (str_read_small(path, line, sizeof(line)) < 0)
        line[0] = '\0'; /* read as text it ends after argv[0], which is all we want */
    /* Daemons rewrite argv[0] ("redis-server *:6379", "sshd: root"): only the first word is a name.
     */
    line[strcspn(line, " ")] = '\0';
    str_copy(out->base, sizeof(out->base), str_base_name(line));
    return true;
}

struct nearest {
    char name[64];
    int distance;
};

static void look_near(struct nearest *near, const char *name, const char *candidate) {
    if (!candidate[0])
        return;
    int d = strstr(candidate, name) ? NEAR
                                    : str_distance(name, candidate); /* "redis" for redis-server */
    if (d < near->distance) {
        near->distance = d;
        str_safe(near->name, sizeof(near->name), candidate);
    }
}

static int by_pid(const void *a, const void *b) {
    const pid_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int say_none(const char *name, const struct nearest *near, struct err *err) {
    char safe[96];
    str_safe(safe, sizeof(safe), name);
    if (near->name[0])
        return err_set(err, -ENOENT, "-P %s: no process of that name; did you mean %s?", safe,
                       near->name);
    return err_set(err, -ENOENT, "-P %s: no process of that name; ps -e lists them all", safe);
}

int target_find(const char *proc, const char *name, pid_t **pids, struct err *err) {
    DIR *dir = opendir(proc);
    if (!dir)
        return err_set(err, -errno, "%s: %s; mount it to find processes by name", proc,
                       strerror(errno));
    ARRAY(pid_t) found = {0};
    struct nearest near = {.distance = NEAR + 1};
    struct names nm;
    int rc = 0;
    for (struct dirent *de; !rc && (de = readdir(dir));) {
        if (!isdigit((unsigned char)de->d_name[0]) || atoi(de->d_name) == (int)getpid() ||
            !read_names(proc, de->d_name, &nm))
            continue;
        if (strcmp(nm.comm, name) == 0 || strcmp(nm.base, name) == 0) {
            rc = array_push(&found, (pid_t)atoi(de->d_name));
        } else {
            look_near(&near, name, nm.comm);
            look_near(&near, name, nm.base);
        }
    }
    closedir(dir);
    if (rc || !found.n) {
        array_free(&found);
        return rc ? err_set(err, rc, "out of memory for the processes found")
                  : say_none(name, &near, err);
    }
    qsort(found.at, found.n, sizeof(found.at[0]), by_pid);
    *pids = found.at;
    return (int)found.n;
}

int target_tids(pid_t pid, pid_t **tids, int *cap) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT || errno == ESRCH ? 0 : -errno;
    int n = 0;
    for (struct dirent *de; (de = readdir(dir));) {
        if (!isdigit((unsigned char)de->d_name[0]))
            continue;
        if (n == *cap) {
            int want = *cap ? *cap * 2 : 64;
            pid_t *p = realloc(*tids, (size_t)want * sizeof(*p));
            if (!p) {
                closedir(dir);
                return -ENOMEM;
            }
            *tids = p;
            *cap = want;
        }
        (*tids)[n++] = (pid_t)atoi(de->d_name);
    }
    closedir(dir);
    if (n)
        qsort(*tids, (size_t)n, sizeof(**tids), by_pid);
    return n;
}

/* ---- opening ---- */

/* Before its exec the comm of a command would still be our own. */
static void name_command(struct target_set *ts, const char *file) {
    str_safe(ts->process[0].comm, sizeof(ts->process[0].comm), str_base_name(file));
}

static int open_pids(struct target_set *ts, const struct target *t, struct err *err) {
    pid_t pid[LIST_MAX];
    int n = read_list(t->pids, "-p", "process", pid, err);
    int rc = n < 0 ? n : add_processes(ts, pid, n, err);
    ts->waits = t->waits;
    if (!rc && t->waits)
        name_command(ts, t->argv[0]);
    return rc;
}

static int open_name(struct target_set *ts, const char *name, struct err *err) {
    pid_t *pid = NULL;
    int n = target_find("/proc", name, &pid, err);
    int rc = n < 0 ? n : add_processes(ts, pid, n, err);
    free(pid);
    return rc;
}

static int add_thread(struct target_set *ts, pid_t tid, struct err *err) {
    struct target_thread *t = &ts->thread[ts->n_thread];
    *t = (struct target_thread){.pid = process_of(tid), .tid = tid};
    if (!t->pid)
        return err_set(err, -ESRCH,
                       "thread %d: no such thread; ps -eLo tid,pid,comm lists them, and tdtop -p "
                       "PID measures all of a process",
                       (int)tid);
    read_comm(tid, t->comm, sizeof(t->comm));
    ts->n_thread++;
    return 0;
}

/* The processes that the threads belong to, each once. */
static int add_owners(struct target_set *ts, struct err *err) {
    pid_t pid[LIST_MAX];
    int n = 0;
    for (int i = 0; i < ts->n_thread; i++) {
        int k = 0;
        while (k < n && pid[k] != ts->thread[i].pid)
            k++;
        pid[k] = ts->thread[i].pid;
        n += k == n;
    }
    return add_processes(ts, pid, n, err);
}

/* Exactly these threads, not those that they start. */
static int open_threads(struct target_set *ts, const char *text, struct err *err) {
    pid_t tid[LIST_MAX];
    int n = read_list(text, "-t", "thread", tid, err);
    if (n < 0)
        return n;
    ts->thread = calloc((size_t)n, sizeof(*ts->thread));
    if (!ts->thread)
        return err_set(err, -ENOMEM, "out of memory for %d threads", n);
    for (int i = 0; i < n; i++) {
        int rc = add_thread(ts, tid[i], err);
        if (rc)
            return rc;
    }
    return add_owners(ts, err);
}

static int read_online(int **cpu, struct err *err) {
    char text[32768]; /* CPUs may be listed one by one */
    *cpu = calloc(CPUS_MAX, sizeof(**cpu));
    if (!*cpu)
        return err_set(err, -ENOMEM, "out of memory for the list of CPUs");
    if (str_read_small("/sys/devices/system/cpu/online", text, sizeof(text)) > 0)
        return str_list(text, *cpu, CPUS_MAX, err);
    int n = (int)sysconf(_SC_NPROCESSORS_ONLN); /* no /sys here, as in some sandboxes */
    for (int i = 0; i < n; i++)
        (*cpu)[i] = i;
    return n;
}

static bool has_cpu(const int *list, int n, int cpu) {
    for (int i = 0; i < n; i++)
        if (list[i] == cpu)
            return true;
    return false;
}

static int open_cpus(struct target_set *ts, const char *text, struct err *err) {
    int *online = NULL;
    int n_online = read_online(&online, err);
    if (n_online < 0 || ts->kind != TARGET_CPUS) {
        ts->cpu = online;
        ts->n_cpu = n_online < 0 ? 0 : n_online;
        return n_online < 0 ? n_online : 0;
    }
    int rc = -ENOMEM, n = 0;
    ts->cpu = calloc(CPUS_MAX, sizeof(*ts->cpu));
    if (!ts->cpu) {
        err_set(err, rc, "out of memory for the list of CPUs");
        goto out;
    }
    rc = n = str_list(text, ts->cpu, CPUS_MAX, err);
    if (n < 0) {
        err_prefix(err, "-C %s", text);
        goto out;
    }
    for (int i = 0; i < n; i++)
        if (!has_cpu(online, n_online, ts->cpu[i])) {
            rc = err_set(err, -ENODEV, "-C %s: CPU %d is not online; %d CPUs are, from %d to %d",
                         text, ts->cpu[i], n_online, online[0], online[n_online - 1]);
            goto out;
        }
    ts->n_cpu = n;
    rc = 0;
out:
    free(online);
    return rc;
}

static int open_cgroup(struct target_set *ts, const char *text, struct err *err) {
    int rc = cgroup_open(&ts->cgroup, "", text, err);
    if (rc)
        return rc;
    ts->cgroup_fd = ts->cgroup.fd;
    ts->n_in_cgroup = cgroup_processes(ts->cgroup_fd);
    return open_cpus(ts, NULL, err);
}

static int open_command(struct target_set *ts, const struct target *t, const struct rlimit *files,
                        struct err *err) {
    char **argv = t->argv;
    if (!argv || !argv[0])
        return err_set(err, -EINVAL, "no command after --; give one: tdtop -- CMD ARG...");
    ts->command = argv[0];
    const enum command_streams streams = t->mute    ? STREAMS_ERRORS
                                         : t->quiet ? STREAMS_OFF_TERMINAL
                                                    : STREAMS_SHARED;
    pid_t pid = command_fork(argv, files, streams, &ts->go_fd, &ts->fail_fd, err);
    if (pid < 0)
        return (int)pid;
    int rc = add_processes(ts, &pid, 1, err);
    if (rc)
        return rc;
    name_command(ts, argv[0]);
    return 0;
}

int target_open(struct target_set *ts, const struct target *t, const struct rlimit *files,
                struct err *err) {
    *ts = (struct target_set){.kind = t->kind,
                              .go_fd = -1,
                              .fail_fd = -1,
                              .status = -1,
                              .cgroup_fd = -1,
                              .cgroup.fd = -1};
    int rc;
    switch (t->kind) {
    case TARGET_PIDS:
        rc = open_pids(ts, t, err);
        break;
    case TARGET_NAME:
        rc = open_name(ts, t->name, err);
        break;
    case TARGET_TIDS:
        rc = open_threads(ts, t->tids, err);
        break;
    case TARGET_CGROUP:
        rc = open_cgroup(ts, t->cgroup, err);
        break;
    case TARGET_COMMAND:
        rc = open_command(ts, t, files, err);
        break;
    case TARGET_ALL:
    case TARGET_CPUS:
        rc = open_cpus(ts, t->cpus, err);
        break;
    default:
        rc = err_set(
            err, -EINVAL,
            "nothing to measure; give -p PID, -P NAME, -t TID, -G CGROUP, -a, -C CPUS or -- CMD");
    }
    if (rc)
        target_close(ts);
    return rc;
}

int target_start(struct target_set *ts, struct err *err) {
    if (ts->kind != TARGET_COMMAND || ts->started)
        return 0;
    ts->started = true;
    int code = command_go(&ts->go_fd, &ts->fail_fd);
    if (code == 0)
        return 0;
    waitpid(ts->process[0].pid, NULL, 0);
    ts->process[0].gone = true;
    ts->status = command_exit_code(code);
    return err_set(err, -code, "%s: %s; %s", ts->command, strerror(code), command_remedy(code));
}

bool target_add_cpu(struct target_set *ts, int cpu) {
    if (has_cpu(ts->cpu, ts->n_cpu, cpu) || ts->n_cpu == CPUS_MAX)
        return false;
    ts->cpu[ts->n_cpu++] = cpu;
    return true;
}

/* ---- new names ---- */

/* Is this name, of at most 15 bytes as the kernel keeps it, another than the one that we know? */
static bool is_other(const char *comm, const char *known) {
    enum { KEPT = 15 };
    return strcmp(comm, known) != 0 && !(strlen(comm) == KEPT && strncmp(comm, known, KEPT) == 0);
}

/* The name that it has now. The file stays open: an exec does not end it. */
static bool read_comm_again(struct target_process *p, char *out, size_t cap) {
    char path[64], raw[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)p->pid);
    if (!p->comm_file)
        p->comm_file = open(path, O_RDONLY | O_CLOEXEC) + 1;
    ssize_t n = p->comm_file ? pread(p->comm_file - 1, raw, sizeof(raw) - 1, 0) : 0;
    while (n > 0 && raw[n - 1] == '\n')
        n--;
    raw[n > 0 ? n : 0] = '\0';
    str_safe(out, cap, raw);
    return n > 0;
}

bool target_renamed(struct target_set *ts, uint64_t now_ns) {
    enum { APART_MS = 250, LOOKED_AT = 3 /* those that target_words names */ };
    bool any = false;
    if (now_ns < ts->look_ns)
        return false;
    ts->look_ns = now_ns + APART_MS * NS_PER_MS;
    for (int i = 0; i < ts->n_process && i < LOOKED_AT && ts->kind != TARGET_TIDS; i++) {
        struct target_process *p = &ts->process[i];
        char comm[sizeof(p->comm)];
        if (p->gone || !read_comm_again(p, comm, sizeof(comm)) || !is_other(comm, p->comm))
            continue;
        if (!p->first[0])
            str_copy(p->first, sizeof(p->first), p->comm);
        str_copy(p->comm, sizeof(p->comm), comm);
        any = true;
    }
    return any;
}

/* ---- the end ---- */

/*
 * How a process has ended that is not our child. Its parent is told, others are not; but the kernel
 * keeps it where it can be seen: behind the pidfd since Linux 6.15, and before that in
 * /proc/PID/stat until the parent has asked for it.
 */

/* struct pidfd_info of linux/pidfd.h, its first version; headers of Debian 12 have none. */
struct info {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ids[8];
    int32_t exit_code;
};

#define GET_INFO  _IOWR(0xff, 11, struct info)
#define INFO_EXIT (1u << 3)

static int ask_pidfd(int pidfd) {
    struct info info = {.mask = INFO_EXIT};
    bool told = pidfd >= 0 && ioctl(pidfd, GET_INFO, &info) == 0 && (info.mask & INFO_EXIT);
    return told ? info.exit_code : -1;
}

/* It is 0 also for those who may not know. */
static int ask_proc(pid_t pid) {
    char path[64], text[1024];
    int64_t field[STAT_N];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    const bool told = str_read_small(path, text, sizeof(text)) > 0 &&
                      proc_stat(text, STAT_EXIT_CODE, field, NULL, 0);
    return told && field[STAT_STATE] == 'Z' && field[STAT_EXIT_CODE] > 0
               ? (int)field[STAT_EXIT_CODE]
               : -1;
}

/* As waitpid's status, or -1: not known. */
static int how_ended(const struct target_process *p) {
    int how = ask_pidfd(p->pidfd);
    return how >= 0 ? how : ask_proc(p->pid);
}

/* Has the whole process ended? */
static bool process_has_ended(const struct target_process *p) {
    if (p->pidfd < 0)
        return kill(p->pid, 0) < 0 && errno == ESRCH;
    struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};
    return poll(&pfd, 1, 0) > 0;
}

/* One that has ended but whose process has not been waited for is no longer below task/ either,
 * unless it is the first one. */
static bool thread_has_ended(const struct target_thread *t) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)t->pid, (int)t->tid);
    return access(path, F_OK) < 0;
}

static bool is_dead_owner(struct target_set *ts, pid_t pid) {
    for (int i = 0; i < ts->n_process; i++)
        if (ts->process[i].pid == pid)
            return ts->process[i].gone;
    return false;
}

static bool threads_gone(struct target_set *ts) {
    bool all = true;
    for (int i = 0; i < ts->n_process; i++)
        if (!ts->process[i].gone)
            ts->process[i].gone = process_has_ended(&ts->process[i]);
    for (int i = 0; i < ts->n_thread; i++) {
        struct target_thread *t = &ts->thread[i];
        if (!t->gone)
            t->gone = is_dead_owner(ts, t->pid) || thread_has_ended(t);
        all &= t->gone;
    }
    return all;
}

static bool command_has_ended(struct target_set *ts) {
    siginfo_t si = {0};
    int rc = waitid(P_PID, (id_t)ts->process[0].pid, &si, WEXITED | WNOHANG | WNOWAIT);
    if (rc == 0 ? si.si_pid == 0 : errno == EINTR)
        return false;
    ts->process[0].defunct = rc == 0;
    return true;
}

void target_reap(struct target_set *ts) {
    int status;
    if (ts->kind != TARGET_COMMAND || !ts->process || !ts->process[0].defunct)
        return;
    ts->process[0].defunct = false;
    if (waitpid(ts->process[0].pid, &status, WNOHANG) <= 0)
        return;
    ts->process[0].how = status;
    ts->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool target_gone(struct target_set *ts) {
    if (ts->kind == TARGET_CGROUP)
        return cgroup_gone(&ts->cgroup);
    if (ts->kind == TARGET_TIDS)
        return threads_gone(ts);
    if (!ts->process)
        return false;
    bool all = true;
    for (int i = 0; i < ts->n_process; i++) {
        struct target_process *p = &ts->process[i];
        if (p->gone)
            continue;
        p->gone = ts->kind == TARGET_COMMAND ? command_has_ended(ts) : process_has_ended(p);
        if (p->gone && ts->kind != TARGET_COMMAND)
            p->how = how_ended(p);
        all &= p->gone;
    }
    return all;
}

static void close_processes(struct target_set *ts) {
    for (int i = 0; i < ts->n_process; i++) {
        if (ts->process[i].pidfd >= 0)
            close(ts->process[i].pidfd);
        if (ts->process[i].comm_file)
            close(ts->process[i].comm_file - 1);
    }
    free(ts->process);
    ts->process = NULL;
    ts->n_process = 0;
}

int target_again(struct target_set *ts, const char *name, struct err *err) {
    struct target_set now = {.kind = TARGET_NAME};
    int rc = open_name(&now, name, err);
    if (!rc && target_gone(&now)) /* zombies have a name, too */
        rc = err_set(err, -ENOENT, "-P %s: no process of that name", name);
    if (rc) {
        close_processes(&now);
        return rc;
    }
    close_processes(ts);
    ts->process = now.process;
    ts->n_process = now.n_process;
    ts->look_ns = 0;
    return 0;
}

/* ---- words ---- */

static void thread_words(const struct target_set *ts, struct strbuf *sb) {
    if (ts->n_thread == 1)
        strbuf_add(sb, "thread %s %d", ts->thread[0].comm, (int)ts->thread[0].tid);
    else
        strbuf_add(sb, "%d threads", ts->n_thread);
    if (ts->n_process == 1)
        strbuf_add(sb, " of %s %d", ts->process[0].comm, (int)ts->process[0].pid);
    else
        strbuf_add(sb, " of %d processes", ts->n_process);
}

/* "cgroup system.slice/redis.service · 5 processes" */
static void cgroup_all_words(const struct target_set *ts, struct strbuf *sb) {
    char name[128];
    cgroup_words(ts->cgroup.path, name, sizeof(name));
    strbuf_add(sb, "%s · ", name);
    if (ts->n_in_cgroup)
        strbuf_add(sb, "%d process%s", ts->n_in_cgroup, ts->n_in_cgroup == 1 ? "" : "es");
    else
        strbuf_add(sb, "no process yet");
}

void target_words(const struct target_set *ts, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (ts->kind == TARGET_CGROUP) {
        cgroup_all_words(ts, &sb);
    } else if (ts->kind == TARGET_TIDS) {
        thread_words(ts, &sb);
    } else if (ts->kind == TARGET_ALL && ts->n_cpu == 1) {
        strbuf_add(&sb, "the only CPU");
    } else if (ts->kind == TARGET_ALL) {
        strbuf_add(&sb, "all %d CPUs", ts->n_cpu);
    } else if (ts->kind == TARGET_CPUS) {
        strbuf_add(&sb, ts->n_cpu == 1 ? "CPU " : "CPUs ");
        strbuf_add_list(&sb, ts->cpu, ts->n_cpu);
    } else if (ts->n_process == 1) {
        const struct target_process *p = &ts->process[0];
        strbuf_add(&sb, "%s %d", p->comm, (int)p->pid);
        if (p->first[0] && strcmp(p->first, p->comm) != 0)
            strbuf_add(&sb, " (was %s)", p->first);
    } else {
        strbuf_add(&sb, "%d processes: ", ts->n_process);
        for (int i = 0; i < ts->n_process && i < 3; i++)
            strbuf_add(&sb, "%s%s %d", i ? ", " : "", ts->process[i].comm, (int)ts->process[i].pid);
        if (ts->n_process > 3)
            strbuf_add(&sb, " ...");
    }
}

/* "ended with exit code 2", "was ended by signal 9 (Killed)"; status as waitpid's or -1. */
static void add_how(struct strbuf *sb, int status) {
    if (status >= 0 && WIFSIGNALED(status))
        strbuf_add(sb, "was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else if (status >= 0 && WIFEXITED(status))
        strbuf_add(sb, "ended with exit code %d", WEXITSTATUS(status));
    else
        strbuf_add(sb, "ended");
}

void target_last_words(const struct target_set *ts, uint64_t wall_ns, char *buf, size_t cap) {
    char name[160], at[16];
    time_t t = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    struct strbuf sb = strbuf_on(buf, cap);
    strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&t, &tm));
    if (ts->kind == TARGET_CGROUP)
        cgroup_words(ts->cgroup.path, name, sizeof(name));
    else
        target_words(ts, name, sizeof(name));
    strbuf_add(&sb, "%s ", name);
    if (ts->kind == TARGET_CGROUP)
        strbuf_add(&sb, "was removed");
    else
        add_how(&sb, ts->kind != TARGET_TIDS && ts->n_process == 1 ? ts->process[0].how : -1);
    strbuf_add(&sb, " at %s", at);
}

/* ---- closing ---- */

void target_close(struct target_set *ts) {
    bool ours = ts->kind == TARGET_COMMAND && ts->n_process == 1 && !ts->process[0].gone;
    if (ts->kind == TARGET_COMMAND)
        command_close(&ts->go_fd, &ts->fail_fd); /* one that never ran sees this and ends */
    if (ours)
        command_end(ts->process[0].pid);
    target_reap(ts);
    close_processes(ts);
    cgroup_close(&ts->cgroup);
    free(ts->cpu);
    free(ts->thread);
    ts->cpu = NULL;
    ts->thread = NULL;
    ts->cgroup_fd = -1;
    ts->n_cpu = ts->n_thread = 0;
}

bool target_is_foreign(pid_t pid) {
    char path[64];
    struct stat st;
    snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return geteuid() != 0 && stat(path, &st) == 0 && st.st_uid != geteuid();
}
