/*
 * Source lines of places. One question at a time goes to a thread (names_ask_lines): the hottest
 * places of the largest rows first, those of one module together. What was found, or not, is
 * remembered by the number of the place, which stays until samples begin again.
 *
 * A question opens files and starts a process: there is one a second at most, of a function that
 * has a line already only once a minute, and none about a module that has no lines.
 */
#include "base/clock.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_NS NS_PER_S
#define AGAIN_NS (60 * NS_PER_S)
enum {
    AT_ONCE = 256,     /* places of a question */
    ROWS_MOST = 64,    /* functions whose hottest place is looked for */
    PLACES_MOST = 512, /* places, where rows are lines */
    TEXTS_MOST = 1 << 13,
};

/* How far a place is: else it is the number of a line + KNOWN. */
enum { NOT_ASKED, ASKED, UNKNOWN, KNOWN };

struct where_lines {
    struct of_leaf {
        uint32_t own, inlined; /* line_table_own; the innermost, wherever it is written */
    } * leaf;
    uint32_t n, cap;
    ARRAY(struct where_line) line; /* each once */
    ARRAY(uint32_t) lacking;       /* modules that have no lines */
    uint32_t asked[AT_ONCE];       /* leaves, in the order of offsets */
    uint64_t asked_ns, again_ns; /* CLOCK_MONOTONIC: the last question; the last of those that have
                                    a line */
    uint32_t n_asked;
    bool more;  /* there may be others to ask for */
    bool stale; /* what is asked is of samples that are gone */
};

static const struct where_line *line_of(const struct where_lines *l, uint32_t state) {
    return state >= KNOWN ? &l->line.at[state - KNOWN] : NULL;
}

const struct where_line *where_line_at(const struct where_live *w, uint32_t leaf, bool inlined) {
    const struct where_lines *l = w->lines;
    if (!l || leaf >= l->n)
        return NULL;
    return line_of(l, inlined ? l->leaf[leaf].inlined : l->leaf[leaf].own);
}

uint32_t where_line_number(const struct where_live *w, const struct where_line *l) {
    return (uint32_t)(l - w->lines->line.at);
}

bool where_lines_wait(const struct where_live *w) {
    return w->lines && (w->lines->n_asked > 0 || w->lines->more);
}

static uint32_t module_of(const struct where_live *w, uint32_t leaf) {
    return w->copy.leaf[leaf].at.module;
}

/* ---- what was found ---- */

static uint32_t put(struct where_lines *l, const struct line_frame *f) {
    if (!f->file[0] || !f->line)
        return UNKNOWN;
    for (size_t i = 0; i < l->line.n; i++)
        if (l->line.at[i].line == f->line && strcmp(l->line.at[i].file, f->file) == 0)
            return (uint32_t)i + KNOWN;
    struct where_line to = {strdup(f->file), f->line};
    if (l->line.n < TEXTS_MOST && to.file && array_push(&l->line, to) == 0)
        return (uint32_t)l->line.n - 1 + KNOWN;
    free(to.file);
    return UNKNOWN;
}

static void take(struct where_live *w) {
    struct where_lines *l = w->lines;
    struct line_table t;
    const int rc = names_take_lines(w->names, &t);
    if (rc == -EAGAIN)
        return;
    if (rc < 0 && rc != -ENOMEM && !l->stale &&
        array_push(&l->lacking, module_of(w, l->asked[0])) < 0)
        l->lacking.n = 0;
    for (uint32_t i = 0; i < l->n_asked && !l->stale; i++) {
        struct of_leaf *to = &l->leaf[l->asked[i]];
        const bool known = rc == 0 && i < t.n && t.first[i] < t.first[i + 1];
        to->inlined = known ? put(l, &t.frame[t.first[i]]) : UNKNOWN;
        to->own = known ? put(l, line_table_own(&t, i)) : UNKNOWN;
    }
    line_table_destroy(&t);
    l->n_asked = 0;
    l->stale = false;
}

/* ---- what is asked next ---- */

static bool is_wanted(const struct where_live *w, uint32_t leaf) {
    const struct where_lines *l = w->lines;
    if (leaf == TALLY_OTHER || leaf >= l->n || l->leaf[leaf].own != NOT_ASKED ||
        w->leaf_function[leaf] <= 0) /* its name is not known yet */
        return false;
    for (size_t i = 0; i < l->lacking.n; i++)
        if (l->lacking.at[i] == module_of(w, leaf))
            return false;
    return true;
}

static int by_weight(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const double x = w->leaf_count[*(const uint32_t *)a].weight,
                 y = w->leaf_count[*(const uint32_t *)b].weight;
    return (x < y) - (x > y);
}

/* The heaviest places of which nothing is known. */
static uint32_t heaviest(const struct where_live *w, uint32_t *out, uint32_t most) {
    uint32_t *all = malloc((w->copy.n_leaf + 1u) * sizeof(*all)), n = 0;
    for (uint32_t i = 1; all && i < w->copy.n_leaf; i++)
        if (w->leaf_count[i].n && where_shows(w, &w->copy.leaf[i]))
            all[n++] = i;
    if (n)
        qsort_r(all, n, sizeof(*all), by_weight, (void *)(uintptr_t)w);
    n = n < PLACES_MOST ? n : PLACES_MOST;
    uint32_t k = 0;
    for (uint32_t i = 0; i < n && k < most; i++)
        if (is_wanted(w, all[i]))
            out[k++] = all[i];
    free(all);
    return k;
}

static uint32_t of_rows(const struct where_live *w, bool again, uint32_t *out, uint32_t most) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_row && i < ROWS_MOST && n < most; i++) {
        const struct where_function *f = &w->function[w->row[i]];
        if ((again || !f->line[0]) && is_wanted(w, f->hottest_leaf))
            out[n++] = f->hottest_leaf;
    }
    return n;
}

static int by_offset(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const uint64_t x = w->copy.leaf[*(const uint32_t *)a].at.offset,
                   y = w->copy.leaf[*(const uint32_t *)b].at.offset;
    return (x > y) - (x < y);
}

/* Those of the module of the first. */
static void ask(struct where_live *w) {
    struct where_lines *l = w->lines;
    const uint64_t now = clock_now_ns();
    const bool again = now >= l->again_ns + AGAIN_NS;
    if (now < l->asked_ns + EVERY_NS)
        return;
    uint32_t all[AT_ONCE], n = 0;
    uint64_t offset[AT_ONCE];
    struct module m;
    const uint32_t n_all =
        w->by == WHERE_BY_LINE ? heaviest(w, all, AT_ONCE) : of_rows(w, again, all, AT_ONCE);
    for (uint32_t i = 0; i < n_all; i++)
        if (module_of(w, all[i]) == module_of(w, all[0]))
            l->asked[n++] = all[i];
    l->again_ns = again ? now : l->again_ns;
    l->more = n > 0;
    if (n == 0) {
        l->asked_ns = now;
        return;
    }
    qsort_r(l->asked, n, sizeof(*l->asked), by_offset, w);
    for (uint32_t i = 0; i < n; i++)
        offset[i] = w->copy.leaf[l->asked[i]].at.offset;
    where_module(w, module_of(w, all[0]), &m);
    const bool file = m.kind == MODULE_FILE && (!w->stored || m.n_build_id);
    const int rc = file ? names_ask_lines(w->names, &m, offset, n) : -ENOENT;
    for (uint32_t i = 0; i < n && rc != -EBUSY; i++)
        l->leaf[l->asked[i]].own = l->leaf[l->asked[i]].inlined = rc == 0 ? ASKED : UNKNOWN;
    l->n_asked = rc == 0 ? n : 0;
    l->asked_ns = rc == 0 ? now : l->asked_ns;
}

static bool make_room(struct where_live *w) {
    struct where_lines *l = w->lines ? w->lines : calloc(1, sizeof(*l));
    w->lines = l;
    if (!l)
        return false;
    if (w->copy.n_leaf > l->cap) {
        const uint32_t cap = w->copy.n_leaf + w->copy.n_leaf / 2 + 256;
        struct of_leaf *to = realloc(l->leaf, cap * sizeof(*to));
        if (!to)
            return false;
        l->leaf = to;
        l->cap = cap;
    }
    if (w->copy.n_leaf > l->n)
        memset(&l->leaf[l->n], 0, (w->copy.n_leaf - l->n) * sizeof(*l->leaf));
    l->n = w->copy.n_leaf;
    return true;
}

void where_lines_update(struct where_live *w) {
    if (!make_room(w))
        return;
    if (w->lines->n_asked)
        take(w);
    if (!w->lines->n_asked)
        ask(w);
}

void where_lines_forget(struct where_live *w) {
    struct where_lines *l = w->lines;
    if (!l)
        return;
    l->n = 0;
    l->lacking.n = 0;
    l->asked_ns = l->again_ns = 0;
    l->stale = l->n_asked > 0;
}

void where_lines_free(struct where_live *w) {
    for (size_t i = 0; w->lines && i < w->lines->line.n; i++)
        free(w->lines->line.at[i].file);
    if (w->lines) {
        array_free(&w->lines->line);
        array_free(&w->lines->lacking);
        free(w->lines->leaf);
    }
    free(w->lines);
    w->lines = NULL;
}
