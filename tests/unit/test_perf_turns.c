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

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* A real group of one event, so that the kernel says whether it is on: its enabled time grows. */
static uint64_t enabled_ns(int fd) {
    struct {
        uint64_t value, enabled_ns;
    } now = {0};
    assert_int_equal(read(fd, &now, sizeof(now)), sizeof(now));
    return now.enabled_ns;
}

static void burn(uint64_t ns) {
    for (const uint64_t end = clock_now_ns() + ns; clock_now_ns() < end;)
        ;
}

/* While the counters are asked for nothing of ours may hold them. */
static void a_turn_is_yielded(void **state) {
    (void)state;
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
                                   .exclude_kernel = 1,
                                   .disabled = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        skip();
    struct perf_group group = {.turns = true, .n = 1};
    struct perf_counter counter = {0};
    struct perf_shape shape = {.group = &group, .n_group = 1, .counter = &counter, .n_counter = 1};
    struct perf_unit unit = {.state = UNIT_OPEN};
    bool on = true;
    struct perf_units units = {.shape = &shape, .unit = &unit, .n = 1, .fd = &fd, .on = &on};
    struct perf_turns t = {.n = 1, .at = 1, .cycle_ns = 140 * NS_PER_MS};
    const uint64_t begin = clock_now_ns();
    const uint64_t next = perf_turns_go_on(&t, &units, begin);
    assert_int_equal(t.at, 0);
    burn(2 * NS_PER_MS);
    assert_true(enabled_ns(fd) > 0);
    perf_turns_yield(&t, &units, begin + 2 * NS_PER_MS);
    assert_int_equal(t.at, 1);
    assert_true(t.next_ns > begin + 2 * NS_PER_MS && t.next_ns < next + 2 * NS_PER_MS);
    const uint64_t had = enabled_ns(fd);
    burn(2 * NS_PER_MS);
    assert_true(enabled_ns(fd) == had);
    perf_turns_go_on(&t, &units, t.next_ns);
    burn(2 * NS_PER_MS);
    assert_true(enabled_ns(fd) > had);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_turns),
        cmocka_unit_test(turns_are_as_long_as_said),
        cmocka_unit_test(a_turn_is_yielded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
