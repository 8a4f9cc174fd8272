#include "cli/file/output.h"

#include "base/door.h"
#include "base/str.h"
#include "cli/cli.h"
#include "model/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const char *path, int rc, struct err *err) {
    return err_set(err, rc, "%s: %s; give a file that can be written", path, strerror(-rc));
}

/* A link stays one, and what it leads to is replaced. */
static int find_target(struct output *o, struct err *err) {
    struct stat st;
    str_copy(o->target, sizeof(o->target), o->path);
    if (lstat(o->path, &st) < 0 || !S_ISLNK(st.st_mode))
        return 0;
    char *real = realpath(o->path, NULL);
    const int rc = real ? 0 : -errno;
    if (real)
        str_copy(o->target, sizeof(o->target), real);
    free(real);
    if (rc == -ENOENT)
        return err_set(err, rc,
                       "%s: a link to a file that is not there; remove it, or make the file",
                       o->path);
    return rc < 0 ? cannot(o->path, rc, err) : 0;
}

/* Beside the file, so that renaming it is one step; with the rights of the one that is there, else
 * `mode`. The name is unique: it ends as a run's id does. */
static int make_draft(struct output *o, const struct stat *old, mode_t mode, struct err *err) {
    struct strbuf sb = strbuf_on(o->draft, sizeof(o->draft));
    char ending[RUN_ID_LEN + 1];
    run_new_id(ending);
    strbuf_add(&sb, "%s.%s", o->target, ending);
    if (!str_ends(o->draft, ending)) {
        o->draft[0] = '\0';
        return cannot(o->path, -ENAMETOOLONG, err);
    }
    const int fd = o->fd =
        open(o->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : mode);
    if (fd >= 0 && (!old || fchmod(fd, old->st_mode & 0777) == 0) && (o->out = door_open(fd)))
        return 0;
    const int rc = -errno;
    if (fd >= 0) {
        close(fd);
        unlink(o->draft);
    }
    o->draft[0] = '\0';
    return cannot(o->path, rc, err);
}

int output_open(struct output *o, const char *path, mode_t mode, struct err *err) {
    struct stat st;
    *o = (struct output){.out = stdout, .path = path};
    if (!path)
        return 0;
    o->out = NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* a pipe, a device */
        return (o->out = door_create(path)) ? 0 : cannot(path, -errno, err);
    const int rc = find_target(o, err);
    if (rc < 0)
        return rc;
    const bool there = stat(o->target, &st) == 0;
    if (there && access(o->target, W_OK) < 0) /* renaming would not mind */
        return cannot(path, -errno, err);
    return make_draft(o, there ? &st : NULL, mode, err);
}

int output_close(struct output *o, int rc, struct err *err) {
    if (!o->out)
        return rc;
    int bad = rc < 0 ? 0 : cli_lacks() ? -ENOMEM : cli_flush(o->out);
    if (rc == 0 && bad == 0 && o->draft[0] && fsync(o->fd) < 0)
        bad = -errno;
    if (o->path && fclose(o->out) != 0 && bad == 0)
        bad = -errno;
    if (rc == 0 && bad == 0 && o->draft[0] && rename(o->draft, o->target) < 0)
        bad = -errno;
    if (rc == 0 && bad < 0)
        rc = err_set(err, bad, "%s: %s; it is not complete", o->path ? o->path : "standard output",
                     strerror(-bad));
    if (rc < 0 && o->draft[0])
        unlink(o->draft);
    return rc;
}

/* Past the door, which knows text. */
int output_bytes(struct output *o, const void *at, size_t n, struct err *err) {
    int fd = o->draft[0] ? o->fd : STDOUT_FILENO;
    if (!o->draft[0] && o->path) /* a pipe, a device */
        fd = open(o->path, O_WRONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;
    for (size_t done = 0; rc == 0 && done < n;) {
        const ssize_t k = write(fd, (const char *)at + done, n - done);
        if (k < 0 && errno != EINTR)
            rc = -errno;
        done += k > 0 ? (size_t)k : 0;
    }
    if (fd >= 0 && fd != STDOUT_FILENO && !o->draft[0])
        close(fd);
    return rc < 0 ? cannot(o->path ? o->path : "standard output", rc, err) : 0;
}
