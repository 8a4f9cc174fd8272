/* Memory that is taken piece by piece and given back at once: what a loaded model consists of. */
#ifndef TDTOP_MODEL_ARENA_H
#define TDTOP_MODEL_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_chunk *chunk; /* the newest; a zeroed arena is an empty one */
};

/* Zeroed memory for any type, or NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of len bytes, NUL terminated; or NULL. */
char *arena_text(struct arena *a, const char *text, size_t len);

void arena_free(struct arena *a);
/* Takes all of it back, and keeps what it has of the newest memory for what comes next. */
void arena_clear(struct arena *a);

#endif
