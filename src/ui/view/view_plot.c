/* The selected node over time, with the time cursor, the span and the marks on it. */
#include "ui/draw/widget.h"
#include "ui/view/metric_plot.h"

/* The scale follows slowly, but for another recording or metric. */
struct plot_state {
    struct scale scale;
    unsigned scales; /* of the scene then */
};

static struct scale *scale_of(const struct scene *sc) {
    struct plot_state *own = sc->state;
    if (own->scales != sc->scales)
        *own = (struct plot_state){.scales = sc->scales};
    return &own->scale;
}

/* The axis as it is drawn, or false if there is no room for one. */
static bool find_axis(const struct scene *sc, struct rect r, struct scale_time *x) {
    const struct rect area = metric_plot_area(r);
    if (!sc->trends.has_plot || !sc->frame || area.h < 1 || 2 * area.w > sc->trends.plot.n)
        return false;
    *x = axis_newest(sc, &sc->trends.plot, area.w);
    return true;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const int metric = scene_selected(sc);
    struct chart_mark mark[AXIS_MARKS];
    struct scale_time x;
    if (metric == METRIC_NONE) {
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
        return;
    }
    if (!find_axis(sc, r, &x)) {
        metric_plot_draw(sc, c, r, metric, NULL, NULL, NULL);
        return;
    }
    const struct chart ch = axis_chart(sc, x, mark);
    metric_plot_draw(sc, c, r, metric, &sc->trends.plot, &ch, scale_of(sc));
}

/* A click goes to a moment, dragging goes on from there; the wheel goes a step. */
static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct scale_time x;
    if (!find_axis(sc, r, &x))
        return;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        cursor_step(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
    else
        axis_mouse(sc, metric_plot_area(r), &x, m);
}

const struct view pane_plot = {
    .state_size = sizeof(struct plot_state), .draw = draw, .mouse = mouse};
