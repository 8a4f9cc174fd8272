/*
 * A list of runs: which ones (store_sqlite_pick.c), how many, and of the part that is wanted the
 * rows, read in the order of an index, with their labels and values.
 */
#include "db/store_sqlite_pick.h"
#include "db/store_sqlite_values.h"
#include "model/load/arena.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of level 1, in the order of run_row.top. */
static const char *const tops[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                   "Retiring"};
enum { TOPS = sizeof(tops) / sizeof(tops[0]) };

/* Reading one metric of all runs costs as much as looking it up for this part of them. */
enum { ALL_PER_ONE = 5, FEW = 1000 };

struct listing {
    struct sq *sq;
    const struct run_query *q;
    struct run_list *out;
    run_each *each; /* takes the rows one by one; NULL: they are in `out` */
    void *user;
    struct arena *arena;
    struct pick pick;
    struct values metric, by, top[TOPS];
    sqlite3_stmt *labels, *limit;
    ARRAY(struct run_label) label; /* of the row at hand */
    struct err *err;
};

/* In both directions each is the order of one index. */
static const char *const orders[][2] = {
    [BY_TIME] = {"begun_ns DESC, run DESC", "begun_ns, run"},
    [BY_DURATION] = {"duration_ns DESC, run DESC", "duration_ns, run"},
    [BY_PROCESS] = {"process DESC, begun_ns DESC, run DESC", "process, begun_ns, run"},
    [BY_MODEL] = {"model DESC, begun_ns DESC, run DESC", "model, begun_ns, run"},
    [BY_METRIC] = {"value_of(run) DESC NULLS LAST, begun_ns DESC, run DESC",
                   "value_of(run) NULLS LAST, begun_ns, run"},
};
static const char *const orders_removed[] = {"deleted_ns DESC, run DESC", "deleted_ns, run"};

static int no_memory(struct listing *l) {
    return sq_fail_code(l->sq, SQLITE_NOMEM, 0, NULL, l->err);
}

/* ---- which and how many ---- */

static int pick(struct listing *l) {
    if (pick_is_needed(l->q)) {
        const int rc = pick_runs(l->sq, l->q, &l->pick, l->err);
        l->out->total = l->pick.count;
        return rc;
    }
    int64_t total = 0;
    const int rc =
        sq_number(l->sq, &total, l->err,
                  l->q->removed ? "SELECT count(*) FROM runs WHERE deleted_ns IS NOT NULL"
                                : "SELECT count(*) FROM runs WHERE deleted_ns IS NULL",
                  "");
    l->out->total = (uint64_t)total;
    return rc;
}

static uint64_t wanted(const struct listing *l) {
    const uint64_t total = l->out->total, skip = l->q->skip;
    const uint64_t left = total > skip ? total - skip : 0;
    return l->q->limit && l->q->limit < left ? l->q->limit : left;
}

/* The metric that the runs are sorted by, or NULL. */
static struct values *sorts_by(struct listing *l) {
    if (l->q->order != BY_METRIC)
        return NULL;
    return l->q->by ? &l->by : &l->metric;
}

static int open_values(struct listing *l) {
    int64_t rows = 0;
    int rc = 0;
    if (wanted(l) > FEW)
        rc = sq_number(l->sq, &rows, l->err, "SELECT coalesce(max(run), 0) FROM runs", "");
    if (rc < 0)
        return rc;
    const bool many = wanted(l) > FEW && wanted(l) > (uint64_t)rows / ALL_PER_ONE;
    if (l->q->metric)
        rc = values_open(l->sq, &l->metric, l->q->metric,
                         many || sorts_by(l) == &l->metric ? VALUES_ALL : VALUES_ONE, l->err);
    if (rc == 0 && sorts_by(l) == &l->by)
        rc = values_open(l->sq, &l->by, l->q->by, VALUES_ALONE, l->err);
    for (int i = 0; rc == 0 && i < TOPS && !l->q->without_top; i++)
        rc = values_open(l->sq, &l->top[i], tops[i], many ? VALUES_ALONE : VALUES_ONE, l->err);
    return rc;
}

static int open_labels(struct listing *l) {
    return sq_prepare(l->sq, &l->labels, l->err,
                      l->q->keys ? "SELECT key, value, automatic FROM labels"
                                   " WHERE run = ?1 AND key = ?2"
                                 : "SELECT key, value, automatic FROM labels"
                                   " WHERE run = ?1 ORDER BY key",
                      "");
}

/* The value of the bottleneck, found by its path. */
static int open_limit(struct listing *l) {
    if (l->q->without_top || l->q->without_share)
        return 0;
    return sq_prepare(l->sq, &l->limit, l->err,
                      "SELECT value FROM nodes WHERE run = ?1 AND metric IN"
                      " (SELECT metric FROM metrics WHERE path = ?2) LIMIT 1",
                      "");
}

/* ---- a row ---- */

static int keep(struct listing *l, char **to, sqlite3_stmt *s, int column) {
    const char *text = sq_peek(s, column);
    *to = arena_text(l->arena, text, strlen(text));
    if (*to)
        str_clean(*to, "\n\t");
    return *to ? 0 : no_memory(l);
}

static int collect_labels(struct listing *l) {
    int rc;
    while ((rc = sq_step(l->sq, l->labels, l->err)) > 0) {
        struct run_label label = {.automatic = sqlite3_column_int(l->labels, 2)};
        rc = keep(l, &label.key, l->labels, 0);
        if (rc == 0)
            rc = keep(l, &label.value, l->labels, 1);
        if (rc == 0 && array_push(&l->label, label) < 0)
            rc = no_memory(l);
        if (rc < 0)
            return rc;
    }
    return rc;
}

static int find_labels(struct listing *l, int64_t run) {
    l->label.n = 0;
    if (!l->q->keys) {
        sq_bind(l->labels, "i", run);
        return collect_labels(l);
    }
    int rc = 0;
    for (const char **key = l->q->keys; rc == 0 && *key; key++) {
        sq_bind(l->labels, "it", run, *key);
        rc = collect_labels(l);
    }
    return rc;
}

static int fill_labels(struct listing *l, struct run_row *row, int64_t run) {
    const int rc = find_labels(l, run);
    if (rc < 0 || l->label.n == 0)
        return rc;
    row->label = arena_alloc(l->arena, l->label.n * sizeof(*row->label));
    if (!row->label)
        return no_memory(l);
    memcpy(row->label, l->label.at, l->label.n * sizeof(*row->label));
    row->n_label = l->label.n;
    return 0;
}

static int fill_values(struct listing *l, struct run_row *row, int64_t run) {
    double unused;
    int rc = 0;
    row->value = row->value_se = NAN;
    for (int i = 0; i < TOPS; i++)
        row->top[i] = NAN;
    if (l->q->metric)
        rc = values_get(l->sq, &l->metric, run, &row->value, &row->value_se, l->err);
    for (int i = 0; rc == 0 && i < TOPS && !l->q->without_top; i++)
        rc = values_get(l->sq, &l->top[i], run, &row->top[i], &unused, l->err);
    return rc;
}

static int fill_limit(struct listing *l, struct run_row *row, int64_t run) {
    row->bottleneck_share = NAN;
    if (!l->limit || !row->bottleneck[0])
        return 0;
    sq_bind(l->limit, "it", run, row->bottleneck);
    const int rc = sq_step(l->sq, l->limit, l->err);
    if (rc > 0)
        row->bottleneck_share = sq_real(l->limit, 0);
    sqlite3_reset(l->limit);
    return rc < 0 ? rc : 0;
}

static int fill_texts(struct listing *l, struct run_row *row, sqlite3_stmt *s) {
    char **const texts[] = {&row->process, &row->target, &row->model, &row->note, &row->bottleneck};
    int rc = 0;
    for (int i = 0; rc == 0 && i < 5; i++)
        rc = keep(l, texts[i], s, 8 + i);
    return rc;
}

static int fill_row(struct listing *l, struct run_row *row, sqlite3_stmt *s) {
    const int64_t run = sqlite3_column_int64(s, 0);
    *row = (struct run_row){
        .begun_ns = sqlite3_column_int64(s, 2),
        .duration_ns = (uint64_t)sqlite3_column_int64(s, 3),
        .n_interval = (uint64_t)sqlite3_column_int64(s, 4),
        .level = sqlite3_column_int(s, 5),
        .simulated = sqlite3_column_int(s, 6),
        .system_wide = sqlite3_column_int(s, 7),
        .removed_ns = sqlite3_column_int64(s, 13),
        .unfinished = str_starts(sq_peek(s, 14), RUN_UNFINISHED),
    };
    str_copy(row->id, sizeof(row->id), sq_peek(s, 1));
    int rc = fill_texts(l, row, s);
    if (rc == 0)
        rc = fill_labels(l, row, run);
    if (rc == 0)
        rc = fill_limit(l, row, run);
    return rc < 0 ? rc : fill_values(l, row, run);
}

/* By an index the rows come in order. By a metric all are sorted: first their numbers alone, so
 * that only those that are wanted are read whole. */
static void write_sql(const struct listing *l, char *sql, size_t cap) {
    static const char columns[] =
        "SELECT run, id, begun_ns, duration_ns, intervals, level, simulated, system_wide,"
        " process, target, model, note, bottleneck, deleted_ns, doubt FROM runs";
    const bool removed = l->q->removed;
    const char *order =
        (removed && l->q->order == BY_TIME ? orders_removed : orders[l->q->order])[l->q->ascending];
    const char *also = pick_is_needed(l->q) ? " AND picked(run)" : "";
    snprintf(sql, cap,
             l->q->order == BY_METRIC
                 ? "%s WHERE run IN (SELECT run FROM runs INDEXED BY %s"
                   " WHERE deleted_ns IS %s%s"
                   " ORDER BY %s LIMIT ?1 OFFSET ?2) ORDER BY %s"
                 : "%s%.0s WHERE deleted_ns IS %s%s ORDER BY %s LIMIT ?1 OFFSET ?2",
             columns, removed ? "runs_deleted" : "runs_by_time", removed ? "NOT NULL" : "NULL",
             also, order, order);
}

static int give_row(struct listing *l, sqlite3_stmt *s) {
    struct run_row row;
    arena_clear(l->arena);
    const int rc = fill_row(l, &row, s);
    return rc < 0 ? rc : l->each(l->user, &row);
}

/* Each page is needed once or so: those of all runs need not be kept. */
static void keep_pages(struct listing *l, bool few) {
    sqlite3_exec(l->sq->db, few ? "PRAGMA cache_size = -1024" : "PRAGMA cache_size = -" SQ_CACHE_KB,
                 NULL, NULL, NULL);
}

static int read_rows(struct listing *l) {
    char sql[768];
    write_sql(l, sql, sizeof(sql));
    const uint64_t n = wanted(l);
    l->out->row = l->each ? NULL : calloc(n + 1, sizeof(*l->out->row));
    if (!l->out->row && !l->each)
        return no_memory(l);
    sqlite3_stmt *s;
    uint64_t i = 0;
    int rc = sq_prepare(l->sq, &s, l->err, sql, "ii", (int64_t)n, (int64_t)l->q->skip);
    for (; rc == 0 && i < n && (rc = sq_step(l->sq, s, l->err)) > 0; i++)
        rc = l->each ? give_row(l, s) : fill_row(l, &l->out->row[i], s);
    l->out->n = l->each ? 0 : i;
    sqlite3_finalize(s);
    return rc;
}

static void finish(struct listing *l) {
    l->sq->pick = NULL;
    l->sq->values = NULL;
    pick_free(&l->pick);
    values_close(&l->metric);
    values_close(&l->by);
    for (int i = 0; i < TOPS; i++)
        values_close(&l->top[i]);
    sqlite3_finalize(l->labels);
    sqlite3_finalize(l->limit);
    array_free(&l->label);
}

int sq_list(void *impl, const struct run_query *q, run_each *each, void *user, struct run_list *out,
            struct err *err) {
    struct listing l = {.sq = impl, .q = q, .out = out, .each = each, .user = user, .err = err};
    l.arena = out->arena_ = calloc(1, sizeof(*l.arena));
    if (!l.arena)
        return no_memory(&l);
    int rc = sq_begin(l.sq, "listing runs", SQ_READS, err);
    if (each)
        keep_pages(&l, true);
    if (rc == 0)
        rc = pick(&l);
    if (rc == 0)
        rc = open_values(&l);
    if (rc == 0)
        rc = open_labels(&l);
    if (rc == 0)
        rc = open_limit(&l);
    l.sq->pick = &l.pick;
    l.sq->values = sorts_by(&l);
    if (rc == 0 && wanted(&l) > 0)
        rc = read_rows(&l);
    finish(&l);
    if (each)
        keep_pages(&l, false);
    return sq_end(l.sq, rc, err);
}

/* ---- one by its name ---- */

enum { NAMED = 5 }; /* this many of those that begin so are named */

static int find_newest(struct sq *sq, const char *text, bool deleted, char id[RUN_ID_LEN + 1],
                       struct err *err) {
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text + 1, &end, 10);
    if (text[1] < '0' || text[1] > '9' || *end || errno || n > INT64_MAX)
        return err_set(err, -EINVAL,
                       "run %.40s: @ and a number: @0 is the run measured last, @1 the one "
                       "before",
                       text);
    sqlite3_stmt *s;
    int rc = sq_prepare(sq, &s, err,
                        deleted ? "SELECT id FROM runs WHERE deleted_ns IS NOT NULL"
                                  " ORDER BY deleted_ns DESC, run DESC LIMIT 1 OFFSET ?1"
                                : "SELECT id FROM runs WHERE deleted_ns IS NULL"
                                  " ORDER BY begun_ns DESC, run DESC LIMIT 1 OFFSET ?1",
                        "i", (int64_t)n);
    if (rc == 0)
        rc = sq_step(sq, s, err);
    if (rc > 0)
        str_copy(id, RUN_ID_LEN + 1, sq_peek(s, 0));
    if (rc == 0)
        rc = err_set(err, -ENOENT, "run %s: there are not so many %sruns in %s", text,
                     deleted ? "deleted " : "", sq->path);
    sqlite3_finalize(s);
    return rc < 0 ? rc : 0;
}

/* Lower case; false if it cannot be the begin of an id. */
static bool is_prefix(const char *text, char out[RUN_ID_LEN + 1]) {
    const size_t n = strlen(text);
    if (n == 0 || n > RUN_ID_LEN || strspn(text, "0123456789abcdefABCDEF") != n)
        return false;
    for (size_t i = 0; i <= n; i++)
        out[i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i]);
    return true;
}

static bool is_removed(struct sq *sq, const char *prefix) {
    int64_t n = 0;
    return sq_number(sq, &n, NULL,
                     "SELECT count(*) FROM runs WHERE id >= ?1 AND id < ?1 || 'g'"
                     " AND deleted_ns IS NOT NULL",
                     "t", prefix) == 0 &&
           n == 1;
}

static int judge_found(struct sq *sq, const char *prefix, bool deleted, int n, const char *names,
                       struct err *err) {
    if (n == 1)
        return 0;
    if (n == 0 && !deleted && is_removed(sq, prefix))
        return err_set(err, -ENOENT, "run %s: it was removed; tdtop rm --undo %s brings it back",
                       prefix, prefix);
    if (n == 0 && deleted)
        return err_set(err, -ENOENT,
                       "run %s: no deleted run in %s has an id that begins so; what was pruned is "
                       "gone",
                       prefix, sq->path);
    if (n == 0)
        return err_set(
            err, -ENOENT,
            "run %s: no run in %s has an id that begins so; tdtop list shows which there "
            "are",
            prefix, sq->path);
    return err_set(err, -EINVAL, "run %s: more than one id begins so: %s%s; write more of it",
                   prefix, names, n > NAMED ? " ..." : "");
}

static int find_prefix(struct sq *sq, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
                       struct err *err) {
    char names[NAMED * (RUN_ID_LEN + 2) + 1];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    sqlite3_stmt *s;
    int n = 0, rc = sq_prepare(sq, &s, err,
                               "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || 'g'"
                               " AND (deleted_ns IS NOT NULL) = ?3 ORDER BY id LIMIT ?2",
                               "tii", prefix, (int64_t)NAMED + 1, (int64_t)deleted);
    while (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        if (n++ == 0)
            str_copy(id, RUN_ID_LEN + 1, sq_peek(s, 0));
        if (n <= NAMED)
            strbuf_add(&sb, "%s%s", n > 1 ? ", " : "", sq_peek(s, 0));
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc < 0 ? rc : judge_found(sq, prefix, deleted, n, names, err);
}

int sq_find(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
            struct err *err) {
    struct sq *sq = impl;
    char lower[RUN_ID_LEN + 1], safe[64];
    if (prefix[0] != '@' && !is_prefix(prefix, lower))
        return err_set(err, -EINVAL,
                       "run '%s': not an id; write the first digits of one, as tdtop list shows "
                       "them, or @0 for the newest",
                       str_safe(safe, sizeof(safe), prefix));
    int rc = sq_begin(sq, "looking for a run", SQ_READS, err);
    if (rc == 0)
        rc = prefix[0] == '@' ? find_newest(sq, prefix, deleted, id, err)
                              : find_prefix(sq, lower, deleted, id, err);
    return sq_end(sq, rc, err);
}
