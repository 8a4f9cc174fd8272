/*
 * What reads text or bytes from outside must take any. Each fuzz_X.c is one such reader with
 * libFuzzer's entry; `make fuzz` lets libFuzzer invent inputs (run.sh), and `make check` gives each
 * reader its seeds and the inputs that were found to break it (cases/X, through replay.c).
 */
#ifndef TDTOP_TESTS_FUZZ_H
#define TDTOP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a file, for readers that take a path. It is the same file each time. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

/* The input as a string: malloc'ed to its size, so that a sanitizer sees a read past its end. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    text[size] = '\0';
    return text;
}

#endif
