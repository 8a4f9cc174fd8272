/* Stacks as blocks: nodes of the tally whose functions are the same become one, below one caller.
 */
#include "session/where_impl.h"

#include <stdlib.h>
#include <string.h>

enum { THINNEST = 2000 }; /* what has a smaller part of all is seen on no screen */

static uint32_t *place_of(uint32_t *hash, uint32_t mask, const struct where_block *b,
                          uint32_t parent, uint32_t function) {
    uint64_t h = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
    while (hash[h & mask] &&
           (b[hash[h & mask]].parent != parent || b[hash[h & mask]].function != function))
        h++;
    return &hash[h & mask];
}

/* Blocks in the order of nodes, with their own weights. Returns how many. */
static uint32_t merge(const struct where_live *w, struct where_block *b, uint32_t *of,
                      uint32_t *hash, uint32_t mask) {
    const struct tally_copy *c = &w->copy;
    uint32_t n = 1;
    b[0] = (struct where_block){.function = WHERE_REST, .weight = w->node_count[0].weight};
    of[0] = 0;
    for (uint32_t i = 1; i < c->n_node; i++) {
        const uint32_t parent = of[c->node[i].parent];
        const uint32_t function = where_of(w->node_function[i]);
        uint32_t *at = place_of(hash, mask, b, parent, function);
        if (!*at) {
            *at = n;
            b[n++] = (struct where_block){
                .parent = parent, .function = function, .node = i, .depth = b[parent].depth + 1};
        }
        of[i] = *at;
        b[*at].weight += w->node_count[i].weight;
    }
    return n;
}

static int by_place(const void *a, const void *b) {
    const struct where_block *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth - y->depth;
    if (x->parent != y->parent)
        return (x->parent > y->parent) - (x->parent < y->parent);
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Level by level; `x` of those of one caller beside each other, the largest first. map: from the
 * number before to that of now + 1. */
static void place(struct where_live *w, uint32_t *map, uint32_t n) {
    struct where_block *b = w->block;
    const double all = b[0].weight > 0 ? b[0].weight : 1;
    double next = 0;
    uint32_t last = UINT32_MAX;
    /* Numbers of before: kept in x until all are sorted. */
    for (uint32_t i = 0; i < n; i++)
        b[i].x = i;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < n; i++)
        if (b[i].weight * THINNEST >= all)
            b[kept++] = b[i];
    qsort(b + 1, kept - 1, sizeof(*b), by_place);
    for (uint32_t i = 0; i < kept; i++)
        map[(uint32_t)b[i].x] = i;
    b[0].x = 0;
    b[0].w = 1;
    for (uint32_t i = 1; i < kept; i++) {
        const uint32_t before = b[i].parent;
        b[i].parent = map[before];
        if (before != last)
            next = b[b[i].parent].x;
        last = before;
        b[i].x = next;
        b[i].w = b[i].weight / all;
        next += b[i].w;
    }
    w->n_block = kept;
}

/* For half as many nodes again: the memory is the same from one second to the next. */
static bool make_room(struct where_live *w) {
    const uint32_t n = w->copy.n_node + 1u;
    if (n <= w->cap_block)
        return true;
    const uint32_t more = n + n / 2;
    uint32_t hash = 16;
    while (hash < 2 * more)
        hash *= 2;
    free(w->block_of);
    w->cap_block = 0;
    w->block_of = malloc(((size_t)hash + more) * sizeof(*w->block_of));
    struct where_block *b = realloc(w->block, more * sizeof(*b));
    w->block = b ? b : w->block;
    if (!b || !w->block_of)
        return false;
    w->cap_block = more;
    w->n_block_hash = hash;
    return true;
}

void where_flame_make(struct where_live *w) {
    w->n_block = 0;
    if (!make_room(w) || w->copy.n_node == 0)
        return;
    uint32_t *of = w->block_of + w->n_block_hash;
    struct where_block *b = w->block;
    memset(w->block_of, 0, w->n_block_hash * sizeof(*w->block_of));
    memset(of, 0, (w->copy.n_node + 1u) * sizeof(*of));
    const uint32_t n = merge(w, b, of, w->block_of, w->n_block_hash - 1);
    for (uint32_t i = n - 1; i > 0; i--)
        b[b[i].parent].weight += b[i].weight;
    place(w, of, n);
}
