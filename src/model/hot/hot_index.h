/* Numbers by three keys: which function, place or node of a struct hot something is. */
#ifndef TDTOP_MODEL_HOT_INDEX_H
#define TDTOP_MODEL_HOT_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct hot_index { /* private */
    struct hot_seat {
        uint64_t a, b, c;
        uint32_t number;
    } * seat;
    size_t mask;
};

/* For n numbers at most. 0 or -ENOMEM. */
int hot_index_init(struct hot_index *x, size_t n);
void hot_index_free(struct hot_index *x); /* accepts a zeroed one */
/* The number + 1, to be set where it is 0: it was not there before. */
uint32_t *hot_index_at(struct hot_index *x, uint64_t a, uint64_t b, uint64_t c);

#endif
