/* `:sql` on the screen: rows of what was measured, what is wrong in a statement, rows without an
 * end. */
#include "ui/popup/popup_sql.h"

#include "alone.h"

#include <glob.h>

static void open_it(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 60);
    f->s.opened = true;
}

static void close_it(struct fixture *f) {
    f->s.opened = false;
    fixture_close(f);
}

static size_t left_behind(void) {
    glob_t g;
    const int rc = glob("/dev/shm/tdtop-sql-*", 0, NULL, &g);
    const size_t n = rc == 0 ? g.gl_pathc : 0;
    globfree(&g);
    return n;
}

/* The values are those of the frame's window; numbers end, and words begin, in one column. */
static void rows_of_what_was_measured(void **state) {
    (void)state;
    struct fixture f;
    const size_t before = left_behind();
    open_it(&f, 120, 40);
    sql_show(&f.sc, "SELECT count(*) AS intervals, max(t1_ns) / 1000000000 AS seconds,"
                    " 'word' AS process FROM run_intervals WHERE slot = 0");
    assert_ptr_equal(f.sc.popup, &popup_sql);
    assert_true(alone_shows(&f, &popup_sql, "intervals  seconds  process"));
    assert_true(alone_shows(&f, &popup_sql, "       60       60  word"));
    assert_true(alone_shows(&f, &popup_sql, "1 row"));
    assert_int_equal(left_behind(), before);
    sql_show(&f.sc, "SELECT metric FROM run_values WHERE level = 1 ORDER BY metric");
    assert_true(alone_shows(&f, &popup_sql, "Backend_Bound"));
    assert_false(alone_shows(&f, &popup_sql, "intervals"));
    close_it(&f);
}

/* What was there stays to be seen. */
static void what_is_wrong(void **state) {
    (void)state;
    static const char *const wrong[][2] = {{"SELECT nope FROM runs", "nope"},
                                           {"DELETE FROM runs", "only SELECT"},
                                           {"SELECT 1; SELECT 2", "one statement"},
                                           {"SELECT", "incomplete"}};
    struct fixture f;
    open_it(&f, 120, 40);
    sql_show(&f.sc, "SELECT 4711");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        sql_show(&f.sc, wrong[i][0]);
        assert_true(fixture_shows(&f, wrong[i][1]));
        assert_true(alone_shows(&f, &popup_sql, "4711"));
    }
    sql_show(&f.sc, "");
    assert_true(alone_shows(&f, &popup_sql, "4711"));
    close_it(&f);
}

static void rows_without_an_end(void **state) {
    (void)state;
    struct fixture f;
    open_it(&f, 80, 24);
    sql_show(&f.sc, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i,"
                    " char(27) || '[31mred' AS a, zeroblob(9) AS b, NULL FROM n");
    screen_draw(&f.sc);
    assert_true(alone_shows(&f, &popup_sql, "?[31mred  (9 bytes)"));
    for (int i = 0; i < 2; i++) { /* the end is known when it was drawn */
        fixture_keys(&f, "G");
        screen_draw(&f.sc);
    }
    assert_true(fixture_shows(&f, "1000 rows, and more: add LIMIT, or a condition"));
    for (int w = 20; w < 200; w += 23) {
        assert_int_equal(screen_resize(&f.sc, w, 12), 0);
        screen_draw(&f.sc);
    }
    close_it(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_what_was_measured),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(rows_without_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
