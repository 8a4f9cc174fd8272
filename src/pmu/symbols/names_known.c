/* What was found: functions by module and start, texts that stay, and code that the kernel told of.
 */
#include "pmu/symbols/names_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BLOCK = 64 << 10 };

static const char *keep(struct names *n, const char *text) {
    const size_t size = strlen(text) + 1;
    if (size > n->left_text) {
        const size_t block = size > TEXT_BLOCK ? size : TEXT_BLOCK;
        char *more = n->n_text + block <= n->opt.text_max ? malloc(block) : NULL;
        if (!more || array_push(&n->text, more) < 0) {
            free(more);
            return NULL;
        }
        n->at_text = more;
        n->left_text = block;
        n->n_text += block;
    }
    char *at = memcpy(n->at_text, text, size);
    n->at_text += size;
    n->left_text -= size;
    return at;
}

static size_t place_of(uint32_t id, uint64_t start, uint32_t seq) {
    uint64_t h =
        (start ^ ((uint64_t)id << 40) ^ ((uint64_t)seq << 20)) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(h ^ (h >> 32));
}

struct known *known_find(struct names *n, uint32_t id, uint64_t start, uint32_t seq) {
    for (size_t i = place_of(id, start, seq); n->cap_known > 0; i++) {
        struct known *k = &n->known[i & (n->cap_known - 1)];
        if (k->id == 0)
            return NULL;
        if (k->id == id && k->seq == seq && k->f.start == start)
            return k;
    }
    return NULL;
}

static struct known *place(struct known *at, size_t cap, const struct known *k) {
    size_t i = place_of(k->id, k->f.start, k->seq);
    while (at[i & (cap - 1)].id != 0)
        i++;
    at[i & (cap - 1)] = *k;
    return &at[i & (cap - 1)];
}

static bool grow(struct names *n) {
    const size_t cap = n->cap_known ? 2 * n->cap_known : 256;
    struct known *more = calloc(cap, sizeof(*more));
    if (!more)
        return false;
    for (size_t i = 0; i < n->cap_known; i++)
        if (n->known[i].id != 0)
            place(more, cap, &n->known[i]);
    free(n->known);
    n->known = more;
    n->cap_known = cap;
    return true;
}

struct known *known_put(struct names *n, uint32_t id, uint32_t seq, const struct function *f) {
    struct known k = {.id = id, .seq = seq, .f = *f};
    if (2 * (n->n_known + 1) > n->cap_known && !grow(n))
        return NULL;
    k.f.name = keep(n, f->name);
    k.f.raw = strcmp(f->name, f->raw) == 0 ? k.f.name : keep(n, f->raw);
    k.f.kmodule = f->kmodule ? keep(n, f->kmodule) : NULL;
    if (!k.f.name || !k.f.raw || (f->kmodule && !k.f.kmodule))
        return NULL;
    n->n_known++;
    return place(n->known, n->cap_known, &k);
}
