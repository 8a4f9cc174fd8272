/* One line of the list of metrics, drawn. */
#ifndef TDTOP_UI_METRICS_LINE_H
#define TDTOP_UI_METRICS_LINE_H

#include "model/load/frame.h"
#include "ui/term/canvas.h"
#include "ui/view/metrics.h"

struct scene;

/* Widths of the columns, a blank at the left end of each; 0: left out. */
struct metrics_cols {
    int name, value, unit, mark, err, spark, duty, groups;
};

/* The columns in w cells: by the width alone. */
struct metrics_cols metrics_cols_for(int w);

/* Their headings; the one that decides the order is marked. What the list is stands left of them.
 */
void metrics_draw_columns(const struct scene *sc, struct canvas *c, struct rect r,
                          const struct metrics_cols *k);
/* A metric, or the heading of a group. */
void metrics_draw_row(const struct scene *sc, struct canvas *c, struct rect r,
                      const struct metrics_cols *k, const struct metrics_row *row);

/* Opening the view makes what is in it measured: true while that is so. */
bool metrics_is_asked(const struct scene *sc);
/* "why → what would help" of a value that is not known; in a row the event has no room. */
void metrics_reason(const struct scene *sc, const struct value *v, bool row, char *buf, size_t cap);

#endif
