/* Which samples are drawn, which wait, and how long poll() sleeps. */
#include "ui/draw/pace.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint64_t start_ns = 1000 * NS_PER_S;

/* Samples at these times, in ms; 0 ends. Counts drawings and the timer's wake-ups until the end. */
static void run(const unsigned *at_ms, unsigned end_ms, int *drawn, int *by_timer) {
    struct pace p = {0};
    *drawn = *by_timer = 0;
    for (unsigned ms = 1, i = 0; ms <= end_ms; ms++) {
        uint64_t now = start_ns + ms * NS_PER_MS;
        bool due = pace_due(&p, now), sample = at_ms[i] == ms;
        i += sample;
        if (!(sample && pace_sample(&p, now)) && !due)
            continue;
        pace_drawn(&p, now);
        ++*drawn;
        *by_timer += due;
    }
}

static void test_samples(void **state) {
    (void)state;
    static const struct {
        const char *what;
        unsigned at_ms[12], end_ms;
        int drawn, by_timer;
    } cases[] = {
        {"one", {1}, 1000, 1, 0},
        {"every 100 ms: every third, never a timer", {10, 110, 210, 310, 410, 510}, 590, 2, 0},
        {"every 50 ms: every fifth", {10, 60, 110, 160, 210, 260, 310}, 350, 2, 0},
        {"every 20 ms", {10, 30, 50, 70, 90, 110, 130, 150, 170, 190, 210}, 290, 1, 0},
        {"two close ones, then a pause: both are seen", {10, 40}, 5000, 2, 1},
        {"a burst, then a pause: its last is seen", {10, 11, 12, 13, 99}, 5000, 2, 1},
        {"uneven: 1 s, 60 ms, 1 s", {10, 1010, 1070, 2070}, 3000, 4, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int drawn, by_timer;
        run(cases[i].at_ms, cases[i].end_ms, &drawn, &by_timer);
        if (drawn != cases[i].drawn || by_timer != cases[i].by_timer)
            fail_msg("%s: %d drawn, %d by the timer", cases[i].what, drawn, by_timer);
    }
}

/* A drawing for another reason (a key) shows what waited. */
static void test_drawn_otherwise(void **state) {
    (void)state;
    struct pace p = {0};
    pace_drawn(&p, start_ns);
    assert_false(pace_sample(&p, start_ns + 10 * NS_PER_MS));
    assert_true(pace_due(&p, start_ns + 10 * NS_PER_MS + PACE_NS));
    pace_drawn(&p, start_ns + 20 * NS_PER_MS);
    assert_false(pace_due(&p, start_ns + NS_PER_S));
}

static void test_timeout(void **state) {
    (void)state;
    static const uint64_t day_ns = 86400 * NS_PER_S;
    const struct {
        uint64_t a, b;
        int ms;
    } cases[] = {
        {0, 0, -1},
        {start_ns, 0, 0},
        {0, start_ns - 1, 0},
        {start_ns + 1, 0, 1}, /* never a moment too early: that would be a second wake-up */
        {start_ns + 90 * NS_PER_MS, 0, 91},
        {0, start_ns + 90 * NS_PER_MS, 91},
        {start_ns + 90 * NS_PER_MS, start_ns + 5 * NS_PER_S, 91},
        {start_ns + 5 * NS_PER_S, start_ns + 90 * NS_PER_MS, 91},
        {start_ns + 24 * day_ns, 0, 2073600001},
        {start_ns + 25 * day_ns, 0, INT_MAX},
        {start_ns + 50 * day_ns, 0, INT_MAX}, /* would come round to a positive number again */
        {UINT64_MAX, UINT64_MAX, INT_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int ms = pace_timeout_ms(cases[i].a, cases[i].b, start_ns);
        if (ms != cases[i].ms)
            fail_msg("case %zu: %d ms, wanted %d", i, ms, cases[i].ms);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_drawn_otherwise),
        cmocka_unit_test(test_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
