/* What was found: functions by module and start, texts that stay, and code that the kernel told of.
 */
#include "pmu/symbols/names_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BLOCK = 64 << 10 };

const char *names_keep(struct names *n, const char *text) {
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
    k.f.name = names_keep(n, f->name);
    k.f.raw = strcmp(f->name, f->raw) == 0 ? k.f.name : names_keep(n, f->raw);
    k.f.kmodule = f->kmodule ? names_keep(n, f->kmodule) : NULL;
    if (!k.f.name || !k.f.raw || (f->kmodule && !k.f.kmodule))
        return NULL;
    n->n_known++;
    return place(n->known, n->cap_known, &k);
}

/* ---- told by the kernel ---- */

/* The first one behind the address. */
static size_t behind(const struct names *n, uint64_t address) {
    size_t low = 0, high = n->added.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (n->added.at[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct added *added_find(const struct names *n, uint64_t address) {
    const size_t i = behind(n, address);
    const struct added *a = i > 0 ? &n->added.at[i - 1] : NULL;
    return a && address - a->at < a->size ? a : NULL;
}

int names_add(struct names *n, uint64_t address, uint32_t size, const char *name) {
    int rc = 0;
    pthread_mutex_lock(&n->lock);
    struct added a = {
        .at = address, .size = size, .name = names_keep(n, name), .seq = ++n->last_added};
    const size_t i = behind(n, address);
    if (!a.name || n->added.n >= ADDED_MAX)
        rc = -ENOSPC;
    else if (i > 0 && n->added.at[i - 1].at == address)
        n->added.at[i - 1] = a;
    else if ((rc = array_push(&n->added, a)) == 0) {
        memmove(&n->added.at[i + 1], &n->added.at[i], (n->added.n - 1 - i) * sizeof(a));
        n->added.at[i] = a;
    }
    pthread_mutex_unlock(&n->lock);
    return rc;
}

void names_remove(struct names *n, uint64_t address) {
    pthread_mutex_lock(&n->lock);
    const size_t i = behind(n, address);
    if (i > 0 && n->added.at[i - 1].at == address) {
        memmove(&n->added.at[i - 1], &n->added.at[i], (n->added.n - i) * sizeof(*n->added.at));
        n->added.n--;
    }
    pthread_mutex_unlock(&n->lock);
}
