/* Which event is sampled for a node, and in which words. */
#include "fake_root.h"
#include <errno.h>

#include "base/str.h"
#include "model/load/model.h"
#include "pmu/sampling/locate.h"

static struct machine machine;

static int setup(void **state) {
    if (make_root(state) || setenv("LIBPFM_FORCE_PMU", "spr", 1))
        return -1;
    put_pmu("cpu", "format/event", "config:0-7\n");
    put_pmu("cpu", "format/umask", "config:8-15\n");
    put_pmu("cpu", "format/cmask", "config:24-31\n");
    put_pmu("cpu", "format/inv", "config:23\n");
    put_pmu("cpu", "format/edge", "config:18\n");
    put_pmu("cpu", "format/offcore_rsp", "config1:0-63\n");
    put_pmu("cpu", "format/frontend", "config1:0-23\n");
    put_pmu("cpu", "format/ldlat", "config1:0-15\n");
    machine = (struct machine){.id = "GenuineIntel-6-8F-8", .pmu = "cpu", .pmu_type = 4};
    machine.n_core = 1;
    str_copy(machine.core[0].pmu, sizeof(machine.core[0].pmu), "cpu");
    machine.core[0].pmu_type = 4;
    return 0;
}

static void expect_end(const struct locate *l) {
    assert_true(l->n >= 2 && l->n <= LOCATE_MAX);
    assert_string_equal(l->at[l->n - 2].name, "cycles");
    assert_int_equal(l->at[l->n - 2].attr.type, PERF_TYPE_HARDWARE);
    assert_string_equal(l->at[l->n - 1].name, "cpu-clock");
    assert_true(l->at[l->n - 1].clock && !l->at[l->n - 2].clock);
    assert_int_equal(l->at[l->n - 1].attr.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(l->at[l->n - 1].precise, 0);
}

static void a_node_has_its_own_event_first(void **state) {
    (void)state;
    struct model m = {0};
    struct locate l;
    struct err err = {0};
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    const int node = model_find(&m, "DRAM_Bound");
    locate_events(&l, &machine, root, &m, node);
    assert_string_equal(l.at[0].name, "MEM_LOAD_RETIRED.L3_MISS");
    assert_int_equal(l.at[0].attr.type, 4);
    assert_int_equal(l.at[0].attr.config, 0x20d1);
    assert_int_equal(l.at[0].node, node);
    assert_int_equal(l.at[0].precise, LOCATE_PRECISE);
    assert_string_equal(l.at[0].of, "MEM_LOAD_RETIRED.L3_MISS events");
    assert_non_null(strstr(l.at[0].why, "DRAM_Bound"));
    expect_end(&l);
    model_free(&m);
}

static void a_node_without_one_has_its_parents(void **state) {
    (void)state;
    static const char text[] =
        "name = 'tiny'\ntitle = 'Tiny core'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"
        "[event]\n'A' = { code = 0x1d1 }\n'B' = { code = 2 }\n"
        "[node.Top]\nformula = 'A / B'\nlocate = ['B:pp']\nsummary = 'x'\n"
        "[node.Below]\nparent = 'Top'\nformula = 'A / B'\nsummary = 'x'\n"
        "[node.Alone]\nformula = 'A / B'\nlocate = ['NOT.KNOWN']\nsummary = 'x'\n";
    struct model m = {0};
    struct locate l;
    struct err err = {0};
    if (model_load(&m, text, strlen(text), "tiny.toml", &err) < 0)
        fail_msg("%s", err.text);
    locate_events(&l, &machine, root, &m, model_find(&m, "Below"));
    assert_int_equal(l.n, 3);
    assert_string_equal(l.at[0].name, "B"); /* how precise is asked of the kernel */
    assert_int_equal(l.at[0].attr.config, 2);
    assert_int_equal(l.at[0].node, model_find(&m, "Top"));
    assert_non_null(strstr(l.at[0].why, "Below has no event"));
    assert_non_null(strstr(l.at[0].why, "parent Top"));
    locate_events(&l, &machine, root, &m, model_find(&m, "Alone"));
    assert_int_equal(l.n, 2);
    expect_end(&l);
    assert_non_null(strstr(l.at[0].why, "Alone"));
    locate_events(&l, &machine, root, NULL, METRIC_NONE);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.at[0].of, "CPU cycles");
    assert_string_equal(l.at[1].of, "CPU time");
    assert_int_equal(locate_named(&l, &machine, root, &m, "A"), 0); /* nothing in its place */
    assert_int_equal(l.n, 1);
    assert_int_equal(l.at[0].attr.config, 0x1d1);
    assert_string_equal(l.at[0].of, "A events");
    assert_int_equal(locate_named(&l, &machine, root, NULL, "cpu-clock"), 0);
    assert_true(l.n == 1 && l.at[0].clock);
    assert_int_equal(locate_named(&l, &machine, root, NULL, "cycles"), 0);
    assert_true(!l.at[0].clock);
    assert_int_equal(locate_named(&l, &machine, root, &m, "NOT.KNOWN"), -ENOENT);
    model_free(&m);
}

static void without_a_pmu_there_is_the_clock(void **state) {
    (void)state;
    const struct machine none = {0};
    struct model m = {0};
    struct locate l;
    struct err err = {0};
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    locate_events(&l, &none, root, &m, model_find(&m, "DRAM_Bound"));
    assert_int_equal(l.n, 1);
    assert_string_equal(l.at[0].name, "cpu-clock");
    assert_non_null(strstr(l.at[0].why, "no PMU"));
    assert_non_null(strstr(l.at[0].why, "DRAM_Bound"));
    model_free(&m);
}

static void of_several_core_types_cycles_are_of_one(void **state) {
    (void)state;
    struct machine two = machine;
    struct locate l;
    two.n_core = 2;
    two.chosen = 1;
    two.pmu_type = 10;
    str_copy(two.core[1].cpus, sizeof(two.core[1].cpus), "16-23");
    locate_events(&l, &two, root, NULL, METRIC_NONE);
    assert_int_equal(l.at[0].attr.config >> PERF_PMU_TYPE_SHIFT, 10);
    assert_string_equal(l.cpus, "16-23");
}

static void every_node_of_every_model_has_something(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err) < 0)
            continue; /* a part of others */
        for (uint32_t i = 0; i < m.n_tree; i++) {
            struct locate l;
            locate_events(&l, &machine, root, &m, (int)i);
            if (m.metric[i].time == TIME_IDLE) /* nothing runs then */
                assert_true(l.n == 1 && l.at[0].off_cpu && l.at[0].node == (int)i);
            else
                expect_end(&l);
            for (int k = 0; k < l.n; k++)
                assert_true(l.at[k].name[0] && l.at[k].of[0] && l.at[k].why[0]);
        }
        model_free(&m);
    }
}

/* How many nodes of a model are found by their own event, and by that of a parent. */
struct answers {
    uint32_t own, parents, none;
};

static struct answers answers_of(const struct model *m) {
    struct answers a = {0};
    for (uint32_t i = 0; i < m->n_tree; i++) {
        int at = (int)i;
        while (at != METRIC_NONE && !m->metric[at].locate)
            at = m->metric[at].parent;
        if (at == METRIC_NONE)
            a.none++;
        else if (at == (int)i)
            a.own++;
        else
            a.parents++;
    }
    return a;
}

static void expect_in_table(const struct model *m, const struct metric *mt) {
    for (const char **name = mt->locate; name && *name; name++) {
        const struct event *ev = model_find_located(m, *name);
        if (!ev || (ev->pmu != EVENT_CORE && ev->pmu != EVENT_GENERIC) || !ev->has_code)
            fail_msg("%s: %s is located by %s, which has no code", m->name, mt->name, *name);
    }
}

/* Those without any are what is no loss: the time in which the core was active, and what is known
 * without a PMU. */
static void every_node_has_an_event_or_a_parent_that_has_one(void **state) {
    (void)state;
    int n_model = 0;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err) < 0)
            continue;
        for (uint32_t i = 0; i < m.n_metric; i++)
            expect_in_table(&m, &m.metric[i]);
        const struct answers a = answers_of(&m);
        const bool software = strcmp(m.rung, "software") == 0;
        const bool active = model_find(&m, "Active") != METRIC_NONE;
        if (a.none != (software ? m.n_tree : active) || (!software && a.own < 2))
            fail_msg("%s: of %u nodes %u have an event, %u a parent's, %u none", m.name, m.n_tree,
                     a.own, a.parents, a.none);
        n_model++;
        model_free(&m);
    }
    assert_true(n_model > 40);
}

/* What the kernel is asked for, and so what is said of it. */
static void only_what_retires_is_precise(void **state) {
    (void)state;
    struct model m = {0};
    struct locate l;
    struct err err = {0};
    struct machine arm = machine, amd = machine;
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    locate_events(&l, &machine, root, &m, model_find(&m, "Branch_Mispredicts"));
    assert_string_equal(l.at[0].name, "BR_MISP_RETIRED.ALL_BRANCHES");
    assert_int_equal(l.at[0].precise, LOCATE_PRECISE);
    assert_string_equal(l.at[1].name, "TOPDOWN.BR_MISPREDICT_SLOTS");
    assert_int_equal(l.at[1].precise, 1);
    locate_events(&l, &machine, root, &m, model_find(&m, "Retiring"));
    assert_string_equal(l.at[0].name, "UOPS_RETIRED.SLOTS");
    assert_int_equal(l.at[0].precise, 1);
    str_copy(arm.id, sizeof(arm.id),
             "0x410fd401"); /* its driver takes any precise_ip, and does nothing with it */
    str_copy(amd.id, sizeof(amd.id), "AuthenticAMD-25-11-1");
    locate_events(&l, &arm, root, NULL, METRIC_NONE);
    assert_int_equal(l.at[0].precise, 0);
    locate_events(&l, &amd, root, NULL, METRIC_NONE); /* cycles are IBS then */
    assert_int_equal(l.at[0].precise, LOCATE_PRECISE);
    model_free(&m);
}

/* Intel's loads as the kernel has them, AMD's by IBS; elsewhere none. */
static void loads_say_their_addresses(void **state) {
    (void)state;
    struct model m = {0};
    struct locate l;
    struct err err = {0};
    struct machine amd = machine, arm = machine;
    str_copy(amd.id, sizeof(amd.id), "AuthenticAMD-25-11-1");
    str_copy(arm.id, sizeof(arm.id), "0x410fd401");
    assert_int_equal(locate_accesses(&l, &machine, root), -ENOENT); /* the kernel has none */
    put_pmu("cpu", "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    assert_int_equal(locate_accesses(&l, &machine, root), 0);
    assert_int_equal(l.n, 1);
    assert_true(l.at[0].attr.config == 0x1cd && l.at[0].attr.config1 == 3 && !l.at[0].has_aux);
    assert_string_equal(l.at[0].of, "loads");
    assert_true(locate_is_access(&l) && l.at[0].precise == LOCATE_PRECISE);
    put_pmu("cpu", "events/mem-loads-aux", "event=0x03,umask=0x82\n");
    assert_int_equal(locate_accesses(&l, &machine, root), 0);
    assert_true(l.at[0].has_aux && l.at[0].aux.config == 0x8203 && l.at[0].aux.type == 4);
    assert_int_equal(locate_accesses(&l, &amd, root), 0);
    assert_string_equal(l.at[0].name, "cycles");
    assert_true(locate_is_access(&l));
    assert_int_equal(locate_accesses(&l, &arm, root), -ENOENT);
    assert_int_equal(locate_accesses(&l, &(struct machine){0}, root), -ENOENT);
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    locate_events(&l, &machine, root, &m, model_find(&m, "DRAM_Bound"));
    assert_true(locate_is_access(&l));
    locate_events(&l, &machine, root, &m, model_find(&m, "Branch_Mispredicts"));
    assert_false(locate_is_access(&l));
    locate_events(&l, &amd, root, NULL, METRIC_NONE); /* by time: not all are accesses */
    assert_false(locate_is_access(&l));
    model_free(&m);
}

static void precision_in_words(void **state) {
    (void)state;
    static const struct locate_event event, clock = {.clock = true},
                                            waits = {.clock = true, .off_cpu = true};
    assert_string_equal(locate_precision(&clock, 0), "by time only");
    assert_string_equal(locate_precision(&waits, 0), "each wait");
    assert_string_equal(locate_precision(&event, 0), "may be a few instructions late");
    assert_string_equal(locate_precision(&event, 1), "may be a few instructions late");
    assert_string_equal(locate_precision(&event, 2), "precise");
    assert_string_equal(locate_precision(&event, 3), "precise");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_has_its_own_event_first),
        cmocka_unit_test(a_node_without_one_has_its_parents),
        cmocka_unit_test(without_a_pmu_there_is_the_clock),
        cmocka_unit_test(of_several_core_types_cycles_are_of_one),
        cmocka_unit_test(every_node_of_every_model_has_something),
        cmocka_unit_test(every_node_has_an_event_or_a_parent_that_has_one),
        cmocka_unit_test(only_what_retires_is_precise),
        cmocka_unit_test(loads_say_their_addresses),
        cmocka_unit_test(precision_in_words),
    };
    return cmocka_run_group_tests(tests, setup, remove_root);
}
