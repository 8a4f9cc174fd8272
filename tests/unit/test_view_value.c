/* The popups about numbers: how a value came about, what tdtop costs; user space and kernel. */
#include "ui_fixture.h"

static void open_at(struct fixture *f, int w, int h, const char *more) {
    fixture_open_with(f, "redis-server 4242", more);
    fixture_screen(f, w, h);
    fixture_run(f, 20);
}

static void test_value(void **state) {
    (void)state;
    static const int sizes[][2] = {{120, 40}, {80, 24}, {40, 6}};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        char name[64];
        open_at(&f, sizes[i][0], sizes[i][1], "");
        fixture_keys(&f, "x");
        snprintf(name, sizeof(name), "value_%dx%d", sizes[i][0], sizes[i][1]);
        fixture_golden(&f, name);
        fixture_close(&f);
    }
}

/* What is not there says why; metrics that others are made of are named with their values. */
static void test_value_words(void **state) {
    (void)state;
    static const struct {
        const char *keys, *words[3];
    } cases[] = {
        {"/Divider\nx", {"Divider = n/a", "BE.DIVIDER: not supported", "With its numbers"}},
        {"/Queue_Full\nx", {"approximate", "BE.L3 / SLOTS / 4", "not permitted"}},
        {"gx", {"Frontend_Bound: this value", "Metrics in it", "Fetch_Latency"}},
        {"/Store_Bound\nx", {"stale", "not scheduled in this interval", "100.0% · group 0"}},
        {"/IPC\nx", {"INSTRUCTIONS / CYCLES", "enabled", "half of the 95% interval"}},
    };
    struct fixture f;
    open_at(&f, 120, 40, "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_keys(&f, cases[i].keys);
        for (int k = 0; k < 3; k++)
            if (!fixture_shows(&f, cases[i].words[k]))
                fail_msg("%s: not \"%s\"", cases[i].keys, cases[i].words[k]);
        fixture_keys(&f, "x");
    }
    fixture_close(&f);
}

static void test_value_before_any(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 80, 24);
    fixture_keys(&f, "x");
    assert_true(fixture_shows(&f, "Nothing has been measured yet"));
    fixture_close(&f);
}

static void test_cost(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24, "");
    struct cost *c = &f.sc.scene.cost;
    fixture_keys(&f, "W");
    cost_begin(c);
    c->start.at_ns = NS_PER_S;
    assert_true(fixture_shows(&f, "lately"));
    cost_add(c, &(struct cost_point){91 * NS_PER_S, NS_PER_S, NS_PER_S / 4, 180, 90, 100, 90000});
    cost_add(c, &(struct cost_point){101 * NS_PER_S, NS_PER_S + 20 * NS_PER_MS,
                                     NS_PER_S / 4 + 5 * NS_PER_MS, 200, 100, 112, 120000});
    static const char *const lines[] = {
        "since start     last 10 s",
        "1.02%         0.20%",
        "0.26%         0.05%",
        "0.77%         0.15%",
        " 2.0           2.0",
        " 1.1           1.2",
        " 1.20k         3.00k",
        " MB ",
        "20, 0 merged",
        "event groups in focus             1 of 1",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (!fixture_shows(&f, lines[i]))
            fail_msg("not \"%s\"", lines[i]);
    fixture_keys(&f, "W");
    assert_null(f.sc.popup);
    fixture_close(&f);
}

/* A model whose metric is the kernel's share; one with both, beside which there is waiting; none.
 */
static void test_split(void **state) {
    (void)state;
    static const struct {
        const char *more, *words;
    } cases[] = {
        {"[metric.Info_System_Kernel_Utilization]\nformula = 'CYCLES / SLOTS'\n",
         "user 75.0% kernel 25.0% of cycles"},
        {"[node.User]\nformula = 'CYCLES / SLOTS'\n[node.Kernel]\nformula = 'CYCLES / SLOTS / 4'\n",
         "user 80.0% kernel 20.0% of CPU"},
        {"[metric.Info_System_Kernel_Utilization]\nformula = 'BE.DIVIDER / SLOTS'\n",
         "user n/a kernel n/a: BE.DIVIDER: not supported"},
    };
    struct fixture f;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_at(&f, 120, 40, cases[i].more);
        assert_false(fixture_shows(&f, "kernel "));
        fixture_keys(&f, "u");
        if (!fixture_shows(&f, cases[i].words))
            fail_msg("not \"%s\"", cases[i].words);
        fixture_keys(&f, "u");
        assert_false(fixture_shows(&f, "kernel "));
        f.s.source.opt.target.user_only = true;
        fixture_keys(&f, "u");
        assert_true(fixture_shows(&f, "only user space is counted, as --user says"));
        fixture_close(&f);
    }
    open_at(&f, 120, 40, "");
    fixture_keys(&f, "u");
    assert_true(fixture_shows(&f, "model hand cannot tell user from kernel"));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_value_words),
        cmocka_unit_test(test_value_before_any),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
