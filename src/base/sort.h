/* qsort(3) of the C library may allocate; this does not. And where to begin in what is sorted. */
#ifndef TDTOP_BASE_SORT_H
#define TDTOP_BASE_SORT_H

#include <stddef.h>

/* As qsort(3). Equal elements may change places. */
void sort_in_place(void *at, size_t n, size_t size, int (*compare)(const void *, const void *));

/*
 * Sets i, a size_t, to the first of n places for which a condition on i holds, or to n. It must
 * hold for all behind that one:  SORT_FIRST(i, t->n, t->at[i].begin > address);
 */
#define SORT_FIRST(i, n, ...)                                                                      \
    do {                                                                                           \
        size_t low_ = 0, high_ = (n);                                                              \
        while (low_ < high_) {                                                                     \
            (i) = low_ + (high_ - low_) / 2;                                                       \
            if (__VA_ARGS__)                                                                       \
                high_ = (i);                                                                       \
            else                                                                                   \
                low_ = (i) + 1;                                                                    \
        }                                                                                          \
        (i) = low_;                                                                                \
    } while (0)

#endif
