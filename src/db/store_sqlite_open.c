/*
 * Opening the file. A reader needs the write-ahead log and its index beside the file, or must be
 * able to make them; where the folder cannot be written and there is no log, the file is opened as
 * one that nobody changes, and looked at again before each operation. So is whether the name still
 * means the same file: what is written into one that was removed would be lost.
 */
#include "db/store_sqlite.h"
#include "db/store_sqlite_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        rc = sq_migrate(sq, err);
    if (rc == 0 && stat(sq->path, &sq->seen) < 0)
        return sq_fail_code(sq, SQLITE_CANTOPEN, errno, NULL, err);
    if (!sq->read_only || !wants_log(rc))
        return rc;
    if (has_log(sq))
        return log_is_left(sq, err);
    rc = connect_unchanging(sq, err);
    return rc == 0 ? sq_migrate(sq, err) : rc;
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

int sq_open(struct sq **out, const char *path, enum store_mode mode, const struct sq_step *steps,
            int n, struct err *err) {
    return sq_open_with(out, path, mode, &(struct sq){.steps = steps, .version = n}, err);
}

int sq_open_with(struct sq **out, const char *path, enum store_mode mode, const struct sq *with,
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

void sq_close(struct sq *sq) {
    if (!sq)
        return;
    sqlite3_close(sq->db);
    free(sq->path);
    free(sq);
}
