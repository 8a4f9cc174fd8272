/*
 * What is in sqlite_schema is code: views and triggers are statements that run with ours, and a
 * table of the right name can be a view that never ends. So the schema of a file is held against
 * one that its steps make in memory, before anything else is asked of it.
 */
#include "db/store_sqlite.h"
#include "db/store_sqlite_sum.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Tables of ANALYZE and of `.recover` are read by nobody here. */
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

int sq_check_schema(struct sq *sq, int64_t version, struct err *err) {
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
