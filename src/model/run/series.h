/*
 * The counts of every interval, packed: what a run keeps, in memory and in the store.
 *
 * A series is a row of chunks. Each holds up to SERIES_ROWS intervals of one layout and can be read
 * by itself, so that a long run is read in parts, and what is in memory goes into the store as it
 * is. A row has its times, then per group enabled and running, then per slot its state and count:
 * differences to the row before, in as few bytes as they need; a scaled count as the raw one that
 * gives the very same double through count_scale(), or, if there is none, as the difference of its
 * bits. Reading gives back bit for bit what was written. docs/STORE.md has the format byte by byte.
 *
 * Memory is taken once; when it is full the oldest chunks fall out, and series_begin_ns moves on.
 */
#ifndef TDTOP_MODEL_SERIES_H
#define TDTOP_MODEL_SERIES_H

#include "model/eval/sample.h"

#include <stddef.h>

enum { SERIES_ROWS = 64, SERIES_FORMAT = 1 };

struct series_chunk {
    uint64_t t0_ns, t1_ns; /* begin of its first row, end of its last */
    uint32_t n_row;
    uint32_t n_byte;
    const uint8_t *at; /* the series' */
};

struct series {
    uint32_t n_slot, n_group;
    void *impl_; /* private */
};

/*
 * At most max_bytes for the packed rows, or a few rows if that is more (0: it grows as needed,
 * appending may then allocate). The layout is not kept. 0 or -ENOMEM. series_destroy accepts a
 * zeroed one, and all questions below do: it is empty.
 */
int series_init(struct series *se, const struct layout *layout, size_t max_bytes);
void series_destroy(struct series *se);
void series_clear(struct series *se);

/* Appends an interval. Never allocates when max_bytes was given. 0 or -ENOMEM (growing only; the
 * row is not in then). */
int series_push(struct series *se, const struct sample *s);
/* Appends a chunk as series_chunk_at gave it (from the store). 0, -ENOMEM, -E2BIG if it is larger
 * than all the memory, or -EINVAL if its bytes are not a chunk of this layout, to the last byte:
 * nothing was appended then. */
int series_push_chunk(struct series *se, const struct series_chunk *chunk);

/* Appends those rows of another series of the same layout that end in (t0_ns, t1_ns] (t0_ns 0: from
 * the first on): chunks that lie in it as they are, without unpacking them. 0, -ENOMEM, or -E2BIG
 * as above; a part may have been appended then. */
int series_copy(struct series *se, const struct series *from, uint64_t t0_ns, uint64_t t1_ns);

/* Makes an empty one that grows hold the chunks of another of the same layout that rows which end
 * in (t0_ns, t1_ns] may be in, as they lie in memory: nothing is unpacked, so that it is fast; the
 * rows at the ends may be others. 0 or -ENOMEM: it is empty. */
int series_hold(struct series *se, const struct series *from, uint64_t t0_ns, uint64_t t1_ns);

uint64_t series_rows(const struct series *se);     /* held now */
uint64_t series_dropped(const struct series *se);  /* rows that fell out at the old end */
uint64_t series_begin_ns(const struct series *se); /* of the oldest row held; 0 when empty */
uint64_t series_end_ns(const struct series *se);
uint64_t series_bytes(const struct series *se); /* what the rows held take of its memory */
uint32_t series_chunks(const struct series *se);
/* The i-th chunk, oldest first; the last may still grow. Valid until the next call or push. */
struct series_chunk series_chunk_at(const struct series *se, uint32_t i);

/* Reads rows in order of time. */
struct series_reader {
    const struct series *se; /* borrowed; not pushed to meanwhile */
    uint32_t chunk, row;     /* private */
    uint64_t n, after_ns;    /* private: rows passed; those that end until then are to be skipped */
    void *reading_;          /* private: owned */
};
int series_reader_init(struct series_reader *r, const struct series *se); /* 0 or -ENOMEM */
void series_reader_destroy(struct series_reader *r);
/* The next row will be the first that ends after t_ns (rows are taken to be in order of time). */
void series_reader_seek(struct series_reader *r, uint64_t t_ns);
/* Fills *out (n_slot as the layout; seq counts from the oldest row held). False at the end. */
bool series_reader_next(struct series_reader *r, struct sample *out);

#endif
