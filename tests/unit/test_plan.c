#include "pmu/plan/plan.h"

#include "base/str.h"
#include "model/eval/sample.h"
#include "pmu/plan/plan_fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct model spr, generic, software;
static struct consts smt[2]; /* SMT_ON is 0, 1 */

static int setup(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        consts_init(&smt[i]);
        smt[i].value[CONST_SMT_ON] = i;
    }
    return model_open(&spr, "spr", NULL, NULL) || model_open(&generic, "generic", NULL, NULL) ||
           model_open(&software, "software", NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    model_free(&spr);
    model_free(&generic);
    model_free(&software);
    return 0;
}

static struct plan plan_of(const struct model *m, const struct plan_options *opt) {
    struct plan p;
    struct err err = {0};
    if (plan_make(&p, m, opt, &err))
        fail_msg("%s", err.text);
    return p;
}

/* A model of our own, so that each rule is seen alone. */
static struct plan plan_text(struct model *m, const char *text, const struct plan_options *opt) {
    struct err err = {0};
    *m = (struct model){0};
    if (model_load(m, text, strlen(text), "test", &err))
        fail_msg("%s", err.text);
    return plan_of(m, opt);
}

static bool in_group(const struct model *m, const struct plan *p, uint32_t g, const char *event) {
    for (uint32_t i = 0; i < p->group[g].n; i++)
        if (strcmp(m->event[p->event[p->group[g].first + i]].name, event) == 0)
            return true;
    return false;
}

/* The first group that has all of the events, or -1. */
static int group_with(const struct model *m, const struct plan *p, const char *const *events) {
    for (uint32_t g = 0; g < p->n_group; g++) {
        bool all = true;
        for (const char *const *e = events; *e; e++)
            all &= in_group(m, p, g, *e);
        if (all)
            return (int)g;
    }
    return -1;
}

#define WITH(m, p, ...) group_with(m, p, (const char *const[]){__VA_ARGS__, NULL})

#define HEAD                                                                                       \
    "name = \"test\"\ntitle = \"Test\"\nvendor = \"Intel\"\nrung = \"full\"\nscope = \"slots\"\n"

/* ---- counters ---- */

static void matching(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct {
            uint64_t counters;
            int fixed;
            uint64_t config, config1;
            bool alone;
        } ev[6];
        uint32_t n;
        bool fits;
    } cases[] = {
        {"four on four",
         {{.fixed = -1, .config = 1},
          {.fixed = -1, .config = 2},
          {.fixed = -1, .config = 3},
          {.fixed = -1, .config = 4}},
         4,
         true},
        {"five on four",
         {{.fixed = -1, .config = 1},
          {.fixed = -1, .config = 2},
          {.fixed = -1, .config = 3},
          {.fixed = -1, .config = 4},
          {.fixed = -1, .config = 5}},
         5,
         false},
        {"fixed ones are free",
         {{.fixed = 0, .config = 0xc0},
          {.fixed = -1, .config = 2},
          {.fixed = -1, .config = 3},
          {.fixed = -1, .config = 4},
          {.fixed = -1, .config = 5}},
         5,
         true},
        {"two that both need counter 0",
         {{.counters = 1, .fixed = -1, .config = 1}, {.counters = 1, .fixed = -1, .config = 2}},
         2,
         false},
        {"one must make way: a on 0-1, b on 0",
         {{.counters = 3, .fixed = -1, .config = 1}, {.counters = 1, .fixed = -1, .config = 2}},
         2,
         true},
        {"a chain of three",
         {{.counters = 3, .fixed = -1, .config = 1},
          {.counters = 6, .fixed = -1, .config = 2},
          {.counters = 1, .fixed = -1, .config = 3}},
         3,
         true},
        {"three on two of four",
         {{.counters = 3, .fixed = -1, .config = 1},
          {.counters = 6, .fixed = -1, .config = 2},
          {.counters = 1, .fixed = -1, .config = 3},
          {.counters = 2, .fixed = -1, .config = 4}},
         4,
         false},
        {"a counter that is not there", {{.counters = 0x10, .fixed = -1, .config = 1}}, 1, false},
        {"second of a fixed counter takes a general one",
         {{.fixed = 0, .config = 0xc0}, {.fixed = 0, .config = 0x1c0}},
         2,
         true},
        {"second of a fixed counter that nothing else counts",
         {{.fixed = 3, .config = 0x400}, {.fixed = 3, .config = 0x500}},
         2,
         false},
        {"the same count twice shares",
         {{.counters = 1, .fixed = -1, .config = 1}, {.counters = 1, .fixed = -1, .config = 1}},
         2,
         true},
        {"one frontend value",
         {{.fixed = -1, .config = 0x1c6, .config1 = 0x11, .alone = true},
          {.fixed = -1, .config = 0x4c2, .config1 = 8, .alone = true}},
         2,
         false},
        {"the same frontend value twice",
         {{.fixed = -1, .config = 0x1c6, .config1 = 8, .alone = true},
          {.fixed = -1, .config = 0x4c2, .config1 = 8, .alone = true}},
         2,
         true},
        {"two offcore values",
         {{.fixed = -1, .config = 0x12a, .config1 = 1},
          {.fixed = -1, .config = 0x12a, .config1 = 2}},
         2,
         true},
        {"three offcore values",
         {{.fixed = -1, .config = 0x12a, .config1 = 1},
          {.fixed = -1, .config = 0x12b, .config1 = 2},
          {.fixed = -1, .config = 0x12a, .config1 = 3}},
         3,
         false},
        {"three offcore values, before Alder Lake",
         {{.fixed = -1, .config = 0x1b7, .config1 = 1},
          {.fixed = -1, .config = 0x1bb, .config1 = 2},
          {.fixed = -1, .config = 0x1b7, .config1 = 3}},
         3,
         false},
        {"one offcore value three times",
         {{.fixed = -1, .config = 0x1b7, .config1 = 1},
          {.fixed = -1, .config = 0x1bb, .config1 = 1},
          {.fixed = -1, .config = 0x1b7, .config1 = 1}},
         3,
         true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event ev[6];
        struct event_set set = {0};
        for (uint32_t k = 0; k < cases[i].n; k++) {
            ev[k] = (struct event){.name = "e",
                                   .has_code = true,
                                   .config = cases[i].ev[k].config,
                                   .config1 = cases[i].ev[k].config1,
                                   .counters = cases[i].ev[k].counters,
                                   .fixed = cases[i].ev[k].fixed,
                                   .alone = cases[i].ev[k].alone};
            set_add(&set, (uint16_t)k);
        }
        struct model m = {.vendor = "Intel", .event = ev, .n_event = cases[i].n};
        struct fit fit = {.model = &m, .general = 4, .free = 0xf};
        fit_hold(&fit, &(struct event_set){.n = 0});
        if (fit_together(&fit, &set, NULL) != cases[i].fits)
            fail_msg("%s", cases[i].what);
    }
}

/* ---- groups ---- */

static void software_is_one_group(void **state) {
    (void)state;
    struct plan p = plan_of(&software, &(struct plan_options){.level = 0});
    assert_int_equal(p.n_group, 2);
    assert_int_equal(WITH(&software, &p, "task_clock", "context_switches", "cpu_migrations",
                          "minor_faults", "major_faults"),
                     0);
    assert_int_equal(WITH(&software, &p, "utime_ns", "stime_ns", "run_wait_ns", "threads"), 1);
    assert_int_equal(p.group[0].pmu, EVENT_SOFTWARE);
    assert_int_equal(p.group[1].pmu, EVENT_PROC);
    plan_free(&p);
    plan_free(&p);
}

static void generic_has_whole_ratios(void **state) {
    (void)state;
    struct plan p = plan_of(&generic, &(struct plan_options){.level = 0});
    assert_true(WITH(&generic, &p, "cycles", "instructions") >= 0);
    assert_true(WITH(&generic, &p, "cache_misses", "cache_references") >= 0);
    assert_true(WITH(&generic, &p, "branch_misses", "branches") >= 0);
    assert_true(WITH(&generic, &p, "stalled_cycles_frontend", "cycles") >= 0);
    for (uint32_t g = 0; g < p.n_group; g++) {
        assert_true(p.group[g].n <= 6);
        for (uint32_t i = 0; i < p.group[g].n; i++) /* never two kinds in one */
            assert_int_equal(generic.event[p.event[p.group[g].first + i]].pmu, p.group[g].pmu);
    }
    plan_free(&p);
}

static const char *const top[] = {
    "TOPDOWN.SLOTS:perf_metrics",      "PERF_METRICS.RETIRING",
    "PERF_METRICS.BAD_SPECULATION",    "PERF_METRICS.FRONTEND_BOUND",
    "PERF_METRICS.BACKEND_BOUND",      "PERF_METRICS.HEAVY_OPERATIONS",
    "PERF_METRICS.BRANCH_MISPREDICTS", "PERF_METRICS.FETCH_LATENCY",
    "PERF_METRICS.MEMORY_BOUND",       "INT_MISC.UOP_DROPPING",
    "CPU_CLK_UNHALTED.THREAD",         "INST_RETIRED.ANY",
    "CPU_CLK_UNHALTED.REF_TSC",        NULL};

static void slots_lead(void **state) {
    (void)state;
    static const int levels[] = {2, 3, 6, 0};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct plan p =
            plan_of(&spr, &(struct plan_options){.level = levels[i], .consts = &smt[0]});
        assert_int_equal(group_with(&spr, &p, top), 0);
        assert_string_equal(spr.event[p.event[0]].name, "TOPDOWN.SLOTS:perf_metrics");
        assert_true(p.group[0].slots && p.group[0].pinned);
        assert_int_equal(p.group[0].n, 13); /* nothing else */
        for (uint32_t g = 1; g < p.n_group; g++) {
            assert_false(p.group[g].slots || p.group[g].pinned);
            assert_false(
                in_group(&spr, &p, g, "TOPDOWN.SLOTS:perf_metrics")); /* fixed counter 3 is taken */
            assert_false(in_group(&spr, &p, g, "CPU_CLK_UNHALTED.REF_TSC"));
        }
        assert_true(levels[i] == 2 ? p.n_group == 3 : p.n_group > 4); /* two for the clock */
        plan_free(&p);
    }
}

/* Every group of every plan really fits beside the pinned one, and obeys the rules of the MSRs. */
static void every_group_fits(void **state) {
    (void)state;
    static const struct plan_options options[] = {
        {.level = 0, .consts = &smt[1]},
        {.level = 0, .consts = &smt[0], .nmi_watchdog = true},
        {.level = 0, .no_perf_metrics = true},
        {.level = 4, .consts = &smt[1]},
        {.level = 1, .consts = &smt[1], .no_perf_metrics = true},
    };
    for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++) {
        struct plan p = plan_of(&spr, &options[o]);
        struct fit fit = {.model = &spr,
                          .general = 8,
                          .free = 0xff,
                          .fixed_taken = options[o].nmi_watchdog ? 2 : 0};
        fit_hold(&fit, &(struct event_set){.n = 0});
        for (uint32_t g = 0; g < p.n_group; g++) {
            struct event_set set = {0};
            for (uint32_t i = 0; i < p.group[g].n; i++)
                set_add(&set, p.event[p.group[g].first + i]);
            assert_int_equal(set.n, p.group[g].n); /* no doubles */
            if (!fit_together(&fit, &set, NULL))
                fail_msg("options %zu: group %u does not fit", o, g);
            if (g == 0 && p.group[0].slots)
                fit_hold(&fit, &set);
        }
        plan_free(&p);
    }
}

/* No group may want more values of the offcore response than there are MSRs for them. */
static void offcore_values_in_turns(void **state) {
    (void)state;
    static const char *const models[] = {"skx", "icl", "snb", "adl-grt", "spr"};
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct model m = {0};
        uint32_t all = 0;
        assert_int_equal(model_open(&m, models[i], NULL, NULL), 0);
        struct plan p = plan_of(&m, &(struct plan_options){.level = 0, .consts = &smt[1]});
        for (uint32_t g = 0; g < p.n_group; g++) {
            uint64_t value[PLAN_GROUP_MAX];
            uint32_t n = 0;
            for (uint32_t k = 0; k < p.group[g].n; k++) {
                const struct event *ev = &m.event[p.event[p.group[g].first + k]];
                bool offcore =
                    str_starts(ev->name, "OFFCORE_RESPONSE.") || str_starts(ev->name, "OCR.");
                bool known = !offcore || !ev->config1;
                for (uint32_t v = 0; v < n; v++)
                    known |= value[v] == ev->config1;
                if (!known)
                    value[n++] = ev->config1;
            }
            all += n;
            if (n > 2)
                fail_msg("%s: %u values of the offcore response in group %u", models[i], n, g);
        }
        if (strcmp(models[i], "skx") == 0)
            assert_true(all > 2);
        plan_free(&p);
        model_free(&m);
    }
}

/* A thread's share of its core: where both threads are measured it is the same for all programs. */
static void per_core_is_not_counted(void **state) {
    (void)state;
    for (int ebs = 0; ebs < 2; ebs++) {
        struct consts c = smt[1];
        c.value[CONST_EBS_MODE] = ebs;
        struct plan p = plan_of(&spr, &(struct plan_options){.level = 0, .consts = &c});
        int percore = model_find_event(&spr, "TOPDOWN.SLOTS:percore");
        assert_true(percore >= 0);
        assert_int_equal(p.missing[percore], COUNT_PERCORE);
        assert_int_equal(WITH(&spr, &p, "TOPDOWN.SLOTS:percore"), -1);
        plan_free(&p);
    }
}

static void levels_need_more(void **state) {
    (void)state;
    uint32_t before = 0;
    for (int level = 1; level <= 5; level++) {
        struct plan p = plan_of(&spr, &(struct plan_options){.level = level, .consts = &smt[0]});
        assert_true(p.n_event >= before);
        before = p.n_event;
        plan_free(&p);
    }
    struct plan p = plan_of(&spr, &(struct plan_options){.level = 0, .consts = &smt[0]});
    assert_true(p.n_event > before);
    plan_free(&p);
}

/* At level 3 the parts of a level 3 ratio stand together, the divisor with them. */
static void ratios_stay_whole(void **state) {
    (void)state;
    struct plan p = plan_of(&spr, &(struct plan_options){.level = 4, .consts = &smt[0]});
    assert_true(WITH(&spr, &p, "EXE_ACTIVITY.BOUND_ON_LOADS", "MEMORY_ACTIVITY.STALLS_L1D_MISS",
                     "CPU_CLK_UNHALTED.THREAD") > 0);
    assert_true(WITH(&spr, &p, "MEMORY_ACTIVITY.STALLS_L1D_MISS", "MEMORY_ACTIVITY.STALLS_L2_MISS",
                     "CPU_CLK_UNHALTED.THREAD") > 0);
    assert_true(WITH(&spr, &p, "DECODE.LCP", "CPU_CLK_UNHALTED.THREAD") > 0);
    plan_free(&p);
}

static void alternatives_without_topdown(void **state) {
    (void)state;
    struct plan p = plan_of(
        &spr, &(struct plan_options){.level = 1, .no_perf_metrics = true, .consts = &smt[0]});
    assert_true(WITH(&spr, &p, "TOPDOWN.BACKEND_BOUND_SLOTS", "TOPDOWN.SLOTS") >= 0);
    for (uint32_t i = 0; i < p.n_event; i++)
        assert_false(spr.event[p.event[i]].perf_metrics);
    assert_int_equal(p.missing[model_find_event(&spr, "PERF_METRICS.RETIRING")],
                     COUNT_NOT_SUPPORTED);
    for (uint32_t g = 0; g < p.n_group; g++)
        assert_false(p.group[g].pinned);
    plan_free(&p);
}

static void missing_has_reasons(void **state) {
    (void)state;
    struct plan p = plan_of(&spr, &(struct plan_options){.level = 1, .consts = &smt[0]});
    for (uint32_t i = 0; i < spr.n_event; i++) {
        bool planned = false;
        for (uint32_t k = 0; k < p.n_event; k++)
            planned |= p.event[k] == i;
        assert_int_equal(planned, p.missing[i] == COUNT_OK);
        if (spr.event[i].pmu == EVENT_UNCORE)
            assert_int_equal(p.missing[i], COUNT_UNCORE);
    }
    assert_int_equal(p.missing[model_find_event(&spr, "DECODE.LCP")], COUNT_NOT_PLANNED);
    plan_free(&p);
}

/* Only the branch that will be taken is programmed. */
static void smt_decides_a_branch(void **state) {
    (void)state;
    static const char text[] =
        HEAD "counters = { general = 4, fixed = 0 }\n"
             "[event]\n\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n"
             "[node.N]\nformula = \"A / (B if SMT_ON else C)\"\n";
    static const struct {
        int smt;
        bool b, c;
    } cases[] = {{1, true, false}, {0, false, true}, {-1, true, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        struct plan p = plan_text(
            &m, text,
            &(struct plan_options){.consts = cases[i].smt < 0 ? NULL : &smt[cases[i].smt]});
        assert_int_equal(WITH(&m, &p, "A", "B") == 0, cases[i].b);
        assert_int_equal(WITH(&m, &p, "A", "C") == 0, cases[i].c);
        plan_free(&p);
        model_free(&m);
    }
}

/* Six events and a divisor on four counters: two groups, the divisor in both, in front. */
static void too_big_is_split(void **state) {
    (void)state;
    static const char text[] = HEAD
        "counters = { general = 4, fixed = 0 }\n[event]\n"
        "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n\"D\" = { code = 4 }\n"
        "\"E\" = { code = 5 }\n\"F\" = { code = 6 }\n\"CLK\" = { code = 7 }\n"
        "[node.N]\nformula = \"(A + B + C + D + E + F) / CLK\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.level = 0});
    assert_int_equal(p.n_group, 2);
    for (uint32_t g = 0; g < 2; g++) {
        assert_string_equal(m.event[p.event[p.group[g].first]].name, "CLK");
        assert_int_equal(p.group[g].n, 4);
        assert_int_equal(p.group[g].n_shared, 1);
    }
    plan_free(&p);
    model_free(&m);
}

static void sharing_is_preferred(void **state) {
    (void)state;
    static const char text[] = HEAD
        "counters = { general = 4, fixed = 0 }\n[event]\n"
        "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n\"D\" = { code = 4 }\n"
        "\"E\" = { code = 5 }\n\"F\" = { code = 6 }\n\"G\" = { code = 7 }\n"
        "[node.One]\nformula = \"A / B / C\"\n"
        "[node.Two]\nformula = \"D / E / F\"\n"
        "[node.Three]\nformula = \"G / D\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.level = 0});
    assert_int_equal(p.n_group, 2);
    assert_int_equal(WITH(&m, &p, "D", "G"), 1); /* not into the first that has room */
    plan_free(&p);
    model_free(&m);
}

/* What a formula refers to is counted as well, however deep the level; inlined parts with it. */
static void references_are_planned(void **state) {
    (void)state;
    static const char text[] =
        HEAD "counters = { general = 8, fixed = 0 }\n[event]\n"
             "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n\"CLK\" = { code = "
             "4 }\n\"X\" = { code = 5 }\n"
             "[node.Top]\nformula = \"A / Clocks - Other\"\nthreshold = \"Top > 0.1 & Third > 1\"\n"
             "[node.Deep]\nparent = \"Top\"\nformula = \"X / Clocks\"\n"
             "[metric.Clocks]\nformula = \"CLK\"\ninline = true\n"
             "[metric.Other]\nformula = \"B\"\n"
             "[metric.Third]\nformula = \"C\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.level = 1});
    assert_int_equal(WITH(&m, &p, "A", "CLK"), 0);
    assert_true(WITH(&m, &p, "B") >= 0);
    assert_true(WITH(&m, &p, "C") >= 0);
    assert_int_equal(WITH(&m, &p, "X"), -1);
    assert_int_equal(p.missing[model_find_event(&m, "X")], COUNT_NOT_PLANNED);
    plan_free(&p);
    model_free(&m);
}

static void fallback_replaces_what_cannot_be(void **state) {
    (void)state;
    static const char text[] = HEAD
        "counters = { general = 8, fixed = 0 }\n[event]\n"
        "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"U\" = { pmu = \"uncore\" }\n"
        "[node.N]\nformula = \"A / U\"\nfallback = \"A / B\"\nfallback_note = \"leaves U out\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.level = 0});
    assert_int_equal(WITH(&m, &p, "A", "B"), 0);
    assert_int_equal(p.missing[model_find_event(&m, "U")], COUNT_UNCORE);
    plan_free(&p);
    model_free(&m);
}

/* Outside the cores every event is a group of its own, once, and takes no counter of a core. */
static void uncore_stands_apart(void **state) {
    (void)state;
    static const char text[] =
        HEAD "counters = { general = 2, fixed = 0 }\n[event]\n"
             "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n"
             "\"U\" = { pmu = \"uncore\" }\n\"V\" = { pmu = \"uncore\" }\n"
             "[node.N]\nformula = \"A / B / U\"\n"
             "[node.M]\nformula = \"U / V\"\nfallback = \"C\"\nfallback_note = \"coarser\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.uncore = true});
    int u = WITH(&m, &p, "U"), v = WITH(&m, &p, "V");
    assert_int_equal(p.n_group, 3);
    assert_int_equal(WITH(&m, &p, "A", "B"), 0); /* they fill the counters */
    assert_true(u > 0 && v > 0 && u != v);
    assert_int_equal(p.group[u].pmu, EVENT_UNCORE);
    assert_int_equal(p.group[u].n, 1);
    assert_int_equal(WITH(&m, &p, "C"), -1);
    plan_free(&p);
    uint8_t refused[5] = {0};
    refused[model_find_event(&m, "V")] = COUNT_NOT_SUPPORTED; /* no such box here */
    p = plan_of(&m, &(struct plan_options){.uncore = true, .refused = refused});
    assert_true(WITH(&m, &p, "U") > 0 && WITH(&m, &p, "C") > 0 && WITH(&m, &p, "V") < 0);
    assert_int_equal(p.missing[model_find_event(&m, "V")], COUNT_NOT_SUPPORTED);
    plan_free(&p);
    p = plan_of(&m, &(struct plan_options){.level = 0});
    assert_true(WITH(&m, &p, "U") < 0 && WITH(&m, &p, "C") > 0);
    assert_int_equal(p.missing[model_find_event(&m, "U")], COUNT_UNCORE);
    plan_free(&p);
    model_free(&m);
}

/* The NMI watchdog counts cycles where they are counted best. */
static void the_watchdog_takes_cycles(void **state) {
    (void)state;
    static const struct {
        const char *vendor, *counters;
        uint32_t together; /* of cycles and three others */
    } cases[] = {
        {"Intel", "{ general = 3, fixed = 3 }", 3}, /* cycles must take a general one */
        {"AMD", "{ general = 4 }", 3},
        {"Arm", "{ general = 3, fixed = 1 }", 3},
        {"Arm", "{ general = 4, fixed = 1 }", 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        struct model m;
        snprintf(text, sizeof(text),
                 "name = \"test\"\ntitle = \"Test\"\nvendor = \"%s\"\nrung = \"full\"\n"
                 "scope = \"slots\"\ncounters = %s\n[event]\n\"CLK\" = { code = 0x3c%s }\n"
                 "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n"
                 "[node.N]\nformula = \"(A + B + C) / CLK\"\n",
                 cases[i].vendor, cases[i].counters,
                 strcmp(cases[i].vendor, "Intel") == 0 ? ", fixed = 1"
                 : strcmp(cases[i].vendor, "Arm") == 0 ? ", fixed = 0"
                                                       : "");
        struct plan p = plan_text(&m, text, &(struct plan_options){.nmi_watchdog = true});
        if (p.group[0].n != cases[i].together)
            fail_msg("%s %s: %u together", cases[i].vendor, cases[i].counters, p.group[0].n);
        plan_free(&p);
        p = plan_of(&m, &(struct plan_options){.nmi_watchdog = false});
        assert_int_equal(p.group[0].n, 4);
        plan_free(&p);
        model_free(&m);
    }
}

/*
 * Cores without a slots group: what level 1 needs is counted together and fills the counters, so
 * that its nodes add up to 1 also where groups take turns.
 */
static void level_1_is_one_group(void **state) {
    (void)state;
    enum { SMT = 1, EBS = 2 };
    static const struct {
        const char *model;
        int how;
        const char *events[8];
    } cases[] = {
        {"skx",
         0,
         {"CPU_CLK_UNHALTED.THREAD", "IDQ_UOPS_NOT_DELIVERED.CORE", "UOPS_ISSUED.ANY",
          "UOPS_RETIRED.RETIRE_SLOTS", "INT_MISC.RECOVERY_CYCLES"}},
        {"skx",
         SMT,
         {"CPU_CLK_UNHALTED.THREAD_ANY", "IDQ_UOPS_NOT_DELIVERED.CORE", "UOPS_ISSUED.ANY",
          "UOPS_RETIRED.RETIRE_SLOTS", "INT_MISC.RECOVERY_CYCLES_ANY"}},
        {"hsx",
         SMT,
         {"CPU_CLK_UNHALTED.THREAD_ANY", "IDQ_UOPS_NOT_DELIVERED.CORE", "UOPS_ISSUED.ANY",
          "UOPS_RETIRED.RETIRE_SLOTS", "INT_MISC.RECOVERY_CYCLES_ANY"}},
        {"zen4",
         0,
         {"ls_not_halted_cyc", "de_no_dispatch_per_slot.no_ops_from_frontend",
          "de_no_dispatch_per_slot.backend_stalls", "de_no_dispatch_per_slot.smt_contention",
          "de_src_op_disp.all", "ex_ret_ops"}},
        {"neoverse-n2-r0p3",
         0,
         {"CPU_CYCLES", "STALL_SLOT", "STALL_SLOT_FRONTEND", "STALL_SLOT_BACKEND", "OP_RETIRED",
          "OP_SPEC", "BR_MIS_PRED"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m = {0};
        struct err err = {0};
        struct consts c;
        consts_init(&c);
        c.value[CONST_SMT_ON] = (cases[i].how & SMT) != 0;
        c.value[CONST_EBS_MODE] = (cases[i].how & EBS) != 0;
        if (model_open(&m, cases[i].model, NULL, &err))
            fail_msg("%s", err.text);
        struct plan p = plan_of(&m, &(struct plan_options){.level = 1, .consts = &c});
        if (group_with(&m, &p, cases[i].events) < 0)
            fail_msg("%s (%d): level 1 is torn", cases[i].model, cases[i].how);
        plan_free(&p);
        model_free(&m);
    }
}

/* The second attempt: without what the kernel refused. */
static void refused_events_make_room(void **state) {
    (void)state;
    static const char text[] = HEAD
        "counters = { general = 2, fixed = 0 }\n[event]\n"
        "\"A\" = { code = 1 }\n\"B\" = { code = 2 }\n\"C\" = { code = 3 }\n\"D\" = { code = 4 }\n"
        "[node.N]\nformula = \"A / B\"\nfallback = \"A / C\"\nfallback_note = \"coarser\"\n"
        "[node.M]\nformula = \"D\"\n";
    struct model m;
    struct plan p = plan_text(&m, text, &(struct plan_options){.level = 0});
    assert_int_equal(WITH(&m, &p, "A", "B"), 0);
    plan_free(&p);
    uint8_t refused[4] = {0};
    refused[model_find_event(&m, "B")] = COUNT_NOT_SUPPORTED;
    p = plan_of(&m, &(struct plan_options){.refused = refused});
    assert_int_equal(WITH(&m, &p, "A", "C"), 0);
    assert_int_equal(p.missing[model_find_event(&m, "B")], COUNT_NOT_SUPPORTED);
    plan_free(&p);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching),
        cmocka_unit_test(software_is_one_group),
        cmocka_unit_test(generic_has_whole_ratios),
        cmocka_unit_test(slots_lead),
        cmocka_unit_test(every_group_fits),
        cmocka_unit_test(offcore_values_in_turns),
        cmocka_unit_test(per_core_is_not_counted),
        cmocka_unit_test(levels_need_more),
        cmocka_unit_test(ratios_stay_whole),
        cmocka_unit_test(alternatives_without_topdown),
        cmocka_unit_test(missing_has_reasons),
        cmocka_unit_test(smt_decides_a_branch),
        cmocka_unit_test(too_big_is_split),
        cmocka_unit_test(sharing_is_preferred),
        cmocka_unit_test(references_are_planned),
        cmocka_unit_test(fallback_replaces_what_cannot_be),
        cmocka_unit_test(uncore_stands_apart),
        cmocka_unit_test(the_watchdog_takes_cycles),
        cmocka_unit_test(level_1_is_one_group),
        cmocka_unit_test(refused_events_make_room),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
