/*
 * Counts allocations: this program's own malloc, calloc and realloc stand before the C library's,
 * so a call from anywhere, any thread included, is seen. Include in one file of a test program.
 */
#ifndef TDTOP_TESTS_COUNT_MALLOC_H
#define TDTOP_TESTS_COUNT_MALLOC_H

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static unsigned long calls;

#ifndef SANITIZED
/* glibc's own names for what is replaced here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);

void *malloc(size_t size) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}

void *realloc(void *at, size_t size) {
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    return __libc_realloc(at, size);
}
#endif

static unsigned long calls_now(void) {
    return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

#endif
