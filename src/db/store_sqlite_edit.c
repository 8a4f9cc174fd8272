/* Small changes of a stored run, and the words that completion offers. */
#include "base/clock.h"
#include "base/str.h"
#include "db/store_sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The row of a run that is not deleted, or words. */
static int row_of(struct sq *sq, const char *id, int64_t *run, struct err *err) {
    const int rc = sq_number(sq, run, err,
                             "SELECT run FROM runs WHERE id = ?1 AND deleted_ns IS NULL", "t", id);
    if (rc != -ENOENT)
        return rc;
    return err_set(err, rc, "run %.40s: no such run in %s; tdtop list shows which there are", id,
                   sq->path);
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

/* ---- words ---- */

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
