/* Names of metrics in an explanation lead on: choosing, following, the way back, the mouse. */
#include "alone.h"

#include "ui/popup/explain_view.h"
#include "ui/popup/links.h"
#include "ui/screen/keys.h"

static const char text[] =
    "[entry.L3_Bound]\nsummary = 'Waiting for loads that the shared cache served'\n"
    "description = \"\"\"\nMore than DRAM_Bound serves, less than L2_Bound. L3_Bound itself, an "
    "L3.CONTESTED and a Dram_bound are no links; below Memory_Bound.L1_Bound there are "
    "two.\n\"\"\"\n"
    "causes = ['see Contested_Accesses']\nhints = ['wait less']\nconfirm = ['measure']\n"
    "counts = 'k'\nhealthy = 'h'\nworrying = 'w'\nvalues_from = 'v'\nreferences = ['book']\n"
    "related = ['No_Link']\n"
    "[entry.DRAM_Bound]\nsummary = 'Waiting for memory'\ndescription = 'Beyond L3_Bound.'\n"
    "causes = ['far data']\nhints = ['wait less']\nconfirm = ['measure']\n"
    "counts = 'k'\nhealthy = 'h'\nworrying = 'w'\nvalues_from = 'v'\nreferences = ['book']\n"
    "related = ['No_Link']\n";
static const struct embedded files[] = {{"links", text, sizeof(text) - 1}, {0}};

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    explain_free(&f->sc.scene.explain);
    struct err err;
    if (explain_load_from(&f->sc.scene.explain, files, &err) < 0)
        fail_msg("%s", err.text);
    fixture_run(f, 20);
    outline_go(&f->sc.scene.tree, model_find(&f->s.model, "L3_Bound"));
    fixture_keys(f, "e");
    screen_draw(&f->sc);
}

static const char *chosen(const struct fixture *f) {
    int to = links_chosen(&explanation_of(&f->sc)->links);
    return to == METRIC_NONE ? "" : f->s.model.metric[to].name;
}

static void press(struct fixture *f, uint32_t key) {
    screen_key(&f->sc, key, NULL);
    screen_draw(&f->sc);
}

static bool is_link(const struct fixture *f, const char *name) {
    for (int i = 0; i < explanation_of(&f->sc)->links.n; i++)
        if (strcmp(f->s.model.metric[explanation_of(&f->sc)->links.at[i].to].name, name) == 0)
            return true;
    return false;
}

static void test_what_is_a_link(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    static const char *const links[] = {"Backend_Bound", "Memory_Bound", "DRAM_Bound",
                                        "L2_Bound",      "L1_Bound",     "Contested_Accesses",
                                        "Queue_Full"};
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        if (!is_link(&f, links[i]))
            fail_msg("%s is no link", links[i]);
    assert_false(is_link(&f, "L3_Bound"));
    fixture_close(&f);
}

/* In the order of the text, round its end; the lower edge says where Enter leads. */
static void test_choose(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    assert_string_equal(chosen(&f), "");
    assert_true(fixture_shows(&f, "Tab: "));
    press(&f, KEYC_TAB);
    assert_string_equal(chosen(&f), "Backend_Bound"); /* in its path */
    press(&f, KEYC_RIGHT);
    press(&f, KEYC_RIGHT);
    assert_string_equal(chosen(&f), "DRAM_Bound");
    assert_true(fixture_shows(&f, "Enter → DRAM_Bound"));
    press(&f, KEYC_BTAB);
    press(&f, KEYC_LEFT);
    assert_string_equal(chosen(&f), "Backend_Bound");
    int n = explanation_of(&f.sc)->links.n;
    press(&f, KEYC_LEFT);
    assert_int_equal(explanation_of(&f.sc)->links.chosen, n - 1);
    fixture_close(&f);
}

static void test_follow_and_return(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    press(&f, KEYC_TAB);
    press(&f, KEYC_TAB);
    press(&f, KEYC_TAB);
    press(&f, KEYC_DOWN);
    int scroll = f.sc.text.top;
    assert_int_equal(scroll, 1);
    press(&f, KEYC_ENTER);
    assert_true(fixture_shows(&f, "Waiting for memory"));
    assert_int_equal(f.sc.text.top, 0);
    assert_string_equal(f.s.model.metric[explain_metric(&f.sc)].name, "DRAM_Bound");
    assert_true(fixture_shows(&f, "Backspace ← L3_Bound"));
    press(&f, KEYC_BACKSPACE);
    assert_string_equal(f.s.model.metric[explain_metric(&f.sc)].name, "L3_Bound");
    assert_int_equal(f.sc.text.top, scroll);
    assert_string_equal(chosen(&f), "DRAM_Bound");
    press(&f, KEYC_BACKSPACE); /* no further back: it stays */
    assert_ptr_equal(f.sc.popup, &popup_explain);
    press(&f, 'x'); /* the value of the same metric, and back */
    assert_true(fixture_shows(&f, "L3_Bound: this value"));
    press(&f, 'e');
    assert_ptr_equal(f.sc.popup, &popup_explain);
    press(&f, KEYC_ESC);
    assert_null(f.sc.popup);
    assert_string_equal(f.s.model.metric[scene_selected(&f.sc.scene)].name, "L3_Bound");
    fixture_close(&f);
}

/* More steps than are kept: the oldest are forgotten, nothing else. */
static void test_long_way(void **state) {
    (void)state;
    struct links l = {.metric = 0};
    for (int i = 1; i <= LINKS_BACK_MAX + 10; i++)
        links_follow(&l, i, i);
    for (int i = LINKS_BACK_MAX + 9; i >= 10; i--) {
        assert_int_equal(links_return(&l), i + 1);
        assert_int_equal(l.metric, i);
    }
    assert_int_equal(links_return(&l), -1);
}

/* A choice that is scrolled away begins anew with what can be seen; a chosen one is scrolled to. */
static void test_scrolls(void **state) {
    (void)state;
    struct links l = {.chosen = -1, .n = 4};
    for (int i = 0; i < 4; i++)
        l.at[i].line = i * 10;
    assert_int_equal(links_step(&l, 1, 0, 5), 0);
    assert_int_equal(l.chosen, 0);
    assert_int_equal(links_step(&l, 1, 0, 5), 7);
    assert_int_equal(l.chosen, 1);
    assert_int_equal(links_step(&l, 1, 28, 5), 28);
    assert_int_equal(l.chosen, 3);
    assert_int_equal(links_step(&l, 1, 28, 5), 0);
    assert_int_equal(l.chosen, 0);
    l.n = 0;
    assert_int_equal(links_step(&l, 1, 3, 5), 3);
}

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    const struct links *l = &explanation_of(&f.sc)->links;
    int i = 0;
    while (i < l->n && strcmp(f.s.model.metric[l->at[i].to].name, "DRAM_Bound") != 0)
        i++;
    assert_true(i < l->n);
    struct mouse m = {
        .what = MOUSE_PRESS, .x = l->r.x + l->at[i].x + 2, .y = l->r.y + l->at[i].line};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_true(fixture_shows(&f, "Waiting for memory"));
    fixture_close(&f);
}

/* Today's numbers stand for names, and what is below it is there with its values. */
static void test_numbers(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 60);
    static const char *const parts[] = {"The same with the numbers of this interval",
                                        "Its parts",
                                        "Contested_Accesses",
                                        "perf record -e BE.L3 -p PID",
                                        "> 5%",
                                        ": yes"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!fixture_shows(&f, parts[i]) && strcmp(parts[i], "> 5%") != 0)
            fail_msg("not \"%s\"", parts[i]);
    fixture_close(&f);
}

/* What of it is over its threshold is told by a sign, not by colour alone. */
static void test_parts(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 60);
    fixture_keys(&f, "q");
    outline_go(&f.sc.scene.tree, model_find(&f.s.model, "Backend_Bound"));
    fixture_keys(&f, "e");
    screen_draw(&f.sc);
    char seen[32768], *at;
    canvas_dump(&f.sc.canvas, seen, sizeof(seen));
    assert_non_null(at = strstr(seen, "Its parts"));
    assert_non_null(at = strstr(at, "Memory_Bound "));
    at[strcspn(at, "\n")] = '\0';
    assert_non_null(strstr(at, "! "));
    fixture_close(&f);
}

static void test_golden(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(alone_sizes) / sizeof(alone_sizes[0]); i++) {
        struct fixture f;
        char name[64];
        open_at(&f, alone_sizes[i].w, alone_sizes[i].h);
        press(&f, KEYC_TAB);
        press(&f, KEYC_TAB);
        press(&f, KEYC_TAB);
        snprintf(name, sizeof(name), "explain_links_%s", alone_sizes[i].name);
        alone_golden(&f, &popup_explain, name);
        fixture_close(&f);
    }
}

static void test_inside(void **state) {
    (void)state;
    struct fixture f;
    alone_crowd(&f, 500);
    outline_go(&f.sc.scene.tree, model_find(&f.s.model, "L3_Bound"));
    fixture_keys(&f, "e"); /* 250 parts */
    screen_draw(&f.sc);
    assert_true(explanation_of(&f.sc)->links.n > 200);
    alone_inside(&f, &popup_explain, 160, 50);
    fixture_keys(&f, "x");
    alone_inside(&f, &popup_value, 120, 40);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_a_link),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_follow_and_return),
        cmocka_unit_test(test_long_way),
        cmocka_unit_test(test_scrolls),
        cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
