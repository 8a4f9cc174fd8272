/*
 * One metric over a row of runs: the rolling mean, and which runs stand out. For shows of a trend
 * and for scripts; whether two runs differ is a question for compare.h.
 */
#ifndef TDTOP_MODEL_OUTLIER_H
#define TDTOP_MODEL_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

enum { OUTLIER_WINDOW = 7 };

struct outlier {
    double rolling; /* mean of the last OUTLIER_WINDOW values; NAN before there are so many */
    double z;       /* (value - mean) / sample standard deviation, of all values; NAN for fewer than
                       2, and where nothing varies */
    bool anomaly;   /* |z| > 2: one in twenty if the values are normal. Fewer than 6 values cannot
                       have one, because |z| is at most (n - 1) / sqrt(n) */
};

struct outlier_sum {
    size_t n;
    double mean, sd; /* of the sample (n - 1); NAN for fewer than 2 */
};

/* Of n finite values in order of time; out [n]. */
struct outlier_sum outlier_find(const double *v, size_t n, struct outlier *out);

#endif
