/*
 * Did it really change? Two runs (or a baseline and what is live), metric by metric: the difference
 * of their values with a confidence interval, and a verdict that statistics decide.
 *
 * The difference is of the values of the summed counts. Its standard error is Welch's (1947), of
 * the means of both sides (moments.h); what multiplexing leaves unseen makes the values of
 * intervals differ, so it is in there. Over all metrics that both sides have, the chance of one
 * false verdict is held at 1 - confidence (Holm 1979): half of it is for level 1 and
 * instructions per second (IPC, GHz, CPUs_Utilized), half for all others. The interval of a
 * difference is that of its step, so that it excludes zero where the verdict is sure. A difference
 * that is sure but smaller than least_change is noise as far as anybody needs to act on it.
 *
 * That is the chance of one look. Who looks again with every new interval finds a false one sooner
 * or later: for that there is `watched`, where the chance holds for all looks together, however
 * many. The bound is wide at first and narrows to 1.2 times that of one look (Wang and Tsiatis
 * 1987). It needs no memory of the looks before: only how many independent values there are. A side
 * of few intervals is taken to vary as the other does, so that a large change is sure at once.
 *
 * A metric that adds up with time (instructions, slots, misses) is compared as if b had been
 * measured for as long as a.
 */
#ifndef TDTOP_MODEL_COMPARE_H
#define TDTOP_MODEL_COMPARE_H

#include "model/run/run.h"

enum verdict {
    VERDICT_REGRESSED, /* changed for the worse, and not by chance */
    VERDICT_IMPROVED,
    VERDICT_CHANGED, /* sure, but the model does not say which way is better */
    VERDICT_NOISE,   /* no more than chance brings, or less than matters */
    VERDICT_UNSURE,  /* it would be sure by itself, but not as one of so many; or nothing is known
                        but two numbers */
    VERDICT_ONLY_A,  /* known on one side only */
    VERDICT_ONLY_B,
    VERDICTS,
};
const char *verdict_name(enum verdict v); /* "regressed", "improved", ..., "unsure" */

struct compare_options {
    double confidence;     /* 0.95 */
    double least_points;   /* shares and what is in percent: 0.01 = one point */
    double least_relative; /* everything else: 0.01 = 1 % of a's value */
    bool watched;          /* looked at again and again while a side grows: the live baseline */
    const struct run
        *pairs; /* borrowed: differences of pairs of runs (pairs.h), where these are the
                   samples; looked at after each pair. NULL: the sides are samples */
    /* Name or path of the metric that the user asks about first: the chance of the others does not
     * count for it, and it stands first. NULL: the time that commands took. */
    const char *question;
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
    /* Half width of the interval of delta by which the verdict is decided, among so many: a sure
     * change is larger, an unsure one is not. NAN: not known. Of a share no more than is possible:
     * 1. */
    double err;
    double p;      /* two-sided, before the correction for many; NAN */
    double effect; /* what rows are sorted by: |delta| in least changes */
    enum verdict verdict;
    /* Unsure: samples (intervals, or runs) on each side that would about do. NAN otherwise, and
     * where there is no p. */
    double needed;
    /* The same of b alone, where a stays as it is: samples of b in all; INFINITY if a is too short
     * for any b. */
    double needed_of_b;
    /* One of the COMPARE_LEADS strongest sure changes of the tree, of which no child has half or
     * more: look here first */
    bool leads;
    /* Known on one side only: why it is not on the other. Borrowed; "": it does not have it. */
    const char *reason;
    bool asked;        /* it is options.question */
    double part_of_a_; /* private: of the variance of delta */
    double se_, dof_;  /* private: of delta; 0: no interval follows from them */
    double f_;         /* private: the time of watched_bound */
    uint32_t order_;   /* private: in the tree */
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
     * is unsure, what one side has alone, and noise. Metrics that neither side
     * knows have no row. Owned. */
    struct compare_row *row;
    size_t n_row;
    struct compare_counts counts;
    double measured_s_a, measured_s_b;
    bool ran_through; /* both sides are commands that ended by themselves */
    double confidence;
    bool watched;
    /* [n_unknown] In order of their paths: what neither side knows. Owned; the nodes are borrowed.
     */
    const struct run_node **unknown;
    size_t n_unknown;
    int n_verdict[VERDICTS];
    char shared[512]; /* where models differ: which levels and metrics are compared; "" */
    /* private */
    size_t room;                   /* nodes of both sides that there is memory for */
    const struct run_node **order; /* scratch: the nodes of both sides, by path */
    struct compare_row **told;     /* scratch: rows by p */
};

/* False of an unsure row that would take more than 20 times the samples there are. */
bool compare_more_would_do(const struct compare_row *r);

/* Half width of the interval of this metric by itself, which is narrower than err; the same of
 * pairs. */
double compare_err_alone(const struct comparison *c, const struct compare_row *r);

/* True of a verdict that is sure: regressed, improved or changed. */
bool compare_is_sure(const struct compare_row *r);

/* True if instructions per second have changed for sure: one of IPC, GHz and CPUs_Utilized has, and
 * the product of their intervals excludes no change. */
bool compare_work_is_sure(const struct comparison *c);

/* 0 or -ENOMEM. The sides are borrowed until compare_free. */
int compare_sides(const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct comparison *out, struct err *err);
/* Memory for comparisons of n_node nodes, of both sides together. c is zeroed, or of an earlier
 * call. 0 or -ENOMEM. */
int compare_reserve(struct comparison *c, size_t n_node);
void compare_clear(struct comparison *c); /* nothing is compared; the memory stays */
/* compare_sides in the memory of c: allocates nothing where compare_reserve was for as many. */
int compare_again(struct comparison *c, const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct err *err);
void compare_free(struct comparison *c);

/* What one point is in the value of a metric: 0.01 of a share, 1 of what is in percent by itself;
 * 0: it is neither, and differences are relative. */
double compare_point(const struct run_node *n);
/* How many least changes a change is: in points, or relative. */
double compare_in_least(const struct run_node *n, double delta, double relative,
                        const struct compare_options *opt);
/* Both sides know how many slots there were, and this is a share of them: deeper than level 2 many
 * nodes are shares of clocks. */
bool compare_is_of_slots(const struct comparison *c, const struct compare_row *r);
/* The row of a metric, by name or path ignoring case, or NULL. */
const struct compare_row *compare_find(const struct comparison *c, const char *name);
/* The largest change that is unsure and of which it is known how many samples would do, of the tree
 * before others; NULL: there is none. */
const struct compare_row *compare_largest_unsure(const struct comparison *c);
/* What neither side knows, likewise: its reason. NULL: neither has it. */
const char *compare_unknown(const struct comparison *c, const char *name);

#endif
