#include "base/door.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct door {
    int fd;
    bool owned;   /* fd and this */
    int quick_fd; /* with `full`: the same, O_NONBLOCK, by an open file of its own; or -1 */
    void (*full)(void *user);
    void *user;
    unsigned char part[5]; /* of a character whose end is still to come */
    size_t n_part, wanted;
    char out[BUFSIZ]; /* passed on when it is full, and at the end of each write */
    size_t n_out;
};

static void no_longer_quick(struct door *d) {
    if (d->full && d->quick_fd >= 0)
        close(d->quick_fd);
    d->full = NULL;
    d->quick_fd = -1;
}

static int flush(struct door *d) {
    for (size_t done = 0; done < d->n_out;) {
        const int fd = d->full && d->quick_fd >= 0 ? d->quick_fd : d->fd;
        const ssize_t n = write(fd, d->out + done, d->n_out - done);
        if (n < 0 && errno == EAGAIN && fd != d->fd) {
            void (*const full)(void *) = d->full;
            no_longer_quick(d);
            full(d->user);
        } else if (n < 0 && errno != EINTR) {
            d->n_out = 0;
            return -errno;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    d->n_out = 0;
    return 0;
}

static int put(struct door *d, const char *text, size_t n) {
    while (n > sizeof(d->out) - d->n_out) {
        const size_t room = sizeof(d->out) - d->n_out;
        memcpy(d->out + d->n_out, text, room);
        d->n_out += room;
        text += room;
        n -= room;
        const int rc = flush(d);
        if (rc < 0)
            return rc;
    }
    memcpy(d->out + d->n_out, text, n);
    d->n_out += n;
    return 0;
}

static int put_code(struct door *d, char kind, int digits, uint32_t code) {
    char text[16];
    const int n = snprintf(text, sizeof(text), "\\%c%0*x", kind, digits, (unsigned)code);
    return put(d, text, (size_t)n);
}

/* The bytes that were kept, which are one character or none. */
static int put_part(struct door *d) {
    const size_t n = d->n_part;
    size_t used;
    int rc = 0;
    d->part[n] = '\0';
    d->n_part = 0;
    const uint32_t cp = str_decode((char *)d->part, &used);
    if (n > 0 && used == n && !(n == 1 && cp == 0xFFFD))
        return str_cp_unsafe(cp) ? put_code(d, 'u', 4, cp) : put(d, (char *)d->part, n);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = put_code(d, 'x', 2, d->part[i]);
    return rc;
}

static int put_byte(struct door *d, unsigned char c) {
    int rc = 0;
    if (d->n_part && (c & 0xC0) != 0x80)
        rc = put_part(d); /* it is broken off */
    if (c < 0x80) {
        const char same = (char)c;
        const bool unsafe = str_cp_unsafe(c) && c != '\n' && c != '\t';
        return rc < 0 ? rc : unsafe ? put_code(d, 'u', 4, c) : put(d, &same, 1);
    }
    if (!d->n_part)
        d->wanted = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    d->part[d->n_part++] = c;
    return rc < 0 ? rc : d->n_part == d->wanted ? put_part(d) : 0;
}

static ssize_t door_write(void *cookie, const char *text, size_t n) {
    struct door *d = cookie;
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0;) {
        const size_t plain = d->n_part ? 0 : str_printable(text + i, n - i);
        rc = plain ? put(d, text + i, plain) : put_byte(d, (unsigned char)text[i]);
        i += plain ? plain : 1;
    }
    if (rc == 0)
        rc = flush(d);
    if (rc == 0)
        return (ssize_t)n;
    errno = -rc;
    return 0; /* which tells stdio of an error */
}

static int door_close(void *cookie) {
    struct door *d = cookie;
    int rc = put_part(d);
    if (rc == 0)
        rc = flush(d);
    if (d->owned && close(d->fd) < 0 && rc == 0)
        rc = -errno;
    if (d->owned)
        free(d);
    errno = rc < 0 ? -rc : errno;
    return rc < 0 ? -1 : 0;
}

static const cookie_io_functions_t calls = {.write = door_write, .close = door_close};

FILE *door_open(int fd) {
    struct door *d = calloc(1, sizeof(*d));
    if (!d)
        return NULL;
    *d = (struct door){.fd = fd, .owned = true};
    FILE *f = fopencookie(d, "w", calls);
    if (!f)
        free(d);
    return f;
}

static FILE *to_file(const char *path, int flags) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    FILE *f = fd >= 0 ? door_open(fd) : NULL;
    if (f || fd < 0)
        return f;
    const int code = errno;
    close(fd);
    errno = code;
    return NULL;
}

FILE *door_create(const char *path) {
    return to_file(path, O_TRUNC);
}

FILE *door_append(const char *path) {
    return to_file(path, O_APPEND);
}

/* ---- the standard streams ---- */

static FILE *standard[2];
static struct door out = {.fd = STDOUT_FILENO}, error = {.fd = STDERR_FILENO};

int door_init(void) {
    standard[0] = fopencookie(&out, "w", calls);
    standard[1] = fopencookie(&error, "w", calls);
    if (!standard[0] || !standard[1])
        return -ENOMEM;
    setvbuf(standard[0], NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(standard[1], NULL, _IONBF, 0);
    stdout = standard[0];
    stderr = standard[1];
    errno = 0;
    return 0;
}

int door_fd(FILE *stream) {
    if (stream && stream == standard[0])
        return STDOUT_FILENO;
    return stream && stream == standard[1] ? STDERR_FILENO : fileno(stream);
}

/* The flag belongs to the open file, which others may share: /proc opens another. */
bool door_before_block(void (*full)(void *user), void *user) {
    struct stat st;
    no_longer_quick(&out);
    if (!full || fstat(out.fd, &st) < 0)
        return false;
    const bool waits = S_ISFIFO(st.st_mode) || isatty(out.fd);
    if (waits)
        out.quick_fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
        return false;
    out.full = waits && out.quick_fd < 0 ? NULL : full;
    out.user = user;
    return out.full;
}
