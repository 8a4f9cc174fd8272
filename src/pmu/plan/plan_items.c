/*
 * From formulas to groups of those events that compete for counters. Each formula is an item, or
 * several where it does not fit one group; which items stand together plan_pack.h decides. They are
 * named in the order in which groups are to be found: what is always in focus, then branch by
 * branch of the tree, then what stands beside it.
 */
#include "pmu/plan/plan_impl.h"

#include "model/eval/sample.h"

#include <errno.h>
#include <string.h>

/* ---- formulas as items ---- */

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
    const struct demand *d = planner_demand(pl, metric);
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
    if (pl->added[metric] || !planner_is_asked(pl, metric))
        return;
    pl->added[metric] = true;
    add_formula(pl, metric);
    add_threshold(pl, pl->m->metric[metric].threshold);
}

/* ---- in which order ---- */

/* Level 1 as one item, if that fits: its nodes add up to 1 because they saw the same time. */
static void add_level_1(struct planner *pl) {
    struct demand all = {0};
    for (uint32_t i = 0; i < pl->m->n_tree; i++) {
        if (!planner_is_level(&pl->m->metric[i], 1) || !planner_is_asked(pl, i))
            continue;
        const struct demand *d = planner_demand(pl, i);
        const struct event_set set = of_kind(pl, &d->events);
        set_add_all(&all.events, &set);
        set_add_all(&all.divisors, &d->divisors);
    }
    all.events = without(&all.events, &pl->fit.always);
    bool whole = all.events.n > 0 && fit_together(&pl->fit, &all.events, NULL);
    if (whole)
        add_item(pl, &all.events, &all.divisors, false);
    for (uint32_t i = 0; i < pl->m->n_tree; i++)
        if (planner_is_level(&pl->m->metric[i], 1))
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
        if (pl->added[i] || !planner_is_asked(pl, i))
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
void planner_counters(struct planner *pl, enum event_pmu kind) {
    uint32_t n_group = 0;
    pl->kind = kind;
    pl->item.n = 0;
    pl->branch = 0;
    memset(pl->added, 0, pl->m->n_metric * sizeof(*pl->added));
    add_top(pl);
    for (uint32_t i = 0; i < pl->m->n_tree; i++)
        if (planner_is_level(&pl->m->metric[i], 2))
            add_below(pl, i);
    add_beside(pl);
    if (!pl->rc)
        pl->rc = pack_items(&pl->fit, pl->item.at, (uint32_t)pl->item.n, &n_group);
    for (uint32_t g = 0; g < n_group && !pl->rc; g++)
        add_group(pl, g);
}
