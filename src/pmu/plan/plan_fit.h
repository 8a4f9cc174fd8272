/* Does a set of events fit on the counters together? Private to the planner. */
#ifndef TDTOP_PMU_PLAN_FIT_H
#define TDTOP_PMU_PLAN_FIT_H

#include "model/load/model.h"
#include "pmu/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Model event indexes, without doubles. */
struct event_set {
    uint16_t at[128];
    uint32_t n;
    uint64_t filter; /* private: the bits e % 64 of its events e; most questions end there */
};

struct event_set set_of(uint16_t event);
bool set_search(const struct event_set *s, uint16_t event); /* without the filter */
bool set_search_all(const struct event_set *s, const struct event_set *all);

static inline uint64_t set_filter(uint16_t event) {
    return 1ull << event % 64;
}

static inline bool set_has(const struct event_set *s, uint16_t event) {
    return s->filter & set_filter(event) && set_search(s, event);
}

static inline bool set_has_all(const struct event_set *s, const struct event_set *all) {
    return !(all->filter & ~s->filter) && set_search_all(s, all);
}

/* Once; more than there is room for is dropped. */
void set_add(struct event_set *s, uint16_t event);
void set_add_all(struct event_set *s, const struct event_set *all);
void set_cut(struct event_set *s, uint32_t n); /* keeps those that were added first */

enum { FIT_EVENTS_MAX = 3 * PLAN_GROUP_MAX, FIT_OFFCORE_MAX = 2 };

/* What groups take of the counters; grows event by event, and knows at each whether all have room.
 */
struct fit_taken {
    struct fit_state {
        bool fits;
        int n;             /* events on general counters */
        uint64_t in_use;   /* bit c: counter c */
        int16_t owner[64]; /* of the event on each of these */
        uint64_t fixed;    /* bit n: fixed counter n */
        uint64_t alone;    /* value of MSR 0x3F7, if has_alone */
        bool has_alone;
        /* MSR_OFFCORE_RSP_0 and _1: the kernel moves an event to the one that is free
         * (arch/x86/events/intel/core.c, intel_alt_er). */
        uint64_t offcore[FIT_OFFCORE_MAX];
        int n_offcore;
        uint32_t n_event; /* of the last group */
        uint64_t codes;   /* bits of what these count; most comparisons end there */
    } now;
    uint64_t mask[FIT_EVENTS_MAX];  /* [now.n] general counters that the event may use */
    uint16_t event[PLAN_GROUP_MAX]; /* [now.n_event] model events with a counter of their own */
};

struct fit {
    const struct model *model;
    int general;             /* general counters there are */
    uint64_t free;           /* which ones they are, as a set */
    uint64_t fixed_taken;    /* bit n: fixed counter n is another user's (the NMI watchdog's) */
    struct event_set always; /* the pinned group: on the PMU whatever else is; by fit_hold */
    struct fit_taken held;   /* what that takes */
};

/* The counters that a plan for these options may use; nothing is always there. */
void fit_init(struct fit *f, const struct model *m, const struct plan_options *opt);

/* These are always there from now on. */
void fit_hold(struct fit *f, const struct event_set *always);

/* How many events can be counted beside what is always there, whatever they are: an upper bound. */
int fit_room(const struct fit *f);

/* Do a and b (b may be NULL) fit as one group, beside what is always there? */
bool fit_together(const struct fit *f, const struct event_set *a, const struct event_set *b);

/*
 * The same step by step: begin with what is always there and an empty group; add to the last group,
 * or begin one more (events of different groups share no counter). Both return whether all fits;
 * once it does not, it never does. fit_has_room asks what fit_add would return, and leaves t as it
 * was.
 */
void fit_begin(const struct fit *f, struct fit_taken *t);
bool fit_add(const struct fit *f, struct fit_taken *t, const struct event_set *s);
bool fit_add_group(const struct fit *f, struct fit_taken *t, const struct event_set *s);
bool fit_has_room(const struct fit *f, struct fit_taken *t, const struct event_set *s);

/* How many general counters the set takes with nothing beside it; -1 if it does not fit. */
int fit_general(const struct fit *f, const struct event_set *set);

#endif
