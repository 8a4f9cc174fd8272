#include "model/eval/eval_graph.h"

#include <errno.h>
#include <stdlib.h>

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

int graph_init(struct graph *g) {
    *g = (struct graph){.n_hash = 4096};
    g->hash = calloc(g->n_hash, sizeof(*g->hash));
    if (!g->hash)
        return -ENOMEM;
    graph_number(g, 0.0); /* node 0 exists from here on */
    if (g->rc < 0)
        graph_destroy(g);
    return g->rc;
}

void graph_destroy(struct graph *g) {
    array_free(&g->node);
    free(g->hash);
    g->hash = NULL;
}

static uint32_t intern_cell(struct graph *g, struct cell cell) {
    return intern(g, &(struct graph_node){.op = EVAL_NUMBER, .number = cell});
}

uint32_t graph_number(struct graph *g, double v) {
    return intern_cell(g, (struct cell){v, 1.0f, 0});
}

uint32_t graph_unknown(struct graph *g, struct why why) {
    return intern_cell(g, cell_unknown(why));
}

uint32_t graph_slot(struct graph *g, uint32_t slot, uint32_t event) {
    return intern(g, &(struct graph_node){.op = EVAL_SLOT, .kid = {slot, event}});
}

uint32_t graph_time(struct graph *g, enum eval_op op) {
    return intern(g, &(struct graph_node){.op = op});
}

const struct cell *graph_constant(const struct graph *g, uint32_t node) {
    const struct graph_node *n = &g->node.at[node];
    return n->op == EVAL_NUMBER ? &n->number : NULL;
}

uint32_t graph_op(struct graph *g, enum eval_op op, uint32_t a, uint32_t b, uint32_t c) {
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

void graph_use(struct graph *g, uint32_t node) {
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

void graph_leaves(struct graph *g, uint32_t node,
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

int graph_schedule(struct graph *g, struct program *p) {
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
