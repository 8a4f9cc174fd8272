/*
 * The tables on the server, a step per version; opening; what is done to a run by its id; care; and
 * the table of what a store of this kind does.
 */
#include "db/store_postgres.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/store_find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the tables --- */

/*
 * docs/STORE.md says what is where. Functions that save belong to the owner of the tables and run
 * with his rights: who may call them adds runs, and can do nothing else. Partitions are attached,
 * not created in place, so that nobody who writes meanwhile has to wait. Words of labels count runs
 * for completion and for groups of all runs; the empty key counts the runs themselves.
 */
static const char *const version_1[] = {
    "CREATE TABLE version (version int NOT NULL)",
    "INSERT INTO version VALUES (1)",
    "CREATE TABLE models (hash text PRIMARY KEY, name text NOT NULL, text text NOT NULL)",
    "CREATE TABLE shapes ("
    "  shape int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, hash text NOT NULL UNIQUE)",
    "CREATE TABLE metrics ("
    "  shape int NOT NULL REFERENCES shapes ON DELETE CASCADE, ord int NOT NULL,"
    "  name text COLLATE \"C\" NOT NULL, path text COLLATE \"C\" NOT NULL, unit text NOT NULL,"
    "  level int NOT NULL, good_up bool NOT NULL, share bool NOT NULL, PRIMARY KEY (shape, ord))",
    "CREATE INDEX metrics_by_name ON metrics (name)",
    "CREATE INDEX metrics_by_path ON metrics (path)",
    "CREATE SEQUENCE run_numbers",
    "CREATE TABLE runs ("
    "  run bigint NOT NULL DEFAULT nextval('run_numbers'), id text COLLATE \"C\" NOT NULL,"
    "  begun_ns bigint NOT NULL, ended_ns bigint NOT NULL, duration_ns bigint NOT NULL,"
    "  measured_ns bigint NOT NULL, intervals bigint NOT NULL, level int NOT NULL,"
    "  system_wide bool NOT NULL, simulated bool NOT NULL, ran_through bool NOT NULL,"
    "  process text COLLATE \"C\" NOT NULL, target text NOT NULL, model text COLLATE \"C\" NOT "
    "NULL,"
    "  model_hash text, bottleneck text COLLATE \"C\" NOT NULL, doubt text NOT NULL,"
    "  note text NOT NULL, labels jsonb NOT NULL, label_list json NOT NULL, words text NOT NULL,"
    "  shape int NOT NULL, value float8[] NOT NULL, err float4[] NOT NULL, se float4[] NOT NULL,"
    "  deleted_ns bigint, store bytea NOT NULL, frontend_bound float8, bad_speculation float8,"
    "  backend_bound float8, retiring float8, PRIMARY KEY (id, begun_ns))"
    " PARTITION BY RANGE (begun_ns)",
    "CREATE INDEX runs_by_time ON runs (begun_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_duration ON runs (duration_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_process ON runs (process, begun_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_model ON runs (model, begun_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_frontend ON runs (frontend_bound, begun_ns, run) WHERE deleted_ns IS "
    "NULL",
    "CREATE INDEX runs_by_speculation ON runs (bad_speculation, begun_ns, run)"
    "  WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_backend ON runs (backend_bound, begun_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_retiring ON runs (retiring, begun_ns, run) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_shape ON runs (shape)",
    "CREATE INDEX runs_by_hash ON runs (model_hash)",
    "CREATE INDEX runs_deleted ON runs (deleted_ns, run) WHERE deleted_ns IS NOT NULL",
    "CREATE INDEX runs_by_label ON runs USING gin (labels jsonb_path_ops)",
    "CREATE TABLE words ("
    "  key text COLLATE \"C\" NOT NULL, value text COLLATE \"C\" NOT NULL, uses bigint NOT NULL,"
    "  live bigint NOT NULL, last_ns bigint NOT NULL)",
    "CREATE UNIQUE INDEX words_by_value ON words (key, md5(value))",

    "CREATE FUNCTION month_ns(t timestamp) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$"
    "  SELECT extract(epoch FROM t)::bigint * 1000000000 $$",
    "CREATE FUNCTION make_month(t bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER"
    "  SET search_path = tdtop, pg_temp AS $$"
    " DECLARE"
    "  at timestamp := date_trunc('month',"
    "   to_timestamp(t / 1000000000 - (t % 1000000000 < 0)::int) AT TIME ZONE 'UTC');"
    "  part text := to_char(at, '\"runs_\"YYYY_MM');"
    " BEGIN"
    "  IF to_regclass('tdtop.' || part) IS NOT NULL THEN RETURN; END IF;"
    "  PERFORM pg_advisory_xact_lock(1952740464, 1);"
    "  IF to_regclass('tdtop.' || part) IS NOT NULL THEN RETURN; END IF;"
    "  EXECUTE format('CREATE TABLE %I (LIKE runs INCLUDING ALL)', part);"
    "  EXECUTE format('ALTER TABLE runs ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part,"
    "    month_ns(at), month_ns(at + interval '1 month'));"
    " END $$",
    "CREATE FUNCTION count_words(l jsonb, n int, n_live int, t bigint) RETURNS void LANGUAGE sql"
    "  SECURITY DEFINER SET search_path = tdtop, pg_temp AS $$"
    "  INSERT INTO words AS w SELECT key, value, n, n_live, t FROM"
    "   (SELECT key COLLATE \"C\", value COLLATE \"C\" FROM jsonb_each_text(l)"
    "    UNION ALL SELECT '', '') x"
    "   ORDER BY 1, 2"
    "  ON CONFLICT (key, md5(value)) DO UPDATE SET uses = w.uses + n, live = w.live + n_live,"
    "   last_ns = greatest(w.last_ns, excluded.last_ns) $$",
    "CREATE FUNCTION words_of(VARIADIC t text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$"
    "  SELECT lower(array_to_string(t, E'\\n') COLLATE \"C\") $$",
    "CREATE FUNCTION words_of_labels(l jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$"
    "  SELECT string_agg(key || '=' || value, E'\\n') FROM jsonb_each_text(l) $$",
    "CREATE FUNCTION find_shape(h text, m json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER"
    "  SET search_path = tdtop, pg_temp AS $$"
    " DECLARE s int;"
    " BEGIN"
    "  SELECT shape INTO s FROM shapes WHERE hash = h;"
    "  IF s IS NOT NULL THEN RETURN s; END IF;"
    "  INSERT INTO shapes (hash) VALUES (h) ON CONFLICT DO NOTHING RETURNING shape INTO s;"
    "  IF s IS NULL THEN SELECT shape INTO s FROM shapes WHERE hash = h; RETURN s; END IF;"
    "  INSERT INTO metrics SELECT s, ord - 1, v->>0, v->>1, v->>2, (v->>3)::int, (v->>4)::bool,"
    "   (v->>5)::bool FROM json_array_elements(m) WITH ORDINALITY AS x(v, ord);"
    "  RETURN s;"
    " END $$",
    /* The same name can stand at several places of a tree: the first one counts. */
    "CREATE FUNCTION value_of(s int, v float8[], n text) RETURNS float8 LANGUAGE sql STABLE AS $$"
    "  SELECT v[min(ord) + 1] FROM metrics WHERE shape = s AND name = n $$",
    /* False: the run is there, deleted or not. */
    "CREATE FUNCTION save_run(id text, begun_ns bigint, ended_ns bigint, duration_ns bigint,"
    "  measured_ns bigint, intervals bigint, level int, system_wide bool, simulated bool,"
    "  ran_through bool, process text, target text, model text, model_hash text, model_text text,"
    "  bottleneck text, doubt text, note text, label_list json, shape_hash text, metrics json,"
    "  value float8[], err float4[], se float4[], store bytea)"
    "  RETURNS bool LANGUAGE plpgsql SECURITY DEFINER SET search_path = tdtop, pg_temp AS $$"
    " DECLARE"
    "  l jsonb := (SELECT coalesce(jsonb_object_agg(e->>0, e->>1), '{}')"
    "   FROM json_array_elements(label_list) e);"
    "  n int;"
    "  s int;"
    " BEGIN"
    "  PERFORM pg_advisory_xact_lock_shared(1952740464, 2);"
    "  IF EXISTS (SELECT FROM runs r WHERE r.id = save_run.id) THEN RETURN false; END IF;"
    "  PERFORM make_month(begun_ns);"
    "  IF model_hash IS NOT NULL THEN"
    "   INSERT INTO models VALUES (model_hash, model, model_text) ON CONFLICT DO NOTHING;"
    "  END IF;"
    "  s := find_shape(shape_hash, metrics);"
    "  INSERT INTO runs (id, begun_ns, ended_ns, duration_ns, measured_ns, intervals, level,"
    "    system_wide, simulated, ran_through, process, target, model, model_hash, bottleneck,"
    "    doubt, note, labels, label_list, words, shape, value, err, se, store, frontend_bound,"
    "    bad_speculation, backend_bound, retiring)"
    "   VALUES (id, begun_ns, ended_ns, duration_ns, measured_ns, intervals, level, system_wide,"
    "    simulated, ran_through, process, target, model, model_hash, bottleneck, doubt, note, l,"
    "    label_list, words_of(id, process, target, model, bottleneck, note, words_of_labels(l)),"
    "    s, value, err, se, store, value_of(s, value, 'Frontend_Bound'),"
    "    value_of(s, value, 'Bad_Speculation'), value_of(s, value, 'Backend_Bound'),"
    "    value_of(s, value, 'Retiring')) ON CONFLICT DO NOTHING;"
    "  GET DIAGNOSTICS n = ROW_COUNT;"
    "  IF n > 0 THEN PERFORM count_words(l, 1, 1, begun_ns); END IF;"
    "  RETURN n > 0;"
    " END $$",

    /* For people with psql. */
    "CREATE VIEW run_values AS SELECT"
    "  r.id, to_timestamp(r.begun_ns / 1e9) AT TIME ZONE 'UTC' AS begun, r.process, r.model,"
    "  m.name AS metric, m.path, m.unit, m.level, r.value[m.ord + 1] AS value,"
    "  r.err[m.ord + 1] AS err, r.se[m.ord + 1] AS se"
    "  FROM runs r JOIN metrics m ON m.shape = r.shape WHERE r.deleted_ns IS NULL",
    "CREATE VIEW run_labels AS SELECT r.id, e->>0 AS key, e->>1 AS value,"
    "  (e->>2)::bool AS automatic FROM runs r, json_array_elements(r.label_list) e"
    "  WHERE r.deleted_ns IS NULL",
    "CREATE VIEW run_labels_text AS SELECT"
    "  r.id, to_timestamp(r.begun_ns / 1e9) AT TIME ZONE 'UTC' AS begun, r.process,"
    "  r.duration_ns / 1e9 AS seconds, (SELECT string_agg(key || '=' || value, ' ')"
    "   FROM jsonb_each_text(r.labels)) AS labels, r.note"
    "  FROM runs r WHERE r.deleted_ns IS NULL",
    "REVOKE ALL ON FUNCTION save_run, make_month, count_words, find_shape FROM PUBLIC",
    NULL,
};

static const char *const *const steps[PG_VERSION] = {version_1};

/* Searches of text have an index where the server has the module for it. */
static const char with_trigrams[] =
    "DO $$ BEGIN"
    "  CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;"
    "  CREATE INDEX IF NOT EXISTS runs_by_words ON runs USING gin (words public.gin_trgm_ops);"
    " EXCEPTION WHEN OTHERS THEN NULL; END $$";

static int migrate(struct pg *pg, int64_t from, struct err *err) {
    int rc = 0;
    for (int64_t v = from; v < PG_VERSION && rc == 0; v++) {
        for (const char *const *sql = steps[v]; *sql && rc == 0; sql++)
            rc = pg_do(pg, err, *sql, "");
        if (rc == 0)
            rc = pg_do(pg, err, "UPDATE version SET version = $1::bigint", "i", v + 1);
    }
    return rc == 0 ? pg_do(pg, err, with_trigrams, "") : rc;
}

static int read_version(struct pg *pg, int64_t *version, struct err *err) {
    int64_t there = 0;
    *version = 0;
    int rc =
        pg_number(pg, &there, err, "SELECT (to_regclass('tdtop.version') IS NOT NULL)::int", "");
    if (rc == 0 && there)
        rc = pg_number(pg, version, err, "SELECT version FROM tdtop.version", "");
    return rc;
}

static int set_up(struct pg *pg, struct err *err) {
    int64_t version = 0;
    int rc = pg_begin(pg, "setting the store up", err);
    if (rc == 0)
        rc = pg_lock(pg, PG_LOCK_TABLES, false, err);
    if (rc == 0)
        rc = read_version(pg, &version, err);
    if (rc == 0 && version == 0)
        rc = pg_do(pg, err, "CREATE SCHEMA IF NOT EXISTS tdtop", "");
    if (rc == 0)
        rc = migrate(pg, version, err);
    return pg_end(pg, rc, err);
}

static int check_version(struct pg *pg, struct err *err) {
    int64_t version = 0;
    int rc = read_version(pg, &version, err);
    if (rc == 0 && version > PG_VERSION)
        return err_set(err, -EPROTO,
                       "%s: a newer tdtop made it (version %lld, this one knows %d); use that one",
                       pg->path, (long long)version, PG_VERSION);
    if (rc == 0 && version == 0 && !pg_saves(pg))
        return err_set(err, -ENOENT,
                       "%s: there is no store of runs yet; tdtop db init makes one, --db names "
                       "another",
                       pg->path);
    return rc == 0 && version < PG_VERSION && pg->mode != STORE_READ ? set_up(pg, err) : rc;
}

/* Texts of runs are UTF-8. */
static int check_encoding(struct pg *pg, struct err *err) {
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err, "SHOW server_encoding", "");
    const char *is = rc == 0 ? pg_peek(&rows, 0, 0) : "";
    if (rc == 0 && strcmp(is, "UTF8") != 0 && strcmp(is, "SQL_ASCII") != 0)
        rc = err_set(err, -EINVAL,
                     "%s: the database is in %.20s; make one with createdb -E UTF8 -T template0",
                     pg->path, is);
    pg_rows_free(&rows);
    return rc;
}

/* Known before anything is measured. */
static int check_right(struct pg *pg, struct err *err) {
    int64_t may = 0;
    const int rc = pg_number(pg, &may, err,
                             "SELECT coalesce(bool_and(has_function_privilege(oid, 'EXECUTE')),"
                             " false)::int FROM pg_proc WHERE proname = 'save_run' AND pronamespace"
                             " = 'tdtop'::regnamespace",
                             "");
    return rc == 0 && !may
               ? err_set(err, -EACCES,
                         "%s: this role may not add runs; as the owner of the store: make it a "
                         "member of a role with EXECUTE on tdtop.save_run (docs/FLEET.md)",
                         pg->path)
               : rc;
}

/* --- opening --- */

static void pg_close(void *impl) {
    struct pg *pg = impl;
    pg_grow_end(pg);
    pg_disconnect(pg);
    free(pg->dsn);
    free(pg);
}

int pg_ready(struct pg *pg, struct err *err) {
    int rc = pg_connect(pg, err);
    if (rc < 0 || pg->is_checked)
        return rc;
    pg->is_checked = true; /* which asks by the same functions */
    rc = check_encoding(pg, err);
    if (rc == 0)
        rc = check_version(pg, err);
    if (rc == 0 && pg_saves(pg))
        rc = check_right(pg, err);
    pg->is_checked = rc == 0;
    return rc;
}

bool pg_saves(const struct pg *pg) {
    return pg->mode == STORE_WRITE || pg->mode == STORE_KEEP;
}

/* Who saves can do so while the server is gone, and has no connection while it measures. */
static int begin(struct pg *pg, struct err *err) {
    struct err why = {0};
    const int rc = pg_ready(pg, &why);
    if (pg_saves(pg))
        pg_disconnect(pg);
    if (rc == 0)
        return 0;
    pg->unsent = why;
    const bool goes_on =
        pg->mode == STORE_KEEP ? rc != -EINVAL : pg_saves(pg) && rc == -EHOSTUNREACH;
    return goes_on ? 0 : err_set(err, rc, "%s", why.text);
}

static int pg_open(void **impl, const char *dsn, const char *path, enum store_mode mode,
                   bool (*wait)(void *user, double waited_s), void *user, struct err *err) {
    (void)wait, (void)user;
    struct pg *pg = calloc(1, sizeof(*pg));
    if (!pg || !(pg->dsn = strdup(dsn))) {
        free(pg);
        return err_set(err, -ENOMEM, "%s: out of memory", path);
    }
    pg->path = path;
    pg->doing = "opening";
    pg->mode = mode;
    outbox_find(&pg->outbox, path);
    const int rc = begin(pg, err);
    if (rc < 0)
        pg_close(pg);
    else
        *impl = pg;
    return rc;
}

static void on_wait(void *impl, bool (*wait)(void *user, double waited_s), void *user) {
    (void)impl, (void)wait, (void)user; /* the server waits: lock_timeout */
}

/* --- a run by its id --- */

static int mark_deleted(void *impl, const char *id, bool deleted, struct err *err) {
    struct pg *pg = impl;
    struct pg_rows rows = {0};
    int rc = pg_begin(pg, deleted ? "deleting a run" : "bringing a run back", err);
    if (rc == 0)
        rc = pg_lock(pg, PG_LOCK_WORDS, true, err);
    if (rc == 0)
        rc = deleted ? pg_ask(pg, &rows, err,
                              "UPDATE runs SET deleted_ns = $2 WHERE id = $1 AND deleted_ns IS NULL"
                              " RETURNING count_words(labels, 0, -1, begun_ns)",
                              "ti", id, (int64_t)clock_wall_ns())
                     : pg_ask(pg, &rows, err,
                              "UPDATE runs r SET deleted_ns = NULL FROM"
                              " (SELECT id, deleted_ns FROM runs WHERE id = $1 FOR UPDATE) b"
                              " WHERE r.id = b.id RETURNING CASE WHEN b.deleted_ns IS NOT NULL"
                              " THEN count_words(labels, 0, 1, begun_ns) END",
                              "t", id);
    if (rc == 0 && rows.n == 0)
        rc = deleted ? store_find_no_run(pg->path, id, err)
                     : err_set(err, -ENOENT,
                               "run %.40s: it is not in %s any more; it was pruned, or never there",
                               id, pg->path);
    pg_rows_free(&rows);
    return pg_end(pg, rc, err);
}

/* --- care --- */

/* They are in each run's row: of many runs some thousands say how many one has. */
static int count_intervals(struct pg *pg, struct store_stats *out, struct err *err) {
    int64_t n = 0;
    out->about = out->n_run > STORE_COUNTED;
    const int rc =
        out->about ? pg_number(pg, &n, err,
                               "SELECT coalesce(avg(intervals) * $1::bigint, 0)::bigint FROM runs"
                               " TABLESAMPLE SYSTEM (100.0 * $2::bigint / $1::bigint)"
                               " WHERE deleted_ns IS NULL",
                               "ii", (int64_t)out->n_run, (int64_t)STORE_COUNTED)
                   : pg_number(pg, &n, err,
                               "SELECT coalesce(sum(intervals), 0)::bigint FROM runs"
                               " WHERE deleted_ns IS NULL",
                               "");
    out->n_interval = (uint64_t)n;
    return rc;
}

static int stats(void *impl, struct store_stats *out, struct err *err) {
    struct pg *pg = impl;
    struct pg_rows rows = {0};
    pg->doing = "counting what is in it";
    pg->ends = true;
    int rc = pg_ask(pg, &rows, err,
                    "SELECT coalesce(sum(live), 0), coalesce(sum(uses - live), 0),"
                    " (SELECT count(*) FROM models),"
                    " (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace"
                    "  n ON n.oid = c.relnamespace AND n.nspname = 'tdtop' AND c.relkind = 'r'),"
                    " (SELECT version FROM version) FROM words WHERE key = ''",
                    "");
    if (rc == 0)
        *out = (struct store_stats){.n_run = (uint64_t)pg_integer(&rows, 0, 0),
                                    .n_deleted = (uint64_t)pg_integer(&rows, 0, 1),
                                    .n_model = (uint64_t)pg_integer(&rows, 0, 2),
                                    .bytes = (uint64_t)pg_integer(&rows, 0, 3),
                                    .version = (int)pg_integer(&rows, 0, 4)};
    pg_rows_free(&rows);
    return rc < 0 ? rc : count_intervals(pg, out, err);
}

struct checking {
    struct pg *pg;
    void (*problem)(void *user, const char *text);
    void *user;
    int n;
};

static void report(struct checking *c, const char *text) {
    c->n++;
    if (c->problem)
        c->problem(c->user, text);
}

/* What a run's row says beside its bytes must be what they say. */
static int check_run(struct checking *c, const struct pg_rows *ids, int i, struct err *err) {
    struct run r = {0};
    struct err why = {0};
    char text[200];
    const char *id = pg_peek(ids, i, 0);
    const int rc = pg_load_any(c->pg, id, RUN_ALL, &r, &why);
    snprintf(text, sizeof(text), "run %.40s: its row is not what was written", id);
    if (rc == -EUCLEAN || rc == -EPROTO)
        report(c, why.text);
    else if (rc == 0 && (r.begun_ns != pg_integer(ids, i, 1) ||
                         strcmp(r.bottleneck, pg_peek(ids, i, 2)) != 0 ||
                         r.node.n != (size_t)pg_integer(ids, i, 3)))
        report(c, text);
    run_free(&r);
    return rc == 0 || rc == -EUCLEAN || rc == -EPROTO || rc == -ENOENT /* pruned meanwhile */
               ? 0
               : err_set(err, rc, "%s", why.text);
}

static int check(void *impl, void (*problem)(void *user, const char *text), void *user,
                 struct err *err) {
    struct checking c = {.pg = impl, .problem = problem, .user = user};
    struct pg_rows rows = {0};
    c.pg->doing = "checking it";
    c.pg->ends = true;
    int rc = pg_ask(c.pg, &rows, err,
                    "SELECT CASE coalesce(w.key, x.key) WHEN '' THEN 'runs' ELSE 'label ' ||"
                    " coalesce(w.key, x.key) END || ': ' || coalesce(w.uses, 0) || ' are counted, '"
                    " || coalesce(w.live, 0) || ' of them not deleted; there are ' ||"
                    " coalesce(x.uses, 0) || ' and ' || coalesce(x.live, 0)"
                    " FROM (SELECT * FROM words WHERE uses <> 0 OR live <> 0) w FULL JOIN"
                    " (SELECT e.key COLLATE \"C\" AS key, e.value COLLATE \"C\" AS value,"
                    "  count(*) AS uses, count(*) FILTER (WHERE deleted_ns IS NULL) AS live"
                    "  FROM runs, LATERAL (SELECT key, value FROM jsonb_each_text(labels) UNION ALL"
                    "  SELECT '', '') e GROUP BY 1, 2) x USING (key, value)"
                    " WHERE (w.uses, w.live) IS DISTINCT FROM (x.uses, x.live) LIMIT 100",
                    "");
    for (int i = 0; rc == 0 && i < rows.n; i++)
        report(&c, pg_peek(&rows, i, 0));
    pg_rows_free(&rows);
    if (rc == 0)
        rc = pg_ask(c.pg, &rows, err,
                    "SELECT id, begun_ns, bottleneck, cardinality(value) FROM runs ORDER BY run",
                    "");
    for (int i = 0; rc == 0 && i < rows.n; i++)
        rc = check_run(&c, &rows, i, err);
    pg_rows_free(&rows);
    return rc < 0 ? rc : c.n;
}

static int vacuum(void *impl, struct err *err) {
    struct pg *pg = impl;
    int64_t may = 0;
    pg->doing = "making it smaller";
    const int rc = pg_number(pg, &may, err,
                             "SELECT pg_has_role(relowner, 'USAGE')::int FROM pg_class"
                             " WHERE oid = 'runs'::regclass",
                             "");
    if (rc == 0 && !may) /* the server only warns */
        return err_set(err, -EACCES, "%s: making it smaller: only its owner may", pg->path);
    return rc < 0 ? rc
                  : pg_do(pg, err, "VACUUM (ANALYZE) tdtop.runs, tdtop.words, tdtop.metrics", "");
}

/* ---- what is too old ---- */

/* By an index each. */
#define DELETED "FROM runs WHERE deleted_ns IS NOT NULL"
#define TOO_OLD "FROM runs WHERE deleted_ns IS NULL AND begun_ns < $1"

static int count_doomed(struct pg *pg, int64_t limit, struct store_prune *out, struct err *err) {
    struct pg_rows rows = {0};
    const int rc =
        pg_ask(pg, &rows, err,
               "SELECT coalesce(sum(n), 0), coalesce(sum(n) FILTER (WHERE gone), 0),"
               " min(oldest), max(newest) FROM (SELECT true AS gone, count(*) AS n,"
               "  min(begun_ns) AS oldest, max(begun_ns) AS newest " DELETED
               " UNION ALL SELECT false, count(*), min(begun_ns), max(begun_ns) " TOO_OLD ") x",
               "i", limit);
    if (rc == 0)
        *out = (struct store_prune){.n = (uint64_t)pg_integer(&rows, 0, 0),
                                    .n_removed = (uint64_t)pg_integer(&rows, 0, 1),
                                    .oldest_ns = pg_integer(&rows, 0, 2),
                                    .newest_ns = pg_integer(&rows, 0, 3)};
    pg_rows_free(&rows);
    return rc;
}

/* The words of runs that go, over a table or what a DELETE returns. */
#define UNCOUNT                                                                                    \
    " UPDATE words w SET uses = w.uses - n, live = w.live - n_live FROM"                           \
    " (SELECT key, md5(value) AS hash, count(*) AS n, count(*) FILTER (WHERE deleted_ns IS NULL)"  \
    "  AS n_live FROM gone, LATERAL (SELECT key COLLATE \"C\", value FROM jsonb_each_text(labels)" \
    "  UNION ALL SELECT '', '') x GROUP BY 1, 2) g"                                                \
    " WHERE w.key = g.key AND md5(w.value) = g.hash"

static int drop_month(struct pg *pg, const char *month, uint64_t *n, struct err *err) {
    char sql[1024];
    int64_t gone = 0;
    int rc = pg_begin(pg, "removing runs", err);
    if (rc == 0) /* nobody changes words meanwhile */
        rc = pg_lock(pg, PG_LOCK_WORDS, false, err);
    snprintf(sql, sizeof(sql), "SELECT count(*) FROM %.40s", month);
    if (rc == 0)
        rc = pg_number(pg, &gone, err, sql, "");
    snprintf(sql, sizeof(sql), "WITH gone AS (SELECT labels, deleted_ns FROM %.40s)" UNCOUNT,
             month);
    if (rc == 0)
        rc = pg_do(pg, err, sql, "");
    snprintf(sql, sizeof(sql), "DROP TABLE %.40s", month);
    if (rc == 0)
        rc = pg_do(pg, err, sql, "");
    rc = pg_end(pg, rc, err);
    *n += rc == 0 ? (uint64_t)gone : 0;
    return rc;
}

/* Partitions whose month was over before the limit. */
static int drop_months(struct pg *pg, int64_t limit, uint64_t *n, struct err *err) {
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err,
                    "SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid"
                    " WHERE inhparent = 'runs'::regclass AND relname ~ '^runs_[0-9]{4}_[0-9]{2}$'"
                    " AND month_ns(to_date(substr(relname, 6), 'YYYY_MM')::timestamp"
                    " + interval '1 month') <= $1 ORDER BY 1",
                    "i", limit);
    for (int i = 0; rc == 0 && i < rows.n; i++)
        rc = drop_month(pg, pg_peek(&rows, i, 0), n, err);
    pg_rows_free(&rows);
    return rc;
}

/* At most that many runs per transaction, so that others can write in between. */
static int delete_some(struct pg *pg, int64_t limit, int64_t *some, struct err *err) {
    int rc = pg_begin(pg, "removing runs", err);
    if (rc == 0)
        rc = pg_lock(pg, PG_LOCK_WORDS, false, err);
    if (rc == 0)
        rc = pg_number(pg, some, err,
                       "WITH gone AS (DELETE FROM runs WHERE (id, begun_ns) IN"
                       " ((SELECT id, begun_ns " DELETED " ORDER BY deleted_ns, run LIMIT 250)"
                       "  UNION ALL (SELECT id, begun_ns " TOO_OLD
                       "   ORDER BY begun_ns, run LIMIT 250)) RETURNING labels, deleted_ns),"
                       " less AS (" UNCOUNT ") SELECT count(*) FROM gone",
                       "i", limit);
    return pg_end(pg, rc, err);
}

static int prune_rest(struct pg *pg, struct err *err) {
    static const char *const sql[] = {
        "DELETE FROM words WHERE uses <= 0 AND key <> ''",
        "DELETE FROM models m WHERE NOT EXISTS (SELECT FROM runs WHERE model_hash = m.hash)",
        "DELETE FROM shapes s WHERE NOT EXISTS (SELECT FROM runs WHERE shape = s.shape)"};
    int rc = pg_begin(pg, "removing models", err);
    if (rc == 0) /* who saves may be about to use one */
        rc = pg_lock(pg, PG_LOCK_WORDS, false, err);
    for (size_t i = 0; rc == 0 && i < sizeof(sql) / sizeof(sql[0]); i++)
        rc = pg_do(pg, err, sql[i], "");
    return pg_end(pg, rc, err);
}

static int prune(void *impl, int64_t older_than_ns, bool dry_run, struct store_prune *out,
                 struct err *err) {
    struct pg *pg = impl;
    const int64_t limit = older_than_ns > 0 ? older_than_ns : INT64_MIN;
    int64_t some = 0;
    pg->doing = "removing runs";
    int rc = count_doomed(pg, limit, out, err);
    if (rc < 0 || dry_run)
        return rc;
    out->n = 0;
    rc = drop_months(pg, limit, &out->n, err);
    do {
        rc = rc < 0 ? rc : delete_some(pg, limit, &some, err);
        out->n += rc == 0 ? (uint64_t)some : 0;
    } while (rc == 0 && some > 0);
    return rc < 0 ? rc : prune_rest(pg, err);
}

/* --- what a store of this kind does --- */

/* Which transactions are over: any that writes is another. */
static int stamp(void *impl, int64_t *stamp, struct err *err) {
    struct pg *pg = impl;
    pg->doing = "looking for changes";
    return pg_number(pg, stamp, err, "SELECT hashtextextended(pg_current_snapshot()::text, 0)", "");
}

static void tell_outbox(void *impl, struct store_outbox *out) {
    struct pg *pg = impl;
    if (pg->mode == STORE_READ)
        return;
    *out = (struct store_outbox){
        .waiting = outbox_count(&pg->outbox), .sent = pg->sent, .why = pg->unsent};
    pg->sent = 0;
}

const struct store_ops store_postgres = {
    .name = "postgresql",
    .open = pg_open,
    .close = pg_close,
    .on_wait = on_wait,
    .save = pg_save,
    .grow = pg_grow,
    .list = pg_list,
    .groups = pg_groups,
    .place = pg_place,
    .find = pg_find,
    .load = pg_load,
    .batch_begin = pg_batch_begin,
    .batch_end = pg_batch_end,
    .edit = pg_edit,
    .mark_deleted = mark_deleted,
    .words = pg_words,
    .sql = pg_sql,
    .stats = stats,
    .check = check,
    .vacuum = vacuum,
    .prune = prune,
    .send = pg_send_waiting,
    .outbox = tell_outbox,
    .stamp = stamp,
};
