/* What a screen says about a model and its values: limits, where to look next, latencies, codes. */
#include "ui_fixture.h"

#include "ui/words.h"

#include <errno.h>

/* A fifth root that is neither lost nor useful, and what it leads to. */
static const char more[] =
    "[latency]\n'BE.L3' = 9.5\n"
    "[node.SMT_Contention]\nrole = 'none'\nformula = 'BE.STORES / SLOTS'\n"
    "next = ['Branch_Effectiveness', 'IPC']\n"
    "[metric.Branch_MPKI]\ngroups = 'Branch_Effectiveness;Others'\n"
    "formula = '1000 * BAD.MISPREDICTS / INSTRUCTIONS'\n"
    "[metric.Branch_Ratio]\ngroups = 'Others;Branch_Effectiveness'\nshare = true\n"
    "formula = 'BAD.CLEARS / SLOTS'\n"
    "[metric.L3_Cost]\n"
    "formula = 'BE.L3 * BE.L3:retire_latency / SLOTS + BE.L1 * BE.L1:retire_latency / SLOTS'\n"
    "approximate = 'an average stands for each load'\n"
    "[metric.By_Half]\nformula = 'BE.L3 / SLOTS'\n"
    "approximate = 'the sibling is not seen'\napproximate_when = 'SMT_ON & EBS_MODE'\n";

static const char limits[] = "an estimate: slots that nobody counted are shared out by cycles, and "
                             "children need not add up to their parent; guests see fewer counters";

static void open_at(struct fixture *f, int w, int h) {
    fixture_open_with(f, "redis-server 4242", more);
    f->s.model.limits = limits;
    fixture_screen(f, w, h);
    fixture_run(f, 12);
}

static void explain(struct fixture *f, const char *name) {
    outline_go(&f->sc.tree, model_find(&f->s.model, name));
    fixture_keys(f, "e");
}

/* Two lines of header or more: the limits are there, whatever else the second line has to say. */
static void test_limits(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    str_copy(f.s.why_model, sizeof(f.s.why_model), "the full model, because this CPU is known");
    str_copy(f.s.source.note, sizeof(f.s.source.note),
             "duty will be low, because the watchdog of the kernel holds a counter of its own");
    f.s.state = STREAM_GONE;
    err_set(&f.s.last, -ESRCH, "redis-server exited with code 0");
    for (int h = 12; h <= 60; h++)
        for (int w = 40; w <= 200; w += 20) {
            assert_int_equal(screen_resize(&f.sc, w, h), 0);
            if (!fixture_shows(&f, "limits: "))
                fail_msg("%dx%d does not say what the model cannot see", w, h);
            if (!fixture_shows(&f, "the target has gone"))
                fail_msg("%dx%d does not say that the target has gone", w, h);
        }
    f.s.model.limits = NULL;
    assert_false(fixture_shows(&f, "limits"));
    fixture_close(&f);
}

/* The whole of it is one key away. */
static void test_limits_in_full(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 100);
    explain(&f, "L3_Bound");
    assert_true(fixture_shows(&f, "What the model hand cannot see"));
    assert_true(fixture_shows(&f, "guests see fewer counters"));
    fixture_keys(&f, "e?");
    assert_true(fixture_shows(&f, "What the model hand cannot see"));
    assert_true(fixture_shows(&f, "fewer counters"));
    fixture_close(&f);
}

static void test_next(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 60);
    explain(&f, "SMT_Contention");
    assert_true(fixture_shows(&f, "Look next at"));
    assert_true(fixture_shows(&f, "Branch_Effectiveness"));
    assert_true(fixture_shows(&f, "  Branch_MPKI "));
    assert_true(fixture_shows(&f, "  Branch_Ratio "));
    char value[48];
    int ratio = model_find(&f.s.model, "Branch_Ratio");
    words_value(value, sizeof(value), &f.s.model.metric[ratio], f.s.frame.at[ratio].v);
    assert_true(fixture_shows(&f, value));
    fixture_keys(&f, "e");
    explain(&f, "L3_Bound");
    assert_false(fixture_shows(&f, "Look next at"));
    fixture_close(&f);
}

static void test_latencies(void **state) {
    (void)state;
    struct fixture f;
    static const struct latency_setting own = {.event = "BE.L3", .cycles = 12.25};
    open_at(&f, 120, 60);
    explain(&f, "L3_Cost");
    assert_true(fixture_shows(&f, "Retire latencies"));
    assert_true(fixture_shows(&f, "9.5 cycles, the vendor's average"));
    assert_true(fixture_shows(&f, "not known"));
    f.s.source.consts.latency = &own;
    f.s.source.consts.n_latency = 1;
    assert_true(fixture_shows(&f, "12.25 cycles, as --const says"));
    f.s.source.consts.n_latency = 0;
    fixture_keys(&f, "e");
    explain(&f, "L3_Bound");
    assert_false(fixture_shows(&f, "Retire latencies"));
    fixture_close(&f);
}

/* A reason for being approximate is given where it holds, and only there. */
static void test_approximate(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 60);
    explain(&f, "By_Half");
    assert_false(fixture_shows(&f, "the sibling is not seen"));
    f.s.source.consts.value[CONST_SMT_ON] = 1;
    f.s.source.consts.value[CONST_EBS_MODE] = 1;
    assert_true(fixture_shows(&f, "the sibling is not seen"));
    fixture_keys(&f, "e");
    explain(&f, "L3_Cost");
    assert_true(fixture_shows(&f, "an average stands for each load"));
    fixture_close(&f);
}

static void test_codes(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 60);
    explain(&f, "L3_Bound");
    assert_true(fixture_shows(&f, "Events, as perf takes them"));
    assert_true(fixture_shows(&f, "config=0x16"));
    fixture_close(&f);
}

/* Five roots: the bar and the caption have room for all, and sum up what is lost and useful only.
 */
static void test_five_roots(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_golden(&f, "five_roots_120x40");
    assert_true(fixture_shows(&f, "useful"));
    assert_true(fixture_shows(&f, "% SMT Contention"));
    assert_int_equal(screen_resize(&f.sc, 40, 6), 0);
    fixture_golden(&f, "five_roots_40x6");
    for (int w = 40; w <= 200; w++) {
        assert_int_equal(screen_resize(&f.sc, w, 40), 0);
        if (w >= 60 && !fixture_shows(&f, "wasted"))
            fail_msg("%d columns do not say what is wasted", w);
    }
    fixture_close(&f);
}

/* The vital signs of every model come in one order. */
static void test_vitals(void **state) {
    (void)state;
    struct fixture f;
    fixture_open_with(&f, "redis-server 4242",
                      "[metric.Zebra]\nvital = true\nformula = 'CYCLES / SLOTS'\n"
                      "[metric.CPUs_Utilized]\nvital = true\nformula = 'CYCLES / SLOTS'\n");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 3);
    static char text[65536];
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, text, sizeof(text));
    const char *at[] = {strstr(text, " IPC "), strstr(text, " GHz "),
                        strstr(text, " CPUs Utilized "), strstr(text, " Zebra ")};
    for (int i = 0; i < 4; i++)
        if (!at[i] || (i > 0 && at[i] < at[i - 1]))
            fail_msg("vital sign %d is not in its place:\n%s", i, text);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_limits_in_full),
        cmocka_unit_test(test_next),        cmocka_unit_test(test_latencies),
        cmocka_unit_test(test_approximate), cmocka_unit_test(test_codes),
        cmocka_unit_test(test_five_roots),  cmocka_unit_test(test_vitals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
