/*
 * The inside of the simulated core (source_sim.c): a core with events that follow from targets.
 *
 *   sim_phases.c  what the core is doing: shares and rates per phase, blended over time; several
 *                 core types
 *   sim_core.c    shares and rates -> quantities that agree with each other (cycles, slots),
 *                 and the same as other vendors and older cores count it
 *   sim_events.c  quantity -> events, one row of a table per event
 *   sim_plan.c    events -> groups, as a core with that many counters would need them
 *   sim_units.c   the program's threads and the CPUs they run on: rows
 *   source_sim.c  all that -> samples: multiplexing and noise
 */
#ifndef TDTOP_PMU_SIM_H
#define TDTOP_PMU_SIM_H

#include "model/eval/sample.h"
#include "model/eval/units.h"
#include "model/load/expr.h"
#include "model/load/model.h"

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

struct source_options; /* pmu/source.h */

/* What time of the demo an interval shows: each of several core types does other work. */
uint64_t sim_time(const struct source_options *opt, uint64_t t0_ns, uint64_t t1_ns);
/* How much of its time it spends on ours: fits p to that and says so in s. */
void sim_share(const struct source_options *opt, struct sample *s, double p[P_N]);

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
    /* ---- the same seen otherwise ---- */
    /* cycles */
    Q_THREADS_CYCLES, /* each of both siblings counts what the core does */
    Q_FETCH_LATENCY_CYCLES,
    Q_STARVATION,
    Q_MITE_SLOW,
    Q_DSB_SLOW,
    Q_RECOVERY,
    Q_RECOVERY_ANY,
    Q_RS_EMPTY,
    Q_EXEC_2, /* with two uops or more */
    Q_CORE_EXEC_1,
    Q_CORE_EXEC_2,
    Q_CORE_EXEC_3,
    Q_CORE_IDLE,
    Q_STALLS_MEMORY,
    Q_STALLS_CORE,
    Q_L1_STALLS, /* each without those further out */
    Q_L2_STALLS,
    Q_L3_STALLS,
    Q_CODE_L2_HIT,
    Q_FB_FULL_TIMES,
    /* slots, nothing moved from the frontend to bad speculation */
    Q_FE_SLOTS,
    Q_FE_LATENCY_SLOTS,
    Q_FE_BANDWIDTH_SLOTS,
    Q_ICACHE_SLOTS,
    Q_ITLB_SLOTS,
    Q_DETECT_SLOTS,
    Q_RESTEER_SLOTS,
    Q_BAD_SLOTS,
    Q_CLEAR_SLOTS,
    Q_RECOVERY_SLOTS,
    Q_CORE_SLOTS,
    Q_DISPATCHED,
    /* Arm */
    Q_STALL_SLOT_FRONTEND,
    Q_STALL_SLOT_BACKEND,
    Q_STALL_SLOT,
    Q_OP_SPEC,
    Q_FLUSH,
    Q_STALL_FRONTEND,
    Q_STALL_FRONTEND_CORE,
    Q_STALL_FRONTEND_MEMORY,
    Q_FLOW,
    Q_STALL_BACKEND,
    /* the kernel: ns, and seconds times threads */
    Q_TASK,
    Q_TASK_USER,
    Q_TASK_KERNEL,
    Q_TASK_WAIT,
    Q_THREADS,
    Q_N,
};

/* The machine that runs it, as far as events depend on it. */
struct sim_machine {
    double tsc_hz;
    double width;               /* slots per cycle */
    bool smt;                   /* two threads on each core, now and then both at work */
    bool core_slots;            /* slots are counted by the core's clocks: Intel before Ice Lake */
    double arm_backend_refills; /* cycles per mispredict that STALL_SLOT_BACKEND holds */
    bool arm_extra_slot;        /* an erratum of Neoverse N2: STALL_SLOT* has one more each cycle */
};

/* What a model says of its machine; of the constants SMT_ON and the TSC's frequency are known. */
void sim_machine_of(const struct model *m, const struct consts *c, struct sim_machine *mc);
/* True if the cores of the model have two threads. */
bool sim_has_smt(const struct model *m);

/* What the core counts in `seconds` under p. */
void sim_core(const struct sim_machine *mc, const double p[P_N], double seconds, double q[Q_N]);

/* An event is a fixed part of a quantity. */
struct sim_event {
    const char *name; /* as the model spells it, modifiers included; a '*' at the end: any rest */
    enum sim_quantity of;
    double factor;
};
/* Events that are used together stand together. */
extern const struct sim_event sim_events[], sim_intel_events[], sim_atom_events[], sim_amd_events[],
    sim_arm_events[], sim_kernel_events[];
extern const size_t sim_n_events, sim_n_intel_events, sim_n_atom_events, sim_n_amd_events,
    sim_n_arm_events, sim_n_kernel_events;

/* What a slot of the layout counts. */
struct sim_slot {
    enum sim_quantity of;
    double factor;
    bool fixed;  /* by a fixed counter */
    bool always; /* its group takes no turns */
};

/* What of a model is simulated. */
struct sim_wish {
    int level;          /* deepest level of the tree, and the vital metrics; 0 = all */
    const bool *wanted; /* [n_metric] instead of that; or NULL */
};

/*
 * Fills layout for the events that are wished for, and *slots (one per slot of the layout, to be
 * freed). Events that no table has get a small rate of their own. 0 or a negative errno.
 */
int sim_plan(const struct model *m, const struct consts *consts, const struct sim_wish *wish,
             struct layout *layout, struct sim_slot **slots, struct err *err);

/* The interval that was read last, as rows are made of it. */
struct sim_moment {
    const struct sim_machine *machine; /* borrowed */
    const struct sim_slot *slots;      /* borrowed */
    uint64_t seed, index, t0_ns, t1_ns;
    double p[P_N];
    double duty; /* of level 1 */
};

/* What the rows hold: slots of level 1 and the vital metrics. */
struct sim_units {
    uint16_t *slot;
    uint32_t n_slot;
    double *count; /* private: [threads][n_slot] */
};

int sim_units_init(struct sim_units *su, const struct model *m, const struct consts *consts,
                   const struct layout *layout); /* 0 or -ENOMEM */
void sim_units_destroy(struct sim_units *su);    /* accepts a zeroed one */
/* Rows of the threads, then of the CPUs. 0 or -ENOMEM. */
int sim_units_fill(const struct sim_units *su, const struct sim_moment *mo, struct unit_table *out);
/* How many threads the program has at that time. */
uint32_t sim_threads(uint64_t t_ns);

/* About -3.5..3.5 with standard deviation 1; a function of its arguments alone. */
double sim_noise(uint64_t seed, uint64_t stream, uint64_t index);

#endif
