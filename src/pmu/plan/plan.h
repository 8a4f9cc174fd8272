/*
 * Which events are counted together. All events of a formula belong in one group, so that the parts
 * of a ratio saw the same time. Pure: no kernel here; what the kernel then refuses is split when it
 * is opened (perf_shape.h).
 *
 * Intel with PERF_METRICS: group 0 is led by `slots`, holds every topdown-* event, what levels 1
 * and 2 need besides, and the fixed counters of the vital signs. It is pinned: always on the PMU.
 * The others take turns on what it leaves free. A fixed counter that it holds is not free for them:
 * there an event either takes a general counter (cycles), or, where it cannot (slots, reference
 * cycles), is taken from group 0.
 *
 * So cycles stand in group 0, and again in each group that divides by them, though that costs a
 * twentieth of the general counters (Sapphire Rapids: 5 of 62 at level 3, 34 of 298 in all).
 * Divided by those of group 0, a count of a few turns would meet cycles of all turns: on CPUs that
 * idle now and then, or whose clock changes, the ratio would follow what the CPU did during its
 * turns; read side by side it does not. In the lab the former is off by up to 2 % at 1 s, the
 * latter exact. Only with fewer than 4 counters left the copies cost more than they give
 * (plan_items.c, leans_on_pinned).
 *
 * How good it is, held against distinct events / free counters, which no plan can undercut: levels
 * 1 and 2 are at that bound or one group above it (Zen 4: level 1 fills a group by itself; Skylake
 * with SMT: two), and from level 3 on 95 to 100 % of the counters of all groups are used.
 *
 * Events outside the cores (pmu/perf/uncore.h) are groups of one: they compete with nothing here.
 */
#ifndef TDTOP_PMU_PLAN_H
#define TDTOP_PMU_PLAN_H

#include "base/err.h"
#include "model/load/expr.h"
#include "model/load/model.h"

#include <stdbool.h>
#include <stdint.h>

struct layout; /* model/eval/sample.h */

struct plan_options {
    /* [n_event] enum count_state of what an earlier attempt found refused; NULL = nothing yet */
    const uint8_t *refused;
    const bool *wanted;   /* [n_metric] what is wanted (model/load/select.h); NULL: by level */
    int general;          /* general counters to plan for; 0 = the model's, unless `probed` */
    uint64_t free;        /* which ones, as a set; 0 = the lowest */
    bool probed;          /* general and fixed_taken were found by opening (pmu/perf/probe.h) */
    uint64_t fixed_taken; /* bit n: fixed counter n is another user's, or not there */
    int level;            /* deepest tree level and the vital metrics; 0 = everything */
    bool no_perf_metrics; /* the kernel shows no topdown-* events: alternative formulas */
    bool nmi_watchdog;    /* it holds a counter; where it was not probed which */
    const struct consts *consts; /* of the branches that they decide one is planned; may be NULL */
    bool clock;  /* a pinned group is wanted that tells how long the PMU's cores had the target:
                    perf_residency.h. Without slots that is a fixed counter which serves no other
                    event
                  */
    bool uncore; /* events outside the core are wanted, too (pmu/perf/uncore.h) */
};

struct plan_group {
    enum event_pmu pmu; /* all its events are of this kind */
    uint32_t first, n;  /* plan.event[first .. first + n) */
    uint32_t n_shared;  /* the first ones are divisors: repeated if the kernel wants it split */
    bool slots;         /* the first event is the leader that the others need */
    bool pinned;
    bool top;           /* levels 1 and 2, a vital metric or the clock reads it: always in focus */
    bool level1;        /* level 1 reads it: the last to go when descriptors are short */
    bool level1_values; /* the formulas of level 1 read it, not their thresholds alone */
    bool unfit; /* it holds a part of a formula that did not fit one group: its parts saw different
                   time */
};

struct plan {
    uint16_t *event; /* model event indexes, group after group */
    uint32_t n_event;
    struct plan_group *group;
    uint32_t n_group;
    uint8_t *missing; /* [model->n_event] COUNT_OK = planned, else enum count_state */
    bool *unfit;      /* [model->n_metric] its formula needs more than one group has room for: its
                         parts see different time */
};

enum { PLAN_GROUP_MAX = 48 /* events in a group; more than any PMU has counters */ };

/* Plans the metrics of a model that are wanted. What it leaves out says why in `missing`. 0 or a
 * negative errno with words; then nothing is to be freed. */
int plan_make(struct plan *p, const struct model *m, const struct plan_options *opt,
              struct err *err);
void plan_free(struct plan *p); /* accepts a zeroed plan */

/* True if the group needs counters of a core: what others take of them it cannot have. */
bool plan_competes(const struct plan_group *pg);
/* True if it is not on them all the time: it takes turns with others of its kind. */
bool plan_takes_turns(const struct plan_group *pg);

/* The layout of a source that counts the plan as it is: its groups are those of the plan. 0 or
 * -ENOMEM; to be destroyed by the caller. */
int plan_layout(struct layout *l, const struct plan *p, const struct model *m,
                const struct plan_options *opt);

/*
 * The expected duty: what part of the time each group is on the PMU, on[n_group] being those that
 * are opened (NULL: all). 1 for what needs no turn, 0 for what is off; NAN outside the cores, whose
 * boxes are not modelled. duty has room for n_group. 0 or -ENOMEM.
 */
int plan_duty(const struct plan *p, const struct model *m, const struct plan_options *opt,
              const bool *on, double *duty);

/*
 * Level 1 first: where its groups would be counted for less than half of the time, they get a share
 * of it for themselves, one after the other, and all others take turns in the rest (perf_turns.h).
 * Marks these groups, turn[n_group]; *n gets how many. None where level 1 has half anyway, or where
 * nothing competes with it. 0 or -ENOMEM.
 */
int plan_level1_turns(const struct plan *p, const struct model *m, const struct plan_options *opt,
                      bool *turn, uint32_t *n);
/* The share of the time of all n of them together: half of it for each, as far as that goes. */
double plan_level1_share(uint32_t n);

/* What counts an event of a group. */
enum plan_seat_kind {
    SEAT_GENERAL, /* one of the general counters that the event may use */
    SEAT_FIXED,
    SEAT_METRIC, /* a part of PERF_METRICS: read with the slots, takes no counter */
    SEAT_SHARED, /* the counter of another event that is the same to the kernel */
    SEAT_NONE,   /* no counter of the core: the kernel itself, /proc, a box outside */
};

struct plan_seat {
    enum plan_seat_kind kind;
    int fixed;         /* SEAT_FIXED: its number */
    uint64_t counters; /* SEAT_GENERAL: those it may use, of those there are */
    uint16_t same_as;  /* SEAT_SHARED: model event */
};

/* Where each event of a group is counted; seat has room for its n. */
void plan_seats(const struct plan *p, const struct model *m, const struct plan_options *opt,
                uint32_t group, struct plan_seat *seat);

/* True if two events are the same to the kernel, so that one counter serves both. */
bool plan_same_count(const struct event *a, const struct event *b);

#endif
