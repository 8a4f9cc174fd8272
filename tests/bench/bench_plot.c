/*
 * The cost of drawing plots: one frame of 120 x 12 cells, and what 10^5 values in it cost. Prints
 * the medians and exits 1 above a limit.
 */
#include "base/clock.h"
#include "ui/area.h"
#include "ui/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 2001, MANY = 100000, N = 224, LIMIT_NS = 50000, LIMIT_MANY_NS = 1000000 };

static const struct rect r = {0, 0, 120, 12};
static float v[MANY], err[MANY], part[4][N];
static int16_t lane[N];
static struct canvas c;

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void fill(void) {
    for (int i = 0; i < MANY; i++) {
        v[i] = i % 97 < 3 ? NAN : 0.4F + 0.3F * sinf((float)i / 11) + 0.01F * (float)(i % 7);
        err[i] = 0.05F;
    }
    for (int i = 0; i < N; i++) {
        part[0][i] = 0.3F + 0.2F * sinf((float)i / 9);
        part[1][i] = 0.1F;
        part[2][i] = 0.5F - part[0][i];
        part[3][i] = 0.4F;
        lane[i] = (int16_t)(i / 20 % 2);
    }
}

/* n values over the whole width. */
static struct plot plot_of(enum chart_glyph glyph, const struct scale *y, int n) {
    static const struct chart_mark marks[] = {{3000 * NS_PER_S, "a"}};
    const struct rect area = chart_area(r, 0);
    return (struct plot){
        .chart = {.glyph = glyph,
                  .y = y,
                  .x = {0, (uint64_t)n * NS_PER_S / (uint64_t)area.w, area.w},
                  .mark = marks,
                  .n_mark = 1,
                  .cursor_ns = 50 * NS_PER_S},
        .values = {.v = v, .err = err, .n = n, .step_ns = NS_PER_S},
        .style = STYLE_BACKEND,
        .threshold = 0.2,
        .baseline = 0.5,
    };
}

static void draw_area(void) {
    static const struct area_root roots[] = {{part[0], STYLE_RETIRING, STYLE_RETIRING_FILL, 'R'},
                                             {part[1], STYLE_BACKEND, STYLE_BACKEND_FILL, 'K'},
                                             {part[2], STYLE_BADSPEC, STYLE_BADSPEC_FILL, 'B'},
                                             {part[3], STYLE_FRONTEND, STYLE_FRONTEND_FILL, 'F'}};
    static const struct area_key keys[] = {{"L3_Bound", STYLE_BACKEND_FILL, 'K'},
                                           {"Fetch_Latency", STYLE_FRONTEND_FILL, 'F'}};
    const struct rect area = chart_area(r, 1);
    const struct area a = {.chart = {.glyph = CHART_BLOCKS, .x = {0, 2 * NS_PER_S, area.w}},
                           .root = roots,
                           .n_root = 4,
                           .n = N,
                           .step_ns = NS_PER_S,
                           .lane = lane,
                           .key = keys,
                           .n_key = 2};
    area_draw(&c, r, &a);
}

static void draw_plot(enum chart_glyph glyph, int n) {
    static struct scale y;
    const struct scale_rule rule = {.share = true, .most = 1, .what = (uint64_t)n};
    const struct plot p = plot_of(glyph, &y, n);
    double min, max;
    plot_range(&p, &min, &max);
    scale_fit(&y, min, max, &rule);
    plot_draw(&c, r, &p);
}

int main(void) {
    static const struct {
        const char *what;
        int glyph, n; /* n 0: the area */
        uint64_t limit_ns;
    } cases[] = {
        {"plot 120x12, braille", CHART_BRAILLE, N, LIMIT_NS},
        {"plot 120x12, blocks", CHART_BLOCKS, N, LIMIT_NS},
        {"plot 120x12, ASCII", CHART_ASCII, N, LIMIT_NS},
        {"plot of 100000 values", CHART_BRAILLE, MANY, LIMIT_MANY_NS},
        {"area 120x12 with lane", 0, 0, LIMIT_NS},
    };
    static uint64_t ns[RUNS];
    int bad = 0;
    fill();
    if (canvas_init(&c, r.w, r.h) < 0)
        return 2;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int k = 0; k < RUNS; k++) {
            canvas_clear(&c);
            const uint64_t t0 = clock_now_ns();
            if (cases[i].n)
                draw_plot((enum chart_glyph)cases[i].glyph, cases[i].n);
            else
                draw_area();
            ns[k] = clock_now_ns() - t0;
        }
        qsort(ns, RUNS, sizeof(ns[0]), by_value);
        const double us = (double)ns[RUNS / 2] / 1000;
        printf("%s: %.1f us (limit %.0f)\n", cases[i].what, us, (double)cases[i].limit_ns / 1000);
        bad |= ns[RUNS / 2] > cases[i].limit_ns;
    }
    canvas_destroy(&c);
    return bad;
}
