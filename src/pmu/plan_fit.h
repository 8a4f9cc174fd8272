/* Does a set of events fit on the counters together? Private to the planner. */
#ifndef TDTOP_PMU_PLAN_FIT_H
#define TDTOP_PMU_PLAN_FIT_H

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* Model event indexes, without doubles. */
struct event_set {
    uint16_t at[128];
    uint32_t n;
};

bool set_has(const struct event_set *s, uint16_t event);
bool set_has_all(const struct event_set *s, const struct event_set *all);
/* Once; more than there is room for is dropped. */
void set_add(struct event_set *s, uint16_t event);
void set_add_all(struct event_set *s, const struct event_set *all);

struct fit {
    const struct model *model;
    int general;             /* general counters there are */
    uint64_t fixed_taken;    /* bit n: fixed counter n is somebody else's (the NMI watchdog's) */
    struct event_set always; /* the pinned group: on the PMU whatever else is */
};

struct plan_options;

/* The counters that a plan for these options may use; nothing is always there. */
void fit_init(struct fit *f, const struct model *m, const struct plan_options *opt);

/* How many events can be counted beside what is always there, whatever they are: an upper bound. */
int fit_room(const struct fit *f);

/* Do a and b (b may be NULL) fit, beside what is always there? */
bool fit_together(const struct fit *f, const struct event_set *a, const struct event_set *b);

/* The same, as groups of their own: events of different groups share no counter. */
bool fit_beside(const struct fit *f, const struct event_set *const *groups, uint32_t n);

/* How many general counters the set takes with nothing beside it; -1 if it does not fit. */
int fit_general(const struct fit *f, const struct event_set *set);

#endif
