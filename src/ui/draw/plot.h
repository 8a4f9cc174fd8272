/*
 * One metric over time as a line: braille (2 x 4 dots a cell), blocks (columns of eighths) or
 * ASCII, with what is known of it around it. Pure: arrays in, cells out, nothing is kept and
 * nothing allocated.
 *
 *   the line    means of the columns; what is longer than a column is joined by straight lines
 *               through the middles of the values. A gap is never bridged, and is hatched at the
 *               bottom
 *   envelope    where several values fall into one column, from the least to the greatest
 *   band        value ± err, in a lighter style, behind line and envelope
 *   rules       threshold (dotted) and baseline (dashed), behind the line
 *   beyond      a value above or below the axis is a small arrow at its edge
 */
#ifndef TDTOP_UI_PLOT_H
#define TDTOP_UI_PLOT_H

#include "ui/draw/chart.h"

struct plot {
    struct chart chart;
    struct chart_values values;
    enum style style; /* of the line */
    double threshold; /* NAN = none */
    double baseline;  /* NAN = none */
};

/*
 * What the value axis should hold: the values that are on the time axis, and those rules that cost
 * it no more than half its height. NAN, NAN: nothing is known.
 */
void plot_range(const struct plot *p, double *min, double *max);
/* True if something of what is drawn is a gap; and how that looks, for a legend. */
bool plot_has_gap(const struct plot *p);
const char *plot_gap_sample(enum chart_glyph glyph);

/* Everything, axes included. p->chart.x has as many cells as chart_area(r, 0) is wide. */
void plot_draw(struct canvas *c, struct rect r, const struct plot *p);

/* The line, its envelope and its band alone: a second one over the first. */
void plot_draw_line(struct canvas *c, struct rect area, const struct chart *ch,
                    const struct chart_values *cv, enum style st);

#endif
