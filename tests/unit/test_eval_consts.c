/* Constants in formulas: latencies, the width, SMT and what it decides, and the reasons they give.
 */
#include "model_fixture.h"

/* A has the vendor's average, B none; SMT is off. A, B, C and D count 10, 20, 30, 40. */
static const char const_model[] = "slots_per_cycle = 6\n" MODEL_HEAD "[latency]\n'A' = 9.83\n"
                                  "[metric.X]\n%s\n"
                                  "[metric.Above]\nformula = '1 + X'\n"
                                  "[metric.Through]\nformula = '1 + Inside'\n"
                                  "[metric.Inside]\nformula = 'X * 2'\ninline = true\n"
                                  "[metric.Else]\nformula = 'D'\n";

static void open_consts(struct rig *r, const char *metric, bool measured) {
    static const struct latency_setting settings[] = {{"A", 12.5}, {"B", 3.0}};
    struct latency_setting own[COUNT_OF(settings)];
    char text[2048];
    snprintf(text, sizeof(text), const_model, metric);
    rig_load(r, text);
    rig_all_slots(r);
    r->consts.value[CONST_SMT_ON] = 0;
    memcpy(own, settings, sizeof(own));
    r->consts.latency = own;
    r->consts.n_latency = measured ? COUNT_OF(own) : 0;
    rig_bind(r);
    memset(own, 0, sizeof(own)); /* what was bound has its own copy */
    static const struct {
        const char *event;
        double count;
    } counts[] = {{"A", 10}, {"B", 20}, {"C", 30}, {"D", 40}};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        if (model_find_event(&r->model, counts[i].event) >= 0)
            rig_set(r, counts[i].event, counts[i].count);
    eval_run(&r->eval, &r->sample, &r->frame);
}

#define AVERAGE    "retire latency of A is the vendor's average, 9.8 cycles, not measured here"
#define NO_LATENCY "retire latency of B is not known: --const 'B:retire_latency=CYCLES'"
#define FIXED_COST                                                                                 \
    "retire latency of B is not known, a fixed cost is used: --const 'B:retire_latency=CYCLES'"
#define NOT_TOLD                                                                                   \
    "the recording does not tell whether its counts are of whole cores; --const EBS_MODE=0 says "  \
    "that they are"

static const struct const_case {
    const char *what, *metric;
    bool measured;
    double value;
    bool approx;
    const char *why; /* of an unknown or an approximate value */
} consts_cases[] = {
    {"a measured latency is exact", "formula = 'A * A:retire_latency'", true, 125, false, ""},
    {"an average is not", "formula = 'A * A:retire_latency'", false, 98.3, true, AVERAGE},
    {"none", "formula = 'B * B:retire_latency'", false, NAN, false, NO_LATENCY},
    {"capped, measured",
     "formula = 'min(B * B:retire_latency, B * 7) if B:retire_latency >= 0 else B * 7'", true, 60,
     false, ""},
    {"capped, average",
     "formula = 'min(A * A:retire_latency, A * 7) if A:retire_latency >= 0 else A * 7'", false, 70,
     true, AVERAGE},
    {"capped, none: the fixed cost",
     "formula = 'min(B * B:retire_latency, B * 7) if B:retire_latency >= 0 else B * 7'", false, 140,
     true, FIXED_COST},
    {"the first of two is named", "formula = 'A * A:retire_latency + B * B:retire_latency'", false,
     NAN, false, NO_LATENCY},
    {"a comparison by itself", "formula = 'C > B:retire_latency'", false, 1, true, FIXED_COST},
    {"on the left", "formula = 'B:retire_latency > C'", false, 0, true, FIXED_COST},
    {"in a branch that is not taken", "formula = 'A * A:retire_latency if SMT_ON else C'", false,
     30, false, ""},
    {"in a condition that is open", "formula = 'C if D > B:retire_latency else D'", false, 30, true,
     FIXED_COST},
    {"of an average only the sign is asked", "formula = 'C if A:retire_latency >= 0 else D'", false,
     30, false, ""},
    {"width", "formula = 'SLOTS_PER_CYCLE * C'", false, 180, false, ""},
    {"whole cores", "formula = 'C if EBS_MODE else D'", false, 40, false, ""},
    {"always approximate", "formula = 'C'\napproximate = 'a guess'", false, 30, true,
     "X is approximate: a guess"},
    {"approximate when", "formula = 'C'\napproximate = 'a guess'\napproximate_when = '1 - SMT_ON'",
     false, 30, true, "X is approximate: a guess"},
    {"not when", "formula = 'C'\napproximate = 'a guess'\napproximate_when = 'SMT_ON & EBS_MODE'",
     false, 30, false, ""},
    {"nobody said whether the counts are of whole cores",
     "formula = 'C if EBS_MODE else D'\napproximate = 'a guess'\n"
     "approximate_when = '(1 - SMT_ON) & EBS_MODE'",
     false, 40, true, NOT_TOLD},
    {"nor how many threads a core has",
     "formula = 'D'\napproximate = 'a guess'\napproximate_when = 'NUM_CPUS > 1 & EBS_MODE'", false,
     40, true, NOT_TOLD},
    {"nobody knows when",
     "formula = 'C'\napproximate = 'a guess'\napproximate_when = 'NUM_CPUS > 1'", false, 30, false,
     ""},
    {"a constant that nobody knows", "formula = 'C * SOCKET_COUNT'", false, NAN, false,
     "SOCKET_COUNT: not known; --const SOCKET_COUNT=VALUE sets it"},
};

static void check_const(const struct const_case *c) {
    struct rig r;
    char words[160];
    open_consts(&r, c->metric, c->measured);
    const struct value *x = rig_value(&r, "X");
    if (!same_number(x->v, c->value, 1e-12) || x->approx != c->approx)
        fail_msg("%s: %g, approx %d", c->what, x->v, x->approx);
    static const char *const names[] = {"X", "Above", "Inside", "Through"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct value *v = rig_value(&r, names[i]);
        why_text(&r.model, v->why, words, sizeof(words));
        if (strcmp(words, c->why) != 0 || v->approx != c->approx)
            fail_msg("%s: %s, approx %d: '%s'", c->what, names[i], v->approx, words);
    }
    if (rig_value(&r, "Else")->approx)
        fail_msg("%s: approximate without reason", c->what);
    rig_free(&r);
}

static void constants(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(consts_cases); i++)
        check_const(&consts_cases[i]);
}

/* The user's own latency is exact, also from a file of metrics; what he says of EBS_MODE is so. */
static void what_the_user_gave_is_exact(void **state) {
    (void)state;
    static const struct {
        double ebs;
        bool own, cost, ratio; /* own: A's latency; then which of X and Else are approximate */
        const char *why;       /* of Else */
    } cases[] = {
        {NAN, false, true, true, NOT_TOLD},
        {NAN, true, false, true, NOT_TOLD},
        {0, true, false, false, ""},
        {1, false, true, true, "Else is approximate: a guess"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        char words[160];
        rig_load(&r, MODEL_HEAD "[latency]\n'A' = 9.83\n[metric.X]\nformula = 'A:retire_latency'\n"
                                "[metric.Else]\nformula = 'D'\napproximate = 'a guess'\n"
                                "approximate_when = 'SMT_ON & EBS_MODE'\n");
        rig_all_slots(&r);
        r.model.latency[0].own = cases[i].own;
        r.consts.value[CONST_SMT_ON] = 1;
        r.consts.value[CONST_EBS_MODE] = cases[i].ebs;
        rig_bind(&r);
        rig_set(&r, "D", 40);
        eval_run(&r.eval, &r.sample, &r.frame);
        assert_int_equal(rig_value(&r, "X")->approx, cases[i].cost);
        assert_int_equal(rig_value(&r, "Else")->approx, cases[i].ratio);
        why_text(&r.model, rig_value(&r, "Else")->why, words, sizeof(words));
        assert_string_equal(words, cases[i].why);
        rig_free(&r);
    }
}

static void constants_say_what_to_do(void **state) {
    (void)state;
    static const struct {
        struct why why;
        const char *words;
    } cases[] = {
        {{WHY_CONST, 0, CONST_SMT_ON},
         "SMT_ON: not known; --const SMT_ON=1 where cores run two hardware threads, 0 where they "
         "run one"},
        {{WHY_CONST, 0, CONST_EBS_MODE},
         "EBS_MODE: not known; --const EBS_MODE=1 for counts of single hardware threads, 0 for "
         "those of whole cores"},
        {{WHY_CONST, 0, CONST_SLOTS_PER_CYCLE},
         "SLOTS_PER_CYCLE: not known; --const SLOTS_PER_CYCLE=WIDTH sets it, the slots that the "
         "core has per cycle"},
        {{WHY_CONST, 0, CONST_CORES_PER_SOCKET},
         "CORES_PER_SOCKET: not known; --const CORES_PER_SOCKET=NUMBER sets it, the cores of one "
         "socket"},
        {{WHY_CONST, 0, CONST_N}, "a constant of the formula is not known"},
        {{WHY_LATENCY, 0, 0xffff}, "a retire latency is not known"},
    };
    struct rig r;
    open_consts(&r, "formula = 'C'", false);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char words[160];
        assert_string_equal(why_text(&r.model, cases[i].why, words, sizeof(words)), cases[i].words);
    }
    char little[8];
    why_text(&r.model, cases[0].why, little, sizeof(little));
    assert_string_equal(little, "SMT_ON:");
    rig_free(&r);
}

/* Constants choose a branch before anything is counted: the other one needs no event (B has no
 * slot: where it is needed the fallback serves), and it has no part in the duty. */
static void branches_that_constants_decide(void **state) {
    (void)state;
    static const struct {
        const char *what, *formula;
        double value, duty;
        bool approx;
    } cases[] = {
        {"taken", "A if SMT_ON else B + C", 10, 0.5, false},
        {"not taken", "B if 1 - SMT_ON else A", 10, 0.5, false},
        {"both constants", "B if SMT_ON & EBS_MODE else A", 10, 0.5, false},
        {"either", "A if SMT_ON | EBS_MODE else B", 10, 0.5, false},
        {"0 decides, whatever was counted", "B if C & EBS_MODE else A", 10, 0.5, false},
        {"1 too", "A if C | SMT_ON else B", 10, 0.5, false},
        {"a latency that nobody knows", "B if D:retire_latency >= 0 else A", 10, 0.5, true},
        {"one inside the other", "(B if EBS_MODE else A) if SMT_ON else B", 10, 0.5, false},
        {"a metric of constants", "B if Never else A", 10, 0.5, false},
        {"an open one has both", "A if C else B", 0, 0.25, true},
        {"the branch that is taken is missing", "B if SMT_ON else A", 0, 0.25, true},
        {"nobody knows the constant", "A if SOCKET_COUNT else B", NAN, 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        char text[1024];
        snprintf(text, sizeof(text),
                 MODEL_HEAD "[metric.Never]\nformula = '1 - SMT_ON'\n[metric.X]\nformula = '%s'\n"
                            "fallback = 'C * 0'\nfallback_note = 'nothing'\n"
                            "[metric.All]\nformula = 'A + B + C'\n",
                 cases[i].formula);
        rig_load(&r, text);
        r.consts.value[CONST_SMT_ON] = 1;
        rig_slot(&r, "A", 0);
        rig_slot(&r, "C", 0);
        rig_bind(&r);
        *rig_at(&r, "A") = (struct count){10, 100, 50, COUNT_OK, 0};
        *rig_at(&r, "C") = (struct count){30, 100, 25, COUNT_OK, 0};
        eval_run(&r.eval, &r.sample, &r.frame);
        const struct value *x = rig_value(&r, "X");
        if (!same_number(x->v, cases[i].value, 1e-15) || x->approx != cases[i].approx)
            fail_msg("%s: %g, approx %d", cases[i].what, x->v, x->approx);
        if (fabs((double)x->duty - cases[i].duty) > 1e-6)
            fail_msg("%s: duty %g", cases[i].what, (double)x->duty);
        rig_free(&r);
    }
}

static void thresholds_know_constants(void **state) {
    (void)state;
    static const struct {
        const char *what, *threshold;
        bool over;
    } cases[] = {
        {"a constant", "X > 0.2 & SMT_ON", true},
        {"one that is 0", "X > 0.2 & EBS_MODE", false},
        {"one that nobody knows", "X > 0.2 & SOCKET_COUNT", false},
        {"the width", "X * SLOTS_PER_CYCLE > 2", true},
        {"a latency", "X > B:retire_latency", true},
        {"the other way round", "B:retire_latency > X", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        char text[1024];
        snprintf(text, sizeof(text),
                 "slots_per_cycle = 6\n" MODEL_HEAD "[metric.X]\nformula = 'A'\nthreshold = '%s'\n",
                 cases[i].threshold);
        rig_load(&r, text);
        r.consts.value[CONST_SMT_ON] = 1;
        rig_all_slots(&r);
        rig_bind(&r);
        rig_set(&r, "A", 0.5);
        eval_run(&r.eval, &r.sample, &r.frame);
        if (rig_value(&r, "X")->over != cases[i].over)
            fail_msg("%s: over %d", cases[i].what, !cases[i].over);
        rig_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),
        cmocka_unit_test(what_the_user_gave_is_exact),
        cmocka_unit_test(constants_say_what_to_do),
        cmocka_unit_test(branches_that_constants_decide),
        cmocka_unit_test(thresholds_know_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
