/* How each style is drawn with so many colours: colours as indices, plus attributes; which index is
 * nearest to a colour. */
#ifndef TDTOP_UI_TERM_STYLE_H
#define TDTOP_UI_TERM_STYLE_H

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

#include <stdint.h>

/*
 * The palette index for rgb (0xRRGGBB), or -1 for -1 (the terminal's own colour).
 *
 *   colors >= 256  the one that looks nearest (in Oklab) of the 6x6x6 cube and the greys, 16..255.
 *                  The first sixteen are left alone: users change them, so nobody knows how they
 *                  look.
 *   colors 16, 8   by hue, not by distance: a distance would turn a soft hue into grey.
 */
int color_nearest(int32_t rgb, int colors);

enum { HUES = 4 };

/*
 * The same for the hues of level 1, which must stay as many colours as they are: hues that differ
 * get indices that differ, the nearest that can be had together. avoid: a colour from which they
 * stay away where they can (the ground of the bottleneck), or -1. index[i] is -1 for rgb[i] -1.
 */
void color_hues(const int32_t rgb[HUES], int32_t avoid, int colors, int index[HUES]);

/* 0xRRGGBB of a palette index: 16..255 as xterm defines it; 0..15 as xterm has it by default. */
int32_t color_of_index(int index);

/* Black letters can be read better on it than white ones. */
bool color_is_light(int32_t rgb);

struct term_style {
    int fg, bg; /* palette index, or 0xRRGGBB with direct colours; -1 = the terminal's own */
    bool bold, dim, underline, reverse;
};

enum { DIRECT_COLORS = 1 << 24 };

/* The look of a cell. selected: with the selection's ground, unless the style has one of its own.
 */
struct term_style term_style_of(const struct theme *t, enum style st, bool selected, int colors);

/* The look of a cell that two fills share, both in their colours (canvas_put_on). none: ground is
 * what is behind both. */
struct term_style term_style_shared(const struct term_style *fill, const struct term_style *ground,
                                    bool none);

/* The look of a cell of a canvas. */
struct term_style cell_style(const struct theme *t, const struct cell *cell, int colors);

/*
 * The character in column x of a row of w cells as it is shown; 0 in the right half of a wide one.
 * without_colors: bars are textures then; ascii: one byte each.
 */
uint32_t cell_char(const struct cell *row, int w, int x, bool without_colors, bool ascii);

/* Without colours: the texture of a bar in column x, else its character. Three cells on each
 * side count. */
uint32_t cell_texture(const struct cell *row, int w, int x, bool ascii);

#endif
