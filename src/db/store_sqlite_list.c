/*
 * Lists of runs: which ones (a set of bits), the values that they are sorted by, and of the part
 * that is wanted the rows, read in the order of an index, with their labels and values. Groups of
 * runs, and the place of a run in its list, come from the same set.
 */
#include "base/str.h"
#include "db/store_find.h"
#include "db/store_sqlite.h"
#include "model/load/arena.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pick {
    uint64_t *bit; /* [n] by row of runs; owned */
    int64_t n;
    uint64_t count; /* of bits that are set */
};

enum { VALUES_METRICS = 32 };

struct values {
    int64_t metric[VALUES_METRICS]; /* the rows of metrics that have the name or the path */
    int n_metric;
    sqlite3_stmt *one;
    int64_t n;          /* all at once: */
    double *value, *se; /* [n] by row of runs, NAN: not there; se NULL: not wanted */
};
enum values_how {
    VALUES_ONE,   /* looked up one by one */
    VALUES_ALL,   /* read all at once */
    VALUES_ALONE, /* the same without their standard errors */
};

/* --- which runs --- */

enum { BITS = 64 };

/* Ends the word of a label or another text for LIKE: any text that holds this one. ASCII letters
 * are the same in both cases. */
#define HOLDS "LIKE ?2 ESCAPE '\\'"
#define OF_WORDS(text)                                                                             \
    "FROM words w CROSS JOIN labels l ON l.key = w.key AND l.value = w.value WHERE " text " " HOLDS

static const struct {
    const char *sql; /* ?1: key, ?2: value */
    bool among;      /* the runs it gives; false: all the others */
} label_ops[] = {
    [LABEL_IS] = {"SELECT run FROM labels WHERE key = ?1 AND value = ?2", true},
    [LABEL_IS_NOT] = {"SELECT run FROM labels WHERE key = ?1 AND value = ?2", false},
    [LABEL_HAS] = {"SELECT l.run " OF_WORDS("w.value") " AND w.key = ?1", true},
    [LABEL_EXISTS] = {"SELECT run FROM labels WHERE key = ?1", true},
    [LABEL_MISSING] = {"SELECT run FROM labels WHERE key = ?1", false},
};

static const char anywhere[] =
    "SELECT run FROM runs WHERE id " HOLDS " OR process " HOLDS " OR target " HOLDS
    " OR note " HOLDS " OR model " HOLDS " OR bottleneck " HOLDS
    " UNION ALL SELECT l.run " OF_WORDS("w.key || '=' || w.value");

struct picking {
    struct sq *sq;
    struct pick *p;
    struct err *err;
    uint64_t *fresh; /* the runs of the condition at hand */
    size_t words;    /* in p->bit and in fresh */
    bool narrowed;   /* by a condition that names runs: the set holds none that are not there */
    bool removed;    /* those that were deleted are meant */
};

/* All runs of the statement, into fresh. */
static int collect(struct picking *p, sqlite3_stmt *s) {
    int rc;
    memset(p->fresh, 0, p->words * sizeof(*p->fresh));
    while ((rc = sq_step(p->sq, s, p->err)) > 0) {
        const int64_t run = sqlite3_column_int64(s, 0);
        if (run >= 0 && run < p->p->n)
            p->fresh[run / BITS] |= 1ull << run % BITS;
    }
    return rc;
}

static void narrow(struct picking *p, bool among) {
    for (size_t i = 0; i < p->words; i++)
        p->p->bit[i] &= among ? p->fresh[i] : ~p->fresh[i];
    p->narrowed = p->narrowed || among;
}

static int apply(struct picking *p, sqlite3_stmt *s, bool among) {
    const int rc = collect(p, s);
    if (rc == 0)
        narrow(p, among);
    return rc;
}

static int apply_text(struct picking *p, const char *sql, const char *key, const char *text,
                      bool among) {
    char *pattern = store_pattern(text);
    sqlite3_stmt *s = NULL;
    int rc = pattern ? sq_prepare(p->sq, &s, p->err, sql, "tt", key, pattern)
                     : sq_fail_code(p->sq, SQLITE_NOMEM, 0, NULL, p->err);
    if (rc == 0)
        rc = apply(p, s, among);
    sqlite3_finalize(s);
    free(pattern);
    return rc;
}

static int apply_label(struct picking *p, const struct label_filter *f) {
    const char *sql = label_ops[f->op].sql;
    if (f->op == LABEL_HAS)
        return apply_text(p, sql, f->key, f->value, true);
    sqlite3_stmt *s;
    int rc = sq_prepare(p->sq, &s, p->err, sql, strstr(sql, "?2") ? "tt" : "t", f->key, f->value);
    if (rc == 0)
        rc = apply(p, s, label_ops[f->op].among);
    sqlite3_finalize(s);
    return rc;
}

/* The statements of both kinds of run: the first one finds its way by an index of the live ones. */
static int apply_process(struct picking *p, const char *process) {
    sqlite3_stmt *s;
    int rc =
        sq_prepare(p->sq, &s, p->err,
                   p->removed ? "SELECT run FROM runs WHERE process = ?1 AND deleted_ns IS NOT NULL"
                              : "SELECT run FROM runs WHERE process = ?1 AND deleted_ns IS NULL",
                   "t", process);
    if (rc == 0)
        rc = apply(p, s, true);
    sqlite3_finalize(s);
    return rc;
}

#define BEGUN "SELECT run FROM runs WHERE begun_ns BETWEEN ?1 AND ?2 AND deleted_ns IS "

static int apply_time(struct picking *p, int64_t since_ns, int64_t until_ns) {
    sqlite3_stmt *s;
    int rc = sq_prepare(p->sq, &s, p->err, p->removed ? BEGUN "NOT NULL" : BEGUN "NULL", "ii",
                        since_ns, until_ns ? until_ns : INT64_MAX);
    if (rc == 0)
        rc = apply(p, s, true);
    sqlite3_finalize(s);
    return rc;
}

/* Leaves out what is deleted, or what is not. Where no condition has named runs, the set still
 * holds rows that are no runs. */
static int apply_live(struct picking *p) {
    sqlite3_stmt *s;
    int rc =
        sq_prepare(p->sq, &s, p->err,
                   p->narrowed != p->removed ? "SELECT run FROM runs WHERE deleted_ns IS NOT NULL"
                                             : "SELECT run FROM runs WHERE deleted_ns IS NULL",
                   "");
    if (rc == 0)
        rc = apply(p, s, !p->narrowed);
    sqlite3_finalize(s);
    return rc;
}

static int begin(struct picking *p) {
    const int rc = sq_rows(p->sq, &p->p->n, p->err);
    if (rc < 0)
        return rc;
    p->words = (size_t)p->p->n / BITS + 1;
    p->p->bit = malloc(p->words * sizeof(*p->p->bit));
    p->fresh = malloc(p->words * sizeof(*p->fresh));
    if (!p->p->bit || !p->fresh)
        return sq_fail_code(p->sq, SQLITE_NOMEM, 0, NULL, p->err);
    memset(p->p->bit, 0xff, p->words * sizeof(*p->p->bit));
    return 0;
}

static void pick_free(struct pick *p) {
    free(p->bit);
    *p = (struct pick){0};
}

/* False: the query means every run. */
static bool pick_is_needed(const struct run_query *q) {
    return q->n_filter || q->process || q->text || q->since_ns || q->until_ns;
}

static int pick_runs(struct sq *sq, const struct run_query *q, struct pick *out, struct err *err) {
    struct picking p = {.sq = sq, .p = out, .err = err, .removed = q->removed};
    *out = (struct pick){0};
    int rc = begin(&p);
    for (size_t i = 0; rc == 0 && i < q->n_filter; i++)
        rc = apply_label(&p, &q->filter[i]);
    if (rc == 0 && q->process)
        rc = apply_process(&p, q->process);
    if (rc == 0 && q->text)
        rc = apply_text(&p, anywhere, NULL, q->text, true);
    if (rc == 0 && (q->since_ns || q->until_ns))
        rc = apply_time(&p, q->since_ns, q->until_ns);
    if (rc == 0)
        rc = apply_live(&p);
    for (size_t i = 0; rc == 0 && i < p.words; i++)
        out->count += (uint64_t)__builtin_popcountll(out->bit[i]);
    free(p.fresh);
    if (rc < 0)
        pick_free(out);
    return rc;
}

/* ---- for SQL ---- */

static void picked(sqlite3_context *c, int n, sqlite3_value **arg) {
    (void)n;
    const struct sq *sq = sqlite3_user_data(c);
    const struct pick *p = sq->pick;
    const int64_t run = sqlite3_value_int64(arg[0]);
    const bool in = p && run >= 0 && run < p->n && p->bit[run / BITS] >> run % BITS & 1;
    sqlite3_result_int(c, in);
}

static void value_of(sqlite3_context *c, int n, sqlite3_value **arg) {
    (void)n;
    const struct sq *sq = sqlite3_user_data(c);
    const struct values *v = sq->values;
    const int64_t run = sqlite3_value_int64(arg[0]);
    if (v && run >= 0 && run < v->n && !isnan(v->value[run]))
        sqlite3_result_double(c, v->value[run]);
}

int sq_add_functions(struct sq *sq) {
    const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    const int rc = sqlite3_create_function(sq->db, "picked", 1, flags, sq, picked, NULL, NULL);
    return rc ? rc
              : sqlite3_create_function(sq->db, "value_of", 1, flags, sq, value_of, NULL, NULL);
}

/* --- the values of one metric --- */

/* The same name stands for several metrics where models place it differently in their trees. */
static int find_metrics(struct sq *sq, struct values *v, const char *name, struct err *err) {
    sqlite3_stmt *s;
    int rc = sq_prepare(sq, &s, err,
                        "SELECT metric FROM metrics WHERE name = ?1 UNION"
                        " SELECT metric FROM metrics WHERE path = ?1 LIMIT ?2",
                        "ti", name, (int64_t)VALUES_METRICS);
    while (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        v->metric[v->n_metric++] = sqlite3_column_int64(s, 0);
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc;
}

static int make_room(struct sq *sq, struct values *v, bool alone, struct err *err) {
    const int rc = sq_rows(sq, &v->n, err);
    if (rc < 0)
        return rc;
    v->value = malloc((size_t)v->n * sizeof(*v->value));
    v->se = alone ? NULL : malloc((size_t)v->n * sizeof(*v->se));
    if (!v->value || (!v->se && !alone))
        return sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = NAN;
    for (int64_t i = 0; i < v->n && v->se; i++)
        v->se[i] = NAN;
    return 0;
}

/* A run can have the name in several places of its tree: the first one counts, as in the run. The
 * index of nodes has the place, ord, too. */
static int load_all(struct sq *sq, struct values *v, bool alone, const char *sql, struct err *err) {
    int rc = make_room(sq, v, alone, err);
    uint32_t *ord = rc == 0 ? malloc((size_t)v->n * sizeof(*ord)) : NULL;
    sqlite3_stmt *s = NULL;
    if (rc == 0 && !ord)
        rc = sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    if (rc == 0) {
        memset(ord, 0xff, (size_t)v->n * sizeof(*ord));
        rc = sq_prepare(sq, &s, err, sql, "");
    }
    for (int i = 0; rc == 0 && i < v->n_metric; i++) {
        sq_bind(s, "i", v->metric[i]);
        while ((rc = sq_step(sq, s, err)) > 0) {
            const int64_t run = sqlite3_column_int64(s, 0), at = sqlite3_column_int64(s, 1);
            if (run < 0 || run >= v->n || at < 0 || at >= ord[run])
                continue;
            ord[run] = (uint32_t)at;
            v->value[run] = sq_real(s, 2);
            if (v->se)
                v->se[run] = sq_real(s, 3);
        }
    }
    sqlite3_finalize(s);
    free(ord);
    return rc;
}

static int values_open(struct sq *sq, struct values *v, const char *name, enum values_how how,
                       struct err *err) {
    static const char *const of_nodes[] = {
        "SELECT ord, value, se FROM nodes WHERE metric = ?1 AND run = ?2",
        "SELECT run, ord, value, se FROM nodes WHERE metric = ?1"};
    static const char *const of_runs[] = {
        "SELECT 0, measured_ns / 1e9, NULL FROM runs WHERE ?1 AND ran_through AND run = ?2",
        "SELECT run, 0, measured_ns / 1e9, NULL FROM runs WHERE ?1 AND ran_through"};
    const char *const *sql = of_nodes;
    *v = (struct values){0};
    int rc = find_metrics(sq, v, name, err);
    if (v->n_metric == 0 && run_is_elapsed(name) && sq->file_version >= SQ_HAS_KINDS) {
        v->metric[v->n_metric++] = 1; /* the runs' own: one there is */
        sql = of_runs;
    }
    if (rc == 0)
        rc = how ? load_all(sq, v, how == VALUES_ALONE, sql[1], err)
                 : sq_prepare(sq, &v->one, err, sql[0], "");
    return rc;
}

/* *se is NAN where it is not wanted. */
static int values_get(struct sq *sq, struct values *v, int64_t run, double *value, double *se,
                      struct err *err) {
    *value = *se = NAN;
    if (v->value) {
        *value = run < v->n ? v->value[run] : NAN;
        *se = run < v->n && v->se ? v->se[run] : NAN;
        return 0;
    }
    int64_t first = INT64_MAX;
    int rc = 0;
    for (int i = 0; rc == 0 && i < v->n_metric; i++) {
        sq_bind(v->one, "ii", v->metric[i], run);
        while ((rc = sq_step(sq, v->one, err)) > 0) {
            if (sqlite3_column_int64(v->one, 0) >= first)
                continue;
            first = sqlite3_column_int64(v->one, 0);
            *value = sq_real(v->one, 1);
            *se = sq_real(v->one, 2);
        }
        sqlite3_reset(v->one);
    }
    return rc;
}

static void values_close(struct values *v) {
    sqlite3_finalize(v->one);
    free(v->value);
    free(v->se);
    *v = (struct values){0};
}

/* --- the list --- */

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
    struct values metric, by, top[STORE_TOPS];
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

static int pick_and_count(struct listing *l) {
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
    for (int i = 0; rc == 0 && i < STORE_TOPS && !l->q->without_top; i++)
        rc =
            values_open(l->sq, &l->top[i], store_tops[i], many ? VALUES_ALONE : VALUES_ONE, l->err);
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
    for (int i = 0; i < STORE_TOPS; i++)
        row->top[i] = NAN;
    if (l->q->metric)
        rc = values_get(l->sq, &l->metric, run, &row->value, &row->value_se, l->err);
    for (int i = 0; rc == 0 && i < STORE_TOPS && !l->q->without_top; i++)
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
    for (int i = 0; i < STORE_TOPS; i++)
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
        sq_keep_few(l.sq, true);
    if (rc == 0)
        rc = pick_and_count(&l);
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
        sq_keep_few(l.sq, false);
    return sq_end(l.sq, rc, err);
}

/* ---- one by its name ---- */

static int find_newest(struct sq *sq, uint64_t n, const char *word, bool deleted,
                       char id[RUN_ID_LEN + 1], struct err *err) {
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
        rc = store_find_too_few(sq->path, word, deleted, err);
    sqlite3_finalize(s);
    return rc < 0 ? rc : 0;
}

static int find_prefix(struct sq *sq, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
                       struct err *err) {
    struct store_found f = {.path = sq->path, .prefix = prefix, .deleted = deleted};
    sqlite3_stmt *s;
    int rc = sq_prepare(sq, &s, err,
                        "SELECT id, deleted_ns IS NOT NULL FROM runs"
                        " WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT 1000",
                        "t", prefix);
    while (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        store_find_add(&f, sq_peek(s, 0), sqlite3_column_int(s, 1));
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc < 0 ? rc : store_find_judge(&f, id, err);
}

int sq_find(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
            struct err *err) {
    struct sq *sq = impl;
    struct store_word word;
    int rc = store_find_word(prefix, &word, err);
    if (rc < 0)
        return rc;
    rc = sq_begin(sq, "looking for a run", SQ_READS, err);
    if (rc == 0)
        rc = word.prefix[0] ? find_prefix(sq, word.prefix, deleted, id, err)
                            : find_newest(sq, word.newest, prefix, deleted, id, err);
    return sq_end(sq, rc, err);
}

/* --- groups --- */

/*
 * Runs by the value of a label: an index of labels is walked once, and each of its runs is held
 * against the set of those that the query means.
 */

struct grouping {
    struct sq *sq;
    struct run_group_list *out;
    ARRAY(struct run_group) group;
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
    return add(g, value, n);
}

static int count_values(struct grouping *g, const char *key) {
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
        rc = count_values(&g, key);
    g.sq->pick = NULL;
    if (rc == 0) /* room for those without the label */
        rc = add(&g, NULL, 0);
    out->total = p.count;
    out->group = g.group.at;
    out->n = g.group.n - (rc == 0);
    pick_free(&p);
    return sq_end(g.sq, rc, err);
}

/* --- the place of a run --- */

/*
 * Where in a list a run stands: how many of the list's runs come before it. Counted along the index
 * that gives the list its order, so that no run is read for it.
 */

struct placing {
    struct sq *sq;
    const struct run_query *q;
    int64_t run;
    double value; /* of the metric that they are sorted by */
    struct err *err;
};

/* Among equals, and those without the metric last. */
static const char *beyond_value(const struct placing *p) {
    if (isnan(p->value))
        return "value_of(run) IS NOT NULL OR";
    return p->q->ascending ? "value_of(run) < ?2 OR value_of(run) = ?2 AND"
                           : "value_of(run) > ?2 OR value_of(run) = ?2 AND";
}

static int count(const struct placing *p, uint64_t *place) {
    const char *order = store_order(p->q);
    char sql[512];
    int64_t n = 0;
    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM runs WHERE deleted_ns IS %sNULL%s AND (%s (%s) %s"
             " (SELECT %s FROM runs WHERE run = ?1))",
             p->q->removed ? "NOT " : "", pick_is_needed(p->q) ? " AND picked(run)" : "",
             p->q->order == BY_METRIC ? beyond_value(p) : "", order, p->q->ascending ? "<" : ">",
             order);
    const int rc = p->q->order == BY_METRIC && !isnan(p->value)
                       ? sq_number(p->sq, &n, p->err, sql, "id", p->run, p->value)
                       : sq_number(p->sq, &n, p->err, sql, "i", p->run);
    *place = (uint64_t)n;
    return rc;
}

static int find(struct placing *p, const char *id) {
    char sql[160];
    snprintf(sql, sizeof(sql), "SELECT run FROM runs WHERE id = ?1 AND deleted_ns IS %sNULL%s",
             p->q->removed ? "NOT " : "", pick_is_needed(p->q) ? " AND picked(run)" : "");
    const int rc = sq_number(p->sq, &p->run, p->err, sql, "t", id);
    return rc == -ENOENT ? store_find_no_place(id, p->err) : rc;
}

static int read_value(struct placing *p, struct values *v) {
    const char *name = p->q->by ? p->q->by : p->q->metric;
    double se;
    int rc = values_open(p->sq, v, name, VALUES_ALONE, p->err);
    return rc < 0 ? rc : values_get(p->sq, v, p->run, &p->value, &se, p->err);
}

int sq_place(void *impl, const struct run_query *q, const char *id, uint64_t *place,
             struct err *err) {
    struct placing p = {.sq = impl, .q = q, .err = err, .value = NAN};
    struct values values = {0};
    struct pick pick = {0};
    int rc = sq_begin(p.sq, "looking for a run", SQ_READS, err);
    if (rc == 0 && pick_is_needed(q))
        rc = pick_runs(p.sq, q, &pick, err);
    p.sq->pick = &pick;
    p.sq->values = &values;
    if (rc == 0)
        rc = find(&p, id);
    if (rc == 0 && q->order == BY_METRIC)
        rc = read_value(&p, &values);
    if (rc == 0)
        rc = count(&p, place);
    p.sq->pick = NULL;
    p.sq->values = NULL;
    pick_free(&pick);
    values_close(&values);
    return sq_end(p.sq, rc, err);
}
