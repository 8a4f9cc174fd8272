/* Tables of what single threads or CPUs counted. */
#include "model/eval/units.h"
#include "model_fixture.h"

enum { LAYOUT_SLOTS = 6 };

static const uint16_t slots[] = {1, 4};

static void grows_and_keeps_its_rows(void **state) {
    (void)state;
    struct unit_table t;
    assert_int_equal(unit_table_init(&t, slots, 2), 0);
    for (uint32_t n = 1; n <= 5000; n = n * 3 + 1) {
        assert_int_equal(unit_table_reserve(&t, n), 0);
        assert_true(t.cap >= n);
        for (uint32_t i = t.n; i < n; i++) {
            t.row[i] = (struct unit_row){.pid = 42, .tid = (pid_t)i, .cpu = -1};
            t.value[2 * i] = i;
            t.value[2 * i + 1] = 2.0 * i;
        }
        t.n = n;
        for (uint32_t i = 0; i < n; i++)
            if (t.row[i].tid != (pid_t)i || t.value[2 * i] != i || t.value[2 * i + 1] != 2.0 * i)
                fail_msg("row %u of %u is not what it was", i, n);
    }
    unit_table_destroy(&t);
    unit_table_destroy(&t);
}

/* Threads come and go: room that was made once is enough for as many again. */
static void room_is_kept(void **state) {
    (void)state;
    struct unit_table t;
    assert_int_equal(unit_table_init(&t, slots, 2), 0);
    assert_int_equal(unit_table_reserve(&t, 1000), 0);
    const uint32_t cap = t.cap;
    const struct unit_row *row = t.row;
    const double *value = t.value;
    assert_true(cap > 1000); /* some more than asked for: the next flock needs no room */
    for (uint32_t n = 0; n <= cap; n += 7)
        assert_int_equal(unit_table_reserve(&t, n), 0);
    assert_true(t.cap == cap && t.row == row && t.value == value);
    unit_table_destroy(&t);
}

static void the_slots_are_a_copy(void **state) {
    (void)state;
    uint16_t mine[] = {3, 2, 1};
    struct unit_table t;
    assert_int_equal(unit_table_init(&t, mine, 3), 0);
    mine[0] = 99;
    assert_true(t.n_slot == 3 && t.slot[0] == 3 && t.slot[2] == 1);
    assert_true(t.n == 0 && t.cap == 0);
    unit_table_destroy(&t);
}

static void a_row_is_a_sample(void **state) {
    (void)state;
    struct unit_table t;
    struct sample s;
    assert_int_equal(unit_table_init(&t, slots, 2), 0);
    assert_int_equal(unit_table_reserve(&t, 2), 0);
    assert_int_equal(sample_init(&s, LAYOUT_SLOTS), 0);
    t.n = 2;
    t.seq = 9;
    t.t0_ns = 1000;
    t.t1_ns = 3000;
    t.row[0] = (struct unit_row){.tid = 1, .enabled_ns = 800, .running_ns = 800};
    t.row[1] = (struct unit_row){.tid = 2, .enabled_ns = 500, .running_ns = 125};
    t.value[0] = 10;
    t.value[1] = 20;
    t.value[2] = 30;
    t.value[3] = NAN;
    unit_table_sample(&t, 0, &s);
    assert_true(s.seq == 9 && s.t0_ns == 1000 && s.t1_ns == 3000);
    assert_true(s.at[1].value == 10 && s.at[4].value == 20 && s.at[4].state == COUNT_OK);
    assert_true(count_duty(&s.at[1]) == 1);
    unit_table_sample(&t, 1, &s);
    assert_true(s.at[1].value == 30 && count_duty(&s.at[1]) == 0.25);
    assert_true(isnan(s.at[4].value)); /* no count is not 0 */
    assert_int_equal(s.at[4].state, COUNT_NOT_COUNTED);
    for (int i = 0; i < LAYOUT_SLOTS; i++)
        if (i != 1 && i != 4 && (s.at[i].state != COUNT_NOT_PLANNED || !isnan(s.at[i].value)))
            fail_msg("slot %d is not of the row, but has %g", i, s.at[i].value);
    sample_destroy(&s);
    unit_table_destroy(&t);
}

/* Level 1 of a thread by the same formulas as that of the whole. */
static void a_row_can_be_evaluated(void **state) {
    (void)state;
    static const char text[] = MODEL_HEAD "[node.Top]\nformula = 'A / CYCLES'\n"
                                          "[metric.Deep]\nformula = 'B / CYCLES'\n";
    struct rig r;
    struct unit_table t;
    rig_load(&r, text);
    const uint16_t have[] = {(uint16_t)rig_slot(&r, "CYCLES", 0), (uint16_t)rig_slot(&r, "A", 0)};
    rig_slot(&r, "B", 1);
    rig_bind(&r);
    assert_int_equal(unit_table_init(&t, have, 2), 0);
    assert_int_equal(unit_table_reserve(&t, 1), 0);
    t.n = 1;
    t.t1_ns = 1000000000;
    t.row[0] = (struct unit_row){.enabled_ns = 10, .running_ns = 10};
    t.value[0] = 400;
    t.value[1] = 100;
    unit_table_sample(&t, 0, &r.sample);
    eval_run(&r.eval, &r.sample, &r.frame);
    assert_true(rig_value(&r, "Top")->v == 0.25);
    assert_true(isnan(rig_value(&r, "Deep")->v));
    assert_int_equal(rig_value(&r, "Deep")->why.code, COUNT_NOT_PLANNED);
    unit_table_destroy(&t);
    rig_free(&r);
}

static void no_slots_and_no_rows(void **state) {
    (void)state;
    struct unit_table t;
    assert_int_equal(unit_table_init(&t, NULL, 0), 0);
    assert_int_equal(unit_table_reserve(&t, 3), 0);
    t.row[2].tid = 5;
    unit_table_destroy(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_keeps_its_rows), cmocka_unit_test(room_is_kept),
        cmocka_unit_test(the_slots_are_a_copy),     cmocka_unit_test(a_row_is_a_sample),
        cmocka_unit_test(a_row_can_be_evaluated),   cmocka_unit_test(no_slots_and_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
