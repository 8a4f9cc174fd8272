/*
 * Lines of numbers of threads, CPUs, or all of them: the columns of rows.h at their places.
 * Who a line is about is drawn by the view.
 */
#ifndef TDTOP_UI_ROWS_DRAW_H
#define TDTOP_UI_ROWS_DRAW_H

#include "model/load/frame.h"
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

/* It has become what is shown. */
void rows_enter(struct scene *sc);
struct list *rows_list(struct scene *sc);
/* A part of a name, and what follows when it has changed: only rows that have it are left. */
struct search *rows_search(struct scene *sc);
void rows_look(struct scene *sc);

/* h: rows below them. That of duties is silent where these have nothing to say. */
void rows_draw_headings(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct places *p, int h);
/* What a frame says of who ran so much. */
void rows_draw_frame(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, const struct frame *f, double busy, double duty,
                     enum style plain);
/* The last minute of a thread or CPU, one line, now at the right edge of r: the height is CPU time,
 * the hue the largest loss; a dot where it did not run, a blank where nobody looked. */
void rows_draw_strip(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct unit_row *row);
/* "last 56s": what a strip of so many columns shows. Returns buf. */
const char *rows_strip_words(int w, char *buf, size_t cap);
void rows_draw_busy(struct canvas *c, struct rect r, int x, int w, enum style st, double busy);
/* Arrows behind the numbers that have just moved: of the whole target, and of a row. */
void rows_draw_changes(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct places *p);
void rows_draw_moves(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, int at);

/* In the middle of a view without rows: why there are none, and what to do. */
void rows_draw_none(const struct scene *sc, struct canvas *c, struct rect r);

#endif
