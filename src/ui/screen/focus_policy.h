/*
 * What the screen looks at, and so what is to be counted: levels 1 and 2 always are; the rest has
 * the counters for itself as far as it is on the screen, or lies on the bottleneck path. Here is
 * decided what is wanted and when that is said; session_focus makes groups of it.
 *
 * The path wanders with the noise. A branch that it has left stays open and counted for a while,
 * so that neither the rows nor the counters change with every interval.
 */
#ifndef TDTOP_UI_FOCUS_POLICY_H
#define TDTOP_UI_FOCUS_POLICY_H

#include "session/session.h"

struct screen;

struct focus_policy {
    bool *wanted;    /* [n_metric] scratch */
    uint64_t *on_ns; /* [n_tree] session time at which it was on the path last; 0 = never */
    uint64_t asked;  /* number of the interval in which the focus was changed last, from 1 */
    int end;         /* of the path, in the newest frame */
    uint64_t end_ns; /* since when */
    int followed;    /* the end of the path that was shown last */
};

int focus_policy_init(struct focus_policy *a, const struct model *m); /* 0 or -ENOMEM */
void focus_policy_destroy(struct focus_policy *a);

/* True if the screen follows the bottleneck path by itself. */
bool focus_policy_follows(const struct screen *sc);
/* A new frame is shown: the tree follows the path; in focus open the selection alone does. */
void focus_policy_frame(struct screen *sc);
/* Tells the session what is wanted now, at most once an interval; else it is told with the next
 * one. */
void focus_policy_tell(struct screen *sc);
/* The next mode. */
void focus_policy_cycle(struct screen *sc);

#endif
