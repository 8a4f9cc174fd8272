/* From metrics that are wanted to groups of events. */
#include "pmu/plan/plan.h"

#include "base/array.h"
#include "model/eval/eval.h"
#include "model/eval/sample.h"
#include "pmu/plan/focus.h"
#include "pmu/plan/plan_demand.h"
#include "pmu/plan/plan_fit.h"
#include "pmu/plan/plan_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A group of the plan that is being made. */
struct draft {
    enum event_pmu pmu;
    struct event_set events;
    uint32_t n_shared;
    bool slots, pinned, unfit;
};

struct known_demand {
    bool there;
    struct demand demand;
};

struct planner {
    const struct model *m;
    const struct plan_options *opt;
    struct demand_from from;
    struct fit fit;
    ARRAY(struct draft) group;
    ARRAY(struct pack_item) item; /* of the kind that is being packed */
    uint32_t branch;              /* of the next item */
    bool top;                     /* the next item is for what is always in focus */
    enum event_pmu kind;          /* of the items */
    bool *wanted;                 /* [n_metric] */
    bool *in_top;                 /* [n_metric] levels 1 and 2, vital signs, parts of the time, what
                                     those refer to */
    bool *unfit;                  /* [n_metric] */
    bool *added;                  /* [n_metric] its items are there */
    struct known_demand *demand;  /* [n_metric] see demand_for */
    uint8_t *blocked;             /* [n_event] why it cannot be counted whatever we do; COUNT_OK */
    struct event_set held; /* fixed-only events of the pinned group: others take them from there */
    int rc;
};

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
 * The slots without PERF_METRICS, where another user has the fixed counter: there are formulas
 * without them. Other events wait until theirs is free.
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

/* Of the tree. */
static bool is_level(const struct metric *mt, int level) {
    return mt->kind == METRIC_TREE && mt->level == level;
}

/* What is in focus whatever else is. */
static void want_top(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        const struct metric *mt = &pl->m->metric[i];
        if (pl->wanted[i] &&
            (mt->vital || mt->time != TIME_NONE || is_level(mt, 1) || is_level(mt, 2)))
            demand_want(&pl->from, (int)i, pl->in_top);
    }
}

/* True if the metric is wanted, and the model can give it. */
static bool is_asked(const struct planner *pl, uint32_t metric) {
    return pl->wanted[metric] && !pl->m->metric[metric].unavailable;
}

/* What the formula in use asks for; found out when it is first asked. */
static const struct demand *demand_for(const struct planner *pl, uint32_t metric) {
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
        if (!is_asked(pl, i))
            continue;
        const struct event_set *events = &demand_for(pl, i)->events;
        for (uint32_t k = 0; k < events->n; k++)
            if (pl->m->event[events->at[k]].perf_metrics)
                set_add(group, events->at[k]);
    }
}

/*
 * What a metric needs joins the group whole or not at all. It is always on the PMU, so what it
 * takes of the general counters no other event ever has: at most half of them.
 */
static void join(const struct planner *pl, uint32_t metric, bool for_free,
                 struct event_set *group) {
    const struct event_set *events = &demand_for(pl, metric)->events;
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
            bool turn = round == 0 ? is_level(mt, 1) : round == 1 ? mt->vital : is_level(mt, 2);
            if (turn && is_asked(pl, i))
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

/* A fixed counter that no other event could use anyway costs no turn. */
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

/* ---- what competes for counters ---- */

/*
 * From formulas to groups of those events that compete for counters. Each formula is an item, or
 * several where it does not fit one group; plan_pack.h decides which items stand together. They are
 * named in the order in which groups are to be found: what is always in focus, then branch by
 * branch of the tree, then what stands beside it.
 */

static bool is_of_kind(const struct planner *pl, uint16_t event) {
    return pl->m->event[event].pmu == pl->kind && !set_has(&pl->held, event);
}

static struct event_set of_kind(const struct planner *pl, const struct event_set *s) {
    struct event_set out = {0};
    for (uint32_t i = 0; i < s->n; i++)
        if (is_of_kind(pl, s->at[i]))
            set_add(&out, s->at[i]);
    return out;
}

static struct event_set without(const struct event_set *s, const struct event_set *those) {
    struct event_set out = {0};
    for (uint32_t i = 0; i < s->n; i++)
        if (!set_has(those, s->at[i]))
            set_add(&out, s->at[i]);
    return out;
}

/* Where items come from while a formula is cut. */
struct cutting {
    struct planner *pl;
    const struct event_set *divisors;
};

static void add_item(struct planner *pl, const struct event_set *events,
                     const struct event_set *divisors, bool part) {
    struct pack_item it = {.events = *events, .branch = pl->branch, .top = pl->top, .part = part};
    for (uint32_t i = 0; i < divisors->n; i++)
        if (set_has(events, divisors->at[i]))
            set_add(&it.divisors, divisors->at[i]);
    if (array_push(&pl->item, it))
        pl->rc = -ENOMEM;
}

static void add_part(void *user, const struct event_set *part) {
    const struct cutting *c = user;
    add_item(c->pl, part, c->divisors, true);
}

/*
 * Does a formula take from the pinned group what that has? It is on all the time, so the parts of
 * the formula see different times then, if not very. Yes, where the formula does not fit otherwise;
 * where few counters are left, and copies of the clock would take half of them; and where it is
 * read from there anyway: from the group that has most of its events (eval.h).
 */
static bool leans_on_pinned(const struct planner *pl, const struct event_set *events,
                            const struct event_set *set) {
    enum { FEW = 4 };
    const struct event_set rest = without(set, &pl->fit.always);
    uint32_t pinned = events->n - without(events, &pl->fit.always).n;
    return pl->fit.general - fit_general(&pl->fit, &pl->fit.always) < FEW ||
           (rest.n == 1 && pinned >= set->n) || !fit_together(&pl->fit, set, NULL);
}

/* What does not fit even so is cut, and the metric marked. */
static void add_formula(struct planner *pl, uint32_t metric) {
    const struct demand *d = demand_for(pl, metric);
    struct event_set set = of_kind(pl, &d->events);
    if (set_has_all(&pl->fit.always, &set))
        return;
    if (leans_on_pinned(pl, &d->events, &set))
        set = without(&set, &pl->fit.always);
    if (fit_together(&pl->fit, &set, NULL)) {
        add_item(pl, &set, &d->divisors, false);
        return;
    }
    struct cutting c = {pl, &d->divisors};
    pl->unfit[metric] |= set.n > 1;
    demand_split(&pl->from, &pl->fit, demand_formula(&pl->from, &pl->m->metric[metric]), &set,
                 add_part, &c);
}

/* Events that a threshold names itself; its metrics have been planned. */
static void add_threshold(struct planner *pl, const struct ast *a) {
    if (!a)
        return;
    if (a->op == AST_EVENT && pl->blocked[a->index] == COUNT_OK &&
        is_of_kind(pl, (uint16_t)a->index) && !set_has(&pl->fit.always, (uint16_t)a->index)) {
        const struct event_set one = set_of((uint16_t)a->index), none = {.n = 0};
        add_item(pl, &one, &none, false);
    }
    for (int i = 0; i < 3; i++)
        add_threshold(pl, a->kid[i]);
}

static void add_metric(struct planner *pl, uint32_t metric) {
    if (pl->added[metric] || !is_asked(pl, metric))
        return;
    pl->added[metric] = true;
    add_formula(pl, metric);
    add_threshold(pl, pl->m->metric[metric].threshold);
}

/* Level 1 as one item, if that fits: its nodes add up to 1 because they saw the same time. */
static void add_level_1(struct planner *pl) {
    struct demand all = {0};
    for (uint32_t i = 0; i < pl->m->n_tree; i++) {
        if (!is_level(&pl->m->metric[i], 1) || !is_asked(pl, i))
            continue;
        const struct demand *d = demand_for(pl, i);
        const struct event_set set = of_kind(pl, &d->events);
        set_add_all(&all.events, &set);
        set_add_all(&all.divisors, &d->divisors);
    }
    all.events = without(&all.events, &pl->fit.always);
    bool whole = all.events.n > 0 && fit_together(&pl->fit, &all.events, NULL);
    if (whole)
        add_item(pl, &all.events, &all.divisors, false);
    for (uint32_t i = 0; i < pl->m->n_tree; i++)
        if (is_level(&pl->m->metric[i], 1))
            add_metric(pl, i);
    pl->branch += whole; /* else level 2 may fill its groups up */
}

/* What is always in focus: as few groups as possible for it. */
static void add_top(struct planner *pl) {
    pl->top = true;
    add_level_1(pl);
    for (uint32_t i = 0; i < pl->m->n_metric; i++)
        if (pl->in_top[i])
            add_metric(pl, i);
    pl->branch++;
    pl->top = false;
}

/* Below a node of level 2, level by level; the children of one node are opened together. */
static void add_below(struct planner *pl, uint32_t top) {
    const struct metric *mt = pl->m->metric;
    uint32_t end = top + 1;
    int deepest = 0;
    for (; end < pl->m->n_tree && mt[end].level > 2; end++)
        deepest = mt[end].level > deepest ? mt[end].level : deepest;
    for (int level = 3; level <= deepest; level++)
        for (uint32_t i = top + 1, before = top; i < end; i++) {
            if (mt[i].level != level)
                continue;
            pl->branch += mt[i].parent != mt[before].parent;
            before = i;
            add_metric(pl, i);
        }
    pl->branch++;
}

/* Is the first of its groups ("Mem;MemoryBW") this one? It ends where it is told. */
static bool in_group_first(const struct metric *mt, const char *group, size_t len) {
    const char *own = mt->groups ? mt->groups : "";
    return strncmp(own, group, len) == 0 && (own[len] == ';' || own[len] == '\0');
}

static void add_beside(struct planner *pl) {
    for (uint32_t i = pl->m->n_tree; i < pl->m->n_metric; i++) {
        if (pl->added[i] || !is_asked(pl, i))
            continue;
        const char *group = pl->m->metric[i].groups ? pl->m->metric[i].groups : "";
        const size_t len = strcspn(group, ";");
        for (uint32_t k = i; k < pl->m->n_metric; k++)
            if (!pl->added[k] && in_group_first(&pl->m->metric[k], group, len))
                add_metric(pl, k);
    }
}

/* ---- groups ---- */

/* Divisors of most of the items: they are repeated if the kernel wants the group split. */
static struct event_set common_divisors(const struct planner *pl, uint32_t group) {
    enum { MOST = 2 };
    struct event_set all = {0}, out = {0};
    uint32_t n_item = 0, uses[sizeof(all.at) / sizeof(all.at[0])] = {0};
    for (size_t i = 0; i < pl->item.n; i++) {
        const struct pack_item *it = &pl->item.at[i];
        if (it->group != group)
            continue;
        n_item++;
        for (uint32_t k = 0; k < it->divisors.n; k++) {
            set_add(&all, it->divisors.at[k]);
            for (uint32_t e = 0; e < all.n; e++)
                uses[e] += all.at[e] == it->divisors.at[k];
        }
    }
    for (uint32_t e = 0; e < all.n && out.n < MOST; e++)
        if (uses[e] * 2 > n_item)
            set_add(&out, all.at[e]);
    return out;
}

static void add_group(struct planner *pl, uint32_t group) {
    struct draft d = {.pmu = pl->kind, .events = common_divisors(pl, group)};
    d.n_shared = d.events.n;
    for (size_t i = 0; i < pl->item.n; i++) {
        const struct pack_item *it = &pl->item.at[i];
        if (it->group != group)
            continue;
        set_add_all(&d.events, &it->events);
        d.unfit |= it->part;
    }
    if (array_push(&pl->group, d))
        pl->rc = -ENOMEM;
}

/* Events that compete for counters. */
static void plan_counters(struct planner *pl, enum event_pmu kind) {
    uint32_t n_group = 0;
    pl->kind = kind;
    pl->item.n = 0;
    pl->branch = 0;
    memset(pl->added, 0, pl->m->n_metric * sizeof(*pl->added));
    add_top(pl);
    for (uint32_t i = 0; i < pl->m->n_tree; i++)
        if (is_level(&pl->m->metric[i], 2))
            add_below(pl, i);
    add_beside(pl);
    if (!pl->rc)
        pl->rc = pack_items(&pl->fit, pl->item.at, (uint32_t)pl->item.n, &n_group);
    for (uint32_t g = 0; g < n_group && !pl->rc; g++)
        add_group(pl, g);
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
        if (!metrics[i] || !is_asked(pl, i))
            continue;
        const struct event_set *events = &demand_for(pl, i)->events;
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
 * two, that which is always in focus and the rest, so that the rest costs nothing while it is not
 * shown.
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

/* ---- what is always in focus ---- */

/*
 * Which groups of a plan are always in focus. Which group a formula reads is decided when it is
 * bound to a layout (eval.h), so the plan is taken for a layout and the answer is asked for there:
 * what the session will ask for is then what the source has opened at first.
 */

int plan_layout(struct layout *l, const struct plan *p, const struct model *m,
                const struct plan_options *opt) {
    int rc = layout_init(l, m->n_event, COUNT_NOT_PLANNED, p->n_event);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < m->n_event; i++)
        l->missing[i] = p->missing[i];
    for (uint32_t g = 0; g < p->n_group; g++)
        for (uint32_t i = 0; i < p->group[g].n; i++)
            layout_add(l, p->event[p->group[g].first + i], (uint16_t)g);
    l->no_perf_metrics = opt->no_perf_metrics;
    return 0;
}

static void mark(struct plan *p, const struct focus *f, const bool *none) {
    struct group_set top, level1 = {.only = true};
    focus_want(f, none, &top);
    for (uint32_t i = 0; i < f->model->n_metric; i++)
        if (f->model->metric[i].kind == METRIC_TREE && f->model->metric[i].level == 1)
            for (int w = 0; w < FOCUS_WORDS; w++)
                level1.bits[w] |= f->groups[(size_t)i * FOCUS_WORDS + (size_t)w];
    for (uint32_t g = 0; g < p->n_group; g++) {
        p->group[g].top = group_set_has(&top, g) || p->group[g].slots;
        p->group[g].level1 = group_set_has(&level1, g) || p->group[g].slots;
        p->group[g].level1_values =
            g < FOCUS_WORDS * 64 && (f->level1.bits[g / 64] >> (g % 64) & 1);
    }
}

/* Fills `top` and `level1` of all groups. 0 or a negative errno with words. */
static int mark_top(struct plan *p, const struct model *m, const struct plan_options *opt,
                    struct err *err) {
    struct layout layout = {0};
    struct eval ev = {0};
    struct focus focus = {0};
    struct consts consts;
    consts_init(&consts);
    bool *none = calloc(m->n_metric + 1u, sizeof(*none));
    int rc = none ? plan_layout(&layout, p, m, opt) : -ENOMEM;
    if (rc)
        err_set(err, rc, "out of memory for the event plan");
    else
        rc = eval_init(&ev, m, &layout, opt->consts ? opt->consts : &consts, err);
    if (!rc && (rc = focus_init(&focus, m, &layout, &ev)) < 0)
        err_set(err, rc, "out of memory for the focus");
    if (!rc)
        mark(p, &focus, none);
    focus_destroy(&focus);
    eval_destroy(&ev);
    layout_destroy(&layout);
    free(none);
    return rc;
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
        plan_counters(pl, EVENT_CORE);
    if (!pl->rc)
        plan_counters(pl, EVENT_GENERIC);
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
        pl.rc = mark_top(p, m, opt, err);
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
