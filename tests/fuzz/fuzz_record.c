/*
 * Records of a ring buffer: the first bytes are the format and where in the buffer they begin, the
 * rest is what the kernel is said to have written. Each is read to its end, so that a sanitizer
 * sees a list or text that is longer than its record; then address spaces follow it.
 */
#include "fuzz.h"
#include "pmu/sampling/branches.h"
#include "pmu/sampling/data_source.h"
#include "pmu/sampling/modules.h"
#include "pmu/sampling/record.h"
#include "pmu/sampling/ring.h"
#include "pmu/sampling/spaces.h"

#include <linux/perf_event.h>
#include <string.h>

enum { SIZE = 4096, HEAD = 8 };

static volatile uint64_t sink;

static void look(const struct record *r, struct spaces *spaces) {
    struct tally_jump jump[TALLY_JUMPS];
    struct place at;
    if (r->kind == RECORD_SAMPLE) {
        for (uint64_t i = 0; i < r->sample.n_chain; i++)
            sink += r->sample.chain[i];
        const uint32_t n = branches_find(spaces, r, jump);
        for (uint32_t i = 0; i < n; i++)
            sink += jump[i].from.offset + jump[i].n;
        if (n > TALLY_JUMPS || n > r->sample.n_branch)
            abort();
        sink += (uint64_t)data_source_of(r->sample.data_src) + r->sample.addr + r->sample.weight;
        spaces_find(spaces, r->pid, r->sample.ip, r->sample.mode, &at);
    } else if (r->kind == RECORD_MMAP) {
        sink += strlen(r->mmap.path);
    } else if (r->kind == RECORD_COMM) {
        sink += strlen(r->comm.name);
    } else if (r->kind == RECORD_KSYMBOL) {
        sink += strlen(r->ksymbol.name);
    }
    spaces_follow(spaces, r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct perf_event_mmap_page page;
    static _Alignas(8) uint8_t bytes[SIZE];
    struct record_format f = {.sample_id_all = size && data[0] & 1};
    struct ring ring;
    struct modules modules;
    struct spaces spaces;
    struct record r;
    const struct perf_event_header *h;
    if (size < HEAD)
        return 0;
    memcpy(&f.sample_type, data + 1, 4);
    f.branch_sample_type = data[5] & 1 ? PERF_SAMPLE_BRANCH_HW_INDEX : 0;
    const uint64_t begin = (uint64_t)data[6] * 16;
    size = size - HEAD > SIZE ? SIZE : size - HEAD;
    for (size_t i = 0; i < size; i++)
        bytes[(begin + i) % SIZE] = data[HEAD + i];
    page.data_tail = begin;
    page.data_head = begin + size;
    if (ring_open_on(&ring, &page, bytes, SIZE) || modules_init(&modules, 64) ||
        spaces_init(&spaces, &modules, "/nowhere", &(struct spaces_limits){16, 256}))
        abort();
    ring_begin(&ring);
    while ((h = ring_peek(&ring))) {
        struct perf_event_header *own = malloc(h->size); /* no byte more than it has */
        if (!own)
            abort();
        memcpy(own, h, h->size);
        if (record_read(own, &f, &r) == 0)
            look(&r, &spaces);
        free(own);
        ring_pop(&ring);
    }
    ring_end(&ring);
    if (page.data_tail != page.data_head)
        abort();
    spaces_destroy(&spaces);
    modules_destroy(&modules);
    ring_close(&ring);
    return 0;
}
