/* The sentence: what both rules share. */
#include "model/knowledge/advice.h"

#include "model/eval/steady.h"
#include "model/knowledge/advice_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct advice_keys keys_default = {"Enter", "e", "9", "B"};

const char *advice_certainty_name(enum advice_certainty certainty) {
    static const char *const names[] = {"sure", "tie", "unsure", "clear", "unknown"};
    return names[certainty];
}

bool advice_past_frame(void *frame, int metric, double *v, double *err) {
    const struct frame *f = frame;
    if (metric < 0 || (uint32_t)metric >= f->n_metric || isnan(f->at[metric].v))
        return false;
    *v = f->at[metric].v;
    *err = f->at[metric].err;
    return true;
}

/* --- numbers --- */

const char *advice_number(char *buf, size_t cap, double v, bool share) {
    if (share)
        snprintf(buf, cap, fabs(v) < 0.01 && v != 0 ? "%.2f %%" : "%.1f %%", 100 * v);
    else if (fabs(v) < 1000)
        snprintf(buf, cap, "%.2f", v);
    else
        str_si(buf, cap, v);
    return buf;
}

void advice_add_err(struct draft *d, const struct reading *r) {
    const double err = r->share ? 100 * r->err : r->err;
    const bool fine = r->share ? fabs(r->v) < 0.01 : true;
    if (err >= (fine ? 0.005 : 0.05)) /* false for NAN */
        draft_add(d, KEEP_ERR, CLAUSE_TIED, fine ? " ± %.2f" : " ± %.1f", err);
}

/* How much of it is more than noise; what is not known of the noise is taken as none, but then and
 * always it takes a point, or a twentieth of what is no share. */
static bool changed(const struct reading *now, const struct reading *then) {
    const double a = isnan(now->err) ? 0 : now->err, b = isnan(then->err) ? 0 : then->err;
    const double change = fabs(now->v - then->v);
    return change > sqrt(a * a + b * b) && change >= (now->share ? 0.01 : 0.05 * fabs(then->v));
}

void advice_add_change(struct work *w, const struct reading *now, const struct reading *then,
                       const struct advice_past *past, int node) {
    struct advice_change c = {.delta = now->v - then->v, .sure = changed(now, then)};
    c.relative = then->v != 0 ? c.delta / fabs(then->v) : NAN;
    if (past->judge && (node == METRIC_NONE || !past->judge(past->user, node, &c) || !c.sure))
        return;
    const char *way = c.delta > 0 ? "up" : "down";
    const int keep = past->judge ? KEEP_SINCE : KEEP_CHANGE;
    if (!c.sure)
        draft_add(&w->seen, KEEP_SAME, CLAUSE_TIED, ", no clear change %s", past->since);
    else if (now->share)
        draft_add(&w->seen, keep, CLAUSE_TIED, ", %s %.1f points %s", way, 100 * fabs(c.delta),
                  past->since);
    else if (!isnan(c.relative))
        draft_add(&w->seen, keep, CLAUSE_TIED, ", %s %.0f %% %s", way, 100 * fabs(c.relative),
                  past->since);
    else
        return;
    w->compared = past == &w->in->baseline;
}

static void add_by(struct strbuf *sb, const struct metric *mt, const struct advice_change *c) {
    const double points = 100 * fabs(c->delta), percent = 100 * fabs(c->relative);
    const char *by = c->better ? " by" : "";
    if (mt->share)
        strbuf_add(sb, "%s %.1f points", by, points);
    else if (percent < 1000) /* false for NAN */
        strbuf_add(sb, "%s %.*f %%", by, percent < 9.95 ? 1 : 0, percent);
}

/* A comparison that is shown beside the words is in them, too: where it is sure of nothing of what
 * they name, by its largest change. */
static void add_compared(struct work *w) {
    const struct advice_past *p = &w->in->baseline;
    struct advice_change c;
    char by[48] = "";
    struct strbuf sb = strbuf_on(by, sizeof(by));
    if (w->compared || !p->judge || !p->largest)
        return;
    const int node = p->largest(p->user);
    if (node == METRIC_NONE || !p->judge(p->user, node, &c)) {
        draft_add(&w->seen, KEEP_SINCE, 0, "; no clear change %s", p->since);
        return;
    }
    const char *way = c.better ? c.better > 0 ? "better" : "worse" : c.delta > 0 ? "up" : "down";
    add_by(&sb, &w->m->metric[node], &c);
    draft_add(&w->seen, KEEP_SINCE, CLAUSE_NAME, "; %s %s%s %s", w->m->metric[node].name, way, by,
              p->since);
}

/* --- lists and names --- */

void advice_list_names(char *buf, size_t cap, const char *const *names, int n, int most) {
    struct strbuf sb = strbuf_on(buf, cap);
    const int shown = n <= most ? n : most - 1;
    buf[0] = '\0';
    for (int i = 0; i < shown; i++)
        strbuf_add(&sb, "%s%s", i == 0 ? "" : i == n - 1 ? " and " : ", ", names[i]);
    if (shown < n)
        strbuf_add(&sb, " and %d more", n - shown);
}

void advice_add_beside(struct work *w, const char **names) {
    int n = 0;
    for (const char **name = names; name && *name && n < 2; name++) {
        const int i = model_find(w->m, *name);
        char number[32];
        if (i == METRIC_NONE || isnan(w->f->at[i].v))
            continue;
        const struct metric *mt = &w->m->metric[i];
        const bool unit = mt->unit && mt->unit[0] == '/';
        const double v = w->f->at[i].v;
        if (!mt->share && fabs(v) < 1000 &&
            (unit || v == round(v))) /* a rate, a number of things */
            snprintf(number, sizeof(number), "%.0f", v);
        else
            advice_number(number, sizeof(number), v, mt->share);
        draft_add(&w->seen, KEEP_BESIDE, CLAUSE_NAME, "%s%s %s%s", n++ ? ", " : "; ", mt->name,
                  number, unit ? mt->unit : "");
    }
}

void advice_add_command(struct work *w, const struct advice_row *row) {
    const char *command = row ? advice_row_command(w->m, row) : NULL;
    if (command)
        draft_add(&w->next, KEEP_COMMAND, 0, "; outside: %s", command);
}

static bool is_explained(const struct work *w, int node) {
    char text[512];
    return w->in->explain && node != METRIC_NONE &&
           explain_summary(w->in->explain, w->m->metric[node].name, text, sizeof(text));
}

/* What to try for a node, else for the nearest one above. */
static const char *hint_of(const struct work *w, int node, char *buf, size_t cap) {
    const char *hint = NULL;
    for (; w->in->explain && node != METRIC_NONE && !hint; node = w->m->metric[node].parent)
        hint = explain_hint(w->in->explain, w->m->metric[node].name, buf, cap);
    return hint;
}

void advice_add_explain(struct work *w, int node, bool first) {
    char text[512];
    const char *hint = hint_of(w, node, text, sizeof(text)), *key = w->keys.explain;
    if (hint && first)
        draft_add(&w->next, KEEP_STEP, 0, "; try: %s", hint);
    if (is_explained(w, node) && key[0])
        draft_add(&w->next, KEEP_EXPLAIN, CLAUSE_NAME, "; %s on %s explains it", key,
                  w->m->metric[node].name);
    if (hint && !first)
        draft_add(&w->next, KEEP_HINT, 0, "; try: %s", hint);
}

bool advice_add_idle(struct work *w) {
    const int i = model_find(w->m, "CPUs_Utilized");
    if (i == METRIC_NONE || !(w->f->at[i].v < STEADY_IDLE_CPUS)) /* unknown is not idle */
        return false;
    const double v = w->f->at[i].v;
    draft_add(&w->seen, KEEP_IDLE, 0,
              v < 0.01 ? "; hardly running: under %.2f CPUs busy"
                       : "; hardly running: %.2f CPUs busy",
              fmax(v, 0.01));
    if (w->out->certainty == ADVICE_SURE)
        w->out->certainty = ADVICE_UNSURE;
    draft_add(&w->next, KEEP_STEP, 0, "; first see what it waits for");
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": load, locks or input");
    return true;
}

/* --- thresholds --- */

static bool limit_here(const struct ast *a, int metric, double *limit) {
    if ((a->op != AST_GT && a->op != AST_GE && a->op != AST_LT && a->op != AST_LE) ||
        a->kid[0]->op != AST_METRIC || a->kid[0]->index != metric || a->kid[1]->op != AST_NUMBER)
        return false;
    *limit = a->kid[1]->number;
    return true;
}

static bool limit_in(const struct ast *a, int metric, double *limit) {
    if (!a)
        return false;
    if (a->op == AST_AND || a->op == AST_OR)
        return limit_in(a->kid[0], metric, limit) || limit_in(a->kid[1], metric, limit);
    return limit_here(a, metric, limit);
}

bool advice_own_limit(const struct model *m, int metric, double *limit) {
    return limit_in(m->metric[metric].threshold, metric, limit);
}

/* --- the whole --- */

static bool is_for(const struct advice *a, const struct model *m) {
    return !a->vendor || !m->vendor[0] || !strcmp(a->vendor, m->vendor);
}

static void words_for_others(struct work *w) {
    w->out->certainty = ADVICE_UNKNOWN;
    draft_add(&w->seen, KEEP_VALUE, CLAUSE_NAME, "%s is for %s cores", w->a->name, w->a->vendor);
    draft_add(&w->seen, KEEP_LACK, 0, ", this one is by %s", w->m->vendor);
    draft_add(&w->next, KEEP_STEP, 0, "choose another source of advice");
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": %s fits every model", ADVICE_DEFAULT);
    str_copy(w->out->source, sizeof(w->out->source), w->a->name);
}

void advice_make(const struct advice *a, const struct advice_input *in, struct advice_text *out) {
    struct work w = {.a = a,
                     .in = in,
                     .m = in->model,
                     .f = in->frame,
                     .keys = in->keys ? *in->keys : keys_default,
                     .out = out};
    *out = (struct advice_text){.node = METRIC_NONE, .certainty = ADVICE_UNKNOWN};
    draft_init(&w.seen);
    draft_init(&w.next);
    if (!is_for(a, in->model))
        words_for_others(&w);
    else if (a->tree)
        advice_by_tree(&w);
    else
        advice_by_table(&w);
    if (is_for(a, in->model))
        add_compared(&w);
    out->n_seen_ = draft_settle(&w.seen, out->seen, sizeof(out->seen), out->seen_);
    out->n_next_ = draft_settle(&w.next, out->next, sizeof(out->next), out->next_);
}
