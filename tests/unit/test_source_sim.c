/* The simulated core's counts: before any formula they must agree as a real core's would, and by
 * the formulas of every model they must make sense. */
#include "base/clock.h"
#include "model/load/known.h"
#include "pmu/sim/sim.h"
#include "pmu/source.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct model spr;

static int load_model(void **state) {
    (void)state;
    struct err err = {0};
    int rc = model_open(&spr, "spr", NULL, &err);
    if (rc < 0)
        print_error("%s\n", err.text);
    return rc;
}

static int free_model(void **state) {
    (void)state;
    model_free(&spr);
    return 0;
}

static void open_sim(struct source *src, int level, uint64_t interval_ns) {
    struct source_options opt = {.seed = 1, .interval_ns = interval_ns, .level = level};
    struct err err = {0};
    consts_init(&opt.consts);
    if (source_open(src, &source_sim, &spr, &opt, &err) < 0)
        fail_msg("%s", err.text);
}

/* What an event counts in q; fails the test if the core does not know it. */
static double of(const double *q, const char *name) {
    for (size_t i = 0; i < sim_n_events; i++)
        if (!strcmp(sim_events[i].name, name))
            return q[sim_events[i].of] * sim_events[i].factor;
    fail_msg("%s is not simulated", name);
    return NAN;
}

/* The first event counts at least as much as the others together. */
static const struct {
    const char *whole, *part[4];
} at_least[] = {
    {"CPU_CLK_UNHALTED.THREAD", {"EXE_ACTIVITY.BOUND_ON_LOADS", "EXE_ACTIVITY.BOUND_ON_STORES"}},
    {"CYCLE_ACTIVITY.STALLS_TOTAL", {"EXE_ACTIVITY.BOUND_ON_LOADS"}},
    {"EXE_ACTIVITY.BOUND_ON_LOADS", {"MEMORY_ACTIVITY.STALLS_L1D_MISS"}},
    {"MEMORY_ACTIVITY.STALLS_L1D_MISS", {"MEMORY_ACTIVITY.STALLS_L2_MISS"}},
    {"MEMORY_ACTIVITY.STALLS_L2_MISS", {"MEMORY_ACTIVITY.STALLS_L3_MISS"}},
    {"CYCLE_ACTIVITY.CYCLES_MEM_ANY", {"MEMORY_ACTIVITY.CYCLES_L1D_MISS"}},
    {"MEMORY_ACTIVITY.CYCLES_L1D_MISS", {"MEMORY_ACTIVITY.STALLS_L1D_MISS"}},
    {"CPU_CLK_UNHALTED.THREAD", {"CYCLE_ACTIVITY.CYCLES_MEM_ANY"}},
    {"CPU_CLK_UNHALTED.THREAD", {"CYCLE_ACTIVITY.STALLS_TOTAL", "UOPS_EXECUTED.THREAD:c1"}},
    {"UOPS_EXECUTED.THREAD:c1",
     {"EXE_ACTIVITY.1_PORTS_UTIL", "EXE_ACTIVITY.2_PORTS_UTIL", "UOPS_EXECUTED.CYCLES_GE_3"}},
    {"UOPS_ISSUED.ANY", {"UOPS_RETIRED.SLOTS"}},
    {"UOPS_ISSUED.ANY", {"IDQ.DSB_UOPS", "IDQ.MITE_UOPS", "IDQ.MS_UOPS"}},
    {"UOPS_RETIRED.SLOTS",
     {"UOPS_RETIRED.MS", "MEM_UOP_RETIRED.ANY", "BR_INST_RETIRED.ALL_BRANCHES"}},
    {"TOPDOWN.SLOTS:perf_metrics", {"UOPS_ISSUED.ANY"}},
    {"BR_INST_RETIRED.ALL_BRANCHES", {"BR_INST_RETIRED.NEAR_TAKEN", "BR_INST_RETIRED.COND_NTAKEN"}},
    {"BR_INST_RETIRED.ALL_BRANCHES", {"BR_MISP_RETIRED.ALL_BRANCHES"}},
    {"INT_MISC.CLEARS_COUNT", {"BR_MISP_RETIRED.ALL_BRANCHES", "MACHINE_CLEARS.COUNT"}},
    {"MEM_INST_RETIRED.ALL_LOADS",
     {"MEM_LOAD_RETIRED.L1_HIT", "MEM_LOAD_RETIRED.FB_HIT", "MEM_LOAD_RETIRED.L1_MISS"}},
    {"MEM_LOAD_RETIRED.L1_MISS", {"MEM_LOAD_RETIRED.L2_HIT", "MEM_LOAD_RETIRED.L2_MISS"}},
    {"MEM_LOAD_RETIRED.L2_MISS", {"MEM_LOAD_RETIRED.L3_HIT", "MEM_LOAD_RETIRED.L3_MISS"}},
    {"L2_RQSTS.REFERENCES", {"L2_RQSTS.MISS"}},
    {"L1D_PEND_MISS.PENDING", {"L1D_PEND_MISS.PENDING_CYCLES"}},
    {"ICACHE_DATA.STALLS", {"OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_CODE_RD"}},
    {"ARITH.DIV_ACTIVE", {"ARITH.FPDIV_ACTIVE"}},
    {"DTLB_LOAD_MISSES.WALK_COMPLETED",
     {"DTLB_LOAD_MISSES.WALK_COMPLETED_4K", "DTLB_LOAD_MISSES.WALK_COMPLETED_2M_4M"}},
};

static void counts_agree_in_every_phase(void **state) {
    (void)state;
    static const struct sim_machine mc = {.tsc_hz = 2e9, .width = 6, .smt = true};
    for (uint64_t t = 0; t < 170; t++) {
        double p[P_N], q[Q_N];
        sim_params(t * NS_PER_S, p);
        double sum = 0;
        for (int i = P_FETCH_LATENCY; i <= P_HEAVY; i++)
            sum += p[i];
        assert_true(fabs(sum - 1) < 0.01);
        sim_core(&mc, p, 1, q);
        for (size_t i = 0; i < sizeof(at_least) / sizeof(at_least[0]); i++) {
            double whole = of(q, at_least[i].whole), parts = 0;
            for (int k = 0; k < 4 && at_least[i].part[k]; k++)
                parts += of(q, at_least[i].part[k]);
            if (!(parts >= 0 && parts <= whole * (1 + 1e-9)))
                fail_msg("second %d, %s: %g is less than %s ...: %g", (int)t, at_least[i].whole,
                         whole, at_least[i].part[0], parts);
        }
        for (size_t i = 0; i < sim_n_events; i++)
            assert_true(q[sim_events[i].of] >= 0);
    }
}

static void note_leaf(const struct ast *leaf, void *user) {
    bool *read = user;
    if (leaf->op == AST_EVENT)
        read[leaf->index] = true;
}

/* All that formulas read, but what tdtop counts nowhere; nothing else. */
static void every_core_event_is_counted(void **state) {
    (void)state;
    struct source src;
    bool *read = calloc(spr.n_event, sizeof(*read));
    open_sim(&src, 0, NS_PER_S);
    for (uint32_t i = 0; i < spr.n_metric; i++)
        if (spr.metric[i].ast && !spr.metric[i].unavailable)
            known_leaves(&spr, &src.consts, spr.metric[i].ast, note_leaf, read);
    for (uint32_t i = 0; i < spr.n_event; i++) {
        const struct event *ev = &spr.event[i];
        enum count_state want = ev->pmu == EVENT_UNCORE ? COUNT_NOT_SIMULATED
                                : ev->percore           ? COUNT_PERCORE
                                : read[i]               ? COUNT_OK
                                                        : COUNT_NOT_PLANNED;
        if (src.layout.missing[i] != want)
            fail_msg("%s: %s", ev->name, count_state_text(src.layout.missing[i]));
    }
    source_close(&src);
    free(read);
}

/* Groups must be such as the core's counters could really hold; the first one is pinned. */
static void groups_fit_the_counters(void **state) {
    (void)state;
    struct source src;
    int pinned = 0;
    open_sim(&src, 0, NS_PER_S);
    for (unsigned g = 0; g < src.layout.n_group; g++) {
        int general = 0, low = 0, alone = 0; /* the latter: values of a register they share */
        uint64_t msr = 0;
        for (uint32_t i = 0; i < src.layout.n_slot; i++) {
            const struct event *ev = &spr.event[src.layout.slot[i].event];
            if (src.layout.slot[i].group != g)
                continue;
            if (ev->fixed >= 0 || ev->perf_metrics || ev->pmu != EVENT_CORE)
                continue;
            general++;
            low += ev->counters && !(ev->counters & ~0xfull);
            alone += ev->alone && (!alone || msr != ev->config1);
            msr = ev->alone ? ev->config1 : msr;
        }
        if (pinned + general > 8 || low > 4 || alone > 1)
            fail_msg("group %u: %d general, %d on counters 0-3, %d alone", g, general, low, alone);
        pinned = g == 0 ? general : pinned;
    }
    source_close(&src);
}

static bool takes_turns(const struct source *src, uint32_t slot) {
    const struct slot *at = &src->layout.slot[slot];
    return at->group >= src->layout.n_pinned && spr.event[at->event].pmu == EVENT_CORE;
}

static void duty_looks_real(void **state) {
    (void)state;
    struct source src;
    struct sample s;
    struct err err;
    open_sim(&src, 0, NS_PER_S);
    assert_int_equal(sample_init(&s, src.layout.n_slot), 0);
    assert_int_equal(src.ops->read(&src, &s, &err), 0);
    assert_int_equal(src.layout.n_pinned, 1);
    uint32_t turns = 0;
    for (uint32_t i = 0; i < s.n_slot; i++)
        turns += takes_turns(&src, i) &&
                 (i == 0 || src.layout.slot[i].group != src.layout.slot[i - 1].group);
    assert_true(turns > 10);
    double share = 1.0 / turns;
    for (uint32_t i = 0; i < s.n_slot; i++) {
        double duty = count_duty(&s.at[i]);
        if (!takes_turns(&src, i))
            assert_true(duty == 1);
        else if (duty < 0.7 * share || duty > 1.3 * share)
            fail_msg("%s: on the PMU for %g", spr.event[src.layout.slot[i].event].name, duty);
    }
    sample_destroy(&s);
    source_close(&src);
}

/* Groups out of focus have no count, but their time; the others have the counters for themselves.
 */
static void focus_gives_the_counters_to_the_others(void **state) {
    (void)state;
    struct source src;
    struct sample s;
    struct err err;
    const unsigned on[] = {0, 1, 5, 7};
    struct group_set set = {.only = true};
    open_sim(&src, 0, NS_PER_S);
    assert_true(src.layout.n_group > 10);
    for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++)
        set.bits[0] |= 1ull << on[i];
    assert_int_equal(sample_init(&s, src.layout.n_slot), 0);
    assert_int_equal(src.ops->focus(&src, &set, &err), 0);
    assert_int_equal(src.ops->read(&src, &s, &err), 0);
    for (uint32_t i = 0; i < s.n_slot; i++) {
        const struct count *c = &s.at[i];
        unsigned g = src.layout.slot[i].group;
        double duty = count_duty(c);
        bool in_turn = g == 1 || g == 5 || g == 7;
        assert_true(c->enabled_ns == NS_PER_S);
        if (g == 0)
            assert_true(duty == 1 && c->state == COUNT_OK);
        else if (in_turn)
            assert_true(c->state == COUNT_OK && duty > 0.25 && duty < 0.42);
        else
            assert_true(c->state == COUNT_NOT_FOCUSED && isnan(c->value) && c->running_ns == 0);
    }
    set = (struct group_set){.only = false};
    assert_int_equal(src.ops->focus(&src, &set, &err), 0);
    assert_int_equal(src.ops->read(&src, &s, &err), 0);
    for (uint32_t i = 0; i < s.n_slot; i++)
        assert_int_equal(s.at[i].state, COUNT_OK);
    sample_destroy(&s);
    source_close(&src);
}

static void what_is_wanted_alone_is_planned(void **state) {
    (void)state;
    struct source src;
    struct err err = {0};
    bool *wanted = test_calloc(spr.n_metric, sizeof(*wanted));
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S, .wanted = wanted};
    wanted[model_find(&spr, "L3_Bound")] = true;
    consts_init(&opt.consts);
    assert_int_equal(source_open(&src, &source_sim, &spr, &opt, &err), 0);
    int l3 = model_find_event(&spr, "MEMORY_ACTIVITY.STALLS_L3_MISS");
    int icache = model_find_event(&spr, "ICACHE_DATA.STALLS");
    assert_int_equal(src.layout.missing[l3], COUNT_OK);
    assert_int_equal(src.layout.missing[icache], COUNT_NOT_PLANNED);
    source_close(&src);
    test_free(wanted);
}

static uint32_t slot_of(const struct source *src, const char *name) {
    uint32_t i = 0;
    while (strcmp(spr.event[src->layout.slot[i].event].name, name))
        i++;
    return i;
}

/* Spread between two events that mean the same, one always on the PMU and one in turn. */
static double spread(int level, uint64_t interval_ns) {
    struct source src;
    struct sample s;
    struct err err;
    double sum = 0, squares = 0;
    enum { N = 200 };
    open_sim(&src, level, interval_ns);
    assert_int_equal(sample_init(&s, src.layout.n_slot), 0);
    uint32_t always = slot_of(&src, "PERF_METRICS.RETIRING");
    uint32_t in_turn = slot_of(&src, "UOPS_RETIRED.SLOTS");
    for (int i = 0; i < N; i++) {
        assert_int_equal(src.ops->read(&src, &s, &err), 0);
        double v = s.at[in_turn].value / s.at[always].value;
        sum += v;
        squares += v * v;
    }
    sample_destroy(&s);
    source_close(&src);
    assert_true(fabs(sum / N - 1) < 0.03); /* noise, but no bias */
    return sqrt(squares / N - sum / N * (sum / N));
}

static void less_time_on_the_pmu_means_more_noise(void **state) {
    (void)state;
    double few = spread(3, NS_PER_S), many = spread(0, NS_PER_S), soon = spread(0, NS_PER_S / 10);
    if (!(few > 0 && many > 1.2 * few && soon > 2 * many))
        fail_msg("spread %g with few events, %g with all, %g with all at 100 ms", few, many, soon);
}

static void a_level_leaves_out_what_is_below(void **state) {
    (void)state;
    struct source all, two;
    open_sim(&all, 0, NS_PER_S);
    open_sim(&two, 2, NS_PER_S);
    assert_true(two.layout.n_group < all.layout.n_group);
    int stalls = model_find_event(&spr, "MEMORY_ACTIVITY.STALLS_L3_MISS");
    int retiring = model_find_event(&spr, "PERF_METRICS.RETIRING");
    assert_int_equal(all.layout.missing[stalls], COUNT_OK);
    assert_int_equal(two.layout.missing[stalls], COUNT_NOT_PLANNED);
    assert_int_equal(two.layout.missing[retiring], COUNT_OK);
    source_close(&all);
    source_close(&two);
}

static void it_says_what_it_is(void **state) {
    (void)state;
    struct source src;
    struct source_options opt = {.interval_ns = 0};
    consts_init(&opt.consts);
    opt.consts.value[CONST_NUM_CPUS] = 8; /* as --const says */
    assert_int_equal(source_open(&src, &source_sim, &spr, &opt, NULL), 0);
    assert_true(src.simulated);
    assert_false(src.live);
    assert_string_equal(src.target_text, "simulated core");
    assert_true(src.consts.value[CONST_NUM_CPUS] == 8);
    assert_true(src.consts.value[CONST_SMT_ON] == 1);
    assert_true(src.opt.interval_ns == NS_PER_S);
    source_close(&src);
    source_close(&src); /* again is harmless */
}

static void phases_begin_where_they_should(void **state) {
    (void)state;
    static const struct {
        uint64_t at_s;
        const char *name;
    } cases[] = {
        {0, "warm-up"},
        {19, "warm-up"},
        {20, "Redis GET under load"},
        {50, "working set outgrows L3"},
        {80, "branchy parser"},
        {105, "allocator storm / TLB"},
        {130, "tuned build"},
        {160, "Redis GET under load"},
        {160 + 140 * 1000, "Redis GET under load"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(sim_phase(cases[i].at_s * NS_PER_S), cases[i].name);
    double a[P_N], b[P_N];
    sim_params(50 * NS_PER_S, a); /* a phase begins where the last one was */
    sim_params(50 * NS_PER_S - 1, b);
    for (int i = 0; i < P_N; i++)
        assert_true(a[i] == b[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_in_every_phase),
        cmocka_unit_test(every_core_event_is_counted),
        cmocka_unit_test(groups_fit_the_counters),
        cmocka_unit_test(duty_looks_real),
        cmocka_unit_test(focus_gives_the_counters_to_the_others),
        cmocka_unit_test(what_is_wanted_alone_is_planned),
        cmocka_unit_test(less_time_on_the_pmu_means_more_noise),
        cmocka_unit_test(a_level_leaves_out_what_is_below),
        cmocka_unit_test(it_says_what_it_is),
        cmocka_unit_test(phases_begin_where_they_should),
    };
    return cmocka_run_group_tests(tests, load_model, free_model);
}
