#include "pmu/perf/perf_shape.h"

#include "base/array.h"
#include "base/log.h"
#include "pmu/host/perf_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- what is wanted ---- */

static bool same_count(const struct perf_counter *a, const struct perf_counter *b) {
    const struct perf_event_attr *x = &a->attr, *y = &b->attr;
    return x->type == y->type && x->config == y->config && x->config1 == y->config1 &&
           x->config2 == y->config2 && x->exclude_user == y->exclude_user &&
           x->exclude_kernel == y->exclude_kernel;
}

/* The counter of this group, from `first` on, that counts the same; or NULL. */
static const struct perf_counter *find_same(const struct perf_shape *sh, uint32_t first,
                                            const struct perf_counter *c) {
    for (uint32_t i = first; i < sh->n_wish; i++)
        if (same_count(&sh->wish[i], c))
            return &sh->wish[i];
    return NULL;
}

static uint8_t why_missing(int rc) {
    if (rc == -ENOENT)
        return COUNT_NO_EVENT;
    return rc == -EPERM ? COUNT_NOT_PERMITTED : COUNT_NOT_SUPPORTED;
}

/* Groups of threads and CPUs; /proc and the boxes outside the cores are read by others. */
static bool is_perf_group(const struct plan_group *pg) {
    return pg->pmu != EVENT_PROC && pg->pmu != EVENT_UNCORE;
}

static void wish_group(struct perf_shape *sh, const struct model *m, const struct plan *plan,
                       uint32_t g, const struct machine *mc, const struct encode_options *opt) {
    const struct plan_group *pg = &plan->group[g];
    uint32_t first = sh->n_wish;
    for (uint32_t i = 0; i < pg->n; i++) {
        uint16_t event = plan->event[pg->first + i];
        struct perf_counter c = {.event = event,
                                 .needs_leader = m->event[event].perf_metrics,
                                 .any_thread = encode_any_thread(m, &m->event[event]),
                                 .shared = i < pg->n_shared && !pg->slots};
        int rc = encode_event(mc, &m->event[event], opt, &c.attr);
        if (rc) {
            log_line("perf: %s: %s", m->event[event].name,
                     rc == -ENOENT ? "no encoding" : strerror(-rc));
            sh->missing[event] = why_missing(rc);
            continue;
        }
        const struct perf_counter *same = find_same(sh, first, &c);
        if (same)
            sh->alias[sh->n_alias++] =
                (struct perf_alias){.event = event, .of = same->event, .plan_group = g};
        else
            sh->wish[sh->n_wish++] = c;
    }
}

int perf_shape_wish(struct perf_shape *sh, const struct model *m, const struct plan *plan,
                    const struct machine *mc, const struct encode_options *opt, struct err *err) {
    *sh = (struct perf_shape){0};
    size_t n = plan->n_event ? plan->n_event : 1;
    sh->wish = calloc(n, sizeof(*sh->wish));
    sh->alias = calloc(n, sizeof(*sh->alias));
    sh->missing = malloc(m->n_event ? m->n_event : 1);
    if (!sh->wish || !sh->alias || !sh->missing) {
        perf_shape_free(sh);
        return err_set(err, -ENOMEM, "out of memory for %zu counters", n);
    }
    memcpy(sh->missing, plan->missing, m->n_event);
    for (uint32_t g = 0; g < plan->n_group; g++)
        if (is_perf_group(&plan->group[g]))
            wish_group(sh, m, plan, g, mc, opt);
    return 0;
}

void perf_shape_free(struct perf_shape *sh) {
    free(sh->wish);
    free(sh->alias);
    free(sh->counter);
    free(sh->group);
    free(sh->missing);
    *sh = (struct perf_shape){0};
}

/* ---- opening ---- */

/*
 * A thread that ends while its group is half open makes the kernel refuse the rest: with EINVAL,
 * with ENODEV since Linux 6.15. The same event by itself tells whether it is that.
 */
static int refused_or_ended(const struct perf_event_attr *attr, int rc, pid_t tid) {
    if (tid < 0 || (rc != -EINVAL && rc != -ENODEV))
        return rc;
    int fd = perf_open_fd(attr, tid, -1, -1);
    if (fd >= 0)
        close(fd);
    return fd == -ESRCH ? fd : rc;
}

/*
 * The leader's flags decide for the whole group. Its members join while it is disabled: the kernel
 * then adds them to a task or CPU without interrupting the CPU (perf_install_in_context), which
 * costs the target less than any other way.
 */
static int open_one(const struct perf_counter *c, const struct perf_mode *mode, bool pinned,
                    pid_t tid, int cpu, int leader) {
    struct perf_event_attr attr = c->attr;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (leader < 0 || tid < 0) /* a task's member can be read alone: perf_read.c, sleeps_on */
        attr.read_format |= PERF_FORMAT_GROUP;
    attr.inherit = mode->inherit;
    if (leader < 0) {
        attr.disabled = true;
        attr.enable_on_exec = mode->enable_on_exec;
        attr.pinned = pinned && !mode->no_pin;
    }
    int fd = mode->cgroup ? perf_open_cgroup(&attr, mode->cgroup_fd, cpu, leader)
                          : perf_open_fd(&attr, tid, cpu, leader);
    return fd >= 0 || leader < 0 ? fd : refused_or_ended(&attr, fd, tid);
}

static void close_all(int *fd, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* What is still to be tried of one plan group. */
struct search {
    struct perf_shape *sh;
    const struct plan *plan;
    const struct perf_mode *mode;
    pid_t tid;
    int cpu;
    ARRAY(struct perf_counter) counter; /* what the kernel took, for the shape */
    ARRAY(struct perf_group) group;
    ARRAY(struct perf_counter) queue, rest;
    uint16_t event; /* that was tried last */
    bool warning;   /* a member of a group was refused as invalid */
};

/* The descriptors of the kernel group that is being found. */
struct found {
    int fd[PLAN_GROUP_MAX];
    uint32_t n;
};

/* Tries one counter behind those that are open. 0, or a negative errno that ends the search. */
static int try_counter(struct search *s, const struct perf_counter *c, bool pinned,
                       struct found *f) {
    struct perf_shape *sh = s->sh;
    int leader = f->n ? f->fd[0] : -1;
    bool orphan = c->needs_leader && leader < 0;
    s->event = c->event;
    int fd = orphan ? -EINVAL : open_one(c, s->mode, pinned, s->tid, s->cpu, leader);
    s->warning |= (fd == -EINVAL || fd == -ENODEV) && leader >= 0;
    if (fd >= 0) {
        f->fd[f->n++] = fd;
        return array_push(&s->counter, *c);
    }
    if (fd == -EINVAL && leader >= 0 && !c->needs_leader)
        return array_push(&s->rest, *c);
    if (perf_is_unsupported(fd))
        sh->missing[c->event] = COUNT_NOT_SUPPORTED;
    else if (perf_is_denied(fd) && c->any_thread && s->tid >= 0)
        sh->missing[c->event] = COUNT_NOT_PERMITTED;
    else
        return fd;
    return 0;
}

/*
 * Finds one kernel group in the queue; s->rest gets what does not go with it. A split leaves at
 * least one counter behind each time, so this ends. Nothing stays open: what fits together the
 * kernel decides for each group by itself, so one at a time is enough, and needs few descriptors.
 */
static int find_group(struct search *s, bool pinned, uint32_t plan_group) {
    struct perf_shape *sh = s->sh;
    const struct plan_group *pg = &s->plan->group[plan_group];
    struct perf_group g = {.first = (uint32_t)s->counter.n,
                           .plan_group = plan_group,
                           .at = sh->n_word,
                           .pinned = pinned,
                           .top = pg->top,
                           .level1 = pg->level1};
    struct found f = {.n = 0};
    int rc = 0;
    s->rest.n = 0;
    s->warning = false;
    for (size_t i = 0; i < s->queue.n && !rc; i++)
        rc = try_counter(s, &s->queue.at[i], pinned, &f);
    close_all(f.fd, f.n);
    g.n = (uint32_t)s->counter.n - g.first;
    if (rc || !g.n)
        return rc;
    sh->n_word += 2 + g.n;
    return array_push(&s->group, g);
}

/* The next queue: the rest, behind the divisors that were opened with the first. */
static int requeue(struct search *s, const struct perf_group *opened, bool with_shared) {
    s->queue.n = 0;
    for (uint32_t i = 0; with_shared && i < opened->n; i++) {
        const struct perf_counter *c = &s->counter.at[opened->first + i];
        if (c->shared && array_push(&s->queue, *c))
            return -ENOMEM;
    }
    for (size_t i = 0; i < s->rest.n; i++)
        if (array_push(&s->queue, s->rest.at[i]))
            return -ENOMEM;
    return 0;
}

/* As it was before the last find_group. */
static void forget_group(struct search *s, size_t n_group) {
    struct perf_shape *sh = s->sh;
    for (size_t i = 0; i < s->queue.n; i++)
        sh->missing[s->queue.at[i].event] = COUNT_OK;
    if (s->group.n == n_group)
        return;
    const struct perf_group *g = &s->group.at[n_group];
    s->counter.n = g->first;
    sh->n_word = g->at;
    s->group.n = n_group;
}

/*
 * A thread that creates others meanwhile makes the kernel refuse a member now and then
 * (perf_units_open_group); what does not fit is refused each time.
 */
static int find_group_surely(struct search *s, bool pinned, uint32_t plan_group) {
    enum { TRIES = 4 };
    for (int i = 1;; i++) {
        const size_t n_group = s->group.n;
        int rc = find_group(s, pinned, plan_group);
        if (rc || !s->warning || s->tid < 0 || i == TRIES)
            return rc;
        forget_group(s, n_group);
    }
}

static int find_plan_group(struct search *s, bool pinned, uint32_t plan_group) {
    size_t before = SIZE_MAX;
    for (;;) {
        const size_t n_group = s->group.n;
        int rc = find_group_surely(s, pinned, plan_group);
        if (rc || !s->rest.n)
            return rc;
        /* No progress beside the divisors: then without them. */
        bool progress = s->rest.n < before;
        before = s->rest.n;
        log_line("perf: group %u is split: %zu of its events do not fit", plan_group, s->rest.n);
        if (s->group.n == n_group)
            return -EINVAL; /* cannot be: a rest needs a leader */
        rc = requeue(s, &s->group.at[n_group], progress);
        if (rc)
            return rc;
        pinned = false; /* two pinned groups would fight */
    }
}

static int find_all(struct search *s) {
    const struct plan *plan = s->plan;
    const struct perf_counter *wish = s->sh->wish;
    uint32_t left = s->sh->n_wish;
    for (uint32_t g = 0; g < plan->n_group; g++) {
        const struct plan_group *pg = &plan->group[g];
        s->queue.n = 0;
        for (uint32_t i = 0; i < pg->n && left && is_perf_group(pg); i++) {
            if (wish->event != plan->event[pg->first + i])
                continue; /* without encoding, or an alias */
            if (array_push(&s->queue, *wish))
                return -ENOMEM;
            wish++;
            left--;
        }
        int rc = find_plan_group(s, pg->pinned, g);
        if (rc)
            return rc;
    }
    return 0;
}

bool perf_shape_has(const struct perf_shape *sh, uint16_t event) {
    for (uint32_t i = 0; i < sh->n_counter; i++)
        if (sh->counter[i].event == event)
            return true;
    for (uint32_t i = 0; i < sh->n_alias; i++)
        if (sh->alias[i].event == event && perf_shape_has(sh, sh->alias[i].of))
            return true;
    return false;
}

/* What was refused is refused under its other names, too. */
static void refuse_aliases(struct perf_shape *sh) {
    for (uint32_t i = 0; i < sh->n_alias; i++)
        if (!perf_shape_has(sh, sh->alias[i].event))
            sh->missing[sh->alias[i].event] = sh->missing[sh->alias[i].of];
}

/* Owned by the shape. */
static void take(struct perf_shape *sh, struct perf_counter *counter, size_t n_counter,
                 struct perf_group *group, size_t n_group) {
    free(sh->counter);
    free(sh->group);
    sh->counter = counter;
    sh->n_counter = (uint32_t)n_counter;
    sh->group = group;
    sh->n_group = (uint32_t)n_group;
}

int perf_shape_find(struct perf_shape *sh, const struct perf_mode *mode, const struct plan *plan,
                    pid_t tid, int cpu, uint16_t *event) {
    struct search s = {.sh = sh, .plan = plan, .mode = mode, .tid = tid, .cpu = cpu};
    take(sh, NULL, 0, NULL, 0);
    sh->n_word = 0;
    int rc = find_all(&s);
    array_free(&s.queue);
    array_free(&s.rest);
    *event = s.event;
    if (rc) {
        array_free(&s.counter);
        array_free(&s.group);
        sh->n_word = 0;
        return rc;
    }
    take(sh, s.counter.at, s.counter.n, s.group.at, s.group.n);
    refuse_aliases(sh);
    return 0;
}

int perf_shape_open(const struct perf_shape *sh, const struct perf_mode *mode, uint32_t group,
                    pid_t tid, int cpu, int *fd, uint16_t *event) {
    const struct perf_group *pg = &sh->group[group];
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        fd[i] = open_one(&sh->counter[i], mode, pg->pinned || pg->turns, tid, cpu,
                         i == pg->first ? -1 : fd[pg->first]);
        if (fd[i] >= 0)
            continue;
        int rc = fd[i];
        *event = sh->counter[i].event;
        close_all(fd + pg->first, i - pg->first);
        for (uint32_t k = pg->first; k <= i; k++)
            fd[k] = -1;
        return rc;
    }
    bool waits = mode->idle && pg->pinned && !mode->no_pin;
    if (!mode->enable_on_exec && !waits)
        ioctl(fd[pg->first], PERF_EVENT_IOC_ENABLE, 0); /* children that it has by now, too */
    return 0;
}
