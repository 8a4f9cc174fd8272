/* What a session says of intervals that memory was too short for: how many of a span. */
#include "count_malloc.h"
#include "model/run/timeline.h"
#include "model_fixture.h"

#include <stdlib.h>

enum { SLOTS = 200, MOST = 256 };

struct box {
    struct timeline tl;
    struct series full, ring; /* one that needs memory for another row, and one that never does */
    struct sample row;
    struct frame frame;
    bool lost[MOST]; /* interval i ends at i + 1 */
    int n;
};

static void take(struct box *b, bool lose) {
    b->row.t0_ns = (uint64_t)b->n;
    b->row.t1_ns = (uint64_t)b->n + 1;
    b->tl.series = lose ? b->full : b->ring;
    calls_refuse_all(lose);
    const int rc = timeline_push(&b->tl, &b->row, &b->frame);
    calls_refuse_all(0);
    assert_int_equal(rc, lose ? -ENOMEM : 0);
    b->lost[b->n++] = lose;
}

/* Filled until it would have to grow. */
static void fill(struct box *b, const struct layout *l) {
    assert_int_equal(series_init(&b->full, l, 0), 0);
    calls_refuse_all(1);
    for (int rc = 0; rc == 0; b->row.t0_ns = b->row.t1_ns++) {
        for (uint32_t i = 0; i < SLOTS; i++)
            b->row.at[i] = (struct count){.value = (double)(b->row.t1_ns * 7919 + i)};
        rc = series_push(&b->full, &b->row);
    }
    calls_refuse_all(0);
}

static void open_box(struct box *b) {
    struct layout l;
    *b = (struct box){0};
    assert_int_equal(layout_init(&l, SLOTS, COUNT_ABSENT, SLOTS), 0);
    for (uint16_t i = 0; i < SLOTS; i++)
        layout_add(&l, i, 0);
    assert_int_equal(sample_init(&b->row, SLOTS), 0);
    assert_int_equal(timeline_init(&b->tl, &l, 0, TIMELINE_BYTES), 0);
    b->ring = b->tl.series;
    fill(b, &l);
    layout_destroy(&l);
}

static void close_box(struct box *b) {
    b->tl.series = b->ring;
    timeline_destroy(&b->tl);
    series_destroy(&b->full);
    sample_destroy(&b->row);
}

static uint64_t truth(const struct box *b, int t0, int t1) {
    uint64_t n = 0;
    for (int i = t0; i < t1; i++)
        n += b->lost[i];
    return n;
}

/* Every span: what is said without "up to" is exact, and nothing is missing that is not said. */
static void check(const struct box *b, bool all_exact) {
    for (int t0 = 0; t0 <= b->n; t0++)
        for (int t1 = t0; t1 <= b->n; t1++) {
            bool at_most;
            const uint64_t want = truth(b, t0, t1);
            const uint64_t got = timeline_lost(&b->tl, (uint64_t)t0, (uint64_t)t1, &at_most);
            if ((at_most ? got < want : got != want) || (all_exact && at_most))
                fail_msg("(%d, %d]: %s%llu of %llu", t0, t1, at_most ? "up to " : "",
                         (unsigned long long)got, (unsigned long long)want);
        }
    assert_int_equal(b->tl.n_lost, truth(b, 0, b->n));
}

static void take_all(struct box *b, const char *rows) {
    for (; *rows; rows++)
        take(b, *rows == 'x');
}

static void each_span_has_its_own(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message("SKIP: the sanitizer brings its own malloc\n");
    skip();
#endif
    static const struct {
        const char *rows; /* x: lost */
        bool exact;
    } cases[] = {
        {"....", true},
        {".x..x...xx.x.", true},
        {"xx..xx", true},
        {"..xxxxx..x", false}, /* a span that ends in the five knows no better */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct box b;
        open_box(&b);
        take_all(&b, cases[i].rows);
        check(&b, cases[i].exact);
        close_box(&b);
    }
}

/* More losses than there is room for: the nearest are told together, the others still apart. */
static void many_losses(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message("SKIP: the sanitizer brings its own malloc\n");
    skip();
#endif
    struct box b;
    bool at_most;
    open_box(&b);
    take_all(&b, "x...................x.x........"); /* the two in the middle become one */
    for (int i = 3; i < TIMELINE_LOSSES + 1; i++)
        take_all(&b, "x......");
    check(&b, true);
    assert_int_equal(b.tl.n_loss, TIMELINE_LOSSES);
    assert_int_equal(timeline_lost(&b.tl, 0, 19, &at_most), 1);
    assert_int_equal(timeline_lost(&b.tl, 19, 30, &at_most), 2);
    for (int i = 0; i < 3 * TIMELINE_LOSSES; i++)
        take_all(&b, "x.");
    check(&b, false);
    assert_int_equal(b.tl.n_loss, TIMELINE_LOSSES);
    close_box(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_span_has_its_own),
        cmocka_unit_test(many_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
