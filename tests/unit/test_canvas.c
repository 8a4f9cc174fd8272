/* The grid: what lands where, what is clipped, and how it reads as text. */
#include "ui/term/canvas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void expect_dump(const char *what, const struct canvas *c, const char *want) {
    char text[4096];
    const size_t n = canvas_dump(c, text, sizeof(text));
    if (strcmp(text, want) != 0 || n != strlen(want))
        fail_msg("%s: got\n%s(%zu bytes), want\n%s(%zu bytes)", what, text, n, want, strlen(want));
}

/* Fills the grid with dots, so that what was not drawn shows. */
static void dotted(struct canvas *c, int w, int h) {
    assert_int_equal(canvas_init(c, w, h), 0);
    canvas_fill(c, canvas_rect(c), STYLE_DIM, '.');
}

static void test_text_clipping(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct rect clip;
        int x, y;
        const char *text;
        int columns;
        const char *dump;
    } cases[] = {
        {"inside", {0, 0, 6, 3}, 1, 1, "abc", 3, "......\n.abc..\n......\n"},
        {"cut on the right by the canvas",
         {0, 0, 99, 99},
         4,
         0,
         "abc",
         3,
         "....ab\n......\n......\n"},
        {"cut on the left by the canvas",
         {-9, -9, 99, 99},
         -2,
         2,
         "abc",
         3,
         "......\n......\nc.....\n"},
        {"cut on the right by the clip", {0, 0, 3, 3}, 1, 0, "abc", 3, ".ab...\n......\n......\n"},
        {"cut on the left by the clip", {2, 0, 4, 3}, 1, 0, "abc", 3, "..bc..\n......\n......\n"},
        {"above", {0, 1, 6, 2}, 0, 0, "abc", 3, "......\n......\n......\n"},
        {"below", {0, 0, 6, 2}, 0, 2, "abc", 3, "......\n......\n......\n"},
        {"far outside",
         {0, 0, 6, 3},
         2000000000,
         -2000000000,
         "abc",
         3,
         "......\n......\n......\n"},
        {"clip of no width", {1, 1, 0, 2}, 1, 1, "abc", 3, "......\n......\n......\n"},
        {"clip of negative size", {3, 1, -2, -2}, 1, 1, "abc", 3, "......\n......\n......\n"},
        {"clip as large as int",
         {0, 0, 2147483647, 2147483647},
         5,
         2,
         "ab",
         2,
         "......\n......\n.....a\n"},
        {"empty text", {0, 0, 6, 3}, 0, 0, "", 0, "......\n......\n......\n"},
        {"wide inside", {0, 0, 6, 3}, 1, 0, "日本", 4, ".日本.\n......\n......\n"},
        {"wide cut at the right edge", {0, 0, 6, 3}, 3, 0, "日本", 4, "...日 \n......\n......\n"},
        {"wide cut at the left edge", {0, 0, 6, 3}, -1, 0, "日本", 4, " 本...\n......\n......\n"},
        {"wide cut by the clip", {1, 0, 2, 3}, 0, 0, "日本", 4, ".  ...\n......\n......\n"},
        {"combining joins its base",
         {0, 0, 6, 3},
         0,
         0,
         "xe\u0301x",
         3,
         "xéx...\n......\n......\n"},
        {"two marks join it", {0, 0, 6, 3}, 0, 0, "e\u0302\u0301x", 2, "ếx....\n......\n......\n"},
        {"combining without such a letter",
         {0, 0, 6, 3},
         0,
         0,
         "q\u0301x",
         2,
         "qx....\n......\n......\n"},
        {"combining joins nothing outside",
         {2, 0, 4, 3},
         1,
         0,
         "e\u0301x",
         2,
         "..x...\n......\n......\n"},
        {"combining alone draws nothing",
         {0, 0, 6, 3},
         0,
         0,
         "\xcc\x81",
         0,
         "......\n......\n......\n"},
        {"control characters", {0, 0, 6, 3}, 0, 0, "a\x1b[\nb", -1, "a?[?b.\n......\n......\n"},
        {"broken UTF-8",
         {0, 0, 6, 3},
         0,
         0,
         "a\xff"
         "b",
         3,
         "a\xef\xbf\xbd"
         "b...\n......\n......\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        dotted(&c, 6, 3);
        const int columns =
            canvas_text(&c, cases[i].clip, cases[i].x, cases[i].y, STYLE_TEXT, cases[i].text);
        if (cases[i].columns >= 0 && columns != cases[i].columns)
            fail_msg("%s: %d columns, want %d", cases[i].what, columns, cases[i].columns);
        char want[256]; /* the dump cuts trailing blanks; the cases show them */
        size_t n = 0;
        for (const char *p = cases[i].dump; *p; p++) {
            while (*p == '\n' && n && want[n - 1] == ' ')
                n--;
            want[n++] = *p;
        }
        want[n] = '\0';
        expect_dump(cases[i].what, &c, want);
        canvas_destroy(&c);
    }
}

/* Whatever is written over half of a wide character leaves no stray half. */
static void test_wide_overwritten(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int x;
        const char *text, *dump;
    } cases[] = {
        {"its left half", 2, "x", "..x .\n"},
        {"its right half", 3, "x", ".. x.\n"},
        {"both halves", 2, "xy", "..xy.\n"},
        {"by a wide one to the left", 1, "日", ".日 .\n"},
        {"by a wide one to the right", 3, "日", ".. 日\n"},
        {"by itself", 2, "本", "..本.\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        dotted(&c, 5, 1);
        canvas_put(&c, canvas_rect(&c), 2, 0, STYLE_TEXT, 0x672c);
        assert_int_equal(c.at[3].cp, 0);
        canvas_text(&c, canvas_rect(&c), cases[i].x, 0, STYLE_TEXT, cases[i].text);
        expect_dump(cases[i].what, &c, cases[i].dump);
        for (int x = 0; x < c.w; x++)
            if (c.at[x].cp == 0 && (x == 0 || c.at[x - 1].cp < 0x2000))
                fail_msg("%s: a right half without its left one in column %d", cases[i].what, x);
        canvas_destroy(&c);
    }
}

static void test_fill(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct rect r;
        uint32_t cp;
        const char *dump;
    } cases[] = {
        {"inside", {1, 1, 2, 1}, '#', ".....\n.##..\n.....\n"},
        {"over every edge", {-5, -5, 50, 50}, '#', "#####\n#####\n#####\n"},
        {"over the right edge", {4, 0, 9, 2}, '#', "....#\n....#\n.....\n"},
        {"over the left edge", {-3, 2, 4, 9}, '#', ".....\n.....\n#....\n"},
        {"outside", {5, 0, 3, 3}, '#', ".....\n.....\n.....\n"},
        {"no height", {0, 0, 5, 0}, '#', ".....\n.....\n.....\n"},
        {"negative", {4, 2, -3, -3}, '#', ".....\n.....\n.....\n"},
        {"wide characters, odd width", {0, 0, 3, 1}, 0x672c, "本 ..\n.....\n.....\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        dotted(&c, 5, 3);
        canvas_fill(&c, cases[i].r, STYLE_TEXT, cases[i].cp);
        expect_dump(cases[i].what, &c, cases[i].dump);
        canvas_destroy(&c);
    }
}

static void test_printf(void **state) {
    (void)state;
    struct canvas c;
    dotted(&c, 8, 1);
    assert_int_equal(canvas_printf(&c, canvas_rect(&c), 1, 0, STYLE_VALUE, "%5.1f%%", 48.04), 6);
    expect_dump("printf", &c, ". 48.0%.\n");
    assert_int_equal(c.at[2].style, STYLE_VALUE);
    assert_int_equal(c.at[7].style, STYLE_DIM);
    canvas_destroy(&c);
}

static void test_select_and_fade(void **state) {
    (void)state;
    struct canvas c;
    assert_int_equal(canvas_init(&c, 4, 2), 0);
    canvas_text(&c, canvas_rect(&c), 0, 0, STYLE_VALUE, "ab");
    canvas_fill(&c, (struct rect){0, 1, 2, 1}, STYLE_BACKEND_FILL, ' ');

    canvas_select(&c, (struct rect){1, 0, 99, 1});
    static const uint8_t want[] = {0, 1, 1, 1, 0, 0, 0, 0};
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(c.at[i].selected, want[i]);
    assert_int_equal(c.at[1].style, STYLE_VALUE); /* the style stays */

    canvas_put(&c, canvas_rect(&c), 1, 0, STYLE_TEXT, 'x'); /* what is drawn anew is not selected */
    assert_int_equal(c.at[1].selected, 0);

    canvas_fade(&c, (struct rect){-1, -1, 4, 9});
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++)
            assert_int_equal(c.at[y * 4 + x].style, STYLE_DIM);
    assert_int_equal(c.at[2].selected, 0);
    assert_int_equal(c.at[3].selected, 1); /* outside */
    expect_dump("a bar keeps its shape when it fades", &c, "ax\n░░\n");
    canvas_destroy(&c);
}

/* Two hues in a cell: the ground goes with what is drawn there next, and behind a popup. */
static void test_mixed(void **state) {
    (void)state;
    struct canvas c;
    assert_int_equal(canvas_init(&c, 3, 1), 0);
    for (int x = -1; x < 5; x++)
        canvas_put_on(&c, (struct rect){0, 0, 2, 1}, x, 0, STYLE_BACKEND_QUIET, STYLE_FRONTEND_GREY,
                      0x2583);
    expect_dump("clipped", &c, "▃▃\n");
    assert_int_equal(c.at[1].style, STYLE_BACKEND_QUIET);
    assert_int_equal(c.at[1].ground, STYLE_FRONTEND_GREY);
    assert_int_equal(c.at[2].ground, STYLE_TEXT);
    canvas_put(&c, canvas_rect(&c), 0, 0, STYLE_BACKEND, 'x');
    assert_int_equal(c.at[0].ground, STYLE_TEXT);
    canvas_fade(&c, canvas_rect(&c));
    assert_int_equal(c.at[1].ground, STYLE_TEXT);
    expect_dump("a shared cell keeps the bar's shape", &c, "x░\n");
    canvas_destroy(&c);
}

static void test_dump(void **state) {
    (void)state;
    struct canvas c;
    assert_int_equal(canvas_init(&c, 5, 3), 0);
    expect_dump("blank", &c, "\n\n\n");
    canvas_text(&c, canvas_rect(&c), 1, 1, STYLE_TEXT, "日 b");
    expect_dump("inner blanks stay", &c, "\n 日 b\n\n");

    /* Cut at whole characters, always terminated. */
    const char *whole = "\n 日 b\n\n";
    for (size_t cap = 1; cap <= strlen(whole) + 1; cap++) {
        char *buf = malloc(cap);
        assert_non_null(buf);
        const size_t n = canvas_dump(&c, buf, cap);
        assert_true(n < cap && n == strlen(buf));
        assert_memory_equal(buf, whole, n);
        assert_true(n + 4 > cap || n == strlen(whole));
        free(buf);
    }
    char none = 'x';
    assert_int_equal(canvas_dump(&c, &none, 0), 0);
    assert_int_equal(none, 'x');
    canvas_clear(&c);
    expect_dump("cleared", &c, "\n\n\n");
    canvas_destroy(&c);
}

/* A canvas without cells is drawn on without harm: a terminal may be 0x0 for a moment. */
static void test_empty(void **state) {
    (void)state;
    static const int sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {-1, -1}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct canvas c;
        assert_int_equal(canvas_init(&c, sizes[i][0], sizes[i][1]), 0);
        canvas_text(&c, (struct rect){0, 0, 9, 9}, 0, 0, STYLE_TEXT, "日b");
        canvas_fill(&c, (struct rect){0, 0, 9, 9}, STYLE_TEXT, '#');
        canvas_select(&c, (struct rect){0, 0, 9, 9});
        canvas_fade(&c, (struct rect){0, 0, 9, 9});
        canvas_destroy(&c);
        assert_null(c.at);
        canvas_destroy(&c);
    }
}

/* Random drawing never breaks the rule about halves, whatever is written where. */
static void test_halves_hold(void **state) {
    (void)state;
    static const uint32_t cps[] = {'a', ' ', 0x65e5, 0x1f600, 0x301, 0x2588};
    struct canvas c;
    assert_int_equal(canvas_init(&c, 7, 4), 0);
    uint32_t r = 12345;
    for (int i = 0; i < 20000; i++) {
        int v[6];
        for (size_t k = 0; k < COUNT(v); k++) {
            r = r * 1664525u + 1013904223u;
            v[k] = (int)(r >> 16) % 12 - 3;
        }
        const uint32_t cp = cps[(r >> 8) % COUNT(cps)];
        const struct rect clip = {v[0], v[1], v[2], v[3]};
        if (i % 5 == 0)
            canvas_fill(&c, clip, STYLE_TEXT, cp);
        else
            canvas_put(&c, clip, v[4], v[5], STYLE_TEXT, cp);
        for (int at = 0; at < c.w * c.h; at++) {
            const bool wide = c.at[at].cp == 0x65e5 || c.at[at].cp == 0x1f600;
            const bool has_half = at % c.w + 1 < c.w && c.at[at + 1].cp == 0;
            if (wide != has_half)
                fail_msg("step %d: cell %d,%d", i, at % c.w, at / c.w);
        }
        if (i % 97 == 0)
            canvas_clear(&c);
    }
    canvas_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_clipping),
        cmocka_unit_test(test_wide_overwritten),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_select_and_fade),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_halves_hold),
    };
    return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
