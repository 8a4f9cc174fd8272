/*
 * Recordings of real Golden Cove cores (Sapphire Rapids, Alder Lake P) whose tools or authors
 * published answers: model spr must give the same, within the rounding of what was printed.
 *
 * The counts in tests/data/replay are re-typed and always tried. The recordings themselves are not
 * part of the project; where their folder exists beside the checkout ($TDTOP_SHARED/recordings,
 * default ../shared/recordings) they are replayed too.
 */
#include "model/window.h"
#include "replay_fixture.h"

enum { ANSWERS_MAX = 12 };

struct answer {
    const char *metric;
    double percent;
};

struct oracle {
    const char *file, *only;
    double tolerance; /* percent points: half of the last printed digit */
    struct answer answers[ANSWERS_MAX];
};

/* perf stat, Golden Cove, printed with one decimal. */
#define GLC_ANSWERS                                                                                \
    {                                                                                              \
        {"Retiring", 23.1}, {"Bad_Speculation", 14.5}, {"Frontend_Bound", 38.8},                   \
            {"Backend_Bound", 23.5}, {"Heavy_Operations", 3.5}, {"Light_Operations", 19.6},        \
            {"Branch_Mispredicts", 13.7}, {"Machine_Clears", 0.8}, {"Fetch_Latency", 25.1},        \
            {"Fetch_Bandwidth", 13.7}, {"Memory_Bound", 9.4}, {                                    \
            "Core_Bound", 14.1                                                                     \
        }                                                                                          \
    }

#define ADL_ANSWERS                                                                                \
    {                                                                                              \
        {"Retiring", 28.9}, {"Bad_Speculation", 7.5}, {"Frontend_Bound", 36.5}, {                  \
            "Backend_Bound", 27.1                                                                  \
        }                                                                                          \
    }

/* The authors' dump: shares of the whole run, full precision. */
#define TOOL_ANSWERS                                                                               \
    {                                                                                              \
        {"Retiring", 30.563444698921103}, {"Bad_Speculation", 15.704963614498988},                 \
            {"Frontend_Bound", 39.901541321328665}, {"Backend_Bound", 13.830050365251243},         \
            {"Light_Operations", 28.094240877082548}, {"Heavy_Operations", 2.4692038218385544},    \
            {"Fetch_Latency", 22.87586071124957}, {"Fetch_Bandwidth", 17.025680610079096},         \
            {"Branch_Mispredicts", 15.131232348217662}, {"Machine_Clears", 0.5737312662813258},    \
            {"Memory_Bound", 8.064692659831877}, {                                                 \
            "Core_Bound", 5.765357705419367                                                        \
        }                                                                                          \
    }
#define HARNESS_ANSWERS                                                                            \
    {                                                                                              \
        {"Retiring", 42.9258413629406}, {"Bad_Speculation", 9.283321206004864},                    \
            {"Frontend_Bound", 21.421441123983946}, {"Backend_Bound", 26.36939630707059},          \
            {"Light_Operations", 41.659906754822636}, {"Heavy_Operations", 1.2659346081179608},    \
            {"Fetch_Latency", 8.137661187182585}, {"Fetch_Bandwidth", 13.283779936801361},         \
            {"Branch_Mispredicts", 8.085063716660573}, {"Machine_Clears", 1.1982574893442912},     \
            {"Memory_Bound", 18.906962960473283}, {                                                \
            "Core_Bound", 7.462433346597308                                                        \
        }                                                                                          \
    }

/* Four decimals, cut or rounded by the authors. */
#define WINDOW_TOOL                                                                                \
    {                                                                                              \
        {"L1_Bound", 8.3116}, {"L2_Bound", 1.7094}, {"L3_Bound", 12.263}, {                        \
            "DRAM_Bound", 5.707                                                                    \
        }                                                                                          \
    }
#define WINDOW_HARNESS                                                                             \
    {                                                                                              \
        {"L1_Bound", 6.0688}, {"L2_Bound", 1.6508}, {"L3_Bound", 8.2401}, {                        \
            "DRAM_Bound", 6.0381                                                                   \
        }                                                                                          \
    }

static const struct oracle typed[] = {
    {"glc-levels-1-2.txt", NULL, 0.051, GLC_ANSWERS},
    {"adl-p-core.json", NULL, 0.051, ADL_ANSWERS},
    {"spr-two-cgroups.csv", "tool.scope", 1e-6, TOOL_ANSWERS},
    {"spr-two-cgroups.csv", "harness.scope", 1e-6, HARNESS_ANSWERS},
    {"spr-memory-window.csv", "tool.scope", 1e-4, WINDOW_TOOL},
    {"spr-memory-window.csv", "harness.scope", 1e-4, WINDOW_HARNESS},
};

#define SPR "infersuite-spr-w5-3425/"

static const struct oracle real[] = {
    {SPR "glm_swe_babel-run_1.tma_cont.csv", "docker", 1e-6, TOOL_ANSWERS},
    {SPR "glm_swe_babel-run_1.tma_cont.csv", "glm-swe-babel-r1.scope", 1e-6, HARNESS_ANSWERS},
    {SPR "google-run_9.group_mem_bound_w002.txt", "docker", 1e-4, WINDOW_TOOL},
    {SPR "google-run_9.group_mem_bound_w002.txt", "glm-rep", 1e-4, WINDOW_HARNESS},
    {"intel/glc-events-L1L2-6.0.txt", NULL, 0.051, GLC_ANSWERS},
    {"intel/adl-topdownl1-6.16.txt", NULL, 0.051, ADL_ANSWERS},
    {"intel/adl-default-L1L2.txt",
     NULL,
     0.051,
     {{"Retiring", 37.1},
      {"Bad_Speculation", 2.3},
      {"Frontend_Bound", 16.2},
      {"Backend_Bound", 44.4},
      {"Heavy_Operations", 0.8},
      {"Light_Operations", 36.3},
      {"Branch_Mispredicts", 2.3},
      {"Machine_Clears", 0.0},
      {"Fetch_Latency", 4.5},
      {"Fetch_Bandwidth", 11.7},
      {"Memory_Bound", 17.8},
      {"Core_Bound", 26.6}}},
    /* Ice Lake: what does not depend on the width of the pipeline or on its own corrections. */
    {"intel/topdownl1-j-6.13.json", NULL, 5e-4, {{"Retiring", 20.422759}}},
    {"intel/icl-tgl-topdownl1-I-patchv1.csv",
     NULL,
     0.051,
     {{"Retiring", 10.2}, {"Frontend_Bound", 51.0}}},
};

/* Recordings without answers: they open, and hold what they hold. */
static const struct {
    const char *file, *only;
    const char *known, *unknown; /* metrics */
} silent[] = {
    {SPR "babel-run_1.group_cache_w011.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {SPR "babel-run_1.group_core_ports_w009.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {SPR "babel-run_1.group_dram_bw_w012.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {SPR "babel-run_1.group_fe_lat_w008.txt", "docker", "ICache_Misses", "Frontend_Bound"},
    {SPR "babel-run_1.group_fe_w015.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {SPR "babel-run_1.group_fpbr_w010.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {SPR "babel-run_1.group_mlp_w013.txt", "docker", "Info_Memory_MLP", "Frontend_Bound"},
    {SPR "babel-run_1.group_priv_w014.txt", "docker", "Info_Thread_IPC", "Frontend_Bound"},
    {"intel/spr-default-a.csv", NULL, "Info_Thread_IPC", "Frontend_Bound"},
    {"intel/spr-default-a.json", NULL, "Info_Thread_IPC", "Frontend_Bound"},
    {"intel/topdown-not-counted.csv", NULL, NULL, "Frontend_Bound"},
};

static void load_spr(struct model *m) {
    struct err err = {0};
    if (model_open(m, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

/* Sums first, ratios second: the whole recording becomes one frame. */
static void replay_whole(const struct model *m, const char *path, const char *only,
                         struct frame *out) {
    struct source_options opt = {.file = path, .only = only};
    struct source src;
    struct sample sample;
    struct window window;
    struct eval eval;
    struct err err = {0};
    consts_init(&opt.consts);
    if (source_open(&src, &source_replay, m, &opt, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sample_init(&sample, src.layout.n_slot), 0);
    assert_int_equal(window_init(&window, src.layout.n_slot, m->n_metric), 0);
    assert_int_equal(eval_init(&eval, m, &src.layout, &src.consts, &err), 0);
    int rc;
    while ((rc = src.ops->read(&src, &sample, &err)) == 0)
        window_add(&window, &sample);
    if (rc != -ENODATA)
        fail_msg("%s", err.text);
    window_frame(&window, &eval, out);
    eval_destroy(&eval);
    window_destroy(&window);
    sample_destroy(&sample);
    source_close(&src);
}

static double value_of(const struct model *m, const struct frame *f, const char *metric) {
    int i = model_find(m, metric);
    if (i == METRIC_NONE)
        fail_msg("model spr has no %s", metric);
    return f->at[i].v;
}

static void check_oracles(const char *folder, const struct oracle *oracles, size_t n) {
    struct model m;
    struct frame f;
    load_spr(&m);
    assert_int_equal(frame_init(&f, m.n_metric), 0);
    int checked = 0;
    for (size_t i = 0; i < n; i++) {
        const struct oracle *o = &oracles[i];
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, o->file);
        replay_whole(&m, path, o->only, &f);
        for (int k = 0; k < ANSWERS_MAX && o->answers[k].metric; k++, checked++) {
            double got = 100 * value_of(&m, &f, o->answers[k].metric);
            if (!(fabs(got - o->answers[k].percent) <= o->tolerance))
                fail_msg("%s %s: %s is %.9f, published %.9f", o->file, o->only ? o->only : "",
                         o->answers[k].metric, got, o->answers[k].percent);
        }
    }
    print_message("%d published values of %zu recordings agree\n", checked, n);
    frame_destroy(&f);
    model_free(&m);
}

static void test_typed(void **state) {
    (void)state;
    check_oracles("tests/data/replay", typed, COUNT_OF(typed));
}

/* The folder beside the checkout, or NULL with a printed reason. */
static const char *shared_folder(char *buf, size_t cap) {
    const char *shared = getenv("TDTOP_SHARED");
    snprintf(buf, cap, "%s/recordings", shared && *shared ? shared : "../shared");
    if (access(buf, R_OK) == 0)
        return buf;
    print_message("SKIP: no folder %s with recordings of real machines\n", buf);
    return NULL;
}

static void test_real(void **state) {
    (void)state;
    char buf[400];
    const char *folder = shared_folder(buf, sizeof(buf));
    if (folder)
        check_oracles(folder, real, COUNT_OF(real));
}

static void test_silent(void **state) {
    (void)state;
    char buf[400];
    const char *folder = shared_folder(buf, sizeof(buf));
    if (!folder)
        return;
    struct model m;
    struct frame f;
    load_spr(&m);
    assert_int_equal(frame_init(&f, m.n_metric), 0);
    for (size_t i = 0; i < COUNT_OF(silent); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, silent[i].file);
        replay_whole(&m, path, silent[i].only, &f);
        if (silent[i].known && isnan(value_of(&m, &f, silent[i].known)))
            fail_msg("%s: %s is unknown", silent[i].file, silent[i].known);
        if (!isnan(value_of(&m, &f, silent[i].unknown)))
            fail_msg("%s: %s is known", silent[i].file, silent[i].unknown);
    }
    frame_destroy(&f);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_silent),
    };
    return cmocka_run_group_tests_name("recordings", tests, NULL, NULL);
}
