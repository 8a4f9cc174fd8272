/*
 * A metric over runs, the oldest on the left: a dot for each, the rolling mean of 7 as a line, the
 * mean of all and what is two standard deviations from it as dotted lines; runs beyond these stand
 * out. The axis spans what there is: a trend is about differences, and the numbers say where 0 is
 * not. One run is selected and told about below.
 */
#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "ui/screen.h"
#include "ui/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS_W = 11, CELLS_MOST = 12, BELOW = 3 };

/* Which runs are on the screen, and what its upper and lower end mean. */
struct chart {
    const struct runs_trend *t;
    const struct runs *runs;
    struct rect area;
    size_t from, n;
    int cells;                /* per run */
    double least, most, step; /* both ends are multiples of the step */
};

/* ---- scale ---- */

static void widen(struct chart *ch, double v) {
    if (isnan(v))
        return;
    ch->least = fmin(ch->least, v);
    ch->most = fmax(ch->most, v);
}

/* 1, 2 or 5 times a power of ten: both ends and all between are round numbers. */
static double nice_step(double least) {
    const double unit = pow(10, floor(log10(least))), n = least / unit;
    return unit * (n <= 1.0001 ? 1 : n <= 2.0001 ? 2 : n <= 5.0001 ? 5 : 10);
}

static void scale(struct chart *ch) {
    ch->least = (double)INFINITY;
    ch->most = -(double)INFINITY;
    for (size_t i = ch->from; i < ch->from + ch->n; i++) {
        widen(ch, ch->t->v[i]);
        widen(ch, ch->t->o[i].rolling);
    }
    if (!(ch->most > ch->least)) {
        const double edge = fabs(ch->most) * 0.05 + 1e-9;
        ch->most += edge;
        ch->least -= edge;
    }
    ch->step = nice_step((ch->most - ch->least) / (ch->area.h > 8 ? ch->area.h / 4 : 2));
    ch->least = floor(ch->least / ch->step + 1e-9) * ch->step;
    ch->most = ceil(ch->most / ch->step - 1e-9) * ch->step;
}

static struct chart chart_of(const struct screen *sc, struct rect r) {
    struct chart ch = {.t = &sc->runs->trend, .runs = &sc->runs->list};
    ch.area = (struct rect){r.x + NUMBERS_W, r.y + 1, r.w - NUMBERS_W - 1, r.h - 1 - BELOW};
    if (ch.area.w < 4 || ch.area.h < 2 || ch.t->n == 0)
        return ch;
    const size_t w = (size_t)ch.area.w;
    ch.n = ch.t->n < w ? ch.t->n : w;
    ch.cells = (int)(w / ch.n) < CELLS_MOST ? (int)(w / ch.n) : CELLS_MOST;
    ch.from = ch.t->n - ch.n;
    if (ch.t->selected < ch.from) /* in the middle, where it is not among the newest */
        ch.from = ch.t->selected > ch.n / 2 ? ch.t->selected - ch.n / 2 : 0;
    scale(&ch);
    return ch;
}

static int x_of(const struct chart *ch, size_t i) {
    return ch->area.x + (int)(i - ch->from) * ch->cells + ch->cells / 2;
}

static int row_of(const struct chart *ch, double v) {
    const int row = widget_plot_row(ch->area, v - ch->least, ch->most - ch->least);
    return row >= 0 || v > ch->most + ch->step / 2 || v < ch->least - ch->step / 2 ? row
           : v > ch->least                                                         ? 0
                                                                                   : ch->area.h - 1;
}

static uint32_t dot_of(const struct chart *ch, double v) {
    return widget_plot_dot(ch->area, v - ch->least, ch->most - ch->least);
}

/* ---- lines ---- */

static void draw_level(const struct chart *ch, struct canvas *c, double v, int step) {
    const int row = isnan(v) ? -1 : row_of(ch, v);
    if (row < 0 || v < ch->least)
        return;
    for (int x = 0; x < ch->area.w; x += step)
        canvas_put(c, ch->area, ch->area.x + x, ch->area.y + row, STYLE_BORDER, dot_of(ch, v));
}

/* Two dots beside each other, so that cells join to a line (Unicode, Braille Patterns: dots 1 2 3 7
 * are the left column, 4 5 6 8 the right one). */
static uint32_t dash_of(const struct chart *ch, double v) {
    const uint32_t dot = dot_of(ch, v), left = dot & 0x47;
    return dot | (left & 7) << 3 | (left & 0x40) << 1;
}

static void draw_mean(const struct chart *ch, struct canvas *c) {
    for (size_t i = ch->from; i < ch->from + ch->n; i++) {
        const double v = ch->t->o[i].rolling;
        const int row = isnan(v) ? -1 : row_of(ch, v), from = x_of(ch, i) - ch->cells / 2;
        for (int k = 0; k < ch->cells && row >= 0; k++)
            canvas_put(c, ch->area, from + k, ch->area.y + row, STYLE_TEXT, dash_of(ch, v));
    }
}

static void draw_runs(const struct chart *ch, struct canvas *c) {
    for (size_t i = ch->from; i < ch->from + ch->n; i++) {
        const int row = row_of(ch, ch->t->v[i]), x = x_of(ch, i);
        const bool odd = ch->t->o[i].anomaly;
        if (i == ch->t->selected)
            for (int y = 0; y < ch->area.h; y++)
                canvas_put(c, ch->area, x, ch->area.y + y, STYLE_AXIS, 0x2502);
        if (row >= 0)
            canvas_put(c, ch->area, x, ch->area.y + row, odd ? STYLE_ERROR : STYLE_PLOT,
                       odd ? 0x25c6 : 0x25cf);
    }
}

/* ---- around them ---- */

/* As many decimals as the step has. */
static const char *axis_number(const struct chart *ch, double v, char *buf, size_t cap) {
    const double factor = ch->runs->share ? 100 : 1;
    const int digits = (int)-floor(log10(ch->step * factor) + 1e-9);
    if (fabs(v * factor) >= 1e5)
        return runs_value(ch->runs, v, buf, cap);
    snprintf(buf, cap, "%.*f%s",
             digits < 0   ? 0
             : digits > 6 ? 6
                          : digits,
             v * factor, ch->runs->share ? "%" : "");
    return buf;
}

static void draw_numbers(const struct chart *ch, struct canvas *c) {
    const int n = (int)lround((ch->most - ch->least) / ch->step);
    char text[48];
    for (int y = 0; y < ch->area.h; y++)
        canvas_put(c, canvas_rect(c), ch->area.x - 1, ch->area.y + y, STYLE_AXIS, 0x2502);
    for (int i = 0; i <= n; i++) {
        const double v = ch->least + i * ch->step;
        const struct rect r = {ch->area.x - NUMBERS_W, ch->area.y + row_of(ch, v), NUMBERS_W, 1};
        widget_right(c, r, r.x, r.y, NUMBERS_W - 2, STYLE_AXIS,
                     axis_number(ch, v, text, sizeof(text)));
        canvas_put(c, r, ch->area.x - 1, r.y, STYLE_AXIS, 0x2524);
    }
}

/* When a run began, below it; at an end of the axis it stays inside. */
static void draw_date(const struct chart *ch, struct canvas *c, size_t i) {
    const struct rect r = {ch->area.x, ch->area.y + ch->area.h, ch->area.w, 1};
    char text[32];
    when_short(ch->t->row[i]->begun_ns, (int64_t)clock_wall_ns(), text, sizeof(text));
    const int w = str_width(text), end = r.x + r.w - w;
    int x = x_of(ch, i) - w / 2;
    x = x > end ? end : x;
    canvas_text(c, r, x < r.x ? r.x : x, r.y, STYLE_AXIS, text);
}

static void draw_dates(const struct chart *ch, struct canvas *c) {
    const int parts = (int)ch->n * ch->cells / 28; /* a date and as much room again */
    const size_t last = ch->n - 1;
    draw_date(ch, c, ch->from);
    for (int k = 1; k <= parts; k++)
        draw_date(ch, c, ch->from + last * (size_t)k / (size_t)parts);
}

static void draw_title(const struct screen *sc, const struct chart *ch, struct canvas *c,
                       struct rect r) {
    const struct runs_trend *t = ch->t;
    char text[256], mean[48], sd[48], safe[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    strbuf_add(&sb, " %s over %zu run%s", t->metric, t->n, t->n == 1 ? "" : "s");
    if (t->group[0])
        strbuf_add(&sb, " · %s", t->group);
    if (sc->runs->list.n_filter)
        strbuf_add(&sb, " · filter %s", str_safe(safe, sizeof(safe), sc->runs->list.filter_text));
    strbuf_add(&sb, " ");
    int x = r.x + 2;
    x += widget_text(c, r, x, r.y, r.w - 4, STYLE_TITLE, text);
    if (t->n < 2)
        return;
    snprintf(text, sizeof(text), " mean %s, deviation %s, %zu stand%s out ",
             runs_value(ch->runs, t->sum.mean, mean, sizeof(mean)),
             runs_value(ch->runs, t->sum.sd, sd, sizeof(sd)), t->n_anomaly,
             t->n_anomaly == 1 ? "s" : "");
    if (x + str_width(text) + 2 < r.x + r.w)
        widget_right(c, r, r.x, r.y, r.w - 2, t->n_anomaly ? STYLE_WARN : STYLE_LABEL, text);
}

/* What a reader must know to trust it. */
static void draw_notes(const struct chart *ch, struct canvas *c, struct rect r, int y) {
    const struct runs_trend *t = ch->t;
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb,
               "● a run  ◆ stands out: |z| > 2  ⠤⠤ mean of 7  ⠂ ⠂ mean of all, two deviations from "
               "it  ");
    if (ch->n < t->n)
        strbuf_add(&sb, "%zu of them are shown: Left, Home go back  ", ch->n);
    if (t->older)
        strbuf_add(&sb, "%llu older runs are left out  ", (unsigned long long)t->older);
    if (t->n_without)
        strbuf_add(&sb, "%zu runs do not have it  ", t->n_without);
    if (t->many_models)
        strbuf_add(&sb, "of different models: the same name need not be the same formula");
    widget_text(c, r, r.x + 1, y, r.w - 2, t->many_models ? STYLE_WARN : STYLE_LABEL, text);
}

static void draw_selected(const struct chart *ch, struct canvas *c, struct rect r, int y) {
    const struct run_row *row = ch->t->row[ch->t->selected];
    const struct outlier *o = &ch->t->o[ch->t->selected];
    char text[512], when[48], value[48], mean[48], safe[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%.8s · %s · %s · %s", row->id, when_text(row->begun_ns, when, sizeof(when)),
               str_safe(safe, sizeof(safe), row->process),
               runs_value(ch->runs, row->value, value, sizeof(value)));
    if (!isnan(o->rolling))
        strbuf_add(&sb, " · mean of 7 %s", runs_value(ch->runs, o->rolling, mean, sizeof(mean)));
    if (!isnan(o->z))
        strbuf_add(&sb, " · z %+.2f", o->z);
    int x = r.x + 1;
    if (row->simulated)
        x += canvas_text(c, r, x, y, STYLE_SIMULATED, "SIMULATED") + 1;
    x += widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_VALUE, text);
    if (row->note[0]) {
        snprintf(text, sizeof(text), " · %s", str_safe(safe, sizeof(safe), row->note));
        widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_TEXT, text);
    }
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct chart ch = chart_of(sc, r);
    draw_title(sc, &ch, c, r);
    if (ch.n == 0) {
        canvas_printf(c, r, r.x + 1, r.y + 1, STYLE_LABEL,
                      ch.t->n ? "too little room for a plot"
                              : "no run of these has %s: M chooses another metric",
                      ch.t->metric);
        return;
    }
    draw_numbers(&ch, c);
    draw_level(&ch, c, ch.t->sum.mean, 2);
    draw_level(&ch, c, ch.t->sum.mean + 2 * ch.t->sum.sd, 4);
    draw_level(&ch, c, ch.t->sum.mean - 2 * ch.t->sum.sd, 4);
    draw_mean(&ch, c);
    draw_runs(&ch, c);
    draw_dates(&ch, c);
    draw_notes(&ch, c, r, r.y + r.h - 2);
    draw_selected(&ch, c, r, r.y + r.h - 1);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct chart ch = chart_of(sc, r);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        runs_trend_move(&sc->runs->trend, m->what == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    const int at = ch.n ? (m->x - ch.area.x) / ch.cells : -1;
    if (m->x >= ch.area.x && at >= 0 && (size_t)at < ch.n)
        sc->runs->trend.selected = ch.from + (size_t)at;
}

const struct view_ops view_runs_trend = {
    .name = "trend", .prepare = runs_prepare, .draw = draw, .mouse = mouse};
