/* The home view beyond its goldens: one scale for all bars, labels of level 1 that never touch, and
 * a lane whose letters are explained. */
#include "ui_fixture.h"

#include "ui/draw/words.h"

static const char *const target = "redis-server 4242 · 5 threads";

/* As much as Core_Bound, but of clocks. */
static const char more[] = "[node.Clocked]\nparent = 'Core_Bound'\nthreshold = 0.1\n"
                           "domain = 'Clocks'\nformula = 'BE.PORTS / SLOTS'\n";

/* The row of the tree with that name, or -1. */
static int row_of(const struct screen *sc, const char *name) {
    const int metric = model_find(scene_model(&sc->scene), name);
    for (int i = 0; i < sc->scene.tree.list.n; i++)
        if (sc->scene.tree.row[i] == metric)
            return sc->panes[LAYOUT_TREE].at[PANE_TREE].y + 1 + i - sc->scene.tree.list.top;
    return -1;
}

static const struct cell *cell_at(const struct canvas *c, int x, int y) {
    return &c->at[(size_t)y * (size_t)c->w + (size_t)x];
}

/* Halves of cells that a row's bar has. */
static int bar_of(const struct screen *sc, int y) {
    const struct columns *k = &sc->scene.columns;
    const int x =
        sc->panes[LAYOUT_TREE].at[PANE_TREE].x + k->name + k->value + k->mark + k->delta + k->err;
    int halves = 0;
    for (int i = 0; i < k->bar; i++) {
        const uint32_t cp = cell_at(&sc->canvas, x + i, y)->cp;
        const bool whole = cp == 0x2501 || cp == 0x2500 || cp == 0x253f || cp == 0x253c;
        halves += whole ? 2 : cp == 0x2578 || cp == 0x2574;
    }
    return halves;
}

/* A bar of clocks is as long as one of slots, on every screen; and says that it is one of clocks.
 */
static void test_one_scale(void **state) {
    (void)state;
    for (int base = 0; base < 2; base++) {
        struct fixture f;
        fixture_open_with(&f, target, more);
        fixture_screen(&f, 120, 100);
        fixture_run(&f, 12);
        fixture_keys(&f, base ? "*b" : "*");
        fixture_run(&f, 3);
        const int metric = model_find(&f.s.model, "Clocked"),
                  slots = model_find(&f.s.model, "Core_Bound");
        for (int w = base ? 70 : 60; w <= 300; w++) /* a difference takes ten columns */
            for (int percent = 3; percent <= 100; percent += 12) {
                assert_int_equal(screen_resize(&f.sc, w, 100), 0);
                f.sc.scene.shown[metric].bar = f.sc.scene.shown[slots].bar = (float)percent / 100;
                screen_draw(&f.sc);
                const int of_clocks = row_of(&f.sc, "Clocked"),
                          of_slots = row_of(&f.sc, "Core_Bound");
                assert_true(of_clocks > 0 && of_slots > 0);
                if (bar_of(&f.sc, of_slots) == 0 ||
                    bar_of(&f.sc, of_clocks) != bar_of(&f.sc, of_slots))
                    fail_msg("%d columns, %d %%: %d halves of slots, %d of clocks", w, percent,
                             bar_of(&f.sc, of_slots), bar_of(&f.sc, of_clocks));
                assert_true(fixture_shows(&f, "clk") || fixture_shows(&f, "clocks"));
            }
        fixture_close(&f);
    }
}

/* The longest bars end before the unit of theirs. */
static void test_full_bar(void **state) {
    (void)state;
    struct fixture f;
    fixture_open_with(&f, target, more);
    fixture_screen(&f, 80, 100);
    fixture_run(&f, 12);
    fixture_keys(&f, "*");
    f.sc.scene.shown[model_find(&f.s.model, "Clocked")].bar = 1;
    for (int w = 60; w <= 300; w++) {
        assert_int_equal(screen_resize(&f.sc, w, 100), 0);
        f.sc.scene.shown[model_find(&f.s.model, "Clocked")].bar = 1;
        if (!fixture_shows(&f, "─ clk") && !fixture_shows(&f, "─ clocks"))
            fail_msg("%d columns: the bar covers its unit", w);
    }
    fixture_close(&f);
}

/* ---- level 1 as one bar ---- */

static const char *const roots[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                    "Retiring"};
enum { ROOTS = sizeof(roots) / sizeof(roots[0]) };

/* Between what stands in two neighbours there is a blank. */
static void check_apart(const struct screen *sc, int y) {
    const int x0 = sc->panes[LAYOUT_TREE].at[PANE_FUNNEL].x;
    const int *edge = screen_state(sc, &pane_level1); /* its first member */
    for (int i = 0; i + 1 < ROOTS; i++) {
        const int x = x0 + edge[i];
        if (x > x0 && x < sc->canvas.w && cell_at(&sc->canvas, x - 1, y)->cp != ' ' &&
            cell_at(&sc->canvas, x, y)->cp != ' ')
            fail_msg("%d columns, %.3f %.3f: labels touch at %d", sc->canvas.w,
                     sc->scene.frame->at[0].v, sc->scene.frame->at[3].v, x);
    }
}

/* A letter alone, with a blank behind it. */
static bool is_letter(const struct canvas *c, int x, int y) {
    return cell_at(c, x, y)->cp >= 'A' && cell_at(c, x, y)->cp <= 'Z' &&
           cell_at(c, x + 1, y)->cp == ' ';
}

static bool is_digit(uint32_t cp) {
    return cp >= '0' && cp <= '9';
}

/* "12.3%", or where there is less room "F 12%": never a part of a number, but of a name. */
static void check_numbers(const struct screen *sc, int y) {
    for (int x = 0; x < sc->canvas.w; x++) {
        int to = x;
        while (to < sc->canvas.w && is_digit(cell_at(&sc->canvas, to, y)->cp))
            to++;
        if (to == x)
            continue;
        if (x > 0 && cell_at(&sc->canvas, x - 1, y)->cp >= 'A') { /* "L3" */
            x = to;
            continue;
        }
        if (cell_at(&sc->canvas, to, y)->cp == '%' && x > 1 && is_letter(&sc->canvas, x - 2, y)) {
            x = to;
            continue;
        }
        if (cell_at(&sc->canvas, to, y)->cp != '.' ||
            !is_digit(cell_at(&sc->canvas, to + 1, y)->cp) ||
            cell_at(&sc->canvas, to + 2, y)->cp != '%')
            fail_msg("%d columns: half a number at %d", sc->canvas.w, x);
        x = to + 2;
    }
}

static void test_labels_of_level_1(void **state) {
    (void)state;
    static const double share[][ROOTS] = {
        {0.267, 0.027, 0.372, 0.334}, {0.01, 0.01, 0.01, 0.97},   {0.02, 0.03, 0.02, 0.93},
        {0.40, 0.012, 0.012, 0.576},  {0.25, 0.25, 0.25, 0.25},   {0, 0.05, 0.9, 0.05},
        {0.104, 0.064, 0.5, 0.332},   {0.08, 0.075, 0.07, 0.775}, {0.6, 0.04, 0.3, 0.06},
    };
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 80, 24);
    fixture_run(&f, 5);
    for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++)
        for (int w = 60; w <= 300; w++) {
            static const int height[] = {24, 30, 40};
            for (size_t k = 0; k < sizeof(height) / sizeof(height[0]); k++) {
                for (int n = 0; n < ROOTS; n++)
                    f.s.frame.at[model_find(&f.s.model, roots[n])].v = share[i][n];
                assert_int_equal(screen_resize(&f.sc, w, height[k]), 0);
                screen_draw(&f.sc);
                const struct rect r = f.sc.panes[LAYOUT_TREE].at[PANE_FUNNEL];
                for (int y = r.y + (r.h > 1); y < r.y + r.h; y++) {
                    check_apart(&f.sc, y);
                    check_numbers(&f.sc, y);
                }
            }
        }
    fixture_close(&f);
}

/* ---- level 1 over time ---- */

/* What the hues stand for is said where they are drawn. */
static void test_legend(void **state) {
    (void)state;
    static const char *const views[] = {"1", "2"};
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        struct fixture f;
        fixture_open(&f, target);
        fixture_screen(&f, 200, 60);
        fixture_run(&f, 60);
        fixture_keys(&f, views[i]);
        assert_true(fixture_shows(&f, "Frontend     Bad Speculation     Backend     Retiring ─"));
        fixture_close(&f);
    }
}

static void test_legend_where_room_is_short(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 60, 60);
    fixture_run(&f, 60);
    assert_true(fixture_shows(&f, "Front     Bad     Back     Ret "));
    assert_int_equal(screen_resize(&f.sc, 40, 60), 0);
    assert_true(fixture_shows(&f, "level 1 ─"));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_scale),
        cmocka_unit_test(test_full_bar),
        cmocka_unit_test(test_labels_of_level_1),
        cmocka_unit_test(test_legend),
        cmocka_unit_test(test_legend_where_room_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
