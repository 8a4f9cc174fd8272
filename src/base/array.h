/*
 * A typed growable array:  ARRAY(struct node) nodes = {0};
 *
 *   array_push(&nodes, (struct node){...})   appends; 0 or -ENOMEM
 *   nodes.at[i], nodes.n                     read freely
 *   array_free(&nodes)                       frees and empties
 *
 * For start-up and loading only: sampling and drawing never grow an array.
 */
#ifndef TDTOP_BASE_ARRAY_H
#define TDTOP_BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        void *grown_; /* private */                                                                \
        size_t n, cap;                                                                             \
    }

/* Room for one more element of `size` bytes: the old or new memory, or NULL with the old one
 * untouched. */
void *array_grow_(void *at, size_t *cap, size_t n, size_t size);

#define array_push(a, ...)                                                                         \
    ((a)->grown_ = array_grow_((a)->at, &(a)->cap, (a)->n, sizeof(*(a)->at)),                      \
     (a)->grown_ ? ((a)->at = (a)->grown_, (a)->at[(a)->n++] = (__VA_ARGS__), 0) : -ENOMEM)

#define array_free(a) (free((a)->at), (a)->at = NULL, (a)->n = 0, (a)->cap = 0)

#endif
