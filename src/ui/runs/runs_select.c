/*
 * Which line is selected, and which are marked. The user chooses a run, not a line: wherever it
 * goes when the list is sorted, narrowed or read anew, the selection goes with it and keeps its
 * place on the screen if it can. While it is not in the list at all, its neighbour stands in.
 */
#include "base/str.h"
#include "ui/runs/runs_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a line stands for ---- */

void runs_mark_free(struct runs_mark *m) {
    free(m->key);
    free(m->value);
    *m = (struct runs_mark){0};
}

bool runs_mark_is_set(const struct runs_mark *m) {
    return m->id[0] || m->key;
}

static bool same_value(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Nothing, where there is no memory for it. */
static void take_group(const struct runs *r, const struct runs_group *g, struct runs_mark *m) {
    m->key = strdup(r->key);
    m->value = g->value ? strdup(g->value) : NULL;
    if (!m->key || (g->value && !m->value))
        runs_mark_free(m);
}

void runs_mark_line(const struct runs *r, uint64_t line, struct runs_mark *m) {
    const struct run_row *row = runs_row(r, line);
    const struct runs_group *g = runs_heading(r, line);
    runs_mark_free(m);
    if (row)
        str_copy(m->id, sizeof(m->id), row->id);
    else if (g)
        take_group(r, g, m);
}

static bool is_on(const struct runs *r, const struct runs_mark *m, uint64_t line) {
    const struct run_row *row = runs_row(r, line);
    const struct runs_group *g = runs_heading(r, line);
    if (row)
        return strcmp(m->id, row->id) == 0;
    return g && m->key && strcmp(m->key, r->key) == 0 && same_value(m->value, g->value);
}

/* ---- where it is now ---- */

const struct runs_group *runs_group_of_value(const struct runs *r, const char *value) {
    for (uint32_t i = 0; i < r->n_group; i++)
        if (same_value(r->group[i].value, value))
            return &r->group[i];
    return NULL;
}

/* The row of a run, with the label that the runs are grouped by; false: it is not in the list. */
static bool list_run(struct runs *r, const char *id, struct run_list *l) {
    const char *keys[] = {r->key, NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct err err;
    q.order = BY_TIME;
    q.metric = q.by = NULL;
    q.keys = keys;
    q.without_top = true;
    q.limit = 1;
    return store_place(&r->store, &q, id, &q.skip, &err) == 0 &&
           store_list(&r->store, &q, l, &err) == 0;
}

static const struct runs_group *group_of_run(struct runs *r, const char *id) {
    struct run_list l;
    if (!r->key[0])
        return r->n_group ? &r->group[0] : NULL;
    if (!list_run(r, id, &l))
        return NULL;
    const struct run_row *row = l.n == 1 && strcmp(l.row[0].id, id) == 0 ? &l.row[0] : NULL;
    const struct runs_group *g =
        row ? runs_group_of_value(r, row->n_label ? row->label[0].value : NULL) : NULL;
    run_list_free(&l);
    return g;
}

static bool find_run(struct runs *r, const char *id, uint64_t *line) {
    struct label_filter filter[RUNS_FILTERS + 1];
    const struct runs_group *g = group_of_run(r, id);
    struct err err;
    uint64_t place;
    if (!g)
        return false;
    const struct run_query q = runs_query(r, g, filter);
    r->queries++;
    if (store_place(&r->store, &q, id, &place, &err) < 0)
        return false;
    *line = g->line + (r->key[0] && g->open ? 1 : 0) + (g->open ? place : 0);
    return true;
}

bool runs_find(struct runs *r, const char *id, uint64_t *line) {
    return r->state == RUNS_READY && find_run(r, id, line);
}

static bool find(struct runs *r, const struct runs_mark *m, uint64_t *line) {
    if (m->id[0])
        return find_run(r, m->id, line);
    const struct runs_group *g =
        m->key && strcmp(m->key, r->key) == 0 ? runs_group_of_value(r, m->value) : NULL;
    if (g)
        *line = g->line;
    return g != NULL;
}

/* Remembers what is pinned, for when it is there again. */
static void lose_pin(struct runs *r) {
    if (runs_mark_is_set(&r->lost) || !runs_mark_is_set(&r->pin))
        return;
    r->lost = r->pin;
    r->pin = (struct runs_mark){0};
}

bool runs_locate(struct runs *r, uint64_t *line) {
    const struct runs_mark *wanted[2] = {&r->lost, &r->pin};
    for (int i = 0; i < 2; i++)
        if (runs_mark_is_set(wanted[i]) && find(r, wanted[i], line))
            return true;
    *line = r->anew ? 0 : r->rows.at; /* in another list a neighbour means nothing */
    return false;
}

void runs_follow(struct runs *r, bool found, uint64_t line) {
    const int row = r->rows.at - r->rows.top; /* of the screen, where it stays */
    r->rows.chosen = found || runs_mark_is_set(&r->pin) || runs_mark_is_set(&r->lost);
    list_follow(&r->rows, r->rows.n, (int)line);
    r->rows.top = r->rows.at > row ? r->rows.at - row : 0;
    runs_fetch(r, r->rows.at, 1);
    if (!runs_mark_is_set(&r->pin) && !runs_mark_is_set(&r->lost))
        return;
    if (!is_on(r, &r->pin, r->rows.at))
        lose_pin(r);
    if (is_on(r, &r->lost, r->rows.at))
        runs_mark_free(&r->lost);
    runs_mark_line(r, r->rows.at, &r->pin);
}

/* ---- by the user ---- */

static void forget(struct runs *r) {
    runs_mark_free(&r->lost);
    runs_mark_free(&r->pin);
}

void runs_selected(void *runs) {
    struct runs *r = runs;
    runs_fetch(r, (uint64_t)r->rows.at, 1);
    forget(r);
    if (r->rows.chosen)
        runs_mark_line(r, (uint64_t)r->rows.at, &r->pin);
}

void runs_choose(struct runs *r, const char *id) {
    forget(r);
    str_copy(r->pin.id, sizeof(r->pin.id), id);
}

void runs_step_off(struct runs *r) {
    const struct runs_group *g = runs_heading(r, r->rows.at);
    const int next = r->rows.at + 1 + (g && g->open ? (int)g->n : 0);
    forget(r);
    if (next >= r->rows.n && r->rows.at == 0)
        return;
    const uint64_t to = (uint64_t)(next < r->rows.n ? next : r->rows.at - 1);
    runs_fetch(r, to, 1);
    runs_mark_line(r, to, &r->pin);
}

/* ---- marks ---- */

int runs_marked(const struct runs *r, uint64_t line) {
    for (int i = 0; i < 2; i++)
        if (runs_mark_is_set(&r->mark[i]) && is_on(r, &r->mark[i], line))
            return i;
    return -1;
}

void runs_unmark(struct runs *r) {
    for (int i = 0; i < 2; i++)
        runs_mark_free(&r->mark[i]);
}

/* What was the second is the first. */
static void drop_first(struct runs *r) {
    runs_mark_free(&r->mark[0]);
    r->mark[0] = r->mark[1];
    r->mark[1] = (struct runs_mark){0};
}

void runs_mark(struct runs *r, uint64_t line) {
    const int at = runs_marked(r, line);
    const bool both = runs_mark_is_set(&r->mark[0]) && runs_mark_is_set(&r->mark[1]);
    if (at == 1)
        runs_mark_free(&r->mark[1]);
    else if (at == 0 || both)
        drop_first(r);
    if (at < 0)
        runs_mark_line(r, line, &r->mark[runs_mark_is_set(&r->mark[0])]);
}
