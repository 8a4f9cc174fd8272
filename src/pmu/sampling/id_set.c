#include "pmu/sampling/id_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int id_set_init(struct id_set *set) {
    set->bits = calloc(ID_MOST / 64, sizeof(*set->bits));
    return set->bits ? 0 : -ENOMEM;
}

void id_set_destroy(struct id_set *set) {
    free(set->bits);
    set->bits = NULL;
}

void id_set_put(struct id_set *set, pid_t id, bool in) {
    if (id <= 0 || id >= ID_MOST)
        return;
    const uint64_t bit = 1ull << (id & 63);
    if (in)
        set->bits[id >> 6] |= bit;
    else
        set->bits[id >> 6] &= ~bit;
}

bool id_set_has(const struct id_set *set, pid_t id) {
    return id > 0 && id < ID_MOST && set->bits[id >> 6] >> (id & 63) & 1;
}

pid_t id_set_next(const struct id_set *set, pid_t id) {
    for (id++; id < ID_MOST; id = (id | 63) + 1) {
        const uint64_t left = set->bits[id >> 6] >> (id & 63);
        if (left)
            return id + __builtin_ctzll(left);
    }
    return 0;
}

void id_set_clear(struct id_set *set) {
    for (int i = 0; i < ID_MOST / 64; i++) /* pages that are not used are read only */
        if (set->bits[i])
            set->bits[i] = 0;
}
