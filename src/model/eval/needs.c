#include "model/eval/needs.h"

#include "model/load/expr.h"
#include "model/load/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One formula being read. */
struct reading {
    struct needs *nd;
    const struct model *m;
    const struct layout *layout;
    const struct eval *ev;
    uint16_t group; /* own group of the formula */
};

int needs_init(struct needs *nd, const struct model *m) {
    *nd = (struct needs){.of = METRIC_NONE};
    nd->at = calloc(m->n_event + 1u, sizeof(*nd->at));
    nd->listed = calloc(m->n_event + 1u, sizeof(*nd->listed));
    nd->todo = calloc(m->n_metric + 1u, sizeof(*nd->todo));
    nd->seen = calloc(m->n_metric + 1u, sizeof(*nd->seen));
    if (nd->at && nd->listed && nd->todo && nd->seen)
        return 0;
    needs_destroy(nd);
    return -ENOMEM;
}

void needs_destroy(struct needs *nd) {
    free(nd->at);
    free(nd->listed);
    free(nd->todo);
    free(nd->seen);
    *nd = (struct needs){.of = METRIC_NONE};
}

/* Branches that constants rule out are not read: their events need not be there. */
static void leaves(struct reading *rd, const struct ast *formula,
                   void (*take)(const struct ast *leaf, void *user)) {
    if (formula)
        known_leaves(rd->m, eval_consts(rd->ev), formula, take, rd);
}

static void take_event(const struct reading *rd, int event, int slot) {
    struct needs *nd = rd->nd;
    if (nd->listed[event])
        return;
    nd->listed[event] = true;
    nd->at[nd->n++] = (struct need){event, slot};
}

/*
 * An inlined metric is part of the formula that names it and reads from that one's group; others
 * wait until this formula is done, so that an event of both is shown as this formula reads it.
 */
static void take_leaf(const struct ast *leaf, void *user) {
    struct reading *rd = user;
    struct needs *nd = rd->nd;
    if (leaf->op == AST_EVENT)
        take_event(rd, leaf->index, eval_slot(rd->layout, leaf->index, rd->group));
    if (leaf->op != AST_METRIC || nd->seen[leaf->index])
        return;
    nd->seen[leaf->index] = true;
    if (rd->m->metric[leaf->index].inlined)
        leaves(rd, eval_bound(rd->ev, leaf->index).formula, take_leaf);
    else
        nd->todo[nd->n_todo++] = leaf->index;
}

/* What keeps the exact formula from being used. */
static void take_missing(const struct ast *leaf, void *user) {
    struct reading *rd = user;
    if (leaf->op == AST_EVENT && eval_slot(rd->layout, leaf->index, 0) < 0)
        take_event(rd, leaf->index, -1);
    if (leaf->op == AST_METRIC && rd->m->metric[leaf->index].inlined)
        leaves(rd, eval_bound(rd->ev, leaf->index).formula, take_missing);
}

static void read_exact(struct needs *nd, const struct model *m, const struct layout *layout,
                       const struct eval *ev, int metric) {
    const struct metric *mt = &m->metric[metric];
    struct reading rd = {nd, m, layout, ev, 0};
    leaves(&rd, layout->no_perf_metrics && mt->alt ? mt->alt : mt->ast, take_missing);
}

void needs_find(struct needs *nd, const struct model *m, const struct layout *layout,
                const struct eval *ev, int metric) {
    if (nd->of == metric)
        return;
    memset(nd->seen, 0, m->n_metric * sizeof(*nd->seen));
    memset(nd->listed, 0, m->n_event * sizeof(*nd->listed));
    nd->of = metric;
    nd->n = 0;
    nd->seen[metric] = true;
    nd->todo[0] = metric;
    nd->n_todo = 1;
    for (uint32_t i = 0; i < nd->n_todo; i++) {
        const struct eval_bound bound = eval_bound(ev, nd->todo[i]);
        struct reading rd = {nd, m, layout, ev, bound.group};
        leaves(&rd, bound.formula, take_leaf);
    }
    if (m->metric[metric].fallback && eval_bound(ev, metric).formula == m->metric[metric].fallback)
        read_exact(nd, m, layout, ev, metric);
}
