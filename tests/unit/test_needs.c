/* Which events stand behind a metric, and which of their slots is read. */
#include "model/eval/needs.h"

#include "model_fixture.h"

static const char text[] =
    MODEL_HEAD "'E' = { code = 6 }\n'F' = { code = 7 }\n"
               "[node.Ratio]\nformula = 'Other + A / Clocks'\n"
               "[node.Exact]\nformula = 'F / Clocks'\nfallback = 'B / Clocks'\n"
               "fallback_note = 'B for F'\n"
               "[node.Never]\nformula = 'E'\nunavailable = 'not here'\n"
               "[node.Twice]\nformula = 'Ratio + Other + Ratio + Clocks + Exact'\n"
               "[metric.Other]\nformula = 'CYCLES + B + C'\n"
               "[metric.Clocks]\nformula = 'CYCLES'\ninline = true\n";

/* Group 0 holds A, group 1 B and C; CYCLES are counted in both, F nowhere. */
static void open_rig(struct rig *r) {
    rig_load(r, text);
    rig_slot(r, "CYCLES", 1); /* slot 0 */
    rig_slot(r, "B", 1);
    rig_slot(r, "C", 1);
    rig_slot(r, "CYCLES", 0); /* slot 3 */
    rig_slot(r, "A", 0);
    rig_bind(r);
}

static void test_find(void **state) {
    (void)state;
    static const struct {
        const char *metric, *needs;
    } cases[] = {
        {"Clocks", "CYCLES:3"},
        {"Other", "CYCLES:0 B:1 C:2"},
        {"Ratio", "A:4 CYCLES:3 B:1 C:2"}, /* its own CYCLES, not those of Other */
        {"Exact", "B:1 CYCLES:0 F:-1"},    /* the fallback, and why */
        {"Never", ""},
        {"Twice", "CYCLES:3 A:4 B:1 C:2"},
        {"Ratio", "A:4 CYCLES:3 B:1 C:2"},
    };
    struct rig r;
    struct needs nd;
    open_rig(&r);
    assert_int_equal(needs_init(&nd, &r.model), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int again = 0; again < 2; again++) { /* the second answer is the kept one */
            char got[256] = "";
            size_t n = 0;
            needs_find(&nd, &r.model, &r.layout, &r.eval, model_find(&r.model, cases[i].metric));
            for (uint32_t k = 0; k < nd.n; k++)
                n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s:%d", k ? " " : "",
                                      r.model.event[nd.at[k].event].name, nd.at[k].slot);
            if (strcmp(got, cases[i].needs) != 0)
                fail_msg("%s: %s, wanted %s", cases[i].metric, got, cases[i].needs);
        }
    needs_destroy(&nd);
    rig_free(&r);
}

/* The slots are those that the value is made of. */
static void test_agrees_with_eval(void **state) {
    (void)state;
    struct rig r;
    open_rig(&r);
    static const double counts[] = {1000, 20, 3, 50, 5};
    for (int i = 0; i < 5; i++)
        rig_count(&r, i, counts[i]);
    eval_run(&r.eval, &r.sample, &r.frame);
    assert_true(same_number(rig_value(&r, "Ratio")->v, 1023 + 5.0 / 50, 1e-12));
    assert_true(same_number(rig_value(&r, "Exact")->v, 20.0 / 1000, 1e-12));
    const int ratio = model_find(&r.model, "Ratio"), exact = model_find(&r.model, "Exact");
    assert_ptr_equal(eval_bound(&r.eval, ratio).formula, r.model.metric[ratio].ast);
    assert_ptr_equal(eval_bound(&r.eval, exact).formula, r.model.metric[exact].fallback);
    assert_null(eval_bound(&r.eval, model_find(&r.model, "Never")).formula);
    assert_null(eval_bound(&(struct eval){0}, ratio).formula);
    rig_free(&r);
}

/* Of a branch that constants decide only what is taken is needed, and nothing for the choice. */
static void test_decided(void **state) {
    (void)state;
    static const struct {
        const char *what, *metric, *needs;
    } cases[] = {
        {"one constant", "One", "B"},
        {"two", "Both", "C"},
        {"a latency that nobody knows", "Late", "A"},
        {"in an inlined metric", "Through", "D C"},
        {"in a metric that it names", "Above", "C"},
        {"open", "Open", "A B C"},
        {"the formula that a fallback stands for", "Exact", "B CYCLES"},
    };
    struct rig r;
    struct needs nd;
    rig_load(&r, MODEL_HEAD
             "[metric.One]\nformula = 'A if SMT_ON else B'\n"
             "[metric.Both]\nformula = 'A if SMT_ON & EBS_MODE else C'\n"
             "[metric.Late]\nformula = 'min(A, B) if A:retire_latency >= 0 else A'\n"
             "[metric.Clocks]\nformula = 'A if EBS_MODE else C'\ninline = true\n"
             "[metric.Through]\nformula = 'D / Clocks'\n"
             "[metric.Above]\nformula = 'Both + 1'\n"
             "[metric.Open]\nformula = 'A if B else C'\n"
             "[metric.Exact]\nformula = 'CYCLES + (A if SMT_ON else B)'\nfallback = 'B'\n"
             "fallback_note = 'without CYCLES'\n");
    r.consts.value[CONST_SMT_ON] = 0;
    static const char *const slots[] = {"A", "B", "C", "D"};
    for (size_t i = 0; i < COUNT_OF(slots); i++)
        rig_slot(&r, slots[i], 0);
    rig_bind(&r);
    assert_int_equal(needs_init(&nd, &r.model), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char got[256] = "";
        size_t n = 0;
        needs_find(&nd, &r.model, &r.layout, &r.eval, model_find(&r.model, cases[i].metric));
        for (uint32_t k = 0; k < nd.n; k++)
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", k ? " " : "",
                                  r.model.event[nd.at[k].event].name);
        if (strcmp(got, cases[i].needs) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].what, got, cases[i].needs);
    }
    needs_destroy(&nd);
    rig_free(&r);
}

/* The largest model there is: every metric has an end, and no event is cut off. */
static void test_large(void **state) {
    (void)state;
    struct rig r = {0};
    struct needs nd;
    struct err err = {0};
    if (model_open(&r.model, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
    consts_init(&r.consts);
    assert_int_equal(layout_init(&r.layout, r.model.n_event, COUNT_ABSENT, r.model.n_event), 0);
    rig_all_slots(&r);
    rig_bind(&r);
    assert_int_equal(needs_init(&nd, &r.model), 0);
    uint32_t most = 0;
    for (uint32_t i = 0; i < r.model.n_metric; i++) {
        needs_find(&nd, &r.model, &r.layout, &r.eval, (int)i);
        for (uint32_t k = 0; k < nd.n; k++)
            assert_int_equal(r.layout.slot[nd.at[k].slot].event, nd.at[k].event);
        most = nd.n > most ? nd.n : most;
    }
    assert_true(most > 48);
    needs_destroy(&nd);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_agrees_with_eval),
        cmocka_unit_test(test_decided),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
