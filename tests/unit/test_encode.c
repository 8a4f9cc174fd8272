#include "pmu/encode.h"

#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof(full), "%s/sys/bus/event_source/devices/cpu/%s", root, path);
    for (char *p = full + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* An Intel CPU; and LIBPFM_FORCE_PMU, so that libpfm4 takes it for one as well. */
static int setup(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/tdtop-encode.XXXXXX");
    if (!mkdtemp(root) || setenv("LIBPFM_FORCE_PMU", "spr", 1))
        return -1;
    put("format/event", "config:0-7\n");
    put("format/umask", "config:8-15\n");
    put("format/edge", "config:18\n");
    put("format/cmask", "config:24-31\n");
    put("format/wide", "config:0-7,32-35\n");
    put("format/offcore_rsp", "config1:0-63\n");
    put("format/broken", "nonsense\n");
    put("events/slots", "event=0x00,umask=0x4\n");
    put("events/topdown-retiring", "event=0x00,umask=0x80\n");
    put("events/odd", "event=zz\n");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char cmd[96];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
    return system(cmd);
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
        {"A.B:sup", "A.B", NULL},
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

static void a_difference_is_logged(void **state) {
    (void)state;
    char path[96], *text = NULL;
    size_t len = 0;
    struct machine mc = {.pmu = "cpu", .pmu_type = 4};
    struct encode_options opt = {.root = root};
    struct event ev = {CORE("CPU_CLK_UNHALTED.THREAD"), HAS(0x3c, 0)};
    struct perf_event_attr attr;
    snprintf(path, sizeof(path), "%s/log", root);
    assert_int_equal(log_open(path, NULL), 0);
    assert_int_equal(encode_event(&mc, &ev, &opt, &attr), 0);
    log_close();
    assert_int_equal(str_read_file(path, 10000, &text, &len, NULL), 0);
    assert_non_null(
        strstr(text, "CPU_CLK_UNHALTED.THREAD: libpfm4 says 0x200:0x0, the model 0x3c:0x0"));
    free(text);
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
    struct machine mc = {.pmu = "cpu", .pmu_type = 4, .has_topdown = true};
    struct encode_options opt = {.root = root};
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
        if (encode_from_pfm(ev, c)) {
            known++;
            same += c[0] == ev->config && c[1] == ev->config1;
        }
    }
    assert_true(known > 100 &&
                same * 10 > known * 8); /* libpfm4 does know this CPU, and mostly agrees */
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms),           cmocka_unit_test(pfm_names),
        cmocka_unit_test(events),          cmocka_unit_test(a_difference_is_logged),
        cmocka_unit_test(privileges),      cmocka_unit_test(switches_are_the_kernels),
        cmocka_unit_test(the_whole_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
