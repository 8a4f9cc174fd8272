/* Which machine this is: CPUID family/model/stepping as in /proc/cpuinfo, MIDR, core PMUs under
 * /sys. */
#ifndef TDTOP_PMU_MACHINE_H
#define TDTOP_PMU_MACHINE_H

#include "base/err.h"
#include "model/load/expr.h"
#include "model/load/model.h"

/* Folders of sysfs. */
#define MACHINE_CPU_DIR "/sys/devices/system/cpu/"
#define MACHINE_PMU_DIR "/sys/bus/event_source/devices/"

/* One kind of core: on a hybrid CPU there are several, each with a PMU of its own. */
struct core_type {
    char pmu[32];        /* sysfs name of its PMU: "cpu", "cpu_atom", "armv8_pmuv3_0" */
    uint32_t pmu_type;   /* perf_event_attr.type */
    char kind[16];       /* Intel's hybrid families: "core", "atom", "lowpower"; else "" */
    char id[64];         /* as in struct machine; Arm clusters differ in it */
    char cpus[5 * 1024]; /* "0-15"; "" = all; room for 1024 CPUs one by one: "8191," */
    bool cpus_cut;       /* there were more */
    bool has_topdown;    /* events/slots and events/topdown-retiring exist */
    int slots;           /* Arm caps/slots: slots per cycle; 0 if the kernel does not say */
};
enum { CORE_TYPES_MAX = 8 };

struct machine {
    char id[64];       /* "GenuineIntel-6-8F-8", "0x410fd490", "" if unknown */
    char cpu_name[96]; /* "AMD EPYC" */
    int n_cpu;         /* online logical CPUs; 0 if unknown */
    int n_socket;      /* 0 if unknown */
    int smt_on;        /* 1, 0, -1 = the kernel does not say */
    bool no_smt;     /* these CPUs have none, says the kernel: of a guest's only that it is told of
                        none */
    bool hypervisor; /* a hypervisor is under us */
    char hypervisor_name[32];
    char pmu[32];      /* sysfs name of the core PMU: "cpu", "armv8_pmuv3_0"; "" if there is none */
    uint32_t pmu_type; /* its perf_event_attr.type; PERF_TYPE_RAW if unknown */
    bool has_topdown;  /* events/slots and events/topdown-retiring exist */
    int paranoid;      /* kernel.perf_event_paranoid, or 99 if unreadable */
    bool cap_perfmon;  /* CAP_PERFMON or CAP_SYS_ADMIN permitted */
    int nmi_watchdog;  /* 1, 0, -1 unknown */
    uint64_t tsc_hz;   /* 0 if unknown, or before machine_detect_tsc */
    /* All core PMUs: the one with the biggest cores first. id, pmu, pmu_type, has_topdown above are
     * those of core[chosen]. n_core is 0 where there is no PMU. */
    struct core_type core[CORE_TYPES_MAX];
    int n_core, chosen;
    bool all_types; /* set by who measures all of them at once, each with a model of its own */
    int cores_per_socket, chas_per_socket; /* 0 if unknown */
};

/* Never fails: what cannot be found stays unknown. root is "" or a folder with fake /proc and /sys
 * for tests. */
void machine_detect(struct machine *mc, const char *root);

/* Fills tsc_hz. Opens a counter: the first one of a machine waits 14 ms for all CPUs, so a screen
 * draws first. */
void machine_detect_tsc(struct machine *mc);

/*
 * Picks the core type to be measured: by kind ("atom"), PMU name ("cpu_atom", "armv8_pmuv3_1") or
 * number from 0. -ENOENT lists those there are.
 */
int machine_choose(struct machine *mc, const char *want, struct err *err);

/* The CPUs of a core type that are left out because the list of them is too long, in words; "" if
 * none is. */
const char *machine_cut_words(const struct core_type *ct, char *words, size_t cap);

/* Is it known whether hardware threads share cores? A guest that is shown none may share them. */
bool machine_knows_smt(const struct machine *mc);

/* True if the list of CPUs ("0,2-3"; NULL = all) has each CPU's SMT siblings, too. */
bool machine_has_whole_cores(const struct machine *mc, const char *root, const char *cpus);

/* Puts SMT_ON, NUM_CPUS, SOCKET_COUNT, CORES_PER_SOCKET, CHAS_PER_SOCKET, SYSTEM_TSC_FREQ,
 * SLOTS_PER_CYCLE (Arm caps/slots) where still NAN. */
void machine_consts(const struct machine *mc, struct consts *c);

/* True if a model's match pattern ("GenuineIntel-6-8F", "AuthenticAMD-25-([1245]...)",
 * "0x41.fd49.") fits. */
bool machine_matches(const char *pattern, const char *id);

/* The vendor of an id: "Intel", "AMD", "Arm", as models spell it; "" if it is none of them. */
const char *machine_vendor(const char *id);

/*
 * A PMU outside the cores is a box of a device: "uncore_cha_12" is number 12 of "uncore_cha",
 * "uncore_imc" the only one of "uncore_imc". Returns the length of the device's name.
 */
size_t machine_box_split(const char *pmu, int *number);

/* Number of the box if the PMU is one of this device, else -1. "uncore_imc_free_running_0" is none
 * of "uncore_imc". */
int machine_box_number(const char *pmu, const char *device);

#endif
