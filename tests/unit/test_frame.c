#include "model/load/frame.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void starts_unknown(void **state) {
    (void)state;
    struct frame f;
    assert_int_equal(frame_init(&f, 3), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(f.at[i].v));
        assert_true(isnan(f.at[i].err));
        assert_int_equal(f.at[i].state, VALUE_NA);
    }
    assert_true(isnan(f.root_sum));
    assert_true(isnan((double)f.duty));
    assert_int_equal(f.bottleneck.n, 0);
    frame_destroy(&f);
}

static void copies_deep(void **state) {
    (void)state;
    struct frame a, b;
    assert_int_equal(frame_init(&a, 2), 0);
    assert_int_equal(frame_init(&b, 2), 0);
    a.seq = 4;
    a.at[1] = (struct value){.v = 0.5, .state = VALUE_SCALED, .over = true};
    a.bottleneck.n = 1;
    const struct value *own = b.at;
    frame_copy(&b, &a);
    a.at[1].v = 0.7;
    assert_ptr_equal(b.at, own);
    assert_int_equal(b.seq, 4);
    assert_true(b.at[1].v == 0.5 && b.at[1].over);
    assert_int_equal(b.bottleneck.n, 1);
    frame_destroy(&a);
    frame_destroy(&b);
}

static void names(void **state) {
    (void)state;
    static const struct {
        enum value_state state;
        const char *name;
    } cases[] = {
        {VALUE_EXACT, "exact"}, {VALUE_SCALED, "scaled"}, {VALUE_ODD, "odd"},
        {VALUE_STALE, "stale"}, {VALUE_NA, "n/a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(value_state_name(cases[i].state), cases[i].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_unknown),
        cmocka_unit_test(copies_deep),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
