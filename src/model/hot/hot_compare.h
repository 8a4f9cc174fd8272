/* Which functions have another share of the samples in B than in A. */
#ifndef TDTOP_MODEL_HOT_COMPARE_H
#define TDTOP_MODEL_HOT_COMPARE_H

#include "model/hot/hot.h"

struct hot_change {
    const struct hot_function *function; /* borrowed, of B, else of A; hot_compare has it */
    const char *name, *file;             /* its own, of its module; borrowed */
    uint32_t number;                     /* the caller's own */
    struct hot_count a, b;
    double share_a, share_b;
    double delta, low, high; /* share_b - share_a, and its interval */
    double p;                /* two-sided, before the correction for many */
    bool sure;
};

/*
 * Functions are the same by name and by the name of their file, which a new build does not change.
 * The interval of a difference is Newcombe's hybrid score interval (Statistics in Medicine 17
 * (1998), 873-890, method 10), p that of two proportions; of all functions with HOT_LEAST samples
 * on both sides together the chance of a single false `sure` is held at 1 - confidence (Holm 1979).
 * Samples are taken for independent, which those of one second are not quite.
 *
 * Changes that are sure come first, then the others, by size. A malloc'ed list; a and b are
 * borrowed while it is used. 0 or -ENOMEM.
 */
int hot_compare(const struct hot *a, const struct hot *b, double confidence,
                struct hot_change **list, size_t *n);

/* The second half of it: of n changes with name, file, a and b, of sums that are not 0, fills the
 * others and sorts. */
void hot_compare_judge(struct hot_change *list, size_t n, const struct hot_count *all_a,
                       const struct hot_count *all_b, double confidence);

#endif
