/*
 * From the version a file has to the one this program knows, in one transaction, after a copy was
 * put beside it. The lock of the writer is held from before the copy until after the last step, so
 * nothing can be written between them. A new file is one of version 0 without tables; it goes
 * through the same steps.
 */
#include "db/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BACKUPS_MAX = 100, PATH_CAP = 4096 + 32 };

struct state {
    int64_t application, version, tables;
    int64_t foreign; /* topdown-profiler's tables */
};

static int read_state(struct sq *sq, struct state *s, struct err *err) {
    int rc = sq_number(sq, &s->application, err, "PRAGMA application_id", "");
    if (rc == 0)
        rc = sq_number(sq, &s->version, err, "PRAGMA user_version", "");
    if (rc == 0)
        rc = sq_number(sq, &s->tables, err, "SELECT count(*) FROM sqlite_schema", "");
    if (rc == 0)
        rc = sq_number(sq, &s->foreign, err,
                       "SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('runs', 'samples')",
                       "");
    return rc;
}

static int judge_foreign(const struct sq *sq, const struct state *s, struct err *err) {
    char name[200];
    const char *path = sq_name(sq->path, name, sizeof(name));
    if (s->foreign)
        return err_set(
            err, -EINVAL,
            "%s: a database of topdown-profiler, not a store of tdtop; bring its runs in "
            "with tdtop import --from topdown-profiler FILE",
            path);
    return err_set(err, -EINVAL,
                   "%s: a database of another program, not a store of tdtop; name another file "
                   "with --db FILE",
                   path);
}

static int newer(const struct sq *sq, int64_t version, struct err *err) {
    char name[200];
    return err_set(err, -EPROTO,
                   "%s: a store of version %lld, and this tdtop knows none above %d; use the newer "
                   "tdtop, or name another file with --db FILE",
                   sq_name(sq->path, name, sizeof(name)), (long long)version, sq->version);
}

int sq_check_version(struct sq *sq, struct err *err) {
    int64_t schema = 0;
    sq->file_version = 0;
    int rc = sq_number(sq, &sq->file_version, err, "PRAGMA user_version", "");
    if (rc == 0 && sq->file_version > sq->version)
        return newer(sq, sq->file_version, err);
    if (rc == 0)
        rc = sq_number(sq, &schema, err, "PRAGMA schema_version", "");
    if (rc < 0 || schema == sq->schema_version)
        return rc;
    rc = sq_check_schema(sq, sq->file_version, err);
    if (rc == 0)
        sq->schema_version = schema;
    return rc;
}

/* Is all that came after a version what a reader can do without? */
static bool reads_as_it_is(const struct sq *sq, int64_t version) {
    for (int64_t v = version; v < sq->version; v++)
        if (!sq->steps[v].adds_only)
            return false;
    return sq->read_only;
}

/* 0: it is as it should be; 1: something is to be done; or a negative errno with words. */
static int judge(const struct sq *sq, const struct state *s, struct err *err) {
    const int n = sq->version;
    char name[200];
    const char *path = sq_name(sq->path, name, sizeof(name));
    const bool empty = s->application == 0 && s->version == 0 && s->tables == 0;
    if (!empty && s->application != SQ_APPLICATION_ID)
        return judge_foreign(sq, s, err);
    if (s->version > n)
        return newer(sq, s->version, err);
    if (!empty && (s->version < 1 || s->tables == 0))
        return sq_damaged(sq, err, "it says that it is a store of version %lld with %lld tables",
                          (long long)s->version, (long long)s->tables);
    if (s->version == n)
        return 0;
    if (sq->read_only && empty)
        return err_set(err, -ENOENT, "%s: nothing is in it yet; tdtop collect makes a store of it",
                       path);
    if (!empty && reads_as_it_is(sq, s->version))
        return 0;
    if (sq->read_only)
        return err_set(err, -EPROTO,
                       "%s: a store of version %lld, older than %d of this tdtop, and opened for "
                       "reading only; tdtop db vacuum brings it up to date, after a copy",
                       path, (long long)s->version, n);
    return 1;
}

/* The copy is on the disk before its name is. */
static int keep(const char *temporary, const char *path) {
    const int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && link(temporary, path) < 0)
        rc = -errno;
    return rc;
}

/* path: where it is then. */
static int backup_name(const struct sq *sq, int64_t version, const char *temporary,
                       char path[PATH_CAP], struct err *err) {
    char name[200];
    const char *base = strrchr(sq->path, '/');
    int rc = -EEXIST;
    for (int i = 1; i < BACKUPS_MAX && rc == -EEXIST; i++) {
        snprintf(path, PATH_CAP, i == 1 ? "%s.v%lld.bak" : "%s.v%lld.bak.%d", sq->path,
                 (long long)version, i);
        rc = keep(temporary, path);
        if (rc == -EPERM || rc == -EOPNOTSUPP) /* no hard links here */
            rc = access(path, F_OK) == 0 ? -EEXIST : rename(temporary, path) < 0 ? -errno : 0;
    }
    if (rc < 0)
        err_set(err, rc,
                "%s: the copy before the migration cannot be named %s.v%lld.bak: %s; nothing was "
                "changed; see the permissions of the folder",
                sq_name(sq->path, name, sizeof(name)), base ? base + 1 : sq->path,
                (long long)version, strerror(-rc));
    return rc;
}

/* An empty file, which VACUUM INTO takes, so that nobody else can read the copy. */
static int make_empty(const struct sq *other, const char *path, struct err *err) {
    unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return sq_fail_code(other, SQLITE_CANTOPEN, errno, NULL, err);
    close(fd);
    return 0;
}

/* Another connection reads what is committed, while this one holds the writer's lock. */
static int backup(struct sq *sq, int64_t version, char path[PATH_CAP], struct err *err) {
    char temporary[PATH_CAP];
    snprintf(temporary, sizeof(temporary), "%s.v%lld.bak.tmp", sq->path, (long long)version);
    struct sq other = {.path = sq->path, .doing = "copying it before the migration"};
    int rc = make_empty(&other, temporary, err);
    if (rc < 0)
        return rc;
    rc = sqlite3_open_v2(sq->path, &other.db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK
             ? 0
             : sq_fail(&other, err);
    sqlite3_busy_timeout(other.db, 10000);
    if (rc == 0)
        rc = sq_run(&other, err, "VACUUM INTO ?1", "t", temporary);
    if (rc == 0)
        rc = backup_name(sq, version, temporary, path, err);
    sqlite3_close(other.db);
    unlink(temporary);
    return rc;
}

static int run_steps(struct sq *sq, int from, struct err *err) {
    int rc = 0;
    for (int v = from; rc == 0 && v < sq->version; v++)
        for (const char *const *sql = sq->steps[v].sql; rc == 0 && *sql; sql++)
            rc = sq_run(sq, err, *sql, "");
    int64_t bad;
    if (rc == 0 && sq_number(sq, &bad, NULL, "SELECT 1 FROM pragma_foreign_key_check", "") == 0)
        rc = sq_damaged(sq, err, "rows refer to runs that are not there");
    char sql[64];
    if (rc == 0) {
        snprintf(sql, sizeof(sql), "PRAGMA application_id = %d", SQ_APPLICATION_ID);
        rc = sq_run(sq, err, sql, "");
    }
    if (rc == 0) {
        snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", sq->version);
        rc = sq_run(sq, err, sql, "");
    }
    return rc;
}

/* Reads the state and judges it; nothing is done with a file that holds what is not ours. */
static int look_at(struct sq *sq, struct state *s, struct err *err) {
    int rc = read_state(sq, s, err);
    if (rc == 0)
        rc = judge(sq, s, err);
    if (rc < 0 || s->version < 1)
        return rc;
    const int bad = sq_check_schema(sq, s->version, err);
    return bad < 0 ? bad : rc;
}

static int write_steps(struct sq *sq, struct err *err) {
    struct state s;
    char copy[PATH_CAP] = "";
    int rc = sq_begin_here(sq, "bringing it to this version", SQ_WRITES, err);
    if (rc == 0)
        rc = look_at(sq, &s, err); /* another process may have been here first */
    sq_watch_reset(&sq->watch, 0);
    if (rc == 1) {
        rc = s.version > 0 ? backup(sq, s.version, copy, err) : 0;
        if (rc == 0)
            rc = run_steps(sq, (int)s.version, err);
        else
            copy[0] = '\0'; /* the name may be another copy's */
    }
    rc = sq_end(sq, rc, err);
    if (rc < 0 && copy[0]) /* the file is as it was: the next try makes its own */
        unlink(copy);
    return rc;
}

/* Changing the kind of journal needs the file for oneself, and does not wait for that. Where there
 * cannot be a write-ahead log (network file systems), the store works without one, readers then
 * wait for writers. */
static int use_log(struct sq *sq, struct err *err) {
    int code, n = 0;
    while ((code = sqlite3_exec(sq->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) ==
               SQLITE_BUSY &&
           sq_busy(sq, n++))
        ;
    return code == SQLITE_OK ? 0 : sq_fail(sq, err);
}

int sq_migrate(struct sq *sq, struct err *err) {
    struct state s;
    int rc = sq_begin_here(sq, "opening it", SQ_READS, err);
    if (rc == 0)
        rc = look_at(sq, &s, err);
    rc = sq_end(sq, rc, err);
    if (rc < 0 || sq->read_only)
        return rc;
    int64_t on = rc;
    rc = use_log(sq, err);
    if (rc < 0 || !on)
        return rc;
    sqlite3_exec(sq->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL); /* tables are rebuilt */
    rc = write_steps(sq, err);
    sqlite3_exec(sq->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    return rc;
}
