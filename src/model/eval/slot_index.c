#include "model/eval/slot_index.h"

#include <errno.h>
#include <stdlib.h>

int slot_index_init(struct slot_index *x, const struct layout *layout) {
    *x = (struct slot_index){.layout = layout};
    x->first = malloc((layout->n_event + 1u) * sizeof(*x->first));
    x->next = malloc((layout->n_slot + 1u) * sizeof(*x->next));
    if (!x->first || !x->next)
        return -ENOMEM;
    for (uint32_t e = 0; e < layout->n_event; e++)
        x->first[e] = NO_SLOT;
    for (int i = (int)layout->n_slot - 1; i >= 0; i--) { /* so the first slot ends up first */
        if (layout->slot[i].event == SLOT_NO_EVENT)
            continue;
        int *first = &x->first[layout->slot[i].event];
        x->next[i] = *first;
        *first = i;
    }
    return 0;
}

void slot_index_destroy(struct slot_index *x) {
    free(x->first);
    free(x->next);
    *x = (struct slot_index){.layout = NULL};
}

int slot_index_find(const struct slot_index *x, int event, uint16_t group) {
    for (int i = x->first[event]; i != NO_SLOT; i = x->next[i])
        if (x->layout->slot[i].group == group)
            return i;
    return x->first[event];
}
