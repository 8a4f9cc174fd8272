/* Bars and sparklines as text. */
#include "ui/draw/widget.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GAP NAN

static char text[4096];

static const char *dump(struct canvas *c) {
    canvas_dump(c, text, sizeof(text));
    canvas_destroy(c);
    return text;
}

static void test_text(void **state) {
    (void)state;
    static const struct {
        const char *what, *in;
        int w;
        const char *left, *right;
    } cases[] = {
        {"fits", "abc", 5, "abc\n", "  abc\n"},
        {"fits exactly", "abcde", 5, "abcde\n", "abcde\n"},
        {"is cut", "abcdef", 5, "abcd…\n", "abcd…\n"},
        {"multi-byte fits", "äöü≈◀", 5, "äöü≈◀\n", "äöü≈◀\n"},
        {"multi-byte is cut", "äöü≈◀x", 5, "äöü≈…\n", "äöü≈…\n"},
        {"wide is cut before its half", "漢字漢字", 5, "漢字…\n", "漢字…\n"},
        {"nothing", "", 5, "\n", "\n"},
        {"no room", "abc", 0, "\n", "\n"},
        {"room for the sign alone", "abc", 1, "…\n", "…\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct canvas c;
        canvas_init(&c, 12, 1);
        int used = widget_text(&c, canvas_rect(&c), 0, 0, cases[i].w, STYLE_TEXT, cases[i].in);
        if (strcmp(dump(&c), cases[i].left) != 0 || used > cases[i].w)
            fail_msg("%s: %d columns, %s", cases[i].what, used, text);
        canvas_init(&c, 12, 1);
        widget_right(&c, canvas_rect(&c), 0, 0, cases[i].w, STYLE_TEXT, cases[i].in);
        if (strcmp(dump(&c), cases[i].right) != 0)
            fail_msg("%s, right: %s", cases[i].what, text);
    }
}

static void test_bar(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double share;
        const char *bar;
    } cases[] = {
        {"nothing", 0, "\n"},
        {"unknown", NAN, "\n"},
        {"negative draws nothing; its number tells", -0.04, "\n"},
        {"a trace is seen", 0.0001, "▏\n"},
        {"one eighth of a cell", 0.0125, "▏\n"},
        {"half a cell", 0.05, "▌\n"},
        {"seven eighths", 0.0875, "▉\n"},
        {"one cell", 0.1, "█\n"},
        {"two and a quarter", 0.225, "██▎\n"},
        {"all", 1, "██████████\n"},
        {"more than all", 1.3, "██████████\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct canvas c;
        canvas_init(&c, 12, 1);
        widget_bar(&c, canvas_rect(&c), 0, 0, 10, STYLE_TEXT, cases[i].share);
        if (strcmp(dump(&c), cases[i].bar) != 0)
            fail_msg("%s: %s", cases[i].what, text);
    }
}

/* Halves of a cell; the limit on the bar, or behind its end. */
static void test_share(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double share;
        bool hollow;
        double limit;
        const char *bar;
    } cases[] = {
        {"nothing", 0, false, NAN, "\n"},
        {"unknown", NAN, false, 0.5, "     ┊\n"},
        {"a trace is seen", 0.001, false, NAN, "╸\n"},
        {"half a cell", 0.05, false, NAN, "╸\n"},
        {"one and a half", 0.15, false, NAN, "━╸\n"},
        {"below its limit", 0.2, false, 0.5, "━━   ┊\n"},
        {"over it", 0.8, false, 0.5, "━━━━━┿━━\n"},
        {"of something else", 0.35, true, NAN, "───╴\n"},
        {"and over its limit", 0.4, true, 0.1, "─┼──\n"},
        {"more than all", 1.3, false, NAN, "━━━━━━━━━━\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct canvas c;
        canvas_init(&c, 12, 1);
        widget_share(&c, canvas_rect(&c), 0, 0, 10, STYLE_TEXT, cases[i].share, cases[i].hollow,
                     cases[i].limit);
        if (strcmp(dump(&c), cases[i].bar) != 0)
            fail_msg("%s: %s", cases[i].what, text);
    }
}

static void test_nice_top(void **state) {
    (void)state;
    static const struct {
        double max, top;
    } cases[] = {{0.03, 0.05}, {0.07, 0.1},  {0.1, 0.1}, {0.11, 0.25}, {0.26, 0.5},
                 {0.5, 0.5},   {0.51, 1},    {1, 1},     {1.01, 2.5},  {3.7, 5},
                 {7, 10},      {1800, 2500}, {0, 1},     {NAN, 1},     {-3, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (fabs(widget_nice_top(cases[i].max) - cases[i].top) > 1e-9)
            fail_msg("%g: %g", cases[i].max, widget_nice_top(cases[i].max));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_nice_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
