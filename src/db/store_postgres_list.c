/*
 * Lists of runs as one statement: which ones, in which order, and what of each. Conditions, values
 * of metrics and the place of a run are written by the same few functions.
 */
#include "base/str.h"
#include "db/store_find.h"
#include "db/store_postgres.h"
#include "model/load/arena.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SQL_BYTES = 16384, AT_ONCE = 1000 };

/* A statement that is put together, with its parameters. */
struct statement {
    struct strbuf sql;
    struct pg_params p;
    char *pattern[PG_PARAMS]; /* owned */
    int n_pattern;
    bool full; /* too many conditions, or no memory */
    char text[SQL_BYTES];
};

static void begin_statement(struct statement *s) {
    *s = (struct statement){0};
    s->sql = strbuf_on(s->text, sizeof(s->text));
}

static void end_statement(struct statement *s) {
    for (int i = 0; i < s->n_pattern; i++)
        free(s->pattern[i]);
}

static int param(struct statement *s, const char *text) {
    const int n = pg_param_text(&s->p, text ? text : "");
    s->full = s->full || !n;
    return n;
}

static int number(struct statement *s, int64_t value) {
    const int n = pg_param_number(&s->p, value);
    s->full = s->full || !n;
    return n;
}

/* For LIKE, in small letters, as words are. */
static int pattern(struct statement *s, const char *text) {
    char *like = s->n_pattern < PG_PARAMS ? store_pattern(text) : NULL;
    s->full = s->full || !like;
    for (char *c = like; c && *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
    if (like)
        s->pattern[s->n_pattern++] = like;
    return param(s, like);
}

static int check_full(const struct pg *pg, const struct statement *s, struct err *err) {
    return s->full || s->sql.n + 1 >= s->sql.cap
               ? err_set(err, -E2BIG, "%s: %s: too many conditions at once; give fewer", pg->path,
                         pg->doing)
               : 0;
}

/* --- which runs --- */

static void add_filter(struct statement *s, const struct label_filter *f) {
    char *pair = NULL;
    json_t *o = json_pack("{s: o}", f->key, pg_json_text(f->value));
    int like;
    switch (f->op) {
    case LABEL_IS:
    case LABEL_IS_NOT:
        pair = o ? json_dumps(o, JSON_COMPACT) : NULL;
        s->full = s->full || !pair || s->n_pattern == PG_PARAMS;
        if (pair && s->n_pattern < PG_PARAMS)
            s->pattern[s->n_pattern++] = pair;
        strbuf_add(&s->sql, " AND %slabels @> $%d::jsonb", f->op == LABEL_IS ? "" : "NOT ",
                   param(s, pair));
        break;
    case LABEL_HAS: /* words have an index, and hold the value */
        like = pattern(s, f->value);
        strbuf_add(&s->sql, " AND words LIKE $%d AND lower(labels->>$%d COLLATE \"C\") LIKE $%d",
                   like, param(s, f->key), like);
        break;
    case LABEL_EXISTS:
    case LABEL_MISSING:
        strbuf_add(&s->sql, " AND %slabels ? $%d", f->op == LABEL_EXISTS ? "" : "NOT ",
                   param(s, f->key));
    }
    json_decref(o);
}

/* False: all runs, but those that were removed. */
static bool is_narrow(const struct run_query *q) {
    return q->n_filter || q->process || q->text || q->since_ns || q->until_ns || q->removed;
}

/* Behind WHERE, over runs. */
static void add_conditions(struct statement *s, const struct run_query *q) {
    strbuf_add(&s->sql, "deleted_ns IS %sNULL", q->removed ? "NOT " : "");
    for (size_t i = 0; i < q->n_filter; i++)
        add_filter(s, &q->filter[i]);
    if (q->process)
        strbuf_add(&s->sql, " AND process = $%d", param(s, q->process));
    if (q->text)
        strbuf_add(&s->sql, " AND words LIKE $%d", pattern(s, q->text));
    if (q->since_ns)
        strbuf_add(&s->sql, " AND begun_ns >= $%d::bigint", number(s, q->since_ns));
    if (q->until_ns)
        strbuf_add(&s->sql, " AND begun_ns <= $%d::bigint", number(s, q->until_ns));
}

/* Of a condition that many runs meet an exact number takes seconds: not beyond STORE_COUNTED. */
static int count(struct pg *pg, const struct run_query *q, uint64_t *total, bool *more,
                 struct err *err) {
    struct statement s;
    struct pg_rows rows = {0};
    begin_statement(&s);
    if (is_narrow(q)) {
        strbuf_add(&s.sql, "SELECT count(*) FROM (SELECT FROM runs WHERE ");
        add_conditions(&s, q);
        strbuf_add(&s.sql, " LIMIT %d) x", STORE_COUNTED + 1);
    } else { /* of all runs it is known */
        strbuf_add(&s.sql, "SELECT coalesce(sum(live), 0) FROM words WHERE key = ''");
    }
    int rc = check_full(pg, &s, err);
    if (rc == 0)
        rc = pg_ask_with(pg, &rows, err, s.text, &s.p);
    if (rc == 0)
        *total = (uint64_t)pg_integer(&rows, 0, 0);
    *more = is_narrow(q) && *total > STORE_COUNTED;
    if (*more)
        *total = STORE_COUNTED;
    pg_rows_free(&rows);
    end_statement(&s);
    return rc;
}

/* --- values of metrics --- */

/* The column of a metric that has one, with an index; or NULL. */
static const char *column_of(const char *metric) {
    static const char *const columns[STORE_TOPS] = {"frontend_bound", "bad_speculation",
                                                    "backend_bound", "retiring"};
    for (int i = 0; metric && i < STORE_TOPS; i++)
        if (strcmp(metric, store_tops[i]) == 0)
            return columns[i];
    return NULL;
}

/* The same name can stand at several places of a tree: the first one counts, as in the run. What is
 * in no model is told by the run itself. */
static void join_metric(struct statement *s, const char *as, const char *metric) {
    const int n = param(s, metric);
    strbuf_add(&s->sql,
               " LEFT JOIN (SELECT shape, min(ord) + 1 AS ord FROM metrics WHERE name = $%d OR"
               " path = $%d GROUP BY shape) %s ON %s.shape = r.shape",
               n, n, as, as);
}

/* Not formatted by the caller: `as` is its own. */
static void add_value(struct statement *s, const char *as, const char *metric, const char *array) {
    const bool is_value = strcmp(array, "value") == 0;
    if (is_value && column_of(metric))
        strbuf_add(&s->sql, "r.%s", column_of(metric));
    else if (is_value && run_is_elapsed(metric))
        strbuf_add(&s->sql,
                   "CASE WHEN %s.ord IS NULL AND r.ran_through THEN r.measured_ns::float8 / 1e9"
                   " ELSE r.value[%s.ord] END",
                   as, as);
    else
        strbuf_add(&s->sql, "r.%s[%s.ord]", array, as);
}

static const char *by_metric(const struct run_query *q) {
    return q->order != BY_METRIC ? NULL : q->by ? q->by : q->metric;
}

/* In both directions each is the order of one index. */
static void add_order(struct statement *s, const struct run_query *q) {
    static const char *const columns[][3] = {
        [BY_TIME] = {"begun_ns"},
        [BY_DURATION] = {"duration_ns"},
        [BY_PROCESS] = {"process", "begun_ns"},
        [BY_MODEL] = {"model", "begun_ns"},
        [BY_METRIC] = {"begun_ns"},
    };
    const char *down = q->ascending ? "" : " DESC";
    strbuf_add(&s->sql, " ORDER BY ");
    if (by_metric(q)) {
        add_value(s, "m_by", by_metric(q), "value");
        strbuf_add(&s->sql, "%s NULLS LAST, ", down);
    }
    if (q->removed && q->order == BY_TIME)
        strbuf_add(&s->sql, "r.deleted_ns%s, ", down);
    else
        for (int i = 0; columns[q->order][i]; i++)
            strbuf_add(&s->sql, "r.%s%s, ", columns[q->order][i], down);
    strbuf_add(&s->sql, "r.run%s", down);
}

/* --- some of the runs, in brackets as r --- */

static void add_runs(struct statement *s, const struct run_query *q) {
    strbuf_add(&s->sql, "(SELECT * FROM runs r WHERE ");
    add_conditions(s, q);
}

static void add_part(struct statement *s, uint64_t n, uint64_t skip) {
    if (n)
        strbuf_add(&s->sql, " LIMIT %llu", (unsigned long long)n);
    if (skip)
        strbuf_add(&s->sql, " OFFSET %llu", (unsigned long long)skip);
}

/* The newest that are counted. */
static void add_newest(struct statement *s, const struct run_query *q) {
    struct run_query newest = *q;
    newest.order = BY_TIME;
    newest.ascending = false;
    add_runs(s, q);
    add_order(s, &newest);
    add_part(s, STORE_COUNTED, 0);
    strbuf_add(&s->sql, ") r");
}

/* Of a page towards the end of all runs those behind it are fewer. */
static void add_page(struct statement *s, const struct run_query *q, uint64_t total) {
    struct run_query order = *q;
    const uint64_t left = total > q->skip ? total - q->skip : 0;
    uint64_t n = q->limit, skip = q->skip;
    if (!is_narrow(q) && n && left < skip) {
        order.ascending = !q->ascending;
        n = n < left ? n : left;
        skip = left - n;
    }
    add_runs(s, q);
    add_order(s, &order);
    add_part(s, n, skip);
    strbuf_add(&s->sql, ") r");
}

/* By a metric that has a column: those without it are last whichever way the index is read. */
static void add_page_by_column(struct statement *s, const struct run_query *q) {
    struct run_query time = *q;
    const char *column = column_of(by_metric(q)), *down = q->ascending ? "" : " DESC";
    const size_t from = s->sql.n + 1;
    time.order = BY_TIME;
    time.removed = false; /* among equals they are by their begin */
    strbuf_add(&s->sql, "(");
    add_runs(s, q);
    const int n = (int)(s->sql.n - from);
    strbuf_add(&s->sql, " AND r.%s IS NOT NULL ORDER BY r.%s%s, r.begun_ns%s, r.run%s", column,
               column, down, down, down);
    add_part(s, q->skip + q->limit, 0);
    strbuf_add(&s->sql, ") UNION ALL %.*s AND r.%s IS NULL", n, s->text + from, column);
    add_order(s, &time);
    add_part(s, q->skip + q->limit, 0);
    strbuf_add(&s->sql, ")) r");
}

/* --- the list --- */

enum column {
    COL_ID,
    COL_BEGUN,
    COL_DURATION,
    COL_INTERVALS,
    COL_LEVEL,
    COL_SIMULATED,
    COL_SYSTEM,
    COL_PROCESS,
    COL_TARGET,
    COL_MODEL,
    COL_NOTE,
    COL_BOTTLENECK,
    COL_REMOVED,
    COL_UNFINISHED,
    COL_LABELS,
    COL_VALUE,
    COL_SE,
    COL_SHARE,
    COL_TOP,
};

struct listing {
    struct pg *pg;
    const struct run_query *q;
    struct run_list *out;
    run_each *each;
    void *user;
    struct err *err;
};

static void add_columns(struct statement *s, const struct run_query *q) {
    strbuf_add(&s->sql,
               "r.id, r.begun_ns, r.duration_ns, r.intervals, r.level, r.simulated::int,"
               " r.system_wide::int, r.process, r.target, r.model, r.note, r.bottleneck,"
               " r.deleted_ns, (r.doubt LIKE '" RUN_UNFINISHED "%%')::int, r.label_list, ");
    if (q->metric) {
        add_value(s, "m_value", q->metric, "value");
        strbuf_add(&s->sql, ", ");
        add_value(s, "m_value", q->metric, "se");
    } else {
        strbuf_add(&s->sql, "NULL, NULL");
    }
    strbuf_add(&s->sql, q->without_top || q->without_share
                            ? ", NULL"
                            : ", (SELECT r.value[b.ord + 1] FROM metrics b WHERE b.shape = r.shape"
                              " AND b.path = r.bottleneck ORDER BY b.ord LIMIT 1)");
    for (int i = 0; i < STORE_TOPS && !q->without_top; i++)
        strbuf_add(&s->sql, ", r.%s", column_of(store_tops[i]));
}

/* By an index the rows come in order, and only those that are wanted are joined. */
static void write_list(struct statement *s, const struct run_query *q, const struct run_list *l) {
    const bool by_column = column_of(by_metric(q)) != NULL;
    begin_statement(s);
    strbuf_add(&s->sql, "DECLARE rows NO SCROLL CURSOR FOR SELECT ");
    add_columns(s, q);
    strbuf_add(&s->sql, " FROM ");
    if (!by_metric(q))
        add_page(s, q, l->total);
    else if (by_column && q->limit)
        add_page_by_column(s, q);
    else if (l->newest)
        add_newest(s, q);
    else
        add_runs(s, q), strbuf_add(&s->sql, ") r");
    if (q->metric)
        join_metric(s, "m_value", q->metric);
    if (by_metric(q) && !by_column)
        join_metric(s, "m_by", by_metric(q));
    add_order(s, q);
    if (by_metric(q))
        add_part(s, q->limit, q->skip);
}

static char *keep(struct listing *l, const char *text) {
    char *to = arena_text(l->out->arena_, text, strlen(text));
    if (to)
        str_clean(to, "\n\t");
    return to;
}

static int no_memory(struct listing *l) {
    return err_set(l->err, -ENOMEM, "%s: listing runs: out of memory", l->pg->path);
}

static bool is_wanted(const struct run_query *q, const char *key) {
    for (const char **k = q->keys; k && *k; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return !q->keys;
}

static int fill_labels(struct listing *l, struct run_row *row, const char *list) {
    json_t *all = json_loads(list, 0, NULL), *one;
    size_t i;
    row->label = arena_alloc(l->out->arena_, (json_array_size(all) + 1) * sizeof(*row->label));
    if (!row->label) {
        json_decref(all);
        return no_memory(l);
    }
    json_array_foreach(all, i, one) {
        const char *key = json_string_value(json_array_get(one, 0));
        const char *value = json_string_value(json_array_get(one, 1));
        if (!key || !value || !is_wanted(l->q, key))
            continue;
        struct run_label label = {keep(l, key), keep(l, value),
                                  json_is_true(json_array_get(one, 2)), NULL};
        if (!label.key || !label.value) {
            json_decref(all);
            return no_memory(l);
        }
        row->label[row->n_label++] = label;
    }
    json_decref(all);
    return 0;
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const struct run_label *)a)->key, ((const struct run_label *)b)->key);
}

/* Wanted ones as they were asked for, else by their keys. */
static void sort_labels(const struct run_query *q, struct run_row *row) {
    size_t at = 0;
    if (!q->keys)
        qsort(row->label, row->n_label, sizeof(*row->label), by_key);
    for (const char **k = q->keys; k && *k; k++)
        for (size_t i = at; i < row->n_label; i++)
            if (strcmp(row->label[i].key, *k) == 0) {
                const struct run_label found = row->label[i];
                row->label[i] = row->label[at];
                row->label[at++] = found;
                break;
            }
}

static int fill_row(struct listing *l, struct run_row *row, const struct pg_rows *rows, int i) {
    *row = (struct run_row){
        .begun_ns = pg_integer(rows, i, COL_BEGUN),
        .duration_ns = (uint64_t)pg_integer(rows, i, COL_DURATION),
        .n_interval = (uint64_t)pg_integer(rows, i, COL_INTERVALS),
        .level = (int)pg_integer(rows, i, COL_LEVEL),
        .simulated = pg_integer(rows, i, COL_SIMULATED) != 0,
        .system_wide = pg_integer(rows, i, COL_SYSTEM) != 0,
        .removed_ns = pg_integer(rows, i, COL_REMOVED),
        .unfinished = pg_integer(rows, i, COL_UNFINISHED) != 0,
        .value = pg_real(rows, i, COL_VALUE),
        .value_se = pg_real(rows, i, COL_SE),
        .bottleneck_share = pg_real(rows, i, COL_SHARE),
    };
    for (int k = 0; k < STORE_TOPS; k++)
        row->top[k] = l->q->without_top ? NAN : pg_real(rows, i, COL_TOP + k);
    char **const texts[] = {&row->process, &row->target, &row->model, &row->note, &row->bottleneck};
    for (int k = 0; k < 5; k++)
        if (!(*texts[k] = keep(l, pg_peek(rows, i, COL_PROCESS + k))))
            return no_memory(l);
    str_copy(row->id, sizeof(row->id), pg_peek(rows, i, COL_ID));
    const int rc = fill_labels(l, row, pg_peek(rows, i, COL_LABELS));
    if (rc == 0)
        sort_labels(l->q, row);
    return rc;
}

static int make_room(struct listing *l, size_t n) {
    struct run_row *row = realloc(l->out->row, (l->out->n + n + 1) * sizeof(*row));
    if (!row)
        return no_memory(l);
    l->out->row = row;
    return 0;
}

static int take(struct listing *l, const struct pg_rows *rows, int i) {
    struct run_row row;
    if (!l->each)
        return fill_row(l, &l->out->row[l->out->n++], rows, i);
    arena_clear(l->out->arena_);
    const int rc = fill_row(l, &row, rows, i);
    return rc < 0 ? rc : l->each(l->user, &row);
}

static int fetch(struct listing *l) {
    char sql[64];
    int rc = 0, n = 1;
    snprintf(sql, sizeof(sql), "FETCH %d FROM rows", AT_ONCE);
    while (rc == 0 && n > 0) {
        struct pg_rows rows = {0};
        rc = pg_ask(l->pg, &rows, l->err, sql, "");
        n = rc == 0 ? rows.n : 0;
        if (rc == 0 && !l->each)
            rc = make_room(l, (size_t)n);
        for (int i = 0; rc == 0 && i < n; i++)
            rc = take(l, &rows, i);
        pg_rows_free(&rows);
    }
    if (rc == 0)
        rc = pg_do(l->pg, l->err, "CLOSE rows", "");
    return rc;
}

/* Sorting by a metric that has no index reads the values of each run, which are beside its row. */
static void narrow_order(struct listing *l) {
    l->out->newest = by_metric(l->q) && !column_of(by_metric(l->q)) && l->q->limit &&
                     (l->out->more || l->out->total > STORE_COUNTED);
    if (l->out->newest) {
        l->out->more = true;
        l->out->total = STORE_COUNTED;
    }
}

static int read_rows(struct listing *l) {
    struct statement s;
    struct pg_rows none = {0};
    if (l->out->total <= l->q->skip && !l->out->more)
        return l->each ? 0 : make_room(l, 0);
    write_list(&s, l->q, l->out);
    int rc = check_full(l->pg, &s, l->err);
    if (rc == 0)
        rc = pg_ask_with(l->pg, &none, l->err, s.text, &s.p);
    pg_rows_free(&none);
    end_statement(&s);
    return rc == 0 ? fetch(l) : rc;
}

int pg_list(void *impl, const struct run_query *q, run_each *each, void *user, struct run_list *out,
            struct err *err) {
    struct listing l = {impl, q, out, each, user, err};
    out->arena_ = calloc(1, sizeof(struct arena));
    if (!out->arena_)
        return no_memory(&l);
    int rc = pg_begin_reading(l.pg, "listing runs", err);
    if (rc == 0)
        rc = count(l.pg, q, &out->total, &out->more, err);
    if (rc == 0) {
        narrow_order(&l);
        rc = read_rows(&l);
    }
    return pg_end(l.pg, rc, err);
}

/* --- groups --- */

static int add_group(struct pg *pg, struct run_group_list *out, const struct pg_rows *rows, int i,
                     struct err *err) {
    const char *text = pg_peek(rows, i, 0);
    char *value = arena_text(out->arena_, text, strlen(text));
    if (!value)
        return err_set(err, -ENOMEM, "%s: grouping runs: out of memory", pg->path);
    str_clean(value, "\n\t");
    out->group[out->n++] = (struct run_group){value, (uint64_t)pg_integer(rows, i, 1)};
    return 0;
}

static int read_groups(struct pg *pg, const struct run_query *q, const char *key,
                       struct run_group_list *out, struct err *err) {
    struct statement s;
    struct pg_rows rows = {0};
    begin_statement(&s);
    if (is_narrow(q)) {
        const int k = param(&s, key);
        strbuf_add(&s.sql, "SELECT labels->>$%d, count(*) FROM ", k);
        if (out->newest)
            add_newest(&s, q);
        else
            add_runs(&s, q), strbuf_add(&s.sql, ") r");
        strbuf_add(&s.sql, " WHERE labels ? $%d GROUP BY 1", k);
    } else {
        strbuf_add(&s.sql, "SELECT value, live FROM words WHERE live > 0 AND key = $%d",
                   param(&s, key));
    }
    int rc = check_full(pg, &s, err);
    if (rc == 0)
        rc = pg_ask_with(pg, &rows, err, s.text, &s.p);
    out->group = rc == 0 ? calloc((size_t)rows.n + 1, sizeof(*out->group)) : NULL;
    if (rc == 0 && !out->group)
        rc = err_set(err, -ENOMEM, "%s: grouping runs: out of memory", pg->path);
    for (int i = 0; rc == 0 && i < rows.n; i++)
        rc = add_group(pg, out, &rows, i, err);
    pg_rows_free(&rows);
    end_statement(&s);
    return rc;
}

int pg_groups(void *impl, const struct run_query *q, const char *key, struct run_group_list *out,
              struct err *err) {
    struct pg *pg = impl;
    out->arena_ = calloc(1, sizeof(struct arena));
    if (!out->arena_)
        return err_set(err, -ENOMEM, "%s: grouping runs: out of memory", pg->path);
    int rc = pg_begin_reading(pg, "grouping runs", err);
    if (rc == 0)
        rc = count(pg, q, &out->total, &out->newest, err);
    if (rc == 0)
        rc = read_groups(pg, q, key, out, err);
    return pg_end(pg, rc, err);
}

/* --- the place of a run --- */

/* v: the value that they are sorted by. */
static void add_all(struct statement *s, const struct run_query *q, bool newest) {
    const char *by = by_metric(q);
    strbuf_add(&s->sql, "WITH all_ AS %s(SELECT r.*",
               by && !column_of(by) ? "" : "NOT MATERIALIZED ");
    if (by) {
        strbuf_add(&s->sql, ", ");
        add_value(s, "m_by", by, "value");
        strbuf_add(&s->sql, " AS v");
    }
    strbuf_add(&s->sql, " FROM ");
    if (newest)
        add_newest(s, q);
    else
        add_runs(s, q), strbuf_add(&s->sql, ") r");
    if (by && !column_of(by))
        join_metric(s, "m_by", by);
}

/* Those before it are beyond it; where it is without the metric, so are those that have it. Of
 * equals with a metric none is compared with NULL. */
static void write_place(struct statement *s, const struct run_query *q, bool newest,
                        const char *id) {
    const char *sign = q->ascending ? "<" : ">", *v = by_metric(q) ? "v, " : "";
    const char *order = store_order(q);
    begin_statement(s);
    add_all(s, q, newest);
    strbuf_add(&s->sql,
               "), one AS (SELECT * FROM all_ WHERE id = $%d)"
               " SELECT (SELECT count(*) FROM one), (SELECT count(*) FROM"
               "  (SELECT FROM all_ WHERE (%s%s) %s (SELECT %s%s FROM one) LIMIT %d) x)",
               param(s, id), v, order, sign, v, order, STORE_COUNTED);
    if (by_metric(q))
        strbuf_add(&s->sql,
                   " + (SELECT count(*) FROM (SELECT FROM all_"
                   "  WHERE (SELECT v FROM one) IS NULL AND (v IS NOT NULL OR"
                   "   (%s) %s (SELECT %s FROM one)) LIMIT %d) x)",
                   order, sign, order, STORE_COUNTED);
}

/* Whether the list is one of the newest alone. */
static int is_among_newest(struct pg *pg, const struct run_query *q, bool *newest,
                           struct err *err) {
    struct run_list l = {0};
    *newest = false;
    if (!by_metric(q) || column_of(by_metric(q)))
        return 0;
    const int rc = count(pg, q, &l.total, &l.more, err);
    *newest = l.more || l.total > STORE_COUNTED;
    return rc;
}

int pg_place(void *impl, const struct run_query *q, const char *id, uint64_t *place,
             struct err *err) {
    struct pg *pg = impl;
    struct statement s;
    struct pg_rows rows = {0};
    bool newest = false;
    int rc = pg_begin_reading(pg, "looking for a run", err);
    if (rc == 0)
        rc = is_among_newest(pg, q, &newest, err);
    write_place(&s, q, newest, id);
    if (rc == 0)
        rc = check_full(pg, &s, err);
    if (rc == 0)
        rc = pg_ask_with(pg, &rows, err, s.text, &s.p);
    if (rc == 0 && (pg_integer(&rows, 0, 0) == 0 || pg_integer(&rows, 0, 1) >= STORE_COUNTED))
        rc = store_find_no_place(id, err);
    if (rc == 0)
        *place = (uint64_t)pg_integer(&rows, 0, 1);
    pg_rows_free(&rows);
    end_statement(&s);
    return pg_end(pg, rc, err);
}

/* --- one by its name --- */

static int find_newest(struct pg *pg, uint64_t n, const char *word, bool deleted,
                       char id[RUN_ID_LEN + 1], struct err *err) {
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err,
                    deleted ? "SELECT id FROM runs WHERE deleted_ns IS NOT NULL"
                              " ORDER BY deleted_ns DESC, run DESC LIMIT 1 OFFSET $1"
                            : "SELECT id FROM runs WHERE deleted_ns IS NULL"
                              " ORDER BY begun_ns DESC, run DESC LIMIT 1 OFFSET $1",
                    "i", (int64_t)n);
    if (rc == 0 && rows.n == 0)
        rc = store_find_too_few(pg->path, word, deleted, err);
    if (rc == 0)
        str_copy(id, RUN_ID_LEN + 1, pg_peek(&rows, 0, 0));
    pg_rows_free(&rows);
    return rc;
}

static int find_prefix(struct pg *pg, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
                       struct err *err) {
    struct store_found f = {.path = pg->path, .prefix = prefix, .deleted = deleted};
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err,
                    "SELECT id, (deleted_ns IS NOT NULL)::int FROM runs"
                    " WHERE id >= $1 AND id < $1 || 'g' ORDER BY id LIMIT 1000",
                    "t", prefix);
    for (int i = 0; rc == 0 && i < rows.n; i++)
        store_find_add(&f, pg_peek(&rows, i, 0), pg_integer(&rows, i, 1) != 0);
    pg_rows_free(&rows);
    return rc == 0 ? store_find_judge(&f, id, err) : rc;
}

int pg_find(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1],
            struct err *err) {
    struct pg *pg = impl;
    struct store_word word;
    int rc = store_find_word(prefix, &word, err);
    if (rc < 0)
        return rc;
    rc = pg_begin_reading(pg, "looking for a run", err);
    if (rc == 0)
        rc = word.prefix[0] ? find_prefix(pg, word.prefix, deleted, id, err)
                            : find_newest(pg, word.newest, prefix, deleted, id, err);
    return pg_end(pg, rc, err);
}

/* --- words for completion --- */

int pg_words(void *impl, const char *key, const char *prefix, size_t limit, char ***words,
             struct err *err) {
    struct pg *pg = impl;
    struct pg_rows rows = {0};
    pg->doing = "looking for words";
    pg->ends = true;
    int rc = pg_ask(pg, &rows, err,
                    key ? "SELECT value FROM words WHERE uses > 0 AND key = $1"
                          " AND starts_with(value, $2)"
                          " ORDER BY uses DESC, last_ns DESC, value LIMIT $3"
                        : "SELECT key FROM words WHERE uses > 0 AND key <> '' AND $1 = ''"
                          " AND starts_with(key, $2) GROUP BY key"
                          " ORDER BY sum(uses) DESC, max(last_ns) DESC, key LIMIT $3",
                    "tti", key ? key : "", prefix, limit ? (int64_t)limit : INT64_MAX);
    char **all = rc == 0 ? calloc((size_t)rows.n + 1, sizeof(*all)) : NULL;
    bool whole = all != NULL;
    for (int i = 0; whole && i < rows.n; i++)
        whole = (all[i] = strdup(pg_peek(&rows, i, 0))) != NULL;
    pg_rows_free(&rows);
    if (whole) {
        *words = all;
        return 0;
    }
    store_words_free(all);
    return rc < 0 ? rc : err_set(err, -ENOMEM, "%s: looking for words: out of memory", pg->path);
}

/* --- a statement of the user's --- */

/* pg_type.dat of PostgreSQL. */
enum {
    OID_BOOL = 16,
    OID_INT8 = 20,
    OID_INT2,
    OID_INT4 = 23,
    OID_FLOAT4 = 700,
    OID_FLOAT8,
    OID_NUMERIC = 1700,
};

static struct store_cell cell_of(const struct pg_rows *rows, int row, int column) {
    const char *text = pg_peek(rows, row, column);
    if (pg_is_null(rows, row, column))
        return (struct store_cell){.kind = CELL_NULL};
    switch (pg_type(rows, column)) {
    case OID_BOOL:
        return (struct store_cell){.kind = CELL_INTEGER, .integer = *text == 't'};
    case OID_INT2:
    case OID_INT4:
    case OID_INT8:
        return (struct store_cell){.kind = CELL_INTEGER, .integer = pg_integer(rows, row, column)};
    case OID_FLOAT4:
    case OID_FLOAT8:
    case OID_NUMERIC:
        return (struct store_cell){.kind = CELL_REAL, .real = strtod(text, NULL)};
    case PG_BYTES: /* \x and two digits each */
        return (struct store_cell){.kind = CELL_BYTES, .n = pg_length(rows, row, column) / 2 - 1};
    default:
        return (struct store_cell){.kind = CELL_TEXT, .text = text};
    }
}

static int give(const struct pg_rows *rows, const struct store_rows *to, bool first, bool *more) {
    const char **name = calloc((size_t)rows->columns + 1, sizeof(*name));
    struct store_cell *cell = calloc((size_t)rows->columns + 1, sizeof(*cell));
    const int rc = name && cell ? 0 : -ENOMEM;
    for (int i = 0; rc == 0 && i < rows->columns; i++)
        name[i] = pg_column(rows, i);
    if (rc == 0 && first)
        to->head(to->user, name, rows->columns);
    *more = rows->n > 0;
    for (int r = 0; rc == 0 && *more && r < rows->n; r++) {
        for (int i = 0; i < rows->columns; i++)
            cell[i] = cell_of(rows, r, i);
        *more = to->row(to->user, cell, rows->columns);
    }
    free(name);
    free(cell);
    return rc;
}

static int only_select(struct err *err) {
    return err_set(err, -EPERM, "sql: only SELECT, on the tables and views of docs/STORE.md");
}

static bool is_select(const char *sql) {
    static const char *const first[] = {"select", "with", "values", "table", "("};
    sql += strspn(sql, " \n\t");
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (strncasecmp(sql, first[i], strlen(first[i])) == 0)
            return true;
    return false;
}

/* A cursor takes nothing but what selects, and one statement; the transaction only reads. */
static int declare(struct pg *pg, const char *sql, struct err *err) {
    struct err why = {0};
    size_t n = strlen(sql);
    while (n > 0 && strchr("; \n\t", sql[n - 1]))
        n--;
    if (n == 0)
        return err_set(err, -EINVAL, "sql: no statement; as: tdtop sql 'SELECT * FROM run_values'");
    char *text = malloc(n + 64);
    if (!text)
        return err_set(err, -ENOMEM, "sql: out of memory");
    snprintf(text, n + 64, "DECLARE rows NO SCROLL CURSOR FOR %.*s", (int)n, sql);
    const int rc = pg_do(pg, &why, text, "");
    free(text);
    if (rc == -EROFS || (rc == -EUCLEAN && strstr(pg->said, "syntax error") && !is_select(sql)))
        return only_select(err);
    if (rc == -EUCLEAN && str_starts(pg->said, "relation "))
        return err_set(
            err, -EINVAL,
            "sql: %s; on a server there are runs, metrics, models, words, run_values, "
            "run_labels and run_labels_text; all else of a run is in a file that tdtop db "
            "copy makes",
            pg->said);
    if (rc == -EUCLEAN || rc == -EIO) /* what is wrong is the statement */
        return err_set(err, -EINVAL, "sql: %s", pg->said);
    return rc < 0 ? err_set(err, rc, "%s", why.text) : 0;
}

int pg_sql(void *impl, const char *sql, const struct store_rows *to, struct err *err) {
    struct pg *pg = impl;
    int rc = pg_begin_reading(pg, "reading", err);
    if (rc == 0)
        rc = declare(pg, sql, err);
    bool more = true;
    for (bool first = true; rc == 0 && more; first = false) {
        struct pg_rows rows = {0};
        struct err why = {0};
        rc = pg_ask(pg, &rows, &why, "FETCH 100 FROM rows", "");
        if (rc == 0 && give(&rows, to, first, &more) < 0)
            rc = err_set(err, -ENOMEM, "sql: out of memory");
        else if (rc == -EROFS)
            rc = only_select(err);
        else if (rc == -EIO) /* as a division by zero */
            rc = err_set(err, -EINVAL, "sql: %s", pg->said);
        else if (rc < 0)
            err_set(err, rc, "%s", why.text);
        pg_rows_free(&rows);
    }
    return pg_end(pg, rc, err);
}
