#include "base/array.h"

#include <stdint.h>

void *array_grow_(void *at, size_t *cap, size_t n, size_t size) {
    if (n < *cap)
        return at;
    size_t want = *cap ? *cap * 2 : 8;
    if (want > SIZE_MAX / size)
        return NULL;
    void *p = realloc(at, want * size);
    if (p)
        *cap = want;
    return p;
}
