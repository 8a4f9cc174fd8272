/* What every kind of mistake in a model file is told: the place, the thing, what was expected. */
#include "model/load/model.h"

#include "base/str.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Five lines; so the first line of a case is line 6. */
#define HEAD(vendor)                                                                               \
    "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 'slots'\nvendor = '" vendor "'\n"
#define INTEL HEAD("Intel")
#define E1    INTEL "event.E = { code = 1 }\n"

#define UNCORE(terms) INTEL "event.U = { pmu = 'uncore', device = 'd', terms = " terms " }\n"

struct mistake {
    const char *what, *text, *says;
};

static void check(const struct mistake *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct model m;
        struct err err = {0};
        int rc = model_load(&m, cases[i].text, strlen(cases[i].text), "t.toml", &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].says) || !str_starts(err.text, "t.toml:"))
            fail_msg("%s: rc %d: %s", cases[i].what, rc, err.text);
        assert_null(m.metric);
        model_free(&m); /* accepts what is left: nothing */
    }
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_identity(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"not TOML", "name = \n", "t.toml:1:"},
        {"no name", "title = 'T'\n", "the model has no 'name'"},
        {"no metric", INTEL, "0 metrics"},
        {"unknown key", INTEL "colour = 1\n", "t.toml:6:1: unknown key 'colour'; known: name, "},
        {"a key that could move the cursor", INTEL "\"a\\u001b[2J\" = 1\n", "unknown key 'a?[2J'"},
        {"a text that could move the cursor", INTEL "limits = \"a\\u001b[2J\"\n",
         "t.toml:6:1: 'limits' holds a control character"},
        {"wrong type", INTEL "match = 'x'\n", "t.toml:6:1: 'match' is of type string"},
        {"array of another type", INTEL "match = ['x', 2]\n", "t.toml:6:15: 'match' holds"},
        {"unknown vendor", HEAD("Via") "metric.X.formula = '1'\n", "t.toml:5:1: vendor 'Via'"},
        {"unknown rung", "name='t'\ntitle='T'\nrung='top'\nscope='s'\n", "t.toml:3:1: rung 'top'"},
        {"a rung that is empty", "name='t'\ntitle='T'\nrung=''\nscope='s'\n",
         "t.toml:3:1: rung ''; known: full, "},
        {"a core type that is empty", INTEL "core_type = ''\n", "t.toml:6:1: core_type ''; known"},
        {"unknown core type", INTEL "core_type = 'big'\n",
         "t.toml:6:1: core_type 'big'; known: core, atom, lowpower"},
        {"number out of range", INTEL "slots_per_cycle = 65\n", "expected 0 to 64"},
        {"counters", INTEL "counters = { generla = 8 }\n",
         "t.toml:6:14: unknown key 'generla'; did you mean 'general'?"},
    };
    CHECK(cases);
}

static void test_events(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"event not a table", INTEL "event.E = 3\n", "t.toml:6:7: event 'E' is of type"},
        {"without a code", INTEL "event.E = { counters = '0' }\n", "neither code"},
        {"with two codes", INTEL "event.E = { code = 1, config = 1 }\n", "both code"},
        {"unknown key", INTEL "event.E = { kode = 1 }\n",
         "t.toml:6:13: unknown key 'kode'; did you mean 'code'?"},
        {"code too large", INTEL "event.E = { code = 0x1a0 }\n", "at most 0xff"},
        {"umask without a code", INTEL "event.E = { config = 1, umask = 1 }\n", "need the code"},
        {"umask on Arm", HEAD("Arm") "event.E = { code = 1, umask = 1 }\n", "AMD event"},
        {"a code too large for AMD", HEAD("AMD") "event.E = { code = 0x1000 }\n",
         "code is 0x1000, at most 0xfff"},
        {"any on AMD", HEAD("AMD") "event.E = { code = 1, any = 1 }\n",
         "t.toml:6:7: event 'E': codes of AMD have no 'any'"},
        {"a second byte of the umask on AMD",
         HEAD("AMD") "event.E = { code = 1, umask = 2, umaskext = 1 }\n",
         "umask is 0x102, at most 0xff"},
        {"counters that are no list", INTEL "event.E = { code = 1, counters = 'x' }\n",
         "t.toml:6:7: counters of event 'E'"},
        {"a counter too far", INTEL "event.E = { code = 1, counters = '70' }\n", "more than 63"},
        {"unknown pmu", INTEL "event.E = { code = 1, pmu = 'gpu' }\n", "pmu 'gpu'"},
        {"unknown type", INTEL "event.E = { config = 1, pmu = 'generic', type = 'x' }\n",
         "type 'x'"},
        {"device of a core event", INTEL "event.E = { code = 1, device = 'd' }\n",
         "device, terms and scale need pmu = \"uncore\""},
        {"scale of a core event", INTEL "event.E = { code = 1, scale = 2 }\n", "scale need"},
        {"outside the core by code", INTEL "event.E = { pmu = 'uncore', code = 1 }\n",
         "expected terms in place of a code"},
        {"terms without a device", INTEL "event.E = { pmu = 'uncore', terms = 'event=1' }\n",
         "event 'E' has terms, but no device"},
        {"terms and sysfs",
         INTEL "event.E = { pmu = 'uncore', device = 'd', terms = 'event=1', sysfs = 's' }\n",
         "both terms and sysfs"},
        {"terms that are none", UNCORE("'event=x'"), "terms of event 'U' are 'event=x'"},
        {"terms with a gap", UNCORE("'event=1,,umask=2'"), "terms of event 'U'"},
        {"terms with a space", UNCORE("'event=1, umask=2'"), "terms of event 'U'"},
        {"scale of a wrong type", INTEL "event.E = { pmu = 'uncore', device = 'd', scale = '1' }\n",
         "t.toml:6:43: 'scale' is of type string, expected a number"},
        {"scale of nothing", INTEL "event.E = { pmu = 'uncore', device = 'd', scale = 0 }\n",
         "scale of event 'E' is 0"},
        {"latency of a wrong type", INTEL "[latency]\nE = '9'\n",
         "t.toml:7:1: latency of 'E' is of type string"},
        {"latency below zero", INTEL "[latency]\nE = -9.5\n", "latency of 'E' is -9.5"},
        {"named like a constant", INTEL "event.TSC = { code = 1 }\n",
         "'TSC' has the name of a constant"},
    };
    CHECK(cases);
}

static void test_metrics(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"neither formula nor reason", INTEL "metric.X.unit = 's'\n", "neither a formula"},
        {"of a wrong type", INTEL "metric.X = 1\n", "'X' is of type integer"},
        {"unknown key", INTEL "[metric.X]\nformular = '1'\n",
         "t.toml:7:1: unknown key 'formular'; did you mean 'formula'?"},
        {"threshold of a wrong type", INTEL "[metric.X]\nformula = '1'\nthreshold = true\n",
         "t.toml:8:1: 'threshold' is of type boolean, expected a number or a string"},
        {"a name that no formula can spell", INTEL "metric.\"a-b\".formula = '1'\n",
         "'a-b' cannot be a metric's name"},
        {"named like an event", E1 "metric.E.formula = '1'\n", "the name of an event"},
        {"named like a constant", INTEL "metric.TSC.formula = '1'\n", "the name of a constant"},
        {"duplicate in another section", INTEL "node.Xy.formula = '1'\nmetric.xY.formula = '1'\n",
         "t.toml:7:8: duplicate metric 'xY': line 6 has 'Xy'"},
        {"duplicate in its section", INTEL "[node.X]\nformula = '1'\n[node.X]\nformula = '2'\n",
         "t.toml:8:"},
        {"vendor's name of another",
         INTEL "node.X.formula = '1'\nnode.Y = { formula = '1', vendor = 'x' }\n",
         "vendor's name 'x' of 'Y' also means 'X'"},
        {"fallback without a note", INTEL "node.X = { formula = '1', fallback = '2' }\n",
         "fallback_note"},
        {"unknown role", INTEL "node.X = { formula = '1', role = 'front' }\n",
         "t.toml:6:27: role 'front'"},
        {"role below a root",
         INTEL "node.X.formula = '1'\n[node.Y]\nparent = 'X'\nformula = '1'\nrole = 'backend'\n",
         "t.toml:10:1: role of 'Y': only roots"},
        {"approximate_when without words",
         INTEL "node.X = { formula = '1', approximate_when = '1' }\n",
         "t.toml:6:27: 'X' has approximate_when, but no approximate"},
        {"next of a wrong type", INTEL "node.X = { formula = '1', next = 'Y' }\n",
         "t.toml:6:27: 'next' is of type string"},
        {"next to nowhere",
         INTEL "node.X = { formula = '1', next = ['Brunch'], groups = 'Branch' }\n",
         "t.toml:6:27: next of 'X': no metric and no group has the name 'Brunch'; did you mean "
         "'Branch'?"},
    };
    CHECK(cases);
}

#define CHILD(name, parent) "node." name " = { parent = '" parent "', formula = '1' }\n"

static void test_tree(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"unknown parent",
         INTEL "[node.Memory_Bound]\nformula = '1'\n[node.X]\nparent = 'Memory_Bond'\n"
               "formula = '1'\n",
         "t.toml:9:1: unknown parent 'Memory_Bond' of 'X'; did you mean 'Memory_Bound'?"},
        {"parent beside the tree", INTEL "metric.M.formula = '1'\n" CHILD("X", "M"),
         "t.toml:7:12: parent 'M' of 'X' is beside the tree"},
        {"parent of a metric",
         INTEL "node.N.formula = '1'\nmetric.X = { parent = 'N', formula = '1' }\n",
         "'X' is not a node"},
        {"parents in a cycle",
         INTEL "node.R.formula = '1'\n" CHILD("Z", "A") CHILD("A", "B") CHILD("B", "A"),
         "parents form a cycle: "},
        {"its own parent", INTEL CHILD("A", "A"), "t.toml:6:6: parents form a cycle: A -> A"},
        {"too deep",
         INTEL "node.A.formula = '1'\n" CHILD("B", "A") CHILD("C", "B") CHILD("D", "C")
             CHILD("E", "D") CHILD("F", "E") CHILD("G", "F") CHILD("H", "G") CHILD("I", "H"),
         "t.toml:14:6: 'I' is at level 9"},
    };
    CHECK(cases);
}

static void test_formulas(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"syntax", INTEL "[node.X]\nformula = '1 + '\n",
         "t.toml:7:16: formula of X: found the end"},
        {"other spacing", INTEL "[node.X]\n  formula   =\t\"1 ++ 2\"\n",
         "t.toml:7:19: formula of X: found '+'"},
        {"several lines", INTEL "[node.X]\nformula = '''\n(1\n  + 2 2)\n'''\n",
         "t.toml:9:7: formula of X: found '2'"},
        {"three quotes on one line", INTEL "[node.X]\nformula = \"\"\"1 +\t3 @\"\"\"\n",
         "t.toml:7:20: formula of X: found '@'"},
        {"behind an escape", INTEL "[node.X]\nformula = \"1\\t+ @\"\n",
         "t.toml:7:17: formula of X: found '@'"},
        {"behind wide characters",
         INTEL "node = { X = { summary = '\xc3\xa9\xe2\x82\xac', formula = '1 +' } }\n",
         "t.toml:6:46: formula of X: found the end"},
        {"of a threshold", INTEL "[node.X]\nformula = '1'\nthreshold = 'X >'\n",
         "t.toml:8:17: threshold of X: found the end"},
        {"of alt", INTEL "[node.X]\nformula = '1'\nalt = '('\n", "t.toml:8:9: alt of X: found the"},
        {"empty", INTEL "[node.X]\nformula = ''\n", "t.toml:7:12: formula of X: found the end"},
        {"a cycle", INTEL "node.A.formula = 'B + 1'\nnode.B.formula = 'C'\nnode.C.formula = 'B'\n",
         "t.toml:7:6: metrics refer to each other in a cycle: B -> C -> B"},
        {"a cycle of one", INTEL "node.A.formula = 'A'\n", "cycle: A -> A"},
        {"a cycle through alt",
         INTEL "node.A.formula = 'B'\nnode.B = { formula = '1', alt = 'A' }\n",
         "cycle: A -> B -> A"},
    };
    CHECK(cases);
}

/* Doubled sixty times, a formula of one name would have 10^18: told at once, before anyone reads
 * it. */
static void test_inlined_without_end(void **state) {
    (void)state;
    char text[8192];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s", E1 "metric.M0 = { formula = 'E', inline = true }\n");
    for (int i = 1; i < 60; i++)
        strbuf_add(&sb, "metric.M%d = { formula = 'M%d + M%d', inline = true }\n", i, i - 1, i - 1);
    const struct mistake cases[] = {
        {"inlined", text, "t.toml:18:8: metric 'M11': its formulas have more than 4096 names"},
    };
    CHECK(cases);
    for (char *at = text; (at = strstr(at, ", inline = true"));)
        memset(at, ' ', strlen(", inline = true"));
    struct model m;
    struct err err = {0};
    assert_int_equal(model_load(&m, text, strlen(text), "t.toml", &err), 0);
    model_free(&m);
}

static void test_names(void **state) {
    (void)state;
    static const struct mistake cases[] = {
        {"unknown event",
         INTEL "event.\"UOPS_ISSUED.ANY\" = { code = 1 }\n[node.X]\n"
               "formula = '1 / UOPS_ISUED.ANY:c1'\n",
         "t.toml:8:16: formula of X: no such event, metric or constant: 'UOPS_ISUED.ANY:c1'; "
         "did you mean 'UOPS_ISSUED.ANY'?"},
        {"metric in another case",
         INTEL "node.Retiring.formula = '1'\nnode.X.formula = 'retiring'\n",
         "'retiring'; did you mean 'Retiring'?"},
        {"constant misspelt", INTEL "node.X.formula = 'DURATION'\n", "'DURATION_S'?"},
        {"nothing near", INTEL "node.X.formula = 'Quite_Something_Else'\n",
         "'Quite_Something_Else'"},
        {"the latency of no event", E1 "node.X.formula = 'F.A:retire_latency'\n", "no such event"},
        {"approximate when something is counted",
         E1 "[node.X]\nformula = 'E'\napproximate = 'so'\napproximate_when = 'E > 1'\n",
         "t.toml:10:1: approximate_when of 'X' names 'E', which is counted; expected constants"},
        {"approximate by a metric that is counted",
         E1 "node.Y = { formula = 'SMT_ON', fallback = 'E', fallback_note = 's' }\n"
            "[node.X]\nformula = '1'\napproximate = 'so'\napproximate_when = 'SMT_ON & Y'\n",
         "t.toml:11:1: approximate_when of 'X' names 'Y', which is counted"},
        {"modifier of another PMU", UNCORE("'event=1'") "node.X.formula = 'U:percore'\n",
         "modifier ':percore' of event 'U'; known: cN iN eN opc=N"},
        {"filter of a core event", E1 "node.X.formula = 'E:opc=1'\n", "modifier ':opc=1' of"},
        {"threshold too wide", UNCORE("'event=1'") "node.X.formula = 'U:c256'\n", "':c256' of"},
        {"modifier of an event by sysfs",
         INTEL "event.U = { pmu = 'uncore', device = 'd', sysfs = 's' }\nnode.X.formula = 'U:c1'\n",
         "modifier ':c1' needs event 'U' by its terms"},
        {"unknown modifier", E1 "node.X.formula = 'E:q1'\n", "modifier ':q1' of event 'E'"},
        {"modifier without its number", E1 "node.X.formula = 'E:c'\n", "modifier ':c' of"},
        {"modifier too large", E1 "node.X.formula = 'E:c256'\n", "modifier ':c256'"},
        {"flag with a number", E1 "node.X.formula = 'E:percore2'\n", "modifier ':percore2'"},
        {"modifier that only Intel has",
         HEAD("AMD") "event.E = { code = 1 }\nnode.X.formula = 'E:eq1'\n",
         "modifier ':eq1': codes of AMD have no field 'eq'"},
        {"modifier on Arm", HEAD("Arm") "event.E = { code = 1 }\nnode.X.formula = 'E:c1'\n",
         "for Intel and AMD core events only"},
    };
    CHECK(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_inlined_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
