#include "model/eval/eval_whole.h"

#include <errno.h>

struct taker {
    struct program *p;
    uint16_t metric;
    int rc;
};

static void take(void *arg, const struct graph_node *leaf) {
    struct taker *t = arg;
    if (leaf->op != EVAL_SLOT)
        t->p->bound[t->metric].timed = true;
    else if (array_push(&t->p->leaf, (struct part){t->metric, (uint16_t)leaf->kid[0], false}))
        t->rc = -ENOMEM;
}

void whole_note(struct graph *graph, struct program *p, uint16_t metric, uint32_t node) {
    struct taker t = {.p = p, .metric = metric};
    graph_leaves(graph, node, take, &t);
    if (t.rc)
        graph->rc = t.rc;
}

static void mark(struct value *v, bool means_all, uint8_t percent) {
    if (isnan(v->v))
        return; /* it has its reason */
    v->why = (struct why){.kind = WHY_PART, .code = !means_all, .index = percent};
    v->approx = !means_all;
    if (!means_all)
        return;
    v->v = NAN;
    v->state = VALUE_NA;
    v->over = false;
}

void whole_run(const struct program *p, const struct sample *s, struct frame *out) {
    for (size_t i = 0; i < p->leaf.n;) {
        const uint16_t metric = p->leaf.at[i].metric;
        bool of_all = p->bound[metric].timed;
        uint8_t part = 0;
        for (; i < p->leaf.n && p->leaf.at[i].metric == metric; i++) {
            const struct count *c = &s->at[p->leaf.at[i].slot];
            of_all = of_all || c->part == 0;
            part = c->part && (!part || c->part < part) ? c->part : part;
        }
        if (part)
            mark(&out->at[metric], of_all, part);
    }
}
