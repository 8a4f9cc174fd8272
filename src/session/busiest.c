#include "session/busiest.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "model/eval/eval.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"
#include "pmu/host/procfs.h"
#include "pmu/host/target.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    OPEN_MS = 40,      /* of opening, at one reading */
    SLICE_MS = 100,    /* the interval that a source is told: a tenth of it goes into opening */
    SILENT_MAX = 2,    /* intervals that counters may say nothing of a process */
    THREADS_MAX = 512, /* of a process with more only /proc is read, */
    WAITERS_MAX = 256, /* and with more not how long each of its threads waited */
    FILES_OF_PROC = 8, /* of its threads, that stay open */
};
#define IDLE_CPUS 0.005 /* what uses less has no bar */
#define STAYS     1.2   /* so much busier one has to be to take the place of another */

enum seat_kind { SEAT_EMPTY, SEAT_COUNTED, SEAT_TIMED };

struct busiest_seat {
    enum seat_kind kind;
    pid_t pid;
    uint64_t start_ticks;
    char pids[16]; /* the same number, as targets are named */
    bool stays;
    int silent;

    /* SEAT_COUNTED */
    struct source source;
    struct eval eval;
    struct sample sample;
    struct frame frame;
    /* SEAT_TIMED */
    struct target_set target;
    struct procfs proc;
};

/* ---- models ---- */

static int16_t next_root(const struct model *m, int from) {
    for (int i = from; i < (int)m->n_tree; i++)
        if (m->metric[i].level == 1 && m->metric[i].share)
            return (int16_t)i;
    return METRIC_NONE;
}

/* On a CPU with several core types those that the process had of the biggest. */
static int pick_model(struct busiest *b, struct err *err) {
    struct machine mc;
    char why[256];
    if (b->name)
        return model_open(&b->slots, b->name, b->places, err);
    machine_detect(&mc, "");
    if (mc.n_core > 1)
        str_copy(b->core_type, sizeof(b->core_type), mc.pmu);
    return fallback_pick(&b->slots, &mc, NULL, b->places, why, sizeof(why), err);
}

/* Once. Without the models there are no bars. */
static bool is_ready(struct busiest *b) {
    struct err err = {0};
    if (b->ready)
        return b->times.n_metric > 0;
    b->ready = true;
    if (pick_model(b, &err) < 0)
        log_line("busiest: %s", err.text);
    if (b->slots.n_metric > 0 && strcmp(b->slots.rung, "software") != 0)
        b->wanted = calloc(b->slots.n_metric, sizeof(*b->wanted));
    b->counts = b->wanted != NULL;
    for (int i = 0; b->counts && (i = next_root(&b->slots, i)) != METRIC_NONE; i++)
        b->wanted[i] = true;
    if (model_open(&b->times, "software", NULL, &err) < 0)
        log_line("busiest: %s", err.text);
    return b->times.n_metric > 0;
}

int busiest_open(struct busiest *b, const struct source_ops *ops, const char *model,
                 const struct model_places *places) {
    *b = (struct busiest){.ops = ops, .places = places, .name = model};
    b->seat = calloc(BUSIEST_MAX, sizeof(*b->seat));
    return b->seat ? 0 : -ENOMEM;
}

/* ---- one process ---- */

static void leave(struct busiest_seat *s) {
    source_close(&s->source);
    eval_destroy(&s->eval);
    sample_destroy(&s->sample);
    frame_destroy(&s->frame);
    procfs_close(&s->proc);
    if (s->kind == SEAT_TIMED)
        target_close(&s->target);
    *s = (struct busiest_seat){0};
}

static void take(struct busiest_seat *s, const struct process_row *r) {
    *s = (struct busiest_seat){.pid = r->pid, .start_ticks = r->start_ticks, .stays = true};
    snprintf(s->pids, sizeof(s->pids), "%d", (int)r->pid);
}

static int start_counting(struct busiest *b, struct busiest_seat *s, struct err *err) {
    struct source_options opt = {.target = {.kind = TARGET_PIDS, .pids = s->pids},
                                 .core_type = b->core_type[0] ? b->core_type : NULL,
                                 .interval_ns = SLICE_MS * NS_PER_MS,
                                 .level = 1,
                                 .wanted = b->wanted};
    struct source *src = &s->source;
    consts_init(&opt.consts);
    int rc = source_open(src, b->ops, &b->slots, &opt, err);
    if (rc == 0)
        rc = eval_init(&s->eval, &b->slots, &src->layout, &src->consts, err);
    if (rc == 0 && (sample_init(&s->sample, src->layout.n_slot) < 0 ||
                    frame_init(&s->frame, b->slots.n_metric) < 0))
        rc = err_set(err, -ENOMEM, "out of memory");
    if (rc == 0 && b->ops->start)
        rc = b->ops->start(src, err);
    return rc;
}

static int open_counted(struct busiest *b, struct busiest_seat *s, const struct process_row *r) {
    struct err err = {0};
    take(s, r);
    const int rc = start_counting(b, s, &err);
    if (rc < 0) {
        log_line("busiest: process %d: %s", (int)r->pid, err.text);
        leave(s);
        return rc;
    }
    s->kind = SEAT_COUNTED;
    b->n_opened++;
    return 0;
}

static int open_timed(struct busiest_seat *s, const struct process_row *r) {
    const bool want[PROC_EVENTS] = {[PROC_UTIME_NS] = true,
                                    [PROC_STIME_NS] = true,
                                    [PROC_RUN_WAIT_NS] = r->n_thread <= WAITERS_MAX};
    struct count begin[PROC_EVENTS];
    struct rlimit files;
    struct err err = {0};
    take(s, r);
    const struct target target = {.kind = TARGET_PIDS, .pids = s->pids};
    getrlimit(RLIMIT_NOFILE, &files);
    int rc = target_open(&s->target, &target, &files, &err);
    if (rc < 0) {
        leave(s);
        return rc;
    }
    s->kind = SEAT_TIMED;
    rc = procfs_open(&s->proc, "/proc", &s->target, want);
    if (rc < 0) {
        leave(s);
        return rc;
    }
    procfs_keep(&s->proc, FILES_OF_PROC);
    procfs_read(&s->proc, NULL, begin);
    return 0;
}

static void open_seat(struct busiest *b, struct busiest_seat *s, const struct process_row *r) {
    if (!b->counts || r->n_thread > THREADS_MAX || open_counted(b, s, r) < 0)
        open_timed(s, r);
}

/* ---- its numbers ---- */

static void add_share(struct process_level1 *l, int root, double share) {
    if (root == METRIC_NONE || l->n == PROCESS_ROOTS)
        return;
    l->root[l->n] = (int16_t)root;
    l->share[l->n++] = (float)(share > 0 ? share : 0);
}

/* Of roots of which one is not known nothing can be said. False: nothing is. */
static bool shares_of(const struct model *m, const struct frame *f, struct process_level1 *l) {
    *l = (struct process_level1){.model = m};
    for (int i = next_root(m, 0); i != METRIC_NONE; i = next_root(m, i + 1)) {
        if (isnan(f->at[i].v))
            l->model = NULL;
        add_share(l, i, f->at[i].v);
    }
    return l->model && l->n > 0;
}

static bool read_counted(struct busiest *b, struct busiest_seat *s, struct process_level1 *l) {
    struct err err = {0};
    if (b->ops->read(&s->source, &s->sample, &err) < 0)
        return false;
    eval_run(&s->eval, &s->sample, &s->frame);
    return shares_of(&b->slots, &s->frame, l);
}

static double ns_of(const struct count *c) {
    return c->state == COUNT_OK && c->value > 0 ? c->value : 0;
}

/* Idle is no part of it: it was in the list for what it used. */
static bool read_timed(struct busiest *b, struct busiest_seat *s, struct process_level1 *l) {
    static const struct {
        const char *root;
        enum proc_event event;
    } parts[] = {
        {"User", PROC_UTIME_NS}, {"Kernel", PROC_STIME_NS}, {"Run_Queue_Wait", PROC_RUN_WAIT_NS}};
    enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
    struct count at[PROC_EVENTS];
    double sum = 0;
    procfs_read(&s->proc, NULL, at);
    for (int i = 0; i < PARTS; i++)
        sum += ns_of(&at[parts[i].event]);
    *l = (struct process_level1){.model = &b->times};
    for (int i = 0; i < PARTS && sum > 0; i++)
        add_share(l, model_find(&b->times, parts[i].root), ns_of(&at[parts[i].event]) / sum);
    return l->n > 0;
}

static void read_seat(struct busiest *b, struct busiest_seat *s, struct process_row *r) {
    const bool counted = s->kind == SEAT_COUNTED;
    if (counted ? read_counted(b, s, &r->level1) : read_timed(b, s, &r->level1)) {
        s->silent = 0;
        return;
    }
    r->level1 = (struct process_level1){0};
    if (counted && ++s->silent >= SILENT_MAX) { /* it runs on other cores, or counters are held */
        leave(s);
        open_timed(s, r);
    }
}

/* ---- which ---- */

static struct busiest_seat *seat_of(const struct busiest *b, const struct process_row *r) {
    for (int i = 0; i < BUSIEST_MAX; i++) {
        struct busiest_seat *s = &b->seat[i];
        if (s->kind != SEAT_EMPTY && s->pid == r->pid && s->start_ticks == r->start_ticks)
            return s;
    }
    return NULL;
}

static struct busiest_seat *empty_seat(const struct busiest *b) {
    int i = 0;
    while (i < BUSIEST_MAX && b->seat[i].kind != SEAT_EMPTY)
        i++;
    return i < BUSIEST_MAX ? &b->seat[i] : NULL;
}

static double rank_of(const struct busiest *b, const struct process_row *r) {
    return seat_of(b, r) ? r->cpu * STAYS : r->cpu;
}

/* The busiest rows, the first being the busiest. Returns how many. */
static int choose(const struct busiest *b, struct process_table *t,
                  struct process_row *row[BUSIEST_MAX]) {
    double rank[BUSIEST_MAX];
    int n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        struct process_row *r = &t->row[i];
        const double own = rank_of(b, r);
        if (r->kernel || r->cpu < IDLE_CPUS || (n == BUSIEST_MAX && own <= rank[n - 1]))
            continue;
        int at = n < BUSIEST_MAX ? n++ : n - 1;
        for (; at > 0 && rank[at - 1] < own; at--) {
            rank[at] = rank[at - 1];
            row[at] = row[at - 1];
        }
        rank[at] = own;
        row[at] = r;
    }
    return n;
}

static void close_others(struct busiest *b, struct process_row *const *row, int n) {
    for (int i = 0; i < BUSIEST_MAX; i++)
        b->seat[i].stays = false;
    for (int i = 0; i < n; i++) {
        struct busiest_seat *s = seat_of(b, row[i]);
        if (s)
            s->stays = true;
    }
    for (int i = 0; i < BUSIEST_MAX; i++)
        if (b->seat[i].kind != SEAT_EMPTY && !b->seat[i].stays)
            leave(&b->seat[i]);
}

void busiest_read(struct busiest *b, struct process_table *t) {
    struct process_row *row[BUSIEST_MAX];
    bool seated[BUSIEST_MAX];
    if (t->reading < 2 || !is_ready(b))
        return;
    const int n = choose(b, t, row);
    close_others(b, row, n);
    for (int i = 0; i < n; i++) {
        struct busiest_seat *s = seat_of(b, row[i]);
        seated[i] = s != NULL;
        if (s)
            read_seat(b, s, row[i]);
    }
    const uint64_t until_ns = clock_now_ns() + OPEN_MS * NS_PER_MS;
    for (int i = 0; i < n && clock_now_ns() < until_ns; i++) {
        struct busiest_seat *s = seated[i] ? NULL : empty_seat(b);
        if (s)
            open_seat(b, s, row[i]);
    }
}

void busiest_close(struct busiest *b) {
    for (int i = 0; b->seat && i < BUSIEST_MAX; i++)
        leave(&b->seat[i]);
    free(b->seat);
    free(b->wanted);
    model_free(&b->slots);
    model_free(&b->times);
    *b = (struct busiest){0};
}
