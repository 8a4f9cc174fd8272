/*
 * Calling SQLite: the words of its failures, waiting for locks, transactions, binding by letters,
 * rows.
 */
#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "db/crc32c.h"
#include "db/store_sqlite.h"
#include "db/store_sqlite_sum.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* --- checksums of rows --- */

/* The type, and so many bytes: what is next to each other is not the same as what is one. */
static uint32_t add(uint32_t crc, int type, const void *bytes, size_t n) {
    const int64_t head[] = {type, (int64_t)n};
    crc = crc32c_more(crc, head, sizeof(head));
    return n ? crc32c_more(crc, bytes, n) : crc;
}

static uint32_t add_value(uint32_t crc, sqlite3_value *v) {
    const int type = sqlite3_value_type(v);
    const int64_t whole = type == SQLITE_INTEGER ? sqlite3_value_int64(v) : 0;
    const double real = type == SQLITE_FLOAT ? sqlite3_value_double(v) : 0;
    const void *bytes = type == SQLITE_TEXT   ? (const void *)sqlite3_value_text(v)
                        : type == SQLITE_BLOB ? sqlite3_value_blob(v)
                                              : NULL;
    if (type == SQLITE_INTEGER)
        return add(crc, type, &whole, sizeof(whole));
    if (type == SQLITE_FLOAT)
        return add(crc, type, &real, sizeof(real));
    return add(crc, type, bytes, bytes ? (size_t)sqlite3_value_bytes(v) : 0);
}

static void row_crc(sqlite3_context *c, int n, sqlite3_value **arg) {
    uint32_t crc = 0;
    for (int i = 0; i < n; i++)
        crc = add_value(crc, arg[i]);
    sqlite3_result_int64(c, crc);
}

int sq_add_sum(sqlite3 *db) {
    return sqlite3_create_function(db, "row_crc", -1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                   row_crc, NULL, NULL);
}

/* --- failures: from SQLite's result codes to cause and remedy --- */

#define OTHER_FILE "or name another file with --db FILE"
#define RESCUE                                                                                     \
    "tdtop db check lists what is wrong; what can be read is brought into a new file by: sqlite3 " \
    "FILE .recover | sqlite3 NEW"

/* said: the cause is what SQLite says, or with system what the kernel says, behind these words. */
static const struct cause {
    int code; /* primary result code */
    int rc;
    const char *cause, *remedy;
} causes[] = {
    {SQLITE_FULL, -ENOSPC, "no space left on its disk",
     "nothing was changed; make room, " OTHER_FILE},
    {SQLITE_READONLY, -EROFS, "it is read-only",
     "nothing was changed; see the permissions of the file and of its folder, " OTHER_FILE},
    {SQLITE_BUSY, -EBUSY, "another process holds its lock",
     "nothing was changed; try again (fuser FILE shows who it is)"},
    {SQLITE_LOCKED, -EBUSY, "another process holds its lock", "nothing was changed; try again"},
    {SQLITE_PROTOCOL, -EBUSY, "too many processes want its lock", "nothing was changed; try again"},
    {SQLITE_CORRUPT, -EUCLEAN, "the file is damaged", RESCUE},
    {SQLITE_NOTADB, -EUCLEAN, "the file is not a database, or its begin was overwritten",
     "name another file with --db FILE, or put back a copy of it (copies from before migrations "
     "end in .bak)"},
    {SQLITE_CANTOPEN, -EACCES, "it cannot be opened",
     "see the permissions of the file and of its folder, " OTHER_FILE},
    {SQLITE_PERM, -EACCES, "permission denied",
     "see the permissions of the file and of its folder, " OTHER_FILE},
    {SQLITE_AUTH, -EACCES, "permission denied", OTHER_FILE},
    {SQLITE_IOERR, -EIO, "the disk or its file system fails",
     "nothing was changed; see dmesg, " OTHER_FILE},
    {SQLITE_NOMEM, -ENOMEM, "out of memory", "nothing was changed; end other programs, try again"},
    {SQLITE_TOOBIG, -EFBIG, "too large for one value", "keep a shorter span"},
    {SQLITE_INTERRUPT, -EINTR, "stopped by a signal, or because it took too long",
     "nothing was changed; tdtop db check tells whether the file is sound"},
    {SQLITE_CONSTRAINT, -EUCLEAN, "what is in it contradicts what is to be written", RESCUE},
    {SQLITE_MISMATCH, -EUCLEAN, "what is in it is of another kind than a store holds", RESCUE},
    {SQLITE_ERROR, -EUCLEAN, "its tables are not those of a store", RESCUE},
};
static const struct cause other = {0, -EIO, "SQLite gave up", OTHER_FILE};

static const struct cause *cause_of(int code) {
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (causes[i].code == (code & 0xff))
            return &causes[i];
    return &other;
}

/* Of the memory that processes share for a write-ahead log, SQLite says only "I/O error" when there
 * is no room for it. */
static bool is_full(const char *path) {
    char folder[4096];
    str_copy(folder, sizeof(folder), path);
    char *end = strrchr(folder, '/');
    if (end)
        *(end == folder ? end + 1 : end) = '\0';
    struct statvfs fs;
    return statvfs(end ? folder : ".", &fs) == 0 && fs.f_bavail * fs.f_frsize < 64 * 1024;
}

static int plain_code(const struct sq *sq, int code, int system) {
    const int primary = code & 0xff;
    if (system == ENOSPC || system == EDQUOT)
        return SQLITE_FULL;
    if (primary == SQLITE_CANTOPEN && system == EROFS)
        return SQLITE_READONLY;
    if (primary == SQLITE_IOERR && is_full(sq->path))
        return SQLITE_FULL;
    return primary;
}

const char *sq_name(const char *path, char *buf, size_t cap) {
    const size_t n = strlen(path);
    if (n < cap)
        return path;
    snprintf(buf, cap, "%.*s...%s", (int)(cap / 3), path, path + n - cap / 3);
    return buf;
}

int sq_fail_code(const struct sq *sq, int code, int system, const char *said, struct err *err) {
    const int plain = plain_code(sq, code, system);
    const struct cause *c = cause_of(plain);
    const bool gone = plain == SQLITE_CANTOPEN && access(sq->path, F_OK) < 0 && errno == ENOENT;
    char name[200], more[200] = "";
    if (plain == SQLITE_CANTOPEN && system)
        snprintf(more, sizeof(more), " (%s)", strerror(system));
    else if (said && plain != SQLITE_FULL && plain != SQLITE_BUSY && plain != SQLITE_NOTADB &&
             plain != SQLITE_INTERRUPT)
        snprintf(more, sizeof(more), " (%.180s)", said);
    return err_set(err, gone ? -ENOENT : c->rc, "%s: %s: %s%s; %s",
                   sq_name(sq->path, name, sizeof(name)), sq->doing, c->cause, more, c->remedy);
}

int sq_fail(const struct sq *sq, struct err *err) {
    return sq_fail_code(sq, sqlite3_extended_errcode(sq->db), sqlite3_system_errno(sq->db),
                        sqlite3_errmsg(sq->db), err);
}

int sq_damaged(const struct sq *sq, struct err *err, const char *fmt, ...) {
    char what[300], name[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    if (sq->terse)
        return err_set(err, -EUCLEAN, "%s", what);
    return err_set(err, -EUCLEAN, "%s: %s: the file is damaged: %s; " RESCUE,
                   sq_name(sq->path, name, sizeof(name)), sq->doing, what);
}

/* --- waiting --- */

/*
 * Waiting for another process that holds the lock: short sleeps, and the caller is asked a few
 * times a second whether to go on. Without such a caller: half a minute at most. Counted in time
 * slept, so that a clock that tests have stopped does not wait for ever.
 *
 * And a watch on statements: what is in a file may have been made so that they do not end.
 */

enum { ASK_MS = 200, PATIENCE_S = 30 };

/* The last again and again: short, because who sleeps while the lock is free gets it late. */
static const uint8_t sleep_ms[] = {1, 1, 2, 2, 3, 4, 5};

void sq_wait_reset(struct sq *sq) {
    sq->waited_ns = sq->asked_ns = 0;
}

static bool goes_on(struct sq *sq) {
    if (sq->impatient)
        return false;
    if (!sq->wait)
        return sq->waited_ns < PATIENCE_S * NS_PER_S;
    if (sq->waited_ns < sq->asked_ns + ASK_MS * NS_PER_MS)
        return true;
    sq->asked_ns = sq->waited_ns;
    return sq->wait(sq->wait_user, (double)sq->waited_ns / (double)NS_PER_S);
}

/* n: how often it was called for this lock. Writers that began at the same time get out of step by
 * the address of their handle. */
int sq_busy(void *user, int n) {
    struct sq *sq = user;
    if (n == 0)
        sq_wait_reset(sq);
    if (!goes_on(sq))
        return 0;
    const int last = (int)(sizeof(sleep_ms) / sizeof(sleep_ms[0])) - 1;
    const uint64_t ns =
        sleep_ms[n < last ? n : last] * NS_PER_MS + ((uintptr_t)sq >> 4) % NS_PER_MS;
    struct timespec left = {.tv_sec = 0, .tv_nsec = (long)ns};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
    sq->waited_ns += ns;
    return 1;
}

/* ---- statements that do not end ---- */

/* Operations of SQLite's machine between two looks: about a millisecond. */
enum { LOOK_EVERY = 100000 };

/* Of this thread: a process that waits for the disk is not a statement without an end. */
static double cpu_s(void) {
    return (double)clock_thread_ns() / 1e9;
}

static int look(void *user) {
    const struct sq_watch *w = user;
    const double took = cpu_s() - w->begin_s;
    return (w->limit_s > 0 && took > w->limit_s) || (w->hears && took > 1 && thread_end_waits());
}

void sq_watch_open(sqlite3 *db, struct sq_watch *watch) {
    sqlite3_progress_handler(db, LOOK_EVERY, look, watch);
}

void sq_watch_reset(struct sq_watch *watch, double limit_s) {
    watch->limit_s = limit_s;
    watch->begin_s = cpu_s();
}

/* --- transactions, binding, rows --- */

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

void sq_keep_few(struct sq *sq, bool few) {
    sqlite3_exec(sq->db, few ? "PRAGMA cache_size = -1024" : "PRAGMA cache_size = -" SQ_CACHE_KB,
                 NULL, NULL, NULL);
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

/* So many could never be, and arrays of them would not fit: a row's number was changed. */
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
