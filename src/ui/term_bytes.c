#include "ui/term_bytes.h"

#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* True once a terminal that took nothing just now takes more. */
static bool wait_for_room(void) {
    struct pollfd room = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&room, 1, 1000) > 0;
}

static uint64_t sent;

uint64_t bytes_sent(void) {
    return sent;
}

void bytes_send(const char *at, size_t n) {
    while (n) {
        const ssize_t done = write(STDOUT_FILENO, at, n);
        if (done > 0) {
            at += done;
            n -= (size_t)done;
            sent += (uint64_t)done;
        } else if (done == 0 || (errno != EINTR && (errno != EAGAIN || !wait_for_room()))) {
            return;
        }
    }
}

char *bytes_unpadded(char *out, size_t cap, const char *from) {
    struct strbuf sb = strbuf_on(out, cap);
    while (from && *from) {
        const char *pad = strncmp(from, "$<", 2) == 0 ? strchr(from, '>') : NULL;
        if (!pad)
            strbuf_add(&sb, "%c", *from);
        from = pad ? pad + 1 : from + 1;
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
