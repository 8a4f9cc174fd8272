#include "ui/view/metric_plot.h"

#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/plot.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"

#include <math.h>
#include <stdio.h>

static struct rect below_title(struct rect r) {
    return (struct rect){r.x, r.y + 1, r.w, r.h - 1};
}

struct rect metric_plot_area(struct rect r) {
    return chart_area(below_title(r), 0);
}

/* What the baseline has for it; NAN: nothing, or there is none. */
static double baseline_value(const struct scene *sc, int metric) {
    const struct compare_row *row = sc->base.on ? baseline_row(&sc->base, metric) : NULL;
    return row && row->a && !row->total ? row->a->value.v : (double)NAN;
}

/* ---- the title ---- */

struct title {
    struct canvas *c;
    struct rect r;
    int x, end; /* the next part begins there; none ends behind */
};

/* A part that has no room is left out as a whole. */
static void add(struct title *t, enum style st, const char *text) {
    if (t->x + str_width(text) <= t->end)
        t->x += canvas_text(t->c, t->r, t->x, t->r.y, st, text);
}

static void add_rule(struct title *t, const struct metric *mt, enum chart_glyph glyph,
                     enum chart_rule rule, const char *what, double v) {
    char text[96], number[48];
    if (isnan(v))
        return;
    snprintf(text, sizeof(text), " %s %s %s ", chart_rule_sample(glyph, rule), what,
             rule == CHART_BASELINE ? words_value(number, sizeof(number), mt, v)
                                    : words_mark(number, sizeof(number), mt, v));
    add(t, rule == CHART_BASELINE ? STYLE_BASELINE : STYLE_LABEL, text);
}

static void add_max(struct title *t, const struct metric *mt, double max) {
    char text[96], number[48];
    if (isnan(max))
        return;
    snprintf(text, sizeof(text), " max %s ", words_value(number, sizeof(number), mt, max));
    if (t->x + str_width(text) + 4 < t->r.x + t->r.w)
        widget_right(t->c, t->r, t->r.x, t->r.y, t->r.w - 2, STYLE_LABEL, text);
}

static void add_gap(struct title *t, enum chart_glyph glyph) {
    char text[64];
    snprintf(text, sizeof(text), " %s not measured ", plot_gap_sample(glyph));
    add(t, STYLE_LABEL, text);
}

/* "── L3_Bound  ⠂⠂⠂ threshold 5%  ⠒⠒⠒ baseline 10.1% ───────────── max 14.2% ──" */
static void draw_title(const struct scene *sc, struct canvas *c, struct rect r, int metric,
                       double base, double max, bool gap) {
    const struct model *m = scene_model(sc);
    const struct metric *mt = &m->metric[metric];
    struct title t = {c, r, r.x + 2, r.x + r.w - 2};
    char text[256];
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    snprintf(text, sizeof(text), " %s ", words_name(mt));
    t.x += widget_text(c, r, t.x, r.y, t.end - t.x, words_hue(m, metric), text);
    add_rule(&t, mt, axis_glyph(sc), CHART_THRESHOLD, "threshold", model_threshold(m, metric));
    add_rule(&t, mt, axis_glyph(sc), CHART_BASELINE, "baseline", base);
    if (gap)
        add_gap(&t, axis_glyph(sc));
    add_max(&t, mt, max);
}

/* ---- the plot ---- */

static void fit(struct scale *y, const struct scene *sc, int metric, double min, double max) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct scale_rule rule = {.share = mt->share,
                                    .least = mt->share ? 0.1 : 0,
                                    .most = mt->share ? 1 : 0,
                                    .what = (uint64_t)metric + 1,
                                    .when = scene_newest_ns(sc)};
    scale_fit(y, min, max, &rule);
}

void metric_plot_draw(const struct scene *sc, struct canvas *c, struct rect r, int metric,
                      const struct trend *t, const struct chart *ch, struct scale *y) {
    const struct model *m = scene_model(sc);
    const double base = baseline_value(sc, metric);
    double min = (double)NAN, max = (double)NAN, top = (double)NAN;
    if (!t) {
        draw_title(sc, c, r, metric, base, max, false);
        return;
    }
    struct plot p = {.chart = *ch,
                     .values = axis_values(sc, t, metric, sc->trends.dots, sc->trends.warning),
                     .style = words_hue(m, metric),
                     .threshold = model_threshold(m, metric),
                     .baseline = base};
    p.chart.y = y;
    p.chart.plain = true;
    p.chart.unit = m->metric[metric].share ? NULL : m->metric[metric].unit;
    chart_range(&p.values, &p.chart.x, &min, &max);
    draw_title(sc, c, r, metric, base, max, plot_has_gap(&p));
    plot_range(&p, &min, &top);
    fit(y, sc, metric, min, top);
    plot_draw(c, below_title(r), &p);
}
