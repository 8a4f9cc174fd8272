/* Model files: what they load to, and what every kind of mistake is told. */
#include "model/load/model.h"

#include "base/str.h"
#include "model/load/expr.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void load(struct model *m, const char *name) {
    struct err err = {0};
    if (model_open(m, name, NULL, &err) < 0)
        fail_msg("%s: %s", name, err.text);
}

static const struct metric *metric(const struct model *m, const char *name) {
    int i = model_find(m, name);
    if (i == METRIC_NONE)
        fail_msg("no metric %s", name);
    return &m->metric[i];
}

/* --- the models that come with the program --- */

struct order_check {
    const struct model *m;
    bool *seen;
    const char *of;
};

static void referred_before(const struct ast *leaf, void *user) {
    struct order_check *c = user;
    if (leaf->op == AST_METRIC && !c->seen[leaf->index])
        fail_msg("%s: %s comes after %s, which needs it", c->m->name,
                 c->m->metric[leaf->index].name, c->of);
}

static void check_order(const struct model *m) {
    struct order_check c = {.m = m, .seen = calloc(m->n_metric, sizeof(bool))};
    assert_non_null(c.seen);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct metric *mt = &m->metric[m->order[i]];
        c.of = mt->name;
        expr_leaves(mt->ast, referred_before, &c);
        expr_leaves(mt->alt, referred_before, &c);
        expr_leaves(mt->fallback, referred_before, &c);
        assert_false(c.seen[m->order[i]]);
        c.seen[m->order[i]] = true;
    }
    free(c.seen);
}

static void check_tree(const struct model *m) {
    int last_root = METRIC_NONE;
    for (uint32_t i = 0; i < m->n_tree; i++) {
        const struct metric *mt = &m->metric[i];
        assert_int_equal(mt->kind, METRIC_TREE);
        if (mt->parent == METRIC_NONE) {
            assert_int_equal(mt->level, 1);
            assert_string_equal(mt->path, mt->name);
            if (last_root != METRIC_NONE)
                assert_int_equal(m->metric[last_root].next_sibling, (int)i);
            last_root = (int)i;
            continue;
        }
        const struct metric *parent = &m->metric[mt->parent];
        assert_true(mt->parent < (int)i);
        assert_int_equal(mt->level, parent->level + 1);
        assert_int_equal(mt->role, parent->role);
        assert_true(str_starts(mt->path, parent->path) && str_ends(mt->path, mt->name));
        int child = parent->first_child; /* it must be among its parent's children */
        while (child != METRIC_NONE && child != (int)i)
            child = m->metric[child].next_sibling;
        assert_int_equal(child, (int)i);
        if (parent->first_child == (int)i) /* preorder */
            assert_int_equal(mt->parent + 1, (int)i);
    }
    for (uint32_t i = m->n_tree; i < m->n_metric; i++) {
        assert_int_not_equal(m->metric[i].kind, METRIC_TREE);
        assert_int_equal(m->metric[i].level, 0);
        assert_int_equal(m->metric[i].parent, METRIC_NONE);
    }
}

static void test_embedded(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        load(&m, e->name);
        assert_string_equal(m.name, e->name);
        check_tree(&m);
        check_order(&m);
        for (uint32_t i = 0; i < m.n_event; i++)
            assert_int_equal(model_find_event(&m, m.event[i].name), (int)i);
        for (uint32_t i = 0; i < m.n_metric; i++)
            assert_int_equal(model_find(&m, m.metric[i].name), (int)i);
        model_free(&m);
    }
}

static void test_spr(void **state) {
    (void)state;
    struct model m;
    load(&m, "spr");
    uint32_t n_unavailable = 0;
    for (uint32_t i = 0; i < m.n_metric; i++)
        n_unavailable += m.metric[i].unavailable != NULL;
    assert_int_equal(n_unavailable, 0);
    assert_int_equal(m.slots_per_cycle, 6);
    assert_int_equal(m.general_counters, 8);
    assert_int_equal(m.fixed_counters, 4);
    assert_string_equal(m.match[0], "GenuineIntel-6-8F");
    assert_null(m.match[1]);
    static const char *const roots[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                        "Retiring"};
    int at = 0;
    for (int i = 0; i < 4; i++, at = m.metric[at].next_sibling) {
        assert_string_equal(m.metric[at].name, roots[i]);
        assert_int_equal(m.metric[at].role, ROLE_FRONTEND + i);
    }
    assert_int_equal(at, METRIC_NONE);
    model_free(&m);
}

static void test_spr_metrics(void **state) {
    (void)state;
    struct model m;
    load(&m, "spr");
    const struct metric *dram = metric(&m, "DRAM_Bound");
    assert_string_equal(dram->vendor, "L3_Miss_Bound");
    assert_string_equal(dram->path, "Backend_Bound.Memory_Bound.DRAM_Bound");
    assert_int_equal(dram->level, 3);
    assert_string_equal(dram->unit, "percent");
    assert_true(dram->share);
    assert_string_equal(dram->locate[0], "MEM_LOAD_RETIRED.L3_MISS");
    assert_null(dram->locate[1]);
    assert_string_equal(m.metric[metric(&m, "MBA_Stalls")->parent].name, "MEM_Bandwidth");
    assert_true(metric(&m, "Info_Thread_SLOTS")->inlined);
    assert_true(metric(&m, "Info_Core_CORE_CLKS")->inlined);
    assert_false(metric(&m, "IPC")->inlined);
    assert_true(metric(&m, "IPC")->vital);
    assert_true(metric(&m, "Retiring")->good_up);
    assert_false(metric(&m, "Heavy_Operations")->good_up);
    assert_string_equal(metric(&m, "Frontend_Bound")->fallback_note,
                        "without INT_MISC.UOP_DROPPING");
    assert_non_null(metric(&m, "Fetch_Latency")->fallback);
    assert_string_equal(metric(&m, "GHz")->unit, "GHz");
    assert_false(metric(&m, "Bottleneck_Big_Code")->share);
    assert_string_equal(metric(&m, "ICache_Misses")->formula,
                        "ICACHE_DATA.STALLS / Info_Thread_CLKS");
    assert_string_equal(metric(&m, "Contested_Accesses")->domain, "Clocks_Estimated");
    model_free(&m);
}

/* A formula over several lines is shown on one; a number as threshold is shown in full. */
static void test_texts(void **state) {
    (void)state;
    static const struct {
        const char *name, *threshold;
    } cases[] = {
        {"Frontend_Bound", "Frontend_Bound > 0.15"},
        {"L1_Bound", "L1_Bound > 0.1 & Memory_Bound > 0.2 & Backend_Bound > 0.2"},
        {"DTLB_Load",
         "DTLB_Load > 0.1 & L1_Bound > 0.1 & Memory_Bound > 0.2 & Backend_Bound > 0.2"},
        {"Retiring", "Retiring > 0.7 | Heavy_Operations > 0.1"},
        {"FP_Arith", "FP_Arith > 0.2 & Light_Operations > 0.6"},
        {"Info_Inst_Mix_IpLoad", "Info_Inst_Mix_IpLoad < 3"},
        {"Bottleneck_Branching_Overhead", "Bottleneck_Branching_Overhead > 5"},
        {"Info_Thread_CLKS", NULL},
    };
    struct model m;
    load(&m, "spr");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct metric *mt = metric(&m, cases[i].name);
        assert_int_equal(mt->threshold != NULL, cases[i].threshold != NULL);
        if (cases[i].threshold)
            assert_string_equal(mt->threshold_text, cases[i].threshold);
    }
    assert_string_equal(metric(&m, "Retiring")->formula,
                        "PERF_METRICS.RETIRING / ( PERF_METRICS.FRONTEND_BOUND + "
                        "PERF_METRICS.BAD_SPECULATION + PERF_METRICS.RETIRING + "
                        "PERF_METRICS.BACKEND_BOUND )");
    model_free(&m);
}

static void test_generic(void **state) {
    (void)state;
    static const struct {
        const char *name, *alias;
        uint64_t config;
    } events[] = {/* PERF_COUNT_HW_*, linux/perf_event.h */
                  {"cycles", "cpu-cycles", 0},
                  {"instructions", NULL, 1},
                  {"cache_references", "cache-references", 2},
                  {"cache_misses", "cache-misses", 3},
                  {"branches", "branch-instructions", 4},
                  {"branch_misses", "branch-misses", 5},
                  {"stalled_cycles_frontend", "stalled-cycles-frontend", 7},
                  {"stalled_cycles_backend", "stalled-cycles-backend", 8},
                  {"ref_cycles", "ref-cycles", 9}};
    struct model m;
    load(&m, "generic");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        int e = model_find_event(&m, events[i].name);
        if (e < 0)
            fail_msg("no event %s", events[i].name);
        assert_int_equal(m.event[e].pmu, EVENT_GENERIC);
        assert_int_equal(m.event[e].type, 0);
        assert_int_equal(m.event[e].config, events[i].config);
        if (events[i].alias)
            assert_string_equal(m.event[e].alias, events[i].alias);
    }
    assert_int_equal(m.n_tree, 3);
    assert_non_null(m.limits);
    assert_string_equal(m.rung, "generic");
    model_free(&m);
}

static void test_software(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum event_pmu pmu;
        uint64_t config;
    } events[] = {/* PERF_COUNT_SW_*, linux/perf_event.h */
                  {"task_clock", EVENT_SOFTWARE, 1},
                  {"context_switches", EVENT_SOFTWARE, 3},
                  {"cpu_migrations", EVENT_SOFTWARE, 4},
                  {"minor_faults", EVENT_SOFTWARE, 5},
                  {"major_faults", EVENT_SOFTWARE, 6},
                  {"utime_ns", EVENT_PROC, 0},
                  {"stime_ns", EVENT_PROC, 0},
                  {"run_wait_ns", EVENT_PROC, 0},
                  {"threads", EVENT_PROC, 0}};
    struct model m;
    load(&m, "software");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        int e = model_find_event(&m, events[i].name);
        if (e < 0)
            fail_msg("no event %s", events[i].name);
        assert_int_equal(m.event[e].pmu, events[i].pmu);
        assert_int_equal(m.event[e].config, events[i].config);
        assert_int_equal(m.event[e].type, events[i].pmu == EVENT_SOFTWARE ? 1 : 0);
    }
    assert_string_equal(m.scope, "one CPU, or all CPU time wanted");
    assert_true(metric(&m, "Context_Switches_Per_S")->vital);
    model_free(&m);
}

/* --- encodings --- */

static void test_encodings(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t config, config1;
        enum { PLAIN, KERNEL, USER, PERCORE, LEADER, ALONE } flag;
    } cases[] = {
        /* from the vendor's event list 1.39, put together by hand */
        {"UOPS_RETIRED.MS:c1", 0x10004c2, 0x8, ALONE},
        {"UOPS_RETIRED.MS:c1:e1", 0x10404c2, 0x8, ALONE},
        {"INST_DECODED.DECODERS:c1", 0x1000175, 0, PLAIN},
        {"INST_DECODED.DECODERS:c2", 0x2000175, 0, PLAIN},
        {"DTLB_LOAD_MISSES.STLB_HIT:c1", 0x1002012, 0, PLAIN},
        {"OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD:c12", 0xc000820, 0, PLAIN},
        {"OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002", 0x12a, 0x103b800002, PLAIN},
        {"DTLB_STORE_MISSES.STLB_HIT:c1", 0x1002013, 0, PLAIN},
        {"TOPDOWN.SLOTS:perf_metrics", 0x400, 0, LEADER},
        {"TOPDOWN.SLOTS:percore", 0x400, 0, PERCORE},
        {"UOPS_EXECUTED.THREAD:c1", 0x10001b1, 0, PLAIN},
        {"UOPS_RETIRED.SLOTS:c1", 0x10002c2, 0, PLAIN},
        {"UOPS_ISSUED.ANY:c1", 0x10001ae, 0, PLAIN},
        {"INT_MISC.UNKNOWN_BRANCH_CYCLES:c1:e1", 0x10440ad, 0x7, ALONE},
        {"DSB2MITE_SWITCHES.PENALTY_CYCLES:c1:e1", 0x1040261, 0, PLAIN},
        {"ICACHE_DATA.STALLS:c1:e1", 0x1040480, 0, PLAIN},
        {"OFFCORE_REQUESTS_OUTSTANDING.DEMAND_DATA_RD:c1", 0x1000120, 0, PLAIN},
        {"CPU_CLK_UNHALTED.THREAD_P:SUP", 0x3c, 0, KERNEL},
        {"INST_RETIRED.ANY_P:SUP", 0xc0, 0, KERNEL},
        {"BR_INST_RETIRED.FAR_BRANCH:USER", 0x40c4, 0, USER},
        /* without modifiers: cmask, edge, offcore and fixed codes of the table itself */
        {"EXE_ACTIVITY.BOUND_ON_LOADS", 0x50021a6, 0, PLAIN},
        {"INT_MISC.CLEARS_COUNT", 0x10401ad, 0, PLAIN},
        {"CYCLE_ACTIVITY.CYCLES_MEM_ANY", 0x100010a3, 0, PLAIN},
        {"OCR.READS_TO_CORE.DRAM", 0x12a, 0x73c004477, PLAIN},
        {"CPU_CLK_UNHALTED.REF_TSC", 0x300, 0, PLAIN},
        {"PERF_METRICS.MEMORY_BOUND", 0x8700, 0, PLAIN},
    };
    struct model m;
    load(&m, "spr");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int at = model_find_event(&m, cases[i].name);
        if (at < 0)
            fail_msg("no event %s", cases[i].name);
        const struct event *e = &m.event[at];
        if (!e->has_code || e->config != cases[i].config || e->config1 != cases[i].config1)
            fail_msg("%s: config 0x%llx, config1 0x%llx", e->name, (unsigned long long)e->config,
                     (unsigned long long)e->config1);
        if (e->kernel_only != (cases[i].flag == KERNEL) ||
            e->user_only != (cases[i].flag == USER) || e->percore != (cases[i].flag == PERCORE) ||
            e->slots_leader != (cases[i].flag == LEADER) || e->alone != (cases[i].flag == ALONE))
            fail_msg("%s: wrong flags", e->name);
        assert_int_equal(strlen(e->base), strcspn(e->name, ":"));
    }
    model_free(&m);
}

static void test_event_facts(void **state) {
    (void)state;
    struct model m;
    load(&m, "spr");
    const struct event *ev = &m.event[model_find_event(&m, "PERF_METRICS.RETIRING")];
    assert_true(ev->perf_metrics);
    assert_string_equal(ev->sysfs, "topdown-retiring");
    ev = &m.event[model_find_event(&m, "TOPDOWN.SLOTS:perf_metrics")];
    assert_int_equal(ev->fixed, 3);
    assert_string_equal(ev->sysfs, "slots");
    ev = &m.event[model_find_event(&m, "MEM_LOAD_RETIRED.L1_MISS")];
    assert_int_equal(ev->counters, 0xf);
    assert_int_equal(ev->fixed, -1);
    ev = &m.event[model_find_event(&m, "TOPDOWN.BR_MISPREDICT_SLOTS")];
    assert_int_equal(ev->counters, 0x1);
    ev = &m.event[model_find_event(&m, "CPU_CLK_UNHALTED.THREAD")];
    assert_string_equal(ev->alias, "cycles");
    ev = &m.event[model_find_event(&m, "UNC_M_CAS_COUNT.RD")];
    assert_int_equal(ev->pmu, EVENT_UNCORE);
    assert_false(ev->has_code);
    assert_int_equal(model_find_event(&m, "LSD.UOPS:c7"), -1);
    model_free(&m);
}

/* --- small models --- */

#define HEAD(vendor)                                                                               \
    "name = 't'\ntitle = 'T'\nrung = 'full'\nscope = 'slots'\nvendor = '" vendor "'\n"

static int load_text(struct model *m, const char *text, struct err *err) {
    return model_load(m, text, strlen(text), "t.toml", err);
}

static void test_codes_by_vendor(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *event;
        uint64_t config;
    } cases[] = {
        {"Intel: umask2 at 40, edge, any, inv",
         HEAD("Intel") "event.E = { code = 0xd1, umask = 1, umaskext = 1, edge = 1, any = 1, "
                       "inv = 1 }\nmetric.X.formula = 'E'",
         "E", 0x10000a401d1},
        {"Intel: equal and inverted, by modifiers",
         HEAD("Intel") "event.E = { code = 0x79, umask = 4 }\nmetric.X.formula = 'E:c8:i1:eq1'",
         "E:c8:i1:eq1", 0x1008800479},
        {"Intel: another umask, and cmask of the table replaced",
         HEAD("Intel") "event.E = { code = 0xc7, umask = 4, cmask = 3 }\n"
                       "metric.X.formula = 'E:u0x30:c1'",
         "E:u0x30:c1", 0x10030c7},
        {"AMD: bits 8-11 of the code go to 32-35",
         HEAD("AMD") "event.E = { code = 0x1a0, umask = 1 }\nmetric.X.formula = 'E:c6'", "E:c6",
         0x1060001a0},
        {"Arm: the code is the config",
         HEAD("Arm") "event.E = { code = 0x8161 }\nmetric.X.formula = 'E'", "E", 0x8161},
        {"a modified event that the table names itself",
         HEAD("Arm") "event.\"E:c6\" = { config = 7 }\nmetric.X.formula = 'E:c6'", "E:c6", 7},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        struct err err = {0};
        if (load_text(&m, cases[i].text, &err) < 0)
            fail_msg("%s: %s", cases[i].what, err.text);
        assert_int_equal(m.n_event, 1);
        assert_string_equal(m.event[0].name, cases[i].event);
        if (m.event[0].config != cases[i].config)
            fail_msg("%s: 0x%llx", cases[i].what, (unsigned long long)m.event[0].config);
        model_free(&m);
    }
}

/* An event that counts something else after modifiers has lost the names of what it was. */
static void test_modified_names(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    if (load_text(&m,
                  HEAD("Intel") "event.E = { config = 0x3c, sysfs = 's', alias = 'cycles' }\n"
                                "metric.X.formula = 'E:SUP + E:c1 + E + E:c1'",
                  &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.n_event, 3);
    assert_string_equal(m.event[0].alias, "cycles");
    assert_true(m.event[0].kernel_only);
    assert_null(m.event[1].alias);
    assert_null(m.event[1].sysfs);
    assert_string_equal(m.event[2].sysfs, "s");
    model_free(&m);
}

/* The file's order is kept among siblings, and children follow their parent all the same. */
static void test_tree_order(void **state) {
    (void)state;
    static const char text[] = HEAD("Intel") //
        "[node.A1]\nparent = 'A'\nformula = '1'\nthreshold = 2\n"
        "[node.B]\nformula = '1'\nrole = 'backend'\n"
        "[node.A]\nformula = '1'\nthreshold = 'A > 1 | B > 1'\n"
        "[node.A2]\nparent = 'A'\nformula = '1'\n"
        "[node.B1]\nparent = 'B'\nformula = '1'\nthreshold = 0.5\n";
    static const char *const order[] = {"B", "B1", "A", "A1", "A2"};
    struct model m;
    struct err err = {0};
    if (load_text(&m, text, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 5; i++)
        assert_string_equal(m.metric[i].name, order[i]);
    check_tree(&m);
    assert_int_equal(m.metric[1].role, ROLE_BACKEND);
    assert_string_equal(metric(&m, "A1")->threshold_text, "A1 > 2 & (A > 1 | B > 1)");
    assert_string_equal(metric(&m, "B1")->threshold_text, "B1 > 0.5"); /* its parent has none */
    const struct ast *over = metric(&m, "A1")->threshold;
    assert_int_equal(over->op, AST_AND);
    assert_int_equal(over->kid[0]->op, AST_GT);
    assert_int_equal(over->kid[0]->kid[0]->index, model_find(&m, "A1"));
    assert_true(over->kid[1] == metric(&m, "A")->threshold);
    model_free(&m);
}

/* A sum may name its children while their thresholds name the sum: that is no cycle. */
static void test_thresholds_make_no_cycle(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    if (load_text(&m,
                  HEAD("Intel") "[node.Sum]\nformula = 'Part'\nthreshold = 1\n"
                                "[node.Part]\nparent = 'Sum'\nformula = '1'\nthreshold = 1\n",
                  &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.order[0], model_find(&m, "Part"));
    model_free(&m);
}

/* --- latencies, uncore events, what a node leads to --- */

static void test_latencies(void **state) {
    (void)state;
    static const char text[] = HEAD("Intel") //
        "event.\"A.B\" = { code = 1 }\nevent.C = { code = 2 }\nevent.\"C:c1\" = { config = 3 }\n"
        "[latency]\n\"A.B\" = 9.83\nC = 7\n"
        "[metric.X]\nformula = 'A.B:retire_latency * C + C:c1:retire_latency + "
        "A.B:retire_latency'\n";
    struct model m;
    struct err err = {0};
    if (load_text(&m, text, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.n_latency, 3); /* the table's, then what only the formula names */
    assert_string_equal(m.latency[0].event, "A.B");
    assert_true(m.latency[0].cycles == 9.83);
    assert_true(m.latency[1].cycles == 7);
    assert_string_equal(m.latency[2].event, "C:c1");
    assert_true(isnan(m.latency[2].cycles));
    assert_int_equal(m.n_event, 1); /* a latency is no event */
    const struct ast *sum = m.metric[0].ast;
    assert_int_equal(sum->kid[1]->op, AST_CONST);
    assert_int_equal(sum->kid[1]->index, CONST_N);
    assert_int_equal(sum->kid[0]->kid[1]->index, CONST_N + 2);
    assert_int_equal(sum->kid[0]->kid[0]->kid[0]->index, CONST_N);
    model_free(&m);
}

static void test_uncore(void **state) {
    (void)state;
    static const struct {
        const char *name, *terms; /* terms NULL: none */
        bool one_unit;
    } cases[] = {
        {"U", "event=0x35,umask=0xc816fe01", false},
        {"U:c1", "event=0x35,umask=0xc816fe01,thresh=0x1", false},
        {"U:opc=0x182:c1", "event=0x35,umask=0xc816fe01,filter_opc=0x182,thresh=0x1", false},
        {"U:opc=0x1c8:tid=0x3e", "event=0x35,umask=0xc816fe01,filter_opc=0x1c8,filter_tid=0x3e",
         false},
        {"U:filter1=0x40432", "event=0x35,umask=0xc816fe01,config1=0x4043200000000", false},
        {"U:e1:i1", "event=0x35,umask=0xc816fe01,edge=0x1,inv=0x1", false},
        {"U:one_unit", "event=0x35,umask=0xc816fe01", true},
        {"N:c1", NULL, false},
        {"P", NULL, false},
        {"P:one_unit", NULL, true},
    };
    static const char text[] = HEAD("Intel") //
        "event.U = { pmu = 'uncore', device = 'uncore_cha', terms = 'event=0x35,umask=0xc816fe01' "
        "}\n"
        "event.N = { pmu = 'uncore' }\n"
        "event.P = { pmu = 'uncore', device = 'power', sysfs = 'energy-pkg', scale = 2.5e-1 }\n"
        "event.C = { code = 1, libpfm4 = 'it errs' }\n"
        "metric.X.formula = 'U + U:c1 + U:opc=0x182:c1 + U:opc=0x1c8:tid=0x3e + U:filter1=0x40432 "
        "+ "
        "U:e1:i1 + U:one_unit + N:c1 + P + P:one_unit + C'\n";
    struct model m;
    struct err err = {0};
    if (load_text(&m, text, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int at = model_find_event(&m, cases[i].name);
        if (at < 0)
            fail_msg("no event %s", cases[i].name);
        const struct event *ev = &m.event[at];
        assert_int_equal(ev->pmu, EVENT_UNCORE);
        if (!ev->terms != !cases[i].terms || (ev->terms && strcmp(ev->terms, cases[i].terms) != 0))
            fail_msg("%s: %s", ev->name, ev->terms ? ev->terms : "no terms");
        assert_int_equal(ev->one_unit, cases[i].one_unit);
        assert_true(ev->scale == (ev->base[0] == 'P' ? 0.25 : 1));
        assert_true(ev->base[0] == 'N' ? !ev->device : ev->device != NULL);
    }
    const struct event *core = &m.event[model_find_event(&m, "C")];
    assert_string_equal(core->libpfm4, "it errs");
    assert_true(core->scale == 1 && !core->one_unit);
    model_free(&m);
}

static void test_next_and_when(void **state) {
    (void)state;
    static const char text[] =
        "name = 't'\ntitle = 'T'\nrung = 'architecture'\nscope = 'slots'\ncore_type = 'atom'\n"
        "event.E = { pmu = 'generic', config = 1 }\n"
        "[node.A]\nformula = 'E'\nnext = ['Branch Group', 'L1', 'B']\n"
        "approximate = 'threads share a core'\napproximate_when = 'SMT_ON & Guess | EBS_MODE'\n"
        "[node.B]\nformula = 'E'\ngroups = 'L1; Branch Group ;L2'\napproximate = 'always'\n"
        "[metric.Guess]\nformula = 'SLOTS_PER_CYCLE > 4'\n";
    struct model m;
    struct err err = {0};
    if (load_text(&m, text, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(m.rung, "architecture");
    assert_string_equal(m.core_type, "atom");
    const struct metric *a = metric(&m, "A"), *b = metric(&m, "B");
    assert_string_equal(a->next[0], "Branch Group");
    assert_string_equal(a->next[2], "B");
    assert_null(a->next[3]);
    assert_null(b->next);
    assert_int_equal(a->approximate_when->op, AST_OR);
    assert_int_equal(a->approximate_when->kid[1]->index, CONST_EBS_MODE);
    assert_null(b->approximate_when);
    model_free(&m);
}

/* --- finding and opening --- */

static void test_find(void **state) {
    (void)state;
    static const struct {
        const char *asked, *found;
    } cases[] = {
        {"L1_Bound", "L1_Bound"},
        {"l1_bound", "L1_Bound"},
        {"l3_miss_bound", "DRAM_Bound"},
        {"backend_bound.memory_bound.l1_bound", "L1_Bound"},
        {"info_thread_ipc", "IPC"},
        {"Memory_Bound.L1_Bound", NULL},
        {"L9_Bound", NULL},
        {"", NULL},
    };
    struct model m;
    load(&m, "spr");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int at = model_find(&m, cases[i].asked);
        const char *name = at == METRIC_NONE ? NULL : m.metric[at].name;
        if (!name != !cases[i].found || (name && strcmp(name, cases[i].found) != 0))
            fail_msg("%s: found %s", cases[i].asked, name ? name : "nothing");
    }
    model_free(&m);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void test_open(void **state) {
    (void)state;
    char dir[] = "/tmp/tdtop-model-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char good[64], bad[64];
    snprintf(good, sizeof(good), "%s/generic.toml", dir);
    snprintf(bad, sizeof(bad), "%s/spr.toml", dir);
    write_file(good, HEAD("Arm") "event.E = { code = 1 }\nnode.Mine.formula = 'E'\n");
    write_file(bad, "name = 1\n");

    const struct model_places places = {.models = dir};
    struct model m;
    struct err err = {0};
    assert_int_equal(model_open(&m, "generic", &places, &err), 0);
    assert_string_equal(m.metric[0].name, "Mine"); /* the folder's, not the built-in one */
    model_free(&m);
    assert_int_equal(model_open(&m, good, NULL, &err), 0);
    model_free(&m);
    assert_int_equal(model_open(&m, "software", &places, &err), 0); /* not there: built in */
    model_free(&m);
    assert_int_equal(model_open(&m, "spr", &places, &err), -EINVAL); /* there, but wrong */
    assert_true(str_starts(err.text, bad));
    assert_int_equal(model_open(&m, "sprr", NULL, &err), -ENOENT);
    assert_true(str_starts(err.text, "no model 'sprr'; did you mean 'spr'"));
    assert_int_equal(model_open(&m, "Zen", &places, &err), -ENOENT);
    assert_non_null(strstr(err.text, dir));
    assert_non_null(
        strstr(err.text, "; did you mean 'zen1', 'zen2' or 'zen3'? tdtop models lists"));
    assert_int_equal(model_open(&m, "sapphire-rapids", NULL, &err), -ENOENT);
    assert_string_equal(err.text, "no model 'sapphire-rapids'; tdtop models lists them");
    /* One CPU, several steppings or core types. */
    assert_int_equal(model_open(&m, "neoverse-n2", NULL, &err), -ENOENT);
    assert_string_equal(err.text,
                        "no model 'neoverse-n2'; did you mean 'neoverse-n2-r0p0', "
                        "'neoverse-n2-r0p1', 'neoverse-n2-r0p2' or 'neoverse-n2-r0p3'? tdtop "
                        "models lists them");
    assert_int_equal(model_open(&m, "adl", NULL, &err), -ENOENT);
    assert_non_null(strstr(err.text, "did you mean 'adl-glc' or 'adl-grt'?"));
    assert_true(model_open(&m, "./nowhere.toml", NULL, &err) < 0);
    assert_non_null(strstr(err.text, "nowhere.toml"));
    model_free(&m);

    unlink(good);
    unlink(bad);
    assert_int_equal(rmdir(dir), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_embedded),
        cmocka_unit_test(test_spr),
        cmocka_unit_test(test_spr_metrics),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_software),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_event_facts),
        cmocka_unit_test(test_codes_by_vendor),
        cmocka_unit_test(test_modified_names),
        cmocka_unit_test(test_tree_order),
        cmocka_unit_test(test_thresholds_make_no_cycle),
        cmocka_unit_test(test_latencies),
        cmocka_unit_test(test_uncore),
        cmocka_unit_test(test_next_and_when),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
