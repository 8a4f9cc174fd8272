#include "model/knowledge/explain.h"

#include "model/load/model.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What an entry cannot do without. */
#define GOOD                                                                                       \
    "summary = 's'\ndescription = 'd'\ncounts = 'k'\ncauses = ['c']\nhints = ['h']\n"              \
    "confirm = ['f']\nhealthy = 'l'\nworrying = 'w'\nvalues_from = 'v'\nrelated = ['r']\n"         \
    "references = ['b']\n"

static struct explain ex;

static int load(void **state) {
    (void)state;
    struct err err = {0};
    if (explain_load(&ex, &err) == 0)
        return 0;
    print_error("%s\n", err.text);
    return -1;
}

static int unload(void **state) {
    (void)state;
    explain_free(&ex);
    explain_free(&ex); /* harmless */
    return 0;
}

/* What `take` makes of every embedded model. */
static void each_model(void (*take)(const struct model *m, void *arg), void *arg) {
    for (const struct embedded *f = embedded_models; f->name; f++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, f->name, NULL, &err) != 0)
            fail_msg("%s", err.text);
        take(&m, arg);
        model_free(&m);
    }
}

static void check_cover(const struct model *m, void *arg) {
    int *missing = arg;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (explain_find(&ex, m->metric[i].name))
            continue;
        print_error("%s: no entry for '%s'\n", m->name, m->metric[i].name);
        ++*missing;
    }
}

/* Every metric of every embedded model can be explained. What else is promised of entries is
 * tests/models/explain.py's. */
static void models_are_covered(void **state) {
    (void)state;
    int missing = 0;
    each_model(check_cover, &missing);
    assert_int_equal(missing, 0);
}

static void names_ignore_case(void **state) {
    (void)state;
    assert_non_null(explain_find(&ex, "l3_bound"));
    assert_ptr_equal(explain_find(&ex, "L3-BOUND"), explain_find(&ex, "L3_Bound"));
    assert_null(explain_find(&ex, "L3"));
    assert_null(explain_find(&ex, ""));
    const struct explain none = {0};
    assert_null(explain_find(&none, "L3_Bound"));
}

/* P-cores have a node CISC, E-cores another one Cisc. */
static void case_tells_names_apart(void **state) {
    (void)state;
    static const char text[] = "[entry.CISC]\n" GOOD "[entry.Cisc]\n" GOOD;
    const struct embedded files[] = {{"one", text, sizeof(text) - 1}, {NULL, NULL, 0}};
    struct explain own;
    assert_int_equal(explain_load_from(&own, files, NULL), 0);
    assert_string_equal(explain_find(&own, "CISC")->name, "CISC");
    assert_string_equal(explain_find(&own, "Cisc")->name, "Cisc");
    assert_non_null(explain_find(&own, "cisc"));
    explain_free(&own);
}

static void others_share_an_entry(void **state) {
    (void)state;
    static const char text[] = "[reference]\nbook = 'The Book'\n[entry.Port_0]\n" GOOD
                               "[entry.Port_0.also]\nPort_1 = 'the second'\n"
                               "[entry.Port_0.notes]\namd = 'n1'\necore = 'n2'\n\"ic*\" = 'n3'\n";
    const struct embedded files[] = {{"one", text, sizeof(text) - 1}, {NULL, NULL, 0}};
    struct explain own;
    struct err err = {0};
    if (explain_load_from(&own, files, &err) < 0)
        fail_msg("%s", err.text);
    const struct explain_entry *first = explain_find(&own, "Port_0"),
                               *other = explain_find(&own, "port-1");
    assert_int_equal(own.n, 2);
    assert_true(explain_is_first(first));
    assert_false(explain_is_first(other));
    assert_string_equal(other->summary, "the second");
    assert_string_equal(other->entry, "Port_0");
    assert_string_equal(other->description, first->description);
    assert_int_equal(first->n_note, 3);
    char buf[64];
    assert_string_equal(explain_reference(&own, "book: chapter", buf, sizeof(buf)),
                        "The Book: chapter");
    assert_string_equal(explain_reference(&own, "book", buf, sizeof(buf)), "The Book");
    assert_string_equal(explain_reference(&own, "other", buf, sizeof(buf)), "other");
    explain_free(&own);
}

static void notes_fit_models(void **state) {
    (void)state;
    static const struct {
        const char *of, *model, *vendor;
        bool fits;
    } cases[] = {
        {"intel", "spr", "Intel", true},     {"intel", "srf", "Intel", false},
        {"intel", "zen4", "AMD", false},     {"ecore", "srf", "Intel", true},
        {"ecore", "adl-grt", "Intel", true}, {"ecore", "adl-glc", "Intel", false},
        {"amd", "zen4", "AMD", true},        {"arm", "neoverse-v2", "Arm", true},
        {"zen*", "zen4", "AMD", true},       {"zen5", "zen4", "AMD", false},
        {"arm", "spr", "Intel", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct model m = {.name = cases[i].model, .vendor = cases[i].vendor};
        const struct explain_note note = {cases[i].of, "text"};
        if (explain_note_fits(&note, &m) != cases[i].fits)
            fail_msg("%s for %s", cases[i].of, cases[i].model);
    }
}

/* ---- what is refused ---- */

static void files_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *second, *words; /* words == NULL: accepted */
    } cases[] = {
        {"nothing", "", "", NULL},
        {"one entry", "[entry.A]\n" GOOD, "", NULL},
        {"two files", "[entry.A]\n" GOOD, "[entry.B]\n" GOOD, NULL},
        {"names that differ in case", "[entry.A]\n" GOOD, "[entry.a]\n" GOOD, NULL},
        {"not TOML", "[entry.A\n", "", "explain/one.toml:1:9: found the end of the line"},
        {"no summary", "\n[entry.A]\ndescription = 'd'\n", "",
         "explain/one.toml:2:8: found no 'summary' in entry 'A'; expected one"},
        {"no counts", "[entry.A]\nsummary='s'\ndescription='d'\ncauses=['c']\n", "",
         "explain/one.toml:1:8: found no 'counts'"},
        {"unknown key", "[entry.A]\n" GOOD "cause = 'x'\n", "",
         "explain/one.toml:13:1: found 'cause'; expected a key of entries: summary"},
        {"wrong type", "[entry.A]\nsummary = 1\n", "",
         "explain/one.toml:2:1: found integer for 'summary'; expected string"},
        {"text for a list", "[entry.A]\nsummary='s'\ndescription='d'\ncounts='k'\ncauses='c'\n", "",
         "explain/one.toml:5:1: found string for 'causes'; expected array of strings"},
        {"number in a list",
         "[entry.A]\nsummary='s'\ndescription='d'\ncounts='k'\ncauses=['c', 2]\n", "",
         "explain/one.toml:5:14: found integer in 'causes'; expected string"},
        {"empty list", "[entry.A]\nsummary='s'\ndescription='d'\ncounts='k'\ncauses=[]\n", "",
         "explain/one.toml:5:1: found an empty 'causes'; expected texts"},
        {"number for a note", "[entry.A]\n" GOOD "[entry.A.notes]\namd = 1\n", "",
         "explain/one.toml:14:1: found integer for 'amd'; expected string"},
        {"text for others", "[entry.A]\nalso = 'B'\n" GOOD, "",
         "explain/one.toml:2:1: found string for 'also'; expected a table of texts"},
        {"other table", "[entries.A]\n", "", "explain/one.toml:1:2: found 'entries'; expected"},
        {"entry is a value", "entry = 1\n", "", "explain/one.toml:1:1: found 'entry'; expected"},
        {"entry is no table", "[entry]\nA = 1\n", "",
         "explain/one.toml:2:1: found integer for 'A'"},
        {"reference is no text", "[reference]\nA = 1\n", "",
         "explain/one.toml:2:1: found integer for 'A'; expected string"},
        {"name twice", "[entry.A]\n" GOOD, "\n[entry.A]\n" GOOD,
         "explain/two.toml:2:8: found a second entry for 'A'; expected one"},
        {"name twice, among others", "[entry.B]\n" GOOD,
         "[entry.A]\n" GOOD "[entry.A.also]\nB = 'b'\n",
         "explain/two.toml:14:1: found a second entry for 'B'; expected one"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct embedded files[] = {
            {"one", cases[i].text, strlen(cases[i].text)},
            {"two", cases[i].second, strlen(cases[i].second)},
            {NULL, NULL, 0},
        };
        struct explain own;
        struct err err = {0};
        const int rc = explain_load_from(&own, files, &err);
        if ((rc == 0) != !cases[i].words ||
            (rc < 0 && strstr(err.text, cases[i].words) != err.text))
            fail_msg("%s: rc %d, %s", cases[i].what, rc, err.text);
        if (rc < 0)
            assert_int_equal(rc, -EINVAL);
        explain_free(&own);
    }
}

/* What is said to be about this core names no other generation. */
static void notes_are_about_one_core(void **state) {
    (void)state;
    static const struct {
        const char *model, *other[16];
    } cases[] = {
        {"spr",
         {"Sandy Bridge", "Ivy Bridge", "Haswell", "Broadwell", "Skylake", "Cascade", "Ice Lake",
          "Rocket Lake", "Tiger Lake", "Redwood Cove", "Lion Cove", "Granite", "Tremont"}},
        {"skx", {"Ivy Bridge", "Broadwell", "Ice Lake", "Golden Cove", "Lion Cove", "Granite"}},
        {"zen4", {"Zen 1", "Zen 3"}},
        {"neoverse-v2", {"N3", "V3", "N1"}},
        {"adl-grt", {"Elkhart", "Snow Ridge", "Crestmont"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct model m;
        assert_int_equal(model_open(&m, cases[i].model, NULL, NULL), 0);
        for (uint32_t k = 0; k < m.n_tree; k++) {
            const struct explain_entry *e = explain_find(&ex, m.metric[k].name);
            for (size_t n = 0; e && n < e->n_note; n++)
                for (const char *const *o = cases[i].other; *o; o++)
                    if (explain_note_fits(&e->note[n], &m) && strstr(e->note[n].text, *o))
                        fail_msg("%s, %s: %s", cases[i].model, m.metric[k].name, e->note[n].text);
        }
        model_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_covered),     cmocka_unit_test(names_ignore_case),
        cmocka_unit_test(case_tells_names_apart), cmocka_unit_test(notes_are_about_one_core),
        cmocka_unit_test(others_share_an_entry),  cmocka_unit_test(notes_fit_models),
        cmocka_unit_test(files_are_checked),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
