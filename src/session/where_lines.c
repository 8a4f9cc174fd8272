/*
 * Source lines of places. One question at a time goes to a thread (names_ask_lines): the hottest
 * places of the largest rows first, those of one module together. What was found, or not, is
 * remembered by the number of the place, which stays until samples begin again.
 *
 * A question opens files and starts a process, which for a large library takes as long as a minute
 * of samples. So there is one when something large has no line, and one about all that is wanted
 * now and then: the dearer the last was, the later. There is none about a module that has no lines.
 */
#include "base/clock.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EVERY_NS NS_PER_S
#define EARLY_NS (5 * NS_PER_S)
static const double large = 0.01; /* share of all samples */
/* A pause, for each second of CPU time of the last question. */
enum { PAUSE_OF_LARGE = 100, PAUSE_OF_ALL = 2000 };
enum {
    AT_ONCE = 256,     /* places of a question */
    ROWS_MOST = 64,    /* functions whose hottest place is looked for */
    PLACES_MOST = 512, /* places, where rows are lines */
    TEXTS_MOST = 1 << 13,
};

/* How far a place is: else it is the number of a line + KNOWN. */
enum { NOT_ASKED, ASKED, UNKNOWN, KNOWN };

/* Of leaves, or of branches. */
struct of_places {
    struct of_place {
        uint32_t own, inlined; /* line_table_own; the innermost, wherever it is written */
    } * at;
    uint32_t n, cap;
};

struct where_lines {
    struct of_places leaf, branch;
    ARRAY(struct where_line) line; /* each once */
    ARRAY(uint32_t) lacking;       /* modules that have no lines */
    uint32_t asked[AT_ONCE];       /* places, in the order of offsets */
    uint64_t looked_ns, asked_ns;  /* CLOCK_MONOTONIC: for questions; the last question */
    uint64_t began_ns, cost_ns;    /* CPU time of our children: when it was asked; of it */
    uint32_t n_asked;
    bool all;   /* all is asked for, module by module */
    bool more;  /* there may be others to ask for */
    bool stale; /* what is asked is of samples that are gone */
};

static const struct where_line *line_of(const struct where_lines *l, uint32_t state) {
    return state >= KNOWN ? &l->line.at[state - KNOWN] : NULL;
}

static struct of_place *place_of(struct where_lines *l, uint32_t leaf) {
    struct of_places *p = leaf & WHERE_LINE_OF_BRANCH ? &l->branch : &l->leaf;
    const uint32_t i = leaf & ~WHERE_LINE_OF_BRANCH;
    return i < p->n ? &p->at[i] : NULL;
}

static const struct place *address_of(const struct where_live *w, uint32_t leaf) {
    return leaf & WHERE_LINE_OF_BRANCH ? &w->copy.branch[leaf & ~WHERE_LINE_OF_BRANCH].from
                                       : &w->copy.leaf[leaf].at;
}

static int32_t function_of(const struct where_live *w, uint32_t leaf) {
    return leaf & WHERE_LINE_OF_BRANCH ? w->from_function[leaf & ~WHERE_LINE_OF_BRANCH]
                                       : w->leaf_function[leaf];
}

const struct where_line *where_line_at(const struct where_live *w, uint32_t leaf, bool inlined) {
    const struct of_place *p = w->lines ? place_of(w->lines, leaf) : NULL;
    return p ? line_of(w->lines, inlined ? p->inlined : p->own) : NULL;
}

uint32_t where_line_number(const struct where_live *w, const struct where_line *l) {
    return (uint32_t)(l - w->lines->line.at);
}

bool where_lines_wait(const struct where_live *w) {
    return w->lines && (w->lines->n_asked > 0 || w->lines->more);
}

static uint32_t module_of(const struct where_live *w, uint32_t leaf) {
    return address_of(w, leaf)->module;
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

static uint64_t children_ns(void) {
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    const uint64_t s = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec),
                   us = (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    return s * NS_PER_S + us * 1000;
}

static void take(struct where_live *w) {
    struct where_lines *l = w->lines;
    struct line_table t;
    const int rc = names_take_lines(w->names, &t);
    if (rc == -EAGAIN)
        return;
    l->cost_ns = children_ns() - l->began_ns;
    if (rc < 0 && rc != -ENOMEM && !l->stale &&
        array_push(&l->lacking, module_of(w, l->asked[0])) < 0)
        l->lacking.n = 0;
    for (uint32_t i = 0; i < l->n_asked && !l->stale; i++) {
        struct of_place *to = place_of(l, l->asked[i]);
        if (!to)
            continue;
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
    const struct of_place *p = place_of(w->lines, leaf);
    if (leaf == TALLY_OTHER || !p || p->own != NOT_ASKED ||
        function_of(w, leaf) <= 0) /* its name is not known yet */
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

static uint32_t of_rows(const struct where_live *w, uint32_t *out, uint32_t most) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_row && i < ROWS_MOST && n < most; i++) {
        const struct where_function *f = &w->function[w->row[i]];
        if (is_wanted(w, f->hottest_leaf))
            out[n++] = f->hottest_leaf;
    }
    return n;
}

/* Of a place, or function, that is large and has no line. */
static bool is_urgent(const struct where_live *w, uint32_t leaf) {
    if (leaf & WHERE_LINE_OF_BRANCH)
        return w->copy.branch[leaf & ~WHERE_LINE_OF_BRANCH].count.missed >=
               large * w->copy.total.taken.missed;
    const struct where_function *f = &w->function[where_of(w->leaf_function[leaf])];
    const bool lines = w->by == WHERE_BY_LINE;
    const struct hot_count *c = lines ? &w->leaf_count[leaf] : &f->count;
    return (lines || !f->line[0]) && c->weight >= large * w->total.all.weight;
}

static int by_offset(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const uint64_t x = address_of(w, *(const uint32_t *)a)->offset,
                   y = address_of(w, *(const uint32_t *)b)->offset;
    return (x > y) - (x < y);
}

/* What is wanted of one module: of the first, or of the first that has something urgent. */
static uint32_t choose(const struct where_live *w, bool all, uint32_t out[AT_ONCE], bool *whole) {
    uint32_t want[AT_ONCE], n = 0, first = 0;
    const uint32_t n_want =
        w->by == WHERE_BY_LINE ? heaviest(w, want, AT_ONCE) : of_rows(w, want, AT_ONCE);
    while (first < n_want && !all && !is_urgent(w, want[first]))
        first++;
    for (uint32_t i = 0; i < n_want && first < n_want; i++)
        if (module_of(w, want[i]) == module_of(w, want[first]))
            out[n++] = want[i];
    *whole = n == n_want && n < AT_ONCE;
    return n;
}

static bool is_early(const struct where_live *w) {
    return w->stored || w->now_ns - w->info.begin_ns < EARLY_NS;
}

static void ask(struct where_live *w) {
    struct where_lines *l = w->lines;
    const uint64_t now = clock_now_ns(), since = now - l->asked_ns;
    if (now < l->looked_ns + EVERY_NS ||
        (!l->all && !is_early(w) && since < PAUSE_OF_LARGE * l->cost_ns))
        return;
    uint64_t offset[AT_ONCE];
    struct module m;
    bool whole;
    l->all |= !l->asked_ns || (since >= EARLY_NS && since >= PAUSE_OF_ALL * l->cost_ns);
    const uint32_t n = choose(w, l->all, l->asked, &whole);
    l->all &= !whole;
    l->more = n > 0;
    if (n == 0) {
        l->looked_ns = now;
        return;
    }
    qsort_r(l->asked, n, sizeof(*l->asked), by_offset, w);
    for (uint32_t i = 0; i < n; i++)
        offset[i] = address_of(w, l->asked[i])->offset;
    where_module(w, module_of(w, l->asked[0]), &m);
    const bool file = m.kind == MODULE_FILE && (!w->stored || m.n_build_id);
    l->began_ns = children_ns();
    const int rc = file ? names_ask_lines(w->names, &m, offset, n) : -ENOENT;
    for (uint32_t i = 0; i < n && rc != -EBUSY; i++)
        *place_of(l, l->asked[i]) =
            rc == 0 ? (struct of_place){ASKED, ASKED} : (struct of_place){UNKNOWN, UNKNOWN};
    l->n_asked = rc == 0 ? n : 0;
    if (rc == 0)
        l->looked_ns = l->asked_ns = now;
}

static bool grow(struct of_places *p, uint32_t n) {
    if (n > p->cap) {
        const uint32_t cap = n + n / 2 + 256;
        struct of_place *to = realloc(p->at, cap * sizeof(*to));
        if (!to)
            return false;
        p->at = to;
        p->cap = cap;
    }
    if (n > p->n)
        memset(&p->at[p->n], 0, (n - p->n) * sizeof(*p->at));
    p->n = n;
    return true;
}

static bool make_room(struct where_live *w) {
    struct where_lines *l = w->lines ? w->lines : calloc(1, sizeof(*l));
    w->lines = l;
    if (!l)
        return false;
    return grow(&l->leaf, w->copy.n_leaf) && grow(&l->branch, w->n_branch);
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
    l->leaf.n = l->branch.n = 0;
    l->lacking.n = 0;
    l->looked_ns = l->asked_ns = 0;
    l->stale = l->n_asked > 0;
}

void where_lines_free(struct where_live *w) {
    for (size_t i = 0; w->lines && i < w->lines->line.n; i++)
        free(w->lines->line.at[i].file);
    if (w->lines) {
        array_free(&w->lines->line);
        array_free(&w->lines->lacking);
        free(w->lines->leaf.at);
        free(w->lines->branch.at);
    }
    free(w->lines);
    w->lines = NULL;
}
