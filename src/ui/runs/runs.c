#include "ui/runs/runs.h"

#include "base/sort.h"
#include "base/str.h"
#include "ui/draw/label_text.h"
#include "ui/runs/runs_pages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct runs_sort runs_sorts[RUNS_SORTS] = {
    {"begun", BY_TIME, NULL, false},
    {"process", BY_PROCESS, NULL, true},
    {"length", BY_DURATION, NULL, false},
    {"model", BY_MODEL, NULL, true},
    [RUNS_SORT_TOP] = {"Frontend_Bound", BY_METRIC, "Frontend_Bound", false},
    {"Bad_Speculation", BY_METRIC, "Bad_Speculation", false},
    {"Backend_Bound", BY_METRIC, "Backend_Bound", false},
    {"Retiring", BY_METRIC, "Retiring", false},
    [RUNS_SORT_METRIC] = {"metric", BY_METRIC, NULL, false},
};

int runs_init(struct runs *r, const char *path) {
    *r = (struct runs){.path = path, .state = RUNS_NONE, .metric = "IPC"};
    r->rows = (struct list){.moved = runs_selected, .owner = r};
    return 0;
}

static void drop_filter(struct runs *r) {
    for (size_t i = 0; i < r->n_filter; i++)
        label_filter_free(&r->filter[i]);
    r->n_filter = 0;
}

void runs_destroy(struct runs *r) {
    pages_drop(r);
    drop_filter(r);
    runs_survey_free(&r->survey);
    free(r->group);
    run_group_list_free(&r->groups);
    store_close(&r->store);
    runs_unmark(r);
    runs_mark_free(&r->pin);
    runs_mark_free(&r->lost);
    *r = (struct runs){0};
}

/* Another choice or order: what was selected still is, or else the first. */
static void begin_anew(struct runs *r) {
    r->anew = true;
    runs_reload(r);
    r->anew = false;
}

/* ---- reading ---- */

static void fail(struct runs *r, int rc) {
    r->state = rc == -ENOENT ? RUNS_NONE : RUNS_FAILED;
    r->total = r->n_group = 0;
    r->rows.n = 0;
    runs_survey_free(&r->survey);
    pages_drop(r);
}

bool runs_wait_a_little(void *user, double waited_s) {
    (void)user;
    return waited_s < 1;
}

static int open_store(struct runs *r) {
    if (r->store.impl)
        return 0;
    return store_open_waiting(&r->store, r->path, STORE_READ, runs_wait_a_little, NULL, &r->err);
}

static bool keeps_open(const struct runs_group *old, uint32_t n, const char *value) {
    for (uint32_t i = 0; i < n; i++)
        if (old[i].open &&
            (value && old[i].value ? strcmp(old[i].value, value) == 0 : value == old[i].value))
            return true;
    return false;
}

/* Groups that were open stay so. */
static int take_groups(struct runs *r, struct run_group_list *l) {
    struct runs_group *group = calloc(l->n + 1, sizeof(*group));
    if (!group)
        return err_set(&r->err, -ENOMEM, "runs: out of memory; close other programs");
    for (size_t i = 0; i < l->n; i++) {
        group[i] = (struct runs_group){.value = l->group[i].value, .n = l->group[i].n};
        group[i].open = keeps_open(r->group, r->n_group, group[i].value);
    }
    free(r->group);
    run_group_list_free(&r->groups);
    r->group = group;
    r->n_group = (uint32_t)l->n;
    r->groups = *l;
    r->total = l->total;
    r->more = false;
    r->newest = l->newest;
    return 0;
}

static int by_mean(const void *a, const void *b) {
    const struct runs_group *x = a, *y = b;
    if (isnan(x->mean) || isnan(y->mean))
        return isnan(x->mean) - isnan(y->mean);
    return (x->mean > y->mean) - (x->mean < y->mean);
}

static int by_mean_descending(const void *a, const void *b) {
    const struct runs_group *x = a, *y = b;
    return isnan(x->mean) || isnan(y->mean) ? by_mean(a, b) : by_mean(b, a);
}

/* By what they show, where runs are sorted by that; else the store has them by their values. */
static void sort_groups(struct runs *r) {
    if (r->key[0] && r->sort == RUNS_SORT_METRIC)
        sort_in_place(r->group, r->n_group, sizeof(*r->group),
                      runs_descend(r) ? by_mean_descending : by_mean);
}

static int read_groups(struct runs *r) {
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct run_group_list l;
    r->queries++;
    int rc = store_groups(&r->store, &q, r->key, &l, &r->err);
    if (rc == 0 && (rc = take_groups(r, &l)) < 0)
        run_group_list_free(&l);
    return rc;
}

/* Without groups all runs are one that is open: any page of it says how many there are. */
static int begin_plain(struct runs *r) {
    struct run_group_list none = {.n = 0};
    int rc = take_groups(r, &none);
    if (rc < 0)
        return rc;
    r->group[0] = (struct runs_group){.open = true};
    r->n_group = 1;
    return 0;
}

static int read_plain(struct runs *r, uint64_t line) {
    const int rc = pages_read(r, 0, line / RUNS_PAGE * RUNS_PAGE);
    r->total = r->group[0].n;
    pages_lines(r);
    return rc;
}

static void see_store(struct runs *r) {
    char log[sizeof(r->store.path) + 8];
    struct strbuf sb = strbuf_on(log, sizeof(log));
    int64_t stamp = 0;
    strbuf_add(&sb, "%s-wal", r->store.path);
    memset(r->seen, 0, sizeof(r->seen));
    if (!store_is_file(&r->store)) {
        if (r->store.impl && store_stamp(&r->store, &stamp, NULL) == 0)
            r->seen[0].st_size = stamp;
        return;
    }
    if (stat(r->store.path, &r->seen[0]) < 0 || stat(log, &r->seen[1]) < 0)
        return; /* what is not there stays zero */
}

void runs_reload(struct runs *r) {
    uint64_t line = 0;
    bool found = false;
    r->err = (struct err){0};
    int rc = open_store(r);
    see_store(r);
    if (rc == 0)
        pages_drop(r);
    if (rc == 0)
        rc = r->key[0] ? read_groups(r) : begin_plain(r);
    if (rc == 0) { /* first where, so that only what is going to be seen is read */
        runs_survey_read(r);
        sort_groups(r);
        pages_lines(r);
        found = runs_locate(r, &line);
        rc = r->key[0] ? 0 : read_plain(r, line);
    }
    if (rc < 0) {
        fail(r, rc);
        return;
    }
    r->state = RUNS_READY;
    if (r->key[0] && !r->has_shape)
        pages_shape(r, true); /* groups show it, too */
    runs_follow(r, found, line);
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Of a file that could not be read, too, it is of use only to look again when it has changed. */
static bool has_changed(struct runs *r) {
    const struct stat was[2] = {r->seen[0], r->seen[1]};
    if (!r->store.path[0])
        return true;
    see_store(r);
    return !same_file(&was[0], &r->seen[0]) || !same_file(&was[1], &r->seen[1]);
}

bool runs_look(struct runs *r) {
    if (!has_changed(r))
        return false;
    runs_reload(r);
    return true;
}

/* ---- what is meant ---- */

void runs_sort_by(struct runs *r, int sort) {
    r->sort = sort;
    r->inverted = false;
    begin_anew(r);
}

void runs_invert(struct runs *r) {
    r->inverted = !r->inverted;
    begin_anew(r);
}

bool runs_descend(const struct runs *r) {
    return runs_sorts[r->sort].ascends == r->inverted;
}

void runs_search(struct runs *r, const char *text) {
    str_copy(r->text, sizeof(r->text), text);
    begin_anew(r);
}

int runs_filter(struct runs *r, const char *text, struct err *err) {
    struct label_filter filter[RUNS_FILTERS];
    char word[sizeof(r->filter_text)];
    const char *at = text;
    bool removed = false;
    size_t n = 0;
    int rc = 0;
    while (rc == 0 && label_text_next(&at, word, sizeof(word))) {
        if (strcmp(word, "is:removed") == 0)
            removed = true;
        else if (n == RUNS_FILTERS)
            rc = err_set(err, -EINVAL, "filter: more than %d conditions; leave some out",
                         (int)RUNS_FILTERS);
        else if ((rc = label_filter_parse(word, &filter[n], err)) == 0)
            n++;
    }
    if (rc < 0) {
        while (n > 0)
            label_filter_free(&filter[--n]);
        return rc;
    }
    drop_filter(r);
    memcpy(r->filter, filter, n * sizeof(filter[0]));
    r->n_filter = n;
    r->removed = removed;
    str_copy(r->filter_text, sizeof(r->filter_text), text);
    r->key_last = false;
    begin_anew(r);
    return 0;
}

void runs_group_by(struct runs *r, const char *key) {
    r->n_group = 0; /* nothing of them stays open, and their marks mean nothing now */
    for (int i = 0; i < 2; i++)
        if (r->mark[i].key)
            runs_mark_free(&r->mark[i]);
    str_copy(r->key, sizeof(r->key), key);
    r->key_last = true;
    begin_anew(r);
}

void runs_fold(struct runs *r, uint64_t line, int how) {
    struct runs_group *g = r->key[0] ? runs_group_of(r, line) : NULL;
    if (!g)
        return;
    g->open = how ? how > 0 : !g->open;
    pages_lines(r);
    list_select(&r->rows, (int)(how > 0 ? line : g->line));
}

void runs_fold_all(struct runs *r) {
    bool open = true;
    struct runs_group *g = r->key[0] ? runs_group_of(r, r->rows.at) : NULL;
    if (!g)
        return;
    for (uint32_t i = 0; i < r->n_group; i++)
        open &= r->group[i].open;
    for (uint32_t i = 0; i < r->n_group; i++)
        r->group[i].open = !open;
    pages_lines(r);
    list_select(&r->rows, (int)g->line);
}

int runs_show_metric(struct runs *r, const char *name, struct err *err) {
    char before[sizeof(r->metric)];
    memcpy(before, r->metric, sizeof(before));
    str_copy(r->metric, sizeof(r->metric), name);
    r->has_shape = false;
    runs_reload(r);
    if (r->state == RUNS_READY && !r->has_shape)
        pages_shape(r, true);
    if (r->has_shape)
        return 0;
    memcpy(r->metric, before, sizeof(before));
    runs_reload(r);
    return err_set(err, -ENOENT,
                   "%.60s: none of these runs has such a metric; tdtop query lists those of a run",
                   name);
}

/* ---- what is selected ---- */

/*
 * The user chooses a run, not a line: wherever it goes when the list is sorted, narrowed or read
 * again, the selection goes with it and keeps its place on the screen if it can. While it is not in
 * the list at all, its neighbour stands in.
 */

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
    if (row) {
        str_copy(m->id, sizeof(m->id), row->id);
        m->begun_ns = row->begun_ns;
    } else if (g)
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

static void unmark(struct runs *r, int i) {
    runs_mark_free(&r->mark[i]);
    if (i == 0)
        r->mark[0] = r->mark[1];
    r->mark[1] = (struct runs_mark){0};
    r->oldest_mark = 0;
}

void runs_mark(struct runs *r, uint64_t line) {
    const int at = runs_marked(r, line);
    if (at >= 0) {
        unmark(r, at);
        return;
    }
    if (runs_mark_is_set(&r->mark[1]))
        unmark(r, r->oldest_mark);
    r->oldest_mark = 0;
    runs_mark_line(r, line, &r->mark[runs_mark_is_set(&r->mark[0])]);
    if (r->mark[0].id[0] && r->mark[1].id[0] && r->mark[1].begun_ns < r->mark[0].begun_ns) {
        const struct runs_mark newer = r->mark[0];
        r->mark[0] = r->mark[1];
        r->mark[1] = newer;
        r->oldest_mark = 1;
    }
}
