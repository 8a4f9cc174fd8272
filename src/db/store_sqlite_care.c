/* Care of the file: what is in it, whether it is sound, and giving room back. */
#include "db/store_sqlite.h"

#include <errno.h>
#include <sha2.h> /* libmd */
#include <stdio.h>
#include <string.h>

/* ---- what is in it ---- */

int sq_stats(void *impl, struct store_stats *out, struct err *err) {
    struct sq *sq = impl;
    int64_t n[7];
    static const char *const sql[] = {
        "SELECT count(*) FROM runs WHERE deleted_ns IS NULL",
        "SELECT count(*) FROM runs WHERE deleted_ns IS NOT NULL",
        "SELECT coalesce(sum(intervals), 0) FROM runs WHERE deleted_ns IS NULL",
        "SELECT count(*) FROM models",
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
        "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
        "PRAGMA user_version",
    };
    int rc = sq_begin(sq, "counting what is in it", SQ_READS, err);
    for (int i = 0; rc == 0 && i < 7; i++)
        rc = sq_number(sq, &n[i], err, sql[i], "");
    if (rc == 0)
        *out = (struct store_stats){.n_run = (uint64_t)n[0],
                                    .n_deleted = (uint64_t)n[1],
                                    .n_interval = (uint64_t)n[2],
                                    .n_model = (uint64_t)n[3],
                                    .bytes = (uint64_t)n[4],
                                    .free_bytes = (uint64_t)n[5],
                                    .version = (int)n[6]};
    return sq_end(sq, rc, err);
}

/* ---- is it sound? ---- */

struct checking {
    struct sq *sq;
    void (*problem)(void *user, const char *text);
    void *user;
    int n;
    struct err *err;
};

static void report(struct checking *c, const char *text) {
    c->n++;
    if (c->problem)
        c->problem(c->user, text);
}

/* A statement whose rows are problems, in words. It can itself fail by what it looks for. */
static int check_rows(struct checking *c, const char *sql) {
    sqlite3_stmt *s;
    int rc = sq_prepare(c->sq, &s, c->err, sql, "");
    while (rc == 0 && (rc = sq_step(c->sq, s, c->err)) > 0) {
        if (strcmp(sq_peek(s, 0), "ok") != 0)
            report(c, sq_peek(s, 0));
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc;
}

static int check_models(struct checking *c) {
    sqlite3_stmt *s;
    int rc = sq_prepare(c->sq, &s, c->err, "SELECT hash, name, text FROM models", "");
    while (rc == 0 && (rc = sq_step(c->sq, s, c->err)) > 0) {
        char hash[SHA256_DIGEST_STRING_LENGTH], words[160];
        const char *text = sq_peek(s, 2);
        SHA256Data((const uint8_t *)text, strlen(text), hash);
        snprintf(words, sizeof(words), "the text of model %.80s is not the one that was written",
                 sq_peek(s, 1));
        if (strcmp(hash, sq_peek(s, 0)) != 0)
            report(c, words);
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc;
}

/* Each run as who reads it would have it; one that cannot be read does not keep the others from
 * being looked at. Models are looked at once, not with each run. */
static int check_runs(struct checking *c) {
    sqlite3_stmt *s;
    int rc = sq_prepare(c->sq, &s, c->err, "SELECT id FROM runs ORDER BY run", "");
    while (rc == 0 && (rc = sq_step(c->sq, s, c->err)) > 0) {
        struct err err = {0};
        struct run r = {0};
        c->sq->terse = true;
        rc = sq_load_here(c->sq, sq_peek(s, 0), RUN_COUNTS | RUN_SAMPLES, &r, &err);
        c->sq->terse = false;
        run_free(&r);
        if (rc == -EUCLEAN || rc == -EPROTO)
            report(c, err.text);
        else if (rc < 0)
            err_set(c->err, rc, "%s", err.text);
        rc = rc == -EUCLEAN || rc == -EPROTO ? 0 : rc;
    }
    sqlite3_finalize(s);
    return rc;
}

static int check_tables(struct checking *c) {
    return check_rows(c, "PRAGMA integrity_check(100)");
}

static int check_relations(struct checking *c) {
    return check_rows(c, "SELECT 'a row of ' || \"table\" || ' belongs to a row of ' || parent ||"
                         " ' that is not there' FROM pragma_foreign_key_check LIMIT 100");
}

static int check_words(struct checking *c) {
    return check_rows(c,
                      "SELECT 'label ' || key || ': its uses are counted as ' || uses || ', and '"
                      " || n || ' are there (completion only)' FROM (SELECT w.key, w.uses,"
                      " (SELECT count(*) FROM labels l WHERE l.key = w.key AND l.value = w.value)"
                      " AS n FROM words w) WHERE uses <> n LIMIT 100");
}

/* A damaged file can fail a check half way; the others still look. */
static int check_part(struct checking *c, int (*part)(struct checking *)) {
    struct err own = {0};
    struct err *outer = c->err;
    c->err = &own;
    const int rc = part(c);
    c->err = outer;
    if (rc != -EUCLEAN)
        return rc < 0 ? err_set(outer, rc, "%s", own.text) : 0;
    report(c, own.text);
    return 0;
}

int sq_check(void *impl, void (*problem)(void *user, const char *text), void *user,
             struct err *err) {
    static int (*const parts[])(struct checking *) = {
        check_tables, check_relations, check_words, check_models, check_runs,
    };
    struct checking c = {.sq = impl, .problem = problem, .user = user, .err = err};
    int rc = sq_begin(c.sq, "checking it", SQ_READS, err);
    sq_watch_reset(&c.sq->watch, 0);
    for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
        rc = check_part(&c, parts[i]);
    rc = sq_end(c.sq, rc, err);
    return rc < 0 ? rc : c.n;
}

/* ---- room ---- */

static int run_alone(struct sq *sq, const char *sql, struct err *err) {
    sq_wait_reset(sq);
    sq_watch_reset(&sq->watch, 0);
    return sq_run(sq, err, sql, "");
}

int sq_vacuum(void *impl, struct err *err) {
    struct sq *sq = impl;
    int rc = sq_refresh(sq, err);
    sq->doing = "making it smaller";
    if (rc == 0)
        rc = sq_check_version(sq, err);
    if (rc == 0)
        rc = run_alone(sq, "VACUUM", err);
    return rc < 0 ? rc : run_alone(sq, "PRAGMA wal_checkpoint(TRUNCATE)", err);
}

/* Deletes at most that many runs per transaction, so that others can write in between. */
enum { PRUNE_AT_ONCE = 50 };
#define DOOMED "(deleted_ns IS NOT NULL OR begun_ns < ?1)"

static int prune_some(struct sq *sq, int64_t older_than_ns, int *n, struct err *err) {
    int rc = sq_begin(sq, "removing runs", SQ_WRITES, err);
    if (rc == 0)
        rc =
            sq_run(sq, err,
                   "DELETE FROM runs WHERE run IN (SELECT run FROM runs WHERE " DOOMED " LIMIT ?2)",
                   "ii", older_than_ns, (int64_t)PRUNE_AT_ONCE);
    *n = sqlite3_changes(sq->db);
    return sq_end(sq, rc, err);
}

/* What no run refers to any more. */
static int prune_rest(struct sq *sq, struct err *err) {
    int rc = sq_begin(sq, "removing models", SQ_WRITES, err);
    if (rc == 0)
        rc = sq_run(sq, err,
                    "DELETE FROM models WHERE NOT EXISTS"
                    " (SELECT 1 FROM runs WHERE model_hash = hash)",
                    "");
    if (rc == 0)
        rc = sq_run(sq, err,
                    "DELETE FROM metrics WHERE NOT EXISTS"
                    " (SELECT 1 FROM nodes WHERE nodes.metric = metrics.metric)",
                    "");
    return sq_end(sq, rc, err);
}

static int count_doomed(struct sq *sq, int64_t older_than_ns, struct store_prune *out,
                        struct err *err) {
    sqlite3_stmt *s = NULL;
    int rc = sq_begin(sq, "counting runs to remove", SQ_READS, err);
    if (rc == 0)
        rc = sq_prepare(sq, &s, err,
                        "SELECT count(*), count(deleted_ns), min(begun_ns), max(begun_ns)"
                        " FROM runs WHERE " DOOMED,
                        "i", older_than_ns);
    if (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        *out = (struct store_prune){.n = (uint64_t)sqlite3_column_int64(s, 0),
                                    .n_removed = (uint64_t)sqlite3_column_int64(s, 1),
                                    .oldest_ns = sqlite3_column_int64(s, 2),
                                    .newest_ns = sqlite3_column_int64(s, 3)};
        rc = 0;
    }
    sqlite3_finalize(s);
    return sq_end(sq, rc, err);
}

int sq_prune(void *impl, int64_t older_than_ns, bool dry_run, struct store_prune *out,
             struct err *err) {
    struct sq *sq = impl;
    const int64_t limit = older_than_ns > 0 ? older_than_ns : INT64_MIN;
    int some = 0, rc = count_doomed(sq, limit, out, err);
    if (rc < 0 || dry_run)
        return rc;
    out->n = 0;
    sq_keep_few(sq, true);
    do {
        rc = prune_some(sq, limit, &some, err);
        out->n += rc == 0 ? (uint64_t)some : 0;
    } while (rc == 0 && some == PRUNE_AT_ONCE);
    rc = rc < 0 ? rc : prune_rest(sq, err);
    sq_keep_few(sq, false);
    return rc;
}
