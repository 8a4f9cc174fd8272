#include "model/explain_names.h"

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct explain ex;
static struct model model[2]; /* spr, zen4 */
static const struct explain_models models = {model, COUNT(model)};

static int load(void **state) {
    (void)state;
    struct err err = {0};
    if (explain_load(&ex, &err) == 0 && model_open(&model[0], "spr", NULL, &err) == 0 &&
        model_open(&model[1], "zen4", NULL, &err) == 0)
        return 0;
    print_error("%s\n", err.text);
    return -1;
}

static int unload(void **state) {
    (void)state;
    explain_free(&ex);
    model_free(&model[0]);
    model_free(&model[1]);
    return 0;
}

static void names_are_found(void **state) {
    (void)state;
    static const struct {
        const char *typed, *entry;
    } cases[] = {
        {"L3_Bound", "L3_Bound"},
        {"l3-bound", "L3_Bound"},
        {"Backend_Bound/Memory_Bound/L3_Bound", "L3_Bound"},
        {"Memory_Bound/L3_Bound", "L3_Bound"},
        {"memory_bound.l3_bound", "L3_Bound"},
        {"tma_l3_bound", "L3_Bound"},
        {"Info_Thread_IPC", "IPC"}, /* the vendor's name */
        {"Serializing", "Serializing_Operation"},
        {"DRAM_B", "DRAM_Bound"},
        {"MemoryBW", "MemoryBW"},          /* a group */
        {"Frontend_Bound/L3_Bound", NULL}, /* not there */
        {"Frontend_Bound/Memory_Bound/L3_Bound", NULL},
        {"Port_", NULL},
        {"Nothing_Like_It", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct explain_choices c;
        const struct explain_entry *e = explain_resolve(&ex, &models, cases[i].typed, &c);
        if (!e != !cases[i].entry || (e && strcmp(e->name, cases[i].entry) != 0))
            fail_msg("%s: %s", cases[i].typed, e ? e->name : "nothing");
    }
}

static void several_are_listed(void **state) {
    (void)state;
    struct explain_choices c;
    assert_null(explain_resolve(&ex, &models, "Port_", &c));
    assert_int_equal(c.n, 8);
    assert_int_equal(c.all, 8);
    assert_string_equal(c.at[0]->name, "Port_0");
    assert_null(explain_resolve(&ex, &models, "Info", &c)); /* more than there is room for */
    assert_int_equal(c.n, EXPLAIN_CHOICES_MAX);
    assert_true(c.all > 100);
    assert_null(explain_resolve(&ex, &models, "_stlb_", &c)); /* nothing begins so */
    assert_true(c.n > 3);
    assert_null(explain_resolve(&ex, &models, "zz", &c));
    assert_int_equal(c.all, 0);
}

static void slips_are_guessed(void **state) {
    (void)state;
    static const struct {
        const char *typed, *first; /* NULL: nothing is near */
    } cases[] = {
        {"L3_Bund", "L3_Bound"},   {"Memory_Buond", "Memory_Bound"},
        {"Retireing", "Retiring"}, {"Memory_Bound/DRAM_Bond", "DRAM_Bound"},
        {"xyzzy", NULL},           {"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct explain_choices c;
        explain_nearest(&ex, cases[i].typed, &c);
        const char *first = c.n ? c.at[0]->name : NULL;
        if (!first != !cases[i].first || (first && strcmp(first, cases[i].first) != 0))
            fail_msg("%s: %s", cases[i].typed, first ? first : "nothing");
        assert_true(c.n <= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(several_are_listed),
        cmocka_unit_test(slips_are_guessed),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
