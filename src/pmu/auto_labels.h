/*
 * Labels that a run gets by itself, and the names of what was measured. Nothing leaves the machine
 * for them, and nothing is waited for.
 */
#ifndef TDTOP_PMU_AUTO_LABELS_H
#define TDTOP_PMU_AUTO_LABELS_H

#include "model/run.h"
#include "pmu/environment.h"
#include "pmu/source.h"

/*
 * Adds the automatic labels of a source and of this machine (env may be NULL) to r, and fills
 * r->process and r->command. Keys: arch, kernel_version, node, cpu, pmu_name, comm, pid, cmdline,
 * collector, tma_level, model, tdtop_version, governor, turbo, smt, paranoid, microcode. 0 or
 * -ENOMEM with words.
 */
int auto_labels(const struct source *src, const struct environment *env, struct run *r,
                struct err *err);

#endif
