#include "pmu/sampling/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORD_MOST = 1 << 16, ALIGN = 8 }; /* header.size has 16 bits */

int ring_open_on(struct ring *r, struct perf_event_mmap_page *page, const void *data,
                 uint64_t size) {
    *r = (struct ring){.page = page, .data = data, .size = size};
    r->bounce = malloc(RECORD_MOST);
    return r->bounce ? 0 : -ENOMEM;
}

int ring_open(struct ring *r, int fd, uint32_t n_page) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *r = (struct ring){0};
    uint8_t *map = mmap(NULL, (n_page + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    if (ring_open_on(r, (void *)map, map + page, n_page * page)) {
        munmap(map, (n_page + 1) * page);
        return -ENOMEM;
    }
    r->map = map;
    return 0;
}

void ring_close(struct ring *r) {
    if (r->map)
        munmap(r->map, r->size + (size_t)sysconf(_SC_PAGESIZE));
    free(r->bounce);
    *r = (struct ring){0};
}

/* Records are read after data_head (acquire), and data_tail is written after them (release): then
 * the kernel overwrites nothing that is still being read. */
void ring_begin(struct ring *r) {
    r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
    r->tail = r->page->data_tail;
    r->at_size = 0;
}

void ring_end(struct ring *r) {
    r->at_size = 0;
    __atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

static const struct perf_event_header *garbled(struct ring *r) {
    r->n_garbled++;
    r->tail = r->head;
    return NULL;
}

const struct perf_event_header *ring_peek(struct ring *r) {
    const uint64_t left = r->head - r->tail, at = r->tail & (r->size - 1);
    struct perf_event_header h;
    r->at_size = 0;
    if (left == 0)
        return NULL;
    if (left > r->size || left < sizeof(h) || at % ALIGN)
        return garbled(r);
    memcpy(&h, r->data + at, sizeof(h));
    if (h.size < sizeof(h) || h.size % ALIGN || h.size > left)
        return garbled(r);
    r->at_size = h.size;
    if (at + h.size <= r->size)
        return (const void *)(r->data + at);
    const size_t first = r->size - at;
    memcpy(r->bounce, r->data + at, first);
    memcpy(r->bounce + first, r->data, h.size - first);
    return (const void *)r->bounce;
}

void ring_pop(struct ring *r) {
    r->tail += r->at_size;
    r->at_size = 0;
}
