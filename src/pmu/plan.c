#include "pmu/plan.h"

#include "base/array.h"
#include "model/known.h"
#include "model/sample.h"
#include "pmu/plan_fit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* PMUs that a model knows nothing about: four general counters and the usual two fixed ones of
 * Intel, six of AMD and Arm. The kernel splits what is too much. */
enum { GENERAL_UNKNOWN = 6 };

struct draft {
    enum event_pmu pmu;
    struct event_set events;
    uint32_t n_shared;
    bool slots;
};

struct planner {
    const struct model *m;
    const struct plan_options *opt;
    struct consts consts;
    struct fit fit;
    int room; /* fit_room: saves most of the matching */
    ARRAY(struct draft) group;
    bool *wanted;          /* [n_metric] */
    uint8_t *blocked;      /* [n_event] why it cannot be counted whatever we do; COUNT_OK */
    struct event_set held; /* fixed-only events of the pinned group: others take them from there */
    int rc;
};

/* What one formula needs. */
struct needs {
    struct event_set events, divisors;
};

/* ---- reading formulas ---- */

struct walk {
    const struct planner *pl;
    struct needs *needs;
    void (*metric)(struct planner *pl, int metric); /* called for references, or NULL */
    struct planner *wanting;
    bool any_blocked;
    int depth;
};

static const struct ast *formula_of(const struct planner *pl, const struct metric *mt);

static void walk(struct walk *w, const struct ast *a, bool in_divisor);

static void walk_metric(struct walk *w, int index, bool in_divisor) {
    const struct metric *mt = &w->pl->m->metric[index];
    if (w->metric)
        w->metric(w->wanting, index);
    if (!mt->inlined || w->depth > 32) /* the loader has refused cycles; this is for safety */
        return;
    w->depth++;
    walk(w, formula_of(w->pl, mt), in_divisor);
    w->depth--;
}

static void walk_event(struct walk *w, int index, bool in_divisor) {
    if (w->pl->blocked[index] != COUNT_OK) {
        w->any_blocked = true;
        return;
    }
    if (!w->needs)
        return;
    set_add(&w->needs->events, (uint16_t)index);
    if (in_divisor)
        set_add(&w->needs->divisors, (uint16_t)index);
}

/* "a if SMT_ON else b": only the branch that will be taken. */
static bool walk_known_branch(struct walk *w, const struct ast *a, bool in_divisor) {
    double cond;
    if (a->op != AST_IF || !known_value(w->pl->m, &w->pl->consts, a->kid[1], &cond))
        return false;
    walk(w, a->kid[cond != 0.0 ? 0 : 2], in_divisor);
    return true;
}

static void walk(struct walk *w, const struct ast *a, bool in_divisor) {
    if (!a || walk_known_branch(w, a, in_divisor))
        return;
    if (a->op == AST_EVENT)
        walk_event(w, a->index, in_divisor);
    else if (a->op == AST_METRIC)
        walk_metric(w, a->index, in_divisor);
    for (int i = 0; i < 3; i++)
        walk(w, a->kid[i], in_divisor || (a->op == AST_DIV && i == 1));
}

/* The formula that the evaluation will use, as far as that can be known now. */
static const struct ast *formula_of(const struct planner *pl, const struct metric *mt) {
    if (pl->opt->no_perf_metrics && mt->alt)
        return mt->alt;
    if (!mt->fallback)
        return mt->ast;
    struct walk w = {.pl = pl};
    walk(&w, mt->ast, false);
    return w.any_blocked ? mt->fallback : mt->ast;
}

static struct needs needs_of(const struct planner *pl, const struct ast *formula) {
    struct needs n = {0};
    struct walk w = {.pl = pl, .needs = &n};
    walk(&w, formula, false);
    return n;
}

/* ---- which metrics ---- */

static void want(struct planner *pl, int metric) {
    if (pl->wanted[metric])
        return;
    pl->wanted[metric] = true;
    const struct metric *mt = &pl->m->metric[metric];
    if (mt->unavailable)
        return;
    struct walk w = {.pl = pl, .metric = want, .wanting = pl};
    walk(&w, formula_of(pl, mt), false);
    walk(&w, mt->threshold, false);
}

static void want_all(struct planner *pl) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        const struct metric *mt = &pl->m->metric[i];
        bool tree = mt->kind == METRIC_TREE && mt->level <= pl->opt->level;
        if (pl->opt->level == 0 || tree || mt->vital)
            want(pl, (int)i);
    }
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
        else if (pl->opt->refused)
            pl->blocked[i] = pl->opt->refused[i];
    }
}

/* ---- placing ---- */

static struct draft *new_group(struct planner *pl, enum event_pmu pmu) {
    if (array_push(&pl->group, (struct draft){.pmu = pmu}))
        pl->rc = -ENOMEM;
    return pl->rc ? NULL : &pl->group.at[pl->group.n - 1];
}

static uint32_t count_shared(const struct event_set *a, const struct event_set *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++)
        n += set_has(b, a->at[i]);
    return n;
}

static void add_all(struct event_set *to, const struct event_set *from) {
    for (uint32_t i = 0; i < from->n; i++)
        set_add(to, from->at[i]);
}

/* The group of this kind that has most of it already and room for the rest; NULL if none. */
static struct draft *find_group(struct planner *pl, enum event_pmu pmu,
                                const struct event_set *set) {
    struct draft *best = NULL;
    uint32_t most = 0;
    for (size_t i = 0; i < pl->group.n; i++) {
        struct draft *g = &pl->group.at[i];
        uint32_t shared = count_shared(set, &g->events);
        bool limited = pmu == EVENT_CORE || pmu == EVENT_GENERIC;
        bool full = limited && (int)(g->events.n + set->n - shared) > pl->room;
        if ((full && shared < set->n) || g->pmu != pmu || (g->slots && shared < set->n) ||
            (best && shared <= most))
            continue;
        if (shared == set->n || !limited || fit_together(&pl->fit, &g->events, set)) {
            best = g;
            most = shared;
        }
    }
    return best;
}

/* Puts events that fit together into a group. */
static void place_set(struct planner *pl, enum event_pmu pmu, const struct event_set *set,
                      const struct event_set *divisors) {
    struct draft *g = find_group(pl, pmu, set);
    bool fresh = !g;
    if (fresh)
        g = new_group(pl, pmu);
    if (!g)
        return;
    for (uint32_t i = 0; fresh && i < divisors->n; i++) /* divisors stand first */
        if (set_has(set, divisors->at[i]))
            set_add(&g->events, divisors->at[i]);
    if (fresh)
        g->n_shared = g->events.n;
    add_all(&g->events, set);
}

/* Too big for the counters: piece after piece, each with the divisors where that leaves room. */
static void place_split(struct planner *pl, enum event_pmu pmu, const struct event_set *set,
                        const struct event_set *divisors) {
    struct event_set shared = {0}, piece;
    for (uint32_t i = 0; i < divisors->n; i++)
        if (set_has(set, divisors->at[i]) && shared.n < 2)
            set_add(&shared, divisors->at[i]);
    if (!fit_together(&pl->fit, &shared, NULL))
        shared.n = 0;
    piece = shared;
    for (uint32_t i = 0; i < set->n; i++) {
        struct event_set one = {.at = {set->at[i]}, .n = 1};
        if (set_has(&shared, set->at[i]))
            continue;
        if (!fit_together(&pl->fit, &piece, &one) && piece.n > shared.n) {
            place_set(pl, pmu, &piece, &shared);
            piece = shared;
        }
        if (!fit_together(&pl->fit, &piece, &one))
            piece.n = 0; /* not even with the divisors: by itself, the kernel will judge */
        set_add(&piece, set->at[i]);
    }
    if (piece.n)
        place_set(pl, pmu, &piece, &shared);
}

static struct event_set only(const struct planner *pl, const struct event_set *s,
                             enum event_pmu pmu) {
    struct event_set out = {0};
    for (uint32_t i = 0; i < s->n; i++)
        if (pl->m->event[s->at[i]].pmu == pmu && !set_has(&pl->held, s->at[i]))
            set_add(&out, s->at[i]);
    return out;
}

/* Outside the core each event stands by itself: its boxes share no counter with the cores, and the
 * kernel lets them take turns box by box. */
static void place_uncore(struct planner *pl, const struct needs *n) {
    const struct event_set set = only(pl, &n->events, EVENT_UNCORE);
    for (uint32_t i = 0; i < set.n; i++) {
        size_t g = 0;
        while (g < pl->group.n && !set_has(&pl->group.at[g].events, set.at[i]))
            g++;
        struct draft *d = g < pl->group.n ? NULL : new_group(pl, EVENT_UNCORE);
        if (d)
            set_add(&d->events, set.at[i]);
    }
}

static void place(struct planner *pl, const struct needs *n) {
    static const enum event_pmu kinds[] = {EVENT_CORE, EVENT_GENERIC, EVENT_SOFTWARE, EVENT_PROC};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct event_set set = only(pl, &n->events, kinds[i]);
        bool limited = kinds[i] == EVENT_CORE || kinds[i] == EVENT_GENERIC;
        if (!set.n)
            continue;
        if (limited && !find_group(pl, kinds[i], &set) && !fit_together(&pl->fit, &set, NULL))
            place_split(pl, kinds[i], &set, &n->divisors);
        else
            place_set(pl, kinds[i], &set, &n->divisors);
    }
    place_uncore(pl, n);
}

static void place_metric(struct planner *pl, const struct metric *mt) {
    if (mt->unavailable)
        return;
    struct needs n = needs_of(pl, formula_of(pl, mt));
    place(pl, &n);
    n = needs_of(pl, mt->threshold);
    place(pl, &n);
}

static void place_all(struct planner *pl) {
    int deepest = 0;
    for (uint32_t i = 0; i < pl->m->n_metric; i++)
        deepest = pl->m->metric[i].level > deepest ? pl->m->metric[i].level : deepest;
    for (int level = 1; level <= deepest + 1; level++)
        for (uint32_t i = 0; i < pl->m->n_metric; i++) {
            const struct metric *mt = &pl->m->metric[i];
            if (pl->wanted[i] && mt->level == level % (deepest + 1)) /* 0, beside the tree: last */
                place_metric(pl, mt);
        }
}

/* ---- group 0 of Intel's PERF_METRICS ---- */

static int find_leader(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].slots_leader)
            return (int)i;
    return -1;
}

static void collect_perf_metrics(struct planner *pl, struct event_set *group) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        if (!pl->wanted[i])
            continue;
        struct needs n = needs_of(pl, formula_of(pl, &pl->m->metric[i]));
        for (uint32_t k = 0; k < n.events.n; k++)
            if (pl->m->event[n.events.at[k]].perf_metrics)
                set_add(group, n.events.at[k]);
    }
}

/* Beside the topdown-* events: levels 1 and 2 whole; of the vital signs only what fixed counters
 * count for nothing. */
static void collect_company(struct planner *pl, struct event_set *group) {
    for (uint32_t i = 0; i < pl->m->n_metric; i++) {
        const struct metric *mt = &pl->m->metric[i];
        bool top = mt->kind == METRIC_TREE && mt->level <= 2;
        if (!pl->wanted[i] || mt->unavailable || (!top && !mt->vital))
            continue;
        struct needs n = needs_of(pl, formula_of(pl, mt));
        for (uint32_t k = 0; k < n.events.n; k++) {
            const struct event *ev = &pl->m->event[n.events.at[k]];
            struct event_set one = {.at = {n.events.at[k]}, .n = 1};
            if (ev->pmu == EVENT_CORE && (top || ev->fixed >= 0) &&
                fit_together(&pl->fit, group, &one))
                set_add(group, n.events.at[k]);
        }
    }
}

static void plan_slots_group(struct planner *pl) {
    int leader = pl->opt->no_perf_metrics ? -1 : find_leader(pl->m);
    if (leader < 0)
        return;
    struct event_set set = {.at = {(uint16_t)leader}, .n = 1};
    collect_perf_metrics(pl, &set);
    if (set.n == 1) /* nothing asks for them */
        return;
    collect_company(pl, &set);
    struct draft *g = new_group(pl, EVENT_CORE);
    if (!g)
        return;
    *g = (struct draft){.pmu = EVENT_CORE, .events = set, .n_shared = 1, .slots = true};
    pl->fit.always = set;
    for (uint32_t i = 0; i < set.n; i++)
        if (fit_is_fixed_only(&pl->m->event[set.at[i]]) || pl->m->event[set.at[i]].perf_metrics)
            set_add(&pl->held, set.at[i]);
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
                                                     .pinned = d->slots};
        for (uint32_t k = 0; k < d->events.n; k++) {
            p->event[p->n_event++] = d->events.at[k];
            p->missing[d->events.at[k]] = COUNT_OK;
        }
    }
    return 0;
}

static void init_fit(struct planner *pl) {
    const struct model *m = pl->m;
    pl->fit = (struct fit){.model = m,
                           .general = m->general_counters ? m->general_counters : GENERAL_UNKNOWN};
    if (!pl->opt->nmi_watchdog)
        return;
    /* The watchdog counts cycles: on a fixed counter where there is one, Intel's second, Arm's
     * only one. */
    const int cycles = strcmp(m->vendor, "Arm") == 0 ? 0 : 1;
    if (m->fixed_counters > cycles)
        pl->fit.fixed_taken = 1u << cycles;
    else
        pl->fit.general--;
}

int plan_make(struct plan *p, const struct model *m, const struct plan_options *opt,
              struct err *err) {
    struct planner pl = {.m = m, .opt = opt};
    consts_init(&pl.consts);
    if (opt->consts)
        pl.consts = *opt->consts;
    *p = (struct plan){0};
    pl.wanted = calloc(m->n_metric ? m->n_metric : 1, sizeof(*pl.wanted));
    pl.blocked = calloc(m->n_event ? m->n_event : 1, sizeof(*pl.blocked));
    p->missing = malloc(m->n_event ? m->n_event : 1);
    if (!pl.wanted || !pl.blocked || !p->missing) {
        pl.rc = -ENOMEM;
        goto out;
    }
    init_fit(&pl);
    block(&pl);
    for (uint32_t i = 0; i < m->n_event; i++)
        p->missing[i] = pl.blocked[i] != COUNT_OK ? pl.blocked[i] : COUNT_NOT_PLANNED;
    want_all(&pl);
    plan_slots_group(&pl);
    pl.room = fit_room(&pl.fit);
    place_all(&pl);
    if (!pl.rc)
        pl.rc = finish(&pl, p);
out:
    array_free(&pl.group);
    free(pl.wanted);
    free(pl.blocked);
    if (pl.rc)
        plan_free(p);
    return pl.rc ? err_set(err, pl.rc, "out of memory for the event plan") : 0;
}

void plan_free(struct plan *p) {
    free(p->event);
    free(p->group);
    free(p->missing);
    *p = (struct plan){0};
}
