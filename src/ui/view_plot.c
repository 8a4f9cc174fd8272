/*
 * The selected node over time, with the time cursor, the span and the marks on it. The upper end of
 * the value axis goes in steps and comes down only when there is clearly room.
 */
#include "ui/axis.h"

#include "base/str.h"
#include "model/model_text.h"
#include "ui/widget.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>

static double axis_top(struct screen *sc, int metric, double max) {
    bool share = screen_model(sc)->metric[metric].share;
    double want = widget_nice_top(max);
    if (share && want < 0.1)
        want = 0.1;
    bool same = sc->plot_metric == metric;
    if (!same || want > sc->plot_top || max < 0.8 * want || sc->plot_top > 4 * want)
        sc->plot_top = want;
    sc->plot_metric = metric;
    return sc->plot_top;
}

/* The threshold lies behind the plot: it shows where nothing covers it. */
static void draw_threshold(struct canvas *c, struct rect area, double threshold, double top) {
    int row = widget_plot_row(area, threshold, top);
    if (row < 0)
        return;
    for (int x = 0; x < area.w; x++)
        canvas_put(c, area, area.x + x, area.y + row, STYLE_LABEL,
                   widget_plot_dot(area, threshold, top));
}

static void draw_max(struct canvas *c, struct rect r, int x, const struct metric *mt, double max) {
    char text[96], number[48];
    if (isnan(max))
        return;
    words_value(number, sizeof(number), mt, max);
    snprintf(text, sizeof(text), " max %s ", number);
    if (x + str_width(text) + 4 < r.x + r.w)
        widget_right(c, r, r.x, r.y, r.w - 2, STYLE_LABEL, text);
}

/* "── L3_Bound 12.8%  threshold 5% ──────────────────────── max 14.2% ──" */
static void draw_title(struct screen *sc, struct canvas *c, struct rect r, int metric, double max) {
    const struct model *m = screen_model(sc);
    const struct metric *mt = &m->metric[metric];
    char text[96], number[48];
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int x = r.x + 2;
    snprintf(text, sizeof(text), " %s ", words_name(mt));
    x += canvas_text(c, r, x, r.y, words_hue(m, metric), text);
    if (sc->frame) {
        const char *of = metric_share_of(m, mt);
        snprintf(text, sizeof(text), "%s%s%s ",
                 words_value(number, sizeof(number), mt, sc->frame->at[metric].v), of ? " of " : "",
                 of ? of : "");
        x += canvas_text(c, r, x, r.y, STYLE_VALUE, text);
    }
    double threshold = model_threshold(m, metric);
    if (!isnan(threshold)) {
        snprintf(text, sizeof(text), " threshold %s ",
                 words_mark(number, sizeof(number), mt, threshold));
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, text);
    }
    draw_max(c, r, x, mt, max);
}

/* --- time --- */

/* What the drawing of moments needs to know of the axis. */
struct time_axis {
    struct rect area;
    struct span sp;
    uint64_t bucket_ns;
};

static int x_of(const struct time_axis *ax, uint64_t t_ns) {
    return axis_x(ax->area, ax->sp, ax->bucket_ns, t_ns);
}

/* Lines behind the plot: they show where nothing covers them. */
static void draw_upright(struct canvas *c, const struct time_axis *ax, int x, enum style st,
                         uint32_t cp) {
    for (int y = 0; x >= 0 && y < ax->area.h; y++)
        canvas_put(c, ax->area, x, ax->area.y + y, st, cp);
}

static void draw_moments(const struct screen *sc, struct canvas *c, const struct time_axis *ax) {
    const struct record *rec = &sc->s->record;
    for (int i = 0; i < rec->n_mark; i++)
        draw_upright(c, ax, x_of(ax, rec->mark[i].t_ns), STYLE_LABEL, 0x254e);
    if (sc->cursor.shows == CURSOR_MOMENT)
        draw_upright(c, ax, x_of(ax, sc->cursor.t1_ns), STYLE_KEY, 0x2502);
}

/* On top of all, each at its line, as far as the next has room. */
static void draw_names(const struct screen *sc, struct canvas *c, const struct time_axis *ax) {
    const struct record *rec = &sc->s->record;
    int end = ax->area.x + ax->area.w;
    for (int i = rec->n_mark - 1; i >= 0; i--) {
        int x = x_of(ax, rec->mark[i].t_ns);
        if (x < 0 || x >= end - 2)
            continue;
        widget_text(c, ax->area, x + 1, ax->area.y, end - x - 1, STYLE_TITLE, rec->mark[i].name);
        end = x; /* the one before ends here at the latest */
    }
}

static void draw_span(const struct screen *sc, struct canvas *c, const struct time_axis *ax) {
    const struct cursor *cu = &sc->cursor;
    struct rect times = {ax->area.x, ax->area.y + ax->area.h, ax->area.w, 1};
    int from = cu->begun ? x_of(ax, cu->begin_ns + 1) : -1;
    int to = cu->ended ? x_of(ax, cu->end_ns) : -1;
    if (cu->begun && cu->ended && (from >= 0 || to >= 0)) {
        int first = from >= 0 ? from : ax->area.x,
            last = to >= 0 ? to : ax->area.x + ax->area.w - 1;
        canvas_select(c, (struct rect){first, ax->area.y, last - first + 1, ax->area.h});
    }
    if (from >= 0)
        canvas_put(c, times, from, times.y, STYLE_KEY, '[');
    if (to >= 0)
        canvas_put(c, times, to, times.y, STYLE_KEY, ']');
    if (cu->shows == CURSOR_MOMENT && x_of(ax, cu->t1_ns) >= 0)
        canvas_put(c, times, x_of(ax, cu->t1_ns), times.y, STYLE_KEY, 0x25b2);
}

/* The axis as it is drawn, or false if there is no room for one. */
static bool find_axis(const struct screen *sc, struct rect r, struct time_axis *out) {
    out->area = axis_area(r, 1);
    int n = out->area.w * 2;
    if (!sc->has_plot || !sc->frame || out->area.h < 2 || n > sc->plot.n)
        return false;
    out->sp = axis_span(&sc->plot, n);
    out->bucket_ns = sc->plot.bucket_ns;
    return true;
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int metric = screen_selected(sc);
    struct time_axis ax;
    if (metric == METRIC_NONE) {
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
        return;
    }
    if (!find_axis(sc, r, &ax)) {
        draw_title(sc, c, r, metric, NAN);
        return;
    }
    struct rect area = ax.area;
    int n = area.w * 2;
    const float *v = axis_values(sc, metric, ax.sp, n);
    double max = widget_max(v, n), top = axis_top(sc, metric, max);
    enum style hue = words_hue(screen_model(sc), metric);
    draw_title(sc, c, r, metric, max);
    axis_draw_numbers(c, area, screen_model(sc)->metric[metric].share, top);
    axis_draw_times(c, area, ax.sp, ax.bucket_ns);
    draw_threshold(c, area, model_threshold(screen_model(sc), metric), top);
    draw_moments(sc, c, &ax);
    widget_plot(c, area, hue, v, top);
    draw_names(sc, c, &ax);
    draw_span(sc, c, &ax);
}

/* A click goes to a moment, dragging goes on from there; the wheel goes a step. */
static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    struct time_axis ax;
    if (!find_axis(sc, r, &ax))
        return;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        cursor_step(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
    else
        cursor_go(sc, axis_time(ax.area, ax.sp, ax.bucket_ns, m->x));
}

const struct view_ops view_plot = {.name = "plot", .draw = draw, .mouse = mouse};
