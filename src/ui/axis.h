/*
 * The axes that the plots share: which buckets of a trend are on screen, numbers at the side, time
 * below. Neither jumps: time moves on by an eighth of the width at once, so that between two such
 * steps a new interval changes one cell.
 */
#ifndef TDTOP_UI_AXIS_H
#define TDTOP_UI_AXIS_H

#include "ui/screen.h"

/* What the time axis shows. */
struct span {
    uint64_t first; /* bucket of the trend */
    int n;          /* buckets, of which some are still to come */
    int dots;       /* columns of dots per bucket: young sessions are drawn wider */
};

/* The place inside the axes: beside the numbers, below the title, above `below` rows. */
struct rect axis_area(struct rect r, int below);
/* Two columns of dots per cell. */
struct span axis_span(const struct trend *t, int n_dots);
/* Values of the span, one per column of dots, in sc->dots. */
float *axis_values(struct screen *sc, int metric, struct span sp, int n_dots);

/* The column of a time, or -1 if it is not on the axis. */
int axis_x(struct rect area, struct span sp, uint64_t bucket_ns, uint64_t t_ns);
/* The end of the newest bucket in a column. */
uint64_t axis_time(struct rect area, struct span sp, uint64_t bucket_ns, int x);

/* Three numbers: the upper end, the middle, 0. */
void axis_draw_numbers(struct canvas *c, struct rect area, bool share, double top);
/* Marks at round times below the area. */
void axis_draw_times(struct canvas *c, struct rect area, struct span sp, uint64_t bucket_ns);

#endif
