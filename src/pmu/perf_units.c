#include "pmu/perf_units.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 6, HEADER = 3 /* words in front of the counts: number, enabled, running */ };

/* ---- which units ---- */

struct list {
    struct perf_unit *at;
    uint32_t n;
    pid_t *tids;
    int cap;
};

static void list_free(struct list *l) {
    free(l->at);
    free(l->tids);
    *l = (struct list){0};
}

static int list_add(struct list *l, const struct perf_unit *units, uint32_t n) {
    struct perf_unit *p = realloc(l->at, (l->n + n + 1) * sizeof(*p));
    if (!p)
        return -ENOMEM;
    memcpy(p + l->n, units, n * sizeof(*p));
    l->at = p;
    l->n += n;
    return 0;
}

static int list_threads(struct list *l, pid_t pid) {
    int n = target_tids(pid, &l->tids, &l->cap), rc = n < 0 ? n : 0;
    for (int i = 0; i < n && !rc; i++)
        rc = list_add(l, &(struct perf_unit){.tid = l->tids[i], .cpu = -1}, 1);
    return rc;
}

static int list_units(const struct target_set *ts, struct list *l) {
    int rc = 0;
    l->n = 0;
    for (int i = 0; i < ts->n_process && !rc; i++)
        rc = list_threads(l, ts->process[i].pid);
    for (int i = 0; i < ts->n_cpu && !rc; i++)
        rc = list_add(l, &(struct perf_unit){.tid = -1, .cpu = ts->cpu[i]}, 1);
    return rc;
}

/* True if b has a thread that a has not. Both are ascending within a process, in the same order. */
static bool has_grown(const struct list *a, const struct list *b) {
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->n; k++) {
        while (i < a->n && a->at[i].tid != b->at[k].tid)
            i++;
        if (i == a->n)
            return true;
    }
    return false;
}

/* ---- opening ---- */

static void close_units(struct perf_units *pu) {
    for (size_t i = 0; i < (size_t)pu->n * pu->shape->n_counter; i++)
        close(pu->fd[i]);
    pu->n = 0;
}

static void free_arrays(struct perf_units *pu) {
    free(pu->unit);
    free(pu->fd);
    free(pu->last);
    free(pu->sum);
    free(pu->value);
    pu->unit = NULL;
    pu->fd = NULL;
    pu->last = NULL;
    pu->sum = NULL;
    pu->value = NULL;
}

static int make_arrays(struct perf_units *pu, uint32_t n) {
    const struct perf_shape *sh = pu->shape;
    free_arrays(pu);
    pu->unit = calloc(n, sizeof(*pu->unit));
    pu->fd = calloc((size_t)n * sh->n_counter + 1, sizeof(*pu->fd));
    pu->last = calloc((size_t)n * sh->n_word + 1, sizeof(*pu->last));
    pu->sum = calloc(sh->n_group + 1, sizeof(*pu->sum));
    pu->value = calloc(sh->n_counter + 1, sizeof(*pu->value));
    return pu->unit && pu->fd && pu->last && pu->sum && pu->value ? 0 : -ENOMEM;
}

/* Finds the shape on the first unit that still lives; *at is which. */
static int find_shape(struct perf_units *pu, const struct list *l, uint32_t *at, int **fd) {
    int rc = -ESRCH;
    for (*at = 0; *at < l->n; (*at)++) {
        pu->failed = l->at[*at];
        rc = perf_shape_find(pu->shape, &pu->mode, pu->plan, pu->failed.tid, pu->failed.cpu, fd,
                             &pu->event);
        if (rc != -ESRCH)
            return rc;
    }
    return rc;
}

static void keep(struct perf_units *pu, struct perf_unit unit) {
    pu->unit[pu->n++] = unit;
}

/*
 * Opens the known shape on a unit. While a thread creates others, the kernel may hand its events to
 * the new one (a context switch between clones swaps their contexts) and then refuses the next
 * member of the group with EINVAL: what was accepted before is tried again a moment later.
 */
static int open_unit(struct perf_units *pu, struct perf_unit unit, int *fd) {
    enum { AGAIN = 20, PAUSE_US = 500 };
    int rc = -EINVAL;
    for (int i = 0; i < AGAIN && rc == -EINVAL; i++) {
        if (i > 0)
            usleep(PAUSE_US);
        rc = perf_shape_open(pu->shape, &pu->mode, unit.tid, unit.cpu, fd, &pu->event);
    }
    return rc;
}

static int open_list(struct perf_units *pu, const struct list *l) {
    uint32_t at = 0;
    int *first = NULL;
    pu->n_wanted = l->n;
    bool known = pu->shape->n_counter > 0;
    int rc = known ? 0 : find_shape(pu, l, &at, &first);
    if (rc)
        return rc;
    uint32_t n_counter = pu->shape->n_counter;
    rc = make_arrays(pu, l->n + 1);
    for (uint32_t i = 0; !known && i < n_counter && rc; i++)
        close(first[i]); /* no memory to keep them in */
    if (!known && !rc) {
        for (uint32_t i = 0; i < n_counter; i++)
            pu->fd[i] = first[i];
        keep(pu, l->at[at++]);
    }
    free(first);
    for (; at < l->n && !rc; at++) {
        pu->failed = l->at[at];
        rc = open_unit(pu, pu->failed, pu->fd + (size_t)pu->n * n_counter);
        if (rc == 0)
            keep(pu, l->at[at]);
        rc = rc == -ESRCH ? 0 : rc; /* it has ended meanwhile */
    }
    if (rc)
        close_units(pu);
    return rc ? rc : pu->n ? 0 : -ESRCH;
}

/* Opens, then looks whether a thread was born meanwhile that may have missed it. */
static int open_once(struct perf_units *pu, bool last_try) {
    struct list before = {0}, after = {0};
    int rc = list_units(pu->target, &before);
    if (!rc)
        rc = before.n ? open_list(pu, &before) : -ESRCH;
    if (!rc && !last_try && pu->target->n_process) {
        rc = list_units(pu->target, &after);
        if (!rc && has_grown(&before, &after))
            rc = -EAGAIN;
    }
    if (!rc && perf_units_read(pu) == -ECHILD && !last_try)
        rc = -EAGAIN;
    if (rc == -EAGAIN)
        close_units(pu);
    list_free(&before);
    list_free(&after);
    return rc;
}

int perf_units_open(struct perf_units *pu) {
    int rc = -EAGAIN;
    for (int i = 1; i <= TRIES && rc == -EAGAIN; i++) {
        rc = open_once(pu, i == TRIES);
        if (rc == -EAGAIN)
            log_line(
                "perf: threads have started while the counters were opened; opening them anew");
    }
    if (rc)
        free_arrays(pu);
    return rc;
}

void perf_units_close(struct perf_units *pu) {
    if (pu->fd)
        close_units(pu);
    free_arrays(pu);
}

/* ---- reading ---- */

/* Adds what one unit's group counted since it was read last. */
static void add_group(struct perf_units *pu, uint32_t g, const uint64_t *now, uint64_t *last) {
    const struct perf_group *pg = &pu->shape->group[g];
    struct perf_sum *sum = &pu->sum[g];
    uint64_t enabled = now[0] - last[0], running = now[1] - last[1];
    running =
        running > enabled ? enabled : running; /* inherited times are read one after the other */
    sum->reads++;
    sum->enabled_ns += enabled;
    sum->running_ns += running;
    if (running > 0) {
        double scale = running == enabled ? 1.0 : (double)enabled / (double)running;
        sum->counted_ns += enabled;
        for (uint32_t i = 0; i < pg->n; i++)
            pu->value[pg->first + i] += (double)(int64_t)(now[2 + i] - last[2 + i]) * scale;
    } else if (enabled > 0 && pg->pinned && !pu->mode.no_pin) {
        pu->pin_failed = true;
    }
    if (running > 0 || enabled == 0)
        memcpy(last, now, (2 + pg->n) * sizeof(*last));
    else
        memcpy(last, now, 2 * sizeof(*last));
}

static int read_group(struct perf_units *pu, uint32_t unit, uint32_t g) {
    const struct perf_group *pg = &pu->shape->group[g];
    uint64_t buf[HEADER + PLAN_GROUP_MAX];
    size_t want = (HEADER + pg->n) * sizeof(*buf);
    int leader = pu->fd[(size_t)unit * pu->shape->n_counter + pg->first];
    ssize_t got;
    do
        got = read(leader, buf, want);
    while (got < 0 && errno == EINTR);
    if (got == 0) /* perf_event_open(2): a pinned group that could not be put onto the CPU */
        pu->pin_failed = !pu->mode.no_pin;
    if (got != (ssize_t)want)
        return got < 0 ? -errno : -EIO;
    add_group(pu, g, buf + 1, pu->last + (size_t)unit * pu->shape->n_word + pg->at);
    return 0;
}

/* A unit whose group never ran in this interval is taken to have done as the others did meanwhile.
 */
static void fill_gaps(struct perf_units *pu) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        const struct perf_sum *sum = &pu->sum[g];
        if (sum->counted_ns == 0 || sum->counted_ns == sum->enabled_ns)
            continue;
        double scale = (double)sum->enabled_ns / (double)sum->counted_ns;
        for (uint32_t i = 0; i < pu->shape->group[g].n; i++)
            pu->value[pu->shape->group[g].first + i] *= scale;
    }
}

int perf_units_read(struct perf_units *pu) {
    const struct perf_shape *sh = pu->shape;
    int worst = 0;
    memset(pu->sum, 0, (sh->n_group + 1) * sizeof(*pu->sum));
    memset(pu->value, 0, (sh->n_counter + 1) * sizeof(*pu->value));
    pu->pin_failed = false;
    for (uint32_t u = 0; u < pu->n; u++)
        for (uint32_t g = 0; g < sh->n_group; g++) {
            int rc = read_group(pu, u, g);
            worst = rc == -ECHILD ? rc : worst;
        }
    fill_gaps(pu);
    return worst;
}
