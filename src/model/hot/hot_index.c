/* Open addressing, never more than half full. */
#include "model/hot/hot_index.h"

#include <errno.h>
#include <stdlib.h>

int hot_index_init(struct hot_index *x, size_t n) {
    size_t cap = 64;
    while (cap < 2 * n)
        cap *= 2;
    x->mask = cap - 1;
    x->seat = calloc(cap, sizeof(*x->seat));
    return x->seat ? 0 : -ENOMEM;
}

void hot_index_free(struct hot_index *x) {
    free(x->seat);
    *x = (struct hot_index){0};
}

uint32_t *hot_index_at(struct hot_index *x, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t hash = a;
    hash = (hash ^ hash >> 29 ^ b) * 0x9E3779B97F4A7C15u; /* 2^64 over the golden ratio */
    hash = (hash ^ hash >> 29 ^ c) * 0x9E3779B97F4A7C15u;
    size_t i = (hash ^ hash >> 32) & x->mask;
    while (x->seat[i].number && (x->seat[i].a != a || x->seat[i].b != b || x->seat[i].c != c))
        i = (i + 1) & x->mask;
    x->seat[i].a = a;
    x->seat[i].b = b;
    x->seat[i].c = c;
    return &x->seat[i].number;
}
