#include "model/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int unit_table_init(struct unit_table *t, const uint16_t *slot, uint32_t n_slot) {
    *t = (struct unit_table){.n_slot = n_slot};
    t->slot = calloc(n_slot + 1u, sizeof(*t->slot));
    if (!t->slot)
        return -ENOMEM;
    if (n_slot) /* slot may be NULL then */
        memcpy(t->slot, slot, n_slot * sizeof(*slot));
    return 0;
}

void unit_table_destroy(struct unit_table *t) {
    free(t->row);
    free(t->slot);
    free(t->value);
    *t = (struct unit_table){0};
}

int unit_table_reserve(struct unit_table *t, uint32_t n) {
    if (n <= t->cap)
        return 0;
    uint32_t cap = n + n / 4 + 16; /* threads come in flocks */
    struct unit_row *row = realloc(t->row, cap * sizeof(*row));
    if (!row)
        return -ENOMEM;
    t->row = row;
    double *value = realloc(t->value, ((size_t)cap * t->n_slot + 1) * sizeof(*value));
    if (!value)
        return -ENOMEM;
    t->value = value;
    t->cap = cap;
    return 0;
}

void unit_table_sample(const struct unit_table *t, uint32_t i, struct sample *out) {
    const struct unit_row *row = &t->row[i];
    out->seq = t->seq;
    out->t0_ns = t->t0_ns;
    out->t1_ns = t->t1_ns;
    out->target_threads = 0;
    for (uint32_t k = 0; k < out->n_slot; k++)
        out->at[k] = (struct count){.value = NAN, .state = COUNT_NOT_PLANNED};
    for (uint32_t k = 0; k < t->n_slot; k++) {
        double v = t->value[(size_t)i * t->n_slot + k];
        struct count *c = &out->at[t->slot[k]];
        *c = (struct count){.value = v,
                            .enabled_ns = row->enabled_ns,
                            .running_ns = row->running_ns,
                            .state = isnan(v) ? COUNT_NOT_COUNTED : COUNT_OK};
    }
}
