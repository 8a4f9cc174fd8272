#include "ui/view/rows_moves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_ROWS = 256, TRIES = 8 }; /* a power of two; a row is at one of so many places */

int rows_moves_init(struct rows_moves *m, int n_column) {
    *m = (struct rows_moves){.n_column = n_column};
    m->id = calloc(MOVES_ROWS, sizeof(*m->id));
    m->seen_ns = calloc(MOVES_ROWS, sizeof(*m->seen_ns));
    m->at = calloc((size_t)MOVES_ROWS * (size_t)n_column, sizeof(*m->at));
    return m->id && m->seen_ns && m->at ? 0 : -ENOMEM;
}

void rows_moves_destroy(struct rows_moves *m) {
    free(m->id);
    free(m->seen_ns);
    free(m->at);
    *m = (struct rows_moves){0};
}

void rows_moves_forget(struct rows_moves *m) {
    memset(m->seen_ns, 0, MOVES_ROWS * sizeof(*m->seen_ns));
}

/* Where it is; else the place, among those that it may have, that is free or was for longest. */
static uint32_t place_of(const struct rows_moves *m, int32_t id, bool *found) {
    const uint32_t first = (uint32_t)id * 2654435769u >> 16;
    uint32_t oldest = first % MOVES_ROWS;
    *found = false;
    for (uint32_t i = 0; i < TRIES; i++) {
        const uint32_t at = (first + i) % MOVES_ROWS;
        *found = m->seen_ns[at] && m->id[at] == id;
        if (*found)
            return at;
        if (m->seen_ns[at] < m->seen_ns[oldest])
            oldest = at;
    }
    return oldest;
}

struct fade *rows_moves_of(struct rows_moves *m, int32_t id, uint64_t now_ns) {
    bool found;
    const uint32_t at = place_of(m, id, &found);
    struct fade *fade = &m->at[at * (uint32_t)m->n_column];
    if (!found)
        memset(fade, 0, (size_t)m->n_column * sizeof(*fade));
    m->id[at] = id;
    m->seen_ns[at] = now_ns ? now_ns : 1;
    return fade;
}

const struct fade *rows_moves_find(const struct rows_moves *m, int32_t id) {
    bool found;
    const uint32_t at = place_of(m, id, &found);
    return found ? &m->at[at * (uint32_t)m->n_column] : NULL;
}
