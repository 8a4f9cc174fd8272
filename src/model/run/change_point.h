/*
 * Changes of level, found while measuring goes on: of the shares of level 1, of IPC, and of how
 * many CPUs are busy.
 *
 * With each interval, for every metric and every split of the level so far into an older and a
 * newer part of 3 to 32 intervals: is the difference of their means beyond what noise brings? A
 * generalized likelihood ratio over a window (Lai 1995; Basseville and Nikiforov, Detection of
 * Abrupt Changes, 1993, chapter 2.4). The noise is that of the older part. Its correlation of
 * neighbours widens the standard error of both means as for an AR(1) process, so that slow noise is
 * seen as such, at the price of sensitivity; a level just begun is taken to be correlated, and to
 * be no calmer than the level before it. Values far beyond it count as at its edge: one
 * odd interval is no change.
 *
 * A change smaller than matters is none: one point of a share, 2 % of IPC, 5 % of the CPUs in use
 * and at least 0.05. A change may take some intervals: those between the two levels belong to
 * neither. What moves on within CHANGE_SETTLES intervals is one change.
 *
 * Fixed memory, and a fixed amount of work for each interval. How many changes are found and
 * missed: tests/bench/bench_changes.c.
 */
#ifndef TDTOP_MODEL_CHANGE_POINT_H
#define TDTOP_MODEL_CHANGE_POINT_H

#include "model/load/frame.h"
#include "model/load/model.h"

#include <stdint.h>

enum {
    CHANGE_METRICS = 12,
    CHANGE_WINDOW = 32, /* intervals that the newer part has at most */
    CHANGE_SETTLES = 8, /* intervals after a change in which its end may move on */
};

/* private */
struct change_metric {
    int metric;      /* of the model, or what the caller numbers */
    double points;   /* a smaller change does not matter: absolute, */
    double relative; /* and relative to the level */
    double origin;   /* the level's first value: sums are of differences to it */
    double n, sum, squares, pairs, products; /* of the level, values cut at 4 sd */
    double newest;  /* the last that entered them; NAN: none, or not known */
    double sd, rho; /* noise of the level before; sd NAN: there was none */
    double rho_now; /* of this level, without its newest intervals; NAN: too few */
    double value[CHANGE_WINDOW], cut[CHANGE_WINDOW]; /* of the newest, a ring */
};

struct change_point {
    /* The newest change, if `n_found` is not 0. Times are of the session. */
    uint64_t n_found;
    uint64_t left_ns;  /* the old level ends here */
    uint64_t level_ns; /* the new one begins; left_ns or later */
    uint32_t left_out; /* intervals between the two */
    int metric;        /* that moved most surely */

    /* private */
    struct change_metric at[CHANGE_METRICS];
    int n_metric;
    uint64_t t0_ns[CHANGE_WINDOW], t1_ns[CHANGE_WINDOW];
    uint64_t n_taken; /* intervals so far: the newest is at (n_taken - 1) % CHANGE_WINDOW */
    uint32_t n_level; /* intervals of this level */
    double rho;       /* mean of rho_now over the metrics */
    int settles;      /* intervals that are left for the change to move on */
};

enum change_status { CHANGE_NONE, CHANGE_FOUND, CHANGE_MOVED /* the new level begins later */ };

/* For the metrics of a model that changes are looked for in: a model without any finds none. */
void change_point_init(struct change_point *cp, const struct model *m);
/* The values of an interval; those that are not known are left out. Allocates nothing. */
enum change_status change_point_take(struct change_point *cp, const struct frame *f);
/* A new level begins with the next interval, as the caller knows. */
void change_point_begin(struct change_point *cp);

/* The same for n values [n] of any origin, of which `points` and `relative` matter. */
void change_point_init_plain(struct change_point *cp, int n, double points, double relative);
enum change_status change_point_values(struct change_point *cp, const double *v, uint64_t t0_ns,
                                       uint64_t t1_ns);

/*
 * Where spans of a session begin: what changed, and when. Found by itself (change_point.h), said by
 * the user (a mark, a reset, a pin, a snapshot), or seen (a restart, a pause).
 */

enum break_cause {
    BREAK_START, /* nothing came before */
    BREAK_LEVEL, /* the values changed their level */
    BREAK_RESTART,
    BREAK_PAUSE,
    BREAK_MARK,
    BREAK_RESET,
    BREAK_PIN, /* a baseline: nothing changed, and what comes is to be compared */
    BREAK_SNAPSHOT,
};

enum { BREAKS_MOST = 256 }; /* the oldest give way */

struct break_point {
    uint64_t left_ns; /* session time: what came before ends here, */
    uint64_t t_ns;    /* and the span begins; what lies between belongs to neither */
    uint64_t id;      /* 1, 2, ... in the order in which they became known */
    uint64_t seq;     /* grows when it became known, and when its begin moved on */
    enum break_cause cause;
    int main_before; /* of BREAK_LEVEL and BREAK_RESTART: the main bottleneck of the phase that
                        ended (session_phase); METRIC_NONE: not known */
};

struct breaks {
    struct break_point at[BREAKS_MOST]; /* by t_ns */
    int n;
    uint64_t id, seq; /* of the newest */
};

/* Adds one where its time belongs. It is valid until the next call. */
struct break_point *breaks_add(struct breaks *b, uint64_t left_ns, uint64_t t_ns,
                               enum break_cause cause);
/* The begin of the newest BREAK_LEVEL moves on. */
void breaks_move(struct breaks *b, uint64_t t_ns);
/* "the change", "the mark", "the reset", "the start", ...: for "since the change at 1:04". */
const char *break_words(enum break_cause cause);
/* True of one that begins another phase of the program, whoever watches. */
static inline int break_is_phase(const struct break_point *p) {
    return p->cause == BREAK_LEVEL || p->cause == BREAK_RESTART;
}

#endif
