/* A row of the funnel: its blocks, and under them the names that have no room in it. */
#include "ui/view/funnel_band.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/funnel_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void funnel_draw_band(const struct scene *sc, struct canvas *c, const struct funnel_place *p,
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
