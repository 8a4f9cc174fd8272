#include "pmu/replay/replay_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, with the end of the first text hashed too. */
static uint32_t hash_of(const char *first, const char *second) {
    uint32_t h = 2166136261u;
    for (const char *c = first; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    h = (h ^ 0x1f) * 16777619u;
    for (const char *c = second; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return h;
}

static bool is_pair(const struct replay_name *e, const char *first, const char *second) {
    return strcmp(e->first, first) == 0 && strcmp(e->second, second) == 0;
}

static int32_t found(struct replay_table *t, uint32_t number) {
    t->last = number;
    return (int32_t)number;
}

int32_t replay_table_find(struct replay_table *t, const char *first, const char *second) {
    if (!t->n_bucket)
        return -1;
    const uint32_t next = t->last + 1 < t->n ? t->last + 1 : 0;
    if (is_pair(&t->at[next], first, second))
        return found(t, next);
    if (is_pair(&t->at[t->last], first, second))
        return (int32_t)t->last;
    uint32_t h = hash_of(first, second), mask = t->n_bucket - 1;
    for (uint32_t i = h & mask; t->bucket[i]; i = (i + 1) & mask) {
        const struct replay_name *e = &t->at[t->bucket[i] - 1];
        if (e->hash == h && is_pair(e, first, second))
            return found(t, t->bucket[i] - 1);
    }
    return -1;
}

static void place(struct replay_table *t, uint32_t number) {
    uint32_t mask = t->n_bucket - 1, i = t->at[number].hash & mask;
    while (t->bucket[i])
        i = (i + 1) & mask;
    t->bucket[i] = number + 1;
}

/* Keeps at least half of the buckets empty. */
static int grow(struct replay_table *t) {
    if (t->n < t->cap)
        return 0;
    uint32_t cap = t->cap ? t->cap * 2 : 32;
    struct replay_name *at = realloc(t->at, cap * sizeof(*at));
    if (!at)
        return -ENOMEM;
    t->at = at;
    uint32_t *bucket = calloc(cap * 2u, sizeof(*bucket));
    if (!bucket)
        return -ENOMEM;
    free(t->bucket);
    t->bucket = bucket;
    t->n_bucket = cap * 2;
    t->cap = cap;
    for (uint32_t i = 0; i < t->n; i++)
        place(t, i);
    return 0;
}

int32_t replay_table_add(struct replay_table *t, const char *first, const char *second) {
    const int32_t known = replay_table_find(t, first, second);
    if (known >= 0)
        return known;
    if (t->n >= REPLAY_NAMES_MAX)
        return -E2BIG;
    size_t n1 = strlen(first) + 1, n2 = strlen(second) + 1;
    if (grow(t) < 0)
        return -ENOMEM;
    char *text = malloc(n1 + n2);
    if (!text)
        return -ENOMEM;
    memcpy(text, first, n1);
    memcpy(text + n1, second, n2);
    t->at[t->n] =
        (struct replay_name){.first = text, .second = text + n1, .hash = hash_of(first, second)};
    place(t, t->n);
    return (int32_t)t->n++;
}

void replay_table_free(struct replay_table *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        union { /* the texts are const for everybody else */
            const char *text;
            void *memory;
        } both = {.text = t->at[i].first};
        free(both.memory);
    }
    free(t->at);
    free(t->bucket);
    *t = (struct replay_table){0};
}
