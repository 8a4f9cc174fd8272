#include "model/load/dict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CAP_FIRST = 256 };

/* FNV-1a */
static uint32_t hash_of(const char *key) {
    uint32_t h = 2166136261u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

/* The entry of the key, or the free one where it belongs; cap > n. */
static struct dict_entry *entry_of(const struct dict *d, const char *key, uint32_t hash) {
    for (size_t i = hash;; i++) {
        struct dict_entry *e = &d->at[i & (d->cap - 1)];
        if (!e->key || (e->hash == hash && !strcmp(e->key, key)))
            return e;
    }
}

static int grow(struct dict *d) {
    struct dict bigger = {.cap = d->cap ? d->cap * 2 : CAP_FIRST, .n = d->n};
    bigger.at = calloc(bigger.cap, sizeof(*bigger.at));
    if (!bigger.at)
        return -ENOMEM;
    for (size_t i = 0; i < d->cap; i++)
        if (d->at[i].key)
            *entry_of(&bigger, d->at[i].key, d->at[i].hash) = d->at[i];
    free(d->at);
    *d = bigger;
    return 0;
}

int dict_put(struct dict *d, const char *key, int value) {
    if ((d->n + 1) * 2 > d->cap && grow(d) < 0)
        return -ENOMEM;
    uint32_t hash = hash_of(key);
    struct dict_entry *e = entry_of(d, key, hash);
    if (e->key)
        return -EEXIST;
    *e = (struct dict_entry){.key = key, .hash = hash, .value = value};
    d->n++;
    return 0;
}

int dict_get(const struct dict *d, const char *key) {
    if (!d->cap)
        return -1;
    const struct dict_entry *e = entry_of(d, key, hash_of(key));
    return e->key ? e->value : -1;
}

void dict_free(struct dict *d) {
    free(d->at);
    *d = (struct dict){0};
}
