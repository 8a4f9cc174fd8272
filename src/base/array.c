#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int array_grow_(void **at, size_t *cap, size_t n, size_t size) {
    if (n < *cap)
        return 0;
    size_t want = *cap ? *cap * 2 : 8;
    if (want > SIZE_MAX / size)
        return -ENOMEM;
    void *p = realloc(*at, want * size);
    if (!p)
        return -ENOMEM;
    *at = p;
    *cap = want;
    return 0;
}

void array_free_(void **at) {
    free(*at);
    *at = NULL;
}
