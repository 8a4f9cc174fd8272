/* Axes: round ends that stand still, numbers that fit, times that do not crawl. */
#include "ui/draw/scale.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void test_nice(void **state) {
    (void)state;
    static const struct {
        double v, nice;
    } cases[] = {{0.03, 0.03}, {0.031, 0.04}, {0.11, 0.15},  {0.1, 0.1},
                 {0.99, 1},    {1.01, 1.5},   {7, 8},        {8.1, 10},
                 {1800, 2000}, {2100, 3000},  {0.35, 0.4},   {0, 1e-12},
                 {-3, 1e-12},  {NAN, 1e-12},  {1e300, 1e30}, {INFINITY, 1e30}};
    for (size_t i = 0; i < COUNT(cases); i++)
        if (!near(scale_nice(cases[i].v), cases[i].nice))
            fail_msg("%g: %g", cases[i].v, scale_nice(cases[i].v));
}

static void test_ends(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double min, max;
        struct scale_rule rule;
        double low, top;
    } cases[] = {
        {"a share", 0.02, 0.13, {.share = true}, 0, 0.15},
        {"a small one has a least top", 0, 0.01, {.share = true, .least = 0.1}, 0, 0.1},
        {"no more than all", 0.2, 0.97, {.share = true, .most = 1}, 0, 1},
        {"but more where it is more", 0.2, 1.2, {.share = true, .most = 1}, 0, 1.5},
        {"below 0", -0.04, 0.5, {.share = true}, -0.04, 0.5},
        {"all below 0", -8, -2, {0}, -8, 2},
        {"zeros", 0, 0, {0}, 0, 1},
        {"nothing known", NAN, NAN, {0}, 0, 1},
        {"loose", 3.31, 3.44, {.loose = true}, 3.3, 3.45},
        {"loose and flat", 5, 5, {.loose = true}, 5, 5.2},
        {"infinite", 0, INFINITY, {0}, 0, 1e30},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scale s = {0};
        scale_fit(&s, cases[i].min, cases[i].max, &cases[i].rule);
        if (!near(s.low, cases[i].low) || !near(s.top, cases[i].top))
            fail_msg("%s: %g to %g", cases[i].what, s.low, s.top);
    }
}

/* What happens to the upper end frame by frame. */
static void test_hysteresis(void **state) {
    (void)state;
    const struct scale_rule rule = {.calm = 4}, other = {.calm = 4, .what = 7};
    static const struct {
        const char *what;
        double max;
        int frames;
        double top;
        bool other;
    } cases[] = {
        {"begins", 3, 1, 3, false},
        {"grows at once", 3.1, 1, 4, false},
        {"stays for what is a little less", 2.1, 50, 4, false},
        {"stays while less than half is used for a moment", 0.9, 3, 4, false},
        {"a peak in between starts the count anew", 3.5, 1, 4, false},
        {"stays again", 0.9, 3, 4, false},
        {"shrinks at last", 0.9, 1, 1, false},
        {"nothing known changes nothing", NAN, 20, 1, false},
        {"something else begins anew", 0.2, 1, 0.2, true},
    };
    struct scale s = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int k = 0; k < cases[i].frames; k++)
            scale_fit(&s, 0, cases[i].max, cases[i].other ? &other : &rule);
        if (!near(s.top, cases[i].top))
            fail_msg("%s: %g", cases[i].what, s.top);
    }
}

static void number_texts(char *buf, size_t cap, const struct scale *s, int rows) {
    const double step = scale_step(s, rows);
    struct strbuf sb = strbuf_on(buf, cap);
    for (double v = scale_first(s, step); v <= s->top * (1 + 1e-9); v += step) {
        char text[SCALE_LABEL_MAX];
        strbuf_add(&sb, "%s%s", sb.n ? " " : "", scale_label(text, sizeof(text), s, step, v));
        if (str_width(text) > SCALE_LABEL_W)
            fail_msg("\"%s\" is wider than its place", text);
    }
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        double low, top;
        bool share;
        int rows;
        const char *text;
    } cases[] = {
        {0, 1, true, 24, "0% 20% 40% 60% 80% 100%"},
        {0, 1, true, 9, "0% 25% 50% 75% 100%"},
        {0, 1, true, 5, "0% 50% 100%"},
        {0, 1, true, 2, "0% 100%"},
        {0, 1, true, 1, "0% 100%"},
        {0, 0.15, true, 7, "0% 5% 10% 15%"},
        {0, 0.1, true, 9, "0% 2.5% 5.0% 7.5% 10.0%"},
        {0, 0.003, true, 7, "0% 0.1% 0.2% 0.3%"},
        {-0.04, 0.5, true, 9, "0% 25% 50%"},
        {-1, 1, false, 9, "-1.0 -0.5 0 0.5 1.0"},
        {0, 3, false, 9, "0 1 2 3"},
        {0, 1.5, false, 7, "0 0.5 1.0 1.5"},
        {0, 1500, false, 7, "0 0.5k 1.0k 1.5k"},
        {0, 800, false, 9, "0 200 400 600 800"},
        {0, 6e9, false, 7, "0 2G 4G 6G"},
        {0, 4e-3, false, 9, "0 1m 2m 3m 4m"},
        {0, 1e30, false, 3, "0 1e+30"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct scale s = {.low = cases[i].low, .top = cases[i].top, .share = cases[i].share};
        char text[256];
        number_texts(text, sizeof(text), &s, cases[i].rows);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%g to %g in %d rows: %s", s.low, s.top, cases[i].rows, text);
    }
}

/* Whatever the ends: numbers fit, each has a row of its own, and there are not too many. */
static void test_numbers_always(void **state) {
    (void)state;
    for (double max = 1e-11; max < 1e29; max *= 1.37)
        for (int rows = 1; rows <= 100; rows += 3)
            for (int k = 0; k < 4; k++) {
                struct scale s = {0};
                const struct scale_rule rule = {.share = k & 1 && max < 100, .loose = k & 2};
                char text[SCALE_LABEL_MAX];
                scale_fit(&s, k & 2 ? max * 0.9 : -max * 0.03, max, &rule);
                const double step = scale_step(&s, rows);
                int n = 0, row = -1;
                for (double v = scale_first(&s, step); v <= s.top + step * 1e-6; v += step, n++) {
                    const int at = scale_part(&s, v, rows);
                    if (rows > 2 && at == row)
                        fail_msg("two numbers in row %d of %d, to %g", at, rows, s.top);
                    row = at;
                    if (str_width(scale_label(text, sizeof(text), &s, step, v)) >
                        SCALE_LABEL_MAX - 2)
                        fail_msg("%g to %g: \"%s\"", s.low, s.top, text);
                }
                if (n > 12)
                    fail_msg("%g to %g in %d rows: %d numbers", s.low, s.top, rows, n);
            }
}

static void test_part(void **state) {
    (void)state;
    const struct scale s = {.low = 0, .top = 1};
    static const struct {
        double v;
        int part;
    } cases[] = {{0, 0},  {0.24, 0}, {0.26, 1}, {0.99, 3},     {1, 3},
                 {17, 3}, {-1, 0},   {0.5, 2},  {INFINITY, 3}, {-INFINITY, 0}};
    for (size_t i = 0; i < COUNT(cases); i++)
        if (scale_part(&s, cases[i].v, 4) != cases[i].part)
            fail_msg("%g: part %d", cases[i].v, scale_part(&s, cases[i].v, 4));
    assert_true(scale_above(&s, 1.1) && scale_above(&s, INFINITY) && !scale_above(&s, 1));
    assert_true(scale_below(&s, -0.1) && scale_below(&s, -INFINITY) && !scale_below(&s, 0));
}

static const char *tick_texts(const struct scale_time *t, enum scale_words words, int64_t clock_s) {
    static char line[512];
    struct scale_tick tick[64];
    const int n = scale_time_ticks(t, words, clock_s, tick, 64);
    memset(line, ' ', sizeof(line));
    int end = 0;
    for (int i = 0; i < n; i++) {
        line[tick[i].x] = '|';
        memcpy(line + tick[i].x + 1, tick[i].text, strlen(tick[i].text));
        end = tick[i].x + 1 + (int)strlen(tick[i].text);
    }
    line[end] = '\0';
    return line;
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t from_s, cell_ms;
        int cells;
        enum scale_words words;
        int64_t clock_s;
        const char *line;
    } cases[] = {
        {"a minute", 0, 1000, 40, SCALE_ELAPSED, 0, "|0:00     |0:10     |0:20     |0:30"},
        {"the next", 57, 1000, 40, SCALE_ELAPSED, 0, "   |1:00     |1:10     |1:20     |1:30"},
        {"over an hour", 3590, 1000, 40, SCALE_ELAPSED, 0,
         "|59:50    |1:00:00  |1:00:10  |1:00:20"},
        {"tenths", 1, 20, 40, SCALE_ELAPSED, 0, "|0:01.0   |0:01.2   |0:01.4   |0:01.6"},
        {"ago", 100, 1500, 40, SCALE_AGO, 0, "|-60s     |-45s     |-30s     |-15s"},
        {"minutes ago", 9000, 30000, 40, SCALE_AGO, 0, "|-20m     |-15m     |-10m     |-5m"},
        {"hours ago", 90000, 1800000, 40, SCALE_AGO, 0, "    |-18h       |-12h       |-6h"},
        {"by the clock", 10, 1000, 40, SCALE_CLOCK, 50580, "     |14:03:15      |14:03:30"},
        {"to the minute", 0, 30000, 40, SCALE_CLOCK, 50580,
         "    |14:05    |14:10    |14:15    |14:20"},
        {"past midnight", 0, 60000, 40, SCALE_CLOCK, 86340,
         " |00:00    |00:10    |00:20    |00:30"},
        {"no room", 0, 1000, 5, SCALE_CLOCK, 0, ""},
        {"nothing", 0, 1000, 0, SCALE_ELAPSED, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct scale_time t = {cases[i].from_s * NS_PER_S, cases[i].cell_ms * NS_PER_MS,
                                     cases[i].cells, 0};
        const char *line = tick_texts(&t, cases[i].words, cases[i].clock_s);
        if (strcmp(line, cases[i].line) != 0)
            fail_msg("%s: \"%s\"", cases[i].what, line);
    }
}

/* Now is at the right edge from the first second on, and nothing is before the begin. */
static void test_right(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t now_s;
        int jump, blank, newest; /* column of the newest second */
    } cases[] = {{"young", 3, 0, 14, 19},   {"full", 10, 0, 0, 19},      {"older", 100, 0, 0, 19},
                 {"between", 3, 4, 12, 17}, {"at a jump", 4, 4, 12, 19}, {"old", 101, 4, 0, 17}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t now_ns = cases[i].now_s * NS_PER_S;
        const struct scale_time t = scale_time_right(now_ns, NS_PER_S / 2, 20, cases[i].jump);
        if (t.blank != cases[i].blank || scale_time_x(&t, now_ns) != cases[i].newest)
            fail_msg("%s: %d blank, the newest in column %d", cases[i].what, t.blank,
                     scale_time_x(&t, now_ns));
        for (int x = 0; x < t.cells; x++) {
            const uint64_t t0_ns = scale_time_begin(&t, x), t1_ns = scale_time_begin(&t, x + 1);
            assert_int_equal(t1_ns - t0_ns, x < t.blank ? 0 : NS_PER_S / 2);
        }
    }
}

/* Texts stay apart and on the axis, whatever the zoom; there are some as soon as there is room. */
static void test_times_always(void **state) {
    (void)state;
    for (uint64_t cell = 1000; cell < 100000 * NS_PER_S; cell = cell * 5 / 3)
        for (int cells = 0; cells <= 300; cells += 7)
            for (int k = 0; k < 12; k++) {
                const struct scale_time t = {(uint64_t)(k / 3) * (cell * 1001), cell, cells,
                                             cells / 5 * (k % 2)};
                struct scale_tick tick[64];
                const int n = scale_time_ticks(&t, (enum scale_words)(k % 3), k * 7777, tick, 64);
                int end = -1;
                for (int i = 0; i < n; i++) {
                    if (tick[i].x <= end)
                        fail_msg("\"%s\" lies on what is before it", tick[i].text);
                    end = tick[i].x + (int)strlen(tick[i].text);
                    if (end >= cells)
                        fail_msg("\"%s\" ends beyond the edge", tick[i].text);
                }
                if (n == 0 && cells >= 100 && cell >= 10 * NS_PER_MS && cell < 20000 * NS_PER_S)
                    fail_msg("%d cells of %llu ns have no time", cells, (unsigned long long)cell);
            }
}

/* The axis goes on in eighths of its width; where it stands still every time keeps its column. */
static void test_steps(void **state) {
    (void)state;
    uint64_t from = 0;
    int moves = 0;
    for (uint64_t now = 1; now <= 200; now++) {
        const struct scale_time t = scale_time_until(now * NS_PER_S, NS_PER_S, 80, 8);
        const int x = scale_time_x(&t, now * NS_PER_S);
        if (x < 0 || (now > 80 && x < 69))
            fail_msg("at %d s: now is in column %d", (int)now, x);
        moves += t.from_ns != from;
        from = t.from_ns;
    }
    assert_int_equal(moves, 12); /* at 81, 91 ... 191 s */
    const struct scale_time t = scale_time_until(123 * NS_PER_S, NS_PER_S, 80, 0);
    assert_int_equal(scale_time_x(&t, 123 * NS_PER_S), 79);
    assert_int_equal(scale_time_x(&t, 124 * NS_PER_S), -1);
    assert_int_equal(scale_time_x(&t, t.from_ns), -1);
    assert_int_equal(scale_time_x(&t, t.from_ns + 1), 0);
    for (int x = 0; x < 80; x++)
        assert_int_equal(scale_time_x(&t, scale_time_at(&t, x)), x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nice),           cmocka_unit_test(test_ends),
        cmocka_unit_test(test_hysteresis),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_always), cmocka_unit_test(test_part),
        cmocka_unit_test(test_times),          cmocka_unit_test(test_right),
        cmocka_unit_test(test_times_always),   cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
