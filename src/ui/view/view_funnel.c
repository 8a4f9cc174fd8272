/*
 * The funnel: where 100 % of the slots go, level by level. A level is a row of blocks below those
 * they are parts of; what is over its threshold is filled, the rest is an outline, so that the way
 * to the bottleneck is seen at once. Under each row stand the names that have no room in it.
 * slots.c has the arithmetic, funnel_band.c draws a row. Where rows are left, level 1 over time
 * shows how it came to that.
 */
#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/view/funnel_band.h"
#include "ui/view/funnel_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GUTTER_W = 8, /* "L3 clk " */
    GUTTER_FROM_W = 40,
    GUTTER_WIDE_FROM_W = 100,
    BLOCK_MAX_H = 5,
    RULE_FROM_H = 8,
    WIDE = 150,     /* a description takes few lines */
    SCOPE_W = 24,   /* "100% = pipeline slots" */
    PAST_MIN_H = 7, /* title, four rows, the lane, the time */
};

/* Where all is, by the size and the model alone; but for the first band, which follows the
 * selection where not all of them have room. */
struct places {
    struct rect head, rule, past, detail;
    struct funnel_band band[SLOTS_BANDS];
    int n, first, shown; /* bands: of the model, the first that is shown, how many are */
    int x, w, y;         /* of the blocks; the first row */
    int gutter;          /* columns to their left */
    int block_h, legend_h, step;
    int taller; /* so many of the shown bands have a row more */
};

/* ---- places ---- */

static int detail_rows(int w, int h) {
    return h >= 44 && w < WIDE ? 7 : h >= 30 ? 5 : h >= 16 ? 3 : h >= 9 ? 2 : h >= 4 ? 1 : 0;
}

/* Rows of a band: its blocks, its legend, a gap; the last two only where there is room for all. */
static void place_bands(struct places *p, int rows) {
    int n = p->n > 0 ? p->n : 1;
    int each = rows / n < 2 && rows >= 2 ? 2 : rows / n;
    if (each < 1)
        each = 1;
    p->block_h = each >= 9 ? BLOCK_MAX_H : each >= 5 ? 3 : each >= 3 ? 2 : 1;
    p->legend_h = each >= 2;
    p->step = p->block_h + p->legend_h + (each >= 4);
    p->shown = rows / p->step;
    if (p->shown > p->n)
        p->shown = p->n;
}

/* What the bands leave shows how it came to that; if it is too little the bands grow. */
static void place_past(struct places *p, struct rect r, int rows) {
    int used = p->shown * p->step, left = rows - used;
    if (left >= PAST_MIN_H + (r.h >= 30)) {
        int gap = r.h >= 30;
        p->past = (struct rect){r.x, p->y + used + gap, r.w, left - gap};
    } else {
        p->taller = left < p->shown ? left : p->shown;
    }
}

static struct places places_of(const struct scene *sc, struct rect r) {
    struct places p = {.n = 0};
    p.n = funnel_bands(sc, p.band);
    p.head = (struct rect){r.x, r.y, r.w, r.h >= 3};
    p.rule = (struct rect){r.x, r.y + p.head.h, r.w, r.h >= RULE_FROM_H};
    int below = detail_rows(r.w, r.h), above = p.head.h + p.rule.h;
    int rows = r.h - above - below - (r.h >= 30);
    p.detail = (struct rect){r.x, r.y + r.h - below, r.w, below};
    p.y = r.y + above;
    p.gutter = r.w >= GUTTER_WIDE_FROM_W ? SLOTS_GUTTER_WIDE_W
               : r.w >= GUTTER_FROM_W    ? GUTTER_W
                                         : 0;
    p.x = r.x + p.gutter;
    p.w = r.w - p.gutter - (r.w > p.gutter + 1);
    place_bands(&p, rows);
    place_past(&p, r, rows);
    int at = funnel_band_of(p.band, p.n, scene_model(sc), funnel_at(sc));
    p.first = at + 2 - p.shown; /* its parts are to be seen, too */
    if (p.first > p.n - p.shown)
        p.first = p.n - p.shown;
    if (p.first < 0)
        p.first = 0;
    return p;
}

static struct rect band_at(const struct places *p, int i) {
    int nth = i - p->first, above = nth < p->taller ? nth : p->taller;
    return (struct rect){p->x, p->y + nth * p->step + above, p->w, p->block_h + (nth < p->taller)};
}

/* ---- around the bands ---- */

/* "100 % = pipeline slots         ✓ 31.2% useful  ✗ 68.8% wasted" */
static void draw_head(const struct scene *sc, struct canvas *c, const struct places *p) {
    const struct model *m = scene_model(sc);
    struct rect r = p->head;
    char text[160], sums[128];
    int zoom = funnel_zoom(sc), x = r.x + r.w - 1;
    if (funnel_sums(sc, sums, sizeof(sums))) {
        funnel_neutral(sc, text, sizeof(text));
        if (str_width(sums) + str_width(text) + SCOPE_W <= r.w)
            str_copy(sums + strlen(sums), sizeof(sums) - strlen(sums), text);
        widget_right(c, r, r.x, r.y, x - r.x, STYLE_TEXT, sums);
        x -= str_width(sums) + 2;
    }
    if (zoom == METRIC_NONE) {
        snprintf(text, sizeof(text), "100%% = %s", m->scope ? m->scope : "slots");
    } else {
        char number[32], key[24];
        funnel_number(sc, zoom, number, sizeof(number));
        snprintf(text, sizeof(text), "full width = %s, %s%s%s · %s: back", m->metric[zoom].name,
                 number, funnel_unit(m, zoom) ? " of " : " of all ",
                 funnel_unit(m, zoom) ? funnel_unit(m, zoom)
                 : m->scope           ? m->scope
                                      : "slots",
                 keys_name_of("funnel-back", key, sizeof(key)));
    }
    widget_text(c, r, r.x + 1, r.y, x - r.x - 1, zoom == METRIC_NONE ? STYLE_LABEL : STYLE_TITLE,
                text);
    int below = p->n - p->first - p->shown;
    if (p->first > 0 || below > 0) {
        snprintf(sums, sizeof(sums), "  levels ↑%d ↓%d", p->first, below);
        int from = r.x + 1 + str_width(text);
        widget_text(c, r, from, r.y, x - from, STYLE_LABEL, sums);
    }
}

/* A bracket over neighbouring roots that are all useful, or all lost. */
static void draw_bracket(struct canvas *c, struct rect r, int x, int w, bool useful) {
    const char *const text[] = {useful ? " ✓ useful " : " ✗ wasted ", useful ? "✓" : "✗"};
    if (w < 2)
        return;
    widget_rule(c, r, x, r.y, w, STYLE_BORDER);
    canvas_put(c, r, x, r.y, STYLE_BORDER, 0x250c);
    canvas_put(c, r, x + w - 1, r.y, STYLE_BORDER, 0x2510);
    for (int i = 0; i < 2; i++)
        if (str_width(text[i]) + 2 <= w) {
            canvas_text(c, r, x + 1, r.y, useful ? STYLE_RETIRING : STYLE_TEXT, text[i]);
            return;
        }
}

/* 1 useful, 0 lost, -1 neither, or not known. */
static int kind_of(const struct scene *sc, const struct funnel_block *b) {
    bool known, useful = words_useful(&scene_model(sc)->metric[b->metric], &known);
    return !known || b->unknown ? -1 : useful;
}

static void draw_rule(const struct scene *sc, struct canvas *c, const struct places *p) {
    struct funnel_block block[SLOTS_BLOCKS];
    if (funnel_zoom(sc) != METRIC_NONE || p->first > 0)
        return; /* it would stand over something else */
    int n = funnel_blocks(sc, &p->band[0], p->w, block);
    for (int i = 0, k; i < n; i = k) {
        int kind = kind_of(sc, &block[i]);
        for (k = i + 1; k < n && kind_of(sc, &block[k]) == kind; k++)
            ;
        int to = block[k - 1].x + block[k - 1].w;
        if (kind >= 0)
            draw_bracket(c, p->rule, p->x + block[i].x, to - block[i].x, kind == 1);
    }
}

/* ---- the selected block ---- */

static void draw_detail(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[400];
    int at = funnel_at(sc);
    if (r.h <= 0 || at == METRIC_NONE)
        return;
    const struct metric *mt = &scene_model(sc)->metric[at];
    struct rect in = {r.x + 1, r.y, r.w - 2, r.h};
    int x = in.x + widget_text(c, in, in.x, in.y, in.w,
                               at == funnel_path_end(sc) ? STYLE_BOTTLENECK
                                                         : words_hue(scene_model(sc), at),
                               mt->name);
    funnel_detail(sc, at, text, sizeof(text));
    widget_text(c, in, x + 1, in.y, in.x + in.w - x - 1, STYLE_TEXT, text);
    const char *why = funnel_sentence(sc, at, text, sizeof(text));
    struct page page = page_on(c, (struct rect){in.x, in.y + 1, in.w, in.h - 1}, 0);
    page_text(&page, STYLE_LABEL, 0, NULL, why);
    char about[1024];
    if (in.h >= 5 && explain_description(&sc->explain, mt->name, about, sizeof(about)))
        page_text(&page, STYLE_DIM, 0, NULL, about);
}

static void draw_waiting(const struct scene *sc, struct canvas *c, const struct places *p) {
    for (int i = p->first; i < p->first + p->shown; i++)
        if (p->band[i].level == 1)
            canvas_fill(c, band_at(p, i), STYLE_AXIS, 0x2591);
    (void)sc;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    struct places p = places_of(sc, r);
    if (p.n == 0) {
        widget_text(c, r, r.x + 1, r.y, r.w - 2, STYLE_LABEL,
                    scene_model(sc)->n_metric ? "this model has no shares of a whole"
                                              : "opening counters ...");
        return;
    }
    if (!sc->frame) {
        draw_waiting(sc, c, &p);
        return;
    }
    if (p.head.h)
        draw_head(sc, c, &p);
    if (p.rule.h)
        draw_rule(sc, c, &p);
    for (int i = p.first; i < p.first + p.shown; i++) {
        struct rect at = band_at(&p, i);
        const struct funnel_place place = {
            {r.x, at.y, p.gutter, 1}, at, {p.x, at.y + at.h, p.w, p.legend_h}};
        funnel_draw_band(sc, c, &place, &p.band[i]);
    }
    if (p.past.h)
        pane_stack.draw(sc, c, p.past);
    draw_detail(sc, c, p.detail);
}

/* ---- the mouse ---- */

static int block_under(struct scene *sc, const struct places *p, const struct mouse *m) {
    struct funnel_block block[SLOTS_BLOCKS];
    for (int i = p->first; i < p->first + p->shown; i++) {
        struct rect at = band_at(p, i);
        if (m->y < at.y || m->y >= at.y + at.h)
            continue;
        int n = funnel_blocks(sc, &p->band[i], at.w, block);
        for (int k = 0; k < n; k++)
            if (m->x >= at.x + block[k].x && m->x < at.x + block[k].x + block[k].w)
                return block[k].metric;
    }
    return METRIC_NONE;
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    if (!sc->frame)
        return;
    struct places p = places_of(sc, r);
    if (p.past.h && m->y >= p.past.y && m->y < p.past.y + p.past.h) {
        pane_stack.mouse(sc, p.past, m);
        return;
    }
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        funnel_move_level(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    int at = block_under(sc, &p, m);
    if (at == METRIC_NONE || (m->what != MOUSE_PRESS && m->what != MOUSE_DOUBLE))
        return;
    funnel_go(sc, at);
    if (m->what == MOUSE_DOUBLE)
        funnel_drill(sc);
}

/* Up and down are its levels. */
static void end(struct scene *sc, bool last) {
    funnel_move(sc, last ? SLOTS_BLOCKS : -SLOTS_BLOCKS);
}

const struct view view_funnel = {
    .id = "funnel",
    .name = "Funnel",
    .digit = '2',
    .context = IN_FUNNEL,
    .layout = LAYOUT_MAIN,
    .about = "The slots as blocks, as wide as their shares: useful and lost, each level "
             "below its parent; ╱ is neither. Where rows are left: how level 1 came to that.",
    .past = true,
    .draw = draw,
    .mouse = mouse,
    .twice = true,
    .move = funnel_move_level,
    .end = end};
