/* The function that is open: its listing, and how its samples spread over it. */
#include "base/str.h"
#include "session/hot_module.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_spots(struct where_live *w) {
    free(w->spots.code);
    free(w->spots.line);
    w->spots = (struct where_spots){0};
    listing_free(w->listing);
    w->listing = NULL;
}

static bool has_module(const struct where_live *w, int function) {
    return function >= 0 && (uint32_t)function < w->n_function && (w->sampling || w->stored) &&
           w->function[function].module <= WHERE_MODULE_MOST;
}

void where_live_ask(struct where_live *w, int function) {
    struct module m;
    drop_spots(w);
    w->listing_rc = -EAGAIN;
    w->open = function;
    if (function < 0 || (uint32_t)function >= w->n_function || (!w->sampling && !w->stored))
        return;
    const struct where_function *f = &w->function[function];
    where_module(w, f->module, &m);
    const bool known = !w->stored || m.n_build_id || m.kind != MODULE_FILE;
    const int rc = f->module > WHERE_MODULE_MOST ? -ENOENT
                   : !known                      ? -ESTALE
                            /* Of a branch only there may be no sample. */
                            : names_ask(w->names, &m, f->count.n ? f->hottest : f->start);
    if (rc < 0)
        w->listing_rc = rc;
    w->due_ns = 0;
}

/* What is stored may be of a file that is another now. */
static bool is_same(const struct where_live *w) {
    const struct where_function *f = &w->function[w->open];
    return !w->stored || hot_is_same(f->start, where_function_name(f), w->listing);
}

bool where_spots_take(struct where_live *w) {
    if (w->open < 0 || w->listing || w->listing_rc != -EAGAIN)
        return w->listing != NULL;
    w->listing = names_take(w->names, &w->listing_rc);
    if (!w->listing)
        return false;
    if (!is_same(w)) {
        drop_spots(w);
        w->listing_rc = -ESTALE;
        return false;
    }
    w->spots.code = calloc(w->listing->code.n + 1, sizeof(double));
    w->spots.line = calloc(w->listing->text.n_line + 1, sizeof(double));
    if (!w->spots.code || !w->spots.line) {
        drop_spots(w);
        w->listing_rc = -ENOMEM;
    }
    return w->listing != NULL;
}

/* The line of the file that is shown, 0: it is of another one. */
static uint32_t line_of(const struct listing *l, size_t instruction) {
    const struct line_table *t = &l->lines;
    for (uint32_t k = instruction < t->n ? t->first[instruction] : 0;
         instruction < t->n && k < t->first[instruction + 1]; k++)
        if (strcmp(t->frame[k].file, l->file) == 0)
            return t->frame[k].line;
    return 0;
}

void where_spots_find(struct where_live *w) {
    struct where_spots *sp = &w->spots;
    const struct listing *l = w->listing;
    struct where_function *f = &w->function[w->open];
    const double all = f->count.weight;
    memset(sp->code, 0, l->code.n * sizeof(double));
    memset(sp->line, 0, (l->text.n_line + 1) * sizeof(double));
    sp->n = f->count.n;
    sp->hot_code = sp->hot_line = 0;
    uint32_t hot = 0;
    for (uint32_t i = 0; i < w->copy.n_leaf && all > 0; i++) {
        const struct tally_leaf *leaf = &w->copy.leaf[i];
        if (!w->leaf_count[i].n || !where_shows(w, leaf) ||
            where_of(w->leaf_function[i]) != (uint32_t)w->open)
            continue;
        const size_t at = code_instruction_at(&l->code, leaf->at.offset);
        if (at == l->code.n)
            continue;
        sp->code[at] += w->leaf_count[i].weight / all;
        if (sp->code[at] > sp->code[sp->hot_code])
            sp->hot_code = (uint32_t)at;
    }
    for (size_t i = 0; i < l->code.n; i++) {
        const uint32_t line = sp->code[i] > 0 ? line_of(l, i) : 0;
        if (i == sp->hot_code && line)
            hot = line;
        if (line == 0 || line > l->text.n_line)
            continue;
        sp->line[line] += sp->code[i];
        if (sp->line[line] > sp->line[sp->hot_line])
            sp->hot_line = line;
    }
    hot = sp->hot_line ? sp->hot_line : hot;
    if (hot)
        snprintf(f->line, sizeof(f->line), "%.48s:%u", str_base_name(l->file), hot);
}

const char *where_live_lack(struct where_live *w, int function, char *buf, size_t cap) {
    struct module m;
    buf[0] = '\0';
    if (!has_module(w, function))
        return buf;
    where_module(w, w->function[function].module, &m);
    return names_lack(w->names, &m, buf, cap);
}
