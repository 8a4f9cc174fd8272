/* What the kernels of `tdtop selftest` must show in every model, and the judging of it. */
#include "selftest/judge.h"

#include "model/eval/bottleneck.h"
#include "selftest/kernel.h"

#include "model_fixture.h"

#include <stdlib.h>

static void load(struct model *m, const char *name) {
    struct err err = {0};
    *m = (struct model){0};
    if (model_open(m, name, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

/* Loads it unless it is the one that is there. */
static void load_other(struct model *m, const char *name) {
    if (m->name && strcmp(m->name, name) == 0)
        return;
    model_free(m);
    load(m, name);
}

/* ---- the table ---- */

/* Every kernel has something to lead to in every model that can be picked for a core. */
static void test_table_is_complete(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        load(&m, e->name);
        bool pipeline = strcmp(m.rung, "software") != 0;
        for (size_t i = 0; i < kernel_count; i++) {
            const struct kernel *k = &kernels[i];
            struct expect x;
            char text[320];
            expect_find(&m, k->name, NULL, &x);
            expect_text(&m, &x, text, sizeof(text));
            bool judged = x.n_path + x.n_limit > 0;
            bool wanted = pipeline ? k->judge == JUDGE_PATH : k->judge == JUDGE_SHARE;
            if (wanted && !judged)
                fail_msg("%s: nothing to judge %s by", m.name, k->name);
            if (judged && (!text[0] || expect_level(&m, &x) < 0 || expect_level(&m, &x) > 6))
                fail_msg("%s: %s: '%s', level %d", m.name, k->name, text, expect_level(&m, &x));
            for (int p = 0; p < x.n_path; p++)
                for (int n = 0; n < x.path[p].n; n++)
                    assert_non_null(m.metric[x.path[p].node[n]].threshold);
        }
        model_free(&m);
    }
}

/* Names of other vendors' trees, and nodes that are not there. */
static void test_what_models_are_asked(void **state) {
    (void)state;
    static const struct {
        const char *model, *kernel, *text;
        int level;
    } cases[] = {
        {"spr", "chase-dram", "Backend_Bound > Memory_Bound > DRAM_Bound > MEM_Latency", 4},
        {"spr", "chase-l2", "Backend_Bound > Memory_Bound > L2_Bound, or L1_Bound", 3},
        {"spr", "branches", "Bad_Speculation > Branch_Mispredicts", 2},
        {"spr", "code",
         "Frontend_Bound > Fetch_Latency > ICache_Misses, or Branch_Resteers > Unknown_Branches",
         4},
        {"spr", "divide", "Backend_Bound > Core_Bound > Divider", 3},
        {"spr", "integer", "Retiring", 1},
        {"spr", "vector", "Retiring > Light_Operations; FP_Vector at least 15%", 4},
        {"spr", "stores", "Backend_Bound > Memory_Bound > Store_Bound", 3},
        {"spr", "contend",
         "Backend_Bound > Memory_Bound > L3_Bound > Contested_Accesses, or L1_Bound > "
         "Lock_Latency, or Store_Bound > False_Sharing",
         4},
        {"snb", "chase-l2", "Backend_Bound > Memory_Bound", 2},
        {"snb", "chase-dram", "Backend_Bound > Memory_Bound > DRAM_Bound > MEM_Latency", 4},
        {"adl-grt", "chase-dram", "Backend_Bound > Resource_Bound", 2},
        {"adl-grt", "divide", "Backend_Bound > Core_Bound, or Resource_Bound", 2},
        {"zen4", "chase-dram", "Backend_Bound > Memory_Bound", 2},
        {"zen4", "code", "Frontend_Bound > Fetch_Latency", 2},
        {"zen4", "stores", "Backend_Bound", 1},
        {"zen3", "chase-dram", "Backend_Bound", 1},
        {"neoverse-v1", "branches", "Bad_Speculation", 1},
        {"neoverse-n1", "chase-dram", "Backend_Stalls", 1},
        {"neoverse-n1", "branches", "branch_misprediction_ratio at least 0.1", 0},
        {"neoverse-n3", "chase-dram",
         "Backend_Bound > Backend_Mem_Bound > Backend_Mem_Cache_Bound > Backend_Cache_L2D_Bound",
         4},
        {"arm-sbsa", "branches", "branch_misprediction_ratio at least 0.1", 0},
        {"generic", "chase-dram", "IPC at most 0.3", 1},
        {"generic", "branches", "Branch_Miss_Ratio at least 10%", 0},
        {"software", "syscalls", "Kernel", 1},
        {"software", "chase-dram", "", 1},
    };
    struct model m = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct expect e;
        char text[320];
        load_other(&m, cases[i].model);
        expect_find(&m, cases[i].kernel, NULL, &e);
        expect_text(&m, &e, text, sizeof(text));
        if (strcmp(text, cases[i].text) != 0 || expect_level(&m, &e) != cases[i].level)
            fail_msg("%s: %s: '%s', level %d", cases[i].model, cases[i].kernel, text,
                     expect_level(&m, &e));
    }
    model_free(&m);
}

/* What is measured: level 2, what the paths compete with, and the metrics that limits name. */
static void test_wanted(void **state) {
    (void)state;
    struct model m;
    load(&m, "spr");
    bool *wanted = calloc(m.n_metric, sizeof(*wanted));
    static const struct {
        const char *kernel, *name;
        bool wanted;
    } cases[] = {
        {"vector", "Retiring", true},       {"vector", "Light_Operations", true},
        {"vector", "Memory_Bound", true},   {"vector", "FP_Arith", true},
        {"vector", "FP_Vector", true},      {"vector", "IPC", true},
        {"vector", "MEM_Latency", false},   {"vector", "FP_Scalar", false},
        {"vector", "DRAM_Bound", false},    {"chase-dram", "MEM_Latency", true},
        {"chase-dram", "L1_Bound", true},   {"chase-dram", "MEM_Bandwidth", true},
        {"chase-dram", "Divider", false},   {"chase-dram", "FB_Full", false},
        {"chase-dram", "Retiring", true},   {"chase-dram", "Fetch_Latency", true},
        {"integer", "Retiring", true},      {"integer", "Backend_Bound", true},
        {"integer", "Memory_Bound", false}, {"divide", "Divider", true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct expect e;
        expect_find(&m, cases[i].kernel, NULL, &e);
        memset(wanted, 0, m.n_metric * sizeof(*wanted));
        expect_wanted(&m, &e, wanted);
        if (wanted[model_find(&m, cases[i].name)] != cases[i].wanted)
            fail_msg("%s: %s", cases[i].kernel, cases[i].name);
    }
    free(wanted);
    model_free(&m);
}

/* ---- judging ---- */

struct shares {
    const char *node;
    double v;
    bool over;
};

static void set_frame(const struct model *m, struct frame *f, const struct shares *s, size_t n) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        f->at[i] = (struct value){.v = 0, .duty = 1};
    for (size_t i = 0; i < n && s[i].node; i++) {
        int at = model_find(m, s[i].node);
        if (at == METRIC_NONE)
            fail_msg("no node %s", s[i].node);
        f->at[at].v = s[i].v;
        f->at[at].over = s[i].over;
        if (isnan(s[i].v))
            f->at[at].state = VALUE_NA;
    }
    bottleneck_find(m, f, &f->bottleneck);
}

static void test_judge_frame(void **state) {
    (void)state;
    static const struct {
        const char *what, *model, *kernel;
        struct shares at[6];
        enum judged verdict;
        const char *measured;
    } cases[] = {
        {"the whole path",
         "spr",
         "chase-dram",
         {{"Backend_Bound", .9, true},
          {"Memory_Bound", .88, true},
          {"DRAM_Bound", .8, true},
          {"MEM_Latency", .75, true}},
         VERDICT_OK,
         "Backend_Bound 90.0% > Memory_Bound 88.0% > DRAM_Bound 80.0% > MEM_Latency 75.0%"},
        {"further than asked",
         "spr",
         "branches",
         {{"Bad_Speculation", .6, true},
          {"Branch_Mispredicts", .59, true},
          {"Other_Mispredicts", .3, true}},
         VERDICT_OK,
         "Bad_Speculation 60.0% > Branch_Mispredicts 59.0% > Other_Mispredicts 30.0%"},
        {"not far enough",
         "spr",
         "chase-dram",
         {{"Backend_Bound", .9, true}, {"Memory_Bound", .88, true}},
         VERDICT_NOT,
         "Backend_Bound 90.0% > Memory_Bound 88.0%"},
        {"another branch",
         "spr",
         "divide",
         {{"Backend_Bound", .9, true}, {"Memory_Bound", .8, true}, {"Core_Bound", .1, false}},
         VERDICT_NOT,
         "Backend_Bound 90.0% > Memory_Bound 80.0%"},
        {"another root",
         "spr",
         "branches",
         {{"Frontend_Bound", .5, true}, {"Bad_Speculation", .4, true}},
         VERDICT_NOT,
         "Frontend_Bound 50.0%"},
        {"nothing is over",
         "spr",
         "integer",
         {{"Retiring", .6, false}},
         VERDICT_NOT,
         "nothing is over its threshold"},
        {"an alternative",
         "spr",
         "chase-l2",
         {{"Backend_Bound", .9, true}, {"Memory_Bound", .8, true}, {"L1_Bound", .7, true}},
         VERDICT_OK,
         "Backend_Bound 90.0% > Memory_Bound 80.0% > L1_Bound 70.0%"},
        {"a tie of which it is one",
         "spr",
         "stores",
         {{"Backend_Bound", .9, true},
          {"Memory_Bound", .8, true},
          {"L1_Bound", .4, true},
          {"Store_Bound", .38, true}},
         VERDICT_OK,
         "Backend_Bound 90.0% > Memory_Bound 80.0% (L1_Bound 40.0% ≈ Store_Bound 38.0%)"},
        {"a tie of others",
         "spr",
         "stores",
         {{"Backend_Bound", .9, true},
          {"Memory_Bound", .8, true},
          {"L1_Bound", .4, true},
          {"L2_Bound", .38, true}},
         VERDICT_NOT,
         "Backend_Bound 90.0% > Memory_Bound 80.0% (L1_Bound 40.0% ≈ L2_Bound 38.0%)"},
        {"a tie further up",
         "spr",
         "chase-dram",
         {{"Backend_Bound", .9, true},
          {"Memory_Bound", .8, true},
          {"DRAM_Bound", .4, true},
          {"L3_Bound", .38, true},
          {"MEM_Latency", .3, true}},
         VERDICT_NOT,
         "Backend_Bound 90.0% > Memory_Bound 80.0% (DRAM_Bound 40.0% ≈ L3_Bound 38.0%)"},
        {"the end is not known, so what is above it counts",
         "spr",
         "chase-dram",
         {{"Backend_Bound", .9, true},
          {"Memory_Bound", .8, true},
          {"DRAM_Bound", .7, true},
          {"MEM_Latency", NAN, false}},
         VERDICT_OK,
         "Backend_Bound 90.0% > Memory_Bound 80.0% > DRAM_Bound 70.0%"},
        {"nothing is known",
         "spr",
         "chase-dram",
         {{"Backend_Bound", NAN, false}},
         VERDICT_SKIPPED,
         ""},
        {"the right path and too few vectors",
         "spr",
         "vector",
         {{"Retiring", .9, true}, {"Light_Operations", .88, true}, {"FP_Vector", .05, false}},
         VERDICT_NOT,
         "Retiring 90.0% > Light_Operations 88.0%; FP_Vector 5.0%"},
        {"a limit alone",
         "generic",
         "branches",
         {{"Branch_Miss_Ratio", .3, true}},
         VERDICT_OK,
         "Branch_Miss_Ratio 30.0%"},
        {"beyond it",
         "generic",
         "branches",
         {{"Branch_Miss_Ratio", .01, false}},
         VERDICT_NOT,
         "Branch_Miss_Ratio 1.0%"},
        {"a limit that is not known",
         "generic",
         "branches",
         {{"Branch_Miss_Ratio", NAN, false}},
         VERDICT_SKIPPED,
         ""},
        {"no model for it", "software", "divide", {{"User", 1, true}}, VERDICT_SKIPPED, ""},
        {"one level is all there is",
         "zen3",
         "chase-dram",
         {{"Backend_Bound", .9, true}},
         VERDICT_OK,
         "Backend_Bound 90.0%"},
        {"cycles",
         "neoverse-n1",
         "code",
         {{"Frontend_Stalls", .5, true}},
         VERDICT_OK,
         "Frontend_Stalls 50.0%"},
    };
    struct model m = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct frame f = {0};
        struct judgement j;
        load_other(&m, cases[i].model);
        assert_int_equal(frame_init(&f, m.n_metric), 0);
        set_frame(&m, &f, cases[i].at, COUNT_OF(cases[i].at));
        judge_frame(&m, cases[i].kernel, &f, &j);
        if (j.verdict != cases[i].verdict || strcmp(j.measured, cases[i].measured) != 0)
            fail_msg("%s: %s, '%s' (%s)", cases[i].what, judged_name(j.verdict), j.measured, j.why);
        if ((j.verdict != VERDICT_OK) != (j.why[0] != '\0'))
            fail_msg("%s: '%s' is no reason for %s", cases[i].what, j.why, judged_name(j.verdict));
        frame_destroy(&f);
    }
    model_free(&m);
}

static double unit_of(const struct model *m, int metric) {
    return m->metric[metric].parent == METRIC_NONE ? .9 : .8;
}

/* In a model that has all nodes, what is right for one kernel is wrong for those that end
 * elsewhere: else the suite would say ok to anything. */
static void test_kernels_are_told_apart(void **state) {
    (void)state;
    static const char *const names[] = {"chase-dram", "chase-l2", "branches", "code",
                                        "divide",     "integer",  "stores",   "contend"};
    struct model m;
    struct frame f = {0};
    load(&m, "skx");
    assert_int_equal(frame_init(&f, m.n_metric), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct expect e;
        expect_find(&m, names[i], NULL, &e);
        for (int p = 0; p < e.n_path; p++) {
            set_frame(&m, &f, NULL, 0);
            for (int n = 0; n < e.path[p].n; n++) {
                int at = e.path[p].node[n];
                f.at[at].v = unit_of(&m, at);
                f.at[at].over = true;
            }
            bottleneck_find(&m, &f, &f.bottleneck);
            for (size_t k = 0; k < COUNT_OF(names); k++) {
                struct judgement j;
                judge_frame(&m, names[k], &f, &j);
                /* one way of contention goes through L1, as a chase in L2 may */
                bool also = !strcmp(names[i], "contend") &&
                            (!strcmp(names[k], "chase-l2") || !strcmp(names[k], "stores"));
                if ((j.verdict == VERDICT_OK) != (i == k) && !also)
                    fail_msg("what is right for %s is %s for %s: %s", names[i],
                             judged_name(j.verdict), names[k], j.measured);
            }
        }
    }
    frame_destroy(&f);
    model_free(&m);
}

static void test_judge_count(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct judge_count count;
        enum judged verdict;
        const char *expected, *measured;
    } cases[] = {
        {"exact",
         {"minor_faults", 1000, 1000, 1000, 16},
         VERDICT_OK,
         "minor_faults 1000 at least, 1000 by getrusage",
         "minor_faults 1000"},
        {"others came along",
         {"context_switches", 1000, 1300, 1305, 16},
         VERDICT_OK,
         "context_switches 1000 at least, 1300 by getrusage",
         "context_switches 1305"},
        {"one is lost",
         {"minor_faults", 1000, 1000, 999, 16},
         VERDICT_NOT,
         "minor_faults 1000 at least, 1000 by getrusage",
         "minor_faults 999"},
        {"twice as many",
         {"minor_faults", 1000, 1000, 2000, 16},
         VERDICT_NOT,
         "minor_faults 1000 at least, 1000 by getrusage",
         "minor_faults 2000"},
        {"the kernel did not what it says",
         {"minor_faults", 1000, 500, 1000, 16},
         VERDICT_NOT,
         "minor_faults 1000 at least, 500 by getrusage",
         "minor_faults 1000"},
        {"time",
         {"task_clock", 0, 1e9, 1.009e9, 2e6},
         VERDICT_OK,
         "task_clock 1000.0 ms by getrusage",
         "task_clock 1009.0 ms"},
        {"too much time",
         {"task_clock", 0, 1e9, 1.02e9, 2e6},
         VERDICT_NOT,
         "task_clock 1000.0 ms by getrusage",
         "task_clock 1020.0 ms"},
        {"not counted",
         {"minor_faults", 1000, 1000, NAN, 16},
         VERDICT_SKIPPED,
         "minor_faults 1000 at least, 1000 by getrusage",
         ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judgement j;
        judge_count(&cases[i].count, &j);
        if (j.verdict != cases[i].verdict || strcmp(j.expected, cases[i].expected) != 0 ||
            strcmp(j.measured, cases[i].measured) != 0 || (j.verdict == VERDICT_OK) == !!j.why[0])
            fail_msg("%s: %s, '%s', '%s', '%s'", cases[i].what, judged_name(j.verdict), j.expected,
                     j.measured, j.why);
    }
}

static void test_judge_add(void **state) {
    (void)state;
    static const enum judged cases[][3] = {
        {VERDICT_OK, VERDICT_OK, VERDICT_OK},
        {VERDICT_OK, VERDICT_NOT, VERDICT_NOT},
        {VERDICT_NOT, VERDICT_OK, VERDICT_NOT},
        {VERDICT_SKIPPED, VERDICT_NOT, VERDICT_NOT},
        {VERDICT_NOT, VERDICT_SKIPPED, VERDICT_NOT},
        {VERDICT_OK, VERDICT_SKIPPED, VERDICT_SKIPPED},
        {VERDICT_SKIPPED, VERDICT_OK, VERDICT_SKIPPED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct judgement to = {.verdict = cases[i][0], .expected = "a", .why = "x"},
                         more = {.verdict = cases[i][1], .expected = "b", .measured = "c"};
        judge_add(&to, &more);
        assert_int_equal(to.verdict, cases[i][2]);
        assert_string_equal(to.expected, "a; b");
        assert_string_equal(to.measured, "c");
        assert_string_equal(to.why, "x");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_complete),
        cmocka_unit_test(test_what_models_are_asked),
        cmocka_unit_test(test_wanted),
        cmocka_unit_test(test_judge_frame),
        cmocka_unit_test(test_kernels_are_told_apart),
        cmocka_unit_test(test_judge_count),
        cmocka_unit_test(test_judge_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
