#include "pmu/host/encode.h"

#include "base/log.h"
#include "base/str.h"

#include "fake_root.h"

#include <errno.h>
#include <linux/perf_event.h>

/* An Intel CPU; and LIBPFM_FORCE_PMU, so that libpfm4 takes it for one as well. */
static int setup(void **state) {
    (void)state;
    if (make_root(NULL) || setenv("LIBPFM_FORCE_PMU", "spr", 1))
        return -1;
    put_pmu("cpu", "format/event", "config:0-7\n");
    put_pmu("cpu", "format/umask", "config:8-15\n");
    put_pmu("cpu", "format/edge", "config:18\n");
    put_pmu("cpu", "format/cmask", "config:24-31\n");
    put_pmu("cpu", "format/wide", "config:0-7,32-35\n");
    put_pmu("cpu", "format/offcore_rsp", "config1:0-63\n");
    put_pmu("cpu", "format/broken", "nonsense\n");
    put_pmu("cpu", "events/slots", "event=0x00,umask=0x4\n");
    put_pmu("cpu", "events/topdown-retiring", "event=0x00,umask=0x80\n");
    put_pmu("cpu", "events/odd", "event=zz\n");
    return 0;
}

static void terms(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        int rc;
        unsigned long long config, config1;
    } cases[] = {
        {"fields", "event=0xa6,umask=0x21,cmask=5", 0, 0x50021a6, 0},
        {"a bare flag", "event=0xc2,edge", 0, 0x400c2, 0},
        {"a field in two parts", "wide=0x1a0", 0, 0x1000000a0, 0},
        {"config1", "event=0x2a,umask=1,offcore_rsp=0x103b800002", 0, 0x12a, 0x103b800002},
        {"config itself", "config=0x1c0,config1=7", 0, 0x1c0, 7},
        {"unknown field", "nosuch=1", -EINVAL, 0, 0},
        {"value too wide", "umask=0x100", -EINVAL, 0, 0},
        {"not a number", "event=zz", -EINVAL, 0, 0},
        {"nothing behind =", "event=", -EINVAL, 0, 0},
        {"format that is none", "broken=1", -EINVAL, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned long long c[3];
        int rc = encode_terms(root, "cpu", cases[i].text, c);
        if (rc != cases[i].rc || (!rc && (c[0] != cases[i].config || c[1] != cases[i].config1)))
            fail_msg("%s: rc %d, 0x%llx 0x%llx", cases[i].what, rc, c[0], c[1]);
    }
}

static void pfm_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *base, *pfm; /* NULL: libpfm4 cannot say it */
    } cases[] = {
        {"INST_RETIRED.ANY", "INST_RETIRED.ANY", "INST_RETIRED:ANY"},
        {"UOPS_RETIRED.MS:c1:e1", "UOPS_RETIRED.MS", "UOPS_RETIRED:MS:c=1:e=1"},
        {"A.B:i1:c12", "A.B", "A:B:i=1:c=12"},
        {"IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE",
         "IDQ_BUBBLES:CYCLES_0_UOPS_DELIV.CORE"},
        {"ls_not_halted_cyc", "ls_not_halted_cyc", "ls_not_halted_cyc"},
        {"OCR.X:ocr_msr_val=0x1", "OCR.X", NULL},
        {"A.B:c1:SUP", "A.B", "A:B:c=1"}, /* who is counted is no part of the code */
        {"A.B:percore", "A.B", "A:B"},
        {"A.B:superb", "A.B", NULL},
        {"A.B:u0x30", "A.B", NULL},
        {"A.B:c1:eq1", "A.B", NULL},
        {"A.B:c", "A.B", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event ev = {.name = cases[i].name, .base = cases[i].base};
        char buf[160];
        bool ok = encode_pfm_name(&ev, buf, sizeof(buf));
        if (ok != (cases[i].pfm != NULL) || (ok && strcmp(buf, cases[i].pfm) != 0))
            fail_msg("%s: %d %s", cases[i].name, ok, buf);
    }
    char small[8];
    struct event ev = {.name = "INST_RETIRED.ANY", .base = "INST_RETIRED.ANY"};
    assert_false(encode_pfm_name(&ev, small, sizeof(small)));
}

#define CORE(spelled)    .name = spelled, .base = spelled, .pmu = EVENT_CORE
#define HAS(code, code1) .has_code = true, .config = (code), .config1 = (code1)

static void events(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct event ev;
        int rc;
        uint32_t type;
        uint64_t config, config1;
    } cases[] = {
        {"the kernel's own name",
         {CORE("PERF_METRICS.RETIRING"), .sysfs = "topdown-retiring", .perf_metrics = true},
         0,
         9,
         0x8000,
         0},
        {"the kernel's name before the model's code",
         {CORE("TOPDOWN.SLOTS"), HAS(0x1a4, 0), .sysfs = "slots"},
         0,
         9,
         0x400,
         0},
        {"a kernel name that is not there: the code",
         {CORE("X.Y"), HAS(0x1a4, 0), .sysfs = "nosuch"},
         0,
         9,
         0x1a4,
         0},
        {"a kernel name that makes no sense: the code",
         {CORE("X.Y"), HAS(0x1a4, 0), .sysfs = "odd"},
         0,
         9,
         0x1a4,
         0},
        {"a perf metric the kernel lacks",
         {CORE("PERF_METRICS.NEW"), HAS(0x8800, 0), .sysfs = "topdown-new", .perf_metrics = true},
         -ENOENT,
         0,
         0,
         0},
        {"both agree", {CORE("TOPDOWN.SLOTS_P"), HAS(0x1a4, 0)}, 0, 9, 0x1a4, 0},
        {"libpfm4 differs: the model's",
         {CORE("CPU_CLK_UNHALTED.THREAD"), HAS(0x3c, 0)},
         0,
         9,
         0x3c,
         0},
        {"libpfm4 alone", {CORE("FRONTEND_RETIRED.L2_MISS")}, 0, 9, 0x1c6, 0x13},
        {"libpfm4 with modifiers",
         {.name = "EXE_ACTIVITY.BOUND_ON_LOADS:e1",
          .base = "EXE_ACTIVITY.BOUND_ON_LOADS",
          .pmu = EVENT_CORE},
         0,
         9,
         0x50421a6,
         0},
        {"nobody knows it", {CORE("NO_SUCH.EVENT")}, -ENOENT, 0, 0, 0},
        {"generic",
         {.name = "cycles",
          .base = "cycles",
          .pmu = EVENT_GENERIC,
          .type = PERF_TYPE_HARDWARE,
          HAS(0, 0)},
         0,
         PERF_TYPE_HARDWARE,
         0,
         0},
        {"software",
         {.name = "faults",
          .base = "faults",
          .pmu = EVENT_SOFTWARE,
          .type = PERF_TYPE_SOFTWARE,
          HAS(2, 0)},
         0,
         PERF_TYPE_SOFTWARE,
         2,
         0},
        {"not for perf",
         {.name = "utime_ns", .base = "utime_ns", .pmu = EVENT_PROC},
         -EOPNOTSUPP,
         0,
         0,
         0},
        {"uncore",
         {.name = "UNC_X", .base = "UNC_X", .pmu = EVENT_UNCORE, HAS(1, 0)},
         -EOPNOTSUPP,
         0,
         0,
         0},
    };
    struct machine mc = {.pmu = "cpu", .pmu_type = 9};
    struct encode_options opt = {.root = root};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct perf_event_attr attr;
        int rc = encode_event(&mc, &cases[i].ev, &opt, &attr);
        if (rc != cases[i].rc)
            fail_msg("%s: rc %d", cases[i].what, rc);
        if (!rc && (attr.type != cases[i].type || attr.config != cases[i].config ||
                    attr.config1 != cases[i].config1))
            fail_msg("%s: type %u, 0x%llx 0x%llx", cases[i].what, attr.type,
                     (unsigned long long)attr.config, (unsigned long long)attr.config1);
    }
}

/* ---- raw codes, and where a PMU wants their fields ---- */

/* Formats as kernels show them, and one that no kernel has. */
static const struct {
    const char *pmu, *field, *format;
} formats[] = {
    {"skylake", "event", "config:0-7"},
    {"skylake", "umask", "config:8-15"},
    {"skylake", "edge", "config:18"},
    {"skylake", "any", "config:21"},
    {"skylake", "inv", "config:23"},
    {"skylake", "cmask", "config:24-31"},
    {"skylake", "offcore_rsp", "config1:0-63"},
    {"skylake", "frontend", "config1:0-23"},
    {"skylake", "ldlat", "config1:0-15"},
    {"lunarlake", "event", "config:0-7"},
    {"lunarlake", "umask", "config:8-15,40-47"},
    {"lunarlake", "cmask", "config:24-31"},
    {"lunarlake", "eq", "config:36"},
    {"lunarlake", "edge", "config:18"},
    {"lunarlake", "inv", "config:23"},
    {"lunarlake", "offcore_rsp", "config1:0-63"},
    {"lunarlake", "frontend", "config1:0-23"},
    {"lunarlake", "ldlat", "config1:0-15"},
    {"atom", "event", "config:0-7"},
    {"atom", "umask", "config:8-15"},
    {"atom", "offcore_rsp", "config1:0-63"},
    {"zen", "event", "config:0-7,32-35"},
    {"zen", "umask", "config:8-15"},
    {"zen", "cmask", "config:24-31"},
    {"zen", "inv", "config:23"},
    {"arm", "event", "config:0-15"},
    {"moved", "event", "config1:4-11"},
    {"moved", "umask", "config2:56-63"},
    {"moved", "edge", "config:0"},
    {"moved", "offcore_rsp", "config1:16-31"},
};

static void put_formats(void) {
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        char file[64], text[64];
        snprintf(file, sizeof(file), "format/%s", formats[i].field);
        snprintf(text, sizeof(text), "%s\n", formats[i].format);
        put_pmu(formats[i].pmu, file, text);
    }
}

static void codes_by_format(void **state) {
    (void)state;
    static const struct {
        const char *what, *pmu, *vendor;
        uint64_t code[2];
        int rc;
        unsigned long long config, config1, config2;
        const char *missing;
    } cases[] = {
        {"every field", "skylake", "Intel", {0x05a421a6, 0}, 0, 0x05a421a6, 0, 0, NULL},
        {"a fixed counter's pseudo code", "skylake", "Intel", {0x300, 0}, 0, 0x300, 0, 0, NULL},
        {"no event, no umask", "skylake", "Intel", {0, 0}, 0, 0, 0, 0, NULL},
        {"the umask's second byte",
         "lunarlake",
         "Intel",
         {0x120000000175, 0},
         0,
         0x120000000175,
         0,
         0,
         NULL},
        {"a second byte the PMU has not",
         "skylake",
         "Intel",
         {0x120000000175, 0},
         -EINVAL,
         0,
         0,
         0,
         "umask"},
        {"equal", "lunarlake", "Intel", {0x10010003a6, 0}, 0, 0x10010003a6, 0, 0, NULL},
        {"equal, which the PMU has not",
         "skylake",
         "Intel",
         {0x10010003a6, 0},
         -EINVAL,
         0,
         0,
         0,
         "eq"},
        {"any thread, which the PMU has not",
         "lunarlake",
         "Intel",
         {0x20003c, 0},
         -EINVAL,
         0,
         0,
         0,
         "any"},
        {"offcore", "skylake", "Intel", {0x1b7, 0x3fbfc00001}, 0, 0x1b7, 0x3fbfc00001, 0, NULL},
        {"frontend", "skylake", "Intel", {0x1c6, 0x400806}, 0, 0x1c6, 0x400806, 0, NULL},
        {"frontend that does not fit",
         "skylake",
         "Intel",
         {0x1c6, 0x1000000},
         -EINVAL,
         0,
         0,
         0,
         "frontend"},
        {"frontend, which the PMU has not",
         "atom",
         "Intel",
         {0x1c6, 0x11},
         -EINVAL,
         0,
         0,
         0,
         "frontend"},
        {"load latency", "skylake", "Intel", {0x1cd, 0x80}, 0, 0x1cd, 0x80, 0, NULL},
        {"frontend of another event", "lunarlake", "Intel", {0x4c2, 8}, 0, 0x4c2, 8, 0, NULL},
        {"load latency of another umask", "atom", "Intel", {0x2cd, 8}, 0, 0x2cd, 8, 0, NULL},
        {"bits that mean nothing",
         "skylake",
         "Intel",
         {0x1000000000003c, 0},
         -EINVAL,
         0,
         0,
         0,
         "config"},
        {"a long event", "zen", "AMD", {0x10000088e, 0}, 0, 0x10000088e, 0, 0, NULL},
        {"cmask", "zen", "AMD", {0x1060001a0, 0}, 0, 0x1060001a0, 0, 0, NULL},
        {"edge, which the PMU has not", "zen", "AMD", {0x4007f, 0}, -EINVAL, 0, 0, 0, "edge"},
        {"Arm", "arm", "Arm", {0x8170, 0}, 0, 0x8170, 0, 0, NULL},
        {"Arm has no umask", "arm", "Arm", {0x10011, 0}, -EINVAL, 0, 0, 0, "config"},
        {"fields elsewhere", "moved", "Intel", {0x402a6, 0}, 0, 1, 0xa60, 0x02ull << 56, NULL},
        {"MSR value elsewhere",
         "moved",
         "Intel",
         {0x1b7, 0xfedc},
         0,
         0,
         0xfedc0b70,
         0x01ull << 56,
         NULL},
        {"a PMU without format/",
         "none",
         "Intel",
         {0x05a421a6, 3},
         -ENOENT,
         0x05a421a6,
         3,
         0,
         NULL},
        {"an unknown vendor", "skylake", "", {0x05a421a6, 3}, -ENOENT, 0x05a421a6, 3, 0, NULL},
    };
    put_formats();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unsigned long long c[3];
        const char *missing;
        int rc = encode_by_format(root, cases[i].pmu, cases[i].vendor, cases[i].code, c, &missing);
        if (rc != cases[i].rc)
            fail_msg("%s: rc %d", cases[i].what, rc);
        if (rc != -EINVAL &&
            (c[0] != cases[i].config || c[1] != cases[i].config1 || c[2] != cases[i].config2))
            fail_msg("%s: 0x%llx 0x%llx 0x%llx", cases[i].what, c[0], c[1], c[2]);
        if (!missing != !cases[i].missing || (missing && strcmp(missing, cases[i].missing) != 0))
            fail_msg("%s: missing %s", cases[i].what, missing ? missing : "nothing");
    }
}

/* Events of a model on the PMU that was chosen: its type, its layout, its kind of core. */
static void hybrid_events(void **state) {
    (void)state;
    struct machine mc = {.n_core = 2,
                         .core = {{.kind = "core"}, {.kind = "atom"}},
                         .chosen = 1,
                         .id = "GenuineIntel-6-97-2",
                         .pmu = "atom",
                         .pmu_type = 10};
    static const struct {
        const char *what;
        struct event ev;
        int rc;
        uint32_t type;
        uint64_t config, config1;
    } cases[] = {
        {"a raw code", {CORE("TOPDOWN_BE_BOUND.ALL"), HAS(0xa4, 0)}, 0, 10, 0xa4, 0},
        {"libpfm4 knows it for another core", {CORE("FRONTEND_RETIRED.L2_MISS")}, -ENOENT, 0, 0, 0},
        {"a field that this kind has not", {CORE("X.Y:c1"), HAS(0x10000a4, 0)}, -ENOENT, 0, 0, 0},
        {"offcore", {CORE("OCR.X"), HAS(0x1b7, 0x10001)}, 0, 10, 0x1b7, 0x10001},
        {"a generic event goes to this PMU",
         {.name = "cycles",
          .base = "cycles",
          .pmu = EVENT_GENERIC,
          .type = PERF_TYPE_HARDWARE,
          HAS(PERF_COUNT_HW_BRANCH_MISSES, 0)},
         0,
         PERF_TYPE_HARDWARE,
         10ull << 32 | PERF_COUNT_HW_BRANCH_MISSES,
         0},
        {"a cache event as well",
         {.name = "l1d",
          .base = "l1d",
          .pmu = EVENT_GENERIC,
          .type = PERF_TYPE_HW_CACHE,
          HAS(0x10000, 0)},
         0,
         PERF_TYPE_HW_CACHE,
         10ull << 32 | 0x10000,
         0},
        {"a software event has no PMU",
         {.name = "faults",
          .base = "faults",
          .pmu = EVENT_SOFTWARE,
          .type = PERF_TYPE_SOFTWARE,
          HAS(2, 0)},
         0,
         PERF_TYPE_SOFTWARE,
         2,
         0},
    };
    struct encode_options opt = {.root = root};
    put_formats();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct perf_event_attr attr;
        int rc = encode_event(&mc, &cases[i].ev, &opt, &attr);
        if (rc != cases[i].rc)
            fail_msg("%s: rc %d", cases[i].what, rc);
        if (!rc && (attr.type != cases[i].type || attr.config != cases[i].config ||
                    attr.config1 != cases[i].config1))
            fail_msg("%s: type %u, 0x%llx 0x%llx", cases[i].what, attr.type,
                     (unsigned long long)attr.config, (unsigned long long)attr.config1);
    }
    mc.n_core = 1; /* the only kind: generic events need no type */
    struct perf_event_attr attr;
    mc.chosen = 0;
    assert_int_equal(encode_event(&mc, &cases[4].ev, &opt, &attr), 0);
    assert_true(attr.config == PERF_COUNT_HW_BRANCH_MISSES);
}

/* A bare name is for CPUs with one kind of core. */
static void pfm_by_kind(void **state) {
    (void)state;
    struct event ev = {CORE("FRONTEND_RETIRED.L2_MISS")};
    unsigned long long c[2] = {0};
    assert_true(encode_from_pfm("", &ev, c) && c[0] == 0x1c6 && c[1] == 0x13);
    assert_false(encode_from_pfm("core", &ev, c)); /* forced to be Sapphire Rapids: no hybrid */
    assert_false(encode_from_pfm("lowpower", &ev, c));
}

/* Encodes with a log, and returns what the log says. */
static char *logged(const struct machine *mc, const struct event *ev, int expected_rc) {
    char path[96], *text = NULL;
    size_t len = 0;
    struct encode_options opt = {.root = root};
    struct perf_event_attr attr;
    snprintf(path, sizeof(path), "%s/log", root);
    remove(path);
    assert_int_equal(log_open(path, NULL), 0);
    assert_int_equal(encode_event(mc, ev, &opt, &attr), expected_rc);
    log_close();
    assert_int_equal(str_read_file(path, 10000, &text, &len, NULL), 0);
    return text;
}

/* A field that is missing is told; what libpfm4 thinks of a code is not asked. */
static void what_is_logged(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct event ev;
        const char *pmu, *words; /* NULL: nothing is said */
        int rc;
    } cases[] = {
        {"libpfm4 differs", {CORE("CPU_CLK_UNHALTED.THREAD"), HAS(0x3c, 0)}, "cpu", NULL, 0},
        {"a field that is missing",
         {CORE("X.Y"), HAS(0x20003c, 0)},
         "atom",
         "X.Y (0x20003c:0x0): atom has no field any for it",
         -ENOENT},
        {"one for config1",
         {CORE("X.Z"), HAS(0x4c2, 8)},
         "atom",
         "X.Z (0x4c2:0x8): atom has no field frontend for it",
         -ENOENT},
    };
    put_formats();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc = {.pmu_type = 4, .id = "GenuineIntel-6-8F-8"};
        str_copy(mc.pmu, sizeof(mc.pmu), cases[i].pmu);
        char *text = logged(&mc, &cases[i].ev, cases[i].rc);
        if (cases[i].words ? !strstr(text, cases[i].words) : strstr(text, "encode:") != NULL)
            fail_msg("%s: %s", cases[i].what, text);
        free(text);
    }
}

static void privileges(void **state) {
    (void)state;
    static const struct {
        const char *what;
        bool user, kernel, ev_user, ev_kernel;
        int rc, exclude_user, exclude_kernel;
    } cases[] = {
        {"everything", false, false, false, false, 0, 0, 0},
        {"user asked for", true, false, false, false, 0, 0, 1},
        {"kernel asked for", false, true, false, false, 0, 1, 0},
        {"user event", false, false, true, false, 0, 0, 1},
        {"kernel event", false, false, false, true, 0, 1, 0},
        {"kernel event, user asked for", true, false, false, true, -EOPNOTSUPP, 1, 1},
    };
    struct machine mc = {.pmu = "cpu", .pmu_type = 4};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct encode_options opt = {
            .root = root, .user_only = cases[i].user, .kernel_only = cases[i].kernel};
        struct event ev = {CORE("X"), HAS(1, 0), .user_only = cases[i].ev_user,
                           .kernel_only = cases[i].ev_kernel};
        struct perf_event_attr attr;
        int rc = encode_event(&mc, &ev, &opt, &attr);
        if (rc != cases[i].rc || attr.exclude_user != cases[i].exclude_user ||
            attr.exclude_kernel != cases[i].exclude_kernel)
            fail_msg("%s: rc %d, user %d, kernel %d", cases[i].what, rc, attr.exclude_user,
                     attr.exclude_kernel);
    }
}

/* In user space only there are no switches: counting them would give a false 0. */
static void switches_are_the_kernels(void **state) {
    (void)state;
    struct machine mc = {.pmu_type = 4};
    struct event ev = {.name = "cs",
                       .base = "cs",
                       .pmu = EVENT_SOFTWARE,
                       .type = PERF_TYPE_SOFTWARE,
                       HAS(PERF_COUNT_SW_CONTEXT_SWITCHES, 0)};
    struct encode_options opt = {.root = root};
    struct perf_event_attr attr;
    assert_int_equal(encode_event(&mc, &ev, &opt, &attr), 0);
    opt.user_only = true;
    assert_int_equal(encode_event(&mc, &ev, &opt, &attr), -EOPNOTSUPP);
    opt.user_only_forced = true;
    assert_int_equal(encode_event(&mc, &ev, &opt, &attr), -EPERM);
    ev.config = PERF_COUNT_SW_PAGE_FAULTS;
    assert_int_equal(encode_event(&mc, &ev, &opt, &attr), 0);
}

/* Every core event of the Sapphire Rapids model has an encoding; what libpfm4 says otherwise is
 * known. */
static void the_whole_model(void **state) {
    (void)state;
    struct model m = {0};
    struct err err = {0};
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    struct machine mc = {
        .pmu = "skylake", .pmu_type = 4, .has_topdown = true, .id = "GenuineIntel-6-8F-8"};
    struct encode_options opt = {.root = root};
    put_formats();
    unsigned known = 0, same = 0;
    for (uint32_t i = 0; i < m.n_event; i++) {
        const struct event *ev = &m.event[i];
        struct perf_event_attr attr;
        unsigned long long c[2];
        if (ev->pmu != EVENT_CORE || ev->perf_metrics)
            continue;
        if (encode_event(&mc, ev, &opt, &attr))
            fail_msg("%s: no encoding", ev->name);
        if (!ev->sysfs && ev->has_code &&
            (attr.config != ev->config || attr.config1 != ev->config1))
            fail_msg("%s: not the model's code", ev->name);
        if (encode_from_pfm("", ev, c)) {
            known++;
            same += c[0] == ev->config && c[1] == ev->config1;
        }
    }
    assert_true(known > 100 &&
                same * 10 > known * 8); /* libpfm4 does know this CPU, and mostly agrees */
    model_free(&m);
}

/* The PMU that a model is for, as its kernel shows it. */
static const char *pmu_of_model(const struct model *m) {
    static const char *const wide[] = {"lnl-", "arl-lnc", "arl-skt", "ptl-", "cwf"};
    if (strcmp(m->vendor, "Intel") != 0)
        return strcmp(m->vendor, "AMD") == 0 ? "zen" : "arm";
    for (size_t i = 0; i < COUNT_OF(wide); i++)
        if (str_starts(m->name, wide[i]))
            return "lunarlake";
    return "skylake";
}

/* Every raw code of every built-in model fits the fields of its PMU, and comes out as it was: the
 * kernels of today have all fields where the vendor's layout has them. */
static void every_model(void **state) {
    (void)state;
    unsigned events = 0;
    put_formats();
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err))
            fail_msg("%s", err.text);
        for (uint32_t i = 0; m.vendor[0] && i < m.n_event; i++) {
            const struct event *ev = &m.event[i];
            const uint64_t code[2] = {ev->config, ev->config1};
            unsigned long long c[3];
            const char *missing;
            if (ev->pmu != EVENT_CORE || !ev->has_code || ev->perf_metrics)
                continue;
            int rc = encode_by_format(root, pmu_of_model(&m), m.vendor, code, c, &missing);
            if (rc || c[0] != code[0] || c[1] != code[1])
                fail_msg("%s: %s: 0x%llx:0x%llx is 0x%llx:0x%llx, rc %d, missing %s", m.name,
                         ev->name, (unsigned long long)code[0], (unsigned long long)code[1], c[0],
                         c[1], rc, missing ? missing : "nothing");
            events++;
        }
        model_free(&m);
    }
    assert_true(events > 150);
    print_message("%u codes\n", events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms),
        cmocka_unit_test(pfm_names),
        cmocka_unit_test(events),
        cmocka_unit_test(codes_by_format),
        cmocka_unit_test(hybrid_events),
        cmocka_unit_test(pfm_by_kind),
        cmocka_unit_test(what_is_logged),
        cmocka_unit_test(privileges),
        cmocka_unit_test(switches_are_the_kernels),
        cmocka_unit_test(the_whole_model),
        cmocka_unit_test(every_model),
    };
    return cmocka_run_group_tests(tests, setup, remove_root);
}
