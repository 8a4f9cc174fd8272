/* Fake /proc and /sys trees stand for machines that we do not have. */
#include "pmu/host/machine_impl.h"

#include "base/str.h"
#include "fake_machines.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>

#define CPU0 CPU_DIR
#define PMU  PMU_DIR

static void a_sapphire_rapids(void **state) {
    (void)state;
    put("/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n"
        "flags\t\t: fpu vme arch_perfmon\n\nprocessor\t: 1\n");
    put(CPU0 "online", "0-3\n");
    put(CPU0 "cpu0/topology/physical_package_id", "0\n");
    put(CPU0 "cpu0/topology/thread_siblings_list", "0,2\n");
    put(CPU0 "cpu1/topology/thread_siblings_list", "1,3\n");
    put(CPU0 "cpu2/topology/thread_siblings_list", "0,2\n");
    put(CPU0 "cpu3/topology/thread_siblings_list", "1,3\n");
    put(PMU "uncore_cha_0/type", "20\n");
    put(PMU "uncore_cha_1/type", "21\n");
    put(PMU "uncore_cha_free_running/type", "22\n");
    put(CPU0 "cpu1/topology/physical_package_id", "1\n");
    put(CPU0 "cpu2/topology/physical_package_id", "0\n");
    put(CPU0 "cpu3/topology/physical_package_id", "1\n");
    put(CPU0 "smt/active", "1\n");
    put(PMU "cpu/type", "4\n");
    put(PMU "cpu/events/slots", "event=0x00,umask=0x4\n");
    put(PMU "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
    put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
    put("/proc/self/status", "Name:\tx\nCapPrm:\t0000004000000000\n");
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "GenuineIntel-6-8F-8");
    assert_string_equal(mc.cpu_name, "Intel(R) Xeon(R) Platinum 8480+");
    assert_int_equal(mc.n_cpu, 4);
    assert_int_equal(mc.n_socket, 2);
    assert_true(mc.smt_on);
    assert_false(mc.hypervisor);
    assert_string_equal(mc.pmu, "cpu");
    assert_int_equal(mc.pmu_type, 4);
    assert_true(mc.has_topdown);
    assert_int_equal(mc.paranoid, -1);
    assert_int_equal(mc.nmi_watchdog, 1);
    assert_true(mc.cap_perfmon);

    struct consts c;
    consts_init(&c);
    c.value[CONST_NUM_CPUS] = 99; /* --const goes first */
    machine_consts(&mc, &c);
    assert_true(c.value[CONST_SMT_ON] == 1 && c.value[CONST_NUM_CPUS] == 99 &&
                c.value[CONST_SOCKET_COUNT] == 2 && c.value[CONST_CORES_PER_SOCKET] == 1 &&
                c.value[CONST_CHAS_PER_SOCKET] == 2);
    assert_true(isnan(c.value[CONST_SLOTS_PER_CYCLE])); /* the model's */
    assert_true(isnan(c.value[CONST_SYSTEM_TSC_FREQ])); /* a fake tree has no TSC: unknown, not 0 */
}

static void a_guest_without_pmu(void **state) {
    (void)state;
    put("/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel "
                         "name\t: AMD \033[1mEPYC\n"
                         "stepping\t: 1\nflags\t\t: fpu hypervisor_x hypervisor lahf_lm\n");
    put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    put(PMU "software/type", "1\n");
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "AuthenticAMD-25-11-1");
    assert_string_equal(mc.cpu_name, "AMD ?[1mEPYC");
    assert_true(mc.hypervisor);
    assert_string_equal(mc.hypervisor_name, "QEMU");
    assert_string_equal(mc.pmu, "");
    assert_int_equal(mc.pmu_type, PERF_TYPE_RAW);
    assert_int_equal(mc.n_cpu, 0); /* nobody says so: not 1 */
    assert_int_equal(mc.paranoid, 99);
    assert_int_equal(mc.nmi_watchdog, -1);
    assert_false(mc.cap_perfmon);
}

static void a_word_inside_another_is_no_flag(void **state) {
    (void)state;
    put("/proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: "
                         "10\nflags\t: nohypervisor\n");
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "GenuineIntel-6-55-A");
    assert_false(mc.hypervisor);
}

static void a_hybrid(void **state) {
    (void)state;
    put(PMU "cpu_core/type", "4\n");
    put(PMU "cpu_atom/type", "10\n");
    put(PMU "cpu_core/events/slots", "x\n"); /* slots alone is not top-down */
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.pmu, "cpu_core");
    assert_false(mc.has_topdown);
}

static void a_neoverse(void **state) {
    (void)state;
    put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: "
                         "0xd49\nCPU revision\t: 0\n");
    put(PMU "armv8_pmuv3_1/type", "9\n");
    put(PMU "armv8_pmuv3_0/type", "8\n");
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "0x410fd490"); /* from /proc/cpuinfo */
    assert_string_equal(mc.pmu, "armv8_pmuv3_0");
    assert_int_equal(mc.pmu_type, 8);
    put(CPU0 "cpu0/regs/identification/midr_el1", "0x00000000411fd401\n");
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "0x411fd401"); /* from sysfs */
}

static void nothing_at_all(void **state) {
    (void)state;
    struct machine mc;
    machine_detect(&mc, root);
    assert_string_equal(mc.id, "");
    assert_int_equal(mc.n_cpu, 0);
    assert_int_equal(mc.n_socket, 0);
    assert_int_equal(mc.cores_per_socket, 0);

    static const enum const_id unknown[] = {
        CONST_SMT_ON,          CONST_NUM_CPUS,        CONST_SOCKET_COUNT,   CONST_CORES_PER_SOCKET,
        CONST_CHAS_PER_SOCKET, CONST_SLOTS_PER_CYCLE, CONST_SYSTEM_TSC_FREQ};
    struct consts c;
    consts_init(&c);
    machine_consts(&mc, &c);
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        if (!isnan(c.value[unknown[i]]))
            fail_msg("constant %d is %g", (int)unknown[i], c.value[unknown[i]]);
}

/* Firmware that does not say which package a CPU is in: then nobody knows how many there are. */
static void packages(void **state) {
    (void)state;
    static const struct {
        const char *what, *first, *second;
        int n_socket, cores_per_socket;
    } cases[] = {{"one", "0\n", "0\n", 1, 2},
                 {"two, numbered as they please", "36\n", "7\n", 2, 1},
                 {"the kernel does not know", "-1\n", "-1\n", 0, 0},
                 {"not of all", "0\n", NULL, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc;
        assert_int_equal(make_root(NULL), 0);
        put(CPU0 "online", "0-1\n");
        put(CPU0 "smt/active", "0\n");
        put(CPU0 "cpu0/topology/physical_package_id", cases[i].first);
        if (cases[i].second)
            put(CPU0 "cpu1/topology/physical_package_id", cases[i].second);
        machine_detect(&mc, root);
        if (mc.n_cpu != 2 || mc.n_socket != cases[i].n_socket ||
            mc.cores_per_socket != cases[i].cores_per_socket)
            fail_msg("%s: %d CPUs, %d sockets of %d cores", cases[i].what, mc.n_cpu, mc.n_socket,
                     mc.cores_per_socket);
        assert_int_equal(remove_root(NULL), 0);
    }
}

static void vendors(void **state) {
    (void)state;
    static const struct {
        const char *id, *vendor;
    } cases[] = {{"GenuineIntel-6-8F-8", "Intel"}, {"AuthenticAMD-25-61-2", "AMD"},
                 {"HygonGenuine-24-0-1", "AMD"},   {"0x410fd490", "Arm"},
                 {"CentaurHauls-6-F-1", ""},       {"", ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(machine_vendor(cases[i].id), cases[i].vendor);
}

static void boxes(void **state) {
    (void)state;
    static const struct {
        const char *pmu, *device;
        int number;      /* as a box of that device; -1 = none */
        const char *own; /* device that it is a box of */
    } cases[] = {
        {"uncore_cha_12", "uncore_cha", 12, "uncore_cha"},
        {"uncore_cha_0", "uncore_cha", 0, "uncore_cha"},
        {"uncore_cha", "uncore_cha", 0, "uncore_cha"},
        {"uncore_imc_free_running_0", "uncore_imc", -1, "uncore_imc_free_running"},
        {"uncore_imc_free_running", "uncore_imc", -1, "uncore_imc_free_running"},
        {"uncore_cha_12", "uncore_c", -1, "uncore_cha"},
        {"uncore_cha_1x", "uncore_cha", -1, "uncore_cha_1x"},
        {"uncore_cha_", "uncore_cha", -1, "uncore_cha_"},
        {"uncore_cha_1000000", "uncore_cha", -1, "uncore_cha_1000000"},
        {"uncore_type_4_3", "uncore_type_4", 3, "uncore_type_4"},
        {"uncore_type_4", "uncore_type_4", 0, "uncore_type"},
        {"amd_l3", "amd_l3", 0, "amd_l3"},
        {"7", "", -1, "7"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int number = 99, got = machine_box_number(cases[i].pmu, cases[i].device);
        size_t len = machine_box_split(cases[i].pmu, &number);
        if (got != cases[i].number || len != strlen(cases[i].own) ||
            strncmp(cases[i].pmu, cases[i].own, len) != 0)
            fail_msg("%s is number %d of %s, and a box of %.*s", cases[i].pmu, got, cases[i].device,
                     (int)len, cases[i].pmu);
    }
}

/* A thread that is put aside between the clock and the counter must not spoil the result. */
static void tsc_against_the_clock(void **state) {
    (void)state;
    enum { N = 3 };
    static const struct {
        const char *what;
        struct tsc_reading begin[N], end[N]; /* a counter of 2 GHz; times in ns */
        double hz, off;                      /* off: the most that it may be */
    } cases[] = {
        {"all tight",
         {{1000, 2100, 1100}, {1200, 2500, 1300}, {1400, 2900, 1500}},
         {{1001000, 2002100, 1001100}, {1001200, 2002500, 1001300}, {1001400, 2002900, 1001500}},
         2e9,
         2e-4},
        {"the first of either is torn",
         {{1000, 2010, 9000000}, {9000000, 18000100, 9000100}, {9000200, 18000500, 9000300}},
         {{11000000, 22000010, 19000000},
          {19000000, 38000100, 19000100},
          {19000200, 38000500, 19000300}},
         2e9,
         2e-5},
        {"all are torn: that is known",
         {{0, 10, 900000}, {900000, 1800010, 1900000}, {1900000, 3800010, 2900000}},
         {{4900000, 9800010, 5900000}, {5900000, 11800010, 6900000}, {6900000, 13800010, 7800000}},
         2e9,
         1},
        {"no time has passed", {{5, 10, 5}}, {{5, 10, 5}}, 0, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double off, hz = machine_tsc_rate(cases[i].begin, cases[i].end, N, &off);
        if (off < 0 || off > cases[i].off || fabs(hz - cases[i].hz) > off * 2e9)
            fail_msg("%s: %g Hz, off %g", cases[i].what, hz, off);
        if (cases[i].off == 1 && off < 0.01)
            fail_msg("%s: it is not known to be off", cases[i].what);
    }
}

static void patterns(void **state) {
    (void)state;
    static const struct {
        const char *what, *pattern, *id;
        bool hit;
    } cases[] = {
        {"stepping left out", "GenuineIntel-6-8F", "GenuineIntel-6-8F-8", true},
        {"stepping that fits", "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", true},
        {"stepping that does not", "GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-7", false},
        {"stepping in hex", "GenuineIntel-6-55-[56789ABCDEF]", "GenuineIntel-6-55-B", true},
        {"anchored in front", "Intel-6-8F", "GenuineIntel-6-8F-8", false},
        {"anchored behind", "GenuineIntel-6-8", "GenuineIntel-6-8F-8", false},
        {"a shorter model", "GenuineIntel-6-8F", "GenuineIntel-6-8-F", false},
        {"hex is upper case", "GenuineIntel-6-8f", "GenuineIntel-6-8F-8", false},
        {"alternatives", "AuthenticAMD-25-([1245][[:xdigit:]]|[[:xdigit:]])",
         "AuthenticAMD-25-11-1", true},
        {"alternatives, none", "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])",
         "AuthenticAMD-25-11-1", false},
        {"an alternation stays anchored", "a|GenuineIntel-6-8F", "xGenuineIntel-6-8F", false},
        {"MIDR, any variant and revision", "0x41.fd49.", "0x410fd490", true},
        {"another part", "0x41.fd40.", "0x410fd490", false},
        {"unknown CPU", ".*", "", false},
        {"only a part of it is common", "(GenuineIntel-6-8E|GenuineIntel-6-8F)",
         "GenuineIntel-6-8F-8", true},
        {"the last character may be absent", "0x410fd490?", "0x410fd49", true},
        {"the last character may come twice", "0x410fd490*", "0x410fd4900", true},
        {"a choice in brackets", "GenuineIntel-6-[|]x|GenuineIntel-6-8F", "GenuineIntel-6-8F-8",
         true},
        {"a literal is compared whole", "GenuineIntel-6-8", "GenuineIntel-6-8-F", true},
        {"not a regular expression", "GenuineIntel-6-(", "GenuineIntel-6-8F", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (machine_matches(cases[i].pattern, cases[i].id) != cases[i].hit)
            fail_msg("%s: %s on %s", cases[i].what, cases[i].pattern, cases[i].id);
}

static void this_machine(void **state) {
    (void)state;
    struct machine mc;
    machine_detect(&mc, "");
    assert_int_equal(mc.n_cpu, sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(mc.n_socket >= 1 && mc.n_socket <= mc.n_cpu);
    assert_true(mc.id[0] != '\0');
}

/* ---- every family ---- */

static void check_core(const struct fake_machine *fm, const struct core_type *ct,
                       const struct fake_core *fc) {
    if (strcmp(ct->pmu, fc->pmu) || strcmp(ct->kind, fc->kind) || strcmp(ct->id, fc->id) ||
        strcmp(ct->cpus, fc->cpus ? fc->cpus : "") || ct->pmu_type != (uint32_t)fc->type ||
        ct->has_topdown != fc->topdown || ct->slots != fc->slots)
        fail_msg("%s: %s: kind \"%s\", id %s, CPUs \"%s\", type %u, topdown %d, slots %d", fm->what,
                 ct->pmu, ct->kind, ct->id, ct->cpus, ct->pmu_type, ct->has_topdown, ct->slots);
}

static void every_family(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fake_machines); i++) {
        const struct fake_machine *fm = &fake_machines[i];
        struct machine mc;
        assert_int_equal(make_root(NULL), 0);
        fake_build(fm);
        machine_detect(&mc, root);
        if (mc.n_core != fm->n_core || mc.n_cpu != fm->n_cpu || mc.n_socket != fm->n_socket ||
            mc.cores_per_socket != fm->cores_per_socket)
            fail_msg("%s: %d core types, %d CPUs, %d sockets of %d cores", fm->what, mc.n_core,
                     mc.n_cpu, mc.n_socket, mc.cores_per_socket);
        bool cache = fm->box && str_starts(fm->box, "uncore_c");
        if (mc.chas_per_socket != (cache ? fm->n_box : 0))
            fail_msg("%s: %d boxes", fm->what, mc.chas_per_socket);
        for (int k = 0; k < mc.n_core; k++)
            check_core(fm, &mc.core[k], &fm->core[k]);
        assert_int_equal(mc.chosen, 0);
        assert_string_equal(mc.pmu, fm->core[0].pmu);
        assert_string_equal(mc.id, fm->core[0].id);
        assert_int_equal(remove_root(NULL), 0);
    }
}

static void choosing(void **state) {
    (void)state;
    static const struct {
        const char *what, *machine, *want;
        int rc, chosen;
        const char *words; /* of the error */
    } cases[] = {
        {"nothing wanted", "Arrow Lake-H, three kinds", NULL, 0, 0, ""},
        {"by kind", "Arrow Lake-H, three kinds", "lowpower", 0, 2, ""},
        {"by kind, as one likes", "Arrow Lake-H, three kinds", "Atom", 0, 1, ""},
        {"by PMU", "Arrow Lake-H, three kinds", "cpu_atom", 0, 1, ""},
        {"by number", "Arrow Lake-H, three kinds", "2", 0, 2, ""},
        {"a number too high", "Arrow Lake-H, three kinds", "3", -ENOENT, 0,
         "'3' is not there; there are: core (cpu_core), atom (cpu_atom), lowpower (cpu_lowpower)"},
        {"not a kind of this CPU", "Alder Lake", "lowpower", -ENOENT, 0,
         "there are: core (cpu_core), atom (cpu_atom)"},
        {"a cluster", "big.LITTLE, the small ones first", "armv8_cortex_a55", 0, 1, ""},
        {"a cluster by number", "big.LITTLE, the small ones first", "1", 0, 1, ""},
        {"no kinds at all", "Zen 4 client", "atom", -ENOENT, 0, "there is only: cpu"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc;
        struct err err = {0};
        assert_int_equal(make_root(NULL), 0);
        fake_build(fake_find(cases[i].machine));
        machine_detect(&mc, root);
        int rc = machine_choose(&mc, cases[i].want, &err);
        const struct core_type *ct = &mc.core[cases[i].chosen];
        if (rc != cases[i].rc || mc.chosen != cases[i].chosen || !strstr(err.text, cases[i].words))
            fail_msg("%s: rc %d, %d, %s", cases[i].what, rc, mc.chosen, err.text);
        if (strcmp(mc.pmu, ct->pmu) || strcmp(mc.id, ct->id) || mc.pmu_type != ct->pmu_type ||
            mc.has_topdown != ct->has_topdown)
            fail_msg("%s: the machine is not that of its core type", cases[i].what);
        assert_int_equal(remove_root(NULL), 0);
    }
    struct machine none = {.n_cpu = 1};
    struct err err = {0};
    assert_int_equal(machine_choose(&none, "atom", &err), -ENOENT);
    assert_non_null(strstr(err.text, "no CPU PMU"));
}

/* The slots that Arm's kernel knows are a constant of formulas, those of the chosen cluster. */
static void slots_of_the_chosen(void **state) {
    (void)state;
    struct machine mc = {.n_core = 2, .core = {{.slots = 8}, {.slots = 0}}};
    struct consts c;
    consts_init(&c);
    machine_consts(&mc, &c);
    assert_true(c.value[CONST_SLOTS_PER_CYCLE] == 8);
    consts_init(&c);
    mc.chosen = 1;
    machine_consts(&mc, &c);
    assert_true(isnan(c.value[CONST_SLOTS_PER_CYCLE]));
    assert_true(isnan(c.value[CONST_CORES_PER_SOCKET]) && isnan(c.value[CONST_CHAS_PER_SOCKET]));
}

static void whole_cores(void **state) {
    (void)state;
    static const struct {
        const char *what, *machine, *cpus;
        bool whole;
    } cases[] = {
        {"all", "Skylake client with SMT", NULL, true},
        {"both siblings", "Skylake client with SMT", "2-3", true},
        {"one of two", "Skylake client with SMT", "2", false},
        {"a whole core and a half", "Skylake client with SMT", "0-1,4", false},
        {"a list out of order", "Skylake client with SMT", "5,4,1,0", true},
        {"E-cores have no siblings", "Alder Lake", "16,18", true},
        {"an E-core and half a P-core", "Alder Lake", "3,16", false},
        {"no SMT", "Lunar Lake", "1", true},
        {"not a list", "Skylake client with SMT", "x", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc;
        assert_int_equal(make_root(NULL), 0);
        fake_build(fake_find(cases[i].machine));
        machine_detect(&mc, root);
        if (machine_has_whole_cores(&mc, root, cases[i].cpus) != cases[i].whole)
            fail_msg("%s", cases[i].what);
        assert_int_equal(remove_root(NULL), 0);
    }
    struct machine mc = {.smt_on = 1}; /* and nobody tells who is whose sibling */
    assert_false(machine_has_whole_cores(&mc, "/nonexistent", "0-1"));
    mc.smt_on = -1;
    assert_true(machine_has_whole_cores(&mc, "/nonexistent", "0-1"));
}

/* A cluster's MIDR comes from the first of its CPUs that is online. */
static void midr_of_a_cluster(void **state) {
    (void)state;
    struct machine mc;
    put("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\n"
                         "CPU part\t: 0xd05\nCPU revision\t: 0\n\n"
                         "processor\t: 5\nCPU implementer\t: 0x41\nCPU variant\t: 0x4\n"
                         "CPU part\t: 0xd0b\nCPU revision\t: 1\n");
    put(PMU "armv8_cortex_a55/cpus", "0-3\n");
    put(PMU "armv8_cortex_a76/cpus", "4-7\n"); /* CPU 4 is offline: not in cpuinfo */
    machine_detect(&mc, root);
    assert_int_equal(mc.n_core, 2);
    assert_string_equal(mc.core[0].id, "0x411fd050");
    assert_string_equal(mc.core[1].id, "0x414fd0b1");
    put(CPU0 "cpu6/regs/identification/midr_el1", "0x00000000413fd0b0\n");
    machine_detect(&mc, root);
    assert_string_equal(mc.core[1].id, "0x414fd0b1"); /* CPU 5 comes first */
    put(CPU0 "cpu4/regs/identification/midr_el1", "0x00000000413fd0b0\n");
    machine_detect(&mc, root);
    assert_string_equal(mc.core[1].id, "0x413fd0b0");
}

/* CPUs of two clusters in turns. More than fit: those that are kept are whole numbers, and which
 * are not is said. */
static void a_long_list_of_cpus(void **state) {
    (void)state;
    enum { STEP = 7, CPUS_MAX = 2048 };
    static const struct {
        const char *what;
        int n, kept;
        const char *words;
    } cases[] = {
        {"as many as there is room for", 1024, 1024, ""},
        {"more", 1100, 1056,
         "armv8_pmuv3_0 has too long a list of CPUs: those behind 7385 are left out"},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        char list[16384], words[128];
        struct strbuf sb = strbuf_on(list, sizeof(list));
        struct machine mc;
        int cpu[CPUS_MAX];
        assert_int_equal(make_root(NULL), 0);
        for (int i = 0; i < cases[c].n; i++)
            strbuf_add(&sb, "%s%d", i ? "," : "", STEP * i);
        put(PMU "armv8_pmuv3_0/cpus", list);
        machine_detect(&mc, root);
        int n = str_list(mc.core[0].cpus, cpu, CPUS_MAX, NULL);
        machine_cut_words(&mc.core[0], words, sizeof(words));
        if (n != cases[c].kept || strcmp(words, cases[c].words) != 0)
            fail_msg("%s: %d CPUs are kept; %s", cases[c].what, n, words);
        for (int i = 0; i < n; i++)
            assert_int_equal(cpu[i], STEP * i);
        assert_int_equal(remove_root(NULL), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sapphire_rapids, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_guest_without_pmu, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_word_inside_another_is_no_flag, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_hybrid, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_neoverse, make_root, remove_root),
        cmocka_unit_test_setup_teardown(nothing_at_all, make_root, remove_root),
        cmocka_unit_test(patterns),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(every_family),
        cmocka_unit_test(choosing),
        cmocka_unit_test(slots_of_the_chosen),
        cmocka_unit_test(whole_cores),
        cmocka_unit_test_setup_teardown(midr_of_a_cluster, make_root, remove_root),
        cmocka_unit_test(a_long_list_of_cpus),
        cmocka_unit_test(packages),
        cmocka_unit_test(vendors),
        cmocka_unit_test(boxes),
        cmocka_unit_test(tsc_against_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
