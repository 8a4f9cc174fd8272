#include "model/eval/steady.h"

#include "model/eval/bottleneck.h"
#include "model/load/model_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the ± is not known, as in the first intervals of counters that take turns. */
static const double unknown_err = 0.25; /* of the threshold */

/* So far beyond its threshold, or below it, that no noise made it: that is said at once. */
static const double far_over = 2.0, far_below = 0.5;
/* As much larger a root is the bottleneck at once: more than what is a tie elsewhere. */
static const double far_larger = BOTTLENECK_TIE;

struct steady_node {
    double limit; /* NAN: the rule is no plain number */
    int n_sure, n_below;
    bool on;
};

int steady_init(struct steady *st, const struct model *m) {
    steady_destroy(st);
    st->node = calloc(m->n_tree + 1u, sizeof(*st->node));
    if (!st->node)
        return -ENOMEM;
    st->n = m->n_tree;
    st->cpus = model_find(m, "CPUs_Utilized");
    for (uint32_t i = 0; i < st->n; i++)
        st->node[i].limit = model_threshold(m, (int)i);
    return 0;
}

void steady_destroy(struct steady *st) {
    free(st->node);
    *st = (struct steady){0};
}

static bool is_sure(const struct steady_node *n, const struct value *v) {
    if (!v->over || isnan(n->limit))
        return v->over;
    return v->v - (isnan(v->err) ? unknown_err * n->limit : v->err) > n->limit;
}

/* A value that is not known says nothing about before and after. */
static void judge(struct steady_node *n, struct value *v, bool at_once) {
    const bool known = !isnan(v->v), sure = is_sure(n, v);
    const double err = isnan(v->err) ? unknown_err * n->limit : v->err;
    if (known) {
        n->n_sure = sure ? n->n_sure + 1 : 0;
        n->n_below = v->over ? 0 : n->n_below + 1;
    }
    if (!n->on) /* comparisons with what is not known are false */
        n->on = n->n_sure >= STEADY_INTERVALS ||
                (sure && (at_once || v->v - err > far_over * n->limit));
    else if (known && !v->over)
        n->on = n->n_below < STEADY_INTERVALS && !(v->v + err < far_below * n->limit);
    v->near = known && v->over != n->on;
    v->over = known && n->on;
}

static bool same_way(const struct bottleneck *a, const struct bottleneck *b) {
    return a->n == b->n && memcmp(a->at, b->at, sizeof(a->at[0]) * (size_t)a->n) == 0 &&
           (a->tie[0] == METRIC_NONE) == (b->tie[0] == METRIC_NONE);
}

/* All of its nodes are still over. */
static bool holds(const struct bottleneck *b, const struct frame *f) {
    for (int i = 0; i < b->n; i++)
        if (!f->at[b->at[i]].over)
            return false;
    return b->n > 0;
}

/* Another root is much larger than the one that is shown. */
static bool is_outgrown(const struct bottleneck *shown, const struct bottleneck *found,
                        const struct frame *f) {
    return shown->n > 0 && found->n > 0 &&
           f->at[found->at[0]].v - f->at[shown->at[0]].v > far_larger;
}

static void choose_path(struct steady *st, struct frame *f) {
    const struct bottleneck *found = &f->bottleneck;
    if (!same_way(found, &st->next)) {
        st->next = *found;
        st->n_next = 0;
    }
    st->n_next++;
    if (same_way(found, &st->shown) || !holds(&st->shown, f) || is_outgrown(&st->shown, found, f) ||
        st->n_next >= STEADY_INTERVALS)
        st->shown = *found;
    f->bottleneck = st->shown;
}

static bool is_resting(const struct frame *f, int cpus) {
    return cpus != METRIC_NONE && f->at[cpus].v < STEADY_IDLE_CPUS; /* unknown is not idle */
}

static void rest(const struct model *m, struct frame *f) {
    for (uint32_t i = 0; i < m->n_tree; i++)
        f->at[i].over = f->at[i].near = false;
    bottleneck_find(m, f, &f->bottleneck);
}

void steady_rest(const struct model *m, struct frame *f) {
    f->idle = is_resting(f, model_find(m, "CPUs_Utilized"));
    if (f->idle)
        rest(m, f);
    else
        bottleneck_find(m, f, &f->bottleneck); /* by the ±, too */
}

/* As with a node: three intervals, or at the begin one. Busy again is said at once. */
static bool is_idle(struct steady *st, const struct frame *f, bool begins) {
    if (!is_resting(f, st->cpus)) {
        st->n_other = 0;
        return st->idle = false;
    }
    st->n_other++;
    return st->idle |= begins || st->n_other >= STEADY_INTERVALS;
}

void steady_take(struct steady *st, const struct model *m, struct frame *f) {
    const bool begins = st->n_taken < STEADY_INTERVALS;
    if (!st->node)
        return;
    for (uint32_t i = 0; i < st->n; i++)
        judge(&st->node[i], &f->at[i], begins && m->metric[i].level <= 1);
    f->idle = is_idle(st, f, begins);
    if (f->idle)
        rest(m, f);
    else
        bottleneck_find(m, f, &f->bottleneck);
    choose_path(st, f);
    st->n_taken++;
}
