/* What samples say of memory, by function and by cache line. */
#include "session/where_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct where_live *w, uint32_t n) {
    if (n <= w->cap_access)
        return true;
    struct hot_access *to = realloc(w->access, (n + n / 2) * sizeof(*to));
    if (!to)
        return false;
    w->access = to;
    w->cap_access = n + n / 2;
    return true;
}

static bool read_live(struct where_live *w) {
    w->n_access = 0;
    if (!make_room(w, w->copy.n_access))
        return false;
    for (uint32_t i = 0; i < w->copy.n_access; i++) {
        const struct tally_access *a = &w->copy.access[i];
        const struct tally_leaf *leaf = &w->copy.leaf[a->leaf];
        if (where_shows(w, leaf) && w->leaf_function[a->leaf] != WHERE_NONE)
            w->access[w->n_access++] =
                (struct hot_access){.function = where_of(w->leaf_function[a->leaf]),
                                    .thread = (uint32_t)leaf->tid,
                                    .space = access_space(leaf->pid, a->line),
                                    .line = a->line,
                                    .bytes = a->bytes,
                                    .source = a->source,
                                    .sum = a->sum};
    }
    return true;
}

bool where_access_store(struct where_live *w, const int32_t *number) {
    const struct hot *h = w->stored;
    w->n_access = 0;
    if (!make_room(w, (uint32_t)h->access.n))
        return false;
    for (size_t i = 0; i < h->access.n; i++) {
        struct hot_access *a = &w->access[w->n_access++];
        *a = h->access.at[i];
        a->function = (uint32_t)number[a->function];
        const struct hot_thread *t = &h->thread.at[a->thread];
        a->space = access_space(t->pid, a->line);
        a->thread = (uint32_t)t->tid;
    }
    return true;
}

/* ---- rows ---- */

static bool add_line(struct where_live *w, const struct access_line *l) {
    bool fresh;
    const uint64_t key = l->line ^ (uint64_t)l->space << 42; /* behind addresses of 48 bits */
    struct where_function *f = where_function_add(w, WHERE_CACHE_LINE, key, &fresh);
    if (!f || f == &w->function[WHERE_REST])
        return f != NULL;
    const struct where_function *of = &w->function[l->function];
    f->count = l->sum.all.count;
    f->data = (struct where_data){l->sum, l->n_thread, l->sharing};
    f->top = l->function;
    f->tid = (pid_t)l->thread;
    f->pid = (pid_t)l->space;
    f->kernel = of->kernel;
    if (fresh)
        snprintf(f->text, sizeof(f->text), "0x%" PRIx64, l->line * CACHE_LINE);
    return true;
}

/* Rows stay; the others would take the room of functions. */
enum { LINES_SHOWN = 512 };

static bool add_lines(struct where_live *w) {
    struct access_line *line;
    size_t n;
    bool ok = access_lines(w->access, w->n_access, &line, &n) == 0;
    for (size_t i = 0; ok && i < n && i < LINES_SHOWN; i++)
        ok = add_line(w, &line[i]);
    free(line);
    return ok;
}

bool where_access_make(struct where_live *w) {
    if (!w->stored && !w->copy.n_access && !w->n_access) /* as with most events */
        return true;
    if (!w->stored && !read_live(w))
        return false;
    memset(w->by_source, 0, sizeof(w->by_source));
    access_by_source(w->access, w->n_access, w->by_source);
    for (uint32_t i = 0; i < w->n_function; i++)
        w->function[i].data = (struct where_data){0};
    for (uint32_t i = 0; i < w->n_access; i++)
        access_sum_add(&w->function[w->access[i].function].data.sum, &w->access[i]);
    return w->by != WHERE_BY_ACCESS || add_lines(w);
}
