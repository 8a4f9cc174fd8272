#include "model/eval/derivation.h"

#include "model/eval/eval_program.h"
#include "model/load/known.h"
#include "model/load/model_text.h"

#include <errno.h>
#include <math.h>
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

/* What is evaluated in the place of a node: of an if that constants decide the branch taken. */
static const struct ast *derivation_branch(const struct derivation *ac, const struct ast *a) {
    for (const struct ast *kid; (kid = taken(ac, a));)
        a = kid;
    return a;
}

/* One side of a comparison: a latency that is not known is -1 there. */
static struct cell side_cell(const struct context *in, const struct ast *a) {
    const struct cell c = cell_of(in, a);
    const bool guessed = c.why && a->op == AST_CONST && a->index >= CONST_N;
    return guessed ? (struct cell){-1.0, 1.0f, 0} : c;
}

static struct cell operation_cell(const struct context *in, const struct ast *a) {
    struct cell kid[3] = {{0}};
    for (int i = 0; i < 3 && a->kid[i]; i++)
        kid[i] = ast_is_comparison(a) ? side_cell(in, a->kid[i]) : cell_of(in, a->kid[i]);
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

/* ---- in words ---- */

static const struct metric *metric_of(const struct derivation *ac) {
    return &ac->of.model->metric[ac->metric];
}

static const struct value *value_of(const struct derivation *ac) {
    return &ac->of.frame->at[ac->metric];
}

/* ---- formulas ---- */

/* A formula being written with numbers. */
struct filling {
    const struct derivation *ac;
    bool threshold; /* names are read as thresholds read them */
};

static void add_number(struct strbuf *sb, int digits, double v) {
    if (isnan(v))
        strbuf_add(sb, "n/a");
    else
        strbuf_add(sb, v < 0 ? "(%.*g)" : "%.*g", digits, v);
}

/* Large counts are whole numbers; scaled small ones and those of /proc may not be. */
static void add_count(struct strbuf *sb, double v) {
    add_number(sb, fabs(v) < 1e6 ? 8 : 15, fabs(v) < 1e6 ? v : round(v));
}

/* Some are sums of counts. */
static void add_metric(struct strbuf *sb, double v) {
    if (fabs(v) < 1e6)
        add_number(sb, 6, v);
    else
        add_count(sb, v);
}

static void fill_event(const struct filling *f, int event, struct strbuf *sb) {
    const struct derivation_of *of = &f->ac->of;
    const int slot = eval_slot(of->layout, event, f->threshold ? 0 : f->ac->group);
    const struct count *c = slot < 0 ? NULL : &of->sample->at[slot];
    add_count(sb, c && c->state == COUNT_OK ? c->value : (double)NAN);
}

static void fill_leaf(void *user, const struct ast *leaf, struct strbuf *sb) {
    const struct filling *f = user;
    if (leaf->op == AST_EVENT)
        fill_event(f, leaf->index, sb);
    else if (leaf->op == AST_CONST)
        add_number(sb, 10, derivation_constant(f->ac, leaf->index));
    else if (f->threshold)
        add_metric(sb, f->ac->of.frame->at[leaf->index].v);
    else
        add_metric(sb, derivation_named(f->ac, leaf->index));
}

static const struct ast *fill_pick(void *user, const struct ast *a) {
    return derivation_branch(((const struct filling *)user)->ac, a);
}

static char *fill(const struct derivation *ac, const struct ast *ast, bool threshold, char *buf,
                  size_t cap) {
    struct filling f = {ac, threshold};
    struct strbuf sb = strbuf_on(buf, cap);
    const struct expr_style style = {fill_pick, fill_leaf, &f};
    model_expr_text_as(ac->of.model, ast, &style, &sb);
    return buf;
}

char *derivation_filled(const struct derivation *ac, char *buf, size_t cap) {
    return fill(ac, ac->formula, false, buf, cap);
}

char *derivation_threshold(const struct derivation *ac, char *buf, size_t cap) {
    return fill(ac, metric_of(ac)->threshold, true, buf, cap);
}

char *derivation_formula_text(const struct derivation *ac, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    model_expr_text(ac->of.model, ac->formula, &sb);
    return buf;
}

char *derivation_kind_text(const struct derivation *ac, char *buf, size_t cap) {
    const struct metric *mt = metric_of(ac);
    struct strbuf sb = strbuf_on(buf, cap);
    switch (ac->kind) {
    case DERIVATION_NONE:
        strbuf_add(&sb, "none: %s", mt->unavailable ? mt->unavailable : "not available");
        break;
    case DERIVATION_MAIN:
        strbuf_add(&sb, "exact");
        break;
    case DERIVATION_ALT:
        strbuf_add(&sb, "the alternative one: there are no topdown-* events (PERF_METRICS) here");
        break;
    case DERIVATION_FALLBACK:
        strbuf_add(&sb, "the fallback: an event of the exact one is not measured%s%s",
                   mt->fallback_note ? "; " : "", mt->fallback_note ? mt->fallback_note : "");
        break;
    }
    return buf;
}

/* ---- the value ---- */

/* In its unit. */
static void add_value(const struct metric *mt, double v, struct strbuf *sb) {
    if (isnan(v))
        strbuf_add(sb, "n/a");
    else if (mt->share)
        strbuf_add(sb, "%.2f%%", v * 100);
    else
        strbuf_add(sb, "%.6g%s%s", v, mt->unit ? " " : "", mt->unit ? mt->unit : "");
}

char *derivation_err(const struct derivation *ac, char *buf, size_t cap) {
    const struct value *v = value_of(ac);
    struct strbuf sb = strbuf_on(buf, cap);
    if (!ac->of.window || isnan(v->v))
        return buf;
    const struct spread_parts p = window_err(ac->of.window, ac->metric, v, ac->of.sum);
    if (p.unseen > 0.0 && isnan(p.sd)) {
        strbuf_add(&sb, "not known yet: %d of the %d values that a spread needs", p.n, SPREAD_MIN);
        return buf;
    }
    if (p.unseen == 0.0 && v->approx) {
        char why[256];
        strbuf_add(&sb, "none: counted all the time, but approximate: %s",
                   why_text(ac->of.model, v->why, why, sizeof(why)));
        return buf;
    }
    if (p.unseen == 0.0)
        strbuf_add(&sb, "every event was counted all the time%s",
                   p.resolution > 0 ? "" : ": nothing is estimated");
    else
        strbuf_add(&sb,
                   "%.4g (Student's t of %d values) * %.4g (their standard deviation) * %.4g "
                   "(square root of 1 - duty)",
                   p.t, p.n, p.sd, p.unseen);
    if (p.unseen > 0.0 && p.intervals > 1)
        strbuf_add(&sb, " %s %.4g (square root of %.0f intervals%s)", p.total ? "*" : "/",
                   sqrt(p.intervals), p.intervals, p.total ? ", which it is the sum of" : "");
    if (p.resolution > 0)
        strbuf_add(&sb, "; and %.4g for the resolution of PERF_METRICS, 1/255 of the slots",
                   p.resolution);
    return buf;
}

/* Own events come first; one of each group stands for it. */
static bool is_first_of_group(const struct derivation *ac, uint32_t event) {
    const struct layout *l = ac->of.layout;
    for (uint32_t i = 0; i < event; i++)
        if (ac->event[i].slot >= 0 &&
            l->slot[ac->event[i].slot].group == l->slot[ac->event[event].slot].group)
            return false;
    return true;
}

static bool inherits_parts(const struct derivation *ac, int named) {
    return !ac->of.model->metric[named].inlined && ac->of.frame->at[named].split;
}

char *derivation_parts(const struct derivation *ac, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    bool any = false;
    if (!value_of(ac)->split)
        return buf;
    strbuf_add(&sb, DERIVATION_SPLIT ": ");
    for (uint32_t i = 0; i < ac->n_named; i++)
        if (inherits_parts(ac, ac->named[i])) {
            strbuf_add(&sb, "%s%s", any ? ", " : "those of ",
                       ac->of.model->metric[ac->named[i]].name);
            any = true;
        }
    if (any)
        return buf;
    for (uint32_t i = 0; i < ac->n_event && ac->event[i].own; i++) {
        const int slot = ac->event[i].slot;
        if (slot < 0 || !is_first_of_group(ac, i))
            continue;
        strbuf_add(&sb, "%sgroup %u %.1f%% of the time", any ? ", " : "",
                   ac->of.layout->slot[slot].group, count_duty(&ac->of.sample->at[slot]) * 100);
        any = true;
    }
    strbuf_add(&sb, "; no group holds them all, so what changes between their turns is in the "
                    "value, too");
    return buf;
}

char *derivation_reason(const struct derivation *ac, char *buf, size_t cap) {
    const struct value *v = value_of(ac);
    why_text(ac->of.model, v->why, buf, cap);
    if (!buf[0] && v->state == VALUE_ODD)
        str_copy(buf, cap, "outside of what a share can be: its parts did not see the same time");
    return buf;
}

/* ---- lines ---- */

struct printing {
    const struct derivation *ac;
    void (*line)(void *user, const struct derivation_line *line);
    void *user;
};

static void put(const struct printing *pr, enum derivation_style style, const char *label,
                const char *text) {
    const struct derivation_line line = {style, label, text};
    pr->line(pr->user, &line);
}

static void put_value(const struct printing *pr) {
    const struct metric *mt = metric_of(pr->ac);
    const struct value *v = value_of(pr->ac);
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s = ", mt->name);
    add_value(mt, v->v, &sb);
    if (!isnan(v->v) && !isnan(v->err)) {
        strbuf_add(&sb, " ± ");
        add_value(mt, v->err, &sb);
    }
    strbuf_add(&sb, ", %s", value_state_name((enum value_state)v->state));
    if (!isnan(v->v))
        strbuf_add(&sb, ", duty %.1f%%", (double)v->duty * 100);
    strbuf_add(&sb, "%s%s", v->approx ? ", approximate" : "", v->over ? ", over" : "");
    put(pr, DERIVATION_STRONG, NULL, text);
    char reason[DERIVATION_TEXT_MAX];
    if (derivation_parts(pr->ac, reason, sizeof(reason))[0])
        put(pr, DERIVATION_TEXT, NULL, reason);
    if (derivation_reason(pr->ac, reason, sizeof(reason))[0])
        put(pr, DERIVATION_TEXT, NULL, reason);
}

static void put_formula(const struct printing *pr) {
    const struct derivation *ac = pr->ac;
    char text[DERIVATION_TEXT_MAX], number[64];
    struct strbuf sb = strbuf_on(number, sizeof(number));
    put(pr, DERIVATION_HEADING, NULL, "Formula");
    put(pr, DERIVATION_DIM, NULL, derivation_kind_text(ac, text, sizeof(text)));
    if (!ac->formula)
        return;
    put(pr, DERIVATION_TEXT, NULL, derivation_formula_text(ac, text, sizeof(text)));
    put(pr, DERIVATION_HEADING, NULL, "With its numbers");
    put(pr, DERIVATION_TEXT, NULL, derivation_filled(ac, text, sizeof(text)));
    strbuf_add(&sb, "= ");
    add_number(&sb, 6, derivation_value(ac));
    put(pr, DERIVATION_TEXT, NULL, number);
}

static void count_text(const struct derivation *ac, const struct derivation_event *e, char *buf,
                       size_t cap) {
    const struct layout *l = ac->of.layout;
    const struct count *c = e->slot < 0 ? NULL : &ac->of.sample->at[e->slot];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!c) {
        const uint8_t why = l->missing[e->event];
        strbuf_add(&sb, "%s", count_state_text(why ? (enum count_state)why : COUNT_NO_EVENT));
        return;
    }
    char number[64];
    struct strbuf digits = strbuf_on(number, sizeof(number));
    const bool scaled = c->state == COUNT_OK && c->running_ns < c->enabled_ns;
    if (c->state == COUNT_OK)
        add_count(&digits, derivation_counted(c));
    else
        strbuf_add(&digits, "%s", count_state_text((enum count_state)c->state));
    strbuf_add(&sb, "%15s", number);
    if (scaled) {
        strbuf_add(&sb, " counted, scaled to ");
        add_count(&sb, c->value);
    }
    if (c->enabled_ns)
        strbuf_add(&sb, " · enabled %6.1f ms · running %6.1f ms", (double)c->enabled_ns / 1e6,
                   (double)c->running_ns / 1e6);
    if (c->enabled_ns || c->state == COUNT_OK)
        strbuf_add(&sb, " · %5.1f%%", count_duty(c) * 100);
    strbuf_add(&sb, " · group %u", l->slot[e->slot].group);
}

static void put_events(const struct printing *pr, bool own, const char *heading) {
    const struct derivation *ac = pr->ac;
    bool any = false;
    for (uint32_t i = 0; i < ac->n_event; i++) {
        const struct derivation_event *e = &ac->event[i];
        char text[192];
        if (e->own != own)
            continue;
        if (!any)
            put(pr, DERIVATION_HEADING, NULL, heading);
        any = true;
        count_text(ac, e, text, sizeof(text));
        put(pr, own ? DERIVATION_TEXT : DERIVATION_DIM, ac->of.model->event[e->event].name, text);
    }
}

static void put_metrics(const struct printing *pr) {
    const struct derivation *ac = pr->ac;
    for (uint32_t i = 0; i < ac->n_named; i++) {
        const struct metric *mt = &ac->of.model->metric[ac->named[i]];
        const struct value *v = &ac->of.frame->at[ac->named[i]];
        char text[DERIVATION_TEXT_MAX];
        struct strbuf sb = strbuf_on(text, sizeof(text));
        if (i == 0)
            put(pr, DERIVATION_HEADING, NULL, "Metrics in it");
        const struct ast *formula = eval_bound(ac->of.eval, ac->named[i]).formula;
        if (mt->inlined && formula) {
            add_value(mt, derivation_named(ac, ac->named[i]), &sb);
            strbuf_add(&sb, ", read in group %u: ", ac->group);
            model_expr_text(ac->of.model, formula, &sb);
        } else {
            add_value(mt, v->v, &sb);
            strbuf_add(&sb, ", %s", value_state_name((enum value_state)v->state));
            if (!isnan(v->v))
                strbuf_add(&sb, ", duty %.1f%%", (double)v->duty * 100);
        }
        put(pr, DERIVATION_TEXT, mt->name, text);
    }
}

static void put_constants(const struct printing *pr) {
    const struct derivation *ac = pr->ac;
    for (uint32_t i = 0; i < ac->n_constant; i++) {
        const struct derivation_const *c = &ac->constant[i];
        char name[128], text[256];
        struct strbuf sb = strbuf_on(text, sizeof(text));
        if (i == 0)
            put(pr, DERIVATION_HEADING, NULL, "Constants in it");
        add_number(&sb, 10, derivation_constant(ac, c->index));
        strbuf_add(&sb, ", %s%s", derivation_origin(ac, c->index),
                   c->decides ? "; it decides which branch is taken" : "");
        put(pr, DERIVATION_TEXT, model_const_text(ac->of.model, c->index, name, sizeof(name)),
            text);
    }
}

static void put_threshold(const struct printing *pr) {
    const struct metric *mt = metric_of(pr->ac);
    const struct value *v = value_of(pr->ac);
    char text[DERIVATION_TEXT_MAX];
    if (!mt->threshold)
        return;
    put(pr, DERIVATION_HEADING, NULL, "Threshold");
    struct strbuf sb = strbuf_on(text, sizeof(text));
    model_expr_text(pr->ac->of.model, mt->threshold, &sb);
    put(pr, DERIVATION_TEXT, NULL, text);
    put(pr, DERIVATION_TEXT, NULL, derivation_threshold(pr->ac, text, sizeof(text)));
    put(pr, DERIVATION_TEXT, NULL,
        v->near       ? "its threshold lies within what is not sure, or not for long"
        : v->over     ? "so it is over its threshold"
        : isnan(v->v) ? "an unknown value is never over"
                      : "so it is not over its threshold");
}

static void put_err(const struct printing *pr) {
    char text[512];
    if (!derivation_err(pr->ac, text, sizeof(text))[0])
        return;
    put(pr, DERIVATION_HEADING, NULL, "The ±: half of the 95% interval");
    put(pr, DERIVATION_TEXT, NULL, text);
}

void derivation_lines(const struct derivation *ac,
                      void (*line)(void *user, const struct derivation_line *line), void *user) {
    const struct printing pr = {ac, line, user};
    put_value(&pr);
    put_formula(&pr);
    put_metrics(&pr);
    put_constants(&pr);
    put_events(&pr, true, "Events of the formula");
    put_threshold(&pr);
    put_err(&pr);
    put_events(&pr, false, "Events behind the metrics in it");
}
