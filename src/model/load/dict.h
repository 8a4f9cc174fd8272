/* Names to numbers: the look-ups of a loading model. Keys are borrowed. */
#ifndef TDTOP_MODEL_DICT_H
#define TDTOP_MODEL_DICT_H

#include <stddef.h>
#include <stdint.h>

struct dict {
    struct dict_entry {
        const char *key; /* NULL: free */
        uint32_t hash;
        int value;
    } * at;
    size_t n, cap; /* cap is 0 or a power of two; a zeroed dict is an empty one */
};

/* 0, -EEXIST if the key has a value already (it is kept), or -ENOMEM. value must be >= 0. */
int dict_put(struct dict *d, const char *key, int value);

/* The value of a key, or -1. */
int dict_get(const struct dict *d, const char *key);

void dict_free(struct dict *d);

#endif
