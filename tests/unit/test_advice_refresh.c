/* A text whose words stay, with the numbers of now. */
#include "model/knowledge/advice_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void add(struct draft *d, int keep, unsigned flags, const char *text) {
    draft_add(d, keep, flags, "%s", text);
}

static void test_refresh(void **state) {
    (void)state;
    static const struct {
        const char *what, *was[4], *now[4], *want; /* want NULL: it cannot be said any more */
    } cases[] = {
        {"numbers follow",
         {"by L3", ": L3_Bound 12.8 %", " ± 0.9"},
         {"by L3", ": L3_Bound 9.1 %", " ± 1.2"},
         "By L3: L3_Bound 9.1 % ± 1.2"},
        {"new words wait",
         {": L3_Bound 12 %"},
         {"head", ": L3_Bound 9 %", ", up 3"},
         "L3_Bound 9 %"},
        {"a number that is gone goes",
         {": A 12 %", ", up 3.0 points", "; see it"},
         {": A 13 %", ", no clear change"},
         "A 13 %; see it"},
        {"a digit in a name is a word", {": L3_Bound 12 %"}, {": L2_Bound 9 %"}, NULL},
        {"another unit", {": A 12 %"}, {": A 12.0 k"}, NULL},
        {"a text without numbers stays",
         {"nothing is known"},
         {"nothing is known"},
         "Nothing is known"},
    };
    static const int keep[] = {KEEP_HEAD, KEEP_VALUE, KEEP_CHANGE, KEEP_ERR};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct advice_text was = {.node = 1}, now = {.node = 1};
        struct advice_text *each[] = {&was, &now};
        for (int k = 0; k < 2; k++) {
            struct draft d;
            draft_init(&d, 0);
            for (int c = 0; c < 4; c++) {
                const char *text = (k ? cases[i].now : cases[i].was)[c];
                if (!text)
                    break;
                const int at = strchr(text, ':')                        ? 1
                               : strchr(text, ',')                      ? 2
                               : strchr(text, ';') || strstr(text, "±") ? 3
                                                                        : 0;
                add(&d, keep[at], at == 1 ? CLAUSE_NAME : 0, text);
            }
            each[k]->n_seen_ =
                draft_settle(&d, each[k]->seen, sizeof(each[k]->seen), each[k]->seen_);
        }
        char before[200];
        str_copy(before, sizeof(before), was.seen);
        const bool can = advice_refresh(&was, &now);
        if (can != (cases[i].want != NULL) || strcmp(was.seen, can ? cases[i].want : before) != 0)
            fail_msg("%s: %d, \"%s\"", cases[i].what, can, was.seen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refresh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
