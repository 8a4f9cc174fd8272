/* How each style is drawn on a terminal with so many colours: colours as indices, plus attributes.
 */
#ifndef TDTOP_UI_TERM_LOOK_H
#define TDTOP_UI_TERM_LOOK_H

#include "ui/term/theme.h"

struct term_style {
    int fg, bg; /* palette index, or 0xRRGGBB with direct colours; -1 = the terminal's own */
    bool bold, dim, underline, reverse;
};

enum { DIRECT_COLORS = 1 << 24 };

/* The look of a cell. selected: with the selection's ground, unless the style has one of its own.
 */
struct term_style term_style_of(const struct theme *t, enum style st, bool selected, int colors);

/* The look of a cell that two hues of level 1 share: one of them on the ground of a fill. */
struct term_style term_style_mixed(const struct theme *t, enum style hue, enum style ground,
                                   int colors);

#endif
