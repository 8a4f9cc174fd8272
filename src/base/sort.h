/* qsort(3) of the C library may allocate; this does not. */
#ifndef TDTOP_BASE_SORT_H
#define TDTOP_BASE_SORT_H

#include <stddef.h>

/* As qsort(3). Equal elements may change places. */
void sort_in_place(void *at, size_t n, size_t size, int (*compare)(const void *, const void *));

#endif
