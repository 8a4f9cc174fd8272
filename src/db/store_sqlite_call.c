/* Calling SQLite: transactions, binding by letters, rows. */
#include "db/store_sqlite.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* BEGIN IMMEDIATE takes the lock of the writer at once: a transaction that read before it wrote
 * could find what it read outdated, and would have to begin again. */
static const char *const begin[] = {[SQ_READS] = "BEGIN", [SQ_WRITES] = "BEGIN IMMEDIATE"};

int sq_begin_here(struct sq *sq, const char *doing, enum sq_mode mode, struct err *err) {
    sq->doing = doing;
    sq_wait_reset(sq);
    sq_watch_reset(&sq->watch, SQ_LIMIT_S);
    sq->watch.hears = mode == SQ_READS; /* what is to be saved is saved */
    if (sqlite3_exec(sq->db, begin[mode], NULL, NULL, NULL) != SQLITE_OK)
        return sq_fail(sq, err);
    sq->in_transaction = true;
    return 0;
}

int sq_begin(struct sq *sq, const char *doing, enum sq_mode mode, struct err *err) {
    if (sq->in_batch && !sqlite3_get_autocommit(sq->db)) {
        sq->doing = doing;
        sq_watch_reset(&sq->watch, SQ_LIMIT_S);
        return 0;
    }
    if (sq->in_batch) /* SQLite took the batch back by itself: the one before has said why */
        return sq_fail_code(sq, SQLITE_IOERR, 0, NULL, err);
    int rc = sq_refresh(sq, err);
    if (rc == 0)
        rc = sq_begin_here(sq, doing, mode, err);
    return rc < 0 ? rc : sq_check_version(sq, err);
}

/* What a failed transaction has put at the end of the log takes space until the log is reset. */
static void give_back(struct sq *sq) {
    sq->impatient = true;
    sqlite3_exec(sq->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    sq->impatient = false;
}

int sq_end(struct sq *sq, int rc, struct err *err) {
    if (!sq->in_transaction || sq->in_batch)
        return rc;
    sq->in_transaction = false;
    if (rc >= 0 && sqlite3_exec(sq->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        rc = sq_fail(sq, err);
    if (!sqlite3_get_autocommit(sq->db))
        sqlite3_exec(sq->db, "ROLLBACK", NULL, NULL, NULL);
    if (rc == -ENOSPC && !sq->read_only)
        give_back(sq);
    return rc;
}

int sq_batch_begin(void *impl, struct err *err) {
    struct sq *sq = impl;
    const int rc = sq_begin(sq, "changing runs", SQ_WRITES, err);
    sq->in_batch = rc == 0;
    return rc < 0 ? sq_end(sq, rc, err) : 0;
}

int sq_batch_end(void *impl, int rc, struct err *err) {
    struct sq *sq = impl;
    if (!sq->in_batch)
        return rc;
    sq->in_batch = false;
    sq->doing = "changing runs";
    return sq_end(sq, rc, err);
}

static void bind(sqlite3_stmt *stmt, const char *types, va_list ap) {
    sqlite3_reset(stmt);
    for (int i = 1; types[i - 1]; i++) {
        const char *text;
        const void *blob;
        switch (types[i - 1]) {
        case 'i':
            sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
            break;
        case 'd':
            sqlite3_bind_double(stmt, i, va_arg(ap, double)); /* NAN becomes NULL */
            break;
        case 't':
            text = va_arg(ap, const char *);
            sqlite3_bind_text64(stmt, i, text, text ? strlen(text) : 0, SQLITE_STATIC, SQLITE_UTF8);
            break;
        case '-':
            sqlite3_bind_null(stmt, i);
            break;
        default:
            blob = va_arg(ap, const void *);
            sqlite3_bind_blob64(stmt, i, blob, va_arg(ap, size_t), SQLITE_STATIC);
        }
    }
}

void sq_bind(sqlite3_stmt *stmt, const char *types, ...) {
    va_list ap;
    va_start(ap, types);
    bind(stmt, types, ap);
    va_end(ap);
}

static int prepare(struct sq *sq, sqlite3_stmt **stmt, struct err *err, const char *sql) {
    *stmt = NULL;
    return sqlite3_prepare_v2(sq->db, sql, -1, stmt, NULL) == SQLITE_OK ? 0 : sq_fail(sq, err);
}

int sq_prepare(struct sq *sq, sqlite3_stmt **stmt, struct err *err, const char *sql,
               const char *types, ...) {
    const int rc = prepare(sq, stmt, err, sql);
    va_list ap;
    va_start(ap, types);
    if (rc == 0)
        bind(*stmt, types, ap);
    va_end(ap);
    return rc;
}

int sq_step(struct sq *sq, sqlite3_stmt *stmt, struct err *err) {
    const int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : sq_fail(sq, err);
}

static int run_out(struct sq *sq, sqlite3_stmt *stmt, struct err *err) {
    int rc;
    while ((rc = sq_step(sq, stmt, err)) > 0)
        ;
    return rc;
}

int sq_put(struct sq *sq, sqlite3_stmt *stmt, struct err *err, const char *types, ...) {
    va_list ap;
    va_start(ap, types);
    bind(stmt, types, ap);
    va_end(ap);
    return run_out(sq, stmt, err);
}

int sq_run(struct sq *sq, struct err *err, const char *sql, const char *types, ...) {
    sqlite3_stmt *stmt;
    int rc = prepare(sq, &stmt, err, sql);
    va_list ap;
    va_start(ap, types);
    if (rc == 0) {
        bind(stmt, types, ap);
        rc = run_out(sq, stmt, err);
    }
    va_end(ap);
    sqlite3_finalize(stmt);
    return rc;
}

int sq_number(struct sq *sq, int64_t *out, struct err *err, const char *sql, const char *types,
              ...) {
    sqlite3_stmt *stmt;
    int rc = prepare(sq, &stmt, err, sql);
    va_list ap;
    va_start(ap, types);
    if (rc == 0) {
        bind(stmt, types, ap);
        rc = sq_step(sq, stmt, err);
    }
    va_end(ap);
    if (rc > 0)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : rc == 0 ? -ENOENT : 0;
}

/* So many could never be, and arrays of them not be had: somebody has changed a row's number. */
static const int64_t rows_most = (int64_t)1 << 31;

int sq_rows(struct sq *sq, int64_t *n, struct err *err) {
    int64_t last = 0;
    const int rc = sq_number(sq, &last, err, "SELECT coalesce(max(run), 0) FROM runs", "");
    if (rc == 0 && (last < 0 || last >= rows_most))
        return sq_damaged(sq, err, "it has a run in row %lld", (long long)last);
    *n = last + 1;
    return rc;
}

double sq_real(sqlite3_stmt *stmt, int column) {
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? NAN
                                                            : sqlite3_column_double(stmt, column);
}

const char *sq_peek(sqlite3_stmt *stmt, int column) {
    const unsigned char *text = sqlite3_column_text(stmt, column);
    return text ? (const char *)text : "";
}

char *sq_text(sqlite3_stmt *stmt, int column) {
    return strdup(sq_peek(stmt, column));
}
