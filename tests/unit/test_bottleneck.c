#include "model/eval/bottleneck.h"
#include "model_fixture.h"

/* Every node is an event of its own, so a case writes the values down directly. */
static const char tree[] =
    "name = 'tree'\ntitle = 'Tree'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"
    "[event]\n'f' = {code = 1}\n'fl' = {code = 2}\n'b' = {code = 3}\n'm' = {code = 4}\n"
    "'l2' = {code = 5}\n'l3' = {code = 6}\n'c' = {code = 7}\n'r' = {code = 8}\n"
    "'light' = {code = 9}\n"
    "[node.Frontend]\nformula = 'f'\nthreshold = 0.15\nrole = 'frontend'\n"
    "[node.Latency]\nparent = 'Frontend'\nformula = 'fl'\nthreshold = 0.1\n"
    "[node.Backend]\nformula = 'b'\nthreshold = 0.2\nrole = 'backend'\n"
    "[node.Memory]\nparent = 'Backend'\nformula = 'm'\nthreshold = 0.2\n"
    "[node.L2]\nparent = 'Memory'\nformula = 'l2'\nthreshold = 0.05\n"
    "[node.L3]\nparent = 'Memory'\nformula = 'l3'\nthreshold = 0.05\n"
    "[node.Core]\nparent = 'Backend'\nformula = 'c'\nthreshold = 0.1\n"
    "[node.Retiring]\nformula = 'r'\nthreshold = 0.7\nrole = 'retiring'\n"
    "[node.Light]\nparent = 'Retiring'\nformula = 'light'\nthreshold = 0.6\n";

struct path_case {
    const char *what;
    double f, fl, b, m, l2, l3, c, r, light;
    const char *path, *tie[2]; /* names joined by '>' */
    const char *text;
};

static const struct path_case cases[] = {
    {"three levels",
     .1,
     .05,
     .6,
     .4,
     .06,
     .3,
     .2,
     .2,
     .1,
     "Backend>Memory>L3",
     {NULL, NULL},
     "Backend > Memory > L3 30.0%"},
    {"none over",
     .1,
     .05,
     .15,
     .1,
     .01,
     .02,
     .05,
     .5,
     .4,
     "",
     {NULL, NULL},
     "nothing is over its threshold"},
    {"nothing known",
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     "",
     {NULL, NULL},
     "not known: level 1 was not measured: f: not counted"},
    {"useful work",
     .05,
     .01,
     .1,
     .05,
     .01,
     .01,
     .05,
     .8,
     .75,
     "Retiring>Light",
     {NULL, NULL},
     "Retiring > Light 75.0%, useful work"},
    {"a tie below level 1 stops at the parent",
     .1,
     .05,
     .6,
     .4,
     .16,
     .2,
     .1,
     .2,
     .1,
     "Backend>Memory",
     {"L3", "L2"},
     "Backend > Memory 40.0%: L3 20.0% ≈ L2 16.0%, close: look at both"},
    {"a little more than a tie",
     .1,
     .05,
     .6,
     .4,
     .14,
     .2,
     .1,
     .2,
     .1,
     "Backend>Memory>L3",
     {NULL, NULL},
     "Backend > Memory > L3 20.0%"},
    {"equal",
     .1,
     .05,
     .6,
     .3,
     .1,
     .2,
     .3,
     .2,
     .1,
     "Backend",
     {"Memory", "Core"},
     "Backend 60.0%: Memory 30.0% ≈ Core 30.0%, close: look at both"},
    {"the leaves are below their thresholds",
     .1,
     .05,
     .6,
     .21,
     .01,
     .02,
     .09,
     .2,
     .1,
     "Backend>Memory",
     {NULL, NULL},
     "Backend > Memory 21.0%"},
    {"a rival below its threshold is no tie",
     .1,
     .05,
     .6,
     .4,
     .04,
     .08,
     .09,
     .2,
     .1,
     "Backend>Memory>L3",
     {NULL, NULL},
     "Backend > Memory > L3 8.0%"},
    {"roots tie",
     .2,
     .05,
     .21,
     .21,
     .01,
     .02,
     .01,
     .2,
     .1,
     "Backend>Memory",
     {"Backend", "Frontend"},
     "Backend > Memory 21.0%: Backend 21.0% ≈ Frontend 20.0%, close: look at both"},
    {"roots tie, the path goes on through the larger",
     .4,
     .35,
     .395,
     .1,
     .01,
     .01,
     .05,
     .2,
     .1,
     "Frontend>Latency",
     {"Frontend", "Backend"},
     "Frontend > Latency 35.0%: Frontend 40.0% ≈ Backend 39.5%, close: look at both"},
    {"roots tie and so do their children: the roots are named",
     .395,
     .05,
     .4,
     .25,
     .1,
     .2,
     .24,
     .2,
     .1,
     "Backend",
     {"Backend", "Frontend"},
     "Backend 40.0% ≈ Frontend 39.5%, close: look at both"},
    {"useful work that ties with waste is not called useful",
     .725,
     .05,
     .1,
     .05,
     .01,
     .01,
     .05,
     .73,
     .65,
     "Retiring>Light",
     {"Retiring", "Frontend"},
     "Retiring > Light 65.0%: Retiring 73.0% ≈ Frontend 72.5%, close: look at both"},
    {"an unknown child is not the largest",
     .1,
     .05,
     .6,
     NAN,
     .1,
     .2,
     .3,
     .2,
     .1,
     "Backend>Core",
     {NULL, NULL},
     "Backend > Core 30.0%"},
    {"a child over its threshold below a parent that is not chosen",
     .3,
     .25,
     .19,
     .3,
     .1,
     .2,
     .05,
     .2,
     .1,
     "Frontend>Latency",
     {NULL, NULL},
     "Frontend > Latency 25.0%"},
    {"none of those known is over",
     NAN,
     .05,
     NAN,
     .1,
     .01,
     .02,
     .05,
     .5,
     .4,
     "",
     {NULL, NULL},
     "nothing known is over its threshold; not known: Frontend, Backend: f: not counted"},
    {"a root that is not known may be larger",
     NAN,
     .05,
     .6,
     .4,
     .06,
     .3,
     .2,
     .2,
     .1,
     "Backend>Memory>L3",
     {NULL, NULL},
     "Backend > Memory > L3 30.0%; not known: Frontend"},
};

static void set_tree(struct rig *r, const struct path_case *c) {
    const struct {
        const char *event;
        double value;
    } set[] = {{"f", c->f},   {"fl", c->fl}, {"b", c->b}, {"m", c->m},        {"l2", c->l2},
               {"l3", c->l3}, {"c", c->c},   {"r", c->r}, {"light", c->light}};
    for (size_t i = 0; i < COUNT_OF(set); i++)
        rig_set(r, set[i].event, set[i].value);
}

static void join_path(const struct model *m, const struct bottleneck *b, char *out, size_t cap) {
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < b->n && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ">" : "", m->metric[b->at[i]].name);
}

static void check_path(struct rig *r, const struct path_case *c) {
    char path[256], text[256];
    set_tree(r, c);
    eval_run(&r->eval, &r->sample, &r->frame);
    const struct bottleneck *b = &r->frame.bottleneck;
    join_path(&r->model, b, path, sizeof(path));
    if (strcmp(path, c->path) != 0)
        fail_msg("%s: %s", c->what, path);
    for (int i = 0; i < 2; i++) {
        const int want = c->tie[i] ? model_find(&r->model, c->tie[i]) : METRIC_NONE;
        if (b->tie[i] != want)
            fail_msg("%s: tie[%d] is %d, expected %d", c->what, i, b->tie[i], want);
    }
    bottleneck_text(&r->model, &r->frame, b, text, sizeof(text));
    if (strcmp(text, c->text) != 0)
        fail_msg("%s: \"%s\"", c->what, text);
}

static void paths(void **state) {
    (void)state;
    struct rig r;
    rig_load(&r, tree);
    rig_all_slots(&r);
    rig_bind(&r);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_path(&r, &cases[i]);
    rig_free(&r);
}

static void parts(void **state) {
    (void)state;
    struct rig r;
    struct bottleneck_words w;
    rig_load(&r, tree);
    rig_all_slots(&r);
    rig_bind(&r);
    set_tree(&r, &cases[4]); /* a tie below level 1 */
    eval_run(&r.eval, &r.sample, &r.frame);
    bottleneck_words(&r.model, &r.frame, &r.frame.bottleneck, 0, &w);
    assert_string_equal(w.way, "Backend > ");
    assert_string_equal(w.end, "Memory 40.0%");
    assert_string_equal(w.rest, ": L3 20.0% ≈ L2 16.0%");
    assert_string_equal(w.note, ", close: look at both");
    set_tree(&r, &cases[0]); /* three levels */
    eval_run(&r.eval, &r.sample, &r.frame);
    static const char *const way[] = {"Backend > Memory > ", "… Memory > ", "… "};
    for (int skip = 0; skip < 3; skip++) {
        bottleneck_words(&r.model, &r.frame, &r.frame.bottleneck, skip, &w);
        assert_string_equal(w.way, way[skip]);
        assert_string_equal(w.end, "L3 30.0%");
        assert_string_equal(w.rest, "");
        assert_string_equal(w.note, "");
    }
    rig_free(&r);
}

static void text_is_cut_not_overflown(void **state) {
    (void)state;
    struct rig r;
    char buf[12];
    rig_load(&r, tree);
    rig_all_slots(&r);
    rig_bind(&r);
    set_tree(&r, &cases[0]);
    eval_run(&r.eval, &r.sample, &r.frame);
    bottleneck_text(&r.model, &r.frame, &r.frame.bottleneck, buf, sizeof(buf));
    assert_true(strlen(buf) < sizeof(buf));
    assert_memory_equal(buf, "Backend", 7);
    rig_free(&r);
}

/* Which root is the larger is as sure as their ±; five points apart it always is. */
static void roots_tie_by_their_err(void **state) {
    (void)state;
    static const struct {
        double f, b, err_f, err_b;
        bool tie;
    } sides[] = {
        {.30, .25, NAN, NAN, false},  {.30, .28, .005, .005, false}, {.30, .28, .02, .005, true},
        {.30, .28, NAN, .03, true},   {.30, .24, .2, .2, false},     {.30, .295, 0, 0, true},
        {.30, .26, .025, .035, true},
    };
    struct rig r;
    rig_load(&r, tree);
    rig_all_slots(&r);
    rig_bind(&r);
    set_tree(&r, &cases[0]);
    eval_run(&r.eval, &r.sample, &r.frame);
    struct value *f = &r.frame.at[model_find(&r.model, "Frontend")];
    struct value *b = &r.frame.at[model_find(&r.model, "Backend")];
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        struct bottleneck found;
        *f = (struct value){.v = sides[i].f, .err = sides[i].err_f, .over = true};
        *b = (struct value){.v = sides[i].b, .err = sides[i].err_b, .over = true};
        bottleneck_find(&r.model, &r.frame, &found);
        if ((found.tie[0] != METRIC_NONE) != sides[i].tie)
            fail_msg("%g and %g", sides[i].f, sides[i].b);
    }
    rig_free(&r);
}

/* Models of other vendors: five roots, or three without roles whose children are shares of
 * something else. The rule asks neither how many roots there are nor what they mean. */
static void other_trees(void **state) {
    (void)state;
    static const char five[] =
        MODEL_HEAD "'E' = { code = 6 }\n"
                   "[node.Frontend_Bound]\nformula = 'A'\nthreshold = 0.15\nrole = 'frontend'\n"
                   "[node.Bad_Speculation]\nformula = 'B'\nthreshold = 0.15\n"
                   "[node.Backend_Bound]\nformula = 'C'\nthreshold = 0.2\nrole = 'backend'\n"
                   "[node.SMT_Contention]\nformula = 'D'\nthreshold = 0.3\nrole = 'none'\n"
                   "[node.Retiring]\nformula = 'E'\nthreshold = 0.7\nrole = 'retiring'\n";
    static const char three[] =
        MODEL_HEAD "'E' = { code = 6 }\n"
                   "[node.Frontend_Stalls]\nformula = 'A'\nthreshold = 0.2\nrole = 'none'\n"
                   "[node.Backend_Stalls]\nformula = 'B'\nthreshold = 0.4\nrole = 'none'\n"
                   "[node.Memory]\nparent = 'Backend_Stalls'\nformula = 'D'\nthreshold = 0.5\n"
                   "domain = 'STALL_BACKEND cycles'\n"
                   "[node.Core]\nparent = 'Backend_Stalls'\nformula = 'E'\nthreshold = 0.1\n"
                   "domain = 'STALL_BACKEND cycles'\n"
                   "[node.Active]\nformula = 'C'\nthreshold = 0.9\nrole = 'none'\n";
    static const struct {
        const char *what, *model;
        double v[5];
        double sum;
        const char *text;
    } trees[] = {
        {"five: the largest of those over", five, {.1, .1, .3, .2, .3}, 1, "Backend_Bound 30.0%"},
        {"five: contention counts", five, {.1, .05, .15, .5, .2}, 1, "SMT_Contention 50.0%"},
        {"five: a tie of roots",
         five,
         {.3, .02, .295, .2, .185},
         1,
         "Frontend_Bound 30.0% ≈ Backend_Bound 29.5%, close: look at both"},
        {"five: useful", five, {.1, .05, .05, .05, .75}, 1, "Retiring 75.0%, useful work"},
        {"five: one unknown",
         five,
         {.1, .1, .3, NAN, .3},
         NAN,
         "Backend_Bound 30.0%; not known: SMT_Contention"},
        {"three: a child may be larger than its parent",
         three,
         {.1, .5, .4, .8, .2},
         1,
         "Backend_Stalls > Memory 80.0% of STALL_BACKEND cycles"},
        {"three: siblings tie in their own measure",
         three,
         {.1, .5, .4, .52, .48},
         1,
         "Backend_Stalls 50.0%: Memory 52.0% ≈ Core 48.0% of STALL_BACKEND cycles, close: look "
         "at both"},
        {"three: activity is not called useful", three, {.02, .03, .95, 0, 0}, 1, "Active 95.0%"},
        {"three: quiet", three, {.1, .2, .7, .9, .1}, 1, "nothing is over its threshold"},
    };
    for (size_t i = 0; i < COUNT_OF(trees); i++) {
        static const char *const event[] = {"A", "B", "C", "D", "E"};
        struct rig r;
        char text[512];
        rig_load(&r, trees[i].model);
        rig_all_slots(&r);
        rig_bind(&r);
        for (int e = 0; e < 5; e++)
            rig_set(&r, event[e], trees[i].v[e]);
        eval_run(&r.eval, &r.sample, &r.frame);
        bottleneck_text(&r.model, &r.frame, &r.frame.bottleneck, text, sizeof(text));
        if (strcmp(text, trees[i].text) != 0)
            fail_msg("%s: %s", trees[i].what, text);
        if (!same_number(r.frame.root_sum, trees[i].sum, 1e-12))
            fail_msg("%s: the roots sum to %g", trees[i].what, r.frame.root_sum);
        rig_free(&r);
    }
}

/* Below level 1 vendors measure in other units than slots: a share says which. */
static void shares(void **state) {
    (void)state;
    static const char clocks[] =
        MODEL_HEAD "'E' = { code = 6 }\n"
                   "[node.Backend_Bound]\nformula = 'A'\nthreshold = 0.2\ndomain = 'Slots'\n"
                   "[node.Ports]\nparent = 'Backend_Bound'\nformula = 'B'\nthreshold = 0.1\n"
                   "domain = 'Core_Clocks'\n"
                   "[node.Port_0]\nparent = 'Ports'\nformula = 'C'\nthreshold = 0.1\n"
                   "domain = 'Clocks_Estimated'\n"
                   "[node.Port_1]\nparent = 'Ports'\nformula = 'D'\nthreshold = 0.1\n"
                   "domain = 'Slots_Estimated'\n";
    static const struct {
        double v[4];
        const char *text;
    } values[] = {
        {{.5, .05, 0, 0}, "Backend_Bound 50.0%"},
        {{.3, .4, .05, .05}, "Backend_Bound > Ports 40.0% of clocks"},
        {{.3, .4, .35, .05}, "Backend_Bound > Ports > Port_0 35.0% of clocks"},
        {{.3, .4, .05, .35}, "Backend_Bound > Ports > Port_1 35.0%"},
        {{.3, .4, .32, .35},
         "Backend_Bound > Ports 40.0% of clocks: Port_1 35.0% ≈ Port_0 32.0% of clocks, close: "
         "look at both"},
        {{.3, .4, .35, .32},
         "Backend_Bound > Ports 40.0% of clocks: Port_0 35.0% of clocks ≈ Port_1 32.0%, close: "
         "look at both"},
    };
    static const char *const event[] = {"A", "B", "C", "D"};
    struct rig r;
    rig_load(&r, clocks);
    r.model.scope = "pipeline slots";
    rig_all_slots(&r);
    rig_bind(&r);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        char text[512];
        for (int e = 0; e < 4; e++)
            rig_set(&r, event[e], values[i].v[e]);
        eval_run(&r.eval, &r.sample, &r.frame);
        bottleneck_text(&r.model, &r.frame, &r.frame.bottleneck, text, sizeof(text));
        assert_string_equal(text, values[i].text);
    }
    r.model.scope = "cycles"; /* then clocks are what 100% is */
    assert_null(metric_share_of(&r.model, &r.model.metric[1]));
    rig_free(&r);
}

static void warnings(void **state) {
    (void)state;
    static const struct {
        double sum;
        const char *words;
    } cases_of[] = {{1, ""},
                    {.96, ""},
                    {1.04, ""},
                    {NAN, ""},
                    {.75, "level 1 adds up to 75.0%, not 100%"},
                    {1.2, "level 1 adds up to 120.0%, not 100%"}};
    for (size_t i = 0; i < COUNT_OF(cases_of); i++) {
        const struct frame f = {.root_sum = cases_of[i].sum};
        char text[64];
        assert_string_equal(bottleneck_warning(&f, text, sizeof(text)), cases_of[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(parts),
        cmocka_unit_test(roots_tie_by_their_err),
        cmocka_unit_test(other_trees),
        cmocka_unit_test(shares),
        cmocka_unit_test(warnings),
        cmocka_unit_test(text_is_cut_not_overflown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
