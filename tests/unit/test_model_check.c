/* Checking a model file: every mistake once, in the order of the file, and nothing else. */
#include "model/load/model.h"

#include "base/str.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SAID_MAX = 64 };

struct said {
    char text[SAID_MAX][1100];
    int n;
};

static void listen(void *user, const char *text) {
    struct said *said = user;
    if (said->n < SAID_MAX)
        str_copy(said->text[said->n], sizeof(said->text[0]), text);
    said->n++;
}

static void check_text(struct said *said, const char *text) {
    struct err err = {0};
    said->n = 0;
    int n = model_check_text(text, strlen(text), "t.toml", listen, said, &err);
    if (n != said->n)
        fail_msg("returned %d (%s), said %d", n, err.text, said->n);
}

/* Exactly these beginnings, in this order. */
static void expect(const char *what, const char *text, const char *const *wanted) {
    static struct said said;
    check_text(&said, text);
    int n = 0;
    for (; wanted[n]; n++)
        if (n >= said.n || !str_starts(said.text[n], wanted[n]))
            fail_msg("%s: expected %s, got %s", what, wanted[n],
                     n < said.n ? said.text[n] : "nothing");
    if (said.n != n)
        fail_msg("%s: also said %s", what, said.text[n]);
}

static void test_built_in(void **state) {
    (void)state;
    static struct said said;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct err err = {0};
        char file[64];
        snprintf(file, sizeof(file), "%s.toml", e->name);
        said.n = 0;
        int n = model_check_text(e->text, e->len, file, listen, &said, &err);
        for (int i = 0; i < said.n && i < SAID_MAX; i++)
            print_error("%s\n", said.text[i]);
        if (n != 0)
            fail_msg("%s: %d problems %s", e->name, n, err.text);
    }
}

/* Lines 1 to 7. */
#define HEAD                                                                                       \
    "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 'slots'\nvendor = 'Intel'\n"                  \
    "origin = 'o'\ncounters.general = 8\n"
#define GOOD HEAD "match = ['GenuineIntel-6-8F']\n" /* line 8 */

static void test_many(void **state) {
    (void)state;
    static const char text[] =
        "title = 3\nrung = 'top'\nscope = 'slots'\nvendor = 'Intel'\ncolour = 1\n" /* 1-5 */
        "match = ['Genuine(', 'x']\n"
        "[event]\n"
        "'A' = { kode = 1 }\n"
        "'B' = { code = 0x100 }\n"
        "'C' = { code = 1, umask = 'x' }\n" /* 10 */
        "'D' = { }\n"
        "'E' = { code = 1, pmu = 'gpu' }\n"
        "'Unused' = { code = 1 }\n"
        "[latency]\n"
        "'A' = 'nine'\n" /* 15 */
        "'B' = 2\n"
        "[node.Root]\n"
        "formula = 'A + B + C + D + E:c1'\n"
        "role = 'middle'\n"
        "[node.Child]\n" /* 20 */
        "parent = 'Roof'\n"
        "formula = '1 +'\n"
        "[node.Other]\n"
        "parent = 'Root'\n"
        "threshold = true\n" /* 25 */
        "[node.other]\n"
        "formula = '1'\n"
        "[node.Loop1]\nparent = 'Loop2'\nformula = '1'\n"
        "[node.Loop2]\nparent = 'Loop1'\nformula = '1'\n"
        "[metric.M1]\nformula = 'M2'\nnext = ['Nowhere_At_All']\n" /* 34-36 */
        "[metric.M2]\nformula = 'M1'\napproximate_when = 'A'\n"
        "[metric.'a-b']\nformula = '1'\n" /* 40 */
        "[metric.M3]\nformula = 'Unknown_1 + Unknown_2'\nthreshold = 'Unknown_3 > 1'\n"
        "[metric.M4]\nformula = 'A:q1 + Unknown_1'\n" /* 45 */
        "[metric.M5]\nformula = '1'\nfallback = 3\n"
        "[metric.M6]\nformula = 'B:retire_latency'\nparent = 'Root'\nunknown = 1\n"; /* 50-53 */
    static const char *const wanted[] = {
        "t.toml:1:1: 'title' is of type integer",
        "t.toml:1:1: the model has no 'name'",
        "t.toml:2:1: rung 'top'",
        "t.toml:5:1: unknown key 'colour'",
        "t.toml:6:10: match 'Genuine(' is no regular expression",
        "t.toml:8:9: unknown key 'kode'",
        "t.toml:9:1: event 'B': code is 0x100",
        "t.toml:10:19: 'umask' is of type string",
        "t.toml:11:1: event 'D' has neither",
        "t.toml:12:1: pmu 'gpu'",
        "t.toml:13:1: event 'Unused' is never used",
        "t.toml:15:1: latency of 'A' is of type string",
        "t.toml:19:1: role 'middle'",
        "t.toml:21:1: unknown parent 'Roof' of 'Child'; did you mean 'Root'?",
        "t.toml:22:15: formula of Child: found the end",
        "t.toml:25:1: 'threshold' is of type boolean",
        "t.toml:26:7: duplicate metric 'other': line 23",
        "t.toml:28:7: parents form a cycle: ",
        "t.toml:34:9: metrics refer to each other in a cycle: M1 -> M2 -> M1",
        "t.toml:36:1: next of 'M1'",
        "t.toml:39:1: 'M2' has approximate_when, but no approximate",
        "t.toml:39:1: approximate_when of 'M2' names 'A'",
        "t.toml:40:9: 'a-b' cannot be",
        "t.toml:43:12: formula of M3: no such event, metric or constant: 'Unknown_1'",
        "t.toml:43:24: formula of M3: no such event, metric or constant: 'Unknown_2'",
        "t.toml:44:14: threshold of M3: no such event, metric or constant: 'Unknown_3'",
        "t.toml:46:12: formula of M4: modifier ':q1'",
        "t.toml:49:1: 'fallback' is of type integer",
        "t.toml:52:1: 'M6' is not a node",
        "t.toml:53:1: unknown key 'unknown'",
        NULL,
    };
    expect("many", text, wanted);
}

/* An unknown name in a formula does not hide what is wrong with its end. */
static void test_unknown_name_and_syntax(void **state) {
    (void)state;
    static const char text[] = GOOD "event.A = { code = 1 }\n"
                                    "metric.X.formula = 'NO_SUCH_EVENT / A + )'\n"
                                    "metric.Y.formula = 'NO_SUCH_EVENT ? A'\n";
    static const char *const wanted[] = {
        "t.toml:10:21: formula of X: no such event, metric or constant: 'NO_SUCH_EVENT' (and in 1 "
        "more place)",
        "t.toml:10:41: formula of X: found ')', expected a number",
        "t.toml:11:35: formula of Y: found '?'",
        NULL,
    };
    expect("unknown name and syntax", text, wanted);
}

/* What loads, but is surely a mistake; and what looks like one, but is none. */
/* The first thousand are told; then a line says so. */
static void test_no_more_than_a_thousand(void **state) {
    (void)state;
    static char text[256 * 1024];
    static struct said said;
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 'slots'\n");
    for (int i = 0; i < 3000; i++)
        strbuf_add(&sb, "k%d = 1\n", i);
    strbuf_add(&sb, "[metric.M]\nformula = '1'\n");
    check_text(&said, text);
    assert_int_equal(said.n, 1001);
    sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "for = ['spr']\n");
    for (int i = 0; i < 3000; i++)
        strbuf_add(&sb, "[metric.M%d]\nformula = 'no_such'\nx = 1\n", i);
    check_text(&said, text);
    assert_int_equal(said.n, 1001);
}

static void test_lint(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        const char *wanted[5];
    } cases[] = {
        {"nothing wrong", GOOD "node.X = { formula = '1', role = 'none' }\n", {NULL}},
        {"bare",
         "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 's'\nnode.X.formula = '1'\n",
         {"t.toml:1:1: the model has no general counters", "t.toml:1:1: the model has no 'origin'",
          "t.toml:1:1: the model has no 'match'", "t.toml:5:6: root 'X' has no role"}},
        {"counters without those that matter",
         "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 's'\norigin = 'o'\nmatch = []\n"
         "counters = { fixed = 3 }\nmetric.X.formula = '1'\n",
         {"t.toml:7:1: the model has no general counters"}},
        {"another file's name",
         "name = 'u'\ntitle = 'T'\nrung = 'software'\nscope = 's'\nmetric.X.formula = '1'\n",
         {"t.toml:1:1: name is 'u', but the file is t.toml: "}},
        {"names that differ by case",
         GOOD
         "event.A-B = { code = 1 }\nevent.a-b = { code = 2 }\nmetric.X.locate = ['A-B', 'a-b']\n"
         "metric.X.formula = '1'\n",
         {"t.toml:10:7: event 'a-b' has the same name but for the case of letters: see 'A-B'"}},
        {"one alias for two events; synonyms may share it",
         GOOD "[event]\nA = { code = 1, alias = 'x' }\nB = { code = 1, alias = 'x' }\n"
              "C = { code = 2, alias = 'x' }\n[metric.X]\nformula = 'A + B + C'\n",
         {"t.toml:12:1: event 'C' has the same alias and another code: see 'A'"}},
        {"a slip in locate; neither another level nor another event",
         GOOD "[event]\n'MEM_LOAD_RETIRED.L2_HIT' = { code = 1 }\n'ABC' = { code = 2 }\n"
              "[metric.X]\nformula = 'ABC + MEM_LOAD_RETIRED.L2_HIT'\n"
              "locate = ['MEM_LOAD_RETIRED.L1_HIT', 'ABD', 'MEM_LOAD_RETIRED.L2_HIT:u1',\n"
              "'MEM_LOAD_RETIRD.L2_HIT:u1', 'MEM_LOAD_RETIRED.L2_MISS']\n",
         {"t.toml:15:1: locate names 'MEM_LOAD_RETIRD.L2_HIT:u1', which is no event; did you mean "
          "'MEM_LOAD_RETIRED.L2_HIT'?"}},
        {"percent for a share",
         GOOD "node.X = { formula = '1', role = 'none', threshold = 20 }\n"
              "node.Y = { formula = '1', role = 'none', threshold = 1 }\n"
              "node.Z = { formula = '1', role = 'none', threshold = 20, share = false }\n"
              "metric.M = { formula = '1', threshold = 20 }\n",
         {"t.toml:9:42: threshold of 'X' is 20, but a share is at most 1"}},
        {"keys misspelt, and unlike any",
         GOOD "metric.X = { formla = '1' }\nevent.A = { cod = 1 }\nmetric.Y = { formula = 'A', "
              "what = 1 }\nlimit = 'l'\n",
         {"t.toml:9:14: unknown key 'formla'; did you mean 'formula'?",
          "t.toml:10:13: unknown key 'cod'; did you mean 'code'?",
          "t.toml:11:29: unknown key 'what'; known: parent, formula",
          "t.toml:12:1: unknown key 'limit'; did you mean 'limits'?"}},
        {"no CPU on purpose",
         HEAD "match = []\nnode.X = { formula = '1', role = 'none' }\n",
         {NULL}},
        {"a rung without roles",
         "name = 't'\ntitle = 'T'\nrung = 'software'\nscope = 's'\nnode.X.formula = '1'\n",
         {NULL}},
        {"roles for some",
         "name = 't'\ntitle = 'T'\nrung = 'generic'\nscope = 's'\nnode.X.formula = '1'\n"
         "node.Y = { formula = '1', role = 'backend' }\n",
         {"t.toml:5:6: root 'X' has no role"}},
        {"events in use: by locate, with modifiers, for their latency, in a threshold",
         GOOD "[event]\nA = { code = 1 }\nB = { code = 2 }\nC = { code = 3 }\nD = { code = 4 }\n"
              "[latency]\nC = 2\n"
              "[metric.X]\nformula = 'B:c1 + C:retire_latency'\nthreshold = 'D > 1'\n"
              "locate = ['A', 'Not.In.The.Table']\n",
         {NULL}},
        {"a latency that no formula names",
         GOOD "event.C = { code = 3 }\nlatency.C = 2\nmetric.X.formula = 'C'\n",
         {"t.toml:10:9: latency of 'C' is never used"}},
        {"a name misspelt in many places is one mistake",
         GOOD "event.Cycles = { code = 3 }\nmetric.X.formula = 'Cycles / Cycels'\n"
              "metric.Y.formula = '1 / Cycels'\nmetric.Z.formula = '2 / Cycels'\n",
         {"t.toml:10:30: formula of X: no such event, metric or constant: 'Cycels'; did you mean "
          "'Cycles'? (and in 2 more places)"}},
        {"more fields of PERF_METRICS than there are",
         GOOD
         "counters.perf_metrics = 1\nmetric.X.formula = 'A + B'\n[event]\n"
         "A = { sysfs = 'a', perf_metrics = true }\nB = { sysfs = 'b', perf_metrics = true }\n",
         {"t.toml:13:1: event 'B' is no. 2 from PERF_METRICS, but the model says "
          "counters.perf_metrics = 1"}},
        {"two cycles of two",
         GOOD "metric.A.formula = 'B'\nmetric.B.formula = 'A'\nmetric.C.formula = 'D'\n"
              "metric.D.formula = 'C'\nmetric.E.formula = 'A + D'\n",
         {"t.toml:9:8: metrics refer", "t.toml:11:8: metrics refer"}},
        {"not TOML", "name = \n", {"t.toml:1:"}},
        {"text that could move the cursor",
         GOOD "limits = \"a\\u001b[2J\"\nmetric.X.formula = '1'\n",
         {"t.toml:9:1: 'limits' holds a control character"}},
        {"no metric at all", GOOD, {"t.toml:1:1: the model has 0 metrics"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect(cases[i].what, cases[i].text, cases[i].wanted);
}

/* What ends a load is among the problems, in the same words. */
static void test_check_tells_what_loading_tells(void **state) {
    (void)state;
    static struct said said;
    static const char *const models[] = {"gnr", "snb", "grr", "zen5", "neoverse-v3", "software"};
    for (const struct embedded *e = embedded_models; e->name; e++) {
        bool wanted = false;
        for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
            wanted |= !strcmp(models[i], e->name);
        if (!wanted)
            continue;
        struct model m;
        struct err err = {0};
        char *copy = strdup(e->text);
        assert_non_null(copy);
        char *formula = strstr(copy, "\nformula = \""); /* breaks the first formula */
        assert_non_null(formula);
        formula[12] = '@';
        assert_int_equal(model_load(&m, copy, e->len, "t.toml", &err), -EINVAL);
        check_text(&said, copy);
        bool told = false;
        for (int i = 0; i < said.n && i < SAID_MAX; i++)
            told |= !strcmp(said.text[i], err.text);
        if (!told)
            fail_msg("%s: of %d none is %s", e->name, said.n, err.text);
        free(copy);
    }
}

static void test_files(void **state) {
    (void)state;
    static struct said said;
    struct err err = {0};
    assert_int_equal(model_check("src/model/cpu/generic.toml", listen, &said, &err), 0);
    assert_int_equal(model_check("./nowhere.toml", listen, &said, &err), -ENOENT);
    assert_non_null(strstr(err.text, "nowhere.toml"));
    assert_true(model_check("src", listen, &said, &err) < 0);
}

/* --- files of metrics: against every model they are for --- */

static void test_metrics(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        const char *wanted[4];
    } cases[] = {
        {"for every model, of constants", "[metric.Mine]\nformula = 'NUM_CPUS * 2'\n", {NULL}},
        {"of what some models have", "[metric.Mine]\nformula = '1 - Retiring'\n", {NULL}},
        {"of what no model has",
         "[metric.Mine]\nformula = '1 - Retring'\n",
         {"t.toml:2:16: formula of Mine: no such event, metric or constant: 'Retring'"}},
        {"for one model", "for = ['spr']\n[metric.Mine]\nformula = '1 - Retiring'\n", {NULL}},
        {"for two, of which one lacks it",
         "for = ['spr', 'soft*']\n[metric.Mine]\nformula = '1 - Retiring'\n",
         {"t.toml:3:16: formula of Mine: no such event, metric or constant: 'Retiring'; did you "
          "mean 'Running'? (model "
          "software)"}},
        {"a name of the model's",
         "for = ['SPR', 'gen*']\n[metric.ipc]\nformula = '1'\n",
         {"t.toml:2:9: metric 'ipc' is one of the model "}},
        {"no such model",
         "for = ['sprr']\n[metric.Mine]\nformula = '1'\n",
         {"t.toml:1:8: 'for' names 'sprr', but no built-in model is called so; did you mean 'spr"}},
        {"for nothing", "for = []\n[metric.Mine]\nformula = '1'\n", {"t.toml:1:1: 'for' is empty"}},
        {"for of a wrong type",
         "for = 'spr'\n[metric.Mine]\nformula = '1'\n",
         {"t.toml:1:1: 'for' is of type string"}},
        {"nodes are the model's",
         "for = ['spr']\n[node.Mine]\nformula = '1'\n",
         {"t.toml:2:2: unknown key 'node'; known: for, shared, event, latency, metric"}},
        {"nodes are the model's, without for",
         "[node.Mine]\nformula = '1'\n",
         {"t.toml:1:2: unknown key 'node'; known: for, shared, event, latency, metric"}},
        {"a section misspelt",
         "[metrics.Mine]\nformula = '1'\n",
         {"t.toml:1:2: unknown key 'metrics'; did you mean 'metric'?"}},
        {"an empty file", "", {"t.toml:1:1: the file is empty"}},
        {"a file of comments", "# later\n", {"t.toml:1:1: the file is empty"}},
        {"a slip in locate",
         "for = ['spr']\n[metric.Mine]\nformula = '1'\nlocate = ['INST_RETIRED.AMY']\n",
         {"t.toml:4:11: locate names 'INST_RETIRED.AMY', which is no event; did you mean "
          "'INST_RETIRED.ANY'?"}},
        {"for every model, locate is not judged",
         "[metric.Mine]\nformula = '1'\nlocate = ['INST_RETIRED.AMY']\n",
         {NULL}},
        {"an alias of the model's for another code",
         "for = ['spr']\n[event]\n'X.Y' = { code = 1, alias = 'cycles' }\n"
         "[metric.Mine]\nformula = 'X.Y'\n",
         {"t.toml:3:1: event 'X.Y' has the same alias and another code: see "}},
        {"an event that nothing uses",
         "for = ['spr']\n[event]\n'X.Y' = { code = 1 }\n"
         "[metric.Mine]\nformula = '1'\n",
         {"t.toml:3:1: event 'X.Y' is never used"}},
        {"several mistakes",
         "[metric.Mine]\nformula = '1 +'\nparnt = 'x'\n[metric.Mine2]\nunit = 's'\n",
         {"t.toml:2:15: formula of Mine: found the end", "t.toml:3:1: unknown key 'parnt'",
          "t.toml:4:9: 'Mine2' has neither"}},
        {"an event of another vendor's layout",
         "[event]\n'MY.EV' = { code = 0xc0, umask = 1 }\n[metric.Mine]\nformula = 'MY.EV'\n",
         {NULL}},
        {"an event for the wrong vendor",
         "for = ['neoverse-*']\n[event]\n'MY.EV' = { code = 0xc0, umask = 1 }\n"
         "[metric.Mine]\nformula = 'MY.EV'\n",
         {"t.toml:3:1: event 'MY.EV': umask, cmask"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect(cases[i].what, cases[i].text, cases[i].wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_unknown_name_and_syntax),
        cmocka_unit_test(test_no_more_than_a_thousand),
        cmocka_unit_test(test_lint),
        cmocka_unit_test(test_check_tells_what_loading_tells),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
