/* Where the columns of the threads view are: arithmetic on its width and the names of the model. */
#ifndef TDTOP_UI_THREADS_PLACE_H
#define TDTOP_UI_THREADS_PLACE_H

#include "ui/term/canvas.h"
#include "ui/view/rows.h"

struct screen;

enum { THREADS_MARK_W = 2 }; /* "+ ", left of all columns */

/* Where the columns are; w == 0: no room. */
struct places {
    int x[ROWS_COLUMNS], w[ROWS_COLUMNS];
    int bar_x, bar_w;
};

struct places threads_place(const struct screen *sc, struct rect r);
/* The column with that field; of several metrics the first. */
int threads_column(const struct screen *sc, enum row_field field);
/* True if the column is a root of the tree. */
bool threads_is_root(const struct screen *sc, int column);

#endif
