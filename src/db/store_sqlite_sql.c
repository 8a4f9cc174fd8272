/* A statement of the user's: it reads, and nothing else. */
#include "db/store_sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a statement does is asked of SQLite, not of its text: it selects, and from this file alone.
 */
static int may(void *user, int action, const char *a, const char *b, const char *c, const char *d) {
    (void)user, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
                   action == SQLITE_RECURSIVE
               ? SQLITE_OK
               : SQLITE_DENY;
}

static int prepare(struct sq *sq, const char *sql, sqlite3_stmt **s, struct err *err) {
    const char *rest = NULL;
    sqlite3_set_authorizer(sq->db, may, NULL);
    const int rc = sqlite3_prepare_v2(sq->db, sql, -1, s, &rest);
    if (rc == SQLITE_AUTH || (*s && (!sqlite3_stmt_readonly(*s) || !sqlite3_column_count(*s))))
        return err_set(err, -EPERM, "sql: only SELECT, on the tables and views of docs/STORE.md");
    if (rc != SQLITE_OK)
        return err_set(err, -EINVAL, "sql: %s", sqlite3_errmsg(sq->db));
    if (!*s)
        return err_set(err, -EINVAL, "sql: no statement; as: tdtop sql 'SELECT * FROM run_values'");
    while (*rest == ' ' || *rest == '\n' || *rest == '\t' || *rest == ';')
        rest++;
    return *rest ? err_set(err, -EINVAL,
                           "sql: one statement at a time; the second begins with %.20s", rest)
                 : 0;
}

static struct store_cell cell_of(sqlite3_stmt *s, int i) {
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_INTEGER:
        return (struct store_cell){.kind = CELL_INTEGER, .integer = sqlite3_column_int64(s, i)};
    case SQLITE_FLOAT:
        return (struct store_cell){.kind = CELL_REAL, .real = sqlite3_column_double(s, i)};
    case SQLITE_TEXT:
        return (struct store_cell){.kind = CELL_TEXT, .text = sq_peek(s, i)};
    case SQLITE_BLOB:
        return (struct store_cell){.kind = CELL_BYTES, .n = (size_t)sqlite3_column_bytes(s, i)};
    default:
        return (struct store_cell){.kind = CELL_NULL};
    }
}

/* 1: a row; 0: done. What the statement itself does wrong is no failure of the file. */
static int step(struct sq *sq, sqlite3_stmt *s, struct err *err) {
    const int rc = sqlite3_step(s);
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return rc == SQLITE_ROW;
    return (rc & 0xff) == SQLITE_ERROR || (rc & 0xff) == SQLITE_TOOBIG
               ? err_set(err, -EINVAL, "sql: %s", sqlite3_errmsg(sq->db))
               : sq_fail(sq, err);
}

/* Rows until there are no more, or no more are wanted. */
static int give(struct sq *sq, sqlite3_stmt *s, const struct store_rows *to, struct err *err) {
    const int n = sqlite3_column_count(s);
    const char **name = calloc((size_t)n + 1, sizeof(*name));
    struct store_cell *cell = calloc((size_t)n + 1, sizeof(*cell));
    int rc = name && cell ? 0 : err_set(err, -ENOMEM, "sql: out of memory");
    for (int i = 0; rc == 0 && i < n; i++)
        name[i] = sqlite3_column_name(s, i);
    if (rc == 0)
        to->head(to->user, name, n);
    while (rc == 0 && (rc = step(sq, s, err)) > 0) {
        for (int i = 0; i < n; i++)
            cell[i] = cell_of(s, i);
        rc = to->row(to->user, cell, n) ? 0 : 1;
    }
    free(name);
    free(cell);
    return rc < 0 ? rc : 0;
}

int sq_sql(void *impl, const char *sql, const struct store_rows *to, struct err *err) {
    struct sq *sq = impl;
    sqlite3_stmt *s = NULL;
    int rc = sq_begin(sq, "reading", SQ_READS, err);
    if (rc == 0) {
        sq_watch_reset(&sq->watch, 0); /* as long as it takes; the user may end it */
        /* its views are ours: sq_begin has held them against those that there are to be */
        sqlite3_db_config(sq->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
        rc = sq_add_intervals(sq) == SQLITE_OK ? prepare(sq, sql, &s, err) : sq_fail(sq, err);
    }
    if (rc == 0)
        rc = give(sq, s, to, err);
    sqlite3_finalize(s);
    sqlite3_set_authorizer(sq->db, NULL, NULL); /* functions of a table prepare statements, too */
    sqlite3_db_config(sq->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return sq_end(sq, rc, err);
}
