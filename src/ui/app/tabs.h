/*
 * The names of the views in the last line: every view with its digit, the one that is shown between
 * brackets, so that it is told without colour, too. Where the line is short names are cut alike, at
 * last to the digits. A click goes there, the wheel to the next one.
 */
#ifndef TDTOP_UI_TABS_H
#define TDTOP_UI_TABS_H

#include "ui/term/canvas.h"

struct mouse;
struct screen;

void tabs_draw(struct screen *sc, struct canvas *c, struct rect r);
void tabs_mouse(struct screen *sc, struct rect r, const struct mouse *m);

#endif
