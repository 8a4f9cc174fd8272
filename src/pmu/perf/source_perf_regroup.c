/*
 * Other groups behind the same layout. When there are fewer counters than at the start, or more
 * again, the plan is made again for those there are, and opened; the layout, and with it history,
 * sums and the evaluation, stay what they are. Each slot gets its event from the new group that
 * has most of the slot's old one; if they cannot be opened the old ones are opened again. Where an
 * old group was cut, the parts of a formula see different times from then on, as in any plan for so
 * few counters. What no new group counts is stale.
 */
#include "base/clock.h"
#include "base/log.h"
#include "pmu/perf/perf_residency.h"
#include "pmu/perf/source_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is put in place of the old. */
struct regroup {
    struct plan plan;
    struct perf_shape shape;
    struct perf_units units;
    uint32_t *counter, *group; /* [n_perf] of each slot */
    uint64_t *silent_ns;
    bool *on; /* [n_group] */
    struct budget budget;
};

/* ---- which counter serves a slot ---- */

/* The counter that counts an event in a group of the shape; -1. */
static int64_t counter_of(const struct perf_shape *sh, uint32_t group, uint16_t event) {
    const struct perf_group *pg = &sh->group[group];
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        if (sh->counter[i].event == event)
            return i;
        for (uint32_t k = 0; k < sh->n_alias; k++)
            if (sh->alias[k].event == event && sh->alias[k].of == sh->counter[i].event &&
                sh->alias[k].plan_group == pg->plan_group)
                return i;
    }
    return -1;
}

/* How many events of a group of the layout a group of the shape has. */
static uint32_t count_common(const struct source *src, const struct perf_shape *sh, uint32_t group,
                             uint32_t of_layout) {
    const struct perf *p = src->priv;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->slots.n_perf; i++)
        n += src->layout.slot[i].group == of_layout &&
             counter_of(sh, group, src->layout.slot[i].event) >= 0;
    return n;
}

static void serve_slot(const struct source *src, const struct perf_shape *sh, uint32_t slot,
                       uint32_t *counter, uint32_t *group) {
    const struct slot *s = &src->layout.slot[slot];
    uint32_t most = 0;
    *group = NOT_SERVED;
    for (uint32_t g = 0; g < sh->n_group; g++) {
        int64_t c = counter_of(sh, g, s->event);
        uint32_t common = c < 0 ? 0 : count_common(src, sh, g, s->group);
        if (common <= most)
            continue;
        most = common;
        *group = g;
        *counter = (uint32_t)c;
    }
}

/* A group is always in focus if it serves what was. */
static void serve_all(const struct source *src, struct regroup *r) {
    const struct perf *p = src->priv;
    for (uint32_t g = 0; g < r->shape.n_group; g++)
        r->shape.group[g].top = r->shape.group[g].level1 = false;
    for (uint32_t i = 0; i < p->slots.n_perf; i++) {
        serve_slot(src, &r->shape, i, &r->counter[i], &r->group[i]);
        if (r->group[i] == NOT_SERVED)
            continue;
        struct perf_group *pg = &r->shape.group[r->group[i]];
        uint32_t old = src->layout.slot[i].group;
        pg->top |= p->watch.top[old];
        pg->level1 |= p->watch.level1[old];
    }
}

void perf_focus_groups(const struct source *src, const struct group_set *set, bool *on) {
    const struct perf *p = src->priv;
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        on[g] = p->shape.group[g].top && p->stage < STAGE_LEVEL1;
    for (uint32_t i = 0; i < p->slots.n_perf; i++)
        if (p->slots.group[i] != NOT_SERVED && group_set_has(set, src->layout.slot[i].group))
            on[p->slots.group[i]] = true;
}

/* ---- making ---- */

static void regroup_free(struct regroup *r) {
    perf_units_close(&r->units);
    perf_shape_free(&r->shape);
    plan_free(&r->plan);
    free(r->counter);
    free(r->group);
    free(r->silent_ns);
    free(r->on);
}

/* Lists the target's threads or CPUs as they are now; twice, as rows are made for what is always
 * in focus, and that is known once the shape is. */
static int begin(const struct source *src, struct regroup *r, struct err *err) {
    const struct perf *p = src->priv;
    int rc = perf_shape_wish(&r->shape, src->model, &r->plan, &p->mc, &p->how, err);
    for (int round = 0; round < 2 && !rc; round++) {
        if (round)
            serve_all(src, r);
        perf_units_close(&r->units);
        r->units = (struct perf_units){
            .plan = &r->plan, .target = &p->target, .shape = &r->shape, .mode = p->units.mode};
        r->units.mode.no_pin = false;
        rc = perf_units_begin(&r->units);
    }
    return rc;
}

static int make(struct source *src, struct regroup *r, struct err *err) {
    const struct perf *p = src->priv;
    struct plan_options opt = perf_plan_options(src);
    opt.general = r->budget.general;
    opt.free = r->budget.free;
    opt.fixed_taken = r->budget.fixed_taken | r->budget.fixed_gone;
    int rc = plan_make(&r->plan, src->model, &opt, err);
    r->counter = calloc(p->slots.n_perf + 1u, sizeof(*r->counter));
    r->group = calloc(p->slots.n_perf + 1u, sizeof(*r->group));
    if (!rc && (!r->counter || !r->group))
        rc = -ENOMEM;
    if (!rc)
        rc = begin(src, r, err);
    if (rc)
        return rc;
    r->silent_ns = calloc(r->shape.n_group + 1u, sizeof(*r->silent_ns));
    r->on = calloc(r->shape.n_group + 1u, sizeof(*r->on));
    return r->silent_ns && r->on ? 0 : -ENOMEM;
}

#define SWAP(a, b)                                                                                 \
    do {                                                                                           \
        __typeof__(a) kept_ = (a);                                                                 \
        (a) = (b);                                                                                 \
        (b) = kept_;                                                                               \
    } while (0)

/* Twice: all is as it was. */
static void exchange(struct perf *p, struct regroup *r) {
    SWAP(p->on, r->on);
    SWAP(p->plan, r->plan);
    SWAP(p->shape, r->shape);
    SWAP(p->units, r->units);
    SWAP(p->slots.counter, r->counter);
    SWAP(p->slots.group, r->group);
    SWAP(p->watch.silent_ns, r->silent_ns);
    SWAP(p->budget, r->budget);
    p->units.plan = &p->plan;
    p->units.shape = &p->shape;
    r->units.plan = &r->plan;
    r->units.shape = &r->shape;
    perf_rows_rebind(&p->rows, &p->slots, &p->units);
}

/* ---- opening ---- */

enum { FOCUS_MS = 40 };

/* What was opened last by focus, too. */
static int count_again(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    int rc = perf_count(src, err);
    if (rc || !p->watch.focused)
        return rc;
    perf_focus_groups(src, &p->watch.asked, p->on);
    p->units.off_state = COUNT_NOT_FOCUSED;
    rc = perf_units_focus(&p->units, p->on, clock_now_ns() + FOCUS_MS * NS_PER_MS);
    perf_residency_plan(src);
    return rc;
}

/* The new groups cannot be opened: the old ones once more. */
static void go_back(struct source *src, struct regroup *r) {
    struct perf *p = src->priv;
    perf_units_shut(&p->units);
    exchange(p, r);
    int rc = perf_units_open(&p->units, clock_now_ns() + FOCUS_MS * NS_PER_MS);
    if (rc && rc != -EAGAIN)
        log_line("perf: the groups as they were: %s", strerror(-rc));
    perf_residency_plan(src);
}

/* The old groups are closed before the new ones are opened: for both there may be no descriptors.
 */
static int put_in_place(struct source *src, struct regroup *r, struct err *err) {
    struct perf *p = src->priv;
    const enum perf_stage stage = p->stage;
    const bool short_of_files = p->short_of_files;
    const uint64_t files_wanted = p->files_wanted;
    exchange(p, r);
    perf_units_shut(&r->units);
    int rc = count_again(src, err);
    if (!rc)
        return 0;
    go_back(src, r);
    p->stage = stage;
    p->short_of_files = short_of_files;
    p->files_wanted = files_wanted;
    return rc;
}

int perf_regroup(struct source *src, const struct budget *budget) {
    const struct perf *p = src->priv;
    struct regroup r = {.budget = *budget};
    struct err err = {0};
    const uint64_t begin_ns = clock_now_ns();
    int rc = make(src, &r, &err);
    if (!rc)
        rc = put_in_place(src, &r, &err);
    regroup_free(&r);
    log_line("perf: %d general counters now: %u groups%s%s; %llu us", budget->general,
             p->shape.n_group, rc ? " as before: " : "",
             !rc           ? ""
             : err.text[0] ? err.text
                           : strerror(-rc),
             (unsigned long long)(clock_now_ns() - begin_ns) / 1000);
    return rc;
}
