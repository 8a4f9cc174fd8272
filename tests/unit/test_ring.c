/* A ring buffer on memory of our own: wrapping, batches, sizes that cannot be. */
#include "ring_fixture.h"

#include "pmu/sampling/ring.h"

enum { SIZE = 256 };

struct box {
    struct perf_event_mmap_page page;
    _Alignas(8) uint8_t data[SIZE];
    struct ring ring;
};

static void open_box(struct box *b, uint64_t at) {
    memset(b, 0, sizeof(*b));
    assert_int_equal(ring_open_on(&b->ring, &b->page, b->data, SIZE), 0);
    b->page.data_head = b->page.data_tail = at;
}

/* As the kernel does: over the end it goes on at the beginning. */
static void put(struct box *b, const void *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        b->data[(b->page.data_head + i) % SIZE] = ((const uint8_t *)p)[i];
    b->page.data_head += n;
}

static void put_record(struct box *b, uint32_t type, uint16_t size, uint8_t fill) {
    uint8_t bytes[SIZE];
    const struct perf_event_header h = {.type = type, .size = size};
    memset(bytes, fill, sizeof(bytes));
    memcpy(bytes, &h, sizeof(h));
    put(b, bytes, size);
}

static void records_come_in_order_and_whole(void **state) {
    (void)state;
    struct box b;
    for (uint64_t at = 0; at < 2 * SIZE; at += 8) { /* each place at which it may wrap */
        open_box(&b, at);
        put_record(&b, 1, 24, 0xA1);
        put_record(&b, 2, 104, 0xB2);
        put_record(&b, 3, 8, 0);
        ring_begin(&b.ring);
        for (uint32_t type = 1; type <= 3; type++) {
            const struct perf_event_header *h = ring_peek(&b.ring);
            assert_non_null(h);
            assert_ptr_equal(h, ring_peek(&b.ring)); /* again the same */
            assert_int_equal(h->type, type);
            for (uint16_t i = sizeof(*h); i < h->size; i++)
                assert_int_equal(((const uint8_t *)h)[i], type == 1 ? 0xA1 : 0xB2);
            ring_pop(&b.ring);
        }
        assert_null(ring_peek(&b.ring));
        assert_int_equal(b.page.data_tail, at); /* the space is given back at the end */
        ring_end(&b.ring);
        assert_int_equal(b.page.data_tail, b.page.data_head);
        assert_int_equal(b.ring.n_garbled, 0);
        ring_close(&b.ring);
    }
}

static void what_comes_during_a_batch_is_of_the_next(void **state) {
    (void)state;
    struct box b;
    open_box(&b, 0);
    put_record(&b, 1, 16, 0);
    ring_begin(&b.ring);
    put_record(&b, 2, 16, 0);
    ring_pop(&b.ring); /* nothing was looked at: nothing is taken */
    assert_int_equal(ring_peek(&b.ring)->type, 1);
    ring_pop(&b.ring);
    assert_null(ring_peek(&b.ring));
    ring_end(&b.ring);
    ring_begin(&b.ring);
    assert_int_equal(ring_peek(&b.ring)->type, 2);
    ring_end(&b.ring); /* it was looked at, not taken */
    ring_begin(&b.ring);
    assert_int_equal(ring_peek(&b.ring)->type, 2);
    ring_close(&b.ring);
}

static void sizes_that_cannot_be_end_the_batch(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint16_t size;
        size_t written;
    } cases[] = {
        {"nothing", 0, 32},           {"less than a header", 4, 32},
        {"no multiple of 8", 12, 32}, {"more than was written", 40, 32},
        {"half a header", 8, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct box b;
        uint8_t bytes[SIZE] = {0};
        const struct perf_event_header h = {.type = 9, .size = cases[i].size};
        memcpy(bytes, &h, sizeof(h));
        open_box(&b, SIZE - 8);
        put_record(&b, 1, 8, 0);
        put(&b, bytes, cases[i].written);
        ring_begin(&b.ring);
        assert_int_equal(ring_peek(&b.ring)->type, 1);
        ring_pop(&b.ring);
        if (ring_peek(&b.ring) || b.ring.n_garbled != 1)
            fail_msg("%s", cases[i].what);
        ring_end(&b.ring);
        assert_int_equal(b.page.data_tail, b.page.data_head);
        ring_close(&b.ring);
    }
}

/* The head is what the kernel says: more than the buffer holds cannot be read. */
static void a_head_that_cannot_be_ends_the_batch(void **state) {
    (void)state;
    struct box b;
    open_box(&b, 0);
    b.page.data_head = SIZE + 8;
    ring_begin(&b.ring);
    assert_null(ring_peek(&b.ring));
    assert_int_equal(b.ring.n_garbled, 1);
    ring_end(&b.ring);
    b.page.data_tail = 4; /* not at a record */
    b.page.data_head = 36;
    ring_begin(&b.ring);
    assert_null(ring_peek(&b.ring));
    assert_int_equal(b.ring.n_garbled, 2);
    ring_close(&b.ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_order_and_whole),
        cmocka_unit_test(what_comes_during_a_batch_is_of_the_next),
        cmocka_unit_test(sizes_that_cannot_be_end_the_batch),
        cmocka_unit_test(a_head_that_cannot_be_ends_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
