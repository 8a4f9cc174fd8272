#include "ui/term/term_color.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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

int color_letter_on(int index, int colors) {
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
