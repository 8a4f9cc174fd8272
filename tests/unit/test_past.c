/* A stretch of the past: its sums are those of its intervals, its ± the one they had when live. */
#include "ui_fixture.h"

#include "ui/scene/past.h"

static void begin(struct fixture *f, struct past *p, int n) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, 80, 24);
    fixture_run(f, n);
    assert_int_equal(past_init(p, &f->s), 0);
}

static void end(struct fixture *f, struct past *p) {
    past_destroy(p);
    past_destroy(p); /* accepts what is destroyed */
    fixture_close(f);
}

static int l3(const struct fixture *f) {
    const int i = model_find(&f->s.model, "L3_Bound");
    assert_true(i >= 0);
    return i;
}

static double l3_at(uint64_t tick) {
    return 0.148 + 0.06 * fixture_wave(tick, 60);
}

/* Which intervals are in: those that end in (t0, t1]. */
static void test_which(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t t0_ms, t1_ms, n, first_s, last_s;
    } cases[] = {
        {"one", 10000, 11000, 1, 10, 11},
        {"five", 10000, 15000, 5, 10, 15},
        {"from the begin", 0, 3000, 3, 0, 3},
        {"all", 0, 100000, 40, 0, 40},
        {"between two ends", 10100, 10900, 0, 0, 0},
        {"cut at both sides", 9500, 12500, 3, 9, 12},
        {"beyond the newest", 40000, 50000, 0, 0, 0},
        {"empty", 10000, 10000, 0, 0, 0},
    };
    struct fixture f;
    struct past p;
    begin(&f, &p, 40);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint64_t n = past_take(&p, &f.s, cases[i].t0_ms * 1000000, cases[i].t1_ms * 1000000);
        if (n != cases[i].n || p.sums.n != n || p.t0_ns != cases[i].first_s * NS_PER_S ||
            p.t1_ns != cases[i].last_s * NS_PER_S)
            fail_msg("%s: %d intervals, %g until %g", cases[i].what, (int)n, (double)p.t0_ns / 1e9,
                     (double)p.t1_ns / 1e9);
    }
    end(&f, &p);
}

/* Sums and how they vary, against the intervals added up by hand. */
static void test_sums(void **state) {
    (void)state;
    struct fixture f;
    struct past p;
    struct frame sums;
    begin(&f, &p, 40);
    assert_int_equal(frame_init(&sums, f.s.model.n_metric), 0);
    assert_int_equal(past_take(&p, &f.s, 10 * NS_PER_S, 20 * NS_PER_S), 10);
    double sum = 0, square = 0;
    for (uint64_t t = 10; t < 20; t++) {
        sum += l3_at(t);
        square += l3_at(t) * l3_at(t);
    }
    window_frame(&p.sums, &f.s.eval, &sums);
    assert_true(fabs(sums.at[l3(&f)].v - sum / 10) < 1e-6);
    struct moments_result m = moments_result(&p.moments[l3(&f)]);
    assert_int_equal(m.n, 10);
    assert_true(fabs(m.mean - sum / 10) < 1e-6);
    assert_true(fabs(m.sd * m.sd - (square - sum * sum / 10) / 9) < 1e-6);

    assert_int_equal(past_add(&p, &f.s, 20 * NS_PER_S, 25 * NS_PER_S), 5); /* to what is in */
    assert_int_equal(p.sums.n, 15);
    assert_int_equal(p.t0_ns, 10 * NS_PER_S);
    assert_int_equal(p.t1_ns, 25 * NS_PER_S);
    past_reset(&p);
    assert_int_equal(p.sums.n, 0);
    assert_int_equal(p.t1_ns, 0);
    frame_destroy(&sums);
    end(&f, &p);
}

/* The ± of one interval needs those before it, which do not count into its sums. */
static void test_spread(void **state) {
    (void)state;
    struct fixture f;
    struct past p;
    struct frame then;
    begin(&f, &p, 30);
    assert_int_equal(frame_init(&then, f.s.model.n_metric), 0);
    const double v = f.s.frame.at[l3(&f)].v, err = f.s.frame.at[l3(&f)].err;
    assert_true(err > 0);
    fixture_run(&f, 30);
    assert_int_equal(past_take(&p, &f.s, 29 * NS_PER_S, 30 * NS_PER_S), 1);
    window_frame(&p.sums, &f.s.eval, &then);
    assert_true(fabs(then.at[l3(&f)].v - v) < 1e-9);
    assert_true(fabs(then.at[l3(&f)].err - err) < 1e-9);
    frame_destroy(&then);
    end(&f, &p);
}

/* What the packed counts do not reach back to is not given as if it were all. */
static void test_gone(void **state) {
    (void)state;
    struct fixture f;
    struct past p;
    fixture_open(&f, "redis-server 4242");
    timeline_destroy(&f.s.timeline);
    assert_int_equal(timeline_init(&f.s.timeline, &f.s.source.layout, f.s.model.n_metric, 1), 0);
    fixture_screen(&f, 80, 24);
    fixture_run(&f, 1500);
    const uint64_t begin_ns = series_begin_ns(&f.s.timeline.series);
    assert_true(series_dropped(&f.s.timeline.series) > 0);
    assert_int_equal(past_init(&p, &f.s), 0);
    assert_int_equal(past_take(&p, &f.s, begin_ns - NS_PER_S, begin_ns + NS_PER_S), 0);
    assert_int_equal(p.sums.n, 0);
    assert_int_equal(past_take(&p, &f.s, begin_ns, begin_ns + 3 * NS_PER_S), 3);
    end(&f, &p);
    assert_int_equal(past_take(&p, &f.s, 0, NS_PER_S), 0); /* a zeroed one has nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
