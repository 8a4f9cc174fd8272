/*
 * Binding: which formula, which slots, which constants, for each metric in dependency order.
 *
 * A metric that is `inlined` has no fixed place: where it is used its formula is built again for
 * the slots of the user's own group, so that "per cycle" divides by the cycles of the same group.
 */
#include "model/eval/eval.h"

#include "base/array.h"
#include "model/eval/eval_program.h"
#include "model/load/known.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* --- the graph --- */

/*
 * A graph of operations in which nothing occurs twice, and its way into a program. Constants are
 * folded while it grows; what no metric needs is left out in the end.
 */

struct graph_node {
    uint32_t op;        /* enum eval_op */
    uint32_t kid[3];    /* nodes; of EVAL_SLOT: slot and event */
    struct cell number; /* EVAL_NUMBER */
    uint32_t depth;     /* 0 for leaves */
    uint32_t cell;      /* set by graph_schedule */
    bool used;          /* set by graph_use */
    uint32_t looked;    /* private to graph_leaves */
};

struct graph {
    ARRAY(struct graph_node) node;
    uint32_t *hash; /* node + 1, open addressing; size is a power of two */
    uint32_t n_hash;
    uint32_t n_looks; /* of graph_leaves */
    int rc;           /* -ENOMEM once something failed; results are then node 0 */
};

/* Operands that an operation has; those that it has not are 0 in a node. */
static uint32_t operands(uint32_t op) {
    if (op == EVAL_IF)
        return 3;
    if (op == EVAL_NEG || op == EVAL_TEST_TRUE)
        return 1;
    return op <= EVAL_SLOT ? 0 : 2;
}

static uint32_t hash_of(const struct graph_node *n) {
    uint64_t h, bits;
    memcpy(&bits, &n->number.v, sizeof(bits));
    h = (n->op + 1) * 0x9e3779b97f4a7c15ull ^ bits ^ n->number.why;
    for (int i = 0; i < 3; i++)
        h = (h ^ n->kid[i]) * 0xff51afd7ed558ccdull, h ^= h >> 32;
    return (uint32_t)(h ^ h >> 29);
}

/* Numbers are compared by their bits, so that NAN equals itself and -0 is not 0. */
static bool same(const struct graph_node *a, const struct graph_node *b) {
    return a->op == b->op && !memcmp(a->kid, b->kid, sizeof(a->kid)) &&
           !memcmp(&a->number.v, &b->number.v, sizeof(a->number.v)) &&
           a->number.why == b->number.why;
}

static void hash_put(struct graph *g, uint32_t node) {
    uint32_t at = hash_of(&g->node.at[node]) & (g->n_hash - 1);
    while (g->hash[at])
        at = (at + 1) & (g->n_hash - 1);
    g->hash[at] = node + 1;
}

static int hash_grow(struct graph *g) {
    uint32_t *hash = calloc(g->n_hash * 2u, sizeof(*hash));
    if (!hash)
        return -ENOMEM;
    free(g->hash);
    g->hash = hash;
    g->n_hash *= 2;
    for (uint32_t i = 0; i < g->node.n; i++)
        hash_put(g, i);
    return 0;
}

/* The node that is the same as `n`, or n as a new one. */
static uint32_t intern(struct graph *g, const struct graph_node *n) {
    for (uint32_t at = hash_of(n) & (g->n_hash - 1); g->hash[at]; at = (at + 1) & (g->n_hash - 1))
        if (same(&g->node.at[g->hash[at] - 1], n))
            return g->hash[at] - 1;
    if (g->rc == 0 && g->node.n * 2 >= g->n_hash)
        g->rc = hash_grow(g);
    if (g->rc == 0)
        g->rc = array_push(&g->node, *n);
    if (g->rc < 0)
        return 0;
    hash_put(g, (uint32_t)g->node.n - 1);
    return (uint32_t)g->node.n - 1;
}

static uint32_t intern_cell(struct graph *g, struct cell cell) {
    return intern(g, &(struct graph_node){.op = EVAL_NUMBER, .number = cell});
}

/* Each returns the node, an old one where it is the same. */
static uint32_t graph_number(struct graph *g, double v) {
    return intern_cell(g, (struct cell){v, 1.0f, 0});
}

static uint32_t graph_unknown(struct graph *g, struct why why) {
    return intern_cell(g, cell_unknown(why));
}

static void graph_destroy(struct graph *g) {
    array_free(&g->node);
    free(g->hash);
    g->hash = NULL;
}

static int graph_init(struct graph *g) {
    *g = (struct graph){.n_hash = 4096};
    g->hash = calloc(g->n_hash, sizeof(*g->hash));
    if (!g->hash)
        return -ENOMEM;
    graph_number(g, 0.0); /* node 0 exists from here on */
    if (g->rc < 0)
        graph_destroy(g);
    return g->rc;
}

static uint32_t graph_slot(struct graph *g, uint32_t slot, uint32_t event) {
    return intern(g, &(struct graph_node){.op = EVAL_SLOT, .kid = {slot, event}});
}

/* EVAL_DURATION, EVAL_TSC */
static uint32_t graph_time(struct graph *g, enum eval_op op) {
    return intern(g, &(struct graph_node){.op = op});
}

/* The constant that a node is, or NULL. Valid until the graph grows. */
static const struct cell *graph_constant(const struct graph *g, uint32_t node) {
    const struct graph_node *n = &g->node.at[node];
    return n->op == EVAL_NUMBER ? &n->number : NULL;
}

static uint32_t graph_op(struct graph *g, enum eval_op op, uint32_t a, uint32_t b, uint32_t c) {
    struct graph_node n = {.op = op, .kid = {a, b, c}};
    bool folds = true;
    for (uint32_t i = 0; i < 3; i++) {
        if (i >= operands(op)) {
            n.kid[i] = 0;
            continue;
        }
        const struct graph_node *kid = &g->node.at[n.kid[i]];
        folds = folds && kid->op == EVAL_NUMBER;
        if (n.depth <= kid->depth)
            n.depth = kid->depth + 1;
    }
    if (!folds)
        return intern(g, &n);
    const struct graph_node *at = g->node.at; /* node 0 stands in for operands that are not there */
    return intern_cell(
        g, cell_apply(op, &at[n.kid[0]].number, &at[n.kid[1]].number, &at[n.kid[2]].number));
}

/* Marks a node and all it needs. */
static void graph_use(struct graph *g, uint32_t node) {
    struct graph_node *n = &g->node.at[node];
    if (n->used)
        return;
    n->used = true;
    for (uint32_t i = 0; i < operands(n->op); i++)
        graph_use(g, n->kid[i]);
}

static void look(struct graph *g, uint32_t node,
                 void (*take)(void *arg, const struct graph_node *leaf), void *arg) {
    struct graph_node *n = &g->node.at[node];
    if (n->looked == g->n_looks)
        return;
    n->looked = g->n_looks;
    if (n->op == EVAL_SLOT || n->op == EVAL_DURATION || n->op == EVAL_TSC)
        take(arg, n);
    for (uint32_t i = 0; i < operands(n->op); i++)
        look(g, n->kid[i], take, arg);
}

/* Calls take for each slot and each time that a node is made of, once. */
static void graph_leaves(struct graph *g, uint32_t node,
                         void (*take)(void *arg, const struct graph_node *leaf), void *arg) {
    g->n_looks++;
    look(g, node, take, arg);
}

/* Order of cells: numbers, slots in the order of the layout, then steps by depth and operation. */
struct entry {
    uint64_t key;
    uint32_t node;
};

static int by_key(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint64_t entry_key(const struct graph_node *n) {
    if (n->op == EVAL_SLOT)
        return (uint64_t)EVAL_SLOT << 32 | n->kid[0];
    return (uint64_t)n->depth << 48 | (uint64_t)n->op << 32;
}

/* Gives every used node its cell; the two times have theirs whether used or not. */
static void place(struct graph *g, struct program *p, const struct entry *entry, uint32_t n) {
    uint32_t at = 0;
    while (at < n && g->node.at[entry[at].node].op == EVAL_NUMBER) {
        g->node.at[entry[at].node].cell = at;
        program_put(p, at, g->node.at[entry[at].node].number);
        at++;
    }
    p->duration = at;
    p->tsc = at + 1;
    uint32_t cell = at + 2;
    p->first_read = cell;
    for (; at < n; at++) {
        struct graph_node *node = &g->node.at[entry[at].node];
        if (node->op == EVAL_DURATION || node->op == EVAL_TSC) {
            node->cell = node->op == EVAL_TSC ? p->tsc : p->duration;
            continue;
        }
        program_put(p, cell, (struct cell){0.0, 1.0f, 0});
        node->cell = cell++;
        if (node->op != EVAL_SLOT)
            continue;
        p->read[p->n_read++] = (struct slot_read){(uint16_t)node->kid[0], (uint16_t)node->kid[1]};
    }
    p->n_cell = cell;
}

static void write_steps(const struct graph *g, struct program *p, const struct entry *entry,
                        uint32_t n) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *node = &g->node.at[entry[i].node];
        if (node->depth == 0)
            continue;
        p->step[p->n_step++] = (struct step){(uint16_t)g->node.at[node->kid[0]].cell,
                                             (uint16_t)g->node.at[node->kid[1]].cell,
                                             (uint16_t)g->node.at[node->kid[2]].cell};
        if (p->n_run == 0 || key != entry[i].key)
            p->run[p->n_run++] = (struct run){.op = (uint16_t)node->op};
        p->run[p->n_run - 1].n++;
        key = entry[i].key;
    }
}

/* Lays the marked nodes out as cells, steps and runs of p. 0, -ENOMEM or -E2BIG. */
static int graph_schedule(struct graph *g, struct program *p) {
    graph_use(g, 0); /* the operand that is not there */
    struct entry *entry = calloc(g->node.n, sizeof(*entry));
    if (!entry)
        return -ENOMEM;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->node.n; i++)
        if (g->node.at[i].used)
            entry[n++] = (struct entry){entry_key(&g->node.at[i]), i};
    qsort(entry, n, sizeof(*entry), by_key);

    int rc = n + 2 < CELL_NONE ? 0 : -E2BIG;
    p->v = calloc(n + 2u, sizeof(*p->v));
    p->origin = calloc(n + 2u, sizeof(*p->origin));
    p->read = calloc(n, sizeof(*p->read));
    p->step = calloc(n, sizeof(*p->step));
    p->run = calloc(n, sizeof(*p->run));
    if (!p->v || !p->origin || !p->read || !p->step || !p->run)
        rc = -ENOMEM;
    if (rc == 0) {
        place(g, p, entry, n);
        write_steps(g, p, entry, n);
    }
    free(entry);
    return rc;
}

/* --- parts that were counted at different times --- */

/*
 * The events of a formula that did not fit one group, or were recorded without groups, come from
 * several; where two of those are multiplexed, a ratio of them compares two moments. So it does
 * where one is multiplexed and the other is always on, as cycles are that were left to the pinned
 * group for want of counters; but what no general counter counts (slots, reference cycles) stands
 * nowhere else, and does not count. A formula that reads another's value has that one's parts.
 *
 * Where all are on all the time nothing is wrong: so it is decided in each interval from what was
 * really counted, not from the plan.
 */

/* What a formula reads. */
struct parts_of {
    const bool *event; /* [n_event] that it names, inlined metrics included */
    const bool *below; /* [n_metric] other metrics whose values it reads; noted before */
    uint16_t group;    /* its own */
};

/* An event that could as well have been counted in another group. */
static bool is_free(const struct event *ev) {
    return (ev->pmu == EVENT_CORE || ev->pmu == EVENT_GENERIC) && !ev->perf_metrics &&
           !ev->slots_leader && !model_fixed_only(ev);
}

/* The part of the group that slot is of, of those from `first` on; NULL. */
static struct part *find_group(struct program *p, size_t first, const struct layout *l, int slot) {
    for (size_t i = first; i < p->part.n; i++)
        if (l->slot[p->part.at[i].slot].group == l->slot[slot].group)
            return &p->part.at[i];
    return NULL;
}

/* The first that is true from i on, or n: nearly all are false. */
static uint32_t next_set(const bool *all, uint32_t i, uint32_t n) {
    const bool *at = memchr(all + i, true, n - i);
    return at ? (uint32_t)(at - all) : n;
}

/* One slot stands for its group: all of them ran at the same time. */
static int note_groups(struct program *p, const struct model *m, const struct slot_index *slots,
                       uint16_t metric, const struct parts_of *of) {
    const size_t first = p->part.n;
    for (uint32_t e = next_set(of->event, 0, m->n_event); e < m->n_event;
         e = next_set(of->event, e + 1, m->n_event)) {
        const int slot = slot_index_find(slots, (int)e, of->group);
        struct part *same = slot < 0 ? NULL : find_group(p, first, slots->layout, slot);
        if (same)
            same->free |= is_free(&m->event[e]);
        else if (slot >= 0 &&
                 array_push(&p->part, (struct part){metric, (uint16_t)slot, is_free(&m->event[e])}))
            return -ENOMEM;
    }
    if (p->part.n - first < 2)
        p->part.n = first;
    return 0;
}

static bool can_have(const struct program *p, uint32_t metric) {
    for (size_t i = 0; i < p->part.n; i++)
        if (p->part.at[i].metric == metric)
            return true;
    for (size_t i = 0; i < p->inherits.n; i++)
        if (p->inherits.at[i].metric == metric)
            return true;
    return false;
}

/* Notes the groups that a formula reads if they are several, and which parts it has besides. 0 or
 * -ENOMEM. */
static int parts_note(struct program *p, const struct model *m, const struct slot_index *slots,
                      uint16_t metric, const struct parts_of *of) {
    for (uint32_t i = next_set(of->below, 0, m->n_metric); i < m->n_metric;
         i = next_set(of->below, i + 1, m->n_metric))
        if (can_have(p, i) && array_push(&p->inherits, (struct inherits){metric, (uint16_t)i}))
            return -ENOMEM;
    return note_groups(p, m, slots, metric, of);
}

/* --- the slots of a value --- */

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

/* Notes the slots that a metric's value is made of, and whether time is in it. Sets graph->rc. */
static void whole_note(struct graph *graph, struct program *p, uint16_t metric, uint32_t node) {
    struct taker t = {.p = p, .metric = metric};
    graph_leaves(graph, node, take, &t);
    if (t.rc)
        graph->rc = t.rc;
}

/* --- what PERF_METRICS reaches --- */

/*
 * What a count of PERF_METRICS reaches. Only the steps between it and the
 * values are run again when it moves: a tenth of the program, or less.
 */

/* The cells that values are made of: the others are those of thresholds. */
static void find_needed(const struct program *p, uint32_t n_metric, bool *needed) {
    for (uint32_t i = 0; i < n_metric; i++)
        needed[p->result[i].cell] = true;
    for (uint32_t i = p->n_step; i-- > 0;) {
        const struct step *s = &p->step[i];
        if (needed[program_cell_of(p, i)])
            needed[s->a] = needed[s->b] = needed[s->c] = true;
    }
}

static int note_steps(struct program *p, const bool *needed, bool *reached) {
    uint32_t i = 0, end = 0;
    for (uint32_t run = 0; run < p->n_run; run++)
        for (end += p->run[run].n; i < end; i++) {
            const struct step *s = &p->step[i];
            const uint32_t cell = program_cell_of(p, i);
            reached[cell] = needed[cell] && (reached[s->a] || reached[s->b] || reached[s->c]);
            if (reached[cell] && array_push(&p->redo, (struct redo){p->run[run].op, (uint16_t)i}))
                return -ENOMEM;
        }
    return 0;
}

static int note_reach(struct program *p, uint32_t n_metric, uint32_t read, const bool *needed,
                      bool *reached) {
    struct reach r = {.slot = p->read[read].slot,
                      .cell = p->first_read + read,
                      .redo = (uint32_t)p->redo.n,
                      .metric = (uint32_t)p->reached.n};
    memset(reached, 0, p->n_cell * sizeof(*reached));
    reached[r.cell] = true;
    if (note_steps(p, needed, reached))
        return -ENOMEM;
    for (uint32_t i = 0; i < n_metric; i++)
        if (reached[p->result[i].cell] && array_push(&p->reached, (uint16_t)i))
            return -ENOMEM;
    r.n_redo = (uint32_t)p->redo.n - r.redo;
    r.n_metric = (uint32_t)p->reached.n - r.metric;
    return array_push(&p->reach, r);
}

/* Notes the steps and the metrics that each slot of PERF_METRICS reaches; after graph_schedule and
 * with the results written. 0 or -ENOMEM. */
static int moves_note(struct program *p, const struct model *m) {
    bool *needed = calloc(p->n_cell, sizeof(*needed));
    bool *reached = calloc(p->n_cell, sizeof(*reached));
    int rc = needed && reached ? 0 : -ENOMEM;
    if (rc == 0)
        find_needed(p, m->n_metric, needed);
    for (uint32_t i = 0; i < p->n_read && rc == 0; i++)
        if (m->event[p->read[i].event].perf_metrics)
            rc = note_reach(p, m->n_metric, i, needed, reached);
    uint32_t most = 0;
    for (size_t i = 0; i < p->reach.n; i++)
        most = p->reach.at[i].n_redo > most ? p->reach.at[i].n_redo : most;
    p->kept = calloc(most + 1u, sizeof(*p->kept));
    free(needed);
    free(reached);
    return p->kept ? rc : -ENOMEM;
}

/* --- one metric by itself, by the steps that its value is made of --- */

/* Makes room for the steps of any metric. 0 or -ENOMEM. */
static int one_reserve(struct program *p) {
    p->one.metric = -1;
    p->one.needed = calloc(p->n_cell + 1u, sizeof(*p->one.needed));
    p->one.read = calloc(p->n_read + 1u, sizeof(*p->one.read));
    p->one.redo = calloc(p->n_step + 1u, sizeof(*p->one.redo));
    return p->one.needed && p->one.read && p->one.redo ? 0 : -ENOMEM;
}

static void one_destroy(struct program *p) {
    free(p->one.needed);
    free(p->one.read);
    free(p->one.redo);
}

/* --- binding --- */

/*
 * Binding: which formula, which slots, which constants, for each metric in dependency order.
 *
 * A metric that is `inlined` has no fixed place: where it is used its formula is built again for
 * the slots of the user's own group, so that "per cycle" divides by the cycles of the same group.
 */

static const uint32_t NO_NODE = UINT32_MAX;

struct binder {
    const struct model *model;
    const struct layout *layout;
    const struct consts *consts;
    struct graph graph;
    struct slot_index slots;
    const struct ast **chosen; /* [n_metric] formula in use; NULL: unavailable */
    uint32_t *result;          /* [n_metric] node, or NO_NODE before its turn */
    struct why *approx;        /* [n_metric] what makes it approximate, here or below */
    uint32_t *over;            /* [n_metric] node; without a threshold a 0 */
};

/* How names in one formula are to be read. */
struct context {
    uint16_t group; /* preferred where an event has several slots */
    bool expand;    /* build inlined metrics again, for this group */
};

/* What a formula needs, dead branches left out. */
struct survey {
    bool missing;      /* an event has no slot */
    bool unrecorded;   /* ... because the recording does not hold it */
    struct why approx; /* the first thing that makes it approximate: a latency, or a metric below */
    bool *seen;        /* [n_event] events met */
    bool *below;       /* [n_metric] metrics met whose values are read */
    uint32_t *votes;   /* [n_group] how many of them the group holds */
};

static uint32_t build_event(struct binder *b, int event, uint16_t group) {
    const int slot = slot_index_find(&b->slots, event, group);
    if (slot == NO_SLOT) {
        const uint8_t state = b->layout->missing[event];
        return graph_unknown(&b->graph,
                             (struct why){.kind = WHY_EVENT,
                                          .code = state == COUNT_OK ? COUNT_NO_EVENT : state,
                                          .index = (uint16_t)event});
    }
    return graph_slot(&b->graph, (uint32_t)slot, (uint32_t)event);
}

static uint32_t build_known(struct binder *b, int id) {
    const double v = known_const(b->model, b->consts, id);
    if (isfinite(v))
        return graph_number(&b->graph, v);
    const struct why why =
        id < CONST_N ? (struct why){.kind = WHY_CONST, .index = (uint16_t)id}
                     : (struct why){.kind = WHY_LATENCY, .index = (uint16_t)(id - CONST_N)};
    return graph_unknown(&b->graph, why);
}

/* DURATION_S and TSC follow the interval unless the user fixed them. */
static uint32_t build_const(struct binder *b, int id) {
    const struct consts *c = b->consts;
    if ((id != CONST_DURATION_S && id != CONST_TSC) || c->fixed_by_user[id])
        return build_known(b, id);
    if (id == CONST_DURATION_S)
        return graph_time(&b->graph, EVAL_DURATION);
    if (!isfinite(c->value[CONST_SYSTEM_TSC_FREQ]))
        return build_known(b, CONST_SYSTEM_TSC_FREQ);
    if (c->fixed_by_user[CONST_DURATION_S])
        return graph_op(&b->graph, EVAL_MUL, build_known(b, CONST_SYSTEM_TSC_FREQ),
                        build_known(b, CONST_DURATION_S), 0);
    return graph_time(&b->graph, EVAL_TSC);
}

static uint32_t build(struct binder *b, const struct ast *ast, struct context in);

static uint32_t build_metric(struct binder *b, int metric, struct context in) {
    if (in.expand && b->model->metric[metric].inlined && b->chosen[metric])
        return build(b, b->chosen[metric], in);
    assert(b->result[metric] != NO_NODE); /* model->order puts it first */
    return b->result[metric];
}

/*
 * A condition as a node, and what it is if it is a constant: the planner's answer first, so that
 * both drop the same branch ("SMT_ON & EVENT > 0" is decided where SMT is off).
 */
static const struct cell *build_condition(struct binder *b, const struct ast *ast,
                                          struct context in, uint32_t *node) {
    double v;
    *node =
        known_value(b->model, b->consts, ast, &v) ? graph_number(&b->graph, v) : build(b, ast, in);
    return graph_constant(&b->graph, *node);
}

/* A branch that is never taken is not even built: its events need not exist. */
static uint32_t build_if(struct binder *b, const struct ast *ast, struct context in) {
    uint32_t cond;
    const struct cell *known = build_condition(b, ast->kid[1], in, &cond);
    if (known && known->why)
        return cond;
    if (known)
        return build(b, known->v != 0.0 ? ast->kid[0] : ast->kid[2], in);
    const uint32_t yes = build(b, ast->kid[0], in);
    return graph_op(&b->graph, EVAL_IF, yes, cond, build(b, ast->kid[2], in));
}

/* A latency that is not known, for which a comparison has -1: the vendor's word for unknown. */
static bool is_guessed(const struct binder *b, const struct ast *side) {
    return side->op == AST_CONST && side->index >= CONST_N &&
           !isfinite(known_const(b->model, b->consts, side->index));
}

/* One side of a comparison. */
static uint32_t build_side(struct binder *b, const struct ast *side, struct context in) {
    return is_guessed(b, side) ? graph_number(&b->graph, -1.0) : build(b, side, in);
}

static uint32_t build(struct binder *b, const struct ast *ast, struct context in) {
    switch (ast->op) {
    case AST_NUMBER:
        return graph_number(&b->graph, ast->number);
    case AST_EVENT:
        return build_event(b, ast->index, in.group);
    case AST_METRIC:
        return build_metric(b, ast->index, in);
    case AST_CONST:
        return build_const(b, ast->index);
    case AST_IF:
        return build_if(b, ast, in);
    default:
        break;
    }
    const enum eval_op op = (enum eval_op)(EVAL_NEG + (ast->op - AST_NEG));
    if (ast_is_comparison(ast)) {
        const uint32_t side = build_side(b, ast->kid[0], in);
        return graph_op(&b->graph, op, side, build_side(b, ast->kid[1], in), 0);
    }
    const uint32_t left = build(b, ast->kid[0], in);
    return graph_op(&b->graph, op, left, ast->kid[1] ? build(b, ast->kid[1], in) : 0, 0);
}

static uint32_t build_test(struct binder *b, const struct ast *ast);

/* "a & b & c" as a & (b & c): the ends are the thresholds of the parents, which siblings share. */
static uint32_t build_all_of(struct binder *b, const struct ast *ast, uint32_t rest) {
    if (ast->op == AST_AND)
        return build_all_of(b, ast->kid[0], build_all_of(b, ast->kid[1], rest));
    const uint32_t test = build_test(b, ast);
    return rest == NO_NODE ? test : graph_op(&b->graph, EVAL_TEST_AND, test, rest, 0);
}

/*
 * A threshold asks only "known and true?". That question may be put to the parts of `&`, `|` and
 * of a comparison one by one, so reasons and duties need not be carried through them.
 */
static uint32_t build_test(struct binder *b, const struct ast *ast) {
    const struct context in = {.expand = false}; /* what is shown is what is compared */
    if (ast->op == AST_AND)
        return build_all_of(b, ast, NO_NODE);
    if (ast->op == AST_OR) {
        const uint32_t left = build_test(b, ast->kid[0]);
        return graph_op(&b->graph, EVAL_TEST_OR, left, build_test(b, ast->kid[1]), 0);
    }
    if (!ast_is_comparison(ast))
        return graph_op(&b->graph, EVAL_TEST_TRUE, build(b, ast, in), 0, 0);
    const enum eval_op op = (enum eval_op)(EVAL_TEST_LT + (ast->op - AST_LT));
    const uint32_t left = build_side(b, ast->kid[0], in);
    return graph_op(&b->graph, op, left, build_side(b, ast->kid[1], in), 0);
}

static void survey_event(const struct binder *b, int event, struct survey *sv) {
    if (sv->seen[event])
        return;
    sv->seen[event] = true;
    if (b->slots.first[event] == NO_SLOT)
        sv->missing = true;
    sv->unrecorded |= b->layout->missing[event] == COUNT_ABSENT;
    for (int i = b->slots.first[event]; i != NO_SLOT; i = b->slots.next[i])
        sv->votes[b->layout->slot[i].group]++;
}

static void survey_approx(struct survey *sv, struct why why) {
    if (sv->approx.kind == WHY_NOTHING)
        sv->approx = why;
}

/* A latency that is used is exact only if the user gave it. */
static void survey_const(const struct binder *b, int id, struct survey *sv) {
    if (id < CONST_N || !isfinite(known_const(b->model, b->consts, id)))
        return;
    const uint16_t i = (uint16_t)(id - CONST_N);
    const struct latency *l = &b->model->latency[i];
    if (!l->own && !known_latency_setting(b->consts, l->event))
        survey_approx(sv, (struct why){.kind = WHY_LATENCY, .code = 1, .index = i});
}

/* A comparison that was given -1 for a latency: what it chooses is a makeshift. */
static void survey_sides(const struct binder *b, const struct ast *ast, struct survey *sv) {
    for (int i = 0; i < 2; i++)
        if (is_guessed(b, ast->kid[i]))
            survey_approx(sv, (struct why){.kind = WHY_LATENCY,
                                           .code = 2,
                                           .index = (uint16_t)(ast->kid[i]->index - CONST_N)});
}

/* Of a condition that is decided nothing else remains in the formula. */
static void survey_decided(const struct binder *b, const struct ast *cond, struct survey *sv) {
    if (!cond)
        return;
    if (ast_is_comparison(cond))
        survey_sides(b, cond, sv);
    for (int i = 0; i < 3; i++)
        survey_decided(b, cond->kid[i], sv);
}

static void survey_ast(struct binder *b, const struct ast *ast, struct survey *sv);

static void survey_metric(struct binder *b, int metric, struct survey *sv) {
    survey_approx(sv, b->approx[metric]);
    if (b->model->metric[metric].inlined)
        survey_ast(b, b->chosen[metric], sv);
    else
        sv->below[metric] = true;
}

/* False if the condition is not decided yet. */
static bool survey_if(struct binder *b, const struct ast *ast, struct survey *sv) {
    uint32_t node;
    const struct cell *known =
        build_condition(b, ast->kid[1], (struct context){.expand = true}, &node);
    if (!known)
        return false;
    survey_decided(b, ast->kid[1], sv);
    survey_ast(b, ast->kid[known->why ? 1 : known->v != 0.0 ? 0 : 2], sv);
    return true;
}

static void survey_ast(struct binder *b, const struct ast *ast, struct survey *sv) {
    if (!ast || (ast->op == AST_IF && survey_if(b, ast, sv)))
        return;
    if (ast->op == AST_EVENT)
        survey_event(b, ast->index, sv);
    else if (ast->op == AST_METRIC)
        survey_metric(b, ast->index, sv);
    else if (ast->op == AST_CONST)
        survey_const(b, ast->index, sv);
    else if (ast_is_comparison(ast))
        survey_sides(b, ast, sv);
    for (int i = 0; i < 3 && ast->kid[i]; i++)
        survey_ast(b, ast->kid[i], sv);
}

static void survey(struct binder *b, const struct ast *ast, struct survey *sv) {
    memset(sv->seen, 0, b->model->n_event * sizeof(*sv->seen));
    memset(sv->below, 0, b->model->n_metric * sizeof(*sv->below));
    memset(sv->votes, 0, b->layout->n_group * sizeof(*sv->votes));
    sv->missing = sv->unrecorded = false;
    sv->approx = (struct why){.kind = WHY_NOTHING};
    survey_ast(b, ast, sv);
}

/* What makes it approximate by its own words, here and now; else what the survey found. */
static struct why approx_of(const struct binder *b, uint16_t metric, const struct survey *sv) {
    switch (known_warning(b->model, b->consts, &b->model->metric[metric])) {
    case WARNING_SURE:
        return (struct why){.kind = WHY_FALLBACK, .code = 0, .index = metric};
    case WARNING_EBS_MODE:
        return (struct why){.kind = WHY_CONST, .code = 1, .index = CONST_EBS_MODE};
    default:
        return sv->approx;
    }
}

/* Picks the formula of a metric and surveys it. */
static void choose(struct binder *b, uint16_t metric, struct survey *sv) {
    const struct metric *m = &b->model->metric[metric];
    const struct ast *ast = b->layout->no_perf_metrics && m->alt ? m->alt : m->ast;
    b->chosen[metric] = m->unavailable ? NULL : ast;
    survey(b, b->chosen[metric], sv);
    if (b->chosen[metric] && ast == m->alt && sv->unrecorded) {
        b->chosen[metric] = m->ast; /* its events are what one should have recorded */
        survey(b, m->ast, sv);
    }
    b->approx[metric] = approx_of(b, metric, sv);
    if (!sv->missing || !m->fallback)
        return;
    survey(b, m->fallback, sv);
    if (sv->missing) {
        survey(b, b->chosen[metric], sv);
        return;
    }
    b->chosen[metric] = m->fallback;
    b->approx[metric] = (struct why){.kind = WHY_FALLBACK, .code = 1, .index = metric};
}

static uint16_t own_group(const struct binder *b, const struct survey *sv) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < b->layout->n_group; i++)
        if (sv->votes[i] > sv->votes[best])
            best = i;
    return (uint16_t)best;
}

static void bind_metrics(struct binder *b, struct survey *sv, struct program *p) {
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const uint16_t metric = b->model->order[i];
        choose(b, metric, sv);
        const struct context in = {.group = own_group(b, sv), .expand = true};
        p->bound[metric] = (struct bound){.formula = b->chosen[metric], .group = in.group};
        const struct parts_of parts = {sv->seen, sv->below, in.group};
        if (parts_note(p, b->model, &b->slots, metric, &parts))
            b->graph.rc = -ENOMEM;
        b->result[metric] =
            b->chosen[metric]
                ? build(b, b->chosen[metric], in)
                : graph_unknown(&b->graph, (struct why){.kind = WHY_UNAVAILABLE, .index = metric});
        graph_use(&b->graph, b->result[metric]);
        whole_note(&b->graph, p, metric, b->result[metric]);
    }
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const struct ast *threshold = b->model->metric[i].threshold;
        b->over[i] = threshold ? build_test(b, threshold) : graph_number(&b->graph, 0.0);
        graph_use(&b->graph, b->over[i]);
    }
}

static void write_results(const struct binder *b, struct program *p) {
    const struct graph_node *node = b->graph.node.at;
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const struct metric *m = &b->model->metric[i];
        p->result[i] = (struct result){
            .cell = (uint16_t)node[b->result[i]].cell,
            .over = (uint16_t)node[b->over[i]].cell,
            .share = m->share,
            .approx_why = why_pack(b->approx[i]),
        };
        if (m->kind == METRIC_TREE && (m->level == 1 || m->level == 2))
            p->top[p->n_top++] = (uint16_t)i;
    }
    p->tsc_freq = b->consts->value[CONST_SYSTEM_TSC_FREQ];
}

/* A copy of its own: who asks later what a branch was decided by must see the same. */
static int keep_consts(const struct binder *b, struct program *p) {
    p->consts = *b->consts;
    p->consts.latency = NULL;
    if (p->consts.n_latency == 0)
        return 0;
    p->latency = calloc(p->consts.n_latency, sizeof(*p->latency));
    if (!p->latency)
        return -ENOMEM;
    memcpy(p->latency, b->consts->latency, p->consts.n_latency * sizeof(*p->latency));
    p->consts.latency = p->latency;
    return 0;
}

static int bind(struct binder *b, struct survey *sv, struct program *p) {
    bind_metrics(b, sv, p);
    const int rc = b->graph.rc < 0 ? b->graph.rc : graph_schedule(&b->graph, p);
    if (rc < 0)
        return rc;
    write_results(b, p);
    return moves_note(p, b->model) < 0 || one_reserve(p) < 0 ? -ENOMEM : keep_consts(b, p);
}

static bool binder_alloc(struct binder *b, struct survey *sv, struct program *p) {
    const size_t n_metric = b->model->n_metric, n_event = b->model->n_event;
    b->chosen = calloc(n_metric + 1, sizeof(*b->chosen));
    b->result = malloc((n_metric + 1) * sizeof(*b->result));
    b->approx = calloc(n_metric + 1, sizeof(*b->approx));
    b->over = calloc(n_metric + 1, sizeof(*b->over));
    sv->seen = calloc(n_event + 1, sizeof(*sv->seen));
    sv->below = calloc(n_metric + 1, sizeof(*sv->below));
    sv->votes = calloc(b->layout->n_group + 1u, sizeof(*sv->votes));
    p->result = calloc(n_metric + 1, sizeof(*p->result));
    p->bound = calloc(n_metric + 1, sizeof(*p->bound));
    p->top = calloc(n_metric + 1, sizeof(*p->top));
    p->turn = calloc(b->layout->n_slot + 1u, sizeof(*p->turn)); /* SLOT_UNKNOWN: nothing split */
    p->split = calloc(n_metric + 1, sizeof(*p->split));
    if (slot_index_init(&b->slots, b->layout) < 0 || !b->chosen || !b->result || !b->approx ||
        !b->over || !sv->seen || !sv->below || !sv->votes || !p->result || !p->bound || !p->top ||
        !p->turn || !p->split)
        return false;
    memset(b->result, 0xff, (n_metric + 1) * sizeof(*b->result)); /* NO_NODE */
    return true;
}

static void binder_free(struct binder *b, struct survey *sv) {
    graph_destroy(&b->graph);
    slot_index_destroy(&b->slots);
    free(b->chosen);
    free(b->result);
    free(b->approx);
    free(b->over);
    free(sv->seen);
    free(sv->below);
    free(sv->votes);
}

int eval_init(struct eval *ev, const struct model *model, const struct layout *layout,
              const struct consts *consts, struct err *err) {
    struct binder b = {.model = model, .layout = layout, .consts = consts};
    struct survey sv = {0};
    struct program *p = calloc(1, sizeof(*p));
    *ev = (struct eval){.model = model, .program_ = p};

    int rc = p && binder_alloc(&b, &sv, p) ? graph_init(&b.graph) : -ENOMEM;
    if (rc == 0)
        rc = bind(&b, &sv, p);
    binder_free(&b, &sv);
    if (rc == 0)
        return 0;
    eval_destroy(ev);
    return err_set(err, rc, "model %s: %s", model->name,
                   rc == -E2BIG ? "its formulas need more than 65000 operations; split the model"
                                : "out of memory for its formulas; close other programs");
}

void eval_destroy(struct eval *ev) {
    struct program *p = ev->program_;
    if (p) {
        free(p->v);
        free(p->origin);
        free(p->read);
        free(p->step);
        free(p->run);
        free(p->result);
        free(p->bound);
        array_free(&p->part);
        array_free(&p->inherits);
        array_free(&p->leaf);
        array_free(&p->reach);
        array_free(&p->redo);
        array_free(&p->reached);
        free(p->kept);
        one_destroy(p);
        free(p->turn);
        free(p->split);
        free(p->top);
        free(p->latency);
        free(p);
    }
    *ev = (struct eval){0};
}
