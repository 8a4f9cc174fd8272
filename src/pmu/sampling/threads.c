#include "pmu/sampling/threads.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 4, /* of looking for threads that began while others were opened */
    SLICE_MS = 50,
};

/* ---- the list ---- */

/* The threads of the processes that have no event yet. */
static void list(struct threads *t) {
    pid_t *tids = NULL;
    int cap = 0;
    t->tid.n = t->next = 0;
    for (int i = 0; i < t->n_pid; i++) {
        const int n = target_tids(t->pid[i], &tids, &cap);
        for (int k = 0; k < n; k++)
            if (!id_set_has(&t->have, tids[k]))
                (void)array_push(&t->tid, tids[k]);
    }
    free(tids);
}

int threads_init(struct threads *t, const struct target_set *ts) {
    *t = (struct threads){0};
    t->pid = calloc((size_t)ts->n_process + 1, sizeof(*t->pid));
    if (!t->pid || id_set_init(&t->have) || id_set_init(&t->fresh))
        return -ENOMEM;
    if (ts->kind == TARGET_TIDS) {
        for (int i = 0; i < ts->n_thread; i++)
            if (array_push(&t->tid, ts->thread[i].tid) < 0)
                return -ENOMEM;
        return 0;
    }
    for (int i = 0; i < ts->n_process; i++)
        t->pid[t->n_pid++] = ts->process[i].pid;
    list(t);
    return 0;
}

void threads_destroy(struct threads *t) {
    id_set_destroy(&t->have);
    id_set_destroy(&t->fresh);
    free(t->pid);
    array_free(&t->tid);
    array_free(&t->opened);
    *t = (struct threads){0};
}

struct ran {
    pid_t tid;
    uint64_t ns;
};

static int by_ran(const void *a, const void *b) {
    const struct ran *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

void threads_busiest_first(struct threads *t) {
    struct ran *ran = calloc(t->tid.n + 1, sizeof(*ran));
    if (!ran)
        return;
    for (size_t i = 0; i < t->tid.n; i++) {
        char path[64], text[96];
        snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)t->tid.at[i]);
        ran[i].tid = t->tid.at[i];
        if (str_read_small(path, text, sizeof(text)) > 0)
            ran[i].ns = strtoull(text, NULL, 10);
    }
    qsort(ran, t->tid.n, sizeof(*ran), by_ran);
    for (size_t i = 0; i < t->tid.n; i++)
        t->tid.at[i] = ran[i].tid;
    free(ran);
}

/* ---- opening ---- */

void threads_opened(struct threads *t, const struct events *ev, uint32_t first) {
    const pid_t tid = t->tid.at[t->next++];
    const struct threads_opened o = {tid, first, ev->n_fd - first, clock_now_ns()};
    id_set_put(&t->have, tid, true);
    id_set_put(&t->fresh, tid, true);
    (void)array_push(&t->opened, o); /* without memory it is as if it was opened long ago */
}

bool threads_open(const struct threads *t) {
    return t->round < ROUNDS;
}

bool threads_listed(const struct threads *t) {
    return threads_open(t) && t->round > 0 && t->next == 0;
}

static int open_next(struct threads *t, struct events *ev) {
    const struct events_on on = {t->tid.at[t->next], -1};
    return ev->n_fd + (uint32_t)ev->n_cpu > EVENTS_MOST ? -EMFILE : events_add(ev, &on);
}

static void open_list(struct threads *t, struct events *ev, uint64_t until_ns) {
    while (t->next < t->tid.n && clock_now_ns() < until_ns) {
        const bool has = id_set_has(&t->have, t->tid.at[t->next]); /* its creator had it by then */
        const uint32_t first = ev->n_fd;
        const int rc = has ? -ESRCH : open_next(t, ev);
        if (rc == 0) {
            threads_opened(t, ev, first);
        } else {
            t->n_left_out += rc != -ESRCH;
            t->next++;
        }
    }
}

static void add_doubt(struct threads *t, struct events *ev, pid_t tid, uint32_t first, uint32_t n) {
    events_learn_ids(ev, first, n);
    t->doubt[t->n_doubt++] = (struct threads_doubt){tid, first, n};
}

/* Those in doubt have the event of their own, which is not inherited from them. */
static void open_unsure(struct threads *t, struct events *ev) {
    while (t->n_unsure) {
        const pid_t tid = t->unsure[--t->n_unsure];
        const uint32_t first = ev->n_fd;
        if (t->n_doubt < THREADS_DOUBTS && events_add_alone(ev, &(struct events_on){tid, -1}) == 0)
            add_doubt(t, ev, tid, first, ev->n_fd - first);
    }
}

void threads_work(struct threads *t, struct events *ev) {
    open_unsure(t, ev);
    if (!threads_open(t))
        return;
    open_list(t, ev, clock_now_ns() + SLICE_MS * NS_PER_MS);
    if (t->next < t->tid.n)
        return;
    list(t);
    t->round = t->tid.n && !t->n_left_out ? t->round + 1 : ROUNDS;
}

/* ---- records ---- */

static const struct threads_opened *find_opened(const struct threads *t, pid_t tid) {
    for (size_t i = t->opened.n; i-- > 0;)
        if (t->opened.at[i].tid == tid)
            return &t->opened.at[i];
    return NULL;
}

/* Its creator was opened before or while it began, and it is the first since. */
static bool is_in_doubt(struct threads *t, const struct record *r) {
    const pid_t creator = r->fork.ptid;
    const struct threads_opened *o =
        id_set_has(&t->fresh, creator) ? find_opened(t, creator) : NULL;
    if (o && r->time > o->ns)
        id_set_put(&t->fresh, creator, false);
    return o;
}

static void follow_fork(struct threads *t, struct events *ev, const struct record *r) {
    const bool opened = id_set_has(&t->have, r->tid); /* by /proc, before its record was read */
    const struct threads_opened *own = opened ? find_opened(t, r->tid) : NULL;
    const bool in_doubt = is_in_doubt(t, r);
    if (own && t->n_doubt < THREADS_DOUBTS)
        add_doubt(t, ev, r->tid, own->first, own->n);
    else if (in_doubt && t->n_unsure < THREADS_DOUBTS)
        t->unsure[t->n_unsure++] = r->tid;
    id_set_put(&t->have, r->tid, true);
}

void threads_follow(struct threads *t, struct events *ev, const struct record *r) {
    if (r->kind == RECORD_FORK) {
        follow_fork(t, ev, r);
        return;
    }
    id_set_put(&t->have, r->tid, false);
    id_set_put(&t->fresh, r->tid, false);
}

bool threads_count(struct threads *t, struct events *ev, const struct record *r) {
    for (int i = 0; i < t->n_doubt; i++) {
        const struct threads_doubt *d = &t->doubt[i];
        if (d->tid != r->tid)
            continue;
        if (events_have_id(ev, d->first, d->n, r->sample.stream_id))
            return events_are_open_on(ev, d->first, d->n, r->cpu);
        events_close_on(ev, d->first, d->n, r->cpu);
    }
    return true;
}

void threads_again(struct threads *t, struct events *ev) {
    t->tid.n = t->next = 0;
    events_forget(ev);
    for (pid_t tid = 0; (tid = id_set_next(&t->have, tid)) > 0;)
        (void)array_push(&t->tid, tid);
    id_set_clear(&t->have);
    id_set_clear(&t->fresh);
    t->opened.n = t->n_left_out = 0;
    t->n_unsure = t->n_doubt = 0;
    t->round = ROUNDS - 1;
}
