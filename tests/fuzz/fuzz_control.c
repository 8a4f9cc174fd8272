/* Command lines of --control, in pieces as a pipe brings them. */
#include "fuzz.h"
#include "ui/app/control.h"

#include <fcntl.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct control_fifo cf;
    char rest[CONTROL_LINE];
    enum control_verb verb;
    int ends[2];
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
        abort();
    cf = (struct control_fifo){.fd = ends[0], .path = "fuzz"};
    for (size_t at = 0; at < size;) {
        const size_t piece =
            size - at < 1 + (size_t)data[at] * 37 ? size - at : 1 + (size_t)data[at] * 37;
        const ssize_t n = write(ends[1], data + at, piece);
        if (n <= 0)
            abort();
        at += (size_t)n;
        for (int rc = 1, i = 0; rc != 0 && i < 100000; i++) {
            struct err err = {0};
            rc = control_fifo_next(&cf, &verb, rest, &err);
            if (rc < 0 && !err.text[0])
                abort();
        }
    }
    close(ends[0]);
    close(ends[1]);
    return 0;
}
