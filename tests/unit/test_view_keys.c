/* Keys and the mouse, by what they change on the screen; popups and the search as whole screens. */
#include "ui_fixture.h"

#include "base/clock.h"

#include "ui/screen/keys.h"

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
    f->sc.scene.focus = FOCUS_OPEN;
    fixture_rows_stay(f);
}

static const char *selected(const struct fixture *f) {
    return f->s.model.metric[scene_selected(&f->sc.scene)].name;
}

static void press(struct fixture *f, uint32_t key) {
    screen_key(&f->sc, key, NULL);
}

/* --- the table --- */

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < n_keys; i++) {
        const struct key_binding *k = &keys[i];
        if (keys_is_heading(k)) {
            assert_true(k->words && !k->show && !k->key[0]);
            continue;
        }
        const int does = (k->act != NULL) + (k->step != NULL) + (k->view_act != NULL) +
                         (k->view_step != NULL) + (k->view != NULL);
        assert_int_equal(does - (k->back && !k->view), 1);
        assert_true(k->key[0] != 0 || (!k->words && !k->brief)); /* for the palette alone */
        assert_true(!k->words == !k->show);
    }
    assert_null(keys_find(0, IN_TREE));
    assert_null(keys_find('X', IN_TREE));
}

/* Every key and every letter, in every context, at several sizes: nothing breaks. */
static void test_all_keys(void **state) {
    (void)state;
    static const int size[][2] = {{120, 40}, {40, 6}, {20, 3}, {300, 100}};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        struct fixture f;
        open_at(&f, size[i][0], size[i][1]);
        for (uint32_t key = 1; key < 0x180; key++) {
            press(&f, key);
            screen_draw(&f.sc);
        }
        for (uint32_t key = KEYC_UP; key <= KEYC_RESIZE; key++) {
            press(&f, key);
            screen_draw(&f.sc);
        }
        fixture_close(&f);
    }
}

/* Esc at the top goes back to where the target was chosen, and says so; elsewhere it stays. */
static void test_return(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 40);
    press(&f, KEYC_ESC);
    assert_false(f.sc.quit);
    screen_draw(&f.sc);
    assert_null(strstr(golden_text(&f.sc.canvas, false), "Esc back"));
    f.sc.returns = true;
    screen_draw(&f.sc);
    assert_non_null(strstr(golden_text(&f.sc.canvas, false), "Esc back"));
    press(&f, '3');
    press(&f, KEYC_ESC); /* to the tree */
    press(&f, '?');
    press(&f, KEYC_ESC); /* the help closes */
    assert_false(f.sc.quit || f.sc.returned);
    press(&f, KEYC_ESC);
    assert_true(f.sc.quit && f.sc.returned);
    fixture_close(&f);
    open_at(&f, 120, 40);
    f.sc.returns = true;
    press(&f, 'q');
    assert_true(f.sc.quit && !f.sc.returned);
    fixture_close(&f);
}

/* Each of the function keys does or says something, in any view. */
static void function_keys(void **state) {
    (void)state;
    for (uint32_t view = '1'; view <= '9'; view++)
        for (uint32_t key = KEYC_F3; key < KEYC_F10; key++) {
            struct fixture f;
            open_at(&f, 120, 40);
            press(&f, view);
            press(&f, key);
            if (!keys_find(key, keys_context_of(f.sc.scene.view)) && !f.sc.message[0])
                fail_msg("view %c: F%d is silent", (int)view, (int)(key - KEYC_F1) + 1);
            fixture_close(&f);
        }
}

/* --- the tree --- */

static void test_tree(void **state) {
    (void)state;
    static const struct {
        const char *keys, *selected;
    } cases[] = {
        {"", "L3_Bound"}, /* the end of the bottleneck path */
        {"k", "L2_Bound"},
        {"j", "DRAM_Bound"},
        {"g", "Frontend_Bound"},
        {"Gk", "Heavy_Operations"},
        {"gj", "Fetch_Latency"},
        {"g<j", "Bad_Speculation"},
        {">", "L3_Bound"},
        {">>", "Contested_Accesses"},
        {"<", "Memory_Bound"},
        {"<<", "Memory_Bound"},
        {"<<<", "Backend_Bound"},
        {"((", "Backend_Bound"}, /* a level less, twice */
        {"(", "Memory_Bound"},
        {"((g)j", "Fetch_Latency"},
        {"GB", "L3_Bound"},
        {"G>>", "IPC"},
        {"G>G", "GHz"},
        {"g*jjjjjjjjjj", "L3_Bound"},
        {"g**", "Frontend_Bound"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        open_at(&f, 120, 40);
        fixture_keys(&f, cases[i].keys);
        if (strcmp(selected(&f), cases[i].selected) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].keys, selected(&f), cases[i].selected);
        fixture_close(&f);
    }
}

/* The path is opened once; the user's own choice is not taken back. */
static void test_path_once(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "((g");
    fixture_run(&f, 20);
    assert_string_equal(selected(&f), "Frontend_Bound");
    assert_false(fixture_shows(&f, "    L3_Bound  "));
    fixture_close(&f);

    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    fixture_keys(&f, "j"); /* before the first interval */
    fixture_run(&f, 20);
    assert_string_equal(selected(&f), "Fetch_Latency");
    assert_true(fixture_shows(&f, "▸ L3_Bound"));
    fixture_close(&f);
}

static void test_everything_open(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "*");
    fixture_golden(&f, "all_120x40");
    assert_int_equal(screen_resize(&f.sc, 60, 14), 0);
    fixture_golden(&f, "all_60x14");
    fixture_close(&f);
}

/* --- freezing and the interval --- */

static void test_freeze(void **state) {
    (void)state;
    struct fixture f;
    static char before[64 * 1024], after[64 * 1024];
    open_at(&f, 120, 40);
    fixture_keys(&f, " ");
    assert_true(f.sc.scene.frozen && f.s.control.paused);
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, before, sizeof(before));
    fixture_run(&f, 7);
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, after, sizeof(after));
    assert_string_equal(before, after);
    assert_true(fixture_shows(&f, "FROZEN 00:00:20"));
    assert_int_equal(screen_resize(&f.sc, 80, 24), 0);
    fixture_golden(&f, "frozen_80x24");
    fixture_keys(&f, " ");
    assert_true(fixture_shows(&f, "LIVE 00:00:27"));
    assert_false(f.s.control.paused);
    fixture_close(&f);
}

static void test_interval(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    static const struct {
        const char *keys;
        uint64_t ms;
    } cases[] = {{"+", 2000},  {"+", 5000},  {"+++", 10000}, {"-", 5000},
                 {"---", 500}, {"----", 20}, {"--", 20},     {"+", 50}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_keys(&f, cases[i].keys);
        assert_int_equal(f.s.control.interval_ns, cases[i].ms * NS_PER_MS);
    }
    assert_true(fixture_shows(&f, "interval 50ms"));
    fixture_keys(&f, "j");
    assert_false(fixture_shows(&f, "interval 50ms"));
    f.s.source.live = false; /* a recording */
    fixture_keys(&f, "+");
    assert_int_equal(f.s.control.interval_ns, 50 * NS_PER_MS);
    assert_true(fixture_shows(&f, "a recording keeps"));
    fixture_close(&f);
}

/* What is of the tree says so where there is no node to choose. */
static void test_of_tree(void **state) {
    (void)state;
    struct fixture f;
    for (const char *view = "tc"; *view; view++) {
        open_at(&f, 120, 40);
        press(&f, (uint32_t)*view);
        press(&f, 'x');
        assert_true(fixture_shows(&f, "x shows a value of the tree: 1"));
        press(&f, 'e');
        assert_true(fixture_shows(&f, "e explains a node of the tree: 1"));
        assert_null(f.sc.popup);
        fixture_close(&f);
    }
}

/* --- popups --- */

static void test_help(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    fixture_keys(&f, "?");
    fixture_golden(&f, "help_80x24");
    press(&f, KEYC_PGDN);
    fixture_golden(&f, "help_page2_80x24");
    press(&f, KEYC_END);
    press(&f, KEYC_DOWN);
    int end = f.sc.text.top;
    screen_draw(&f.sc);
    assert_int_equal(f.sc.text.top, f.sc.text.n - f.sc.text.lines);
    assert_int_equal(f.sc.text.top, end);
    press(&f, KEYC_HOME);
    assert_int_equal(f.sc.text.top, 0);
    fixture_keys(&f, "q");
    assert_false(f.sc.quit);
    assert_null(f.sc.popup);
    fixture_keys(&f, "q");
    assert_true(f.sc.quit);
    fixture_close(&f);
}

/* Every binding that has words is on the help, wherever one scrolls to. */
static void test_help_is_whole(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 200);
    fixture_keys(&f, "?");
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].words && !fixture_shows(&f, keys[i].words))
            fail_msg("the help does not say \"%s\"", keys[i].words);
    fixture_close(&f);
}

/* A value by a fallback formula says what it leaves out. */
static void test_explain_approximate(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    fixture_keys(&f, "/Queue_Full\ne");
    fixture_golden(&f, "explain_approximate_80x24");
    fixture_close(&f);
}

static void test_explain(void **state) {
    (void)state;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {40, 6}};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        char name[64];
        open_at(&f, sizes[i][0], sizes[i][1]);
        fixture_keys(&f, "e");
        snprintf(name, sizeof(name), "explain_%dx%d", sizes[i][0], sizes[i][1]);
        fixture_golden(&f, name);
        fixture_close(&f);
    }
}

/* What closes what. */
static void test_ways_out(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t open, close;
        bool quits;
    } cases[] = {
        {"Esc closes help", '?', KEYC_ESC, false},
        {"q closes help", '?', 'q', false},
        {"? closes help", '?', '?', false},
        {"Enter closes help", '?', KEYC_ENTER, false},
        {"e closes explain", 'e', 'e', false},
        {"F1 over explain", 'e', KEYC_F1, false},
        {"F10 quits from help", '?', KEYC_F10, true},
        {"Ctrl-C quits", 'e', KEYC_CTRL_C, true},
        {"Ctrl-C in a search", '/', KEYC_CTRL_C, true},
        {"q in a search is a letter", '/', 'q', false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        open_at(&f, 120, 40);
        press(&f, cases[i].open);
        press(&f, cases[i].close);
        if (f.sc.quit != cases[i].quits)
            fail_msg("%s: quit is %d", cases[i].what, f.sc.quit);
        bool help_over_explain = cases[i].close == KEYC_F1;
        if (!f.sc.quit && (f.sc.popup != NULL) != help_over_explain)
            fail_msg("%s: popup is %s", cases[i].what, f.sc.popup ? f.sc.popup->name : "closed");
        fixture_close(&f);
    }
}

/* --- search --- */

static void test_search(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "g/bound");
    assert_string_equal(selected(&f), "Frontend_Bound");
    fixture_golden(&f, "search_120x40");
    press(&f, KEYC_ENTER);
    fixture_keys(&f, "nn");
    assert_string_equal(selected(&f), "Memory_Bound");
    fixture_keys(&f, "N");
    assert_string_equal(selected(&f), "Backend_Bound");
    fixture_keys(&f, "NN");
    assert_string_equal(selected(&f), "Core_Bound"); /* round the end */
    press(&f, KEYC_ESC);
    fixture_keys(&f, "n");
    assert_true(fixture_shows(&f, "nothing to search for"));

    fixture_keys(&f, "g/contested"); /* in a closed branch */
    assert_string_equal(selected(&f), "Contested_Accesses");
    press(&f, KEYC_ESC);
    assert_string_equal(selected(&f), "Frontend_Bound");
    fixture_keys(&f, "/xyz");
    assert_true(fixture_shows(&f, "not found"));
    for (int i = 0; i < 5; i++)
        press(&f, KEYC_BACKSPACE);
    assert_false(fixture_shows(&f, "not found"));
    for (int i = 0; i < 100; i++)
        press(&f, 0x20ac);
    press(&f, KEYC_BACKSPACE);
    screen_draw(&f.sc);
    fixture_close(&f);
}

/* --- mouse --- */

static void click(struct fixture *f, int x, int y, int what) {
    struct mouse m = {.x = x, .y = y};
    m.what = what;
    screen_draw(&f->sc);
    screen_key(&f->sc, KEYC_MOUSE, &m);
}

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct rect tree = f.sc.panes[LAYOUT_TREE].at[PANE_TREE];
    click(&f, 10, tree.y + 2, MOUSE_PRESS);
    assert_string_equal(selected(&f), "Fetch_Latency");
    click(&f, 10, tree.y + 1, MOUSE_DOUBLE);
    assert_string_equal(selected(&f), "Frontend_Bound");
    assert_false(fixture_shows(&f, "Fetch_Latency"));
    click(&f, 10, tree.y, MOUSE_PRESS); /* the heading: nothing */
    assert_string_equal(selected(&f), "Frontend_Bound");
    click(&f, 10, tree.y + 5, MOUSE_WHEEL_DOWN);
    assert_string_equal(selected(&f), "Machine_Clears");
    click(&f, 10, tree.y + 5, MOUSE_WHEEL_UP);
    assert_string_equal(selected(&f), "Frontend_Bound");
    click(&f, 10, tree.y + tree.h - 1, MOUSE_PRESS); /* below the last row: nothing */
    assert_string_equal(selected(&f), "Frontend_Bound");
    click(&f, 118, f.sc.panes[LAYOUT_TREE].at[PANE_FUNNEL].y + 1, MOUSE_PRESS);
    assert_string_equal(selected(&f), "Retiring");

    click(&f, 106, 39, MOUSE_PRESS); /* ? help */
    assert_ptr_equal(f.sc.popup, &popup_help);
    click(&f, 60, 20, MOUSE_WHEEL_DOWN);
    assert_int_equal(f.sc.text.top, 3);
    click(&f, 2, 39, MOUSE_PRESS); /* the first key of a popup's key line */
    for (int x = 0; x < 130; x++)
        for (int y = -1; y < 42; y++)
            click(&f, x, y, MOUSE_PRESS);
    fixture_close(&f);
}

/* A double click means something on rows; on keys, names and borders it is two presses. */
static void test_two_clicks(void **state) {
    (void)state;
    struct fixture f;
    int x = 0;
    open_at(&f, 120, 40);
    const int y = f.sc.panes[LAYOUT_TREE].at[PANE_TITLE].y;
    for (; x < 120 && !f.sc.scene.frozen; x++) {
        f.sc.popup = NULL;
        f.sc.quit = false;
        click(&f, x, y, MOUSE_PRESS); /* until it is the one that freezes */
    }
    assert_true(f.sc.scene.frozen);
    f.sc.popup = NULL;
    click(&f, x - 1, y, MOUSE_DOUBLE);
    assert_false(f.sc.scene.frozen);
    const struct rect tabs = f.sc.panes[LAYOUT_TREE].at[PANE_KEYS];
    for (x = 0; x < 120 && f.sc.scene.view != &view_funnel; x++)
        click(&f, x, tabs.y, MOUSE_DOUBLE);
    assert_ptr_equal(f.sc.scene.view, &view_funnel);
    screen_view(&f.sc, &view_tree);
    const struct rect plot = f.sc.panes[LAYOUT_TREE].at[PANE_PLOT];
    click(&f, 20, plot.y, MOUSE_DOUBLE);
    assert_true(f.sc.border > 0);
    fixture_close(&f);
}

/* What is said lies over the keys: a click there takes it away, and presses none that nobody sees.
 */
static void test_click_on_message(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    const int y = f.sc.panes[LAYOUT_TREE].at[PANE_KEYS].y;
    for (int x = 0; x < 120; x++) {
        screen_say(&f.sc, "something was done");
        click(&f, x, y, MOUSE_PRESS);
        assert_false(f.sc.quit);
        assert_null(f.sc.popup);
        assert_false(f.sc.scene.frozen);
        assert_string_equal(f.sc.message, "");
    }
    for (int x = 0; x < 120 && !f.sc.popup; x++) /* without one there are keys */
        click(&f, x, y, MOUSE_PRESS);
    assert_non_null(f.sc.popup);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_all_keys),
        cmocka_unit_test(test_return),
        cmocka_unit_test(function_keys),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_path_once),
        cmocka_unit_test(test_everything_open),
        cmocka_unit_test(test_freeze),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_of_tree),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_is_whole),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_explain_approximate),
        cmocka_unit_test(test_ways_out),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_two_clicks),
        cmocka_unit_test(test_click_on_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
