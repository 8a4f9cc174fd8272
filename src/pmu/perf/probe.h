/*
 * How many counters can be had here and now. A model knows how many its core has; a guest may show
 * fewer, the NMI watchdog holds one, and so does whoever else has pinned events. The kernel tells
 * only by doing: a pinned group is put onto the counters at once, or fails for good. So groups of
 * counters are opened, looked at, and closed again; that takes a millisecond or less.
 */
#ifndef TDTOP_PMU_PROBE_H
#define TDTOP_PMU_PROBE_H

#include "model/load/model.h"
#include "pmu/host/machine.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

enum {
    PROBE_MOST = 32,      /* general counters that are asked for; no core has more (Arm: 31) */
    PROBE_FIXED_MOST = 8, /* fixed ones */
};

struct budget {
    bool known;  /* false: the kernel does not let us ask, or does not tell */
    int general; /* general counters that can be had */
    int there;   /* that this machine has, whoever holds them; never less than the former */
    /* Bit n: general counter n. As many of each kind as can be had, where events are limited to
     * some of them; among equals not always the very ones, as the kernel moves events. */
    uint64_t free;
    uint64_t fixed_taken; /* bit n: fixed counter n is another user's */
    uint64_t fixed_gone;  /* bit n: this machine does not show it */
    uint64_t cost_ns;
};

/* What came of a group. */
enum probe_answer {
    PROBE_RUNS,
    PROBE_HELD,    /* other users hold some of its counters */
    PROBE_REFUSED, /* it can never run: more than there is, or no such event */
    PROBE_UNKNOWN, /* not permitted, or not told */
};

/*
 * Opens groups. Tests have one of their own. n_run is how many events of the group were on the
 * counters together; of a group that is not pinned how many the kernel takes as one.
 */
struct probe_pmu {
    enum probe_answer (*try)(void *user, const struct perf_event_attr *attr, int n, bool pinned,
                             int *n_run);
    void *user;
};

/* Asks a PMU for what the model's core has. */
void probe_budget(const struct machine *mc, const struct model *m, const struct probe_pmu *pmu,
                  struct budget *out);

/*
 * The same of the kernel: on the calling thread, or (cpu[n], n > 0) on these CPUs, as far as that
 * takes no longer than some milliseconds; then the least of them all.
 */
void probe_counters(const struct machine *mc, const struct model *m, const int *cpu, int n,
                    struct budget *out);

/*
 * The same on another thread: events pinned to it hold counters while it runs, and nowhere else. So
 * the answer is known only if it runs often enough within some 20 milliseconds.
 */
void probe_thread(const struct machine *mc, const struct model *m, pid_t tid, struct budget *out);

/* The fixed counter of the leader of Intel's PERF_METRICS, as a bit; 0 if there is none. */
uint64_t probe_slots(const struct model *m);

/* True if less can be had than before. */
bool budget_is_less(const struct budget *now, const struct budget *before);
/* True if as much can be had, of the same counters. */
bool budget_is_same(const struct budget *a, const struct budget *b);

#endif
