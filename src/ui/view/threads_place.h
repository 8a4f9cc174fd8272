/* Where the columns of the threads view are: arithmetic on its width and the names of the model. */
#ifndef TDTOP_UI_THREADS_PLACE_H
#define TDTOP_UI_THREADS_PLACE_H

#include "ui/scene/scene.h"
#include "ui/term/canvas.h"
#include "ui/view/rows.h"

/* The state of the threads and CPUs views. */
static inline struct rows *rows_of(const struct scene *sc) {
    return sc->state;
}

enum { THREADS_MARK_W = 2 }; /* "+ ", left of all columns */

/* Where the columns are; w == 0: no room. */
struct places {
    int x[ROWS_COLUMNS], w[ROWS_COLUMNS];
    int bar_x, bar_w;
};

struct places threads_place(const struct scene *sc, struct rect r);
/* The column with that field; of several metrics the first. */
int threads_column(const struct scene *sc, enum row_field field);
/* True if the column is a root of the tree. */
bool threads_is_root(const struct scene *sc, int column);

#endif
