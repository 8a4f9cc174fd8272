/*
 * Labels that a run gets by itself, and the names of what was measured. Nothing leaves the machine
 * for them, and nothing is waited for.
 */
#ifndef TDTOP_SESSION_AUTO_LABELS_H
#define TDTOP_SESSION_AUTO_LABELS_H

#include "model/run/run.h"
#include "pmu/host/environment.h"
#include "pmu/source.h"

enum { AUTO_COMMAND_MAX = 1024 };

/* What the target is called. Taken while it is there: when a run is made of it, it may have ended.
 */
struct auto_names {
    char process[64]; /* "redis-server"; "system" of -a, "demo", the name of a recording */
    char pid[256];    /* "42,43", of those that are counted; "" if it is no process */
    char command[AUTO_COMMAND_MAX]; /* command line of the first; "" */
};

/* The names of an open source, of the processes as they are called now. */
void auto_names_read(const struct source *src, struct auto_names *out);

/*
 * Adds the automatic labels of a source and of this machine (env may be NULL) to r, and fills
 * r->process and r->command. Keys: arch, kernel_version, node, cpu, pmu_name, comm, pid, cmdline,
 * collector, tma_level, model, tdtop_version, governor, turbo, smt, paranoid, microcode. 0 or
 * -ENOMEM with words.
 */
int auto_labels(const struct source *src, const struct auto_names *names,
                const struct environment *env, struct run *r, struct err *err);

#endif
