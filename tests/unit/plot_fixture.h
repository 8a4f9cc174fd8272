/* What the tests of plots share: a canvas with a fence around the drawing, and hostile numbers. */
#ifndef TDTOP_TESTS_PLOT_FIXTURE_H
#define TDTOP_TESTS_PLOT_FIXTURE_H

#include "base/clock.h"
#include "ui/term/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { FENCE = 0x40 }; /* '@', which nothing draws */

static char plot_text[65536];

/* What is filled with a quiet hue, as the block that it is. */
static inline void plot_show_fills(struct canvas *c) {
    for (int i = 0; i < c->w * c->h; i++)
        if (c->at[i].cp == ' ' && c->at[i].style >= STYLE_FRONTEND_QUIET &&
            c->at[i].style <= STYLE_RETIRING_QUIET)
            c->at[i].cp = 0x2588;
}

static inline const char *plot_dump(struct canvas *c) {
    plot_show_fills(c);
    canvas_dump(c, plot_text, sizeof(plot_text));
    canvas_destroy(c);
    return plot_text;
}

/* Compares with lines that are joined by '\n'; says what was drawn if they differ. */
static inline void plot_expect(const char *what, struct canvas *c, const char *want) {
    if (strcmp(plot_dump(c), want) != 0)
        fail_msg("%s:\n%sinstead of\n%s", what, plot_text, want);
}

static inline void fence_up(struct canvas *c, struct rect r) {
    canvas_fill(c, canvas_rect(c), STYLE_ERROR, FENCE);
    canvas_fill(c, r, STYLE_TEXT, ' ');
}

static inline void fence_check(const char *what, const struct canvas *c, struct rect r) {
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            const struct cell *cell = &c->at[(size_t)y * (size_t)c->w + (size_t)x];
            const bool inside = x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
            if (!inside && (cell->cp != FENCE || cell->style != STYLE_ERROR || cell->selected))
                fail_msg("%s: %d x %d at %d,%d: U+%04x at %d,%d", what, r.w, r.h, r.x, r.y,
                         cell->cp, x, y);
            if (inside && cell->style >= STYLE_N)
                fail_msg("%s: %d x %d: style %d at %d,%d", what, r.w, r.h, cell->style, x, y);
        }
}

static uint32_t plot_seed = 11;

static inline int plot_random(int n) {
    plot_seed = plot_seed * 1664525u + 1013904223u;
    return (int)(plot_seed >> 8) % n;
}

/* Numbers of one kind each, and all mixed. */
static inline void fill_hostile(float *v, int n, int kind) {
    static const float odd[] = {
        0,       1,        -1,     0.5F,  (float)NAN, (float)INFINITY, -1.0F / 0.0F,
        3.4e38F, -3.4e38F, 1e-38F, 1e-44F};
    for (int i = 0; i < n; i++)
        v[i] = kind < (int)COUNT(odd) ? odd[kind]
               : kind & 1             ? odd[plot_random((int)COUNT(odd))]
                                      : (float)plot_random(1000) / 900;
}

/* The smallest and the largest sizes, those at which axes come and go, and some between. */
static inline struct rect next_rect(int i) {
    static const int w[] = {1, 2, 3, 7, 8, 9, 23, 24, 25, 80, 299, 300},
                     h[] = {1, 2, 3, 4, 5, 6, 24, 99, 100};
    const int n = (int)(COUNT(w) * COUNT(h));
    struct rect r = {3, 2, w[i % (int)COUNT(w)], h[i / (int)COUNT(w) % (int)COUNT(h)]};
    if (i >= n) {
        r.w = 1 + plot_random(plot_random(3) ? 60 : 300);
        r.h = 1 + plot_random(plot_random(3) ? 20 : 100);
    }
    return r;
}

#endif
