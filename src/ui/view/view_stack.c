/* Level 1 over time on large screens; it shares the time axis of the plot below it. */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/view/stack.h"

/* "── level 1 ▒ Frontend  ▒ Bad Speculation  ▒ Backend  ▒ Retiring ──" */
static void draw_title(const struct scene *sc, struct canvas *c, struct rect r) {
    char names[128] = "";
    const int end = r.x + r.w - 2;
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int x = r.x + 2 + canvas_text(c, r, r.x + 2, r.y, STYLE_LABEL, " level 1 ");
    const int used = sc->frame ? stack_legend(sc, c, r, x, r.y, end - x - 1) : 0;
    if (used > 0) {
        x += used;
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, " ");
    }
    if (sc->frame && words_unknown_roots(names, sizeof(names), scene_model(sc), sc->frame)[0])
        canvas_printf(c, r, x, r.y, STYLE_LABEL, "· %s n/a ", names);
}

static struct rect below_title(struct rect r) {
    return (struct rect){r.x, r.y + 1, r.w, r.h - 1};
}

/* The axis as it is drawn, or false if there is no room for one. */
static bool find_axis(const struct scene *sc, struct rect r, struct scale_time *x) {
    const struct rect area = stack_area(below_title(r));
    if (!sc->trends.has_plot || !sc->frame || area.h < 1 || 2 * area.w > sc->trends.plot.n)
        return false;
    *x = axis_newest(sc, &sc->trends.plot, area.w);
    return true;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    struct chart_mark mark[AXIS_MARKS];
    struct scale_time x;
    draw_title(sc, c, r);
    if (!find_axis(sc, r, &x))
        return;
    struct chart ch = axis_chart(sc, x, mark);
    stack_draw(sc, c, below_title(r), &sc->trends.plot, &ch);
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct scale_time x;
    if (!find_axis(sc, r, &x))
        return;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        cursor_step(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
    else
        axis_mouse(sc, stack_area(below_title(r)), &x, m);
}

const struct view pane_stack = {.draw = draw, .mouse = mouse};
