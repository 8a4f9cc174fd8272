/* The table of views: what is in it fits together; digits, Tab, the mouse and the runs go around.
 */
#include "ui_fixture.h"

#include "cli/config/config.h"
#include "ui/screen/borders.h"
#include "ui/screen/keys.h"
#include "ui/screen/views.h"

#include <errno.h>

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
}

static void press(struct fixture *f, uint32_t key) {
    screen_key(&f->sc, key, NULL);
}

static void mouse(struct fixture *f, int x, int y, int what) {
    struct mouse m = {.x = x, .y = y};
    m.what = what;
    screen_draw(&f->sc);
    screen_key(&f->sc, KEYC_MOUSE, &m);
}

static void test_table(void **state) {
    (void)state;
    unsigned seen = 0;
    for (int i = 0; i < n_views; i++) {
        const struct view *v = views[i];
        char name[32];
        snprintf(name, sizeof(name), "view-%s", v->id);
        const struct key_binding *k = keys_named(name);
        if (!k || keys_of(k)[0] != (uint32_t)(unsigned char)v->digit)
            fail_msg("%s: no binding %s of the key %c", v->id, name, v->digit);
        if (i && v->digit <= views[i - 1]->digit)
            fail_msg("%s: not in the order of digits", v->id);
        if (seen & v->context)
            fail_msg("%s: another view has its context", v->id);
        seen |= v->context;
        if (v != &view_runs && (!v->draw || !v->about))
            fail_msg("%s: it is not drawn, or the help does not say what it is for", v->id);
        if (views_can_begin(v) && !strstr(config_setting("view")->help, v->id))
            fail_msg("%s: the setting 'view' does not name it (src/cli/config/config.c, "
                     "config.example.toml)",
                     v->id);
        assert_ptr_equal(k->view, v);
        assert_ptr_equal(views_find(v->id), v);
        assert_true((v->context & (IN_VIEW | IN_STORE)) == v->context);
        assert_true(!v->past || (keys_context_of(v) & IN_PAST));
    }
    assert_null(views_find("nothing"));
    /* One without keys of its own has those of all views, and of the time cursor if it has a past.
     */
    const struct view plain = {.past = false}, past = {.past = true};
    assert_ptr_equal(keys_find(' ', keys_context_of(&plain)), keys_named("freeze"));
    assert_null(keys_find(',', keys_context_of(&plain)));
    assert_ptr_equal(keys_find(',', keys_context_of(&past)), keys_named("earlier"));
}

/* Every digit at every kind of size, drawn; the digit of no view does nothing. */
static void test_digits(void **state) {
    (void)state;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}, {40, 6}, {1, 1}, {300, 100}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        f.sc.scene.base.on = false;
        for (char digit = '1'; digit <= '9'; digit++) {
            const struct view *before = f.sc.scene.view, *want = NULL;
            for (int k = 0; k < n_views; k++)
                if (views[k]->digit == digit)
                    want = views[k];
            bool goes = want && views_is_offered(&f.sc, want);
            press(&f, (uint32_t)digit);
            if (f.sc.scene.view != (goes ? want : before))
                fail_msg("%c: view %s", digit, f.sc.scene.view->id);
            screen_draw(&f.sc);
            fixture_run(&f, 1);
            screen_draw(&f.sc);
        }
        fixture_close(&f);
    }
}

/* Round and back again; what is not offered is passed. */
static void test_tab(void **state) {
    (void)state;
    struct fixture f;
    int offered = 0;
    open_at(&f, 120, 40);
    for (int i = 0; i < n_views; i++)
        offered += views_is_offered(&f.sc, views[i]);
    assert_true(offered >= 3 && offered < n_views); /* no runs here */
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < offered; i++) {
            assert_int_equal(f.sc.scene.view == &view_tree, i == 0);
            press(&f, way ? KEYC_BTAB : KEYC_TAB);
        }
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

static void test_bench_says_how(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    press(&f, '8');
    assert_ptr_equal(f.sc.scene.view, &view_bench);
    assert_true(fixture_shows(&f, "b      pins what is shown as A"));
    assert_false(fixture_shows(&f, "0 restart B"));
    press(&f, 'b');
    assert_true(f.sc.scene.base.on);
    assert_true(fixture_shows(&f, "A is pinned; B begins with the next interval"));
    fixture_run(&f, 5);
    assert_true(fixture_shows(&f, "what changed"));
    press(&f, '1');
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

/* --- the line of names --- */

static void test_tabs(void **state) {
    (void)state;
    static const struct {
        int w;
        const char *tree, *threads;
    } cases[] = {{200, "[1 Tree]  2 Funnel", "[4 Threads]  5 CPUs"},
                 {80, "[1Tree] 2Funnel  3", "3History [4Threads] 5CPUs  6"},
                 {79, "[1Tree] 2Funn", "[4Thre] 5CPUs"},
                 {72, "[1Tre] 2Fun", "[4Thr] 5CPU"},
                 {40, "[1]", "[4]"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        open_at(&f, cases[i].w, 24);
        assert_true(fixture_shows(&f, cases[i].tree));
        assert_false(fixture_shows(&f, cases[i].threads));
        press(&f, '4');
        assert_true(fixture_shows(&f, cases[i].threads));
        fixture_close(&f);
    }
}

/* Wherever one clicks on the line, the name below the mouse is where one gets. */
static void test_tabs_mouse(void **state) {
    (void)state;
    struct fixture f;
    bool tree = false, threads = false, cpus = false;
    open_at(&f, 120, 40);
    int y = f.sc.panes[LAYOUT_TREE].at[PANE_KEYS].y;
    for (int x = -1; x < 100; x++) {
        mouse(&f, x, y, MOUSE_PRESS);
        tree |= f.sc.scene.view == &view_tree;
        threads |= f.sc.scene.view == &view_threads;
        cpus |= f.sc.scene.view == &view_cpus;
    }
    assert_true(tree && threads && cpus);
    press(&f, '1');
    mouse(&f, 5, y, MOUSE_WHEEL_UP);
    assert_ptr_not_equal(f.sc.scene.view, &view_tree);
    mouse(&f, 5, y, MOUSE_WHEEL_DOWN);
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

/* --- borders --- */

static void drag(struct fixture *f, int x0, int y0, int x1, int y1) {
    mouse(f, x0, y0, MOUSE_PRESS);
    mouse(f, (x0 + x1) / 2, (y0 + y1) / 2, MOUSE_DRAG);
    mouse(f, x1, y1, MOUSE_DRAG);
    screen_draw(&f->sc);
}

static void test_borders(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60);
    const struct rect *at = f.sc.panes[LAYOUT_TREE].at;
    const struct rect side = at[PANE_SIDE], plot = at[PANE_PLOT], stack = at[PANE_STACK];
    assert_true(side.w && plot.w && stack.w);
    drag(&f, side.x - 1, side.y + 3, side.x + 9, side.y + 3);
    assert_int_equal(at[PANE_SIDE].w, side.w - 10);
    drag(&f, 20, at[PANE_PLOT].y, 20, at[PANE_PLOT].y - 4);
    assert_int_equal(at[PANE_PLOT].h, plot.h + 4);
    drag(&f, 20, at[PANE_STACK].y, 20, at[PANE_STACK].y + 1);
    assert_true(at[PANE_STACK].h < stack.h + 1 && at[PANE_STACK].h >= 6);
    for (int y = -3; y < 70; y += 5) { /* beyond all bounds */
        drag(&f, 20, at[PANE_PLOT].y, 20, y);
        drag(&f, 20, at[PANE_STACK].y, 20, y);
        drag(&f, at[PANE_SIDE].x - 1, at[PANE_SIDE].y, y * 3, 20);
        assert_true(at[PANE_TREE].h >= 4 && at[PANE_TREE].w >= 57 && at[PANE_PLOT].h >= 5);
    }
    char text[96];
    struct splits again;
    struct err err = {0};
    borders_text(&f.sc.splits, text, sizeof(text));
    assert_int_equal(borders_parse(text, &again, &err), 0);
    assert_memory_equal(&again, &f.sc.splits, sizeof(again));
    fixture_close(&f);
}

static void test_borders_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int rc, side, plot, stack;
    } cases[] = {
        {"", 0, 0, 0, 0},
        {"home", 0, 0, 0, 0},
        {"bare", 0, SPLIT_NONE, SPLIT_NONE, SPLIT_NONE},
        {"plot none, side 30%", 0, 300, SPLIT_NONE, 0},
        {"side nonesuch", -EINVAL, 0, 0, 0},
        {"Home", -EINVAL, 0, 0, 0},
        {"side 30%, plot 40.5%", 0, 300, 405, 0},
        {" stack 20% ", 0, 0, 0, 200},
        {"side", -EINVAL, 0, 0, 0},
        {"side 30", -EINVAL, 0, 0, 0},
        {"side 100%", -EINVAL, 0, 0, 0},
        {"side -5%", -EINVAL, 0, 0, 0},
        {"side nan%", -EINVAL, 0, 0, 0},
        {"lamp 30%", -EINVAL, 0, 0, 0},
        {"side 30%%", -EINVAL, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct splits sp;
        struct err err = {0};
        int rc = borders_parse(cases[i].text, &sp, &err);
        if (rc != cases[i].rc ||
            (rc == 0 &&
             (sp.side != cases[i].side || sp.plot != cases[i].plot || sp.stack != cases[i].stack)))
            fail_msg("\"%s\": rc %d, %d %d %d", cases[i].text, rc, sp.side, sp.plot, sp.stack);
        assert_true(rc == 0 || err.text[0]);
    }
}

/* One key goes through the presets and back to the first; only what was chosen is in the settings.
 */
static void test_presets(void **state) {
    (void)state;
    struct fixture f;
    int n;
    const struct layout_preset *all = layout_presets(&n);
    open_at(&f, 200, 60);
    const struct panes home = f.sc.panes[LAYOUT_TREE];
    for (int i = 1; i <= n; i++) {
        char text[64];
        struct splits again;
        press(&f, 'w');
        screen_draw(&f.sc);
        const struct layout_preset *now = layout_preset_of(&f.sc.splits);
        assert_ptr_equal(now, &all[i % n]);
        assert_non_null(strstr(f.sc.message, now->name));
        assert_string_equal(borders_text(&f.sc.splits, text, sizeof(text)), now->name);
        assert_int_equal(borders_parse(text, &again, NULL), 0);
        assert_memory_equal(&again, &f.sc.splits, sizeof(again));
        assert_int_equal(memcmp(&home, &f.sc.panes[LAYOUT_TREE], sizeof(home)) == 0, i == n);
    }
    drag(&f, 20, f.sc.panes[LAYOUT_TREE].at[PANE_PLOT].y, 20,
         f.sc.panes[LAYOUT_TREE].at[PANE_PLOT].y - 3);
    assert_null(layout_preset_of(&f.sc.splits));
    press(&f, 'w');
    assert_ptr_equal(layout_preset_of(&f.sc.splits), &all[0]);
    fixture_close(&f);
}

/* Threads have no past: beside them the time line is only to be seen. */
static void test_time_line_beside_threads(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60);
    const struct rect r = f.sc.panes[LAYOUT_TREE].at[PANE_STACK];
    mouse(&f, r.x + 12, r.y + 4, MOUSE_PRESS);
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_MOMENT);
    press(&f, '4');
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_LIVE);
    const struct rect beside = f.sc.panes[LAYOUT_LIST].at[PANE_STACK];
    assert_true(beside.w > 0 && f.sc.panes[LAYOUT_LIST].at[PANE_SIDE].w > 0);
    mouse(&f, beside.x + 12, beside.y + 4, MOUSE_PRESS);
    mouse(&f, beside.x + 14, beside.y + 4, MOUSE_DRAG);
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_LIVE);
    fixture_close(&f);
}

/* --- the sentence --- */

static void test_advice(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    screen_draw(&f.sc);
    assert_true(f.sc.scene.sentence.made);
    assert_true(fixture_shows(&f, "L3"));
    const struct rect r = f.sc.panes[LAYOUT_TREE].at[PANE_VERDICT];
    assert_int_equal(r.y, 3);
    for (int x = 0; x < 80; x++) /* sure: on its hue, which nothing else has */
        assert_int_equal(f.sc.canvas.at[r.y * 80 + x].style, STYLE_BACKEND_SURE);
    fixture_close(&f);
}

static void test_advice_sources(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    open_at(&f, 120, 40);
    assert_int_equal(sentence_load(&f.sc.scene.sentence, "nobody", &err), -ENOENT);
    assert_true(strstr(err.text, "toplev") != NULL);
    screen_draw(&f.sc);
    assert_true(f.sc.scene.sentence.made);
    assert_int_equal(sentence_load(&f.sc.scene.sentence, "perf-topdown", &err), 0);
    fixture_run(&f, 1);
    screen_draw(&f.sc);
    assert_true(f.sc.scene.sentence.made);
    assert_string_equal(f.sc.scene.sentence.advice.name, "perf-topdown");
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_digits),
        cmocka_unit_test(test_tab),     cmocka_unit_test(test_bench_says_how),
        cmocka_unit_test(test_tabs),    cmocka_unit_test(test_tabs_mouse),
        cmocka_unit_test(test_borders), cmocka_unit_test(test_borders_text),
        cmocka_unit_test(test_presets), cmocka_unit_test(test_time_line_beside_threads),
        cmocka_unit_test(test_advice),  cmocka_unit_test(test_advice_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
