/*
 * Truecolour -> 256 -> 16 -> 8 -> mono. Down to 256 colours a theme looks as it was made. With 16
 * and 8 the hues stay, the selection is shown reversed (there is no faint ground), and greys on the
 * terminal's own ground become its own colour, because nobody knows whether that ground is dark or
 * light. Without colours only attributes are left: term.c takes the theme "mono" then.
 */
#include "ui/term_look.h"

#include "ui/term_color.h"

static int color_for(int32_t rgb, int colors) {
    return colors >= DIRECT_COLORS ? (int)rgb : color_nearest(rgb, colors);
}

static bool is_grey_index(int index) {
    return index >= 0 && (index % 8 == 0 || index % 8 == 7);
}

/* A middle grey is secondary text: dim says so where the grey itself cannot be had. */
static bool is_middle(int32_t rgb) {
    const int g = rgb >> 8 & 255;
    return g >= 60 && g < 176;
}

static void few_colors(struct term_look *l, int32_t fg, int colors) {
    if (l->bg < 0 && colors < 16 && is_grey_index(l->fg)) {
        l->dim = l->dim || is_middle(fg);
        l->fg = -1;
    }
    if (l->fg == l->bg && l->fg >= 0)
        l->fg = l->bg == 0 ? 7 : 0;
    if (l->fg == 0)
        l->bold = false; /* old terminals show bold black as grey */
}

struct term_look term_look_of(const struct theme *t, enum style st, bool selected, int colors) {
    struct look k = t->look[st];
    const bool has_ground = k.bg >= 0 || k.reverse;
    if (selected && !has_ground && (t->selected_bg < 0 || colors <= 16)) {
        k.fg = -1;
        k.reverse = true;
    } else if (selected && !has_ground) {
        k.bg = t->selected_bg;
        if (k.fg < 0)
            k.fg = t->look[STYLE_SELECTED].fg;
    }
    struct term_look l = {-1, -1, k.bold, k.dim, k.underline, k.reverse};
    if (colors <= 0)
        return l;
    l.fg = color_for(k.fg, colors);
    l.bg = color_for(k.bg, colors);
    if (colors <= 16)
        few_colors(&l, k.fg, colors);
    return l;
}
