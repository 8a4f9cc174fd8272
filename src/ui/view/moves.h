/* What changed most in the last minute: the tree's largest changes, in points of slots. */
#ifndef TDTOP_UI_MOVES_H
#define TDTOP_UI_MOVES_H

#include "ui/scene/scene.h"

enum { MOVES = 3 };

struct move {
    int metric;
    double points; /* of a share, now less then */
};

/*
 * The largest changes between two frames, the largest first: at least 2 points, and more than both
 * ± allow. Of a node and what it is made of one is told, the deepest that explains four fifths.
 * Returns how many.
 */
int moves_find(const struct model *m, const struct frame *then, const struct frame *now,
               struct move out[MOVES]);
/* In one line, from a column on: nothing while another moment than now is shown, or if none is. */
void moves_draw(const struct scene *sc, struct canvas *c, struct rect r);

#endif
