/*
 * What every plan must keep, whatever the core: held against all built-in models. What a formula
 * asks for is found out here by the evaluation's own words (eval_bound, known_leaves), not by the
 * planner's.
 */
#include "pmu/plan/plan.h"

#include "model/eval/eval.h"
#include "model/eval/sample.h"
#include "model/load/known.h"
#include "pmu/plan/plan_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One plan, bound as a source that counts all of it would be. */
struct bound_plan {
    char what[128];
    const struct model *m;
    struct plan_options opt;
    struct consts consts;
    struct plan plan;
    struct layout layout;
    struct eval eval;
    struct fit fit;          /* with the pinned group in it */
    struct event_set pinned; /* what that has */
    bool *wanted;            /* [n_metric] asked for, or referred to */
};

/* ---- who is wanted ---- */

static void want(struct bound_plan *b, int metric);

static void want_leaf(const struct ast *leaf, void *user) {
    if (leaf->op == AST_METRIC)
        want(user, leaf->index);
}

static void want(struct bound_plan *b, int metric) {
    const struct ast *formula = eval_bound(&b->eval, metric).formula;
    if (b->wanted[metric])
        return;
    b->wanted[metric] = true;
    if (!formula)
        return;
    known_leaves(b->m, &b->consts, formula, want_leaf, b);
    if (b->m->metric[metric].threshold)
        known_leaves(b->m, &b->consts, b->m->metric[metric].threshold, want_leaf, b);
}

struct named {
    const struct bound_plan *b;
    struct event_set events;
};

static void name_leaf(const struct ast *leaf, void *user) {
    struct named *n = user;
    if (leaf->op == AST_EVENT)
        set_add(&n->events, (uint16_t)leaf->index);
    if (leaf->op != AST_METRIC || !n->b->m->metric[leaf->index].inlined)
        return;
    const struct ast *formula = eval_bound(&n->b->eval, leaf->index).formula;
    if (formula)
        known_leaves(n->b->m, &n->b->consts, formula, name_leaf, n);
}

/* The events of a metric's own formula, those of inlined metrics among them. */
static struct event_set events_of(const struct bound_plan *b, uint32_t metric) {
    struct named n = {.b = b};
    const struct ast *formula = eval_bound(&b->eval, (int)metric).formula;
    if (formula)
        known_leaves(b->m, &b->consts, formula, name_leaf, &n);
    return n.events;
}

static struct event_set events_in(const struct plan *p, uint32_t group) {
    struct event_set out = {0};
    for (uint32_t i = 0; i < p->group[group].n; i++)
        set_add(&out, p->event[p->group[group].first + i]);
    return out;
}

/* ---- life ---- */

static bool asked(const struct bound_plan *b, uint32_t i) {
    const struct metric *mt = &b->m->metric[i];
    return b->opt.level == 0 || mt->vital || mt->time != TIME_NONE ||
           (mt->kind == METRIC_TREE && mt->level <= b->opt.level);
}

static void bound_open(struct bound_plan *b, const struct model *m, const struct plan_options *opt,
                       int smt) {
    struct err err = {0};
    *b = (struct bound_plan){.m = m, .opt = *opt};
    snprintf(b->what, sizeof(b->what), "%s, level %d, smt %d, %d counters%s%s", m->name, opt->level,
             smt, opt->general, opt->nmi_watchdog ? ", watchdog" : "",
             opt->no_perf_metrics ? ", no topdown events" : "");
    consts_init(&b->consts);
    b->consts.value[CONST_SMT_ON] = b->consts.value[CONST_EBS_MODE] = smt;
    b->opt.consts = &b->consts;
    if (plan_make(&b->plan, m, &b->opt, &err) || plan_layout(&b->layout, &b->plan, m, &b->opt) ||
        eval_init(&b->eval, m, &b->layout, &b->consts, &err))
        fail_msg("%s: %s", b->what, err.text);
    fit_init(&b->fit, m, &b->opt);
    if (b->plan.n_group > 0 && b->plan.group[0].pinned)
        b->pinned = events_in(&b->plan, 0);
    fit_hold(&b->fit, &b->pinned);
    b->wanted = calloc(m->n_metric + 1u, sizeof(*b->wanted));
    assert_non_null(b->wanted);
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (asked(b, i))
            want(b, (int)i);
}

static void bound_close(struct bound_plan *b) {
    eval_destroy(&b->eval);
    layout_destroy(&b->layout);
    plan_free(&b->plan);
    free(b->wanted);
}

/* ---- the rules ---- */

static bool competes(enum event_pmu pmu) {
    return pmu == EVENT_CORE || pmu == EVENT_GENERIC;
}

/* No group asks for more than there is beside the pinned one; of one event the kernel will judge.
 */
static void groups_fit(const struct bound_plan *b) {
    for (uint32_t g = 0; g < b->plan.n_group; g++) {
        const struct plan_group *pg = &b->plan.group[g];
        const struct event_set set = events_in(&b->plan, g);
        struct fit fit = b->fit;
        if (set.n != pg->n)
            fail_msg("%s: group %u has an event twice", b->what, g);
        for (uint32_t i = 0; i < pg->n; i++)
            if (b->m->event[set.at[i]].pmu != pg->pmu)
                fail_msg("%s: group %u has two kinds of events", b->what, g);
        if (pg->pinned)
            fit_hold(&fit, &(struct event_set){.n = 0});
        if (competes(pg->pmu) && pg->n > 1 && !fit_together(&fit, &set, NULL))
            fail_msg("%s: group %u does not fit", b->what, g);
    }
}

/* What must be in one group: the counted events of a kind that the pinned one does not have. */
static struct event_set to_be_together(const struct bound_plan *b, uint32_t metric,
                                       enum event_pmu pmu) {
    const struct event_set all = events_of(b, metric);
    struct event_set out = {0};
    for (uint32_t i = 0; i < all.n; i++)
        if (b->m->event[all.at[i]].pmu == pmu && b->plan.missing[all.at[i]] == COUNT_OK &&
            !set_has(&b->pinned, all.at[i]))
            set_add(&out, all.at[i]);
    return out;
}

static bool has_group_with(const struct bound_plan *b, const struct event_set *set) {
    for (uint32_t g = 0; g < b->plan.n_group; g++) {
        const struct event_set own = events_in(&b->plan, g);
        if (set_has_all(&own, set))
            return true;
    }
    return false;
}

/* A formula's events are in one group, or it is marked; and only what cannot be is marked. */
static void formulas_are_whole(const struct bound_plan *b) {
    for (uint32_t i = 0; i < b->m->n_metric; i++) {
        bool fits = true;
        for (int pmu = EVENT_CORE; pmu <= EVENT_GENERIC; pmu++) {
            const struct event_set set = to_be_together(b, i, (enum event_pmu)pmu);
            fits &= set.n < 2 || fit_together(&b->fit, &set, NULL);
            if (b->wanted[i] && !b->plan.unfit[i] && !has_group_with(b, &set))
                fail_msg("%s: %s is torn and not marked", b->what, b->m->metric[i].name);
        }
        if (b->wanted[i] && b->plan.unfit[i] == fits)
            fail_msg("%s: %s %s", b->what, b->m->metric[i].name,
                     fits ? "is marked but fits" : "does not fit but is not marked");
        if (!b->wanted[i] && b->plan.unfit[i])
            fail_msg("%s: %s is marked but not wanted", b->what, b->m->metric[i].name);
    }
}

/*
 * And they are read from there: the evaluation, which knows of groups only, finds all of them in
 * one, but for what the pinned group has.
 */
static void formulas_are_read_whole(const struct bound_plan *b) {
    for (uint32_t i = 0; i < b->m->n_metric; i++) {
        const struct event_set set = to_be_together(b, i, EVENT_CORE);
        const uint16_t own = eval_bound(&b->eval, (int)i).group;
        int group = -1;
        for (uint32_t k = 0; k < set.n && b->wanted[i] && !b->plan.unfit[i]; k++) {
            int slot = eval_slot(&b->layout, set.at[k], own);
            int at = b->layout.slot[slot].group;
            if (group >= 0 && at != group)
                fail_msg("%s: %s is read from groups %d and %d", b->what, b->m->metric[i].name,
                         group, at);
            group = at;
        }
    }
}

static void take_leaf(const struct ast *leaf, void *user) {
    if (leaf->op == AST_EVENT)
        ((bool *)user)[leaf->index] = true;
}

/* Each event is there because somebody wants it; and what somebody wants is there. */
static void nothing_is_idle(const struct bound_plan *b) {
    bool *needed = calloc(b->m->n_event + 1u, sizeof(*needed));
    assert_non_null(needed);
    for (uint32_t i = 0; i < b->m->n_metric; i++) {
        const struct event_set set = events_of(b, i);
        for (uint32_t k = 0; k < set.n && b->wanted[i]; k++)
            needed[set.at[k]] = true;
        if (b->wanted[i] && b->m->metric[i].threshold)
            known_leaves(b->m, &b->consts, b->m->metric[i].threshold, take_leaf, needed);
    }
    for (uint32_t e = 0; e < b->m->n_event; e++) {
        bool planned = b->plan.missing[e] == COUNT_OK, found = false;
        for (uint32_t i = 0; i < b->plan.n_event; i++)
            found |= b->plan.event[i] == e;
        if (found != planned)
            fail_msg("%s: %s: %s", b->what, b->m->event[e].name,
                     found ? "counted but said to be missing" : "not counted, without a reason");
        if (planned && !needed[e] && !b->m->event[e].slots_leader)
            fail_msg("%s: %s is planned for nobody", b->what, b->m->event[e].name);
        if (needed[e] && b->plan.missing[e] == COUNT_NOT_PLANNED)
            fail_msg("%s: %s is wanted and not planned", b->what, b->m->event[e].name);
    }
    free(needed);
}

static uint32_t count_perf_metrics(const struct model *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_event; i++)
        n += m->event[i].perf_metrics && m->event[i].pmu == EVENT_CORE;
    return n;
}

/*
 * Where PERF_METRICS has level 2 (Sapphire Rapids and later), levels 1 and 2 are read from the
 * pinned group alone; where it has level 1, that is. Others get half of the counters at least.
 */
static void the_top_is_pinned(const struct bound_plan *b) {
    enum { WITH_LEVEL_2 = 8 };
    uint32_t parts = b->opt.no_perf_metrics ? 0 : count_perf_metrics(b->m);
    if (!parts) {
        for (uint32_t g = 0; g < b->plan.n_group; g++)
            assert_true(!b->plan.group[g].pinned ||
                        (b->opt.clock && g == 0 && b->plan.group[g].n == 1));
        return;
    }
    assert_true(b->plan.group[0].slots && b->plan.group[0].pinned && b->plan.group[0].top);
    if (fit_general(&b->fit, &b->pinned) > b->fit.general / 2)
        fail_msg("%s: the pinned group takes %d of %d counters", b->what,
                 fit_general(&b->fit, &b->pinned), b->fit.general);
    for (uint32_t i = 0; i < b->m->n_tree && b->opt.general == 0; i++) {
        int level = b->m->metric[i].level;
        const struct event_set set = to_be_together(b, i, EVENT_CORE);
        if ((level == 1 || (level == 2 && parts >= WITH_LEVEL_2)) && set.n > 0)
            fail_msg("%s: %s is not in the pinned group", b->what, b->m->metric[i].name);
    }
}

/* Shares of the time: no group starves, and where one has all, nobody shares it with it. */
static void turns_are_fair(const struct bound_plan *b) {
    double duty[512], sum = 0;
    uint32_t n = 0;
    assert_true(b->plan.n_group < 512);
    assert_int_equal(plan_duty(&b->plan, b->m, &b->opt, NULL, duty), 0);
    for (uint32_t g = 0; g < b->plan.n_group; g++) {
        bool turns = competes(b->plan.group[g].pmu) && !b->plan.group[g].pinned;
        if (b->plan.group[g].pmu != EVENT_UNCORE && !turns && duty[g] < 1.0)
            fail_msg("%s: group %u takes no turns but has %g", b->what, g, duty[g]);
        n += turns;
        sum += turns ? duty[g] : 0;
        if (turns && duty[g] <= 0)
            fail_msg("%s: group %u never runs", b->what, g);
    }
    if (n > 0 && sum < 1 - 1e-9)
        fail_msg("%s: the counters are idle %g of the time", b->what, 1 - sum);
    for (uint32_t g = 0; g < b->plan.n_group && n > 0; g++)
        if (competes(b->plan.group[g].pmu) && duty[g] < 1.0 / n - 1e-9)
            fail_msg("%s: group %u runs %g of the time, less than in turn", b->what, g, duty[g]);
}

static void keeps_the_rules(const struct model *m, const struct plan_options *opt, int smt) {
    struct bound_plan b;
    bound_open(&b, m, opt, smt);
    groups_fit(&b);
    formulas_are_whole(&b);
    formulas_are_read_whole(&b);
    nothing_is_idle(&b);
    the_top_is_pinned(&b);
    turns_are_fair(&b);
    bound_close(&b);
}

static void all_models(const struct plan_options *opt, size_t n, int smt) {
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err))
            fail_msg("%s", err.text);
        for (size_t i = 0; i < n; i++)
            keeps_the_rules(&m, &opt[i], smt);
        model_free(&m);
    }
}

static void as_the_core_is(void **state) {
    (void)state;
    static const struct plan_options options[] = {{.level = 2}, {.level = 0}};
    all_models(options, 2, 1);
}

static void without_smt(void **state) {
    (void)state;
    static const struct plan_options options[] = {
        {.level = 1}, {.level = 3}, {.level = 0, .uncore = true}};
    all_models(options, 3, 0);
}

/* A guest, the NMI watchdog, another user of the counters. */
static void with_less(void **state) {
    (void)state;
    static const struct plan_options options[] = {{.level = 0, .general = 3},
                                                  {.level = 2, .nmi_watchdog = true},
                                                  {.level = 4, .general = 2, .nmi_watchdog = true},
                                                  {.level = 0, .no_perf_metrics = true},
                                                  {.level = 2, .general = 1}};
    all_models(options, 5, 1);
}

/* A process on a CPU with several core types: always a fixed counter that nobody else could use. */
static void with_a_clock(void **state) {
    (void)state;
    static const struct plan_options options[] = {{.level = 0, .clock = true},
                                                  {.level = 1, .clock = true, .general = 3}};
    struct model m = {0};
    struct plan p;
    struct err err = {0};
    all_models(options, 2, 0);
    assert_int_equal(model_open(&m, "adl-grt", NULL, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(plan_make(&p, &m, &options[i], &err), 0);
        assert_true(p.group[0].pinned && p.group[0].top && p.group[0].level1);
        assert_int_equal(p.group[0].n, 1);
        assert_string_equal(m.event[p.event[0]].name, "CPU_CLK_UNHALTED.REF_TSC");
        for (uint32_t k = 1; k < p.n_event; k++)
            assert_int_not_equal(p.event[k], p.event[0]);
        plan_free(&p);
    }
    model_free(&m);
}

/* ---- level 1 first ---- */

/* The least duty of its groups when everything is counted as `collect` does. */
static double duty_of_level1(const struct model *m, const struct plan *p,
                             const struct plan_options *opt, uint32_t *n_turn) {
    bool turn[512];
    double duty[512], least = 1;
    assert_true(p->n_group < 512);
    assert_int_equal(plan_duty(p, m, opt, NULL, duty), 0);
    assert_int_equal(plan_level1_turns(p, m, opt, turn, n_turn), 0);
    for (uint32_t g = 0; g < p->n_group; g++) {
        const bool reads = p->group[g].level1_values && competes(p->group[g].pmu);
        const double own = turn[g] ? plan_level1_share(*n_turn) / *n_turn : duty[g];
        assert_true(!turn[g] || reads);
        least = reads && own < least ? own : least;
    }
    return least;
}

/* All that the formulas of level 1 read of the core at once. */
static bool level1_fits_one_group(const struct bound_plan *b) {
    struct event_set all = {0};
    for (uint32_t i = 0; i < b->m->n_tree; i++) {
        const struct event_set set = events_of(b, i);
        for (uint32_t k = 0; b->m->metric[i].level == 1 && k < set.n; k++)
            if (competes(b->m->event[set.at[k]].pmu))
                set_add(&all, set.at[k]);
    }
    return fit_together(&b->fit, &all, NULL);
}

/* With the counters that the core has. Groups that cannot be one cannot have half of the time each
 * beside others; they share most of it. */
static void level1_has_half(const struct model *m, const struct plan_options *opt, int smt) {
    struct bound_plan b;
    uint32_t n_turn = 0;
    bound_open(&b, m, opt, smt);
    const double least = duty_of_level1(m, &b.plan, &b.opt, &n_turn);
    if (least < 0.5 && (n_turn < 2 || level1_fits_one_group(&b)))
        fail_msg("%s: level 1 is counted %g of the time, in %u groups", b.what, least, n_turn);
    if (n_turn > 1 && least < 0.8 / n_turn - 1e-9)
        fail_msg("%s: level 1 is counted %g of the time in %u turns", b.what, least, n_turn);
    bound_close(&b);
}

static void level_1_has_half_of_the_time(void **state) {
    (void)state;
    static const struct plan_options all = {.level = 0};
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        struct err err = {0};
        assert_int_equal(model_open(&m, e->name, NULL, &err), 0);
        level1_has_half(&m, &all, 0);
        level1_has_half(&m, &all, 1);
        model_free(&m);
    }
}

/* ---- what every model has ---- */

static void same_groups(const struct model *m, const struct plan *p, const struct model *without,
                        const struct plan *q) {
    uint32_t g = 0;
    for (; g < q->n_group && competes(q->group[g].pmu); g++) {
        assert_true(g < p->n_group && competes(p->group[g].pmu));
        assert_int_equal(p->group[g].n, q->group[g].n);
        assert_int_equal(p->group[g].pinned, q->group[g].pinned);
        for (uint32_t i = 0; i < q->group[g].n; i++)
            assert_string_equal(m->event[p->event[p->group[g].first + i]].name,
                                without->event[q->event[q->group[g].first + i]].name);
    }
    assert_true(g == p->n_group || !competes(p->group[g].pmu));
}

/* The clock and the rest of the group Scheduling: the groups of the PMU are as they are without. */
static void scheduling_takes_no_counter(void **state) {
    (void)state;
    static const int levels[] = {1, 2, 4, 0};
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0}, without = {0};
        struct err err = {0};
        assert_int_equal(model_open(&m, e->name, NULL, &err), 0);
        assert_int_equal(model_load(&without, e->text, e->len, e->name, &err), 0);
        assert_true(m.n_metric > without.n_metric);
        for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
            const struct plan_options opt = {.level = levels[i]};
            struct plan p, q;
            assert_int_equal(plan_make(&p, &m, &opt, &err), 0);
            assert_int_equal(plan_make(&q, &without, &opt, &err), 0);
            same_groups(&m, &p, &without, &q);
            plan_free(&p);
            plan_free(&q);
        }
        model_free(&m);
        model_free(&without);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_1_has_half_of_the_time),
        cmocka_unit_test(scheduling_takes_no_counter),
        cmocka_unit_test(as_the_core_is),
        cmocka_unit_test(without_smt),
        cmocka_unit_test(with_less),
        cmocka_unit_test(with_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
