/*
 * Colours of poorer terminals: what a 24-bit colour of a theme becomes where there are 256, 16 or
 * 8 of them. Plain arithmetic; term.c asks for it.
 */
#ifndef TDTOP_UI_TERM_COLOR_H
#define TDTOP_UI_TERM_COLOR_H

#include <stdint.h>

/*
 * The palette index for rgb (0xRRGGBB), or -1 for -1 (the terminal's own colour).
 *
 *   colors >= 256  nearest of the 6x6x6 cube and the greys (16..255). The first sixteen are left
 *                  alone: users change them, so nobody knows how they look.
 *   colors 16, 8   by hue, not by distance: the four hues of level 1 must stay four colours, and
 *                  a distance would turn a soft hue into grey.
 */
int color_nearest(int32_t rgb, int colors);

/* 0xRRGGBB of a palette index 16..255, as xterm defines it. */
int32_t color_of_index(int index);

#endif
