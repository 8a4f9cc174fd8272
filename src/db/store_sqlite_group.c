/*
 * Runs by the value of a label: an index of labels is walked once, and each of its runs is held
 * against the set of those that the query means.
 */
#include "base/str.h"
#include "db/store_sqlite_pick.h"
#include "model/load/arena.h"

#include <stdlib.h>
#include <string.h>

struct grouping {
    struct sq *sq;
    struct run_group_list *out;
    ARRAY(struct run_group) group;
    uint64_t labelled; /* runs that have the label */
    struct err *err;
};

static int add(struct grouping *g, char *value, uint64_t n) {
    if (array_push(&g->group, (struct run_group){value, n}) < 0)
        return sq_fail_code(g->sq, SQLITE_NOMEM, 0, NULL, g->err);
    return 0;
}

static int add_value(struct grouping *g, sqlite3_stmt *s) {
    const char *text = sq_peek(s, 0);
    const uint64_t n = (uint64_t)sqlite3_column_int64(s, 1);
    char *value = arena_text(g->out->arena_, text, strlen(text));
    if (!value)
        return sq_fail_code(g->sq, SQLITE_NOMEM, 0, NULL, g->err);
    str_clean(value, "\n\t");
    g->labelled += n;
    return add(g, value, n);
}

static int read_values(struct grouping *g, const char *key) {
    sqlite3_stmt *s;
    int rc = sq_prepare(g->sq, &s, g->err,
                        "SELECT value, count(*) FROM labels INDEXED BY labels_by_word"
                        " WHERE key = ?1 AND picked(run) GROUP BY value",
                        "t", key);
    while (rc == 0 && (rc = sq_step(g->sq, s, g->err)) > 0)
        rc = add_value(g, s);
    sqlite3_finalize(s);
    return rc;
}

static int by_value(const void *a, const void *b) {
    const struct run_group *x = a, *y = b;
    const int versions = strverscmp(x->value, y->value);
    return versions ? versions : strcmp(x->value, y->value);
}

int sq_groups(void *impl, const struct run_query *q, const char *key, struct run_group_list *out,
              struct err *err) {
    struct grouping g = {.sq = impl, .out = out, .err = err};
    struct pick p = {0};
    out->arena_ = calloc(1, sizeof(struct arena));
    if (!out->arena_)
        return sq_fail_code(g.sq, SQLITE_NOMEM, 0, NULL, err);
    int rc = sq_begin(g.sq, "grouping runs", SQ_READS, err);
    if (rc == 0)
        rc = pick_runs(g.sq, q, &p, err);
    g.sq->pick = &p;
    if (rc == 0)
        rc = read_values(&g, key);
    g.sq->pick = NULL;
    if (rc == 0 && g.group.n)
        qsort(g.group.at, g.group.n, sizeof(*g.group.at), by_value);
    if (rc == 0 && p.count > g.labelled)
        rc = add(&g, NULL, p.count - g.labelled);
    out->total = p.count;
    out->group = g.group.at;
    out->n = g.group.n;
    pick_free(&p);
    return sq_end(g.sq, rc, err);
}
