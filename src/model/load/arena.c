#include "model/load/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 32 * 1024 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t used, cap;
    alignas(max_align_t) char at[];
};

static struct arena_chunk *chunk_new(struct arena *a, size_t least) {
    size_t cap = least > CHUNK_SIZE ? least : CHUNK_SIZE;
    struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + cap);
    if (!chunk)
        return NULL;
    chunk->cap = cap;
    chunk->older = a->chunk;
    a->chunk = chunk;
    return chunk;
}

void *arena_alloc(struct arena *a, size_t size) {
    size_t step = alignof(max_align_t);
    size = (size + step - 1) / step * step;
    struct arena_chunk *chunk = a->chunk;
    if (!chunk || chunk->cap - chunk->used < size)
        chunk = chunk_new(a, size);
    if (!chunk)
        return NULL;
    void *p = chunk->at + chunk->used;
    chunk->used += size;
    return p;
}

char *arena_text(struct arena *a, const char *text, size_t len) {
    char *copy = arena_alloc(a, len + 1);
    if (copy)
        memcpy(copy, text, len);
    return copy;
}

void arena_free(struct arena *a) {
    while (a->chunk) {
        struct arena_chunk *older = a->chunk->older;
        free(a->chunk);
        a->chunk = older;
    }
}

void arena_clear(struct arena *a) {
    struct arena_chunk *newest = a->chunk;
    if (!newest)
        return;
    a->chunk = newest->older;
    arena_free(a);
    memset(newest->at, 0, newest->used);
    newest->older = NULL;
    newest->used = 0;
    a->chunk = newest;
}
