/* What a screen says about a model and its values: limits, where to look next, latencies, codes. */
#include "ui_fixture.h"

#include "model/knowledge/explain.h"
#include "ui/draw/words.h"
#include "ui/popup/explain_view.h"

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
    outline_go(&f->sc.scene.tree, model_find(&f->s.model, name));
    fixture_keys(f, "e");
}

/* What the model cannot see is in the help; the end of the target is above the tree, at any size.
 */
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
            if (!fixture_shows(&f, "GONE") || !fixture_shows(&f, "exited"))
                fail_msg("%dx%d does not say that the target has gone", w, h);
        }
    fixture_keys(&f, "?G");
    assert_true(fixture_shows(&f, "model hand cannot see"));
    f.s.model.limits = NULL;
    assert_false(fixture_shows(&f, "model hand cannot see"));
    fixture_close(&f);
}

/* The whole of it is one key away. */
static void test_limits_in_full(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 140);
    explain(&f, "L3_Bound");
    assert_true(fixture_shows(&f, "What the model hand cannot see"));
    assert_true(fixture_shows(&f, "guests see fewer counters"));
    fixture_keys(&f, "e?");
    screen_draw(&f.sc);
    fixture_keys(&f, "G"); /* at its end */
    assert_true(fixture_shows(&f, "What the model hand cannot see"));
    assert_true(fixture_shows(&f, "fewer counters"));
    fixture_close(&f);
}

/* What is typed is looked for: no letter of it closes the page or stores anything. */
static void test_find(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    explain(&f, "L3_Bound");
    fixture_keys(&f, "/cannot see");
    screen_draw(&f.sc);
    assert_ptr_equal(f.sc.popup, &popup_explain);
    assert_true(fixture_shows(&f, "What the model hand cannot see"));
    assert_true(f.sc.text.top > 0);
    fixture_keys(&f, "zzz");
    screen_draw(&f.sc);
    assert_true(explanation_of(&f.sc)->find.missing);
    assert_ptr_equal(f.sc.popup, &popup_explain);
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
    assert_true(fixture_shows(&f, "Events, as perf stat -e takes them"));
    assert_true(fixture_shows(&f, "cpu/config=0x16/"));
    fixture_close(&f);
}

/* What names a metric of other models is left out; an event, or a metric of this one, stays. */
static void test_fits_model(void **state) {
    (void)state;
    static const char text[] =
        "[entry.L3_Bound]\nsummary = 's'\ndescription = 'Memory_Bound and No_Such_Node.'\n"
        "causes = ['a high Memory_Bound', 'a high No_Such_Node', 'MEM_LOAD_RETIRED.L3_HIT']\n"
        "hints = ['nothing but No_Such_Metric']\n"
        "confirm = ['see Branch_MPKI', 'and No_Such_Metric, and Branch_MPKI', "
        "'Branch_Effectiveness']\n"
        "counts = 'k'\nhealthy = 'h'\nworrying = 'w'\nvalues_from = 'v'\nreferences = ['b']\n"
        "related = ['Memory_Bound', 'No_Such_Node', 'Branch_Effectiveness']\n";
    static const struct embedded files[] = {{"t", text, sizeof(text) - 1}, {0}};
    struct fixture f;
    struct explain ex;
    fixture_open_with(&f, "redis-server 4242", more);
    assert_int_equal(explain_load_from(&ex, files, NULL), 0);
    f.s.model.vendor = "Intel";
    explain_fit(&ex, &f.s.model);
    const struct explain_entry *e = explain_find(&ex, "L3_Bound");
    assert_string_equal(e->causes[0], "a high Memory_Bound");
    assert_string_equal(e->causes[1], "MEM_LOAD_RETIRED.L3_HIT");
    assert_null(e->causes[2]);
    assert_null(e->hints[0]);
    assert_string_equal(e->confirm[0], "see Branch_MPKI");
    assert_string_equal(e->confirm[1], "Branch_Effectiveness");
    assert_null(e->confirm[2]);
    assert_string_equal(e->related[0], "Memory_Bound");
    assert_string_equal(e->related[1], "Branch_Effectiveness");
    assert_null(e->related[2]);
    f.s.model.vendor = "AMD"; /* where nothing has that event */
    explain_fit(&ex, &f.s.model);
    assert_null(e->causes[1]);
    explain_free(&ex);
    fixture_close(&f);
}

/* Shares of clocks have a bar of their own scale and say so; where there is no room, words alone.
 */
static void test_clocks(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    for (uint32_t i = 0; i < f.s.model.n_tree; i++)
        if (f.s.model.metric[i].level == 3)
            f.s.model.metric[i].domain = "Clocks";
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 12);
    assert_true(fixture_shows(&f, "───── ") && fixture_shows(&f, " clocks "));
    assert_true(fixture_shows(&f, "Waiting for L3, 19.2% of clocks"));
    for (int w = 80; w <= 200; w += 4) {
        assert_int_equal(screen_resize(&f.sc, w, 40), 0);
        if (!fixture_shows(&f, " clocks "))
            fail_msg("%d columns do not say what L3_Bound is a share of", w);
    }
    fixture_close(&f);
}

/* The end of the path inside a closed node has a sign of its own. */
static void test_folded_end(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 12);
    assert_true(fixture_shows(&f, "◀"));
    assert_false(fixture_shows(&f, "◁"));
    fixture_keys(&f, "((");
    assert_true(fixture_shows(&f, "◁"));
    assert_false(fixture_shows(&f, "◀"));
    fixture_close(&f);
}

/* A slip in the user's own metrics is on the message line until the first key. */
static void test_own_note(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    str_copy(f.s.own_note, sizeof(f.s.own_note), "1 own metric is unavailable: Slip: no such");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 3);
    assert_true(fixture_shows(&f, " 1 own metric is unavailable: Slip: no such"));
    fixture_keys(&f, "j");
    assert_false(fixture_shows(&f, "own metric"));
    fixture_close(&f);
}

/* The warning about the whole comes first, and nothing is left empty. */
static void test_warning(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    f.s.source.live = false;
    f.s.frame.root_sum = 0.75;
    for (int w = 60; w <= 200; w++) {
        assert_int_equal(screen_resize(&f.sc, w, 24), 0);
        if (!fixture_shows(&f, "level 1 adds up to 75.0%, not 1"))
            fail_msg("%d columns: no warning", w);
        if (fixture_shows(&f, "·  ·") || fixture_shows(&f, "· ·"))
            fail_msg("%d columns: something empty is said", w);
    }
    assert_true(fixture_shows(&f, "not 100%: is --model right?"));
    f.s.source.live = true; /* the ladder chose: there is nothing to be asked */
    assert_false(fixture_shows(&f, "is --model right?"));
    fixture_close(&f);
}

/* Five roots: the bar has room for all. */
static void test_five_roots(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_golden(&f, "five_roots_120x40");
    assert_int_equal(screen_resize(&f.sc, 40, 6), 0);
    fixture_golden(&f, "five_roots_40x6");
    for (int w = 60; w <= 200; w++) {
        assert_int_equal(screen_resize(&f.sc, w, 40), 0);
        if (!fixture_shows(&f, "SMT"))
            fail_msg("%d columns do not name the fifth", w);
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
    const char *at[] = {strstr(text, " IPC "), strstr(text, " GHz "), strstr(text, " CPUs "),
                        strstr(text, " Zebra ")};
    for (int i = 0; i < 4; i++)
        if (!at[i] || (i > 0 && at[i] < at[i - 1]))
            fail_msg("vital sign %d is not in its place:\n%s", i, text);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_limits_in_full),
        cmocka_unit_test(test_next),       cmocka_unit_test(test_find),
        cmocka_unit_test(test_latencies),  cmocka_unit_test(test_approximate),
        cmocka_unit_test(test_codes),      cmocka_unit_test(test_fits_model),
        cmocka_unit_test(test_clocks),     cmocka_unit_test(test_folded_end),
        cmocka_unit_test(test_own_note),   cmocka_unit_test(test_warning),
        cmocka_unit_test(test_five_roots), cmocka_unit_test(test_vitals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
