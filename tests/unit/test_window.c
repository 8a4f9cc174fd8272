#include "model/window.h"
#include "model_fixture.h"

#define SECOND 1000000000ull

static const char model_text[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n"
                                            "[metric.Rate]\nformula = 'A / DURATION_S'\n"
                                            "[metric.Only]\nformula = 'C'\n";

struct bench {
    struct rig rig;
    struct window window;
};

static void open_bench(struct bench *b) {
    rig_load(&b->rig, model_text);
    rig_slot(&b->rig, "A", 0);
    rig_slot(&b->rig, "B", 0);
    rig_slot(&b->rig, "C", 1);
    rig_bind(&b->rig);
    assert_int_equal(window_init(&b->window, 3, b->rig.model.n_metric), 0);
}

static void close_bench(struct bench *b) {
    window_destroy(&b->window);
    rig_free(&b->rig);
}

/* An interval of one second that ends at second t. */
static void add(struct bench *b, int t, struct count a, struct count bb, struct count c) {
    struct sample *s = &b->rig.sample;
    s->t0_ns = (uint64_t)(t - 1) * SECOND;
    s->t1_ns = (uint64_t)t * SECOND;
    s->at[0] = a;
    s->at[1] = bb;
    s->at[2] = c;
    window_add(&b->window, s);
}

static struct count ok(double value, uint64_t enabled, uint64_t running) {
    return (struct count){
        .value = value, .enabled_ns = enabled, .running_ns = running, .state = COUNT_OK};
}

static struct count none(enum count_state state, uint64_t enabled) {
    return (struct count){.value = NAN, .enabled_ns = enabled, .state = (uint8_t)state};
}

static void sums_first_ratios_second(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    add(&b, 1, ok(1, 0, 0), ok(1, 0, 0), none(COUNT_NOT_PERMITTED, 0)); /* ratio 1 */
    add(&b, 2, ok(2, 0, 0), ok(98, 0, 0), none(COUNT_NOT_PERMITTED, 0));
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(same_number(rig_value(&b.rig, "Ratio")->v, 3.0 / 99.0, 1e-15));
    assert_true(same_number(rig_value(&b.rig, "Rate")->v, 1.5, 1e-15));
    const struct value *only = rig_value(&b.rig, "Only");
    assert_true(isnan(only->v));
    assert_int_equal(only->why.code, COUNT_NOT_PERMITTED);
    assert_int_equal(b.window.n, 2);

    window_reset(&b.window);
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(isnan(rig_value(&b.rig, "Ratio")->v)); /* nothing is not 0 */
    add(&b, 3, ok(4, 0, 0), ok(8, 0, 0), ok(1, 0, 0));
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(rig_value(&b.rig, "Ratio")->v == 0.5);
    close_bench(&b);
}

static void no_count_adds_no_time(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    add(&b, 1, ok(10, 100, 50), ok(20, 100, 100), ok(5, 100, 100));
    add(&b, 2, ok(30, 100, 100), none(COUNT_NOT_COUNTED, 0), none(COUNT_LOST, 0));
    const struct count *at = b.window.sum.at;
    assert_true(at[0].value == 40 && at[0].enabled_ns == 200 && at[0].running_ns == 150);
    assert_true(at[1].value == 20 && at[1].enabled_ns == 100 && at[1].running_ns == 100);
    assert_int_equal(at[2].state, COUNT_OK); /* it was counted once */
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(rig_value(&b.rig, "Ratio")->v == 2.0);
    assert_true(fabs((double)rig_value(&b.rig, "Ratio")->duty - 0.75) < 1e-6);
    close_bench(&b);
}

/* While its group waited for counters the program ran on: the sum must stand for that time too. */
static void stale_intervals_are_scaled_over(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    add(&b, 1, ok(100, 1000, 1000), ok(10, 1000, 500), ok(1, 1000, 1000));
    add(&b, 2, ok(100, 1000, 1000), none(COUNT_STALE, 1000), ok(1, 1000, 1000));
    add(&b, 3, ok(100, 1000, 1000), none(COUNT_STALE, 2000), none(COUNT_STALE, 0));
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    const struct value *ratio = rig_value(&b.rig, "Ratio");
    assert_true(same_number(ratio->v, 300.0 / 40.0, 1e-14)); /* 10 in 1000 of 4000 */
    assert_true(fabs((double)ratio->duty - 500.0 / 4000.0) < 1e-6);
    assert_true(b.window.sum.at[1].value == 10); /* what was counted stays as it is */
    assert_true(rig_value(&b.rig, "Only")->v == 2.0);
    close_bench(&b);
}

static void duration_is_what_was_covered(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    add(&b, 1, ok(10, 0, 0), ok(1, 0, 0), ok(1, 0, 0));
    add(&b, 10, ok(20, 0, 0), ok(1, 0, 0), ok(1, 0, 0)); /* eight were dropped */
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(b.window.covered_s == 2.0);
    assert_true(same_number(rig_value(&b.rig, "Rate")->v, 15.0, 1e-12));
    assert_int_equal(b.rig.frame.t0_ns, 0);
    assert_int_equal(b.rig.frame.t1_ns, 10 * SECOND);
    close_bench(&b);
}

/* The half width by hand: t * sd / sqrt(n), for n = 3 .. 8 and t from any statistics book. */
static void error_bars(void **state) {
    (void)state;
    static const double value[] = {4, 7, 1, 5, 9, 2, 6, 3, 8, 12};
    static const double t[] = {0, 0, 0, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
    struct bench b;
    open_bench(&b);
    const int metric = model_find(&b.rig.model, "Only");
    for (int i = 0; i < (int)COUNT_OF(value); i++) {
        b.rig.frame.at[metric].v = value[i];
        window_spread(&b.window, &b.rig.frame);
        const double err = b.rig.frame.at[metric].err;
        const int n = i + 1 < SPREAD_N ? i + 1 : SPREAD_N;
        double sum = 0, squares = 0;
        for (int k = i - n + 1; k <= i; k++) {
            sum += value[k];
            squares += value[k] * value[k];
        }
        const double sd = sqrt((squares - sum * sum / n) / (n - 1));
        const double want = n < 3 ? NAN : t[n] * sd / sqrt(n);
        if (!same_number(err, want, 1e-9))
            fail_msg("%d values: %g, expected %g", i + 1, err, want);
    }
    close_bench(&b);
}

static void error_bars_skip_unknown_values(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double v, err;
    } steps[] = {
        {"one", 5, NAN},       {"two", 5, NAN},       {"unknown has none", NAN, NAN},
        {"three equal", 5, 0}, {"unknown", NAN, NAN}, {"four equal", 5, 0},
    };
    struct bench b;
    open_bench(&b);
    const int metric = model_find(&b.rig.model, "Ratio");
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        b.rig.frame.at[metric].v = steps[i].v;
        window_spread(&b.window, &b.rig.frame);
        if (!same_number(b.rig.frame.at[metric].err, steps[i].err, 1e-9))
            fail_msg("%s: %g", steps[i].what, b.rig.frame.at[metric].err);
    }
    window_reset(&b.window);
    b.rig.frame.at[metric].v = 5;
    window_spread(&b.window, &b.rig.frame);
    assert_true(isnan(b.rig.frame.at[metric].err)); /* the old ones are forgotten */
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_first_ratios_second),
        cmocka_unit_test(no_count_adds_no_time),
        cmocka_unit_test(stale_intervals_are_scaled_over),
        cmocka_unit_test(duration_is_what_was_covered),
        cmocka_unit_test(error_bars),
        cmocka_unit_test(error_bars_skip_unknown_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
