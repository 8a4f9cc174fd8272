/*
 * Packed intervals: what is read is bit for bit what was written, whatever it was; in few bytes; in
 * memory that never grows; and bytes from outside are read within their bounds.
 */
#include "count_malloc.h"
#include "model/run/series.h"
#include "model_fixture.h"
#include "pmu/source.h"
#include "random.h"

#include <stdlib.h>

static uint64_t below(uint64_t n) {
    return next_random() % n;
}

/* Slots in groups of `per`. */
static void make_layout(struct layout *l, uint32_t n_slot, uint32_t per) {
    assert_int_equal(layout_init(l, n_slot, COUNT_ABSENT, n_slot), 0);
    for (uint32_t i = 0; i < n_slot; i++)
        layout_add(l, (uint16_t)i, (uint16_t)(i / per));
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static void expect_same(const struct sample *want, const struct sample *got, uint64_t row) {
    if (want->t0_ns != got->t0_ns || want->t1_ns != got->t1_ns ||
        want->target_threads != got->target_threads || want->busy_ns != got->busy_ns ||
        want->resident_ns != got->resident_ns || got->seq != row)
        fail_msg("row %llu: another time", (unsigned long long)row);
    for (uint32_t i = 0; i < want->n_slot; i++) {
        const struct count *a = &want->at[i], *b = &got->at[i];
        if (!same_bits(a->value, b->value) || a->enabled_ns != b->enabled_ns ||
            a->running_ns != b->running_ns || a->state != b->state || a->part != b->part)
            fail_msg("row %llu slot %u: %.17g %llu %llu %s is %.17g %llu %llu %s",
                     (unsigned long long)row, i, a->value, (unsigned long long)a->enabled_ns,
                     (unsigned long long)a->running_ns,
                     count_state_text((enum count_state)a->state), b->value,
                     (unsigned long long)b->enabled_ns, (unsigned long long)b->running_ns,
                     count_state_text((enum count_state)b->state));
    }
}

/* ---- what may come ---- */

static void on_time(struct sample *s, uint64_t row) {
    s->t0_ns = row * 1000000000 + 17;
    s->t1_ns = s->t0_ns + 1000000000 + below(100000);
    s->target_threads = (uint32_t)below(4);
    s->busy_ns = below(2000000000);
    s->resident_ns = below(s->busy_ns + 1);
}

static void fill_scaled(struct sample *s, uint64_t row) {
    on_time(s, row);
    for (uint32_t i = 0; i < s->n_slot; i++) {
        struct count *c = &s->at[i];
        *c = (struct count){.state = COUNT_OK, .enabled_ns = 1000000000 + i / 4};
        c->running_ns = 90000000 + (row * 7919 + i / 4 * 104729) % 20000000;
        assert_int_equal(
            count_scale((double)below(3000000000), c->enabled_ns, c->running_ns, &c->value), 0);
    }
}

static void fill_always(struct sample *s, uint64_t row) {
    on_time(s, row);
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = (double)below(1000000), .state = COUNT_OK};
}

static void fill_fractions(struct sample *s, uint64_t row) {
    on_time(s, row);
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = (double)below(1u << 30) * 6.103515625e-05 * 1.1,
                                  .enabled_ns = 2000000000,
                                  .running_ns = 2000000000,
                                  .state = COUNT_OK};
}

static void fill_none(struct sample *s, uint64_t row) {
    on_time(s, row);
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = NAN,
                                  .enabled_ns = below(2) ? 1000 : 0,
                                  .state = (uint8_t)((row + i) % COUNT_STATES),
                                  .part = (uint8_t)(row % 3 == 0 ? 0 : (row + i) % 100)};
}

static void fill_same(struct sample *s, uint64_t row) {
    (void)row;
    s->t0_ns = s->t1_ns = 5;
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = 0.0, .state = COUNT_OK};
}

static double bits_to_double(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

static double odd_value(void) {
    const double odd[] = {0.0,      -0.0,      1.0,    -1.0,         1e308,   -1e308,
                          5e-324,   0x1p53,    0x1p63, 0x1p64,       -0x1p63, 0x1.fffffffffffffp62,
                          INFINITY, -INFINITY, NAN,    -(double)NAN, 1e19,    0.1};
    const uint64_t pick = below(COUNT_OF(odd) + 6);
    return pick < COUNT_OF(odd) ? odd[pick] : bits_to_double(next_random());
}

static uint64_t odd_time(void) {
    const uint64_t odd[] = {0, 1, UINT64_MAX, 1ull << 63, 1000000000};
    const uint64_t pick = below(COUNT_OF(odd) + 2);
    return pick < COUNT_OF(odd) ? odd[pick] : next_random() >> below(64);
}

/* Nothing that a source would give, but what a struct can hold. */
static void fill_anything(struct sample *s, uint64_t row) {
    (void)row;
    s->t0_ns = odd_time();
    s->t1_ns = odd_time();
    s->target_threads = (uint32_t)next_random();
    s->busy_ns = odd_time();
    s->resident_ns = odd_time();
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = odd_value(),
                                  .enabled_ns = odd_time(),
                                  .running_ns = odd_time(),
                                  .state = (uint8_t)below(COUNT_STATES)};
}

static const struct {
    const char *name;
    void (*fill)(struct sample *s, uint64_t row);
} kinds[] = {
    {"scaled counts", fill_scaled},          {"always on", fill_always},
    {"fractions", fill_fractions},           {"no counts, every reason", fill_none},
    {"the same again and again", fill_same}, {"anything", fill_anything},
};
enum { KIND_ANYTHING = 5, KIND_MIXED = COUNT_OF(kinds) };

static void fill(struct sample *s, uint32_t kind, uint64_t row) {
    kinds[kind == KIND_MIXED ? below(KIND_MIXED) : kind].fill(s, row);
}

/* Every row twice: written from the seed, and held against the seed again. */
static void expect_rows(const struct series *se, struct sample *want, uint32_t kind, uint64_t first,
                        uint64_t n) {
    struct series_reader r;
    struct sample got;
    assert_int_equal(sample_init(&got, want->n_slot), 0);
    assert_int_equal(series_reader_init(&r, se), 0);
    for (uint64_t row = 0; row < first + n; row++) {
        fill(want, kind, row);
        if (row < first)
            continue;
        if (!series_reader_next(&r, &got))
            fail_msg("ends at row %llu", (unsigned long long)row);
        expect_same(want, &got, row - first);
    }
    assert_false(series_reader_next(&r, &got));
    series_reader_destroy(&r);
    sample_destroy(&got);
}

static void round_trip(void **state) {
    (void)state;
    static const uint32_t rows[] = {1, 2, SERIES_ROWS, SERIES_ROWS + 1, 300};
    for (uint32_t kind = 0; kind <= KIND_MIXED; kind++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            struct layout l;
            struct series se;
            struct sample s;
            make_layout(&l, 11, 4);
            assert_int_equal(series_init(&se, &l, 0), 0);
            layout_destroy(&l);
            assert_int_equal(sample_init(&s, 11), 0);
            random_state = 42;
            for (uint64_t row = 0; row < rows[i]; row++) {
                fill(&s, kind, row);
                assert_int_equal(series_push(&se, &s), 0);
            }
            assert_int_equal(series_rows(&se), rows[i]);
            assert_int_equal(series_end_ns(&se), s.t1_ns);
            random_state = 42;
            expect_rows(&se, &s, kind, 0, rows[i]);
            sample_destroy(&s);
            series_destroy(&se);
        }
}

static void an_empty_series(void **state) {
    (void)state;
    struct series zeroed = {0};
    struct series_reader r;
    struct sample s = {0};
    assert_int_equal(series_rows(&zeroed) + series_chunks(&zeroed) + series_begin_ns(&zeroed) +
                         series_end_ns(&zeroed) + series_dropped(&zeroed) + series_bytes(&zeroed),
                     0);
    assert_int_equal(series_reader_init(&r, &zeroed), 0);
    series_reader_seek(&r, 5);
    assert_false(series_reader_next(&r, &s));
    series_reader_destroy(&r);
    series_clear(&zeroed);
    series_destroy(&zeroed);
}

/* ---- fixed memory ---- */

/* The oldest fall out, the rest is as it was, and nothing is allocated. */
static void the_oldest_fall_out(void **state) {
    (void)state;
    enum { ROWS = 3000, SLOTS = 24 };
    static const size_t limits[] = {1, 6000, 40000, 200000};
    for (size_t k = 0; k < COUNT_OF(limits); k++) {
        struct layout l;
        struct series se;
        struct sample s;
        make_layout(&l, SLOTS, 4);
        assert_int_equal(series_init(&se, &l, limits[k]), 0);
        assert_int_equal(sample_init(&s, SLOTS), 0);
        random_state = 7;
        const unsigned long before = calls;
        for (uint64_t row = 0; row < ROWS; row++) {
            fill_scaled(&s, row);
            assert_int_equal(series_push(&se, &s), 0);
            assert_int_equal(series_rows(&se) + series_dropped(&se), row + 1);
            assert_true(series_rows(&se) > 0);
        }
        assert_int_equal(calls, before);
        assert_true(series_dropped(&se) > 0);
        if (limits[k] >= 40000) { /* most of the memory is in use */
            assert_true(series_bytes(&se) <= limits[k]);
            assert_true(series_bytes(&se) > limits[k] * 3 / 5);
        }
        assert_int_equal(series_end_ns(&se), s.t1_ns);
        assert_int_equal(series_begin_ns(&se), series_dropped(&se) * 1000000000 + 17);
        random_state = 7;
        expect_rows(&se, &s, 0, series_dropped(&se), series_rows(&se));
        series_clear(&se);
        assert_int_equal(series_rows(&se) + series_dropped(&se) + series_bytes(&se), 0);
        random_state = 7;
        fill_scaled(&s, 0);
        assert_int_equal(series_push(&se, &s), 0);
        random_state = 7;
        expect_rows(&se, &s, 0, 0, 1);
        sample_destroy(&s);
        series_destroy(&se);
        layout_destroy(&l);
    }
}

/* ---- chunks ---- */

static void fill_series(struct series *se, struct layout *l, uint32_t kind, uint64_t rows) {
    struct sample s;
    assert_int_equal(series_init(se, l, 0), 0);
    assert_int_equal(sample_init(&s, l->n_slot), 0);
    random_state = 99;
    for (uint64_t row = 0; row < rows; row++) {
        fill(&s, kind, row);
        assert_int_equal(series_push(se, &s), 0);
    }
    sample_destroy(&s);
}

/* Each span of a series, cut where it may, has the rows that a reader finds in it. */
static void spans_are_copied(void **state) {
    (void)state;
    struct layout l;
    struct series from;
    struct sample want, got;
    make_layout(&l, 9, 3);
    fill_series(&from, &l, 0, 200);
    assert_int_equal(sample_init(&want, 9), 0);
    assert_int_equal(sample_init(&got, 9), 0);
    const uint64_t end_ns = series_end_ns(&from), second = series_chunk_at(&from, 1).t0_ns;
    const uint64_t spans[][2] = {{0, end_ns},
                                 {0, end_ns / 2},
                                 {end_ns / 3, end_ns},
                                 {second, end_ns - 1},
                                 {second - 1, UINT64_MAX},
                                 {end_ns, end_ns},
                                 {end_ns / 2, end_ns / 2 + end_ns / 50}};
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        struct series to;
        struct series_reader a, b;
        uint64_t n = 0;
        struct series held; /* what is copied of the chunks that lie there is the same */
        assert_int_equal(series_init(&held, &l, 0), 0);
        assert_int_equal(series_hold(&held, &from, spans[i][0], spans[i][1]), 0);
        assert_true(series_rows(&held) <= series_rows(&from));
        assert_int_equal(series_init(&to, &l, 0), 0);
        assert_int_equal(series_copy(&to, &held, spans[i][0], spans[i][1]), 0);
        series_destroy(&held);
        assert_int_equal(series_reader_init(&a, &from), 0);
        assert_int_equal(series_reader_init(&b, &to), 0);
        while (series_reader_next(&a, &want)) {
            if (want.t1_ns <= spans[i][0] || want.t1_ns > spans[i][1])
                continue;
            assert_true(series_reader_next(&b, &got));
            assert_true(got.t0_ns == want.t0_ns && got.t1_ns == want.t1_ns);
            for (uint32_t k = 0; k < 9; k++) {
                assert_memory_equal(&got.at[k].value, &want.at[k].value, sizeof(double));
                assert_true(got.at[k].enabled_ns == want.at[k].enabled_ns &&
                            got.at[k].running_ns == want.at[k].running_ns &&
                            got.at[k].state == want.at[k].state);
            }
            n++;
        }
        assert_false(series_reader_next(&b, &got));
        assert_int_equal(series_rows(&to), n);
        assert_true(i == 5 ? n == 0 : n > 0);
        series_reader_destroy(&a);
        series_reader_destroy(&b);
        series_destroy(&to);
    }
    sample_destroy(&want);
    sample_destroy(&got);
    series_destroy(&from);
    layout_destroy(&l);
}

static void chunks_go_elsewhere(void **state) {
    (void)state;
    struct layout l;
    struct series from, to;
    struct sample s;
    make_layout(&l, 9, 3);
    fill_series(&from, &l, 0, 200);
    assert_int_equal(series_init(&to, &l, 0), 0);
    assert_int_equal(series_chunks(&from), 4);
    for (uint32_t i = 0; i < series_chunks(&from); i++) {
        const struct series_chunk c = series_chunk_at(&from, i);
        assert_int_equal(c.n_row, i < 3 ? SERIES_ROWS : 200 - 3 * SERIES_ROWS);
        assert_int_equal(series_push_chunk(&to, &c), 0);
    }
    assert_int_equal(sample_init(&s, 9), 0);
    random_state = 99;
    expect_rows(&to, &s, 0, 0, 200);
    /* and go on */
    random_state = 99;
    for (uint64_t row = 0; row <= 200; row++)
        fill(&s, 0, row);
    assert_int_equal(series_push(&to, &s), 0);
    random_state = 99;
    expect_rows(&to, &s, 0, 0, 201);
    sample_destroy(&s);
    series_destroy(&from);
    series_destroy(&to);
    layout_destroy(&l);
}

static void seeking(void **state) {
    (void)state;
    struct layout l;
    struct series se;
    struct sample got;
    struct series_reader r;
    make_layout(&l, 9, 3);
    fill_series(&se, &l, 0, 200);
    assert_int_equal(sample_init(&got, 9), 0);
    assert_int_equal(series_reader_init(&r, &se), 0);
    const uint64_t at[] = {0, 63, 64, 65, 130, 199, 3};
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        series_reader_seek(&r, at[i] * 1000000000 + 500000000); /* row `at` goes on then */
        assert_true(series_reader_next(&r, &got));
        assert_int_equal(got.t0_ns, at[i] * 1000000000 + 17);
        assert_int_equal(got.seq, at[i]);
        assert_int_equal(series_reader_next(&r, &got), at[i] < 199);
    }
    series_reader_seek(&r, UINT64_MAX);
    assert_false(series_reader_next(&r, &got));
    series_reader_destroy(&r);
    sample_destroy(&got);
    series_destroy(&se);
    layout_destroy(&l);
}

/* ---- bytes from outside ---- */

/* In memory of their own, so that a sanitizer sees what is read beyond them. */
static struct series_chunk own_copy(const struct series_chunk *c, uint32_t n_byte) {
    struct series_chunk copy = *c;
    uint8_t *at = malloc(n_byte ? n_byte : 1);
    assert_non_null(at);
    memcpy(at, c->at, n_byte < c->n_byte ? n_byte : c->n_byte);
    if (n_byte > c->n_byte)
        memset(at + c->n_byte, 0, n_byte - c->n_byte);
    copy.at = at;
    copy.n_byte = n_byte;
    return copy;
}

static void free_copy(struct series_chunk *c) {
    union {
        const uint8_t *given;
        uint8_t *own;
    } at = {.given = c->at};
    free(at.own);
}

static void cut_chunks_are_refused(void **state) {
    (void)state;
    struct layout l;
    struct series from, to;
    make_layout(&l, 7, 3);
    fill_series(&from, &l, KIND_MIXED, SERIES_ROWS);
    assert_int_equal(series_init(&to, &l, 0), 0);
    const struct series_chunk whole = series_chunk_at(&from, 0);
    for (uint32_t n = 0; n <= whole.n_byte + 1; n++) {
        struct series_chunk c = own_copy(&whole, n);
        assert_int_equal(series_push_chunk(&to, &c), n == whole.n_byte ? 0 : -EINVAL);
        free_copy(&c);
    }
    assert_int_equal(series_rows(&to), SERIES_ROWS);
    const struct series_chunk wrong[] = {
        {whole.t0_ns, whole.t1_ns, 0, whole.n_byte, whole.at},
        {whole.t0_ns, whole.t1_ns, whole.n_row - 1, whole.n_byte, whole.at},
        {whole.t0_ns, whole.t1_ns, whole.n_row + 1, whole.n_byte, whole.at},
        {whole.t0_ns, whole.t1_ns, UINT32_MAX, whole.n_byte, whole.at},
        {whole.t0_ns + 1, whole.t1_ns, whole.n_row, whole.n_byte, whole.at},
        {whole.t0_ns, whole.t1_ns + 1, whole.n_row, whole.n_byte, whole.at},
        {whole.t0_ns, whole.t1_ns, whole.n_row, 0, NULL}, /* an empty blob of a database */
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(series_push_chunk(&to, &wrong[i]), -EINVAL);
    assert_int_equal(series_rows(&to), SERIES_ROWS);
    series_destroy(&from);
    series_destroy(&to);
    layout_destroy(&l);
}

static void read_all(const struct series *se) {
    struct series_reader r;
    struct sample got;
    uint64_t rows = 0;
    assert_int_equal(sample_init(&got, se->n_slot), 0);
    assert_int_equal(series_reader_init(&r, se), 0);
    while (series_reader_next(&r, &got)) {
        rows++;
        for (uint32_t i = 0; i < got.n_slot; i++)
            assert_true(got.at[i].state < COUNT_STATES);
    }
    assert_int_equal(rows, series_rows(se));
    series_reader_destroy(&r);
    sample_destroy(&got);
}

/* What is let in is read to its end, whatever it means; the rest is refused whole. */
static void broken_chunks_are_read_within_bounds(void **state) {
    (void)state;
    enum { TIMES = 20000 };
    struct layout l;
    struct series from, to;
    unsigned taken = 0, refused = 0;
    make_layout(&l, 7, 3);
    fill_series(&from, &l, KIND_MIXED, 12);
    assert_int_equal(series_init(&to, &l, 0), 0);
    const struct series_chunk whole = series_chunk_at(&from, 0);
    random_state = 4711;
    for (int i = 0; i < TIMES; i++) {
        const uint32_t n = below(4) ? whole.n_byte : (uint32_t)below(whole.n_byte + 64);
        struct series_chunk c = own_copy(&whole, n);
        uint8_t *at = malloc(n ? n : 1);
        memcpy(at, c.at, n);
        for (uint64_t k = below(8) + 1; k && n; k--)
            at[below(n)] = (uint8_t)next_random();
        free_copy(&c);
        c.at = at;
        c.n_row = below(4) ? c.n_row : (uint32_t)below(70);
        const uint64_t rows = series_rows(&to);
        const int rc = series_push_chunk(&to, &c);
        assert_true(rc == 0 || rc == -EINVAL);
        assert_int_equal(series_rows(&to), rc ? rows : rows + c.n_row);
        taken += rc == 0;
        refused += rc != 0;
        free(at);
    }
    assert_true(taken > 100 && refused > 100);
    read_all(&to);
    series_destroy(&from);
    series_destroy(&to);
    layout_destroy(&l);
}

static void a_small_memory_and_a_large_chunk(void **state) {
    (void)state;
    struct layout l;
    struct series from, to;
    make_layout(&l, 60, 4);
    fill_series(&from, &l, KIND_ANYTHING, SERIES_ROWS);
    assert_int_equal(series_init(&to, &l, 1), 0);
    const struct series_chunk c = series_chunk_at(&from, 0);
    assert_int_equal(series_push_chunk(&to, &c), -E2BIG);
    series_destroy(&to);
    assert_int_equal(series_init(&to, &l, c.n_byte), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(series_push_chunk(&to, &c), 0);
    assert_int_equal(series_rows(&to), SERIES_ROWS);
    assert_int_equal(series_dropped(&to), 2 * SERIES_ROWS);
    read_all(&to);
    series_destroy(&from);
    series_destroy(&to);
    layout_destroy(&l);
}

/* ---- size ---- */

/*
 * Sums over threads, each scaled by itself: there is no whole number that scales to the sum, and
 * the groups are read some microseconds after each other.
 */
static void sum_over_threads(struct sample *s, const struct layout *l) {
    uint64_t enabled[64], running[64];
    assert_true(l->n_group <= COUNT_OF(enabled));
    for (uint32_t g = 0; g < l->n_group; g++) {
        enabled[g] = s->at[0].enabled_ns * 3 + below(5000);
        running[g] = enabled[g] / 9 + below(40000000);
    }
    for (uint32_t i = 0; i < s->n_slot; i++) {
        struct count *c = &s->at[i];
        const double part = 0.2 + 0.6 * (double)below(1u << 30) / (1u << 30);
        c->value = c->value * part * (1.0 + 1e-3 * (double)below(1000)) + c->value * (1.0 - part);
        c->enabled_ns = enabled[l->slot[i].group];
        c->running_ns = running[l->slot[i].group];
    }
}

/* Bytes per count of a simulated run of the full model on a small counter file. */
static double bytes_per_count(const char *model, bool threads) {
    enum { ROWS = 256 };
    struct err err = {0};
    struct model m;
    struct source src;
    struct series se;
    struct sample s;
    if (model_open(&m, model, NULL, &err) < 0)
        fail_msg("%s", err.text);
    struct source_options opt = {.seed = 3, .interval_ns = 1000000000};
    consts_init(&opt.consts);
    if (source_open(&src, &source_sim, &m, &opt, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(series_init(&se, &src.layout, 0), 0);
    assert_int_equal(sample_init(&s, src.layout.n_slot), 0);
    for (int row = 0; row < ROWS; row++) {
        assert_int_equal(src.ops->read(&src, &s, &err), 0);
        if (threads)
            sum_over_threads(&s, &src.layout);
        assert_int_equal(series_push(&se, &s), 0);
    }
    const double each = (double)series_bytes(&se) / ROWS / src.layout.n_slot;
    print_message("%s, %s: %u slots in %u groups, %.2f bytes each\n", model,
                  threads ? "sum over threads" : "one thread", src.layout.n_slot,
                  src.layout.n_group, each);
    sample_destroy(&s);
    series_destroy(&se);
    source_close(&src);
    model_free(&m);
    return each;
}

static void at_most_12_bytes_per_count(void **state) {
    (void)state;
    static const char *const models[] = {"spr", "zen5", "neoverse-n1", "software"};
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        assert_true(bytes_per_count(models[i], false) < 8.0);
        assert_true(bytes_per_count(models[i], true) < 12.0);
    }
}

/* An interval of unknown length begins and ends at 0, and is held. */
static void no_time_is_held(void **state) {
    (void)state;
    struct layout l;
    struct series from, held;
    struct sample s;
    make_layout(&l, 3, 3);
    assert_int_equal(sample_init(&s, 3), 0);
    assert_int_equal(series_init(&from, &l, 0), 0);
    assert_int_equal(series_init(&held, &l, 0), 0);
    assert_int_equal(series_push(&from, &s), 0);
    assert_int_equal(series_hold(&held, &from, 0, 0), 0);
    assert_int_equal(series_rows(&held), 1);
    series_destroy(&from);
    series_destroy(&held);
    sample_destroy(&s);
    layout_destroy(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(an_empty_series),
        cmocka_unit_test(the_oldest_fall_out),
        cmocka_unit_test(spans_are_copied),
        cmocka_unit_test(no_time_is_held),
        cmocka_unit_test(chunks_go_elsewhere),
        cmocka_unit_test(seeking),
        cmocka_unit_test(cut_chunks_are_refused),
        cmocka_unit_test(broken_chunks_are_read_within_bounds),
        cmocka_unit_test(a_small_memory_and_a_large_chunk),
        cmocka_unit_test(at_most_12_bytes_per_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
