/* What several runs of one `tdtop collect` have in common: the mean of the vital values, and how
 * far single runs are from it. */
#ifndef TDTOP_CLI_COLLECT_SUM_H
#define TDTOP_CLI_COLLECT_SUM_H

#include "model/run/run.h"

enum { SUM_VALUES = 12 };

struct collect_sum { /* of one core type; zeroed at first */
    uint64_t n_run;
    bool simulated;
    char cores[32]; /* "core"; "" where all cores are alike */
    int n;
    struct sum_value {
        char name[64], unit[32];
        bool share;
        uint64_t n;
        double mean, m2; /* of finite values; sum of squares of what is off the mean (Welford) */
    } at[SUM_VALUES];
};

/* One more run: IPC and level 1; with_time: how long it took, too, because that is its own. */
void collect_sum_add(struct collect_sum *sum, const struct run *r, bool with_time);
/* "mean ± standard deviation of 3 runs: IPC 1.23 ± 0.02, ..."; "" for fewer than two. Returns buf.
 */
const char *collect_sum_text(const struct collect_sum *sum, char *buf, size_t cap);

#endif
