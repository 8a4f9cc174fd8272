/*
 * Preloaded: the allocation number $NO_MEMORY_AT of the process fails, with $NO_MEMORY_ON=1 all
 * after it, too. $NO_MEMORY_COUNT names a file that is told how many there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *at, size_t n);

static atomic_long done;
static long at = -1;
static int on;

static int fails(void) {
    const long n = atomic_fetch_add(&done, 1) + 1;
    if (at < 0 && n == 1) { /* getenv allocates nothing */
        const char *a = getenv("NO_MEMORY_AT"), *o = getenv("NO_MEMORY_ON");
        on = o && *o == '1';
        at = a ? atol(a) : 0;
    }
    const int bad = at > 0 && (n == at || (on && n > at));
    if (bad)
        errno = ENOMEM;
    return bad;
}

void *malloc(size_t n) {
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n) {
    return fails() ? NULL : __libc_realloc(old, n);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("NO_MEMORY_COUNT");
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    char text[32];
    if (fd < 0)
        return;
    const int n = snprintf(text, sizeof(text), "%ld\n", atomic_load(&done));
    if (write(fd, text, (size_t)n) < 0)
        _exit(1);
    close(fd);
}
