/*
 * What the plots of a screen share: which time they show, the values of a trend as a plot takes
 * them, and what lies on them: marks, the time cursor, the span.
 */
#ifndef TDTOP_UI_AXIS_H
#define TDTOP_UI_AXIS_H

#include "ui/draw/chart.h"
#include "ui/scene/scene.h"

/* What plots are drawn with. */
enum chart_glyph axis_glyph(const struct scene *sc);

/* Until the newest bucket, which is at the right edge; one scale for as long as a session lasts.
 * What has ended fills the width. */
struct scale_time axis_newest(const struct scene *sc, const struct trend *t, int cells);

enum { AXIS_MARKS = TIMELINE_MARKS + BREAKS_MOST };
/* A chart of that time without a value axis; its marks, and changes of level, are put into mark
 * [AXIS_MARKS]. */
struct chart axis_chart(const struct scene *sc, struct scale_time x, struct chart_mark *mark);

/* What a trend knows of a metric: v and err (or NULL) have room for t->n values. */
struct chart_values axis_values(const struct scene *sc, const struct trend *t, int metric, float *v,
                                float *err);
/* Where the bottleneck path ended in as many buckets; returns how many, the first as above. */
int axis_ends(const struct scene *sc, const struct trend *t, int16_t *end);

/* Goes to the moment under the mouse: chart is what chart_area was asked for. */
void axis_mouse(struct scene *sc, struct rect area, const struct scale_time *x,
                const struct mouse *m);

#endif
