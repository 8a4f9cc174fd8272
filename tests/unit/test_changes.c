/* Arrows beside values that have just moved: where they are, and when there are none. */
#include "ui/scene/changes.h"
#include "ui_fixture.h"

/* A frame in which one value is as given; all others stay as they are. */
static void step(struct fixture *f, int metric, double v) {
    struct frame *fr = &f->s.frame;
    fr->at[metric].v = v;
    fr->at[metric].err = 0.001;
    fr->t0_ns = fr->t1_ns;
    fr->t1_ns += NS_PER_S;
    fr->seq++;
    f->s.n_frames++;
    screen_update(&f->sc);
}

static bool is_row(const struct canvas *c, int y, const char *name) {
    int n = (int)strlen(name), at = 0;
    for (int x = 0; x < 40 && at < n; x++)
        at = c->at[y * c->w + x].cp == (uint32_t)name[at] ? at + 1 : 0;
    return at == n;
}

/* What stands behind the value of a node in the tree. */
static struct cell behind(struct fixture *f, const char *name) {
    struct canvas *c = &f->sc.canvas;
    struct rect r = f->sc.panes[LAYOUT_TREE].at[PANE_TREE];
    screen_draw(&f->sc);
    for (int y = r.y; y < r.y + r.h; y++)
        if (is_row(c, y, name))
            return c->at[y * c->w + r.x + f->sc.scene.columns.name + f->sc.scene.columns.value];
    fail_msg("%s has no row", name);
    return (struct cell){0};
}

static void open_screen(struct fixture *f) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, 120, 40);
    fixture_run(f, 3);
    f->sc.scene.focus = FOCUS_OPEN;
    fixture_rows_stay(f);
}

static void test_fades(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double v;
        uint32_t cp;
        enum style st;
    } steps[] = {
        {"first", 0.040, ' ', STYLE_TEXT},          {"less than a point", 0.045, ' ', STYLE_TEXT},
        {"grows", 0.300, 0x2191, STYLE_UP},         {"1 s ago", 0.300, 0x2191, STYLE_UP},
        {"2 s ago", 0.300, 0x2191, STYLE_UP_FADED}, {"3 s ago", 0.300, 0x2191, STYLE_DIM},
        {"4 s ago", 0.300, ' ', STYLE_TEXT},        {"falls", 0.040, 0x2193, STYLE_DOWN},
    };
    struct fixture f;
    open_screen(&f);
    int metric = model_find(&f.s.model, "Machine_Clears");
    f.sc.scene.changes.at[metric] = (struct fade){0};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        step(&f, metric, steps[i].v);
        struct cell cell = behind(&f, "Machine_Clears");
        if (cell.cp != steps[i].cp || (cell.cp != ' ' && cell.style != steps[i].st))
            fail_msg("%s: U+%04X in style %d", steps[i].what, cell.cp, cell.style);
    }
    for (int i = 0; i < 10; i++)
        step(&f, metric, 0.04);
    assert_int_equal(behind(&f, "Machine_Clears").cp, ' '); /* gone after 4 s */
    fixture_close(&f);
}

/* Beside the number; another moment has no arrows, for they say "now". */
static void test_where(void **state) {
    (void)state;
    struct fixture f;
    open_screen(&f);
    int metric = model_find(&f.s.model, "L3_Bound");
    f.s.frame.at[metric].v = 0.01;
    f.sc.scene.changes.at[metric] = (struct fade){0};
    step(&f, metric, 0.01);
    step(&f, metric, 0.14);
    assert_int_equal(f.s.frame.bottleneck.at[f.s.frame.bottleneck.n - 1], metric);
    struct cell cell = behind(&f, " L3_Bound ");
    assert_int_equal(cell.cp, 0x2191);
    assert_int_equal(cell.style, STYLE_UP);
    assert_int_equal(changes_mark(&f.sc.scene, metric).way, 1);
    cursor_go(&f.sc.scene, 1);
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_MOMENT);
    assert_int_equal(changes_mark(&f.sc.scene, metric).step, 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fades), cmocka_unit_test(test_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
