#include "model/run/tiers.h"
#include "model_fixture.h"

#include <malloc.h>
#include <unistd.h>

#define SECOND 1000000000ull

/* One row of a made-up run: counts are small integers, exact in a float. */
static double count_at(uint64_t t, uint32_t slot) {
    return (double)((t * 7 + slot * 13) % 101);
}

static void push(struct tiers *h, struct sample *s, uint64_t t) {
    s->t0_ns = (t - 1) * SECOND;
    s->t1_ns = t * SECOND;
    for (uint32_t i = 0; i < h->n_slot; i++)
        s->at[i] = (struct count){.value = count_at(t, i), .state = COUNT_OK};
    tiers_push(h, s);
}

struct store {
    struct tiers h;
    struct sample in, out;
};

static void open_store(struct store *st, uint32_t n_slot) {
    assert_int_equal(tiers_init(&st->h, n_slot), 0);
    assert_int_equal(sample_init(&st->in, n_slot), 0);
    assert_int_equal(sample_init(&st->out, n_slot), 0);
}

static void close_store(struct store *st) {
    tiers_destroy(&st->h);
    sample_destroy(&st->in);
    sample_destroy(&st->out);
}

static double true_sum(uint64_t t0, uint64_t t1, uint32_t slot) {
    double sum = 0;
    for (uint64_t t = t0 + 1; t <= t1; t++)
        sum += count_at(t, slot);
    return sum;
}

/* Six hours and more in one-second rows, in fixed memory; sums are exact wherever rows end. */
static void hours_of_seconds(void **state) {
    (void)state;
    enum { HOURS = 9, END = HOURS * 3600, SLOTS = 3 };
    struct store st;
    open_store(&st, SLOTS);
    for (uint64_t t = 1; t <= END; t++)
        push(&st.h, &st.in, t);
    assert_true(tiers_newest_ns(&st.h) == END * SECOND);
    assert_true(tiers_oldest_ns(&st.h) == 0);

    static const struct {
        const char *what;
        uint64_t t0, t1;
        int rows; /* as many as the finest tier that reaches back has there */
    } cases[] = {
        {"the last second", END - 1, END, 1},
        {"the last minute", END - 60, END, 60},
        {"inside the finest tier", END - 500, END - 100, 400},
        {"one coarse row", END - 4000, END - 3992, 1},
        {"an hour", END - 3600 - 120, END - 120, 450},
        {"eight hours ago", 3200, 3584, 6},
        {"seven hours up to now: coarse and not yet folded", END - 7 * 3600, END, 0},
        {"everything", 0, END, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int rows = tiers_sum(&st.h, cases[i].t0 * SECOND, cases[i].t1 * SECOND, &st.out);
        if (rows == 0 || (cases[i].rows && rows != cases[i].rows))
            fail_msg("%s: %d rows", cases[i].what, rows);
        const uint64_t t1 = st.out.t1_ns / SECOND, t0 = st.out.t0_ns / SECOND;
        if (t1 != cases[i].t1 || t1 - t0 > cases[i].t1 - cases[i].t0 + 512 || t1 <= t0)
            fail_msg("%s: covers %d..%d", cases[i].what, (int)t0, (int)t1);
        for (uint32_t k = 0; k < SLOTS; k++)
            if (!same_number(st.out.at[k].value, true_sum(t0, t1, k), 1e-6))
                fail_msg("%s: slot %u is %g, expected %g", cases[i].what, k, st.out.at[k].value,
                         true_sum(t0, t1, k));
    }
    close_store(&st);
}

/* ---- any span at any age ---- */

enum { DAY = 90000, AGES = 9, SPANS = 400 };

/* A run with intervals of 1 to 3 s, and gaps: the end and the true sum of each row. */
struct truth {
    uint64_t t0[DAY], t1[DAY];
    double sum[DAY + 1]; /* of the rows before */
    uint64_t n;
};

static uint64_t any(uint64_t *seed, uint64_t below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

static void push_some(struct store *st, struct truth *tr, uint64_t *seed) {
    const uint64_t k = tr->n++, was = k ? tr->t1[k - 1] : 0;
    tr->t0[k] = was + (any(seed, 50) == 0 ? any(seed, 40) : 0);
    tr->t1[k] = tr->t0[k] + 1 + any(seed, 3);
    const double v = (double)any(seed, 100);
    tr->sum[k + 1] = tr->sum[k] + v;
    st->in.t0_ns = tr->t0[k] * SECOND;
    st->in.t1_ns = tr->t1[k] * SECOND;
    st->in.at[0] = (struct count){.value = v, .state = COUNT_OK};
    tiers_push(&st->h, &st->in);
}

/* Rows that end by t. */
static uint64_t rows_until(const struct truth *tr, uint64_t t) {
    uint64_t low = 0, high = tr->n;
    while (low < high) {
        const uint64_t mid = (low + high) / 2;
        if (tr->t1[mid] <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Of how many intervals a row of the finest tier is that still has interval k for sure: of each all
 * but the rest of one row of the next tier is held. */
static uint64_t row_length(const struct truth *tr, uint64_t k) {
    uint64_t len = 1;
    for (int i = 0; i + 1 < TIERS_N; i++, len *= TIERS_FOLD)
        if (tr->n - k <= (TIERS_ROWS - TIERS_FOLD) * len)
            return len;
    return len;
}

/* The number of intervals that the sum of (0, t] is of: within one such row of t. */
static uint64_t cut_at(struct store *st, const struct truth *tr, uint64_t t) {
    const uint64_t k = rows_until(tr, t), len = row_length(tr, k);
    uint64_t cut = 0;
    if (tiers_sum(&st->h, 0, t * SECOND, &st->out) > 0)
        cut = rows_until(tr, st->out.t1_ns / SECOND);
    if (cut > k || k - cut >= len)
        fail_msg("%d of %d s: %d of %d intervals, rows of %d", (int)t, (int)tr->t1[tr->n - 1],
                 (int)cut, (int)k, (int)len);
    return cut;
}

/* What was summed is from the one to the other, without a hole or an overlap. */
static void check_span(struct store *st, const struct truth *tr, uint64_t t0, uint64_t t1) {
    const uint64_t from = cut_at(st, tr, t0), to = cut_at(st, tr, t1);
    const int rows = tiers_sum(&st->h, t0 * SECOND, t1 * SECOND, &st->out);
    if ((rows > 0) != (to > from))
        fail_msg("%d..%d of %d: %d rows of %d intervals", (int)t0, (int)t1, (int)tr->n, rows,
                 (int)(to - from));
    if (rows == 0)
        return;
    uint64_t covered = 0;
    for (uint64_t k = from; k < to; k++)
        covered += tr->t1[k] - tr->t0[k];
    const double sum = tr->sum[to] - tr->sum[from];
    if (st->out.t1_ns != tr->t1[to - 1] * SECOND ||
        st->out.t1_ns - st->out.t0_ns != covered * SECOND ||
        !same_number(st->out.at[0].value, sum, 1e-6))
        fail_msg("%d..%d of %d s: %g until %d s in %d s, expected %g until %d s in %d s", (int)t0,
                 (int)t1, (int)tr->t1[tr->n - 1], st->out.at[0].value,
                 (int)(st->out.t1_ns / SECOND), (int)((st->out.t1_ns - st->out.t0_ns) / SECOND),
                 sum, (int)tr->t1[to - 1], (int)covered);
}

/* Each end of a span is where the finest tier that has it has a row's end. */
static void any_span_at_any_age(void **state) {
    (void)state;
    static struct truth tr;
    static const uint64_t ages[AGES] = {100, 512, 513, 600, 4096, 4300, 33000, 40000, DAY};
    struct store st;
    uint64_t seed = 1;
    open_store(&st, 1);
    for (int a = 0; a < AGES; a++) {
        while (tr.n < ages[a])
            push_some(&st, &tr, &seed);
        const uint64_t newest = tr.t1[tr.n - 1];
        for (int i = 0; i < SPANS; i++) {
            /* as many young ones as old ones */
            const uint64_t most = newest >> any(&seed, 10), back = 1 + any(&seed, most ? most : 1);
            const uint64_t t0 = newest - back, length = 1 + any(&seed, back);
            check_span(&st, &tr, t0, t0 + length);
        }
        check_span(&st, &tr, 0, newest);
    }
    close_store(&st);
}

static void coarse_rows_are_sums_of_fine_rows(void **state) {
    (void)state;
    struct store st;
    open_store(&st, 2);
    for (uint64_t t = 1; t <= 512; t++)
        push(&st.h, &st.in, t);
    uint64_t len = 1;
    for (int i = 0; i < TIERS_N; i++, len *= TIERS_FOLD) {
        const struct tier *t = &st.h.tier[i];
        assert_int_equal(t->pushed, 512 / len);
        for (uint64_t row = 0; row < t->pushed; row++) {
            assert_true(t->t0_ns[row] == row * len * SECOND);
            assert_true(t->t1_ns[row] == (row + 1) * len * SECOND);
            for (uint32_t k = 0; k < 2; k++)
                if ((double)t->count[k * TIERS_ROWS + row] !=
                    true_sum(row * len, (row + 1) * len, k))
                    fail_msg("tier %d, row %d", i, (int)row);
        }
    }
    close_store(&st);
}

static void reaches_back_and_no_further(void **state) {
    (void)state;
    struct store st;
    open_store(&st, 1);
    assert_int_equal(tiers_newest_ns(&st.h), 0);
    assert_int_equal(tiers_oldest_ns(&st.h), 0);
    assert_int_equal(tiers_sum(&st.h, 0, 100 * SECOND, &st.out), 0);
    assert_true(isnan(st.out.at[0].value));
    /* Fill the ring of the coarsest tier over: 512 * 512 s, then one tenth more. */
    const uint64_t end = 512 * 512 + 26000;
    for (uint64_t t = 1; t <= end; t++)
        push(&st.h, &st.in, t);
    const uint64_t oldest = tiers_oldest_ns(&st.h) / SECOND;
    assert_true(oldest > 0);
    assert_true(end - oldest >= 6 * 3600);
    assert_true(end - oldest <= 512 * 512 + 512);
    assert_int_equal(tiers_sum(&st.h, 0, oldest * SECOND, &st.out), 0);
    assert_true(tiers_sum(&st.h, oldest * SECOND, (oldest + 512) * SECOND, &st.out) == 1);
    close_store(&st);
}

static void memory_is_bounded(void **state) {
    (void)state;
    struct tiers h;
    assert_int_equal(tiers_init(&h, 250), 0);
    assert_true(tiers_bytes(&h) < 3 * 1000 * 1000);
    assert_true(tiers_bytes(&h) > (size_t)TIERS_N * TIERS_ROWS * 250 * 5);
    tiers_destroy(&h);
}

/* Bytes of this process in memory: proc(5), statm. */
static size_t resident(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What was never in focus takes no memory; and is still known as that. */
static void only_what_was_counted_is_resident(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* memory of its own */
    skip();
#endif
    enum { SLOTS = 400, COUNTED = 10 };
    struct store st;
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); /* as in the program */
    open_store(&st, SLOTS);
    for (uint32_t i = COUNTED; i < SLOTS; i++)
        st.in.at[i] = (struct count){.value = NAN, .enabled_ns = 5, .state = COUNT_NOT_FOCUSED};
    const size_t before = resident();
    for (uint64_t t = 1; t <= (uint64_t)TIERS_ROWS * TIERS_FOLD; t++) {
        st.in.t0_ns = (t - 1) * SECOND;
        st.in.t1_ns = t * SECOND;
        for (uint32_t i = 0; i < COUNTED; i++)
            st.in.at[i] =
                (struct count){.value = 3, .enabled_ns = 5, .running_ns = 5, .state = COUNT_OK};
        tiers_push(&st.h, &st.in);
    }
    assert_true(resident() - before < tiers_bytes(&st.h) / 3);
    assert_true(tiers_sum(&st.h, 0, TIERS_ROWS * SECOND, &st.out) > 0);
    assert_true(st.out.at[COUNTED - 1].value == 3.0 * TIERS_ROWS);
    assert_int_equal(st.out.at[COUNTED].state, COUNT_NOT_FOCUSED);
    assert_true(isnan(st.out.at[COUNTED].value));
    close_store(&st);
}

static void unknown_counts_and_duties(void **state) {
    (void)state;
    struct store st;
    open_store(&st, 3);
    for (uint64_t t = 1; t <= 16; t++) {
        st.in.t0_ns = (t - 1) * SECOND;
        st.in.t1_ns = t * SECOND;
        st.in.at[0] =
            (struct count){.value = 10, .enabled_ns = 100, .running_ns = 40, .state = COUNT_OK};
        st.in.at[1] = (struct count){.value = NAN, .state = COUNT_NOT_PERMITTED};
        st.in.at[2] = t % 2 ? (struct count){.value = 10, .enabled_ns = 100, .running_ns = 100}
                            : (struct count){.value = NAN, .enabled_ns = 100, .state = COUNT_STALE};
        tiers_push(&st.h, &st.in);
    }
    assert_int_equal(tiers_sum(&st.h, 0, 16 * SECOND, &st.out), 16);
    assert_true(st.out.at[0].value == 160);
    assert_true(fabs(count_duty(&st.out.at[0]) - 0.4) < 0.002);
    assert_int_equal(st.out.at[1].state, COUNT_NOT_PERMITTED);
    assert_true(isnan(st.out.at[1].value));
    assert_true(st.out.at[2].value == 160); /* 80 in every other second */
    assert_true(fabs(count_duty(&st.out.at[2]) - 0.5) < 0.002);
    /* The folded row says the same. */
    const struct tier *t = &st.h.tier[1];
    assert_int_equal(t->pushed, 2);
    assert_true(t->count[0] == 80.0f && t->count[2 * TIERS_ROWS] == 80.0f);
    assert_int_equal(t->duty[0], 100);
    assert_int_equal(t->duty[1], COUNT_NOT_PERMITTED);
    assert_int_equal(t->duty[2], 125);
    close_store(&st);
}

/* A group in focus half of the time, while the target ran ten times as long outside of it. */
static void push_focused(struct tiers *h, struct sample *s, uint64_t t) {
    const bool watched = t % 16 >= 8; /* so that whole folded rows are out of focus */
    const uint64_t ran = watched ? 100 : 1000;
    s->t0_ns = (t - 1) * SECOND;
    s->t1_ns = t * SECOND;
    for (int i = 0; i < 3; i++)
        s->at[i] = (struct count){.value = NAN, .enabled_ns = ran, .state = COUNT_NOT_FOCUSED};
    s->at[0] = (struct count){.value = (double)ran, .enabled_ns = ran, .running_ns = ran};
    if (watched)
        s->at[1] = (struct count){.value = 20, .enabled_ns = 100, .running_ns = 50};
    if (t % 8 == 0) /* the last of a row to be folded: the target slept */
        for (int i = 0; i < 3; i++)
            s->at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    tiers_push(h, s);
}

static void out_of_focus_is_scaled_by_the_targets_time(void **state) {
    (void)state;
    struct store st;
    const double ran = 28 * 1100.0; /* 28 intervals of 1000 and 28 of 100; 20 in each 100 of them */
    uint64_t t = 0;
    open_store(&st, 3);
    for (int tier = 0; tier < 3; tier++) {
        while (t < (tier == 0 ? 64u : 8u * TIERS_ROWS * (unsigned)tier)) /* finer rows are lost */
            push_focused(&st.h, &st.in, ++t);
        assert_int_equal(tiers_sum(&st.h, 0, 64 * SECOND, &st.out), 64 >> 3 * tier);
        const struct count *at = st.out.at;
        if (!same_number(at[0].value, ran, 1e-6) || !same_number(at[1].value, ran / 5, 1e-6))
            fail_msg("tier %d: %g and %g", tier, at[0].value, at[1].value);
        if (fabs(count_duty(&at[1]) - 1400.0 / ran) > 0.003)
            fail_msg("tier %d: duty %g", tier, count_duty(&at[1]));
        assert_true(isnan(at[2].value)); /* never counted is not 0 */
        assert_int_equal(at[2].state, COUNT_NOT_FOCUSED);
    }
    close_store(&st);
}

static void dropped_samples_leave_the_time_right(void **state) {
    (void)state;
    struct store st;
    open_store(&st, 1);
    for (uint64_t t = 1; t <= 32; t++)
        if (t % 4 != 0)
            push(&st.h, &st.in, t);
    assert_int_equal(tiers_sum(&st.h, 0, 32 * SECOND, &st.out), 24);
    assert_true(st.out.t1_ns - st.out.t0_ns == 24 * SECOND);
    const struct tier *t = &st.h.tier[1];
    assert_int_equal(t->pushed, 3);
    assert_true(t->t0_ns[1] == 10 * SECOND && t->t1_ns[1] == 21 * SECOND);
    assert_true(t->covered_ns[1] == 8 * SECOND);
    close_store(&st);
}

static void the_row_at_a_time(void **state) {
    (void)state;
    struct store st;
    open_store(&st, 1);
    for (uint64_t t = 1; t <= 600; t++)
        if (t < 300 || t > 310)
            push(&st.h, &st.in, t);
    static const struct {
        const char *what;
        double t;
        int rows;
        uint64_t t0, t1;
    } cases[] = {
        {"inside a second", 450.5, 1, 450, 451},
        {"the end belongs to the row", 451.0, 1, 450, 451},
        {"in a gap", 305.0, 0, 0, 0},
        {"lost from the finest tier", 3.0, 1, 0, 8},
        {"not measured yet", 601.0, 0, 0, 0},
        {"before the beginning", 0.0, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int rows = tiers_at(&st.h, (uint64_t)(cases[i].t * 1e9), &st.out);
        if (rows != cases[i].rows)
            fail_msg("%s: %d", cases[i].what, rows);
        if (rows && (st.out.t0_ns != cases[i].t0 * SECOND || st.out.t1_ns != cases[i].t1 * SECOND))
            fail_msg("%s: %g..%g", cases[i].what, (double)st.out.t0_ns, (double)st.out.t1_ns);
    }
    /* What comes next does not stop at a gap. */
    assert_int_equal(tiers_next(&st.h, 305 * SECOND, &st.out), 1);
    assert_true(st.out.t0_ns > 305 * SECOND && st.out.t1_ns <= 600 * SECOND);
    assert_int_equal(tiers_next(&st.h, 450 * SECOND, &st.out), 1);
    assert_true(st.out.t0_ns == 450 * SECOND && st.out.t1_ns == 451 * SECOND);
    assert_int_equal(tiers_next(&st.h, tiers_newest_ns(&st.h), &st.out), 0);
    close_store(&st);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hours_of_seconds),
        cmocka_unit_test(any_span_at_any_age),
        cmocka_unit_test(coarse_rows_are_sums_of_fine_rows),
        cmocka_unit_test(reaches_back_and_no_further),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(only_what_was_counted_is_resident),
        cmocka_unit_test(unknown_counts_and_duties),
        cmocka_unit_test(out_of_focus_is_scaled_by_the_targets_time),
        cmocka_unit_test(dropped_samples_leave_the_time_right),
        cmocka_unit_test(the_row_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
