/*
 * How a value varies from interval to interval, and how sure its mean is: in fixed memory, fed one
 * value at a time, without allocation.
 *
 * Intervals that follow each other resemble each other, so the spread of single values says too
 * little about the spread of their mean. Values are put together in at most MOMENTS_BATCHES batches
 * of equal length; when the last is full, neighbours are joined and the length doubles (dynamic
 * batch means: Yeh and Schmeiser 2000; Fishman, Discrete-Event Simulation, 2001, chapter 6).
 *
 * The variance of the mean is that of the batches, over their number, times what their own memory
 * adds. That is the largest of three answers, because each sees what the others miss:
 *   - the correlation r of neighbours, its bias taken out (Kendall 1954): the variance of the mean
 *     of n values of an AR(1) process, exactly, as few values of a long memory do not see all of
 *     what they vary by;
 *   - the power at the lowest frequencies over that of white noise: squares of the first few cosine
 *     transforms of the batches (Mueller 2007; Lazarus, Lewis, Stock and Watson 2018);
 *   - the same power of this one metric, where an F test says that it is beyond chance.
 * Metrics of one run share its time: a phase of the program is in all of them. moments_results puts
 * many metrics together: each metric's memory is drawn to the mean of all, as far as chance
 * explains the difference (empirical Bayes: Efron and Morris 1975), and the power is the mean of
 * all.
 *
 * Few independent values mean few degrees of freedom (n (1 - r) / (1 + r) - 1, at least 2, and up
 * to 5 where many metrics agree on r) and so a wide interval, never none: two values have a
 * standard error. What no method can see is a phase that outlasts the run; a memory of 0.95 is
 * called a change in one of six runs of 20 intervals, one of 36 of 60.
 */
#ifndef TDTOP_MODEL_MOMENTS_H
#define TDTOP_MODEL_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOMENTS_BATCHES = 128, MOMENTS_LEAST = 2 };

struct moments {
    uint64_t n;
    double mean, m2, least, most; /* of single values (Welford) */
    uint32_t batch_len, n_batch;  /* values per full batch; full batches */
    uint32_t in_last;             /* values in the one that is not full */
    double last;                  /* private: their sum */
    double batch[MOMENTS_BATCHES];
};

struct moments_result {
    uint64_t n;      /* values */
    double mean, sd; /* of single values; NAN for n = 0; sd NAN for n < 2 */
    double least, most;
    double se, dof; /* standard error of the mean, and its degrees of freedom, 1 at least (2 from
                       three values on); NAN and 0 of less than MOMENTS_LEAST values */
    double effective_n; /* independent values that would be as sure: (sd / se)^2, n at the most
                           where nothing varies; NAN without se */
};

void moments_reset(struct moments *m);
void moments_add(struct moments *m, double v); /* what is not finite is left out */

/* Of `n` metrics of the same run, together. */
void moments_results(const struct moments *m, uint32_t n, struct moments_result *out);
/* Of one metric by itself: sure of less than the same metric among others. */
struct moments_result moments_result(const struct moments *m);

/* Student's t: the two-sided quantile (p = 0.95 -> 2.26 for 9 degrees of freedom), any real dof >
 * 0; and the two-sided probability of |t| or more. */
double student_quantile(double p, double dof);
double student_tail(double t, double dof);
/* The same of the normal distribution: the two-sided probability, and which z has it. */
double normal_tail(double z);
double normal_quantile(double tail);
/* The probability of a ratio of variances of f or more, of `above` and `below` degrees of freedom
 * (Fisher's F). */
double fisher_tail(double f, double above, double below);

#endif
