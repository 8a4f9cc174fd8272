#include "model/load/name_set.h"

#include "model/load/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void names_and_groups_are_in_it(void **state) {
    (void)state;
    static struct metric metrics[] = {
        {.name = "L3_Bound", .groups = "TmaL3; MemoryLat;BvML"},
        {.name = "IPC", .groups = NULL},
        {.name = "GHz", .groups = ";TmaL3;"},
    };
    static const struct {
        const char *name;
        size_t len; /* 0: all of it */
        bool has;
    } cases[] = {
        {"L3_Bound", 0, true},
        {"l3-bound", 0, true},
        {"L3_Bound and more", 8, true},
        {"L3_Bound", 7, false},
        {"ipc", 0, true},
        {"TmaL3", 0, true},
        {"memorylat", 0, true},
        {" MemoryLat", 0, false},
        {"BvML", 0, true},
        {";", 0, false},
        {"TmaL3; MemoryLat", 0, false},
        {"Nothing", 0, false},
    };
    const struct model m = {.metric = metrics, .n_metric = COUNT(metrics)};
    struct name_set s;
    assert_int_equal(name_set_init(&s, &m), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t len = cases[i].len ? cases[i].len : strlen(cases[i].name);
        if (name_set_has(&s, cases[i].name, len) != cases[i].has)
            fail_msg("%s (%zu)", cases[i].name, len);
    }
    assert_false(name_set_has(&s, "", 0));
    char *long_name = malloc(4096); /* longer than any, and nothing behind it */
    memset(long_name, 'a', 4096);
    assert_false(name_set_has(&s, long_name, 4096));
    free(long_name);
    name_set_destroy(&s);
    name_set_destroy(&s); /* harmless */
}

static void empty_models_have_none(void **state) {
    (void)state;
    const struct model m = {0};
    struct name_set s;
    assert_int_equal(name_set_init(&s, &m), 0);
    assert_false(name_set_has(&s, "IPC", 3));
    name_set_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_groups_are_in_it),
        cmocka_unit_test(empty_models_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
