/*
 * Runs to the server and back. What is in a run is written by the store of a file and by nothing
 * else: its bytes go to the server, without the text of the model, which is there once.
 */
#include "base/clock.h"
#include "base/str.h"
#include "db/store_find.h"
#include "db/store_postgres.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sha2.h> /* libmd */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a run as bytes --- */

/* A copy of the run's store, small, complete in one file, and without the text of its model. */
static int copy_small(const char *from, const char *to) {
    static const char small[] = "PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE;"
                                "UPDATE models SET text = ''; PRAGMA page_size = 1024; VACUUM";
    sqlite3 *db = NULL;
    char *sql = sqlite3_mprintf("VACUUM INTO %Q", to);
    int rc = sql ? sqlite3_open_v2(from, &db, SQLITE_OPEN_READWRITE, NULL) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    sqlite3_free(sql);
    db = NULL;
    if (rc == SQLITE_OK)
        rc = sqlite3_open_v2(to, &db, SQLITE_OPEN_READWRITE, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, small, NULL, NULL, NULL);
    sqlite3_close(db);
    return rc == SQLITE_OK ? 0 : rc == SQLITE_FULL ? -ENOSPC : -EIO;
}

enum { MOST_BYTES = 1000 << 20 }; /* of a value of PostgreSQL: 1 GB */

static int read_image(const char *path, char **bytes, size_t *n, struct err *err) {
    char small[2500];
    snprintf(small, sizeof(small), "%s.small", path);
    unlink(small);
    int rc = copy_small(path, small);
    if (rc < 0)
        err_set(err, rc, "%s: a copy for the server cannot be made: %s", path, strerror(-rc));
    else
        rc = str_read_file(small, MOST_BYTES, bytes, n, err);
    unlink(small);
    return rc;
}

static int write_all(const char *path, int fd, const char *bytes, size_t n) {
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < n;) {
        const ssize_t done = write(fd, bytes + at, n - at);
        if (done <= 0)
            rc = done < 0 ? -errno : -ENOSPC;
        else
            at += (size_t)done;
    }
    close(fd);
    if (rc < 0)
        unlink(path);
    return rc;
}

/* Into the first folder that has room. */
static int write_image(const char *bytes, size_t n, char path[64], struct err *err) {
    const char *const folders[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    int rc = -ENOSPC;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (!folders[i] || strlen(folders[i]) > 40)
            continue;
        snprintf(path, 64, "%s/tdtop-run-XXXXXX", folders[i]);
        const int fd = mkstemp(path);
        rc = fd < 0 ? -errno : write_all(path, fd, bytes, n);
        if (rc == 0)
            return 0;
    }
    return err_set(err, rc == -ENOENT ? -EIO : rc,
                   "%s: a run from the server is put there to be read, and cannot be: %s; name a "
                   "folder with room with TMPDIR",
                   path, strerror(-rc));
}

/* --- what lists ask for --- */

static const char *text(const char *s) {
    return s ? s : "";
}

json_t *pg_json_text(const char *s) {
    json_t *o = json_string(text(s));
    char *safe = o ? NULL : malloc(strlen(s) + 1);
    if (safe)
        o = json_string(str_safe(safe, strlen(s) + 1, s));
    free(safe);
    return o;
}

/* A list as text; malloc'ed. NULL: no memory for it, or for one of its items before. */
static char *dump(json_t *all, bool whole) {
    char *out = whole ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return out;
}

/* [[key, value, automatic, covered or null], ...]; malloc'ed. */
static char *label_list(const struct run *r) {
    json_t *all = json_array();
    bool whole = all != NULL;
    for (size_t i = 0; whole && i < r->label.n; i++) {
        const struct run_label *l = &r->label.at[i];
        whole = json_array_append_new(
                    all, json_pack("[o, o, b, o]", pg_json_text(l->key), pg_json_text(l->value),
                                   l->automatic,
                                   l->covered ? pg_json_text(l->covered) : json_null())) == 0;
    }
    return dump(all, whole);
}

static int take_labels(struct run *r, const char *list) {
    json_t *all = json_loads(list, 0, NULL), *one;
    size_t i;
    for (i = 0; i < r->label.n; i++) {
        free(r->label.at[i].key);
        free(r->label.at[i].value);
        free(r->label.at[i].covered);
    }
    r->label.n = 0;
    json_array_foreach(all, i, one) {
        const char *key = json_string_value(json_array_get(one, 0));
        const char *value = json_string_value(json_array_get(one, 1));
        const char *covered = json_string_value(json_array_get(one, 3));
        struct run_label l = {.key = strdup(text(key)),
                              .value = strdup(text(value)),
                              .automatic = json_is_true(json_array_get(one, 2)),
                              .covered = covered ? strdup(covered) : NULL};
        if (!l.key || !l.value || array_push(&r->label, l) < 0) {
            json_decref(all);
            return -ENOMEM;
        }
    }
    const int rc = all ? 0 : -EUCLEAN;
    json_decref(all);
    return rc;
}

/* [[name, path, unit, level, good_up, share], ...]: runs of a model share it. */
static char *metric_list(const struct run *r, char hash[SHA256_DIGEST_STRING_LENGTH]) {
    json_t *all = json_array();
    bool whole = all != NULL;
    for (size_t i = 0; whole && i < r->node.n; i++) {
        const struct run_node *n = &r->node.at[i];
        whole = json_array_append_new(all, json_pack("[o, o, o, i, b, b]", pg_json_text(n->name),
                                                     pg_json_text(n->path), pg_json_text(n->unit),
                                                     n->level, n->good_up, n->share)) == 0;
    }
    char *out = dump(all, whole);
    if (out)
        SHA256Data((const uint8_t *)out, strlen(out), hash);
    return out;
}

/* One number of each node as an array of float8; malloc'ed. */
static char *numbers(const struct run *r, double (*of)(const struct run_node *n)) {
    const size_t cap = r->node.n * 26 + 3;
    char *out = malloc(cap);
    struct strbuf sb = strbuf_on(out, out ? cap : 0);
    strbuf_add(&sb, "{");
    for (size_t i = 0; out && i < r->node.n; i++) {
        const double v = of(&r->node.at[i]);
        if (isnan(v))
            strbuf_add(&sb, "%sNULL", i ? "," : "");
        else
            strbuf_add(&sb, "%s%.17g", i ? "," : "", v);
    }
    strbuf_add(&sb, "}");
    return out;
}

static double value_of(const struct run_node *n) {
    return n->value.v;
}
/* These are float4 there, which refuses what would be another number. */
static double err_of(const struct run_node *n) {
    return (double)(float)n->value.err;
}
static double se_of(const struct run_node *n) {
    return (double)(float)n->m.se;
}

/* --- saving --- */

#define AGAIN_NS (30 * NS_PER_S) /* a server that does not answer is not asked for each run */

struct sending {
    struct pg *pg;
    const struct run *r; /* its counts are not asked for */
    uint64_t n_interval;
    char *image, *labels, *metrics, *value, *err_, *se;
    size_t n_image;
    char shape[SHA256_DIGEST_STRING_LENGTH], model[SHA256_DIGEST_STRING_LENGTH];
};

static void sending_free(struct sending *s) {
    char *const all[] = {s->image, s->labels, s->metrics, s->value, s->err_, s->se};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
}

static int prepare(struct sending *s, const char *path, struct err *err) {
    const struct run *r = s->r;
    int rc = read_image(path, &s->image, &s->n_image, err);
    if (rc < 0)
        return rc;
    s->labels = label_list(r);
    s->metrics = metric_list(r, s->shape);
    s->value = numbers(r, value_of);
    s->err_ = numbers(r, err_of);
    s->se = numbers(r, se_of);
    if (r->model_text && *r->model_text)
        SHA256Data((const uint8_t *)r->model_text, strlen(r->model_text), s->model);
    return s->labels && s->metrics && s->value && s->err_ && s->se
               ? 0
               : err_set(err, -ENOMEM, "run %s: out of memory while saving it", r->id);
}

static const char save_sql[] =
    "SELECT tdtop.save_run($1, $2, $3, $4, $5, $6, $7::int, $8::bigint <> 0, $9::bigint <> 0,"
    " $10::bigint <> 0, $11, $12, $13, $14, $15, $16, $17, $18, $19::json, $20, $21::json,"
    " $22::float8[], $23::float4[], $24::float4[], $25)::int";

/* 0, -EEXIST, or why not. */
static int send_run(struct sending *s, struct err *err) {
    const struct run *r = s->r;
    int64_t is_new = 0;
    s->pg->doing = "saving a run";
    const int rc =
        pg_number(s->pg, &is_new, err, save_sql,
                  "t"
                  "iiiiiiiii"
                  "tttttttttttttt"
                  "b",
                  r->id, r->begun_ns, r->ended_ns, (int64_t)(r->t1_ns - r->t0_ns),
                  (int64_t)r->measured_ns, (int64_t)s->n_interval, (int64_t)r->level,
                  (int64_t)r->system_wide, (int64_t)r->simulated, (int64_t)r->ran_through,
                  text(r->process), text(r->target), text(r->model), s->model[0] ? s->model : NULL,
                  text(r->model_text), text(r->bottleneck), text(r->warning), text(r->note),
                  s->labels, s->shape, s->metrics, s->value, s->err_, s->se, s->image, s->n_image);
    if (rc == 0 && !is_new)
        return err_set(err, -EEXIST, "run %s: it is in the store already", r->id);
    return rc;
}

/* Its file is closed: all that it says is in the one file. */
static int send_item(struct pg *pg, const struct run *r, uint64_t n_interval,
                     struct outbox_item *it, struct err *err) {
    struct sending s = {.pg = pg, .r = r, .n_interval = n_interval};
    outbox_rest(it);
    int rc = prepare(&s, it->path, err);
    if (rc == 0)
        rc = send_run(&s, err);
    sending_free(&s);
    return rc;
}

/* A run whose file is open, without reading its counts. */
static int send_file(struct pg *pg, struct outbox_item *it, struct err *err) {
    struct run r = {0};
    uint64_t n_interval = 0;
    int rc = outbox_load(it, RUN_MODEL, &r, &n_interval, err);
    if (rc > 0)
        rc = send_item(pg, &r, n_interval, it, err);
    run_free(&r);
    return rc;
}

static int send_waiting(void *user, struct outbox_item *it, struct err *err) {
    struct pg *pg = user;
    const int rc = send_file(pg, it, err);
    pg->sent += rc == 0;
    return rc == -EEXIST ? 0 : rc;
}

int pg_send_waiting(void *impl, struct err *err) {
    struct pg *pg = impl;
    pg->unsent = (struct err){0};
    int rc = pg_ready(pg, &pg->unsent);
    pg->again_ns = rc == -EHOSTUNREACH ? clock_now_ns() + AGAIN_NS : 0;
    if (rc == 0)
        rc = outbox_each(&pg->outbox, send_waiting, pg, &pg->unsent);
    if (pg_saves(pg) && !pg->in_batch)
        pg_disconnect(pg);
    return rc < 0 ? err_set(err, rc, "%s", pg->unsent.text) : 0;
}

/* One that the server does not have, or may not have, stays: it is on this disk, and what keeps the
 * server from taking it need not last. */
static void keep_or_remove(struct pg *pg, struct outbox_item *it, int rc, const struct err *why) {
    const bool stays = rc < 0 && rc != -EEXIST && !pg->in_batch;
    if (stays) {
        pg->unsent = *why;
        outbox_close(it);
    } else {
        outbox_remove(it);
    }
}

/* What waited before goes with it. A process that measures has no connection. */
static void end_delivery(struct pg *pg, int rc) {
    if (pg->in_batch)
        return;
    if (rc == -EHOSTUNREACH && clock_now_ns() >= pg->again_ns) /* it was asked */
        pg->again_ns = clock_now_ns() + AGAIN_NS;
    else if (rc == 0)
        pg_send_waiting(pg, NULL);
    if (pg_saves(pg))
        pg_disconnect(pg);
}

/* r NULL: what is in the file. -EEXIST: it is there. */
static int try_delivery(struct pg *pg, const struct run *r, struct outbox_item *it,
                        struct err *err) {
    if (!pg->in_batch && clock_now_ns() < pg->again_ns)
        return err_set(err, -EHOSTUNREACH, "%s", pg->unsent.text);
    pg->ends = false;
    const int rc = pg_ready(pg, err);
    if (rc < 0)
        return rc;
    return r ? send_item(pg, r, r->n_stored + series_rows(&r->series), it, err)
             : send_file(pg, it, err);
}

static int deliver(struct pg *pg, const struct run *r, struct outbox_item *it, struct err *err) {
    struct err why = {0};
    const int rc = try_delivery(pg, r, it, &why);
    keep_or_remove(pg, it, rc, &why);
    end_delivery(pg, rc);
    return rc == -EEXIST || (rc < 0 && pg->in_batch) ? err_set(err, rc, "%s", why.text) : 0;
}

int pg_save(void *impl, const struct run *r, struct err *err) {
    struct pg *pg = impl;
    struct outbox_item it;
    int rc = outbox_open(&pg->outbox, r->id, !pg->in_batch, &it, err);
    if (rc < 0)
        return rc;
    rc = store_sqlite.save(it.impl, r, err);
    if (rc == 0)
        return deliver(pg, r, &it, err);
    if (rc == -EEXIST) /* on its way already */
        outbox_close(&it);
    else
        outbox_remove(&it);
    return rc;
}

/* ---- a run that grows: on this host until it is over ---- */

void pg_grow_end(struct pg *pg) {
    for (size_t i = 0; i < pg->growing.n; i++)
        outbox_close(&pg->growing.at[i].file);
    array_free(&pg->growing);
}

static struct pg_growing *growing(struct pg *pg, const char *id) {
    for (size_t i = 0; i < pg->growing.n; i++)
        if (strcmp(pg->growing.at[i].id, id) == 0)
            return &pg->growing.at[i];
    return NULL;
}

static int grow_begin(struct pg *pg, const char *id, struct err *err) {
    struct pg_growing new = {.file = {.fd = -1}};
    str_copy(new.id, sizeof(new.id), id);
    int rc = outbox_open(&pg->outbox, id, true, &new.file, err);
    if (rc == 0 && array_push(&pg->growing, new) < 0) {
        outbox_close(&new.file);
        rc = err_set(err, -ENOMEM, "run %s: out of memory", id);
    }
    return rc;
}

/* Of a run that was grown the file alone has all. */
static int grow_done(struct pg *pg, struct pg_growing *g, struct err *err) {
    struct outbox_item file = g->file;
    *g = pg->growing.at[--pg->growing.n];
    return deliver(pg, NULL, &file, err);
}

int pg_grow(void *impl, const struct run *r, enum store_grow how, struct store_growth *g,
            struct err *err) {
    struct pg *pg = impl;
    int rc = growing(pg, r->id) ? 0 : grow_begin(pg, r->id, err);
    if (rc < 0)
        return rc;
    struct pg_growing *at = growing(pg, r->id);
    rc = outbox_wake(&at->file, err);
    if (rc == 0)
        rc = store_sqlite.grow(at->file.impl, r, how, g, err);
    if (rc == 0 && how == GROW_DONE)
        return grow_done(pg, at, err);
    outbox_rest(&at->file);
    return rc;
}

/* ---- several at once ---- */

int pg_batch_begin(void *impl, struct err *err) {
    struct pg *pg = impl;
    int rc = pg_begin(pg, "changing runs", err);
    if (rc == 0)
        rc = pg_lock(pg, PG_LOCK_WORDS, false, err);
    if (rc < 0)
        return pg_end(pg, rc, err);
    pg->in_batch = true;
    return 0;
}

int pg_batch_end(void *impl, int rc, struct err *err) {
    struct pg *pg = impl;
    if (!pg->in_batch)
        return rc;
    pg->in_batch = false;
    pg->doing = "changing runs";
    return pg_end(pg, rc, err);
}

/* --- loading --- */

static int unknown_run(struct pg *pg, const char *id, struct err *err) {
    int64_t deleted;
    if (pg_number(pg, &deleted, NULL, "SELECT 1 FROM runs WHERE id = $1", "t", id) == 0)
        return err_set(err, -ENOENT, "run %.40s: it was deleted; undelete it first", id);
    return store_find_no_run(pg->path, id, err);
}

/* Those of the file are as they were when it was saved. */
static int take_changes(struct run *r, const struct pg_rows *rows, unsigned parts) {
    int rc = take_labels(r, pg_peek(rows, 0, 1));
    if (rc == 0)
        rc = run_set_text(&r->note, pg_peek(rows, 0, 2));
    if (rc == 0 && (parts & RUN_MODEL))
        rc = run_set_text(&r->model_text, pg_peek(rows, 0, 3));
    return rc;
}

static int check_model(struct pg *pg, const struct run *r, const char *hash, struct err *err) {
    char is[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data((const uint8_t *)r->model_text, strlen(r->model_text), is);
    return !*hash || strcmp(is, hash) == 0
               ? 0
               : err_set(err, -EUCLEAN,
                         "run %s: the text of its model %.40s in %s is not the one that was "
                         "written; tdtop list, query and compare do without it",
                         r->id, r->model, pg->path);
}

static int read_run(struct pg *pg, const struct pg_rows *rows, const char *id, unsigned parts,
                    struct run *out, struct err *err) {
    char path[64];
    void *file = NULL;
    int rc = write_image(pg_peek(rows, 0, 0), pg_length(rows, 0, 0), path, err);
    if (rc < 0)
        return rc;
    rc = store_sqlite.open(&file, path, path, STORE_READ, NULL, NULL, err);
    if (rc == 0)
        rc = store_sqlite.load(file, id, parts & ~(unsigned)RUN_MODEL, out, err);
    if (file)
        store_sqlite.close(file);
    unlink(path);
    if (rc == -EINVAL || rc == -ENOENT || rc == -EUCLEAN)
        return err_set(
            err, -EUCLEAN,
            "run %.40s: its bytes in %s are not those that were written; nothing else is "
            "wrong with the others",
            id, pg->path);
    if (rc == 0 && (rc = take_changes(out, rows, parts)) < 0)
        err_set(err, rc, "run %s: its labels cannot be read: %s", id, strerror(-rc));
    return rc == 0 && (parts & RUN_MODEL) ? check_model(pg, out, pg_peek(rows, 0, 4), err) : rc;
}

static int load_growing(struct pg_growing *g, unsigned parts, struct run *out, struct err *err) {
    int rc = outbox_wake(&g->file, err);
    if (rc == 0)
        rc = store_sqlite.load(g->file.impl, g->id, parts, out, err);
    outbox_rest(&g->file);
    return rc;
}

static int load(struct pg *pg, const char *id, bool deleted, unsigned parts, struct run *out,
                struct err *err) {
    struct pg_rows rows = {0};
    int rc = pg_ask_bytes(pg, &rows, err,
                          "SELECT store, label_list::text, note, coalesce((SELECT text FROM models"
                          " WHERE $2::bigint <> 0 AND hash = model_hash), ''),"
                          " coalesce(model_hash, '') FROM runs"
                          " WHERE id = $1 AND ($3::bigint <> 0 OR deleted_ns IS NULL)",
                          "tii", id, (int64_t)((parts & RUN_MODEL) != 0), (int64_t)deleted);
    if (rc == 0)
        rc = rows.n ? read_run(pg, &rows, id, parts, out, err) : unknown_run(pg, id, err);
    pg_rows_free(&rows);
    return rc;
}

int pg_load_any(struct pg *pg, const char *id, unsigned parts, struct run *out, struct err *err) {
    return load(pg, id, true, parts, out, err);
}

int pg_load(void *impl, const char *id, unsigned parts, struct run *out, struct err *err) {
    struct pg *pg = impl;
    if (growing(pg, id))
        return load_growing(growing(pg, id), parts, out, err);
    int rc = pg_begin_reading(pg, "reading a run", err);
    if (rc == 0)
        rc = load(pg, id, false, parts, out, err);
    return pg_end(pg, rc, err);
}

/* --- small changes --- */

static int put_labels(struct pg *pg, const struct run *r, const char *id, struct err *err) {
    char *list = label_list(r);
    int rc = list ? 0 : err_set(err, -ENOMEM, "run %s: out of memory", id);
    if (rc == 0)
        rc = pg_do(pg, err,
                   "WITH l AS (SELECT coalesce(jsonb_object_agg(e->>0, e->>1), '{}') AS labels"
                   "  FROM json_array_elements($2::json) e),"
                   " b AS (SELECT id, labels FROM runs WHERE id = $1)"
                   " UPDATE runs r SET labels = l.labels, label_list = $2::json"
                   " FROM l, b WHERE r.id = b.id"
                   " RETURNING count_words(b.labels, -1, -1, r.begun_ns),"
                   "  count_words(l.labels, 1, 1, r.begun_ns)",
                   "tt", id, list);
    free(list);
    return rc;
}

/* And the words that searches find the run by. */
static int put_note(struct pg *pg, const struct run *r, const char *id, struct err *err) {
    return pg_do(pg, err,
                 "UPDATE runs SET note = $2, words = words_of(id, process, target, model,"
                 " bottleneck, $2, words_of_labels(labels)) WHERE id = $1",
                 "tt", id, text(r->note));
}

static int edit(struct pg *pg, const char *id, const struct label_change *change, size_t n,
                const char *note, struct err *err) {
    struct run r = {0};
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err,
                    "SELECT label_list, note FROM runs WHERE id = $1 AND deleted_ns IS NULL"
                    " FOR UPDATE",
                    "t", id);
    if (rc == 0 && rows.n == 0)
        rc = store_find_no_run(pg->path, id, err);
    if (rc == 0 && ((rc = take_labels(&r, pg_peek(&rows, 0, 0))) < 0 ||
                    (rc = run_set_text(&r.note, note ? note : pg_peek(&rows, 0, 1))) < 0))
        err_set(err, rc, "run %s: its labels cannot be read: %s", id, strerror(-rc));
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = run_label_set(&r, change[i].key, change[i].value, false, err);
    if (rc == 0 && n > 0)
        rc = put_labels(pg, &r, id, err);
    if (rc == 0)
        rc = put_note(pg, &r, id, err);
    run_free(&r);
    pg_rows_free(&rows);
    return rc;
}

int pg_edit(void *impl, const char *id, const struct label_change *change, size_t n,
            const char *note, struct err *err) {
    struct pg *pg = impl;
    int rc = pg_begin(pg, n ? "changing labels" : "changing a note", err);
    if (rc == 0)
        rc = pg_lock(pg, PG_LOCK_WORDS, true, err);
    if (rc == 0)
        rc = edit(pg, id, change, n, note, err);
    return pg_end(pg, rc, err);
}
