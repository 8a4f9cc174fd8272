/* What the files of the machine say at a moment (pmu/host/environment.h), on its way through the
 * mailbox. */
#ifndef TDTOP_PMU_ENV_LOOK_H
#define TDTOP_PMU_ENV_LOOK_H

#include <stdint.h>

struct env_look {
    double ghz;          /* of the fastest busy CPU; NAN: not known, or not asked */
    double steal;        /* share of the time since the look before that CPUs were not let; NAN */
    double steal_mean;   /* since the first look; NAN */
    uint64_t throttled;  /* times since the first look */
    int n_perf_users;    /* other processes that hold perf events; -1: not known yet */
    char perf_users[96]; /* some of them */
    uint64_t cost_ns;    /* of the look */
};

#endif
