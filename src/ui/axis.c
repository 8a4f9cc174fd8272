#include "ui/axis.h"

#include "base/clock.h"
#include "ui/widget.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>

enum { AXIS_W = 8, PARTS = 8, TIME_CELLS = 14 };

struct rect axis_area(struct rect r, int below) {
    return (struct rect){r.x + AXIS_W, r.y + 1, r.w - AXIS_W - 1, r.h - 1 - below};
}

/* A minute that is young fills the screen as well as an old one: its buckets are wider. */
struct span axis_span(const struct trend *t, int n_dots) {
    struct span sp = {.dots = 4};
    while (sp.dots > 1 && (t->newest + 1) * (uint64_t)sp.dots > (uint64_t)n_dots)
        sp.dots /= 2;
    sp.n = n_dots / sp.dots;
    sp.first = screen_first_bucket(t, sp.n, PARTS);
    return sp;
}

/*
 * A recording's intervals drift against the buckets: one that ends just behind an empty bucket was
 * measured during it, and fills it.
 */
static void fill_drift(float *v, int n) {
    for (int i = 0; i + 1 < n; i++)
        if (isnan(v[i]) && (i == 0 || !isnan(v[i - 1])))
            v[i] = v[i + 1];
}

float *axis_values(struct screen *sc, int metric, struct span sp, int n_dots) {
    float *v = screen_values(sc, &sc->plot, metric, sp.first, sp.n);
    if (!sc->s->source.live && !sc->s->source.simulated)
        fill_drift(v, sp.n);
    for (int i = n_dots - 1; i >= 0; i--) /* from the end, because it is done in place */
        v[i] = i / sp.dots < sp.n ? v[i / sp.dots] : NAN;
    return v;
}

int axis_x(struct rect area, struct span sp, uint64_t bucket_ns, uint64_t t_ns) {
    uint64_t bucket = t_ns ? (t_ns - 1) / bucket_ns : 0;
    if (bucket < sp.first || bucket - sp.first >= (uint64_t)sp.n)
        return -1;
    return area.x + (int)((bucket - sp.first) * (uint64_t)sp.dots / 2);
}

uint64_t axis_time(struct rect area, struct span sp, uint64_t bucket_ns, int x) {
    int at = x < area.x ? 0 : x >= area.x + area.w ? area.w - 1 : x - area.x;
    return (sp.first + (uint64_t)((2 * at + 1) / sp.dots) + 1) * bucket_ns;
}

void axis_draw_numbers(struct canvas *c, struct rect area, bool share, double top) {
    const struct metric unit = {.share = share};
    char text[48];
    struct rect line = {area.x - 1, area.y, 1, area.h};
    canvas_fill(c, line, STYLE_AXIS, 0x2502);
    for (int i = 0; i <= 2; i++) {
        struct rect r = {area.x - AXIS_W, area.y + (area.h - 1) * i / 2, AXIS_W, 1};
        widget_right(c, r, r.x, r.y, AXIS_W - 2, STYLE_AXIS,
                     words_mark(text, sizeof(text), &unit, top * (2 - i) / 2));
        canvas_put(c, r, area.x - 1, r.y, STYLE_AXIS, 0x2524);
    }
}

/* The shortest round time that leaves room for a mark's text. */
static uint64_t time_step(uint64_t cell_ns) {
    static const uint32_t steps_s[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                       600, 900, 1800, 3600, 7200, 21600, 43200, 86400};
    for (size_t i = 0; i < sizeof(steps_s) / sizeof(steps_s[0]); i++)
        if (steps_s[i] * NS_PER_S >= TIME_CELLS * cell_ns)
            return steps_s[i] * NS_PER_S;
    return 0;
}

void axis_draw_times(struct canvas *c, struct rect area, struct span sp, uint64_t bucket_ns) {
    uint64_t cell_ns = 2 * bucket_ns / (uint64_t)sp.dots, step_ns = time_step(cell_ns);
    uint64_t first_ns = sp.first * bucket_ns;
    struct rect r = {area.x - 1, area.y + area.h, area.w + 1, 1};
    if (!step_ns)
        return;
    for (uint64_t t = (first_ns + step_ns - 1) / step_ns * step_ns;; t += step_ns) {
        char text[32];
        int x = area.x + (int)((t - first_ns) / cell_ns);
        uint64_t s = t / NS_PER_S;
        if (x + 6 > area.x + area.w)
            return;
        if (s >= 3600)
            words_clock(text, sizeof(text), t);
        else
            snprintf(text, sizeof(text), "%d:%02d", (int)(s / 60), (int)(s % 60));
        canvas_put(c, r, x, r.y, STYLE_AXIS, 0x2575);
        canvas_text(c, r, x + 1, r.y, STYLE_AXIS, text);
    }
}
