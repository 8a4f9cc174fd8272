#include "pmu/symbols/module_file.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

size_t file_read_some(const struct bytes *b, uint64_t offset, void *out, size_t n) {
    if (b->fd < 0) {
        const uint64_t left = offset < b->size ? b->size - offset : 0;
        n = n < left ? n : left;
        if (n > 0)
            memcpy(out, b->at + offset, n);
        return n;
    }
    size_t got = 0;
    while (got < n && offset + got <= INT64_MAX) {
        const ssize_t k = pread(b->fd, (char *)out + got, n - got, (off_t)(offset + got));
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        got += k;
    }
    return got;
}

bool file_read(const struct bytes *b, uint64_t offset, void *out, size_t n) {
    return offset <= INT64_MAX - n && file_read_some(b, offset, out, n) == n;
}

void file_close(struct bytes *b) {
    if (b->fd >= 0)
        close(b->fd);
    *b = (struct bytes){.fd = -1};
}

/* Takes a descriptor that was opened by O_PATH, which opens nothing: now it is known to be a file.
 */
static int open_regular(int path_fd, struct bytes *out) {
    *out = (struct bytes){.fd = -1};
    struct stat st;
    int rc = 0;
    if (fstat(path_fd, &st) < 0)
        rc = -errno;
    else if (!S_ISREG(st.st_mode))
        rc = -EINVAL;
    else {
        char link[32];
        snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
        out->fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        rc = out->fd < 0 ? -errno : 0;
        out->size = st.st_size;
    }
    close(path_fd);
    return rc < 0 ? rc : out->fd;
}

int file_open(const char *root, const char *path, struct bytes *out) {
    *out = (struct bytes){.fd = -1};
    const int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    path += strspn(path, "/");
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                                 .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* before Linux 5.6, or a sandbox */
        fd = openat(dir, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    const int rc = fd < 0 ? -errno : 0;
    close(dir);
    return rc < 0 ? rc : open_regular(fd, out);
}

int file_open_of(const struct places *p, pid_t pid, const char *path, struct bytes *out) {
    char root[4096];
    if (pid <= 0)
        return file_open(p->root, path, out);
    snprintf(root, sizeof(root), "%s/%d/root", p->proc, pid);
    return file_open(root, path, out);
}

/* The kernel names overlayfs' and btrfs' devices by another number than stat(2): major 0. */
static bool same_inode(const struct module *m, int fd) {
    struct stat st;
    if (m->ino == 0)
        return true;
    if (fstat(fd, &st) < 0 || st.st_ino != m->ino)
        return false;
    return (major(st.st_dev) == m->dev_major && minor(st.st_dev) == m->dev_minor) ||
           major(st.st_dev) == 0 || m->dev_major == 0;
}

static int open_mapping(const struct places *p, const struct module *m, struct bytes *out) {
    char path[4096];
    *out = (struct bytes){.fd = -1};
    if (m->pid <= 0 || m->end <= m->start)
        return -ENOENT;
    snprintf(path, sizeof(path), "%s/%d/map_files/%" PRIx64 "-%" PRIx64, p->proc, m->pid, m->start,
             m->end);
    const int fd = open(path, O_PATH | O_CLOEXEC); /* a link to what is mapped, whatever its name */
    return fd < 0 ? -errno : open_regular(fd, out);
}

int file_open_module(const struct places *p, const struct module *m,
                     bool (*is_it)(const struct bytes *b, const struct module *m),
                     struct bytes *out, struct err *err) {
    static const char gone[] = " (deleted)";
    char path[4096];
    bool other = false;
    int why = -ENOENT;
    *out = (struct bytes){.fd = -1};
    if (!m->path || !m->path[0] || strlen(m->path) >= sizeof(path))
        return err_set(err, -ENOENT, "the module has no file");
    strcpy(path, m->path);
    const size_t n = strlen(path), n_gone = sizeof(gone) - 1;
    if (n > n_gone && m->deleted && strcmp(path + n - n_gone, gone) == 0)
        path[n - n_gone] = '\0';
    for (int i = 0; i < 3; i++) {
        const int rc = i == 0       ? open_mapping(p, m, out)
                       : i == 2     ? file_open_of(p, 0, path, out)
                       : m->pid > 0 ? file_open_of(p, m->pid, path, out)
                                    : -ENOENT;
        if (rc >= 0) {
            if (same_inode(m, out->fd) && (m->n_build_id == 0 || !is_it || is_it(out, m)) &&
                (i == 0 || !m->deleted || m->ino > 0 || m->n_build_id > 0))
                return 0;
            other = true;
            file_close(out);
        } else if (rc == -EACCES || rc == -EPERM || why == -ENOENT)
            why = rc;
    }
    if (other)
        return err_set(err, -ESTALE,
                       "%s was replaced while it runs: the file that is mapped can be read by root "
                       "only, while a process has it",
                       str_base_name(path));
    return err_set(err, why, "%s: %s%s", path, strerror(-why),
                   why == -EACCES || why == -EPERM ? "; run as root" : "");
}
