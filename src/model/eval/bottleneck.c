#include "model/eval/bottleneck.h"

#include "base/str.h"
#include "model/eval/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The two largest over-threshold siblings; METRIC_NONE where there is none. */
struct best {
    int first, second;
};

static bool is_root(const struct metric *m) {
    return m->kind == METRIC_TREE && m->parent == METRIC_NONE;
}

static void best_take(const struct frame *f, struct best *b, int node) {
    const struct value *v = &f->at[node];
    if (!v->over || isnan(v->v))
        return;
    if (b->first == METRIC_NONE || v->v > f->at[b->first].v)
        *b = (struct best){node, b->first};
    else if (b->second == METRIC_NONE || v->v > f->at[b->second].v)
        b->second = node;
}

/* Of the children of a node, or of the roots (METRIC_NONE), which follow each other as siblings. */
static struct best best_of(const struct model *m, const struct frame *f, int parent) {
    struct best b = {METRIC_NONE, METRIC_NONE};
    const int root = m->n_tree > 0 ? 0 : METRIC_NONE;
    const int first = parent == METRIC_NONE ? root : m->metric[parent].first_child;
    for (int i = first; i != METRIC_NONE; i = m->metric[i].next_sibling)
        best_take(f, &b, i);
    return b;
}

/* What is not known to be off is taken as right. */
static double margin_of_roots(const struct value *a, const struct value *b) {
    const double err = hypot(isnan(a->err) ? 0 : a->err, isnan(b->err) ? 0 : b->err);
    return err < BOTTLENECK_TIE_ROOTS ? BOTTLENECK_TIE_ROOTS
           : err < BOTTLENECK_TIE     ? err
                                      : BOTTLENECK_TIE;
}

static bool too_close(const struct frame *f, const struct best *b, bool roots) {
    if (b->second == METRIC_NONE)
        return false;
    const struct value *one = &f->at[b->first], *two = &f->at[b->second];
    return one->v - two->v <= (roots ? margin_of_roots(one, two) : BOTTLENECK_TIE);
}

void bottleneck_find(const struct model *m, const struct frame *f, struct bottleneck *out) {
    *out = (struct bottleneck){.n = 0, .tie = {METRIC_NONE, METRIC_NONE}};
    struct best b = best_of(m, f, METRIC_NONE);
    while (b.first != METRIC_NONE && out->n < PATH_MAX_LEN) {
        const bool tie = too_close(f, &b, out->n == 0);
        if (tie && out->tie[0] == METRIC_NONE) {
            out->tie[0] = (int16_t)b.first;
            out->tie[1] = (int16_t)b.second;
        }
        if (tie && out->n > 0)
            return; /* the parent is the last sure word */
        out->at[out->n++] = (int16_t)b.first;
        b = best_of(m, f, b.first);
    }
}

/* "L3_Bound 12.8%", or the plain number where the value is no share. */
static void add_node(struct strbuf *sb, const struct model *m, const struct frame *f, int node) {
    const double v = f->at[node].v;
    char number[32];
    strbuf_add(sb, "%s", m->metric[node].name);
    if (m->metric[node].share)
        strbuf_add(sb, " %.1f%%", 100.0 * v);
    else
        strbuf_add(sb, " %s", str_si(number, sizeof(number), v));
}

/* " of clocks", where a node is no share of the model's scope. */
static void add_of(struct strbuf *sb, const struct model *m, int node) {
    const char *of = metric_share_of(m, &m->metric[node]);
    if (of)
        strbuf_add(sb, " of %s", of);
}

static bool same_of(const struct model *m, const int16_t *two) {
    const char *a = metric_share_of(m, &m->metric[two[0]]),
               *b = metric_share_of(m, &m->metric[two[1]]);
    return a == b || (a && b && !strcmp(a, b));
}

static void add_tie(struct strbuf *sb, const struct model *m, const struct frame *f,
                    const struct bottleneck *b) {
    if (b->tie[0] != b->at[b->n - 1]) { /* else its name has just been said */
        strbuf_add(sb, ": ");
        add_node(sb, m, f, b->tie[0]);
        if (!same_of(m, b->tie)) /* else the second one says it for both */
            add_of(sb, m, b->tie[0]);
    }
    strbuf_add(sb, " ≈ ");
    add_node(sb, m, f, b->tie[1]);
    add_of(sb, m, b->tie[1]);
}

/* "Frontend_Bound, Backend_Bound": the level 1 shares that are not known; the first one's reason
 * goes to why. Returns how many are known. */
static int add_unknown(struct strbuf *sb, const struct model *m, const struct frame *f,
                       struct why *why) {
    int known = 0, n = 0;
    for (uint32_t i = 0; i < m->n_tree; i++) {
        if (!is_root(&m->metric[i]))
            continue;
        known += !isnan(f->at[i].v);
        if (!isnan(f->at[i].v))
            continue;
        strbuf_add(sb, "%s%s", n ? ", " : "", m->metric[i].name);
        if (n++ == 0)
            *why = f->at[i].why;
    }
    return known;
}

/* "mostly idle: 0.02 CPUs busy" */
static void add_idle(struct strbuf *sb, const struct model *m, const struct frame *f) {
    const int cpus = model_find(m, "CPUs_Utilized");
    const double v = cpus == METRIC_NONE ? NAN : f->at[cpus].v;
    strbuf_add(sb, "mostly idle");
    if (!isnan(v))
        strbuf_add(sb, v < 0.01 ? ": under %.2f CPUs busy" : ": %.2f CPUs busy", fmax(v, 0.01));
}

/* Nothing over: was level 1 measured at all, and the whole of it? */
static void words_for_none(struct strbuf *sb, const struct model *m, const struct frame *f) {
    char names[256] = "", reason[256];
    struct strbuf unknown = strbuf_on(names, sizeof(names));
    struct why why = {.kind = WHY_NOTHING};
    bool any = add_unknown(&unknown, m, f, &why) > 0;
    if (f->idle) {
        add_idle(sb, m, f);
        return;
    }
    if (!any)
        strbuf_add(sb, "not known: level 1 was not measured");
    else
        strbuf_add(sb, "nothing%s is over its threshold%s%s", names[0] ? " known" : "",
                   names[0] ? "; not known: " : "", names);
    why_text(m, why, reason, sizeof(reason));
    strbuf_add(sb, "%s%s", reason[0] ? ": " : "", reason);
}

/* Useful for sure: not where a root that is waste may be as large. */
static bool is_useful(const struct model *m, const struct bottleneck *b) {
    const int tie = b->tie[0];
    return m->metric[b->at[b->n - 1]].role == ROLE_RETIRING &&
           (tie == METRIC_NONE || !is_root(&m->metric[tie]));
}

/* A root that is not known may be larger than what was found. */
static void add_lacking(struct strbuf *sb, const struct model *m, const struct frame *f) {
    char names[128] = "";
    struct strbuf unknown = strbuf_on(names, sizeof(names));
    struct why why;
    add_unknown(&unknown, m, f, &why);
    strbuf_add(sb, "%s%s", names[0] ? "; not known: " : "", names);
}

void bottleneck_words(const struct model *m, const struct frame *f, const struct bottleneck *b,
                      int skip, struct bottleneck_words *out) {
    struct strbuf way = strbuf_on(out->way, sizeof(out->way)),
                  end = strbuf_on(out->end, sizeof(out->end)),
                  rest = strbuf_on(out->rest, sizeof(out->rest)),
                  note = strbuf_on(out->note, sizeof(out->note));
    if (b->n == 0) {
        words_for_none(&end, m, f);
        return;
    }
    if (skip > 0)
        strbuf_add(&way, "… ");
    for (int i = skip; i < b->n - 1; i++)
        strbuf_add(&way, "%s > ", m->metric[b->at[i]].name);
    add_node(&end, m, f, b->at[b->n - 1]);
    add_of(&rest, m, b->at[b->n - 1]);
    if (is_useful(m, b) && model_tells_slots(m))
        strbuf_add(&rest, ", useful work");
    if (b->tie[0] != METRIC_NONE) {
        add_tie(&rest, m, f, b);
        strbuf_add(&note, ", close: look at both");
    }
    add_lacking(&note, m, f);
}

const char *bottleneck_text(const struct model *m, const struct frame *f,
                            const struct bottleneck *b, char *buf, size_t cap) {
    struct bottleneck_words words;
    struct strbuf sb = strbuf_on(buf, cap);
    bottleneck_words(m, f, b, 0, &words);
    strbuf_add(&sb, "%s%s%s%s", words.way, words.end, words.rest, words.note);
    return buf;
}

const char *bottleneck_warning(const struct frame *f, char *buf, size_t cap) {
    buf[0] = '\0';
    if (f->root_sum < 0.95 || f->root_sum > 1.05) /* false for NAN */
        snprintf(buf, cap, "level 1 adds up to %.1f%%, not 100%%", f->root_sum * 100);
    return buf;
}
