/* Numbers as they stand on the screen. */
#include "ui/draw/words.h"

#include "base/clock.h"
#include "model/load/model_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct metric share = {.share = true}, plain = {0}, ghz = {.unit = "GHz"},
                           percent = {.unit = "%"}, per_s = {.unit = "/s"},
                           things = {.unit = "threads"};

static void test_value(void **state) {
    (void)state;
    static const struct {
        const struct metric *mt;
        double v;
        const char *value;
    } cases[] = {
        {&share, 0.48, "48.0%"},    {&share, 1, "100.0%"},       {&share, 0, "0.0%"},
        {&share, -0.0001, "0.0%"},  {&share, -0.012, "-1.2%"},   {&share, 1.062, "106.2%"},
        {&share, NAN, "n/a"},       {&plain, 1.234, "1.23"},     {&plain, 99.994, "99.99"},
        {&plain, 123.4, "123"},     {&plain, 1234567, "1.23M"},  {&plain, -0.00001, "0.00"},
        {&plain, 0.0123, "0.0123"}, {&plain, -0.001, "-0.0010"}, {&ghz, 3.4, "3.40 GHz"},
        {&ghz, NAN, "n/a"},         {&percent, 42.5, "42.50%"},  {&per_s, 12034, "12.0k/s"},
        {&per_s, 3, "3.0/s"},       {&per_s, 0, "0.0/s"},        {&per_s, 0.04, "0.0/s"},
        {&per_s, 123.4, "123/s"},   {&things, 5, "5 threads"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char buf[48];
        if (strcmp(words_value(buf, sizeof(buf), cases[i].mt, cases[i].v), cases[i].value) != 0)
            fail_msg("%g: %s, wanted %s", cases[i].v, buf, cases[i].value);
    }
}

/* What is exact is the same 0 in every row; what is not never looks as if it were. */
static void test_err(void **state) {
    (void)state;
    static const struct {
        const struct metric *mt;
        double v, err;
        const char *text;
    } cases[] = {
        {&share, 0.3, 0, "0"},          {&plain, 0.38, 0, "0"},
        {&per_s, 44300, 0, "0"},        {&per_s, 0, 0, "0"},
        {&things, 5, 0, "0"},           {&plain, 0, 0, "0"},
        {&share, 0.3, 0.0123, "1.2"},   {&share, 0.3, 0.0004, "<0.1"},
        {&share, 0.3, 1.5, "150.0"},    {&plain, 1.38, 0.04, "0.04"},
        {&plain, 0.55, 0.002, "<0.01"}, {&plain, 0.02, 0.0025, "0.0025"},
        {&plain, 0, 0.3, "0.30"},       {&plain, 329, 24.4, "24"},
        {&plain, 329, 0.2, "<1"},       {&plain, 33100, 3097, "3.10k"},
        {&plain, 1, 250, "250"},        {&per_s, 12, 1.25, "1.2"},
        {&things, 5, 0.3, "<1"},        {&plain, 1, NAN, "n/a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char buf[48];
        words_err(buf, sizeof(buf), cases[i].mt, cases[i].v, cases[i].err);
        if (strcmp(buf, cases[i].text) != 0)
            fail_msg("%g of %g: %s, wanted %s", cases[i].err, cases[i].v, buf, cases[i].text);
    }
}

static void test_cell(void **state) {
    (void)state;
    static const struct {
        struct value v;
        const char *cell;
    } cases[] = {
        {{.v = 0.48, .state = VALUE_EXACT}, "48.0%"},
        {{.v = 0.48, .state = VALUE_SCALED}, "48.0%"},
        {{.v = 0.48, .state = VALUE_SCALED, .approx = true}, "~48.0%"},
        {{.v = 1.062, .state = VALUE_ODD}, "106.2?"},
        {{.v = -0.2, .state = VALUE_ODD, .approx = true}, "~-20.0?"},
        {{.v = NAN, .state = VALUE_STALE}, "stale"},
        {{.v = NAN, .state = VALUE_NA}, "n/a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char buf[48];
        if (strcmp(words_cell(buf, sizeof(buf), &share, &cases[i].v), cases[i].cell) != 0)
            fail_msg("%s, wanted %s", buf, cases[i].cell);
    }
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        uint64_t ms;
        const char *interval, *clock, *span;
    } cases[] = {
        {0, "0ms", "00:00:00", "0s"},
        {20, "20ms", "00:00:00", "0.0s"},
        {500, "500ms", "00:00:00", "0.5s"},
        {1000, "1.0s", "00:00:01", "1s"},
        {1500, "1.5s", "00:00:01", "1.5s"},
        {10000, "10s", "00:00:10", "10s"},
        {60000, "60s", "00:01:00", "60s"},
        {90000, "90s", "00:01:30", "90s"},
        {123000, "123s", "00:02:03", "2m03s"},
        {180000, "180s", "00:03:00", "3min"},
        {7200000, "7200s", "02:00:00", "2h"},
        {7260000, "7260s", "02:01:00", "2h01m"},
        {360000000, "360000s", "100:00:00", "100h"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char a[24], b[24], c[24];
        uint64_t ns = cases[i].ms * NS_PER_MS;
        words_interval(a, sizeof(a), ns);
        words_clock(b, sizeof(b), ns);
        words_span(c, sizeof(c), ns);
        if (strcmp(a, cases[i].interval) != 0 || strcmp(b, cases[i].clock) != 0 ||
            strcmp(c, cases[i].span) != 0)
            fail_msg("%llu ms: %s, %s, %s", (unsigned long long)cases[i].ms, a, b, c);
    }
}

static const char text[] =
    "name = 'm'\ntitle = 'M'\ntma = ''\nvendor = ''\norigin = ''\nrung = 'software'\n"
    "scope = 'time'\nmatch = []\n[event]\n'E' = { code = 1 }\n"
    "[node.A]\nformula = 'E'\nthreshold = 0.25\n"
    "[node.B]\nparent = 'A'\nformula = 'E'\nthreshold = '(B > 0.1 & A > 0.5) | A > 0.9'\n"
    "[node.C]\nparent = 'A'\nformula = 'E'\nthreshold = 'A > 0.5 & C > 0.125'\n"
    "[node.D]\nformula = 'E'\n"
    "[node.E1]\nformula = 'E'\n"
    "[node.F]\nformula = 'E'\n"
    "[node.G]\nformula = 'E'\nrole = 'retiring'\n";

static void test_model(void **state) {
    (void)state;
    struct model m;
    struct err err;
    if (model_load(&m, text, strlen(text), "m.toml", &err) < 0)
        fail_msg("%s", err.text);
    int a = model_find(&m, "A"), b = model_find(&m, "B"), c = model_find(&m, "C"),
        d = model_find(&m, "D"), g = model_find(&m, "G");
    assert_true(model_threshold(&m, a) == 0.25);
    assert_true(isnan(model_threshold(&m, b))); /* not one number */
    assert_true(model_threshold(&m, c) == 0.125);
    assert_true(isnan(model_threshold(&m, d)));

    assert_int_equal(words_hue(&m, b), words_hue(&m, a)); /* a branch has one hue */
    assert_int_equal(words_hue(&m, g), STYLE_RETIRING);
    assert_int_equal(words_hue(&m, d), STYLE_LABEL); /* neither lost nor useful, beside G */
    assert_int_equal(words_fill(&m, d), STYLE_TEXT);
    assert_int_equal(words_hue(&m, a), STYLE_BADSPEC); /* with a threshold it may be lost */
    m.metric[g].role = ROLE_NONE;
    assert_int_not_equal(words_hue(&m, a), STYLE_LABEL); /* no role at all: hues by turns */
    assert_int_not_equal(words_hue(&m, d), words_hue(&m, a));
    m.metric[g].role = ROLE_RETIRING;
    assert_int_equal(words_fill(&m, g), STYLE_RETIRING_FILL);
    bool known;
    assert_true(words_useful(&m.metric[g], &known) && known);
    assert_false(words_useful(&m.metric[a], &known) || known);

    char buf[64];
    struct value at[7] = {{.v = 0.1}, {.v = NAN}, {.v = 0.2}, {.v = 0.3}};
    struct frame f = {.n_metric = m.n_metric, .at = at};
    for (int i = 0; i < 7; i++)
        m.metric[i].share = true;
    assert_int_equal(m.n_metric, 7);
    assert_string_equal(words_unknown_roots(buf, sizeof(buf), &m, &f), ""); /* B is no root */
    at[d].v = at[g].v = NAN;
    assert_string_equal(words_unknown_roots(buf, sizeof(buf), &m, &f), "D, G");
    assert_string_equal(words_unknown_roots(buf, 3, &m, &f), "D,");
    struct metric named = {.name = "Frontend_Bound"};
    assert_string_equal(words_short(buf, sizeof(buf), &named), "Frontend");
    named.name = "Bad_Speculation";
    assert_string_equal(words_short(buf, sizeof(buf), &named), "Bad Speculation");
    named.level = 1;
    assert_string_equal(words_brief(buf, sizeof(buf), &named), "Bad");
    named.name = "Frontend_Bound";
    named.role = ROLE_FRONTEND;
    assert_string_equal(words_brief(buf, sizeof(buf), &named), "Front");
    model_free(&m);
}

/* Letters and short names are those of the node, and no two roots have the same letter. */
static void test_letters(void **state) {
    (void)state;
    static const struct {
        const char *model, *node;
        char letter;
        const char *brief;
    } cases[] = {
        {"spr", "Frontend_Bound", 'F', "Front"}, {"spr", "Bad_Speculation", 'B', "Bad"},
        {"spr", "Backend_Bound", 'K', "Back"},   {"spr", "Retiring", 'R', "Ret"},
        {"spr", "Memory_Bound", 'K', "Memory"},  {"zen4", "SMT_Contention", 'S', "SMT"},
        {"generic", "Active", 'A', "Active"},    {"generic", "Backend_Stalls", 'K', "Back"},
        {"software", "User", 'U', "User"},       {"software", "Kernel", 'K', "Kernel"},
        {"software", "Idle", 'I', "Idle"},       {"software", "Run_Queue_Wait", 'W', "Wait"},
    };
    char buf[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, cases[i].model, NULL, &err) < 0)
            fail_msg("%s", err.text);
        const int node = model_find(&m, cases[i].node);
        assert_int_equal(words_letter(&m, node), cases[i].letter);
        assert_string_equal(words_brief(buf, sizeof(buf), &m.metric[node]), cases[i].brief);
        model_free(&m);
    }
}

/* The same where words begin alike: another letter of the name. */
static void test_letters_clash(void **state) {
    (void)state;
    static const char alike[] =
        "name = 'm'\ntitle = 'M'\ntma = ''\nvendor = ''\norigin = ''\nrung = 'software'\n"
        "scope = 'time'\nmatch = []\n[event]\n'E' = { code = 1 }\n"
        "[node.Kernel]\nformula = 'E'\n[node.Kicks]\nformula = 'E'\n"
        "[node.Bad_Speculation]\nrole = 'bad_speculation'\nformula = 'E'\n"
        "[node.Batch]\nformula = 'E'\n";
    struct model m;
    struct err err = {0};
    char got[8] = "";
    if (model_load(&m, alike, strlen(alike), "m.toml", &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 4; i++)
        got[i] = words_letter(&m, i);
    assert_string_equal(got, "KIBA");
    model_free(&m);
}

static void test_cut(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"Run Queue Wait", "Wait"}, {"User", "User"}, {"Fetch Latency", "Fetch"}, {"", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        str_copy(name, sizeof(name), cases[i][0]);
        assert_string_equal(words_cut(name), cases[i][1]);
    }
}

static void test_duty(void **state) {
    (void)state;
    static const struct {
        float duty;
        bool split;
        const char *text;
        enum style st;
    } cases[] = {
        {1, false, "100%", STYLE_DIM},      {0.4F, false, "40%", STYLE_LABEL},
        {0.02F, false, "2%", STYLE_LABEL}, /* its turn is short: the ± says what that costs */
        {0.02F, true, "÷ 2%", STYLE_LABEL}, {0.004F, false, "0%", STYLE_WARN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char buf[16];
        enum style st = words_duty(buf, sizeof(buf), cases[i].duty, cases[i].split);
        if (strcmp(buf, cases[i].text) != 0 || st != cases[i].st)
            fail_msg("%g: \"%s\", style %d", (double)cases[i].duty, buf, (int)st);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),   cmocka_unit_test(test_err),
        cmocka_unit_test(test_cell),    cmocka_unit_test(test_duty),
        cmocka_unit_test(test_letters), cmocka_unit_test(test_letters_clash),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_times),
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
