
#include "count_malloc.h"
#include "model/knowledge/explain.h"
#include "model/knowledge/explain_names.h"
#include "model/load/model.h"
#include "model/load/model_index.h"
#include "model/load/model_text.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- the table that the build makes ---- */

static void check_same_list(const char *name, const char **a, const char **b) {
    for (; *a && *b && strcmp(*a, *b) == 0; a++, b++) {
    }
    if (*a || *b)
        fail_msg("%s: '%s', not '%s'", name, *a ? *a : "", *b ? *b : "");
}

static void check_same(const struct explain_entry *e, const struct explain_entry *same) {
    if (!e)
        fail_msg("%s is not in the table", same->name);
    assert_string_equal(e->name, same->name);
    assert_string_equal(e->entry, same->entry);
    assert_string_equal(e->summary, same->summary);
    assert_string_equal(e->description, same->description);
    assert_string_equal(e->counts, same->counts);
    assert_string_equal(e->worrying, same->worrying);
    check_same_list(e->name, e->references, same->references);
    assert_int_equal(e->n_note, same->n_note);
}

/* The texts that are read without the rest. */
static void check_texts(const struct explain *own, const struct explain_entry *same) {
    char buf[1024];
    assert_ptr_equal(explain_summary(own, same->name, buf, sizeof(buf)), buf);
    assert_string_equal(buf, same->summary);
    assert_ptr_equal(explain_description(own, same->name, buf, sizeof(buf)), buf);
    assert_string_equal(buf, same->description);
    const char *hint = explain_hint(own, same->name, buf, sizeof(buf));
    if (same->hints[0])
        assert_string_equal(hint, same->hints[0]);
    else
        assert_null(hint);
}

/* Each name of the knowledge base is in it, once, and leads to what a parser of all finds. */
static void table_is_complete(void **state) {
    (void)state;
    const struct model none = {.name = "none",
                               .vendor = "Intel"}; /* has nothing that could be fit */
    struct explain all, own;
    assert_int_equal(explain_load(&all, NULL), 0);
    assert_int_equal(explain_load_for(&own, &none, NULL), 0);
    struct explain plain; /* of no model at all */
    assert_int_equal(explain_load_for(&plain, NULL, NULL), 0);
    assert_int_equal(explain_n_places, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const struct explain_entry *same = &all.at[i];
        assert_string_equal(explain_place_names + explain_places[i].name, same->name);
        check_same(explain_find(&own, same->name), same);
        check_texts(&own, same);
        check_same(explain_find(&plain, same->name), same);
        check_texts(&plain, same);
    }
    assert_null(explain_find(&own, "No_Such_Name"));
    char buf[256];
    assert_null(explain_summary(&own, "No_Such_Name", buf, sizeof(buf)));
    assert_null(explain_description(&own, "No_Such_Name", buf, sizeof(buf)));
    assert_null(explain_hint(&own, "No_Such_Name", buf, sizeof(buf)));
    explain_free(&plain);
    explain_free(&own);
    explain_free(&all);
}

/* ---- what is meant by what was typed ---- */

/* The same, whether all was read or is read when it is asked for. */
static void check_meant(const struct explain_models *ms, const struct explain *all,
                        const struct explain *own, const char *typed) {
    static struct explain_choices c, same;
    const struct explain_entry *e = explain_resolve(own, ms, typed, &c),
                               *as = explain_resolve(all, ms, typed, &same);
    if (!e != !as || (e && strcmp(e->name, as->name) != 0))
        fail_msg("%s: %s, not %s", typed, e ? e->name : "nothing", as ? as->name : "nothing");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(c.n, same.n);
        for (size_t i = 0; i < c.n; i++) {
            assert_string_equal(c.at[i]->name, same.at[i]->name);
            assert_string_equal(c.at[i]->summary, same.at[i]->summary);
        }
        explain_nearest(own, typed, &c);
        explain_nearest(all, typed, &same);
    }
}

static void same_is_meant(void **state) {
    (void)state;
    static const char *const typed[] = {
        "L3_Bound",  "l3-bound",     "Memory_Bound/L3_Bound", "Mem/L3",      "tma_l3_bound",
        "TopdownL1", "tma_L1_group", "insn_per_cycle",        "L3",          "bound",
        "L3_Buond",  "TLB",          "Retiring.Light",        "No_Such_One", "tma_info_thread_ipc",
        "Cisc",      "CISC",         "Memory_Bound.",         "a",           "",
    };
    static struct model outline[64];
    size_t n = 0;
    for (; embedded_models[n].name; n++)
        assert_int_equal(model_outline_metrics(&outline[n], n, NULL), 0);
    struct explain all, own;
    assert_int_equal(explain_load(&all, NULL), 0);
    assert_int_equal(explain_load_for(&own, NULL, NULL), 0);
    assert_int_equal(explain_n_names(&own), explain_n_names(&all));
    for (size_t i = 0; i < explain_n_names(&all); i++)
        assert_string_equal(explain_name(&own, i), explain_name(&all, i));
    for (size_t chosen = 0; chosen <= n; chosen += 7) {
        const struct explain_models ms = {outline, n, chosen < n ? &outline[chosen] : NULL};
        for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
            check_meant(&ms, &all, &own, typed[i]);
    }
    explain_free(&own);
    explain_free(&all);
    while (n > 0)
        model_free(&outline[--n]);
}

/* ---- what a model has of it ---- */

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
    struct explain own, fit;
    struct err err = {0};
    if (model_open(&m, name, NULL, &err) < 0 || explain_load_for(&own, &m, &err) < 0 ||
        explain_load(&fit, &err) < 0 || explain_fit(&fit, &m) < 0)
        fail_msg("%s: %s", name, err.text);
    for (uint32_t i = 0; i < m.n_metric; i++) {
        const struct explain_entry *e = explain_find(&own, m.metric[i].name),
                                   *same = explain_find(&fit, m.metric[i].name);
        check_same(e, same);
        check_same_list(e->name, e->hints, same->hints);
        check_texts(&own, same);
        check_same_list(e->name, e->related, same->related);
    }
    check_groups(&m, &own, all);
    char buf[256];
    assert_non_null(strstr(explain_reference(&own, "yasin2014", buf, sizeof(buf)), "Top-Down"));
    explain_free(&fit);
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

/* A screen that looks at little keeps little; the same again costs nothing. */
static void only_what_is_asked_for_is_read(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    struct model m;
    struct explain own;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    assert_int_equal(explain_load_for(&own, &m, NULL), 0);
    const size_t before = mallinfo2().uordblks;
    explain_read(&own, "L3_Bound");
    assert_in_range(mallinfo2().uordblks - before, 1000, 40000); /* and the books */
    const unsigned long so_far = calls_now();
    const struct explain_entry *e = explain_find(&own, "L3_Bound");
    assert_non_null(e);
    assert_ptr_equal(e, explain_find(&own, "l3-bound"));
    char buf[1024];
    assert_non_null(explain_reference(&own, e->references[0], buf, sizeof(buf)));
    assert_non_null(explain_hint(&own, "Memory_Bound", buf, sizeof(buf)));
    assert_non_null(explain_description(&own, "Memory_Bound", buf, sizeof(buf)));
    assert_int_equal(calls_now(), so_far);
    explain_free(&own);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),
        cmocka_unit_test(same_is_meant),
        cmocka_unit_test(models_have_theirs),
        cmocka_unit_test(only_what_is_asked_for_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
