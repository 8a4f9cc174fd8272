/* What is typed after "/": who takes the keys, and that it ends when its line goes away. */
#include "ui_fixture.h"

#include "ui/view/metrics.h"

#include "ui/view/rows.h"

#include "ui/popup/help.h"
#include "ui/screen/keys.h"
#include "ui/screen/views.h"

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
}

static void click(struct fixture *f, int x, int y) {
    const struct mouse m = {.x = x, .y = y, .what = MOUSE_PRESS};
    screen_draw(&f->sc);
    screen_key(&f->sc, KEYC_MOUSE, &m);
}

/* Where one types and then clicks another view, the keyboard is that view's. */
static void test_click_while_typing(void **state) {
    (void)state;
    static const char *const typed[] = {"1/L3", "2/L3", "3/L3", "4/re", "6/ip"};
    for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
        for (int x = 0; x < 120; x++) {
            struct fixture f;
            open_at(&f, 120, 40);
            fixture_keys(&f, typed[i]);
            assert_int_equal(keys_context(&f.sc), IN_SEARCH);
            const struct view *was = f.sc.scene.view;
            click(&f, x, f.sc.panes[LAYOUT_TREE].at[PANE_KEYS].y);
            if (f.sc.scene.view != was) {
                assert_int_equal(keys_context(&f.sc), f.sc.scene.view->context);
                fixture_keys(&f, "1");
                assert_ptr_equal(f.sc.scene.view, &view_tree);
                assert_int_equal(keys_context(&f.sc), IN_TREE); /* nor does it begin again */
            }
            fixture_close(&f);
            x += 3;
        }
}

/* What is pasted goes into what is typed, wherever that is; elsewhere it presses no keys. */
static void test_paste(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct screen *sc = &f.sc;
    screen_paste(sc, "q:2 ");
    assert_false(sc->quit);
    assert_null(sc->popup);
    assert_true(fixture_shows(&f, "paste ignored"));
    fixture_keys(&f, "/");
    screen_paste(sc, "L3_B");
    assert_string_equal(sc->scene.search.text, "L3_B");
    assert_string_equal(scene_model(&sc->scene)->metric[scene_selected(&sc->scene)].name,
                        "L3_Bound");
    screen_paste(sc, "0123456789012345678901234567890123456789012345678901234567890123456789");
    assert_int_equal(strlen(sc->scene.search.text), sizeof(sc->scene.search.text) - 1);
    screen_key(sc, KEYC_ESC, NULL);
    fixture_keys(&f, "?/");
    screen_paste(sc, "time");
    assert_string_equal(((struct help *)screen_popup(sc, &popup_help))->find.text, "time");
    screen_key(sc, KEYC_ESC, NULL);
    screen_key(sc, KEYC_ESC, NULL);
    fixture_keys(&f, "m");
    screen_paste(sc, "warm");
    fixture_keys(&f, "-");
    screen_paste(sc, "up");
    assert_string_equal(sc->ask.text.text, "warm-up");
    fixture_close(&f);
}

/* A view that is asked for from outside ends it, too, and keeps what was typed. */
static void test_another_view(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "/L3");
    screen_view(&f.sc, &view_metrics);
    assert_int_equal(keys_context(&f.sc), IN_METRICS);
    screen_view(&f.sc, &view_tree);
    assert_int_equal(keys_context(&f.sc), IN_TREE);
    assert_string_equal(f.sc.scene.search.text, "L3");
    fixture_close(&f);
}

/* A popup over the line takes the keys; when it is closed nothing is typed. */
static void test_popup_over_it(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "/L3");
    f.sc.popup = &popup_cost;
    assert_int_equal(keys_context(&f.sc), IN_POPUP);
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_null(f.sc.popup);
    assert_int_equal(keys_context(&f.sc), IN_TREE);
    fixture_keys(&f, "?/q"); /* the help has a line of its own */
    assert_int_equal(keys_context(&f.sc), IN_SEARCH);
    assert_string_equal(((struct help *)screen_popup(&f.sc, &popup_help))->find.text, "q");
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paste),
        cmocka_unit_test(test_click_while_typing),
        cmocka_unit_test(test_another_view),
        cmocka_unit_test(test_popup_over_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
