/*
 * A run becomes rows, in one transaction. What can be worked out without the lock is, before it is
 * taken: the sums of the counts and the hash of the model.
 *
 * A run that grows becomes them in several: each leaves it whole, with the values of what was
 * measured so far. Chunks that are full stay, all else is written again.
 */
#include "base/clock.h"
#include "base/str.h"
#include "db/crc32c.h"
#include "db/store_find.h"
#include "db/store_names.h"
#include "db/store_sqlite.h"
#include "db/store_sqlite_hot.h"
#include "db/store_sqlite_sum.h"

#include <errno.h>
#include <math.h>
#include <sha2.h> /* libmd */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one slot, over the whole run. */
struct total {
    double sum; /* NAN: never counted */
    uint64_t enabled_ns, running_ns;
    uint8_t state; /* COUNT_OK if it ever was, else the last */
};

struct saving {
    struct sq *sq;
    const struct run *r;
    const struct store_growth *g; /* what of it is in the store for good; NULL: nothing */
    struct total *total;          /* [n_slot] */
    char hash[SHA256_DIGEST_STRING_LENGTH];
    int64_t run; /* its row */
    struct err *err;
};

static const char *text(const char *s) {
    return s ? s : "";
}

static bool has_model(const struct run *r) {
    return r->model_text && *r->model_text;
}

static void add_counts(struct total *total, const struct sample *s) {
    for (uint32_t i = 0; i < s->n_slot; i++) {
        const struct count *c = &s->at[i];
        struct total *t = &total[i];
        t->enabled_ns += c->enabled_ns;
        t->running_ns += c->running_ns;
        if (c->state == COUNT_OK)
            t->sum = isnan(t->sum) ? c->value : t->sum + c->value;
        if (t->state != COUNT_OK)
            t->state = c->state;
    }
}

static int sum_counts(struct saving *s) {
    const struct run *r = s->r;
    s->total = calloc(r->layout.n_slot + 1u, sizeof(*s->total));
    if (!s->total)
        return -ENOMEM;
    const struct total *before = s->g ? s->g->total_ : NULL;
    for (uint32_t i = 0; i < r->layout.n_slot; i++)
        s->total[i] = before ? before[i] : (struct total){.sum = NAN, .state = COUNT_NOT_COUNTED};
    if (series_rows(&r->series) == 0)
        return 0;
    struct sample row;
    struct series_reader reader;
    int rc = sample_init(&row, r->layout.n_slot);
    if (rc < 0)
        return rc;
    rc = series_reader_init(&reader, &r->series);
    while (rc == 0 && series_reader_next(&reader, &row))
        add_counts(s->total, &row);
    if (rc == 0)
        series_reader_destroy(&reader);
    sample_destroy(&row);
    return rc;
}

static int save_model(struct saving *s) {
    const struct run *r = s->r;
    if (!has_model(r))
        return 0;
    /* One of this hash and another text was damaged. */
    return sq_run(s->sq, s->err,
                  "INSERT INTO models VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE"
                  " SET name = excluded.name, text = excluded.text WHERE text <> excluded.text",
                  "ttt", s->hash, text(r->model), r->model_text);
}

static int refuse_double(struct saving *s) {
    int64_t deleted = 0;
    const int rc =
        sq_number(s->sq, &deleted, s->err, "SELECT deleted_ns IS NOT NULL FROM runs WHERE id = ?1",
                  "t", s->r->id);
    if (rc == 0 && deleted)
        return err_set(s->err, -EEXIST,
                       "run %s: it is in the store, removed; tdtop rm --undo %s brings it back",
                       s->r->id, s->r->id);
    if (rc == 0)
        return err_set(s->err, -EEXIST, "run %s: it is in the store already", s->r->id);
    return rc == -ENOENT ? 0 : rc;
}

static int64_t intervals(const struct run *r) {
    return (int64_t)(r->n_stored + series_rows(&r->series));
}

static int save_head(struct saving *s) {
    const struct run *r = s->r;
    const int rc = sq_run(
        s->sq, s->err,
        "INSERT INTO runs (id, process, target, note, begun_ns, ended_ns, t0_ns, t1_ns, "
        "measured_ns,"
        " interval_ns, intervals, model, model_hash, level, system_wide, simulated, bottleneck,"
        " doubt, command, source, version, parent, series_format, n_group,"
        " n_pinned, no_perf_metrics, ran_through)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "ttttiiiiiiittiiittttttiiiii", r->id, text(r->process), text(r->target), text(r->note),
        r->begun_ns, r->ended_ns, (int64_t)r->t0_ns, (int64_t)r->t1_ns, (int64_t)r->measured_ns,
        (int64_t)r->interval_ns, intervals(r), text(r->model), has_model(r) ? s->hash : NULL,
        (int64_t)r->level, (int64_t)r->system_wide, (int64_t)r->simulated, text(r->bottleneck),
        text(r->warning), text(r->command), text(r->source), text(r->version), text(r->parent),
        (int64_t)SERIES_FORMAT, (int64_t)r->layout.n_group, (int64_t)r->layout.n_pinned,
        (int64_t)r->layout.no_perf_metrics, (int64_t)r->ran_through);
    s->run = sqlite3_last_insert_rowid(s->sq->db);
    return rc;
}

static int save_labels(struct saving *s) {
    sqlite3_stmt *stmt, *below = NULL;
    int rc = sq_prepare(s->sq, &stmt, s->err, "INSERT INTO labels VALUES (?1, ?2, ?3, ?4)", "");
    if (rc == 0)
        rc = sq_prepare(s->sq, &below, s->err, "INSERT INTO covered VALUES (?1, ?2, ?3)", "");
    for (size_t i = 0; rc == 0 && i < s->r->label.n; i++) {
        const struct run_label *l = &s->r->label.at[i];
        rc = sq_put(s->sq, stmt, s->err, "itti", s->run, l->key, l->value, (int64_t)l->automatic);
        if (rc == 0 && l->covered)
            rc = sq_put(s->sq, below, s->err, "itt", s->run, l->key, l->covered);
    }
    sqlite3_finalize(stmt);
    sqlite3_finalize(below);
    return rc;
}

static int save_facts(struct saving *s) {
    sqlite3_stmt *stmt;
    int rc = sq_prepare(s->sq, &stmt, s->err, "INSERT INTO facts VALUES (?1, ?2, ?3, ?4)", "");
    for (size_t i = 0; rc == 0 && i < s->r->fact.n; i++)
        rc = sq_put(s->sq, stmt, s->err, "iitt", s->run, (int64_t)i, text(s->r->fact.at[i].key),
                    text(s->r->fact.at[i].value));
    sqlite3_finalize(stmt);
    return rc;
}

static int save_marks(struct saving *s) {
    sqlite3_stmt *stmt;
    int rc = sq_prepare(s->sq, &stmt, s->err, "INSERT INTO marks VALUES (?1, ?2, ?3, ?4)", "");
    for (size_t i = 0; rc == 0 && i < s->r->mark.n; i++)
        rc = sq_put(s->sq, stmt, s->err, "iiit", s->run, (int64_t)i, (int64_t)s->r->mark.at[i].t_ns,
                    text(s->r->mark.at[i].name));
    sqlite3_finalize(stmt);
    return rc;
}

/* The constants by name, a latency by the name of its event as --const spells it. Those that are
 * not known have no row. */
static int save_constants(struct saving *s) {
    const struct consts *c = &s->r->consts;
    sqlite3_stmt *stmt;
    int rc = sq_prepare(s->sq, &stmt, s->err, "INSERT INTO constants VALUES (?1, ?2, ?3, ?4)", "");
    for (int i = 0; rc == 0 && i < CONST_N; i++)
        if (!isnan(c->value[i]))
            rc = sq_put(s->sq, stmt, s->err, "itdi", s->run, const_name((enum const_id)i),
                        c->value[i], (int64_t)c->fixed_by_user[i]);
    for (uint32_t i = 0; rc == 0 && i < c->n_latency; i++) {
        char name[sizeof(c->latency[i].event) + 32];
        snprintf(name, sizeof(name), "%s:retire_latency", c->latency[i].event);
        rc = sq_put(s->sq, stmt, s->err, "itdi", s->run, name, c->latency[i].cycles, (int64_t)1);
    }
    sqlite3_finalize(stmt);
    return rc;
}

#define METRIC_IS                                                                                  \
    "name = ?1 AND path = ?2 AND unit = ?3 AND level = ?4 AND good_up = ?5 AND share = ?6"

/* The row of a metric, made if there is none. */
static int metric_row(struct saving *s, sqlite3_stmt *find, sqlite3_stmt *add,
                      const struct run_node *n, int64_t *row) {
    sqlite3_stmt *const both[] = {find, add, find};
    for (int i = 0; i < 3; i++) {
        sq_bind(both[i], "tttiii", text(n->name), text(n->path), text(n->unit), (int64_t)n->level,
                (int64_t)n->good_up, (int64_t)n->share);
        const int rc = sq_step(s->sq, both[i], s->err);
        if (rc < 0)
            return rc;
        if (rc == 0)
            continue;
        *row = sqlite3_column_int64(both[i], 0);
        sqlite3_reset(both[i]);
        return 0;
    }
    return sq_damaged(s->sq, s->err, "metric %s is written and not found", text(n->name));
}

static int put_node(struct saving *s, sqlite3_stmt *put, size_t ord, int64_t metric,
                    const struct run_node *n) {
    const struct value *v = &n->value;
    const struct moments_result *m = &n->m;
    return sq_put(s->sq, put, s->err, "iiiddtdiiiidddddddtii", s->run, (int64_t)ord, metric, v->v,
                  v->err, store_value_state(v->state), (double)v->duty, (int64_t)v->over,
                  (int64_t)v->split, (int64_t)v->approx, (int64_t)m->n, m->mean, m->sd, m->least,
                  m->most, m->se, m->dof, m->effective_n, text(n->reason), (int64_t)n->total,
                  (int64_t)n->better);
}

static int save_nodes(struct saving *s) {
    sqlite3_stmt *find, *add = NULL, *put = NULL;
    int rc = sq_prepare(s->sq, &find, s->err, "SELECT metric FROM metrics WHERE " METRIC_IS, "");
    if (rc == 0)
        rc = sq_prepare(s->sq, &add, s->err,
                        "INSERT INTO metrics (name, path, unit, level, good_up, share)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                        "");
    if (rc == 0)
        rc = sq_prepare(s->sq, &put, s->err,
                        "INSERT INTO nodes VALUES"
                        " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        "");
    for (size_t i = 0; rc == 0 && i < s->r->node.n; i++) {
        int64_t metric = 0;
        rc = metric_row(s, find, add, &s->r->node.at[i], &metric);
        if (rc == 0)
            rc = put_node(s, put, i, metric, &s->r->node.at[i]);
    }
    sqlite3_finalize(find);
    sqlite3_finalize(add);
    sqlite3_finalize(put);
    return rc;
}

static int put_slot(struct saving *s, sqlite3_stmt *put, uint32_t i) {
    const struct layout *l = &s->r->layout;
    if (l->slot[i].event >= l->n_event)
        return err_set(s->err, -EINVAL,
                       "run %.8s: it has counts of an event that its model does not know, so they "
                       "would be without a name; store it with the model that it was counted with",
                       s->r->id);
    const struct total *t = &s->total[i];
    return sq_put(s->sq, put, s->err, "iiitidiit", s->run, (int64_t)i, (int64_t)l->slot[i].event,
                  text(s->r->event[l->slot[i].event]), (int64_t)l->slot[i].group, t->sum,
                  (int64_t)t->enabled_ns, (int64_t)t->running_ns, store_count_state(t->state));
}

/* Rows behind those of the slots: counted_in and total are NULL. */
static int put_missing(struct saving *s, sqlite3_stmt *put, uint32_t row, uint32_t event) {
    return sq_put(s->sq, put, s->err, "iiit--iit", s->run, (int64_t)row, (int64_t)event,
                  text(s->r->event[event]), (int64_t)0, (int64_t)0,
                  store_count_state(s->r->layout.missing[event]));
}

static int save_events(struct saving *s) {
    const struct layout *l = &s->r->layout;
    sqlite3_stmt *put;
    int rc = sq_prepare(s->sq, &put, s->err,
                        "INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", "");
    for (uint32_t i = 0; rc == 0 && i < l->n_slot; i++)
        rc = put_slot(s, put, i);
    for (uint32_t e = 0, row = l->n_slot; rc == 0 && e < l->n_event; e++)
        if (l->missing[e] != COUNT_OK)
            rc = put_missing(s, put, row++, e);
    sqlite3_finalize(put);
    return rc;
}

static int save_chunks(struct saving *s) {
    sqlite3_stmt *put;
    int rc = sq_prepare(s->sq, &put, s->err,
                        "INSERT INTO chunks (run, ord, t0_ns, t1_ns, intervals, crc32c, bytes)"
                        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                        "");
    const int64_t first = s->g ? s->g->n_chunk : 0;
    for (uint32_t i = 0; rc == 0 && i < series_chunks(&s->r->series); i++) {
        const struct series_chunk c = series_chunk_at(&s->r->series, i);
        rc = sq_put(s->sq, put, s->err, "iiiiiib", s->run, first + i, (int64_t)c.t0_ns,
                    (int64_t)c.t1_ns, (int64_t)c.n_row, (int64_t)crc32c(c.at, c.n_byte), c.at,
                    (size_t)c.n_byte);
    }
    sqlite3_finalize(put);
    return rc;
}

/* Of the rows as they are now in the file. */
static int save_sums(struct saving *s) {
    return sq_run(s->sq, s->err,
                  "UPDATE runs SET values_sum = " SQ_VALUES_SUM ", counts_sum = " SQ_COUNTS_SUM
                  " WHERE run = ?1",
                  "i", s->run);
}

static int save_hot(struct saving *s) {
    return sq_save_hot(s->sq, s->run, s->r, s->err);
}

/* ---- a run that grows ---- */

/* Its row; and what of it is written again goes. */
static int clear_the_rest(struct saving *s) {
    static const char *const sql[] = {
        "DELETE FROM facts WHERE run = ?1",
        "DELETE FROM marks WHERE run = ?1",
        "DELETE FROM nodes WHERE run = ?1",
        "DELETE FROM events WHERE run = ?1",
    };
    int rc = sq_number(s->sq, &s->run, s->err, "SELECT run FROM runs WHERE id = ?1", "t", s->r->id);
    if (rc == -ENOENT)
        return err_set(s->err, rc, "run %s: what was stored of it is not in %s any more", s->r->id,
                       s->sq->path);
    for (size_t i = 0; rc == 0 && i < sizeof(sql) / sizeof(sql[0]); i++)
        rc = sq_run(s->sq, s->err, sql[i], "i", s->run);
    return rc == 0 ? sq_run(s->sq, s->err, "DELETE FROM chunks WHERE run = ?1 AND ord >= ?2", "ii",
                            s->run, (int64_t)s->g->n_chunk)
                   : rc;
}

static int update_head(struct saving *s) {
    const struct run *r = s->r;
    return sq_run(s->sq, s->err,
                  "UPDATE runs SET target = ?2, ended_ns = ?3, t1_ns = ?4, measured_ns = ?5,"
                  " intervals = ?6, bottleneck = ?7, doubt = ?8, ran_through = ?9 WHERE run = ?1",
                  "itiiiitti", s->run, text(r->target), r->ended_ns, (int64_t)r->t1_ns,
                  (int64_t)r->measured_ns, intervals(r), text(r->bottleneck), text(r->warning),
                  (int64_t)r->ran_through);
}

/* Automatic labels that are others now. Those of the user, and what the user has taken off since,
 * stay as they are. */
static int update_labels(struct saving *s) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->r->label.n; i++) {
        const struct run_label *l = &s->r->label.at[i];
        const char *now = l->automatic ? l->value : l->covered;
        if (!now)
            continue;
        rc = sq_run(s->sq, s->err,
                    "UPDATE covered SET value = ?3 WHERE run = ?1 AND key = ?2 AND value <> ?3",
                    "itt", s->run, l->key, now);
        if (rc == 0)
            rc = sq_run(s->sq, s->err,
                        "DELETE FROM labels WHERE run = ?1 AND key = ?2 AND automatic"
                        " AND value <> ?3",
                        "itt", s->run, l->key, now);
        if (rc == 0 && sqlite3_changes(s->sq->db) > 0)
            rc = sq_run(s->sq, s->err, "INSERT INTO labels VALUES (?1, ?2, ?3, 1)", "itt", s->run,
                        l->key, now);
    }
    return rc;
}

/* While it is measured: a process that is killed loses nothing of what was written so, but the
 * power may take the newest; and no pages are kept for what is not read again. */
static void set_easy(struct sq *sq, bool easy) {
    sqlite3_exec(sq->db,
                 easy ? "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024"
                      : "PRAGMA synchronous = FULL",
                 NULL, NULL, NULL);
}

static const struct saver {
    int (*part[13])(struct saving *);
} first_save = {{refuse_double, save_model, save_head, save_labels, save_facts, save_marks,
                 save_constants, save_nodes, save_events, save_chunks, save_hot, save_sums}},
  next_save = {{clear_the_rest, update_head, update_labels, save_facts, save_marks, save_nodes,
                save_events, save_chunks, save_hot, save_sums}};

static int save(struct saving *s, bool waits) {
    const struct saver *how = s->g && s->g->begun ? &next_save : &first_save;
    if (has_model(s->r))
        SHA256Data((const uint8_t *)s->r->model_text, strlen(s->r->model_text), s->hash);
    int rc = sum_counts(s);
    if (rc < 0)
        return err_set(s->err, rc, "run %s: out of memory while saving it", s->r->id);
    s->sq->impatient = !waits;
    rc = sq_begin(s->sq, "saving a run", SQ_WRITES, s->err);
    s->sq->impatient = false;
    for (size_t i = 0; rc == 0 && how->part[i]; i++)
        rc = how->part[i](s);
    return sq_end(s->sq, rc, s->err);
}

int sq_save(void *impl, const struct run *r, struct err *err) {
    struct saving s = {.sq = impl, .r = r, .err = err};
    const int rc = save(&s, true);
    free(s.total);
    return rc;
}

int sq_grow(void *impl, const struct run *r, enum store_grow how, struct store_growth *g,
            struct err *err) {
    struct saving s = {.sq = impl, .r = r, .g = g, .err = err};
    set_easy(s.sq, how != GROW_DONE);
    const int rc = save(&s, how == GROW_DONE);
    set_easy(s.sq, false);
    sqlite3_db_release_memory(s.sq->db);
    if (rc == 0)
        g->begun = true;
    if (rc == 0 && how == GROW_SETTLED) {
        void *before = g->total_;
        g->total_ = s.total;
        s.total = before;
        g->n_chunk += series_chunks(&r->series);
        g->n_row += series_rows(&r->series);
    }
    free(s.total);
    return rc;
}

/* ---- small changes of a stored run ---- */

/* The row of a run that is not deleted, or words. */
static int row_of(struct sq *sq, const char *id, int64_t *run, struct err *err) {
    const int rc = sq_number(sq, run, err,
                             "SELECT run FROM runs WHERE id = ?1 AND deleted_ns IS NULL", "t", id);
    return rc == -ENOENT ? store_find_no_run(sq->path, id, err) : rc;
}

/* An automatic label goes below the first one of the user. */
static int cover(struct sq *sq, int64_t run, const char *key, struct err *err) {
    return sq_run(sq, err,
                  "INSERT OR IGNORE INTO covered SELECT run, key, value FROM labels"
                  " WHERE run = ?1 AND key = ?2 AND automatic",
                  "it", run, key);
}

/* What was below comes back, if anything was. */
static int uncover(struct sq *sq, int64_t run, const char *key, struct err *err) {
    const int rc = sq_run(sq, err,
                          "INSERT INTO labels SELECT run, key, value, 1 FROM covered"
                          " WHERE run = ?1 AND key = ?2",
                          "it", run, key);
    return rc < 0
               ? rc
               : sq_run(sq, err, "DELETE FROM covered WHERE run = ?1 AND key = ?2", "it", run, key);
}

/* DELETE and INSERT, so that the triggers count the words. */
static int replace_label(struct sq *sq, int64_t run, const struct label_change *c,
                         struct err *err) {
    int rc = c->value ? cover(sq, run, c->key, err) : 0;
    if (rc == 0)
        rc = sq_run(sq, err, "DELETE FROM labels WHERE run = ?1 AND key = ?2", "it", run, c->key);
    if (rc < 0)
        return rc;
    return c->value ? sq_run(sq, err, "INSERT INTO labels VALUES (?1, ?2, ?3, 0)", "itt", run,
                             c->key, c->value)
                    : uncover(sq, run, c->key, err);
}

int sq_edit(void *impl, const char *id, const struct label_change *change, size_t n,
            const char *note, struct err *err) {
    struct sq *sq = impl;
    int64_t run = 0;
    int rc = sq_begin(sq, n ? "changing labels" : "changing a note", SQ_WRITES, err);
    if (rc == 0)
        rc = row_of(sq, id, &run, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = replace_label(sq, run, &change[i], err);
    if (rc == 0 && note)
        rc = sq_run(sq, err, "UPDATE runs SET note = ?2 WHERE run = ?1", "it", run, note);
    return sq_end(sq, rc, err);
}

/* Undeleting what is not deleted is no error; what was pruned is gone. */
static int set_deleted(struct sq *sq, const char *id, bool deleted, struct err *err) {
    int64_t run = 0;
    if (deleted) {
        const int rc = row_of(sq, id, &run, err);
        return rc < 0 ? rc
                      : sq_run(sq, err, "UPDATE runs SET deleted_ns = ?2 WHERE run = ?1", "ii", run,
                               (int64_t)clock_wall_ns());
    }
    const int rc = sq_number(sq, &run, err, "SELECT run FROM runs WHERE id = ?1", "t", id);
    if (rc == -ENOENT)
        return err_set(err, rc,
                       "run %.40s: it is not in %s any more; it was pruned, or never there", id,
                       sq->path);
    return rc < 0 ? rc
                  : sq_run(sq, err, "UPDATE runs SET deleted_ns = NULL WHERE run = ?1", "i", run);
}

int sq_mark_deleted(void *impl, const char *id, bool deleted, struct err *err) {
    struct sq *sq = impl;
    int rc = sq_begin(sq, deleted ? "deleting a run" : "bringing a run back", SQ_WRITES, err);
    if (rc == 0)
        rc = set_deleted(sq, id, deleted, err);
    return sq_end(sq, rc, err);
}

/* ---- the words that completion offers ---- */

/* What begins with ?2 lies between it and it with the last code point of Unicode behind. */
#define BEGINS(column) column " >= ?2 AND " column " < ?2 || char(1114111)"

static const char keys_of[] = "SELECT key FROM words WHERE " BEGINS(
    "key") " GROUP BY key ORDER BY sum(uses) DESC, max(last_ns) DESC, key LIMIT ?3";
static const char values_of[] = "SELECT value FROM words WHERE key = ?1 AND " BEGINS(
    "value") " ORDER BY uses DESC, last_ns DESC, value LIMIT ?3";

int sq_words(void *impl, const char *key, const char *prefix, size_t limit, char ***words,
             struct err *err) {
    struct sq *sq = impl;
    ARRAY(char *) found = {0};
    sqlite3_stmt *s = NULL;
    int rc = sq_begin(sq, "looking for words", SQ_READS, err);
    if (rc == 0)
        rc = sq_prepare(sq, &s, err, key ? values_of : keys_of, "tti", key, prefix,
                        limit ? (int64_t)limit : -1);
    while (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        char *word = sq_text(s, 0);
        rc = word ? array_push(&found, word) : -ENOMEM;
        if (rc < 0)
            free(word);
    }
    sqlite3_finalize(s);
    if (rc == 0)
        rc = array_push(&found, NULL);
    if (rc == -ENOMEM)
        sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    if (rc == 0) {
        *words = found.at;
        return sq_end(sq, rc, err);
    }
    for (size_t i = 0; i < found.n; i++)
        free(found.at[i]);
    array_free(&found);
    return sq_end(sq, rc, err);
}
