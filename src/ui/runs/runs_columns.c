#include "ui/runs/runs_columns.h"

#include <string.h>

/* What a column needs, and what more it may have of what is left; the highest rank goes first. */
static const struct {
    int w, more, rank;
} want[RUNS_COL_N] = {
    [RUNS_COL_MARK] = {1, 0, 0},        [RUNS_COL_ID] = {8, 0, 0},
    [RUNS_COL_BOTTLENECK] = {14, 8, 1}, [RUNS_COL_SHARE] = {6, 0, 1},
    [RUNS_COL_BEGUN] = {12, 0, 2},      [RUNS_COL_DURATION] = {7, 1, 3},
    [RUNS_COL_LABELS] = {0, 0, 4},      [RUNS_COL_PROCESS] = {12, 6, 5},
    [RUNS_COL_FRONTEND] = {5, 4, 6},    [RUNS_COL_BADSPEC] = {5, 4, 6},
    [RUNS_COL_BACKEND] = {5, 3, 6},     [RUNS_COL_RETIRING] = {5, 4, 6},
    [RUNS_COL_METRIC] = {10, 0, 7},     [RUNS_COL_BAR] = {20, 10, 8},
    [RUNS_COL_MODEL] = {8, 4, 9},
};
enum {
    RANKS = 10,
    LABELS_RANK = 4,
    HEADS_RANK = 6,
    LABELS_W = 22 /* before others have room */,
    HEADS_MORE = 15,
    BESIDE = 38
};

static bool is_meant(int i, const struct runs_differ *d) {
    return (i != RUNS_COL_PROCESS || d->process) && (i != RUNS_COL_MODEL || d->model) &&
           (want[i].rank != HEADS_RANK || d->slots);
}

/* All columns of a rank, or none of them. */
static void take(int rank, const struct runs_differ *d, int *left, struct runs_place *out) {
    int w = 0;
    for (int i = 0; i < RUNS_COL_N; i++)
        if (want[i].rank == rank && is_meant(i, d))
            w += want[i].w + 1;
    if (w > *left)
        return;
    for (int i = 0; i < RUNS_COL_N; i++)
        if (want[i].rank == rank && is_meant(i, d))
            out[i].w = want[i].w;
    *left -= w;
}

/* As many as they need, if the process and level 1 have room beside them. */
static void take_labels(const struct runs_differ *d, int *left, struct runs_place *out) {
    int most = *left - BESIDE > LABELS_W ? *left - BESIDE : LABELS_W;
    most = most < *left - 1 ? most : *left - 1;
    const int w = d->labels < most ? d->labels : most;
    if (w <= 0)
        return;
    out[RUNS_COL_LABELS].w = w;
    *left -= w + 1;
}

static void give(enum runs_column i, int most, int *left, struct runs_place *out) {
    const int n = most < *left ? most : *left;
    if (out[i].w == 0 || n <= 0)
        return;
    out[i].w += n;
    *left -= n;
}

void runs_columns(int w, const struct runs_differ *d, struct runs_place out[RUNS_COL_N]) {
    static const enum runs_column order[] = {RUNS_COL_PROCESS, RUNS_COL_BOTTLENECK, RUNS_COL_MODEL,
                                             RUNS_COL_BAR};
    static const enum runs_column heads[] = {RUNS_COL_FRONTEND, RUNS_COL_BADSPEC, RUNS_COL_BACKEND,
                                             RUNS_COL_RETIRING};
    int left = w, x = 0;
    memset(out, 0, RUNS_COL_N * sizeof(*out));
    for (int rank = 0; rank < RANKS; rank++) {
        if (rank == LABELS_RANK)
            take_labels(d, &left, out);
        else
            take(rank, d, &left, out);
        const bool all = rank == HEADS_RANK && left >= HEADS_MORE; /* whole names, or none */
        for (int i = 0; i < 4 && all; i++)
            give(heads[i], want[heads[i]].more, &left, out);
    }
    give(RUNS_COL_LABELS, d->labels - out[RUNS_COL_LABELS].w, &left, out);
    for (int i = 0; i < 4; i++)
        give(order[i], want[order[i]].more, &left, out);
    for (int i = 0; i < RUNS_COL_N; i++) {
        out[i].x = x;
        x += out[i].w ? out[i].w + 1 : 0;
    }
}
