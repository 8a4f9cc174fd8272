/*
 * One metric over time with all that is known of it: its ±, its threshold, the baseline while one
 * is pinned; a title line that says the same in numbers, and which line is which.
 */
#ifndef TDTOP_UI_METRIC_PLOT_H
#define TDTOP_UI_METRIC_PLOT_H

#include "ui/view/axis.h"

/* Where its columns are. */
struct rect metric_plot_area(struct rect r);
/* Of the time that ch has; y is kept by the caller, so that the axis does not jump. t NULL: the
 * title alone. */
void metric_plot_draw(const struct scene *sc, struct canvas *c, struct rect r, int metric,
                      const struct trend *t, const struct chart *ch, struct scale *y);

#endif
