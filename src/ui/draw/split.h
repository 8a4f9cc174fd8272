/*
 * User space and kernel: how the cycles (or, without counters, the CPU time) divide. Only a model
 * that has a metric for one of them can say it.
 */
#ifndef TDTOP_UI_SPLIT_H
#define TDTOP_UI_SPLIT_H

#include "model/load/frame.h"
#include "model/load/model.h"

/* Metrics that tell it. user is METRIC_NONE where it is what the kernel leaves. */
struct split {
    int kernel, user;
};

/* False if the model has none. */
bool split_find(const struct model *m, struct split *out);

/* Shares of both, which add up to 1; NAN while they are not known. */
void split_shares(const struct split *sp, const struct frame *f, double *user, double *kernel);

#endif
