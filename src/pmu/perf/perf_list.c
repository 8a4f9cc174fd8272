#include "pmu/perf/perf_list.h"

#include "base/folder.h"
#include "base/str.h"
#include "pmu/host/proc_lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUF_SIZE = 32768, DEEPEST = 16 /* generations found in one look */ };

/* ---- folders of /proc ---- */

/* Calls fn for each entry that is a number, until it fails. 0 or a negative errno. */
static int each_number(struct perf_list *l, const char *path,
                       int (*fn)(struct perf_list *l, pid_t number, pid_t user), pid_t user) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    if (fd < 0)
        return -errno;
    struct folder f = {.fd = fd, .buf = l->buf, .size = BUF_SIZE};
    for (const char *name; !rc && (name = folder_next(&f));)
        if (isdigit((unsigned char)name[0]))
            rc = fn(l, (pid_t)atoi(name), user);
    close(fd);
    return rc ? rc : f.rc;
}

/* ---- processes ---- */

struct perf_process *perf_list_process(const struct perf_list *l, pid_t pid) {
    for (size_t i = 0; i < l->process.n; i++)
        if (l->process.at[i].pid == pid)
            return &l->process.at[i];
    return NULL;
}

static bool read_parent(pid_t pid, pid_t *parent, uint64_t *start) {
    char path[64], text[1024];
    int64_t field[STAT_N];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (str_read_small(path, text, sizeof(text)) <= 0 ||
        !proc_stat(text, STAT_START, field, NULL, 0))
        return false;
    *parent = (pid_t)field[STAT_PPID];
    *start = (uint64_t)field[STAT_START];
    return true;
}

/* Was it created since the last look? Numbers are given out in turn, and begin again at the end. */
static bool is_new(const struct perf_list *l, uint64_t pid) {
    bool after = pid > l->looked, before = pid <= l->newest;
    return !l->looked || (l->looked <= l->newest ? after && before : after || before);
}

static int look_at(struct perf_list *l, pid_t pid) {
    pid_t parent;
    uint64_t start;
    if (!is_new(l, (uint64_t)pid) || perf_list_process(l, pid) ||
        !read_parent(pid, &parent, &start))
        return 0;
    if (start < l->since || !perf_list_process(l, parent))
        return 0;
    return array_push(&l->process,
                      (struct perf_process){.pid = pid, .parent = parent, .start = start});
}

/* One of ours is still there unless its number is free or another's by now. */
static bool is_there(const struct perf_process *p) {
    pid_t parent;
    uint64_t start;
    return p->start == 0 || (read_parent(p->pid, &parent, &start) && start == p->start);
}

static void forget_ended(struct perf_list *l) {
    size_t kept = 0;
    for (size_t i = 0; i < l->process.n; i++)
        if (is_there(&l->process.at[i]))
            l->process.at[kept++] = l->process.at[i];
    l->process.n = kept;
}

/* Where a process is in /proc follows from its number, on Linux by adding 258: that is learned here
 * rather than relied on. */
static void note_place(struct perf_list *l, off_t at, pid_t pid) {
    const off_t first = at - pid;
    if (at > 0 && l->pids_at != first)
        l->pids_at = l->pids_at || first <= 0 ? -1 : first;
}

/* Processes are listed by their numbers: new ones are behind those of the last look, unless numbers
 * have begun again. */
static int look(struct perf_list *l) {
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    if (fd < 0)
        return -errno;
    if (l->pids_at > 0 && l->looked && l->looked <= l->newest &&
        lseek(fd, l->pids_at + (off_t)l->looked + 1, SEEK_SET) < 0)
        rc = -errno;
    struct folder f = {.fd = fd, .buf = l->buf, .size = BUF_SIZE};
    off_t at = 0;
    for (const char *name; !rc && (name = folder_next(&f)); at = f.next)
        if (isdigit((unsigned char)name[0])) {
            note_place(l, at, (pid_t)atoi(name));
            rc = look_at(l, (pid_t)atoi(name));
        }
    close(fd);
    return rc ? rc : f.rc;
}

/* A child is found once its parent is known: /proc is read again while that finds more. */
static int read_family(struct perf_list *l) {
    int rc = 0;
    forget_ended(l);
    for (int i = 0; i < DEEPEST && !rc; i++) {
        size_t before = l->process.n;
        rc = look(l);
        if (l->process.n == before)
            break;
    }
    l->looked = rc ? 0 : l->newest;
    return rc;
}

/* ---- threads ---- */

static int add_thread(struct perf_list *l, pid_t tid, pid_t pid) {
    return array_push(&l->thread, (struct perf_thread){.pid = pid, .tid = tid});
}

static void task_folder(char *path, size_t cap, pid_t pid) {
    snprintf(path, cap, "/proc/%d/task", (int)pid);
}

/* Of /proc/PID/task: two, and one for each thread. 0 if there is no such process. */
static uint64_t links_of(pid_t pid) {
    char path[64];
    struct stat st;
    task_folder(path, sizeof(path), pid);
    return stat(path, &st) == 0 ? st.st_nlink : 0;
}

/*
 * When a thread ends while the folder is read, the kernel goes on by counting and leaves another
 * one out, which lives. So it is read again until it has as many as the process says.
 * One that has ended has no threads; that is no error.
 */
static int read_threads(struct perf_list *l, pid_t pid) {
    enum { TRIES = 8, OWN_LINKS = 2 };
    char path[64];
    const size_t first = l->thread.n;
    bool whole = false;
    int rc = 0;
    task_folder(path, sizeof(path), pid);
    for (int i = 0; i < TRIES && !rc && !whole; i++) {
        l->thread.n = first;
        rc = each_number(l, path, add_thread, pid);
        uint64_t links = links_of(pid);
        whole = links <= OWN_LINKS || links - OWN_LINKS == l->thread.n - first;
    }
    l->lacks |= !whole && !rc;
    return rc == -ENOENT || rc == -ESRCH ? 0 : rc;
}

bool perf_list_lives(const struct perf_thread *t) {
    char path[96];
    snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)t->pid, (int)t->tid);
    return access(path, F_OK) == 0;
}

bool perf_list_is_busy(const struct perf_thread *t) {
    char path[96], text[512];
    int64_t field[STAT_N];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)t->pid, (int)t->tid);
    return str_read_small(path, text, sizeof(text)) > 0 &&
           proc_stat(text, STAT_STATE, field, NULL, 0) &&
           (field[STAT_STATE] == 'R' || field[STAT_STATE] == 'D');
}

static int read_named_threads(struct perf_list *l) {
    int rc = 0;
    for (int i = 0; i < l->target->n_thread && !rc; i++) {
        const struct target_thread *t = &l->target->thread[i];
        if (perf_list_lives(&(struct perf_thread){.pid = t->pid, .tid = t->tid}))
            rc = add_thread(l, t->tid, t->pid);
    }
    return rc;
}

/* ---- has anything changed? ---- */

/*
 * The last number of /proc/loadavg is the newest task's; the link count of /proc/PID/task tells how
 * many a process has. A new thread of ours changes the first, one that ends the second.
 */
uint64_t perf_list_newest(void) {
    char text[128];
    if (str_read_small("/proc/loadavg", text, sizeof(text)) <= 0)
        return 0;
    const char *last = strrchr(text, ' ');
    return last ? strtoull(last, NULL, 10) : 0;
}

static uint64_t count_links(const struct perf_list *l) {
    uint64_t sum = 0;
    for (size_t i = 0; i < l->process.n; i++)
        sum += links_of(l->process.at[i].pid);
    return sum;
}

bool perf_list_changed(const struct perf_list *l) {
    return l->target->kind == TARGET_TIDS || !l->newest || perf_list_newest() != l->newest ||
           count_links(l) != l->links;
}

/* ---- both ---- */

int perf_list_init(struct perf_list *l, const struct target_set *target) {
    *l = (struct perf_list){.target = target, .buf = malloc(BUF_SIZE)};
    if (!l->buf)
        return -ENOMEM;
    char text[64];
    double up = str_read_small("/proc/uptime", text, sizeof(text)) > 0 ? strtod(text, NULL) : 0.0;
    l->since = (uint64_t)(up * (double)sysconf(_SC_CLK_TCK));
    for (int i = 0; i < target->n_process && target->kind != TARGET_TIDS; i++)
        if (array_push(&l->process, (struct perf_process){.pid = target->process[i].pid}))
            return -ENOMEM;
    return 0;
}

void perf_list_free(struct perf_list *l) {
    array_free(&l->thread);
    array_free(&l->process);
    free(l->buf);
    *l = (struct perf_list){0};
}

int perf_list_read(struct perf_list *l, bool family) {
    int rc = 0;
    l->thread.n = 0;
    l->lacks = false;
    l->newest = perf_list_newest(); /* first: what is created meanwhile is a change */
    if (l->target->kind == TARGET_TIDS)
        return read_named_threads(l);
    if (family)
        rc = read_family(l);
    l->links = count_links(l);
    for (size_t i = 0; i < l->process.n && !rc; i++) {
        size_t before = l->thread.n;
        rc = read_threads(l, l->process.at[i].pid);
        l->process.at[i].n_thread = (uint32_t)(l->thread.n - before);
    }
    return rc;
}
