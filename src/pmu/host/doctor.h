/* Read-only health checks: found, effect, exact fix. The doctor verb prints them, the header warns
 * with them. */
#ifndef TDTOP_PMU_DOCTOR_H
#define TDTOP_PMU_DOCTOR_H

#include "pmu/host/machine.h"

#include <stdbool.h>

enum check_state { CHECK_OK, CHECK_NOTE, CHECK_WARN, CHECK_FAIL };

struct check {
    char name[32];    /* "perf_event_paranoid" */
    char found[256];  /* "2" */
    char effect[256]; /* "kernel time and system-wide counting are not permitted" */
    char fix[256];    /* "sysctl kernel.perf_event_paranoid=1", or "" */
    enum check_state state;
};

enum { CHECKS_MAX = 28 };

/* Runs all checks. Returns how many were written to out[CHECKS_MAX]. root as in machine_detect. */
int doctor_run(const struct machine *mc, const char *root, struct check *out);

/* Runs one check by name. False if there is none of that name, or it does not apply here. */
bool doctor_check(const struct machine *mc, const char *root, const char *name, struct check *out);

#endif
