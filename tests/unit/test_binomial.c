/* Wilson's interval against tabulated values and its own definition. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/stats/binomial.h"

static const double z = 1.959964;

static void known_intervals(void **state) {
    (void)state;
    static const struct {
        double k, n, low, high;
    } cases[] = {
        /* R: prop.test(k, n, correct = FALSE)$conf.int */
        {0, 10, 0, 0.277533},  {1, 10, 0.017876, 0.404150},   {5, 10, 0.236593, 0.763407},
        {10, 10, 0.722467, 1}, {10, 100, 0.055229, 0.174366}, {700, 1000, 0.670860, 0.727581},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct binomial b = binomial_wilson(cases[i].k / cases[i].n, cases[i].n, z);
        if (fabs(b.low - cases[i].low) > 2e-5 || fabs(b.high - cases[i].high) > 2e-5)
            fail_msg("%g of %g: %g to %g", cases[i].k, cases[i].n, b.low, b.high);
    }
}

/* Its ends are the shares from which what was seen is z standard deviations away. */
static void its_ends_are_z_deviations_away(void **state) {
    (void)state;
    for (double n = 0.5; n < 1e6; n *= 3)
        for (double p = 0.1; p < 1; p += 0.2) {
            const struct binomial b = binomial_wilson(p, n, z);
            assert_true(b.low > 0 && b.high < 1 && b.low < p && p < b.high);
            assert_true(fabs((p - b.low) / sqrt(b.low * (1 - b.low) / n) - z) < 1e-6);
            assert_true(fabs((b.high - p) / sqrt(b.high * (1 - b.high) / n) - z) < 1e-6);
        }
}

static void it_holds_the_share(void **state) {
    (void)state;
    for (int n = 1; n <= 5000; n++)
        for (int p = 0; p <= 1; p++) {
            const struct binomial b = binomial_wilson(p, n, z);
            assert_true(b.low >= 0 && b.low <= p && b.high >= p && b.high <= 1);
        }
}

static void of_nothing_everything_is_possible(void **state) {
    (void)state;
    const double none[] = {0, -1, NAN};
    for (int i = 0; i < 3; i++) {
        const struct binomial b = binomial_wilson(0.5, none[i], z);
        assert_true(b.low == 0 && b.high == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_intervals),
        cmocka_unit_test(its_ends_are_z_deviations_away),
        cmocka_unit_test(it_holds_the_share),
        cmocka_unit_test(of_nothing_everything_is_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
