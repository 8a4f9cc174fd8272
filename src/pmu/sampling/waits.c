#include "pmu/sampling/waits.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/proc_lines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two records of one switch, of a thread that has the event twice, are not further apart. */
#define TWICE_NS (NS_PER_MS / 10)

/* ---- names and addresses ---- */

/* Lines of /proc/kallsyms: "ffffffff82265800 T __sched_text_start". All zeros where addresses are
 * not told. */
static void each_symbol(const char *proc, void (*take)(void *user, uint64_t at, const char *name),
                        void *user) {
    char path[256], buf[1 << 14];
    snprintf(path, sizeof(path), "%s/kallsyms", proc);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct proc_lines l = proc_lines_of(fd, buf, sizeof(buf));
    for (char *line, *name; (line = proc_lines_next(&l));) {
        const uint64_t at = strtoull(line, &name, 16);
        if (strlen(name) < 4) /* " T NAME" */
            continue;
        name += 3;
        name[strcspn(name, "\t ")] = '\0';
        take(user, at, name);
    }
    if (fd >= 0)
        close(fd);
}

/* include/linux/sched/debug.h, __sched. */
static void take_scheduler(void *user, uint64_t at, const char *name) {
    struct waits *w = user;
    if (strcmp(name, "__sched_text_start") == 0)
        w->first = at;
    else if (strcmp(name, "__sched_text_end") == 0)
        w->end = at;
}

struct asleeps {
    struct asleep *at; /* by wchan */
    size_t n;
};

static int by_wchan(const void *a, const void *b) {
    return strcmp(((const struct asleep *)a)->wchan, ((const struct asleep *)b)->wchan);
}

static void take_wchan(void *user, uint64_t at, const char *name) {
    const struct asleeps *all = user;
    struct asleep key;
    str_copy(key.wchan, sizeof(key.wchan), name);
    struct asleep *one = bsearch(&key, all->at, all->n, sizeof(*one), by_wchan);
    if (!one)
        return;
    while (one > all->at && by_wchan(one - 1, &key) == 0)
        one--;
    for (; one < all->at + all->n && by_wchan(one, &key) == 0; one++)
        one->wchan_at = at;
}

void asleep_find(struct asleep *a, size_t n, const char *proc) {
    struct asleeps all = {a, n};
    qsort(a, n, sizeof(*a), by_wchan);
    each_symbol(proc, take_wchan, &all);
}

bool asleep_read(struct asleep *a, const char *proc, pid_t tid) {
    char path[256], text[2048];
    int64_t field[STAT_N];
    *a = (struct asleep){.tid = tid, .pid = tid};
    snprintf(path, sizeof(path), "%s/%d/stat", proc, (int)tid);
    if (str_read_small(path, text, sizeof(text)) <= 0 ||
        !proc_stat(text, STAT_STATE, field, NULL, 0) ||
        (field[STAT_STATE] != 'S' && field[STAT_STATE] != 'D'))
        return false;
    snprintf(path, sizeof(path), "%s/%d/status", proc, (int)tid);
    const char *tgid =
        str_read_small(path, text, sizeof(text)) > 0 ? strstr(text, "\nTgid:") : NULL;
    if (tgid)
        a->pid = (pid_t)strtol(tgid + strlen("\nTgid:"), NULL, 10);
    static const char switches[] = "\nvoluntary_ctxt_switches:";
    const char *n = tgid ? strstr(tgid, switches) : NULL;
    a->n_switch = n ? strtoull(n + strlen(switches), NULL, 10) : 0;
    snprintf(path, sizeof(path), "%s/%d/wchan", proc, (int)tid);
    if (str_read_small(path, text, sizeof(text)) > 0 && strcmp(text, "0") != 0)
        str_copy(a->wchan, sizeof(a->wchan), text);
    snprintf(path, sizeof(path), "%s/%d/syscall", proc, (int)tid); /* its pc is the last */
    const char *pc = str_read_small(path, text, sizeof(text)) > 0 ? strrchr(text, ' ') : NULL;
    a->pc = pc ? strtoull(pc, NULL, 16) : 0;
    return true;
}

/* ---- waits ---- */

void waits_init(struct waits *w, const char *proc) {
    *w = (struct waits){0};
    if (proc)
        each_symbol(proc, take_scheduler, w);
}

void waits_destroy(struct waits *w) {
    struct wait *one;
    while ((one = waits_take(w)))
        free(one);
}

static int by_tid(const void *a, const void *b) {
    const pid_t x = ((const struct wait *)a)->tid, y = ((const struct wait *)b)->tid;
    return (x > y) - (x < y);
}

static struct wait *find(const struct waits *w, pid_t tid) {
    const struct wait key = {.tid = tid};
    struct wait **at = tfind(&key, &w->by_tid, by_tid);
    return at ? *at : NULL;
}

static void take_out(struct waits *w, struct wait *one) {
    tdelete(one, &w->by_tid, by_tid);
    w->n--;
}

static void forget(struct waits *w, struct wait *one) {
    take_out(w, one);
    free(one);
}

/* Places on top that say nothing: the scheduler's, or all of the kernel where its functions are not
 * to be told from others. One is left in any case. */
static uint32_t n_scheduler(const struct waits *w, const struct place *stack, uint32_t n) {
    uint32_t i = 0;
    for (; i + 1 < n && stack[i].module == MODULES_KERNEL; i++)
        if (w->end && !(stack[i].offset >= w->first && stack[i].offset < w->end))
            break;
    return i;
}

/* In the place of one of that thread. */
static void put(struct waits *w, const struct wait *is, const struct place *stack) {
    const size_t size = is->n_stack * sizeof(*stack);
    struct wait *one = find(w, is->tid);
    if (one)
        forget(w, one);
    one = w->n < WAITS_MOST ? malloc(sizeof(*one) + size) : NULL;
    if (one) {
        *one = *is;
        one->kernel = stack[0].module == MODULES_KERNEL;
        memcpy(one->stack, stack, size);
    }
    if (one && tsearch(one, &w->by_tid, by_tid)) {
        w->n++;
        return;
    }
    free(one);
    w->n_no_room++;
}

void waits_begin(struct waits *w, const struct record *sample, double times,
                 const struct place *stack, uint32_t n_stack) {
    const uint32_t top = n_scheduler(w, stack, n_stack);
    const struct wait is = {
        .tid = sample->tid, .pid = sample->pid, .times = times, .n_stack = n_stack - top};
    put(w, &is, stack + top);
}

void waits_add(struct waits *w, const struct asleep *a, uint64_t since_ns,
               const struct place *stack, uint32_t n_stack) {
    const struct wait is = {.tid = a->tid,
                            .pid = a->pid,
                            .left_ns = since_ns,
                            .times = 1,
                            .asleep = true,
                            .n_switch = a->n_switch,
                            .n_stack = n_stack};
    put(w, &is, stack);
}

/* Only those for which `stays` is true stay. */
static void sift(struct waits *w, bool (*stays)(struct wait *one, const char *proc),
                 const char *proc) {
    struct wait *kept = NULL;
    for (struct wait *one; (one = waits_take(w));) {
        one->next = kept;
        if (stays(one, proc))
            kept = one;
        else
            free(one);
    }
    for (struct wait *one = kept; one; one = kept) {
        kept = one->next;
        if (tsearch(one, &w->by_tid, by_tid))
            w->n++;
        else
            free(one);
    }
}

static bool lose(struct wait *one, const char *proc) {
    (void)proc;
    return one->unsure = one->asleep;
}

void waits_lose(struct waits *w) {
    sift(w, lose, NULL);
}

static bool still_blocks(struct wait *one, const char *proc) {
    struct asleep now;
    if (one->unsure)
        one->unsure = !asleep_read(&now, proc, one->tid) || now.n_switch != one->n_switch;
    return !one->unsure;
}

void waits_check(struct waits *w, const char *proc) {
    sift(w, still_blocks, proc);
}

bool waits_has(const struct waits *w, pid_t tid) {
    return find(w, tid) != NULL;
}

/* It left its CPU. If it did so before, the record of its coming back was lost. */
static void leave(struct waits *w, struct wait *one, const struct record *r) {
    const bool again = one->left_ns && r->time > one->left_ns + TWICE_NS;
    if (again || r->change.runnable)
        forget(w, one);
    else
        one->left_ns = r->time;
}

struct wait *waits_end(struct waits *w, const struct record *r) {
    struct wait *one = find(w, r->tid);
    if (!one)
        return NULL;
    if (r->kind == RECORD_EXIT || one->unsure)
        forget(w, one);
    else if (r->change.out)
        leave(w, one, r);
    else if (!one->left_ns)
        forget(w, one);
    else
        return take_out(w, one), one;
    return NULL;
}

struct walk {
    void (*each)(void *user, struct wait *one);
    void *user;
};

static void walk_one(const void *node, VISIT visit, void *user) {
    const struct walk *walk = user;
    if (visit == postorder || visit == leaf) /* once each */
        walk->each(walk->user, *(struct wait *const *)node);
}

void waits_each(const struct waits *w, void (*each)(void *user, struct wait *one), void *user) {
    struct walk walk = {each, user};
    twalk_r(w->by_tid, walk_one, &walk);
}

struct wait *waits_take(struct waits *w) {
    struct wait *one = w->by_tid ? *(struct wait **)w->by_tid : NULL;
    if (one)
        take_out(w, one);
    return one;
}
