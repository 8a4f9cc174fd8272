/* Threads as a target: exactly these, not those that they start. */
#include "pmu/host/target_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int add_thread(struct target_set *ts, pid_t tid, struct err *err) {
    struct target_thread *t = &ts->thread[ts->n_thread];
    *t = (struct target_thread){.pid = target_group_of(tid), .tid = tid};
    if (!t->pid)
        return err_set(err, -ESRCH,
                       "thread %d: no such thread; ps -eLo tid,pid,comm lists them, and tdtop -p "
                       "PID measures all of a process",
                       (int)tid);
    target_read_comm(tid, t->comm, sizeof(t->comm));
    ts->n_thread++;
    return 0;
}

/* The processes that the threads belong to, each once. */
static int add_owners(struct target_set *ts, struct err *err) {
    pid_t pid[TARGET_LIST_MAX];
    int n = 0;
    for (int i = 0; i < ts->n_thread; i++) {
        int k = 0;
        while (k < n && pid[k] != ts->thread[i].pid)
            k++;
        pid[k] = ts->thread[i].pid;
        n += k == n;
    }
    return target_add_processes(ts, pid, n, err);
}

int target_open_threads(struct target_set *ts, const char *text, struct err *err) {
    pid_t tid[TARGET_LIST_MAX];
    int n = target_list(text, "-t", "thread", tid, err);
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

/* One that has ended but whose process has not been waited for is no longer below task/ either,
 * unless it is the first one. */
static bool has_ended(const struct target_thread *t) {
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

bool target_threads_gone(struct target_set *ts) {
    bool all = true;
    for (int i = 0; i < ts->n_process; i++)
        if (!ts->process[i].gone)
            ts->process[i].gone = target_process_ended(&ts->process[i]);
    for (int i = 0; i < ts->n_thread; i++) {
        struct target_thread *t = &ts->thread[i];
        if (!t->gone)
            t->gone = is_dead_owner(ts, t->pid) || has_ended(t);
        all &= t->gone;
    }
    return all;
}

void target_thread_words(const struct target_set *ts, struct strbuf *sb) {
    if (ts->n_thread == 1)
        strbuf_add(sb, "thread %s %d", ts->thread[0].comm, (int)ts->thread[0].tid);
    else
        strbuf_add(sb, "%d threads", ts->n_thread);
    if (ts->n_process == 1)
        strbuf_add(sb, " of %s %d", ts->process[0].comm, (int)ts->process[0].pid);
    else
        strbuf_add(sb, " of %d processes", ts->n_process);
}
