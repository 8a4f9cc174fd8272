/* Rule "table" in words. Between the limits of a row its source does not judge, nor do they. */
#include "model/eval/eval.h"
#include "model/knowledge/advice_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- what is seen --- */

static void add_value(struct work *w, int keep, unsigned flags, const char *before,
                      const struct graded *g) {
    char number[32];
    advice_number(number, sizeof(number), g->r.v, g->r.share);
    draft_add(&w->seen, keep, flags, "%s%s %s", before, g->row->label, number);
}

static void add_change(struct work *w, const struct graded *g) {
    const struct advice_past *const pasts[] = {&w->in->baseline, &w->in->ago};
    for (int i = 0; i < 2; i++) {
        const struct advice_past *p = pasts[i];
        struct values vs = {.m = w->m, .get = p->get, .user = p->user};
        struct reading then = {.share = g->r.share};
        if (!p->get || !advice_product(&vs, g->metric, &then))
            continue;
        advice_add_change(w, &g->r, &then, p, g->node);
        return;
    }
}

static void add_limit(struct work *w, const struct graded *g) {
    const struct advice_limit *l = &g->row->bad;
    double limit = l->value;
    const bool own = l->op == 'm', has = !own || advice_own_limit(w->m, g->node, &limit);
    if (has && g->r.err > 0 && fabs(g->r.v - limit) <= g->r.err) {
        draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", about at %s%s",
                  own ? "the model's threshold" : "its limit of ", own ? "" : l->text);
        w->out->certainty = ADVICE_UNSURE;
        w->near = true;
        return;
    }
    if (own)
        draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", over the model's threshold");
    else
        draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", %s %s", l->op == '>' ? "over" : "below",
                  l->text);
}

static void add_others(struct work *w, const struct verdict *v, int from) {
    for (int i = from; i < v->n_other; i++)
        add_value(w, KEEP_BESIDE, i > from ? CLAUSE_TIED : 0, i > from ? ", " : "; also ",
                  &v->other[i]);
}

static void add_counts(struct work *w, const struct verdict *v) {
    if (v->n_known < v->n_all)
        draft_add(&w->seen, KEEP_COUNT, 0, "; %d of its %d metrics not measured",
                  v->n_all - v->n_known, v->n_all);
}

static void add_both(struct work *w, const struct graded *a, const struct graded *b) {
    char first[32], second[32];
    advice_number(first, sizeof(first), a->r.v, a->r.share);
    advice_number(second, sizeof(second), b->r.v, b->r.share);
    draft_add(&w->seen, KEEP_VALUE, 0, ": %s %s and %s %s", a->row->label, first, b->row->label,
              second);
    draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", both over their limits by as much");
}

static void see_bad(struct work *w, const struct verdict *v) {
    const struct graded *g = &v->best;
    w->out->certainty = v->tie ? ADVICE_TIE : ADVICE_SURE;
    draft_add(&w->seen, KEEP_HEAD, 0, "%s", g->row->says);
    if (v->tie) {
        add_both(w, g, &v->other[0]);
    } else {
        add_value(w, KEEP_VALUE, 0, ": ", g);
        advice_add_err(&w->seen, &g->r);
        add_limit(w, g);
        add_change(w, g);
    }
    add_others(w, v, v->tie);
    add_counts(w, v);
}

static void see_between(struct work *w, const struct verdict *v) {
    const struct graded *g = &v->best;
    const struct advice_row *row = g->row;
    w->out->certainty = ADVICE_CLEAR;
    draft_add(&w->seen, KEEP_HEAD, 0, "%s", row->bad.op ? "nothing is over its limit" : row->says);
    add_value(w, KEEP_VALUE, 0, ": ", g);
    advice_add_err(&w->seen, &g->r);
    if (row->bad.op)
        draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", between %s and %s", row->ok.text,
                  row->bad.text);
    add_change(w, g);
    add_counts(w, v);
}

static void see_fine(struct work *w, const struct verdict *v) {
    const struct graded *g = &v->best;
    w->out->certainty = ADVICE_CLEAR;
    if (!g->row) {
        draft_add(&w->seen, KEEP_VALUE, 0, "nothing is over its limit");
    } else {
        draft_add(&w->seen, KEEP_HEAD, 0, "%s", g->row->good.op ? g->row->says : g->row->fine);
        add_value(w, KEEP_VALUE, 0, ": ", g);
        advice_add_err(&w->seen, &g->r);
        add_change(w, g);
        draft_add(&w->seen, KEEP_COUNT, 0, "; nothing is over its limit");
    }
    add_counts(w, v);
}

static void see_nothing(struct work *w, const struct verdict *v) {
    char why[256] = "";
    w->out->certainty = ADVICE_UNKNOWN;
    if (!v->exists) {
        draft_add(&w->seen, KEEP_VALUE, 0, "model %s has no metric that %s judges", w->m->name,
                  w->a->name);
        draft_add(&w->next, KEEP_STEP, 0, "choose another source of advice");
        draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": %s fits every model", ADVICE_DEFAULT);
        return;
    }
    why_text(w->m, v->why, why, sizeof(why));
    draft_add(&w->seen, KEEP_VALUE, 0, "none of the metrics that %s judges is measured",
              w->a->name);
    draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, "%s%s", why[0] ? ": " : "", why);
    draft_add(&w->next, KEEP_STEP, 0, "let the metrics view measure them");
}

/* --- what is next --- */

static bool in_groups(const char *groups, const char *group) {
    const size_t n = strlen(group);
    for (const char *s = groups; s && *s; s += strcspn(s, ";"), s += *s == ';')
        if (strcspn(s, ";") == n && !strncmp(s, group, n))
            return true;
    return false;
}

static bool model_has_group(const struct model *m, const char *group) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (in_groups(m->metric[i].groups, group))
            return true;
    return false;
}

static void add_groups(struct work *w, const struct advice_row *row) {
    const char *names[8];
    char list[256];
    int n = 0;
    for (const char **g = row->group; g && *g && n < 8; g++)
        if (model_has_group(w->m, *g))
            names[n++] = *g;
    if (n == 0)
        return;
    advice_list_names(list, sizeof(list), names, n, 3);
    draft_add(&w->next, KEEP_DETAIL, 0, "; see the metrics of %s", list);
}

/* There is something below it that is not seen yet. */
static bool can_open(const struct work *w, int node) {
    bool any = false;
    for (int i = w->m->metric[node].first_child; i != METRIC_NONE; i = w->m->metric[i].next_sibling)
        any |= advice_can_know(w, i);
    return any && !advice_is_open(w, node);
}

static void add_node(struct work *w, int node) {
    const struct metric *mt = &w->m->metric[node];
    if (!advice_can_know(w, node))
        return;
    const bool opens = w->keys.open[0] && can_open(w, node);
    if (opens)
        draft_add(&w->next, KEEP_DETAIL, 0, "; open %s (%s on it)", mt->name, w->keys.open);
    else
        draft_add(&w->next, KEEP_DETAIL, 0, "; see %s", mt->name);
}

static void next_of(struct work *w, const struct verdict *v) {
    const struct advice_row *row = v->best.row;
    const int node = advice_row_node(w->m, row);
    const char *event = advice_row_event(w->m, row);
    w->out->node = v->best.node != METRIC_NONE ? v->best.node : node;
    if (advice_add_idle(w))
        return;
    if (v->best.grade == GRADE_OK && !row->good.op) {
        draft_add(&w->next, KEEP_STEP, 0, "; nothing to do by these limits");
        draft_add(&w->next, KEEP_DETAIL, 0, "; a baseline shows what changes");
        return;
    }
    const bool yet = v->best.grade == GRADE_BETWEEN && row->bad.op;
    draft_add(&w->next, KEEP_STEP, 0, "; %s%s", yet ? "if it grows, " : "", row->next);
    if (node != METRIC_NONE && node != v->best.node)
        add_node(w, node);
    else if (node != METRIC_NONE && w->m->metric[node].first_child != METRIC_NONE)
        add_node(w, node);
    add_groups(w, row);
    if (event)
        draft_add(&w->next, KEEP_SAMPLE, 0, "; sample %s", event);
    if (w->near)
        draft_add(&w->next, KEEP_LONGER, 0, "; a longer interval makes sure");
    advice_add_explain(w, w->out->node, false);
    advice_add_command(w, row);
}

static void add_source(struct work *w, const struct verdict *v) {
    struct strbuf sb = strbuf_on(w->out->source, sizeof(w->out->source));
    const char *section = v->best.row ? v->best.row->section : "";
    const bool fits = strlen(w->a->name) + strlen(section) + 2 < sizeof(w->out->source);
    strbuf_add(&sb, "%s%s%s", w->a->name, section[0] && fits ? ", " : "", fits ? section : "");
}

void advice_by_table(struct work *w) {
    struct verdict v;
    advice_judge(w, &v);
    w->out->row_ = v.best.row;
    add_source(w, &v);
    if (v.n_known == 0) {
        see_nothing(w, &v);
        return;
    }
    snprintf(w->out->who, sizeof(w->out->who), "%.28s says: ", w->a->name);
    if (v.best.grade == GRADE_BAD)
        see_bad(w, &v);
    else if (v.best.grade == GRADE_BETWEEN)
        see_between(w, &v);
    else
        see_fine(w, &v);
    if (v.best.row)
        next_of(w, &v);
    else
        draft_add(&w->next, KEEP_STEP, 0, "a baseline shows what changes");
}
