#include "model/load/model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A model of one vendor with one metric that uses all events. */
static void load(struct model *m, const char *head, const char *events, const char *formula) {
    static char text[4096];
    struct err err = {0};
    snprintf(text, sizeof(text),
             "name = 'm'\ntitle = 'M'\norigin = 't'\nscope = 's'\nrung = 'full'\nmatch = []\n%s\n"
             "[event]\n%s\n[node.A]\nformula = '%s'\n",
             head, events, formula);
    if (model_load(m, text, strlen(text), "m.toml", &err) < 0)
        fail_msg("%s", err.text);
}

static void test_events(void **state) {
    (void)state;
    static const struct {
        const char *head, *event, *name, *text;
    } cases[] = {
        {"vendor = 'Intel'", "'X' = { code = 0xa6, umask = 0x21, cmask = 5 }", "X",
         "cpu/event=0xa6,umask=0x21,cmask=0x5/"},
        {"vendor = 'Intel'", "'X' = { code = 0x3c }", "X", "cpu/event=0x3c/"},
        {"vendor = 'Intel'", "'X' = { config = 0x300, fixed = 2 }", "X",
         "cpu/event=0x0,umask=0x3/"},
        {"vendor = 'Intel'", "'X' = { code = 0x0d, umask = 3, cmask = 1, any = 1 }", "X:e1:i1",
         "cpu/event=0xd,umask=0x3,edge,any,inv,cmask=0x1/"},
        {"vendor = 'Intel'", "'X' = { code = 0xd1, umask = 2, umaskext = 1 }", "X",
         "cpu/event=0xd1,umask=0x102/"},
        {"vendor = 'Intel'", "'X' = { code = 0xb7, umask = 1, config1 = 0x10003c0001 }", "X",
         "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10003c0001/"},
        {"vendor = 'Intel'", "'X' = { code = 0xc6, umask = 1, config1 = 0x600106 }", "X",
         "cpu/event=0xc6,umask=0x1,frontend=0x600106/"},
        {"vendor = 'Intel'", "'X' = { code = 0xcd, umask = 1, config1 = 0x80 }", "X",
         "cpu/event=0xcd,umask=0x1,ldlat=0x80/"},
        {"vendor = 'Intel'", "'X' = { code = 0x01, config1 = 0x80 }", "X",
         "cpu/event=0x1,config1=0x80/"},
        {"vendor = 'Intel'", "'X' = { config = 0x100003c }", "X", "cpu/event=0x3c,cmask=0x1/"},
        {"vendor = 'Intel'", "'X' = { config = 0x40003c }", "X",
         "cpu/config=0x40003c/"}, /* bit 22 has no name */
        {"vendor = 'Intel'\ncore_type = 'atom'", "'X' = { code = 0x3c }", "X:SUP",
         "cpu_atom/event=0x3c/k"},
        {"vendor = 'Intel'\ncore_type = 'core'", "'X' = { code = 0x3c }", "X:percore",
         "cpu_core/event=0x3c,percore/"},
        {"vendor = 'Intel'", "'X' = { sysfs = 'topdown-retiring' }", "X", "cpu/topdown-retiring/"},
        {"vendor = 'AMD'", "'X' = { code = 0x1a0, umask = 0x1e, cmask = 6 }", "X",
         "cpu/event=0x1a0,umask=0x1e,cmask=0x6/"},
        {"vendor = 'Arm'", "'X' = { code = 0x8158 }", "X", "armv8_pmuv3_0/event=0x8158/"},
        {"vendor = ''", "'X' = { pmu = 'generic', config = 7 }", "X", "stalled-cycles-frontend"},
        {"vendor = ''", "'X' = { pmu = 'generic', type = 'hw-cache', config = 0x10000 }", "X",
         "L1-dcache-load-misses"},
        {"vendor = ''", "'X' = { pmu = 'generic', type = 'hw-cache', config = 0x103 }", "X",
         "dTLB-stores"},
        {"vendor = ''", "'X' = { pmu = 'software', config = 1 }", "X", "task-clock"},
        {"vendor = ''", "'X' = { pmu = 'proc' }", "X", ""},
        {"vendor = 'Intel'",
         "'X' = { pmu = 'uncore', device = 'uncore_cha', terms = 'event=0x35,umask=0xc816fe01' }",
         "X:c1", "uncore_cha/event=0x35,umask=0xc816fe01,thresh=0x1/"},
        {"vendor = 'Intel'", "'X' = { pmu = 'uncore', device = 'power', sysfs = 'energy-pkg' }",
         "X", "power/energy-pkg/"},
        {"vendor = 'Intel'", "'X' = { pmu = 'uncore' }", "X", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        char text[128];
        load(&m, cases[i].head, cases[i].event, cases[i].name);
        assert_int_equal(m.n_event, 1);
        model_event_text(&m, &m.event[0], text, sizeof(text));
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("%s, %s: \"%s\"", cases[i].head, cases[i].event, text);
        model_free(&m);
    }
}

/* What is written is what was read: parsing it again gives the same text. */
static void test_expressions(void **state) {
    (void)state;
    static const struct {
        const char *formula, *text;
    } cases[] = {
        {"X", "X"},
        {"(X)", "X"},
        {"X - (Y - Z)", "X - (Y - Z)"},
        {"(X - Y) - Z", "X - Y - Z"},
        {"X / (Y * Z)", "X / (Y * Z)"},
        {"X * (Y + 2) / Z", "X * (Y + 2) / Z"},
        {"-X * Y", "-X * Y"},
        {"-(X + Y)", "-(X + Y)"},
        {"-(-X)", "-(-X)"},
        {"max(X, Y - 1, 0.5)", NULL},
        {"min(X if Y > 1 else Z, 2)", "min(X if Y > 1 else Z, 2)"},
        {"X if SMT_ON & EBS_MODE else Y", "X if SMT_ON & EBS_MODE else Y"},
        {"(X if Y else Z) if X else Y", "(X if Y else Z) if X else Y"},
        {"X if Y else Z if X else 1", "X if Y else Z if X else 1"},
        {"(X > 1 | Y > 2) & Z", "(X > 1 | Y > 2) & Z"},
        {"(X > 1) == (Y > 2)", "(X > 1) == (Y > 2)"},
        {"X * 1e9 / DURATION_S", "X * 1000000000 / DURATION_S"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        char text[256], again[256];
        static const char events[] = "'X' = { code = 1 }\n'Y' = { code = 2 }\n'Z' = { code = 3 }";
        load(&m, "vendor = 'Intel'", events, cases[i].formula);
        struct strbuf sb = strbuf_on(text, sizeof(text));
        model_expr_text(&m, m.metric[0].ast, &sb);
        if (cases[i].text && strcmp(text, cases[i].text) != 0)
            fail_msg("%s: \"%s\"", cases[i].formula, text);
        model_free(&m);
        load(&m, "vendor = 'Intel'", events, text);
        sb = strbuf_on(again, sizeof(again));
        model_expr_text(&m, m.metric[0].ast, &sb);
        assert_string_equal(again, text);
        model_free(&m);
    }
}

static void test_groups(void **state) {
    (void)state;
    static const struct {
        const char *groups, *name;
        bool in;
    } cases[] = {
        {"MemoryBW;Offcore", "Offcore", true},
        {"MemoryBW; Offcore ", "offcore", true},
        {"MemoryBW", "Memory", false},
        {"MemoryBW", "MemoryBWX", false},
        {";;A;", "A", true},
        {"", "A", false},
        {NULL, "A", false},
        {"A;B", "", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct metric mt = {.groups = cases[i].groups};
        if (model_in_group(&mt, cases[i].name) != cases[i].in)
            fail_msg("'%s' in '%s'", cases[i].name, cases[i].groups ? cases[i].groups : "-");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
