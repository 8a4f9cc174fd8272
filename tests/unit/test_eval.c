#include "model_fixture.h"

#include "base/str.h"

#include <jansson.h>
#include <stdlib.h>

/* A formula over A, B, C and D, some of them unknown, and what must come out. */
struct formula_case {
    const char *what, *formula;
    double a, b, c, d; /* NAN: not counted in this interval */
    double value;
    enum why_kind why; /* of an unknown value */
    const char *event; /* the one to blame for WHY_EVENT */
};

#define U NAN
static const struct formula_case formulas[] = {
    {"sum", "A + B * 2", 1, 2, U, U, 5, WHY_NOTHING, NULL},
    {"negation", "-A - B", 1, 2, U, U, -3, WHY_NOTHING, NULL},
    {"unknown spreads", "A + B", 1, U, U, U, NAN, WHY_EVENT, "B"},
    {"the first unknown is blamed", "(A + B) * C", 1, U, U, U, NAN, WHY_EVENT, "B"},
    {"left before right", "B - A / 0", 0, U, U, U, NAN, WHY_EVENT, "B"},
    {"0 does not hide an unknown", "0 * B", 1, U, U, U, NAN, WHY_EVENT, "B"},
    {"divide by zero", "A / B", 1, 0, U, U, NAN, WHY_DIV_ZERO, NULL},
    {"zero by zero", "B / B", 1, 0, U, U, NAN, WHY_DIV_ZERO, NULL},
    {"divide by unknown", "A / C", 1, 0, U, U, NAN, WHY_EVENT, "C"},
    {"a quotient spreads", "max(A / B, 0) + 1", 1, 0, U, U, NAN, WHY_DIV_ZERO, NULL},
    {"quotient too large for a double", "A / B", 1e300, 1e-300, U, U, NAN, WHY_DIV_ZERO, NULL},
    {"min of three", "min(A, B, C)", 3, 2, 5, U, 2, WHY_NOTHING, NULL},
    {"max of three", "max(A, B, C)", 3, 2, 5, U, 5, WHY_NOTHING, NULL},
    {"min, left unknown", "min(A, B)", U, 2, U, U, NAN, WHY_EVENT, "A"},
    {"min, right unknown", "min(A, B)", 2, U, U, U, NAN, WHY_EVENT, "B"},
    {"max, left unknown", "max(A, B)", U, 2, U, U, NAN, WHY_EVENT, "A"},
    {"max, right unknown", "max(A, B)", 2, U, U, U, NAN, WHY_EVENT, "B"},
    {"less", "A < B", 1, 2, U, U, 1, WHY_NOTHING, NULL},
    {"not less", "A < B", 2, 2, U, U, 0, WHY_NOTHING, NULL},
    {"greater or equal", "A >= B", 2, 2, U, U, 1, WHY_NOTHING, NULL},
    {"less or equal", "A <= B", 3, 2, U, U, 0, WHY_NOTHING, NULL},
    {"equal", "A == B", 2, 2, U, U, 1, WHY_NOTHING, NULL},
    {"comparison of unknown", "A > B", 2, U, U, U, NAN, WHY_EVENT, "B"},
    {"and: known 0 decides", "A & B", 0, U, U, U, 0, WHY_NOTHING, NULL},
    {"and: known 0 on the right", "B & A", 0, U, U, U, 0, WHY_NOTHING, NULL},
    {"and: 1 and unknown", "A & B", 1, U, U, U, NAN, WHY_EVENT, "B"},
    {"and: any number is true", "A & B", 7, 0.5, U, U, 1, WHY_NOTHING, NULL},
    {"or: known 1 decides", "A | B", U, 1, U, U, 1, WHY_NOTHING, NULL},
    {"or: known 1 on the left", "A | B", 3, U, U, U, 1, WHY_NOTHING, NULL},
    {"or: 0 and unknown", "A | B", 0, U, U, U, NAN, WHY_EVENT, "B"},
    {"or: both 0", "A | B", 0, 0, U, U, 0, WHY_NOTHING, NULL},
    {"if takes one branch only", "A if C > 0 else B", 5, U, 1, U, 5, WHY_NOTHING, NULL},
    {"else too", "A if C > 0 else B", U, 6, 0, U, 6, WHY_NOTHING, NULL},
    {"the branch taken is unknown", "A if C > 0 else B", U, 6, 1, U, NAN, WHY_EVENT, "A"},
    {"the condition is unknown", "A if C > 0 else B", 1, 2, U, U, NAN, WHY_EVENT, "C"},
    {"guarded division", "A / B if B > 0 else 0", 1, 0, U, U, 0, WHY_NOTHING, NULL},
    {"a chain of branches", "1 if A else 2 if B else 3", 0, 0, U, U, 3, WHY_NOTHING, NULL},
    {"constants fold", "A + 2 * 3 - 4 / 2", 1, U, U, U, 5, WHY_NOTHING, NULL},
    {"a constant divides by zero", "A + 1 / 0", 1, U, U, U, NAN, WHY_DIV_ZERO, NULL},
    {"a dead branch", "A if 1 else B", 4, U, U, U, 4, WHY_NOTHING, NULL},
    {"unknown constant", "A * NUM_CPUS", 4, U, U, U, NAN, WHY_CONST, NULL},
    {"infinite count", "A", INFINITY, U, U, U, NAN, WHY_EVENT, "A"},
};
#undef U

/* Events that a formula does not name do not exist in the model. */
static void set_if_named(struct rig *r, const char *event, double value) {
    if (model_find_event(&r->model, event) >= 0 && !isnan(value))
        rig_set(r, event, value);
}

static void check_formula(const struct formula_case *c) {
    char text[1024];
    struct rig r;
    snprintf(text, sizeof(text), MODEL_HEAD "[metric.X]\nformula = '%s'\n", c->formula);
    rig_load(&r, text);
    rig_all_slots(&r);
    rig_bind(&r);
    set_if_named(&r, "A", c->a);
    set_if_named(&r, "B", c->b);
    set_if_named(&r, "C", c->c);
    set_if_named(&r, "D", c->d);
    eval_run(&r.eval, &r.sample, &r.frame);
    const struct value *v = rig_value(&r, "X");
    if (!same_number(v->v, c->value, 1e-15) || v->why.kind != c->why)
        fail_msg("%s: %s = %g, why %d", c->what, c->formula, v->v, v->why.kind);
    if (v->state != (isnan(c->value) ? VALUE_NA : VALUE_EXACT))
        fail_msg("%s: state %s", c->what, value_state_name(v->state));
    if (c->event && v->why.index != model_find_event(&r.model, c->event))
        fail_msg("%s: blames %s", c->what, r.model.event[v->why.index].name);
    rig_free(&r);
}

static void the_language(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formulas); i++)
        check_formula(&formulas[i]);
}

static void duty_is_the_least(void **state) {
    (void)state;
    static const struct {
        const char *what, *formula;
        double a, b, c; /* duties; every count is 1 */
        double duty;
        enum value_state state;
    } cases[] = {
        {"least of both", "A / B", 0.5, 0.25, 1, 0.25, VALUE_SCALED},
        {"all the time", "A / B", 1, 1, 0.1, 1, VALUE_EXACT},
        {"nearly all the time", "A", 0.9999, 1, 1, 0.9999, VALUE_EXACT},
        {"below the print", "A", 0.999, 1, 1, 0.999, VALUE_SCALED},
        {"a constant has none", "A * 2", 0.5, 1, 1, 0.5, VALUE_SCALED},
        {"branch taken and condition", "A if C else B", 0.5, 0.1, 0.75, 0.5, VALUE_SCALED},
        {"condition less", "A if C else B", 0.5, 0.1, 0.25, 0.25, VALUE_SCALED},
        {"and of knowns", "A & B", 0.5, 0.75, 1, 0.5, VALUE_SCALED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double duty[] = {cases[i].a, cases[i].b, cases[i].c};
        const char *const event[] = {"A", "B", "C"};
        char text[1024];
        struct rig r;
        snprintf(text, sizeof(text), MODEL_HEAD "[metric.X]\nformula = '%s'\n", cases[i].formula);
        rig_load(&r, text);
        rig_all_slots(&r);
        rig_bind(&r);
        for (int e = 0; e < 3; e++)
            if (model_find_event(&r.model, event[e]) >= 0)
                *rig_at(&r, event[e]) = (struct count){.value = 1,
                                                       .enabled_ns = 1000000,
                                                       .running_ns = (uint64_t)(duty[e] * 1e6),
                                                       .state = COUNT_OK};
        eval_run(&r.eval, &r.sample, &r.frame);
        const struct value *v = rig_value(&r, "X");
        if (fabs((double)v->duty - cases[i].duty) > 1e-6 || v->state != cases[i].state)
            fail_msg("%s: duty %g, %s", cases[i].what, (double)v->duty, value_state_name(v->state));
        rig_free(&r);
    }
}

static void states(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double count;
        enum count_state count_state;
        enum value_state share, plain;
    } cases[] = {
        {"a share", 0.5, COUNT_OK, VALUE_EXACT, VALUE_EXACT},
        {"a little below 0", -0.05, COUNT_OK, VALUE_EXACT, VALUE_EXACT},
        {"a little over 1", 1.05, COUNT_OK, VALUE_EXACT, VALUE_EXACT},
        {"below 0", -0.06, COUNT_OK, VALUE_ODD, VALUE_EXACT},
        {"over 1", 1.06, COUNT_OK, VALUE_ODD, VALUE_EXACT},
        {"not scheduled", NAN, COUNT_STALE, VALUE_STALE, VALUE_STALE},
        {"not permitted", NAN, COUNT_NOT_PERMITTED, VALUE_NA, VALUE_NA},
        {"counted, they say, but no number", NAN, COUNT_OK, VALUE_NA, VALUE_NA},
    };
    struct rig r;
    rig_load(&r, MODEL_HEAD "[node.Share]\nformula = 'A'\nthreshold = 0.1\n"
                            "[metric.Plain]\nformula = 'A'\n");
    rig_all_slots(&r);
    rig_bind(&r);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        *rig_at(&r, "A") =
            (struct count){.value = cases[i].count, .state = (uint8_t)cases[i].count_state};
        eval_run(&r.eval, &r.sample, &r.frame);
        const struct value *share = rig_value(&r, "Share"), *plain = rig_value(&r, "Plain");
        if (share->state != cases[i].share || plain->state != cases[i].plain)
            fail_msg("%s: %s, %s", cases[i].what, value_state_name(share->state),
                     value_state_name(plain->state));
        if (share->over != (cases[i].count > 0.1)) /* NAN is never over */
            fail_msg("%s: over %d", cases[i].what, share->over);
        if (isnan(share->v) != (share->state >= VALUE_STALE))
            fail_msg("%s: %g is %s", cases[i].what, share->v, value_state_name(share->state));
    }
    rig_free(&r);
}

static void missing_events_say_why(void **state) {
    (void)state;
    struct rig r;
    char buf[128];
    rig_load(&r, MODEL_HEAD "[metric.X]\nformula = 'A + B'\n"
                            "[metric.Y]\nformula = 'A'\nunavailable = 'needs a crystal ball'\n"
                            "[metric.Z]\nformula = 'Y + A'\n"
                            "[metric.T]\nformula = 'TSC + A'\n");
    rig_slot(&r, "A", 0);
    r.layout.missing[model_find_event(&r.model, "B")] = COUNT_NOT_SUPPORTED;
    rig_bind(&r);
    rig_set(&r, "A", 1);
    eval_run(&r.eval, &r.sample, &r.frame);
    static const struct {
        const char *metric, *words;
    } cases[] = {
        {"X", "B: not supported"},
        {"Y", "needs a crystal ball"},
        {"Z", "needs a crystal ball"},
        {"T", "SYSTEM_TSC_FREQ: not known; --const SYSTEM_TSC_FREQ=VALUE sets it"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct value *v = rig_value(&r, cases[i].metric);
        assert_true(isnan(v->v));
        assert_int_equal(v->state, VALUE_NA);
        assert_string_equal(why_text(&r.model, v->why, buf, sizeof(buf)), cases[i].words);
    }
    assert_string_equal(why_text(&r.model, (struct why){.kind = WHY_DIV_ZERO}, buf, sizeof(buf)),
                        "divides by zero: what it is a share of was not seen");
    assert_string_equal(why_text(&r.model, (struct why){0}, buf, sizeof(buf)), "");
    rig_free(&r);
}

/* Each formula takes its events from the group that holds most of them. */
static void slots_of_one_group(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, MODEL_HEAD "[metric.Clocks]\nformula = 'CYCLES'\ninline = true\n"
                            "[metric.Plain]\nformula = 'CYCLES * 1'\n"
                            "[metric.AC]\nformula = 'A / Clocks'\n"
                            "[metric.BC]\nformula = 'B / Clocks'\n"
                            "[metric.ABC]\nformula = '(A + B) / Clocks'\n"
                            "[metric.BP]\nformula = 'B / Plain'\n"
                            "[metric.BD]\nformula = '(B + D) / Clocks'\n"
                            "[metric.Dead]\nformula = '(A if SMT_ON else B + D) / Clocks'\n");
    r.consts.value[CONST_SMT_ON] = 1;
    const int cycles0 = rig_slot(&r, "CYCLES", 0), a = rig_slot(&r, "A", 0);
    const int cycles1 = rig_slot(&r, "CYCLES", 1), b = rig_slot(&r, "B", 1);
    const int d = rig_slot(&r, "D", 2);
    rig_bind(&r);
    rig_count(&r, cycles0, 100);
    rig_count(&r, a, 10);
    rig_count(&r, cycles1, 1000);
    rig_count(&r, b, 10);
    rig_count(&r, d, 20);
    eval_run(&r.eval, &r.sample, &r.frame);
    static const struct {
        const char *metric;
        double value;
    } cases[] = {
        {"Clocks", 100},     /* alone: a tie, lowest group */
        {"AC", 0.1},         /* its clocks are those of A's group */
        {"BC", 0.01},        /* and of B's */
        {"ABC", 20.0 / 100}, /* two of three events in either group: the lower one */
        {"BP", 10.0 / 100},  /* a metric that is not inlined is one number everywhere */
        {"BD", 30.0 / 1000}, /* D is only in its own group */
        {"Dead", 0.1},       /* a branch that is never taken has no vote */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (!same_number(rig_value(&r, cases[i].metric)->v, cases[i].value, 1e-15))
            fail_msg("%s = %g", cases[i].metric, rig_value(&r, cases[i].metric)->v);
    rig_free(&r);
}

/* Counts of a part of the threads: shares are theirs, what means all of them is not known. */
static void a_part_of_the_target(void **state) {
    (void)state;
    static const struct {
        const char *metric;
        double value;
        bool approx, over;
        const char *words;
    } cases[] = {
        {"Ratio", 0.5, true, true, "descriptor limit: it is that of 3% of the threads or CPUs"},
        {"Above", 0.5, true, false, "descriptor limit: it is that of 3% of the threads or CPUs"},
        {"Rate", NAN, false, false,
         "descriptor limit: 3% of the threads or CPUs are counted, and do not tell what all do"},
        {"Mixed", NAN, false, false,
         "descriptor limit: 3% of the threads or CPUs are counted, and do not tell what all do"},
        {"Whole", 7, false, false, ""},
        {"Zero", NAN, false, false, "nothing ran"},
    };
    struct rig r;
    char words[160];
    rig_load(&r, MODEL_HEAD "[node.Ratio]\nformula = 'A / B'\nthreshold = 0.1\n"
                            "[metric.Above]\nformula = '1 - Ratio'\n"
                            "[metric.Rate]\nformula = 'A / DURATION_S'\nthreshold = 0.1\n"
                            "[metric.Mixed]\nformula = 'A / C'\nthreshold = 0.1\n"
                            "[metric.Whole]\nformula = 'C / DURATION_S'\n"
                            "[metric.Zero]\nformula = 'D / D'\nzero_note = 'nothing ran'\n");
    rig_all_slots(&r);
    rig_bind(&r);
    rig_set(&r, "A", 5);
    rig_set(&r, "B", 10);
    rig_set(&r, "C", 7);
    rig_set(&r, "D", 0);
    r.sample.t1_ns = 1000000000;
    eval_run(&r.eval, &r.sample, &r.frame);
    assert_true(same_number(rig_value(&r, "Rate")->v, 5, 1e-12));
    assert_false(rig_value(&r, "Ratio")->approx);
    rig_at(&r, "A")->part = rig_at(&r, "B")->part = 3;
    eval_run(&r.eval, &r.sample, &r.frame);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct value *v = rig_value(&r, cases[i].metric);
        why_text(&r.model, v->why, words, sizeof(words));
        if (!same_number(v->v, cases[i].value, 1e-12) || v->approx != cases[i].approx ||
            v->over != cases[i].over || v->state == VALUE_SCALED || strcmp(words, cases[i].words))
            fail_msg("%s = %g, approx %d, over %d: %s", cases[i].metric, v->v, v->approx, v->over,
                     words);
    }
    rig_free(&r);
}

static const char fallback_model[] =
    MODEL_HEAD "[metric.Clocks]\nformula = 'CYCLES'\nalt = 'C'\ninline = true\n"
               "[metric.F]\nformula = '(A - B) / Clocks'\nfallback = 'A / Clocks'\n"
               "fallback_note = 'without B'\n"
               "[metric.Above]\nformula = '1 - F'\n"
               "[metric.Other]\nformula = 'A / Clocks'\n";

struct fallback_case {
    const char *what, *slots[6];
    bool no_perf_metrics, missing_cycles_ok;
    double f;
    bool approx;
};

static void formula_choice(void **state) {
    (void)state;
    static const struct fallback_case cases[] = {
        {"all there", {"A", "B", "CYCLES"}, false, false, 0.08, false},
        {"B missing: the fallback", {"A", "CYCLES"}, false, false, 0.1, true},
        {"alternative clocks", {"A", "B", "C"}, true, false, 0.8, false},
        {"alternative clocks, fallback", {"A", "C"}, true, false, 1.0, true},
        {"the fallback lacks one too", {"A"}, false, false, NAN, false},
        {"clocks missing below: no fallback helps", {"A", "B"}, false, false, NAN, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        char words[128];
        rig_load(&r, fallback_model);
        r.layout.no_perf_metrics = cases[i].no_perf_metrics;
        for (int s = 0; cases[i].slots[s]; s++)
            rig_slot(&r, cases[i].slots[s], 0);
        rig_bind(&r);
        static const struct {
            const char *event;
            double count;
        } counts[] = {{"A", 10}, {"B", 2}, {"C", 10}, {"CYCLES", 100}};
        for (uint32_t s = 0; s < r.layout.n_slot; s++)
            for (size_t k = 0; k < COUNT_OF(counts); k++)
                if (!strcmp(r.model.event[r.layout.slot[s].event].name, counts[k].event))
                    rig_count(&r, (int)s, counts[k].count);
        eval_run(&r.eval, &r.sample, &r.frame);
        const struct value *f = rig_value(&r, "F"), *above = rig_value(&r, "Above");
        if (!same_number(f->v, cases[i].f, 1e-14) || f->approx != cases[i].approx)
            fail_msg("%s: F = %g, approx %d", cases[i].what, f->v, f->approx);
        if (above->approx != cases[i].approx || rig_value(&r, "Other")->approx)
            fail_msg("%s: approx does not spread to what refers to it alone", cases[i].what);
        why_text(&r.model, above->why, words, sizeof(words));
        if (cases[i].approx && strcmp(words, "F is approximate: without B") != 0)
            fail_msg("%s: %s", cases[i].what, words);
        rig_free(&r);
    }
}

/*
 * Where neither formula has its events, a recording is asked for those of the first one; a machine
 * that lacks topdown-* events has no use for that.
 */
static void reason_of_two_formulas(void **state) {
    (void)state;
    static const struct {
        const char *what;
        enum count_state missing;
        const char *words;
    } cases[] = {
        {"a recording", COUNT_ABSENT, "CYCLES: not in the recording"},
        {"a machine", COUNT_NO_EVENT, "C: no such event here"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        char words[128];
        rig_load(&r, fallback_model);
        r.layout.no_perf_metrics = true;
        for (uint32_t e = 0; e < r.model.n_event; e++)
            r.layout.missing[e] = (uint8_t)cases[i].missing;
        rig_slot(&r, "A", 0);
        rig_bind(&r);
        rig_set(&r, "A", 10);
        eval_run(&r.eval, &r.sample, &r.frame);
        why_text(&r.model, rig_value(&r, "Other")->why, words, sizeof(words));
        if (strcmp(words, cases[i].words) != 0)
            fail_msg("%s: %s", cases[i].what, words);
        rig_free(&r);
    }
}

static void times_follow_the_interval(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double duration, tsc, freq; /* fixed by the user; freq: known */
        double want_duration, want_tsc;
    } cases[] = {
        {"of the interval", NAN, NAN, 2e9, 0.5, 1e9},
        {"ticks fixed", NAN, 123, 2e9, 0.5, 123},
        {"duration fixed", 4, NAN, 2e9, 4, 8e9},
        {"no frequency", NAN, NAN, NAN, 0.5, NAN},
        {"no frequency, ticks fixed", NAN, 5, NAN, 0.5, 5},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        rig_load(&r, MODEL_HEAD "[metric.Time]\nformula = 'DURATION_S'\n"
                                "[metric.Ticks]\nformula = 'TSC'\n");
        r.consts.value[CONST_SYSTEM_TSC_FREQ] = cases[i].freq;
        r.consts.value[CONST_DURATION_S] = cases[i].duration;
        r.consts.fixed_by_user[CONST_DURATION_S] = !isnan(cases[i].duration);
        r.consts.value[CONST_TSC] = cases[i].tsc;
        r.consts.fixed_by_user[CONST_TSC] = !isnan(cases[i].tsc);
        rig_bind(&r);
        r.sample.t0_ns = 250000000;
        r.sample.t1_ns = 750000000;
        eval_run(&r.eval, &r.sample, &r.frame);
        if (!same_number(rig_value(&r, "Time")->v, cases[i].want_duration, 1e-15) ||
            !same_number(rig_value(&r, "Ticks")->v, cases[i].want_tsc, 1e-15))
            fail_msg("%s: %g s, %g ticks", cases[i].what, rig_value(&r, "Time")->v,
                     rig_value(&r, "Ticks")->v);
        rig_free(&r);
    }
}

static void frame_of_a_tree(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, MODEL_HEAD "[node.One]\nformula = 'A'\nthreshold = 0.5\n"
                            "[node.Child]\nparent = 'One'\nformula = 'C'\nthreshold = 0.1\n"
                            "[node.Leaf]\nparent = 'Child'\nformula = 'D'\n"
                            "[node.Two]\nformula = 'B'\n");
    rig_all_slots(&r);
    rig_bind(&r);
    r.sample.seq = 9;
    r.sample.target_threads = 3;
    rig_set(&r, "A", 0.7);
    rig_set(&r, "B", 0.3);
    rig_set(&r, "C", 0.2);
    rig_set(&r, "D", 0.1);
    *rig_at(&r, "D") = (struct count){.value = 0.1, .enabled_ns = 100, .running_ns = 10};
    *rig_at(&r, "C") = (struct count){.value = 0.2, .enabled_ns = 100, .running_ns = 60};
    eval_run(&r.eval, &r.sample, &r.frame);
    assert_true(same_number(r.frame.root_sum, 1.0, 1e-15));
    assert_true(fabs((double)r.frame.duty - 0.6) < 1e-6); /* level 3 does not count */
    assert_int_equal(r.frame.seq, 9);
    assert_int_equal(r.frame.t1_ns, 1000000000);
    assert_int_equal(r.frame.threads, 3);
    assert_int_equal(r.frame.bottleneck.n, 2);
    assert_int_equal(r.frame.bottleneck.at[1], model_find(&r.model, "Child"));

    *rig_at(&r, "B") = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    eval_run(&r.eval, &r.sample, &r.frame);
    assert_true(isnan(r.frame.root_sum));
    rig_free(&r);
}

/* --- known answers ------------------------------------------------------------------------ */

static const char *const vector_file = "tests/data/vectors/spr.json";

static void fill_from_json(struct rig *r, json_t *v) {
    const char *name;
    json_t *number;
    json_object_foreach(json_object_get(v, "params"), name, number) {
        const int id = const_find(name);
        assert_true(id >= 0);
        r->consts.value[id] = json_number_value(number);
        r->consts.fixed_by_user[id] = true;
    }
    json_object_foreach(json_object_get(v, "events"), name, number) {
        const int e = model_find_event(&r->model, name);
        if (e < 0)
            fail_msg("%s: no formula of the model names it", name);
        layout_add(&r->layout, (uint16_t)e, 0);
    }
    rig_bind(r);
    json_object_foreach(json_object_get(v, "events"), name, number)
        rig_set(r, name, json_number_value(number));
}

static int compare_with_json(struct rig *r, json_t *v, int *unknown) {
    const char *name;
    json_t *want;
    int n = 0;
    json_object_foreach(json_object_get(v, "expect"), name, want) {
        const double number = json_is_null(want) ? NAN : json_number_value(want);
        const struct value *got = rig_value(r, name);
        if (!same_number(got->v, number, 1e-9))
            fail_msg("%s = %.17g, expected %.17g", name, got->v, number);
        *unknown += isnan(number);
        n++;
    }
    json_object_foreach(json_object_get(v, "over"), name, want) {
        if (rig_value(r, name)->over != json_is_true(want))
            fail_msg("%s: over is %d", name, rig_value(r, name)->over);
        n++;
    }
    return n;
}

static void known_answers(void **state) {
    (void)state;
    json_error_t where;
    json_t *all = json_load_file(vector_file, 0, &where);
    if (!all)
        fail_msg("%s:%d: %s", vector_file, where.line, where.text);
    int n = 0, unknown = 0;
    size_t i;
    json_t *v;
    json_array_foreach(all, i, v) {
        struct rig r;
        struct err err = {0};
        memset(&r, 0, sizeof(r));
        if (model_open(&r.model, json_string_value(json_object_get(v, "model")), NULL, &err) < 0)
            fail_msg("%s", err.text);
        consts_init(&r.consts);
        assert_int_equal(layout_init(&r.layout, r.model.n_event, COUNT_ABSENT, 1024), 0);
        fill_from_json(&r, v);
        eval_run(&r.eval, &r.sample, &r.frame);
        n += compare_with_json(&r, v, &unknown);
        rig_free(&r);
    }
    assert_int_equal(n, 1262); /* metrics and thresholds in the file */
    assert_int_equal(unknown, 11);
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language),
        cmocka_unit_test(duty_is_the_least),
        cmocka_unit_test(states),
        cmocka_unit_test(missing_events_say_why),
        cmocka_unit_test(slots_of_one_group),
        cmocka_unit_test(a_part_of_the_target),
        cmocka_unit_test(formula_choice),
        cmocka_unit_test(reason_of_two_formulas),
        cmocka_unit_test(times_follow_the_interval),
        cmocka_unit_test(frame_of_a_tree),
        cmocka_unit_test(known_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
