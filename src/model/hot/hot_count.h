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

/* Samples of equal weight that are as sure; 0 of none. */
static inline double hot_effective(const struct hot_count *c) {
    return c->square > 0 ? c->weight * c->weight / c->square : 0;
}

#endif
