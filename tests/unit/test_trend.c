#include "model/run/trend.h"
#include "model_fixture.h"

#define SECOND 1000000000ull

static const char tiny_model[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n"
                                            "[metric.Rate]\nformula = 'A / DURATION_S'\n";

enum { RATIO, RATE, BUCKETS = 20 };

struct plot {
    struct rig rig;
    struct tiers h;
    struct trend trend;
    double duty; /* of both counts; 0: they were always on */
};

static void open_plot(struct plot *p, uint64_t bucket_ns) {
    p->duty = 0;
    rig_load(&p->rig, tiny_model);
    rig_all_slots(&p->rig);
    rig_bind(&p->rig);
    assert_int_equal(model_find(&p->rig.model, "Ratio"), RATIO);
    assert_int_equal(tiers_init(&p->h, p->rig.layout.n_slot), 0);
    assert_int_equal(trend_init(&p->trend, BUCKETS, bucket_ns, &p->rig.model, p->rig.layout.n_slot),
                     0);
}

static void close_plot(struct plot *p) {
    trend_destroy(&p->trend);
    tiers_destroy(&p->h);
    rig_free(&p->rig);
}

static void push(struct plot *p, uint64_t t0_ns, uint64_t t1_ns, double a, double b) {
    p->rig.sample.t0_ns = t0_ns;
    p->rig.sample.t1_ns = t1_ns;
    rig_set(&p->rig, "A", a);
    rig_set(&p->rig, "B", b);
    for (uint32_t i = 0; p->duty > 0 && i < p->rig.sample.n_slot; i++) {
        p->rig.sample.at[i].enabled_ns = 1000;
        p->rig.sample.at[i].running_ns = (uint64_t)(1000 * p->duty);
    }
    tiers_push(&p->h, &p->rig.sample);
}

static void update(struct plot *p, uint64_t end_ns) {
    trend_update(&p->trend, &p->h, &p->rig.eval, end_ns);
}

static double ratio_at(const struct plot *p, int i) {
    return trend_at(&p->trend, RATIO, i);
}

static void one_bucket_per_interval(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, SECOND);
    assert_true(isnan(ratio_at(&p, 0))); /* never updated */
    for (uint64_t t = 1; t <= 30; t++) {
        push(&p, (t - 1) * SECOND, t * SECOND, (double)t, 2);
        update(&p, t * SECOND);
        for (int i = 0; i < BUCKETS; i++) {
            const int second = (int)t - BUCKETS + 1 + i;
            const double want = second < 1 ? NAN : second / 2.0;
            if (!same_number(ratio_at(&p, i), want, 1e-6))
                fail_msg("at %d s, bucket %d: %g, expected %g", (int)t, i, ratio_at(&p, i), want);
        }
    }
    assert_true(isnan(trend_at(&p.trend, METRIC_NONE, 3)));
    assert_true(isnan(ratio_at(&p, -1)) && isnan(ratio_at(&p, BUCKETS)));
    close_plot(&p);
}

/* Sums first: a bucket of several intervals is not the mean of their ratios. */
static void a_bucket_sums_its_intervals(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, 4 * SECOND);
    const double a[] = {1, 2, 3, 4}, b[] = {1, 10, 100, 9};
    for (uint64_t t = 1; t <= 4; t++)
        push(&p, (t - 1) * SECOND, t * SECOND, a[t - 1], b[t - 1]);
    update(&p, 4 * SECOND);
    assert_true(same_number(ratio_at(&p, BUCKETS - 1), 10.0 / 120.0, 1e-6));
    assert_true(same_number(trend_at(&p.trend, RATE, BUCKETS - 1), 2.5, 1e-6));
    close_plot(&p);
}

/* A point that is drawn stays what it is while time moves on; only the newest may still fill. */
static void drawn_points_stay(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, 3 * SECOND);
    double seen[200];
    for (int i = 0; i < 200; i++)
        seen[i] = NAN;
    for (uint64_t t = 1; t <= 150; t++) {
        push(&p, (t - 1) * SECOND, t * SECOND, (double)(t * t % 17), 5);
        update(&p, t * SECOND);
        for (int i = 0; i < BUCKETS - 1; i++) { /* all but the newest */
            const int bucket = (int)p.trend.newest - BUCKETS + 1 + i;
            if (bucket < 0)
                continue;
            if (isnan(seen[bucket]))
                seen[bucket] = ratio_at(&p, i);
            if (isnan(seen[bucket]) || seen[bucket] != ratio_at(&p, i))
                fail_msg("at %d s bucket %d changed", (int)t, bucket);
        }
    }
    /* And a trend that is evaluated anew says the same. */
    double before[BUCKETS];
    for (int i = 0; i < BUCKETS; i++)
        before[i] = ratio_at(&p, i);
    trend_zoom(&p.trend, 3 * SECOND);
    update(&p, 150 * SECOND);
    for (int i = 0; i < BUCKETS; i++)
        assert_true(before[i] == ratio_at(&p, i));
    close_plot(&p);
}

static void gaps_are_nan(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, SECOND);
    for (uint64_t t = 1; t <= 20; t++) {
        if (t < 8 || t > 11) /* samples fell out */
            push(&p, (t - 1) * SECOND, t * SECOND, 1, 1);
        update(&p, t * SECOND);
    }
    for (int i = 0; i < BUCKETS; i++)
        if (isnan(ratio_at(&p, i)) != (i >= 7 && i <= 10))
            fail_msg("second %d: %g", i + 1, ratio_at(&p, i));
    /* Time moves on without samples: paused or gone. */
    update(&p, 25 * SECOND);
    assert_true(isnan(ratio_at(&p, BUCKETS - 1)) && isnan(ratio_at(&p, BUCKETS - 5)));
    assert_true(ratio_at(&p, BUCKETS - 6) == 1.0);
    close_plot(&p);
}

/* The clock of the screen runs ahead of slow samples; what they bring is filled in afterwards. */
static void rows_longer_than_buckets(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, SECOND);
    push(&p, 0, 5 * SECOND, 1, 2);
    update(&p, 5 * SECOND);
    update(&p, 8 * SECOND); /* no sample since */
    assert_true(isnan(ratio_at(&p, BUCKETS - 1)));
    push(&p, 5 * SECOND, 10 * SECOND, 3, 2);
    update(&p, 10 * SECOND);
    for (int i = 0; i < 10; i++) {
        const double want = i < 5 ? 0.5 : 1.5;
        if (ratio_at(&p, BUCKETS - 10 + i) != want)
            fail_msg("second %d: %g", i + 1, ratio_at(&p, BUCKETS - 10 + i));
    }
    close_plot(&p);
}

/* Ticks that come a little late or early leave no holes. */
static void jitter_leaves_no_holes(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, SECOND);
    uint64_t t0 = 0;
    for (uint64_t t = 1; t <= 18; t++) {
        const uint64_t t1 = t * SECOND + (t % 2 ? 300000 : 0) - (t % 3 ? 0 : 200000);
        push(&p, t0, t1, 1, 4);
        update(&p, t1);
        t0 = t1;
    }
    for (int i = BUCKETS - 18; i < BUCKETS; i++)
        if (ratio_at(&p, i) != 0.25)
            fail_msg("bucket %d: %g", i, ratio_at(&p, i));
    close_plot(&p);
}

static void zoom_and_old_rows(void **state) {
    (void)state;
    struct plot p;
    open_plot(&p, SECOND);
    for (uint64_t t = 1; t <= 2000; t++)
        push(&p, (t - 1) * SECOND, t * SECOND, t <= 1000 ? 1 : 3, 2);
    update(&p, 2000 * SECOND);
    assert_true(ratio_at(&p, 0) == 1.5);
    trend_zoom(&p.trend, 100 * SECOND);
    assert_true(isnan(ratio_at(&p, 0))); /* nothing drawn from the old zoom */
    update(&p, 2000 * SECOND);
    for (int i = 0; i < BUCKETS; i++)
        if (i != 10 && fabs(ratio_at(&p, i) - (i < 10 ? 0.5 : 1.5)) > 0.05)
            fail_msg("bucket %d: %g", i, ratio_at(&p, i));
    /* Time runs backwards when a recording starts over. */
    update(&p, 500 * SECOND);
    assert_true(same_number(ratio_at(&p, BUCKETS - 1), 0.5, 1e-6));
    close_plot(&p);
}

/* ---- the window goes back and forth ---- */

static void history_of(struct plot *p, int n) {
    for (uint64_t t = 1; t <= (uint64_t)n; t++)
        push(p, (t - 1) * SECOND, t * SECOND, (double)(t * 7 % 13), 5);
}

/* Whatever way it came there, a trend shows the same at the same time: values, ± and ends. */
static void windows_agree(void **state) {
    (void)state;
    static const int ends[] = {60, 40, 45, 39, 38, 61, 100, 99, 20, 21, 3, 100, 81};
    struct plot p, fresh;
    open_plot(&p, SECOND);
    open_plot(&fresh, SECOND);
    assert_int_equal(trend_keep_err(&p.trend), 0);
    assert_int_equal(trend_keep_err(&fresh.trend), 0);
    p.duty = fresh.duty = 0.5;
    history_of(&p, 100);
    history_of(&fresh, 100);
    for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
        update(&p, (uint64_t)ends[k] * SECOND);
        trend_zoom(&fresh.trend, SECOND);
        update(&fresh, (uint64_t)ends[k] * SECOND);
        assert_true(trend_oldest(&p.trend) ==
                    (ends[k] > BUCKETS ? (uint64_t)ends[k] - BUCKETS : 0));
        for (int i = 0; i < BUCKETS; i++)
            if (!same_number(ratio_at(&p, i), ratio_at(&fresh, i), 0) ||
                !same_number(trend_err_at(&p.trend, RATIO, i), trend_err_at(&fresh.trend, RATIO, i),
                             0) ||
                trend_end(&p.trend, i) != trend_end(&fresh.trend, i))
                fail_msg("until %d, bucket %d: %g ± %g, anew %g ± %g", ends[k], i, ratio_at(&p, i),
                         trend_err_at(&p.trend, RATIO, i), ratio_at(&fresh, i),
                         trend_err_at(&fresh.trend, RATIO, i));
    }
    close_plot(&p);
    close_plot(&fresh);
}

/* The ± of a bucket is that which the session had then, of as many intervals. */
static void err_is_that_of_the_session(void **state) {
    (void)state;
    struct plot p;
    struct window w;
    struct frame f;
    double want[40];
    open_plot(&p, SECOND);
    assert_int_equal(trend_keep_err(&p.trend), 0);
    assert_int_equal(window_init(&w, p.rig.layout.n_slot, p.rig.model.n_metric), 0);
    assert_int_equal(frame_init(&f, p.rig.model.n_metric), 0);
    p.duty = 0.25;
    for (uint64_t t = 1; t <= 40; t++) {
        push(&p, (t - 1) * SECOND, t * SECOND, (double)(t * t % 11), 5);
        eval_run(&p.rig.eval, &p.rig.sample, &f);
        window_spread(&w, &p.rig.eval, &p.rig.sample, &f);
        want[t - 1] = f.at[RATIO].err;
        update(&p, t * SECOND);
    }
    for (int i = 0; i < BUCKETS; i++)
        if (fabs(trend_err_at(&p.trend, RATIO, i) / want[40 - BUCKETS + i] - 1) > 0.02)
            fail_msg("bucket %d: ± %g, it was %g", i, trend_err_at(&p.trend, RATIO, i),
                     want[40 - BUCKETS + i]);
    assert_true(isnan(trend_err_at(&p.trend, METRIC_NONE, 3)));
    trend_zoom(&p.trend, SECOND / 4); /* parts of what is known as one */
    update(&p, 40 * SECOND);
    assert_false(isnan(ratio_at(&p, BUCKETS - 2)));
    assert_true(isnan(trend_err_at(&p.trend, RATIO, BUCKETS - 2)));
    window_destroy(&w);
    frame_destroy(&f);
    close_plot(&p);
}

static const char path_model[] = MODEL_HEAD "[node.Half]\nthreshold = 0.5\nformula = 'A / B'\n"
                                            "[node.Rest]\nthreshold = 0.8\n"
                                            "formula = '1 - A / B'\n";

static void ends_of_paths(void **state) {
    (void)state;
    static const struct {
        double a, b;
        int end;
    } cases[] = {{1, 2, TREND_NOTHING}, {6, 10, 0}, {1, 10, 1}, {NAN, 1, TREND_UNKNOWN}};
    enum { N = sizeof(cases) / sizeof(cases[0]) };
    struct plot p = {.duty = 0};
    rig_load(&p.rig, path_model);
    rig_all_slots(&p.rig);
    rig_bind(&p.rig);
    const uint32_t n_slot = p.rig.layout.n_slot;
    assert_int_equal(tiers_init(&p.h, n_slot), 0);
    assert_int_equal(trend_init(&p.trend, BUCKETS, SECOND, &p.rig.model, n_slot), 0);
    for (uint64_t i = 0; i < N; i++)
        push(&p, i * SECOND, (i + 1) * SECOND, cases[i].a, cases[i].b);
    update(&p, (N + 1) * SECOND);
    for (int i = 0; i < N; i++)
        if (trend_end(&p.trend, BUCKETS - 1 - N + i) != cases[i].end)
            fail_msg("case %d: %d", i, trend_end(&p.trend, BUCKETS - 1 - N + i));
    assert_int_equal(trend_end(&p.trend, BUCKETS - 1), TREND_UNKNOWN); /* nothing was measured */
    assert_int_equal(trend_end(&p.trend, 0), TREND_UNKNOWN);           /* nor held */
    close_plot(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bucket_per_interval),    cmocka_unit_test(a_bucket_sums_its_intervals),
        cmocka_unit_test(drawn_points_stay),          cmocka_unit_test(gaps_are_nan),
        cmocka_unit_test(rows_longer_than_buckets),   cmocka_unit_test(jitter_leaves_no_holes),
        cmocka_unit_test(zoom_and_old_rows),          cmocka_unit_test(windows_agree),
        cmocka_unit_test(err_is_that_of_the_session), cmocka_unit_test(ends_of_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
