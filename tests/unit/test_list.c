/* A list: the selection, what of it is seen, what keys and the mouse do, and what stays when the
 * rows change. */
#include "ui/draw/list.h"

#include "ui/term/term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The selected row is always inside, and no line stays empty while there are rows for it. */
static void test_fit(void **state) {
    (void)state;
    struct list l = {.n = 10};
    for (int h = 1; h <= 12; h++)
        for (int step = 0; step < 40; step++) {
            list_move(&l, step % 7 == 0 ? -5 : 2);
            list_fit(&l, h);
            if (l.at < l.top || l.at >= l.top + h || l.top < 0 || (l.top && l.top + h > l.n))
                fail_msg("%d lines, row %d: begins at %d", h, l.at, l.top);
        }
}

static void test_keys(void **state) {
    (void)state;
    /* u d U D H E: line, page, end. */
    static const struct {
        const char *keys;
        int per_line, at;
        bool chosen;
    } cases[] = {{"", 1, 0, false},    {"d", 1, 1, true},    {"ddu", 1, 1, true}, {"u", 1, 0, true},
                 {"D", 1, 3, true},    {"DDD", 1, 9, true},  {"EU", 1, 6, true},  {"E", 1, 9, true},
                 {"EH", 1, 0, false},  {"d", 3, 3, true},    {"dd", 3, 6, true},  {"D", 3, 9, true},
                 {"EuH", 3, 0, false}, {"dddu", 3, 6, true}, {"DU", 3, 0, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct list l = {.n = 10, .per_line = cases[i].per_line};
        list_fit(&l, 4);
        for (const char *k = cases[i].keys; *k; k++)
            if (*k == 'u' || *k == 'd')
                list_step(&l, *k == 'u' ? -1 : 1);
            else if (*k == 'U' || *k == 'D')
                list_page(&l, *k == 'U' ? -1 : 1);
            else
                list_end(&l, *k == 'E');
        if (l.at != cases[i].at || l.chosen != cases[i].chosen)
            fail_msg("%s: row %d, wanted %d", cases[i].keys, l.at, cases[i].at);
    }
}

static void test_mouse(void **state) {
    (void)state;
    const struct rect r = {5, 10, 20, 4};
    static const struct {
        const char *what;
        struct mouse m;
        enum list_did did;
        int at, n;
    } cases[] = {
        {"a row", {6, 11, MOUSE_PRESS}, LIST_MOVED, 3, 6},
        {"again", {6, 11, MOUSE_PRESS}, LIST_AGAIN, 3, 6},
        {"twice", {24, 10, MOUSE_DOUBLE}, LIST_DOUBLE, 2, 6},
        {"above", {6, 9, MOUSE_PRESS}, LIST_NOTHING, 2, 6},
        {"below", {6, 14, MOUSE_PRESS}, LIST_NOTHING, 2, 6},
        {"to the left", {4, 11, MOUSE_PRESS}, LIST_NOTHING, 2, 6},
        {"to the right", {25, 11, MOUSE_PRESS}, LIST_NOTHING, 2, 6},
        {"dragged", {6, 12, MOUSE_DRAG}, LIST_NOTHING, 2, 6},
        {"the wheel", {6, 11, MOUSE_WHEEL_DOWN}, LIST_MOVED, 5, 6},
        {"back", {6, 11, MOUSE_WHEEL_UP}, LIST_MOVED, 2, 6},
        {"the last", {6, 13, MOUSE_PRESS}, LIST_MOVED, 5, 6},
        {"no row there", {6, 13, MOUSE_PRESS}, LIST_NOTHING, 4, 5},
    };
    struct list l = {.n = 6, .top = 2, .lines = 4};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (l.n != cases[i].n)
            list_follow(&l, cases[i].n, -1);
        const enum list_did did = list_mouse(&l, r, &cases[i].m);
        if (did != cases[i].did || l.at != cases[i].at)
            fail_msg("%s: %d, row %d; wanted %d, %d", cases[i].what, (int)did, l.at,
                     (int)cases[i].did, cases[i].at);
    }
    l.wheel = 1;
    list_mouse(&l, r, &(struct mouse){6, 11, MOUSE_WHEEL_UP});
    assert_int_equal(l.at, 3);
}

static void count(void *owner) {
    ++*(int *)owner;
}

/* The first row until somebody has chosen; who owns the list hears of choices, not of what follows.
 */
static void test_follow(void **state) {
    (void)state;
    int heard = 0;
    struct list l = {.moved = count, .owner = &heard};
    assert_true(list_follow(&l, 5, 3));
    assert_int_equal(l.at, 0);
    list_move(&l, 2);
    assert_int_equal(heard, 1);
    assert_true(list_follow(&l, 5, 4));
    assert_int_equal(l.at, 4);
    assert_false(list_follow(&l, 3, -1)); /* its place has another */
    assert_int_equal(l.at, 2);
    assert_int_equal(heard, 1);
    list_end(&l, false);
    assert_int_equal(heard, 2);
    assert_true(list_follow(&l, 3, 2));
    assert_int_equal(l.at, 0);
    list_select(&l, 99);
    assert_int_equal(l.at, 2);
    list_follow(&l, 0, -1);
    assert_int_equal(l.at, 0);
    list_select(&l, 0);
    assert_false(l.chosen);
}

/* A text has no selection: its first line moves, as far as its last is seen. */
static void test_text(void **state) {
    (void)state;
    struct list l = {.n = 30, .text = true};
    list_fit(&l, 10);
    list_step(&l, 3);
    assert_int_equal(l.top, 3);
    list_page(&l, 1);
    assert_int_equal(l.top, 12);
    list_end(&l, true);
    assert_int_equal(l.top, 20);
    list_fit(&l, 25);
    assert_int_equal(l.top, 5);
    list_step(&l, 1);
    assert_int_equal(l.top, 5);
    assert_int_equal(list_mouse(&l, (struct rect){0, 0, 9, 9}, &(struct mouse){1, 1, MOUSE_PRESS}),
                     LIST_NOTHING);
    list_mouse(&l, (struct rect){0, 0, 9, 9}, &(struct mouse){1, 1, MOUSE_WHEEL_UP});
    assert_int_equal(l.top, 2);
}

static void test_more(void **state) {
    (void)state;
    static const struct {
        int n, per_line, at, lines;
        const char *words;
    } cases[] = {{9, 1, 0, 9, ""},         {9, 1, 0, 4, " ↓5"},  {9, 1, 5, 4, " ↑2 ↓3"},
                 {9, 1, 8, 4, " ↑5"},      {0, 1, 0, 4, ""},     {20, 4, 0, 3, " ↓8"},
                 {20, 4, 13, 3, " ↑4 ↓4"}, {19, 4, 18, 3, " ↑8"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct list l = {.n = cases[i].n, .per_line = cases[i].per_line};
        char text[48];
        list_select(&l, cases[i].at);
        list_fit(&l, cases[i].lines);
        assert_string_equal(list_more(&l, text, sizeof(text)), cases[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),    cmocka_unit_test(test_keys), cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_follow), cmocka_unit_test(test_text), cmocka_unit_test(test_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
