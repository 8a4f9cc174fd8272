/*
 * What VIEW_DIFF shows: the baseline against what is live, or two stored runs. The comparison of
 * two runs is made once and kept here; that of the baseline follows the measuring.
 */
#ifndef TDTOP_UI_DIFF_H
#define TDTOP_UI_DIFF_H

#include "model/compare.h"

struct screen;

struct diff {
    bool stored;     /* a and b below; else the baseline of the screen */
    struct run a, b; /* owned */
    struct comparison c;
    char selected[160]; /* path of the metric of the selected row; "" the first */
    int top, page;      /* first row that is shown, rows that fit */
};

void diff_destroy(struct diff *d); /* accepts a zeroed one; leaves it zeroed */

/* Opens the view on the baseline. False, with a message, if there is none. */
bool diff_open(struct screen *sc);
/* Opens the view on two stored runs, of which nodes and head are enough. Takes both over, whatever
 * the result. 0, or negative errno with words. */
int diff_open_runs(struct screen *sc, struct run *a, struct run *b, struct err *err);

/* The comparison that is shown; it has no rows before there is anything to compare. */
const struct comparison *diff_shown(const struct screen *sc);
/* A row in the order of the view: what one side has alone is at the end. */
const struct compare_row *diff_row(const struct comparison *c, int row);
/* The selected row, or -1. */
int diff_selected(const struct screen *sc);
void diff_move(struct screen *sc, int rows);
void diff_first(struct screen *sc);
void diff_last(struct screen *sc);
/* Goes to the selected metric in the tree, if this model has it. */
void diff_enter(struct screen *sc);

#endif
