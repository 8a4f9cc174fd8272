#include "cli/out/csv.h"
#include "cli/out/table.h"

#include <locale.h>
#include <math.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static const struct table_column columns[] = {
    {"name", false, 6}, {"value", true, 0}, {"empty", false, 0}, {"note", false, 4}};

static void fill(struct table *t, const char *const rows[][4], int n) {
    table_init(t, columns, 4);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < 4; c++)
            table_add(t, rows[r][c]);
}

static char *print(struct table *t) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_non_null(f);
    assert_int_equal(table_print(t, f), 0);
    fclose(f);
    table_free(t);
    return text;
}

/* Columns without any text are left out; wide signs take two columns; no line ends in spaces. */
static void test_aligned(void **state) {
    (void)state;
    static const char *const rows[][4] = {
        {"Backend", "9.5 %", "", "x"}, {"漢字", "10.0 %", "", ""}, {"é", "", "", "last"}};
    struct table t;
    fill(&t, rows, 3);
    char *text = print(&t);
    assert_string_equal(text, "name      value  note\n"
                              "Backend   9.5 %  x\n"
                              "漢字     10.0 %\n"
                              "é                last\n");
    free(text);
}

static void test_unsafe(void **state) {
    (void)state;
    static const char *const rows[][4] = {{"a\033[31mb\nc", "1", "", "\xff\xfe"}};
    struct table t;
    fill(&t, rows, 1);
    char *text = print(&t);
    assert_string_equal(text, "name        value  note\na?[31mb\\nc      1  ??\n");
    free(text);
}

static void test_heading(void **state) {
    (void)state;
    static const char *const rows[][4] = {{"a", "1", "", ""}};
    struct table t;
    fill(&t, rows, 1);
    table_heading(&t, "a heading that is wider than all columns");
    for (int c = 0; c < 4; c++)
        table_addf(&t, "%s", rows[0][c]);
    assert_int_equal(table_rows(&t), 3);
    char *text = print(&t);
    assert_string_equal(text, "name  value\na         1\n"
                              "a heading that is wider than all columns\na         1\n");
    free(text);
}

/* On a terminal of so many columns: nothing is wider, and numbers are whole. */
static void check_width(int width) {
    static const char *const rows[][4] = {
        {"a name that is quite long", "123456", "", "a note that is even longer than the name"},
        {"漢字漢字漢字漢字漢字", "7", "", "漢字漢字漢字漢字漢字漢字漢字漢字漢字"}};
    int master, slave;
    struct winsize ws = {.ws_row = 24, .ws_col = (unsigned short)width};
    char got[4096] = "";
    assert_int_equal(openpty(&master, &slave, NULL, NULL, &ws), 0);
    FILE *f = fdopen(slave, "w");
    struct table t;
    fill(&t, rows, 2);
    assert_int_equal(table_print(&t, f), 0);
    table_free(&t);
    fflush(f);
    fclose(f);
    size_t n = 0; /* it comes in pieces, until the other end is closed */
    for (ssize_t k; n < sizeof(got) - 1 && (k = read(master, got + n, sizeof(got) - 1 - n)) > 0;)
        n += (size_t)k;
    assert_true(n > 0);
    close(master);
    int column = 0;
    for (const char *at = got; *at; at++) {
        if (*at == '\r' || *at == '\n')
            column = 0;
        else if (((unsigned char)*at & 0xc0) != 0x80) /* a first byte: CJK has two columns */
            column += (unsigned char)*at >= 0xe3 ? 2 : 1;
        if (column > width)
            fail_msg("width %d: a line is wider:\n%s", width, got);
    }
    if (width >= 40 && !strstr(got, "123456"))
        fail_msg("width %d: a number was cut:\n%s", width, got);
}

static void test_cut(void **state) {
    (void)state;
    for (int width = 1; width <= 120; width++)
        check_width(width);
}

static void test_csv(void **state) {
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    struct csv c;
    csv_init(&c, out, ",");
    csv_head(&c, "a,b");
    csv_text(&c, "plain");
    csv_text(&c, "with, comma");
    csv_text(&c, "with \"quotes\"");
    csv_text(&c, "two\nlines");
    csv_text(&c, " space");
    csv_text(&c, "");
    csv_number(&c, 0.1);
    csv_number(&c, NAN);
    csv_integer(&c, -3);
    csv_bool(&c, true);
    csv_bool(&c, false);
    csv_time(&c, 0);
    csv_end(&c);
    csv_init(&c, out, "; ");
    csv_text(&c, "a, b");
    csv_text(&c, "a; b");
    csv_text(&c, "a;");
    csv_end(&c);
    fclose(c.out);
    assert_string_equal(
        text,
        "a,b\nplain,\"with, comma\",\"with \"\"quotes\"\"\",\"two\nlines\","
        "\" space\",,0.1,,-3,true,false,1970-01-01T00:00:00.000+00:00\na, b; \"a; b\"; \"a;\"\n");
    free(text);
}

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aligned), cmocka_unit_test(test_unsafe),
        cmocka_unit_test(test_heading), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
