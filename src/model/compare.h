/*
 * Did it really change? Two runs (or a baseline and what is live), metric by metric: the difference
 * of their values with a confidence interval, and a verdict that statistics decide.
 *
 * The difference is of the values of the summed counts. Its standard error is Welch's (1947), of
 * the means of both sides (moments.h); what multiplexing leaves unseen makes the values of
 * intervals differ, so it is in there. Over all metrics that both sides have, the chance of one
 * false verdict is held at 1 - confidence (Holm 1979). A difference that is sure but smaller than
 * least_change is noise as far as anybody needs to act on it.
 *
 * That is the chance of one look. Who looks again with every new interval finds a false one sooner
 * or later: for that there is `watched`, where the chance holds for all looks together, however
 * many. The difference of a growing side to one that stands still is a Brownian motion in the time
 * 1 / variance, so that a mixture of normal distributions bounds it at all times (Robbins 1970;
 * Howard, Ramdas, McAuliffe and Sekhon 2021). It needs no memory of the looks before: only how many
 * independent values there are. The price is an interval that is about a quarter wider.
 *
 * A metric that adds up with time (instructions, slots, misses) is compared as if b had been
 * measured for as long as a.
 */
#ifndef TDTOP_MODEL_COMPARE_H
#define TDTOP_MODEL_COMPARE_H

#include "model/run.h"

enum verdict {
    VERDICT_REGRESSED, /* changed for the worse, and not by chance */
    VERDICT_IMPROVED,
    VERDICT_CHANGED, /* sure, but the model does not say which way is better */
    VERDICT_NOISE,   /* nothing that is sure, or less than matters */
    VERDICT_TOO_FEW, /* not enough data to tell */
    VERDICT_ONLY_A,  /* known on one side only */
    VERDICT_ONLY_B,
    VERDICTS,
};
const char *verdict_name(enum verdict v); /* "regressed", "improved", ..., "not enough data" */

/* The path of the node that pool_finish gives to commands that ended by themselves. */
#define COMPARE_ELAPSED "elapsed"

struct compare_options {
    double confidence;     /* 0.95 */
    double least_points;   /* shares and what is in percent: 0.01 = one point */
    double least_relative; /* everything else: 0.01 = 1 % of a's value */
    bool watched;          /* looked at again and again while a side grows: the live baseline */
};
struct compare_options compare_defaults(void);

/* One side of a comparison: a stored run's nodes, or the live window. Borrowed. */
struct compare_side {
    const char *name;  /* "3f9a1c22", "live" */
    const char *model; /* name */
    const struct run_node *node;
    size_t n_node;
    double measured_s; /* time that the values are of; 0: not known */
    bool ran_through;  /* that is how long a command took */
};
struct compare_side compare_side_of(const struct run *r);

struct compare_row {
    const struct run_node *a, *b; /* NULL: that side does not have it */
    bool total;                   /* it adds up with time: b is scaled to the time of a */
    double delta;                 /* b - a, in the value's own unit (fraction for shares); NAN */
    double relative;              /* delta / |a|; NAN if a is 0 or unknown */
    double err;                   /* half width of the confidence interval of delta; NAN */
    double p;                     /* two-sided, before the correction for many; NAN */
    double effect;                /* what rows are sorted by: |delta| in least changes */
    enum verdict verdict;
    /* Not enough data: samples (intervals, or runs) on each side that would about do to tell this
     * change, or the least one where this is less; MOMENTS_LEAST at least. NAN otherwise. */
    double needed;
    /* One of the COMPARE_LEADS strongest sure changes of the tree, of which no child has half or
     * more: look here first */
    bool leads;
    /* Known on one side only: why it is not on the other. Borrowed; "": it does not have it. */
    const char *reason;
    uint32_t order_; /* private: in the tree */
    bool rough_;     /* private: a side has too few independent values for anything but the plain */
};

/*
 * Why B's cycles per work differ: counts in words of the method. NAN where not known. Instructions
 * are IPC * GHz * CPUs_Utilized: all models have these three.
 */
struct compare_counts {
    double instructions_a, instructions_b; /* per second */
    double cpi_a, cpi_b;
    double slots_a, slots_b; /* per second */
};

enum { COMPARE_LEADS = 3 };

struct comparison {
    /* [n_row] What changed for sure, the tree before other metrics, by effect; then likewise what
     * there is too little data for, what one side has alone, and noise. Metrics that neither side
     * knows have no row. Owned. */
    struct compare_row *row;
    size_t n_row;
    struct compare_counts counts;
    double measured_s_a, measured_s_b;
    bool ran_through; /* both sides are commands that ended by themselves */
    double confidence;
    /* [n_unknown] In order of their paths: what neither side knows. Owned; the nodes are borrowed.
     */
    const struct run_node **unknown;
    size_t n_unknown;
    int n_verdict[VERDICTS];
    char *shared; /* where models differ: which levels and metrics are compared, in words; "" */
};

/* 0 or -ENOMEM. The sides are borrowed until compare_free. */
int compare_sides(const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct comparison *out, struct err *err);
void compare_free(struct comparison *c);

/* What one point is in the value of a metric: 0.01 of a share, 1 of what is in percent by itself;
 * 0: it is neither, and differences are relative. */
double compare_point(const struct run_node *n);
/* The row of a metric, by name or path ignoring case, or NULL. */
const struct compare_row *compare_find(const struct comparison *c, const char *name);
/* What neither side knows, likewise: its reason. NULL: neither has it. */
const char *compare_unknown(const struct comparison *c, const char *name);

#endif
