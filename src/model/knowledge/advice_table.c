/* Rule "table": grades by the limits of a source, and what they mean in words. */
#include "model/eval/eval.h"
#include "model/knowledge/advice_impl.h"
#include "model/load/model_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each row compares a value with limits of its source. What is over its limit is
 * said first by rank, then by how many times its limit it is; two of one rank that are within 5%
 * of each other there are a tie. Between the limits of a row its source does not judge.
 */

#define TIE 1.05

enum grade { GRADE_UNKNOWN, GRADE_SILENT, GRADE_OK, GRADE_BETWEEN, GRADE_BAD };

struct graded {
    const struct advice_row *row;
    struct reading r;
    const char *metric; /* of the row's alternatives: the one that is known */
    int node;           /* it, where it is a single metric; METRIC_NONE */
    enum grade grade;
    bool exists; /* the model has it, known or not */
    double excess;
};

/* Where values come from: this interval, or an earlier one. */
struct values {
    const struct model *m;
    bool (*get)(void *user, int metric, double *v, double *err);
    void *user;
    bool exists; /* all names so far are metrics of the model */
    int node;    /* the last one seen */
};

enum { VERDICT_OTHERS = 2 };

struct verdict {
    struct graded best; /* what is said; best.row NULL: no row is known */
    struct graded other[VERDICT_OTHERS];
    int n_other, n_known, n_all;
    bool exists;    /* the model has metrics that the source judges */
    bool tie;       /* best and other[0] are over their limits by as much */
    struct why why; /* of the first value that is not known */
};

/* --- products --- */

/* Copies one word; returns what follows it. */
static const char *word_take(const char *s, char *word, size_t cap) {
    s += strspn(s, " ");
    const size_t n = strcspn(s, " ");
    snprintf(word, cap, "%.*s", (int)n, s);
    return s + n;
}

static bool operand(struct values *vs, const char *word, double *v, double *relative) {
    char *end;
    double err = 0;
    *relative = 0;
    *v = strtod(word, &end);
    if (!*end)
        return true;
    vs->node = model_find(vs->m, word);
    vs->exists = vs->exists && vs->node != METRIC_NONE;
    if (!vs->exists || !vs->get(vs->user, vs->node, v, &err))
        return false;
    *relative = *v != 0 && err > 0 ? err / fabs(*v) : 0;
    return true;
}

/*
 * "A * B / 1000" from left to right; errors add as those of independent counts. False if a part of
 * it is not known.
 */
static bool product(struct values *vs, const char *text, struct reading *out) {
    char op = '*', word[96];
    double value = 1, sum = 0;
    bool known = true;
    vs->exists = true;
    while (*text) {
        double v = NAN, relative = 0;
        text = word_take(text, word, sizeof(word));
        known = operand(vs, word, &v, &relative) && known;
        value = op == '*' ? value * v : v != 0 ? value / v : (double)NAN;
        sum += relative * relative;
        text = word_take(text, word, sizeof(word));
        op = word[0];
    }
    out->v = value;
    out->err = fabs(value) * sqrt(sum);
    return known && vs->exists && isfinite(value);
}

/* The frame is only read. */
static void *lend(const struct frame *f) {
    union {
        const struct frame *from;
        void *to;
    } u = {.from = f};
    return u.to;
}

static struct values values_now(const struct work *w) {
    return (struct values){.m = w->m, .get = advice_past_frame, .user = lend(w->f)};
}

/* --- grades --- */

static bool holds(const struct advice_limit *l, double v) {
    if (l->op == '>')
        return l->equal ? v >= l->value : v > l->value;
    return l->equal ? v <= l->value : v < l->value;
}

/* "A|B < 10%": true only where one of them is known, and it holds. */
static bool condition(struct work *w, const char *text) {
    char names[128], *save = NULL;
    const size_t n = strcspn(text, "<>");
    struct advice_limit l;
    if (!advice_limit_parse(text + n, &l))
        return false; /* cannot be: it was loaded */
    snprintf(names, sizeof(names), "%.*s", (int)n, text);
    for (char *name = strtok_r(names, "| ", &save); name; name = strtok_r(NULL, "| ", &save)) {
        const int i = model_find(w->m, name);
        if (i != METRIC_NONE && !isnan(w->f->at[i].v))
            return holds(&l, w->f->at[i].v);
    }
    return false;
}

static bool conditions(struct work *w, const struct advice_row *row) {
    for (const char **c = row->also; c && *c; c++)
        if (!condition(w, *c))
            return false;
    return true;
}

static enum grade grade_of(struct work *w, const struct graded *g) {
    const struct advice_row *row = g->row;
    if (!conditions(w, row))
        return GRADE_SILENT;
    if (row->bad.op == 'm')
        return g->node != METRIC_NONE && w->f->at[g->node].over ? GRADE_BAD : GRADE_OK;
    if (row->bad.op && holds(&row->bad, g->r.v))
        return GRADE_BAD;
    if (row->good.op)
        return holds(&row->good, g->r.v) ? GRADE_OK : GRADE_SILENT;
    if (row->also)
        return GRADE_SILENT;
    return !row->ok.op || holds(&row->ok, g->r.v) ? GRADE_OK : GRADE_BETWEEN;
}

/* How many times its limit: above 1 for what is bad. */
static double excess_of(const struct work *w, const struct graded *g) {
    double limit = g->row->bad.value;
    if (g->row->bad.op == 'm' && !advice_own_limit(w->m, g->node, &limit))
        return 1;
    if (g->row->bad.op == '<')
        return g->r.v > 0 ? limit / g->r.v : HUGE_VAL;
    return limit > 0 ? g->r.v / limit : HUGE_VAL;
}

static bool single(const char *metric) {
    return !strpbrk(metric, " ");
}

static struct graded grade(struct work *w, const struct advice_row *row, struct why *why) {
    struct graded g = {.row = row, .node = METRIC_NONE, .grade = GRADE_UNKNOWN};
    for (const char **m = row->metric; *m && !g.metric; m++) {
        struct values vs = values_now(w);
        const bool known = product(&vs, *m, &g.r);
        g.exists = g.exists || vs.exists;
        if (vs.exists && !known && why->kind == WHY_NOTHING)
            *why = w->f->at[vs.node].why;
        if (!known)
            continue;
        g.metric = *m;
        g.node = single(*m) ? vs.node : METRIC_NONE;
    }
    if (!g.metric)
        return g;
    g.r.share =
        row->ok.percent || row->bad.percent || (row->bad.op == 'm' && w->m->metric[g.node].share);
    g.grade = grade_of(w, &g);
    g.excess = g.grade == GRADE_BAD ? excess_of(w, &g) : 0;
    return g;
}

/* --- choosing --- */

/* Several rows may judge one metric: it counts once. */
static bool first_of_metric(const struct advice *a, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (!strcmp(a->row[i].metric[0], a->row[at].metric[0]))
            return false;
    return true;
}

static bool is_held(const struct work *w, const struct graded *g) {
    return w->in->held && w->in->held->row_ == g->row;
}

static bool goes_before(const struct work *w, const struct graded *a, const struct graded *b) {
    if (!b->row || a->grade != b->grade)
        return !b->row || a->grade > b->grade;
    if (is_held(w, a) || is_held(w, b))
        return is_held(w, a);
    if (a->row->rank != b->row->rank)
        return a->row->rank < b->row->rank;
    return a->excess > b->excess;
}

/* Among what is fine only rows that have words for it. */
static bool speaks(const struct graded *g) {
    return g->grade > GRADE_OK || (g->grade == GRADE_OK && (g->row->good.op || g->row->fine));
}

static void take_best(struct work *w, struct verdict *v) {
    for (size_t i = 0; i < w->a->n_row; i++) {
        const struct graded g = grade(w, &w->a->row[i], &v->why);
        const bool counts = first_of_metric(w->a, i);
        v->exists = v->exists || g.exists;
        v->n_all += counts && g.exists;
        v->n_known += counts && g.metric;
        if (speaks(&g) && goes_before(w, &g, &v->best))
            v->best = g;
    }
}

/* The next ones that are over their limits, each of another metric than those before. */
static void take_others(struct work *w, struct verdict *v) {
    for (int n = 0; n < VERDICT_OTHERS; n++) {
        struct graded best = {0};
        for (size_t i = 0; i < w->a->n_row; i++) {
            const struct graded g = grade(w, &w->a->row[i], &v->why);
            bool said = g.metric && !strcmp(g.metric, v->best.metric);
            for (int k = 0; k < n; k++)
                said = said || (g.metric && !strcmp(g.metric, v->other[k].metric));
            if (g.grade == GRADE_BAD && !said && goes_before(w, &g, &best))
                best = g;
        }
        if (!best.row)
            return;
        v->other[v->n_other++] = best;
    }
}

static bool is_tie(const struct verdict *v) {
    return v->n_other > 0 && v->best.grade == GRADE_BAD &&
           v->best.row->rank == v->other[0].row->rank &&
           v->best.excess <= TIE * v->other[0].excess && v->other[0].excess <= TIE * v->best.excess;
}

static void judge(struct work *w, struct verdict *v) {
    *v = (struct verdict){.exists = false};
    take_best(w, v);
    if (v->best.grade != GRADE_BAD)
        return;
    take_others(w, v);
    v->tie = is_tie(v);
}

/* --- what is seen --- */

static void add_value(struct work *w, int keep, unsigned flags, const char *before,
                      const struct graded *g) {
    char number[32];
    advice_number(number, sizeof(number), g->r.v, g->r.share);
    draft_add(&w->seen, keep, flags, "%s%s %s", before, g->row->label, number);
}

static void add_change(struct work *w, const struct graded *g) {
    const struct advice_past *p = &w->in->baseline;
    struct values vs = {.m = w->m, .get = p->get, .user = p->user};
    struct reading then = {.share = g->r.share};
    if (p->get && product(&vs, g->metric, &then))
        advice_add_change(w, &g->r, &then, p, g->node);
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
    advice_add_sample(w, event);
    if (w->near)
        draft_add(&w->next, KEEP_LONGER, 0, "; a longer interval makes sure");
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
    judge(w, &v);
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
