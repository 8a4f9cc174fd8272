/*
 * Truecolour -> 256 -> 16 -> 8 -> mono. Down to 256 colours a theme looks as it was made. With 16
 * and 8 the hues stay, the selection is shown reversed (there is no faint ground), and greys on the
 * terminal's own ground become its own colour, because nobody knows which that ground is: bright
 * black is the ground itself in some dark palettes. What was a middle grey is dim then.
 * Without colours only attributes are left: term.c takes the theme "mono" then.
 */
#include "ui/term/term_style.h"

#include "ui/term/term_color.h"

#include <string.h>

/* Level 1's fills, the ground they are drawn beside, and what these become. */
struct hues {
    int32_t from[HUES], ground;
    int colors, index[HUES];
};

/* Each look of a theme asks for the same ones; a thread draws one theme. */
static const struct hues *hues_of(const struct theme *t, int colors) {
    static _Thread_local struct hues last = {.colors = -1};
    struct hues want = {.ground = t->look[STYLE_BOTTLENECK].bg, .colors = colors};
    for (int i = 0; i < HUES; i++)
        want.from[i] = t->look[STYLE_FRONTEND + i].fg;
    if (memcmp(last.from, want.from, sizeof(last.from)) != 0 || last.ground != want.ground ||
        last.colors != colors) {
        color_hues(want.from, want.ground, colors, want.index);
        last = want;
    }
    return &last;
}

/* The hues of level 1 are chosen together, and whatever has the colour of one follows it. */
static int color_for(const struct theme *t, int32_t rgb, int colors) {
    if (rgb < 0 || colors >= DIRECT_COLORS)
        return (int)rgb;
    const struct hues *hues = hues_of(t, colors);
    for (int i = 0; i < HUES; i++)
        if (hues->from[i] == rgb)
            return hues->index[i];
    return color_nearest(rgb, colors);
}

static bool is_grey_index(int index) {
    return index >= 0 && (index % 8 == 0 || index % 8 == 7);
}

/* A middle grey is secondary text: dim says so where the grey itself cannot be had. */
static bool is_middle(int32_t rgb) {
    const int g = rgb >> 8 & 255;
    return g >= 60 && g < 176;
}

/* Made for a light ground. */
static bool is_light(const struct theme *t) {
    return (t->own_bg >> 8 & 255) >= 128;
}

/* Drawn with blocks and lines as much as with letters: the hue is what matters. */
static bool is_drawn(enum style st) {
    return (st >= STYLE_FRONTEND && st <= STYLE_RETIRING) || st == STYLE_PLOT ||
           (st >= STYLE_HEAT_0 && st <= STYLE_HEAT_4);
}

/* Letters in green, yellow or cyan of the sixteen cannot be read on a light ground. */
static bool is_pale(int index) {
    return index >= 0 && (index % 8 == 2 || index % 8 == 3 || index % 8 == 6);
}

static void few_colors(struct term_style *l, const struct theme *t, enum style st, int32_t fg,
                       int colors) {
    const bool light = is_light(t);
    if (l->bg < 0 && is_grey_index(l->fg)) {
        const bool grey = light && colors >= 16 && is_middle(fg); /* bright black is dark enough */
        l->dim = l->dim || (!grey && is_middle(fg));
        l->fg = grey ? 8 : -1;
    }
    if (l->bg < 0 && light && is_pale(l->fg) && !is_drawn(st))
        l->fg = -1;
    if (l->bg >= 0)
        l->fg = color_letter_on(l->bg, colors);
    if (l->fg == 0)
        l->bold = false; /* old terminals show bold black as grey */
}

struct term_style term_style_of(const struct theme *t, enum style st, bool selected, int colors) {
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
    struct term_style l = {-1, -1, k.bold, k.dim, k.underline, k.reverse};
    if (colors <= 0)
        return l;
    l.fg = color_for(t, k.fg, colors);
    l.bg = color_for(t, k.bg, colors);
    if (colors <= 16)
        few_colors(&l, t, st, k.fg, colors);
    return l;
}

/* Both in the colours of their fills, so that the shared cell goes on what is above and below. */
struct term_style term_style_mixed(const struct theme *t, enum style hue, enum style ground,
                                   int colors) {
    const enum style fill = hue - STYLE_FRONTEND + STYLE_FRONTEND_FILL;
    const struct term_style over = term_style_of(t, fill, false, colors);
    const struct term_style under = term_style_of(t, ground, false, colors);
    if (over.bg < 0 || under.bg < 0)
        return term_style_of(t, hue, false, colors);
    return (struct term_style){.fg = over.bg, .bg = under.bg};
}
