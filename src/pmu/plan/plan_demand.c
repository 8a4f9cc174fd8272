#include "pmu/plan/plan_demand.h"

#include "model/eval/sample.h"
#include "model/load/known.h"

#include <stddef.h>

/* ---- reading ---- */

/* Goes down into inlined metrics: the loader has refused cycles, and formulas that grow too long.
 */

struct walk {
    const struct demand_from *from;
    struct demand *demand; /* or NULL */
    bool *wanted;          /* or NULL: marks what is referred to */
    bool any_blocked;
};

static void walk(struct walk *w, const struct ast *a, bool in_divisor);

static void walk_metric(struct walk *w, int index, bool in_divisor) {
    const struct metric *mt = &w->from->model->metric[index];
    if (w->wanted)
        demand_want(w->from, index, w->wanted);
    if (mt->inlined)
        walk(w, demand_formula(w->from, mt), in_divisor);
}

static void walk_event(struct walk *w, int index, bool in_divisor) {
    if (w->from->blocked[index] != COUNT_OK) {
        w->any_blocked = true;
        return;
    }
    if (!w->demand)
        return;
    set_add(&w->demand->events, (uint16_t)index);
    if (in_divisor)
        set_add(&w->demand->divisors, (uint16_t)index);
}

/* "a if SMT_ON else b": only the branch that will be taken. NULL if that is not known. */
static const struct ast *known_branch(const struct demand_from *from, const struct ast *a) {
    double cond;
    if (a->op != AST_IF || !known_value(from->model, &from->consts, a->kid[1], &cond))
        return NULL;
    return a->kid[cond != 0.0 ? 0 : 2];
}

static void walk(struct walk *w, const struct ast *a, bool in_divisor) {
    if (!a)
        return;
    const struct ast *branch = known_branch(w->from, a);
    if (branch) {
        walk(w, branch, in_divisor);
        return;
    }
    if (a->op == AST_EVENT)
        walk_event(w, a->index, in_divisor);
    else if (a->op == AST_METRIC)
        walk_metric(w, a->index, in_divisor);
    for (int i = 0; i < 3 && a->kid[i]; i++)
        walk(w, a->kid[i], in_divisor || (a->op == AST_DIV && i == 1));
}

const struct ast *demand_formula(const struct demand_from *from, const struct metric *mt) {
    const struct ast *first = from->no_perf_metrics && mt->alt ? mt->alt : mt->ast;
    if (!mt->fallback)
        return first;
    struct walk w = {.from = from};
    walk(&w, first, false);
    return w.any_blocked ? mt->fallback : first;
}

struct demand demand_of(const struct demand_from *from, const struct ast *formula) {
    struct demand d = {0};
    struct walk w = {.from = from, .demand = &d};
    walk(&w, formula, false);
    return d;
}

void demand_want(const struct demand_from *from, int metric, bool *wanted) {
    const struct metric *mt = &from->model->metric[metric];
    if (wanted[metric])
        return;
    wanted[metric] = true;
    if (mt->unavailable)
        return;
    struct walk w = {.from = from, .wanted = wanted};
    walk(&w, demand_formula(from, mt), false);
    walk(&w, mt->threshold, false);
}

/* ---- cutting ---- */

struct cutter {
    const struct demand_from *from;
    const struct fit *fit;
    const struct event_set *of;
    struct event_set shared; /* in every part that has room */
    bool shared_stands;      /* in one at least */
    struct event_set now;    /* the part that is being filled */
    void (*part)(void *user, const struct event_set *part);
    void *user;
};

static struct event_set events_of(const struct cutter *c, const struct ast *a) {
    const struct demand d = demand_of(c->from, a);
    struct event_set out = {0};
    for (uint32_t i = 0; i < d.events.n; i++)
        if (set_has(c->of, d.events.at[i]))
            set_add(&out, d.events.at[i]);
    return out;
}

/* A part of nothing but what is shared waits: the others may have it. */
static void finish_part(struct cutter *c) {
    if (!set_has_all(&c->shared, &c->now)) {
        struct event_set whole = c->now;
        set_add_all(&whole, &c->shared);
        bool room = fit_together(c->fit, &whole, NULL);
        c->part(c->user, room ? &whole : &c->now);
        c->shared_stands |= room;
    }
    set_cut(&c->now, 0);
}

/* What fits goes into the part that is being filled, or begins the next one. */
static bool take_whole(struct cutter *c, const struct event_set *set) {
    struct event_set both = c->now, begun = *set;
    set_add_all(&both, set);
    if (fit_together(c->fit, &both, &c->shared)) {
        c->now = both;
        return true;
    }
    set_add_all(&begun, &c->shared);
    if (!fit_together(c->fit, &begun, NULL))
        return false;
    finish_part(c);
    c->now = *set;
    return true;
}

static void cut_leaf(struct cutter *c, const struct event_set *set) {
    finish_part(c);
    c->now = *set;
    finish_part(c);
}

static void cut(struct cutter *c, const struct ast *a) {
    const struct ast *branch = a ? known_branch(c->from, a) : NULL;
    if (branch)
        a = branch;
    const struct event_set set = a ? events_of(c, a) : (struct event_set){0};
    if (set.n == 0 || take_whole(c, &set))
        return;
    if (a->op == AST_EVENT) {
        cut_leaf(c, &set);
    } else if (a->op == AST_METRIC) {
        cut(c, demand_formula(c->from, &c->from->model->metric[a->index]));
    }
    for (int i = 0; i < 3; i++)
        cut(c, a->kid[i]);
}

/* The division nearest to the top of a formula: its divisor is that of the whole. */
static const struct ast *outermost_division(const struct ast *a, int depth, int *least) {
    if (!a || depth >= *least)
        return NULL;
    if (a->op == AST_DIV) {
        *least = depth;
        return a;
    }
    const struct ast *best = NULL;
    for (int i = 0; i < 3; i++) {
        const struct ast *found = outermost_division(a->kid[i], depth + 1, least);
        best = found ? found : best;
    }
    return best;
}

/* A divisor of several events would be of no use in parts: nothing divides by half of it. */
static struct event_set shared_divisor(const struct cutter *c, const struct ast *formula) {
    int least = INT32_MAX;
    const struct ast *division = outermost_division(formula, 0, &least);
    struct event_set all = {0};
    if (division)
        all = events_of(c, division->kid[1]);
    if (all.n > 1 || !fit_together(c->fit, &all, NULL))
        set_cut(&all, 0);
    return all;
}

void demand_split(const struct demand_from *from, const struct fit *fit, const struct ast *formula,
                  const struct event_set *of,
                  void (*part)(void *user, const struct event_set *part), void *user) {
    struct cutter c = {.from = from, .fit = fit, .of = of, .part = part, .user = user};
    c.shared = shared_divisor(&c, formula);
    cut(&c, formula);
    finish_part(&c);
    if (c.shared.n > 0 && !c.shared_stands)
        part(user, &c.shared);
}
