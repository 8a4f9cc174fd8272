#include "ui/term_color.h"

#include <stdbool.h>
#include <stdlib.h>

/* xterm's cube levels (256colres.pl in its sources): 0, then 95 to 255 in steps of 40. */
static int cube_level(int step) {
    return step ? 55 + 40 * step : 0;
}

static int cube_step(int v) {
    return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

int32_t color_of_index(int index) {
    if (index >= 232) {
        const int v = 8 + 10 * (index - 232);
        return v << 16 | v << 8 | v;
    }
    const int i = index - 16;
    return cube_level(i / 36) << 16 | cube_level(i / 6 % 6) << 8 | cube_level(i % 6);
}

/* Weighted by how much the eye sees of each channel; only compared, never added up. */
static int distance(int32_t a, int32_t b) {
    const int dr = (a >> 16 & 255) - (b >> 16 & 255), dg = (a >> 8 & 255) - (b >> 8 & 255),
              db = (a & 255) - (b & 255);
    return 3 * dr * dr + 4 * dg * dg + 2 * db * db;
}

static int nearest_256(int32_t rgb) {
    const int r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
    const int cube = 16 + 36 * cube_step(r) + 6 * cube_step(g) + cube_step(b);
    const int mean = (r + g + b) / 3;
    const int grey = 232 + (mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10);
    return distance(rgb, color_of_index(grey)) < distance(rgb, color_of_index(cube)) ? grey : cube;
}

/* Degrees 0..359 on the colour circle; only for colours that have a hue. */
static int hue(int r, int g, int b, int max, int range) {
    int h;
    if (max == r)
        h = 60 * (g - b) / range;
    else if (max == g)
        h = 120 + 60 * (b - r) / range;
    else
        h = 240 + 60 * (r - g) / range;
    return (h + 360) % 360;
}

/* The sectors are uneven on purpose: orange is the "yellow" of old terminals (it is a brown there),
 * and sky blue their cyan, since their blue on black cannot be read. */
static int hue_index(int degrees) {
    static const struct {
        int below, index;
    } sectors[] = {{18, 1}, {72, 3}, {165, 2}, {222, 6}, {262, 4}, {335, 5}, {360, 1}};
    int i = 0;
    while (degrees >= sectors[i].below)
        i++;
    return sectors[i].index;
}

/* Greys: black, (bright black,) white, (bright white). */
static int grey_index(int light, int colors) {
    if (colors < 16)
        return light < 100 ? 0 : 7;
    return light < 50 ? 0 : light < 150 ? 8 : light < 225 ? 7 : 15;
}

static int nearest_16(int32_t rgb, int colors) {
    const int r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
    const int max = r > g ? (r > b ? r : b) : (g > b ? g : b);
    const int min = r < g ? (r < b ? r : b) : (g < b ? g : b);
    const int range = max - min;
    const int light = (3 * r + 6 * g + b) / 10;
    if (max < 56 || range * 5 < max) /* nearly black, or less than a fifth of it is hue */
        return grey_index(light, colors);
    const int index = hue_index(hue(r, g, b, max, range));
    return colors >= 16 && light >= 120 ? index + 8 : index;
}

int color_nearest(int32_t rgb, int colors) {
    if (rgb < 0)
        return -1;
    return colors >= 256 ? nearest_256(rgb) : nearest_16(rgb, colors);
}
