/*
 * Level 1 over time on large screens: the funnel's segments, standing on each other, useful work at
 * the bottom. It shares the time axis of the plot below it. Cells have one hue: a share is drawn to
 * the nearest row.
 */
#include "ui/axis.h"
#include "ui/widget.h"
#include "ui/words.h"

#include <math.h>

/* Roots that are shares, the last of the model first: from the bottom up. */
static int roots(const struct model *m, int *out) {
    int n = 0;
    for (int i = (int)m->n_tree - 1; i >= 0 && n < ROOTS_MAX; i--)
        if (m->metric[i].level == 1 && m->metric[i].share)
            out[n++] = i;
    return n;
}

/*
 * Lifts each column by one root and draws its cells. up: [area.w] shares drawn so far; known:
 * [area.w] how many roots had one.
 */
static void pile(struct canvas *c, struct rect area, enum style fill, const float *v, float *up,
                 float *known) {
    for (int x = 0; x < area.w; x++) {
        float share = isnan(v[2 * x + 1]) ? v[2 * x] : v[2 * x + 1]; /* two dots: the newer one */
        if (isnan(share))
            continue;
        known[x]++;
        if (share < 0)
            continue;
        int from = (int)lroundf(up[x] * (float)area.h);
        up[x] += share;
        int to = (int)lroundf(up[x] * (float)area.h);
        for (int y = from; y < to && y < area.h; y++)
            canvas_put(c, area, area.x + x, area.y + area.h - 1 - y, fill, ' ');
    }
}

/* Where only some of the roots are known, the rest may be anything. */
static void hatch(struct canvas *c, struct rect area, const float *up, const float *known, int n) {
    for (int x = 0; x < area.w; x++) {
        if (known[x] == 0 || known[x] >= (float)n)
            continue;
        for (int y = (int)lroundf(up[x] * (float)area.h); y < area.h; y++)
            canvas_put(c, area, area.x + x, area.y + area.h - 1 - y, STYLE_AXIS, 0x2591);
    }
}

static void draw_title(struct screen *sc, struct canvas *c, struct rect r) {
    char names[128] = "";
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int x = r.x + 2 + canvas_text(c, r, r.x + 2, r.y, STYLE_LABEL, " level 1 ");
    if (sc->frame && words_unknown_roots(names, sizeof(names), screen_model(sc), sc->frame)[0])
        canvas_printf(c, r, x, r.y, STYLE_LABEL, "· %s n/a ", names);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int root[ROOTS_MAX], n_root = roots(screen_model(sc), root);
    struct rect area = axis_area(r, 0);
    draw_title(sc, c, r);
    int n = area.w * 2;
    if (!sc->has_plot || !sc->frame || area.h < 2 || n > sc->plot.n || n_root == 0)
        return;
    struct span sp = axis_span(&sc->plot, n);
    float *up = sc->pile, *known = sc->pile + area.w; /* a cell is two dots: there is room */
    for (int x = 0; x < 2 * area.w; x++)
        sc->pile[x] = 0;
    for (int i = 0; i < n_root; i++)
        pile(c, area, words_fill(screen_model(sc), root[i]), axis_values(sc, root[i], sp, n), up,
             known);
    hatch(c, area, up, known, n_root);
    axis_draw_numbers(c, area, true, 1);
}

const struct view_ops view_stack = {.name = "stack", .draw = draw};
