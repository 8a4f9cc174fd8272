/* The baseline: what is pinned, what is compared with it, and how the tree shows it. */
#include "ui_fixture.h"

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 60);
    f->s.opened = true; /* as after session_open: sums can be reset */
}

static void close_it(struct fixture *f) {
    f->s.opened = false;
    fixture_close(f);
}

static int find(const struct fixture *f, const char *name) {
    for (int i = 0; i < (int)f->s.model.n_metric; i++)
        if (strcmp(f->s.model.metric[i].name, name) == 0)
            return i;
    fail_msg("no %s", name);
    return -1;
}

static const struct compare_row *row(const struct fixture *f, const char *name) {
    return baseline_row(&f->sc.scene.base, find(f, name));
}

static void test_pin(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "b");
    assert_true(f.sc.scene.base.on);
    assert_int_equal(f.s.window.n, 60); /* sums go on: what s stores does not change */
    assert_int_equal(f.s.timeline.reset_ns, 0);
    assert_null(row(&f, "L3_Bound"));
    assert_true(fixture_shows(&f, "pinned: 60s until 00:01:00, 60 intervals"));
    assert_true(fixture_shows(&f, "b unpins"));
    assert_true(fixture_shows(&f, "Δ base"));
    fixture_run(&f, 60);
    const struct compare_row *r = row(&f, "L3_Bound");
    assert_non_null(r);
    assert_true(fabs(r->delta) < 1e-9); /* a whole period of the wave on both sides */
    assert_true(fixture_shows(&f, "Δ: the last 60s against 60s until 00:01:00"));
    assert_null(row(&f, "Divider")); /* not known on either side */
    fixture_golden(&f, "baseline_120x40");
    fixture_keys(&f, "b");
    assert_false(f.sc.scene.base.on);
    assert_false(fixture_shows(&f, "Δ base"));
    close_it(&f);
}

/* What the fixture counts for L3_Bound in an interval. */
static double l3_at(uint64_t tick) {
    return 0.148 + 0.06 * fixture_wave(tick, 60);
}

/* The difference is that of the moment which is shown, of a span that of its sums; live again, that
 * of what came since. */
static void test_follows_cursor(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "b"); /* a whole wave: its mean */
    fixture_run(&f, 60);
    for (uint64_t back = 1; back < 80; back += 13) {
        cursor_go(&f.sc.scene, (120 - back) * NS_PER_S);
        assert_true(fabs(row(&f, "L3_Bound")->delta - (l3_at(119 - back) - 0.148)) < 1e-6);
        assert_int_equal(row(&f, "L3_Bound")->verdict, VERDICT_UNSURE);
        assert_true(fixture_shows(&f, "Δ: this moment against"));
    }
    fixture_run(&f, 5); /* time goes on, the moment stays */
    assert_true(fixture_shows(&f, "Δ: this moment against"));
    cursor_go(&f.sc.scene, 100 * NS_PER_S);
    fixture_keys(&f, "[....]");
    double sum = 0;
    for (uint64_t t = 99; t < 104; t++)
        sum += l3_at(t);
    assert_true(fabs(row(&f, "L3_Bound")->delta - (sum / 5 - 0.148)) < 1e-6);
    assert_true(fixture_shows(&f, "Δ: this span against"));
    fixture_keys(&f, "L");
    sum = 0;
    for (uint64_t t = 60; t < 125; t++)
        sum += l3_at(t);
    assert_true(fabs(row(&f, "L3_Bound")->delta - (sum / 65 - 0.148)) < 1e-6);
    assert_true(fixture_shows(&f, "Δ: the last 65s against"));
    close_it(&f);
}

/* The live side knows what is better, and what adds up with time. */
static void test_verdicts(void **state) {
    (void)state;
    struct fixture f;
    fixture_open_with(&f, "redis-server 4242", "[metric.Slots]\nformula = 'SLOTS'\n");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 600);
    fixture_keys(&f, "b");
    f.more_clears = 0.12;
    fixture_run(&f, 600);
    assert_int_equal(row(&f, "Machine_Clears")->verdict, VERDICT_REGRESSED);
    assert_true(row(&f, "Slots")->total);
    assert_true(fabs(row(&f, "Slots")->relative) < 1e-9);
    close_it(&f);
}

/* The interval in which the target ended is not in B, as soon as it comes and later; nothing is
 * said of a time in which there was nothing to measure but what is waited for. */
static void test_end_of_target(void **state) {
    (void)state;
    static const char *const views[] = {"1", "3"};
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "b");
    fixture_run(&f, 30);
    f.s.end_t0_ns = f.s.sample.t1_ns;
    f.s.end_t1_ns = f.s.end_t0_ns + f.step_ns;
    const double before = f.sc.scene.base.live_node[model_find(&f.s.model, "L3_Bound")].value.v;
    fixture_run(&f, 1);
    assert_int_equal(f.sc.scene.base.live.sums.n, 30);
    assert_true(f.sc.scene.base.live_node[model_find(&f.s.model, "L3_Bound")].value.v == before);
    f.s.source.opt.target.name = "redis-server";
    f.s.away = true;
    for (uint32_t i = 0; i < f.s.sample.n_slot; i++)
        f.s.sample.at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    eval_run(&f.s.eval, &f.s.sample, &f.s.frame);
    f.s.n_frames++;
    screen_update(&f.sc);
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        fixture_keys(&f, views[i]);
        assert_true(fixture_shows(&f, "waiting for redis-server"));
        assert_true(fixture_shows(&f, "WAITING"));
        assert_false(fixture_shows(&f, "not known"));
        assert_false(fixture_shows(&f, "not counted"));
        assert_false(fixture_shows(&f, "It did not run"));
    }
    f.s.away = false;
    fixture_run(&f, 5); /* it is left out later, too */
    assert_true(f.sc.scene.base.live.sums.n >= 34 && f.sc.scene.base.live.sums.n <= 35);
    close_it(&f);
}

/* Sums that begin anew begin the other side anew. */
static void test_reset(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "b");
    fixture_run(&f, 30);
    fixture_keys(&f, "0");
    fixture_run(&f, 3);
    assert_true(fixture_shows(&f, "Δ: the last 3s against 60s until 00:01:00"));
    close_it(&f);
}

/* Before anything was measured it is refused with words. */
static void test_nothing(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 80, 24);
    fixture_keys(&f, "b");
    assert_false(f.sc.scene.base.on);
    assert_true(fixture_shows(&f, "wait for an interval"));
    fixture_close(&f);
}

/* The deltas have room on every size that shows them, and no two columns meet. */
static void test_sizes(void **state) {
    (void)state;
    for (int w = 20; w <= 260; w++) {
        struct columns c;
        layout_columns(w, true, false, &c);
        int sum = c.name + c.mark + c.value + c.delta + c.err + c.bar + c.spark + c.duty;
        if (sum > w || (w >= 39 && c.delta == 0))
            fail_msg("%d columns: %d used, %d for the difference", w, sum, c.delta);
    }
    static const int size[][2] = {{80, 24}, {200, 60}, {40, 6}, {40, 12}, {20, 3}};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        struct fixture f;
        open_at(&f, size[i][0], size[i][1]);
        fixture_keys(&f, "b");
        fixture_run(&f, 20);
        screen_draw(&f.sc);
        fixture_keys(&f, "djjjGgk\n");
        screen_draw(&f.sc);
        fixture_keys(&f, "d");
        screen_draw(&f.sc);
        close_it(&f);
    }
}

/* Two values that differ by chance, or not: made by hand. */
static struct run_node node(const char *name, double v, double sd, bool good_up) {
    struct run_node n = {.level = 1, .good_up = good_up, .share = true};
    n.name = strdup(name);
    n.path = strdup(name);
    n.unit = strdup("percent");
    n.reason = strdup("");
    n.value = (struct value){.v = v, .duty = 1};
    n.m = (struct moments_result){
        .n = 100, .mean = v, .sd = sd, .se = sd / 10, .dof = 99, .effective_n = 100};
    run_node_guess(&n);
    return n;
}

static struct run stored(double backend, double retiring) {
    struct run r = {.id = "0123456789abcdef", .measured_ns = 100 * NS_PER_S};
    r.process = strdup("redis-server");
    r.model = strdup("hand");
    assert_int_equal(array_push(&r.node, node("Backend_Bound", backend, 0.001, false)), 0);
    assert_int_equal(array_push(&r.node, node("Retiring", retiring, 0.001, true)), 0);
    assert_int_equal(array_push(&r.node, node("Gone", 0.5, 0.001, false)), 0);
    return r;
}

/* A stored run is pinned and compared with what comes. */
static void test_pin_run(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    open_at(&f, 120, 40);
    struct run r = stored(0.10, 0.90);
    if (baseline_pin_run(&f.sc.scene, &r, &err) < 0)
        fail_msg("%s", err.text);
    assert_null(r.process);
    fixture_run(&f, 30);
    assert_true(row(&f, "Backend_Bound")->delta > 0.2);
    assert_true(fixture_shows(&f, "against 01234567 redis-server"));
    struct run empty = {.id = "ffff"};
    assert_true(baseline_pin_run(&f.sc.scene, &empty, &err) < 0);
    assert_true(f.sc.scene.base.on); /* the one before stays */
    assert_true(fixture_shows(&f, "against 01234567"));
    close_it(&f);
}

/* The signs say by themselves what the colours say; ASCII has one for each. */
static void test_signs(void **state) {
    (void)state;
    enum style st;
    assert_string_equal(baseline_sign(VERDICT_REGRESSED, &st), "✗");
    assert_int_equal(st, STYLE_ERROR);
    assert_string_equal(baseline_sign(VERDICT_IMPROVED, &st), "✓");
    assert_int_equal(st, STYLE_GOOD);
    struct run_node share = {.share = true}, rate = {0};
    static const struct {
        bool share;
        double delta, relative;
        const char *text;
    } cases[] = {
        {true, 0.0321, 0.5, "+3.2"}, {true, -0.0004, 0.5, "+0.0"}, {false, 1, 0.041, "+4.1%"},
        {false, 1, -0.041, "-4.1%"}, {false, 1, 2.5, "+250%"},     {false, 1, 123, ">999%"},
        {false, 1, (double)NAN, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct run_node *n = cases[i].share ? &share : &rate;
        struct compare_row r = {
            .a = n, .b = n, .delta = cases[i].delta, .relative = cases[i].relative};
        char text[32];
        assert_string_equal(baseline_delta(&r, text, sizeof(text)), cases[i].text);
        r.a = NULL;
        assert_string_equal(baseline_delta(&r, text, sizeof(text)), "only B");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pin),
        cmocka_unit_test(test_end_of_target),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_pin_run),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_follows_cursor),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
