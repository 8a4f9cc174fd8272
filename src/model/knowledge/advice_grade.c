/*
 * Grades by a table: each row compares a value with limits of its source. What is over its limit is
 * said first by rank, then by how many times its limit it is; two of one rank that are within 5 %
 * of each other there are a tie. Between the limits of a row its source does not judge.
 */
#include "model/knowledge/advice_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIE 1.05

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

bool advice_product(struct values *vs, const char *text, struct reading *out) {
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

/* "A|B < 10 %": true only where one of them is known, and it holds. */
static bool condition(struct work *w, const char *text) {
    char names[128], *save = NULL, *end;
    const size_t n = strcspn(text, "<>");
    const struct advice_limit l = {.op = text[n], .value = strtod(text + n + 1, &end)};
    const double limit = strchr(end, '%') ? l.value / 100 : l.value;
    snprintf(names, sizeof(names), "%.*s", (int)n, text);
    for (char *name = strtok_r(names, "| ", &save); name; name = strtok_r(NULL, "| ", &save)) {
        const int i = model_find(w->m, name);
        if (i != METRIC_NONE && !isnan(w->f->at[i].v))
            return l.op == '<' ? w->f->at[i].v < limit : w->f->at[i].v > limit;
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
        const bool known = advice_product(&vs, *m, &g.r);
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

void advice_judge(struct work *w, struct verdict *v) {
    *v = (struct verdict){.exists = false};
    take_best(w, v);
    if (v->best.grade != GRADE_BAD)
        return;
    take_others(w, v);
    v->tie = is_tie(v);
}
