/*
 * Rule "tree": the end of the bottleneck path in plain words, and what to do. Steps, the nearest
 * first: nodes below that were not measured; what the source says of the node, else the first hint
 * of the knowledge base; an event to sample.
 */
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"
#include "model/knowledge/advice_impl.h"

#include <math.h>
#include <string.h>

enum { NAMES = 32, NAMED = 3 };

#define NEAR      0.25   /* of a threshold: closer a value is "about at" it */
#define LEAST_ERR 0.0005 /* that is seen, of a share */
#define NO_CPUS   0.0005 /* CPU time that is shown as 0.00 CPUs, or 0.0% */

static const struct metric *metric_at(const struct work *w, int node) {
    return &w->m->metric[node];
}

static struct reading reading_at(const struct work *w, int node) {
    return (struct reading){w->f->at[node].v, w->f->at[node].err, metric_at(w, node)->share};
}

static const struct advice_row *row_of(const struct work *w, int node) {
    for (size_t i = 0; i < w->a->n_row; i++)
        if (str_same_name(w->a->row[i].id, metric_at(w, node)->name))
            return &w->a->row[i];
    return NULL;
}

static bool is_root(const struct metric *mt) {
    return mt->kind == METRIC_TREE && mt->parent == METRIC_NONE;
}

/* --- what is seen --- */

/* "clocks", "slots"; NULL: it is no share. */
static const char *share_of(const struct work *w, int node) {
    const char *of = metric_share_of(w->m, metric_at(w, node));
    return of || !metric_at(w, node)->share ? of : model_whole(w->m);
}

/* ", 38.5% of clocks": goes with the words before it. */
static void add_number(struct work *w, int keep, int node) {
    const struct reading r = reading_at(w, node);
    const bool first = keep > KEEP_OF; /* later ones are of the same, but for shares of less */
    const char *of = first ? share_of(w, node) : metric_share_of(w->m, metric_at(w, node));
    char number[32];
    advice_number(number, sizeof(number), r.v, r.share);
    draft_add(&w->seen, keep, CLAUSE_TIED, ", %s", number);
    if (of)
        draft_add(&w->seen, keep < KEEP_OF ? keep - 1 : KEEP_OF, CLAUSE_TIED, " of %s", of);
}

static void add_plain(struct work *w, int keep, unsigned flags, const char *before, int node) {
    char plain[ADVICE_PLAIN];
    advice_plain(w->a, metric_at(w, node), !before[0], plain, sizeof(plain));
    draft_add(&w->seen, keep, flags | (before[0] ? 0 : CLAUSE_NAME), "%s%s", before, plain);
}

/* Since the baseline: of the last minute the border of the tree tells. */
static void add_change(struct work *w, int node) {
    const struct advice_past *p = &w->in->baseline;
    const struct reading now = reading_at(w, node);
    struct reading then = {.share = now.share};
    if (p->get && p->get(p->user, node, &then.v, &then.err) && !isnan(then.v))
        advice_add_change(w, &now, &then, p, node);
}

/* Does the value's interval reach its own threshold, from above or from below; and why? */
enum reach {
    REACH_NOT,
    REACH_NEAR,  /* the value is near it */
    REACH_MOVED, /* it has just changed: the ± is over two phases */
    REACH_WIDE,  /* only the ± is */
};

static enum reach reach_of(const struct work *w, int node, double *limit) {
    const struct value *v = &w->f->at[node];
    if (!advice_own_limit(w->m, node, limit) || !(v->err > 0) || fabs(v->v - *limit) > v->err)
        return REACH_NOT;
    if (fabs(v->v - *limit) <= NEAR * fabs(*limit))
        return REACH_NEAR;
    const bool moved = w->in->moved && w->in->moved(w->in->moved_user, node);
    return moved ? REACH_MOVED : REACH_WIDE;
}

static void add_threshold(struct work *w, const struct bottleneck *b) {
    char number[32];
    double limit;
    for (int i = b->n - 1; i >= 0; i--) {
        const int node = b->at[i];
        char name[ADVICE_PLAIN];
        const enum reach reach = reach_of(w, node, &limit);
        if (reach == REACH_NOT)
            continue;
        w->out->certainty = ADVICE_UNSURE;
        w->near = reach != REACH_MOVED;
        w->moved = reach == REACH_MOVED;
        advice_number(number, sizeof(number), limit, metric_at(w, node)->share);
        advice_plain(w->a, metric_at(w, node), false, name, sizeof(name));
        if (i == b->n - 1)
            draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED,
                      reach == REACH_NEAR    ? ", about at its threshold of %s"
                      : reach == REACH_MOVED ? ", just changed: the ± is of before and after%.0s"
                                             : ", a ± that reaches its threshold of %s",
                      number);
        else
            draft_add(&w->seen, KEEP_WARNING, CLAUSE_TIED,
                      reach == REACH_NEAR    ? ", while %s is about at its %s"
                      : reach == REACH_MOVED ? ", while %s has just changed%.0s"
                                             : ", while the ± of %s reaches its %s",
                      name, number);
        return;
    }
}

/* The roots that are not known though they may be over: returns how many. */
static int unknown_roots(const struct work *w, int *unknown) {
    int n = 0;
    for (uint32_t i = 0; i < w->m->n_tree; i++) {
        const struct metric *mt = metric_at(w, (int)i);
        if (is_root(mt) && mt->threshold && isnan(w->f->at[i].v) && n < NAMES)
            unknown[n++] = (int)i;
    }
    return n;
}

/* A root that is not known may be larger than what was found. */
static void add_lacking(struct work *w) {
    int unknown[NAMES];
    const char *names[NAMES] = {0};
    char list[400];
    const int n = unknown_roots(w, unknown);
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        names[i] = metric_at(w, unknown[i])->name;
    advice_list_names(list, sizeof(list), names, n, NAMED);
    draft_add(&w->seen, KEEP_LACK, CLAUSE_NAME, "; %s %s not known", list, n > 1 ? "are" : "is");
    if (w->out->certainty == ADVICE_SURE || w->out->certainty == ADVICE_CLEAR)
        w->out->certainty = ADVICE_UNSURE;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

/* Both in one clause: a tie of which one is left out would be none. below: of parts of what has
 * been named, which is sure. */
static void add_tie(struct work *w, const struct bottleneck *b, bool below) {
    const int less = below ? KEEP_VALUE - KEEP_SAMPLE : 0; /* it goes before that is shortened */
    const int one = b->tie[0], two = b->tie[1];
    const struct reading r = reading_at(w, one), q = reading_at(w, two);
    const char *of = share_of(w, one), *of_two = share_of(w, two);
    const bool differ = !same_text(of, of_two) && of;
    char name[2][ADVICE_PLAIN], first[32], second[32];
    advice_plain(w->a, metric_at(w, one), !below, name[0], ADVICE_PLAIN);
    advice_plain(w->a, metric_at(w, two), false, name[1], ADVICE_PLAIN);
    advice_number(first, sizeof(first), r.v, r.share);
    advice_number(second, sizeof(second), q.v, q.share);
    draft_add(&w->seen, KEEP_VALUE - less, below ? 0 : CLAUSE_NAME, "%s%s %s%s%s, %s %s",
              below ? "; below it " : "", name[0], first, differ ? " of " : "", differ ? of : "",
              name[1], second);
    if (of_two)
        draft_add(&w->seen, KEEP_OF - less, CLAUSE_TIED, " of %s", of_two);
    if (r.share && q.share && r.err >= LEAST_ERR && q.err >= LEAST_ERR) /* false for NAN */
        draft_add(&w->seen, KEEP_ERR - less, CLAUSE_TIED, " ± %.1f and %.1f", 100 * r.err,
                  100 * q.err);
    draft_add(&w->seen, KEEP_LIMIT - less, CLAUSE_TIED, ": a tie");
}

/* What its siblings on the path are compared with: useful work is no loss, and what has no
 * threshold no problem. */
static bool is_rival(const struct work *w, int node, int shown) {
    const struct metric *mt = metric_at(w, node);
    return mt->parent == metric_at(w, shown)->parent && mt->threshold &&
           mt->role != ROLE_RETIRING && w->f->at[node].v > w->f->at[shown].v;
}

/* Why a smaller share is named: the largest that is larger than one of the path, at its side. */
static void add_larger(struct work *w, const struct bottleneck *b) {
    char number[32], name[ADVICE_PLAIN];
    int best = METRIC_NONE;
    for (int i = 0; i < b->n && best == METRIC_NONE; i++)
        for (uint32_t k = 0; k < w->m->n_tree; k++)
            if (is_rival(w, (int)k, b->at[i]) &&
                (best == METRIC_NONE || w->f->at[k].v > w->f->at[best].v))
                best = (int)k;
    if (best == METRIC_NONE)
        return;
    const struct value *v = &w->f->at[best];
    const bool late = v->over || v->near; /* the path waits for more than an interval or two */
    advice_number(number, sizeof(number), v->v, metric_at(w, best)->share);
    advice_plain(w->a, metric_at(w, best), false, name, sizeof(name));
    draft_add(&w->seen, KEEP_LARGER, 0, "; larger%s: %s %s", late ? " only just now" : "", name,
              number);
    if (late)
        w->out->certainty = ADVICE_UNSURE;
    else
        draft_add(&w->seen, KEEP_LARGER - 1, CLAUSE_TIED, ", below its threshold");
}

static void see_path(struct work *w, const struct bottleneck *b) {
    const int root = b->at[0], last = b->at[b->n - 1];
    const bool tie = b->tie[0] != METRIC_NONE, roots_tie = tie && b->tie[0] == root;
    const struct reading r = reading_at(w, last);
    w->out->certainty = roots_tie ? ADVICE_TIE : ADVICE_SURE;
    if (roots_tie)
        add_tie(w, b, false);
    if (roots_tie && last != root) {
        add_plain(w, KEEP_DETAIL, 0, "; below the larger one ", last);
        add_number(w, KEEP_DETAIL - 1, last);
    }
    if (!roots_tie) {
        add_plain(w, KEEP_VALUE, 0, "", last);
        add_number(w, KEEP_NUMBER, last);
        advice_add_err(&w->seen, &r);
        add_threshold(w, b);
        if (w->f->at[last].approx)
            draft_add(&w->seen, KEEP_BESIDE, CLAUSE_TIED, ", approximately");
        add_change(w, last);
        add_larger(w, b);
        if (tie)
            add_tie(w, b, true);
    }
    add_lacking(w);
}

/* --- what is next --- */

bool advice_can_know(const struct work *w, int node) {
    const struct value *v = &w->f->at[node];
    if (!isnan(v->v))
        return true;
    if (w->in->over || w->m->metric[node].unavailable)
        return false;
    return v->why.kind == WHY_NOTHING ||
           (v->why.kind == WHY_EVENT && count_waits((enum count_state)v->why.code));
}

bool advice_is_open(const struct work *w, int node) {
    return w->in->open && (uint32_t)node < w->m->n_tree && w->in->open[node];
}

/* Nodes right below, divided by whether their values are known; those that are not to be had here
 * do not count, nor those that are looked at already. */
struct below {
    const char *unknown[NAMES];
    int n_unknown;
};

static struct below below_of(const struct work *w, int node) {
    struct below b = {.n_unknown = 0};
    for (int i = metric_at(w, node)->first_child; i != METRIC_NONE;
         i = metric_at(w, i)->next_sibling)
        if (isnan(w->f->at[i].v) && advice_can_know(w, i) && !advice_is_open(w, node) &&
            b.n_unknown < NAMES)
            b.unknown[b.n_unknown++] = metric_at(w, i)->name;
    return b;
}

static void add_open(struct work *w, int node, const struct below *b) {
    char list[500];
    const bool key = w->keys.open[0] && w->keys.go[0];
    const char *name = metric_at(w, node)->name;
    advice_list_names(list, sizeof(list), b->unknown, b->n_unknown, NAMED);
    if (key && w->in->cursor && *w->in->cursor == node)
        draft_add(&w->next, KEEP_STEP, 0, "; open %s (%s)", name, w->keys.open);
    else if (key)
        draft_add(&w->next, KEEP_STEP, 0, "; open %s (%s, then %s)", name, w->keys.go,
                  w->keys.open);
    else
        draft_add(&w->next, KEEP_STEP, 0, "; look below %s", name);
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, "%s %s", key ? " for" : ":", list);
}

/* The event of the node itself, else that of the nearest one above: it counts more, but finds the
 * same place. */
static const char *event_of(const struct work *w, int node, const struct advice_row *row) {
    const char *event = row ? advice_row_event(w->m, row) : NULL;
    for (int i = node; !event && i != METRIC_NONE; i = metric_at(w, i)->parent)
        if (metric_at(w, i)->locate && metric_at(w, i)->locate[0])
            event = metric_at(w, i)->locate[0];
    return event;
}

static void add_steps(struct work *w, int node) {
    const struct advice_row *row = row_of(w, node);
    const struct below b = below_of(w, node);
    const char *event = event_of(w, node, row);
    if (b.n_unknown > 0)
        add_open(w, node, &b);
    const int keep = b.n_unknown > 0 ? KEEP_SAMPLE : KEEP_STEP;
    if (row && row->next)
        draft_add(&w->next, keep, 0, "; %s", row->next);
    else
        advice_add_hint(w, node, keep);
    advice_add_sample(w, event);
    advice_add_command(w, row);
    if (w->next.n == 0) /* a leaf of which no more is known */
        draft_add(&w->next, KEEP_STEP, 0, "profile to see where it is");
}

/* Would counting longer tell the two apart? */
static bool overlap(const struct work *w, const int16_t *tie) {
    const struct value *a = &w->f->at[tie[0]], *b = &w->f->at[tie[1]];
    return a->v - b->v <= a->err + b->err; /* false for NAN */
}

static void next_of_tie(struct work *w, const struct bottleneck *b) {
    const char *key = w->keys.go;
    draft_add(&w->next, KEEP_STEP, 0,
              key[0] ? "; look at %s and %s (%s goes there)" : "; look at %s and %s%s",
              metric_at(w, b->tie[0])->name, metric_at(w, b->tie[1])->name, key);
    if (overlap(w, b->tie))
        draft_add(&w->next, KEEP_LONGER, 0, "; a longer interval may tell them apart");
    for (int i = 0; i < 2; i++) {
        const char *event = event_of(w, b->tie[i], row_of(w, b->tie[i]));
        if (event && !advice_shows_code(w))
            draft_add(&w->next, KEEP_LONGER - 1 - i, 0, "; sample %s for %s", event,
                      metric_at(w, b->tie[i])->name);
    }
}

static void next_of_path(struct work *w, const struct bottleneck *b) {
    const int last = b->at[b->n - 1];
    const struct advice_row *row = row_of(w, last);
    if (advice_add_idle(w))
        return;
    if (b->tie[0] != METRIC_NONE)
        next_of_tie(w, b);
    else
        add_steps(w, last);
    if (w->near)
        draft_add(&w->next, KEEP_LONGER, 0, "; a longer interval makes sure");
    if (w->moved)
        draft_add(&w->next, KEEP_LONGER, 0, "; in some seconds the ± is of what is now");
    if (row)
        advice_add_beside(w, row->beside);
}

/* --- nothing over --- */

static int largest_root(const struct work *w) {
    int best = METRIC_NONE;
    for (uint32_t i = 0; i < w->m->n_tree; i++)
        if (is_root(metric_at(w, (int)i)) && !isnan(w->f->at[i].v) &&
            (best == METRIC_NONE || w->f->at[i].v > w->f->at[best].v))
            best = (int)i;
    return best;
}

/* A root whose interval reaches its threshold from below. */
static void add_near(struct work *w) {
    char number[32], limit_text[32];
    double limit;
    for (uint32_t i = 0; i < w->m->n_tree; i++) {
        if (!is_root(metric_at(w, (int)i)) || reach_of(w, (int)i, &limit) != REACH_NEAR)
            continue;
        const bool share = metric_at(w, (int)i)->share;
        char name[ADVICE_PLAIN];
        advice_plain(w->a, metric_at(w, (int)i), false, name, sizeof(name));
        advice_number(number, sizeof(number), w->f->at[i].v, share);
        advice_number(limit_text, sizeof(limit_text), limit, share);
        draft_add(&w->seen, KEEP_OTHER, 0, ", but %s, %s, is about at its %s", name, number,
                  limit_text);
        w->out->certainty = ADVICE_UNSURE;
        w->out->node = (int)i;
        w->near = true;
        return;
    }
}

static void next_of_none(struct work *w, int root) {
    const struct advice_row *row = row_of(w, root);
    const struct metric *mt = metric_at(w, root);
    if (advice_add_idle(w))
        return;
    if (w->near) {
        draft_add(&w->next, KEEP_STEP, 0, "; a longer interval makes sure");
        return;
    }
    if (mt->role == ROLE_RETIRING)
        draft_add(&w->next, KEEP_STEP, 0, "; look for work to skip");
    else if (row && row->next)
        draft_add(&w->next, KEEP_STEP, 0, "; %s", row->next);
    else
        draft_add(&w->next, KEEP_STEP, 0, "; no single cause stands out");
    draft_add(&w->next, KEEP_DETAIL, 0, "; a baseline shows what changes");
    advice_add_command(w, row);
    if (row)
        advice_add_beside(w, row->beside);
}

static void none_over(struct work *w, int root) {
    const struct reading r = reading_at(w, root);
    w->out->certainty = ADVICE_CLEAR;
    draft_add(&w->seen, KEEP_VALUE, 0, "nothing is over its threshold");
    add_plain(w, KEEP_IDLE, 0, "; largest: ", root);
    add_number(w, KEEP_IDLE - 1, root);
    advice_add_err(&w->seen, &r);
    add_change(w, root);
    add_near(w);
    add_lacking(w);
    next_of_none(w, root);
}

/* Metrics beside the tree that are over thresholds of their own: all there is without a tree. The
 * last of the model first: models go from what is general (CPI) to what is particular. */
static int over_beside(const struct work *w, int *over, int most) {
    int n = 0;
    for (uint32_t i = w->m->n_metric; i-- > w->m->n_tree && n < most;)
        if (w->f->at[i].over && !isnan(w->f->at[i].v))
            over[n++] = (int)i;
    return n;
}

static void see_beside(struct work *w) {
    int over[NAMED];
    const int n = over_beside(w, over, NAMED);
    for (int i = 0; i < n; i++) {
        const struct reading r = reading_at(w, over[i]);
        char number[32];
        advice_number(number, sizeof(number), r.v, r.share);
        draft_add(&w->seen, KEEP_OTHER - i, (i ? CLAUSE_TIED : 0) | CLAUSE_NAME, "%s%s %s",
                  i ? ", " : "; over a threshold of its own: ", metric_at(w, over[i])->name,
                  number);
    }
    if (n == 0)
        return;
    w->out->node = over[0];
    w->out->certainty = ADVICE_UNSURE;
    add_steps(w, over[0]);
}

/* Nothing lacks: the target slept, as its CPU time says, or else its counters. */
static bool did_not_run(const struct work *w) {
    const int busy = model_find(w->m, "CPUs_Utilized");
    if (busy != METRIC_NONE && !isnan(w->f->at[busy].v))
        return w->f->at[busy].v < NO_CPUS;
    int unknown[NAMES];
    const int n = unknown_roots(w, unknown);
    for (int i = 0; i < n; i++) {
        const struct why why = w->f->at[unknown[i]].why;
        if (why.kind != WHY_EVENT || why.code != COUNT_NOT_COUNTED)
            return false;
    }
    return n > 0;
}

static void not_measured(struct work *w) {
    int unknown[NAMES];
    char why[256] = "";
    const char *key = w->keys.doctor;
    if (did_not_run(w)) {
        draft_add(&w->seen, KEEP_VALUE, 0,
                  w->in->over ? "it did not run" : "it did not run in this interval");
        draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, ", so there is nothing to measure");
        if (w->in->over)
            return;
        draft_add(&w->next, KEEP_STEP, 0, "; what it waits for is the question");
        draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": input, a lock, a timer");
        return;
    }
    if (unknown_roots(w, unknown) > 0)
        why_text(w->m, w->f->at[unknown[0]].why, why, sizeof(why));
    draft_add(&w->seen, KEEP_VALUE, 0, "level 1 is not known");
    draft_add(&w->seen, KEEP_LIMIT, CLAUSE_TIED, "%s%s", why[0] ? ": " : "", why);
    see_beside(w);
    draft_add(&w->next, w->next.n ? KEEP_LONGER : KEEP_STEP, 0,
              key[0] ? "; the doctor (%s) says what this machine lacks"
                     : "; the doctor says what this machine lacks%s",
              key);
}

static void add_source(struct work *w) {
    struct strbuf sb = strbuf_on(w->out->source, sizeof(w->out->source));
    if (w->m->tma && w->m->tma[0])
        strbuf_add(&sb, "toplev thresholds, TMA %s", w->m->tma);
    else if (strlen(w->m->name) < 20)
        strbuf_add(&sb, "toplev rule, thresholds of %s", w->m->name);
    else
        strbuf_add(&sb, "toplev rule, thresholds of the model");
}

/* Why it does not run is another question than what it runs into. */
static void mostly_idle(struct work *w) {
    const int busy = model_find(w->m, "CPUs_Utilized");
    const double v = w->f->at[busy].v;
    w->out->certainty = ADVICE_CLEAR;
    draft_add(&w->seen, KEEP_VALUE, 0,
              v < 0.01 ? "mostly idle: under %.2f CPUs busy" : "mostly idle: %.2f CPUs busy",
              fmax(v, 0.01));
    draft_add(&w->next, KEEP_STEP, 0, "; see what it waits for");
    draft_add(&w->next, KEEP_DETAIL, CLAUSE_TIED, ": load, a lock, a timer");
}

void advice_by_tree(struct work *w) {
    const struct bottleneck *b = w->in->bottleneck ? w->in->bottleneck : &w->f->bottleneck;
    add_source(w);
    if (w->f->idle) {
        mostly_idle(w);
        return;
    }
    if (b->n > 0) {
        w->out->node = bottleneck_named(b);
        see_path(w, b);
        next_of_path(w, b);
        return;
    }
    const int root = largest_root(w);
    w->out->node = root;
    if (root == METRIC_NONE)
        not_measured(w);
    else
        none_over(w, root);
}
