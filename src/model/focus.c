#include "model/focus.h"

#include "model/needs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *row_of(const struct focus *f, uint32_t metric) {
    return f->groups + (size_t)metric * FOCUS_WORDS;
}

static void add_bit(uint64_t *row, uint32_t group) {
    if (group < FOCUS_WORDS * 64)
        row[group / 64] |= 1ull << (group % 64);
}

/* What the thresholds compare must be known, too. */
struct reading {
    const struct focus *f;
    uint64_t *row;
};

static void add_metric(const struct ast *leaf, void *user) {
    struct reading *rd = user;
    if (leaf->op == AST_METRIC)
        for (int w = 0; w < FOCUS_WORDS; w++)
            rd->row[w] |= row_of(rd->f, (uint32_t)leaf->index)[w];
}

static void fill(struct focus *f, const struct layout *layout, const struct eval *ev,
                 struct needs *nd) {
    const struct model *m = f->model;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        needs_find(nd, m, layout, ev, (int)i);
        for (uint32_t k = 0; k < nd->n; k++)
            if (nd->at[k].slot >= 0)
                add_bit(row_of(f, i), layout->slot[nd->at[k].slot].group);
    }
}

static void fill_thresholds(struct focus *f) {
    uint64_t own[FOCUS_WORDS];
    for (uint32_t i = 0; i < f->model->n_metric; i++) {
        struct reading rd = {f, own};
        memcpy(own, row_of(f, i), sizeof(own));
        if (f->model->metric[i].threshold)
            expr_leaves(f->model->metric[i].threshold, add_metric, &rd);
        memcpy(row_of(f, i), own, sizeof(own));
    }
}

int focus_init(struct focus *f, const struct model *m, const struct layout *layout,
               const struct eval *ev) {
    struct needs nd;
    *f = (struct focus){.model = m};
    f->groups = calloc((size_t)(m->n_metric + 1) * FOCUS_WORDS, sizeof(*f->groups));
    f->always = calloc(m->n_metric + 1u, sizeof(*f->always));
    if (!f->groups || !f->always || needs_init(&nd, m) < 0) {
        focus_destroy(f);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < m->n_metric; i++)
        f->always[i] =
            m->metric[i].vital || (m->metric[i].kind == METRIC_TREE && m->metric[i].level <= 2);
    fill(f, layout, ev, &nd);
    fill_thresholds(f);
    needs_destroy(&nd);
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
            for (int w = 0; w < FOCUS_WORDS; w++)
                out->bits[w] |= row_of(f, i)[w];
}
