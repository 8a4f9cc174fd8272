/* The list of stored runs: pages, order, groups, filters, what is selected; edits; trends. */
#include "store_box.h"
#include "ui/runs/runs_columns.h"
#include "ui/runs/runs_edit.h"
#include "ui/runs/runs_trend.h"

#include "base/str.h"

#include <signal.h>
#include <sys/resource.h>

/* The first two digits of all lines; a heading is [value:n]. */
static const char *lines(struct runs *r) {
    static char text[2048];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    runs_fetch(r, 0, r->rows.n);
    for (int i = 0; i < r->rows.n; i++) {
        const struct runs_group *g = runs_heading(r, i);
        const struct run_row *row = runs_row(r, i);
        strbuf_add(&sb, "%s", i ? " " : "");
        if (g)
            strbuf_add(&sb, "[%s:%d]", g->value ? g->value : "-", (int)g->n);
        else
            strbuf_add(&sb, "%.2s", row ? row->id : "??");
    }
    return text;
}

static void shows(struct runs *r, const char *what, const char *want) {
    const char *got = lines(r);
    if (strcmp(got, want) != 0)
        fail_msg("%s: '%s', wanted '%s' (%s)", what, got, want, r->err.text);
}

static void open_runs(struct box *b, struct runs *r) {
    assert_int_equal(runs_init(r, b->path), 0);
    runs_reload(r);
    if (r->state != RUNS_READY)
        fail_msg("%s", r->err.text);
}

static void test_order(void **state) {
    static const struct {
        const char *what, *want;
        int sort;
    } cases[] = {
        {"newest first", "c3 c4 b2 a1", 0},
        {"processes by name", "b2 a1 c4 c3", 1},
        {"longest first", "c4 a1 c3 b2", 2},
    };
    struct box *b = *state;
    struct runs r;
    four_runs(b);
    open_runs(b, &r);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        runs_sort_by(&r, cases[i].sort);
        shows(&r, cases[i].what, cases[i].want);
    }
    runs_sort_by(&r, 0);
    runs_invert(&r);
    shows(&r, "oldest first", "a1 b2 c4 c3");
    runs_sort_by(&r, RUNS_SORT_METRIC);
    assert_int_equal(r.sort, RUNS_SORT_METRIC);
    assert_false(r.inverted);
    runs_destroy(&r);
}

/* Sorted by one metric, another is shown beside: both are as the runs have them. */
static void test_metric(void **state) {
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    four_runs(b);
    open_runs(b, &r);
    assert_int_equal(runs_show_metric(&r, "Nothing_Bound", &err), -ENOENT);
    assert_non_null(strstr(err.text, "Nothing_Bound"));
    assert_string_equal(r.metric, "IPC"); /* as before */
    assert_int_equal(runs_show_metric(&r, "Node_7", &err), 0);
    assert_true(r.share);
    runs_sort_by(&r, RUNS_SORT_TOP + 2);
    runs_fetch(&r, 0, 4);
    for (uint64_t i = 0; i < 4; i++) {
        struct run run;
        const struct run_row *row = runs_row(&r, i);
        ok(b, store_load(&b->st, row->id, RUN_HEAD, &run, &b->err));
        assert_true(row->value == run.node.at[7].value.v);
        assert_true(row->top[2] == run.node.at[2].value.v);
        assert_true(i == 0 || row->top[2] <= runs_row(&r, i - 1)->top[2]);
        run_free(&run);
    }
    runs_destroy(&r);
}

static void test_filter(void **state) {
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"branch=main", "c3 a1"},
        {"branch!=main", "c4 b2"},
        {"io~4 branch=main", "c3"},
        {"!branch", "c4"},
        {"  y  ", "c3"},
        {"y~QUICK", "c3"},
        {"x=\"50% of_it\\\\\"", "a1"},
        {"branch=none", ""},
        {"", "c3 c4 b2 a1"},
    };
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    four_runs(b);
    open_runs(b, &r);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (runs_filter(&r, cases[i].text, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        shows(&r, cases[i].text, cases[i].want);
    }
    runs_filter(&r, "branch=main", &err);
    assert_int_equal(runs_filter(&r, "io=1 =2", &err), -EINVAL);
    assert_true(err.text[0]);
    shows(&r, "a wrong filter changes nothing", "c3 a1");
    assert_int_equal(runs_filter(&r, "a a a a a a a a a a a a a a a a a", &err), -EINVAL);
    runs_search(&r, "NGINX");
    shows(&r, "filter and text", "");
    runs_filter(&r, "", &err);
    shows(&r, "text", "b2");
    runs_destroy(&r);
}

static void test_groups(void **state) {
    struct box *b = *state;
    struct runs r;
    four_runs(b);
    static const char *ten[][2] = {{"io", "10"}, {0}};
    save(b, 50, "d5", "redis", ten, 5);
    open_runs(b, &r);
    runs_group_by(&r, "io");
    shows(&r, "closed, by size", "[1:1] [4:2] [10:1] [-:1]");
    assert_int_equal(r.total, 5);
    runs_fold(&r, 1, 0);
    shows(&r, "one is open", "[1:1] [4:2] c3 b2 [10:1] [-:1]");
    runs_fold(&r, 5, 1);
    shows(&r, "without the label", "[1:1] [4:2] c3 b2 [10:1] [-:1] c4");
    assert_null(runs_row(&r, 1));
    assert_null(runs_heading(&r, 2));
    assert_ptr_equal(runs_group_of(&r, 3), runs_heading(&r, 1));
    runs_sort_by(&r, 2);
    shows(&r, "open ones stay open, rows are sorted", "[1:1] [4:2] c3 b2 [10:1] [-:1] c4");
    list_select(&r.rows, 3);
    runs_fold(&r, r.rows.at, -1);
    shows(&r, "closed from within", "[1:1] [4:2] [10:1] [-:1] c4");
    assert_int_equal(r.rows.at, 1);
    runs_fold_all(&r);
    shows(&r, "all open", "[1:1] a1 [4:2] c3 b2 [10:1] d5 [-:1] c4");
    runs_fold_all(&r);
    shows(&r, "all closed", "[1:1] [4:2] [10:1] [-:1]");
    struct err err = {0};
    runs_filter(&r, "branch=main", &err);
    shows(&r, "of a filter", "[1:1] [4:1]");
    runs_filter(&r, "", &err);
    runs_group_by(&r, "nothing");
    shows(&r, "no run has it", "[-:5]");
    runs_group_by(&r, "");
    shows(&r, "no groups, still the longest first", "c4 a1 c3 b2 d5");
    runs_destroy(&r);
}

/* Only what is looked at is read; a run that was deleted is in no group. */
static void test_pages(void **state) {
    struct box *b = *state;
    struct runs r;
    char id[8];
    for (int i = 0; i < 300; i++) {
        const char *labels[][2] = {{"half", i < 150 ? "a" : "b"}, {0}};
        snprintf(id, sizeof(id), "%04x", i);
        save(b, (uint64_t)i, id, "redis", labels, 1);
    }
    open_runs(b, &r);
    assert_int_equal(r.total, 300);
    assert_int_equal(r.queries, 2);
    runs_fetch(&r, 0, 60);
    assert_int_equal(r.queries, 2);
    assert_null(runs_row(&r, 299));
    list_end(&r.rows, true);
    assert_int_equal(r.queries, 3);
    assert_string_equal(runs_row(&r, 299)->id, "0000000000000000");
    list_fit(&r.rows, 20);
    assert_int_equal(r.rows.top, 280);
    list_move(&r.rows, -5);
    list_fit(&r.rows, 20);
    assert_int_equal(r.rows.top, 280);
    assert_int_equal(r.queries, 3);
    for (uint64_t i = 0; i < 300; i++) {
        runs_fetch(&r, i, 1);
        snprintf(id, sizeof(id), "%04x", 299 - (int)i);
        assert_memory_equal(runs_row(&r, i)->id, id, 4);
    }
    assert_int_equal(r.queries, 4);
    ok(b, store_delete(&b->st, "0000000000000000", &b->err));
    runs_group_by(&r, "half");
    shows(&r, "without what was deleted", "[a:149] [b:150]");
    runs_destroy(&r);
}

static void test_selection(void **state) {
    struct box *b = *state;
    struct runs r;
    four_runs(b);
    open_runs(b, &r);
    assert_false(runs_look(&r)); /* nothing has changed */
    save(b, 60, "e1", "redis", NULL, 3);
    assert_true(runs_look(&r));
    assert_int_equal(r.rows.at, 0); /* nothing was chosen: the newest */
    list_select(&r.rows, 2);
    assert_memory_equal(runs_row(&r, r.rows.at)->id, "c4", 2);
    save(b, 61, "e2", "redis", NULL, 3);
    assert_true(runs_look(&r));
    assert_int_equal(r.rows.at, 3);
    assert_memory_equal(runs_row(&r, r.rows.at)->id, "c4", 2);
    assert_false(runs_look(&r));
    runs_destroy(&r);
}

static void at(struct runs *r, const char *what, const char *id, int line) {
    const struct run_row *row = runs_row(r, r->rows.at);
    if (r->rows.at != line || (row && strncmp(row->id, id, 2) != 0) || !row != !id[0])
        fail_msg("%s: line %d, %.2s; wanted %d, %s", what, (int)r->rows.at, row ? row->id : "none",
                 line, id);
}

/* The run that was chosen stays selected wherever it goes, and when it comes back. */
static void test_follow(void **state) {
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    four_runs(b);
    open_runs(b, &r); /* c3 c4 b2 a1 */
    list_select(&r.rows, 2);
    at(&r, "chosen", "b2", 2);
    runs_sort_by(&r, 1);
    at(&r, "by process", "b2", 0);
    runs_invert(&r);
    at(&r, "backwards", "b2", 3);
    runs_sort_by(&r, RUNS_SORT_METRIC);
    assert_memory_equal(runs_row(&r, r.rows.at)->id, "b2", 2);
    runs_sort_by(&r, 0);
    at(&r, "as before", "b2", 2);
    runs_filter(&r, "io=4", &err);
    at(&r, "of a filter that has it", "b2", 1);
    runs_filter(&r, "branch=main", &err);
    at(&r, "of one that has not: the first", "c3", 0);
    save(b, 70, "f1", "redis", labels_a, 3);
    assert_true(runs_look(&r));
    at(&r, "what stands in is followed, too", "c3", 1);
    runs_filter(&r, "", &err);
    at(&r, "all again: back at what was chosen", "b2", 3);
    runs_group_by(&r, "io");
    at(&r, "its group is closed: the heading", "", 1);
    assert_string_equal(runs_heading(&r, 1)->value, "4");
    runs_group_by(&r, "");
    at(&r, "ungrouped", "b2", 3);
    runs_filter(&r, "io=4", &err);
    list_move(&r.rows, -1);
    runs_filter(&r, "", &err);
    at(&r, "a new choice", "c3", 1);
    list_end(&r.rows, false);
    save(b, 80, "f2", "redis", NULL, 3);
    assert_true(runs_look(&r));
    at(&r, "no choice: the newest", "f2", 0);
    runs_destroy(&r);
}

/* The next line takes the place of what was removed; at the end the one before. */
static void test_step_off(void **state) {
    struct box *b = *state;
    struct runs r;
    four_runs(b);
    open_runs(b, &r);
    list_select(&r.rows, 1);
    runs_step_off(&r);
    ok(b, store_delete(&b->st, "c4cccccccccccccc", &b->err));
    runs_reload(&r);
    at(&r, "the next", "b2", 1);
    list_select(&r.rows, 2);
    runs_step_off(&r);
    ok(b, store_delete(&b->st, "a1aaaaaaaaaaaaaa", &b->err));
    runs_reload(&r);
    at(&r, "the one before", "b2", 1);
    ok(b, store_delete(&b->st, "b2bbbbbbbbbbbbbb", &b->err));
    runs_reload(&r); /* by another process */
    at(&r, "what is left", "c3", 0);
    ok(b, store_undelete(&b->st, "b2bbbbbbbbbbbbbb", &b->err));
    runs_reload(&r);
    at(&r, "it is back", "b2", 1);
    runs_destroy(&r);
}

/* runs_find knows the line of every run, in every order. */
static void test_find(void **state) {
    static const char *const filters[] = {"", "branch", "branch!=main", "is:removed"};
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    four_runs(b);
    save(b, 55, "d6", "redis", labels_b, 20); /* as long as c3 */
    save(b, 56, "d7", "nginx", labels_c, 20);
    ok(b, store_delete(&b->st, "d7dddddddddddddd", &b->err));
    ok(b, store_delete(&b->st, "a1aaaaaaaaaaaaaa", &b->err));
    open_runs(b, &r);
    for (size_t f = 0; f < COUNT_OF(filters); f++)
        for (int sort = 0; sort < 2 * RUNS_SORTS; sort++) {
            uint64_t line = 99;
            assert_int_equal(runs_filter(&r, filters[f], &err), 0);
            runs_sort_by(&r, sort / 2);
            if (sort % 2)
                runs_invert(&r);
            assert_true(r.rows.n >= 2);
            for (int i = 0; i < r.rows.n; i++)
                if (!runs_find(&r, runs_row(&r, i)->id, &line) || line != (uint64_t)i)
                    fail_msg("'%s', order %d: %.2s is on %d, not on %d", filters[f], sort,
                             runs_row(&r, i)->id, (int)i, (int)line);
            assert_false(runs_find(&r, "eeee", &line));
        }
    assert_int_equal(r.rows.n, 2);
    assert_true(runs_row(&r, 0)->removed_ns > 0);
    runs_destroy(&r);
}

/* Whatever is selected stays so among removed runs that are grouped, too. */
static void test_find_removed(void **state) {
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    uint64_t line = 99;
    four_runs(b);
    ok(b, store_delete(&b->st, "a1aaaaaaaaaaaaaa", &b->err));
    ok(b, store_delete(&b->st, "b2bbbbbbbbbbbbbb", &b->err));
    ok(b, store_delete(&b->st, "c4cccccccccccccc", &b->err));
    open_runs(b, &r);
    assert_int_equal(runs_filter(&r, "is:removed", &err), 0);
    runs_group_by(&r, "branch");
    assert_int_equal(r.n_group, 3); /* fix, main, none */
    runs_fold_all(&r);
    for (uint64_t i = 1; i < 6; i += 2) {
        runs_fetch(&r, i, 1);
        if (!runs_find(&r, runs_row(&r, i)->id, &line) || line != i)
            fail_msg("%.2s is on %d, not on %d", runs_row(&r, i)->id, (int)i, (int)line);
    }
    assert_false(runs_find(&r, "c3cccccccccccccc", &line)); /* it is not removed */
    list_select(&r.rows, 3);
    ok(b, store_delete(&b->st, "c3cccccccccccccc", &b->err)); /* comes before it */
    runs_reload(&r);
    runs_fetch(&r, r.rows.at, 1);
    assert_string_equal(runs_row(&r, r.rows.at)->id, "a1aaaaaaaaaaaaaa");
    assert_int_equal(r.rows.at, 4);
    runs_destroy(&r);
}

static void marked(struct runs *r, const char *what, const char *a, const char *b) {
    const char *const want[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (strncmp(r->mark[i].id, want[i], 2) != 0 || (!want[i][0] && r->mark[i].id[0]))
            fail_msg("%s: '%s' '%s'", what, r->mark[0].id, r->mark[1].id);
}

static void test_marks(void **state) {
    static const struct {
        uint64_t line;
        const char *a, *b;
    } steps[] = {
        {0, "c3", ""}, {1, "c4", "c3"}, {2, "b2", "c4"}, {2, "c4", ""}, /* the older is A */
        {1, "", ""},   {0, "c3", ""},   {1, "c4", "c3"}, {0, "c4", ""},
    };
    struct box *b = *state;
    struct runs r;
    char what[16];
    four_runs(b);
    open_runs(b, &r);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        runs_mark(&r, steps[i].line);
        snprintf(what, sizeof(what), "step %zu", i);
        marked(&r, what, steps[i].a, steps[i].b);
    }
    assert_int_equal(runs_marked(&r, 1), 0);
    runs_unmark(&r);
    runs_mark(&r, 0);
    runs_mark(&r, 1); /* changes places */
    runs_unmark(&r);
    runs_mark(&r, 1);
    runs_mark(&r, 0); /* does not */
    runs_mark(&r, 2); /* so the older one was first, and goes */
    marked(&r, "a new pair", "b2", "c3");
    runs_unmark(&r);
    runs_mark(&r, 1);
    runs_group_by(&r, "io");
    runs_mark(&r, 1);
    assert_int_equal(runs_marked(&r, 1), 1);
    assert_string_equal(r.mark[1].value, "4");
    runs_mark(&r, 2); /* without the label */
    assert_null(r.mark[1].value);
    assert_int_equal(runs_marked(&r, 2), 1);
    assert_int_equal(runs_marked(&r, 1), 0);
    runs_group_by(&r, "branch"); /* other groups */
    assert_false(runs_mark_is_set(&r.mark[0]) || runs_mark_is_set(&r.mark[1]));
    runs_destroy(&r);
}

/* No store, then one; a file that is none. */
static void test_trouble(void **state) {
    struct box *b = *state;
    struct runs r;
    char path[128];
    snprintf(path, sizeof(path), "%s/elsewhere.db", b->folder);
    runs_init(&r, path);
    runs_reload(&r);
    assert_int_equal(r.state, RUNS_NONE);
    assert_int_equal(r.rows.n, 0);
    assert_null(runs_row(&r, 0));
    list_move(&r.rows, 3);
    runs_fold(&r, 0, 1);
    assert_false(runs_look(&r));
    FILE *f = fopen(path, "w");
    fputs("this is a letter, not a database; it is long enough to be looked at, though", f);
    fclose(f);
    assert_true(runs_look(&r));
    assert_int_equal(r.state, RUNS_FAILED);
    assert_non_null(strstr(r.err.text, "elsewhere.db"));
    unlink(path);
    assert_true(runs_look(&r));
    assert_int_equal(r.state, RUNS_NONE);
    struct store st;
    struct run run;
    ok(b, store_open(&st, path, STORE_WRITE, &b->err));
    fix_run(&run, 1, 2, 4);
    ok(b, store_save(&st, &run, &b->err));
    assert_true(runs_look(&r));
    assert_int_equal(r.state, RUNS_READY);
    assert_int_equal(r.total, 1);
    run_free(&run);
    store_close(&st);
    runs_destroy(&r);
}

static void test_edits(void **state) {
    struct box *b = *state;
    struct runs r;
    struct runs_undo undo = {.last = 0};
    char text[256], id[RUN_ID_LEN + 1];
    four_runs(b);
    open_runs(b, &r);
    runs_fetch(&r, 3, 1);
    str_copy(id, sizeof(id), runs_row(&r, 3)->id); /* a1 */
    assert_true(runs_edit_text(runs_row(&r, 3), text, sizeof(text)));
    assert_string_equal(text, "branch=main io=1 seed=10 test=fixture x=\"50% of_it\\\\\"");
    assert_false(runs_edit_text(runs_row(&r, 3), text, 20));
    ok(b, runs_edit_labels(b->path, id, "branch=main new='a b' io=2", &b->err));
    runs_reload(&r);
    runs_fetch(&r, 3, 1);
    runs_edit_text(runs_row(&r, 3), text, sizeof(text));
    assert_string_equal(text, "branch=main io=2 new=\"a b\"");
    assert_int_equal(runs_row(&r, 3)->n_label, 4); /* arch was found by tdtop: it stays */
    refused(b, runs_edit_labels(b->path, id, "branch", &b->err), -EINVAL, "branch");
    ok(b, runs_edit_note(b->path, id, "better", &b->err));
    runs_reload(&r);
    runs_fetch(&r, 3, 1);
    assert_string_equal(runs_row(&r, 3)->note, "better");
    refused(b, runs_edit_labels(b->path, id, "a=\x1b[31m", &b->err), -EINVAL, "control");
    refused(b, runs_edit_note(b->path, id, "\x07", &b->err), -EINVAL, "control");
    ok(b, runs_edit_note(b->path, id, "", &b->err));
    runs_reload(&r);
    runs_fetch(&r, 3, 1);
    assert_string_equal(runs_row(&r, 3)->note, "");
    runs_destroy(&r);
    runs_undo_free(&undo);
}

/* All of them or none: what could not be done leaves nothing half done, and nothing to undo. */
static void test_all_or_none(void **state) {
    struct box *b = *state;
    struct runs r;
    struct runs_undo undo = {.last = 0};
    char id[2][RUN_ID_LEN + 1] = {"a1aaaaaaaaaaaaaa", "eeeeeeeeeeeeeeee"};
    char both[2][RUN_ID_LEN + 1] = {"a1aaaaaaaaaaaaaa", "b2bbbbbbbbbbbbbb"};
    char back[RUN_ID_LEN + 1], none[128];
    four_runs(b);
    open_runs(b, &r);
    refused(b, runs_edit_remove(b->path, id, 2, &undo, &b->err), -ENOENT, "eeeeeeeeeeeeeeee");
    assert_int_equal(undo.run.n, 0);
    runs_reload(&r);
    shows(&r, "all are there", "c3 c4 b2 a1");
    ok(b, runs_edit_remove(b->path, both, 2, &undo, &b->err));
    snprintf(none, sizeof(none), "%s/none/runs.db", b->folder); /* gone for now */
    refused(b, runs_edit_undo(none, &undo, back, &b->err), -ENOENT, "none/runs.db");
    assert_int_not_equal(access(none, F_OK), 0); /* no file is made where nothing can be changed */
    assert_int_equal(undo.run.n, 2);
    assert_int_equal(runs_edit_undo(b->path, &undo, back, &b->err), 2);
    assert_string_equal(back, both[0]);
    runs_destroy(&r);
    runs_undo_free(&undo);
}

/* Of several changes of labels one that cannot be written leaves the others undone. */
static void test_labels_at_once(void **state) {
    struct box *b = *state;
    struct runs r;
    struct rlimit whole, small;
    char text[256];
    four_runs(b);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    small = (struct rlimit){.rlim_cur = 512, .rlim_max = whole.rlim_max};
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int rc = runs_edit_labels(b->path, "a1aaaaaaaaaaaaaa", "aa=1 zz=2", &b->err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
    signal(SIGXFSZ, before);
    assert_true(rc < 0);
    open_runs(b, &r);
    runs_fetch(&r, 3, 1);
    runs_edit_text(runs_row(&r, 3), text, sizeof(text));
    assert_string_equal(text, "branch=main io=1 seed=10 test=fixture x=\"50% of_it\\\\\"");
    runs_destroy(&r);
}

/* What went together comes back together, also where somebody else has brought one back. */
static void test_undo(void **state) {
    struct box *b = *state;
    struct runs r;
    struct runs_undo undo = {.last = 0};
    char id[2][RUN_ID_LEN + 1] = {"a1aaaaaaaaaaaaaa", "b2bbbbbbbbbbbbbb"};
    char one[1][RUN_ID_LEN + 1] = {"c4cccccccccccccc"}, back[RUN_ID_LEN + 1];
    four_runs(b);
    open_runs(b, &r);
    refused(b, runs_edit_undo(b->path, &undo, back, &b->err), -ENOENT, "nothing was removed");
    ok(b, runs_edit_remove(b->path, id, 2, &undo, &b->err));
    ok(b, runs_edit_remove(b->path, one, 1, &undo, &b->err));
    runs_reload(&r);
    shows(&r, "three are removed", "c3");
    runs_filter(&r, "is:removed", &b->err);
    shows(&r, "the last first", "c4 b2 a1");
    assert_int_equal(runs_edit_undo(b->path, &undo, back, &b->err), 1);
    assert_string_equal(back, one[0]);
    ok(b, runs_edit_restore(b->path, &undo, id[1], &b->err));
    assert_int_equal(undo.run.n, 1);
    runs_reload(&r);
    shows(&r, "one is left", "a1");
    assert_int_equal(runs_edit_undo(b->path, &undo, back, &b->err), 1);
    runs_reload(&r);
    shows(&r, "none is", "");
    ok(b, runs_edit_remove(b->path, id, 2, &undo, &b->err));
    ok(b, store_undelete(&b->st, id[1], &b->err));
    assert_int_equal(runs_edit_undo(b->path, &undo, back, &b->err), 2);
    assert_int_equal(undo.run.n, 0);
    runs_filter(&r, "branch is:removed", &b->err);
    shows(&r, "no removed run has it", "");
    runs_filter(&r, "", &b->err);
    shows(&r, "all", "c3 c4 b2 a1");
    runs_destroy(&r);
    runs_undo_free(&undo);
}

static void save_value(struct box *b, int i, double v, const char *model) {
    struct run r;
    fix_run(&r, (uint64_t)i, 1, 4);
    free(r.model);
    r.model = strdup(model);
    r.node.at[2].value.v = v;
    if (i % 4 == 0)
        run_label_set(&r, "quarter", "yes", false, NULL);
    ok(b, store_save(&b->st, &r, &b->err));
    run_free(&r);
}

static void test_trend(void **state) {
    struct box *b = *state;
    struct runs r;
    struct runs_trend t = {.n = 0};
    for (int i = 0; i < 20; i++)
        save_value(b, i, i == 13 ? 0.9 : i == 5 ? NAN : 0.2 + 0.001 * (i % 3), "tiny");
    open_runs(b, &r);
    ok(b, runs_show_metric(&r, "Backend_Bound", &b->err));
    ok(b, runs_trend_read(&t, &r, NULL, &b->err));
    assert_int_equal(t.n, 19);
    assert_int_equal(t.n_without, 1);
    assert_int_equal(t.n_anomaly, 1);
    assert_false(t.many_models);
    assert_true(t.v[0] == 0.2 && t.v[12] == 0.9); /* the oldest first */
    assert_int_equal(t.selected, 18);
    assert_true(runs_trend_jump(&t, -1));
    assert_int_equal(t.selected, 12);
    assert_false(runs_trend_jump(&t, -1));
    runs_trend_move(&t, -100);
    assert_int_equal(t.selected, 0);
    runs_group_by(&r, "quarter");
    ok(b, runs_trend_read(&t, &r, runs_group_of(&r, 0), &b->err));
    assert_int_equal(t.n, 5);
    assert_string_equal(t.group, "quarter=yes");
    ok(b, runs_trend_read(&t, &r, runs_group_of(&r, 1), &b->err));
    assert_int_equal(t.n, 14);
    assert_string_equal(t.group, "without quarter");
    save_value(b, 30, 0.2, "other");
    runs_group_by(&r, "");
    ok(b, runs_trend_read(&t, &r, NULL, &b->err));
    assert_true(t.many_models);
    runs_trend_free(&t);
    runs_destroy(&r);
}

/* What runs differ in, and what they have in common. */
static void test_survey(void **state) {
    static const char *both[][2] = {{"host", "box"}, {"io", "4"}, {0}};
    static const char *other[][2] = {{"host", "box"}, {"io", "16"}, {"branch", "fix"}, {0}};
    struct box *b = *state;
    struct runs r;
    struct err err = {0};
    save(b, 1, "a1", "redis", both, 5);
    save(b, 2, "b2", "redis", both, 5);
    save(b, 3, "c3", "redis", other, 5);
    open_runs(b, &r);
    const struct runs_survey *s = &r.survey;
    assert_true(s->whole);
    assert_string_equal(s->process, "redis");
    for (unsigned i = 0; i < s->n_label; i++) {
        const struct survey_label *l = &s->label[i];
        const bool differs = strcmp(l->key, "io") == 0 || strcmp(l->key, "branch") == 0;
        if (strcmp(l->key, "host") == 0)
            assert_false(l->varies);
        if (differs != runs_survey_is_column(&r, l) && !l->automatic && l->key[0] != 's')
            fail_msg("%s", l->key);
    }
    const int w = runs_survey_width(&r);
    ok(b, runs_show_metric(&r, "Backend_Bound", &err));
    runs_group_by(&r, "io");
    assert_int_equal(runs_survey_width(&r), w - 3); /* its heading says it */
    assert_int_equal(r.group[0].n_value, 2);
    assert_int_equal(r.group[1].n_value, 1);
    assert_true(r.group[0].sd >= 0 && isnan(r.group[1].sd));
    assert_true(r.survey.least <= r.group[0].mean && r.group[0].mean <= r.survey.most);
    runs_sort_by(&r, RUNS_SORT_METRIC); /* groups, too, by what they show */
    assert_true(r.group[0].mean > r.group[1].mean);
    runs_invert(&r);
    assert_true(r.group[0].mean < r.group[1].mean);
    runs_sort_by(&r, 0);
    runs_group_by(&r, "");
    assert_int_equal(runs_filter(&r, "io=4", &err), 0);
    assert_int_equal(runs_survey_width(&r), 4); /* "seed" alone */
    save(b, 4, "d4", "nginx", both, 5);
    runs_reload(&r);
    assert_string_equal(r.survey.process, "");
    runs_destroy(&r);
}

/* Columns are beside each other at any width, and none is cut off. */
static void test_columns(void **state) {
    (void)state;
    for (int w = 1; w <= 400; w++) {
        struct runs_place p[RUNS_COL_N];
        int x = 0;
        runs_columns(
            w, &(struct runs_differ){.labels = 40, .process = true, .model = true, .slots = true},
            p);
        for (int i = 0; i < RUNS_COL_N; i++) {
            if (p[i].w == 0)
                continue;
            if (p[i].x != x || p[i].x + p[i].w > w)
                fail_msg("width %d: column %d at %d, wide %d", w, i, p[i].x, p[i].w);
            x += p[i].w + 1;
        }
        if (w >= 38 && (!p[RUNS_COL_BOTTLENECK].w || !p[RUNS_COL_SHARE].w))
            fail_msg("width %d: no bottleneck", w);
        if (w >= 78 && (!p[RUNS_COL_BEGUN].w || !p[RUNS_COL_LABELS].w || !p[RUNS_COL_DURATION].w))
            fail_msg("width %d: something that matters is missing", w);
        if (w >= 118 && (p[RUNS_COL_LABELS].w < 22 || !p[RUNS_COL_RETIRING].w))
            fail_msg("width %d: labels have %d columns", w, p[RUNS_COL_LABELS].w);
        runs_columns(w, &(struct runs_differ){.labels = 40}, p);
        assert_int_equal(p[RUNS_COL_FRONTEND].w, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_metric, setup, teardown),
        cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_selection, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trouble, setup, teardown),
        cmocka_unit_test_setup_teardown(test_edits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trend, setup, teardown),
        cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_follow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_step_off, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_undo, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_or_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_labels_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_survey, setup, teardown),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
