/*
 * A metric over the last minute in a row of cells, with now at the right edge: of shares the square
 * root, all on one scale, so that what is small can be seen and rows compare. A cell has the colour
 * of what was true then: the bottleneck, over its threshold, or neither.
 */
#ifndef TDTOP_UI_SPARK_H
#define TDTOP_UI_SPARK_H

#include "ui/scene/scene.h"

/* In the w cells from x on; what is not known is a dot. */
void spark_draw(const struct scene *sc, struct canvas *c, struct rect r, int x, int w, int metric);
/* "last 60s": what is shown in w cells. Returns buf. */
const char *spark_words(const struct scene *sc, int w, char *buf, size_t cap);

#endif
