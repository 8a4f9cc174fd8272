/*
 * Level 1 over time: what a trend knows of the roots as shares that stand on each other, useful
 * work at the bottom, and below them a lane with the end of the bottleneck path.
 */
#ifndef TDTOP_UI_STACK_H
#define TDTOP_UI_STACK_H

#include "ui/view/axis.h"

enum { STACK_LANES = 1, STACK_CHIP_W = 2 };

/* Roots that are shares, the last of the model first: from the bottom up. out: [ROOTS_MAX]. */
int stack_roots(const struct model *m, int *out);
/* The hue of a root; in ASCII its letter. */
void stack_chip(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y,
                int metric);
/* The hues and what they stand for, the upper one first: as much of the names as
 * w columns have room for, all or nothing. Returns the columns used. */
int stack_legend(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y, int w);
/* Where columns are. */
static inline struct rect stack_area(struct rect r) {
    return chart_area(r, STACK_LANES);
}
/* Of the time that ch has; its y is not used. */
void stack_draw(const struct scene *sc, struct canvas *c, struct rect r, const struct trend *t,
                const struct chart *ch);

#endif
