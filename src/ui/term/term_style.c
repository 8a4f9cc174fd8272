/*
 * Truecolour -> 256 -> 16 -> 8 -> mono. Down to 256 colours a theme looks as it was made. With 16
 * and 8 the hues stay, the selection is shown reversed (there is no faint ground), and greys on the
 * terminal's own ground become its own colour, because nobody knows which that ground is: bright
 * black is the ground itself in some dark palettes. What was a middle grey is dim then.
 * Without colours only attributes are left: term.c takes the theme "mono" then.
 */
#include "ui/term/term_style.h"

#include "ui/term/term_glyph.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of two hues in a cell, that of the greater share. */
static enum style mixed_fill(const struct cell *cell) {
    const bool over = cell->cp > 0x2584; /* LOWER HALF BLOCK */
    return (enum style)(over ? cell->style : cell->ground);
}

static bool is_text(const struct cell *row, int w, int x, uint8_t style) {
    return x >= 0 && x < w && row[x].style == style && row[x].cp != ' ' && !cell_is_shared(&row[x]);
}

static bool is_style(const struct cell *row, int w, int x, uint8_t style) {
    return x >= 0 && x < w && row[x].style == style;
}

/* The blank x is one of the two round the letter of a legend: " F ", and nothing more in its style.
 */
static bool is_legend(const struct cell *row, int w, int x, int by) {
    const uint8_t st = row[x].style;
    return !is_style(row, w, x - by, st) && is_text(row, w, x + by, st) &&
           is_style(row, w, x + 2 * by, st) && row[x + 2 * by].cp == ' ' &&
           !is_style(row, w, x + 3 * by, st);
}

/* A bar is a texture, with a blank on each side of its words; a legend shows which. */
static uint32_t texture(const struct cell *row, int w, int x, bool ascii) {
    const uint8_t st = row[x].style;
    if ((is_text(row, w, x - 1, st) || is_text(row, w, x + 1, st)) && !is_legend(row, w, x, 1) &&
        !is_legend(row, w, x, -1))
        return ' ';
    return glyph_texture((enum style)st, ascii);
}

uint32_t cell_texture(const struct cell *row, int w, int x, bool ascii) {
    if (cell_is_shared(&row[x]) && row[x].ground != SHARED_NONE)
        return glyph_texture(mixed_fill(&row[x]), ascii);
    return row[x].cp == ' ' ? texture(row, w, x, ascii) : row[x].cp;
}

uint32_t cell_char(const struct cell *row, int w, int x, bool without_colors, bool ascii) {
    uint32_t cp = row[x].cp;
    if (cp == 0)
        return x > 0 ? 0 : ' ';
    if (without_colors)
        cp = cell_texture(row, w, x, ascii);
    return ascii ? (unsigned char)glyph_ascii(cp) : cp;
}

enum { CUBE = 16, ALL = 256 };

/* xterm's cube levels (256colres.pl in its sources): 0, then 95 to 255 in steps of 40. */
static int cube_level(int step) {
    return step ? 55 + 40 * step : 0;
}

int32_t color_of_index(int index) {
    /* XTerm-col.ad in its sources */
    static const int32_t ansi[CUBE] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                       0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                       0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
    if (index < CUBE)
        return ansi[index < 0 ? 0 : index];
    if (index >= 232) {
        const int v = 8 + 10 * (index - 232);
        return v << 16 | v << 8 | v;
    }
    const int i = index - CUBE;
    return cube_level(i / 36) << 16 | cube_level(i / 6 % 6) << 8 | cube_level(i % 6);
}

/* ---- 256 ---- */

struct oklab {
    float l, a, b;
};

/* IEC 61966-2-1: a channel of sRGB as light. */
static float linear(int32_t channel) {
    const float c = (float)(channel & 255) / 255;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* Bjoern Ottosson, "A perceptual color space for image processing" (2020): equal distances look
 * about equally far apart. */
static struct oklab oklab_of(int32_t rgb) {
    const float r = linear(rgb >> 16), g = linear(rgb >> 8), b = linear(rgb);
    const float l = cbrtf(0.41222147f * r + 0.53633254f * g + 0.05144599f * b);
    const float m = cbrtf(0.21190350f * r + 0.68069955f * g + 0.10739696f * b);
    const float s = cbrtf(0.08830246f * r + 0.28171884f * g + 0.62997870f * b);
    return (struct oklab){0.21045426f * l + 0.79361779f * m - 0.00407205f * s,
                          1.97799850f * l - 2.42859221f * m + 0.45059371f * s,
                          0.02590404f * l + 0.78277177f * m - 0.80867577f * s};
}

/* Made once, on the thread of the screen: a theme has fifty colours, each asked for twice. */
static const struct oklab *palette(void) {
    static struct oklab table[ALL];
    static bool made;
    for (int i = CUBE; i < ALL && !made; i++)
        table[i] = oklab_of(color_of_index(i));
    made = true;
    return table;
}

/* The nearest that is none of the n taken. */
static int nearest_256(int32_t rgb, const int *taken, int n) {
    const struct oklab *of = palette(), want = oklab_of(rgb);
    float least = INFINITY;
    int best = CUBE;
    for (int i = CUBE; i < ALL; i++) {
        const float dl = of[i].l - want.l, da = of[i].a - want.a, db = of[i].b - want.b;
        const float d = dl * dl + da * da + db * db;
        bool free = true;
        for (int k = 0; k < n; k++)
            free = free && taken[k] != i;
        if (free && d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

/* ---- 16 and 8 ---- */

struct rgb {
    int r, g, b, max, range;
    int light; /* 0..255 */
};

static struct rgb rgb_of(int32_t rgb) {
    struct rgb c = {.r = rgb >> 16 & 255, .g = rgb >> 8 & 255, .b = rgb & 255};
    const int min = c.r < c.g ? (c.r < c.b ? c.r : c.b) : (c.g < c.b ? c.g : c.b);
    c.max = c.r > c.g ? (c.r > c.b ? c.r : c.b) : (c.g > c.b ? c.g : c.b);
    c.range = c.max - min;
    c.light = (3 * c.r + 6 * c.g + c.b) / 10;
    return c;
}

/* Nearly black, or less than a part of it is hue. */
static bool is_grey(const struct rgb *c, int parts) {
    return c->max < 56 || c->range * parts < c->max;
}

/* Degrees 0..359 on the colour circle; 0 for what has no hue at all. */
static int hue(const struct rgb *c) {
    int h;
    if (c->range == 0)
        return 0;
    if (c->max == c->r)
        h = 60 * (c->g - c->b) / c->range;
    else if (c->max == c->g)
        h = 120 + 60 * (c->b - c->r) / c->range;
    else
        h = 240 + 60 * (c->r - c->g) / c->range;
    return (h + 360) % 360;
}

/* The sectors are uneven on purpose: orange is the "yellow" of old terminals (it is a brown there),
 * and sky blue their cyan, since their blue on black cannot be read. */
static const struct sector {
    int from, to; /* degrees; red goes over 360 */
} sectors[] = {[1] = {335, 378}, [2] = {72, 165},  [3] = {18, 72},
               [4] = {222, 262}, [5] = {262, 335}, [6] = {165, 222}};

/* How far a hue lies outside of the sector of an index 1..6, in degrees; 0 = inside. */
static int outside(int degrees, int index) {
    const struct sector *s = &sectors[index];
    int least = INT_MAX;
    for (int d = degrees; d <= degrees + 360; d += 360) {
        if (d >= s->from && d < s->to)
            return 0;
        const int below = s->from - d > 0 ? s->from - d : INT_MAX;
        const int above = d - s->to >= 0 ? d - s->to + 1 : INT_MAX;
        const int off = below < above ? below : above;
        least = off < least ? off : least;
    }
    return least;
}

static int hue_index(int degrees) {
    int i = 1;
    while (i < 6 && outside(degrees, i))
        i++;
    return i;
}

/* Greys: black, (bright black,) white, (bright white). */
static int grey_index(int light, int colors) {
    if (colors < 16)
        return light < 100 ? 0 : 7;
    return light < 50 ? 0 : light < 150 ? 8 : light < 225 ? 7 : 15;
}

static int brighter(int index, int light, int colors) {
    return colors >= 16 && light >= 120 ? index + 8 : index;
}

static int nearest_16(int32_t rgb, int colors) {
    const struct rgb c = rgb_of(rgb);
    if (is_grey(&c, 4)) /* some palettes have warm or blue greys */
        return grey_index(c.light, colors);
    return brighter(hue_index(hue(&c)), c.light, colors);
}

/* A theme has some forty colours and asks for each of them several times. */
static int known_256(int32_t rgb) {
    enum { KNOWN = 64 };
    static _Thread_local struct {
        int32_t rgb;
        int index; /* 0: free, as no colour is nearest to one of the sixteen */
    } known[KNOWN];
    const size_t at = ((uint32_t)rgb * 0x9e3779b1u) >> 26;
    if (!known[at].index || known[at].rgb != rgb) {
        known[at].rgb = rgb;
        known[at].index = nearest_256(rgb, NULL, 0);
    }
    return known[at].index;
}

int color_nearest(int32_t rgb, int colors) {
    if (rgb < 0)
        return -1;
    return colors >= ALL ? known_256(rgb) : nearest_16(rgb, colors);
}

/* The index of black or white, whichever can be read on one of the first sixteen, in the palettes
 * of xterm and of the Linux console alike. */
static int color_letter_on(int index, int colors) {
    /* By the contrast with 0 and 7 in both palettes: red and blue are dark in both, "yellow" is
     * brown in one; of the bright ones only grey is dark. */
    const bool dark = index == 0 || index == 1 || index == 4 || index == 8;
    return !dark ? 0 : colors >= 16 ? 15 : 7;
}

/* ---- the hues of level 1 ---- */

/* The search for indices 1..6 that differ and lie nearest together. */
struct choice {
    const int32_t *rgb;
    int cost[HUES][7]; /* of giving an index to a hue */
    int index[HUES], best[HUES];
    int least;
};

/* Which of the earlier ones is the same colour; -1 = none. */
static int same_as(const int32_t *rgb, int at) {
    for (int i = 0; i < at; i++)
        if (rgb[i] == rgb[at])
            return i;
    return -1;
}

static void choose(struct choice *c, int at, unsigned taken, int cost) {
    if (cost >= c->least)
        return;
    if (at == HUES) {
        c->least = cost;
        for (int i = 0; i < HUES; i++)
            c->best[i] = c->index[i];
        return;
    }
    const int same = same_as(c->rgb, at);
    if (same >= 0 || c->rgb[at] < 0) {
        c->index[at] = same >= 0 ? c->index[same] : -1;
        choose(c, at + 1, taken, cost);
        return;
    }
    for (int i = 1; i <= 6; i++) {
        c->index[at] = i;
        if (!(taken & 1u << i))
            choose(c, at + 1, taken | 1u << i, cost + c->cost[at][i]);
    }
}

static void hues_16(const int32_t rgb[HUES], int32_t avoid, int colors, int index[HUES]) {
    enum { AVOID = 25 }; /* degrees that another index may be further away */
    const int avoided = color_nearest(avoid, 8);
    struct choice c = {.rgb = rgb, .least = INT_MAX};
    for (int i = 0; i < HUES; i++) {
        const struct rgb of = rgb_of(rgb[i]);
        for (int k = 1; k <= 6; k++)
            c.cost[i][k] =
                (is_grey(&of, 16) ? 0 : outside(hue(&of), k)) + (k == avoided ? AVOID : 0);
    }
    choose(&c, 0, 0, 0);
    for (int i = 0; i < HUES; i++)
        index[i] = rgb[i] < 0 ? -1 : brighter(c.best[i], rgb_of(rgb[i]).light, colors);
}

void color_hues(const int32_t rgb[HUES], int32_t avoid, int colors, int index[HUES]) {
    if (colors < ALL) {
        hues_16(rgb, avoid, colors, index);
        return;
    }
    int taken[HUES + 1] = {color_nearest(avoid, colors)};
    for (int i = 0; i < HUES; i++) {
        const int same = same_as(rgb, i);
        index[i] = rgb[i] < 0 ? -1 : same >= 0 ? index[same] : nearest_256(rgb[i], taken, i + 1);
        taken[i + 1] = index[i];
    }
}

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
    if (l->bg < 0 && light && is_pale(l->fg))
        l->fg = is_drawn(st) ? l->fg % 8 : -1;
    if (l->bg >= 0)
        l->fg = color_letter_on(l->bg, colors);
    if (l->fg == 0)
        l->bold = false; /* old terminals show bold black as grey */
}

static bool is_quiet(enum style st) {
    return st >= STYLE_FRONTEND_QUIET && st <= STYLE_RETIRING_QUIET;
}

static int32_t mixed(int32_t a, int32_t b, double part) {
    int32_t rgb = 0;
    for (int shift = 0; shift <= 16; shift += 8)
        rgb |= (int32_t)lround((a >> shift & 255) * part + (b >> shift & 255) * (1 - part))
               << shift;
    return rgb;
}

/* Relative luminance (WCAG 2.1, "relative luminance"). */
static double luminance(int32_t rgb) {
    static const double weight[3] = {0.0722, 0.7152, 0.2126}; /* blue, green, red */
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double c = (rgb >> 8 * i & 255) / 255.0;
        sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

bool color_is_light(int32_t rgb) {
    return luminance(rgb) > 0.179;
}

/* Black or white letters, whichever stand out more on it: 4.5:1 or better on any colour. */
static int32_t ink_on(int32_t ground) {
    return color_is_light(ground) ? 0x000000 : 0xffffff;
}

/* Most of the hue on the ground that the theme is made for; with few colours the fill itself,
 * without colours not bold. A theme that gives it a ground has its own. */
static struct look quiet_look(const struct theme *t, enum style st, int colors) {
    struct look fill = t->look[st - STYLE_FRONTEND_QUIET + STYLE_FRONTEND_FILL];
    fill.bold = fill.bold && fill.bg >= 0;
    if (t->look[st].bg >= 0 || fill.bg < 0 || (colors > 0 && colors <= 16))
        return t->look[st].bg >= 0 ? t->look[st] : fill;
    const int32_t ground = mixed(fill.bg, t->own_bg, 0.5);
    return (struct look){.fg = ink_on(ground), .bg = ground};
}

static bool is_muted(enum style st) {
    return st >= STYLE_FRONTEND_GREY && st <= STYLE_RETIRING_GREY;
}

/* The ground of the theme with a little of its ink, neighbours apart. */
static struct look grey_look(const struct theme *t, enum style st, int colors) {
    const enum style quiet = st - STYLE_FRONTEND_GREY + STYLE_FRONTEND_QUIET;
    const struct look fill = quiet_look(t, quiet, colors);
    if (t->look[st].bg >= 0 || fill.bg < 0 || (colors > 0 && colors < 16))
        return t->look[st].bg >= 0 ? t->look[st] : fill;
    if (colors == 16) /* the one grey there is */
        return (struct look){.fg = 0xffffff, .bg = 0x7f7f7f};
    const double part = (st - STYLE_FRONTEND_GREY) % 2 ? 0.24 : 0.16;
    const int32_t ground = mixed(ink_on(t->own_bg), t->own_bg, part);
    return (struct look){.fg = ink_on(ground), .bg = ground};
}

static bool is_sure(enum style st) {
    return st >= STYLE_FRONTEND_SURE && st <= STYLE_RETIRING_SURE;
}

static struct look sure_look(const struct theme *t, enum style st, int colors) {
    if (t->look[st].bg >= 0)
        return t->look[st];
    const struct look fill = t->look[st - STYLE_FRONTEND_SURE + STYLE_FRONTEND_FILL];
    return colors <= 0 ? (struct look){.fg = -1, .bg = -1, .bold = true, .reverse = true} : fill;
}

static double contrast(int32_t a, int32_t b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

/* Lines, grids and what is secondary. */
static bool is_faint(enum style st) {
    return st == STYLE_DIM || st == STYLE_BORDER || st == STYLE_AXIS || st == STYLE_BASELINE ||
           st == STYLE_BAND || st == STYLE_HEAT_0;
}

/* On the ground of the selection: so much nearer to its ink that it can be read (WCAG 2.1, 1.4.3
 * and 1.4.11). */
static int readable(const struct theme *t, enum style st, int32_t fg, int bg, int colors) {
    enum { STEPS = 8 };
    const bool direct = colors >= DIRECT_COLORS;
    const int32_t ground = direct ? bg : color_of_index(bg), ink = t->look[STYLE_SELECTED].fg;
    int is = color_for(t, fg, colors);
    for (int i = 1; i <= STEPS && fg >= 0 && ink >= 0; i++) {
        if (contrast(direct ? is : color_of_index(is), ground) >= (is_faint(st) ? 3 : 4.5))
            break;
        is = color_for(t, mixed(ink, fg, (double)i / STEPS), colors);
    }
    return is;
}

struct term_style term_style_of(const struct theme *t, enum style st, bool selected, int colors) {
    struct look k = is_quiet(st)   ? quiet_look(t, st, colors)
                    : is_muted(st) ? grey_look(t, st, colors)
                    : is_sure(st)  ? sure_look(t, st, colors)
                                   : t->look[st];
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
    if (t->paints && colors >= ALL) {
        k.fg = k.fg < 0 ? t->own_fg : k.fg;
        k.bg = k.bg < 0 ? t->own_bg : k.bg;
    }
    l.fg = color_for(t, k.fg, colors);
    l.bg = color_for(t, k.bg, colors);
    if (colors <= 16)
        few_colors(&l, t, st, k.fg, colors);
    else if (selected && !has_ground && l.bg >= 0)
        l.fg = readable(t, st, k.fg, l.bg, colors);
    return l;
}

struct term_style term_style_shared(const struct term_style *fill, const struct term_style *ground,
                                    bool none) {
    if (fill->bg < 0 || (ground->bg < 0 && !none))
        return *fill;
    return (struct term_style){.fg = fill->bg, .bg = ground->bg};
}

struct term_style cell_style(const struct theme *t, const struct cell *cell, int colors) {
    if (!cell_is_shared(cell))
        return term_style_of(t, (enum style)cell->style, cell->selected, colors);
    const bool none = cell->ground == SHARED_NONE;
    const struct term_style fill = term_style_of(t, (enum style)cell->style, false, colors),
                            ground = term_style_of(t, none ? STYLE_TEXT : (enum style)cell->ground,
                                                   false, colors);
    return term_style_shared(&fill, &ground, none);
}
