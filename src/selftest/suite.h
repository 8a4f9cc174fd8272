/*
 * Runs kernels and measures them as anything else is measured: a process by its id, source_perf,
 * the machine's model, a session. Then judges what came of it.
 */
#ifndef TDTOP_SELFTEST_SUITE_H
#define TDTOP_SELFTEST_SUITE_H

#include "pmu/host/machine.h"
#include "selftest/judge.h"
#include "selftest/kernel.h"

struct suite {
    struct machine mc;
    struct kernel_place place;
    struct model_places places;
    const char *core_type; /* borrowed; NULL = the first */
    const char *want;      /* borrowed; --model, or NULL */
    struct model model;    /* that judges JUDGE_PATH; owned */
    char why_model[256];   /* why this model */
};

struct suite_result {
    const struct kernel *kernel;
    struct judgement said;
    double ipc;       /* NAN where it was not counted */
    float duty;       /* least of the nodes that were shown; NAN */
    double cpu_share; /* of the time, as the kernel saw it; NAN: it did not come so far */
    uint64_t rounds;
};

/*
 * Finds machine, CPUs and model (want: as for fallback_pick). 0 or negative errno with words; after
 * failure nothing is left to close.
 */
int suite_open(struct suite *s, const char *core_type, const char *want,
               const struct model_places *places, struct err *err);

/* Takes one to two seconds. What goes wrong is in the result. */
void suite_run(const struct suite *s, const struct kernel *k, struct suite_result *out);

void suite_close(struct suite *s);

#endif
