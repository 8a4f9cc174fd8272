/*
 * Backwards through the formulas of Intel's TMA 5.2: from the shares that a phase asks for to the
 * quantities that events count. Latencies are those that the formulas themselves assume for this
 * core (4.4 / 37 / 109 / 190 ns to L2, L3, local and remote memory), so what is stalled for and
 * what is missed agree.
 */
#include "pmu/sim/sim.h"

#include <math.h>

#define UOPS_PER_INST      1.12
#define SLOTS_PER_MISS     55.0  /* thrown away per mispredicted branch */
#define SLOTS_PER_CLEAR    160.0 /* and per machine clear */
#define CYCLES_PER_WALK    26.0
#define BOTH_SIBLINGS      0.30 /* of the time */
#define FB_HITS_PER_MISS   0.5  /* loads that find their line already on its way */
#define LINE_OVERLAP       (1 + FB_HITS_PER_MISS / 2) /* as the formulas count them */
#define NS_L2              4.4
#define NS_L3              37.0
#define NS_LOCAL           109.0
#define NS_REMOTE          190.0
#define NS_REMOTE_CACHE    170.0
#define MISSES_PER_RETIRED 2.2 /* L1 misses that complete, also speculative ones */

static void clocks(const struct sim_machine *mc, const double *p, double seconds, double *q) {
    q[Q_SECONDS] = seconds;
    q[Q_REF] = p[P_CPUS] * mc->tsc_hz * seconds;
    q[Q_CYCLES] = q[Q_REF] * p[P_TURBO];
    q[Q_CORE_CYCLES] = mc->smt ? q[Q_CYCLES] * (1 - BOTH_SIBLINGS / 2) : q[Q_CYCLES];
    q[Q_KERNEL] = q[Q_CYCLES] * p[P_KERNEL];
    q[Q_SLOTS] = (mc->core_slots ? q[Q_CORE_CYCLES] : q[Q_CYCLES]) * mc->width;
}

/* Levels 1 and 2. The formulas move the dropped slots from the frontend to bad speculation. */
static void slots(const double *p, double *q) {
    double bad = p[P_MISPREDICTS] + p[P_CLEARS], drop = fmin(0.003, p[P_CLEARS] / 2);
    double n = q[Q_SLOTS];
    q[Q_DROPPED] = n * drop;
    q[Q_FRONTEND] = n * (p[P_FETCH_LATENCY] + p[P_FETCH_BANDWIDTH] + drop);
    q[Q_FETCH_LATENCY] = n * (p[P_FETCH_LATENCY] + drop);
    q[Q_BAD_SPECULATION] = n * (bad - drop);
    q[Q_MISPREDICTS] = n * p[P_MISPREDICTS];
    q[Q_BACKEND] = n * (p[P_MEMORY] + p[P_CORE]);
    q[Q_MEMORY] = n * p[P_MEMORY];
    q[Q_RETIRING] = n * (p[P_LIGHT] + p[P_HEAVY]);
    q[Q_HEAVY] = n * p[P_HEAVY];
    q[Q_INSTRUCTIONS] = q[Q_RETIRING] / UOPS_PER_INST;
    q[Q_KERNEL_INSTRUCTIONS] = 0.8 * p[P_KERNEL] * q[Q_INSTRUCTIONS];
    q[Q_ISSUED] = q[Q_RETIRING] + 0.6 * n * bad;
    q[Q_MICROCODE] = q[Q_HEAVY] * p[P_MICROCODE];
}

/* Cycles that had n uops at all: the busier the stage, the more per cycle. */
static double busy_cycles(double n, double cycles, double idle_rate) {
    return n / (n / cycles + idle_rate);
}

static void fetch(const double *p, double *q) {
    double latency = q[Q_CYCLES] * p[P_FETCH_LATENCY];
    q[Q_ICACHE] = latency * p[P_ICACHE];
    q[Q_CODE_L2_MISS] = q[Q_ICACHE] * p[P_CODE_L2_MISS];
    q[Q_ITLB] = latency * p[P_ITLB];
    q[Q_RESTEERS] = latency * p[P_RESTEERS];
    q[Q_UNKNOWN_BRANCHES] = latency * p[P_UNKNOWN_BRANCHES];
    q[Q_MS_SWITCHES] = latency * p[P_MS_SWITCHES] / 3 * (q[Q_RETIRING] / q[Q_ISSUED]);
    q[Q_DSB_SWITCHES] = latency * p[P_DSB_SWITCHES];
    q[Q_LCP] = latency * p[P_LCP];

    q[Q_MS_UOPS] = q[Q_MICROCODE] * 1.05;
    q[Q_DSB_UOPS] = q[Q_ISSUED] * p[P_DSB_UOPS];
    q[Q_MITE_UOPS] = q[Q_ISSUED] - q[Q_DSB_UOPS] - q[Q_MS_UOPS];
    q[Q_DSB_CYCLES] = q[Q_DSB_UOPS] / 4.6;
    q[Q_MITE_CYCLES] = q[Q_MITE_UOPS] / 3.3;
    double slow = 2 * q[Q_CORE_CYCLES] * p[P_FETCH_BANDWIDTH];
    q[Q_DSB_OK] = q[Q_DSB_CYCLES] - fmin(slow * p[P_DSB_SLOW], 0.9 * q[Q_DSB_CYCLES]);
    q[Q_MITE_OK] = q[Q_MITE_CYCLES] - fmin(slow * p[P_MITE_SLOW], 0.9 * q[Q_MITE_CYCLES]);
    q[Q_DECODERS_2] = 0.95 * q[Q_MITE_CYCLES] - 0.45 * (q[Q_MITE_CYCLES] - q[Q_MITE_OK]);
    q[Q_ISSUE_CYCLES] = busy_cycles(q[Q_ISSUED], q[Q_CYCLES], 1.9);
    q[Q_RETIRE_CYCLES] = busy_cycles(q[Q_RETIRING], q[Q_CYCLES], 2.2);
}

static void branches(const double *p, double *q) {
    q[Q_BRANCHES] = q[Q_INSTRUCTIONS] * p[P_BRANCHES];
    q[Q_MISPREDICTED] = fmin(q[Q_MISPREDICTS] / SLOTS_PER_MISS, 0.5 * q[Q_BRANCHES]);
    q[Q_CLEARS] = q[Q_SLOTS] * p[P_CLEARS] / SLOTS_PER_CLEAR;
    q[Q_ALL_CLEARS] = q[Q_CLEARS] + 1.06 * q[Q_MISPREDICTED];
}

static void tlb(const double *p, double *q) {
    double load = q[Q_CYCLES] * p[P_DTLB_LOAD], store = q[Q_CORE_CYCLES] * p[P_DTLB_STORE];
    q[Q_DTLB_LOAD_WALK] = load * p[P_WALK];
    q[Q_DTLB_LOAD_HIT] = load * (1 - p[P_WALK]) / 7; /* 7 cycles each, say the formulas */
    q[Q_DTLB_LOAD_2M] = q[Q_DTLB_LOAD_WALK] / CYCLES_PER_WALK * p[P_HUGE];
    q[Q_DTLB_LOAD_4K] = q[Q_DTLB_LOAD_WALK] / CYCLES_PER_WALK * (1 - p[P_HUGE]);
    q[Q_DTLB_LOAD_WALKS] = q[Q_DTLB_LOAD_4K] + q[Q_DTLB_LOAD_2M];
    q[Q_DTLB_STORE_WALK] = store * p[P_WALK];
    q[Q_DTLB_STORE_HIT] = store * (1 - p[P_WALK]) / 7;
    q[Q_DTLB_STORE_2M] = q[Q_DTLB_STORE_WALK] / CYCLES_PER_WALK * p[P_HUGE];
    q[Q_DTLB_STORE_4K] = q[Q_DTLB_STORE_WALK] / CYCLES_PER_WALK * (1 - p[P_HUGE]);
    q[Q_DTLB_STORE_WALKS] = q[Q_DTLB_STORE_4K] + q[Q_DTLB_STORE_2M];
}

static void stalls(const double *p, double *q) {
    double c = q[Q_CYCLES], m = c * p[P_MEMORY];
    q[Q_STALLS_L3] = m * p[P_DRAM];
    q[Q_STALLS_L2] = q[Q_STALLS_L3] + m * p[P_L3];
    q[Q_STALLS_L1] = q[Q_STALLS_L2] + m * p[P_L2];
    q[Q_BOUND_ON_LOADS] = q[Q_STALLS_L1] + m * p[P_L1];
    q[Q_BOUND_ON_STORES] = m * p[P_STORE];
    q[Q_CYCLES_L1_MISS] = fmin(1.2 * q[Q_STALLS_L1] + 0.01 * c, 0.7 * c);
    double covered = fmax(c * p[P_DTLB_LOAD], 0.8 * m * p[P_L1]);
    q[Q_CYCLES_MEMORY] = fmin(q[Q_CYCLES_L1_MISS] + 1.25 * covered + 0.06 * c, c);
    q[Q_STORE_FORWARD] = c * p[P_STORE_FORWARD];
    q[Q_LOCK] = c * p[P_LOCK];
    q[Q_FB_FULL] = c * p[P_FB_FULL];
    q[Q_SQ_FULL] = c * p[P_SQ_FULL];
}

static double core_ghz(const double *p, const double *q) {
    return q[Q_CYCLES] / (p[P_CPUS] * q[Q_SECONDS]) / 1e9;
}

/* How many accesses make those stalls: cycles over latency. */
static void accesses(const double *p, double *q) {
    double m = q[Q_CYCLES] * p[P_MEMORY], ghz = core_ghz(p, q);
    double per_ns = ghz * LINE_OVERLAP;
    q[Q_LOADS] = q[Q_INSTRUCTIONS] * p[P_LOADS];
    q[Q_STORES] = q[Q_INSTRUCTIONS] * p[P_STORES];
    q[Q_MEMORY_UOPS] = q[Q_LOADS] + q[Q_STORES];
    q[Q_L2_HIT] = 1.2 * m * p[P_L2] / (NS_L2 * per_ns);
    q[Q_L3_HIT] = 0.75 * m * p[P_L3] / ((NS_L3 - NS_L2) * per_ns);
    double dram = 0.7 * m * p[P_DRAM];
    q[Q_LOCAL_DRAM] = dram * (1 - p[P_REMOTE]) / ((NS_LOCAL - NS_L3) * per_ns);
    q[Q_REMOTE_DRAM] = dram * p[P_REMOTE] / ((NS_REMOTE - NS_L3) * per_ns);
    q[Q_REMOTE_CACHE] = 0.05 * q[Q_REMOTE_DRAM];
    q[Q_SNOOPED] = q[Q_L3_HIT] * p[P_SNOOP];
    q[Q_L3_MISS] = q[Q_LOCAL_DRAM] + q[Q_REMOTE_DRAM] + q[Q_REMOTE_CACHE];
    q[Q_L2_MISS] = q[Q_L3_HIT] + q[Q_L3_MISS];
    q[Q_L1_MISS] = q[Q_L2_HIT] + q[Q_L2_MISS];
    q[Q_FB_HIT] = FB_HITS_PER_MISS * q[Q_L1_MISS];
    q[Q_L1_HIT] = q[Q_LOADS] - q[Q_L1_MISS] - q[Q_FB_HIT];
    q[Q_RFO] = 0.006 * q[Q_STORES];
    q[Q_L2_FILLS] = 1.6 * q[Q_L2_MISS] + q[Q_RFO]; /* prefetches too */
    q[Q_L2_REFERENCES] = 1.2 * q[Q_L1_MISS] + 0.4 * q[Q_L2_MISS] + 2.5 * q[Q_RFO];

    double l3_wait = ghz * (NS_LOCAL * q[Q_LOCAL_DRAM] + NS_REMOTE * q[Q_REMOTE_DRAM] +
                            NS_REMOTE_CACHE * q[Q_REMOTE_CACHE]);
    q[Q_L3_MISS_WAIT] = l3_wait;
    q[Q_L2_MISS_WAIT] = l3_wait + ghz * NS_L3 * q[Q_L3_HIT];
}

/* How long the core waits for lines, and for how many at once. */
static void waiting(const double *p, double *q) {
    double c = q[Q_CYCLES], m = c * p[P_MEMORY];
    double ghz = core_ghz(p, q);
    q[Q_PENDING] = MISSES_PER_RETIRED * (q[Q_L2_MISS_WAIT] + ghz * NS_L2 * q[Q_L2_HIT]);
    q[Q_PENDING_CYCLES] = fmin(1.05 * q[Q_CYCLES_L1_MISS], 0.9 * q[Q_PENDING]);
    q[Q_READ_CYCLES] = fmin(m * (0.5 * p[P_L3] + 1.1 * p[P_DRAM]) + 0.01 * c, 0.97 * c);
    q[Q_READ_CYCLES_MANY] = q[Q_READ_CYCLES] * p[P_BANDWIDTH];
    q[Q_READS_IN_FLIGHT] = q[Q_READ_CYCLES] * (1.3 + 10 * p[P_BANDWIDTH]);
    q[Q_RFO_CYCLES] = fmin(0.9 * q[Q_BOUND_ON_STORES] + 0.008 * c, 0.9 * c);
}

/*
 * Cycles by how many ports worked. With m uops per busy cycle the parts with 1 and 2 fall
 * exponentially; the rest has 3 or more.
 */
static void ports(const double *p, double *q) {
    double c = q[Q_CYCLES];
    q[Q_EXECUTED] = 1.03 * q[Q_ISSUED];
    q[Q_ALU_UOPS] = 0.58 * q[Q_EXECUTED];
    double free = c - q[Q_BOUND_ON_LOADS] - 0.5 * q[Q_BOUND_ON_STORES] -
                  0.3 * c * p[P_FETCH_LATENCY] - 0.02 * c;
    double busy = fmin(fmax(free, 0.02 * c), 0.92 * q[Q_EXECUTED]);
    double m = q[Q_EXECUTED] / busy;
    double one = exp(-0.95 * (m - 1)), two = (1 - one) * exp(-0.7 * (m - 1));
    q[Q_EXEC_CYCLES] = busy;
    q[Q_STALLS] = c - busy;
    q[Q_PORTS_0] = 0.25 * c * p[P_CORE];
    q[Q_PORTS_1] = busy * one;
    q[Q_PORTS_2] = busy * two;
    q[Q_PORTS_3M] = busy * (1 - one - two);
    q[Q_PORTS_2_3] = q[Q_PORTS_2] + 0.45 * q[Q_PORTS_3M];
    q[Q_DIVIDER] = c * p[P_DIVIDER];
    q[Q_SERIALIZING] = c * p[P_SERIALIZING];
    q[Q_PAUSE] = c * p[P_PAUSE];
    q[Q_FP_SCALAR] = q[Q_RETIRING] * p[P_FP_SCALAR];
    q[Q_FP_VECTOR] = q[Q_RETIRING] * p[P_FP_VECTOR];
    q[Q_INT_VECTOR] = q[Q_RETIRING] * p[P_INT_VECTOR];
}

void sim_core(const struct sim_machine *mc, const double p[P_N], double seconds, double q[Q_N]) {
    clocks(mc, p, seconds, q);
    slots(p, q);
    fetch(p, q);
    branches(p, q);
    tlb(p, q);
    stalls(p, q);
    accesses(p, q);
    waiting(p, q);
    ports(p, q);
    sim_views(mc, p, q);
}
