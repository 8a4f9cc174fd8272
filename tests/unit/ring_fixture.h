/* A ring buffer without a kernel, and records to put into it. */
#ifndef TDTOP_TESTS_RING_FIXTURE_H
#define TDTOP_TESTS_RING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A record that is being written. */
struct draft {
    _Alignas(8) uint8_t byte[4096];
    size_t n;
};

static inline void draft_bytes(struct draft *d, const void *p, size_t n) {
    assert_true(d->n + n <= sizeof(d->byte));
    memcpy(d->byte + d->n, p, n);
    d->n += n;
}

static inline void draft_u64(struct draft *d, uint64_t v) {
    draft_bytes(d, &v, sizeof(v));
}

static inline void draft_u32(struct draft *d, uint32_t v) {
    draft_bytes(d, &v, sizeof(v));
}

/* Text as the kernel writes it: filled up to 8 bytes. */
static inline void draft_text(struct draft *d, const char *text) {
    const uint64_t zero = 0;
    draft_bytes(d, text, strlen(text) + 1);
    draft_bytes(d, &zero, -d->n % 8);
}

static inline void draft_begin(struct draft *d, uint32_t type, uint16_t misc) {
    const struct perf_event_header h = {.type = type, .misc = misc};
    d->n = 0;
    draft_bytes(d, &h, sizeof(h));
}

static inline const struct perf_event_header *draft_end(struct draft *d) {
    struct perf_event_header *h = (void *)d->byte;
    h->size = (uint16_t)d->n;
    return h;
}

#endif
