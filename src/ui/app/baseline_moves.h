/*
 * What keys do to A, the baseline, and B, what came since: B becomes A, B begins again, both change
 * places; and the last of these taken back.
 */
#ifndef TDTOP_UI_BASELINE_MOVES_H
#define TDTOP_UI_BASELINE_MOVES_H

#include "ui/app/baseline.h"

struct screen;

/* Before the last move; private. */
struct baseline_moves {
    bool can_undo;
    bool replaced;       /* A was another: `was` */
    struct baseline was; /* owned; on: false if none was pinned */
    uint64_t since_ns, n_left_out;
    bool swapped;
};

void baseline_moves_destroy(struct baseline_moves *mv); /* accepts a zeroed one */

/* B becomes A, and B begins with the next interval. Without a baseline, and of a moment or span of
 * the time cursor, what is shown is pinned as A. 0, or negative errno with words: nothing has
 * changed. */
int baseline_advance(struct screen *sc, struct err *err);
/* B begins with the next interval. */
void baseline_begin_again(struct screen *sc);
/* A and B change places. */
void baseline_exchange(struct screen *sc);
/* A and B as they were before the last of these. False: there was none. */
bool baseline_undo(struct screen *sc);

/* What was pinned has the labels of the newest snapshot, if that was taken in its time. */
void baseline_label(struct screen *sc);

#endif
