/* Arrows beside what has just changed: when they come, how they fade, what gets none. */
#include "ui/draw/fade.h"

#include "base/clock.h"
#include "noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The arrow after each second of values: '.' none, '3' '2' '1' up, 'c' 'b' 'a' down. */
static void test_series(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double err;
        double v[20]; /* 9: not known */
        const char *arrows;
    } cases[] = {
        {"stands still", 0, {.5, .5, .5, .5}, "...................."},
        {"up by 5 points, then fades in three steps over 4 s",
         0,
         {.2, .2, .2, .25, .25, .25, .25, .25, .25, .25, .25, .25, .25, .25, .25},
         "...3321............."},
        {"down", 0, {.25, .25, .2, .2, .2, .2, .2, .2, .2, .2, .2, .2, .2}, "..ccba.............."},
        {"less than a point", 0, {.2, .2, .209, .2, .209, .2, .209}, "...................."},
        {"less than its own doubt", .06, {.2, .2, .25, .2, .16, .2}, "...................."},
        {"more than its doubt", .03, {.2, .25}, ".3321..............."},
        {"a doubt that is not known leaves the point", NAN, {.2, .22}, ".3321..............."},
        {"up and down again", 0, {.2, .3, .3, .2}, ".33ccba............."},
        {"again: fresh again", 0, {.2, .3, .3, .3, .3, .3, .4}, ".3321.3321.........."},
        {"jumps about",
         0,
         {.2, .25, .21, .25, .21, .25, .2, .25, .21, .25, .2, .25, .21, .25, .2, .25, .2, .25, .2},
         ".3.................."},
        {"jumps about, then really changes",
         0,
         {.2, .22, .205, .22, .2, .22, .205, .22, .2, .22, .2, .22, .2, .4},
         ".3...........3321..."},
        {"creeps",
         0,
         {.20, .202, .204, .206, .208, .21, .212, .214, .216, .218, .22},
         "...................."},
        {"not known for a moment", 0, {.2, .2, 9, 9, .3}, "....3321............"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fade f = {0};
        char got[21] = "";
        double v = 0;
        for (int s = 0; s < 20; s++) {
            const uint64_t now = (uint64_t)(s + 100) * NS_PER_S;
            if (cases[i].v[s] > 0) /* the last one goes on */
                v = cases[i].v[s] > 1 ? (double)NAN : cases[i].v[s];
            fade_push(&f, now, v, cases[i].err, fade_least(&f, true));
            const struct fade_mark m = fade_at(&f, now);
            got[s] = (char)(m.step == 0 ? '.' : m.way > 0 ? '0' + m.step : 'a' - 1 + m.step);
        }
        if (strcmp(got, cases[i].arrows) != 0)
            fail_msg("%s: %s", cases[i].what, got);
    }
}

/* Behind a long gap nobody knows when it changed; a session that goes back begins anew. */
static void test_gaps(void **state) {
    (void)state;
    struct fade f = {0};
    fade_push(&f, 5 * NS_PER_S, 0.2, 0, 0.01);
    fade_push(&f, 16 * NS_PER_S, 0.5, 0, 0.01);
    assert_int_equal(fade_at(&f, 16 * NS_PER_S).step, 0);
    fade_push(&f, 17 * NS_PER_S, 0.6, 0, 0.01);
    assert_int_equal(fade_at(&f, 17 * NS_PER_S).step, 3);
    fade_push(&f, 2 * NS_PER_S, 0.1, 0, 0.01);
    assert_int_equal(fade_at(&f, 2 * NS_PER_S).step, 0);
    fade_push(&f, 3 * NS_PER_S, (double)INFINITY, 0, 0.01);
    assert_int_equal(fade_at(&f, 3 * NS_PER_S).step, 0);
}

/* What is no share moves by 2 percent of itself. */
static void test_least(void **state) {
    (void)state;
    struct fade f = {0};
    fade_push(&f, NS_PER_S, 3.0, 0, fade_least(&f, false));
    fade_push(&f, 2 * NS_PER_S, 3.05, 0, fade_least(&f, false));
    assert_int_equal(fade_at(&f, 2 * NS_PER_S).step, 0);
    fade_push(&f, 3 * NS_PER_S, 3.2, 0, fade_least(&f, false));
    assert_int_equal(fade_at(&f, 3 * NS_PER_S).step, 3);
    assert_true(fade_least(&f, true) == 0.01);
    assert_true(sizeof(f) <= 32);
}

/* Of white noise without a ± few values in a thousand are marked. */
static void test_noise(void **state) {
    (void)state;
    enum { VALUES = 20000, BEGIN = 20 };
    struct noise_random noise = {.state = 1};
    struct fade f = {0};
    int moves = 0;
    for (int i = 0; i < VALUES; i++) {
        const uint64_t now = (uint64_t)(i + 100) * NS_PER_S;
        fade_push(&f, now, 0.5 + 0.05 * noise_normal(&noise), NAN, fade_least(&f, true));
        moves += i >= BEGIN && f.moved_ns == now;
    }
    if (moves > VALUES / 100)
        fail_msg("%d of %d values are marked", moves, VALUES);
}

static void test_looks(void **state) {
    (void)state;
    static const struct {
        struct fade_mark m;
        uint32_t cp;
        enum style st;
    } cases[] = {
        {{3, 1}, 0x2191, STYLE_UP},   {{2, 1}, 0x2191, STYLE_UP_FADED},
        {{1, 1}, 0x2191, STYLE_DIM},  {{3, -1}, 0x2193, STYLE_DOWN},
        {{1, -1}, 0x2193, STYLE_DIM}, {{2, -1}, 0x2193, STYLE_DOWN_FADED},
        {{0, 0}, ' ', STYLE_TEXT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(fade_glyph(cases[i].m), cases[i].cp);
        assert_int_equal(fade_style(cases[i].m), cases[i].st);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series), cmocka_unit_test(test_gaps),  cmocka_unit_test(test_least),
        cmocka_unit_test(test_noise),  cmocka_unit_test(test_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
