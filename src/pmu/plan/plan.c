#include "pmu/plan/plan.h"

#include "model/eval/sample.h"
#include "pmu/plan/plan_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wanted ---- */

static void want_all(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        const struct metric *mt = &pl->m->metric[i];
        bool tree = mt->kind == METRIC_TREE && mt->level <= pl->opt->level;
        bool always = mt->vital || mt->time != TIME_NONE;
        if (pl->opt->wanted ? pl->opt->wanted[i] : pl->opt->level == 0 || tree || always)
            demand_want(&pl->from, (int)i, pl->wanted);
    }
}

/*
 * The slots without PERF_METRICS, whose fixed counter somebody else has: there are formulas without
 * them. Other events wait until theirs is free.
 */
static bool is_held(const struct planner *pl, const struct event *ev) {
    if (!pl->opt->no_perf_metrics || !model_fixed_only(ev))
        return false;
    for (uint32_t i = 0; i < pl->m->n_event; i++)
        if (pl->m->event[i].slots_leader && pl->m->event[i].fixed == ev->fixed)
            return pl->opt->fixed_taken >> ev->fixed & 1;
    return false;
}

/*
 * Events that cannot be counted whatever we do, with the reason. Per core: a thread's share of what
 * its core did needs the count of the sibling, too, which a task does not have; where whole cores
 * are measured both sums are the same, so that the share is a constant and says nothing.
 */
static void block(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_event; i++) {
        const struct event *ev = &pl->m->event[i];
        if (ev->pmu == EVENT_UNCORE && !pl->opt->uncore)
            pl->blocked[i] = COUNT_UNCORE;
        else if (ev->percore)
            pl->blocked[i] = COUNT_PERCORE;
        else if (ev->perf_metrics && pl->opt->no_perf_metrics)
            pl->blocked[i] = COUNT_NOT_SUPPORTED;
        else if (is_held(pl, ev))
            pl->blocked[i] = COUNT_HELD;
        else if (pl->opt->refused)
            pl->blocked[i] = pl->opt->refused[i];
    }
}

bool planner_is_level(const struct metric *mt, int level) {
    return mt->kind == METRIC_TREE && mt->level == level;
}

/* What is in focus whatever else is. */
static void want_top(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        const struct metric *mt = &pl->m->metric[i];
        if (pl->wanted[i] && (mt->vital || mt->time != TIME_NONE || planner_is_level(mt, 1) ||
                              planner_is_level(mt, 2)))
            demand_want(&pl->from, (int)i, pl->in_top);
    }
}

bool planner_is_asked(const struct planner *pl, uint32_t metric) {
    return pl->wanted[metric] && !pl->m->metric[metric].unavailable;
}

const struct demand *planner_demand(const struct planner *pl, uint32_t metric) {
    struct known_demand *known = &pl->demand[metric];
    if (!known->there)
        known->demand = demand_of(&pl->from, demand_formula(&pl->from, &pl->m->metric[metric]));
    known->there = true;
    return &known->demand;
}

/* ---- group 0 of Intel's PERF_METRICS ---- */

static int find_leader(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].slots_leader)
            return (int)i;
    return -1;
}

static void collect_perf_metrics(const struct planner *pl, struct event_set *group) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        if (!planner_is_asked(pl, i))
            continue;
        const struct event_set *events = &planner_demand(pl, i)->events;
        for (uint32_t k = 0; k < events->n; k++)
            if (pl->m->event[events->at[k]].perf_metrics)
                set_add(group, events->at[k]);
    }
}

/*
 * What a metric needs joins the group whole or not at all. It is always on the PMU, so what it
 * takes of the general counters nobody else ever has: at most half of them.
 */
static void join(const struct planner *pl, uint32_t metric, bool for_free,
                 struct event_set *group) {
    const struct event_set *events = &planner_demand(pl, metric)->events;
    struct event_set with = *group;
    for (uint32_t k = 0; k < events->n; k++)
        if (pl->m->event[events->at[k]].pmu == EVENT_CORE)
            set_add(&with, events->at[k]);
    int before = fit_general(&pl->fit, group), after = fit_general(&pl->fit, &with);
    if (after < 0 || after > (for_free ? before : pl->fit.general / 2))
        return;
    *group = with;
}

/* Level 1, the vital signs; of level 2 what costs no counter. In this order. */
static void collect_company(const struct planner *pl, struct event_set *group) {
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < pl->m->n_metric; i++) {
            const struct metric *mt = &pl->m->metric[i];
            bool turn = round == 0   ? planner_is_level(mt, 1)
                        : round == 1 ? mt->vital
                                     : planner_is_level(mt, 2);
            if (turn && planner_is_asked(pl, i))
                join(pl, i, round == 2, group);
        }
}

static void plan_slots_group(struct planner *pl) {
    int leader = pl->opt->no_perf_metrics ? -1 : find_leader(pl->m);
    if (leader < 0)
        return;
    struct event_set set = set_of((uint16_t)leader);
    collect_perf_metrics(pl, &set);
    if (set.n == 1) /* nothing asks for them */
        return;
    collect_company(pl, &set);
    pl->rc = array_push(
        &pl->group,
        (struct draft){
            .pmu = EVENT_CORE, .events = set, .n_shared = 1, .slots = true, .pinned = true});
    fit_hold(&pl->fit, &set);
    for (uint32_t i = 0; i < set.n; i++)
        if (model_fixed_only(&pl->m->event[set.at[i]]) || pl->m->event[set.at[i]].perf_metrics)
            set_add(&pl->held, set.at[i]);
}

/* ---- a clock ---- */

/* A fixed counter that no other event could use anyway costs nobody a turn. */
static void plan_clock_group(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_event && !pl->group.n; i++) {
        const struct event *ev = &pl->m->event[i];
        const struct event_set set = set_of((uint16_t)i);
        if (ev->pmu != EVENT_CORE || pl->blocked[i] != COUNT_OK || !model_fixed_only(ev) ||
            ev->slots_leader || !fit_together(&pl->fit, &set, NULL))
            continue;
        pl->rc = array_push(&pl->group,
                            (struct draft){.pmu = EVENT_CORE, .events = set, .pinned = true});
        pl->held = set;
        fit_hold(&pl->fit, &set);
        return;
    }
}

/* ---- what competes for nothing ---- */

static void collect_leaf(const struct ast *leaf, void *user) {
    if (leaf->op == AST_EVENT)
        set_add(user, (uint16_t)leaf->index);
}

static void note_kind(const struct planner *pl, uint16_t event, bool *seen) {
    seen[event] |= pl->m->event[event].pmu == pl->kind && pl->blocked[event] == COUNT_OK;
}

/* All events of a kind that metrics name. */
static void collect_kind(struct planner *pl, enum event_pmu kind, const bool *metrics, bool *seen) {
    pl->kind = kind;
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        if (!metrics[i] || !planner_is_asked(pl, i))
            continue;
        const struct event_set *events = &planner_demand(pl, i)->events;
        for (uint32_t k = 0; k < events->n; k++)
            note_kind(pl, events->at[k], seen);
        if (!pl->m->metric[i].threshold)
            continue;
        struct event_set named = {.n = 0};
        expr_leaves(pl->m->metric[i].threshold, collect_leaf, &named);
        for (uint32_t k = 0; k < named.n; k++)
            note_kind(pl, named.at[k], seen);
    }
}

/* Groups of the events of a kind that metrics name, but those that are done. */
static void add_free_groups(struct planner *pl, enum event_pmu kind, const bool *metrics,
                            bool alone, bool *done) {
    bool *seen = calloc(pl->m->n_event + 1u, sizeof(*seen));
    struct draft d = {.pmu = kind};
    if (!seen) {
        pl->rc = -ENOMEM;
        return;
    }
    collect_kind(pl, kind, metrics, seen);
    for (uint32_t i = 0; i < pl->m->n_event && !pl->rc; i++) {
        if (seen[i] && !done[i])
            set_add(&d.events, (uint16_t)i);
        done[i] |= seen[i];
        if (d.events.n > 0 && (alone || i + 1 == pl->m->n_event || d.events.n == PLAN_GROUP_MAX)) {
            pl->rc = array_push(&pl->group, d);
            set_cut(&d.events, 0);
        }
    }
    free(seen);
}

/*
 * Events that compete for nothing. Outside the core each stands by itself: its boxes share no
 * counter with the cores, and the kernel lets them take turns box by box. What the kernel counts
 * itself is one group where nothing else is counted, so that one read has it; beside others it is
 * two, that which is always in focus and the rest, so that the rest costs nothing while nobody
 * looks.
 */
static void plan_free_of_counters(struct planner *pl, enum event_pmu kind, bool alone) {
    bool *done = calloc(pl->m->n_event + 1u, sizeof(*done));
    pl->rc = done ? 0 : -ENOMEM;
    if (!pl->rc && kind == EVENT_SOFTWARE && pl->group.n > 0)
        add_free_groups(pl, kind, pl->in_top, alone, done);
    if (!pl->rc)
        add_free_groups(pl, kind, pl->wanted, alone, done);
    free(done);
}

/* ---- the result ---- */

static int finish(struct planner *pl, struct plan *p) {
    uint32_t n = 0;
    for (size_t i = 0; i < pl->group.n; i++)
        n += pl->group.at[i].events.n;
    p->event = calloc(n ? n : 1, sizeof(*p->event));
    p->group = calloc(pl->group.n ? pl->group.n : 1, sizeof(*p->group));
    if (!p->event || !p->group)
        return -ENOMEM;
    for (size_t i = 0; i < pl->group.n; i++) {
        const struct draft *d = &pl->group.at[i];
        p->group[p->n_group++] = (struct plan_group){.pmu = d->pmu,
                                                     .first = p->n_event,
                                                     .n = d->events.n,
                                                     .n_shared = d->n_shared,
                                                     .slots = d->slots,
                                                     .pinned = d->pinned,
                                                     .unfit = d->unfit};
        for (uint32_t k = 0; k < d->events.n; k++) {
            p->event[p->n_event++] = d->events.at[k];
            p->missing[d->events.at[k]] = COUNT_OK;
        }
    }
    return 0;
}

static void plan_groups(struct planner *pl) {
    plan_slots_group(pl);
    if (!pl->rc && pl->opt->clock)
        plan_clock_group(pl);
    if (!pl->rc)
        planner_counters(pl, EVENT_CORE);
    if (!pl->rc)
        planner_counters(pl, EVENT_GENERIC);
    if (!pl->rc)
        plan_free_of_counters(pl, EVENT_SOFTWARE, false);
    if (!pl->rc)
        plan_free_of_counters(pl, EVENT_PROC, false);
    if (!pl->rc)
        plan_free_of_counters(pl, EVENT_UNCORE, true);
}

static bool planner_alloc(struct planner *pl, struct plan *p) {
    pl->wanted = calloc(pl->m->n_metric + 1u, sizeof(*pl->wanted));
    pl->in_top = calloc(pl->m->n_metric + 1u, sizeof(*pl->in_top));
    pl->added = calloc(pl->m->n_metric + 1u, sizeof(*pl->added));
    pl->blocked = calloc(pl->m->n_event + 1u, sizeof(*pl->blocked));
    pl->demand = calloc(pl->m->n_metric + 1u, sizeof(*pl->demand));
    pl->unfit = p->unfit = calloc(pl->m->n_metric + 1u, sizeof(*p->unfit));
    p->missing = malloc(pl->m->n_event + 1u);
    return pl->wanted && pl->in_top && pl->added && pl->blocked && pl->demand && p->unfit &&
           p->missing;
}

int plan_make(struct plan *p, const struct model *m, const struct plan_options *opt,
              struct err *err) {
    struct planner pl = {.m = m, .opt = opt};
    *p = (struct plan){0};
    if (planner_alloc(&pl, p)) {
        pl.from = (struct demand_from){
            .model = m, .blocked = pl.blocked, .no_perf_metrics = opt->no_perf_metrics};
        consts_init(&pl.from.consts);
        if (opt->consts)
            pl.from.consts = *opt->consts;
        fit_init(&pl.fit, m, opt);
        block(&pl);
        for (uint32_t i = 0; i < m->n_event; i++)
            p->missing[i] = pl.blocked[i] != COUNT_OK ? pl.blocked[i] : COUNT_NOT_PLANNED;
        want_all(&pl);
        want_top(&pl);
        plan_groups(&pl);
    } else {
        pl.rc = -ENOMEM;
    }
    if (!pl.rc)
        pl.rc = finish(&pl, p);
    if (pl.rc)
        err_set(err, pl.rc, "out of memory for the event plan");
    else
        pl.rc = plan_mark_top(p, m, opt, err);
    if (!pl.rc && opt->clock && p->n_group && p->group[0].pinned)
        p->group[0].top = p->group[0].level1 = true;
    array_free(&pl.group);
    array_free(&pl.item);
    free(pl.wanted);
    free(pl.in_top);
    free(pl.added);
    free(pl.blocked);
    free(pl.demand);
    if (pl.rc)
        plan_free(p);
    return pl.rc;
}

void plan_free(struct plan *p) {
    free(p->event);
    free(p->group);
    free(p->missing);
    free(p->unfit);
    *p = (struct plan){0};
}
