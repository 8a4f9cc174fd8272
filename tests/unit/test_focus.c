/*
 * Focus on real models, in layouts of the simulated core and of the planner: what a wanted metric
 * needs stays on, and what nobody wants goes off.
 */
#include "model/load/select.h"
#include "model_fixture.h"
#include "pmu/plan/focus.h"
#include "pmu/plan/plan.h"
#include "pmu/source.h"

#define SECOND 1000000000ull

/* A source with its evaluation, and a sample in which everything is known. */
struct lab {
    struct model model;
    struct source source;
    struct eval eval;
    struct focus focus;
    struct sample all, some; /* everything is on; only what is in focus */
    struct frame before, after;
    bool *wanted;
};

/* The layout that the planner makes for real counters, in the place of the simulator's. */
static void lay_out_plan(struct lab *lab) {
    const struct plan_options opt = {.consts = &lab->source.consts};
    struct layout *l = &lab->source.layout;
    struct plan plan;
    struct err err = {0};
    if (plan_make(&plan, &lab->model, &opt, &err) < 0)
        fail_msg("%s: %s", lab->model.name, err.text);
    layout_destroy(l);
    assert_int_equal(layout_init(l, lab->model.n_event, COUNT_NOT_PLANNED, plan.n_event), 0);
    for (uint32_t g = 0; g < plan.n_group; g++)
        for (uint32_t i = 0; i < plan.group[g].n; i++)
            layout_add(l, plan.event[plan.group[g].first + i], (uint16_t)g);
    plan_free(&plan);
}

/* Counts of no meaning, all different. */
static void any_counts(struct sample *s) {
    s->t1_ns = SECOND;
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = 1e6 + (i * 7919 % 1009) * 1e4,
                                  .enabled_ns = SECOND,
                                  .running_ns = SECOND / (1 + i % 3),
                                  .state = COUNT_OK};
}

static void open_lab(struct lab *lab, const char *model, bool planned) {
    struct source_options opt = {.seed = 7, .interval_ns = SECOND};
    struct err err = {0};
    memset(lab, 0, sizeof(*lab));
    consts_init(&opt.consts);
    if (model_open(&lab->model, model, NULL, &err) < 0 ||
        source_open(&lab->source, &source_sim, &lab->model, &opt, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    if (planned)
        lay_out_plan(lab);
    if (eval_init(&lab->eval, &lab->model, &lab->source.layout, &lab->source.consts, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    const struct layout *l = &lab->source.layout;
    assert_int_equal(focus_init(&lab->focus, &lab->model, l, &lab->eval), 0);
    assert_int_equal(sample_init(&lab->all, l->n_slot), 0);
    assert_int_equal(sample_init(&lab->some, l->n_slot), 0);
    assert_int_equal(frame_init(&lab->before, lab->model.n_metric), 0);
    assert_int_equal(frame_init(&lab->after, lab->model.n_metric), 0);
    lab->wanted = calloc(lab->model.n_metric, sizeof(*lab->wanted));
    assert_non_null(lab->wanted);
    if (planned)
        any_counts(&lab->all);
    else
        assert_int_equal(lab->source.ops->read(&lab->source, &lab->all, &err), 0);
    eval_run(&lab->eval, &lab->all, &lab->before);
}

static void close_lab(struct lab *lab) {
    free(lab->wanted);
    frame_destroy(&lab->before);
    frame_destroy(&lab->after);
    sample_destroy(&lab->all);
    sample_destroy(&lab->some);
    focus_destroy(&lab->focus);
    eval_destroy(&lab->eval);
    source_close(&lab->source);
    model_free(&lab->model);
}

/* The same interval with only these groups on the PMU. */
static void look_through(struct lab *lab, const struct group_set *groups) {
    const struct layout *l = &lab->source.layout;
    sample_copy(&lab->some, &lab->all);
    for (uint32_t i = 0; i < l->n_slot; i++)
        if (!group_set_has(groups, l->slot[i].group))
            lab->some.at[i] =
                (struct count){.value = NAN, .enabled_ns = SECOND, .state = COUNT_NOT_FOCUSED};
    eval_run(&lab->eval, &lab->some, &lab->after);
}

static bool same_value(const struct value *a, const struct value *b) {
    return same_number(a->v, b->v, 0) && a->duty == b->duty && a->state == b->state &&
           a->over == b->over && a->approx == b->approx &&
           !memcmp(&a->why, &b->why, sizeof(a->why));
}

static void check_same(struct lab *lab, int wanted, uint32_t i) {
    const struct metric *m = lab->model.metric;
    if (!same_value(&lab->before.at[i], &lab->after.at[i]))
        fail_msg("%s, wanted %s: %s was %g, over %d, and is %g, over %d", lab->model.name,
                 wanted < 0 ? "nothing" : m[wanted].name, m[i].name, lab->before.at[i].v,
                 lab->before.at[i].over, lab->after.at[i].v, lab->after.at[i].over);
}

static uint32_t n_groups(const struct lab *lab, const struct group_set *groups) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < lab->source.layout.n_group; g++)
        n += group_set_has(groups, g);
    return n;
}

/* What is always there: levels 1 and 2 and the vital signs, to the last bit. */
static void check_always(struct lab *lab, int wanted) {
    for (uint32_t i = 0; i < lab->model.n_metric; i++) {
        const struct metric *m = &lab->model.metric[i];
        if (m->vital || (m->kind == METRIC_TREE && m->level <= 2))
            check_same(lab, wanted, i);
    }
}

/* Each metric alone: all that it needs, its threshold's metrics included, and not much else. */
static void check_model(const char *name, bool planned, bool few) {
    struct lab lab;
    struct group_set groups;
    uint32_t least, most = 0;
    open_lab(&lab, name, planned);
    focus_want(&lab.focus, lab.wanted, &groups);
    look_through(&lab, &groups);
    check_always(&lab, METRIC_NONE);
    least = n_groups(&lab, &groups);
    for (uint32_t i = 0; i < lab.model.n_metric; i++) {
        lab.wanted[i] = true;
        focus_want(&lab.focus, lab.wanted, &groups);
        assert_true(groups.only);
        look_through(&lab, &groups);
        check_same(&lab, (int)i, i);
        check_always(&lab, (int)i);
        lab.wanted[i] = false;
        if (n_groups(&lab, &groups) > most)
            most = n_groups(&lab, &groups);
    }
    const uint32_t all = lab.source.layout.n_group;
    if (few && (least * 4 > all || most == least || most >= all))
        fail_msg("%s: %u to %u of %u groups", name, least, most, all);
    close_lab(&lab);
}

static void each_metric_keeps_what_it_needs(void **state) {
    (void)state;
    static const char *const names[] = {"spr",  "icx",         "skx",     "zen3",
                                        "zen4", "neoverse-v2", "generic", "adl-grt"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (int planned = 0; planned < 2; planned++)
            check_model(names[i], planned, !strcmp(names[i], "spr"));
}

/* Without PERF_METRICS other formulas are bound, and other events are theirs. */
static void alternative_formulas(void **state) {
    (void)state;
    struct lab lab;
    struct group_set groups;
    struct err err = {0};
    open_lab(&lab, "spr", false);
    eval_destroy(&lab.eval);
    focus_destroy(&lab.focus);
    lab.source.layout.no_perf_metrics = true;
    assert_int_equal(eval_init(&lab.eval, &lab.model, &lab.source.layout, &lab.source.consts, &err),
                     0);
    assert_int_equal(focus_init(&lab.focus, &lab.model, &lab.source.layout, &lab.eval), 0);
    eval_run(&lab.eval, &lab.all, &lab.before);
    for (uint32_t i = 0; i < lab.model.n_metric; i++) {
        lab.wanted[i] = true;
        focus_want(&lab.focus, lab.wanted, &groups);
        look_through(&lab, &groups);
        check_same(&lab, (int)i, i);
        lab.wanted[i] = false;
    }
    close_lab(&lab);
}

/* A branch that is opened: its children are all known, cousins are not. */
static void a_branch_that_is_opened(void **state) {
    (void)state;
    struct lab lab;
    struct group_set groups;
    struct err err = {0};
    open_lab(&lab, "spr", false);
    assert_int_equal(select_nodes(&lab.model, "!+Memory_Bound*", lab.wanted, &err), 0);
    focus_want(&lab.focus, lab.wanted, &groups);
    look_through(&lab, &groups);
    int unknown = 0;
    for (uint32_t i = 0; i < lab.model.n_metric; i++) {
        if (lab.wanted[i])
            check_same(&lab, (int)i, i);
        else
            unknown += isnan(lab.after.at[i].v) && lab.after.at[i].why.code == COUNT_NOT_FOCUSED;
    }
    assert_true(unknown > 50);
    close_lab(&lab);
}

/* --- by hand --- */

static const char by_hand[] = MODEL_HEAD
    "[node.Top]\nformula = 'A / CYCLES'\nthreshold = 'Top > 0.1 & (Other > 0.5 | D > 7)'\n"
    "[node.Mid]\nparent = 'Top'\nformula = 'A / CYCLES'\n"
    "[node.Low]\nparent = 'Mid'\nformula = 'B / Clocks'\n"
    "[metric.Other]\nformula = 'C / Clocks'\n"
    "[metric.Clocks]\nformula = 'CYCLES'\ninline = true\n";

static void thresholds_are_part_of_it(void **state) {
    (void)state;
    struct rig r;
    struct focus f;
    struct group_set groups;
    bool wanted[8] = {false};
    rig_load(&r, by_hand);
    rig_slot(&r, "CYCLES", 0);
    rig_slot(&r, "A", 0);
    rig_slot(&r, "CYCLES", 1);
    rig_slot(&r, "B", 1);
    rig_slot(&r, "CYCLES", 2);
    rig_slot(&r, "C", 2);
    rig_slot(&r, "D", 3);
    rig_bind(&r);
    assert_true(r.model.n_metric <= COUNT_OF(wanted));
    assert_int_equal(focus_init(&f, &r.model, &r.layout, &r.eval), 0);
    focus_want(&f, wanted, &groups); /* group 0, and what Top's threshold compares */
    assert_true(groups.only);
    assert_int_equal(groups.bits[0], 1 | 1 << 2 | 1 << 3);
    assert_true(group_set_has(&groups, 0) && !group_set_has(&groups, 1));
    wanted[model_find(&r.model, "Low")] = true; /* Clocks is read in its own group */
    focus_want(&f, wanted, &groups);
    assert_int_equal(groups.bits[0], 0xf);
    focus_destroy(&f);
    focus_destroy(&f);
    rig_free(&r);
}

/* A metric that reads an event from another group than the formula which names it does. */
static const char two_places[] = MODEL_HEAD "[metric.User]\nformula = '(A + B + C) / Named'\n"
                                            "[metric.Named]\nformula = 'C * C / D'\n";

static void one_event_in_two_places(void **state) {
    (void)state;
    struct rig r;
    struct focus f;
    struct group_set groups;
    bool wanted[2] = {false};
    rig_load(&r, two_places);
    rig_slot(&r, "A", 1);
    rig_slot(&r, "B", 1);
    rig_slot(&r, "C", 1);
    rig_slot(&r, "C", 2);
    rig_slot(&r, "D", 3);
    rig_bind(&r);
    assert_int_equal(focus_init(&f, &r.model, &r.layout, &r.eval), 0);
    const uint16_t group = eval_bound(&r.eval, model_find(&r.model, "Named")).group;
    wanted[model_find(&r.model, "User")] = true;
    focus_want(&f, wanted, &groups);
    assert_int_equal(groups.bits[0], 1 << 1 | 1 << 3 | 1u << group);
    focus_destroy(&f);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_metric_keeps_what_it_needs),
        cmocka_unit_test(alternative_formulas),
        cmocka_unit_test(a_branch_that_is_opened),
        cmocka_unit_test(thresholds_are_part_of_it),
        cmocka_unit_test(one_event_in_two_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
