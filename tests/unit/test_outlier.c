/* Rolling means and outliers of a row of runs. */
#include "model/stats/outlier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void rolling_begins_with_the_seventh(void **state) {
    (void)state;
    const double v[] = {1, 2, 3, 4, 5, 6, 7, 15};
    struct outlier out[8];
    outlier_find(v, 8, out);
    for (int i = 0; i < 6; i++)
        assert_true(isnan(out[i].rolling));
    assert_true(fabs(out[6].rolling - 4.0) < 1e-12);
    assert_true(fabs(out[7].rolling - 6.0) < 1e-12);
}

/* By hand: of nine times 10 and once 20 the mean is 11, the sample's sd sqrt(90 / 9) = 3.162. */
static void z_is_of_the_sample(void **state) {
    (void)state;
    double v[10];
    struct outlier out[10];
    for (int i = 0; i < 10; i++)
        v[i] = i == 4 ? 20 : 10;
    const struct outlier_sum s = outlier_find(v, 10, out);
    assert_int_equal(s.n, 10);
    assert_true(fabs(s.mean - 11.0) < 1e-12);
    assert_true(fabs(s.sd - sqrt(10.0)) < 1e-12);
    assert_true(fabs(out[4].z - 9.0 / sqrt(10.0)) < 1e-12);
    for (int i = 0; i < 10; i++)
        assert_int_equal(out[i].anomaly, i == 4);
}

/* Five repetitions are the usual number: the one that stands apart is named, and no other. */
static void one_of_five_stands_apart(void **state) {
    (void)state;
    static const double v[] = {1.73, 1.74, 1.48, 1.76, 1.74},
                        even[] = {1.70, 1.74, 1.72, 1.76, 1.68};
    struct outlier out[5];
    outlier_find(v, 5, out);
    for (int i = 0; i < 5; i++)
        assert_int_equal(out[i].anomaly, i == 2);
    outlier_find(even, 5, out);
    for (int i = 0; i < 5; i++)
        assert_false(out[i].anomaly);
}

static void few_or_equal_values_have_no_outliers(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double v[7];
        size_t n;
        bool has_z;
    } cases[] = {
        {"none", {0}, 0, false},
        {"one", {3}, 1, false},
        {"two", {3, 4}, 2, true},
        {"three of which one is far away", {1, 1, 1000}, 3, true},
        {"seven equal ones, which no binary number is", {.1, .1, .1, .1, .1, .1, .1}, 7, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outlier out[7] = {{0}};
        outlier_find(cases[i].v, cases[i].n, out);
        for (size_t k = 0; k < cases[i].n; k++)
            if (out[k].anomaly || isfinite(out[k].z) != cases[i].has_z)
                fail_msg("%s: value %zu: z %g, anomaly %d", cases[i].what, k, out[k].z,
                         out[k].anomaly);
    }
}

/* By hand: without 4 the others are 1, 1.1, 0.9, 1: mean 1, sd 0.0816; t = 3 / (0.0816 sqrt(1.25))
 * = 32.9 of 3 degrees of freedom: p = 6.2e-5 of one, 3.1e-4 of five. */
static void one_group_among_others(void **state) {
    (void)state;
    const struct outlier_of of[] = {
        {1, NAN, 1}, {1.1, NAN, 1}, {4, NAN, 1}, {.9, NAN, 1}, {1, NAN, 1}};
    struct outlier_group out[5];
    outlier_groups(of, 5, out);
    assert_true(fabs(out[2].by - 3) < 1e-12);
    assert_true(out[2].p > 2.9e-4 && out[2].p < 3.3e-4);
    for (int i = 0; i < 5; i++)
        assert_true(i == 2 || out[i].p > .5);
    outlier_groups(of, 3, out);
    assert_true(isnan(out[0].p) && fabs(out[2].by - 2.95) < 1e-12);
    const struct outlier_of same[] = {{2, 0, 3}, {2, 0, 3}, {2, 0, 3}, {2, 0, 3}};
    outlier_groups(same, 4, out);
    assert_true(isnan(out[0].p) && out[0].by == 0);
}

/* Of twelve uniform ones: nearly normal, with a deviation of 1. */
static double normal(uint64_t *x) {
    double sum = -6;
    for (int k = 0; k < 12; k++) {
        *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
        sum += (double)(*x >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* A group of n values, whose own mean is off by what groups vary. */
static struct outlier_of group_of(uint64_t *x, size_t n, double among) {
    const double own = among * normal(x);
    double v[64], mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += (v[i] = own + normal(x)) / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (v[i] - mean) * (v[i] - mean);
    return (struct outlier_of){mean, n > 1 ? sqrt(square / (double)(n - 1)) : NAN, n};
}

/* Of groups that do not differ one is told apart in five of a hundred fleets, not more: also where
 * some have hardly been measured. */
static void alarms_without_a_cause(void **state) {
    (void)state;
    enum { FLEETS = 2000 };
    static const struct {
        size_t hosts, few, runs, runs_few;
        double among;
    } cases[] = {{30, 0, 1, 1, 0}, {7, 1, 4, 1, 0}, {30, 3, 12, 1, 0}, {10, 5, 60, 2, .5}};
    uint64_t x = 88172645463325252ull;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct outlier_of of[30];
        struct outlier_group out[30];
        int alarms = 0;
        for (int f = 0; f < FLEETS; f++) {
            bool any = false;
            for (size_t i = 0; i < cases[c].hosts; i++)
                of[i] = group_of(&x, i < cases[c].few ? cases[c].runs_few : cases[c].runs,
                                 cases[c].among);
            outlier_groups(of, cases[c].hosts, out);
            for (size_t i = 0; i < cases[c].hosts; i++)
                any |= out[i].p < .05;
            alarms += any;
        }
        if (alarms < FLEETS * .004 || alarms > FLEETS * .065)
            fail_msg("case %zu: %d alarms in %d fleets", c, alarms, FLEETS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling_begins_with_the_seventh),
        cmocka_unit_test(z_is_of_the_sample),
        cmocka_unit_test(one_of_five_stands_apart),
        cmocka_unit_test(few_or_equal_values_have_no_outliers),
        cmocka_unit_test(one_group_among_others),
        cmocka_unit_test(alarms_without_a_cause),
    };
    return cmocka_run_group_tests_name("outlier", tests, NULL, NULL);
}
