/* Fake trees: each check against a good and a bad machine. */
#include "pmu/doctor.h"

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
    snprintf(full, sizeof(full), "%s%s", root, path);
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

static const struct check *find(const struct check *checks, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(checks[i].name, name) == 0)
            return &checks[i];
    return NULL;
}

#define CPU  "/sys/devices/system/cpu/"
#define MUX  "/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"
#define KERN "/proc/sys/kernel/"

static void each_check(void **state) {
    (void)state;
    static const struct {
        const char *what, *check;
        struct machine mc;
        struct {
            const char *path, *text;
        } file[2];
        bool absent; /* the check has nothing to say */
        enum check_state state;
        const char *found, *fix;
    } cases[] = {
        {"a new kernel",
         "kernel",
         {.n_cpu = 0},
         {{KERN "osrelease", "6.1.0-13-amd64\n"}},
         false,
         CHECK_OK,
         "Linux 6.1.0-13-amd64",
         ""},
        {"an old kernel",
         "kernel",
         {.n_cpu = 0},
         {{KERN "osrelease", "4.19.0\n"}},
         false,
         CHECK_WARN,
         "4.19.0",
         "newer"},
        {"5.9 is old, 5.10 is not",
         "kernel",
         {.n_cpu = 0},
         {{KERN "osrelease", "5.9.1\n"}},
         false,
         CHECK_WARN,
         "5.9.1",
         "newer"},
        {"5.10 is new",
         "kernel",
         {.n_cpu = 0},
         {{KERN "osrelease", "5.10.0\n"}},
         false,
         CHECK_OK,
         "5.10.0",
         ""},
        {"paranoid -1",
         "perf_event_paranoid",
         {.paranoid = -1},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "-1",
         ""},
        {"paranoid 1",
         "perf_event_paranoid",
         {.paranoid = 1},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "1",
         "paranoid=0"},
        {"paranoid 2",
         "perf_event_paranoid",
         {.paranoid = 2},
         {{NULL, NULL}},
         false,
         CHECK_WARN,
         "2",
         "paranoid=1"},
        {"paranoid 3, Debian",
         "perf_event_paranoid",
         {.paranoid = 3},
         {{NULL, NULL}},
         false,
         CHECK_FAIL,
         "3",
         "setcap cap_perfmon+ep"},
        {"paranoid 4 as root",
         "perf_event_paranoid",
         {.paranoid = 4, .cap_perfmon = true},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "4, but",
         ""},
        {"no perf events",
         "perf_event_paranoid",
         {.paranoid = 99},
         {{NULL, NULL}},
         false,
         CHECK_FAIL,
         "not readable",
         "perf events"},
        {"a PMU",
         "cpu_pmu",
         {.pmu = "cpu", .pmu_type = 4},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "cpu (type 4)",
         ""},
        {"a guest without one",
         "cpu_pmu",
         {.hypervisor = true, .hypervisor_name = "KVM"},
         {{NULL, NULL}},
         false,
         CHECK_WARN,
         "KVM guest without",
         "vPMU"},
        {"a machine without one",
         "cpu_pmu",
         {.n_cpu = 0},
         {{NULL, NULL}},
         false,
         CHECK_WARN,
         "none",
         "dmesg"},
        {"topdown events",
         "topdown_events",
         {.id = "GenuineIntel-6-8F-8", .pmu = "cpu", .has_topdown = true},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "topdown-*",
         ""},
        {"none in a guest",
         "topdown_events",
         {.id = "GenuineIntel-6-8F-8", .pmu = "cpu", .hypervisor = true},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "none",
         "metal"},
        {"not a question on AMD",
         "topdown_events",
         {.id = "AuthenticAMD-25-11-1", .pmu = "cpu"},
         {{NULL, NULL}},
         true,
         CHECK_OK,
         "",
         ""},
        {"watchdog off",
         "nmi_watchdog",
         {.pmu = "cpu"},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "off",
         ""},
        {"watchdog on",
         "nmi_watchdog",
         {.pmu = "cpu", .nmi_watchdog = 1},
         {{NULL, NULL}},
         false,
         CHECK_WARN,
         "on",
         "nmi_watchdog=0"},
        {"watchdog without a PMU takes nothing",
         "nmi_watchdog",
         {.nmi_watchdog = 1},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "on",
         ""},
        {"watchdog unknown",
         "nmi_watchdog",
         {.nmi_watchdog = -1},
         {{NULL, NULL}},
         true,
         CHECK_OK,
         "",
         ""},
        {"files",
         "open_files",
         {.n_cpu = 0},
         {{"/proc/self/limits",
           "Max open files            1024                 524288               files\n"}},
         false,
         CHECK_OK,
         "soft 1024, hard 524288",
         ""},
        {"few files",
         "open_files",
         {.n_cpu = 0},
         {{"/proc/self/limits",
           "Max open files            20                   256                  files\n"}},
         false,
         CHECK_WARN,
         "soft 20, hard 256",
         "ulimit"},
        {"mux 4 ms", "mux_interval", {.pmu = "cpu"}, {{MUX, "4\n"}}, false, CHECK_OK, "4 ms", ""},
        {"mux 100 ms",
         "mux_interval",
         {.pmu = "cpu"},
         {{MUX, "100\n"}},
         false,
         CHECK_NOTE,
         "100 ms",
         "echo 4 >" MUX},
        {"mux unknown", "mux_interval", {.pmu = "cpu"}, {{NULL, NULL}}, true, CHECK_OK, "", ""},
        {"SMT",
         "smt",
         {.n_cpu = 4, .smt_on = true, .pmu = "cpu"},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "on, 4 CPUs",
         "smt/control"},
        {"no SMT",
         "smt",
         {.n_cpu = 2, .pmu = "cpu"},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "off, 2 CPUs",
         ""},
        {"governor",
         "governor",
         {.n_cpu = 0},
         {{CPU "cpu0/cpufreq/scaling_governor", "performance\n"}},
         false,
         CHECK_OK,
         "performance",
         ""},
        {"powersave",
         "governor",
         {.n_cpu = 0},
         {{CPU "cpu0/cpufreq/scaling_governor", "power\033save\n"}},
         false,
         CHECK_NOTE,
         "power?save",
         "cpupower"},
        {"no cpufreq", "governor", {.n_cpu = 0}, {{NULL, NULL}}, true, CHECK_OK, "", ""},
        {"turbo, Intel",
         "turbo",
         {.n_cpu = 0},
         {{CPU "intel_pstate/no_turbo", "0\n"}},
         false,
         CHECK_NOTE,
         "on",
         "intel_pstate/no_turbo"},
        {"no turbo, Intel",
         "turbo",
         {.n_cpu = 0},
         {{CPU "intel_pstate/no_turbo", "1\n"}},
         false,
         CHECK_OK,
         "off",
         ""},
        {"boost",
         "turbo",
         {.n_cpu = 0},
         {{CPU "cpufreq/boost", "1\n"}},
         false,
         CHECK_NOTE,
         "on",
         "echo 0 >"},
        {"no boost",
         "turbo",
         {.n_cpu = 0},
         {{CPU "cpufreq/boost", "0\n"}},
         false,
         CHECK_OK,
         "off",
         ""},
        {"hot",
         "thermal_throttle",
         {.n_cpu = 0},
         {{CPU "cpu0/thermal_throttle/core_throttle_count", "3\n"},
          {CPU "cpu0/thermal_throttle/package_throttle_count", "5\n"}},
         false,
         CHECK_WARN,
         "core 3 times, package 5",
         "cooling"},
        {"cool",
         "thermal_throttle",
         {.n_cpu = 0},
         {{CPU "cpu0/thermal_throttle/core_throttle_count", "0\n"}},
         false,
         CHECK_OK,
         "core 0 times",
         ""},
        {"kptr",
         "kptr_restrict",
         {.n_cpu = 0},
         {{KERN "kptr_restrict", "1\n"}},
         false,
         CHECK_NOTE,
         "1",
         "kptr_restrict=0"},
        {"kptr as root",
         "kptr_restrict",
         {.cap_perfmon = true},
         {{KERN "kptr_restrict", "1\n"}},
         false,
         CHECK_OK,
         "1",
         ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct check out[CHECKS_MAX];
        char cmd[96];
        snprintf(root, sizeof(root), "/tmp/tdtop-doctor.XXXXXX");
        assert_non_null(mkdtemp(root));
        for (int k = 0; k < 2 && cases[i].file[k].path; k++)
            put(cases[i].file[k].path, cases[i].file[k].text);
        int n = doctor_run(&cases[i].mc, root, out);
        const struct check *c = find(out, n, cases[i].check);
        if (cases[i].absent ? c != NULL : !c)
            fail_msg("%s: %s", cases[i].what, c ? c->found : "no such check");
        if (c && (c->state != cases[i].state || !strstr(c->found, cases[i].found) ||
                  !strstr(c->fix, cases[i].fix)))
            fail_msg("%s: state %d, \"%s\", fix \"%s\"", cases[i].what, (int)c->state, c->found,
                     c->fix);
        if (c && (c->state == CHECK_OK) != (c->effect[0] == '\0'))
            fail_msg("%s: an effect without cause, or none: \"%s\"", cases[i].what, c->effect);
        snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
        assert_int_equal(system(cmd), 0);
    }
}

/* On the machine at hand nothing is cut off, and what fails has a fix. */
static void this_machine(void **state) {
    (void)state;
    struct machine mc;
    struct check out[CHECKS_MAX];
    machine_detect(&mc, "");
    int n = doctor_run(&mc, "", out);
    assert_true(n >= 5 && n <= CHECKS_MAX);
    assert_non_null(find(out, n, "perf_event_open"));
    assert_non_null(find(out, n, "libpfm4"));
    for (int i = 0; i < n; i++) {
        assert_true(strlen(out[i].effect) < sizeof(out[i].effect) - 1);
        assert_true(strlen(out[i].fix) < sizeof(out[i].fix) - 1);
        if (out[i].state >= CHECK_WARN)
            assert_true(out[i].fix[0] != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_check),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
