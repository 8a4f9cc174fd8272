/*
 * Borders between panes that are moved with the mouse: the column left of the side, the first lines
 * of the plots below the tree. Where they are is struct splits of the screen; who leaves the
 * program and wants them back next time has them in the settings, as text.
 */
#ifndef TDTOP_UI_BORDERS_H
#define TDTOP_UI_BORDERS_H

#include "base/err.h"
#include "ui/draw/layout.h"

struct screen;
struct mouse;

/* True if the press took hold of a border: no pane gets it. */
bool borders_press(struct screen *sc, const struct mouse *m);
/* The border that is held goes there. False if none is. */
bool borders_drag(struct screen *sc, const struct mouse *m);
/* Puts the borders of all screens where this says. 0 or -ENOMEM. */
int borders_put(struct screen *sc, const struct splits *to);

/* The next preset of layout.h, and says so. */
void borders_next(struct screen *sc);

/* The name of a preset, or "side 30%, plot 40.5%, stack none". Returns buf. */
const char *borders_text(const struct splits *sp, char *buf, size_t cap);
/* From such a text; "" is the first preset. 0, or -EINVAL with words. */
int borders_parse(const char *text, struct splits *out, struct err *err);

#endif
