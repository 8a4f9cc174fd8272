/*
 * One row of a series as bytes: private to series*.c. docs/STORE.md, "Packed intervals", has the
 * format; a row is a difference to the row before it, so packing and unpacking keep what was last.
 */
#ifndef TDTOP_MODEL_SERIES_PACK_H
#define TDTOP_MODEL_SERIES_PACK_H

#include "model/eval/sample.h"

#include <stddef.h>

struct pack_time {
    uint64_t enabled, running;
};

/* Of one slot, in the row before. */
struct pack_slot {
    struct pack_time own; /* its times, where they were not its group's */
    uint64_t raw, bits;   /* its whole number before scaling; its double as bits */
    uint16_t group;
    uint8_t state, part;
};

struct pack {
    uint32_t n_slot, n_group;
    uint64_t t1_ns, length_ns, busy_ns, resident_ns;
    uint32_t threads;
    struct pack_slot *slot; /* [n_slot] */
    struct pack_time *time; /* [n_group] */
    struct pack_time *now;  /* [n_group] the same in the row that is being read or written */
};

int pack_init(struct pack *p, const struct layout *layout); /* 0 or -ENOMEM */
int pack_copy(struct pack *p, const struct pack *like);     /* a new one, at the begin of a chunk */
void pack_destroy(struct pack *p);                          /* accepts a zeroed one */
void pack_begin(struct pack *p);                            /* the next row is a chunk's first */

/* Most and fewest bytes that a row can take. */
size_t pack_row_max(const struct pack *p);
size_t pack_row_min(const struct pack *p);

/* Writes a row (out has room for pack_row_max). Returns its length. */
size_t pack_row(struct pack *p, const struct sample *s, uint8_t *out);

/* Reads a row. Returns its length, or 0 if the n bytes at `in` do not begin with one; out and p are
 * then undefined, but nothing outside of them was touched. */
size_t unpack_row(struct pack *p, const uint8_t *in, size_t n, struct sample *out);

#endif
