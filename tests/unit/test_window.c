#include "model/eval/window.h"
#include "model_fixture.h"

#define SECOND 1000000000ull

static const char tiny_model[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n"
                                            "[metric.Rate]\nformula = 'A / DURATION_S'\n"
                                            "[metric.Only]\nformula = 'C'\n";

struct bench {
    struct rig rig;
    struct window window;
};

static void open_bench(struct bench *b) {
    rig_load(&b->rig, tiny_model);
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
    add(&b, 10, ok(20, 0, 0), ok(1, 0, 0), ok(1, 0, 0)); /* eight fell into a pause */
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(b.window.covered_s == 2.0);
    assert_true(same_number(rig_value(&b.rig, "Rate")->v, 15.0, 1e-12));
    assert_int_equal(b.rig.frame.t0_ns, 0);
    assert_int_equal(b.rig.frame.t1_ns, 10 * SECOND);
    close_bench(&b);
}

/* --- out of focus --- */

static const char two_groups[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n"
                                            "[metric.Share]\nformula = 'A / (A + C)'\n"
                                            "[metric.Never]\nformula = 'D / A'\n";

/* The target runs 1000 in each interval; B (on half of the time) and C are watched from 3 on. */
static void out_of_focus_is_scaled_over(void **state) {
    (void)state;
    struct rig r;
    struct window w;
    rig_load(&r, two_groups);
    rig_slot(&r, "A", 0);
    rig_slot(&r, "B", 1);
    rig_slot(&r, "C", 2);
    rig_slot(&r, "D", 3);
    rig_bind(&r);
    assert_int_equal(window_init(&w, 4, r.model.n_metric), 0);
    for (int t = 1; t <= 4; t++) {
        const bool watched = t >= 3;
        r.sample.t0_ns = (uint64_t)(t - 1) * SECOND;
        r.sample.t1_ns = (uint64_t)t * SECOND;
        r.sample.at[0] = ok(30, 1000, 1000);
        r.sample.at[1] = watched ? ok(60, 1000, 500) : none(COUNT_NOT_FOCUSED, 1000);
        r.sample.at[2] = watched ? ok(10, 1000, 1000) : none(COUNT_NOT_FOCUSED, 1000);
        r.sample.at[3] = none(t == 4 ? COUNT_NOT_COUNTED : COUNT_NOT_FOCUSED, t == 4 ? 0 : 1000);
        window_add(&w, &r.sample);
    }
    window_frame(&w, &r.eval, &r.frame);
    assert_true(rig_value(&r, "Ratio")->v == 0.5); /* 120 / 240 */
    assert_true(fabs((double)rig_value(&r, "Ratio")->duty - 0.25) < 1e-6);
    assert_true(rig_value(&r, "Share")->v == 0.75);
    assert_true(fabs((double)rig_value(&r, "Share")->duty - 0.5) < 1e-6);
    assert_true(isnan(rig_value(&r, "Never")->v)); /* never counted is not 0 */
    assert_int_equal(rig_value(&r, "Never")->why.code, COUNT_NOT_FOCUSED);
    assert_int_equal(window_sample(&w)->at[3].enabled_ns, 3000);
    window_destroy(&w);
    rig_free(&r);
}

/* The target was busy while nobody looked, and slept later: time that it did not run is no time. */
static void the_time_that_counts_is_the_targets(void **state) {
    (void)state;
    struct bench b;
    open_bench(&b);
    add(&b, 1, ok(90, 900, 900), none(COUNT_NOT_FOCUSED, 900), none(COUNT_NOT_FOCUSED, 900));
    add(&b, 2, ok(10, 100, 100), ok(1, 100, 100), ok(1, 100, 100));
    add(&b, 3, ok(0, 0, 0), none(COUNT_NOT_FOCUSED, 0), ok(0, 0, 0)); /* asleep */
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    assert_true(same_number(rig_value(&b.rig, "Ratio")->v, 10.0, 1e-12));
    assert_true(same_number(rig_value(&b.rig, "Only")->v, 10.0, 1e-12));
    close_bench(&b);
}

/* What the error of a sum is made of: test_spread.c has the arithmetic. */
static void a_sum_has_an_error(void **state) {
    (void)state;
    static const double counts[] = {10, 12, 14, 12};
    struct bench b;
    open_bench(&b);
    for (int i = 0; i < (int)COUNT_OF(counts); i++) {
        add(&b, i + 1, ok(100, 1000, 1000), ok(50, 1000, 1000), ok(counts[i], 1000, 250));
        eval_run(&b.rig.eval, &b.rig.sample, &b.rig.frame);
        window_spread(&b.window, &b.rig.eval, &b.rig.sample, &b.rig.frame);
    }
    const double sd = sqrt(8.0 / 3), unseen = sqrt(0.75);
    assert_true(same_number(rig_value(&b.rig, "Only")->err, 3.182 * sd * unseen, 1e-6));
    assert_true(rig_value(&b.rig, "Ratio")->err == 0); /* all of it was counted */
    window_frame(&b.window, &b.rig.eval, &b.rig.frame);
    const struct value *only = rig_value(&b.rig, "Only");
    assert_true(same_number(only->err, 3.182 * sd * unseen * 2, 1e-6)); /* of 4: a total */
    const int metric = model_find(&b.rig.model, "Only");
    const struct spread_parts p = window_err(&b.window, metric, only, true);
    assert_true(p.n == 4 && p.intervals == 4 && p.resolution == 0 && p.err == only->err);
    window_reset(&b.window);
    add(&b, 5, ok(1, 1000, 1000), ok(1, 1000, 1000), ok(1, 1000, 250));
    eval_run(&b.rig.eval, &b.rig.sample, &b.rig.frame);
    window_spread(&b.window, &b.rig.eval, &b.rig.sample, &b.rig.frame);
    assert_true(isnan(rig_value(&b.rig, "Only")->err)); /* the old ones are forgotten */
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_first_ratios_second),
        cmocka_unit_test(no_count_adds_no_time),
        cmocka_unit_test(stale_intervals_are_scaled_over),
        cmocka_unit_test(duration_is_what_was_covered),
        cmocka_unit_test(out_of_focus_is_scaled_over),
        cmocka_unit_test(the_time_that_counts_is_the_targets),
        cmocka_unit_test(a_sum_has_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
