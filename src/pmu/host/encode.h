/*
 * A model's event as the kernel wants it. Sources, best first: the kernel's own <pmu>/events/NAME
 * where the model names it; the model's raw code; libpfm4 for an event without one, where it knows
 * the CPU. A code is then put where the PMU's format/ wants each of its fields.
 *
 * The model's code goes before libpfm4's because tests hold it against the vendor's tables: libpfm4
 * 4.13 gives CPU_CLK_UNHALTED:THREAD of Sapphire Rapids as 0x200, which counts nothing. A test
 * compares all codes that both have (tests/unit/test_libpfm4.c).
 */
#ifndef TDTOP_PMU_ENCODE_H
#define TDTOP_PMU_ENCODE_H

#include "model/load/model.h"
#include "pmu/host/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

struct encode_options {
    const char *root; /* as in machine_detect */
    bool user_only, kernel_only;
    bool on_cpus;          /* not on tasks: there the CPU clocks run through idle time, too */
    bool user_only_forced; /* not asked for: the kernel permits no more */
};

/*
 * Fills attr but for inherit, read_format and the like. Returns 0; -ENOENT if there is no encoding
 * for it here; -EOPNOTSUPP if it cannot be counted this way (no perf event of a core, or it counts
 * only what the options exclude), -EPERM if that is so because user_only is forced.
 */
int encode_event(const struct machine *mc, const struct event *ev, const struct encode_options *opt,
                 struct perf_event_attr *attr);

/*
 * Bit 21 on Intel up to Cascade Lake: counts for the sibling thread, too, and what the sibling does
 * is another's. So the kernel wants the rights for whole CPUs (perf_allow_cpu in
 * intel_pmu_hw_config), though the target may be one's own.
 */
bool encode_any_thread(const struct model *m, const struct event *ev);

/*
 * The name as libpfm4 spells it: "INST_RETIRED.ANY" is "INST_RETIRED:ANY", ":c1:e1" is ":c=1:e=1";
 * modifiers that are no part of a code (":SUP") are left out. Returns false for what libpfm4 cannot
 * say.
 */
bool encode_pfm_name(const struct event *ev, char *buf, size_t cap);

/*
 * What libpfm4 makes of a core event: config, config1. kind: of the cores of a hybrid CPU ("core",
 * "atom", "lowpower"); "" if it is none. Initializes it at the first call (2 ms). False if it does
 * not know the event, the CPU, or that kind by a PMU of its own.
 */
bool encode_from_pfm(const char *kind, const struct event *ev, unsigned long long c[2]);

/* "4.13.0", "" if that cannot be known, and the name of the CPU's PMU in libpfm4, "" if it does not
 * know it. Loads libpfm4; false: it is not installed.
 */
bool encode_pfm_version(char *version, size_t cap, char *pmu, size_t pmu_cap);

/*
 * Puts "event=0xa6,umask=0x21,cmask=5" into config (c[0]), config1, config2, by the field positions
 * that <pmu>/format/FIELD shows. 0 or -EINVAL.
 */
int encode_terms(const char *root, const char *pmu, const char *terms, unsigned long long c[3]);

/*
 * A raw code of the vendor's layout (model/load/code.h) put where this PMU's format/ wants each
 * field. Returns 0; -ENOENT if the PMU has no format/ (then c is the code as it is); -EINVAL if it
 * lacks a field that the code needs, with its name in *missing.
 */
int encode_by_format(const char *root, const char *pmu, const char *vendor, const uint64_t code[2],
                     unsigned long long c[3], const char **missing);

/* task-clock or cpu-clock. */
bool encode_is_cpu_clock(const struct event *ev);

#endif
