/* Numbers for names: each different pair of texts gets the next number from 0. */
#ifndef TDTOP_PMU_REPLAY_TABLE_H
#define TDTOP_PMU_REPLAY_TABLE_H

#include <stdint.h>

struct replay_name {
    const char *first, *second; /* owned */
    uint32_t hash;
};

struct replay_table {
    struct replay_name *at; /* [n] */
    uint32_t n, cap;
    uint32_t *bucket; /* private: number + 1, or 0; n_bucket is a power of two */
    uint32_t n_bucket;
    uint32_t last; /* private: the number that was found last */
};

enum { REPLAY_NAMES_MAX = 100000 };

/* The number of a pair, or -1 if it has none. Never allocates. Fast where it is that of the last
 * call, or the one behind it, as in the intervals of a recording. */
int32_t replay_table_find(struct replay_table *t, const char *first, const char *second);
/* The same, and gives it one. -ENOMEM, or -E2BIG past REPLAY_NAMES_MAX. */
int32_t replay_table_add(struct replay_table *t, const char *first, const char *second);
void replay_table_free(struct replay_table *t);

#endif
