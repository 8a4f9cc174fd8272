/*
 * One ring buffer of the kernel's: a page of control (struct perf_event_mmap_page) and 2^n pages of
 * records. The kernel moves data_head, we move data_tail; what lies between is ours to read. A
 * record that goes over the end is copied together. perf_event_open(2), "MMAP layout".
 *
 *   ring_begin(r);
 *   while ((h = ring_peek(r)))   valid until ring_pop of this ring
 *       ring_pop(r);
 *   ring_end(r);                 gives the space back
 */
#ifndef TDTOP_PMU_RING_H
#define TDTOP_PMU_RING_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_header;
struct perf_event_mmap_page;

struct ring {
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint64_t size;       /* of data, a power of 2 */
    uint64_t head, tail; /* of the batch that is read */
    uint64_t n_garbled;  /* batches that ended because a record's size cannot be */
    uint8_t *bounce;     /* private, owned: a record that went over the end */
    void *map;           /* private: what is to be unmapped, or NULL */
    uint16_t at_size;    /* private: of the record that was peeked at; 0: none */
};

/* Maps the buffer of an event with 1 + n_page pages, n_page a power of 2. 0, -EPERM if that is more
 * memory than the user may lock (perf_event_mlock_kb), or another negative errno. */
int ring_open(struct ring *r, int fd, uint32_t n_page);
/* The same on memory of the caller. 0 or -ENOMEM. */
int ring_open_on(struct ring *r, struct perf_event_mmap_page *page, const void *data,
                 uint64_t size);
void ring_close(struct ring *r); /* accepts a zeroed or failed one */

/* What the kernel has written by now is the batch. */
void ring_begin(struct ring *r);
/* The next whole record, or NULL at the end of the batch. The same again until ring_pop. */
const struct perf_event_header *ring_peek(struct ring *r);
void ring_pop(struct ring *r);
void ring_end(struct ring *r);

#endif
