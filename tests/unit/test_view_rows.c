/* The threads and CPUs views as whole screens, and the keys and the mouse in them. */
#include "rows_fixture.h"

#include "ui/view/rows.h"

#include "count_malloc.h"

#include "ui/draw/words.h"
#include "ui/screen/keys.h"

static struct rows *rows_in(const struct fixture *f) {
    return screen_state(&f->sc, &view_threads);
}

static int no_rows(struct source *src, struct unit_table *out) {
    (void)src;
    (void)out;
    return 0;
}
static const struct source_ops ops = {.name = "perf", .units = no_rows};

static const struct made redis[] = {
    {.tid = 4242, .comm = "redis-server", .busy = 0.934, .frontend = 0.31, .cpu = 3},
    {.tid = 4247, .comm = "io_thd_1", .busy = 0.412, .frontend = 0.22, .duty = 0.5, .cpu = 5},
    {.tid = 4248, .comm = "io_thd_2", .busy = 0.406, .frontend = 0.18, .duty = 0.2, .cpu = 6},
    {.tid = 4244, .comm = "bio_aof", .busy = 0.03, .frontend = 0.4, .cpu = 3},
    {.tid = 4245, .comm = "bio_lazy_free", .busy = 0, .cpu = -1},
    {.tid = 4251, .comm = "module-scan", .busy = 0.2, .frontend = 0.05, .fresh = true, .cpu = 1},
    {.tid = 4233, .comm = "a-name-as-long-as-processes-may", .busy = 0.001, .ended = true},
};
enum { REDIS = sizeof(redis) / sizeof(redis[0]) };

/* One interval passes, in which these units counted. */
static void pass(struct fixture *f, const struct made *m, int n) {
    uint64_t tick = f->s.n_frames, step_ms = f->step_ns / NS_PER_MS;
    if (!f->s.units.slot)
        rows_table(&f->s.units, f);
    rows_fill(&f->s.units, f, tick * step_ms, (tick + 1) * step_ms, m, n);
    fixture_run(f, 1);
}

static void press(struct fixture *f, uint32_t key) {
    screen_key(&f->sc, key, NULL);
}

static void type(struct fixture *f, const char *text) {
    for (; *text; text++)
        press(f, (unsigned char)*text);
}

static void begin(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    f->s.source.ops = &ops;
    fixture_screen(f, w, h);
    fixture_run(f, 9);
}

static void end(struct fixture *f) {
    unit_table_destroy(&f->s.units);
    fixture_close(f);
}

static void golden_at(struct fixture *f, const char *what, int w, int h) {
    char name[64];
    snprintf(name, sizeof(name), "%s_%dx%d", what, w, h);
    assert_int_equal(screen_resize(&f->sc, w, h), 0);
    fixture_golden(f, name);
}

/* --- threads --- */

static void test_threads(void **state) {
    (void)state;
    static const int size[][2] = {{80, 24}, {120, 40}, {200, 60}, {40, 6}, {60, 14}};
    struct fixture f;
    begin(&f, 80, 24);
    press(&f, 't');
    assert_true(f.s.control.units);
    assert_true(fixture_shows(&f, "rows are counted from now on (1.0s) ..."));
    pass(&f, redis, REDIS);
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
        golden_at(&f, "threads", size[i][0], size[i][1]);
    end(&f);
}

/* A few are counted also while nobody looks: their last minute is there at once, also after the
 * end. Many are not. */
static void rows_have_a_past(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 120, 40);
    for (int i = 0; i < 4; i++)
        pass(&f, redis, REDIS);
    assert_true(f.s.control.units);
    f.s.state = STREAM_ENDED;
    press(&f, 't');
    assert_true(fixture_shows(&f, "io_thd_2"));
    enum metric_role role;
    int known = 0;
    for (int back = 0; back < STRIP_CELLS; back++)
        known += !isnan(rows_strip(rows_in(&f), rows_at(rows_in(&f), 0), back, &role));
    assert_true(known >= 2);
    end(&f);
    struct made coming[5];
    memcpy(coming, redis, sizeof(coming));
    begin(&f, 120, 40);
    for (int i = 0; i < 3; i++) {
        assert_true(f.s.control.units);
        for (int k = 0; k < 5; k++)
            coming[k].fresh = i > 0;
        pass(&f, coming, 5);
    }
    assert_false(f.s.control.units);
    end(&f);
    begin(&f, 120, 40);
    f.s.sample.target_threads = ROWS_KEPT + 1;
    screen_sample(&f.sc);
    assert_false(f.s.control.units);
    press(&f, 't');
    assert_true(f.s.control.units);
    press(&f, '1');
    assert_false(f.s.control.units);
    end(&f);
}

static void a_thread_alone(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 120, 40);
    pass(&f, redis, REDIS);
    press(&f, 't');
    press(&f, KEYC_DOWN);
    press(&f, KEYC_ENTER);
    assert_false(f.sc.quit);
    assert_true(fixture_shows(&f, "a thread of a running process"));
    assert_false(fixture_shows(&f, "Enter alone"));
    f.sc.scopes = true;
    assert_true(fixture_shows(&f, "Enter alone"));
    press(&f, KEYC_ENTER);
    assert_true(f.sc.quit && f.sc.returned);
    assert_int_equal(f.sc.thread, 4247);
    f.sc.quit = f.sc.returned = false;
    f.sc.thread = 0;
    press(&f, KEYC_END);
    press(&f, KEYC_UP); /* has ended */
    press(&f, KEYC_ENTER);
    assert_false(f.sc.quit);
    end(&f);
}

static void test_sorting(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 120, 40);
    press(&f, 't');
    pass(&f, redis, REDIS);
    type(&f, ">>>");
    assert_true(fixture_shows(&f, " Bad▾"));
    press(&f, '<');
    press(&f, 'I');
    assert_true(fixture_shows(&f, " Frontend▴"));
    press(&f, KEYC_DOWN);
    fixture_golden(&f, "threads_sorted_120x40");
    for (int i = 0; i < 10; i++)
        press(&f, KEYC_LEFT); /* round the end, back to Frontend */
    assert_true(fixture_shows(&f, " Frontend▾"));
    /* The column that rows are sorted by is there where few have room. */
    assert_int_equal(screen_resize(&f.sc, 40, 12), 0);
    type(&f, ">>>>");
    assert_true(fixture_shows(&f, " IPC▾"));
    press(&f, '>');
    assert_true(fixture_shows(&f, "duty▾"));
    end(&f);
}

static void test_filter(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 80, 24);
    press(&f, 't');
    pass(&f, redis, REDIS);
    type(&f, "/IO_T");
    assert_int_equal(keys_context(&f.sc), IN_SEARCH);
    assert_true(fixture_shows(&f, " /IO_T_"));
    assert_false(fixture_shows(&f, "bio_aof"));
    press(&f, KEYC_ENTER);
    fixture_golden(&f, "threads_filter_80x24");
    type(&f, "/x");
    assert_true(fixture_shows(&f, "not found"));
    press(&f, KEYC_ENTER);
    assert_true(fixture_shows(&f, "nothing has \"x\""));
    assert_true(fixture_shows(&f, "filter \"x\": 0 of 7 threads"));
    press(&f, KEYC_ESC); /* first the filter goes, then the view */
    assert_true(f.sc.scene.view == &view_threads && fixture_shows(&f, "bio_aof"));
    press(&f, KEYC_ESC);
    assert_true(f.sc.scene.view == &view_tree);
    end(&f);
}

/* "  188.8     32.9%": the frame's own numbers stand in the line of totals. */
static void test_totals(void **state) {
    (void)state;
    struct fixture f;
    static char screen[64 * 1024];
    begin(&f, 120, 40);
    press(&f, 't');
    pass(&f, redis, REDIS);
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, screen, sizeof(screen));
    const char *line =
        strstr(screen, "all 5 threads") /* as above the rows, whatever rows there are */;
    assert_non_null(line);
    for (int i = 0; i < rows_in(&f)->n_column; i++) {
        char text[32];
        int metric = rows_in(&f)->column[i].metric;
        if (metric == METRIC_NONE)
            continue;
        words_cell(text, sizeof(text), &f.s.model.metric[metric], &f.s.frame.at[metric]);
        const char *at = strstr(line, text);
        if (!at || at > strchr(line, '\n'))
            fail_msg("%s: %s is not in the line of totals", f.s.model.metric[metric].name, text);
    }
    assert_non_null(strstr(line, "  198.3 ")); /* CPU %: the sum of the rows */
    end(&f);
}

static void test_notes(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 120, 40);
    press(&f, 't');
    pass(&f, redis, REDIS);
    assert_true(fixture_shows(&f, "+    4251 module-scan"));
    assert_true(fixture_shows(&f, "-    4233 a-name"));
    assert_true(fixture_shows(&f, "  0.0 did not run"));
    const uint32_t ran = 0;
    for (uint32_t k = 0; k < f.s.units.n_slot; k++) /* the line below says why */
        if ((int)f.s.source.layout.slot[f.s.units.slot[k]].event ==
            model_find_event(&f.s.model, "INSTRUCTIONS"))
            f.s.units.value[ran * f.s.units.n_slot + k] = NAN;
    f.s.units.seq++;
    fixture_run(&f, 1);
    for (int i = 0; i < REDIS && !fixture_shows(&f, " · IPC n/a: INSTRUCTIONS: not counted"); i++)
        press(&f, KEYC_DOWN);
    assert_true(fixture_shows(&f, " · IPC n/a: INSTRUCTIONS: not counted"));
    for (uint32_t k = 0; k < f.s.units.n_slot; k++) /* only that it ran is known at first */
        f.s.units.value[ran * f.s.units.n_slot + k] = NAN;
    f.s.units.seq++;
    fixture_run(&f, 1);
    assert_true(f.s.units.row[ran].busy > 0 && fixture_shows(&f, "n/a "));
    assert_false(fixture_shows(&f, "known from the next interval on"));
    f.s.units.row[ran].begins = true;
    f.s.units.seq++;
    fixture_run(&f, 1);
    assert_true(fixture_shows(&f, "n/a: known from the next interval on"));
    press(&f, KEYC_END);
    assert_true(fixture_shows(&f, "bio_lazy_free · thread 4245 of process 4242"));
    f.s.units.n_hidden = 312;
    f.s.units.seq++;
    f.s.units.t1_ns += NS_PER_S;
    fixture_run(&f, 1);
    assert_true(fixture_shows(&f, "all 5 threads"));
    assert_true(fixture_shows(&f, "312 more have no row, only a part in the sum"));
    assert_int_equal(screen_resize(&f.sc, 60, 14), 0);
    assert_true(fixture_shows(&f, "↑"));
    end(&f);
}

/* --- CPUs --- */

static struct made *cpus(int n) {
    static struct made m[2048];
    for (int i = 0; i < n; i++)
        m[i] = (struct made){.tid = -1,
                             .cpu = i,
                             .busy = i % 7 == 3 ? 0 : (double)(i * 37 % 101) / 100,
                             .frontend = (double)(i * 13 % 70) / 100};
    return m;
}

static void test_maps(void **state) {
    (void)state;
    static const struct {
        int n, w, h;
        const char *what, *keys;
    } cases[] = {
        {16, 80, 24, "cpus_16", ""},       {16, 120, 40, "cpus_16", ">"},
        {256, 120, 40, "cpus_256", ">"},   {256, 80, 24, "cpus_256", ">>>>>"},
        {1024, 200, 60, "cpus_1024", ">"}, {1024, 80, 24, "cpus_1024", ""},
        {2048, 60, 14, "cpus_2048", ">"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        begin(&f, cases[i].w, cases[i].h);
        press(&f, 'c');
        pass(&f, cpus(cases[i].n), cases[i].n);
        type(&f, cases[i].keys);
        press(&f, KEYC_DOWN);
        golden_at(&f, cases[i].what, cases[i].w, cases[i].h);
        end(&f);
    }
}

/* A shade has the heat of its sign: both say how much. */
static void test_heat(void **state) {
    (void)state;
    struct fixture f;
    int seen = 0;
    begin(&f, 120, 40);
    press(&f, 'c');
    pass(&f, cpus(256), 256);
    screen_draw(&f.sc);
    const struct canvas *c = &f.sc.canvas;
    struct rect r = f.sc.panes[LAYOUT_ROWS].at[PANE_ROWS];
    for (int i = r.y * c->w; i < (r.y + r.h) * c->w; i++) {
        uint32_t cp = c->at[i].cp;
        int heat = cp >= 0x2591 && cp <= 0x2593 ? (int)(cp - 0x2590) : cp == 0x2588 ? 4 : 0;
        seen |= 1 << heat;
        if (heat > 0)
            assert_int_equal(c->at[i].style, STYLE_HEAT_0 + heat);
    }
    assert_int_equal(seen, 0x1f);
    end(&f);
}

/* What has to fit does: nothing is left above or below, and every number is there. */
static void test_all_fit(void **state) {
    (void)state;
    static const struct {
        int n, w, h;
    } cases[] = {{256, 120, 40}, {1024, 200, 60}, {64, 80, 24}, {16, 40, 10}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        begin(&f, cases[i].w, cases[i].h);
        press(&f, 'c');
        pass(&f, cpus(cases[i].n), cases[i].n);
        screen_draw(&f.sc);
        const char *got = golden_text(&f.sc.canvas, false);
        for (int k = 0; k < cases[i].n; k++) {
            char text[16];
            snprintf(text, sizeof(text), "%d", k);
            if (!strstr(got, text))
                fail_msg("%d CPUs at %dx%d: no %s", cases[i].n, cases[i].w, cases[i].h, text);
        }
        assert_false(fixture_shows(&f, "↓"));
        end(&f);
    }
}

static void test_map_states(void **state) {
    (void)state;
    static const struct made four[] = {
        {.tid = -1, .cpu = 0, .busy = 0.8, .frontend = 0.6, .duty = 0.5},
        {.tid = -1, .cpu = 1, .busy = 0},
        {.tid = -1, .cpu = 2, .busy = 0.3, .frontend = 0.01},
        {.tid = -1, .cpu = 3, .busy = 0.1, .frontend = 0.2, .ended = true},
    };
    struct fixture f;
    begin(&f, 80, 10); /* too low for a line of each */
    press(&f, 'c');
    pass(&f, four, 4);
    press(&f, '>');
    assert_true(fixture_shows(&f, " 0                             ▆  60%"));
    assert_true(fixture_shows(&f, "offline"));
    assert_true(fixture_shows(&f, "duty 50%"));
    press(&f, KEYC_RIGHT);
    assert_true(fixture_shows(&f, "nothing ran on it"));
    press(&f, KEYC_RIGHT);
    assert_true(fixture_shows(&f, " CPU 2    busy  30.0%   Frontend  1.0%"));
    press(&f, KEYC_END);
    assert_true(fixture_shows(&f, " CPU 3    busy  10.0%   offline"));
    end(&f);
}

/* A line of each CPU below the map, where all of them fit; a click in one selects the CPU. */
static void test_table(void **state) {
    (void)state;
    static const struct made four[] = {
        {.tid = -1, .cpu = 0, .busy = 0.8, .frontend = 0.6},
        {.tid = -1, .cpu = 1, .busy = 0},
        {.tid = -1, .cpu = 2, .busy = 0.3, .frontend = 0.01},
        {.tid = -1, .cpu = 3, .busy = 0.1, .frontend = 0.2},
    };
    struct fixture f;
    begin(&f, 80, 24);
    press(&f, 'c');
    pass(&f, four, 4);
    assert_true(fixture_shows(&f, "        CPU   busy %  Frontend"));
    assert_true(fixture_shows(&f, "›         0     80.0     60.0%"));
    assert_true(fixture_shows(&f, "          1      0.0 nothing ran on it"));
    assert_true(fixture_shows(&f, "          2     30.0      1.0%"));
    assert_false(fixture_shows(&f, "all      busy")); /* the two lines of a map alone */
    int y = 0;
    while (f.sc.canvas.at[y * f.sc.canvas.w].cp != 0x203a)
        y++;
    const struct mouse m = {.what = MOUSE_PRESS, .x = 5, .y = y + 2};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_true(fixture_shows(&f, "›         2     30.0      1.0%"));
    end(&f);
}

/* --- both --- */

static void test_views(void **state) {
    (void)state;
    static const struct {
        uint32_t key;
        const struct view *want;
    } cases[] = {
        {'4', &view_threads}, {KEYC_TAB, &view_cpus},     {'1', &view_tree},
        {'5', &view_cpus},    {'t', &view_threads},       {'t', &view_tree},
        {'c', &view_cpus},    {KEYC_ESC, &view_tree},     {KEYC_ESC, &view_tree},
        {'c', &view_cpus},    {KEYC_BTAB, &view_threads}, {'c', &view_cpus},
        {'c', &view_tree},
    };
    struct fixture f;
    begin(&f, 80, 24);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        press(&f, cases[i].key);
        f.sc.rows_come_fast = true; /* are counted only while they are shown */
        screen_sample(&f.sc);
        if (f.sc.scene.view != cases[i].want || f.s.control.units != (cases[i].want != &view_tree))
            fail_msg("key %zu: view %s, rows %d", i, f.sc.scene.view->id, f.s.control.units);
        screen_draw(&f.sc);
    }
    end(&f);
}

static void test_no_rows(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 80, 24);
    f.sc.rows_come_fast = true;
    press(&f, 't');
    pass(&f, cpus(4), 4);
    assert_true(fixture_shows(&f, "What is measured are CPUs: c shows them"));
    press(&f, 'c');
    assert_true(fixture_shows(&f, "CPU   busy %"));
    pass(&f, redis, REDIS);
    assert_true(fixture_shows(&f, "What is measured are threads: t shows them"));
    press(&f, 'c');
    pass(&f, redis, REDIS);
    press(&f, ' '); /* frozen */
    pass(&f, redis, REDIS);
    press(&f, 't');
    assert_true(fixture_shows(&f, "frozen before rows were counted"));
    press(&f, 't');
    press(&f, ' ');
    f.s.state = STREAM_ENDED;
    f.s.units.t1_ns--; /* of before the last interval */
    press(&f, 't');
    assert_true(fixture_shows(&f, "none were counted at the end"));
    f.s.source.ops = &fixture_ops;
    assert_true(fixture_shows(&f, "this source has sums only"));
    end(&f);
}

/* What is shown stands still, and can be sorted and searched all the same. */
static void test_frozen(void **state) {
    (void)state;
    static char before[64 * 1024], after[64 * 1024];
    struct fixture f;
    begin(&f, 120, 40);
    press(&f, 't');
    pass(&f, redis, REDIS);
    press(&f, ' ');
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, before, sizeof(before));
    pass(&f, redis, 2);
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, after, sizeof(after));
    assert_string_equal(before, after);
    type(&f, "<");
    assert_true(fixture_shows(&f, "name▴"));
    press(&f, 'c');
    press(&f, 't');
    assert_true(fixture_shows(&f, "bio_aof"));
    press(&f, ' ');
    screen_draw(&f.sc);
    assert_int_equal(rows_in(&f)->n_order, 3); /* two, and the one that has ended */
    end(&f);
}

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 80, 24);
    press(&f, 't');
    pass(&f, redis, REDIS);
    screen_draw(&f.sc);
    int top = f.sc.panes[LAYOUT_ROWS].at[PANE_ROWS].y;
    struct mouse m = {.x = 15, .y = top + 4, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(rows_at(rows_in(&f), rows_in(&f)->list.at)->tid, 4248);
    m.y = top; /* "name" */
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_true(fixture_shows(&f, "name▴"));
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_true(fixture_shows(&f, "name▾"));
    m.what = MOUSE_WHEEL_DOWN;
    int before = rows_in(&f)->list.at;
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_not_equal(rows_in(&f)->list.at, before);
    press(&f, 'c');
    pass(&f, cpus(64), 64);
    screen_draw(&f.sc);
    m = (struct mouse){.x = 1 + rows_in(&f)->list.per_line, .y = top + 2, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_true(rows_in(&f)->list.at >= rows_in(&f)->list.per_line);
    end(&f);
}

/* Every key at many sizes and numbers of units: nothing breaks, SIMULATED is always there. */
static void test_everything(void **state) {
    (void)state;
    static const int size[][2] = {{80, 24}, {40, 6}, {20, 3}};
    static const int count[] = {0, 40};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
        for (size_t k = 0; k < 2 * sizeof(count) / sizeof(count[0]); k++) {
            struct fixture f;
            begin(&f, size[i][0], size[i][1]);
            f.s.source.simulated = true;
            int n = count[k / 2];
            struct made *m = cpus(n);
            for (int u = 0; k % 2 && u < n; u++)
                m[u].tid = 100 + u;
            press(&f, k % 2 ? 't' : 'c');
            pass(&f, m, n);
            for (uint32_t key = 1; key < KEYC_RESIZE; key = key == 0x7f ? KEYC_UP : key + 1) {
                press(&f, key);
                assert_true(fixture_shows(&f, "SIMULATED"));
                if (f.sc.scene.view == &view_tree)
                    press(&f, k % 2 ? 't' : 'c');
            }
            end(&f);
        }
}

/* Once there were as many rows, neither taking nor drawing them takes memory. */
static void test_no_memory(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, 120, 40);
    press(&f, 't');
    struct made *m = cpus(500);
    for (int u = 0; u < 500; u++)
        m[u].tid = 100 + u;
    pass(&f, m, 500);
    type(&f, ">");
    screen_draw(&f.sc);
    unsigned long before = calls_now();
    for (int i = 0; i < 5; i++) {
        m[i * 9].busy = 1;
        pass(&f, m, 500 - i);
        press(&f, i % 2 ? 'I' : KEYC_DOWN);
        screen_draw(&f.sc);
    }
    assert_int_equal(calls_now(), before);
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_sorting),
        cmocka_unit_test(rows_have_a_past), cmocka_unit_test(a_thread_alone),
        cmocka_unit_test(test_filter),      cmocka_unit_test(test_totals),
        cmocka_unit_test(test_notes),       cmocka_unit_test(test_maps),
        cmocka_unit_test(test_heat),        cmocka_unit_test(test_all_fit),
        cmocka_unit_test(test_map_states),  cmocka_unit_test(test_table),
        cmocka_unit_test(test_views),       cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_frozen),      cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_everything),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
