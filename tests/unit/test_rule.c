#include "base/clock.h"
#include "model/compare/rule.h"
#include "model/run/run.h"
#include "model_fixture.h"

static const char tree[] =
    "name = 'tree'\ntitle = 'Tree'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"
    "[event]\n'b' = {code = 1}\n'i' = {code = 2}\n'c' = {code = 3}\n"
    "[node.Backend]\nformula = 'b'\nthreshold = 0.2\nrole = 'backend'\n"
    "[metric.IPC]\nformula = 'i'\nsummary = 'instructions a cycle'\n"
    "[metric.CPUs_Utilized]\nformula = 'c'\nsummary = 'CPUs kept busy'\n"
    "[metric.Never]\nunavailable = 'it has no such event'\nsummary = 'never'\n";
enum { BACKEND, IPC, CPUS };

struct tried {
    struct model m;
    struct frame f;
    struct rule r;
    struct rule_watch w;
    double cpus;
};

static void begin(struct tried *t, const char *rule, const struct run *base) {
    *t = (struct tried){.cpus = 1};
    struct err err = {0};
    if (model_load(&t->m, tree, strlen(tree), "tree.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(model_find(&t->m, "Backend"), BACKEND);
    assert_int_equal(model_find(&t->m, "IPC"), IPC);
    assert_int_equal(model_find(&t->m, "CPUs_Utilized"), CPUS);
    assert_int_equal(frame_init(&t->f, t->m.n_metric), 0);
    if (rule_parse(rule, &t->r, &err) < 0 || rule_bind(&t->w, &t->r, &t->m, base, &err) < 0)
        fail_msg("%s", err.text);
}

static void end(struct tried *t) {
    frame_destroy(&t->f);
    model_free(&t->m);
}

/* An interval of 1 s. */
static enum rule_change takes(struct tried *t, int metric, double v) {
    t->f.t0_ns = t->f.t1_ns;
    t->f.t1_ns += NS_PER_S;
    t->f.at[metric] = (struct value){.v = v};
    t->f.at[CPUS] = (struct value){.v = t->cpus};
    return rule_take(&t->w, &t->m, &t->f);
}

static void fires_after_its_time(void **state) {
    (void)state;
    struct tried t;
    char found[128];
    begin(&t, "Backend > 30% for 2s", NULL);
    assert_int_equal(takes(&t, BACKEND, .5), RULE_SAME);
    assert_int_equal(takes(&t, BACKEND, .3), RULE_SAME); /* is not above it */
    assert_int_equal(takes(&t, BACKEND, .4), RULE_SAME);
    assert_int_equal(takes(&t, BACKEND, NAN), RULE_SAME); /* not known: as it was */
    assert_int_equal(takes(&t, BACKEND, .5), RULE_FIRES);
    assert_string_equal(rule_found(&t.w, &t.m, found, sizeof(found)),
                        "Backend 45.0%, > 30.0% for 3 s");
    assert_int_equal(takes(&t, BACKEND, .5), RULE_SAME);
    end(&t);
}

static void again_after_it_was_back_and_a_pause(void **state) {
    (void)state;
    struct tried t;
    begin(&t, "ipc<1 until 1.5 for 2 every 10s", NULL);
    assert_int_equal(takes(&t, IPC, .5), RULE_SAME);
    assert_int_equal(takes(&t, IPC, .5), RULE_FIRES); /* at 2 */
    for (int i = 0; i < 4; i++)
        assert_int_equal(takes(&t, IPC, 1.2), RULE_SAME); /* between both limits */
    assert_int_equal(takes(&t, IPC, 1.6), RULE_SAME);
    assert_int_equal(takes(&t, IPC, 1.6), RULE_ENDS); /* at 8 */
    assert_int_equal(takes(&t, IPC, .5), RULE_SAME);
    assert_int_equal(takes(&t, IPC, .5), RULE_SAME); /* 10, 8 after the last */
    assert_int_equal(takes(&t, IPC, .5), RULE_SAME);
    assert_int_equal(takes(&t, IPC, .5), RULE_FIRES);
    end(&t);
}

/* The way back from above 0 is 0 itself. */
static void ends_at_nothing(void **state) {
    (void)state;
    struct tried t;
    begin(&t, "IPC > 0 every 1s", NULL);
    assert_int_equal(takes(&t, IPC, 1), RULE_FIRES);
    assert_int_equal(takes(&t, IPC, 1), RULE_SAME);
    assert_int_equal(takes(&t, IPC, 0), RULE_ENDS);
    assert_int_equal(takes(&t, IPC, 1), RULE_FIRES);
    end(&t);
}

static void sleeping_is_no_matter_of_the_pipeline(void **state) {
    (void)state;
    struct tried t;
    begin(&t, "Backend > 30%", NULL);
    t.cpus = .01;
    assert_int_equal(takes(&t, BACKEND, .9), RULE_SAME);
    t.cpus = 1;
    assert_int_equal(takes(&t, BACKEND, .9), RULE_FIRES);
    t.cpus = .01;
    assert_int_equal(takes(&t, BACKEND, .9), RULE_ENDS);
    end(&t);
}

/* IPC 2 with a standard deviation of 0.1 in 100 intervals. */
static void put_base(struct run *base, struct run_node *n) {
    *n = (struct run_node){.name = strdup("IPC"), .path = strdup("IPC"), .unit = strdup("")};
    n->value = (struct value){.v = 2};
    n->m = (struct moments_result){.n = 100, .mean = 2, .sd = .1, .se = .01, .dof = 99};
    strcpy(base->id, "0123456789abcdef");
    assert_int_equal(array_push(&base->node, *n), 0);
}

static void beside_a_baseline_only_what_is_sure(void **state) {
    (void)state;
    struct tried t;
    struct run base = {0};
    struct run_node n;
    char found[128];
    put_base(&base, &n);
    begin(&t, "IPC:-10% for 4s", &base);
    const double noisy[] = {1.7, 1.2, 1.79, .4}; /* below 1.8, but so far from each other */
    for (int i = 0; i < 4; i++)
        assert_int_equal(takes(&t, IPC, noisy[i]), RULE_SAME);
    assert_int_equal(takes(&t, IPC, 2), RULE_SAME);
    const double even[] = {1.7, 1.68, 1.72, 1.7};
    for (int i = 0; i < 4; i++)
        assert_int_equal(takes(&t, IPC, even[i]), i < 3 ? RULE_SAME : RULE_FIRES);
    assert_non_null(strstr(rule_found(&t.w, &t.m, found, sizeof(found)), "IPC 1.7 ± 0.03"));
    assert_non_null(strstr(found, "< 1.8 (baseline 2) for 4 s"));
    end(&t);
    run_free(&base);
}

static void bad_rules_say_why(void **state) {
    (void)state;
    static const struct {
        const char *rule, *words;
    } bad[] = {{"", "is empty"},
               {"IPC", "neither > nor <"},
               {"IPC > ", "no number"},
               {"IPC > x", "no number"},
               {"IPC > 1 for", "'for ' is not understood"},
               {"IPC > 1 for x", "not a duration"},
               {"IPC > 1 until 2", "'until' is beyond its limit"},
               {"IPC < 1 until .5", "'until' is beyond its limit"},
               {"IPC > 1 sometimes 2", "'sometimes 2' is not understood"},
               {"IPC > 1%", "no share: give its limit without %"},
               {"Nothing > 1", "no metric Nothing"},
               {"Never > 1", "it has no such event"},
               {"IPC:", "no signed number"},
               {"IPC:-5%", "give --baseline RUN"}};
    struct model m = {0};
    assert_int_equal(model_load(&m, tree, strlen(tree), "tree.toml", NULL), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct rule r;
        struct rule_watch w;
        struct err err = {0};
        int rc = rule_parse(bad[i].rule, &r, &err);
        if (rc == 0)
            rc = rule_bind(&w, &r, &m, NULL, &err);
        assert_int_equal(rc, -EINVAL);
        if (!strstr(err.text, bad[i].words))
            fail_msg("'%s': no '%s' in '%s'", bad[i].rule, bad[i].words, err.text);
    }
    char longer[2 * RULE_TEXT] = "IPC > 1";
    struct rule r;
    memset(longer + 7, ' ', sizeof(longer) - 8);
    assert_int_equal(rule_parse(longer, &r, NULL), -EINVAL);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fires_after_its_time),
        cmocka_unit_test(again_after_it_was_back_and_a_pause),
        cmocka_unit_test(ends_at_nothing),
        cmocka_unit_test(sleeping_is_no_matter_of_the_pipeline),
        cmocka_unit_test(beside_a_baseline_only_what_is_sure),
        cmocka_unit_test(bad_rules_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
