#include "pmu/sampling/waits.h"

#include "base/clock.h"
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

/* "ffffffff82265800 T __sched_text_start": include/linux/sched/debug.h, __sched. All zeros where
 * addresses are not told. */
static void find_scheduler(struct waits *w, const char *proc) {
    char path[256], buf[1 << 14], name[32];
    snprintf(path, sizeof(path), "%s/kallsyms", proc);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct proc_lines l = proc_lines_of(fd, buf, sizeof(buf));
    for (const char *line; !(w->first && w->end) && (line = proc_lines_next(&l));) {
        uint64_t at;
        if (!strstr(line, " __sched_text_") || sscanf(line, "%" SCNx64 " %*c %31s", &at, name) != 2)
            continue;
        if (strcmp(name, "__sched_text_start") == 0)
            w->first = at;
        else if (strcmp(name, "__sched_text_end") == 0)
            w->end = at;
    }
    if (fd >= 0)
        close(fd);
}

void waits_init(struct waits *w, const char *proc) {
    *w = (struct waits){0};
    if (proc)
        find_scheduler(w, proc);
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

void waits_begin(struct waits *w, const struct record *sample, double times,
                 const struct place *stack, uint32_t n_stack) {
    const uint32_t top = n_scheduler(w, stack, n_stack), n = n_stack - top;
    struct wait *one = find(w, sample->tid);
    if (one)
        forget(w, one);
    one = w->n < WAITS_MOST ? malloc(sizeof(*one) + n * sizeof(one->stack[0])) : NULL;
    if (!one) {
        w->n_no_room++;
        return;
    }
    *one = (struct wait){.tid = sample->tid,
                         .pid = sample->pid,
                         .times = times,
                         .kernel = stack[top].module == MODULES_KERNEL,
                         .n_stack = n};
    memcpy(one->stack, &stack[top], n * sizeof(one->stack[0]));
    if (tsearch(one, &w->by_tid, by_tid)) {
        w->n++;
        return;
    }
    free(one);
    w->n_no_room++;
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
    if (r->kind == RECORD_EXIT)
        forget(w, one);
    else if (r->change.out)
        leave(w, one, r);
    else if (!one->left_ns)
        forget(w, one);
    else
        return take_out(w, one), one;
    return NULL;
}

struct wait *waits_take(struct waits *w) {
    struct wait *one = w->by_tid ? *(struct wait **)w->by_tid : NULL;
    if (one)
        take_out(w, one);
    return one;
}
