/* Changes of level: found soon, where they were, and not where there are none. The figures of many
 * runs: tests/bench/bench_changes.c. */
#include "change_noise.h"

#include "model/run/change_point.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The bench at fixed seeds, in small. */
static void test_found(void **state) {
    (void)state;
    const struct change_score three = change_noise_found(1, 0, 3, 60, 0, 300),
                              ten = change_noise_found(2, 0, 10, 60, 0, 300);
    assert_true(three.in_6 >= 285);
    assert_true(ten.in_6 >= 297);
    assert_true(ten.latest <= 3);
    assert_true(ten.off <= 12);
}

static void test_slow_noise(void **state) {
    (void)state;
    assert_true(change_noise_found(3, 0.5, 5, 60, 0, 200).in_12 >= 190);
    assert_true(change_noise_found(4, 0.8, 10, 60, 0, 200).in_12 >= 190);
}

static void test_none(void **state) {
    (void)state;
    static const double rho[] = {0, 0.5, 0.8};
    for (int i = 0; i < 3; i++) {
        const uint64_t n = change_noise_false(5 + (uint64_t)i, rho[i], 8 * 3600);
        if (n > (rho[i] > 0 ? 16u : 8u))
            fail_msg("rho %.1f: %d false changes in 8 hours", rho[i], (int)n);
    }
}

/* What rises for some intervals is of no level. */
static void test_ramp(void **state) {
    (void)state;
    int inside = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        static struct change_noise w;
        change_noise_init(&w, 77 + seed, 0);
        for (int i = 0; i < 60; i++)
            change_noise_step(&w, 0);
        for (int i = 1; i <= 20; i++)
            change_noise_step(&w, i > 4 ? 20 : 4 * i);
        assert_int_equal(w.cp.n_found, 1);
        const int left = (int)(w.cp.left_ns / CHANGE_NOISE_NS),
                  level = (int)(w.cp.level_ns / CHANGE_NOISE_NS);
        if (left < 59 || left > 61)
            fail_msg("left %d level %d", left, level);
        inside += level == 63 || level == 64 || level == 65; /* at 16 sd it is nearly there */
        assert_int_equal(w.cp.left_out, level - left);
    }
    assert_true(inside >= 45);
}

/* Values of one metric that follow a list; the interval in which a change is found, or 0. */
static int find_in(double points, double relative, const double *level, const int *length, int n) {
    static struct change_point cp;
    uint64_t t = 0;
    change_point_init_plain(&cp, 1, points, relative);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < length[k]; i++, t++) {
            const double v = level[k] + (t % 2 ? 1e-5 : -1e-5);
            if (change_point_values(&cp, &v, t, t + 1) == CHANGE_FOUND)
                return (int)t + 1;
        }
    return 0;
}

static void test_size(void **state) {
    (void)state;
    static const struct {
        double points, relative, level[3];
        int length[3];
        bool found;
    } cases[] = {
        {0.01, 0, {0.200, 0.208, 0.208}, {40, 40, 0}, false}, /* less than a point */
        {0.01, 0, {0.200, 0.212, 0.212}, {40, 40, 0}, true},
        {0, 0.02, {1.000, 1.015, 1.015}, {40, 40, 0}, false},
        {0, 0.02, {1.000, 1.030, 1.030}, {40, 40, 0}, true},
        {0.01, 0, {0.200, 0.600, 0.200}, {40, 1, 40}, false}, /* one odd interval */
        {0.01, 0, {0.200, 0.600, 0.200}, {40, 2, 0}, false},
        {0.01, 0, {0.200, NAN, 0.200}, {40, 10, 40}, false}, /* not known is no level */
        {0.01, 0, {0.200, NAN, 0.300}, {40, 10, 10}, true},
        {0.01, 0, {NAN, NAN, NAN}, {40, 10, 10}, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int at =
            find_in(cases[i].points, cases[i].relative, cases[i].level, cases[i].length, 3);
        if ((at > 0) != cases[i].found)
            fail_msg("case %d: found at %d", (int)i, at);
    }
}

static void test_begin(void **state) {
    (void)state;
    static struct change_noise w;
    change_noise_init(&w, 9, 0);
    for (int i = 0; i < 60; i++)
        change_noise_step(&w, 0);
    change_point_begin(&w.cp);
    for (int i = 0; i < 60; i++)
        assert_int_equal(change_noise_step(&w, 10), CHANGE_NONE); /* it was said */
}

/* The loop of the screen at fixed seeds: few alarms without a change, soon one with it. */
static void test_loop(void **state) {
    (void)state;
    const struct noise how = {NOISE_AR1, 0, 0, 0, 20};
    const struct loop_score none = change_noise_loop(1, &how, 60, 0, 60, 0, 60),
                            ten = change_noise_loop(2, &how, 60, 20, 20, 0.20, 60);
    assert_true(none.looks.alarms <= 3);
    assert_true(ten.looks.latest <= 8);
}

/* ---- where spans begin ---- */

static void test_breaks(void **state) {
    (void)state;
    static struct breaks b;
    breaks_add(&b, 10, 12, BREAK_LEVEL);
    breaks_add(&b, 30, 30, BREAK_PIN);
    breaks_add(&b, 24, 25, BREAK_LEVEL); /* known later than the pin */
    assert_int_equal(b.n, 3);
    assert_int_equal(b.at[1].t_ns, 25);
    assert_int_equal(b.at[2].cause, BREAK_PIN);
    const uint64_t seq = b.seq;
    breaks_move(&b, 32); /* the newest change, behind the pin now */
    assert_int_equal(b.at[2].cause, BREAK_LEVEL);
    assert_int_equal(b.at[2].t_ns, 32);
    assert_int_equal(b.at[2].left_ns, 24);
    assert_int_equal(b.at[2].id, 3);
    assert_true(b.at[2].seq > seq);
    for (uint64_t i = 0; i < 2 * BREAKS_MOST; i++)
        breaks_add(&b, 100 + i, 100 + i, BREAK_MARK);
    assert_int_equal(b.n, BREAKS_MOST);
    assert_int_equal(b.at[BREAKS_MOST - 1].t_ns, 99 + 2 * BREAKS_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found), cmocka_unit_test(test_slow_noise),
        cmocka_unit_test(test_none),  cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_size),  cmocka_unit_test(test_begin),
        cmocka_unit_test(test_loop),  cmocka_unit_test(test_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
