#include "db/outbox.h"

#include "base/folder.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sha2.h> /* libmd */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_DIGITS = 16 };

void outbox_find(struct outbox *o, const char *name) {
    char hash[SHA256_DIGEST_STRING_LENGTH], file[1800];
    SHA256Data((const uint8_t *)name, strlen(name), hash);
    *o = (struct outbox){.server = name};
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

static int say_opened(struct outbox_item *it, int rc, struct err *err) {
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

static int open_path(struct outbox_item *it, struct err *err) {
    it->fd = open(it->path, O_RDWR | O_CLOEXEC);
    return say_opened(it, it->fd < 0 ? -errno : lock(it), err);
}

/* It has its name when it is locked, so that nobody takes it for one that waits. One of that name
 * may be there. */
static int make_path(struct outbox_item *it, struct err *err) {
    char new[sizeof(it->path) + 32];
    snprintf(new, sizeof(new), "%s.%d", it->path, (int)getpid());
    it->fd = open(new, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int rc = it->fd < 0 ? -errno : lock(it);
    if (rc == 0 && link(new, it->path) < 0)
        rc = -errno;
    if (rc < 0 && rc != -EEXIST && access(it->path, F_OK) < 0) /* a file system without links */
        rc = rename(new, it->path) < 0 ? -errno : 0;
    unlink(new);
    if (rc != -EEXIST)
        return say_opened(it, rc, err);
    close(it->fd);
    return open_path(it, err);
}

static const char name_file[] = "server"; /* so that people see where its runs were to go */

static void write_name(const struct outbox *o) {
    char path[sizeof(o->folder) + sizeof(name_file) + 1];
    snprintf(path, sizeof(path), "%s/%s", o->folder, name_file);
    const int fd = o->server ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    const ssize_t n = write(fd, o->server, strlen(o->server));
    (void)n;
    close(fd);
}

int outbox_open(const struct outbox *o, const char *id, bool waits, struct outbox_item *it,
                struct err *err) {
    *it = (struct outbox_item){.fd = -1};
    if (!o->folder[0])
        return err_set(err, -ENOENT,
                       "a run on its way to a server is kept on this host first, and "
                       "there is no place: set HOME or XDG_DATA_HOME");
    snprintf(it->path, sizeof(it->path), "%s/%s.%s", o->folder, id, waits ? "db" : "part");
    const int rc = folder_make(it->path, NULL, 0);
    if (rc == 0)
        write_name(o);
    return rc < 0 ? cannot(it, rc, err) : make_path(it, err);
}

void outbox_close(struct outbox_item *it) {
    outbox_rest(it);
    if (it->path[0] && it->fd >= 0)
        close(it->fd);
    *it = (struct outbox_item){.fd = -1};
}

/* With what SQLite has put beside it. */
static void remove_files(const char *path) {
    char folder[2400], other[2800];
    str_copy(folder, sizeof(folder), path);
    char *name = strrchr(folder, '/');
    if (!name)
        return;
    *name++ = '\0';
    DIR *d = opendir(folder);
    struct dirent *e;
    while (d && (e = readdir(d)))
        if (str_starts(e->d_name, name)) {
            snprintf(other, sizeof(other), "%s/%s", folder, e->d_name);
            unlink(other);
        }
    if (d)
        closedir(d);
}

void outbox_remove(struct outbox_item *it) {
    outbox_rest(it);
    if (it->path[0])
        remove_files(it->path);
    outbox_close(it);
}

/* --- what waits --- */

static bool is_run(const char *name, const char *ending) {
    return strspn(name, "0123456789abcdef") == RUN_ID_LEN && !strcmp(name + RUN_ID_LEN, ending);
}

/* What was to be all or nothing, and is not being worked on. */
static void drop_part(struct outbox_item *it) {
    it->fd = open(it->path, O_RDWR | O_CLOEXEC);
    if (it->fd >= 0 && lock(it) == 0)
        outbox_remove(it);
    outbox_close(it);
}

static int each_file(const struct outbox *o, const char *name, outbox_send *send, void *user,
                     struct err *err) {
    struct outbox_item it = {.fd = -1};
    snprintf(it.path, sizeof(it.path), "%s/%s", o->folder, name);
    if (is_run(name, ".part"))
        drop_part(&it);
    if (!is_run(name, ".db"))
        return 0;
    int rc = open_path(&it, err);
    if (rc == -EBUSY || rc == -ENOENT) /* somebody works on it, or it is gone */
        return 0;
    if (rc == 0 && (rc = send(user, &it, err)) == 0)
        outbox_remove(&it);
    outbox_close(&it);
    return rc;
}

static bool goes_on(int rc) {
    return rc != -EHOSTUNREACH && rc != -EBUSY && rc != -ENOSPC && rc != -EINTR;
}

int outbox_each(const struct outbox *o, outbox_send *send, void *user, struct err *err) {
    DIR *d = o->folder[0] ? opendir(o->folder) : NULL;
    struct dirent *e;
    int first = 0, rc = 0;
    while (d && goes_on(rc) && (e = readdir(d))) {
        struct err why = {0};
        rc = each_file(o, e->d_name, send, user, &why);
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

void outbox_all(void (*each)(void *user, const struct outbox *o, const char *server), void *user) {
    char file[1800];
    if (store_file(file, sizeof(file), NULL) < 0)
        return;
    char *end = strrchr(file, '/');
    if (end)
        *end = '\0';
    DIR *d = opendir(end ? file : ".");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        struct outbox o = {0};
        char path[sizeof(o.folder) + sizeof(name_file) + 1], *server = NULL;
        size_t n;
        if (!str_starts(e->d_name, "outbox-") || strlen(e->d_name) > 64)
            continue;
        snprintf(o.folder, sizeof(o.folder), "%s/%.64s", end ? file : ".", e->d_name);
        snprintf(path, sizeof(path), "%s/%s", o.folder, name_file);
        if (str_read_file(path, 4096, &server, &n, NULL) == 0)
            each(user, &o, server);
        free(server);
    }
    if (d)
        closedir(d);
}

/* --- what people do with one --- */

struct telling {
    void (*each)(void *user, const char *folder, const char *server, size_t n);
    void *user;
};

static void tell(void *user, const struct outbox *o, const char *server) {
    const struct telling *t = user;
    const size_t n = outbox_count(o);
    if (n)
        t->each(t->user, o->folder, server, n);
}

void store_outboxes(void (*each)(void *user, const char *folder, const char *server, size_t n),
                    void *user) {
    outbox_all(tell, &(struct telling){each, user});
}

bool store_is_outbox(const char *path) {
    char file[4200];
    struct stat s;
    snprintf(file, sizeof(file), "%.4000s/%s", path, name_file);
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && access(file, R_OK) == 0;
}

struct moving {
    struct store *to;
    uint64_t n;
};

int outbox_load(struct outbox_item *it, unsigned parts, struct run *r, uint64_t *n_interval,
                struct err *err) {
    struct run_query all = {.without_top = true};
    struct run_list list = {0};
    int rc = store_sqlite.list(it->impl, &all, NULL, NULL, &list, err);
    if (rc == 0 && list.n > 0)
        rc = store_sqlite.load(it->impl, list.row[0].id, parts, r, err);
    const bool any = list.n > 0;
    *n_interval = any ? list.row[0].n_interval : 0;
    run_list_free(&list);
    return rc < 0 ? rc : any;
}

static int move_one(void *user, struct outbox_item *it, struct err *err) {
    struct moving *m = user;
    struct run r = {0};
    uint64_t n;
    int rc = outbox_load(it, RUN_ALL, &r, &n, err);
    if (rc > 0) {
        rc = store_save(m->to, &r, err);
        m->n += rc == 0;
        rc = rc == -EEXIST ? 0 : rc;
    }
    run_free(&r);
    return rc;
}

int store_outbox_move(const char *folder, struct store *to, uint64_t *n, struct err *err) {
    struct outbox o = {0};
    struct moving m = {.to = to};
    str_copy(o.folder, sizeof(o.folder), folder);
    const int rc = outbox_each(&o, move_one, &m, err);
    *n = m.n;
    return rc;
}
