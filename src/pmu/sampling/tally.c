#include "pmu/sampling/tally.h"

#include "pmu/sampling/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tally_limits usual = {
    .leaves = 1 << 16, .nodes = 1 << 17, .cells = 1 << 19, .seconds = 2 * 3600};

/* Of the second that goes on; what finds no place there has a cell more than it needs. */
enum { CELL_HASH = 1 << 13, CELL_TRIES = 16 };

/* ---- memory ---- */

static uint32_t table_size(uint32_t n) {
    uint32_t size = 64;
    while (size < n * 2)
        size *= 2;
    return size;
}

static void begin(struct tally *t) {
    struct tally_copy *c = &t->is;
    memset(t->leaf_hash, 0, t->n_leaf_hash * sizeof(*t->leaf_hash));
    memset(t->node_hash, 0, t->n_node_hash * sizeof(*t->node_hash));
    memset(t->cell_hash, 0, CELL_HASH * sizeof(*t->cell_hash));
    c->n_leaf = c->n_node = 1;
    c->leaf[TALLY_OTHER] = (struct tally_leaf){0};
    c->leaf_count[TALLY_OTHER] = (struct hot_count){0};
    c->node[TALLY_ROOT] = (struct tally_node){.at.module = TALLY_PROCESS};
    c->node_count[TALLY_ROOT] = (struct hot_count){0};
    c->first_second = c->n_second = c->n_cell = 0;
    c->total = (struct tally_total){0};
    c->epoch++;
}

int tally_init(struct tally *t, const struct tally_limits *limits) {
    *t = (struct tally){.limits = usual};
    struct tally_limits *l = &t->limits;
    struct tally_copy *c = &t->is;
    pthread_mutex_init(&t->lock, NULL);
    if (limits) {
        l->leaves = limits->leaves ? limits->leaves : l->leaves;
        l->nodes = limits->nodes ? limits->nodes : l->nodes;
        l->cells = limits->cells ? limits->cells : l->cells;
        l->seconds = limits->seconds ? limits->seconds : l->seconds;
    }
    t->n_leaf_hash = table_size(l->leaves);
    t->n_node_hash = table_size(l->nodes);
    t->leaf_hash = calloc(t->n_leaf_hash, sizeof(*t->leaf_hash));
    t->node_hash = calloc(t->n_node_hash, sizeof(*t->node_hash));
    t->cell_hash = calloc(CELL_HASH, sizeof(*t->cell_hash));
    c->leaf = calloc(l->leaves, sizeof(*c->leaf));
    c->leaf_count = calloc(l->leaves, sizeof(*c->leaf_count));
    c->node = calloc(l->nodes, sizeof(*c->node));
    c->node_count = calloc(l->nodes, sizeof(*c->node_count));
    c->cell = calloc(l->cells, sizeof(*c->cell));
    c->second = calloc(l->seconds, sizeof(*c->second));
    c->cells = l->cells;
    c->seconds = l->seconds;
    if (!t->leaf_hash || !t->node_hash || !t->cell_hash || !c->leaf || !c->leaf_count || !c->node ||
        !c->node_count || !c->cell || !c->second)
        return -ENOMEM;
    begin(t);
    return 0;
}

void tally_copy_free(struct tally_copy *c) {
    free(c->leaf);
    free(c->leaf_count);
    free(c->node);
    free(c->node_count);
    free(c->cell);
    free(c->second);
    *c = (struct tally_copy){0};
}

void tally_destroy(struct tally *t) {
    free(t->leaf_hash);
    free(t->node_hash);
    free(t->cell_hash);
    tally_copy_free(&t->is);
    pthread_mutex_destroy(&t->lock);
}

void tally_reset(struct tally *t) {
    pthread_mutex_lock(&t->lock);
    begin(t);
    pthread_mutex_unlock(&t->lock);
}

/* ---- adding ---- */

static void count(struct hot_count *c, double weight) {
    c->n++;
    c->weight += weight;
    c->square += weight * weight;
}

static bool same_place(const struct place *a, const struct place *b) {
    return a->module == b->module && a->offset == b->offset;
}

static uint64_t hash_place(uint64_t h, const struct place *p) {
    return hash_add(hash_add(h, p->module), p->offset);
}

static uint32_t leaf_of(struct tally *t, const struct tally_sample *s) {
    struct tally_copy *c = &t->is;
    const struct tally_leaf key = {s->stack[0], s->pid, s->tid};
    uint64_t h = hash_place(hash_add((uint64_t)s->pid, (uint64_t)s->tid), &key.at);
    for (;; h++) {
        uint32_t *at = &t->leaf_hash[h & (t->n_leaf_hash - 1)];
        const struct tally_leaf *is = &c->leaf[*at];
        if (*at && is->tid == key.tid && is->pid == key.pid && same_place(&is->at, &key.at))
            return *at;
        if (*at)
            continue;
        if (c->n_leaf == t->limits.leaves) {
            c->total.n_no_leaf++;
            return TALLY_OTHER;
        }
        c->leaf[c->n_leaf] = key;
        c->leaf_count[c->n_leaf] = (struct hot_count){0};
        return *at = c->n_leaf++;
    }
}

/* The child of a node; the node itself if there is no room. */
static uint32_t child_of(struct tally *t, uint32_t parent, const struct place *p) {
    struct tally_copy *c = &t->is;
    for (uint64_t h = hash_place(parent, p);; h++) {
        uint32_t *at = &t->node_hash[h & (t->n_node_hash - 1)];
        if (*at && c->node[*at].parent == parent && same_place(&c->node[*at].at, p))
            return *at;
        if (*at)
            continue;
        if (c->n_node == t->limits.nodes)
            return parent;
        c->node[c->n_node] = (struct tally_node){parent, *p};
        c->node_count[c->n_node] = (struct hot_count){0};
        return *at = c->n_node++;
    }
}

static uint32_t node_of(struct tally *t, const struct tally_sample *s) {
    const struct place process = {TALLY_PROCESS, (uint64_t)s->pid};
    uint32_t node = child_of(t, TALLY_ROOT, &process);
    bool whole = node != TALLY_ROOT;
    for (uint32_t i = s->n_stack; i-- > 0 && whole;) {
        const uint32_t child = child_of(t, node, &s->stack[i]);
        whole = child != node;
        node = child;
    }
    t->is.total.n_cut += !whole;
    return node;
}

/* Seconds never go back: what comes late belongs to the last. */
static void to_second(struct tally *t, uint64_t s) {
    struct tally_copy *c = &t->is;
    if (c->n_second > c->first_second && s <= c->second[(c->n_second - 1) % c->seconds].s)
        return;
    if (c->n_second - c->first_second == c->seconds)
        c->first_second++;
    c->second[c->n_second++ % c->seconds] = (struct tally_second){s, c->n_cell};
    memset(t->cell_hash, 0, CELL_HASH * sizeof(*t->cell_hash));
}

/* Room for a cell: the oldest second gives way, unless it is the only one. */
static bool make_room(struct tally_copy *c) {
    if (c->n_cell - c->second[c->first_second % c->seconds].first < c->cells)
        return true;
    if (c->n_second - c->first_second < 2)
        return false;
    c->first_second++;
    return c->n_cell - c->second[c->first_second % c->seconds].first < c->cells;
}

static void add_cell(struct tally *t, uint32_t leaf, uint32_t node, double weight) {
    struct tally_copy *c = &t->is;
    const uint64_t first = c->second[(c->n_second - 1) % c->seconds].first;
    uint64_t h = hash_add(leaf, node);
    uint32_t *free_at = NULL;
    for (int i = 0; i < CELL_TRIES && !free_at; i++, h++) {
        uint32_t *at = &t->cell_hash[h & (CELL_HASH - 1)];
        struct tally_cell *cell = &c->cell[(first + *at - 1) % c->cells];
        if (!*at) {
            free_at = at;
        } else if (cell->leaf == leaf && cell->node == node) {
            cell->n++;
            cell->weight += (float)weight;
            return;
        }
    }
    if (!make_room(c))
        return; /* more than all cells in one second: it is in the sums, not in the span */
    if (free_at)
        *free_at = (uint32_t)(c->n_cell - first) + 1;
    c->cell[c->n_cell++ % c->cells] = (struct tally_cell){leaf, node, 1, (float)weight};
}

void tally_add(struct tally *t, const struct tally_sample *s) {
    struct tally_copy *c = &t->is;
    const double weight = s->period ? (double)s->period : 1.0;
    pthread_mutex_lock(&t->lock);
    to_second(t, s->time_ns / 1000000000u);
    const uint32_t leaf = leaf_of(t, s), node = node_of(t, s);
    count(&c->leaf_count[leaf], weight);
    count(&c->node_count[node], weight);
    count(&c->total.all, weight);
    add_cell(t, leaf, node, weight);
    c->total.n_exact += s->exact;
    c->total.n_kernel += s->kernel;
    c->total.n_unknown += s->stack[0].module == MODULES_UNKNOWN;
    if (!c->total.begin_ns)
        c->total.begin_ns = s->time_ns;
    if (c->total.end_ns < s->time_ns)
        c->total.end_ns = s->time_ns;
    pthread_mutex_unlock(&t->lock);
}

/* ---- reading ---- */

static bool resize(void **at, size_t n, size_t size) {
    void *p = realloc(*at, n * size);
    if (p)
        *at = p;
    return p;
}

/* Room for n of two arrays that go together. */
static bool room(void **a, size_t size_a, void **b, size_t size_b, uint32_t *cap, uint32_t n) {
    const uint32_t more = n + n / 2;
    if (n <= *cap)
        return true;
    if (!resize(a, more, size_a) || !resize(b, more, size_b))
        return false;
    *cap = more;
    return true;
}

static bool room_for(struct tally_copy *copy, const struct tally *t, uint32_t leaves,
                     uint32_t nodes) {
    void *leaf = copy->leaf, *leaf_count = copy->leaf_count, *node = copy->node,
         *node_count = copy->node_count;
    const bool ok = room(&leaf, sizeof(*copy->leaf), &leaf_count, sizeof(*copy->leaf_count),
                         &copy->cap_leaf, leaves) &&
                    room(&node, sizeof(*copy->node), &node_count, sizeof(*copy->node_count),
                         &copy->cap_node, nodes);
    copy->leaf = leaf;
    copy->leaf_count = leaf_count;
    copy->node = node;
    copy->node_count = node_count;
    if (!copy->cell) { /* pages that are not written cost nothing */
        copy->cells = t->limits.cells;
        copy->seconds = t->limits.seconds;
        copy->cell = calloc(copy->cells, sizeof(*copy->cell));
    }
    if (!copy->second)
        copy->second = calloc(copy->seconds, sizeof(*copy->second));
    return ok && copy->cell && copy->second;
}

/* The second that went on when the copy was made has grown: from its first cell on. */
static void copy_cells(struct tally_copy *to, const struct tally_copy *from) {
    uint64_t i = to->n_second > from->first_second ? to->n_second - 1 : from->first_second;
    uint64_t k = i < from->n_second ? from->second[i % from->seconds].first : from->n_cell;
    for (; i < from->n_second; i++)
        to->second[i % to->seconds] = from->second[i % from->seconds];
    while (k < from->n_cell) {
        const uint64_t at = k % from->cells;
        const uint64_t left = from->n_cell - k, to_end = from->cells - at;
        const uint64_t n = left < to_end ? left : to_end;
        memcpy(&to->cell[at], &from->cell[at], n * sizeof(*to->cell));
        k += n;
    }
}

int tally_read(struct tally *t, struct tally_copy *copy) {
    const struct tally_copy *is = &t->is;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        const uint32_t leaves = is->n_leaf, nodes = is->n_node;
        if (leaves <= copy->cap_leaf && nodes <= copy->cap_node && copy->cell && copy->second)
            break;
        pthread_mutex_unlock(&t->lock);
        if (!room_for(copy, t, leaves, nodes))
            return -ENOMEM;
        pthread_mutex_lock(&t->lock);
    }
    if (copy->epoch != is->epoch) {
        copy->n_leaf = copy->n_node = 0;
        copy->first_second = copy->n_second = copy->n_cell = 0;
    }
    memcpy(&copy->leaf[copy->n_leaf], &is->leaf[copy->n_leaf],
           (is->n_leaf - copy->n_leaf) * sizeof(*copy->leaf));
    memcpy(&copy->node[copy->n_node], &is->node[copy->n_node],
           (is->n_node - copy->n_node) * sizeof(*copy->node));
    memcpy(copy->leaf_count, is->leaf_count, is->n_leaf * sizeof(*copy->leaf_count));
    memcpy(copy->node_count, is->node_count, is->n_node * sizeof(*copy->node_count));
    copy_cells(copy, is);
    copy->epoch = is->epoch;
    copy->n_leaf = is->n_leaf;
    copy->n_node = is->n_node;
    copy->first_second = is->first_second;
    copy->n_second = is->n_second;
    copy->n_cell = is->n_cell;
    copy->total = is->total;
    pthread_mutex_unlock(&t->lock);
    return 0;
}

/* ---- a span ---- */

static void add_span(struct hot_count *to, const struct tally_cell *cell) {
    to->n += cell->n;
    to->weight += (double)cell->weight;
    to->square += (double)cell->weight * (double)cell->weight / cell->n; /* as if all were equal */
}

uint64_t tally_span(const struct tally_copy *c, uint64_t from_s, uint64_t to_s,
                    struct hot_count *leaf, struct hot_count *node, struct hot_count *all) {
    uint64_t n = 0;
    if (leaf)
        memset(leaf, 0, c->n_leaf * sizeof(*leaf));
    if (node)
        memset(node, 0, c->n_node * sizeof(*node));
    if (all)
        *all = (struct hot_count){0};
    for (uint64_t i = c->first_second; i < c->n_second; i++) {
        const struct tally_second *s = &c->second[i % c->seconds];
        const uint64_t end =
            i + 1 < c->n_second ? c->second[(i + 1) % c->seconds].first : c->n_cell;
        if (s->s < from_s || s->s >= to_s)
            continue;
        for (uint64_t k = s->first; k < end; k++) {
            const struct tally_cell *cell = &c->cell[k % c->cells];
            n += cell->n;
            if (leaf)
                add_span(&leaf[cell->leaf], cell);
            if (node)
                add_span(&node[cell->node], cell);
            if (all)
                add_span(all, cell);
        }
    }
    return n;
}
