/* The time cursor: which moment is shown, and that it is what was measured then. */
#include "ui_fixture.h"

#include "ui/runs/runs_open.h"
#include "ui/view/metric_plot.h"

static void open_at(struct fixture *f, int w, int h, int n) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, n);
}

static int find(const struct fixture *f, const char *name) {
    for (int i = 0; i < (int)f->s.model.n_metric; i++)
        if (strcmp(f->s.model.metric[i].name, name) == 0)
            return i;
    fail_msg("no %s", name);
    return -1;
}

/* What the fixture counts for L3_Bound in an interval. */
static double l3_at(uint64_t tick) {
    return 0.148 + 0.06 * fixture_wave(tick, 60);
}

static double shown(const struct fixture *f, const char *name) {
    return f->sc.scene.frame->at[find(f, name)].v;
}

static void test_steps(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        uint64_t t1_s; /* 0: live */
        const char *words;
    } cases[] = {
        {"", 0, ""},
        {",", 99, "1s ago"},
        {",,,", 97, "3s ago"},
        {",,,..", 99, "1s ago"},
        {",.", 0, ""},
        {",<<<", 96, "4s ago"}, /* arrows */
        {",,>", 99, "1s ago"},
        {",,L", 0, ""},
        {",,\x1b", 98, "2s ago"}, /* no such key */
        {",,j>", 98, "2s ago"},   /* the arrow is the tree's again */
        {",,,,t", 0, ""},         /* threads have no past */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        char words[48];
        open_at(&f, 120, 40, 100);
        fixture_keys(&f, cases[i].keys);
        uint64_t t1 =
            f.sc.scene.cursor.shows == CURSOR_LIVE ? 0 : f.sc.scene.frame->t1_ns / NS_PER_S;
        if (t1 != cases[i].t1_s ||
            strcmp(cursor_words(&f.sc.scene, words, sizeof(words)), cases[i].words))
            fail_msg("%s: %d %s", cases[i].keys, (int)t1, words);
        if (t1 && fabs(shown(&f, "L3_Bound") - l3_at(t1 - 1)) > 1e-6)
            fail_msg("%s: %g, wanted %g", cases[i].keys, shown(&f, "L3_Bound"), l3_at(t1 - 1));
        fixture_close(&f);
    }
}

/* A moment has the value and the ± that it had when it was live. */
static void test_err(void **state) {
    (void)state;
    struct fixture f;
    struct value was[64];
    open_at(&f, 120, 40, 200);
    const uint32_t n = f.s.model.n_metric;
    assert_true(n <= 64);
    memcpy(was, f.s.frame.at, n * sizeof(was[0]));
    fixture_run(&f, 100);
    cursor_go(&f.sc.scene, 200 * NS_PER_S);
    for (uint32_t i = 0; i < n; i++) {
        const struct value *v = &f.sc.scene.frame->at[i];
        bool known = !isnan(was[i].v);
        if (known != !isnan(v->v) || (known && fabs(v->v - was[i].v) > 1e-9) ||
            (known && fabs(v->err - was[i].err) > 1e-9))
            fail_msg("%s: %g ± %g, live it was %g ± %g", f.s.model.metric[i].name, v->v, v->err,
                     was[i].v, was[i].err);
    }
    assert_true(f.sc.scene.frame->at[find(&f, "L3_Bound")].err > 0);
    outline_go(&f.sc.scene.tree, find(&f, "L3_Bound"));
    fixture_keys(&f, "x");
    assert_true(fixture_shows(&f, "square root of 1 - duty"));
    fixture_close(&f);
}

/* Beyond the packed counts there is none, and the account says why. */
static void test_err_gone(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 0);
    screen_destroy(&f.sc);
    timeline_destroy(&f.s.timeline);
    assert_int_equal(timeline_init(&f.s.timeline, &f.s.source.layout, f.s.model.n_metric, 1), 0);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 1500);
    assert_true(series_dropped(&f.s.timeline.series) > 0);
    cursor_go(&f.sc.scene, 300 * NS_PER_S);
    assert_false(isnan(shown(&f, "L3_Bound")));
    assert_true(isnan(f.sc.scene.frame->at[find(&f, "L3_Bound")].err));
    outline_go(&f.sc.scene.tree, find(&f, "L3_Bound"));
    fixture_keys(&f, "x");
    assert_true(fixture_shows(&f, "only sums over longer intervals are left"));
    fixture_close(&f);
}

/* Measuring goes on: the moment stays, its distance grows, and live is the newest. */
static void test_goes_on(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 50);
    fixture_keys(&f, ",,,");
    fixture_run(&f, 10);
    assert_int_equal(f.sc.scene.frame->t1_ns, 47 * NS_PER_S);
    assert_true(fixture_shows(&f, "13s ago 00:00:47"));
    assert_false(fixture_shows(&f, "LIVE"));
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_ptr_equal(f.sc.scene.frame, &f.s.frame);
    assert_true(fixture_shows(&f, "LIVE 00:01:00"));
    fixture_close(&f);
}

/* Frozen, live is the moment at which it was frozen. */
static void test_frozen(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 50);
    fixture_keys(&f, ",, ");
    fixture_run(&f, 10);
    assert_true(fixture_shows(&f, "2s ago"));
    fixture_keys(&f, "L");
    assert_ptr_equal(f.sc.scene.frame, &f.sc.held);
    assert_true(fixture_shows(&f, "FROZEN 00:00:50"));
    fixture_keys(&f, " ");
    assert_true(fixture_shows(&f, "LIVE 00:01:00"));
    fixture_close(&f);
}

/* Beyond the newest 512 rows a coarser one stands for the moment; the oldest is the end. */
static void test_old(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 1500);
    cursor_go(&f.sc.scene, 300 * NS_PER_S);
    assert_true(f.sc.scene.frame->t1_ns >= 300 * NS_PER_S &&
                f.sc.scene.frame->t1_ns <= 309 * NS_PER_S);
    assert_false(isnan(shown(&f, "L3_Bound")));
    cursor_go(&f.sc.scene, NS_PER_S / 2);
    fixture_keys(&f, ",");
    assert_true(fixture_shows(&f, "nothing older"));
    fixture_close(&f);
}

/* Before the first interval there is nothing to go to. */
static void test_nothing(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 0);
    fixture_keys(&f, ",.[]L,");
    cursor_go(&f.sc.scene, NS_PER_S);
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_LIVE);
    assert_null(f.sc.scene.frame);
    screen_draw(&f.sc);
    fixture_close(&f);
}

/* A gap is stepped over. */
static void test_gap(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 20);
    f.s.n_frames += 5; /* five intervals that nobody measured */
    fixture_run(&f, 3);
    fixture_keys(&f, ",,");
    assert_int_equal(f.sc.scene.frame->t1_ns, 26 * NS_PER_S);
    fixture_keys(&f, ",");
    assert_int_equal(f.sc.scene.frame->t1_ns, 20 * NS_PER_S);
    fixture_keys(&f, ".");
    assert_int_equal(f.sc.scene.frame->t1_ns, 26 * NS_PER_S);
    fixture_close(&f);
}

/* What is looked for and not found leaves what is shown alone. */
static void test_not_found(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 20);
    f.s.n_frames += 5;
    fixture_run(&f, 3);
    fixture_keys(&f, ",,,");
    const uint64_t t1_ns = f.sc.scene.sample->t1_ns;
    const double slots = f.sc.scene.sample->at[0].value;
    assert_int_equal(t1_ns, 20 * NS_PER_S);
    assert_false(cursor_show(&f.sc.scene, 21 * NS_PER_S, 22 * NS_PER_S, CURSOR_MOMENT));
    assert_ptr_equal(f.sc.scene.sample, &f.sc.scene.cursor.sample);
    assert_int_equal(f.sc.scene.sample->t1_ns, t1_ns);
    assert_true(f.sc.scene.sample->at[0].value == slots);
    fixture_close(&f);
}

/* --- spans --- */

/* The sums of a span are its counts added up. */
static void test_span(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 100);
    fixture_keys(&f, ",,,,,,,,,,[.....]");
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_SPAN);
    assert_int_equal(f.sc.scene.cursor.begin_ns, 89 * NS_PER_S);
    assert_int_equal(f.sc.scene.cursor.end_ns, 95 * NS_PER_S);
    double sum = 0;
    for (uint64_t t = 89; t < 95; t++)
        sum += l3_at(t);
    assert_true(fabs(shown(&f, "L3_Bound") - sum / 6) < 1e-6);
    assert_true(fixture_shows(&f, "6s until 5s ago"));
    fixture_golden(&f, "span_120x40");
    fixture_keys(&f, "L");
    assert_true(cursor_has_span(&f.sc.scene.cursor));
    screen_key(&f.sc, KEYC_ESC, NULL); /* live already: the span goes */
    assert_false(cursor_has_span(&f.sc.scene.cursor));
    fixture_close(&f);
}

static void test_span_refused(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 100);
    fixture_keys(&f, ",]");
    assert_true(fixture_shows(&f, "no span begins before"));
    fixture_keys(&f, "[,,,,]");
    assert_true(fixture_shows(&f, "would end before it begins"));
    assert_false(cursor_has_span(&f.sc.scene.cursor));
    fixture_keys(&f, "L["); /* from now on */
    fixture_run(&f, 4);
    fixture_keys(&f, "]");
    assert_true(fixture_shows(&f, "the last 4s"));
    fixture_close(&f);
}

/* --- the plot --- */

/* A click goes to the moment under it, and dragging on from there. */
static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 300);
    screen_draw(&f.sc);
    const struct rect area = metric_plot_area(f.sc.panes[LAYOUT_TREE].at[PANE_PLOT]);
    const struct scale_time x = axis_newest(&f.sc.scene, &f.sc.scene.trends.plot, area.w);
    struct mouse m = {.x = area.x + 20, .y = area.y + 2, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_in_range(area.x + scale_time_x(&x, f.sc.scene.frame->t1_ns), m.x - 1, m.x + 1);
    m = (struct mouse){.x = area.x + 30, .y = 0, .what = MOUSE_DRAG};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_in_range(area.x + scale_time_x(&x, f.sc.scene.frame->t1_ns), m.x - 1, m.x + 1);
    m = (struct mouse){
        .x = 20, .y = f.sc.panes[LAYOUT_TREE].at[PANE_TREE].y + 3, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    uint64_t was = f.sc.scene.frame->t1_ns;
    m = (struct mouse){.x = area.x + 5, .y = area.y + 2, .what = MOUSE_DRAG};
    screen_key(&f.sc, KEYC_MOUSE, &m); /* it was pressed in the tree */
    assert_int_equal(f.sc.scene.frame->t1_ns, was);
    fixture_close(&f);
}

static void test_marks(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40, 30);
    timeline_mark(&f.s.timeline, 12 * NS_PER_S, "a name that is long");
    timeline_mark(&f.s.timeline, 10 * NS_PER_S, "warm");
    assert_true(fixture_shows(&f, "a name that is long"));
    fixture_golden(&f, "marks_120x40");
    fixture_close(&f);
}

/* --- a stored run --- */

/* Its bottleneck path is open as soon as all of it was read, and it is the path of the whole; what
 * was not counted is told in words of the past. */
static void test_opened(void **state) {
    (void)state;
    static struct runs_open o;
    struct fixture f;
    memset(&o, 0, sizeof(o));
    open_at(&f, 120, 40, 0);
    f.sc.opened = &o;
    f.sc.scene.stored = &o.run;
    fixture_run(&f, 30);
    assert_false(f.sc.path_opened); /* of its begin */
    assert_int_equal(frame_init(&o.whole, f.s.model.n_metric), 0);
    assert_int_equal(sample_init(&o.whole_sample, f.s.source.layout.n_slot), 0);
    window_frame(&f.s.window, &f.s.eval, &o.whole);
    sample_copy(&o.whole_sample, window_sample(&f.s.window));
    struct bottleneck *b = &o.whole.bottleneck;
    *b = (struct bottleneck){.n = 3, .tie = {METRIC_NONE, METRIC_NONE}};
    b->at[0] = (int16_t)find(&f, "Backend_Bound");
    b->at[1] = (int16_t)find(&f, "Core_Bound");
    b->at[2] = (int16_t)find(&f, "Ports_Utilization");
    o.whole.at[find(&f, "Divider")].why =
        (struct why){.kind = WHY_EVENT, .code = COUNT_NOT_FOCUSED};
    f.sc.run_frame = &o.whole;
    f.sc.run_sample = &o.whole_sample;
    f.s.state = STREAM_ENDED;
    screen_settle(&f.sc);
    assert_int_equal(scene_selected(&f.sc.scene), find(&f, "Ports_Utilization"));
    assert_true(fixture_shows(&f, "was not counted in this run"));
    frame_destroy(&o.whole);
    sample_destroy(&o.whole_sample);
    f.sc.opened = NULL;
    f.sc.run_frame = NULL;
    f.sc.scene.stored = NULL;
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),   cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_frozen),  cmocka_unit_test(test_old),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_gap),
        cmocka_unit_test(test_span),    cmocka_unit_test(test_span_refused),
        cmocka_unit_test(test_mouse),   cmocka_unit_test(test_marks),
        cmocka_unit_test(test_err),     cmocka_unit_test(test_err_gone),
        cmocka_unit_test(test_opened),  cmocka_unit_test(test_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
