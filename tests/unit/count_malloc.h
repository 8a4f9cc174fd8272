/*
 * Counts allocations, and refuses one: this program's own malloc, calloc and realloc stand before
 * the C library's, so a call from anywhere, any thread included, is seen. Include in one file of a
 * test program.
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

static unsigned long calls, failing; /* failing: the number of the call that is refused; 0: none */
static __thread unsigned long calls_here; /* of this thread */
static int none_left;                     /* all are refused */

#ifndef SANITIZED
/* glibc's own names for what is replaced here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);

static int is_refused(void) {
    unsigned long now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    calls_here++;
    return now == __atomic_load_n(&failing, __ATOMIC_RELAXED) ||
           __atomic_load_n(&none_left, __ATOMIC_RELAXED);
}

void *malloc(size_t size) {
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return is_refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *at, size_t size) {
    return is_refused() ? NULL : __libc_realloc(at, size);
}
#endif

static inline unsigned long calls_now(void) {
    return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

static inline unsigned long calls_of_thread(void) {
    return calls_here;
}

/* Refuses the n-th call from now, 1 being the next; 0: none. */
static inline void calls_refuse(unsigned long n) {
    __atomic_store_n(&failing, n ? calls_now() + n : 0, __ATOMIC_RELAXED);
}

/* From now on there is no memory, or there is again. */
static inline void calls_refuse_all(int on) {
    __atomic_store_n(&none_left, on, __ATOMIC_RELAXED);
}

#endif
