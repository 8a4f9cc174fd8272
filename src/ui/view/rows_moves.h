/*
 * Which numbers of which rows have just moved (fade.h): of the rows that are seen, for as long as
 * they are. Found by the number of the thread or CPU, since rows change their places. A fixed
 * number of rows is remembered; the one that was not seen for longest makes room.
 */
#ifndef TDTOP_UI_ROWS_MOVES_H
#define TDTOP_UI_ROWS_MOVES_H

#include "ui/draw/fade.h"

struct rows_moves {    /* private */
    int32_t *id;       /* [MOVES_ROWS] owned */
    uint64_t *seen_ns; /* [MOVES_ROWS] owned; 0: nobody has this place */
    struct fade *at;   /* [MOVES_ROWS][n_column] owned */
    int n_column;
};

int rows_moves_init(struct rows_moves *m, int n_column); /* 0 or -ENOMEM */
void rows_moves_destroy(struct rows_moves *m);           /* accepts a zeroed one */
void rows_moves_forget(struct rows_moves *m);            /* other rows from now on */

/* The values of that id, one for each column, made where it is new. Never NULL after init. */
struct fade *rows_moves_of(struct rows_moves *m, int32_t id, uint64_t now_ns);
/* The same, or NULL if nothing is known of it. */
const struct fade *rows_moves_find(const struct rows_moves *m, int32_t id);

#endif
