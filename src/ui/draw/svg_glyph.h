/*
 * Characters that are drawn rather than set in a font: blocks, lines and braille join their
 * neighbours only if each fills its cell to the edge, and fonts differ about that.
 */
#ifndef TDTOP_UI_SVG_GLYPH_H
#define TDTOP_UI_SVG_GLYPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SVG_CELL_W = 10, SVG_CELL_H = 20 };

enum svg_glyph {
    GLYPH_TEXT,  /* of the font */
    GLYPH_AREA,  /* a filled path */
    GLYPH_LIGHT, /* the shades: the whole cell, in part transparent */
    GLYPH_MEDIUM,
    GLYPH_DARK,
    GLYPH_DOTS, /* points: a path stroked with round ends */
};

enum svg_glyph svg_glyph_kind(uint32_t cp);
/* Adds the glyph to the data of a path; x and y are those of the top left of its cell. */
void svg_glyph_path(FILE *out, uint32_t cp, int x, int y);

#endif
