/*
 * Which machine this is, and the ladder: the best model that can really count here.
 * Detection: CPUID family/model/stepping as in /proc/cpuinfo, MIDR, core PMUs under /sys.
 */
#ifndef TDTOP_PMU_MACHINE_H
#define TDTOP_PMU_MACHINE_H

#include "base/err.h"
#include "model/expr.h"
#include "model/model.h"

struct machine {
    char id[64];       /* "GenuineIntel-6-8F-8", "0x410fd490", "" if unknown */
    char cpu_name[96]; /* "AMD EPYC" */
    int n_cpu;         /* online logical CPUs */
    int n_socket;
    int smt_on;      /* 1, 0, -1 = the kernel does not say */
    bool hypervisor; /* a hypervisor is under us */
    char hypervisor_name[32];
    char pmu[32];      /* sysfs name of the core PMU: "cpu", "armv8_pmuv3_0"; "" if there is none */
    uint32_t pmu_type; /* its perf_event_attr.type; PERF_TYPE_RAW if unknown */
    bool has_topdown;  /* events/slots and events/topdown-retiring exist */
    int paranoid;      /* kernel.perf_event_paranoid, or 99 if unreadable */
    bool cap_perfmon;  /* CAP_PERFMON or CAP_SYS_ADMIN effective */
    int nmi_watchdog;  /* 1, 0, -1 unknown */
    uint64_t tsc_hz;   /* 0 if unknown; from CPUID 0x15 or the perf mmap page */
};

/* Never fails: what cannot be found stays unknown. root is "" or a folder with fake /proc and /sys
 * for tests. */
void machine_detect(struct machine *mc, const char *root);

/* Puts SMT_ON, NUM_CPUS, SOCKET_COUNT, SYSTEM_TSC_FREQ where still NAN. */
void machine_consts(const struct machine *mc, struct consts *c);

/* True if a model's match pattern ("GenuineIntel-6-8F", "AuthenticAMD-25-([1245]...)",
 * "0x41.fd49.") fits. */
bool machine_matches(const char *pattern, const char *id);

/*
 * Opens the best model for the machine: full model by match (if the core PMU can be opened), else
 * generic, else software; `want` (--model) overrides. `why` gets one line: which and why.
 */
int ladder_pick(struct model *m, const struct machine *mc, const char *want, const char *model_dir,
                char *why, size_t cap, struct err *err);

#endif
