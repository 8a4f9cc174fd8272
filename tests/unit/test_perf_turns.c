/* Turns of level 1 as arithmetic: who gets them and how long. What the kernel makes of them is
 * checked in tests/lab. */
#include "pmu/perf/perf_turns.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Units without descriptors: one kernel group for each of the plan. */
struct box {
    struct model m;
    struct plan plan;
    struct plan_options opt;
    struct consts consts;
    struct perf_group group[512];
    struct perf_shape shape;
    struct perf_units units;
    struct perf_turns turns;
};

static void box_open(struct box *b, const char *model, int smt) {
    struct err err = {0};
    *b = (struct box){.opt = {.consts = &b->consts}};
    consts_init(&b->consts);
    b->consts.value[CONST_SMT_ON] = b->consts.value[CONST_EBS_MODE] = smt;
    assert_int_equal(model_open(&b->m, model, NULL, &err), 0);
    assert_int_equal(plan_make(&b->plan, &b->m, &b->opt, &err), 0);
    for (uint32_t g = 0; g < b->plan.n_group; g++)
        b->group[b->shape.n_group++] = (struct perf_group){.plan_group = g};
    b->shape.group = b->group;
    b->units = (struct perf_units){.plan = &b->plan, .shape = &b->shape};
}

static uint32_t begin(struct box *b, uint32_t n_unit, bool first, uint64_t interval_ns) {
    b->units.n = n_unit;
    assert_int_equal(
        perf_turns_begin(&b->turns, &b->units, &b->m, first ? &b->opt : NULL, interval_ns), 0);
    uint32_t n = 0;
    for (uint32_t g = 0; g < b->shape.n_group; g++)
        n += b->group[g].turns;
    assert_int_equal(n, b->turns.n);
    b->units.n = 0; /* nothing is open */
    return n;
}

static void box_close(struct box *b) {
    plan_free(&b->plan);
    model_free(&b->m);
}

static void who_has_turns(void **state) {
    (void)state;
    static const struct {
        const char *model;
        int smt;
        uint32_t n_unit;
        bool first;
        uint32_t n_turn;
    } cases[] = {
        {"zen4", 1, 5, true, 1},        {"zen4", 1, 5, false, 0}, /* it was not asked for */
        {"spr", 1, 5, true, 0},      /* the slots have a counter of their own */
        {"skx", 0, 5, true, 1},      /* as a machine without hyper-threading */
        {"skx", 1, 5, true, 4},      /* level 1 does not fit one group */
        {"software", 0, 5, true, 0}, /* nothing competes */
        {"zen4", 1, 20000, true, 0}, /* too dear */
        {"neoverse-n1", 0, 5, true, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct box *b = malloc(sizeof(*b));
        assert_non_null(b);
        box_open(b, cases[i].model, cases[i].smt);
        const uint32_t n = begin(b, cases[i].n_unit, cases[i].first, NS_PER_S);
        if (n != cases[i].n_turn)
            fail_msg("%s, case %zu: %u turns, wanted %u", cases[i].model, i, n, cases[i].n_turn);
        perf_turns_end(&b->turns, &b->units);
        for (uint32_t g = 0; g < b->shape.n_group; g++)
            assert_false(b->group[g].turns);
        assert_true(perf_turns_go_on(&b->turns, &b->units, 1) == UINT64_MAX);
        box_close(b);
        free(b);
    }
}

/* Over a second each turn gets its part of the time, and the others what is left. */
static void turns_are_as_long_as_said(void **state) {
    (void)state;
    struct box *b = malloc(sizeof(*b));
    assert_non_null(b);
    static const struct {
        const char *model;
        int smt;
        double first;
    } cases[] = {{"zen4", 1, 0.55}, {"skx", 1, 0.80}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        box_open(b, cases[i].model, cases[i].smt);
        assert_true(begin(b, 5, true, NS_PER_S) > 0);
        uint64_t now = 0, had[16] = {0}, early = 0;
        for (int k = 0; now < 10 * NS_PER_S; k++) {
            const uint64_t next = perf_turns_go_on(&b->turns, &b->units, now);
            early = perf_turns_go_on(&b->turns, &b->units, now); /* not due */
            assert_true(next > now && next == early);
            had[b->turns.at] += next - now;
            now = next;
        }
        for (uint32_t t = 0; t < b->turns.n; t++)
            assert_true(
                llabs((long long)had[t] - (long long)(cases[i].first / b->turns.n * (double)now)) <
                (long long)(now / 100));
        box_close(b);
    }
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_turns),
        cmocka_unit_test(turns_are_as_long_as_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
