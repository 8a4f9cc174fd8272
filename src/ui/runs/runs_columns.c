#include "ui/runs/runs_columns.h"

#include <string.h>

/* What a column needs, and what more it may have of what is left; the highest rank goes first. */
static const struct {
    int w, more, rank;
} want[RUNS_COL_N] = {
    [RUNS_COL_MARK] = {1, 0, 0},        [RUNS_COL_ID] = {8, 0, 0},
    [RUNS_COL_BOTTLENECK] = {14, 8, 1}, [RUNS_COL_SHARE] = {6, 0, 1},
    [RUNS_COL_BEGUN] = {12, 0, 2},      [RUNS_COL_PROCESS] = {12, 6, 3},
    [RUNS_COL_DURATION] = {7, 1, 4},    [RUNS_COL_LABELS] = {10, 400, 5},
    [RUNS_COL_FRONTEND] = {6, 2, 6},    [RUNS_COL_BADSPEC] = {6, 2, 6},
    [RUNS_COL_BACKEND] = {6, 1, 6},     [RUNS_COL_RETIRING] = {6, 2, 6},
    [RUNS_COL_METRIC] = {10, 0, 7},     [RUNS_COL_BAR] = {20, 10, 8},
    [RUNS_COL_MODEL] = {8, 4, 9},
};
enum { RANKS = 10, LABELS_W = 22 /* before others have room */, HEADS_MORE = 12 };

/* All columns of a rank, or none of them. */
static int rank_width(int rank) {
    int w = 0;
    for (int i = 0; i < RUNS_COL_N; i++)
        if (want[i].rank == rank)
            w += want[i].w + 1;
    return w;
}

static void take(int rank, int *left, struct runs_place *out) {
    const int labels = out[RUNS_COL_LABELS].w;
    const int kept = labels && labels < LABELS_W ? LABELS_W - labels : 0;
    if (rank_width(rank) + kept > *left)
        return;
    for (int i = 0; i < RUNS_COL_N; i++)
        if (want[i].rank == rank)
            out[i].w = want[i].w;
    *left -= rank_width(rank);
}

static void give(enum runs_column i, int most, int *left, struct runs_place *out) {
    const int n = most < *left ? most : *left;
    if (out[i].w == 0 || n <= 0)
        return;
    out[i].w += n;
    *left -= n;
}

void runs_columns(int w, struct runs_place out[RUNS_COL_N]) {
    static const enum runs_column order[] = {RUNS_COL_PROCESS, RUNS_COL_BOTTLENECK, RUNS_COL_MODEL,
                                             RUNS_COL_BAR, RUNS_COL_LABELS};
    static const enum runs_column heads[] = {RUNS_COL_FRONTEND, RUNS_COL_BADSPEC, RUNS_COL_BACKEND,
                                             RUNS_COL_RETIRING};
    int left = w, x = 0;
    memset(out, 0, RUNS_COL_N * sizeof(*out));
    for (int rank = 0; rank < RANKS; rank++)
        take(rank, &left, out);
    give(RUNS_COL_LABELS, LABELS_W - out[RUNS_COL_LABELS].w, &left, out);
    for (int i = 0; i < 4 && left >= HEADS_MORE; i++) /* their names whole, or none of them */
        give(heads[i], want[heads[i]].more, &left, out);
    for (int i = 0; i < 5; i++) { /* the labels have most use for room */
        int part = order[i] == RUNS_COL_LABELS ? left : left / 5;
        left -= part;
        give(order[i], want[order[i]].more, &part, out);
        left += part;
    }
    for (int i = 0; i < RUNS_COL_N; i++) {
        out[i].x = x;
        x += out[i].w ? out[i].w + 1 : 0;
    }
}
