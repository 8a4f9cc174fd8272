/*
 * How far a value may be off: the half width of the 95 % interval of what was measured, as an
 * estimate of what was really there in the same time.
 *
 * Multiplexing. A group that is on the PMU for the part d (duty) of an interval sees d*N of N
 * slices, and the scaled value stands for all of them. With v the variance of a value over one
 * slice, what is seen has the variance v/(d*N) from interval to interval, and lies off the truth of
 * its own interval with the variance v/(d*N) - v/N (sampling without replacement). So the spread s
 * of the last values says it all: the error is s * sqrt(1 - d), times Student's t because s comes
 * from a few values only. What the program itself changes from interval to interval enters s, too:
 * the ± is then too wide, never too narrow. It cannot see what hides from sampling: a program whose
 * phases keep step with the rotation of the groups.
 *
 * The spread of a single interval's value is that of the last SPREAD_N, which is how the program is
 * now: where it has just begun to do something else, of those since. (Two values in a row that lie
 * on one side of those before, further than twice what one in twenty does by Student's t; the first
 * is left out where it is a mixture of both. Else the ± would be that of the step, for SPREAD_N
 * intervals.) That of a sum is the spread of all values that are in it, rare ones too.
 *
 * PERF_METRICS. The topdown-* events are slots times a fraction of 8 bits (Intel SDM, volume 3,
 * "Performance Metrics"; Linux arch/x86/events/intel/core.c, icl_get_topdown_value()). A count of
 * them is off by up to half of 1/255 of the slots per read: a standard deviation of slots / 255 /
 * sqrt(12). How that reaches a value is found by moving each such count by as much and evaluating
 * again. The kernel reads at each switch of the task as well, which makes the real error smaller.
 */
#ifndef TDTOP_MODEL_SPREAD_H
#define TDTOP_MODEL_SPREAD_H

#include "model/eval/eval.h"

enum { SPREAD_N = 8, SPREAD_MIN = 3 }; /* values that the spread is taken of; at least */

/* What the ± of a value was made of. */
struct spread_parts {
    int n;            /* values that the spread is of */
    double t, sd;     /* Student's t of n - 1; their standard deviation; NAN: fewer than 3 */
    double unseen;    /* sqrt(1 - duty); 0: it was counted all the time */
    double intervals; /* summed in it: their mean is as many times (square root) better */
    bool total; /* the value is no mean of theirs but what they add up to: so many times worse */
    double resolution; /* half width that comes from PERF_METRICS; 0: none is used */
    double err; /* all together; NAN: too few values, or a value that is approximate though all
                   was counted: how far off that is, is not known */
};

struct spread_fraction { /* a slot of PERF_METRICS */
    uint16_t slot;
    int leader; /* slot of the slots that it is a fraction of; -1: not measured */
};

struct spread {
    uint32_t n_metric;
    double *recent;         /* private: [n_metric] rings of the last SPREAD_N known values */
    uint64_t *seen;         /* private: [n_metric] known values so far */
    uint64_t *begun;        /* private: [n_metric] of them, those before the last step */
    double *mean, *squares; /* private: [n_metric] of them all; squares of what lies off the mean */
    /* private: PERF_METRICS */
    struct spread_fraction *fraction;
    uint32_t n_fraction;
    double *resolution; /* [2][n_metric] of the newest interval, and of the newest sum */
};

int spread_init(struct spread *sp, uint32_t n_metric); /* 0 or -ENOMEM */
void spread_destroy(struct spread *sp);                /* accepts a zeroed one */
void spread_reset(struct spread *sp);

/* Finds the slots of PERF_METRICS; without this call their resolution is not known. 0, -ENOMEM. */
int spread_layout(struct spread *sp, const struct model *m, const struct layout *layout);

/* Remembers the values of an interval, without their own `err`. */
void spread_remember(struct spread *sp, const struct frame *f);
/* Looks for a step that the newest values have made. */
void spread_notice(struct spread *sp, int metric);
/* How many of the last SPREAD_N values are of what the program does now; and for who has kept that
 * and remembers those values anew. */
int spread_of_now(const struct spread *sp, int metric);
void spread_set_of_now(struct spread *sp, int metric, int n);
/* Remembers the values of an interval, looks for steps, and fills `err` of each. f is ev's last
 * evaluation, of s. */
void spread_interval(struct spread *sp, struct eval *ev, const struct sample *s, struct frame *f);
/* Fills `err` of the values of a sum of n intervals. f is ev's last evaluation, of s. */
void spread_sum(struct spread *sp, struct eval *ev, const struct sample *s, uint64_t n,
                struct frame *f);

/* How `err` of a value came about: of the newest spread_interval (n = 0), or spread_sum of n. */
struct spread_parts spread_parts(const struct spread *sp, int metric, const struct value *v,
                                 uint64_t n);

#endif
