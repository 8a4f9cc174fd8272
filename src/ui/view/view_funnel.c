/*
 * The funnel: where 100 % of the slots go, level by level. A level is a row of blocks below those
 * they are parts of; what is over its threshold is filled, the rest is an outline, so that the way
 * to the bottleneck is seen at once. Under each row stand the names that have no room in it.
 * funnel.c has the arithmetic. Where rows are left, level 1 over time
 * shows how it came to that.
 */
#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/term/canvas.h"
#include "ui/view/funnel.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Where the bottleneck path ends, or METRIC_NONE. */
static int funnel_path_end(const struct scene *sc) {
    const struct bottleneck *b = sc->frame ? &sc->frame->bottleneck : NULL;
    return b && b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
}

static const char *sign_of(const struct scene *sc, int metric) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (metric == funnel_path_end(sc))
        return "◀ ";
    if (b->tie[0] == metric || b->tie[1] == metric)
        return "≈ ";
    for (int i = 0; i < b->n; i++)
        if (b->at[i] == metric)
            return "▾ ";
    return "";
}

/* "▾ Memory_Bound", or a shorter name, in w columns; the sign is for what lies on the path to the
 * bottleneck, "◀" for the bottleneck, "≈" for a tie. False and "" if none fits. */
static bool funnel_name(const struct scene *sc, int metric, int w, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const char *sign = sign_of(sc, metric);
    char brief[64], word[64];
    words_short(brief, sizeof(brief), mt);
    words_brief(word, sizeof(word), mt);
    const char *const names[] = {words_name(mt), brief, word};
    const int n = mt->level == 1 ? 6 : 4; /* a word alone may mean several of the deeper ones */
    for (int i = 0; i < n; i++) {
        snprintf(buf, cap, "%s%s", i % 2 ? "" : sign, names[i / 2]);
        if (str_width(buf) <= w && (i % 2 == 0 || metric != funnel_path_end(sc)))
            return true;
    }
    str_copy(buf, cap, "");
    return false;
}

/* "26.0%". Returns buf. */
static const char *funnel_number(const struct scene *sc, int metric, char *buf, size_t cap) {
    return words_cell(buf, cap, &scene_model(sc)->metric[metric], &sc->frame->at[metric]);
}

/* "✓ 31.2% useful  ✗ 68.8% wasted"; false where the model cannot tell. */
static bool funnel_sums(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    double sum[2] = {0, 0};
    bool has = false;
    for (int i = 0; i < (int)m->n_tree; i++) {
        bool known, useful = words_useful(&m->metric[i], &known);
        if (m->metric[i].level != 1 || !m->metric[i].share || !known)
            continue;
        sum[useful] += sc->frame->at[i].v; /* unknown spreads */
        has |= useful;
    }
    if (!has || (isnan(sum[0]) && isnan(sum[1])))
        return false;
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 1; i >= 0; i--) {
        const char *what = i ? "useful" : "wasted", *mark = i ? "✓" : "✗";
        if (isnan(sum[i]))
            strbuf_add(&sb, "%s   n/a %s", mark, what);
        else
            strbuf_add(&sb, "%s %4.1f%% %s", mark, sum[i] * 100, what);
        strbuf_add(&sb, "%s", i ? "  " : "");
    }
    return true;
}

/* "╱  2.7% SMT Contention", for each share that is neither, so that all adds up. Returns buf. */
static const char *funnel_neutral(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < (int)m->n_tree; i++) {
        char name[64];
        double v = sc->frame->at[i].v;
        if (m->metric[i].level == 1 && m->metric[i].share && m->metric[i].role == ROLE_NONE &&
            !isnan(v))
            strbuf_add(&sb, "  ╱ %4.1f%% %s", v * 100,
                       words_short(name, sizeof(name), &m->metric[i]));
    }
    return buf;
}

static void add_value(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct model *m = scene_model(sc);
    const struct metric *mt = &m->metric[metric];
    char number[32];
    double err = (double)sc->shown[metric].err;
    strbuf_add(sb, "%s", funnel_number(sc, metric, number, sizeof(number)));
    if (!isnan(err) && !isnan(sc->frame->at[metric].v))
        strbuf_add(sb, " ± %s",
                   words_err(number, sizeof(number), mt, sc->frame->at[metric].v, err));
    const char *of = funnel_unit(m, metric);
    strbuf_add(sb, " of %s", of ? of : m->scope ? m->scope : "slots");
}

static void add_threshold(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    double limit = model_threshold(scene_model(sc), metric);
    char number[32];
    if (isnan(limit)) {
        strbuf_add(sb, "%s",
                   v->near   ? " · about at its threshold"
                   : v->over ? " · over its threshold"
                             : "");
        return;
    }
    strbuf_add(sb, " · threshold %s", words_mark(number, sizeof(number), mt, limit));
    if (isnan(v->v))
        return;
    bool below_parent = !v->over && v->v > limit; /* its parent is below its own */
    strbuf_add(sb, ": %s",
               v->near        ? "about at it"
               : v->over      ? "over it"
               : below_parent ? "over it, but not the node above"
                              : "below it");
}

/* Of its parent, where both are shares of the same. */
static void add_part(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct model *m = scene_model(sc);
    int parent = m->metric[metric].parent;
    if (parent == METRIC_NONE || !funnel_is_slots(m, metric))
        return;
    double part = sc->frame->at[metric].v / sc->frame->at[parent].v;
    if (isfinite(part) && part >= 0 && part <= 1)
        strbuf_add(sb, " · %.0f%% of %s", part * 100, m->metric[parent].name);
}

/* "14.8% ± 0.9 of clocks · threshold 5%: over it · 31.0% of Memory_Bound". Returns buf. */
static const char *funnel_detail(const struct scene *sc, int metric, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    add_value(sc, metric, &sb);
    add_threshold(sc, metric, &sb);
    add_part(sc, metric, &sb);
    return buf;
}

/* What it means, in one sentence; of what is not known why. "" if there are no words. */
static const char *funnel_sentence(const struct scene *sc, int metric, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    char why[200] = "", said[256];
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v->v))
        why_text(scene_model(sc), v->why, why, sizeof(why));
    const char *known = explain_summary(&sc->explain, mt->name, said, sizeof(said));
    const char *summary = known ? known : mt->summary;
    strbuf_add(&sb, "%s%s%s", why, why[0] && summary ? " · " : "", summary ? summary : "");
    return buf;
}

enum { SLOTS_GUTTER_WIDE_W = 11 /* "L3 clocks " */ };

struct funnel_place {
    struct rect gutter, blocks, legend; /* w or h is 0: no room */
};

/* ---- a band ---- */

enum { SLIVER_W = 5 };

/* ---- a block ---- */

static bool is_filled(const struct scene *sc, int metric) {
    return scene_model(sc)->metric[metric].level == 1 || sc->frame->at[metric].over;
}

static enum style block_style(const struct scene *sc, int metric) {
    const struct model *m = scene_model(sc);
    if (metric == funnel_path_end(sc))
        return m->metric[metric].role == ROLE_RETIRING ? words_fill(m, metric) : STYLE_BOTTLENECK;
    return is_filled(sc, metric) ? words_fill(m, metric) : STYLE_DIM;
}

/* What is not filled has an edge of its hue, to the left and below. */
static void draw_ground(const struct scene *sc, struct canvas *c, struct rect at, int metric,
                        enum style st, bool edge) {
    if (st != STYLE_DIM) {
        widget_ground(c, at, st);
        return;
    }
    enum style hue = words_hue(scene_model(sc), metric);
    canvas_fill(c, (struct rect){at.x, at.y, at.w, at.h - 1}, STYLE_DIM, ' ');
    canvas_fill(c, (struct rect){at.x, at.y + at.h - 1, at.w, 1}, hue, 0x2581);
    for (int y = 0; y < at.h && edge; y++)
        canvas_put(c, at, at.x, at.y + y, hue, 0x2502);
}

/* Writes what fits. Returns true if the name and the number did. */
static bool write_block(const struct scene *sc, struct canvas *c, struct rect at, int metric,
                        enum style st) {
    char name[80], number[32];
    int pad = at.w > 2, room = at.w - pad - (at.w > 8 || metric == funnel_at(sc));
    funnel_number(sc, metric, number, sizeof(number));
    enum style text = st == STYLE_DIM ? STYLE_TEXT : st;
    int w = str_width(number);
    if (at.h == 1 && funnel_name(sc, metric, room - w - 1, name, sizeof(name))) {
        canvas_printf(c, at, at.x + pad, at.y, text, "%s %s", name, number);
        return true;
    }
    bool has_name = funnel_name(sc, metric, room, name, sizeof(name));
    if (has_name)
        canvas_text(c, at, at.x + pad, at.y, text, name);
    else if (w <= room)
        canvas_text(c, at, at.x + pad, at.y, text, number);
    else if (metric == funnel_path_end(sc))
        canvas_text(c, at, at.x + pad, at.y, text, "◀"); /* it leads the eye, whatever it is */
    bool below = at.h > 1 && has_name && w <= room;
    if (below)
        canvas_text(c, at, at.x + pad, at.y + 1, text, number);
    return below;
}

/* Brackets at both ends: what is selected is seen without colours, too. A tall block has them in
 * its corners alone. */
static void draw_cursor(struct canvas *c, struct rect at, enum style st) {
    enum style edge = st == STYLE_DIM ? STYLE_SELECTED : st;
    struct rect clip = {at.x, at.y, at.w > 0 ? at.w : 1, at.h};
    if (at.w < 2) {
        for (int y = 0; y < at.h; y++)
            canvas_put(c, clip, at.x, at.y + y, STYLE_SELECTED, 0x2503);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const int y = i ? at.y + at.h - 1 : at.y;
        canvas_put(c, clip, at.x, y, edge, '[');
        canvas_put(c, clip, at.x + at.w - 1, y, edge, ']');
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
static bool is_sliver(const struct scene *sc, const struct funnel_block *b) {
    return !b->unknown && b->w < SLIVER_W && b->metric != funnel_at(sc) &&
           block_style(sc, b->metric) == STYLE_DIM;
}

/* Goes on from the block before it. */
static bool is_joined(const struct scene *sc, const struct funnel_block *b, int k) {
    const struct model *m = scene_model(sc);
    return k > 0 && b[k].w > 0 && is_sliver(sc, &b[k]) && is_sliver(sc, &b[k - 1]) &&
           b[k - 1].w > 0 && b[k - 1].x + b[k - 1].w == b[k].x &&
           m->metric[b[k].metric].parent == m->metric[b[k - 1].metric].parent;
}

/* Returns true if all that is to be said about it stands in it. */
static bool draw_block(const struct scene *sc, struct canvas *c, struct rect band,
                       const struct funnel_block *b, bool joined) {
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
        if (st != STYLE_DIM && b->x > 0 && scene_model(sc)->metric[b->metric].level > 1)
            for (int y = 0; y < at.h; y++) /* neighbours of one hue are told apart */
                canvas_put(c, at, at.x, at.y + y, st, 0x2502);
    }
    if (b->metric == funnel_at(sc) && at.x < band.x + band.w)
        draw_cursor(c, at, st);
    return said;
}

/* ---- a band ---- */

/* "L3", and of other units also which: a width means nothing without it. */
static void draw_gutter(const struct funnel_place *p, struct canvas *c,
                        const struct funnel_band *b) {
    struct rect r = p->gutter;
    if (r.w == 0)
        return;
    bool empty = b->own && b->parent == METRIC_NONE;
    canvas_printf(c, r, r.x + 1, r.y, empty ? STYLE_BORDER : STYLE_LABEL, "L%d", b->level);
    if (!b->own || empty)
        return;
    char of[16];
    str_copy(of, sizeof(of), b->of ? b->of : "slots");
    if (r.w < SLOTS_GUTTER_WIDE_W)
        str_copy(of, sizeof(of), !b->of ? "slt" : strcmp(b->of, "clocks") == 0 ? "clk" : b->of);
    widget_text(c, r, r.x + 4, r.y, r.w - 5, STYLE_WARN, of);
}

/* Hatched: slots of the other thread of the core, and the like. */
static bool is_neutral(const struct scene *sc, int metric) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    return mt->level == 1 && words_fill(scene_model(sc), metric) == STYLE_TEXT;
}

/* One entry of a legend, if there is room. Returns where the next begins. */
static int put_entry(const struct scene *sc, struct canvas *c, struct rect line, int x, int metric,
                     const char *of) {
    char text[128], name[64], number[32];
    int room = line.x + line.w - x;
    if (room < 4)
        return x;
    funnel_name(sc, metric, 64, name, sizeof(name));
    funnel_number(sc, metric, number, sizeof(number));
    snprintf(text, sizeof(text), "%s%s %s%s%s", is_neutral(sc, metric) ? "╱ " : "", name, number,
             of[0] ? " of " : "", of);
    enum style st = metric == funnel_path_end(sc) ? STYLE_BOTTLENECK
                    : is_filled(sc, metric)       ? words_hue(scene_model(sc), metric)
                                                  : STYLE_DIM;
    int used = widget_text(c, line, x, line.y, room, st, text);
    if (metric == funnel_at(sc))
        canvas_select(c, (struct rect){x, line.y, used, 1});
    return x + used + 2;
}

/* Whose parts an own band has; and what its full width means, if that is not 100 %. */
static int put_parent(const struct scene *sc, struct canvas *c, struct rect line,
                      const struct funnel_band *b) {
    char text[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!b->own || b->parent == METRIC_NONE)
        return line.x;
    strbuf_add(&sb, "%s%s", line.w >= 90 ? "parts of " : "",
               scene_model(sc)->metric[b->parent].name);
    if (fabs(b->whole - 1) > 0.0005)
        strbuf_add(&sb, ", width: %.3g%% of %s", b->whole * 100, b->of ? b->of : "slots");
    strbuf_add(&sb, "  ");
    return line.x + widget_text(c, line, line.x, line.y, line.w, STYLE_LABEL, text);
}

/* Children of an own band whose unit is another: they have no width here. */
static int put_others(const struct scene *sc, struct canvas *c, struct rect line, int x,
                      const struct funnel_band *b, const struct funnel_block *block, int n) {
    const struct model *m = scene_model(sc);
    if (!b->own || b->parent == METRIC_NONE)
        return x;
    for (int i = m->metric[b->parent].first_child; i != METRIC_NONE;
         i = m->metric[i].next_sibling) {
        bool there = funnel_is_slots(m, i);
        for (int k = 0; k < n && !there; k++)
            there = block[k].metric == i;
        const char *of = funnel_unit(m, i);
        if (!there && m->metric[i].share)
            x = put_entry(sc, c, line, x, i, of ? of : "slots");
    }
    return x;
}

/* What comes first in a legend, which may have no room for all. */
enum { RANK_FIRST, RANK_NAMED, RANK_SLIVER, RANK_UNKNOWN, RANKS };

static int rank_of(const struct scene *sc, const struct funnel_block *b) {
    if (b->metric == funnel_at(sc) || b->metric == funnel_path_end(sc))
        return RANK_FIRST;
    return b->unknown ? RANK_UNKNOWN : is_sliver(sc, b) ? RANK_SLIVER : RANK_NAMED;
}

/* What has no room in the blocks; what is too narrow for any comes behind the sign it has there. */
static void draw_legend(const struct scene *sc, struct canvas *c, struct rect line,
                        const struct funnel_band *b, const struct funnel_block *block,
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

static void funnel_draw_band(const struct scene *sc, struct canvas *c, const struct funnel_place *p,
                             const struct funnel_band *b) {
    struct funnel_block block[SLOTS_BLOCKS];
    struct rect at = p->blocks;
    bool can_say = !b->own || p->gutter.w || p->legend.h; /* the unit, or nothing is drawn */
    int n = can_say ? funnel_blocks(sc, b, at.w, block) : 0;
    draw_gutter(p, c, b);
    if (n > 0 || b->parent != METRIC_NONE)
        widget_rule(c, at, at.x, at.y, at.w, STYLE_BORDER);
    bool said[SLOTS_BLOCKS];
    for (int k = 0; k < n; k++)
        said[k] = draw_block(sc, c, at, &block[k], is_joined(sc, block, k));
    if (p->legend.h)
        draw_legend(sc, c, p->legend, b, block, said, n);
}

/* ---- all of it ---- */

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
