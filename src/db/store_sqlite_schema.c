/*
 * The tables, a step per version: docs/STORE.md says what each column means. A step that has gone
 * out is never changed; what is new is a step of its own behind it.
 */
#include "db/store_sqlite.h"
#include "db/store_sqlite_sum.h"

#include <stddef.h>

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

const struct sq_step sq_steps[] = {{version_1, false}, {version_2, true}, {version_3, true}};
const int sq_n_steps = sizeof(sq_steps) / sizeof(sq_steps[0]);
