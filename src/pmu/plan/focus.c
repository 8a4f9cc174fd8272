#include "pmu/plan/focus.h"

#include "model/eval/sample.h"
#include "model/load/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *row_of(const struct focus *f, uint32_t metric) {
    return f->groups + (size_t)metric * FOCUS_WORDS;
}

static void add_row(uint64_t *row, const uint64_t *other) {
    for (int w = 0; w < FOCUS_WORDS; w++)
        row[w] |= other[w];
}

/* A formula being read, as eval_bind.c binds it. */
struct reading {
    const struct focus *f;
    const struct slot_index *slots;
    const struct eval *ev;
    uint64_t *row;
    uint16_t group; /* own group of the formula */
    bool expand;    /* inlined metrics are part of it; not in thresholds */
};

static void add_event(const struct reading *rd, int event) {
    const int slot = slot_index_find(rd->slots, event, rd->group);
    const uint32_t group = slot >= 0 ? rd->slots->layout->slot[slot].group : UINT32_MAX;
    if (group < FOCUS_WORDS * 64)
        rd->row[group / 64] |= 1ull << (group % 64);
}

static void add_leaf(const struct ast *leaf, void *user) {
    const struct reading *rd = user;
    const struct model *m = rd->f->model;
    if (leaf->op == AST_EVENT)
        add_event(rd, leaf->index);
    else if (leaf->op == AST_METRIC && rd->expand && m->metric[leaf->index].inlined)
        known_leaves(m, eval_consts(rd->ev), eval_bound(rd->ev, leaf->index).formula, add_leaf,
                     user);
    else if (leaf->op == AST_METRIC)
        add_row(rd->row, row_of(rd->f, (uint32_t)leaf->index));
}

/* In the order in which metrics name each other: what a formula names has its row already. */
static void fill(struct focus *f, struct reading *rd) {
    rd->expand = true;
    for (uint32_t i = 0; i < f->model->n_metric; i++) {
        const uint16_t metric = f->model->order[i];
        const struct eval_bound bound = eval_bound(rd->ev, metric);
        rd->row = row_of(f, metric);
        rd->group = bound.group;
        known_leaves(f->model, eval_consts(rd->ev), bound.formula, add_leaf, rd);
    }
}

/* What a threshold compares must be known, too. */
static void fill_thresholds(struct focus *f, struct reading *rd) {
    uint64_t own[FOCUS_WORDS];
    rd->expand = false;
    rd->row = own;
    rd->group = 0;
    for (uint32_t i = 0; i < f->model->n_metric; i++) {
        memcpy(own, row_of(f, i), sizeof(own));
        if (f->model->metric[i].threshold)
            expr_leaves(f->model->metric[i].threshold, add_leaf, rd);
        memcpy(row_of(f, i), own, sizeof(own));
    }
}

int focus_init(struct focus *f, const struct model *m, const struct layout *layout,
               const struct eval *ev) {
    struct slot_index slots;
    struct reading rd = {.f = f, .slots = &slots, .ev = ev};
    *f = (struct focus){.model = m};
    f->groups = calloc((size_t)(m->n_metric + 1) * FOCUS_WORDS, sizeof(*f->groups));
    f->always = calloc(m->n_metric + 1u, sizeof(*f->always));
    if (slot_index_init(&slots, layout) < 0 || !f->groups || !f->always) {
        slot_index_destroy(&slots);
        focus_destroy(f);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < m->n_metric; i++)
        f->always[i] = m->metric[i].vital || m->metric[i].time != TIME_NONE ||
                       (m->metric[i].kind == METRIC_TREE && m->metric[i].level <= 2);
    fill(f, &rd);
    for (uint32_t i = 0; i < m->n_tree; i++)
        if (m->metric[i].level == 1)
            add_row(f->level1.bits, row_of(f, i));
    fill_thresholds(f, &rd);
    slot_index_destroy(&slots);
    return 0;
}

void focus_destroy(struct focus *f) {
    free(f->groups);
    free(f->always);
    *f = (struct focus){0};
}

void focus_want(const struct focus *f, const bool *wanted, struct group_set *out) {
    *out = (struct group_set){.only = true};
    for (uint32_t i = 0; i < f->model->n_metric; i++)
        if (f->always[i] || wanted[i])
            add_row(out->bits, row_of(f, i));
}
