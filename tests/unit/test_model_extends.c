#include "base/str.h"
#include "model/eval/eval.h"
#include "model/load/model.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "extends = 'zen1'\nname = 'own'\ntitle = 'Own'\n"

static void must_load(struct model *m, const char *text) {
    struct err err = {0};
    if (model_load(m, text, strlen(text), "own.toml", &err) < 0)
        fail_msg("%s", err.text);
}

/* Without what every model has, as model_load gives the others. */
static void open_base(struct model *m) {
    const struct embedded *e = embedded_models;
    while (strcmp(e->name, "zen1") != 0)
        e++;
    must_load(m, e->text);
}

static const char *formula_of(const struct model *m, const char *name) {
    const int i = model_find(m, name);
    return i == METRIC_NONE ? NULL : m->metric[i].formula;
}

static void what_the_file_lacks_is_its_base(void **state) {
    (void)state;
    struct model own, base;
    must_load(&own, HEAD);
    open_base(&base);
    assert_string_equal(own.name, "own");
    assert_string_equal(own.title, "Own");
    assert_null(own.match[0]); /* never taken over: two models would be for one CPU */
    assert_non_null(base.match[0]);
    assert_string_equal(own.vendor, base.vendor);
    assert_int_equal(own.general_counters, base.general_counters);
    assert_int_equal(own.n_metric, base.n_metric);
    assert_int_equal(own.n_event, base.n_event);
    for (uint32_t i = 0; i < base.n_metric; i++) {
        assert_string_equal(own.metric[i].path, base.metric[i].path);
        assert_string_equal(own.metric[i].formula, base.metric[i].formula);
    }
    model_free(&own);
    model_free(&base);
}

static void what_the_file_has_replaces_it(void **state) {
    (void)state;
    struct model m;
    must_load(&m, HEAD "limits = 'mine'\ncounters = { general = 2 }\n"
                       "[event]\nex_ret_instr = { code = 0xff }\n"
                       "[metric.IPC]\nformula = 'ex_ret_instr / 7'\n");
    assert_string_equal(m.limits, "mine");
    assert_int_equal(m.general_counters, 2);
    assert_int_equal(m.event[model_find_event(&m, "ex_ret_instr")].config, 0xff);
    assert_string_equal(formula_of(&m, "IPC"), "ex_ret_instr / 7");
    model_free(&m);
}

/* Numbers of two metrics, the first before the second. */
static bool follows(const struct model *m, const char *first, const char *second) {
    return model_find(m, second) == model_find(m, first) + 1;
}

static void new_metrics_have_their_place(void **state) {
    (void)state;
    struct model m, base;
    open_base(&base);
    const char *last = base.metric[base.n_metric - 1].name;
    must_load(&m, HEAD "[metric.Last]\nformula = '1'\n"
                       "[metric.Behind_IPC]\nafter = 'IPC'\nformula = '2'\n"
                       "[metric.Behind_that]\nformula = '3'\n"
                       "[metric.First]\nafter = ''\nformula = '4'\n"
                       "[node.Part]\nparent = 'Retiring'\nformula = '0.1'\nthreshold = 0.5\n");
    assert_true(follows(&m, last, "Last"));
    assert_true(follows(&m, "IPC", "Behind_IPC"));
    assert_true(follows(&m, "Behind_IPC", "Behind_that"));
    const int first = model_find(&m, "First");
    assert_true(m.metric[first].kind == METRIC_INFO && m.metric[first - 1].kind != METRIC_INFO);
    assert_string_equal(m.metric[model_find(&m, "Part")].path, "Retiring.Part");
    model_free(&m);
    model_free(&base);
}

static void metrics_are_left_out(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    must_load(&m, HEAD "without = ['GHz']\n");
    assert_int_equal(model_find(&m, "GHz"), METRIC_NONE);
    assert_int_equal(model_find(&m, "IPC") == METRIC_NONE, 0);
    model_free(&m);
    static const char needed[] = HEAD "without = ['Queue_Empty_Cycles']\n";
    assert_int_equal(model_load(&m, needed, strlen(needed), "own.toml", &err), -EINVAL);
    assert_true(str_starts(err.text, "zen1.toml (built in):"));
}

static void mistakes_are_told(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *expected;
    } cases[] = {
        {"no such model", "extends = 'zenn1'\nname='x'\ntitle='x'\n",
         "own.toml:1:1: extends 'zenn1', but no built-in model is called so; did you mean "
         "'zen1'?"},
        {"no string", "extends = 1\nname='x'\ntitle='x'\n", "own.toml:1:1: 'extends' is of type"},
        {"no name of its own", "extends = 'zen1'\ntitle='x'\n",
         "own.toml:1:1: the model has no 'name'"},
        {"nothing to leave out", HEAD "without = ['Nothing']\n",
         "own.toml:4:12: without 'Nothing': the base has no such metric"},
        {"after nothing", HEAD "[metric.X]\nafter = 'Nothing'\nformula = '1'\n",
         "own.toml:5:1: after 'Nothing': no metric of that kind is called so"},
        {"after without a base",
         "name='t'\ntitle='T'\nrung='full'\nscope='s'\n[metric.X]\nafter = ''\nformula = '1'\n",
         "own.toml:6:1: 'X' has 'after', but its file extends no model"},
        {"a formula of its own", HEAD "[metric.IPC]\nformula = '1 +'\n", "own.toml:5:"},
        {"a metric of an event's name", HEAD "[metric.ex_ret_instr]\nformula = '1'\n",
         "own.toml:4:9: metric 'ex_ret_instr' has the name of an event"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        struct err err = {0};
        int rc = model_load(&m, cases[i].text, strlen(cases[i].text), "own.toml", &err);
        if (rc != -EINVAL || !str_starts(err.text, cases[i].expected))
            fail_msg("%s: rc %d: %s", cases[i].what, rc, err.text);
    }
}

/* A run keeps the bases as they were: another zen1 later does not change what it means. */
static void a_kept_text_has_its_own_bases(void **state) {
    (void)state;
    struct model m, again;
    struct err err = {0};
    must_load(&m, HEAD);
    const char *kept = model_text(&m);
    char *changed = strdup(kept), *at = strstr(changed, "AuthenticAMD");
    assert_true(str_starts(kept, HEAD "\f\n"));
    assert_non_null(strstr(kept, "name = \"zen1\""));
    assert_non_null(at);
    assert_non_null(at = strstr(changed, "general = 6"));
    at[strlen("general = ")] = '5';
    if (model_load(&again, changed, strlen(changed), "own.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.general_counters, 6);
    assert_int_equal(again.general_counters, 5);
    assert_string_equal(model_text(&again), changed);
    free(changed);
    model_free(&m);
    model_free(&again);
}

/* Files of the user's metrics come behind the bases. */
static void a_kept_text_has_both(void **state) {
    (void)state;
    struct model m, again;
    struct err err = {0};
    char text[65536];
    must_load(&m, HEAD);
    snprintf(text, sizeof(text), "%s\f\n[metric.Mine]\nformula = 'IPC * 2'\n", model_text(&m));
    if (model_load(&again, text, strlen(text), "own.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_true(again.metric[model_find(&again, "Mine")].own);
    assert_int_equal(again.n_metric, m.n_metric + 1);
    model_free(&m);
    model_free(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_file_lacks_is_its_base),
        cmocka_unit_test(what_the_file_has_replaces_it),
        cmocka_unit_test(new_metrics_have_their_place),
        cmocka_unit_test(metrics_are_left_out),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(a_kept_text_has_its_own_bases),
        cmocka_unit_test(a_kept_text_has_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
