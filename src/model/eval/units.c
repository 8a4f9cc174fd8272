#include "model/eval/units.h"

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

static bool is_same(const struct unit_row *a, const struct unit_row *b) {
    return a->pid == b->pid && a->tid == b->tid && (a->tid >= 0 || a->cpu == b->cpu);
}

/* The row of the same thread or CPU, looked for from *at on: tables hardly change their order. A
 * number that has ended may be another thread's by now. */
static struct unit_row *row_like(const struct unit_table *t, uint32_t n, const struct unit_row *row,
                                 uint32_t *at) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t r = (*at + i) % n;
        if (!t->row[r].ended && is_same(&t->row[r], row)) {
            *at = r + 1;
            return &t->row[r];
        }
    }
    return NULL;
}

static void add_row(struct unit_row *into, const struct unit_row *next) {
    struct unit_row sum = *next;
    sum.busy += into->busy;
    sum.enabled_ns += into->enabled_ns;
    sum.running_ns += into->running_ns;
    sum.fresh = into->fresh;
    sum.begins = into->begins || next->begins;
    *into = sum;
}

int unit_table_merge(struct unit_table *into, const struct unit_table *next) {
    const uint32_t n = into->n, n_slot = into->n_slot;
    if (n_slot != next->n_slot)
        return -EINVAL;
    uint32_t n_new = 0;
    for (uint32_t i = 0, at = 0; i < next->n; i++)
        n_new += !row_like(into, n, &next->row[i], &at);
    const int rc = unit_table_reserve(into, n + n_new);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0, at = 0; i < next->n; i++) {
        const double *value = next->value + (size_t)i * n_slot;
        struct unit_row *row = row_like(into, n, &next->row[i], &at);
        if (!row) {
            memcpy(into->value + (size_t)into->n * n_slot, value, n_slot * sizeof(*value));
            into->row[into->n++] = next->row[i];
            continue;
        }
        add_row(row, &next->row[i]);
        for (uint32_t k = 0; k < n_slot; k++)
            into->value[(size_t)(row - into->row) * n_slot + k] += value[k];
    }
    into->seq = next->seq;
    into->t1_ns = next->t1_ns;
    into->n_hidden = next->n_hidden;
    return 0;
}

void unit_table_sample_begin(const struct unit_table *t, struct sample *out) {
    out->seq = t->seq;
    out->t0_ns = t->t0_ns;
    out->t1_ns = t->t1_ns;
    out->target_threads = 0;
    for (uint32_t k = 0; k < out->n_slot; k++)
        out->at[k] = (struct count){.value = NAN, .state = COUNT_NOT_PLANNED};
}

void unit_table_sample_next(const struct unit_table *t, uint32_t i, struct sample *out) {
    const struct unit_row *row = &t->row[i];
    for (uint32_t k = 0; k < t->n_slot; k++) {
        double v = t->value[(size_t)i * t->n_slot + k];
        struct count *c = &out->at[t->slot[k]];
        *c = (struct count){.value = v,
                            .enabled_ns = row->enabled_ns,
                            .running_ns = row->running_ns,
                            .state = isnan(v) ? COUNT_NOT_COUNTED : COUNT_OK};
    }
}

void unit_table_sample(const struct unit_table *t, uint32_t i, struct sample *out) {
    unit_table_sample_begin(t, out);
    unit_table_sample_next(t, i, out);
}
