/* The slots of a layout by event: for who asks about many. eval_slot reads all of them for each. */
#ifndef TDTOP_MODEL_SLOT_INDEX_H
#define TDTOP_MODEL_SLOT_INDEX_H

#include "model/eval/sample.h"

enum { NO_SLOT = -1 };

struct slot_index {
    const struct layout *layout; /* borrowed */
    int *first;                  /* [layout->n_event] lowest slot of the event, or NO_SLOT */
    int *next;                   /* [layout->n_slot] next slot of the same event, or NO_SLOT */
};

/* 0 or -ENOMEM; slot_index_destroy accepts what a failed one left. */
int slot_index_init(struct slot_index *x, const struct layout *layout);
void slot_index_destroy(struct slot_index *x);

/* As eval_slot: of several the one of that group, else the first; NO_SLOT. */
int slot_index_find(const struct slot_index *x, int event, uint16_t group);

#endif
