/* What is said of the selected metric, or of the group whose heading is. */
#ifndef TDTOP_UI_METRICS_ABOUT_H
#define TDTOP_UI_METRICS_ABOUT_H

#include "ui/term/canvas.h"

struct scene;

/* In a few lines below the list. */
void metrics_draw_about(const struct scene *sc, struct canvas *c, struct rect r);
/* In full beside it, behind a line. */
void metrics_draw_side(const struct scene *sc, struct canvas *c, struct rect r);

#endif
