/*
 * The file of the store: its tables, a step per version; whether a file can be trusted; migration;
 * opening, and the table of what a store of this kind does.
 */
#include "db/store_sqlite.h"

#include "base/str.h"
#include "db/store_sqlite_sum.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the tables --- */

/*
 * A step per version: docs/STORE.md says what each column means. A step that has gone out is never
 * changed; what is new is a step of its own behind it.
 */

static const char *const version_1[] = {
    /* What a run is. */
    "CREATE TABLE models ("
    "  hash TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL) STRICT",
    "CREATE TABLE runs ("
    "  run INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    "  process TEXT NOT NULL, target TEXT NOT NULL, note TEXT NOT NULL,"
    "  begun_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,"
    "  t0_ns INTEGER NOT NULL, t1_ns INTEGER NOT NULL,"
    "  duration_ns INTEGER GENERATED ALWAYS AS (t1_ns - t0_ns) VIRTUAL,"
    "  measured_ns INTEGER NOT NULL, interval_ns INTEGER NOT NULL, intervals INTEGER NOT NULL,"
    "  model TEXT NOT NULL, model_hash TEXT REFERENCES models (hash),"
    "  level INTEGER NOT NULL, system_wide INTEGER NOT NULL, simulated INTEGER NOT NULL,"
    "  bottleneck TEXT NOT NULL, doubt TEXT NOT NULL, command TEXT NOT NULL,"
    "  source TEXT NOT NULL, version TEXT NOT NULL, parent TEXT NOT NULL,"
    "  series_format INTEGER NOT NULL, n_group INTEGER NOT NULL, n_pinned INTEGER NOT NULL,"
    "  no_perf_metrics INTEGER NOT NULL, deleted_ns INTEGER) STRICT",
    "CREATE INDEX runs_by_time ON runs (begun_ns) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_duration ON runs (duration_ns) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_process ON runs (process, begun_ns) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_by_model ON runs (model, begun_ns) WHERE deleted_ns IS NULL",
    "CREATE INDEX runs_of_model ON runs (model_hash)",
    "CREATE INDEX runs_deleted ON runs (deleted_ns) WHERE deleted_ns IS NOT NULL",

    /* What is known about it. words is what completion offers: triggers keep it in step. */
    "CREATE TABLE labels ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE,"
    "  key TEXT NOT NULL, value TEXT NOT NULL, automatic INTEGER NOT NULL,"
    "  PRIMARY KEY (run, key)) STRICT, WITHOUT ROWID",
    "CREATE INDEX labels_by_word ON labels (key, value, run)",
    "CREATE TABLE words ("
    "  key TEXT NOT NULL, value TEXT NOT NULL, uses INTEGER NOT NULL, last_ns INTEGER NOT NULL,"
    "  PRIMARY KEY (key, value)) STRICT, WITHOUT ROWID",
    "CREATE TRIGGER label_added AFTER INSERT ON labels BEGIN"
    "  INSERT INTO words VALUES (new.key, new.value, 1,"
    "    coalesce((SELECT begun_ns FROM runs WHERE run = new.run), 0))"
    "  ON CONFLICT (key, value) DO UPDATE SET"
    "    uses = uses + 1, last_ns = max(last_ns, excluded.last_ns);"
    "END",
    "CREATE TRIGGER label_removed AFTER DELETE ON labels BEGIN"
    "  UPDATE words SET uses = uses - 1 WHERE key = old.key AND value = old.value;"
    "  DELETE FROM words WHERE key = old.key AND value = old.value AND uses <= 0;"
    "END",
    "CREATE TRIGGER label_changed BEFORE UPDATE OF run, key, value ON labels BEGIN"
    "  SELECT raise(ABORT, 'labels are replaced by DELETE and INSERT, not by UPDATE');"
    "END",
    "CREATE TABLE facts ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, ord INTEGER NOT NULL,"
    "  key TEXT NOT NULL, value TEXT NOT NULL,"
    "  PRIMARY KEY (run, ord)) STRICT, WITHOUT ROWID",
    "CREATE TABLE constants ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE,"
    "  name TEXT NOT NULL, value REAL, fixed INTEGER NOT NULL,"
    "  PRIMARY KEY (run, name)) STRICT, WITHOUT ROWID",
    "CREATE TABLE marks ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, ord INTEGER NOT NULL,"
    "  t_ns INTEGER NOT NULL, name TEXT NOT NULL,"
    "  PRIMARY KEY (run, ord)) STRICT, WITHOUT ROWID",

    /* What came out. A metric is the same in all runs in which all of its columns are. */
    "CREATE TABLE metrics ("
    "  metric INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, unit TEXT NOT NULL,"
    "  level INTEGER NOT NULL, good_up INTEGER NOT NULL, share INTEGER NOT NULL,"
    "  UNIQUE (name, path, unit, level, good_up, share)) STRICT",
    "CREATE INDEX metrics_by_path ON metrics (path)",
    "CREATE TABLE nodes ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, ord INTEGER NOT NULL,"
    "  metric INTEGER NOT NULL REFERENCES metrics (metric),"
    "  value REAL, err REAL, state TEXT NOT NULL, duty REAL, is_over INTEGER NOT NULL,"
    "  parted INTEGER NOT NULL, approximate INTEGER NOT NULL, n INTEGER NOT NULL, mean REAL,"
    "  sd REAL, min REAL, max REAL,"
    "  se REAL, dof REAL, effective_n REAL, reason TEXT NOT NULL,"
    "  PRIMARY KEY (run, ord)) STRICT, WITHOUT ROWID",
    "CREATE INDEX nodes_by_metric ON nodes (metric, run, value, se)",

    /* What was counted: a row of events per slot, then one per event that has none. */
    "CREATE TABLE events ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, slot INTEGER NOT NULL,"
    "  event INTEGER NOT NULL, name TEXT NOT NULL, counted_in INTEGER, total REAL,"
    "  enabled_ns INTEGER NOT NULL, running_ns INTEGER NOT NULL, state TEXT NOT NULL,"
    "  PRIMARY KEY (run, slot)) STRICT, WITHOUT ROWID",
    "CREATE TABLE chunks ("
    "  chunk INTEGER PRIMARY KEY,"
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, ord INTEGER NOT NULL,"
    "  t0_ns INTEGER NOT NULL, t1_ns INTEGER NOT NULL, intervals INTEGER NOT NULL,"
    "  crc32c INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (run, ord)) STRICT",

    /* For people with sqlite3: what joins are needed for. */
    "CREATE VIEW run_values AS SELECT"
    "  r.id, strftime('%Y-%m-%d %H:%M:%S', r.begun_ns / 1000000000, 'unixepoch') AS begun,"
    "  r.process, r.model, m.name AS metric, m.path, m.unit, m.level, n.value, n.err, n.state,"
    "  n.duty, n.is_over, n.parted, n.approximate, n.n, n.mean, n.sd, n.min, n.max, n.se, n.dof,"
    "  n.reason"
    "  FROM runs r JOIN nodes n ON n.run = r.run JOIN metrics m ON m.metric = n.metric"
    "  WHERE r.deleted_ns IS NULL",
    "CREATE VIEW run_labels AS SELECT r.id, l.key, l.value, l.automatic"
    "  FROM runs r JOIN labels l ON l.run = r.run WHERE r.deleted_ns IS NULL",
    "CREATE VIEW run_labels_text AS SELECT"
    "  r.id, strftime('%Y-%m-%d %H:%M:%S', r.begun_ns / 1000000000, 'unixepoch') AS begun,"
    "  r.process, r.duration_ns / 1e9 AS seconds,"
    "  (SELECT group_concat(l.key || '=' || l.value, ' ') FROM labels l WHERE l.run = r.run)"
    "  AS labels, r.note"
    "  FROM runs r WHERE r.deleted_ns IS NULL",
    NULL,
};

/* The automatic value of a label that the user has given another one: it is back when the user's
 * is taken off. */
static const char *const version_2[] = {
    "CREATE TABLE covered ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE,"
    "  key TEXT NOT NULL, value TEXT NOT NULL,"
    "  PRIMARY KEY (run, key)) STRICT, WITHOUT ROWID",
    /* NULL: written by a tdtop that did not say; then run_node_guess does. */
    "ALTER TABLE nodes ADD COLUMN total INTEGER",
    "ALTER TABLE nodes ADD COLUMN better INTEGER",
    "ALTER TABLE runs ADD COLUMN ran_through INTEGER NOT NULL DEFAULT 0",
    NULL,
};

/* What tells that rows are not those that were written. Runs of before get theirs here. */
static const char *const version_3[] = {
    "ALTER TABLE runs ADD COLUMN values_sum INTEGER",
    "ALTER TABLE runs ADD COLUMN counts_sum INTEGER",
    "UPDATE runs SET values_sum = " SQ_VALUES_SUM ", counts_sum = " SQ_COUNTS_SUM,
    NULL,
};

/* Samples: of a run several, a row of sampled each, numbered by ord. */
#define SAMPLED(name, columns, key)                                                                \
    "CREATE TABLE " name " (run INTEGER NOT NULL, ord INTEGER NOT NULL, " columns                  \
    ", PRIMARY KEY (run, ord, " key "),"                                                           \
    " FOREIGN KEY (run, ord) REFERENCES sampled (run, ord) ON DELETE CASCADE)"                     \
    " STRICT, WITHOUT ROWID"
static const char *const version_4[] = {
    "CREATE TABLE sampled ("
    "  run INTEGER NOT NULL REFERENCES runs (run) ON DELETE CASCADE, ord INTEGER NOT NULL,"
    "  asked TEXT NOT NULL, target TEXT NOT NULL, begun_ns INTEGER NOT NULL,"
    "  seconds REAL, cpu_s REAL, freq_hz REAL,"
    "  samples INTEGER NOT NULL, weight REAL, square REAL,"
    "  exact INTEGER NOT NULL, kernel INTEGER NOT NULL, unknown INTEGER NOT NULL,"
    "  lost INTEGER NOT NULL, throttled INTEGER NOT NULL, others INTEGER NOT NULL,"
    "  garbled INTEGER NOT NULL, no_room INTEGER NOT NULL, unreadable INTEGER NOT NULL,"
    "  reopened INTEGER NOT NULL, threads_left_out INTEGER NOT NULL,"
    "  cut_places INTEGER NOT NULL, cut_stacks INTEGER NOT NULL,"
    "  user_only INTEGER NOT NULL, system_wide INTEGER NOT NULL, row_sum INTEGER,"
    "  PRIMARY KEY (run, ord)) STRICT, WITHOUT ROWID",
    SAMPLED("sampled_events",
            "i INTEGER NOT NULL, event TEXT NOT NULL, precision TEXT NOT NULL,"
            " precise_ip INTEGER NOT NULL, is_time INTEGER NOT NULL, share_of TEXT NOT NULL,"
            " why TEXT NOT NULL",
            "i"),
    SAMPLED("sampled_notes", "i INTEGER NOT NULL, note TEXT NOT NULL", "i"),
    SAMPLED("sampled_modules",
            "module INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL,"
            " build_id TEXT NOT NULL, deleted INTEGER NOT NULL, lack TEXT NOT NULL",
            "module"),
    SAMPLED("sampled_functions",
            "function INTEGER NOT NULL, module INTEGER NOT NULL, start INTEGER NOT NULL,"
            " name TEXT NOT NULL, source TEXT NOT NULL, line INTEGER NOT NULL",
            "function"),
    SAMPLED("sampled_threads",
            "thread INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL,"
            " name TEXT NOT NULL",
            "thread"),
    SAMPLED("sampled_places",
            "place INTEGER NOT NULL, function INTEGER NOT NULL, thread INTEGER NOT NULL,"
            " at INTEGER NOT NULL, samples INTEGER NOT NULL, weight REAL, square REAL",
            "place"),
    SAMPLED("sampled_stacks",
            "node INTEGER NOT NULL, parent INTEGER, function INTEGER, thread INTEGER,"
            " samples INTEGER NOT NULL, weight REAL, square REAL",
            "node"),
    /* For people with sqlite3. */
    "CREATE VIEW run_functions AS SELECT"
    "  r.id, s.ord, (SELECT group_concat(e.event, ' ') FROM sampled_events e"
    "    WHERE e.run = s.run AND e.ord = s.ord) AS events,"
    "  f.name AS function, f.source, f.line, m.path AS file, sum(p.samples) AS samples,"
    "  sum(p.weight) / s.weight AS share"
    "  FROM runs r JOIN sampled s ON s.run = r.run"
    "  JOIN sampled_places p ON p.run = s.run AND p.ord = s.ord"
    "  JOIN sampled_functions f ON f.run = s.run AND f.ord = s.ord AND f.function = p.function"
    "  JOIN sampled_modules m ON m.run = s.run AND m.ord = s.ord AND m.module = f.module"
    "  WHERE r.deleted_ns IS NULL GROUP BY s.run, s.ord, f.function",
    NULL,
};

/* Branch records of samples: a row of sampled_records where they were asked for. */
#define TAKEN                                                                                      \
    "taken INTEGER NOT NULL, told INTEGER NOT NULL, mispredicted INTEGER NOT NULL,"                \
    " timed INTEGER NOT NULL, cycles INTEGER NOT NULL, told_weight REAL NOT NULL,"                 \
    " missed_weight REAL NOT NULL, told2 REAL NOT NULL, told_missed REAL NOT NULL,"                \
    " missed2 REAL NOT NULL, missed_all REAL NOT NULL"
static const char *const version_5[] = {
    SAMPLED("sampled_records",
            "recorded INTEGER NOT NULL, why TEXT NOT NULL, samples INTEGER NOT NULL,"
            " left_out INTEGER NOT NULL, " TAKEN,
            "recorded"),
    SAMPLED("sampled_branches",
            "branch INTEGER NOT NULL, from_function INTEGER NOT NULL, from_at INTEGER NOT NULL,"
            " to_function INTEGER NOT NULL, to_at INTEGER NOT NULL, source TEXT NOT NULL,"
            " line INTEGER NOT NULL, " TAKEN,
            "branch"),
    /* For people with sqlite3. */
    "CREATE VIEW run_branches AS SELECT"
    "  r.id, b.ord, f.name AS from_function, b.from_at - f.start AS from_offset, b.source, b.line,"
    "  t.name AS to_function, b.to_at - t.start AS to_offset, b.taken, b.told, b.mispredicted,"
    "  CAST(b.cycles AS REAL) / nullif(b.timed, 0) AS cycles"
    "  FROM runs r JOIN sampled_branches b ON b.run = r.run"
    "  JOIN sampled_functions f ON f.run = b.run AND f.ord = b.ord AND f.function = b.from_function"
    "  JOIN sampled_functions t ON t.run = b.run AND t.ord = b.ord AND t.function = b.to_function"
    "  WHERE r.deleted_ns IS NULL",
    NULL,
};

/* Accesses to memory of samples: a row of sampled_data where samples say an address. A line of -1
 * is many, or not kept. */
static const char *const version_6[] = {
    SAMPLED("sampled_data",
            "samples INTEGER NOT NULL, weight REAL, square REAL, left_out INTEGER NOT NULL",
            "samples"),
    SAMPLED("sampled_accesses",
            "access INTEGER NOT NULL, function INTEGER NOT NULL, thread INTEGER NOT NULL,"
            " line INTEGER NOT NULL, bytes INTEGER NOT NULL, source TEXT NOT NULL,"
            " samples INTEGER NOT NULL, weight REAL, square REAL, stores INTEGER NOT NULL,"
            " timed INTEGER NOT NULL, cycles INTEGER NOT NULL",
            "access"),
    /* For people with sqlite3. */
    "CREATE VIEW run_accesses AS SELECT"
    "  r.id, a.ord, f.name AS function, t.tid, a.source,"
    "  CASE a.line WHEN -1 THEN NULL ELSE printf('0x%x', a.line * 64) END AS line,"
    "  a.samples, a.stores, CAST(a.cycles AS REAL) / nullif(a.timed, 0) AS cycles"
    "  FROM runs r JOIN sampled_accesses a ON a.run = r.run"
    "  JOIN sampled_functions f ON f.run = a.run AND f.ord = a.ord AND f.function = a.function"
    "  JOIN sampled_threads t ON t.run = a.run AND t.ord = a.ord AND t.thread = a.thread"
    "  WHERE r.deleted_ns IS NULL",
    NULL,
};

const struct sq_step sq_steps[] = {{version_1, false}, {version_2, true}, {version_3, true},
                                   {version_4, true},  {version_5, true}, {version_6, true}};

/* --- trust in the schema of a file --- */

/*
 * What is in sqlite_schema is code: views and triggers are statements that run with ours, and a
 * table of the right name can be a view that never ends. So the schema of a file is held against
 * one that its steps make in memory, before anything else is asked of it.
 */

/* Tables of ANALYZE and of `.recover` are not read here. */
static const char entries[] = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"
                              " WHERE NOT (type = 'table' AND rootpage > 0 AND"
                              " (name GLOB 'sqlite_stat[134]' OR name GLOB 'lost_and_found*'))"
                              " ORDER BY type, name";

/* Versions of SQLite may put other spaces where they add a column. */
static bool same_text(const char *a, const char *b) {
    for (;; a++, b++) {
        while (isspace((unsigned char)*a))
            a++;
        while (isspace((unsigned char)*b))
            b++;
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static int make_like(struct sq *like, const struct sq *sq, int64_t version, struct err *err) {
    if (sqlite3_open_v2(":memory:", &like->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sq_add_sum(like->db) != SQLITE_OK)
        return sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    int rc = 0;
    for (int64_t v = 0; rc == 0 && v < version; v++)
        for (const char *const *sql = sq->steps[v].sql; rc == 0 && *sql; sql++)
            rc = sq_run(like, err, *sql, "");
    return rc;
}

static int refuse(const struct sq *sq, sqlite3_stmt *s, const char *what, struct err *err) {
    char path[200];
    const char *type = sq_peek(s, 0);
    return err_set(err, -EUCLEAN,
                   "%s: %s: its %.10s %.60s is %s; nothing was changed; remove it (sqlite3 FILE "
                   "'DROP %.10s \"%.60s\"'), put back a copy, or name another file with --db FILE",
                   sq_name(sq->path, path, sizeof(path)), sq->doing, type, sq_peek(s, 1), what,
                   type, sq_peek(s, 1));
}

/* Both are in the same order. */
static int compare(struct sq *sq, sqlite3_stmt *want, sqlite3_stmt *have, struct sq *like,
                   struct err *err) {
    for (;;) {
        const int w = sq_step(like, want, err), h = w < 0 ? w : sq_step(sq, have, err);
        if (w < 0 || h < 0)
            return w < 0 ? w : h;
        if (!w && !h)
            return 0;
        int order = !w ? 1 : !h ? -1 : strcmp(sq_peek(want, 0), sq_peek(have, 0));
        if (order == 0)
            order = strcmp(sq_peek(want, 1), sq_peek(have, 1));
        if (order < 0)
            return sq_damaged(sq, err, "its %.10s %.60s is not there", sq_peek(want, 0),
                              sq_peek(want, 1));
        if (order > 0)
            return refuse(sq, have, "not one that tdtop makes, and would run with what it does",
                          err);
        if (strcmp(sq_peek(want, 2), sq_peek(have, 2)) != 0 ||
            !same_text(sq_peek(want, 3), sq_peek(have, 3)))
            return refuse(sq, have, "not as tdtop makes it", err);
    }
}

/* Refuses a file that has other tables, indexes, views or triggers than the
 * steps to its version make: what another program put there would be run with our statements. */
static int check_schema(struct sq *sq, int64_t version, struct err *err) {
    struct sq like = {.path = sq->path, .doing = sq->doing};
    sqlite3_stmt *want = NULL, *have = NULL;
    int rc = make_like(&like, sq, version, err);
    if (rc == 0)
        rc = sq_prepare(&like, &want, err, entries, "");
    if (rc == 0)
        rc = sq_prepare(sq, &have, err, entries, "");
    if (rc == 0)
        rc = compare(sq, want, have, &like, err);
    sqlite3_finalize(want);
    sqlite3_finalize(have);
    sqlite3_close(like.db);
    return rc;
}

/* --- migration --- */

/*
 * From the version a file has to the one this program knows, in one transaction, after a copy was
 * put beside it. The lock of the writer is held from before the copy until after the last step, so
 * nothing can be written between them. A new file is one of version 0 without tables; it goes
 * through the same steps.
 */

enum { BACKUPS_MAX = 100, PATH_CAP = 4096 + 32 };

struct state {
    int64_t application, version, tables;
    int64_t foreign; /* topdown-profiler's tables */
};

static int read_state(struct sq *sq, struct state *s, struct err *err) {
    int rc = sq_number(sq, &s->application, err, "PRAGMA application_id", "");
    if (rc == 0)
        rc = sq_number(sq, &s->version, err, "PRAGMA user_version", "");
    if (rc == 0)
        rc = sq_number(sq, &s->tables, err, "SELECT count(*) FROM sqlite_schema", "");
    if (rc == 0)
        rc = sq_number(sq, &s->foreign, err,
                       "SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('runs', 'samples')",
                       "");
    return rc;
}

static int judge_foreign(const struct sq *sq, const struct state *s, struct err *err) {
    char name[200];
    const char *path = sq_name(sq->path, name, sizeof(name));
    if (s->foreign)
        return err_set(
            err, -EINVAL,
            "%s: a database of topdown-profiler, not a store of tdtop; bring its runs in "
            "with tdtop import --from topdown-profiler FILE",
            path);
    return err_set(err, -EINVAL,
                   "%s: a database of another program, not a store of tdtop; name another file "
                   "with --db FILE",
                   path);
}

static int newer(const struct sq *sq, int64_t version, struct err *err) {
    char name[200];
    return err_set(err, -EPROTO,
                   "%s: a store of version %lld, and this tdtop knows none above %d; use the newer "
                   "tdtop, or name another file with --db FILE",
                   sq_name(sq->path, name, sizeof(name)), (long long)version, sq->version);
}

int sq_check_version(struct sq *sq, struct err *err) {
    int64_t schema = 0;
    sq->file_version = 0;
    int rc = sq_number(sq, &sq->file_version, err, "PRAGMA user_version", "");
    if (rc == 0 && sq->file_version > sq->version)
        return newer(sq, sq->file_version, err);
    if (rc == 0)
        rc = sq_number(sq, &schema, err, "PRAGMA schema_version", "");
    if (rc < 0 || schema == sq->schema_version)
        return rc;
    rc = check_schema(sq, sq->file_version, err);
    if (rc == 0)
        sq->schema_version = schema;
    return rc;
}

/* Is all that came after a version what a reader can do without? */
static bool reads_as_it_is(const struct sq *sq, int64_t version) {
    for (int64_t v = version; v < sq->version; v++)
        if (!sq->steps[v].adds_only)
            return false;
    return sq->read_only;
}

/* 0: it is as it should be; 1: something is to be done; or a negative errno with words. */
static int judge(const struct sq *sq, const struct state *s, struct err *err) {
    const int n = sq->version;
    char name[200];
    const char *path = sq_name(sq->path, name, sizeof(name));
    const bool empty = s->application == 0 && s->version == 0 && s->tables == 0;
    if (!empty && s->application != SQ_APPLICATION_ID)
        return judge_foreign(sq, s, err);
    if (s->version > n)
        return newer(sq, s->version, err);
    if (!empty && (s->version < 1 || s->tables == 0))
        return sq_damaged(sq, err, "it says that it is a store of version %lld with %lld tables",
                          (long long)s->version, (long long)s->tables);
    if (s->version == n)
        return 0;
    if (sq->read_only && empty)
        return err_set(err, -ENOENT, "%s: nothing is in it yet; tdtop collect makes a store of it",
                       path);
    if (!empty && reads_as_it_is(sq, s->version))
        return 0;
    if (sq->read_only)
        return err_set(err, -EPROTO,
                       "%s: a store of version %lld, older than %d of this tdtop, and opened for "
                       "reading only; tdtop db vacuum brings it up to date, after a copy",
                       path, (long long)s->version, n);
    return 1;
}

/* The copy is on the disk before its name is. */
static int keep(const char *temporary, const char *path) {
    const int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && link(temporary, path) < 0)
        rc = -errno;
    return rc;
}

/* path: where it is then. */
static int backup_name(const struct sq *sq, int64_t version, const char *temporary,
                       char path[PATH_CAP], struct err *err) {
    char name[200];
    int rc = -EEXIST;
    for (int i = 1; i < BACKUPS_MAX && rc == -EEXIST; i++) {
        snprintf(path, PATH_CAP, i == 1 ? "%s.v%lld.bak" : "%s.v%lld.bak.%d", sq->path,
                 (long long)version, i);
        rc = keep(temporary, path);
        if (rc == -EPERM || rc == -EOPNOTSUPP) /* no hard links here */
            rc = access(path, F_OK) == 0 ? -EEXIST : rename(temporary, path) < 0 ? -errno : 0;
    }
    if (rc < 0)
        err_set(err, rc,
                "%s: the copy before the migration cannot be named %s.v%lld.bak: %s; nothing was "
                "changed; see the permissions of the folder",
                sq_name(sq->path, name, sizeof(name)), str_base_name(sq->path), (long long)version,
                strerror(-rc));
    return rc;
}

/* An empty file, which VACUUM INTO takes, so that no other user can read the copy. */
static int make_empty(const struct sq *other, const char *path, struct err *err) {
    unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return sq_fail_code(other, SQLITE_CANTOPEN, errno, NULL, err);
    close(fd);
    return 0;
}

/* Another connection reads what is committed, while this one holds the writer's lock. */
static int backup(struct sq *sq, int64_t version, char path[PATH_CAP], struct err *err) {
    char temporary[PATH_CAP];
    snprintf(temporary, sizeof(temporary), "%s.v%lld.bak.tmp", sq->path, (long long)version);
    struct sq other = {.path = sq->path, .doing = "copying it before the migration"};
    int rc = make_empty(&other, temporary, err);
    if (rc < 0)
        return rc;
    rc = sqlite3_open_v2(sq->path, &other.db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
             ? 0
             : sq_fail(&other, err);
    sqlite3_busy_timeout(other.db, 10000);
    if (rc == 0)
        rc = sq_run(&other, err, "VACUUM INTO ?1", "t", temporary);
    if (rc == 0)
        rc = backup_name(sq, version, temporary, path, err);
    sqlite3_close(other.db);
    unlink(temporary);
    return rc;
}

static int run_steps(struct sq *sq, int from, struct err *err) {
    int rc = 0;
    for (int v = from; rc == 0 && v < sq->version; v++)
        for (const char *const *sql = sq->steps[v].sql; rc == 0 && *sql; sql++)
            rc = sq_run(sq, err, *sql, "");
    int64_t bad;
    if (rc == 0 && sq_number(sq, &bad, NULL, "SELECT 1 FROM pragma_foreign_key_check", "") == 0)
        rc = sq_damaged(sq, err, "rows refer to runs that are not there");
    char sql[64];
    if (rc == 0) {
        snprintf(sql, sizeof(sql), "PRAGMA application_id = %d", SQ_APPLICATION_ID);
        rc = sq_run(sq, err, sql, "");
    }
    if (rc == 0) {
        snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", sq->version);
        rc = sq_run(sq, err, sql, "");
    }
    return rc;
}

/* Reads the state and judges it; nothing is done with a file that holds what is not ours. */
static int look_at(struct sq *sq, struct state *s, struct err *err) {
    int rc = read_state(sq, s, err);
    if (rc == 0)
        rc = judge(sq, s, err);
    if (rc < 0 || s->version < 1)
        return rc;
    const int bad = check_schema(sq, s->version, err);
    return bad < 0 ? bad : rc;
}

static int write_steps(struct sq *sq, struct err *err) {
    struct state s;
    char copy[PATH_CAP] = "";
    int rc = sq_begin_here(sq, "bringing it to this version", SQ_WRITES, err);
    if (rc == 0)
        rc = look_at(sq, &s, err); /* another process may have been here first */
    sq_watch_reset(&sq->watch, 0);
    if (rc == 1) {
        rc = s.version > 0 ? backup(sq, s.version, copy, err) : 0;
        if (rc == 0)
            rc = run_steps(sq, (int)s.version, err);
        else
            copy[0] = '\0'; /* the name may be another copy's */
    }
    rc = sq_end(sq, rc, err);
    if (rc < 0 && copy[0]) /* the file is as it was: the next try makes its own */
        unlink(copy);
    return rc;
}

/* Changing the kind of journal needs the file for oneself, and does not wait for that. Where there
 * cannot be a write-ahead log (network file systems), the store works without one, readers then
 * wait for writers. */
static int use_log(struct sq *sq, struct err *err) {
    int code, n = 0;
    while ((code = sqlite3_exec(sq->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) ==
               SQLITE_BUSY &&
           sq_busy(sq, n++))
        ;
    return code == SQLITE_OK ? 0 : sq_fail(sq, err);
}

/* Creates what is not there, migrates what is older, refuses what is newer
 * or not ours. */
static int migrate(struct sq *sq, struct err *err) {
    struct state s;
    int rc = sq_begin_here(sq, "opening it", SQ_READS, err);
    if (rc == 0)
        rc = look_at(sq, &s, err);
    rc = sq_end(sq, rc, err);
    if (rc < 0 || sq->read_only)
        return rc;
    int64_t on = rc;
    rc = use_log(sq, err);
    if (rc < 0 || !on)
        return rc;
    sqlite3_exec(sq->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL); /* tables are rebuilt */
    rc = write_steps(sq, err);
    sqlite3_exec(sq->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    return rc;
}

/* --- opening --- */

/*
 * Opening the file. A reader needs the write-ahead log and its index beside the file, or must be
 * able to make them; where the folder cannot be written and there is no log, the file is opened as
 * one that does not change, and looked at again before each operation. So is whether the name still
 * means the same file: what is written into one that was removed would be lost.
 */

/* FULL: what is committed is on the disk, against a power cut too. */
static const char settings[] = "PRAGMA synchronous = FULL;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA wal_autocheckpoint = 1000;"
                               "PRAGMA journal_size_limit = 16777216;"
                               "PRAGMA cache_size = -" SQ_CACHE_KB ";";

static int configure(struct sq *sq, struct err *err) {
    sqlite3_extended_result_codes(sq->db, 1);
    sqlite3_busy_handler(sq->db, sq_busy, sq);
    sqlite3_db_config(sq->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(sq->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(sq->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(sq->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sq_watch_open(sq->db, &sq->watch);
    sq_watch_reset(&sq->watch, SQ_LIMIT_S);
    sq->schema_version = -1;
    if (sq_add_functions(sq) != SQLITE_OK || sq_add_sum(sq->db) != SQLITE_OK ||
        sqlite3_exec(sq->db, settings, NULL, NULL, NULL) != SQLITE_OK)
        return sq_fail(sq, err);
    return 0;
}

static int connect(struct sq *sq, const char *name, int flags, struct err *err) {
    sqlite3_close(sq->db);
    sq->db = NULL;
    const int code = sqlite3_open_v2(name, &sq->db, flags, NULL);
    if (!sq->db)
        return sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    if (code != SQLITE_OK)
        return sq_fail(sq, err);
    if (!sq->read_only && sqlite3_db_readonly(sq->db, "main") == 1) /* as it does without rights */
        return sq_fail_code(sq, SQLITE_READONLY, 0, NULL, err);
    return configure(sq, err);
}

/* A new file is its owner's, whatever the umask: it holds command lines. SQLite gives the files
 * beside it the same rights. */
static int make_file(const char *path) {
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return 0;
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? -1 : close(fd);
}

static int connect_plain(struct sq *sq, struct err *err) {
    sq->immutable = false;
    if (!sq->read_only && make_file(sq->path) < 0)
        return sq_fail_code(sq, SQLITE_CANTOPEN, errno, NULL, err);
    return connect(
        sq, sq->path,
        sq->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);
}

/* file:PATH?immutable=1, with %XX for what has a meaning in an address; malloc'ed. */
static char *address(const char *path) {
    char *out = malloc(3 * strlen(path) + sizeof("file:?immutable=1"));
    if (!out)
        return NULL;
    char *at = stpcpy(out, "file:");
    for (; *path; path++)
        at += sprintf(at, strchr("?#%", *path) ? "%%%02X" : "%c", (unsigned char)*path);
    strcpy(at, "?immutable=1");
    return out;
}

static int connect_unchanging(struct sq *sq, struct err *err) {
    if (stat(sq->path, &sq->seen) < 0)
        return sq_fail_code(sq, SQLITE_CANTOPEN, errno, NULL, err);
    char *name = address(sq->path);
    const int rc = name ? connect(sq, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err)
                        : sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    sq->immutable = rc == 0;
    free(name);
    return rc;
}

static bool has_log(const struct sq *sq) {
    char log[4096 + 8];
    struct stat s;
    snprintf(log, sizeof(log), "%s-wal", sq->path);
    return stat(log, &s) == 0 && s.st_size > 0;
}

static bool same_time(const struct stat *a, const struct stat *b) {
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* What happens where no log can be made beside the file: not for want of rights to the file. */
static bool wants_log(int rc) {
    return rc == -EACCES || rc == -EROFS || rc == -ENOSPC || rc == -EIO;
}

static int log_is_left(const struct sq *sq, struct err *err) {
    char name[200];
    return err_set(err, -EROFS,
                   "%s: what was written last is in the log beside it (-wal), which cannot be "
                   "read in a folder that cannot be written; copy the file and its -wal to a "
                   "folder that can",
                   sq_name(sq->path, name, sizeof(name)));
}

static int open_file(struct sq *sq, struct err *err) {
    sq->doing = "opening it";
    int rc = connect_plain(sq, err);
    if (rc == 0)
        rc = migrate(sq, err);
    if (rc == 0 && stat(sq->path, &sq->seen) < 0)
        return sq_fail_code(sq, SQLITE_CANTOPEN, errno, NULL, err);
    if (!sq->read_only || !wants_log(rc))
        return rc;
    if (has_log(sq))
        return log_is_left(sq, err);
    rc = connect_unchanging(sq, err);
    return rc == 0 ? migrate(sq, err) : rc;
}

int sq_refresh(struct sq *sq, struct err *err) {
    struct stat now;
    const bool there = stat(sq->path, &now) == 0;
    const bool is_it = there && now.st_ino == sq->seen.st_ino && now.st_dev == sq->seen.st_dev;
    if (sq->db && is_it && (!sq->immutable || (same_time(&now, &sq->seen) && !has_log(sq))))
        return 0;
    const int rc = open_file(sq, err);
    if (rc < 0) {
        sqlite3_close(sq->db);
        sq->db = NULL; /* tried again next time */
    }
    return rc;
}

static int open_with(struct sq **out, const char *path, enum store_mode mode, const struct sq *with,
                     struct err *err) {
    *out = NULL;
    struct sq *sq = calloc(1, sizeof(*sq));
    if (!sq || !(sq->path = strdup(path))) {
        sq_close(sq);
        return err_set(err, -ENOMEM, "%s: opening it: out of memory", path);
    }
    sq->read_only = mode == STORE_READ;
    sq->steps = with->steps;
    sq->version = with->version;
    sq->wait = with->wait;
    sq->wait_user = with->wait_user;
    const int rc = open_file(sq, err);
    if (rc == 0)
        *out = sq;
    else
        sq_close(sq);
    return rc;
}

int sq_open(struct sq **out, const char *path, enum store_mode mode, const struct sq_step *steps,
            int n, struct err *err) {
    return open_with(out, path, mode, &(struct sq){.steps = steps, .version = n}, err);
}

void sq_close(struct sq *sq) {
    if (!sq)
        return;
    sqlite3_close(sq->db);
    free(sq->path);
    free(sq);
}

/* --- the operations --- */

static int open_store(void **impl, const char *path, const char *name, enum store_mode mode,
                      bool (*wait)(void *user, double waited_s), void *user, struct err *err) {
    (void)name;
    const struct sq with = {.steps = sq_steps,
                            .version = sizeof(sq_steps) / sizeof(sq_steps[0]),
                            .wait = wait,
                            .wait_user = user};
    struct sq *sq;
    const int rc = open_with(&sq, path, mode, &with, err);
    *impl = sq;
    return rc;
}

static void close_store(void *impl) {
    sq_close(impl);
}

static void on_wait(void *impl, bool (*wait)(void *user, double waited_s), void *user) {
    struct sq *sq = impl;
    sq->wait = wait;
    sq->wait_user = user;
}

const struct store_ops store_sqlite = {
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .on_wait = on_wait,
    .save = sq_save,
    .grow = sq_grow,
    .list = sq_list,
    .groups = sq_groups,
    .place = sq_place,
    .find = sq_find,
    .load = sq_load,
    .batch_begin = sq_batch_begin,
    .batch_end = sq_batch_end,
    .edit = sq_edit,
    .mark_deleted = sq_mark_deleted,
    .words = sq_words,
    .sql = sq_sql,
    .stats = sq_stats,
    .check = sq_check,
    .vacuum = sq_vacuum,
    .prune = sq_prune,
};
