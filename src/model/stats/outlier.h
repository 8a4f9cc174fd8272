/*
 * One metric over a row of runs: the rolling mean, and which runs stand out. For shows of a trend
 * and for scripts; whether two runs differ is a question for compare.h.
 */
#ifndef TDTOP_MODEL_OUTLIER_H
#define TDTOP_MODEL_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

enum { OUTLIER_WINDOW = 7, OUTLIER_LEAST = 4 };

struct outlier {
    double rolling; /* mean of the last OUTLIER_WINDOW values; NAN before there are so many */
    double z;       /* (value - mean) / sample standard deviation, of all values; NAN for fewer than
                       2, and where nothing varies */
    bool anomaly;   /* apart from the others: |t| of its deviation from their mean, by their
                       deviation (externally studentized; Cook and Weisberg, "Residuals and
                       Influence in Regression", 2.2), is one that one normal value in a hundred
                       has. Never of fewer than OUTLIER_LEAST values */
};

struct outlier_sum {
    size_t n;
    double mean, sd; /* of the sample (n - 1); NAN for fewer than 2 */
};

/*
 * One group among others: its mean beside theirs. p: the two-sided probability that one of n groups
 * which do not differ is so far off (Student's t of the deviation from the mean of the others'
 * means, by their deviation, n - 2 degrees of freedom; times n, Bonferroni), 1 at the most; NAN for
 * fewer than OUTLIER_LEAST groups, and where the others do not vary. The mean of fewer values than
 * others have varies more, by what one value does in its group (pooled variance within groups times
 * 1/n - 1/n of the others, their harmonic mean).
 */
struct outlier_of {
    double mean, sd; /* of n values; sd NAN for fewer than 2 */
    size_t n;
};
struct outlier_group {
    double by; /* mean minus the mean of the others' means */
    double p;
};
void outlier_groups(const struct outlier_of *of, size_t n, struct outlier_group *out);

/* Of n finite values in order of time; out [n]. */
struct outlier_sum outlier_find(const double *v, size_t n, struct outlier *out);

#endif
