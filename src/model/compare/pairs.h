/*
 * A and B measured in turns: each run of A has one of B beside it, and the samples are the
 * differences of these pairs. What drifts slowly (temperature, clock, other load) is in both runs
 * of a pair and falls out. They stand as ABBA or BAAB, which is drawn for each block of two pairs:
 * a steady drift falls out of a block, no rhythm of the machine favours a side, and where nothing
 * differs the sign of a difference is a coin's.
 *
 * The comparison may be looked at after every pair, and measuring may stop because of what was
 * seen: each metric's p is 1/E of an e-process, so that the chance that it ever falls below alpha
 * is at most alpha (Ville 1939). E is the likelihood ratio of the t statistic with effects of mean
 * 0 and variance 1/PAIRS_PRIOR (in standard deviations of a pair) against none (Lai 1976; Wang and
 * Ramdas 2025, "Anytime-valid t-tests and confidence sequences"):
 *
 *   E = sqrt(r) ((1 + t^2 / (n - 1)) / (1 + r t^2 / (n - 1)))^(n/2),  r = PAIRS_PRIOR / (n +
 * PAIRS_PRIOR)
 *
 * The interval is what E does not refute. Over all metrics Holm's correction holds as in compare.h;
 * what is asked (options.question, elapsed) is a question of its own there, and has half of the
 * chance of an error here, as all other metrics together have. Differences that are all the same
 * (counts often are) vary for sure, but nothing says by how much: n of one sign have the chance
 * 2^(1-n) of a coin.
 */
#ifndef TDTOP_MODEL_PAIRS_H
#define TDTOP_MODEL_PAIRS_H

#include "model/compare/compare.h"
#include "model/compare/pool.h"

/* The smaller, the sooner large changes are sure, and the wider the interval of many pairs. */
#define PAIRS_PRIOR 0.1
/* Before that the question is open: of fewer, metrics beside the deciding one have no interval. */
enum { PAIRS_LEAST = 5 };

/* Whether B is first in pair 0, 1, ... : the same seed gives the same order. */
bool pairs_b_first(uint64_t seed, size_t pair);

struct pairs {
    struct pool a, b, difference;
    size_t n;
};
/* 0, -ENOMEM, or -EINVAL with words: their models differ. Keeps nothing of the runs. */
int pairs_add(struct pairs *p, const struct run *a, const struct run *b, struct err *err);

/* The sides and their differences so far, for options.pairs. */
struct pairs_runs {
    struct run a, b, difference;
};
/* At least one pair. 0 or -ENOMEM; pairs_runs_free whatever the result. */
int pairs_runs(struct pairs *p, struct pairs_runs *out, struct err *err);
void pairs_runs_free(struct pairs_runs *r); /* accepts a zeroed one */
void pairs_free(struct pairs *p);           /* likewise */

/* p of a t statistic of n pairs, and the |t| that has this p; 1 and INFINITY: n are too few. */
double pairs_chance(double t, double n);
double pairs_bound(double chance, double n);

/*
 * For compare.c, of a row whose values are there: delta, err and p from the pairs. scale: from the
 * difference of a pair to that of the values. False: no pair knows the metric on both sides.
 */
bool pairs_decide(struct compare_row *r, double scale, const struct compare_options *opt);

enum pairs_answer {
    PAIRS_OPEN,
    PAIRS_CHANGED, /* a deciding metric changed for sure */
    PAIRS_SAME,    /* none changed by as much as the least change, for sure */
};
/*
 * Is the question decided? What decides is the elapsed time where commands ran through; else IPC
 * and the shares of level 1. *by is the metric that changed most of them, or the one whose interval
 * is the widest; NULL if there is none.
 */
enum pairs_answer pairs_answer(const struct comparison *c, const struct compare_options *opt,
                               const struct compare_row **by);
/* How many pairs would about answer it, if this row of n goes on as it does; NAN: not known. */
double pairs_needed(const struct compare_row *by, const struct compare_options *opt, double n);

#endif
