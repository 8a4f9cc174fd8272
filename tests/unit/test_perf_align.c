/* One clock for all groups: what was read too late belongs to the next interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/perf/perf_align.h"
#include "pmu/perf/perf_units.h"

enum { GROUPS = 2, MS = 1000000 };

struct fixture {
    struct perf_units pu;
    struct perf_shape shape;
    struct perf_group group[GROUPS];
    struct perf_sum sum[GROUPS];
    double value[GROUPS];
    bool on[GROUPS], changed[GROUPS];
    uint32_t have[GROUPS];
};

/* Two groups of one counter each, open on one unit. */
static void begin(struct fixture *f) {
    memset(f, 0, sizeof(*f));
    for (uint32_t g = 0; g < GROUPS; g++) {
        f->group[g] = (struct perf_group){.first = g, .n = 1};
        f->on[g] = true;
        f->have[g] = 1;
    }
    f->shape = (struct perf_shape){.group = f->group, .n_group = GROUPS, .n_counter = GROUPS};
    f->pu = (struct perf_units){.shape = &f->shape,
                                .sum = f->sum,
                                .value = f->value,
                                .on = f->on,
                                .changed = f->changed,
                                .have = f->have};
    assert_int_equal(perf_align_init(&f->pu), 0);
}

/* An interval in which both count 1 per ns, and were on the PMU for that part of the time. */
static void interval(struct fixture *f, uint64_t first_ns, uint64_t second_ns, double duty) {
    const uint64_t ns[GROUPS] = {first_ns, second_ns};
    for (int g = 0; g < GROUPS; g++) {
        const uint64_t running = (uint64_t)((double)ns[g] * duty);
        f->sum[g] = (struct perf_sum){.enabled_ns = ns[g],
                                      .running_ns = running,
                                      .counted_ns = running ? ns[g] : 0,
                                      .reads = 1};
        f->value[g] = running ? (double)ns[g] : 0;
    }
    perf_align(&f->pu, 1);
}

static void assert_both(const struct fixture *f, uint64_t ns) {
    for (int g = 0; g < GROUPS; g++) {
        assert_int_equal(f->sum[g].enabled_ns, ns);
        assert_float_equal(f->value[g], (double)ns, 1.0);
    }
}

static void a_late_group_gives_to_the_next_interval(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 120 * MS, 1.0);
    assert_both(&f, 100 * MS);
    interval(&f, 100 * MS, 90 * MS, 1.0); /* 20 were read before: 110 in all */
    assert_both(&f, 100 * MS);
    interval(&f, 100 * MS, 90 * MS, 1.0); /* all has ended: nothing remains */
    assert_both(&f, 100 * MS);
    interval(&f, 0, 0, 1.0);
    assert_both(&f, 0);
    perf_align_free(&f.pu);
}

static void the_duty_stays(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 120 * MS, 0.25);
    assert_both(&f, 100 * MS);
    assert_float_equal((double)f.sum[1].running_ns, 25.0 * MS, 2.0);
    perf_align_free(&f.pu);
}

static void what_is_behind_borrows(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 90 * MS, 0.5);
    assert_both(&f, 100 * MS);
    interval(&f, 100 * MS, 110 * MS, 0.5);
    assert_both(&f, 100 * MS);
    assert_float_equal((double)f.sum[1].running_ns, 50.0 * MS, 2.0);
    interval(&f, 0, 0, 0.5);
    assert_both(&f, 0);
    perf_align_free(&f.pu);
}

/* Its time goes on, and when it has a count again that is one of the whole time. */
static void a_group_that_never_ran_keeps_its_time(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 110 * MS, 0.0);
    assert_int_equal(f.sum[1].enabled_ns, 100 * MS);
    assert_int_equal(f.sum[1].counted_ns, 0);
    interval(&f, 100 * MS, 90 * MS, 1.0);
    assert_both(&f, 100 * MS);
    perf_align_free(&f.pu);
}

static void a_group_that_is_not_open_everywhere_is_left_alone(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    f.have[1] = 0;
    interval(&f, 100 * MS, 90 * MS, 1.0);
    assert_int_equal(f.sum[0].enabled_ns, 100 * MS);
    assert_int_equal(f.sum[1].enabled_ns, 90 * MS);
    perf_align_free(&f.pu);
}

/* What was left comes back whole when the group is opened anew. */
static void nothing_is_lost_by_a_change(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 120 * MS, 1.0);
    f.changed[1] = true;
    interval(&f, 100 * MS, 50 * MS, 1.0);
    assert_int_equal(f.sum[0].enabled_ns, 100 * MS);
    assert_int_equal(f.sum[1].enabled_ns, 70 * MS);
    assert_float_equal(f.value[1], 70.0 * MS, 1.0);
    perf_align_free(&f.pu);
}

/* The group that came first is off: what the next one had left is counted now, not when it is back.
 */
static void another_group_may_become_the_first(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 120 * MS, 1.0);
    f.on[0] = false;
    f.have[0] = 0;
    f.sum[0] = (struct perf_sum){0};
    f.sum[1] = (struct perf_sum){
        .enabled_ns = 80 * MS, .running_ns = 80 * MS, .counted_ns = 80 * MS, .reads = 1};
    f.value[1] = 80 * MS;
    perf_align(&f.pu, 1);
    assert_int_equal(f.sum[1].enabled_ns, 100 * MS);
    assert_float_equal(f.value[1], 100.0 * MS, 1.0);
    perf_align_free(&f.pu);
}

/* A group that lent more than it had until it was closed has no count; nor is one made up of it. */
static void what_was_all_borrowed_is_unknown(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 60 * MS, 1.0);
    assert_both(&f, 100 * MS);
    f.changed[1] = true;
    interval(&f, 100 * MS, 30 * MS, 1.0);
    assert_int_equal(f.sum[1].enabled_ns, 0);
    assert_int_equal(f.sum[1].running_ns, 0);
    assert_int_equal(f.sum[1].counted_ns, 0); /* else it would be stretched by span / 0 */
    assert_true(f.value[1] == 0.0);
    perf_align_free(&f.pu);
}

/* It cannot be known what it would have counted: half of the time is missing. */
static void what_is_far_behind_stays(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 100 * MS, 40 * MS, 1.0);
    assert_int_equal(f.sum[0].enabled_ns, 100 * MS);
    assert_int_equal(f.sum[1].enabled_ns, 40 * MS);
    perf_align_free(&f.pu);
}

/* The target began to run just before the first group was read. */
static void an_interval_may_be_short(void **state) {
    (void)state;
    struct fixture f;
    begin(&f);
    interval(&f, 0, 30 * MS, 1.0);
    assert_both(&f, 0);
    interval(&f, 130 * MS, 120 * MS, 1.0);
    assert_both(&f, 130 * MS);
    perf_align_free(&f.pu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_group_gives_to_the_next_interval),
        cmocka_unit_test(the_duty_stays),
        cmocka_unit_test(what_is_behind_borrows),
        cmocka_unit_test(a_group_that_never_ran_keeps_its_time),
        cmocka_unit_test(a_group_that_is_not_open_everywhere_is_left_alone),
        cmocka_unit_test(nothing_is_lost_by_a_change),
        cmocka_unit_test(another_group_may_become_the_first),
        cmocka_unit_test(what_was_all_borrowed_is_unknown),
        cmocka_unit_test(what_is_far_behind_stays),
        cmocka_unit_test(an_interval_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
