/* Checks against machines that are made up: a struct machine and a folder with fake /proc and /sys.
 */
#include "pmu/doctor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/tdtop-doctor-XXXXXX";

static void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", text);
    fclose(f);
}

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(root))
        return -1;
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
    put("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms", "125");
    put("/proc/sys/kernel/perf_event_max_sample_rate", "4000");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char cmd[128];
    snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
    return system(cmd);
}

static const struct machine server = {.id = "GenuineIntel-6-8F-8",
                                      .n_cpu = 8,
                                      .pmu = "cpu",
                                      .has_topdown = true,
                                      .paranoid = 1,
                                      .nmi_watchdog = 1,
                                      .smt_on = true};

static const struct check *find(const struct check *c, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(c[i].name, name))
            return &c[i];
    return NULL;
}

static void test_states(void **state) {
    (void)state;
    static const struct {
        const char *what, *check;
        enum check_state want;
        const char *found, *fix; /* parts of the texts */
        struct machine mc;
    } cases[] = {
        {"a server", "CPU PMU", CHECK_OK, "cpu", "", {.pmu = "cpu"}},
        {"a guest without PMU", "CPU PMU", CHECK_WARN, "none", "pmu", {.hypervisor = true}},
        {"no PMU, no guest", "CPU PMU", CHECK_WARN, "none", "driver", {.hypervisor = false}},
        {"paranoid 3",
         "perf_event_paranoid",
         CHECK_FAIL,
         "3",
         "perf_event_paranoid=1",
         {.paranoid = 3}},
        {"paranoid 2", "perf_event_paranoid", CHECK_WARN, "2", "setcap", {.paranoid = 2}},
        {"paranoid 1",
         "perf_event_paranoid",
         CHECK_NOTE,
         "1",
         "perf_event_paranoid=0",
         {.paranoid = 1}},
        {"paranoid 4 with the capability",
         "perf_event_paranoid",
         CHECK_OK,
         "4, and",
         "",
         {.paranoid = 4, .cap_perfmon = true}},
        {"paranoid unreadable",
         "perf_event_paranoid",
         CHECK_FAIL,
         "not readable",
         "CONFIG",
         {.paranoid = 99}},
        {"watchdog with a PMU",
         "NMI watchdog",
         CHECK_NOTE,
         "on",
         "nmi_watchdog=0",
         {.pmu = "cpu", .nmi_watchdog = 1}},
        {"watchdog without a PMU", "NMI watchdog", CHECK_OK, "on", "", {.nmi_watchdog = 1}},
        {"no topdown events",
         "topdown events",
         CHECK_NOTE,
         "not shown",
         "5.10",
         {.id = "GenuineIntel-6-8F-8", .pmu = "cpu"}},
        {"slow rotation", "perf mux interval", CHECK_NOTE, "125", "echo 4", {.pmu = "cpu"}},
        {"governor", "frequency governor", CHECK_NOTE, "powersave", "performance", {.n_cpu = 1}},
        {"turbo", "turbo", CHECK_NOTE, "on", "no_turbo", {.n_cpu = 1}},
        {"throttled sampling",
         "perf sample rate",
         CHECK_NOTE,
         "4000",
         "max_sample_rate",
         {.n_cpu = 1}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct check out[CHECKS_MAX];
        int n = doctor_run(&cases[i].mc, root, out);
        const struct check *c = find(out, n, cases[i].check);
        if (!c || c->state != cases[i].want || !strstr(c->found, cases[i].found) ||
            !strstr(c->fix, cases[i].fix))
            fail_msg("%s: state %d, found '%s', fix '%s'", cases[i].what, c ? (int)c->state : -1,
                     c ? c->found : "", c ? c->fix : "");
    }
}

static void test_every_complaint_has_effect_and_fix(void **state) {
    (void)state;
    struct check out[CHECKS_MAX];
    int n = doctor_run(&server, root, out);
    assert_in_range(n, 6, CHECKS_MAX);
    for (int i = 0; i < n; i++)
        if (out[i].state != CHECK_OK && (!out[i].effect[0] || !out[i].fix[0]))
            fail_msg("%s: effect '%s', fix '%s'", out[i].name, out[i].effect, out[i].fix);
}

static void test_absent_files_say_nothing(void **state) {
    (void)state;
    struct check out[CHECKS_MAX];
    int n = doctor_run(&server, "/nonexistent", out);
    assert_null(find(out, n, "turbo"));
    assert_null(find(out, n, "frequency governor"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_every_complaint_has_effect_and_fix),
        cmocka_unit_test(test_absent_files_say_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
