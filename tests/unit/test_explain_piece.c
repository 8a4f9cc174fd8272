#include "model/explain_piece.h"

#include "model/explain.h"
#include "model/model.h"
#include "model/model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_equal(const void *user, const char *name, size_t len) {
    return strlen(user) == len && strncmp(user, name, len) == 0;
}

static const char text[] =
    "# head\n\n[entry.A]\nsummary = \"[entry.X]\"\n[entry.A.also]\nB = \"b\"\n"
    "# C = 1\nD=\"d\"\n[entry.A.notes]\namd = \"n\"\n[entry.E]\nsummary = 'e'";

static void texts_are_cut(void **state) {
    (void)state;
    static const char *const begins[] = {"# head", "[entry.A]", "[entry.E]"};
    struct explain_piece piece;
    const char *at = text;
    for (size_t i = 0; i < COUNT(begins); i++) {
        assert_true(explain_piece_next(at, &piece));
        assert_ptr_equal(piece.text, at);
        assert_memory_equal(piece.text, begins[i], strlen(begins[i]));
        at += piece.len;
    }
    assert_ptr_equal(at, text + sizeof(text) - 1);
    assert_false(explain_piece_next(at, &piece));
}

static void names_are_seen(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool in_a, in_e;
    } cases[] = {{"A", true, false},  {"B", true, false},       {"D", true, false},
                 {"C", false, false}, {"amd", false, false},    {"E", false, true},
                 {"X", false, false}, {"summary", false, false}};
    struct explain_piece head, a, e;
    assert_true(explain_piece_next(text, &head));
    assert_true(explain_piece_next(head.text + head.len, &a));
    assert_true(explain_piece_next(a.text + a.len, &e));
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(explain_piece_wanted(&head, is_equal, cases[i].name));
        if (explain_piece_wanted(&a, is_equal, cases[i].name) != cases[i].in_a ||
            explain_piece_wanted(&e, is_equal, cases[i].name) != cases[i].in_e)
            fail_msg("%s", cases[i].name);
    }
}

/* Files that were edited elsewhere: lines that end as on Windows, none at the end, one that is cut.
 */
static void odd_files_are_cut(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        size_t n;
        bool has; /* its last piece the name */
    } cases[] = {
        {"", "A", 0, false},
        {"\n", "A", 1, true}, /* what stands before entries is always wanted */
        {"[entry.A]", "A", 1, true},
        {"[entry.A]\r\nsummary = 's'\r\n[entry.B]\r\n", "B", 2, true},
        {"[entry.A]\r\n[entry.A.also]\r\nB = 'b'", "B", 1, true},
        {"[entry.A]\r\n[entry.A.also]\r\n\r\nB='b'", "\r", 1, false},
        {"[entry.A]\n[entry.A.also]\nB", "B", 1, true},
        {"[entry.A]\n[entry.A.also", "also", 1, false},
        {"[entry.A]\n[\n]\nB = 1", "B", 1, false},
        {"[entry.A]\n[", "A", 1, true},
        {"[entry.A", "B", 1, true}, /* no entry: TOML will complain */
        {"[entry.]", "", 1, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *copy = strdup(cases[i].text); /* of its length: a read behind it is seen */
        struct explain_piece piece = {copy, 0};
        size_t n = 0, len = 0;
        for (const char *at = copy; explain_piece_next(at, &piece); at = piece.text + piece.len) {
            n++;
            len += piece.len;
        }
        if (n != cases[i].n || len != strlen(cases[i].text))
            fail_msg("case %zu: %zu pieces of %zu bytes", i, n, len);
        const char *last = copy;
        for (const char *at = copy; explain_piece_next(at, &piece); at = piece.text + piece.len)
            last = at;
        if (n && explain_piece_next(last, &piece) &&
            explain_piece_wanted(&piece, is_equal, cases[i].name) != cases[i].has)
            fail_msg("case %zu: %s", i, cases[i].name);
        free(copy);
    }
}

/* Groups have pages too. */
static void check_groups(const struct model *m, const struct explain *own,
                         const struct explain *all) {
    for (size_t i = 0; i < all->n; i++) {
        bool in_model = false;
        for (uint32_t k = 0; k < m->n_metric && !in_model; k++)
            in_model = model_in_group(&m->metric[k], all->at[i].name);
        if (in_model && !explain_find(own, all->at[i].name))
            fail_msg("%s: group %s", m->name, all->at[i].name);
    }
}

static void check_model(const char *name, const struct explain *all) {
    struct model m;
    struct explain own;
    struct err err = {0};
    if (model_open(&m, name, NULL, &err) < 0 || explain_load_for(&own, &m, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    for (uint32_t i = 0; i < m.n_metric; i++) {
        const struct explain_entry *e = explain_find(&own, m.metric[i].name),
                                   *same = explain_find(all, m.metric[i].name);
        if (!e || strcmp(e->name, same->name) != 0 || strcmp(e->summary, same->summary) != 0)
            fail_msg("%s: %s", name, m.metric[i].name);
    }
    check_groups(&m, &own, all);
    assert_true(own.n < all->n);
    char buf[256];
    assert_non_null(strstr(explain_reference(&own, "yasin2014", buf, sizeof(buf)), "Top-Down"));
    explain_free(&own);
    model_free(&m);
}

/* The entries of a model alone are the same as among all. */
static void models_have_theirs(void **state) {
    (void)state;
    struct explain all;
    assert_int_equal(explain_load(&all, NULL), 0);
    for (const struct embedded *f = embedded_models; f->name; f++)
        check_model(f->name, &all);
    explain_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut),
        cmocka_unit_test(names_are_seen),
        cmocka_unit_test(odd_files_are_cut),
        cmocka_unit_test(models_have_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
