#include "model/eval/sample.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void scaling(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double raw;
        uint64_t enabled, running;
        int rc;
        double out;
    } cases[] = {
        {"always on the PMU", 1000, 50, 50, 0, 1000.0},
        {"on for half the interval", 1000, 100, 50, 0, 2000.0},
        {"on for a third", 3, 300, 100, 0, 9.0},
        {"counted nothing while it ran", 0, 100, 50, 0, 0.0},
        {"never scheduled", 0, 100, 0, -ENODATA, -1.0},
        {"never enabled", 0, 0, 0, -ENODATA, -1.0},
        {"deltas of two intervals", 1000, 50, 100, -ERANGE, -1.0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double out = -1.0;
        const int rc = count_scale(cases[i].raw, cases[i].enabled, cases[i].running, &out);
        if (rc != cases[i].rc || out != cases[i].out)
            fail_msg("%s: rc %d, out %g", cases[i].what, rc, out);
    }
}

static void duty(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t enabled, running;
        double duty;
    } cases[] = {
        {"no times known: always on", 0, 0, 1.0},
        {"all the time", 70, 70, 1.0},
        {"a quarter", 400, 100, 0.25},
        {"never", 400, 0, 0.0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct count c = {.enabled_ns = cases[i].enabled, .running_ns = cases[i].running};
        if (count_duty(&c) != cases[i].duty)
            fail_msg("%s: %g", cases[i].what, count_duty(&c));
    }
}

static void layouts(void **state) {
    (void)state;
    struct layout l, copy;
    assert_int_equal(layout_init(&l, 4, COUNT_ABSENT, 3), 0);
    assert_int_equal(l.missing[0], COUNT_ABSENT);
    assert_int_equal(layout_add(&l, 2, 0), 0);
    assert_int_equal(layout_add(&l, 0, 5), 1);
    assert_int_equal(layout_add(&l, 2, 5), 2);
    l.no_perf_metrics = true;
    l.missing[3] = COUNT_NO_FDS;
    assert_int_equal(l.n_group, 6);

    assert_int_equal(layout_copy(&copy, &l), 0);
    layout_destroy(&l);
    assert_int_equal(copy.n_slot, 3);
    assert_int_equal(copy.n_group, 6);
    assert_int_equal(copy.n_event, 4);
    assert_int_equal(copy.slot[1].event, 0);
    assert_int_equal(copy.slot[1].group, 5);
    const uint8_t missing[] = {COUNT_OK, COUNT_ABSENT, COUNT_OK, COUNT_NO_FDS};
    assert_memory_equal(copy.missing, missing, sizeof(missing));
    assert_true(copy.no_perf_metrics);
    layout_destroy(&copy);

    struct layout zeroed;
    memset(&zeroed, 0, sizeof(zeroed));
    layout_destroy(&zeroed);
}

static void samples(void **state) {
    (void)state;
    struct sample a, b;
    assert_int_equal(sample_init(&a, 2), 0);
    assert_int_equal(sample_init(&b, 2), 0);
    assert_true(isnan(a.at[1].value)); /* nothing counted is not 0 */
    assert_int_not_equal(a.at[1].state, COUNT_OK);
    a.seq = 7;
    a.t1_ns = 99;
    a.at[1] = (struct count){.value = 5, .state = COUNT_OK};
    const struct count *own = b.at;
    sample_copy(&b, &a);
    assert_ptr_equal(b.at, own);
    assert_int_equal(b.seq, 7);
    assert_int_equal(b.t1_ns, 99);
    assert_true(b.at[1].value == 5.0);
    a.at[1].value = 6;
    assert_true(b.at[1].value == 5.0);
    sample_destroy(&a);
    sample_destroy(&b);
}

/* Two intervals as one: sums; time in which a slot waited is filled up from the time in which not.
 */
static void two_intervals_are_one(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct count a, b, sum;
    } cases[] = {
        {"both counted",
         {10, 50, 40, COUNT_OK, 0},
         {4, 30, 30, COUNT_OK, 70},
         {14, 80, 70, COUNT_OK, 70}},
        {"the second waited",
         {10, 50, 50, COUNT_OK, 0},
         {NAN, 25, 0, COUNT_STALE, 0},
         {15, 75, 50, COUNT_OK, 0}},
        {"the first waited",
         {NAN, 25, 0, COUNT_NOT_FOCUSED, 0},
         {10, 50, 50, COUNT_OK, 0},
         {15, 75, 50, COUNT_OK, 0}},
        {"both waited",
         {NAN, 25, 0, COUNT_STALE, 0},
         {NAN, 50, 0, COUNT_STALE, 0},
         {NAN, 75, 0, COUNT_STALE, 0}},
        {"then it slept",
         {10, 50, 50, COUNT_OK, 0},
         {NAN, 0, 0, COUNT_NOT_COUNTED, 0},
         {10, 50, 50, COUNT_OK, 0}},
        {"first it slept",
         {NAN, 0, 0, COUNT_NOT_COUNTED, 0},
         {10, 50, 50, COUNT_OK, 0},
         {10, 50, 50, COUNT_OK, 0}},
        {"slept, waited",
         {NAN, 0, 0, COUNT_NOT_COUNTED, 0},
         {NAN, 5, 0, COUNT_STALE, 0},
         {NAN, 5, 0, COUNT_STALE, 0}},
        {"waited, slept",
         {NAN, 5, 0, COUNT_STALE, 0},
         {NAN, 0, 0, COUNT_NOT_COUNTED, 0},
         {NAN, 5, 0, COUNT_STALE, 0}},
        {"without times", {3, 0, 0, COUNT_OK, 0}, {4, 0, 0, COUNT_OK, 0}, {7, 0, 0, COUNT_OK, 0}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sample a, b;
        assert_int_equal(sample_init(&a, 1), 0);
        assert_int_equal(sample_init(&b, 1), 0);
        a.at[0] = cases[i].a;
        b.at[0] = cases[i].b;
        a.seq = 4, a.t0_ns = 10, a.t1_ns = 20, a.busy_ns = 3;
        b.seq = 5, b.t0_ns = 20, b.t1_ns = 40, b.busy_ns = 4;
        sample_merge(&a, &b);
        const struct count *c = &a.at[0], *want = &cases[i].sum;
        if ((c->value != want->value && !isnan(c->value + want->value)) ||
            isnan(c->value) != isnan(want->value) || c->enabled_ns != want->enabled_ns ||
            c->running_ns != want->running_ns || c->state != want->state || c->part != want->part)
            fail_msg("%s: %g, %d of %d ns, state %d", cases[i].what, c->value, (int)c->running_ns,
                     (int)c->enabled_ns, c->state);
        assert_true(a.seq == 5 && a.merged == 1 && a.t0_ns == 10 && a.t1_ns == 40);
        assert_int_equal(a.busy_ns, 7);
        sample_destroy(&a);
        sample_destroy(&b);
    }
}

static void every_state_has_words(void **state) {
    (void)state;
    for (int i = 0; i < COUNT_STATES; i++)
        if (!count_state_text((enum count_state)i) || !*count_state_text((enum count_state)i))
            fail_msg("state %d has no words", i);
    assert_string_equal(count_state_text(COUNT_ABSENT), "not in the recording");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling),
        cmocka_unit_test(duty),
        cmocka_unit_test(layouts),
        cmocka_unit_test(samples),
        cmocka_unit_test(two_intervals_are_one),
        cmocka_unit_test(every_state_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
