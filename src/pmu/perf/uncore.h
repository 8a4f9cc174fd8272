/*
 * Counters outside the cores: memory controllers, last-level cache, links, energy.
 *
 * Each box is a PMU of its own in sysfs: "uncore_cha_0", "uncore_cha_1" ... are all of the device
 * "uncore_cha". A box counts for its whole socket (or die), whoever causes the work, on one CPU of
 * it: its `cpumask` names one per socket. So these events belong to the whole machine and to no
 * task, and what they count is the sum over all boxes and sockets. An event of one unit (a clock
 * that ticks in all of them alike) is counted on one box in all: the first, on its first CPU.
 *
 * First which places there are (uncore_find: sysfs only), then opening. No trouble here ever ends a
 * session: what cannot be counted has a reason, enum count_state.
 */
#ifndef TDTOP_PMU_UNCORE_H
#define TDTOP_PMU_UNCORE_H

#include "model/load/model.h"
#include "pmu/perf/perf_units.h"
#include "pmu/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* A box, on the CPU of one socket. */
struct uncore_place {
    uint32_t type; /* perf_event_attr.type */
    int cpu;
};

/* All boxes of one kind. */
struct uncore_device {
    const char *name;           /* borrowed from the model: "uncore_cha" */
    char pmu[64];               /* of the first box: its format/ is that of all */
    struct uncore_place *place; /* box after box, CPUs of a box ascending */
    uint32_t n_place;
};

/* One event, over all its places. */
struct uncore_event {
    uint16_t event;  /* of the model */
    uint16_t device; /* of struct uncore */
    uint64_t config[3];
    double scale;
    uint32_t n_place; /* from the device's first on */
    bool open;
    uint32_t first;      /* of its n_place counters */
    struct perf_sum sum; /* of the last interval, over its places; no reads: a box was not read */
    double value;        /* of the last interval, for all of it, times `scale`; then NAN */
};

struct uncore_counter {
    int fd;
    uint64_t last[3];         /* count, enabled, running */
    double beyond, beyond_ns; /* what was counted after the end of the interval, and how long;
                                 negative: borrowed from the next */
    bool lost;                /* it could not be read the last time */
};

struct uncore {
    struct uncore_device *device;
    uint32_t n_device;
    struct uncore_event *event; /* those that could be counted here */
    uint32_t n_event;
    struct uncore_counter *counter;
    uint32_t n_counter;
};

/*
 * Finds for all events of the model outside the core where and by which codes they are counted.
 * root is "" or a folder with a fake /sys. state[event] becomes COUNT_OK, or COUNT_NOT_SUPPORTED
 * (no such PMU, or it lacks a field that the event needs) or COUNT_NO_EVENT (no code is known); of
 * other events it is left alone. 0 or -ENOMEM.
 */
int uncore_find(struct uncore *u, const struct model *m, const char *root, uint8_t *state);

/* How many descriptors the plan's events need. */
uint32_t uncore_fds(const struct uncore *u, const struct plan *plan);

/*
 * Opens what the plan has, with at most `room` descriptors. missing[event] says why one is not
 * open: what the kernel refuses anywhere is counted nowhere.
 */
void uncore_open(struct uncore *u, const struct model *m, const struct plan *plan, uint64_t room,
                 uint8_t *missing);

/*
 * Sums up what was counted since the last call, as in an interval of span_ns: boxes are read one
 * after the other and after the clock, on a busy machine much later, and the enabled time of each
 * says how long it really counted. What is beyond the interval is left to the next, what lacks
 * is borrowed from it; nothing is lost (as perf_align.h). 0: what was counted so far is left out.
 * Never allocates.
 */
void uncore_read(struct uncore *u, uint64_t span_ns);

void uncore_close(struct uncore *u); /* the counters; uncore_open may follow */
void uncore_free(struct uncore *u);  /* accepts a zeroed one */

#endif
