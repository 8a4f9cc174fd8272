#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_ns_of(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double s;
        uint64_t ns;
    } cases[] = {
        {"nothing", 0, 0},
        {"part of a second", 1.5, 1500000000},
        {"less than a nanosecond", 1e-12, 0},
        {"negative", -1, 0},
        {"negative and large", -1e300, 0},
        {"no number", NAN, 0},
        {"more than there is room for", 1e30, INT64_MAX},
        {"infinite", INFINITY, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (clock_ns_of(cases[i].s) != cases[i].ns)
            fail_msg("%s: %llu", cases[i].what, (unsigned long long)clock_ns_of(cases[i].s));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ns_of)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
