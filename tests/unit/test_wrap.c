/* Text on lines of a width; and every entry of the knowledge base at widths of terminals. */
#include "cli/out/wrap.h"

#include "base/str.h"
#include "cli/verb/explain_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char *wrapped(int width, int used, const char *text) {
    char *out = NULL;
    size_t len;
    FILE *f = open_memstream(&out, &len);
    assert_non_null(f);
    wrap_put(f, width, used, text);
    fclose(f);
    return out;
}

static void text_is_wrapped(void **state) {
    (void)state;
    static const struct {
        int width, used;
        const char *text, *out;
    } cases[] = {
        {60, 0, "", "\n"},
        {60, 0, "one two", "one two\n"},
        {60, 0, "  one\n two  ", "one two\n"},
        {40, 10, "aaaaaaaaaaaaaaa bbbbbbbbbbbbbb c",
         "aaaaaaaaaaaaaaa bbbbbbbbbbbbbb\n          c\n"},
        {40, 10, "aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaa\n          bbbbbbbbbbbbbbb\n"},
        {40, 10, "µµµµµµµµµµµµµµµ µµµµµµµµµµµµµµ", "µµµµµµµµµµµµµµµ µµµµµµµµµµµµµµ\n"},
        {40, 38, "aaaaaaaaaa bbbbbbbbb", "aaaaaaaaaa bbbbbbbbb\n"}, /* the least */
        {31, 0, "a_word_that_is_longer_than_a_line b", "a_word_that_is_longer_than_a_line\nb\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = wrapped(cases[i].width, cases[i].used, cases[i].text);
        if (strcmp(out, cases[i].out) != 0)
            fail_msg("case %zu: '%s'", i, out);
        free(out);
    }
}

static void rows_of_lists(void **state) {
    (void)state;
    static const struct {
        int width;
        const char *name, *text, *out;
    } cases[] = {
        {60, "name", "one two", "  name         one two\n"},
        {40, "name", "one two three four five six",
         "  name         one two three four five\n               six\n"},
        {30, "name", "one two", "  name\n    one two\n"},
        {60, "a_longer_name", "one two", "  a_longer_name\n    one two\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = NULL;
        size_t len;
        FILE *f = open_memstream(&out, &len);
        assert_non_null(f);
        wrap_row(f, cases[i].width, 2, 12, cases[i].name, cases[i].text);
        fclose(f);
        if (strcmp(out, cases[i].out) != 0)
            fail_msg("case %zu: '%s'", i, out);
        free(out);
    }
}

static void columns_are_known(void **state) {
    (void)state;
    static const struct {
        const char *columns;
        int width, list;
    } cases[] = {{"80", 80, 80},   {"20", 40, 40},    {"300", 120, 120},
                 {"", 100, 10000}, {"x", 100, 10000}, {NULL, 100, 10000}};
    FILE *f = tmpfile(); /* no terminal */
    assert_non_null(f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].columns)
            setenv("COLUMNS", cases[i].columns, 1);
        else
            unsetenv("COLUMNS");
        assert_int_equal(wrap_width(f), cases[i].width);
        assert_int_equal(wrap_list_width(f), cases[i].list);
    }
    fclose(f);
}

/* A line may be longer only if it has one word behind its indentation. */
static bool is_one_word(const char *line) {
    line += strspn(line, " -");
    return !strchr(line, ' ');
}

static void check_width(const struct explain_view *v, const struct explain_entry *e, int width) {
    char *out = NULL;
    size_t len;
    FILE *f = open_memstream(&out, &len);
    assert_non_null(f);
    explain_print(v, e, width, f);
    fclose(f);
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
        if (str_width(line) > width && !is_one_word(line))
            fail_msg("%s at %d columns: %s", e->name, width, line);
    free(out);
}

static void entries_fit_terminals(void **state) {
    (void)state;
    struct explain_view v = {0};
    assert_int_equal(explain_load(&v.ex, NULL), 0);
    for (size_t i = 0; i < v.ex.n; i++)
        for (int width = 40; width <= 120; width += 5)
            check_width(&v, &v.ex.at[i], width);
    explain_free(&v.ex);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_wrapped),
        cmocka_unit_test(rows_of_lists),
        cmocka_unit_test(columns_are_known),
        cmocka_unit_test(entries_fit_terminals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
