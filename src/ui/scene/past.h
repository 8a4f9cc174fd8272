/*
 * What a stretch of the past is worth, from the packed counts of the session
 * (model/run/timeline.h): its values with the ± that live ones have, and how they vary from
 * interval to interval. The spread that the ± of a few intervals is made of is that of the last
 * SPREAD_N until their end, as it was when they were live.
 */
#ifndef TDTOP_UI_PAST_H
#define TDTOP_UI_PAST_H

#include "model/eval/window.h"
#include "model/run/series.h"
#include "model/stats/moments.h"

struct session;

struct past {
    struct window sums;      /* of what was added last */
    struct moments *moments; /* [n_metric] of its intervals */
    uint32_t n_metric;
    uint64_t t0_ns, t1_ns; /* begin of the first and end of the last interval that is in */
    struct sample row;     /* private, as all below */
    struct frame of_row;
    struct series_reader reader;
};

/* For a session that is open. 0 or -ENOMEM; past_destroy in both cases. */
int past_init(struct past *p, const struct session *s);
void past_destroy(struct past *p); /* accepts a zeroed one; leaves it zeroed */

/* Forgets all intervals. */
void past_reset(struct past *p);
/* Adds the intervals that end in (t0_ns, t1_ns]. Returns how many. */
uint64_t past_add(struct past *p, struct session *s, uint64_t t0_ns, uint64_t t1_ns);
/* The same from nothing, with what came just before for the spread. 0, and nothing is kept, where
 * the packed counts do not reach back to t0_ns. */
uint64_t past_take(struct past *p, struct session *s, uint64_t t0_ns, uint64_t t1_ns);

#endif
