#include "model/knowledge/explain_names.h"

#include "model/load/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct explain ex;
static struct model model[2]; /* spr, zen4 */
static const struct explain_models models = {model, COUNT(model), NULL};

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
        {"tma_info_thread_ipc", "IPC"},
        {"tma_info_memory_l2mpki", "Info_Memory_L2MPKI"},
        {"tma_l3_bound_group", "L3_Bound"},
        {"TMA_L3_BOUND", "L3_Bound"},
        {"TopdownL1", "TmaL1"},
        {"tma_L2_group", "TmaL2"},
        {"TopdownL", NULL},
        {"insn_per_cycle", "IPC"},
        {"Retiring/Light", "Light_Operations"},
        {"Bac/Mem/L3", "L3_Bound"},
        {"Bac/L3", NULL},
        {"Backend_Bound/", "Backend_Bound"},
        {"Ret/", "Retiring"},
        {"/", NULL},
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
    assert_string_equal(c.at[0]->name, "Port_0");
    assert_null(explain_resolve(&ex, &models, "Info", &c));
    assert_true(c.n > 100);
    assert_null(explain_resolve(&ex, &models, "_stlb_", &c)); /* nothing begins so */
    assert_true(c.n > 3);
    assert_null(explain_resolve(&ex, &models, "zz", &c));
    assert_int_equal(c.n, 0);
}

static bool is_choice(const struct explain_choices *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->at[i]->name, name) == 0)
            return true;
    return false;
}

/* Names of the model that is looked at come first, and none is taken silently from another. */
static void the_model_comes_first(void **state) {
    (void)state;
    const struct explain_models spr = {model, COUNT(model), &model[0]},
                                zen4 = {model, COUNT(model), &model[1]};
    struct explain_choices c;
    assert_non_null(explain_find(&ex, "TLB"));
    assert_null(explain_resolve(&ex, &spr, "TLB", &c)); /* AMD's group is "tlb" */
    assert_true(is_choice(&c, "DTLB_Load"));
    assert_string_equal(c.at[c.n - 1]->name, "tlb");
    assert_string_equal(explain_resolve(&ex, &spr, "tlb", &c)->name, "tlb");
    assert_string_equal(explain_resolve(&ex, &zen4, "L3_Bound", &c)->name, "L3_Bound");
    assert_string_equal(explain_resolve(&ex, &zen4, "l3_bound", &c)->name, "L3_Bound");
    const struct explain_entry *e = explain_resolve(&ex, &spr, "Mispredict", &c);
    assert_string_equal(e->name, "Mispredicts_Resteers");
    assert_true(is_choice(&c, "Branch_Mispredicts")); /* has it, too */
    assert_false(is_choice(&c, "Mispredicts_Resteers"));
    e = explain_resolve(&ex, &zen4, "Mispredict", &c);
    assert_true(e ? strcmp(e->name, "Mispredicts_Resteers") != 0
                  : is_choice(&c, "Branch_Mispredicts"));
    assert_string_equal(explain_resolve(&ex, &spr, "L3_Bound", &c)->name, "L3_Bound");
    assert_int_equal(c.n, 0);
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
        cmocka_unit_test(the_model_comes_first),
        cmocka_unit_test(slips_are_guessed),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
