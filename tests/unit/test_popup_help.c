/* The help: what can be done here comes first, sections, pages, lines with a text. */
#include "alone.h"

#include "ui/popup/help.h"
#include "ui/screen/keys.h"

static void open_at(struct fixture *f, int w, int h, const char *pressed) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 12);
    fixture_keys(f, pressed);
    screen_draw(&f->sc);
    assert_ptr_equal(f->sc.popup, &popup_help);
}

static void test_golden(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(alone_sizes) / sizeof(alone_sizes[0]); i++) {
        struct fixture f;
        char name[64];
        open_at(&f, alone_sizes[i].w, alone_sizes[i].h, "6?/duty\n");
        snprintf(name, sizeof(name), "help_find_%s", alone_sizes[i].name);
        alone_golden(&f, &popup_help, name);
        fixture_close(&f);
    }
}

static void test_here(void **state) {
    (void)state;
    static const struct {
        const char *keys, *heading, *words;
    } cases[] = {
        {"?", "Here: Tree", "open or close the branch"},
        {"6?", "Here: Metrics", "sort by another column"},
        {"4?", "Here: Threads", "sort by another column"},
        {"9?", "Here: Doctor", "tdtop itself"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        open_at(&f, 80, 24, cases[i].keys);
        if (!alone_shows(&f, &popup_help, cases[i].heading) ||
            !alone_shows(&f, &popup_help, cases[i].words))
            fail_msg("%s: no \"%s\"", cases[i].keys, cases[i].words);
        assert_int_equal(((struct help *)screen_popup(&f.sc, &popup_help))->section[0], 0);
        fixture_close(&f);
    }
}

static void test_find(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24, "?/baseline");
    assert_int_equal(keys_context(&f.sc), IN_SEARCH);
    assert_true(alone_shows(&f, &popup_help, "lines with \"baseline\""));
    assert_true(alone_shows(&f, &popup_help, "pin a baseline: since the last change"));
    assert_false(alone_shows(&f, &popup_help, "one row up"));
    fixture_keys(&f, "zz");
    assert_true(alone_shows(&f, &popup_help, "No line has that"));
    assert_true(((struct help *)screen_popup(&f.sc, &popup_help))->find.missing);
    screen_key(&f.sc, 0x15, NULL); /* Ctrl-U */
    fixture_keys(&f, "mouse");     /* a heading: the whole section */
    assert_true(alone_shows(&f, &popup_help, "double click"));
    assert_true(alone_shows(&f, &popup_help, "the terminal selects text itself"));
    assert_false(alone_shows(&f, &popup_help, "one row up"));
    screen_key(&f.sc, KEYC_ENTER, NULL);
    screen_key(&f.sc, KEYC_ESC, NULL); /* one level back: all lines */
    assert_ptr_equal(f.sc.popup, &popup_help);
    assert_true(alone_shows(&f, &popup_help, "Here: Tree"));
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_null(f.sc.popup);
    fixture_keys(&f, "?/baseline\n??"); /* opened anew it shows all */
    assert_true(alone_shows(&f, &popup_help, "Here: Tree"));
    fixture_close(&f);
}

static void test_sections(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24, "?");
    int n = ((struct help *)screen_popup(&f.sc, &popup_help))->n_section;
    assert_true(n > 8 && n < HELP_SECTIONS);
    for (int i = 1; i < 4; i++) {
        screen_key(&f.sc, KEYC_RIGHT, NULL);
        screen_draw(&f.sc);
        assert_int_equal(f.sc.text.top,
                         ((struct help *)screen_popup(&f.sc, &popup_help))->section[i]);
    }
    screen_key(&f.sc, KEYC_LEFT, NULL);
    assert_int_equal(f.sc.text.top, ((struct help *)screen_popup(&f.sc, &popup_help))->section[2]);
    fixture_keys(&f, "G");
    screen_draw(&f.sc);
    int n_page = 0, at = 0;
    static char text[80 * 24 * 4];
    canvas_dump(&f.sc.canvas, text, sizeof(text));
    const char *title = strstr(text, "page ");
    assert_non_null(title);
    assert_int_equal(sscanf(title, "page %d of %d", &at, &n_page), 2);
    assert_true(at == n_page && n_page > 3); /* the last one */
    fixture_close(&f);
}

/* Nothing of it is cut, however narrow: the last words of each line are there. */
static void test_is_whole(void **state) {
    (void)state;
    static const int widths[] = {40, 57, 80, 200};
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct fixture f;
        open_at(&f, widths[i], 24, "?");
        do {
            const char *text = alone_text(&f, &popup_help, false);
            if (strstr(text, "…"))
                fail_msg("%d columns cut:\n%s", widths[i], text);
            screen_key(&f.sc, KEYC_PGDN, NULL);
        } while (f.sc.text.top < f.sc.text.n - f.sc.text.lines);
        fixture_close(&f);
    }
}

static void test_inside(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24, "?");
    alone_inside(&f, &popup_help, 300, 100);
    fixture_keys(&f, "/run");
    alone_inside(&f, &popup_help, 100, 30);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),   cmocka_unit_test(test_here),
        cmocka_unit_test(test_find),     cmocka_unit_test(test_sections),
        cmocka_unit_test(test_is_whole), cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
