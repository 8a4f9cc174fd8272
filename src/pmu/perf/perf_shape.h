/*
 * The groups of counters as the kernel accepts them. The plan proposes; opening decides: what the
 * kernel refuses to count together with the rest of its group moves to a group of its own, with the
 * group's divisors beside it; what it refuses alone is not supported. The shape is found on the
 * first thread or CPU and is the same for all others.
 */
#ifndef TDTOP_PMU_PERF_SHAPE_H
#define TDTOP_PMU_PERF_SHAPE_H

#include "model/eval/sample.h"
#include "pmu/host/encode.h"
#include "pmu/host/machine.h"
#include "pmu/plan/plan.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_counter {
    struct perf_event_attr attr;
    uint16_t event;    /* of the model */
    bool needs_leader; /* a topdown-* event: nothing without slots */
    bool shared;       /* a divisor: repeated when its group is split */
    bool any_thread;   /* counts the sibling thread, too: more rights than the others need */
};

/* Another model event that the same counter serves. */
struct perf_alias {
    uint16_t event, of;
    uint32_t plan_group;
};

struct perf_group {
    uint32_t first, n; /* counters */
    uint32_t plan_group;
    uint32_t at; /* where its words begin in a unit's `last`: enabled, running, counts */
    bool pinned;
    bool turns;       /* has the counters to itself in its turns: perf_turns.h */
    bool top, level1; /* as in the plan */
};

struct perf_shape {
    struct perf_counter *wish; /* what the plan wants, group after group */
    uint32_t n_wish;
    struct perf_alias *alias;
    uint32_t n_alias;
    struct perf_counter *counter; /* what the kernel took */
    uint32_t n_counter;
    struct perf_group *group;
    uint32_t n_group;
    uint32_t n_word;  /* of `last` per unit */
    uint8_t *missing; /* [n_event] enum count_state of the model's events without a counter */
};

/* Encodes what the plan has for perf. What has no encoding is noted in `missing`. */
int perf_shape_wish(struct perf_shape *sh, const struct model *m, const struct plan *plan,
                    const struct machine *mc, const struct encode_options *opt, struct err *err);
void perf_shape_free(struct perf_shape *sh); /* accepts a zeroed one */

/* How counters are opened on a thread or CPU. */
struct perf_mode {
    bool inherit;        /* threads that start later are counted, too */
    bool enable_on_exec; /* and not before */
    bool no_pin;
    bool idle;   /* pinned groups do not count yet: perf_reopen.c */
    bool cgroup; /* on each CPU only what the tasks of cgroup_fd do */
    bool hybrid; /* tasks that may run on cores of another type, where nothing counts:
                    perf_residency.h */
    int cgroup_fd;
};

/*
 * Finds the shape on the first unit (a thread, or -1 and a CPU), a group at a time. Nothing stays
 * open. 0 or a negative errno; *event is the model event that was refused.
 */
int perf_shape_find(struct perf_shape *sh, const struct perf_mode *mode, const struct plan *plan,
                    pid_t tid, int cpu, uint16_t *event);

/* True if a counter of the shape counts this event of the model. */
bool perf_shape_has(const struct perf_shape *sh, uint16_t event);

/* Opens a group of a known shape. fd has room for n_counter; those of the group are -1 after a
 * failure. As above. */
int perf_shape_open(const struct perf_shape *sh, const struct perf_mode *mode, uint32_t group,
                    pid_t tid, int cpu, int *fd, uint16_t *event);

#endif
