/* Folding: which rows are to be seen and where the selection goes. */
#include "ui/draw/outline.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* a { b { c d } e }  f { g }  h, in preorder; x and y beside the tree, under the heading "-" */
enum { A, B, C, D, E, F, G, H, NODES, X = NODES, Y, ALL };
static struct metric node[ALL] = {
    {.name = "a", .level = 1, .parent = METRIC_NONE, .first_child = B, .next_sibling = F},
    {.name = "b", .level = 2, .parent = A, .first_child = C, .next_sibling = E},
    {.name = "c", .level = 3, .parent = B, .first_child = METRIC_NONE, .next_sibling = D},
    {.name = "d", .level = 3, .parent = B, .first_child = METRIC_NONE, .next_sibling = METRIC_NONE},
    {.name = "e", .level = 2, .parent = A, .first_child = METRIC_NONE, .next_sibling = METRIC_NONE},
    {.name = "f", .level = 1, .parent = METRIC_NONE, .first_child = G, .next_sibling = H},
    {.name = "g", .level = 2, .parent = F, .first_child = METRIC_NONE, .next_sibling = METRIC_NONE},
    {.name = "h",
     .level = 1,
     .parent = METRIC_NONE,
     .first_child = METRIC_NONE,
     .next_sibling = METRIC_NONE},
    {.name = "x", .parent = METRIC_NONE, .first_child = METRIC_NONE, .next_sibling = METRIC_NONE},
    {.name = "y", .parent = METRIC_NONE, .first_child = METRIC_NONE, .next_sibling = METRIC_NONE},
};
static const struct model tree_only = {.metric = node, .n_metric = NODES, .n_tree = NODES};
static const struct model model = {.metric = node, .n_metric = ALL, .n_tree = NODES};

/* The rows as letters, a row of quiet siblings as "+", the selected one in upper case. */
static const char *rows(const struct outline *o) {
    static char text[ALL + 2];
    for (int i = 0; i < o->list.n; i++) {
        const bool heading = o->row[i] == METRIC_NONE, fold = outline_fold(o, i) != METRIC_NONE;
        char name = heading ? '-' : fold ? '+' : node[o->row[i]].name[0];
        text[i] = (char)(i != o->list.at ? name : heading ? '=' : fold ? '*' : name - 32);
    }
    text[o->list.n] = '\0';
    return text;
}

static void go(struct outline *o, const char *script) {
    for (; *script; script++)
        switch (*script) {
        case 'j':
            list_move(&o->list, 1);
            break;
        case 'k':
            list_move(&o->list, -1);
            break;
        case 'G':
            list_select(&o->list, 99);
            break;
        case '>':
            outline_open(o);
            break;
        case '<':
            outline_close(o);
            break;
        case '!':
            outline_toggle(o);
            break;
        case 'd':
            outline_go(o, D);
            break;
        case 'y':
            outline_go(o, Y);
            break;
        case 'r':
            outline_reveal(o, D);
            break;
        default:
            outline_level(o, *script - '0');
        }
}

static void test_scripts(void **state) {
    (void)state;
    static const struct {
        int level;
        const char *script, *rows;
    } cases[] = {
        {1, "", "Afh"},           {2, "", "Abefgh"},       {9, "", "Abcdefgh"},
        {1, "j", "aFh"},          {1, "kkk", "Afh"},       {1, "jjjjj", "afH"},
        {1, "G", "afH"},          {1, ">", "Abefh"},       {1, ">>", "aBefh"},
        {1, ">>>>", "abCdefh"},   {1, ">>>>>", "abCdefh"}, /* a leaf does not open */
        {1, ">>>><", "aBcdefh"},                           /* left on a leaf: its parent */
        {1, ">>>><<", "aBefh"},                            /* left on an open branch: closes it */
        {1, ">>>><<<", "Abefh"},                           /* again: its parent */
        {1, ">>>><<<<<<", "Afh"},                          /* a closed root stays */
        {1, "!", "Abefh"},        {1, "!!", "Afh"},        {1, "G!", "afH"},
        {9, "jj1", "Afh"}, /* the nearest ancestor that can be seen */
        {9, "jjjjjj1", "aFh"},    {9, "jjjj2", "abEfgh"},  {1, "d", "abcDefh"},
        {1, "jr", "abcdeFh"}, /* what was selected stays selected */
        {1, "9", "Abcdefgh"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outline o;
        assert_int_equal(outline_init(&o, &tree_only, cases[i].level), 0);
        go(&o, cases[i].script);
        if (strcmp(rows(&o), cases[i].rows) != 0)
            fail_msg("level %d, %s: %s, wanted %s", cases[i].level, cases[i].script, rows(&o),
                     cases[i].rows);
        outline_destroy(&o);
    }
}

/* What is beside the tree opens like a branch; a small model begins with it open. */
static void test_beside(void **state) {
    (void)state;
    static const struct {
        int level;
        const char *script, *rows;
    } cases[] = {
        {1, "", "Afh-xy"},      {1, "jjj", "afh=xy"},     {1, "jjj<", "afh="},
        {1, "jjj<>", "afh=xy"}, {1, "jjj!", "afh="},      {1, "jjj>>", "afh-Xy"},
        {1, "G", "afh-xY"},     {1, "G<", "afh=xy"},      {1, "G>!", "afh-xY"},
        {1, "jjj!y", "afh-xY"}, {1, "G9", "abcdefgh-xY"}, {1, "jjj!9", "abcdefgh="},
        {1, "jjj<<", "afh="},   {9, "G<<1", "afh="},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outline o;
        assert_int_equal(outline_init(&o, &model, cases[i].level), 0);
        go(&o, cases[i].script);
        if (strcmp(rows(&o), cases[i].rows) != 0)
            fail_msg("level %d, %s: %s, wanted %s", cases[i].level, cases[i].script, rows(&o),
                     cases[i].rows);
        outline_destroy(&o);
    }
}

/* The user's own come last in the model and first below the heading, and the selection keeps. */
static void test_own_first(void **state) {
    (void)state;
    struct outline o;
    node[Y].own = true;
    assert_int_equal(outline_init(&o, &model, 1), 0);
    assert_string_equal(rows(&o), "Afh-yx");
    outline_go(&o, X);
    assert_string_equal(rows(&o), "afh-yX");
    outline_level(&o, 9);
    assert_string_equal(rows(&o), "abcdefgh-yX");
    outline_go(&o, Y);
    assert_string_equal(rows(&o), "abcdefgh-Yx");
    outline_close(&o);
    outline_close(&o);
    assert_string_equal(rows(&o), "abcdefgh=");
    node[Y].own = false;
    outline_destroy(&o);
}

static void test_all_open(void **state) {
    (void)state;
    struct outline o;
    outline_init(&o, &model, 2);
    assert_false(outline_is_all_open(&o));
    go(&o, "9");
    assert_true(outline_is_all_open(&o));
    go(&o, "G<<");
    assert_true(outline_is_all_open(&o));
    outline_destroy(&o);
}

/* The selected row is always inside, and the window never shows less than it could. */
static void test_scroll(void **state) {
    (void)state;
    struct outline o;
    outline_init(&o, &model, 9);
    for (int h = 1; h <= NODES + 2; h++)
        for (int step = 0; step < 40; step++) {
            list_move(&o.list, step % 7 == 0 ? -5 : 2);
            list_fit(&o.list, h);
            if (o.list.at < o.list.top || o.list.at >= o.list.top + h)
                fail_msg("%d rows: %d is not in %d..", h, o.list.at, o.list.top);
            if (o.list.top < 0 || (o.list.top > 0 && o.list.top + h > o.list.n))
                fail_msg("%d rows: begins at %d of %d", h, o.list.top, o.list.n);
        }
    outline_destroy(&o);
}

/* What a path opens it closes again, but never what the user decided. P, Q: the path opens b, f; p,
 * q closes them. */
static void test_path(void **state) {
    (void)state;
    static const struct {
        const char *script, *rows;
    } cases[] = {
        {"P", "Abcdefh"},    {"Pp", "Abefh"}, /* b was closed again, a only by a path of its own */
        {"PQ", "Abcdefgh"},  {"Pq", "Abcdefh"},   {"PP", "Abcdefh"},
        {"!!P", "Afh"},      /* the user closed a */
        {"!!!P", "Abcdefh"}, /* and opened it again */
        {"!p", "Abefh"},     {"Pj!P", "aBefh"},   {"Pj!!p", "aBcdefh"},
        {"Pjj!p", "aBefh"},  {"P1P", "Afh"},      {"3P", "Abcdefgh"},
        {"3p", "Abcdefgh"},  {"P1*P", "Abcdefh"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outline o;
        assert_int_equal(outline_init(&o, &tree_only, 1), 0);
        for (const char *c = cases[i].script; *c; c++) {
            char one[2] = {*c};
            if (*c == 'P' || *c == 'Q')
                outline_path_open(&o, *c == 'P' ? B : F);
            else if (*c == 'p' || *c == 'q')
                outline_path_close(&o, *c == 'p' ? B : F);
            else if (*c == '*')
                outline_forget(&o, 1);
            else
                go(&o, one);
        }
        if (strcmp(rows(&o), cases[i].rows) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].script, rows(&o), cases[i].rows);
        outline_destroy(&o);
    }
}

static void test_below(void **state) {
    (void)state;
    struct outline o;
    assert_int_equal(outline_init(&o, &model, 1), 0);
    assert_true(outline_is_below(&o, C, A) && outline_is_below(&o, C, C));
    assert_false(outline_is_below(&o, A, C) || outline_is_below(&o, G, A) ||
                 outline_is_below(&o, X, A) || outline_is_below(&o, METRIC_NONE, A));
    outline_show(&o, D); /* in a closed branch: that */
    assert_string_equal(rows(&o), "Afh-xy");
    outline_destroy(&o);
}

static void test_no_tree(void **state) {
    (void)state;
    static const struct model empty;
    struct outline o;
    assert_int_equal(outline_init(&o, &empty, 2), 0);
    go(&o, "jk><!G");
    list_fit(&o.list, 5);
    assert_int_equal(outline_metric(&o), METRIC_NONE);
    assert_int_equal(o.list.n, 0);
    outline_destroy(&o);
}

/* The letters that are loud. */
static bool is_loud(const void *user, int metric) {
    return strchr(user, node[metric].name[0]) != NULL;
}

static void hear(struct outline *o, const char *loud, uint64_t second) {
    outline_hear(o, is_loud, loud, second * NS_PER_S, true);
}

static void quiet_siblings_fold(void **state) {
    (void)state;
    struct outline o;
    assert_int_equal(outline_init(&o, &tree_only, 3), 0);
    assert_string_equal(rows(&o), "Abcdefgh");
    hear(&o, "", 1); /* never loud: at once. A branch with one child needs no row for it */
    assert_string_equal(rows(&o), "A+fgh");
    go(&o, "j"); /* what is on the row goes on as that of its parent */
    assert_string_equal(rows(&o), "a*fgh");
    assert_int_equal(outline_metric(&o), A);
    assert_int_equal(outline_fold(&o, 1), A);
    hear(&o, "d", 2); /* and so are those it is in: its siblings are one alone */
    assert_string_equal(rows(&o), "Abcdefgh");
    hear(&o, "", 11);
    assert_string_equal(rows(&o), "Abcdefgh");
    hear(&o, "", 12); /* ten seconds of silence */
    assert_string_equal(rows(&o), "A+fgh");
    outline_show(&o, C); /* what is selected is to be seen, and what it is in */
    assert_string_equal(rows(&o), "abCdefgh");
    go(&o, "kk");
    assert_false(outline_is_folded(&o, B)); /* the rows are those of then */
    hear(&o, "", 13);
    assert_string_equal(rows(&o), "A+fgh");
    assert_true(outline_is_folded(&o, B) && outline_is_folded(&o, E));
    outline_destroy(&o);
}

static void the_row_of_quiet_siblings_opens(void **state) {
    (void)state;
    struct outline o;
    assert_int_equal(outline_init(&o, &model, 3), 0);
    hear(&o, "", 1);
    assert_string_equal(rows(&o), "A+fgh-xy");
    go(&o, "j>"); /* the user's: it stays open */
    assert_string_equal(rows(&o), "aB+efgh-xy");
    hear(&o, "", 60);
    go(&o, "jj"); /* e */
    assert_string_equal(rows(&o), "ab+Efgh-xy");
    go(&o, "k!");
    assert_string_equal(rows(&o), "abCdefgh-xy");
    outline_forget(&o, 3);
    assert_string_equal(rows(&o), "abCdefgh-xy"); /* it is selected */
    go(&o, "kk");
    hear(&o, "", 61);
    go(&o, "j<"); /* as from a child */
    assert_string_equal(rows(&o), "A+fgh-xy");
    outline_hear(&o, is_loud, "ce", 5, false); /* another moment: what was before does not count */
    assert_string_equal(rows(&o), "Abcdefgh-xy");
    outline_hear(&o, is_loud, "", 6, false);
    assert_string_equal(rows(&o), "A+fgh-xy");
    outline_destroy(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scripts),        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_all_open),       cmocka_unit_test(test_scroll),
        cmocka_unit_test(test_no_tree),        cmocka_unit_test(test_own_first),
        cmocka_unit_test(test_path),           cmocka_unit_test(test_below),
        cmocka_unit_test(quiet_siblings_fold), cmocka_unit_test(the_row_of_quiet_siblings_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
