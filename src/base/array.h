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

#include <stddef.h>

#define ARRAY(type)                                                                                \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t n, cap;                                                                             \
    }

/* Makes room for one more element of `size` bytes. Returns 0, or -ENOMEM with the array unchanged.
 */
int array_grow_(void **at, size_t *cap, size_t n, size_t size);

#define array_push(a, ...)                                                                         \
    (array_grow_((void **)&(a)->at, &(a)->cap, (a)->n, sizeof(*(a)->at))                           \
         ? -12 /* -ENOMEM */                                                                       \
         : ((a)->at[(a)->n++] = (__VA_ARGS__), 0))

#define array_free(a) (array_free_((void **)&(a)->at), (a)->n = 0, (a)->cap = 0)
void array_free_(void **at);

#endif
