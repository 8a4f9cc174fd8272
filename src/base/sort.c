/* Heapsort: n log n whatever the order was, and no memory. */
#include "base/sort.h"

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

/* Lets element i sink until no child of it is larger. */
static void sink(char *at, size_t i, size_t n, size_t size,
                 int (*compare)(const void *, const void *)) {
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(at + child * size, at + (child + 1) * size) < 0)
            child++;
        if (compare(at + i * size, at + child * size) >= 0)
            return;
        swap(at + i * size, at + child * size, size);
    }
}

void sort_in_place(void *at, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    for (size_t i = n / 2; i-- > 0;)
        sink(at, i, n, size, compare);
    for (size_t last = n; last-- > 1;) {
        swap(at, (char *)at + last * size, size);
        sink(at, 0, last, size, compare);
    }
}
