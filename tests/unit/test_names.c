#include "pmu/replay/names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void test_parse(void **state) {
    (void)state;
    static const struct {
        const char *text, *pmu, *base, *mods;
        uint64_t config, config1;
        bool has_code, percore;
    } cases[] = {
        {"cycles", "", "cycles", "", 0, 0, false, false},
        {"cycles:u", "", "cycles", "u", 0, 0, false, false},
        {"cycles:ppp", "", "cycles", "", 0, 0, false, false},
        {"cycles:kpp", "", "cycles", "k", 0, 0, false, false},
        {"cpu-clock [software]", "software", "cpu-clock", "", 0, 0, false, false},
        {"EXE_ACTIVITY.BOUND_ON_LOADS", "", "EXE_ACTIVITY.BOUND_ON_LOADS", "", 0, 0, false, false},
        {"UOPS_RETIRED.MS:c1:e1", "", "UOPS_RETIRED.MS", "", 0x1040000, 0, true, false},
        {"UOPS_RETIRED.MS:c12", "", "UOPS_RETIRED.MS", "", 0xc000000, 0, true, false},
        {"UOPS_RETIRED.MS:i1:u0x41", "", "UOPS_RETIRED.MS", "", 0x804100, 0, true, false},
        {"OCR.X:ocr_msr_val=0x103b800002", "", "OCR.X", "", 0, 0x103b800002, true, false},
        {"TOPDOWN.SLOTS:perf_metrics", "", "TOPDOWN.SLOTS", "", 0, 0, false, false},
        {"TOPDOWN.SLOTS:percore", "", "TOPDOWN.SLOTS", "", 0, 0, false, true},
        {"INST_RETIRED.ANY_P:SUP", "", "INST_RETIRED.ANY_P", "k", 0, 0, false, false},
        {"BR_INST_RETIRED.FAR_BRANCH:USER", "", "BR_INST_RETIRED.FAR_BRANCH", "u", 0, 0, false,
         false},
        {"uops_retired.ms,cmask=0x1", "", "uops_retired.ms", "", 0x1000000, 0, true, false},
        {"cpu/topdown-retiring/", "cpu", "topdown-retiring", "", 0, 0, false, false},
        {"cpu_core/slots/u", "cpu_core", "slots", "u", 0, 0, false, false},
        {"cpu_core/slots,percore/", "cpu_core", "slots", "", 0, 0, false, true},
        {"cpu/event=0xa6,umask=0x21,cmask=0x5/", "cpu", "", "", 0x50021a6, 0, true, false},
        {"cpu/event=0xc6,umask=1,frontend=0x400406/u", "cpu", "", "u", 0x1c6, 0x400406, true,
         false},
        {"cpu/event=0x1a0,umask=0x1e/", "cpu", "", "", 0x100001ea0, 0, true, false},
        {"armv8_pmuv3_0/event=0x8014/", "armv8_pmuv3_0", "", "", 0x8014, 0, true, false},
        {"cpu/umask=0x1ff,event=0x24/", "cpu", "", "", 0x1000000ff24, 0, true, false},
        {"cpu/ls_x,cmask=0x6/u", "cpu", "ls_x", "u", 0x6000000, 0, true, false},
        {"cpu/ls_x,cmask=0x6,name=y/", "cpu", "ls_x", "", 0x6000000, 0, true, false},
        {"cpu/name='LS_X',period=100003/", "cpu", "LS_X", "", 0, 0, false, false},
        {"cpu/name=y,event=0x9,period=7/", "cpu", "", "", 9, 0, true, false},
        {"cpu/r1a6/", "cpu", "", "", 0x1a6, 0, true, false},
        {"r50021a6", "", "", "", 0x50021a6, 0, true, false},
        {"r1a6:u", "", "", "u", 0x1a6, 0, true, false},
        {"ref-cycles", "", "ref-cycles", "", 0, 0, false, false}, /* not a raw code */
        {"slots/metric-id=slots/", "", "slots", "", 0, 0, false, false},
        {"inst_retired:any:u=1", "", "inst_retired.any", "u", 0, 0, false, false}, /* libpfm4 */
        {"uops_retired:ms:c=1:e=1", "", "uops_retired.ms", "", 0x1040000, 0, true, false},
        {"cpu/cycles,inv,edge=1,any/", "cpu", "cycles", "", 0xa40000, 0, true, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_name n;
        int rc = event_name_parse(cases[i].text, &n);
        if (rc != 0 || strcmp(n.pmu, cases[i].pmu) || strcmp(n.base, cases[i].base) ||
            strcmp(n.mods, cases[i].mods) || n.config != cases[i].config ||
            n.config1 != cases[i].config1 || n.has_code != cases[i].has_code ||
            n.percore != cases[i].percore)
            fail_msg(
                "%s: rc %d, pmu '%s', base '%s', mods '%s', config %llx, config1 %llx, code %d, "
                "percore %d",
                cases[i].text, rc, n.pmu, n.base, n.mods, (unsigned long long)n.config,
                (unsigned long long)n.config1, n.has_code, n.percore);
    }
}

static void test_refuse(void **state) {
    (void)state;
    static const char *const cases[] = {
        "cpu/event=0xd0,umask=0x21,retire_latency=1/", /* perf prints a latency there, not a count
                                                        */
        "",
        " ",
        "/",
        "//",
        "cpu/",
        "/event=1/",
        "cpu/event=0xzz/",
        "cpu/event=/",
        "cpu/event=1,cmask=256/",
        "cpu/unheard_of=3/",
        "a b",
        "cycles\x01",
        "cycles,instructions",
        ":u",
        "a_pmu_whose_name_is_longer_than_any_kernel_would_make_it/event=1/",
        "cpu/event=0x123456789012345678901/",
        "UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0xzz",
        "UNC_C_TOR_INSERTS.MISS_OPCODE:opc=",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_name n;
        int rc = event_name_parse(cases[i], &n);
        if (rc != -EINVAL)
            fail_msg("'%s': rc %d, base '%s'", cases[i], rc, n.base);
    }
    char longest[1200];
    memset(longest, 'x', sizeof(longest));
    for (size_t n = 150; n < sizeof(longest); n += 50) {
        struct event_name name;
        longest[n] = '\0';
        assert_int_equal(event_name_parse(longest, &name), n < sizeof(name.base) ? 0 : -EINVAL);
        longest[n] = 'x';
    }
}

static const struct event thread = {.name = "CPU_CLK_UNHALTED.THREAD",
                                    .base = "CPU_CLK_UNHALTED.THREAD",
                                    .alias = "cycles",
                                    .has_code = true,
                                    .config = 0x3c};
static const struct event kernel = {.name = "CPU_CLK_UNHALTED.THREAD_P:SUP",
                                    .base = "CPU_CLK_UNHALTED.THREAD_P",
                                    .kernel_only = true,
                                    .has_code = true,
                                    .config = 0x3c};
static const struct event ms1 = {.name = "UOPS_RETIRED.MS:c1",
                                 .base = "UOPS_RETIRED.MS",
                                 .has_code = true,
                                 .config = 0x10004c2,
                                 .config1 = 8};
static const struct event ms = {.name = "UOPS_RETIRED.MS",
                                .base = "UOPS_RETIRED.MS",
                                .has_code = true,
                                .config = 0x4c2,
                                .config1 = 8};
static const struct event slots = {.name = "TOPDOWN.SLOTS:perf_metrics",
                                   .base = "TOPDOWN.SLOTS",
                                   .sysfs = "slots",
                                   .has_code = true,
                                   .config = 0x400,
                                   .slots_leader = true};
static const struct event both = {.name = "TOPDOWN.SLOTS:percore",
                                  .base = "TOPDOWN.SLOTS",
                                  .sysfs = "slots",
                                  .has_code = true,
                                  .config = 0x400,
                                  .percore = true};
static const struct event retiring = {.name = "PERF_METRICS.RETIRING",
                                      .base = "PERF_METRICS.RETIRING",
                                      .sysfs = "topdown-retiring",
                                      .perf_metrics = true,
                                      .has_code = true,
                                      .config = 0x8000};
static const struct event switches = {.name = "context_switches",
                                      .base = "context_switches",
                                      .pmu = EVENT_SOFTWARE,
                                      .type = 1,
                                      .config = 3,
                                      .has_code = true};
static const struct event generic = {.name = "cpu_cycles",
                                     .base = "cpu_cycles",
                                     .pmu = EVENT_GENERIC,
                                     .has_code = true,
                                     .config = 0};
static const struct event uncore = {
    .name = "UNC_CHA_CLOCKTICKS", .base = "UNC_CHA_CLOCKTICKS", .pmu = EVENT_UNCORE};
static const struct event proc = {.name = "threads", .base = "threads", .pmu = EVENT_PROC};

static const struct event one_unit = {.name = "UNC_CHA_CLOCKTICKS:one_unit",
                                      .base = "UNC_CHA_CLOCKTICKS",
                                      .pmu = EVENT_UNCORE,
                                      .one_unit = true};
static const struct event opcode = {.name = "UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0x182:tid=0x3e",
                                    .base = "UNC_C_TOR_INSERTS.MISS_OPCODE",
                                    .pmu = EVENT_UNCORE};
static const struct event ia_miss = {.name = "UNC_CHA_TOR_INSERTS.IA_MISS",
                                     .base = "UNC_CHA_TOR_INSERTS.IA_MISS",
                                     .pmu = EVENT_UNCORE,
                                     .device = "uncore_cha",
                                     .terms = "event=0x35,umask=0xc816fe01"};
/* The key of the model's table is the whole spelling. */
static const struct event arb1 = {.name = "UNC_ARB_DAT_OCCUPANCY.RD:c1",
                                  .base = "UNC_ARB_DAT_OCCUPANCY.RD:c1",
                                  .pmu = EVENT_UNCORE};
static const struct event joules = {.name = "UNC_PKG_ENERGY_STATUS",
                                    .base = "UNC_PKG_ENERGY_STATUS",
                                    .pmu = EVENT_UNCORE,
                                    .device = "power",
                                    .sysfs = "energy-pkg"};
static const struct event atom = {.name = "TOPDOWN_RETIRING.ALL",
                                  .base = "TOPDOWN_RETIRING.ALL",
                                  .has_code = true,
                                  .config = 0xc2};

static void test_match(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const struct event *event;
        bool fits;
    } cases[] = {
        {"cycles", &thread, true},
        {"cpu-cycles", &thread, true},
        {"CPU-Cycles", &thread, true},
        {"cpu_core/cycles/", &thread, true},
        {"cycles:u", &thread, true},
        {"cpu_clk_unhalted.thread", &thread, true},
        {"CPU_CLK_UNHALTED.THREAD", &thread, true},
        {"cpu_clk_unhalted:thread", &thread, true},
        {"cpu/event=0x3c/", &thread, true},
        {"cpu/event=0x3c,umask=0x0/", &thread, true},
        {"r3c", &thread, true},
        {"r13c", &thread, false},
        {"cycles:c1", &thread, false},
        {"ref-cycles", &thread, false},
        {"software/cycles/", &thread, false},
        {"CPU_CLK_UNHALTED.THREAD_P", &kernel, false},
        {"CPU_CLK_UNHALTED.THREAD_P:u", &kernel, false},
        {"CPU_CLK_UNHALTED.THREAD_P:uk", &kernel, false},
        {"CPU_CLK_UNHALTED.THREAD_P:k", &kernel, true},
        {"cpu/event=0x3c/k", &kernel, true},
        {"UOPS_RETIRED.MS:c1", &ms1, true},
        {"uops_retired.ms,cmask=0x1", &ms1, true},
        {"cpu/uops_retired.ms,cmask=1/", &ms1, true},
        {"cpu/event=0xc2,umask=0x4,cmask=1,frontend=0x8/", &ms1, true},
        {"cpu/event=0xc2,umask=0x4,cmask=1/", &ms1, false},
        {"UOPS_RETIRED.MS", &ms1, false},
        {"UOPS_RETIRED.MS:c2", &ms1, false},
        {"UOPS_RETIRED.MS", &ms, true},
        {"UOPS_RETIRED.MS:c1", &ms, false},
        {"slots", &slots, true},
        {"TOPDOWN.SLOTS", &slots, true},
        {"cpu_core/TOPDOWN.SLOTS/", &slots, true},
        {"slots,percore", &slots, false},
        {"cpu/slots,percore/", &both, true},
        {"slots", &both, false},
        {"topdown-retiring", &retiring, true},
        {"topdown_retiring", &retiring, true},
        {"cpu/topdown-retiring/u", &retiring, true},
        {"PERF_METRICS.RETIRING", &retiring, true},
        {"cpu/event=0x0,umask=0x80/", &retiring, true},
        {"context-switches", &switches, true},
        {"context-switches:u", &switches, true},
        {"cs", &switches, true},
        {"context-switches [software]", &switches, true},
        {"software/context-switches/", &switches, true},
        {"cpu/context-switches/", &switches, false},
        {"r3", &switches, false},
        {"cycles", &generic, true},
        {"r0", &generic, false},
        {"UNC_CHA_CLOCKTICKS", &uncore, true},
        {"uncore_cha/UNC_CHA_CLOCKTICKS/", &uncore, true},
        {"cpu/UNC_CHA_CLOCKTICKS/", &uncore, false},
        {"UNC_CHA_CLOCKTICKS:one_unit", &uncore, false},
        {"UNC_CHA_CLOCKTICKS:one_unit", &one_unit, true},
        {"UNC_CHA_CLOCKTICKS", &one_unit, false},
        {"UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0x182:tid=0x3e", &opcode, true},
        {"unc_c_tor_inserts.miss_opcode:opc=386:tid=62", &opcode, true},
        {"UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0x192:tid=0x3e", &opcode, false},
        {"UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0x182", &opcode, false},
        {"UNC_C_TOR_INSERTS.MISS_OPCODE", &opcode, false},
        {"UNC_CHA_TOR_INSERTS.IA_MISS", &ia_miss, true},
        {"uncore_cha/event=0x35,umask=0xc816fe01/", &ia_miss, true},
        {"uncore_cha/umask=0xc816fe01,event=53/", &ia_miss, true},
        {"uncore_cha/event=0x35,umask=0xc816fe01,name='UNC_X'/", &ia_miss, true},
        {"uncore_cha/UNC_CHA_CLOCKTICKS,name=x/", &uncore, true},
        {"uncore_cha/event=0x35,umask=0xc816fe02/", &ia_miss, false},
        {"uncore_cha/event=0x35/", &ia_miss, false},
        {"uncore_cha/event=0x35,umask=0xc816fe01,thresh=1/", &ia_miss, false},
        {"uncore_cha/event=0x35,umask=0xc816fe01,edge=x/", &ia_miss, false},
        {"uncore_imc/event=0x35,umask=0xc816fe01/", &ia_miss, false},
        {"uncore_cha/event=0x35,umask=0xc816fe01/", &uncore, false},
        {"UNC_ARB_DAT_OCCUPANCY.RD:c1", &arb1, true},
        {"UNC_ARB_DAT_OCCUPANCY.RD", &arb1, false},
        {"power/energy-pkg/", &joules, true},
        {"power/energy-ram/", &joules, false},
        {"cpu_atom/topdown-retiring/", &atom, true},
        {"cpu_atom/TOPDOWN_RETIRING.ALL/", &atom, true},
        {"cpu_atom/topdown-fe-bound/", &atom, false},
        {"threads", &proc, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_name n;
        assert_int_equal(event_name_parse(cases[i].text, &n), 0);
        if (event_name_matches(&n, cases[i].event) != cases[i].fits)
            fail_msg("%s as %s: expected %d", cases[i].text, cases[i].event->name, cases[i].fits);
    }
}

/* The names of AMD and Arm: no modifier table of ours may stand in their way. */
static void test_other_vendors(void **state) {
    (void)state;
    static const struct event fe6 = {.name = "de_no_dispatch_per_slot.no_ops_from_frontend:c6",
                                     .base = "de_no_dispatch_per_slot.no_ops_from_frontend",
                                     .has_code = true,
                                     .config = 0x1060001a0};
    static const struct event stall = {.name = "STALL_SLOT_FRONTEND",
                                       .base = "STALL_SLOT_FRONTEND",
                                       .has_code = true,
                                       .config = 0x3e};
    static const struct {
        const char *text;
        const struct event *event;
        bool fits;
    } cases[] = {
        {"cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/u", &fe6, true},
        {"cpu/event=0x1a0,umask=0x1,cmask=0x6/", &fe6, true},
        {"cpu/event=0x1a0,umask=0x0,cmask=0x6/", &fe6, false},
        {"de_no_dispatch_per_slot.no_ops_from_frontend", &fe6, false},
        {"stall_slot_frontend", &stall, true},
        {"armv8_pmuv3_0/stall_slot_frontend/", &stall, true},
        {"armv8_pmuv3_0/event=0x3e/", &stall, true},
        {"r3e", &stall, true},
        {"r003E", &stall, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_name n;
        assert_int_equal(event_name_parse(cases[i].text, &n), 0);
        if (event_name_matches(&n, cases[i].event) != cases[i].fits)
            fail_msg("%s as %s: expected %d", cases[i].text, cases[i].event->name, cases[i].fits);
    }
}

static void test_privilege(void **state) {
    (void)state;
    static const struct {
        const char *text;
        char level;
    } cases[] = {{"cycles", '\0'},   {"cycles:u", 'u'}, {"cycles:kp", 'k'}, {"cycles:uk", '\0'},
                 {"cycles:H", '\0'}, {"x:SUP", 'k'},    {"x:USER", 'u'}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_name n;
        assert_int_equal(event_name_parse(cases[i].text, &n), 0);
        assert_int_equal(event_name_privilege(&n), cases[i].level);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),     cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_match),     cmocka_unit_test(test_other_vendors),
        cmocka_unit_test(test_privilege),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
