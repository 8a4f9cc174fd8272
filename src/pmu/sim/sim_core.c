/*
 * Backwards through the formulas of Intel's TMA 5.2: from the shares that a phase asks for to the
 * quantities that events count. Latencies are those that the formulas themselves assume for this
 * core (4.4 / 37 / 109 / 190 ns to L2, L3, local and remote memory), so what is stalled for and
 * what is missed agree.
 */
#include "pmu/sim/sim.h"

#include "model/load/known.h"

#include <math.h>
#include <string.h>

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

/* ---- the same seen otherwise ---- */

/*
 * The simulated core as others count it: what Intel's older and small cores, AMD and Arm have
 * events for, taken from the same stalls, so that every model tells the same story.
 */

#define FLUSH_CYCLES  4.0 /* per mispredict; the formulas of Arm's V1, N2 and V2 take as many */
#define BACKEND_FLUSH 3.0 /* of which those of N2 and V2 take so many from the backend */
#define NS_PER_SECOND 1e9

/* ---- which machine ---- */

static bool has_event(const struct model *m, const char *name) {
    return model_find_event(m, name) >= 0;
}

bool sim_has_smt(const struct model *m) {
    return !strcmp(m->vendor, "AMD") || has_event(m, "CPU_CLK_UNHALTED.DISTRIBUTED") ||
           has_event(m, "CPU_CLK_UNHALTED.THREAD_ANY");
}

struct search {
    int event;
    bool found;
};

static void see_leaf(const struct ast *leaf, void *user) {
    struct search *s = user;
    s->found = s->found || (leaf->op == AST_EVENT && leaf->index == s->event);
}

/* The metric's own formula, or NULL. */
static const struct ast *formula_of(const struct model *m, const char *metric) {
    const int i = model_find(m, metric);
    return i == METRIC_NONE ? NULL : m->metric[i].ast;
}

/* Does the metric's own formula name the event? */
static bool names_event(const struct model *m, const char *metric, const char *event) {
    struct search s = {.event = model_find_event(m, event)};
    const struct ast *ast = formula_of(m, metric);
    if (s.event < 0 || !ast)
        return false;
    expr_leaves(ast, see_leaf, &s);
    return s.found;
}

/* Is the event, as it is, taken off something? */
static bool subtracts(const struct ast *ast, int event) {
    if (!ast || event < 0)
        return false;
    if (ast->op == AST_SUB && ast->kid[1]->op == AST_EVENT && ast->kid[1]->index == event)
        return true;
    return subtracts(ast->kid[0], event) || subtracts(ast->kid[1], event) ||
           subtracts(ast->kid[2], event);
}

void sim_machine_of(const struct model *m, const struct consts *c, struct sim_machine *mc) {
    const double width = known_const(m, c, CONST_SLOTS_PER_CYCLE);
    *mc = (struct sim_machine){
        .tsc_hz = c->value[CONST_SYSTEM_TSC_FREQ],
        .width = width > 0 ? width : 4, /* of models that count no slots */
        .smt = sim_has_smt(m) && c->value[CONST_SMT_ON] != 0,
        .core_slots = has_event(m, "CPU_CLK_UNHALTED.THREAD_ANY"),
        .arm_backend_refills = names_event(m, "Backend_Bound", "BR_MIS_PRED") ? BACKEND_FLUSH : 0.0,
        .arm_extra_slot =
            subtracts(formula_of(m, "Frontend_Bound"), model_find_event(m, "CPU_CYCLES")),
    };
}

/* ---- cycles ---- */

static void view_cycles(const struct sim_machine *mc, const double *p, double *q) {
    const double c = q[Q_CYCLES], both = mc->smt ? 2.0 : 1.0, core = q[Q_CORE_CYCLES];
    q[Q_THREADS_CYCLES] = both * core;
    q[Q_FETCH_LATENCY_CYCLES] = q[Q_FETCH_LATENCY] / mc->width;
    q[Q_STARVATION] = q[Q_FETCH_LATENCY_CYCLES] + 0.4 * c * p[P_FETCH_BANDWIDTH];
    q[Q_MITE_SLOW] = q[Q_MITE_CYCLES] - q[Q_MITE_OK];
    q[Q_DSB_SLOW] = q[Q_DSB_CYCLES] - q[Q_DSB_OK];
    q[Q_EXEC_2] = q[Q_EXEC_CYCLES] - q[Q_PORTS_1];
    q[Q_CORE_EXEC_1] = both * q[Q_EXEC_CYCLES] * core / c;
    q[Q_CORE_EXEC_2] = both * q[Q_EXEC_2] * core / c;
    q[Q_CORE_EXEC_3] = both * q[Q_PORTS_3M] * core / c;
    q[Q_CORE_IDLE] = q[Q_THREADS_CYCLES] - q[Q_CORE_EXEC_1];
    q[Q_RS_EMPTY] = fmin(0.3 * c * p[P_FETCH_LATENCY], 0.8 * (q[Q_STALLS] - q[Q_BOUND_ON_LOADS]));
    q[Q_STALLS_MEMORY] = c * p[P_MEMORY];
    q[Q_STALLS_CORE] = c * p[P_CORE];
    q[Q_L1_STALLS] = q[Q_BOUND_ON_LOADS] - q[Q_STALLS_L1];
    q[Q_L2_STALLS] = q[Q_STALLS_L1] - q[Q_STALLS_L2];
    q[Q_L3_STALLS] = q[Q_STALLS_L2] - q[Q_STALLS_L3];
    q[Q_CODE_L2_HIT] = q[Q_ICACHE] - q[Q_CODE_L2_MISS];
    /* The formulas multiply by the latency of a miss, L1D_PEND_MISS.PENDING per miss. */
    q[Q_FB_FULL_TIMES] = q[Q_FB_FULL] * (q[Q_L1_MISS] + q[Q_FB_HIT]) / q[Q_PENDING];
}

/* ---- slots ---- */

/* Issued are the retired and 0.6 of the wasted; the others go by while the core recovers. */
static void view_slots(const struct sim_machine *mc, const double *p, double *q) {
    const double n = q[Q_SLOTS], bad = p[P_MISPREDICTS] + p[P_CLEARS];
    const double latency = n * p[P_FETCH_LATENCY];
    q[Q_FE_LATENCY_SLOTS] = latency;
    q[Q_FE_BANDWIDTH_SLOTS] = n * p[P_FETCH_BANDWIDTH];
    q[Q_FE_SLOTS] = q[Q_FE_LATENCY_SLOTS] + q[Q_FE_BANDWIDTH_SLOTS];
    q[Q_ICACHE_SLOTS] = latency * p[P_ICACHE];
    q[Q_ITLB_SLOTS] = latency * p[P_ITLB];
    q[Q_DETECT_SLOTS] = latency * p[P_UNKNOWN_BRANCHES];
    q[Q_RESTEER_SLOTS] = latency - q[Q_ICACHE_SLOTS] - q[Q_ITLB_SLOTS] - q[Q_DETECT_SLOTS];
    q[Q_BAD_SLOTS] = n * bad;
    q[Q_CLEAR_SLOTS] = n * p[P_CLEARS];
    q[Q_RECOVERY_SLOTS] = q[Q_BAD_SLOTS] - (q[Q_ISSUED] - q[Q_RETIRING]);
    q[Q_RECOVERY] = q[Q_RECOVERY_SLOTS] / mc->width;
    q[Q_RECOVERY_ANY] = (mc->smt ? 2.0 : 1.0) * q[Q_RECOVERY];
    q[Q_CORE_SLOTS] = n * p[P_CORE];
    q[Q_DISPATCHED] = q[Q_RETIRING] + q[Q_BAD_SLOTS];
}

/*
 * Slots that stay empty after a flush are no stall of the frontend, say Arm's formulas, and take
 * them off it (or off both ends) again; so they have to be in the counts.
 */
static void view_arm(const struct sim_machine *mc, const double *p, double *q) {
    const double c = q[Q_CYCLES], misses = q[Q_MISPREDICTED];
    const double back = mc->arm_backend_refills, extra = mc->arm_extra_slot ? c : 0.0;
    q[Q_FLUSH] = FLUSH_CYCLES * misses;
    q[Q_STALL_SLOT_FRONTEND] = q[Q_FE_SLOTS] + mc->width * (FLUSH_CYCLES - back) * misses + extra;
    q[Q_STALL_SLOT_BACKEND] = q[Q_BACKEND] + mc->width * back * misses;
    q[Q_STALL_SLOT] = q[Q_STALL_SLOT_FRONTEND] + q[Q_STALL_SLOT_BACKEND];
    q[Q_OP_SPEC] = q[Q_DISPATCHED] - mc->width * q[Q_FLUSH];
    q[Q_FLOW] = c * p[P_FETCH_BANDWIDTH];
    q[Q_STALL_FRONTEND_MEMORY] = c * p[P_FETCH_LATENCY];
    q[Q_STALL_FRONTEND_CORE] = q[Q_FLUSH] + q[Q_FLOW];
    q[Q_STALL_FRONTEND] = q[Q_STALL_FRONTEND_MEMORY] + q[Q_STALL_FRONTEND_CORE];
    q[Q_STALL_BACKEND] = q[Q_STALLS_MEMORY] + q[Q_STALLS_CORE];
}

/* ---- the kernel ---- */

static void view_kernel(const double *p, double *q) {
    q[Q_TASK] = p[P_CPUS] * q[Q_SECONDS] * NS_PER_SECOND;
    q[Q_TASK_KERNEL] = q[Q_TASK] * p[P_KERNEL];
    q[Q_TASK_USER] = q[Q_TASK] - q[Q_TASK_KERNEL];
    q[Q_TASK_WAIT] = q[Q_TASK] * 0.15 * p[P_KERNEL];
    q[Q_THREADS] = 5 * q[Q_SECONDS];
}

/* The quantities from Q_THREADS_CYCLES on, from those before them. */
static void view(const struct sim_machine *mc, const double p[P_N], double q[Q_N]) {
    view_cycles(mc, p, q);
    view_slots(mc, p, q);
    view_arm(mc, p, q);
    view_kernel(p, q);
}

/* ---- the core ---- */

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
    view(mc, p, q);
}
