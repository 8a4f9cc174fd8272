/*
 * The simulated core as others count it: what Intel's older and small cores, AMD and Arm have
 * events for, taken from the same stalls, so that every model tells the same story.
 */
#include "pmu/sim/sim.h"

#include "model/load/known.h"

#include <math.h>
#include <string.h>

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

static void cycles(const struct sim_machine *mc, const double *p, double *q) {
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
static void slots(const struct sim_machine *mc, const double *p, double *q) {
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
static void arm(const struct sim_machine *mc, const double *p, double *q) {
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

static void kernel(const double *p, double *q) {
    q[Q_TASK] = p[P_CPUS] * q[Q_SECONDS] * NS_PER_SECOND;
    q[Q_TASK_KERNEL] = q[Q_TASK] * p[P_KERNEL];
    q[Q_TASK_USER] = q[Q_TASK] - q[Q_TASK_KERNEL];
    q[Q_TASK_WAIT] = q[Q_TASK] * 0.15 * p[P_KERNEL];
    q[Q_THREADS] = 5 * q[Q_SECONDS];
}

void sim_views(const struct sim_machine *mc, const double p[P_N], double q[Q_N]) {
    cycles(mc, p, q);
    slots(mc, p, q);
    arm(mc, p, q);
    kernel(p, q);
}
