/*
 * A typed growable array:  ARRAY(struct node) nodes = {0};
 *
 *   array_push(&nodes, (struct node){...})   appends; 0 or -ENOMEM
 *   array_append(&nodes, from, n)            appends n of them
 *   nodes.at[i], nodes.n                     read freely
 *   array_trim(&nodes)                       gives back what room is left
 *   array_free(&nodes)                       frees and empties
 *
 * For start-up and loading only: sampling and drawing never grow an array.
 */
#ifndef TDTOP_BASE_ARRAY_H
#define TDTOP_BASE_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        void *grown_; /* private */                                                                \
        size_t n, cap;                                                                             \
    }

/* Room for n elements of `size` bytes: the old or new memory, or NULL with the old one untouched.
 */
void *array_grow_(void *at, size_t *cap, size_t n, size_t size);
void *array_trim_(void *at, size_t *cap, size_t n, size_t size);

#define array_push(a, ...)                                                                         \
    ((a)->grown_ = array_grow_((a)->at, &(a)->cap, (a)->n + 1, sizeof(*(a)->at)),                  \
     (a)->grown_ ? ((a)->at = (a)->grown_, (a)->at[(a)->n++] = (__VA_ARGS__), 0) : -ENOMEM)

#define array_append(a, from, count)                                                               \
    ((a)->grown_ = array_grow_((a)->at, &(a)->cap, (a)->n + (count), sizeof(*(a)->at)),            \
     (a)->grown_                                                                                   \
         ? ((a)->at = (a)->grown_, memcpy((a)->at + (a)->n, (from), (count) * sizeof(*(a)->at)),   \
            (a)->n += (count), 0)                                                                  \
         : -ENOMEM)

#define array_trim(a) ((a)->at = array_trim_((a)->at, &(a)->cap, (a)->n, sizeof(*(a)->at)))

#define array_free(a) (free((a)->at), (a)->at = NULL, (a)->n = 0, (a)->cap = 0)

#endif
