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

struct compare_options {
    double confidence;     /* 0.95 */
    double least_points;   /* shares: 0.01 = one point */
    double least_relative; /* everything else: 0.01 = 1 % of a's value */
};
struct compare_options compare_defaults(void);

/* One side of a comparison: a stored run's nodes, or the live window. Borrowed. */
struct compare_side {
    const char *name;  /* "3f9a1c22", "live" */
    const char *model; /* name */
    const struct run_node *node;
    size_t n_node;
    double measured_s; /* time that the values are of; 0: not known */
};
struct compare_side compare_side_of(const struct run *r);
/* True if the value of the whole is the sum of those of the intervals, not their mean. */
bool compare_adds_up(const struct run_node *n);

struct compare_row {
    const struct run_node *a, *b; /* NULL: that side does not have it */
    bool total;                   /* it adds up with time: b is scaled to the time of a */
    double delta;                 /* b - a, in the value's own unit (fraction for shares); NAN */
    double relative;              /* delta / |a|; NAN if a is 0 or unknown */
    double err;                   /* half width of the confidence interval of delta; NAN */
    double p;                     /* two-sided, before the correction for many; NAN */
    double effect;                /* what rows are sorted by: |delta| in least changes */
    enum verdict verdict;
    /* A node of the tree with a sure change, of which no child has half or more: look here first */
    bool leads;
    uint32_t order_; /* private: in the tree */
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

struct comparison {
    /* [n_row] What changed for sure, the tree before other metrics, by effect; then likewise what
     * there is too little data for, what one side has alone, and noise. Metrics that neither side
     * knows have no row. Owned. */
    struct compare_row *row;
    size_t n_row;
    struct compare_counts counts;
    double measured_s_a, measured_s_b;
    int n_verdict[VERDICTS];
    char *shared; /* where models differ: which levels and metrics are compared, in words; "" */
};

/* 0 or -ENOMEM. The sides are borrowed until compare_free. */
int compare_sides(const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct comparison *out, struct err *err);
void compare_free(struct comparison *c);

/* The row of a metric, by name or path ignoring case, or NULL. */
const struct compare_row *compare_find(const struct comparison *c, const char *name);

#endif
