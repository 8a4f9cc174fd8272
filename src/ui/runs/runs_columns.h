/* Which columns the list of runs has, and where: arithmetic only. */
#ifndef TDTOP_UI_RUNS_COLUMNS_H
#define TDTOP_UI_RUNS_COLUMNS_H

#include <stdbool.h>

enum runs_column {
    RUNS_COL_MARK, /* A, B: of two to be compared */
    RUNS_COL_ID,
    RUNS_COL_BEGUN,
    RUNS_COL_LABELS, /* those that vary, a column each */
    RUNS_COL_PROCESS,
    RUNS_COL_DURATION,
    RUNS_COL_BOTTLENECK,
    RUNS_COL_SHARE,    /* of the bottleneck */
    RUNS_COL_FRONTEND, /* and three more, in the order of run_row.top */
    RUNS_COL_BADSPEC,
    RUNS_COL_BACKEND,
    RUNS_COL_RETIRING,
    RUNS_COL_METRIC,
    RUNS_COL_BAR, /* the four as one */
    RUNS_COL_MODEL,
    RUNS_COL_N,
};

struct runs_place {
    int x, w; /* from the left edge; a blank follows each. w 0: left out */
};

/* What the runs of a list differ in. */
struct runs_differ {
    int labels; /* columns of all labels that vary */
    bool process, model;
    bool slots; /* level 1 is known of one at least */
};

void runs_columns(int w, const struct runs_differ *d, struct runs_place out[RUNS_COL_N]);

#endif
