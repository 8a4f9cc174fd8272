/*
 * One metric over the runs of a list, the oldest first: its rolling mean and which runs stand out
 * (model/stats/outlier.h). Knows no canvas.
 */
#ifndef TDTOP_UI_RUNS_TREND_H
#define TDTOP_UI_RUNS_TREND_H

#include "model/stats/outlier.h"
#include "ui/runs/runs.h"

enum { RUNS_TREND_MOST = 10000 }; /* the newest; older ones are left out, and it says so */

struct runs_trend {
    char metric[96];
    char group[128];            /* "io-threads=4"; "" for all runs */
    struct run_list list;       /* newest first; those without the metric too */
    const struct run_row **row; /* [n] */
    double *v;                  /* [n] */
    struct outlier *o;          /* [n] */
    size_t n;
    uint64_t older;   /* runs that are left out, */
    bool more;        /* which are more than that */
    size_t n_without; /* runs of the list without the metric */
    size_t n_anomaly;
    bool many_models; /* the same name need not be the same formula */
    struct outlier_sum sum;
    size_t selected; /* of the n */
};

/* Of the runs that are meant, or of a group of them. 0, or negative errno with words. What was
 * there before is dropped; the newest is selected. */
int runs_trend_read(struct runs_trend *t, struct runs *r, const struct runs_group *of,
                    struct err *err);
void runs_trend_free(struct runs_trend *t); /* accepts a zeroed one */
void runs_trend_move(struct runs_trend *t, int64_t by);
/* To the next run that stands out (1), or the one before (-1). False: there is none. */
bool runs_trend_jump(struct runs_trend *t, int step);

#endif
