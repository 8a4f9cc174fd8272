/* What is known before anything is counted, and which branches that decides. */
#include "model/load/known.h"

#include "base/str.h"
#include "model_fixture.h"

static const char head[] =
    "name = 'tiny'\ntitle = 'Tiny core'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"
    "slots_per_cycle = 6\n"
    "[event]\n'A' = { code = 1 }\n'B' = { code = 2 }\n'C' = { code = 3 }\n"
    "[latency]\n'A' = 9.5\n'C' = 4\n"
    "[metric.Half]\nformula = 'NUM_CPUS / 2'\n"
    "[metric.Share]\nformula = 'A / 2'\n"
    "[metric.Late]\nformula = 'B:retire_latency'\n"
    "[metric.Either]\nformula = '1'\nalt = '2'\n"
    "[metric.Gone]\nformula = '1'\nunavailable = 'not here'\n";

static const struct latency_setting measured[] = {{"C", 12.5}};

/* NUM_CPUS is 8, SMT_ON 1; DURATION_S is 3, but not fixed by the user; C was measured. */
static struct consts known_consts(void) {
    struct consts c;
    consts_init(&c);
    c.value[CONST_NUM_CPUS] = 8;
    c.value[CONST_SMT_ON] = 1;
    c.value[CONST_DURATION_S] = 3;
    c.latency = measured;
    c.n_latency = 1;
    return c;
}

/* A model whose metric X is the formula; returns X's. */
static const struct ast *load(struct model *m, const char *formula) {
    char text[2048];
    struct err err = {0};
    snprintf(text, sizeof(text), "%s[metric.X]\nformula = '%s'\n", head, formula);
    if (model_load(m, text, strlen(text), "tiny.toml", &err) < 0)
        fail_msg("%s", err.text);
    return m->metric[model_find(m, "X")].ast;
}

static void values(void **state) {
    (void)state;
    static const struct {
        const char *what, *formula;
        double value; /* NAN: not known */
    } cases[] = {
        {"a number", "2 * 3 - 4 / 2", 4},
        {"a constant", "NUM_CPUS", 8},
        {"one that nobody has given", "SOCKET_COUNT", NAN},
        {"the model's width", "SLOTS_PER_CYCLE", 6},
        {"whole cores unless said otherwise", "EBS_MODE", 0},
        {"the interval is not known before", "DURATION_S", NAN},
        {"an event", "A", NAN},
        {"0 times an event", "0 * A", NAN},
        {"and: 0 decides", "EBS_MODE & A", 0},
        {"and: 0 decides from the right", "A & EBS_MODE", 0},
        {"and: 1 does not", "SMT_ON & A", NAN},
        {"or: 1 decides", "A | SMT_ON", 1},
        {"or: 0 does not", "EBS_MODE | A > 2", NAN},
        {"both known", "SMT_ON & NUM_CPUS > 4", 1},
        {"if: the branch that is taken", "3 if SMT_ON else A", 3},
        {"if: that one is an event", "3 if EBS_MODE else A", NAN},
        {"if: an open condition", "3 if A else 3", NAN},
        {"x/0", "1 / EBS_MODE", NAN},
        {"min of a constant and an event", "min(1, A)", NAN},
        {"min, max, -", "max(min(NUM_CPUS, 5), -2)", 5},
        {"a metric of constants", "Half + 1", 5},
        {"a metric of events", "Share > 0", NAN},
        {"a metric with two formulas", "Either", NAN},
        {"an unavailable metric", "Gone", NAN},
        {"the vendor's average", "A:retire_latency", 9.5},
        {"measured goes before it", "C:retire_latency", 12.5},
        {"no latency known", "B:retire_latency", NAN},
        {"it is -1 in a comparison", "B:retire_latency >= 0", 0},
        {"on the right as well", "-1 == B:retire_latency", 1},
        {"but not beyond it", "2 * B:retire_latency >= 0", NAN},
        {"nor through a metric", "Late >= 0", NAN},
        {"a known one is itself there", "A:retire_latency >= 9", 1},
        {"the vendor's form", "2 if B:retire_latency >= 0 else 7", 7},
    };
    const struct consts c = known_consts();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct model m = {0};
        double v = 99;
        const bool known = known_value(&m, &c, load(&m, cases[i].formula), &v);
        if (known == isnan(cases[i].value) || !same_number(v, cases[i].value, 1e-15))
            fail_msg("%s: %s = %g, known %d", cases[i].what, cases[i].formula, v, known);
        model_free(&m);
    }
}

/* SMT_ON is 1, NUM_CPUS 8, SOCKET_COUNT unknown; EBS_MODE unknown, 0 and 1. */
static void warnings(void **state) {
    (void)state;
    static const struct {
        const char *what, *keys;
        enum known_warning unknown, whole, single;
    } cases[] = {
        {"none", "", WARNING_NONE, WARNING_NONE, WARNING_NONE},
        {"always", "approximate = 'a'", WARNING_SURE, WARNING_SURE, WARNING_SURE},
        {"of single threads", "approximate = 'a'\napproximate_when = 'SMT_ON & EBS_MODE'",
         WARNING_EBS_MODE, WARNING_NONE, WARNING_SURE},
        {"decided without it", "approximate = 'a'\napproximate_when = 'NUM_CPUS < 8 & EBS_MODE'",
         WARNING_NONE, WARNING_NONE, WARNING_NONE},
        {"the other way", "approximate = 'a'\napproximate_when = 'SMT_ON | EBS_MODE'", WARNING_SURE,
         WARNING_SURE, WARNING_SURE},
        {"of whole cores", "approximate = 'a'\napproximate_when = '1 - EBS_MODE'", WARNING_SURE,
         WARNING_SURE, WARNING_NONE},
        {"through a metric", "approximate = 'a'\napproximate_when = 'Ebs'", WARNING_EBS_MODE,
         WARNING_NONE, WARNING_SURE},
        {"for another reason", "approximate = 'a'\napproximate_when = 'SOCKET_COUNT > 1'",
         WARNING_NONE, WARNING_NONE, WARNING_NONE},
    };
    struct consts c = known_consts();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct model m = {0};
        char text[2048];
        struct err err = {0};
        snprintf(text, sizeof(text),
                 "%s[metric.Ebs]\nformula = 'EBS_MODE'\n[metric.X]\nformula = 'A'\n%s\n", head,
                 cases[i].keys);
        if (model_load(&m, text, strlen(text), "tiny.toml", &err) < 0)
            fail_msg("%s", err.text);
        const struct metric *x = &m.metric[model_find(&m, "X")];
        const enum known_warning wanted[] = {cases[i].unknown, cases[i].whole, cases[i].single};
        static const double ebs[] = {NAN, 0, 1};
        for (int k = 0; k < 3; k++) {
            c.value[CONST_EBS_MODE] = ebs[k];
            if (known_warning(&m, &c, x) != wanted[k])
                fail_msg("%s, EBS_MODE %g: %d", cases[i].what, ebs[k], known_warning(&m, &c, x));
        }
        model_free(&m);
    }
}

static void what_the_user_says_goes_first(void **state) {
    (void)state;
    struct model m = {0};
    struct consts c = known_consts();
    load(&m, "A:retire_latency + B");
    c.value[CONST_SLOTS_PER_CYCLE] = 8;
    c.value[CONST_EBS_MODE] = 1;
    c.fixed_by_user[CONST_DURATION_S] = true;
    assert_true(known_const(&m, &c, CONST_SLOTS_PER_CYCLE) == 8);
    assert_true(known_const(&m, &c, CONST_EBS_MODE) == 1);
    assert_true(known_const(&m, &c, CONST_DURATION_S) == 3);
    c.value[CONST_NUM_CPUS] = INFINITY; /* is no number to calculate with */
    assert_true(isnan(known_const(&m, &c, CONST_NUM_CPUS)));
    assert_true(isnan(known_const(&m, &c, CONST_N + (int)m.n_latency)));
    assert_ptr_equal(known_latency_setting(&c, "C"), &measured[0]);
    assert_null(known_latency_setting(&c, "A"));
    model_free(&m);
}

struct collector {
    const struct model *m;
    struct strbuf sb;
};

static void collect(const struct ast *leaf, void *user) {
    struct collector *c = user;
    const char *name = leaf->op == AST_EVENT    ? c->m->event[leaf->index].name
                       : leaf->op == AST_METRIC ? c->m->metric[leaf->index].name
                       : leaf->index < CONST_N  ? const_name((enum const_id)leaf->index)
                                                : c->m->latency[leaf->index - CONST_N].event;
    strbuf_add(&c->sb, "%s%s ", leaf->op == AST_CONST && leaf->index >= CONST_N ? "~" : "", name);
}

static void leaves_that_matter(void **state) {
    (void)state;
    static const struct {
        const char *formula, *leaves;
    } cases[] = {
        {"A + Share * NUM_CPUS", "A Share NUM_CPUS "},
        {"A if SMT_ON else B", "A "},
        {"A if EBS_MODE else B", "B "},
        {"A if SMT_ON & EBS_MODE else B", "B "},
        {"A if B & EBS_MODE else C", "C "},
        {"A if B & SMT_ON else C", "A B SMT_ON C "},
        {"A / (B if EBS_MODE | SMT_ON else C)", "A B "},
        {"(A if SMT_ON else B) if EBS_MODE else C if SMT_ON else A", "C "},
        {"B * B:retire_latency if B:retire_latency >= 0 else B * 7", "B "},
        {"A * A:retire_latency if A:retire_latency >= 0 else C", "A ~A "},
        {"1", ""},
    };
    const struct consts c = known_consts();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct model m = {0};
        char buf[256];
        struct collector col = {.m = &m, .sb = strbuf_on(buf, sizeof(buf))};
        known_leaves(&m, &c, load(&m, cases[i].formula), collect, &col);
        if (strcmp(buf, cases[i].leaves) != 0)
            fail_msg("%s: '%s'", cases[i].formula, buf);
        known_leaves(&m, &c, NULL, collect, &col); /* nothing is no formula */
        model_free(&m);
    }
}

/* Each link names the one before twice: 2^40 steps if all were followed. */
static void long_chains_are_quick(void **state) {
    (void)state;
    enum { LINKS = 40 };
    char text[8192];
    struct model m = {0};
    struct err err = {0};
    struct consts c = known_consts();
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s[metric.M0]\nformula = 'A'\n", head);
    for (int i = 1; i <= LINKS; i++)
        strbuf_add(&sb, "[metric.M%d]\nformula = 'M%d & M%d'\n", i, i - 1, i - 1);
    if (model_load(&m, text, strlen(text), "chain.toml", &err) < 0)
        fail_msg("%s", err.text);
    double v;
    assert_false(known_value(&m, &c, m.metric[model_find(&m, "M40")].ast, &v));
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(warnings),
        cmocka_unit_test(what_the_user_says_goes_first),
        cmocka_unit_test(leaves_that_matter),
        cmocka_unit_test(long_chains_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
