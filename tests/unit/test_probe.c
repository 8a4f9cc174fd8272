/* How many counters can be had, asked of a made-up PMU whose holders are known. */
#include "pmu/probe.h"

#include "model/expr.h"
#include "pmu/plan.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* General counters from bit 0, fixed ones from bit 32. */
struct fake {
    uint64_t there, held;
    const struct model *m;
    int n_opened, n_tried;
    enum probe_answer always; /* PROBE_RUNS: as the counters are */
};

static uint64_t counters_of(const struct fake *f, const struct perf_event_attr *attr) {
    const uint64_t general = 0xffffffff;
    for (uint32_t i = 0; i < f->m->n_event; i++) {
        const struct event *ev = &f->m->event[i];
        if (ev->fixed < 0 || ev->config != attr->config)
            continue;
        return 1ull << (32 + ev->fixed) | (attr->config & 0xff ? general : 0);
    }
    return general;
}

/* The highest free one: fixed counters first, as the kernel does. */
static bool take(uint64_t may, uint64_t *free) {
    uint64_t both = may & *free;
    if (!both)
        return false;
    *free &= ~(1ull << (63 - __builtin_clzll(both)));
    return true;
}

static enum probe_answer fake_try(void *user, const struct perf_event_attr *attr, int n,
                                  bool pinned, int *n_run) {
    struct fake *f = user;
    uint64_t all = f->there, left = f->there & ~f->held;
    f->n_tried++;
    if (f->always != PROBE_RUNS)
        return f->always;
    for (*n_run = 0; *n_run < n; (*n_run)++) {
        uint64_t may = counters_of(f, &attr[*n_run]);
        f->n_opened++;
        if (!take(may, &all))
            return PROBE_REFUSED;
        if (pinned && !take(may, &left))
            return PROBE_HELD;
    }
    return PROBE_RUNS;
}

static const struct machine machine = {
    .id = "GenuineIntel-6-8F-8", .pmu = "no_such_pmu", .pmu_type = PERF_TYPE_RAW};

static struct budget ask(struct fake *f) {
    struct budget b;
    const struct probe_pmu pmu = {fake_try, f};
    probe_budget(&machine, f->m, &pmu, &b);
    return b;
}

static void test_who_holds_what(void **state) {
    (void)state;
    const uint64_t all = 0xf000000ff, cycles = 1ull << 33, slots = 1ull << 35;
    const struct {
        const char *what, *model;
        uint64_t there, held;
        int general, n_there;
        uint64_t taken, gone;
    } cases[] = {
        {"nobody", "spr", all, 0, 8, 8, 0, 0},
        {"nobody, and twice what the model knows of", "skx", 0x7000000ff, 0, 8, 8, 0, 0},
        {"a guest with three", "spr", 0xf00000007, 0, 3, 3, 0, 0},
        {"a guest with three and no slots", "spr", 0x700000007, 0, 3, 3, 0, 8},
        {"the watchdog, cycles", "spr", all, cycles, 8, 8, 2, 0},
        {"the watchdog, a general counter", "zen4", 0x3f, 1, 5, 6, 0, 0},
        {"another user's three", "spr", all, 0x7, 5, 8, 0, 0},
        {"another user's three in a guest with four", "spr", 0xf0000000f, 0x7, 1, 4, 0, 0},
        {"another user's slots", "spr", all, slots, 8, 8, 8, 0},
        {"all of them, cycles too", "spr", all, 0xff | cycles, 0, 8, 2, 0},
        {"Arm's only fixed one", "neoverse-n1", 0x10000003f, 1ull << 32, 6, 6, 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        assert_int_equal(model_open(&m, cases[i].model, NULL, NULL), 0);
        struct fake f = {.there = cases[i].there, .held = cases[i].held, .m = &m};
        struct budget b = ask(&f);
        if (!b.known || b.general != cases[i].general || b.there != cases[i].n_there ||
            b.fixed_taken != cases[i].taken || b.fixed_gone != cases[i].gone)
            fail_msg("%s: %s, %d of %d, held %llx, gone %llx", cases[i].what,
                     b.known ? "known" : "not known", b.general, b.there,
                     (unsigned long long)b.fixed_taken, (unsigned long long)b.fixed_gone);
        model_free(&m);
    }
}

static void test_not_told(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    for (int answer = PROBE_REFUSED; answer <= PROBE_UNKNOWN; answer++) {
        struct fake f = {.there = 0xff, .m = &m, .always = (enum probe_answer)answer};
        assert_false(ask(&f).known);
        assert_true(f.n_tried > 0);
    }
    model_free(&m);
    assert_int_equal(model_open(&m, "software", NULL, NULL), 0);
    struct fake f = {.there = 0xff, .m = &m};
    assert_false(ask(&f).known); /* nothing there to ask with */
    model_free(&m);
}

/* On most machines nobody holds anything: then one group is enough. */
static void test_one_group_is_enough(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    struct fake f = {.there = 0xf000000ff, .m = &m};
    ask(&f);
    assert_int_equal(f.n_tried, 1);
    assert_int_equal(f.n_opened, 13); /* 4 fixed, 8 general, one that is refused */
    model_free(&m);
}

static void test_less(void **state) {
    (void)state;
    const struct budget all = {.known = true, .general = 8, .there = 8},
                        fewer = {.known = true, .general = 5, .there = 8},
                        no_cycles = {.known = true, .general = 8, .there = 8, .fixed_taken = 2},
                        unknown = {.known = false};
    assert_true(budget_is_less(&fewer, &all));
    assert_true(budget_is_less(&no_cycles, &all));
    assert_false(budget_is_less(&all, &fewer));
    assert_false(budget_is_less(&all, &all));
    assert_false(budget_is_less(&unknown, &all));
    assert_true(budget_is_same(&all, &all));
    assert_false(budget_is_same(&all, &no_cycles));
}

/* What was found is planned for: no group takes more than there is. */
static void test_planned_for(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    for (int general = 0; general <= 8; general++) {
        struct plan_options opt = {
            .level = 3, .probed = true, .general = general, .fixed_taken = 1u << 1};
        struct plan_seat seat[PLAN_GROUP_MAX];
        struct plan p;
        assert_int_equal(plan_make(&p, &m, &opt, NULL), 0);
        for (uint32_t g = 0; g < p.n_group; g++) {
            int n = 0;
            plan_seats(&p, &m, &opt, g, seat);
            for (uint32_t i = 0; i < p.group[g].n; i++) {
                n += seat[i].kind == SEAT_GENERAL;
                assert_false(seat[i].kind == SEAT_FIXED && seat[i].fixed == 1);
            }
            if (n > general && p.group[g].n > 1)
                fail_msg("%d general counters, group %u takes %d", general, g, n);
        }
        plan_free(&p);
    }
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_holds_what),      cmocka_unit_test(test_not_told),
        cmocka_unit_test(test_one_group_is_enough), cmocka_unit_test(test_less),
        cmocka_unit_test(test_planned_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
