/*
 * The names that a model shows: of its metrics and nodes, and of the groups that they are in. Made
 * once, for who asks about thousands of words; model_find reads the whole model for each.
 */
#ifndef TDTOP_MODEL_NAME_SET_H
#define TDTOP_MODEL_NAME_SET_H

#include "model/load/arena.h"
#include "model/load/dict.h"

#include <stdbool.h>

struct model;

struct name_set {
    struct dict dict_;   /* private: names in small letters */
    struct arena arena_; /* private: their texts */
};

/* 0, or -ENOMEM; then nothing is left to free. Nothing of the model is borrowed. */
int name_set_init(struct name_set *s, const struct model *m);
void name_set_destroy(struct name_set *s);

/* Ignoring ASCII case and taking '-' for '_'; the name is len bytes and needs no NUL. */
bool name_set_has(const struct name_set *s, const char *name, size_t len);

#endif
