/* What went wrong, for the user: one table from SQLite's result codes to cause and remedy. */
#include "base/str.h"
#include "db/store_sqlite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

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
