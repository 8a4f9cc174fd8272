/*
 * Which way is better, and what adds up with time: what a comparison must know of a metric beside
 * its value. A model's own word (good_up, good_down) counts first; else the name says it, because
 * the same idea has the same name in every model, and of two names for one thing (IPC and CPI, hit
 * and miss) both must say the same.
 */
#ifndef TDTOP_MODEL_DIRECTION_H
#define TDTOP_MODEL_DIRECTION_H

#include <stdbool.h>

struct model;

/* What is known of a metric. */
struct direction_of {
    const char *path; /* "Retiring.Heavy_Operations"; outside the tree its name */
    int level;        /* 0: outside the tree */
    bool total;       /* adds up with time */
};

/* 1: a rise is an improvement; -1: a fall is; 0: neither is. */
int direction_find(const struct direction_of *m);

/* Fills `total` and `better` of all metrics. The formulas and the order are known. power: room for
 * n_metric of them. */
void direction_fill(struct model *m, signed char *power);

#endif
