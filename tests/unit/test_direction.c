/* Which way is better, over all models: of two names for one thing both say the same. */
#include "model/load/direction.h"

#include "model_fixture.h"

#include <fnmatch.h>

/* ---- by name ---- */

static void names(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int level;
        bool total;
        int better;
    } cases[] = {
        {"IPC", 0, false, 1},
        {"CPI", 0, false, -1},
        {"Info_System_Kernel_CPI", 0, false, -1},
        {"Retiring", 1, false, 1},
        {"Retiring.Heavy_Operations.Microcode_Sequencer", 3, false, -1},
        {"Retiring.Light_Operations.FP_Arith", 3, false, 0},
        {"Backend_Bound.Core_Bound.Ports_Utilization", 3, false, 0},
        {"Backend_Bound.Core_Bound.Ports_Utilization.Ports_Utilized_0.Serializing_Operation", 5,
         false, -1},
        {"Backend_Bound.Core_Bound.Ports_Utilization.Ports_Utilized_3m.ALU_Op_Utilization.Port_0",
         6, false, 0},
        {"Frontend_Stalls", 1, false, -1},
        {"Idle", 1, false, 0},
        {"l3_misses", 0, true, 0},
        {"l1_dtlb_misses_pti", 0, false, -1},
        {"all_l2_cache_hits_pti", 0, false, 0},
        {"Info_Memory_Latency_Load_L2_MLP", 0, false, 1},
        {"io_bandwidth_read_l3_miss", 0, false, 0},
        {"CPUs_Utilized", 0, false, 0},
        {"Something_Of_My_Own", 0, false, 0},
        {"Info.Thread.IPC", 0, false, 1},
        {"", 0, false, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int got =
            direction_find(&(struct direction_of){cases[i].path, cases[i].level, cases[i].total});
        if (got != cases[i].better)
            fail_msg("%s: %d", cases[i].path, got);
    }
}

/* ---- in all models ---- */

/* Wherever a model has metrics of both names, they are related so. Names may be globs. */
static const struct {
    const char *a, *b;
    int relation; /* 1: the same way, -1: opposite */
} pairs[] = {
    {"IPC", "CPI", -1},
    {"IPC", "Info_Thread_CPI", -1},
    {"IPC", "Info_Core_CPI", -1},
    {"IPC", "Info_System_Kernel_CPI", -1},
    {"IPC", "Info_Core_CoreIPC", 1},
    {"GHz", "cpu_operating_frequency", 1},
    {"GHz", "Info_System_Turbo_Utilization", 1},
    {"Info_*_IpMispredict", "*Branch_Mispredict_Ratio", -1},
    {"Info_*_IpMispredict", "Info_Bad_Spec_Branch_Misprediction_Cost", -1},
    {"Info_*_IpMispredict", "Branch_Mispredicts", -1},
    {"branch_mpki", "branch_misprediction_ratio", 1},
    {"branch_mpki", "Bad_Speculation", 1},
    {"Branch_Miss_Ratio", "Branch_Misses_PKI", 1},
    {"Cache_Miss_Ratio", "Cache_Misses_PKI", 1},
    {"ll_cache_read_hit_ratio", "ll_cache_read_miss_ratio", -1},
    {"ll_cache_read_miss_ratio", "ll_cache_read_mpki", 1},
    {"l1d_cache_miss_ratio", "l1d_cache_mpki", 1},
    {"dtlb_walk_ratio", "dtlb_mpki", 1},
    {"dtlb_walk_ratio", "DTLB_Walks", 1},
    {"Info_Frontend_DSB_Coverage", "DSB", -1},
    {"Info_Frontend_DSB_Coverage", "Info_Botlnk_L2_DSB_Misses", -1},
    {"Info_Frontend_DSB_Coverage", "Info_Frontend_IpDSB_Miss_Ret", 1},
    {"percent_uops_delivered_from_decoded_icache", "Info_Frontend_DSB_Coverage", 1},
    {"percent_uops_delivered_from_legacy_decode_pipeline",
     "percent_uops_delivered_from_decoded_icache", -1},
    {"Info_Memory_MLP", "Info_Memory_Latency_*_MLP", 1},
    {"Info_Memory_L?MPKI*", "L?_Bound", 1},
    {"Info_Memory_L3MPKI", "DRAM_Bound", 1},
    {"Info_Memory_Load_Miss_Real_Latency", "Info_Memory_Latency_Load_L*_Miss_Latency", 1},
    {"Info_Memory_Load_Miss_Real_Latency", "llc_demand_data_read_miss_latency*", 1},
    {"Info_Memory_TLB_*_STLB_MPKI", "Info_Memory_TLB_Page_Walks_Utilization", 1},
    {"Bottleneck_Useful_Work", "Retiring", 1},
    {"Bottleneck_Useful_Work", "Bottleneck_Mispredictions", -1},
    {"Bottleneck_Mispredictions", "Branch_Mispredicts", 1},
    {"Bottleneck_Mispredictions", "Bottleneck_*Bandwidth", 1},
    {"Bottleneck_Mispredictions", "Bottleneck_Instruction_Fetch_BW", 1},
    {"Bottleneck_Mispredictions", "Info_Botlnk_*", 1},
    {"Info_Bottleneck_*_Bound_Cycles", "Backend_Bound", 1},
    {"Info_Load_Store_Bound_*_Bound", "Backend_Bound", 1},
    {"frontend_stalled_cycles", "Frontend_Bound", 1},
    {"backend_stalled_cycles", "Backend_Bound", 1},
    {"Retiring", "Frontend_Bound", -1},
    {"Retiring", "Bad_Speculation", -1},
    {"Retiring", "Backend_Bound", -1},
    {"Light_Operations", "Heavy_Operations", -1},
    {"Active", "Frontend_Stalls", -1},
    {"numa_reads_addressed_to_local_dram", "numa_reads_addressed_to_remote_dram", -1},
    {"sve_predicate_full_percentage", "sve_predicate_empty_percentage", -1},
    {"op_cache_fetch_miss_ratio", "ic_fetch_miss_ratio", 1},
};

static bool is_called(const struct metric *mt, const char *glob) {
    return fnmatch(glob, mt->name, 0) == 0;
}

static int check_pair(const struct model *m, size_t k) {
    int n = 0;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct metric *a = &m->metric[i];
        for (uint32_t j = 0; j < m->n_metric && is_called(a, pairs[k].a); j++) {
            const struct metric *b = &m->metric[j];
            if (!is_called(b, pairs[k].b))
                continue;
            n++;
            if (a->better == 0 || b->better != a->better * pairs[k].relation)
                fail_msg("%s: %s %d, %s %d", m->name, a->name, a->better, b->name, b->better);
        }
    }
    return n;
}

static const char *const neither[] = {
    "Ports_Util*", "Port_*",  "*_Op_Utilization", "*bandwidth*", "*_BW*",   "CPUs_Utilized",
    "FP_Arith",    "*IpLoad", "*IpBranch",        "*_hits*",     "*_CLKS*",
};

static void all_models(void **state) {
    (void)state;
    int met[COUNT_OF(pairs)] = {0};
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err) < 0)
            fail_msg("%s", err.text);
        for (size_t k = 0; k < COUNT_OF(pairs); k++)
            met[k] += check_pair(&m, k);
        for (uint32_t i = 0; i < m.n_metric; i++)
            for (size_t k = 0; k < COUNT_OF(neither); k++)
                if (m.metric[i].better != 0 && m.metric[i].kind != METRIC_BOTTLENECK &&
                    strncmp(m.metric[i].name, "Info_Botlnk_", 12) != 0 &&
                    fnmatch(neither[k], m.metric[i].name, 0) == 0 &&
                    strcmp(m.metric[i].name, "MEM_Bandwidth") != 0)
                    fail_msg("%s: %s %d", e->name, m.metric[i].name, m.metric[i].better);
        model_free(&m);
    }
    for (size_t k = 0; k < COUNT_OF(pairs); k++)
        if (met[k] == 0)
            fail_msg("no model has both %s and %s", pairs[k].a, pairs[k].b);
}

/* ---- what adds up ---- */

static const char own[] = "name = \"own\"\ntitle = \"Own\"\nrung = \"full\"\nscope = \"slots\"\n"
                          "[event]\nA = { code = 1 }\nB = { code = 2 }\n"
                          "[metric.Count]\nformula = \"A + 2 * B\"\n"
                          "[metric.Ratio]\nformula = \"A / B\"\n"
                          "[metric.Rate]\nformula = \"Count / DURATION_S\"\n"
                          "[metric.Seconds]\nformula = \"DURATION_S\"\n"
                          "[metric.Least]\nformula = \"max(0, Count - 1)\"\n"
                          "[metric.Either]\nformula = \"A if A > B else 0\"\n"
                          "[metric.Share]\nformula = \"A\"\nshare = true\n"
                          "[metric.Inverse]\nformula = \"1 / A\"\n"
                          "[metric.Fewer]\nformula = \"A / B\"\ngood_down = true\n"
                          "[metric.IPC]\nformula = \"A / B\"\ngood_down = true\n";

static void totals(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool total;
        int better;
    } want[] = {
        {"Count", true, 0},   {"Ratio", false, 0}, {"Rate", false, 0},  {"Seconds", true, 0},
        {"Least", true, 0},   {"Either", true, 0}, {"Share", false, 0}, {"Inverse", false, 0},
        {"Fewer", false, -1}, {"IPC", false, -1}, /* the model's own word counts first */
    };
    struct model m;
    struct err err = {0};
    if (model_load(&m, own, strlen(own), "own", &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        const struct metric *mt = &m.metric[model_find(&m, want[i].name)];
        if (mt->total != want[i].total || mt->better != want[i].better)
            fail_msg("%s: %d %d", want[i].name, mt->total, mt->better);
    }
    model_free(&m);
}

static void both_ways(void **state) {
    (void)state;
    char text[sizeof(own) + 32];
    struct model m;
    struct err err = {0};
    snprintf(text, sizeof(text), "%sgood_up = true\n", own);
    assert_int_equal(model_load(&m, text, strlen(text), "own", &err), -EINVAL);
    assert_non_null(strstr(err.text, "'IPC' cannot be better both ways"));
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(all_models),
        cmocka_unit_test(totals),
        cmocka_unit_test(both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
