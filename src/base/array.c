#include "base/array.h"

#include <stdint.h>

void *array_grow_(void *at, size_t *cap, size_t n, size_t size) {
    if (n <= *cap && at)
        return at;
    size_t want = *cap ? *cap : 8;
    while (want < n && want <= SIZE_MAX / 2)
        want *= 2;
    void *p = want >= n && want <= SIZE_MAX / size ? realloc(at, want * size) : NULL;
    if (p)
        *cap = want;
    return p;
}

void *array_trim_(void *at, size_t *cap, size_t n, size_t size) {
    void *p = n ? realloc(at, n * size) : NULL;
    if (!p)
        return at;
    *cap = n;
    return p;
}
