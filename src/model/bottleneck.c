#include "model/bottleneck.h"

#include "base/str.h"

#include <math.h>

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

static struct best best_root(const struct model *m, const struct frame *f) {
    struct best b = {METRIC_NONE, METRIC_NONE};
    for (uint32_t i = 0; i < m->n_tree; i++)
        if (is_root(&m->metric[i]))
            best_take(f, &b, (int)i);
    return b;
}

static struct best best_child(const struct model *m, const struct frame *f, int parent) {
    struct best b = {METRIC_NONE, METRIC_NONE};
    for (int i = m->metric[parent].first_child; i != METRIC_NONE; i = m->metric[i].next_sibling)
        best_take(f, &b, i);
    return b;
}

static bool too_close(const struct frame *f, const struct best *b) {
    return b->second != METRIC_NONE && f->at[b->first].v - f->at[b->second].v <= BOTTLENECK_TIE;
}

void bottleneck_find(const struct model *m, const struct frame *f, struct bottleneck *out) {
    *out = (struct bottleneck){.n = 0, .tie = {METRIC_NONE, METRIC_NONE}};
    struct best b = best_root(m, f);
    while (b.first != METRIC_NONE && out->n < PATH_MAX_LEN) {
        const bool tie = too_close(f, &b);
        if (tie && out->tie[0] == METRIC_NONE) {
            out->tie[0] = (int16_t)b.first;
            out->tie[1] = (int16_t)b.second;
        }
        if (tie && out->n > 0)
            return; /* the parent is the last sure word */
        out->at[out->n++] = (int16_t)b.first;
        b = best_child(m, f, b.first);
    }
}

/* "L3_Bound 12.8 %", or the plain number where the value is no share. */
static void add_node(struct strbuf *sb, const struct model *m, const struct frame *f, int node) {
    const double v = f->at[node].v;
    char number[32];
    strbuf_add(sb, "%s", m->metric[node].name);
    if (m->metric[node].share)
        strbuf_add(sb, " %.1f %%", 100.0 * v);
    else
        strbuf_add(sb, " %s", str_si(number, sizeof(number), v));
}

static void add_tie(struct strbuf *sb, const struct model *m, const struct frame *f,
                    const struct bottleneck *b) {
    if (b->tie[0] != b->at[b->n - 1]) { /* else its name has just been said */
        strbuf_add(sb, ": ");
        add_node(sb, m, f, b->tie[0]);
    }
    strbuf_add(sb, " ≈ ");
    add_node(sb, m, f, b->tie[1]);
}

/* Nothing over: was level 1 measured at all? */
static const char *words_for_none(const struct model *m, const struct frame *f) {
    for (uint32_t i = 0; i < m->n_tree; i++)
        if (is_root(&m->metric[i]) && !isnan(f->at[i].v))
            return "nothing is over its threshold";
    return "not known: level 1 was not measured";
}

/* Useful for sure: not where a root that is waste may be as large. */
static bool is_useful(const struct model *m, const struct bottleneck *b) {
    const int tie = b->tie[0];
    return m->metric[b->at[b->n - 1]].role == ROLE_RETIRING &&
           (tie == METRIC_NONE || !is_root(&m->metric[tie]));
}

void bottleneck_words(const struct model *m, const struct frame *f, const struct bottleneck *b,
                      int skip, struct bottleneck_words *out) {
    struct strbuf way = strbuf_on(out->way, sizeof(out->way)),
                  end = strbuf_on(out->end, sizeof(out->end)),
                  rest = strbuf_on(out->rest, sizeof(out->rest)),
                  note = strbuf_on(out->note, sizeof(out->note));
    if (b->n == 0) {
        strbuf_add(&end, "%s", words_for_none(m, f));
        return;
    }
    if (skip > 0)
        strbuf_add(&way, "… ");
    for (int i = skip; i < b->n - 1; i++)
        strbuf_add(&way, "%s > ", m->metric[b->at[i]].name);
    add_node(&end, m, f, b->at[b->n - 1]);
    if (is_useful(m, b))
        strbuf_add(&rest, ", useful work");
    if (b->tie[0] == METRIC_NONE)
        return;
    add_tie(&rest, m, f, b);
    strbuf_add(&note, ", too close to call");
}

const char *bottleneck_text(const struct model *m, const struct frame *f,
                            const struct bottleneck *b, char *buf, size_t cap) {
    struct bottleneck_words words;
    struct strbuf sb = strbuf_on(buf, cap);
    bottleneck_words(m, f, b, 0, &words);
    strbuf_add(&sb, "%s%s%s%s", words.way, words.end, words.rest, words.note);
    return buf;
}
