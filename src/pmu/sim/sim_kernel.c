/* What the kernel counts on every machine, by its own names rather than by a vendor's. */
#include "pmu/sim/sim.h"

const struct sim_event sim_kernel_events[] = {
    /* counted by the PMU */
    {"cycles", Q_CYCLES, 1},
    {"instructions", Q_INSTRUCTIONS, 1},
    {"branches", Q_BRANCHES, 1},
    {"branch_misses", Q_MISPREDICTED, 1},
    {"cache_references", Q_L2_MISS, 1},
    {"cache_misses", Q_L3_MISS, 1},
    {"stalled_cycles_frontend", Q_STALL_FRONTEND_MEMORY, 1},
    {"stalled_cycles_backend", Q_STALL_BACKEND, 1},
    {"ref_cycles", Q_REF, 1},
    /* counted without one */
    {"task_clock", Q_TASK, 1},
    {"utime_ns", Q_TASK_USER, 1},
    {"stime_ns", Q_TASK_KERNEL, 1},
    {"run_wait_ns", Q_TASK_WAIT, 1},
    {"threads", Q_THREADS, 1},
    {"context_switches", Q_SECONDS, 2400},
    {"cpu_migrations", Q_SECONDS, 12},
    {"minor_faults", Q_SECONDS, 5200},
    {"major_faults", Q_SECONDS, 0.4},
};
const size_t sim_n_kernel_events = sizeof(sim_kernel_events) / sizeof(sim_kernel_events[0]);
