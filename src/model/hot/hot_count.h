/*
 * Samples added up. One stands for `period` events. Where periods differ (a frequency was asked
 * for) shares are those of events, and how sure they are follows from the number of samples of
 * equal weight that would be as sure: (sum of weights)^2 / sum of squares (Kish, Survey Sampling,
 * 1965, 11.7).
 */
#ifndef TDTOP_MODEL_HOT_COUNT_H
#define TDTOP_MODEL_HOT_COUNT_H

#include <stdint.h>

struct hot_count {
    uint64_t n;
    double weight; /* events that they stand for */
    double square; /* sum of squares of the weights */
};

static inline void hot_add(struct hot_count *to, const struct hot_count *c) {
    to->n += c->n;
    to->weight += c->weight;
    to->square += c->square;
}

/*
 * A branch in branch records: samples have those of the last that were taken. Records of one sample
 * go together, so that how sure a ratio is follows from sums over samples (hot_missed_rate).
 */
struct hot_taken {
    uint64_t n;               /* records: so often it was taken */
    uint64_t n_told;          /* of them it is known whether it was mispredicted */
    uint64_t n_missed;        /* it was */
    uint64_t n_timed, cycles; /* records that say the cycles since the branch before; these */
    /* n_told and n_missed by what their samples stand for; sums over samples of told^2, told *
     * missed, missed^2, and missed * that of all branches. */
    double told, missed, told2, told_missed, missed2, missed_all;
};

static inline void hot_taken_add(struct hot_taken *to, const struct hot_taken *t) {
    to->n += t->n;
    to->n_told += t->n_told;
    to->n_missed += t->n_missed;
    to->n_timed += t->n_timed;
    to->cycles += t->cycles;
    to->told += t->told;
    to->missed += t->missed;
    to->told2 += t->told2;
    to->told_missed += t->told_missed;
    to->missed2 += t->missed2;
    to->missed_all += t->missed_all;
}

/* Samples of equal weight that are as sure; 0 of none. */
static inline double hot_effective(const struct hot_count *c) {
    return c->square > 0 ? c->weight * c->weight / c->square : 0;
}

#endif
