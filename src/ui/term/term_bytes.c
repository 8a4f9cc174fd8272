#include "ui/term/term_bytes.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    STALL_MS = 1000, /* a terminal that takes nothing for so long is not waited for */
    PIECE = 512,     /* of a write that may block: poll(2) says that there is room, not how much */
};

static struct {
    int fd;   /* STDOUT_FILENO, or the same terminal opened once more */
    int wake; /* readable: somebody is in a hurry */
    bool own; /* fd never blocks */
    bool lost;
    atomic_bool over;
    uint64_t sent;
} to = {.fd = STDOUT_FILENO, .wake = -1};

void bytes_open(int wake_fd) {
    const int fd =
        open("/proc/self/fd/1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); /* proc(5) */
    const bool own = fd >= 0 && isatty(fd);
    if (fd >= 0 && !own)
        close(fd);
    to.fd = own ? fd : STDOUT_FILENO;
    to.own = own;
    to.wake = wake_fd;
    to.lost = false;
}

void bytes_close(void) {
    if (to.own)
        close(to.fd);
    to.fd = STDOUT_FILENO;
    to.own = false;
    to.lost = false;
    to.wake = -1;
}

int bytes_fd(void) {
    return to.fd;
}

uint64_t bytes_sent(void) {
    return to.sent;
}

/* Bytes that the terminal's driver has not passed on: a slow line takes seconds for a screen. */
static int queued(void) {
    int n = 0;
    return ioctl(to.fd, TIOCOUTQ, &n) == 0 ? n : 0;
}

/* True once the terminal takes more; false if it took nothing for a while, or a signal waits. */
static bool wait_for_room(void) {
    for (;;) {
        struct pollfd fd[] = {{.fd = to.fd, .events = POLLOUT}, {.fd = to.wake, .events = POLLIN}};
        const int before = queued(), n = poll(fd, 2, STALL_MS);
        if (n < 0 && errno == EINTR)
            continue; /* its byte is on its way to `wake` */
        if (n > 0)
            return fd[0].revents != 0;
        if (n < 0 || queued() >= before)
            return false;
    }
}

void bytes_send(const char *at, size_t n) {
    while (n && !to.lost && !to.over) {
        const bool may_write = to.own || wait_for_room();
        const ssize_t done = may_write ? write(to.fd, at, to.own || n < PIECE ? n : PIECE) : -1;
        if (done > 0) {
            at += done;
            n -= (size_t)done;
            to.sent += (uint64_t)done;
        } else if (!may_write || (errno != EINTR && (errno != EAGAIN || !wait_for_room()))) {
            to.lost = true;
        }
    }
}

int bytes_room_fd(void) {
    return to.lost ? to.fd : -1;
}

bool bytes_lost(void) {
    return to.lost;
}

bool bytes_again(void) {
    struct pollfd fd = {.fd = to.fd, .events = POLLOUT};
    if (to.lost && poll(&fd, 1, 0) > 0)
        to.lost = false;
    return !to.lost;
}

void bytes_give_up(void) {
    to.over = true;
}

void bytes_force(int fd, const char *at, size_t n) {
    enum { TRIES = 200, TRY_MS = 10 };
    bool dropped = false;
    for (int tries = 0; n && tries < TRIES;) {
        struct pollfd room = {.fd = fd, .events = POLLOUT};
        const int ready = poll(&room, 1, STALL_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 && dropped)
            return;
        if (ready <= 0) {
            tcflush(fd, TCOFLUSH);
            dropped = true;
            continue;
        }
        const ssize_t done = write(fd, at, n < PIECE ? n : PIECE);
        if (done > 0) {
            at += done;
            n -= (size_t)done;
        } else if (done < 0 && errno == EAGAIN) { /* another process writes to it */
            tries++;
            poll(NULL, 0, TRY_MS);
        } else if (done == 0 || errno != EINTR) {
            return;
        }
    }
}

char *bytes_unpadded(char *out, size_t cap, const char *from) {
    struct strbuf sb = strbuf_on(out, cap);
    while (from && *from) {
        const char *pad = strstr(from, "$<"), *end = pad ? strchr(pad, '>') : NULL;
        strbuf_add(&sb, "%.*s", end ? (int)(pad - from) : (int)strlen(from), from);
        from = end ? end + 1 : NULL;
    }
    return out;
}

char *bytes_plain(char *out, size_t cap, const char *sgr0) {
    str_copy(out, cap, str_starts(sgr0, "\033(B") ? sgr0 + 3 : sgr0);
    char *shift_in = strchr(out, '\017');
    if (shift_in)
        memmove(shift_in, shift_in + 1, strlen(shift_in));
    return out;
}
