#include "pmu/sampling/modules.h"

#include "pmu/sampling/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_file(const struct module *m) {
    return m->kind == MODULE_FILE;
}

/* Of a file without a build id the generation is left out, because /proc/PID/maps does not tell it.
 */
static uint64_t hash_of(const struct module *m) {
    uint64_t h = hash_add(0, m->kind);
    if (is_file(m) && m->n_build_id) {
        for (int i = 0; i < m->n_build_id; i++)
            h = hash_add(h, m->build_id[i]);
        return h;
    }
    if (is_file(m) && m->ino)
        return hash_add(hash_add(h, (uint64_t)m->dev_major << 32 | m->dev_minor), m->ino);
    h = hash_add(h, (uint64_t)(m->kind == MODULE_JIT ? m->pid : 0));
    for (const char *p = m->path; *p; p++)
        h = hash_add(h, (unsigned char)*p);
    return h;
}

static bool is_same(const struct module *a, const struct module *b) {
    if (a->kind != b->kind)
        return false;
    if (is_file(a) && (a->n_build_id || b->n_build_id))
        return a->n_build_id == b->n_build_id &&
               memcmp(a->build_id, b->build_id, a->n_build_id) == 0;
    if (is_file(a) && (a->ino || b->ino))
        return a->ino == b->ino && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
               (a->ino_generation == b->ino_generation || !a->ino_generation || !b->ino_generation);
    return (a->kind != MODULE_JIT || a->pid == b->pid) && strcmp(a->path, b->path) == 0;
}

/* Where it is, or where it goes. */
static uint32_t *seat(struct modules *ms, const struct module *m) {
    uint32_t i = (uint32_t)hash_of(m) & (ms->n_hash - 1);
    while (ms->hash[i] && !is_same(&ms->list.at[ms->hash[i] - 1], m))
        i = (i + 1) & (ms->n_hash - 1);
    return &ms->hash[i];
}

static uint32_t add(struct modules *ms, const struct module *m) {
    uint32_t *at = seat(ms, m);
    if (*at)
        return *at - 1;
    struct module own = *m;
    char *path = ms->list.n < ms->most ? strdup(m->path) : NULL;
    own.path = path;
    if (!path || array_push(&ms->list, own) < 0) {
        free(path);
        ms->n_refused++;
        return MODULES_UNKNOWN;
    }
    *at = (uint32_t)ms->list.n;
    return *at - 1;
}

int modules_init(struct modules *ms, uint32_t most) {
    *ms = (struct modules){.most = most, .n_hash = 64};
    while (ms->n_hash < most * 2)
        ms->n_hash *= 2;
    pthread_mutex_init(&ms->lock, NULL);
    ms->hash = calloc(ms->n_hash, sizeof(*ms->hash));
    if (!ms->hash)
        return -ENOMEM;
    add(ms, &(struct module){.kind = MODULE_UNKNOWN, .path = "[unknown]"});
    add(ms, &(struct module){.kind = MODULE_KERNEL, .path = "[kernel]"});
    return ms->list.n == 2 ? 0 : -ENOMEM;
}

void modules_destroy(struct modules *ms) {
    for (size_t i = 0; i < ms->list.n; i++)
        free((char *)(uintptr_t)ms->list.at[i].path);
    array_free(&ms->list);
    free(ms->hash);
    pthread_mutex_destroy(&ms->lock);
    *ms = (struct modules){0};
}

uint32_t modules_add(struct modules *ms, const struct module *m) {
    pthread_mutex_lock(&ms->lock);
    const uint32_t id = add(ms, m);
    pthread_mutex_unlock(&ms->lock);
    return id;
}

uint32_t modules_count(struct modules *ms) {
    pthread_mutex_lock(&ms->lock);
    const uint32_t n = (uint32_t)ms->list.n;
    pthread_mutex_unlock(&ms->lock);
    return n;
}

void modules_get(struct modules *ms, uint32_t id, struct module *out) {
    pthread_mutex_lock(&ms->lock);
    *out = ms->list.at[id < ms->list.n ? id : MODULES_UNKNOWN];
    pthread_mutex_unlock(&ms->lock);
}

uint64_t modules_refused(struct modules *ms) {
    pthread_mutex_lock(&ms->lock);
    const uint64_t n = ms->n_refused;
    pthread_mutex_unlock(&ms->lock);
    return n;
}
