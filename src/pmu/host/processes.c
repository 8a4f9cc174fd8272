#include "pmu/host/processes.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"
#include "pmu/host/proc_lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUF_SIZE = 32768,
    STAT_SIZE = 1024,
    COMMAND_MAX = 512,
    USERS_MAX = 256,
    FLAG_KTHREAD = 0x00200000, /* PF_KTHREAD, include/linux/sched.h */
};

struct user_name {
    uint32_t uid;
    char name[24];
};

int processes_open(struct processes *ps, const char *proc, struct err *err) {
    *ps = (struct processes){.proc_fd = -1, .self = getpid()};
    str_copy(ps->proc, sizeof(ps->proc), proc);
    ps->tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    ps->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    ps->proc_fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (ps->proc_fd < 0)
        return err_set(err, -errno, "%s: %s; mount it, or give a target (tdtop --help)", proc,
                       strerror(errno));
    ps->buf = malloc(BUF_SIZE);
    ps->user = calloc(USERS_MAX, sizeof(*ps->user));
    if (ps->buf && ps->user)
        return 0;
    processes_close(ps);
    return err_set(err, -ENOMEM, "out of memory for the list of processes");
}

static void free_rows(struct process_row *row, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        free(row[i].command);
    free(row);
}

void processes_close(struct processes *ps) {
    if (ps->proc_fd > 0)
        close(ps->proc_fd);
    free_rows(ps->table.row, ps->table.n);
    free(ps->next);
    free(ps->buf);
    free(ps->user);
    *ps = (struct processes){.proc_fd = -1};
}

/* ---- one process ---- */

static int read_at(const struct processes *ps, const char *pid, const char *file, char *buf,
                   size_t cap) {
    char path[64];
    snprintf(path, sizeof(path), "%.20s/%s", pid, file);
    int fd = openat(ps->proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, buf, cap - 1);
    int rc = n < 0 ? -errno : (int)n;
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return rc;
}

static bool parse_stat(const struct processes *ps, char *text, struct process_row *r) {
    int64_t field[STAT_N];
    if (!proc_stat(text, STAT_RSS, field, r->comm, sizeof(r->comm)))
        return false;
    r->state = (char)field[STAT_STATE];
    r->kernel = field[STAT_FLAGS] & FLAG_KTHREAD;
    r->cpu_ticks = (uint64_t)(field[STAT_UTIME] + field[STAT_STIME]);
    r->n_thread = (uint32_t)field[STAT_THREADS];
    r->start_ticks = (uint64_t)field[STAT_START];
    r->rss = (uint64_t)field[STAT_RSS] * ps->page_size;
    return true;
}

/* A look into the user database may cost much: each user once. */
static void name_user(struct processes *ps, struct process_row *r) {
    for (uint32_t i = 0; i < ps->n_user; i++)
        if (ps->user[i].uid == r->uid) {
            str_copy(r->user, sizeof(r->user), ps->user[i].name);
            return;
        }
    const struct passwd *pw = ps->n_user < USERS_MAX ? getpwuid(r->uid) : NULL;
    if (pw)
        str_safe(r->user, sizeof(r->user), pw->pw_name);
    else
        snprintf(r->user, sizeof(r->user), "%u", r->uid);
    if (ps->n_user == USERS_MAX)
        return;
    ps->user[ps->n_user].uid = r->uid;
    str_copy(ps->user[ps->n_user++].name, sizeof(ps->user->name), r->user);
}

/* The owner of the folder is the effective user, also of processes that may not be looked into. */
static void read_user(struct processes *ps, const char *pid, struct process_row *r) {
    struct stat st;
    r->uid = fstatat(ps->proc_fd, pid, &st, 0) == 0 ? st.st_uid : UINT32_MAX;
    name_user(ps, r);
}

/* ---- all of them ---- */

static struct process_row *find(const struct process_table *t, pid_t pid) {
    uint32_t lo = 0, hi = t->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->row[mid].pid < pid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && t->row[lo].pid == pid ? &t->row[lo] : NULL;
}

/* Since it began, for one that is seen for the first time. */
static double lifetime_cpu(const struct processes *ps, const struct process_row *r, double up_s) {
    double tick_s = (double)ps->tick_ns / (double)NS_PER_S;
    double life_s = up_s - (double)r->start_ticks * tick_s;
    return life_s > tick_s ? (double)r->cpu_ticks * tick_s / life_s : 0;
}

/* What is known from the last reading moves over; a number may belong to another process by now,
 * and a process may run another program. */
static void carry_over(struct processes *ps, const char *pid, struct process_row *r, double dt_s,
                       double up_s) {
    struct process_row *old = find(&ps->table, r->pid);
    if (!old || old->start_ticks != r->start_ticks) {
        r->fresh = true;
        r->cpu = lifetime_cpu(ps, r, up_s);
        read_user(ps, pid, r);
        return;
    }
    uint64_t ticks = r->cpu_ticks > old->cpu_ticks ? r->cpu_ticks - old->cpu_ticks : 0;
    r->cpu = dt_s > 0 ? (double)ticks * (double)ps->tick_ns / (double)NS_PER_S / dt_s : old->cpu;
    if (strcmp(old->comm, r->comm) != 0) {
        read_user(ps, pid, r);
        return;
    }
    r->uid = old->uid;
    memcpy(r->user, old->user, sizeof(r->user));
    r->command = old->command;
    old->command = NULL;
}

static int make_room(struct processes *ps, uint32_t n) {
    if (n <= ps->next_cap)
        return 0;
    uint32_t cap = ps->next_cap ? ps->next_cap * 2 : 512;
    struct process_row *p = realloc(ps->next, cap * sizeof(*p));
    if (!p)
        return -ENOMEM;
    ps->next = p;
    ps->next_cap = cap;
    return 0;
}

struct reading {
    double dt_s, up_s;
    uint32_t n, n_thread;
};

static int read_one(struct processes *ps, const char *pid, struct reading *rd) {
    char text[STAT_SIZE];
    struct process_row r = {.pid = (pid_t)atoi(pid)};
    if (r.pid == ps->self || read_at(ps, pid, "stat", text, sizeof(text)) <= 0 ||
        !parse_stat(ps, text, &r))
        return 0; /* it has ended meanwhile */
    int rc = make_room(ps, rd->n + 1);
    if (rc)
        return rc;
    carry_over(ps, pid, &r, rd->dt_s, rd->up_s);
    rd->n_thread += r.n_thread;
    ps->next[rd->n++] = r;
    return 0;
}

static int read_all(struct processes *ps, struct reading *rd) {
    if (lseek(ps->proc_fd, 0, SEEK_SET) < 0)
        return -errno;
    struct folder f = {.fd = ps->proc_fd, .buf = ps->buf, .size = BUF_SIZE};
    int rc = 0;
    for (const char *name; !rc && (name = folder_next(&f));)
        if (isdigit((unsigned char)name[0]))
            rc = read_one(ps, name, rd);
    return rc ? rc : f.rc;
}

static int by_pid(const void *a, const void *b) {
    const struct process_row *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static double read_uptime(const struct processes *ps) {
    char path[96], text[64];
    snprintf(path, sizeof(path), "%s/uptime", ps->proc);
    return str_read_small(path, text, sizeof(text)) > 0 ? strtod(text, NULL) : 0;
}

/* /proc lists ascending numbers; another file system need not. */
static void sort(struct process_row *row, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (row[i - 1].pid > row[i].pid) {
            qsort(row, n, sizeof(*row), by_pid);
            return;
        }
}

int processes_read(struct processes *ps) {
    struct process_table *t = &ps->table;
    uint64_t now = clock_now_ns();
    struct reading rd = {.up_s = read_uptime(ps)};
    if (t->reading)
        rd.dt_s = (double)(now - t->at_ns) / (double)NS_PER_S;
    int rc = read_all(ps, &rd);
    /* Commands have moved from the old rows to the new ones, so there is no way back: what was
     * read until a failure is the list then. */
    struct process_row *old = t->row;
    uint32_t n_old = t->n, old_cap = t->cap;
    sort(ps->next, rd.n);
    t->row = ps->next;
    t->n = rd.n;
    t->cap = ps->next_cap;
    for (uint32_t i = 0; i < n_old; i++)
        free(old[i].command);
    ps->next = old;
    ps->next_cap = old_cap;
    t->n_thread = rd.n_thread;
    t->at_ns = now;
    t->reading++;
    return rc;
}

/* ---- the command line ---- */

/* Arguments are separated by zero bytes; control characters do no harm to a terminal. */
static char *make_command(char *text, int n) {
    char safe[COMMAND_MAX];
    while (n > 0 && text[n - 1] == '\0')
        n--;
    for (int i = 0; i < n; i++)
        if (text[i] == '\0' || text[i] == '\n' || text[i] == '\t')
            text[i] = ' ';
    text[n] = '\0';
    return strdup(str_safe(safe, sizeof(safe), text));
}

int processes_detail(struct processes *ps, struct process_row *row) {
    char pid[16], text[COMMAND_MAX];
    if (row->command)
        return 0;
    snprintf(pid, sizeof(pid), "%d", (int)row->pid);
    int n = row->kernel ? 0 : read_at(ps, pid, "cmdline", text, sizeof(text));
    if (n > 0)
        row->command = make_command(text, n);
    else if (asprintf(&row->command, "[%s]", row->comm) < 0)
        row->command = NULL;
    return row->command ? 0 : -ENOMEM;
}
