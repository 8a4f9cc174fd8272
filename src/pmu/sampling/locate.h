/*
 * From a node of a model to the event that is sampled to find where it happens: the node's own
 * (`locate` in the model), else its parents', else cycles, else the clock of the CPU. The kernel
 * decides which of them it opens.
 */
#ifndef TDTOP_PMU_LOCATE_H
#define TDTOP_PMU_LOCATE_H

#include "model/load/model.h"
#include "pmu/host/machine.h"

#include <linux/perf_event.h>

enum { LOCATE_MAX = 16, LOCATE_PRECISE = 3 };

struct locate_event {
    char name[96];               /* "MEM_LOAD_RETIRED.L1_HIT", "cycles", "cpu-clock" */
    struct perf_event_attr attr; /* type and code; nothing else is set */
    int precise;                 /* precise_ip that is worth asking for */
    struct perf_event_attr aux;  /* what has to lead its group, if has_aux */
    bool has_aux;
    bool access;   /* its samples may say which address was accessed */
    bool clock;    /* its weights are ns */
    bool off_cpu;  /* of a clock: samples are waits, from leaving a CPU to coming back */
    int node;      /* that it belongs to, METRIC_NONE: to none */
    char of[128];  /* a share of its samples is a share of: "CPU time" */
    char why[256]; /* why it is this event; one sentence without a full stop */
};

struct locate {
    struct locate_event at[LOCATE_MAX]; /* the best first */
    int n;
    const char *cpus; /* borrowed from the machine; of this core type: "0-15"; "" = all */
};

/*
 * Lists what can be tried for a node of the model, METRIC_NONE: for none; cpu-clock is always the
 * last. Without a PMU (mc->n_core 0) it is the only one. mc->chosen is the core type; root as in
 * encode_event.
 */
void locate_events(struct locate *out, const struct machine *mc, const char *root,
                   const struct model *m, int node);

/* The same for an event by its name, of the model (NULL: none) or libpfm4: "cycles", "cpu-clock",
 * "BR_MISP_RETIRED.ALL_BRANCHES"; "off-cpu" is of all CPUs. 0, or -ENOENT: it cannot be sampled
 * here. */
int locate_named(struct locate *out, const struct machine *mc, const char *root,
                 const struct model *m, const char *name);

/*
 * Lists what tells the address of each load: Intel's "mem-loads" where the kernel names it, AMD's
 * IBS by precise cycles. -ENOENT: it cannot be had here.
 */
int locate_accesses(struct locate *out, const struct machine *mc, const char *root);

/* Its first event is of loads or stores that retire: its samples may say their addresses. */
bool locate_is_access(const struct locate *l);

/* Its first event is "off-cpu". */
bool locate_is_off_cpu(const struct locate *l);

/* Its first event is of branches that were mispredicted: which ones, branch records tell. */
bool locate_is_mispredict(const struct locate *l);

/* What precise_ip of an opened event means: "precise", "may be a few instructions late"; "by time
 * only" of a clock, "each wait" of off-cpu. */
const char *locate_precision(const struct locate_event *e, int precise_ip);

#endif
