/* Recordings of real machines and what was published with them: percent, as printed. */
#ifndef TDTOP_RECORDINGS_ORACLES_H
#define TDTOP_RECORDINGS_ORACLES_H

#include "model/load/expr.h"

enum { ANSWERS_MAX = 16, GIVEN_MAX = 2 };

/* Constants that a recording does not say. */
enum situation { AS_IT_IS, ONE_OF_TWO_THREADS, FIVE_SLOTS };
static const struct {
    enum const_id id;
    double value;
} given[][GIVEN_MAX] = {
    [AS_IT_IS] = {{CONST_N, 0}, {CONST_N, 0}},
    /* how perf counts before Ice Lake: one thread of a core, its clocks estimated */
    [ONE_OF_TWO_THREADS] = {{CONST_SMT_ON, 1}, {CONST_EBS_MODE, 1}},
    [FIVE_SLOTS] = {{CONST_SLOTS_PER_CYCLE, 5}, {CONST_N, 0}},
};

struct oracle {
    const char *model, *file, *only;
    int interval;     /* which of the recording, from 1; 0 = the whole */
    double tolerance; /* percent points: half of the last printed digit */
    enum situation situation;
    struct {
        const char *metric;
        double percent;
    } answers[ANSWERS_MAX];
};

/* One decimal, as perf prints. */
#define PRINTED 0.051

/* clang-format off */
#define GLC_ANSWERS {{"Retiring", 23.1}, {"Bad_Speculation", 14.5}, {"Frontend_Bound", 38.8}, \
    {"Backend_Bound", 23.5}, {"Heavy_Operations", 3.5}, {"Light_Operations", 19.6}, \
    {"Branch_Mispredicts", 13.7}, {"Machine_Clears", 0.8}, {"Fetch_Latency", 25.1}, \
    {"Fetch_Bandwidth", 13.7}, {"Memory_Bound", 9.4}, {"Core_Bound", 14.1}}
#define ADL_ANSWERS {{"Retiring", 28.9}, {"Bad_Speculation", 7.5}, {"Frontend_Bound", 36.5}, \
    {"Backend_Bound", 27.1}}
#define ADL_E_ANSWERS {{"Retiring", 17.4}, {"Bad_Speculation", 16.5}, {"Frontend_Bound", 36.4}, \
    {"Backend_Bound", 29.8}}
/* The authors' dump: shares of the whole run, full precision. */
#define TOOL_ANSWERS {{"Retiring", 30.563444698921103}, {"Bad_Speculation", 15.704963614498988}, \
    {"Frontend_Bound", 39.901541321328665}, {"Backend_Bound", 13.830050365251243}, \
    {"Light_Operations", 28.094240877082548}, {"Heavy_Operations", 2.4692038218385544}, \
    {"Fetch_Latency", 22.87586071124957}, {"Fetch_Bandwidth", 17.025680610079096}, \
    {"Branch_Mispredicts", 15.131232348217662}, {"Machine_Clears", 0.5737312662813258}, \
    {"Memory_Bound", 8.064692659831877}, {"Core_Bound", 5.765357705419367}}
#define HARNESS_ANSWERS {{"Retiring", 42.9258413629406}, {"Bad_Speculation", 9.283321206004864}, \
    {"Frontend_Bound", 21.421441123983946}, {"Backend_Bound", 26.36939630707059}, \
    {"Light_Operations", 41.659906754822636}, {"Heavy_Operations", 1.2659346081179608}, \
    {"Fetch_Latency", 8.137661187182585}, {"Fetch_Bandwidth", 13.283779936801361}, \
    {"Branch_Mispredicts", 8.085063716660573}, {"Machine_Clears", 1.1982574893442912}, \
    {"Memory_Bound", 18.906962960473283}, {"Core_Bound", 7.462433346597308}}
/* Four decimals, cut or rounded by the authors. */
#define WINDOW_TOOL {{"L1_Bound", 8.3116}, {"L2_Bound", 1.7094}, {"L3_Bound", 12.263}, \
    {"DRAM_Bound", 5.707}}
#define WINDOW_HARNESS {{"L1_Bound", 6.0688}, {"L2_Bound", 1.6508}, {"L3_Bound", 8.2401}, \
    {"DRAM_Bound", 6.0381}}
#define SKL_LEVEL_1 {{"Retiring", 35.4}, {"Frontend_Bound", 2.6}, {"Backend_Bound", 60.0}, \
    {"Bad_Speculation", 2.1}}
#define SKL_LEVEL_2 {{"Fetch_Latency", 1.2}, {"Fetch_Bandwidth", 1.5}, \
    {"Branch_Mispredicts", 0.2}, {"Machine_Clears", 0.0}, {"Memory_Bound", 48.8}, \
    {"Core_Bound", 11.4}, {"Heavy_Operations", 2.8}, {"Light_Operations", 34.0}}
#define ZEN4_BRANCHLESS {{"Bad_Speculation", 2.0}, {"Retiring", 81.0}, {"SMT_Contention", 0.0}, \
    {"Frontend_Bound", 2.1}, {"Backend_Bound", 14.9}}
#define ZEN4_LOCALE {{"Branch_Mispredicts", 5.5}, {"Machine_Clears", 0.0}, \
    {"Bad_Speculation", 5.5}, {"Retiring", 63.5}, {"SMT_Contention", 0.3}, \
    {"Backend_Bound", 12.3}, {"Memory_Bound", 7.8}, {"Core_Bound", 4.4}, \
    {"Light_Operations", 63.4}, {"Heavy_Operations", 0.0}, {"Frontend_Bound", 18.6}, \
    {"Fetch_Latency", 11.5}, {"Fetch_Bandwidth", 7.1}}
/* The formulas of that time took one slot a cycle off STALL_SLOT and STALL_SLOT_FRONTEND, but not off
 * STALL_SLOT_BACKEND. So does model neoverse-n2-r0p0, which today has a term for mispredicted
 * branches as well: they were not counted, so its fallbacks serve. With the architecture's formulas,
 * which arm-sbsa has, the frontend is one slot of five larger, 20 points. */
#define N2_LEVEL_1 {{"Retiring", 5.1}, {"Frontend_Bound", 26.7}, {"Backend_Bound", 68.8}, \
    {"Bad_Speculation", 0.0}}
#define N2_ARCHITECTURE {{"Backend_Bound", 68.8}, {"Frontend_Bound", 46.7}}

static const struct oracle typed[] = {
    {"spr", "glc-levels-1-2.txt", NULL, 0, PRINTED, AS_IT_IS, GLC_ANSWERS},
    {"spr", "adl-p-core.json", NULL, 0, PRINTED, AS_IT_IS, ADL_ANSWERS},
    {"adl-glc", "adl-p-core.json", NULL, 0, PRINTED, AS_IT_IS, ADL_ANSWERS},
    {"adl-grt", "adl-e-core.txt", "cpu_atom", 0, PRINTED, AS_IT_IS, ADL_E_ANSWERS},
    {"spr", "spr-two-cgroups.csv", "tool.scope", 0, 1e-6, AS_IT_IS, TOOL_ANSWERS},
    {"spr", "spr-two-cgroups.csv", "harness.scope", 0, 1e-6, AS_IT_IS, HARNESS_ANSWERS},
    {"spr", "spr-memory-window.csv", "tool.scope", 0, 1e-4, AS_IT_IS, WINDOW_TOOL},
    {"spr", "spr-memory-window.csv", "harness.scope", 0, 1e-4, AS_IT_IS, WINDOW_HARNESS},
    {"skl", "skl-levels-1-2.csv", NULL, 1, PRINTED, ONE_OF_TWO_THREADS, SKL_LEVEL_1},
    {"skl", "skl-levels-1-2.csv", NULL, 2, PRINTED, ONE_OF_TWO_THREADS, SKL_LEVEL_2},
    {"zen4", "zen4-pipeline-l1.txt", NULL, 0, PRINTED, AS_IT_IS, ZEN4_BRANCHLESS},
    {"zen4", "zen4-pipeline-locale.txt", NULL, 0, PRINTED, AS_IT_IS, ZEN4_LOCALE},
    {"neoverse-n2-r0p0", "n2-level-1.txt", NULL, 0, PRINTED, AS_IT_IS, N2_LEVEL_1},
    {"arm-sbsa", "n2-level-1.txt", NULL, 0, PRINTED, FIVE_SLOTS, N2_ARCHITECTURE},
};

#define SPR "infersuite-spr-w5-3425/"

static const struct oracle real[] = {
    {"spr", SPR "glm_swe_babel-run_1.tma_cont.csv", "docker", 0, 1e-6, AS_IT_IS, TOOL_ANSWERS},
    {"spr", SPR "glm_swe_babel-run_1.tma_cont.csv", "glm-swe-babel-r1.scope", 0, 1e-6, AS_IT_IS,
     HARNESS_ANSWERS},
    {"spr", SPR "google-run_9.group_mem_bound_w002.txt", "docker", 0, 1e-4, AS_IT_IS, WINDOW_TOOL},
    {"spr", SPR "google-run_9.group_mem_bound_w002.txt", "glm-rep", 0, 1e-4, AS_IT_IS, WINDOW_HARNESS},
    {"spr", "intel/glc-events-L1L2-6.0.txt", NULL, 0, PRINTED, AS_IT_IS, GLC_ANSWERS},
    {"spr", "intel/adl-topdownl1-6.16.txt", NULL, 0, PRINTED, AS_IT_IS, ADL_ANSWERS},
    {"adl-glc", "intel/adl-topdownl1-6.16.txt", "cpu_core", 0, PRINTED, AS_IT_IS, ADL_ANSWERS},
    {"adl-grt", "intel/adl-topdownl1-6.16.txt", "cpu_atom", 0, PRINTED, AS_IT_IS, ADL_E_ANSWERS},
    {"adl-glc", "intel/adl-default-L1L2.txt", NULL, 0, PRINTED, AS_IT_IS,
     {{"Retiring", 37.1}, {"Bad_Speculation", 2.3}, {"Frontend_Bound", 16.2},
      {"Backend_Bound", 44.4}, {"Heavy_Operations", 0.8}, {"Light_Operations", 36.3},
      {"Branch_Mispredicts", 2.3}, {"Machine_Clears", 0.0}, {"Fetch_Latency", 4.5},
      {"Fetch_Bandwidth", 11.7}, {"Memory_Bound", 17.8}, {"Core_Bound", 26.6}}},
    /* An excerpt with lines that are no JSON; the corrections' counts are not in it. */
    {"icl", "intel/topdownl1-j-6.13.json", NULL, 0, 5e-4, AS_IT_IS, {{"Retiring", 20.422759}}},
    {"icl", "intel/icl-tgl-topdownl1-I-patchv1.csv", NULL, 0, PRINTED, AS_IT_IS,
     {{"Retiring", 10.2}, {"Frontend_Bound", 51.0}, {"Backend_Bound", 31.1},
      {"Bad_Speculation", 7.6}}},
    {"tgl", "intel/icl-tgl-topdownl1-I-patchv1.csv", NULL, 0, PRINTED, AS_IT_IS,
     {{"Retiring", 10.2}, {"Frontend_Bound", 51.0}, {"Backend_Bound", 31.1},
      {"Bad_Speculation", 7.6}}},
    {"skl", "intel/skl-topdown-L1-L2-L3.txt", NULL, 1, PRINTED, ONE_OF_TWO_THREADS, SKL_LEVEL_1},
    {"skl", "intel/skl-topdown-L1-L2-L3.txt", NULL, 2, PRINTED, ONE_OF_TWO_THREADS, SKL_LEVEL_2},
    {"zen4", "amd/zen4-avx512pi.txt", NULL, 2, PRINTED, AS_IT_IS,
     {{"Branch_Mispredicts", 0.2}, {"Machine_Clears", 0.0}, {"Memory_Bound", 4.4},
      {"Core_Bound", 71.5}, {"Light_Operations", 14.0}, {"Heavy_Operations", 0.9},
      {"Fetch_Latency", 7.6}, {"Fetch_Bandwidth", 1.6}}},
    {"zen4", "amd/zen4-serialpi.txt", NULL, 1, PRINTED, AS_IT_IS,
     {{"Branch_Mispredicts", 0.0}, {"Machine_Clears", 0.0}, {"Memory_Bound", 2.5},
      {"Core_Bound", 53.1}, {"Light_Operations", 40.0}, {"Heavy_Operations", 0.4},
      {"Fetch_Latency", 3.6}, {"Fetch_Bandwidth", 0.4}}},
    {"zen4", "amd/zen4-serialpi-native.txt", NULL, 1, PRINTED, AS_IT_IS,
     {{"Branch_Mispredicts", 0.1}, {"Machine_Clears", 0.0}, {"Memory_Bound", 4.2},
      {"Core_Bound", 72.2}, {"Light_Operations", 16.9}, {"Heavy_Operations", 0.6},
      {"Fetch_Latency", 5.4}, {"Fetch_Bandwidth", 0.6}}},
    {"zen4", "amd/zen4-copyif-microcode.txt", NULL, 0, PRINTED, AS_IT_IS,
     {{"Memory_Bound", 0.8}, {"Core_Bound", 0.4}, {"Light_Operations", 3.9},
      {"Heavy_Operations", 29.7}, {"Fetch_Latency", 40.3}, {"Fetch_Bandwidth", 25.0}}},
    {"zen4", "amd/zen4-interval-locale-L1L2.txt", NULL, 0, PRINTED, AS_IT_IS, ZEN4_LOCALE},
    {"zen4", "amd/zen4-branchless-L1.txt", NULL, 0, PRINTED, AS_IT_IS, ZEN4_BRANCHLESS},
    {"zen4", "amd/zen4-branchy-L1.txt", NULL, 0, PRINTED, AS_IT_IS,
     {{"Bad_Speculation", 0.8}, {"Retiring", 87.1}, {"SMT_Contention", 0.0},
      {"Frontend_Bound", 2.4}, {"Backend_Bound", 9.7}}},
    {"neoverse-n2-r0p0", "arm/n2-r0p0-falsesharing-v6plus.txt", NULL, 1, PRINTED, AS_IT_IS, N2_LEVEL_1},
    {"arm-sbsa", "arm/n2-r0p0-falsesharing-v6plus.txt", NULL, 1, PRINTED, FIVE_SLOTS, N2_ARCHITECTURE},
    /* Misses per thousand instructions, and a ratio times 100. */
    {"neoverse-n2-r0p0", "arm/n2-r0p0-falsesharing-v6plus.txt", NULL, 2, 5.1, AS_IT_IS,
     {{"branch_mpki", 1000.0}}},
    {"neoverse-n2-r0p0", "arm/n2-r0p0-falsesharing-v6plus.txt", NULL, 2, PRINTED, AS_IT_IS,
     {{"branch_misprediction_ratio", 4.5}}},
    /* Printed as ratios with two decimals. */
    {"neoverse-n2-r0p0", "arm/n2-r0p0-falsesharing-v1.txt", NULL, 0, 0.6, AS_IT_IS,
     {{"Retiring", 5}, {"Frontend_Bound", 29}, {"Backend_Bound", 67}, {"Bad_Speculation", 0}}},
    {"arm-sbsa", "arm/n2-r0p0-falsesharing-v1.txt", NULL, 0, 0.6, FIVE_SLOTS,
     {{"Backend_Bound", 67}, {"Frontend_Bound", 49}}},
};

/* Recordings without answers: they open, and hold what they hold. */
static const struct {
    const char *model, *file, *only;
    const char *known, *unknown; /* metrics */
} silent[] = {
    {"spr", SPR "babel-run_1.group_cache_w011.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_core_ports_w009.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_dram_bw_w012.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_fe_lat_w008.txt", "docker", "ICache_Misses", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_fe_w015.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_fpbr_w010.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_mlp_w013.txt", "docker", "Info_Memory_MLP", "Frontend_Bound"},
    {"spr", SPR "babel-run_1.group_priv_w014.txt", "docker", "IPC", "Frontend_Bound"},
    {"spr", "intel/spr-default-a.csv", NULL, "IPC", "Frontend_Bound"},
    {"spr", "intel/spr-default-a.json", NULL, "IPC", "Frontend_Bound"},
    {"spr", "intel/topdown-not-counted.csv", NULL, NULL, "Frontend_Bound"},
    {"ptl-cgc", "intel/ptl-hybrid-raw.txt", "cpu_core", "Frontend_Bound", "Fetch_Latency"},
    {"zen4", "amd/zen4-cmask-event-plain.csv", NULL, "Fetch_Latency", "Retiring"},
};

/* Percentages cannot be recomputed; the words say what the file is and what to record instead. */
static const struct {
    const char *file, *words;
} refused[] = {
    {"redis-topdown-profiler/uprof_pcm_5.2_real.csv", "looks like an AMD uProf report"},
    {"redis-topdown-profiler/uprof_pcm_pipeline_util.csv", "looks like an AMD uProf report"},
    {"redis-topdown-profiler/perf_stat_topdown.csv", "holds only percentages"},
    {"redis-topdown-profiler/perf_stat_topdown_perline.csv", "holds only percentages"},
    {"redis-topdown-profiler/toplev_csv_basic.csv", "holds only percentages"},
    {"redis-topdown-profiler/toplev_csv_percpu.csv", "holds only percentages"},
    {"redis-topdown-profiler/toplev_csv_system_wide.csv", "holds only percentages"},
    {"intel/topdown-option-metric-only.csv", "percentages"},
    {"toplev/skx-l2-I-columns.csv", "looks like toplev output"},
    {"toplev/skx-l2-I-perthread-v.csv", "looks like toplev output"},
    {"toplev/skx-l2-I-v.csv", "looks like toplev output"},
    {"toplev/skx-l2-I-v.json", "looks like a JSON array"},
    {"toplev/skx-l2-I.csv", "looks like toplev output"},
    {"toplev/skx-l2-v.csv", "looks like toplev output"},
    {"toplev/skx-l2-v.txt", "looks like toplev output"},
    {"toplev/skx-valcsv.csv", "toplev"},
};
/* clang-format on */

#endif
