/* The history: level 1 over time, its zoom, the time cursor in it, at any size. */
#include "plot_fixture.h"

#include "ui/view/metric_plot.h"
#include "ui/view/stack.h"
#include "ui/view/view_history.h"
#include "ui_fixture.h"

static struct history_view *history_in(const struct fixture *f) {
    return screen_state(&f->sc, &view_history);
}

static const char *const target = "redis-server 4242 · 5 threads";

/* Where it is on a screen of that size. */
static struct rect room(const struct fixture *f) {
    return f->sc.panes[LAYOUT_MAIN].at[PANE_MAIN];
}

static void open_at(struct fixture *f, int w, int h, int n) {
    fixture_open(f, target);
    fixture_screen(f, w, h);
    fixture_run(f, n);
    screen_view(&f->sc, &view_history);
}

/* The view alone. */
static const char *drawn(struct fixture *f, bool ascii) {
    struct canvas *c = &f->sc.canvas;
    const struct rect r = room(f);
    f->sc.scene.plot_glyph = ascii ? CHART_ASCII : CHART_BRAILLE;
    canvas_clear(c);
    view_history.prepare(screen_scene(&f->sc, &view_history), r);
    view_history.draw(screen_scene(&f->sc, &view_history), c, r);
    return golden_text(c, ascii);
}

static void golden(struct fixture *f, const char *name, bool ascii) {
    drawn(f, ascii);
    golden_compare(&f->sc.canvas, name, ascii);
}

static bool shows(struct fixture *f, const char *text) {
    return strstr(drawn(f, false), text) != NULL;
}

/* ---- pictures ---- */

static const struct {
    int w, h;
    const char *name;
} sizes[] = {{80, 24, "80x24"}, {120, 40, "120x40"}, {200, 60, "200x60"}};

/* With marks, a gap and the time cursor. */
static void test_golden(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct fixture f;
        char name[64];
        open_at(&f, sizes[i].w, sizes[i].h, 60);
        f.s.n_frames += 12; /* nobody measured */
        fixture_run(&f, 100);
        timeline_mark(&f.s.timeline, 20 * NS_PER_S, "warm");
        timeline_mark(&f.s.timeline, 110 * NS_PER_S, "more load");
        cursor_go(&f.sc.scene, 100 * NS_PER_S);
        for (int ascii = 0; ascii < 2; ascii++) {
            snprintf(name, sizeof(name), "history_%s", sizes[i].name);
            golden(&f, name, ascii);
        }
        fixture_close(&f);
    }
}

/* A span, a baseline, and the ± around the line. */
static void test_span(void **state) {
    (void)state;
    struct fixture f;
    struct err err;
    open_at(&f, 120, 40, 40);
    outline_go(&f.sc.scene.tree, model_find(&f.s.model, "L3_Bound"));
    assert_int_equal(baseline_pin_live(&f.sc.scene, &err), 0);
    fixture_run(&f, 60);
    fixture_keys(&f, ",<<<<]");
    assert_false(cursor_has_span(&f.sc.scene.cursor));
    fixture_keys(&f, "[.>>>>>");
    cursor_go(&f.sc.scene, 60 * NS_PER_S);
    cursor_begin_span(&f.sc.scene);
    cursor_go(&f.sc.scene, 80 * NS_PER_S);
    assert_true(shows(&f, "["));
    cursor_end_span(&f.sc.scene);
    assert_true(cursor_has_span(&f.sc.scene.cursor));
    golden(&f, "history_span_120x40", false);
    golden(&f, "history_span_120x40", true);
    fixture_close(&f);
}

/* ---- zoom ---- */

static int column_of(const struct fixture *f) {
    return scale_time_x(&history_in(f)->x, f->sc.scene.cursor.t1_ns);
}

static void test_zoom(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 3000);
    drawn(&f, false);
    const struct history_view *hv = history_in(&f);
    const uint64_t whole_ns = hv->x.cell_ns;
    assert_true(hv->x.from_ns == 0 && scale_time_x(&hv->x, 3000 * NS_PER_S) > hv->x.cells / 3);
    cursor_go(&f.sc.scene, 1000 * NS_PER_S);
    drawn(&f, false);
    const int at = column_of(&f);
    assert_true(at > 0);
    uint64_t before = whole_ns;
    for (int i = 0; i < 20; i++) {
        history_key_closer(screen_scene(&f.sc, &view_history));
        drawn(&f, false);
        if (column_of(&f) != at)
            fail_msg("zoom %d: the cursor went from %d to %d", i, at, column_of(&f));
        if (hv->x.cell_ns > before)
            fail_msg("zoom %d: columns are longer", i);
        before = hv->x.cell_ns;
    }
    assert_true(hv->x.cell_ns == NS_PER_S / 2); /* two columns an interval */
    assert_true(strstr(f.sc.message, "nothing finer"));
    for (int i = 0; i < 20; i++)
        history_key_farther(screen_scene(&f.sc, &view_history)), drawn(&f, false);
    assert_true(hv->x.cell_ns == whole_ns && hv->column_ns == 0);
    fixture_close(&f);
}

/* What is read in numbers is what the plot has under the cursor, at every zoom. */
static void test_numbers(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60, 2500);
    const int metric = model_find(&f.s.model, "L3_Bound");
    drawn(&f, false);
    for (int zoom = 0; zoom < 6; zoom++) {
        for (int i = 0; i < 40; i++) {
            history_key_screen(screen_scene(&f.sc, &view_history), -1);
            cursor_step(&f.sc.scene, -i % 3);
            drawn(&f, false);
            const struct trend *t = &history_in(&f)->trend;
            const struct chart_values cv = axis_values(
                &f.sc.scene, t, metric, f.sc.scene.trends.dots, f.sc.scene.trends.warning);
            const uint64_t t1_ns = f.sc.scene.cursor.t1_ns;
            if (f.sc.scene.cursor.shows != CURSOR_MOMENT)
                continue;
            const double plot = chart_column_of(&cv, f.sc.scene.cursor.t0_ns, t1_ns).mean;
            if (fabs(plot - f.sc.scene.frame->at[metric].v) > 0.005)
                fail_msg("columns of %g s, at %g s: %g, the plot has %g",
                         (double)history_in(&f)->x.cell_ns / 1e9, (double)t1_ns / 1e9,
                         f.sc.scene.frame->at[metric].v, plot);
            if (column_of(&f) < 0)
                fail_msg("zoom %d, at %g s: not on the screen", zoom, (double)t1_ns / 1e9);
        }
        cursor_live(&f.sc.scene);
        history_key_closer(screen_scene(&f.sc, &view_history));
    }
    fixture_close(&f);
}

/* ---- the mouse ---- */

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 3000);
    screen_draw(&f.sc);
    const struct rect r = room(&f);
    struct mouse m = {.x = r.x + 100, .y = r.y + 5, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    screen_draw(&f.sc);
    assert_true(f.sc.scene.cursor.shows == CURSOR_MOMENT && r.x + 8 + column_of(&f) == m.x);
    m = (struct mouse){.x = r.x + 90, .y = 0, .what = MOUSE_DRAG};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(r.x + 8 + column_of(&f), m.x);
    m.what = MOUSE_WHEEL_UP;
    m.y = r.y + 5;
    const uint64_t was_ns = history_in(&f)->x.cell_ns;
    screen_key(&f.sc, KEYC_MOUSE, &m);
    screen_draw(&f.sc);
    assert_true(history_in(&f)->x.cell_ns < was_ns);
    /* Beyond the edge it scrolls. */
    const uint64_t from_ns = history_in(&f)->x.from_ns;
    assert_true(from_ns > 0);
    m = (struct mouse){.x = r.x + 30, .y = r.y + 5, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    m = (struct mouse){.x = r.x, .y = r.y + 5, .what = MOUSE_DRAG};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    screen_draw(&f.sc);
    assert_true(history_in(&f)->x.from_ns < from_ns && column_of(&f) >= 0);
    fixture_close(&f);
}

/* ---- any size, any model ---- */

/* Nodes with long names, and many of them. */
static const char *many_nodes(int n, int name) {
    static char text[65536];
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < n && at + (size_t)name + 100 < sizeof(text); i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "[node.N%d_%0*d]\nparent='Core_Bound'\nformula='BE.PORTS/SLOTS'\n",
                               i, name - 6, i);
    return text;
}

static void draw_at(struct fixture *f, const char *what, struct rect r) {
    struct canvas c;
    assert_int_equal(canvas_init(&c, r.x + r.w + 2, r.y + r.h + 2), 0);
    fence_up(&c, r);
    view_history.prepare(screen_scene(&f->sc, &view_history), r);
    view_history.draw(screen_scene(&f->sc, &view_history), &c, r);
    fence_check(what, &c, r);
    canvas_destroy(&c);
}

static void test_sizes(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int nodes, name, frames;
    } cases[] = {{"nothing measured", 0, 8, 0},
                 {"one interval", 0, 8, 1},
                 {"names of 200", 12, 200, 90},
                 {"500 nodes", 500, 12, 300}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct fixture f;
        fixture_open_with(&f, target, many_nodes(cases[k].nodes, cases[k].name));
        fixture_screen(&f, 300, 100);
        fixture_run(&f, cases[k].frames);
        screen_view(&f.sc, &view_history);
        outline_level(&f.sc.scene.tree, 6);
        for (int i = 0; i < 240; i++) {
            f.sc.scene.plot_glyph = (enum chart_glyph)(i % 3);
            if (i % 7 == 3)
                cursor_go(&f.sc.scene, (uint64_t)plot_random(cases[k].frames + 1) * NS_PER_S);
            if (i % 5 == 0)
                (i % 2 ? history_key_closer
                       : history_key_farther)(screen_scene(&f.sc, &view_history));
            list_move(&f.sc.scene.tree.list, i % 4 ? 1 : -2);
            draw_at(&f, cases[k].what, next_rect(i));
        }
        fixture_close(&f);
    }
}

/* After the first look nothing is allocated: the trend is that of the size. */
static void test_trend_stays(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 100);
    drawn(&f, false);
    const float *was = history_in(&f)->trend.value;
    history_key_closer(screen_scene(&f.sc, &view_history));
    fixture_run(&f, 10);
    fixture_keys(&f, ",,<<zzZ");
    drawn(&f, false);
    assert_ptr_equal(history_in(&f)->trend.value, was);
    fixture_close(&f);
}

/* The axis comes down with time, not with the number of drawings. */
static void test_axis_waits(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 20);
    outline_go(&f.sc.scene.tree, model_find(&f.s.model, "Machine_Clears"));
    f.sc.scene.touched = true;
    struct scale *plot_scale = screen_state(&f.sc, &pane_plot); /* its first member */
    screen_draw(&f.sc);
    assert_true(plot_scale->top < 0.2);
    const double top = plot_scale->top = 0.8; /* as after a peak that has left the plot */
    for (int i = 0; i < 30; i++)
        screen_draw(&f.sc);
    assert_true(plot_scale->top == top);
    for (int i = 0; i < 30; i++) {
        fixture_run(&f, 1);
        screen_draw(&f.sc);
    }
    assert_true(plot_scale->top < top);
    fixture_close(&f);
}

/* What has ended fills the width; a key comes closer, as far as there are intervals. */
static void what_has_ended(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 30);
    assert_non_null(strstr(drawn(&f, false), "a column"));
    f.s.state = STREAM_ENDED;
    assert_non_null(strstr(drawn(&f, false), "all 30s"));
    const struct history_view *hv = screen_state(&f.sc, &view_history);
    assert_true(scale_time_begin(&hv->x, 0) == 0);
    assert_true(scale_time_at(&hv->x, hv->x.cells) - scene_newest_ns(&f.sc.scene) <
                4 * hv->x.cell_ns);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_ended),   cmocka_unit_test(test_axis_waits),
        cmocka_unit_test(test_golden),      cmocka_unit_test(test_span),
        cmocka_unit_test(test_zoom),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_mouse),       cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_trend_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
