#include "ui/widget.h"

#include "base/str.h"

#include <math.h>

/* Bytes of the longest beginning of s that takes at most w columns; *used gets its columns. */
static size_t fitting(const char *s, int w, int *used) {
    size_t at = 0;
    *used = 0;
    while (s[at]) {
        size_t len;
        int cols = str_cp_width(str_decode(s + at, &len));
        if (*used + cols > w)
            break;
        *used += cols;
        at += len;
    }
    return at;
}

int widget_text(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                const char *utf8) {
    if (w <= 0)
        return 0;
    int used;
    if (utf8[fitting(utf8, w, &used)] == '\0') {
        canvas_text(c, clip, x, y, st, utf8);
        return used;
    }
    int room = (int)fitting(utf8, w - 1, &used);
    canvas_printf(c, clip, x, y, st, "%.*s", room, utf8);
    canvas_put(c, clip, x + used, y, st, 0x2026);
    return used + 1;
}

void widget_right(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                  const char *utf8) {
    int cols = str_width(utf8);
    int pad = cols < w ? w - cols : 0;
    widget_text(c, clip, x + pad, y, w - pad, st, utf8);
}

void widget_rule(struct canvas *c, struct rect clip, int x, int y, int w, enum style st) {
    for (int i = 0; i < w; i++)
        canvas_put(c, clip, x + i, y, st, 0x2500);
}

void widget_bar(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                double share) {
    if (isnan(share) || share <= 0 || w <= 0)
        return;
    int eighths = share >= 1 ? w * 8 : (int)lround(share * w * 8);
    if (eighths == 0)
        eighths = 1;
    for (int i = 0; i < eighths / 8; i++)
        canvas_put(c, clip, x + i, y, st, 0x2588);
    if (eighths % 8) /* U+258F is one eighth, U+2589 seven */
        canvas_put(c, clip, x + eighths / 8, y, st, 0x2590 - (uint32_t)(eighths % 8));
}

void widget_spark(struct canvas *c, struct rect clip, int x, int y, int n, enum style st,
                  const float *v, double top) {
    for (int i = 0; i < n; i++) {
        if (isnan(v[i]))
            continue;
        double part = top > 0 ? (double)v[i] / top : 0;
        int level = part >= 1 ? 7 : part <= 0 ? 0 : (int)(part * 8);
        canvas_put(c, clip, x + i, y, st, 0x2581 + (uint32_t)level);
    }
}

/* Height in dots of a value; a known one is at least one dot, so that 0 differs from a gap. */
static int dots_of(double v, double top, int dots) {
    if (isnan(v))
        return 0;
    double part = top > 0 ? v / top : 0;
    int n = part >= 1 ? dots : part <= 0 ? 1 : (int)lround(part * dots);
    return n < 1 ? 1 : n;
}

/* Dots of a column: the value's own, and those that join it to the value before. */
struct reach {
    int low, high; /* 0: nothing */
};

static struct reach reach_of(int height, int before) {
    struct reach r = {height, height};
    if (before && height > before)
        r.low = before + 1;
    if (height && height < before)
        r.high = before - 1;
    return r;
}

/* A column of dots in one cell, above `below` dots of the plot. */
static uint32_t lit(int side, struct reach at, int below) {
    static const uint8_t dot[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        if (at.high && below + i + 1 >= at.low && below + i + 1 <= at.high)
            bits |= dot[side][i];
    return bits;
}

/* A line, not an area: a new value then changes one or two cells, not a whole column of them. */
void widget_plot(struct canvas *c, struct rect r, enum style st, const float *v, double top) {
    int before = 0; /* height of the column to the left; 0 = nothing known there */
    for (int x = 0; x < r.w; x++) {
        struct reach at[2];
        for (int k = 0; k < 2; k++) {
            int height = dots_of((double)v[2 * x + k], top, r.h * 4);
            at[k] = reach_of(height, before);
            before = height;
        }
        for (int row = 0; row < r.h; row++) {
            int below = (r.h - 1 - row) * 4;
            uint32_t bits = lit(0, at[0], below) | lit(1, at[1], below);
            if (bits)
                canvas_put(c, r, r.x + x, r.y + row, st, 0x2800 + bits);
        }
    }
}

int widget_plot_row(struct rect r, double v, double top) {
    if (isnan(v) || v < 0 || v > top || top <= 0 || r.h <= 0)
        return -1;
    return r.h - 1 - (dots_of(v, top, r.h * 4) - 1) / 4;
}

uint32_t widget_plot_dot(struct rect r, double v, double top) {
    static const uint8_t left_column[4] = {0x40, 0x04, 0x02, 0x01}; /* from below */
    return 0x2800u + left_column[(dots_of(v, top, r.h * 4) - 1) % 4];
}

double widget_nice_top(double max) {
    if (isnan(max) || max <= 0)
        return 1;
    double unit = pow(10, floor(log10(max)));
    static const double step[] = {1, 2.5, 5, 10};
    for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
        if (max <= step[i] * unit * (1 + 1e-9))
            return step[i] * unit;
    return 10 * unit;
}

double widget_max(const float *v, int n) {
    double max = NAN;
    for (int i = 0; i < n; i++)
        if (!isnan(v[i]) && !((double)v[i] <= max))
            max = (double)v[i];
    return max;
}
