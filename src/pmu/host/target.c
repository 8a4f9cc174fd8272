#include "pmu/host/target_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPUS_MAX = 8192 /* there is room for so many */ };

bool target_read_comm(pid_t tid, char *out, size_t cap) {
    char path[64], raw[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
    bool known = str_read_small(path, raw, sizeof(raw)) > 0;
    str_safe(out, cap, known ? raw : "process");
    return known;
}

pid_t target_group_of(pid_t tid) {
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
    pid_t group = target_group_of(pid);
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
    target_read_comm(pid, p->comm, sizeof(p->comm));
    ts->n_process++;
    return 0;
}

int target_add_processes(struct target_set *ts, const pid_t *pid, int n, struct err *err) {
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

int target_list(const char *text, const char *option, const char *what, pid_t *out,
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
        if (!seen && n == TARGET_LIST_MAX)
            return err_set(err, -E2BIG,
                           "%s: more than %d of them; measure the whole system with -a", option,
                           TARGET_LIST_MAX);
        if (!seen)
            out[n++] = (pid_t)v;
        if (!*p)
            return n;
        p = *p == ',' ? skip_space(p + 1) : p;
    }
}

/* Before its exec the comm of a command would still be our own. */
static void name_command(struct target_set *ts, const char *file) {
    const char *slash = strrchr(file, '/');
    str_safe(ts->process[0].comm, sizeof(ts->process[0].comm), slash ? slash + 1 : file);
}

static int open_pids(struct target_set *ts, const struct target *t, struct err *err) {
    pid_t pid[TARGET_LIST_MAX];
    int n = target_list(t->pids, "-p", "process", pid, err);
    int rc = n < 0 ? n : target_add_processes(ts, pid, n, err);
    ts->waits = t->waits;
    if (!rc && t->waits)
        name_command(ts, t->argv[0]);
    return rc;
}

static int open_name(struct target_set *ts, const char *name, struct err *err) {
    pid_t *pid = NULL;
    int n = target_find("/proc", name, &pid, err);
    int rc = n < 0 ? n : target_add_processes(ts, pid, n, err);
    free(pid);
    return rc;
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
    int rc = target_add_processes(ts, &pid, 1, err);
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
        rc = target_open_threads(ts, t->tids, err);
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

bool target_process_ended(const struct target_process *p) {
    if (p->pidfd < 0)
        return kill(p->pid, 0) < 0 && errno == ESRCH;
    struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};
    return poll(&pfd, 1, 0) > 0;
}

bool target_gone(struct target_set *ts) {
    if (ts->kind == TARGET_CGROUP)
        return cgroup_gone(&ts->cgroup);
    if (ts->kind == TARGET_TIDS)
        return target_threads_gone(ts);
    if (!ts->process)
        return false;
    bool all = true;
    for (int i = 0; i < ts->n_process; i++) {
        struct target_process *p = &ts->process[i];
        if (p->gone)
            continue;
        p->gone = ts->kind == TARGET_COMMAND ? command_has_ended(ts) : target_process_ended(p);
        if (p->gone && ts->kind != TARGET_COMMAND)
            p->how = target_how(p);
        all &= p->gone;
    }
    return all;
}

/* "0-3,8": runs of numbers put together. */
static void cpu_words(const int *cpu, int n, struct strbuf *sb) {
    for (int i = 0; i < n;) {
        int j = i;
        while (j + 1 < n && cpu[j + 1] == cpu[j] + 1)
            j++;
        strbuf_add(sb, j > i ? "%s%d-%d" : "%s%d", i ? "," : "", cpu[i], cpu[j]);
        i = j + 1;
    }
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
        target_thread_words(ts, &sb);
    } else if (ts->kind == TARGET_ALL && ts->n_cpu == 1) {
        strbuf_add(&sb, "the only CPU");
    } else if (ts->kind == TARGET_ALL) {
        strbuf_add(&sb, "all %d CPUs", ts->n_cpu);
    } else if (ts->kind == TARGET_CPUS) {
        strbuf_add(&sb, ts->n_cpu == 1 ? "CPU " : "CPUs ");
        cpu_words(ts->cpu, ts->n_cpu, &sb);
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
