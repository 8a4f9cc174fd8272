/* Fake /proc and /sys trees stand for machines that we do not have. */
#include "pmu/machine.h"

#include "base/str.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
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

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/tdtop-machine.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char cmd[96];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
    return system(cmd);
}

#define CPU0 "/sys/devices/system/cpu/"
#define PMU  "/sys/bus/event_source/devices/"

static void a_sapphire_rapids(void **state) {
    (void)state;
    put("/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8480+\nstepping\t: 8\n"
        "flags\t\t: fpu vme arch_perfmon\n\nprocessor\t: 1\n");
    put(CPU0 "online", "0-3\n");
    put(CPU0 "cpu0/topology/physical_package_id", "0\n");
    put(CPU0 "cpu1/topology/physical_package_id", "1\n");
    put(CPU0 "cpu2/topology/physical_package_id", "0\n");
    put(CPU0 "cpu3/topology/physical_package_id", "1\n");
    put(CPU0 "smt/active", "1\n");
    put(PMU "cpu/type", "4\n");
    put(PMU "cpu/events/slots", "event=0x00,umask=0x4\n");
    put(PMU "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
    put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
    put("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
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
                c.value[CONST_SOCKET_COUNT] == 2);
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
    assert_int_equal(mc.n_cpu, 1);
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
    assert_int_equal(mc.n_cpu, 1);
    assert_int_equal(mc.n_socket, 1);
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

/* --model goes first; its words name the model that was asked for. */
static void ladder_obeys(void **state) {
    (void)state;
    struct machine mc = {.id = "GenuineIntel-6-1-1", .pmu_type = PERF_TYPE_RAW};
    struct model m;
    struct err err = {0};
    char why[256];
    assert_int_equal(ladder_pick(&m, &mc, "software", NULL, why, sizeof(why), &err), 0);
    assert_string_equal(m.name, "software");
    assert_non_null(strstr(why, "as asked"));
    model_free(&m);

    assert_int_equal(ladder_pick(&m, &mc, "spr", NULL, why, sizeof(why), &err), 0);
    assert_non_null(strstr(why, "not made for this CPU: GenuineIntel-6-1-1"));
    assert_non_null(strstr(why, "no topdown-* events"));
    model_free(&m);

    assert_int_equal(ladder_pick(&m, &mc, "no-such-model", NULL, why, sizeof(why), &err), -ENOENT);
    model_free(&m);
}

/* What this machine really gives decides the rung, and the line says which and why. */
static void ladder_climbs(void **state) {
    (void)state;
    struct machine mc;
    struct model m;
    struct err err = {0};
    char why[256];
    machine_detect(&mc, "");
    int rc = ladder_pick(&m, &mc, NULL, NULL, why, sizeof(why), &err);
    if (rc == -EACCES || rc == -EPERM) {
        assert_non_null(strstr(err.text, "not permitted"));
        return;
    }
    assert_int_equal(rc, 0);
    assert_true(str_starts(why, "software: no CPU PMU here") ||
                str_starts(why, "generic: no model for") || strstr(why, "full model"));
    if (str_starts(why, "software"))
        assert_string_equal(m.rung, "software");
    model_free(&m);
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
        cmocka_unit_test(ladder_obeys),
        cmocka_unit_test(ladder_climbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
