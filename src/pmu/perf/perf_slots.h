/* From counters, boxes outside the cores and /proc to the slots of a sample. */
#ifndef TDTOP_PMU_PERF_SLOTS_H
#define TDTOP_PMU_PERF_SLOTS_H

#include "pmu/host/procfs.h"
#include "pmu/perf/perf_units.h"
#include "pmu/perf/uncore.h"

/* A slot that an event outside the cores fills. */
struct uncore_slot {
    uint32_t slot;
    uint32_t event; /* of struct uncore */
};

/* What the numbers of /proc are of. */
enum proc_scope { PROC_OF_TASKS, PROC_OF_CPUS, PROC_OF_CGROUP };

/* CPU time of the CPUs: stands beside enum proc_event. */
enum { PROC_BUSY = PROC_EVENTS };

/* A slot that /proc fills. */
struct proc_slot {
    uint32_t slot;
    int what; /* enum proc_event, or PROC_BUSY */
};

#define NOT_SERVED UINT32_MAX /* a slot that no group counts now */

struct perf_slots {
    uint32_t *counter; /* [n_perf] counter of each slot that perf fills; they come first */
    uint32_t *group;   /* [n_perf] the shape's group that it is in: at first as in the layout */
    int8_t *whole;     /* [n_perf] enum proc_event: /proc knows it of the whole target; or -1 */
    uint32_t n_perf;
    struct uncore_slot *uncore;
    uint32_t n_uncore;
    struct proc_slot *proc;
    uint32_t n_proc;
};

/*
 * Makes the layout: each event of the model has a slot or a reason why not. want says what is
 * needed of /proc. 0 or -ENOMEM with words.
 */
int perf_slots_make(struct perf_slots *ps, struct layout *layout, const struct model *m,
                    const struct plan *plan, const struct perf_shape *shape,
                    const struct uncore *uncore, enum proc_scope scope, bool want[PROC_EVENTS],
                    struct err *err);
void perf_slots_free(struct perf_slots *ps); /* accepts a zeroed one */

/* Fills the slots of out from what was read last; its times must be set. */
void perf_slots_fill(const struct perf_slots *ps, const struct perf_units *units,
                     const struct uncore *uncore, const struct count proc[PROC_EVENTS],
                     struct sample *out);

#endif
