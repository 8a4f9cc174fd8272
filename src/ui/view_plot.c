/*
 * The selected node over time. The upper end of the value axis goes in steps and comes down only
 * when there is clearly room.
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

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int metric = screen_selected(sc);
    struct rect area = axis_area(r, 1);
    if (metric == METRIC_NONE) {
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
        return;
    }
    int n = area.w * 2;
    if (!sc->has_plot || !sc->frame || area.h < 2 || n > sc->plot.n) {
        draw_title(sc, c, r, metric, NAN);
        return;
    }
    struct span sp = axis_span(&sc->plot, n);
    const float *v = axis_values(sc, metric, sp, n);
    double max = widget_max(v, n), top = axis_top(sc, metric, max);
    enum style hue = words_hue(screen_model(sc), metric);
    draw_title(sc, c, r, metric, max);
    axis_draw_numbers(c, area, screen_model(sc)->metric[metric].share, top);
    axis_draw_times(c, area, sp, sc->plot.bucket_ns);
    draw_threshold(c, area, model_threshold(screen_model(sc), metric), top);
    widget_plot(c, area, hue, v, top);
}

const struct view_ops view_plot = {.name = "plot", .draw = draw};
