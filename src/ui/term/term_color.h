/*
 * Colours of poorer terminals: what a 24-bit colour of a theme becomes where there are 256, 16 or
 * 8 of them. Plain arithmetic; term_style.c asks for it.
 */
#ifndef TDTOP_UI_TERM_COLOR_H
#define TDTOP_UI_TERM_COLOR_H

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

/* The index of black or white, whichever can be read on one of the first sixteen, in the palettes
 * of xterm and of the Linux console alike. */
int color_letter_on(int index, int colors);

#endif
