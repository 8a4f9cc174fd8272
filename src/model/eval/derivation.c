#include "model/eval/derivation.h"

#include "model/eval/eval_program.h"
#include "model/load/known.h"
#include "model/load/model_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int derivation_init(struct derivation *ac, const struct model *m, const struct layout *layout) {
    const size_t n_const = CONST_N + (size_t)m->n_latency;
    *ac = (struct derivation){.metric = METRIC_NONE};
    ac->event = calloc((size_t)layout->n_slot + m->n_event + 1, sizeof(*ac->event));
    ac->named = calloc(m->n_metric + 1u, sizeof(*ac->named));
    ac->constant = calloc(n_const, sizeof(*ac->constant));
    ac->seen_slot = calloc(layout->n_slot + 1u, sizeof(*ac->seen_slot));
    ac->seen_event = calloc(m->n_event + 1u, sizeof(*ac->seen_event));
    ac->seen_metric = calloc(m->n_metric + 1u, sizeof(*ac->seen_metric));
    ac->seen_constant = calloc(n_const, sizeof(*ac->seen_constant));
    ac->todo = calloc(m->n_metric + 1u, sizeof(*ac->todo));
    if (ac->event && ac->named && ac->constant && ac->seen_slot && ac->seen_event &&
        ac->seen_metric && ac->seen_constant && ac->todo)
        return 0;
    derivation_destroy(ac);
    return -ENOMEM;
}

void derivation_destroy(struct derivation *ac) {
    free(ac->event);
    free(ac->named);
    free(ac->constant);
    free(ac->seen_slot);
    free(ac->seen_event);
    free(ac->seen_metric);
    free(ac->seen_constant);
    free(ac->todo);
    *ac = (struct derivation){.metric = METRIC_NONE};
}

/* ---- evaluating, as eval_bind.c and eval.c do ---- */

/* How names in a formula are to be read. */
struct context {
    const struct derivation *ac;
    uint16_t group;
    bool expand; /* inlined metrics are read for this group; in thresholds they are not */
};

static bool is_comparison(const struct ast *a) {
    return a->op >= AST_LT && a->op <= AST_EQ;
}

static bool is_inlined(const struct context *in, int metric) {
    return in->expand && in->ac->of.model->metric[metric].inlined &&
           eval_bound(in->ac->of.eval, metric).formula;
}

static struct cell cell_of(const struct context *in, const struct ast *a);

static struct cell event_cell(const struct context *in, int event) {
    const struct derivation_of *of = &in->ac->of;
    const int slot = eval_slot(of->layout, event, in->group);
    const struct count *c = slot < 0 ? NULL : &of->sample->at[slot];
    if (c && c->state == COUNT_OK && isfinite(c->value))
        return (struct cell){c->value, (float)count_duty(c), 0};
    return cell_unknown(
        (struct why){WHY_EVENT, c ? c->state : of->layout->missing[event], (uint16_t)event});
}

static struct cell metric_cell(const struct context *in, int metric) {
    const struct derivation_of *of = &in->ac->of;
    const struct value *v = &of->frame->at[metric];
    if (is_inlined(in, metric))
        return cell_of(in, eval_bound(of->eval, metric).formula);
    if (!isnan(v->v))
        return (struct cell){v->v, v->duty, 0};
    return cell_unknown((struct why){.kind = WHY_UNAVAILABLE, .index = (uint16_t)metric});
}

static struct cell const_cell(const struct context *in, int index) {
    const double v = derivation_constant(in->ac, index);
    if (isfinite(v))
        return (struct cell){v, 1.0f, 0};
    return cell_unknown((struct why){.kind = WHY_CONST, .index = (uint16_t)index});
}

/* The branch that constants decide for; NULL: they do not. */
static const struct ast *taken(const struct derivation *ac, const struct ast *a) {
    double cond;
    if (a->op != AST_IF || !known_value(ac->of.model, eval_consts(ac->of.eval), a->kid[1], &cond))
        return NULL;
    return a->kid[cond != 0.0 ? 0 : 2];
}

const struct ast *derivation_branch(const struct derivation *ac, const struct ast *a) {
    for (const struct ast *kid; (kid = taken(ac, a));)
        a = kid;
    return a;
}

/* One side of a comparison: a latency that nobody knows is -1 there. */
static struct cell side_cell(const struct context *in, const struct ast *a) {
    const struct cell c = cell_of(in, a);
    const bool guessed = c.why && a->op == AST_CONST && a->index >= CONST_N;
    return guessed ? (struct cell){-1.0, 1.0f, 0} : c;
}

static struct cell operation_cell(const struct context *in, const struct ast *a) {
    struct cell kid[3] = {{0}};
    for (int i = 0; i < 3 && a->kid[i]; i++)
        kid[i] = is_comparison(a) ? side_cell(in, a->kid[i]) : cell_of(in, a->kid[i]);
    if (!a->kid[1])
        kid[1] = kid[0]; /* an operation of one: the other is not looked at */
    return cell_apply((enum eval_op)(EVAL_NEG + (a->op - AST_NEG)), &kid[0], &kid[1], &kid[2]);
}

static struct cell cell_of(const struct context *in, const struct ast *a) {
    a = derivation_branch(in->ac, a);
    switch (a->op) {
    case AST_NUMBER:
        return (struct cell){a->number, 1.0f, 0};
    case AST_EVENT:
        return event_cell(in, a->index);
    case AST_METRIC:
        return metric_cell(in, a->index);
    case AST_CONST:
        return const_cell(in, a->index);
    default:
        return operation_cell(in, a);
    }
}

static struct context own_context(const struct derivation *ac) {
    return (struct context){.ac = ac, .group = ac->group, .expand = true};
}

double derivation_value(const struct derivation *ac) {
    const struct context in = own_context(ac);
    const double v = ac->formula ? cell_of(&in, ac->formula).v : NAN;
    return isfinite(v) ? v : NAN;
}

double derivation_named(const struct derivation *ac, int metric) {
    const struct context in = own_context(ac);
    return metric_cell(&in, metric).v;
}

double derivation_constant(const struct derivation *ac, int index) {
    const struct consts *c = eval_consts(ac->of.eval);
    const struct sample *s = ac->of.sample;
    const double seconds = c->fixed_by_user[CONST_DURATION_S] ? c->value[CONST_DURATION_S]
                                                              : (double)(s->t1_ns - s->t0_ns) / 1e9;
    if (index == CONST_DURATION_S)
        return seconds;
    if (index == CONST_TSC && !c->fixed_by_user[CONST_TSC])
        return c->value[CONST_SYSTEM_TSC_FREQ] * seconds;
    return known_const(ac->of.model, c, index);
}

static const char *latency_origin(const struct derivation *ac, uint32_t i) {
    const struct latency *l = &ac->of.model->latency[i];
    if (known_latency_setting(eval_consts(ac->of.eval), l->event))
        return "as --const says";
    return isnan(l->cycles) ? "not known" : "the vendor's average, not measured here";
}

const char *derivation_origin(const struct derivation *ac, int index) {
    const struct consts *c = eval_consts(ac->of.eval);
    if (index >= CONST_N)
        return latency_origin(ac, (uint32_t)(index - CONST_N));
    if (c->fixed_by_user[index])
        return "as --const says";
    if (index == CONST_DURATION_S)
        return ac->of.sum ? "seconds measured" : "length of the interval";
    if (index == CONST_TSC)
        return "SYSTEM_TSC_FREQ times the seconds";
    if (isfinite(c->value[index]))
        return "found by tdtop, or in the recording";
    if (isnan(known_const(ac->of.model, c, index)))
        return "not known";
    return index == CONST_SLOTS_PER_CYCLE ? "of the model" : "taken for granted";
}

double derivation_counted(const struct count *c) {
    return c->state == COUNT_OK ? round(c->value * count_duty(c)) : NAN;
}

/* ---- gathering ---- */

struct reading {
    struct derivation *ac;
    struct context in;
    bool own;
};

static void note_event(struct reading *rd, int event) {
    struct derivation *ac = rd->ac;
    const int slot = eval_slot(ac->of.layout, event, rd->in.group);
    bool *seen = slot < 0 ? &ac->seen_event[event] : &ac->seen_slot[slot];
    if (!*seen)
        ac->event[ac->n_event++] = (struct derivation_event){event, slot, rd->own};
    *seen = true;
}

static void note_const(struct reading *rd, int index, bool decides) {
    struct derivation *ac = rd->ac;
    if (rd->own && !ac->seen_constant[index]) {
        ac->seen_constant[index] = true;
        ac->constant[ac->n_constant++] = (struct derivation_const){index, decides};
    }
}

static void read_formula(struct reading *rd, const struct ast *a);

static void note_metric(struct reading *rd, int metric) {
    struct derivation *ac = rd->ac;
    const bool inlined = is_inlined(&rd->in, metric);
    if (!ac->seen_metric[metric]) {
        if (rd->own)
            ac->named[ac->n_named++] = metric;
        if (!inlined)
            ac->todo[ac->n_todo++] = metric;
    }
    ac->seen_metric[metric] = true;
    if (inlined)
        read_formula(rd, eval_bound(ac->of.eval, metric).formula);
}

static void note_deciding(const struct ast *leaf, void *user) {
    if (leaf->op == AST_CONST)
        note_const(user, leaf->index, true);
}

static void read_formula(struct reading *rd, const struct ast *a) {
    if (!a)
        return;
    for (const struct ast *kid; (kid = taken(rd->ac, a)); a = kid)
        expr_leaves(a->kid[1], note_deciding, rd);
    if (a->op == AST_EVENT)
        note_event(rd, a->index);
    else if (a->op == AST_METRIC)
        note_metric(rd, a->index);
    else if (a->op == AST_CONST)
        note_const(rd, a->index, false);
    for (int i = 0; i < 3; i++)
        read_formula(rd, a->kid[i]);
}

/* What keeps the exact formula from being used. */
static void note_missing(const struct ast *leaf, void *user) {
    struct reading *rd = user;
    const struct derivation_of *of = &rd->ac->of;
    if (leaf->op == AST_EVENT && eval_slot(of->layout, leaf->index, 0) < 0)
        note_event(rd, leaf->index);
    if (leaf->op == AST_METRIC && is_inlined(&rd->in, leaf->index))
        known_leaves(of->model, eval_consts(of->eval), eval_bound(of->eval, leaf->index).formula,
                     note_missing, rd);
}

static void find_kind(struct derivation *ac, const struct metric *mt) {
    const bool alt = mt->alt && ac->of.layout->no_perf_metrics;
    ac->kind = !ac->formula                  ? DERIVATION_NONE
               : ac->formula == mt->fallback ? DERIVATION_FALLBACK
               : alt                         ? DERIVATION_ALT
                                             : DERIVATION_MAIN;
}

static void read_own(struct derivation *ac, const struct metric *mt) {
    struct reading rd = {ac, own_context(ac), true};
    read_formula(&rd, ac->formula);
    if (ac->kind == DERIVATION_FALLBACK)
        known_leaves(ac->of.model, eval_consts(ac->of.eval),
                     mt->alt && ac->of.layout->no_perf_metrics ? mt->alt : mt->ast, note_missing,
                     &rd);
}

/* The metrics that it names, and those that they name. */
static void read_below(struct derivation *ac) {
    for (uint32_t i = 0; i < ac->n_todo; i++) {
        const struct eval_bound bound = eval_bound(ac->of.eval, ac->todo[i]);
        struct reading rd = {ac, {ac, bound.group, true}, false};
        read_formula(&rd, bound.formula);
    }
}

void derivation_make(struct derivation *ac, const struct derivation_of *of, int metric) {
    const struct eval_bound bound = eval_bound(of->eval, metric);
    const struct model *m = of->model;
    ac->of = *of;
    ac->metric = metric;
    ac->formula = bound.formula;
    ac->group = bound.group;
    ac->n_event = ac->n_named = ac->n_constant = ac->n_todo = 0;
    memset(ac->seen_slot, 0, of->layout->n_slot * sizeof(*ac->seen_slot));
    memset(ac->seen_event, 0, m->n_event * sizeof(*ac->seen_event));
    memset(ac->seen_metric, 0, m->n_metric * sizeof(*ac->seen_metric));
    memset(ac->seen_constant, 0, (CONST_N + m->n_latency) * sizeof(*ac->seen_constant));
    find_kind(ac, &m->metric[metric]);
    read_own(ac, &m->metric[metric]);
    read_below(ac);
}
