#include "db/outbox.h"

#include "base/folder.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sha2.h> /* libmd */
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_DIGITS = 16 };

void outbox_find(struct outbox *o, const char *name) {
    char hash[SHA256_DIGEST_STRING_LENGTH], file[1800];
    SHA256Data((const uint8_t *)name, strlen(name), hash);
    *o = (struct outbox){0};
    if (store_file(file, sizeof(file), NULL) < 0)
        return;
    char *end = strrchr(file, '/');
    if (end)
        *end = '\0';
    snprintf(o->folder, sizeof(o->folder), "%s/outbox-%.*s", end ? file : ".", NAME_DIGITS, hash);
}

static int cannot(const struct outbox_item *it, int rc, struct err *err) {
    return err_set(err, rc,
                   "%s: a run on its way to the server is kept here, and cannot be: %s; see the "
                   "permissions of the folder, or name another with TDTOP_DB or XDG_DATA_HOME",
                   it->path, strerror(-rc));
}

/* Its lock; 0, or -EBUSY where another has it, or has removed the file meanwhile. */
static int lock(struct outbox_item *it) {
    struct stat s;
    if (flock(it->fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    return fstat(it->fd, &s) < 0 || s.st_nlink == 0 ? -EBUSY : 0;
}

void outbox_rest(struct outbox_item *it) {
    if (it->impl)
        store_sqlite.close(it->impl);
    it->impl = NULL;
}

int outbox_wake(struct outbox_item *it, struct err *err) {
    return it->impl
               ? 0
               : store_sqlite.open(&it->impl, it->path, it->path, STORE_WRITE, NULL, NULL, err);
}

static int open_path(struct outbox_item *it, int flags, struct err *err) {
    it->fd = open(it->path, O_RDWR | O_CLOEXEC | flags, 0600);
    int rc = it->fd < 0 ? -errno : lock(it);
    if (rc == -EBUSY)
        err_set(err, rc, "%s: another tdtop works on it; try again", it->path);
    else if (rc < 0)
        cannot(it, rc, err);
    if (rc == 0)
        rc = outbox_wake(it, err);
    if (rc < 0)
        outbox_close(it);
    return rc;
}

int outbox_open(const struct outbox *o, const char *id, bool waits, struct outbox_item *it,
                struct err *err) {
    *it = (struct outbox_item){.fd = -1};
    if (!o->folder[0])
        return err_set(err, -ENOENT,
                       "a run on its way to a server is kept on this host first, and "
                       "there is no place: set HOME, XDG_DATA_HOME or STATE_DIRECTORY");
    snprintf(it->path, sizeof(it->path), "%s/%s.%s", o->folder, id, waits ? "db" : "part");
    const int rc = folder_make(it->path, NULL, 0);
    return rc < 0 ? cannot(it, rc, err) : open_path(it, O_CREAT, err);
}

void outbox_close(struct outbox_item *it) {
    outbox_rest(it);
    if (it->path[0] && it->fd >= 0)
        close(it->fd);
    *it = (struct outbox_item){.fd = -1};
}

void outbox_remove(struct outbox_item *it) {
    static const char *const with[] = {"", "-wal", "-shm", "-journal"};
    char path[sizeof(it->path) + 16];
    outbox_rest(it);
    for (size_t i = 0; it->path[0] && i < sizeof(with) / sizeof(with[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", it->path, with[i]);
        unlink(path);
    }
    outbox_close(it);
}

/* --- what waits --- */

static bool is_run(const char *name, const char *ending) {
    return strspn(name, "0123456789abcdef") == RUN_ID_LEN && !strcmp(name + RUN_ID_LEN, ending);
}

static int each_file(const struct outbox *o, const char *name,
                     int (*send)(void *user, struct outbox_item *it, struct err *err), void *user,
                     struct err *err) {
    const bool part = is_run(name, ".part"); /* of what was to be all or nothing */
    struct outbox_item it = {.fd = -1};
    struct err why = {0};
    if (!part && !is_run(name, ".db"))
        return 0;
    snprintf(it.path, sizeof(it.path), "%s/%s", o->folder, name);
    const int open = open_path(&it, 0, &why);
    if (open < 0) /* somebody works on it, or it is gone; else it is told */
        return open == -EBUSY || open == -ENOENT ? 0 : err_set(err, open, "%s", why.text);
    const int rc = part ? 0 : send(user, &it, err);
    if (rc == 0)
        outbox_remove(&it);
    outbox_close(&it);
    return rc;
}

int outbox_each(const struct outbox *o,
                int (*send)(void *user, struct outbox_item *it, struct err *err), void *user,
                struct err *err) {
    DIR *d = o->folder[0] ? opendir(o->folder) : NULL;
    struct dirent *e;
    int first = 0;
    while (d && first != -EHOSTUNREACH && (e = readdir(d))) {
        struct err why = {0};
        const int rc = each_file(o, e->d_name, send, user, &why);
        if (rc < 0 && first == 0)
            first = err_set(err, rc, "%s", why.text);
    }
    if (d)
        closedir(d);
    return first;
}

static bool is_free(const struct outbox *o, const char *name) {
    char path[sizeof(o->folder) + 260];
    snprintf(path, sizeof(path), "%s/%s", o->folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return is;
}

size_t outbox_count(const struct outbox *o) {
    DIR *d = o->folder[0] ? opendir(o->folder) : NULL;
    struct dirent *e;
    size_t n = 0;
    while (d && (e = readdir(d)))
        n += is_run(e->d_name, ".db") && is_free(o, e->d_name);
    if (d)
        closedir(d);
    return n;
}
