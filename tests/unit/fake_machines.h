/*
 * Machines from every family: what their kernels show in /proc and /sys, and what tdtop has to make
 * of it. Numbers of CPUs are small; names, ids, capacities and caps are those of the real ones.
 */
#ifndef TDTOP_TESTS_FAKE_MACHINES_H
#define TDTOP_TESTS_FAKE_MACHINES_H

#include "fake_root.h"

/* One core PMU, and after the first line what is expected of it. */
struct fake_core {
    const char *pmu, *cpus; /* cpus: NULL = no such file; "" = none online */
    const char *pmu_name;   /* caps/pmu_name */
    const char *midr;       /* of its CPUs */
    int type, first, n, threads, capacity, slots;
    bool topdown;
    const char *kind, *id, *model; /* expected; model NULL: none of its own */
};

struct fake_machine {
    const char *what;
    const char *vendor; /* x86: as in /proc/cpuinfo */
    int family, model, stepping;
    int n_cpu, n_socket;
    const char *box; /* "uncore_cha" */
    int n_box;
    struct fake_core core[4]; /* in the order that is expected; those that must not show up last */
    int n_core, cores_per_socket;
};

#define INTEL "GenuineIntel", 6

/* A machine a paragraph: itself, its PMUs (what is expected of each in the second line), how many
 * PMUs and cores per socket are expected. */
/* clang-format off */
static const struct fake_machine fake_machines[] = {
    {"Sapphire Rapids, two sockets", INTEL, 0x8f, 8, 16, 2, "uncore_cha", 3,
     {{"cpu", NULL, "sapphire_rapids", NULL, 4, 0, 16, 2, 0, 0, true,
       "", "GenuineIntel-6-8F-8", "spr"}},
     1, 4},
    {"Skylake client with SMT", INTEL, 0x5e, 3, 8, 1, "uncore_cbox", 4,
     {{"cpu", NULL, "skylake", NULL, 4, 0, 8, 2, 0, 0, false,
       "", "GenuineIntel-6-5E-3", "skl"}},
     1, 4},
    {"Alder Lake", INTEL, 0x97, 2, 24, 1, "uncore_cbox", 10,
     {{"cpu_core", "0-15", "alderlake_hybrid", NULL, 4, 0, 16, 2, 1024, 0, true,
       "core", "GenuineIntel-6-97-2", "adl-glc"},
      {"cpu_atom", "16-23", "alderlake_hybrid", NULL, 10, 16, 8, 1, 700, 0, false,
       "atom", "GenuineIntel-6-97-2", "adl-grt"}},
     2, 16},
    {"Alder Lake, E-cores off", INTEL, 0x97, 5, 12, 1, NULL, 0,
     {{"cpu_core", "0-11", "alderlake_hybrid", NULL, 4, 0, 12, 2, 0, 0, true,
       "core", "GenuineIntel-6-97-5", "adl-glc"},
      {"cpu_atom", "", "alderlake_hybrid", NULL, 10, 0, 0, 1, 0, 0, false,
       NULL, NULL, NULL}},
     1, 6},
    {"Raptor Lake as a plain cpu", INTEL, 0xb7, 1, 4, 1, NULL, 0,
     {{"cpu", NULL, "alderlake_hybrid", NULL, 4, 0, 4, 1, 0, 0, false,
       "core", "GenuineIntel-6-B7-1", "adl-glc"}},
     1, 4},
    {"Alder Lake-N", INTEL, 0xbe, 0, 4, 1, "uncore_cbox", 4,
     {{"cpu", NULL, "gracemont", NULL, 4, 0, 4, 1, 0, 0, false,
       "atom", "GenuineIntel-6-BE-0", "adl-grt"}},
     1, 4},
    {"Alder Lake-N, Linux 5.18", INTEL, 0xbe, 0, 4, 1, NULL, 0,
     {{"cpu_core", "0-3", "alderlake_hybrid", NULL, 4, 0, 4, 1, 0, 0, false,
       "atom", "GenuineIntel-6-BE-0", "adl-grt"},
      {"cpu_atom", "", "alderlake_hybrid", NULL, 10, 0, 0, 1, 0, 0, false,
       NULL, NULL, NULL}},
     1, 4},
    {"Meteor Lake, low-power cores among cpu_atom", INTEL, 0xaa, 4, 22, 1, NULL, 0,
     {{"cpu_core", "0-11", "meteorlake_hybrid", NULL, 4, 0, 12, 2, 0, 0, true,
       "core", "GenuineIntel-6-AA-4", "mtl-rwc"},
      {"cpu_atom", "12-21", "meteorlake_hybrid", NULL, 10, 12, 10, 1, 0, 0, false,
       "atom", "GenuineIntel-6-AA-4", "mtl-cmt"}},
     2, 16},
    {"Lunar Lake", INTEL, 0xbd, 1, 8, 1, NULL, 0,
     {{"cpu_core", "0-3", "lunarlake_hybrid", NULL, 4, 0, 4, 1, 0, 0, true,
       "core", "GenuineIntel-6-BD-1", "lnl-lnc"},
      {"cpu_atom", "4-7", "lunarlake_hybrid", NULL, 10, 4, 4, 1, 0, 0, false,
       "atom", "GenuineIntel-6-BD-1", "lnl-skt"}},
     2, 8},
    {"Arrow Lake-H, three kinds", INTEL, 0xc5, 2, 16, 1, NULL, 0,
     {{"cpu_core", "0-5", "arrowlake_h_hybrid", NULL, 4, 0, 6, 1, 0, 0, true,
       "core", "GenuineIntel-6-C5-2", "arl-lnc"},
      {"cpu_atom", "6-13", "arrowlake_h_hybrid", NULL, 10, 6, 8, 1, 0, 0, false,
       "atom", "GenuineIntel-6-C5-2", "arl-skt"},
      {"cpu_lowpower", "14-15", "arrowlake_h_hybrid", NULL, 11, 14, 2, 1, 0, 0, false,
       "lowpower", "GenuineIntel-6-C5-2", "arl-cmt"}},
     3, 16},
    {"Sierra Forest, E-cores that are no part of a hybrid", INTEL, 0xaf, 3, 8, 2, "uncore_cha", 4,
     {{"cpu", NULL, "crestmont", NULL, 4, 0, 8, 1, 0, 0, false,
       "", "GenuineIntel-6-AF-3", "srf"}},
     1, 4},
    {"Zen 4 client", "AuthenticAMD", 25, 0x61, 2, 8, 1, "amd_umc", 2,
     {{"cpu", NULL, NULL, NULL, 4, 0, 8, 2, 0, 0, false,
       "", "AuthenticAMD-25-61-2", "zen4"}},
     1, 4},
    {"Graviton 2", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000413fd0c1", 8, 0, 4, 1, 1024, 0, false,
       "", "0x413fd0c1", "neoverse-n1"}},
     1, 4},
    {"Graviton 3", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000411fd401", 8, 0, 4, 1, 1024, 8, false,
       "", "0x411fd401", "neoverse-v1"}},
     1, 4},
    {"Graviton 4, two sockets", NULL, 0, 0, 0, 4, 2, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000410fd4f1", 8, 0, 4, 1, 1024, 8, false,
       "", "0x410fd4f1", "neoverse-v2"}},
     1, 2},
    {"Cobalt 100", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x000000006d0fd493", 8, 0, 4, 1, 1024, 5, false,
       "", "0x6d0fd493", "neoverse-n2-r0p3"}},
     1, 4},
    {"Neoverse N2 r0p0", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000410fd490", 8, 0, 4, 1, 1024, 5, false,
       "", "0x410fd490", "neoverse-n2-r0p0"}},
     1, 4},
    {"big.LITTLE, the small ones first", NULL, 0, 0, 0, 6, 1, NULL, 0,
     {{"armv8_cortex_a76", "4-5", NULL, "0x00000000414fd0b1", 9, 4, 2, 1, 1024, 0, false,
       "", "0x414fd0b1", NULL},
      {"armv8_cortex_a55", "0-3", NULL, "0x00000000412fd050", 8, 0, 4, 1, 417, 0, false,
       "", "0x412fd050", NULL}},
     2, 6},
    {"an unknown Arm server whose kernel knows its slots", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000c00fac40", 8, 0, 4, 1, 1024, 6, false,
       "", "0xc00fac40", NULL}},
     1, 4},
    {"an unknown Arm server", NULL, 0, 0, 0, 4, 1, NULL, 0,
     {{"armv8_pmuv3_0", "0-3", NULL, "0x00000000480fd010", 8, 0, 4, 1, 1024, 0, false,
       "", "0x480fd010", NULL}},
     1, 4},
};
/* clang-format on */

static inline const struct fake_machine *fake_find(const char *what) {
    for (size_t i = 0; i < COUNT_OF(fake_machines); i++)
        if (strcmp(fake_machines[i].what, what) == 0)
            return &fake_machines[i];
    fail_msg("no fake machine \"%s\"", what);
    return NULL;
}

static inline void fake_put_cpu(const struct fake_machine *fm, const struct fake_core *fc,
                                int cpu) {
    char path[160], text[64];
    int leader = cpu - (cpu - fc->first) % fc->threads;
    snprintf(path, sizeof(path), CPU_DIR "cpu%d/topology/physical_package_id", cpu);
    snprintf(text, sizeof(text), "%d\n", cpu * fm->n_socket / fm->n_cpu * 36);
    put(path, text);
    snprintf(path, sizeof(path), CPU_DIR "cpu%d/topology/thread_siblings_list", cpu);
    snprintf(text, sizeof(text), fc->threads > 1 ? "%d-%d\n" : "%d\n", leader,
             leader + fc->threads - 1);
    put(path, text);
    if (fc->midr) {
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/regs/identification/midr_el1", cpu);
        put(path, fc->midr);
    }
    if (fc->capacity) {
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/cpu_capacity", cpu);
        snprintf(text, sizeof(text), "%d\n", fc->capacity);
        put(path, text);
    }
}

static inline void fake_put_core(const struct fake_machine *fm, const struct fake_core *fc) {
    char text[64];
    snprintf(text, sizeof(text), "%d\n", fc->type);
    put_pmu(fc->pmu, "type", text);
    if (fc->cpus) {
        snprintf(text, sizeof(text), "%s\n", fc->cpus);
        put_pmu(fc->pmu, "cpus", text);
    }
    if (fc->pmu_name)
        put_pmu(fc->pmu, "caps/pmu_name", fc->pmu_name);
    if (fc->midr) {
        snprintf(text, sizeof(text), "0x%08x\n", (unsigned)fc->slots);
        put_pmu(fc->pmu, "caps/slots", text);
    }
    if (fc->topdown) {
        put_pmu(fc->pmu, "events/slots", "event=0x00,umask=0x4\n");
        put_pmu(fc->pmu, "events/topdown-retiring", "event=0x00,umask=0x80\n");
    }
    for (int cpu = fc->first; cpu < fc->first + fc->n; cpu++)
        fake_put_cpu(fm, fc, cpu);
}

/* Fills root with this machine. */
static inline void fake_build(const struct fake_machine *fm) {
    char text[256], name[64];
    int threads = 1;
    if (fm->vendor) {
        snprintf(text, sizeof(text),
                 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\n"
                 "model name\t: A fake\nstepping\t: %d\nflags\t\t: fpu\n",
                 fm->vendor, fm->family, fm->model, fm->stepping);
        put("/proc/cpuinfo", text);
    }
    snprintf(text, sizeof(text), "0-%d\n", fm->n_cpu - 1);
    put(CPU_DIR "online", text);
    for (size_t i = 0; i < COUNT_OF(fm->core) && fm->core[i].pmu; i++) {
        fake_put_core(fm, &fm->core[i]);
        threads = fm->core[i].threads > threads ? fm->core[i].threads : threads;
    }
    put(CPU_DIR "smt/active", threads > 1 ? "1\n" : "0\n");
    for (int i = 0; i < fm->n_box; i++) {
        snprintf(name, sizeof(name), "%s_%d", fm->box, i);
        put_pmu(name, "type", "20\n");
        put_pmu(name, "cpumask", "0\n");
    }
    put_pmu("software", "type", "1\n");
    put_pmu("msr", "cpumask", "0\n");
}

#endif
