/*
 * The funnel: where 100 % of the slots go, level by level. A level is a row of blocks below those
 * they are parts of; what is over its threshold is filled, the rest is an outline, so that the way
 * to the bottleneck is seen at once. Under each row stand the names that have no room in it.
 * slots.c has the arithmetic.
 */
#include "base/str.h"
#include "model/model_text.h"
#include "ui/page.h"
#include "ui/screen.h"
#include "ui/slots.h"
#include "ui/slots_words.h"
#include "ui/widget.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GUTTER_W = 8,       /* "L3 clk " */
    GUTTER_WIDE_W = 11, /* "L3 clocks " */
    GUTTER_FROM_W = 40,
    GUTTER_WIDE_FROM_W = 100,
    BLOCK_MAX_H = 5,
    RULE_FROM_H = 8,
    SLIVER_W = 5,
};

/* Where all is, by the size and the model alone; but for the first band, which follows the
 * selection where not all of them have room. */
struct places {
    struct rect head, rule, detail;
    struct slots_band band[SLOTS_BANDS];
    int n, first, shown; /* bands: of the model, the first that is shown, how many are */
    int x, w, y;         /* of the blocks; the first row */
    int block_h, legend_h, step;
};

/* ---- places ---- */

static int detail_rows(int h) {
    return h >= 44 ? 7 : h >= 30 ? 5 : h >= 16 ? 3 : h >= 9 ? 2 : h >= 4 ? 1 : 0;
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

static struct places places_of(const struct screen *sc, struct rect r) {
    struct places p = {.n = 0};
    p.n = slots_bands(sc, p.band);
    p.head = (struct rect){r.x, r.y, r.w, r.h >= 3};
    p.rule = (struct rect){r.x, r.y + p.head.h, r.w, r.h >= RULE_FROM_H};
    int below = detail_rows(r.h), above = p.head.h + p.rule.h;
    int gap = r.h >= 30;
    p.detail = (struct rect){r.x, r.y + r.h - below, r.w, below};
    p.y = r.y + above;
    int gutter = r.w >= GUTTER_WIDE_FROM_W ? GUTTER_WIDE_W : r.w >= GUTTER_FROM_W ? GUTTER_W : 0;
    p.x = r.x + gutter;
    p.w = r.w - gutter - (r.w > gutter + 1);
    place_bands(&p, r.h - above - below - gap);
    int at = slots_band_of(p.band, p.n, screen_model(sc), slots_at(sc));
    p.first = at + 2 - p.shown; /* its parts are to be seen, too */
    if (p.first > p.n - p.shown)
        p.first = p.n - p.shown;
    if (p.first < 0)
        p.first = 0;
    return p;
}

static struct rect band_at(const struct places *p, int i) {
    return (struct rect){p->x, p->y + (i - p->first) * p->step, p->w, p->block_h};
}

/* ---- a block ---- */

static bool is_filled(const struct screen *sc, int metric) {
    return screen_model(sc)->metric[metric].level == 1 || sc->frame->at[metric].over;
}

static enum style block_style(const struct screen *sc, int metric) {
    const struct model *m = screen_model(sc);
    if (metric == slots_path_end(sc))
        return m->metric[metric].role == ROLE_RETIRING ? words_fill(m, metric) : STYLE_BOTTLENECK;
    return is_filled(sc, metric) ? words_fill(m, metric) : STYLE_DIM;
}

/* What is not filled has an edge of its hue, to the left and below. */
static void draw_ground(const struct screen *sc, struct canvas *c, struct rect at, int metric,
                        enum style st, bool edge) {
    if (st != STYLE_DIM) {
        canvas_fill(c, at, st, ' ');
        return;
    }
    enum style hue = words_hue(screen_model(sc), metric);
    canvas_fill(c, (struct rect){at.x, at.y, at.w, at.h - 1}, STYLE_DIM, ' ');
    canvas_fill(c, (struct rect){at.x, at.y + at.h - 1, at.w, 1}, hue, 0x2581);
    for (int y = 0; y < at.h && edge; y++)
        canvas_put(c, at, at.x, at.y + y, hue, 0x2502);
}

/* Writes what fits. Returns true if the name and the number did. */
static bool write_block(const struct screen *sc, struct canvas *c, struct rect at, int metric,
                        enum style st) {
    char name[80], number[32];
    int pad = at.w > 2, room = at.w - pad - (at.w > 8);
    slots_number(sc, metric, number, sizeof(number));
    enum style text = st == STYLE_DIM ? STYLE_TEXT : st;
    int w = str_width(number);
    if (at.h == 1 && slots_name(sc, metric, room - w - 1, name, sizeof(name))) {
        canvas_printf(c, at, at.x + pad, at.y, text, "%s %s", name, number);
        return true;
    }
    bool has_name = slots_name(sc, metric, room, name, sizeof(name));
    if (has_name)
        canvas_text(c, at, at.x + pad, at.y, text, name);
    else if (w <= room)
        canvas_text(c, at, at.x + pad, at.y, text, number);
    bool below = at.h > 1 && has_name && w <= room;
    if (below)
        canvas_text(c, at, at.x + pad, at.y + 1, text, number);
    return below;
}

/* Brackets at both ends: what is selected is seen without colours, too. */
static void draw_cursor(struct canvas *c, struct rect at, enum style st) {
    enum style edge = st == STYLE_DIM ? STYLE_SELECTED : st;
    struct rect clip = {at.x, at.y, at.w > 0 ? at.w : 1, at.h};
    if (at.w < 2) {
        for (int y = 0; y < at.h; y++)
            canvas_put(c, clip, at.x, at.y + y, STYLE_SELECTED, 0x2503);
        return;
    }
    for (int y = 0; y < at.h; y++) {
        canvas_put(c, clip, at.x, at.y + y, edge, '[');
        canvas_put(c, clip, at.x + at.w - 1, at.y + y, edge, ']');
    }
    if (st == STYLE_DIM)
        canvas_select(c, at);
}

static void draw_unknown(struct canvas *c, struct rect at) {
    canvas_fill(c, at, STYLE_AXIS, 0x2591);
    if (at.w >= 5)
        canvas_text(c, at, at.x + 1, at.y, STYLE_LABEL, "n/a");
}

/* Too narrow for a word, and nothing that leads on: a row of such has one edge and one sign, and
 * their names stand behind that sign in the legend. */
static bool is_sliver(const struct screen *sc, const struct slots_block *b) {
    return !b->unknown && b->w < SLIVER_W && b->metric != slots_at(sc) &&
           block_style(sc, b->metric) == STYLE_DIM;
}

/* Goes on from the block before it. */
static bool is_joined(const struct screen *sc, const struct slots_block *b, int k) {
    const struct model *m = screen_model(sc);
    return k > 0 && b[k].w > 0 && is_sliver(sc, &b[k]) && is_sliver(sc, &b[k - 1]) &&
           b[k - 1].w > 0 && b[k - 1].x + b[k - 1].w == b[k].x &&
           m->metric[b[k].metric].parent == m->metric[b[k - 1].metric].parent;
}

/* Returns true if all that is to be said about it stands in it. */
static bool draw_block(const struct screen *sc, struct canvas *c, struct rect band,
                       const struct slots_block *b, bool joined) {
    struct rect at = {band.x + b->x, band.y, b->w, band.h};
    bool said = false;
    enum style st = STYLE_DIM;
    if (b->unknown) {
        draw_unknown(c, at);
    } else if (b->w > 0) {
        st = block_style(sc, b->metric);
        draw_ground(sc, c, at, b->metric, st, !joined);
        if (!is_sliver(sc, b))
            said = write_block(sc, c, at, b->metric, st);
        else if (!joined)
            canvas_text(c, at, at.x + 1, at.y, STYLE_LABEL, "…");
        if (st != STYLE_DIM && b->x > 0 && screen_model(sc)->metric[b->metric].level > 1)
            for (int y = 0; y < at.h; y++) /* neighbours of one hue are told apart */
                canvas_put(c, at, at.x, at.y + y, st, 0x2502);
    }
    if (b->metric == slots_at(sc) && at.x < band.x + band.w)
        draw_cursor(c, at, st);
    return said;
}

/* ---- a band ---- */

/* "L3", and of other units also which: a width means nothing without it. */
static void draw_gutter(const struct places *p, struct canvas *c, struct rect r, int i) {
    const struct slots_band *b = &p->band[i];
    struct rect at = band_at(p, i);
    if (p->x == r.x)
        return;
    bool empty = b->own && b->parent == METRIC_NONE;
    canvas_printf(c, r, r.x + 1, at.y, empty ? STYLE_BORDER : STYLE_LABEL, "L%d", b->level);
    if (!b->own || empty)
        return;
    char of[16];
    str_copy(of, sizeof(of), b->of ? b->of : "slots");
    if (p->x - r.x < GUTTER_WIDE_W)
        str_copy(of, sizeof(of), !b->of ? "slt" : strcmp(b->of, "clocks") == 0 ? "clk" : b->of);
    widget_text(c, r, r.x + 4, at.y, p->x - r.x - 5, STYLE_WARN, of);
}

/* One entry of a legend, if there is room. Returns where the next begins. */
static int put_entry(const struct screen *sc, struct canvas *c, struct rect line, int x, int metric,
                     const char *of) {
    char text[128], name[64], number[32];
    int room = line.x + line.w - x;
    if (room < 4)
        return x;
    slots_name(sc, metric, 64, name, sizeof(name));
    slots_number(sc, metric, number, sizeof(number));
    snprintf(text, sizeof(text), "%s %s%s%s", name, number, of[0] ? " of " : "", of);
    enum style st = metric == slots_path_end(sc) ? STYLE_BOTTLENECK
                    : is_filled(sc, metric)      ? words_hue(screen_model(sc), metric)
                                                 : STYLE_DIM;
    int used = widget_text(c, line, x, line.y, room, st, text);
    if (metric == slots_at(sc))
        canvas_select(c, (struct rect){x, line.y, used, 1});
    return x + used + 2;
}

/* Whose parts an own band has; and what its full width means, if that is not 100 %. */
static int put_parent(const struct screen *sc, struct canvas *c, struct rect line,
                      const struct slots_band *b) {
    char text[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!b->own || b->parent == METRIC_NONE)
        return line.x;
    strbuf_add(&sb, "%s%s", line.w >= 90 ? "parts of " : "",
               screen_model(sc)->metric[b->parent].name);
    if (fabs(b->whole - 1) > 0.0005)
        strbuf_add(&sb, ", width: %.3g%% of %s", b->whole * 100, b->of ? b->of : "slots");
    strbuf_add(&sb, "  ");
    return line.x + widget_text(c, line, line.x, line.y, line.w, STYLE_LABEL, text);
}

/* Children of an own band whose unit is another: they have no width here. */
static int put_others(const struct screen *sc, struct canvas *c, struct rect line, int x,
                      const struct slots_band *b, const struct slots_block *block, int n) {
    const struct model *m = screen_model(sc);
    if (!b->own || b->parent == METRIC_NONE)
        return x;
    for (int i = m->metric[b->parent].first_child; i != METRIC_NONE;
         i = m->metric[i].next_sibling) {
        bool there = slots_is_slots(m, i);
        for (int k = 0; k < n && !there; k++)
            there = block[k].metric == i;
        const char *of = slots_unit(m, i);
        if (!there && m->metric[i].share)
            x = put_entry(sc, c, line, x, i, of ? of : "slots");
    }
    return x;
}

/* What comes first in a legend, which may have no room for all. */
enum { RANK_FIRST, RANK_NAMED, RANK_SLIVER, RANK_UNKNOWN, RANKS };

static int rank_of(const struct screen *sc, const struct slots_block *b) {
    if (b->metric == slots_at(sc) || b->metric == slots_path_end(sc))
        return RANK_FIRST;
    return b->unknown ? RANK_UNKNOWN : is_sliver(sc, b) ? RANK_SLIVER : RANK_NAMED;
}

/* What has no room in the blocks; what is too narrow for any comes behind the sign it has there. */
static void draw_legend(const struct screen *sc, struct canvas *c, struct rect line,
                        const struct slots_band *b, const struct slots_block *block,
                        const bool *said, int n) {
    int x = put_parent(sc, c, line, b);
    for (int rank = 0; rank < RANKS; rank++) {
        bool sign = rank == RANK_SLIVER;
        for (int k = 0; k < n; k++) {
            if (said[k] || rank_of(sc, &block[k]) != rank)
                continue;
            if (sign && x + 6 < line.x + line.w)
                x += widget_text(c, line, x, line.y, 1, STYLE_LABEL, "…") + 1;
            sign = false;
            x = put_entry(sc, c, line, x, block[k].metric, "");
        }
    }
    put_others(sc, c, line, x, b, block, n);
}

static void draw_band(const struct screen *sc, struct canvas *c, struct rect r,
                      const struct places *p, int i) {
    struct slots_block block[SLOTS_BLOCKS];
    struct rect at = band_at(p, i), line = {p->x, at.y + at.h, p->w, p->legend_h};
    const struct slots_band *b = &p->band[i];
    bool can_say = !b->own || p->x > r.x || p->legend_h; /* the unit, or nothing is drawn */
    int n = can_say ? slots_blocks(sc, b, at.w, block) : 0;
    draw_gutter(p, c, r, i);
    if (n > 0 || b->parent != METRIC_NONE)
        widget_rule(c, at, at.x, at.y, at.w, STYLE_BORDER);
    bool said[SLOTS_BLOCKS];
    for (int k = 0; k < n; k++)
        said[k] = draw_block(sc, c, at, &block[k], is_joined(sc, block, k));
    if (!line.h)
        return;
    draw_legend(sc, c, line, b, block, said, n);
}

/* ---- around the bands ---- */

/* "100 % = pipeline slots         ✓ 31.2% useful  ✗ 68.8% wasted" */
static void draw_head(const struct screen *sc, struct canvas *c, const struct places *p) {
    const struct model *m = screen_model(sc);
    struct rect r = p->head;
    char text[160], sums[80];
    int zoom = slots_zoom(sc), x = r.x + r.w - 1;
    if (slots_sums(sc, sums, sizeof(sums))) {
        widget_right(c, r, r.x, r.y, x - r.x, STYLE_TEXT, sums);
        x -= str_width(sums) + 2;
    }
    if (zoom == METRIC_NONE) {
        snprintf(text, sizeof(text), "100%% = %s", m->scope ? m->scope : "slots");
    } else {
        char number[32];
        slots_number(sc, zoom, number, sizeof(number));
        snprintf(text, sizeof(text), "full width = %s, %s%s%s · Backspace: back",
                 m->metric[zoom].name, number, slots_unit(m, zoom) ? " of " : " of all ",
                 slots_unit(m, zoom) ? slots_unit(m, zoom)
                 : m->scope          ? m->scope
                                     : "slots");
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
static int kind_of(const struct screen *sc, const struct slots_block *b) {
    bool known, useful = words_useful(&screen_model(sc)->metric[b->metric], &known);
    return !known || b->unknown ? -1 : useful;
}

static void draw_rule(const struct screen *sc, struct canvas *c, const struct places *p) {
    struct slots_block block[SLOTS_BLOCKS];
    if (slots_zoom(sc) != METRIC_NONE || p->first > 0)
        return; /* it would stand over something else */
    int n = slots_blocks(sc, &p->band[0], p->w, block);
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

static void draw_detail(const struct screen *sc, struct canvas *c, struct rect r) {
    char text[400];
    int at = slots_at(sc);
    if (r.h <= 0 || at == METRIC_NONE)
        return;
    const struct metric *mt = &screen_model(sc)->metric[at];
    struct rect in = {r.x + 1, r.y, r.w - 2, r.h};
    int x = in.x + widget_text(c, in, in.x, in.y, in.w,
                               at == slots_path_end(sc) ? STYLE_BOTTLENECK
                                                        : words_hue(screen_model(sc), at),
                               mt->name);
    slots_detail(sc, at, text, sizeof(text));
    widget_text(c, in, x + 1, in.y, in.x + in.w - x - 1, STYLE_TEXT, text);
    const char *why = slots_sentence(sc, at, text, sizeof(text));
    struct page page = page_on(c, (struct rect){in.x, in.y + 1, in.w, in.h - 1}, 0);
    page_text(&page, STYLE_LABEL, 0, NULL, why);
    const struct explain_entry *e = explain_find(&sc->explain, mt->name);
    if (in.h >= 5 && e && e->description)
        page_text(&page, STYLE_DIM, 0, NULL, e->description);
}

static void draw_waiting(const struct screen *sc, struct canvas *c, const struct places *p) {
    for (int i = p->first; i < p->first + p->shown; i++)
        if (p->band[i].level == 1)
            canvas_fill(c, band_at(p, i), STYLE_AXIS, 0x2591);
    (void)sc;
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct places p = places_of(sc, r);
    if (p.n == 0) {
        widget_text(c, r, r.x + 1, r.y, r.w - 2, STYLE_LABEL,
                    screen_model(sc)->n_metric ? "this model has no shares of a whole"
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
    for (int i = p.first; i < p.first + p.shown; i++)
        draw_band(sc, c, r, &p, i);
    draw_detail(sc, c, p.detail);
}

/* ---- the mouse ---- */

static int block_under(struct screen *sc, const struct places *p, const struct mouse *m) {
    struct slots_block block[SLOTS_BLOCKS];
    for (int i = p->first; i < p->first + p->shown; i++) {
        struct rect at = band_at(p, i);
        if (m->y < at.y || m->y >= at.y + at.h)
            continue;
        int n = slots_blocks(sc, &p->band[i], at.w, block);
        for (int k = 0; k < n; k++)
            if (m->x >= at.x + block[k].x && m->x < at.x + block[k].x + block[k].w)
                return block[k].metric;
    }
    return METRIC_NONE;
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    if (!sc->frame)
        return;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        slots_move_level(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    struct places p = places_of(sc, r);
    int at = block_under(sc, &p, m);
    if (at == METRIC_NONE || (m->what != MOUSE_PRESS && m->what != MOUSE_DOUBLE))
        return;
    slots_go(sc, at);
    if (m->what == MOUSE_DOUBLE)
        slots_drill(sc);
}

const struct view_ops view_slots = {.name = "Funnel", .draw = draw, .mouse = mouse};
