/* Capabilities as terminfo has them, made ready to be sent. */
#include "ui/term/term_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_unpadded(void **state) {
    (void)state;
    static const struct {
        const char *what, *from, *want;
    } cases[] = {
        {"absent", NULL, ""},
        {"empty", "", ""},
        {"no padding", "\033[H\033[2J", "\033[H\033[2J"},
        {"vt100: clear", "\033[H\033[J$<50>", "\033[H\033[J"},
        {"vt100: cup", "\033[%i%p1%d;%p2%dH$<5>", "\033[%i%p1%d;%p2%dH"},
        {"in the middle, proportional and mandatory", "a$<5*/>b$<2>c", "abc"},
        {"a dollar alone", "a$b", "a$b"},
        {"not closed", "a$<5", "a$<5"},
        {"longer than fits", "0123456789012345678901234567890123456789",
         "0123456789012345678901234567890"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[32];
        assert_ptr_equal(bytes_unpadded(out, sizeof(out), cases[i].from), out);
        if (strcmp(out, cases[i].want) != 0)
            fail_msg("%s: \"%s\"", cases[i].what, out);
    }
}

static void test_plain(void **state) {
    (void)state;
    static const struct {
        const char *what, *from, *want;
    } cases[] = {
        {"xterm", "\033(B\033[m", "\033[m"},
        {"screen, linux", "\033[m\017", "\033[m"},
        {"vt100", "\033[m\017", "\033[m"},
        {"nothing to drop", "\033[0m", "\033[0m"},
        {"empty", "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[32];
        assert_ptr_equal(bytes_plain(out, sizeof(out), cases[i].from), out);
        if (strcmp(out, cases[i].want) != 0)
            fail_msg("%s: \"%s\"", cases[i].what, out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unpadded),
                                       cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests_name("term_bytes", tests, NULL, NULL);
}
