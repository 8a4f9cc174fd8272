/* Functions: tables of modules, of which those used last are kept, and the functions found in them,
 * which are kept for good because their names are borrowed. */
#include "pmu/symbols/names.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/symbols/demangle.h"
#include "pmu/symbols/names_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JIT_AGE_MS = 500, FAILED_AGE_MS = 5000, KERNEL_AGE_MS = 10000, IDS_MAX = 1 << 14 };

/* debuginfod's folder, as debuginfod-find(1) says: NULL if there is no home. */
static char *debuginfod_folder(void) {
    char path[4096];
    const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own && own[0])
        return strdup(own);
    if (cache && cache[0])
        snprintf(path, sizeof(path), "%s/debuginfod_client", cache);
    else if (home && home[0])
        snprintf(path, sizeof(path), "%s/.cache/debuginfod_client", home);
    else
        return NULL;
    return strdup(path);
}

int names_open(struct names **out, const struct names_options *opt) {
    struct names *n = calloc(1, sizeof(*n));
    *out = NULL;
    if (!n)
        return -ENOMEM;
    n->opt = opt ? *opt : (struct names_options){0};
    struct places *p = &n->opt.places;
    const struct {
        const char **at, *usual;
    } folders[] = {{&p->proc, "/proc"},
                   {&p->root, "/"},
                   {&p->debug, "/usr/lib/debug"},
                   {&p->dpkg, "/var/lib/dpkg/info"}};
    bool good = true;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        *folders[i].at = strdup(*folders[i].at ? *folders[i].at : folders[i].usual);
        good &= *folders[i].at != NULL;
    }
    p->debuginfod = p->debuginfod ? strdup(p->debuginfod) : debuginfod_folder();
    n->opt.tables_max = n->opt.tables_max ? n->opt.tables_max : NAMES_TABLES_MAX;
    n->opt.text_max = n->opt.text_max ? n->opt.text_max : NAMES_TEXT_MAX;
    pthread_mutex_init(&n->work, NULL);
    pthread_mutex_init(&n->lock, NULL);
    pthread_cond_init(&n->finder.wake, NULL);
    pthread_cond_init(&n->opener.wake, NULL);
    pthread_cond_init(&n->liner.wake, NULL);
    if (!good) {
        names_close(n);
        return -ENOMEM;
    }
    *out = n;
    return 0;
}

void names_close(struct names *n) {
    if (!n)
        return;
    names_stop(n);
    for (size_t i = 0; i < n->loaded.n; i++) {
        loaded_destroy(n->loaded.at[i]);
        free(n->loaded.at[i]);
    }
    for (size_t i = 0; i < n->text.n; i++)
        free(n->text.at[i]);
    array_free(&n->loaded);
    array_free(&n->text);
    array_free(&n->ids);
    free(n->known);
    const struct places *p = &n->opt.places;
    const char *const owned[] = {p->proc, p->root, p->debug, p->debuginfod, p->dpkg};
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
        free((void *)(uintptr_t)owned[i]);
    pthread_cond_destroy(&n->finder.wake);
    pthread_cond_destroy(&n->opener.wake);
    pthread_cond_destroy(&n->liner.wake);
    pthread_mutex_destroy(&n->lock);
    pthread_mutex_destroy(&n->work);
    free(n);
}

/* ---- tables ---- */

struct loaded *names_loaded(struct names *n, const struct module_key *key) {
    for (size_t i = 0; i < n->loaded.n; i++)
        if (memcmp(&n->loaded.at[i]->key, key, sizeof(*key)) == 0)
            return n->loaded.at[i];
    return NULL;
}

/* Whether its table is read again. missed: it has nothing at an offset that was asked. */
static bool is_stale(const struct loaded *l, const struct module *m, bool missed) {
    const uint64_t age_ms = (clock_read_ns(CLOCK_MONOTONIC) - l->read_ns) / 1000000;
    if (l->key.kind == MODULE_JIT)
        return age_ms > JIT_AGE_MS;
    if (l->key.kind == MODULE_KERNEL)
        return missed && m->kind == MODULE_KMODULE && age_ms > KERNEL_AGE_MS;
    /* another process may be allowed to be looked into, or still has the file */
    return l->rc < 0 && l->key.kind == MODULE_FILE && m->pid != l->pid && m->pid > 0 &&
           age_ms > FAILED_AGE_MS;
}

/* Takes those used longest ago away until the tables fit; with both locks held. Not `keep`. */
static void evict(struct names *n, const struct loaded *keep) {
    for (;;) {
        size_t sum = 0, oldest = SIZE_MAX;
        for (size_t i = 0; i < n->loaded.n; i++) {
            sum += loaded_bytes(n->loaded.at[i]);
            if (n->loaded.at[i] != keep &&
                (oldest == SIZE_MAX || n->loaded.at[i]->used < n->loaded.at[oldest]->used))
                oldest = i;
        }
        if ((sum <= n->opt.tables_max && n->loaded.n <= LOADED_MAX) || oldest == SIZE_MAX)
            return;
        loaded_destroy(n->loaded.at[oldest]);
        free(n->loaded.at[oldest]);
        n->loaded.at[oldest] = n->loaded.at[--n->loaded.n];
    }
}

static uint32_t id_of(struct names *n, const struct module_key *key) {
    for (size_t i = 0; i < n->ids.n; i++)
        if (memcmp(&n->ids.at[i].key, key, sizeof(*key)) == 0)
            return n->ids.at[i].id;
    n->last_id++;
    if (n->ids.n < IDS_MAX)
        (void)array_push(&n->ids, (struct module_id){.key = *key, .id = n->last_id});
    return n->last_id;
}

/* Puts a table in the place of another, or beside all. False: no memory. */
static bool put(struct names *n, struct loaded *l, const struct loaded *old) {
    for (size_t i = 0; old && i < n->loaded.n; i++)
        if (n->loaded.at[i] == old) {
            n->loaded.at[i] = l;
            return true;
        }
    return array_push(&n->loaded, l) == 0;
}

/* With work held: the table, read if it is not there or old. NULL: no memory. */
static struct loaded *load(struct names *n, const struct module *m, bool missed) {
    struct module_key key;
    module_key_init(&key, m);
    pthread_mutex_lock(&n->lock);
    struct loaded *old = names_loaded(n, &key);
    const bool read = !old || is_stale(old, m, missed);
    if (read && old)
        old->read_ns = clock_read_ns(CLOCK_MONOTONIC);
    pthread_mutex_unlock(&n->lock);
    if (!read || (old && !loaded_grew(old, &n->opt.places, m)))
        return old;
    struct loaded *l = calloc(1, sizeof(*l));
    if (!l)
        return old;
    loaded_read(l, &n->opt.places, m, n->opt.tables_max, old);
    l->read_ns = clock_read_ns(CLOCK_MONOTONIC);
    pthread_mutex_lock(&n->lock);
    l->used = ++n->clock;
    l->id = id_of(n, &l->key);
    const bool kept = put(n, l, old);
    if (kept)
        evict(n, l);
    pthread_mutex_unlock(&n->lock);
    struct loaded *gone = kept ? old : l;
    if (gone) {
        loaded_destroy(gone);
        free(gone);
    }
    return kept ? l : NULL;
}

/* ---- functions ---- */

static bool find(const struct loaded *l, uint64_t offset, struct found *out) {
    return l->rc == 0 && loaded_find(l, offset, out);
}

int names_function(struct names *n, const struct module *m, uint64_t offset, struct function *out) {
    char raw[SYMBOL_NAME_MAX], name[SYMBOL_NAME_MAX];
    struct found f;
    int rc = 0;
    pthread_mutex_lock(&n->work);
    struct loaded *l = load(n, m, false);
    pthread_mutex_lock(&n->lock);
    if (l && !find(l, offset, &f) && is_stale(l, m, true)) {
        pthread_mutex_unlock(&n->lock);
        l = load(n, m, true);
        pthread_mutex_lock(&n->lock);
    }
    if (!l)
        rc = -ENOMEM;
    else if (!find(l, offset, &f))
        rc = l->rc < 0 ? l->rc : -ENOENT;
    struct known *k = rc == 0 ? known_find(n, l->id, f.start, f.seq) : NULL;
    if (rc == 0 && !k && f.name)
        str_copy(raw, sizeof(raw), f.name);
    if (l)
        l->used = ++n->clock;
    if (rc == 0 && !k) {
        pthread_mutex_unlock(&n->lock); /* the table stays: work is held */
        if (f.symbol)
            symtab_name(&l->symtab, f.symbol, raw, sizeof(raw));
        demangle(name, sizeof(name), raw);
        pthread_mutex_lock(&n->lock);
        const struct function function = {.name = name,
                                          .raw = raw,
                                          .kmodule = f.module,
                                          .start = f.start,
                                          .size = f.size,
                                          .inexact = f.inexact};
        k = name[0] ? known_put(n, l->id, f.seq, &function) : NULL;
        rc = k ? 0 : name[0] ? -ENOSPC : -ENOENT;
    }
    if (k)
        *out = k->f;
    pthread_mutex_unlock(&n->lock);
    pthread_mutex_unlock(&n->work);
    return rc;
}

int names_peek(struct names *n, const struct module *m, uint64_t offset, struct function *out) {
    struct module_key key;
    struct found f;
    int rc = -EAGAIN;
    module_key_init(&key, m);
    pthread_mutex_lock(&n->lock);
    struct loaded *l = names_loaded(n, &key);
    if (l) {
        l->used = ++n->clock;
        const bool hit = find(l, offset, &f);
        const struct known *k = hit ? known_find(n, l->id, f.start, f.seq) : NULL;
        if (k) {
            *out = k->f;
            rc = 0;
        } else if (!hit && !is_stale(l, m, true))
            rc = l->rc < 0 ? l->rc : -ENOENT;
    }
    if (rc == -EAGAIN) {
        const int wished = names_wish(n, m, offset);
        rc = wished < 0 ? wished : rc;
    } else if (is_stale(l, m, false))
        names_wish(n, m, offset); /* what is known is shown until then */
    pthread_mutex_unlock(&n->lock);
    return rc;
}

const char *names_lack(struct names *n, const struct module *m, char *buf, size_t cap) {
    struct module_key key;
    module_key_init(&key, m);
    pthread_mutex_lock(&n->lock);
    const struct loaded *l = names_loaded(n, &key);
    str_copy(buf, cap, l ? l->lack : "");
    pthread_mutex_unlock(&n->lock);
    return buf;
}

size_t names_bytes(struct names *n) {
    pthread_mutex_lock(&n->lock);
    size_t sum = sizeof(*n) + n->n_text + n->cap_known * sizeof(*n->known);
    for (size_t i = 0; i < n->loaded.n; i++)
        sum += loaded_bytes(n->loaded.at[i]);
    pthread_mutex_unlock(&n->lock);
    return sum;
}
