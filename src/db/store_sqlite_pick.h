/*
 * Which runs a query means, as a set of bits: each condition is an index walked once, and how many
 * are left is known without reading a run.
 */
#ifndef TDTOP_DB_STORE_SQLITE_PICK_H
#define TDTOP_DB_STORE_SQLITE_PICK_H

#include "db/store_sqlite.h"

struct pick {
    uint64_t *bit; /* [n] by row of runs; owned */
    int64_t n;
    uint64_t count; /* of bits that are set */
};

bool pick_is_needed(const struct run_query *q); /* false: the query means every run */
int pick_runs(struct sq *sq, const struct run_query *q, struct pick *out, struct err *err);
void pick_free(struct pick *p);

#endif
