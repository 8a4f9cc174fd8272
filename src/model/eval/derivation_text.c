/* An account in words and lines: see derivation.h. */
#include "model/eval/derivation.h"

#include "model/load/model_text.h"

#include <math.h>
#include <stdio.h>

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
        strbuf_add(&sb, "the main one");
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
        strbuf_add(sb, "%.2f %%", v * 100);
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
    strbuf_add(&sb, DERIVATION_PARTED ": ");
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
        strbuf_add(&sb, "%sgroup %u %.1f %% of the time", any ? ", " : "",
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
        strbuf_add(&sb, ", duty %.1f %%", (double)v->duty * 100);
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
        strbuf_add(&sb, " · %5.1f %%", count_duty(c) * 100);
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
                strbuf_add(&sb, ", duty %.1f %%", (double)v->duty * 100);
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
    put(pr, DERIVATION_HEADING, NULL, "The ±: half of the 95 % interval");
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
