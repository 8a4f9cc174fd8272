/* What a cell of a canvas looks like outside of a terminal: for files that keep a screen. */
#ifndef TDTOP_UI_CELL_LOOK_H
#define TDTOP_UI_CELL_LOOK_H

#include "ui/term/canvas.h"
#include "ui/term/term_style.h"

struct term_style cell_style(const struct theme *t, const struct cell *cell, int colors);

/*
 * The character in column x of a row of w cells as it is shown; 0 in the right half of a wide one.
 * without_colors: bars are textures then; ascii: one byte each.
 */
uint32_t cell_char(const struct cell *row, int w, int x, bool without_colors, bool ascii);

#endif
