/*
 * What a recording holds, found by reading it through before it is replayed:
 *
 *   part   what rows were counted on: an aggregate and a cgroup ("CPU0", "S0-D0-C1", a thread)
 *   event  a printed event name, and the model events that it means
 *   place  the n-th row of an event within an interval. perf prints an event once per group that
 *          has it, so a place has a group: rows that were counted in the same time.
 *
 * The places of the parts in use become the slots of the layout.
 */
#ifndef TDTOP_PMU_REPLAY_PLAN_H
#define TDTOP_PMU_REPLAY_PLAN_H

#include "base/array.h"
#include "model/load/model.h"
#include "pmu/replay/names.h"
#include "pmu/replay/replay_rows.h"
#include <stdint.h>

struct replay_name {
    const char *first, *second; /* owned */
    uint32_t hash;
};

struct replay_table {
    struct replay_name *at; /* [n] */
    uint32_t n, cap;
    uint32_t *bucket; /* private: number + 1, or 0; n_bucket is a power of two */
    uint32_t n_bucket;
    uint32_t last; /* private: the number that was found last */
};

enum { REPLAY_NAMES_MAX = 100000 };

/* The number of a pair, or -1 if it has none. Never allocates. Fast where it is that of the last
 * call, or the one behind it, as in the intervals of a recording. */
int32_t replay_table_find(struct replay_table *t, const char *first, const char *second);
/* The same, and gives it one. -ENOMEM, or -E2BIG past REPLAY_NAMES_MAX. */
int32_t replay_table_add(struct replay_table *t, const char *first, const char *second);
void replay_table_free(struct replay_table *t);

enum { REPLAY_EVENTS_MAX = 4096, REPLAY_OCCURRENCES_MAX = 1024, REPLAY_PLACES_MAX = 20000 };
#define REPLAY_NO_EVENT UINT32_MAX

/* One model event that a printed event means. */
struct replay_target {
    uint16_t event; /* of the model */
    double scale;   /* a count printed under this name times this is what formulas mean */
    bool by_code;   /* it has another name there, but the same code */
    bool joins;     /* adds to the place of the other privilege level: all = user + kernel */
};

struct replay_event {
    struct event_name name;
    bool named;                   /* name is valid */
    struct replay_target *target; /* owned */
    uint32_t n_target;
    uint32_t partner;      /* the event that its joining targets add to, or REPLAY_NO_EVENT */
    ARRAY(uint32_t) place; /* by occurrence */
};

/* How often an event came in an interval so far. */
struct replay_tally {
    uint64_t interval; /* in which n was counted */
    uint32_t n;
};

struct replay_part {
    enum replay_agg kind;
    bool used;
    struct replay_tally *tally; /* [n_event]; owned */
};

struct replay_place {
    uint32_t event, occurrence;
    uint16_t group;
    uint32_t block;              /* run of perf stat that it was first seen in */
    uint32_t first_slot, n_slot; /* in plan.slot */
    /* private, for the groups: how it was counted in the interval that says most */
    uint64_t seen; /* interval it was last seen in, from 1 */
    double runtime_ns, share, now_runtime_ns, now_share;
    bool titled, counted, now_counted, ever_supported;
};

/* Tells where an interval ends. Times within a block only grow; a step back is a new recording. */
struct replay_clock {
    uint64_t interval; /* number of the current one, from 1; 0 = none yet */
    uint32_t block;    /* of the current interval */
    bool timed;        /* rows carry times */
    uint64_t time_ns;  /* printed end of the current interval */
    uint64_t base_ns;  /* end of all blocks before this one */
    uint64_t begin_ns; /* end of the interval before, in this block */
};

struct replay_plan {
    const struct model *model; /* borrowed */
    struct replay_table event_names, part_names;
    struct replay_event *event;       /* [event_names.n] */
    ARRAY(struct replay_part) part;   /* as part_names */
    ARRAY(struct replay_place) place; /* in the order of first sight */
    uint32_t *slot;                   /* layout slots of the places */
    double *scale;                    /* of each of them */
    uint32_t n_slot;
    uint32_t n_used_parts;
    int32_t duration_event; /* "duration_time", or -1 */
    uint64_t intervals;     /* to be replayed */
    bool timed, lengths_known, threads, dropped_last;
    bool surveyed;                   /* private: places were collected together with the names, */
    struct replay_tally *sole_tally; /* with these tallies */
    bool user_only, kernel_only;     /* all events that fit were counted so */
    char chosen[96];                 /* what --only chose, safe; or "" */
    char pmu[32], other_pmu[32];     /* a hybrid machine: the PMU shown, another one; or "" */
    bool pmu_chosen;                 /* by --only */
};

/* Reads the recording through and plans. The reader is rewound. On failure err says why. */
int replay_plan_make(struct replay_plan *p, struct replay_reader *r, const struct model *model,
                     const char *only, struct err *err);
void replay_plan_free(struct replay_plan *p);

/* Steps: which parts are used, what the events mean (replay_choose.c). */
int replay_choose_parts(struct replay_plan *p, const char *only, const char *file, struct err *err);
int replay_match_events(struct replay_plan *p, const char *file, struct err *err);

/* True if the row begins another interval; then the clock is set to it. */
bool replay_clock_turns(struct replay_clock *c, const struct replay_row *row);

/* The place of a row in use, counted once per call; NULL if it has none. Never allocates. */
struct replay_place *replay_plan_find(struct replay_plan *p, const struct replay_row *row,
                                      uint64_t interval);

#endif
