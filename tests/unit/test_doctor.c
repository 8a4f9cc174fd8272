/* Fake trees: each check against a good and a bad machine. */
#include "pmu/host/doctor.h"

#include "base/str.h"
#include "fake_machines.h"

static const struct check *find(const struct check *checks, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(checks[i].name, name) == 0)
            return &checks[i];
    return NULL;
}

#define CPU  CPU_DIR
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
        {"one kind of core",
         "core_types",
         {.n_core = 1, .core = {{.pmu = "cpu", .id = "GenuineIntel-6-8F-8"}}},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "cpu: spr, all CPUs",
         ""},
        {"a kind of core nobody knows",
         "core_types",
         {.n_core = 1, .core = {{.pmu = "cpu", .id = "GenuineIntel-6-FF-8", .cpus = "0-7"}}},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "cpu: no model, CPUs 0-7",
         "MODELS.md"},
        {"two kinds of cores",
         "core_types",
         {.n_core = 2,
          .core =
              {{.pmu = "cpu_core", .kind = "core", .id = "GenuineIntel-6-97-2", .cpus = "0-15"},
               {.pmu = "cpu_atom", .kind = "atom", .id = "GenuineIntel-6-97-2", .cpus = "16-23"}}},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "cpu_core: adl-glc, CPUs 0-15; cpu_atom: adl-grt, CPUs 16-23",
         "--cputype"},
        {"no PMU, no kinds of cores",
         "core_types",
         {.n_cpu = 4},
         {{NULL, NULL}},
         true,
         CHECK_OK,
         "",
         ""},
        {"boxes outside the cores",
         "uncore_pmus",
         {.paranoid = 0},
         {{PMU_DIR "uncore_cha_0/type", "20\n"}, {PMU_DIR "uncore_cha_11/type", "21\n"}},
         false,
         CHECK_OK,
         "uncore_cha x2; counted with -a",
         ""},
        {"AMD's, and not permitted",
         "uncore_pmus",
         {.paranoid = 2},
         {{PMU_DIR "amd_l3/type", "20\n"}, {PMU_DIR "power/type", "21\n"}},
         false,
         CHECK_NOTE,
         "amd_l3, power; counted with -a",
         "perf_event_paranoid=0"},
        {"AMD's, with the capability",
         "uncore_pmus",
         {.paranoid = 2, .cap_perfmon = true},
         {{PMU_DIR "amd_df/type", "20\n"}, {PMU_DIR "amd_umc_3/type", "21\n"}},
         false,
         CHECK_OK,
         "amd_df, amd_umc; counted with -a",
         ""},
        {"nothing outside the cores",
         "uncore_pmus",
         {.n_cpu = 0},
         {{PMU_DIR "cpu/type", "4\n"}, {PMU_DIR "powerful/type", "9\n"}},
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
        {"SMT before Ice Lake",
         "smt",
         {.n_cpu = 8, .smt_on = true, .pmu = "cpu", .id = "GenuineIntel-6-55-7"},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "on, 8 CPUs",
         "with both siblings"},
        {"SMT from Ice Lake on",
         "smt",
         {.n_cpu = 8, .smt_on = true, .pmu = "cpu", .id = "GenuineIntel-6-6A-6"},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "on, 8 CPUs",
         "while comparing"},
        {"a guest that is shown none",
         "smt",
         {.n_cpu = 2, .pmu = "cpu", .hypervisor = true, .no_smt = true},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "not known, 2 CPUs: the hypervisor shows no hardware threads",
         ""},
        {"a machine without SMT",
         "smt",
         {.n_cpu = 2, .pmu = "cpu", .no_smt = true},
         {{NULL, NULL}},
         false,
         CHECK_OK,
         "off, 2 CPUs",
         ""},
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
        {"hot elsewhere than on CPU 0",
         "thermal_throttle",
         {.n_cpu = 0},
         {{CPU "online", "0-3\n"}, {CPU "cpu2/thermal_throttle/core_throttle_count", "7\n"}},
         false,
         CHECK_WARN,
         "core 7 times, package 0",
         "cooling"},
        {"no heat is known of",
         "thermal_throttle",
         {.n_cpu = 0},
         {{NULL, NULL}},
         true,
         CHECK_OK,
         "",
         ""},
        {"governors of policies, mixed",
         "governor",
         {.n_cpu = 0},
         {{CPU "cpufreq/policy0/scaling_governor", "performance\n"},
          {CPU "cpufreq/policy4/scaling_governor", "powersave\n"}},
         false,
         CHECK_NOTE,
         "mixed: performance, powersave",
         "cpupower"},
        {"governors of policies, all good",
         "governor",
         {.n_cpu = 0},
         {{CPU "cpufreq/policy0/scaling_governor", "performance\n"},
          {CPU "cpufreq/policy4/scaling_governor", "performance\n"}},
         false,
         CHECK_OK,
         "performance",
         ""},
        {"bare metal", "hypervisor", {.pmu = "cpu"}, {{NULL, NULL}}, true, CHECK_OK, "", ""},
        {"a guest with counters",
         "hypervisor",
         {.pmu = "cpu", .hypervisor = true, .hypervisor_name = "KVM"},
         {{NULL, NULL}},
         false,
         CHECK_NOTE,
         "KVM",
         ""},
        {"steal",
         "steal",
         {.hypervisor = true},
         {{"/proc/stat", "cpu  500 0 300 9000 0 50 50 100 0 0\n"}},
         false,
         CHECK_WARN,
         "10.00%",
         "dedicated"},
        {"a little steal",
         "steal",
         {.hypervisor = true},
         {{"/proc/stat", "cpu  500 0 399 9000 0 50 50 1 0 0\n"}},
         false,
         CHECK_OK,
         "0.10%",
         ""},
        {"nobody to steal",
         "steal",
         {.n_cpu = 0},
         {{"/proc/stat", "cpu  500 0 399 9000 0 5 5 0\n"}},
         true,
         CHECK_OK,
         "",
         ""},
        {"a clock that is free",
         "clock",
         {.n_cpu = 0},
         {{CPU "cpu0/cpufreq/cpuinfo_max_freq", "3900000\n"},
          {CPU "cpu0/cpufreq/scaling_max_freq", "3900000\n"}},
         false,
         CHECK_OK,
         "up to 3.90 GHz",
         ""},
        {"a clock that is kept down",
         "clock",
         {.n_cpu = 0},
         {{CPU "cpu0/cpufreq/cpuinfo_max_freq", "3900000\n"},
          {CPU "cpu0/cpufreq/scaling_max_freq", "2100000\n"}},
         false,
         CHECK_NOTE,
         "3.90 GHz, limited to 2.10 GHz",
         "frequency-set"},
        {"nobody else counts",
         "perf_users",
         {.pmu = "cpu"},
         {{"/proc/1/comm", "init\n"}},
         false,
         CHECK_OK,
         "none that we may see",
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
        assert_int_equal(make_root(NULL), 0);
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
        assert_int_equal(remove_root(NULL), 0);
    }
}

static void put_fd(int pid, int fd, const char *target) {
    char path[128], full[256];
    snprintf(path, sizeof(path), "/proc/%d/fd/keep", pid);
    put(path, "");
    snprintf(full, sizeof(full), "%s/proc/%d/fd/%d", root, pid, fd);
    assert_int_equal(symlink(target, full), 0);
}

static void others_who_count(void **state) {
    (void)state;
    static const struct machine with = {.pmu = "cpu"}, without = {.pmu = ""};
    struct check out[CHECKS_MAX];
    put("/proc/70/comm", "perf\n");
    put("/proc/71/comm", "sh\033ow\n");
    put_fd(70, 0, "/dev/pts/0");
    put_fd(70, 5, "anon_inode:[perf_event]");
    put_fd(71, 3, "anon_inode:[perf_event]");
    put_fd(72, 3, "anon_inode:[eventpoll]");
    put_fd(73, 3, "anon_inode:[perf_event]x");
    const struct check *c = find(out, doctor_run(&with, root, out), "perf_users");
    assert_non_null(c);
    if (!c) /* assert_non_null has not told the compiler */
        return;
    assert_non_null(strstr(c->found, "2 other processes hold perf events: "));
    assert_non_null(strstr(c->found, "perf 70"));
    assert_non_null(strstr(c->found, "sh?ow 71"));
    assert_int_equal(c->state, CHECK_NOTE);
    c = find(out, doctor_run(&without, root, out), "perf_users");
    assert_int_equal(c->state, CHECK_OK); /* no counter is lost */
}

/* Many devices: as many as fit, and how many more there are. */
static void a_server_full_of_boxes(void **state) {
    (void)state;
    struct machine mc = {.paranoid = 0};
    struct check out[CHECKS_MAX];
    assert_int_equal(make_root(NULL), 0);
    for (int i = 0; i < 30; i++) {
        char name[40];
        snprintf(name, sizeof(name), "uncore_%c%c_controller_0", 'a' + i / 26, 'a' + i % 26);
        put_pmu(name, "type", "20\n");
    }
    int n = doctor_run(&mc, root, out), shown = 0;
    const struct check *c = find(out, n, "uncore_pmus");
    assert_non_null(c);
    for (const char *p = c->found; (p = strstr(p, "uncore_")); p++)
        shown++;
    char rest[64];
    snprintf(rest, sizeof(rest), " and %d more; counted with -a", 30 - shown);
    if (shown < 5 || !str_ends(c->found, rest))
        fail_msg("%d: %s", shown, c->found);
    assert_int_equal(remove_root(NULL), 0);
}

/* What is found out of a machine of each family fits the line. */
static void every_family(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fake_machines); i++) {
        struct machine mc;
        struct check out[CHECKS_MAX];
        assert_int_equal(make_root(NULL), 0);
        fake_build(&fake_machines[i]);
        machine_detect(&mc, root);
        int n = doctor_run(&mc, root, out);
        const struct check *c = find(out, n, "core_types");
        if (!c || strlen(c->found) + 1 >= sizeof(c->found))
            fail_msg("%s: %s", fake_machines[i].what, c ? c->found : "no core types");
        for (int k = 0; k < mc.n_core; k++)
            if (!strstr(c->found, fake_machines[i].core[k].pmu) ||
                (fake_machines[i].core[k].model &&
                 !strstr(c->found, fake_machines[i].core[k].model)))
                fail_msg("%s: %s", fake_machines[i].what, c->found);
        assert_int_equal(remove_root(NULL), 0);
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
        cmocka_unit_test_setup_teardown(others_who_count, make_root, remove_root),
        cmocka_unit_test(a_server_full_of_boxes),
        cmocka_unit_test(every_family),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
