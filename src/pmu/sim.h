/*
 * The inside of the simulated core (source_sim.c): a core whose events follow from targets.
 *
 *   sim_phases.c  what the core is doing: shares and rates per phase, blended over time
 *   sim_core.c    shares and rates -> quantities that agree with each other (cycles, slots, misses)
 *   sim_events.c  quantity -> events, one row of a table per event
 *   sim_plan.c    events -> groups, as a core with 8 counters would need them
 *   source_sim.c  all that -> samples: multiplexing and noise
 */
#ifndef TDTOP_PMU_SIM_H
#define TDTOP_PMU_SIM_H

#include "model/model.h"
#include "model/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a phase is made of. Shares are 0..1; the first eight are made to sum to 1. */
enum sim_param {
    P_FETCH_LATENCY,
    P_FETCH_BANDWIDTH,
    P_MISPREDICTS,
    P_CLEARS,
    P_MEMORY,
    P_CORE,
    P_LIGHT,
    P_HEAVY,
    /* of the fetch latency */
    P_ICACHE,
    P_ITLB,
    P_RESTEERS,
    P_UNKNOWN_BRANCHES,
    P_MS_SWITCHES,
    P_DSB_SWITCHES,
    P_LCP,
    P_CODE_L2_MISS, /* of the instruction cache stalls */
    /* of the fetch bandwidth, and where uops come from */
    P_MITE_SLOW,
    P_DSB_SLOW,
    P_DSB_UOPS,
    /* of the memory stalls */
    P_L1,
    P_L2,
    P_L3,
    P_DRAM,
    P_STORE,
    /* of all cycles */
    P_DTLB_LOAD,
    P_DTLB_STORE,
    P_STORE_FORWARD,
    P_LOCK,
    P_FB_FULL,
    P_SQ_FULL,
    P_DIVIDER,
    P_SERIALIZING,
    P_PAUSE,
    /* ratios */
    P_WALK,      /* page walks of the data TLB's cycles */
    P_HUGE,      /* 2M pages of the completed walks */
    P_SNOOP,     /* L3 hits that ask another core */
    P_BANDWIDTH, /* read cycles with many reads in flight */
    P_REMOTE,    /* L3 misses served by the other socket */
    /* per instruction */
    P_LOADS,
    P_STORES,
    P_BRANCHES,
    /* of the retired uops */
    P_FP_SCALAR,
    P_FP_VECTOR,
    P_INT_VECTOR,
    P_MICROCODE, /* of the heavy operations */
    /* the machine */
    P_CPUS,   /* logical CPUs in use */
    P_TURBO,  /* clock over TSC frequency */
    P_KERNEL, /* of all cycles */
    P_N,
};

/* The name of the phase at a time of the demo, for the header: "Redis GET under load". */
const char *sim_phase(uint64_t t_ns);

/* The parameters at that time, blended where a phase begins. */
void sim_params(uint64_t t_ns, double p[P_N]);

/* Counts of one interval that events are taken from. */
enum sim_quantity {
    Q_SECONDS,
    Q_REF,
    Q_CYCLES,
    Q_CORE_CYCLES, /* a cycle shared by both siblings counts half for each */
    Q_KERNEL,
    Q_SLOTS,
    Q_INSTRUCTIONS,
    Q_KERNEL_INSTRUCTIONS,
    /* slots */
    Q_FRONTEND,
    Q_BAD_SPECULATION,
    Q_BACKEND,
    Q_RETIRING,
    Q_FETCH_LATENCY,
    Q_MISPREDICTS,
    Q_MEMORY,
    Q_HEAVY,
    Q_DROPPED,
    /* uops and the cycles that had some */
    Q_ISSUED,
    Q_EXECUTED,
    Q_ISSUE_CYCLES,
    Q_EXEC_CYCLES,
    Q_RETIRE_CYCLES,
    Q_MICROCODE,
    /* fetch */
    Q_ICACHE,
    Q_CODE_L2_MISS,
    Q_ITLB,
    Q_RESTEERS,
    Q_UNKNOWN_BRANCHES,
    Q_MS_SWITCHES,
    Q_DSB_SWITCHES,
    Q_LCP,
    Q_DSB_UOPS,
    Q_MITE_UOPS,
    Q_MS_UOPS,
    Q_DSB_CYCLES,
    Q_DSB_OK,
    Q_MITE_CYCLES,
    Q_MITE_OK,
    Q_DECODERS_2, /* cycles with two decoders or more at work */
    /* branches */
    Q_BRANCHES,
    Q_MISPREDICTED,
    Q_CLEARS,
    Q_ALL_CLEARS,
    /* memory stalls, each inside the one before */
    Q_BOUND_ON_LOADS,
    Q_STALLS_L1,
    Q_STALLS_L2,
    Q_STALLS_L3,
    Q_BOUND_ON_STORES,
    Q_CYCLES_L1_MISS,
    Q_CYCLES_MEMORY,
    Q_DTLB_LOAD_HIT,
    Q_DTLB_LOAD_WALK,
    Q_DTLB_LOAD_4K,
    Q_DTLB_LOAD_2M,
    Q_DTLB_LOAD_WALKS,
    Q_DTLB_STORE_HIT,
    Q_DTLB_STORE_WALK,
    Q_DTLB_STORE_4K,
    Q_DTLB_STORE_2M,
    Q_DTLB_STORE_WALKS,
    Q_STORE_FORWARD,
    Q_LOCK,
    Q_FB_FULL,
    Q_SQ_FULL,
    /* accesses */
    Q_LOADS,
    Q_STORES,
    Q_MEMORY_UOPS,
    Q_L1_HIT,
    Q_L1_MISS,
    Q_FB_HIT,
    Q_L2_HIT,
    Q_L2_MISS,
    Q_L3_HIT,
    Q_L3_MISS,
    Q_LOCAL_DRAM,
    Q_REMOTE_DRAM,
    Q_REMOTE_CACHE,
    Q_SNOOPED,
    Q_RFO,
    Q_L2_FILLS,
    Q_L2_REFERENCES,
    Q_PENDING,
    Q_PENDING_CYCLES,
    Q_READ_CYCLES,
    Q_READ_CYCLES_MANY,
    Q_READS_IN_FLIGHT,
    Q_L2_MISS_WAIT,
    Q_L3_MISS_WAIT,
    Q_RFO_CYCLES,
    /* execution */
    Q_STALLS,
    Q_PORTS_0,
    Q_PORTS_1,
    Q_PORTS_2,
    Q_PORTS_3M,
    Q_PORTS_2_3,
    Q_DIVIDER,
    Q_SERIALIZING,
    Q_PAUSE,
    Q_ALU_UOPS,
    /* arithmetic */
    Q_FP_SCALAR,
    Q_FP_VECTOR,
    Q_INT_VECTOR,
    Q_N,
};

/* What the core counts in `seconds` under p, at this TSC frequency. */
void sim_core(const double p[P_N], double seconds, double tsc_hz, double q[Q_N]);

/* An event is a fixed part of a quantity. */
struct sim_event {
    const char *name; /* as the model spells it, modifiers included */
    enum sim_quantity of;
    double factor;
};
/* Events that are used together stand together: the order is the order of groups. */
extern const struct sim_event sim_events[];
extern const size_t sim_n_events;
extern const size_t sim_n_always; /* the first ones are on the PMU all the time */

/* Which event a slot of the layout counts. */
struct sim_slot {
    uint16_t event; /* of sim_events */
    bool fixed;     /* by a fixed counter */
};

/*
 * Fills layout for the model's events that the simulated core knows, down to `level` (0 = all), and
 * *slots (one per slot of the layout, to be freed). 0, -EINVAL if it knows none, or -ENOMEM.
 */
int sim_plan(const struct model *m, int level, struct layout *layout, struct sim_slot **slots);

/* About -3.5..3.5 with standard deviation 1; a function of its arguments alone. */
double sim_noise(uint64_t seed, uint64_t stream, uint64_t index);

#endif
