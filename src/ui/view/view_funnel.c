/*
 * The funnel: where 100 % of the slots go, level by level, along one path. A level is a row of
 * blocks; the way to the bottleneck has its hue, the rest is grey; without a
 * bottleneck all have their hues. Under each row stand the names that have no room in it. funnel.c
 * has the arithmetic. Where rows are left, level 1 over time shows how it came to that.
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

static const char *sign_of(const struct scene *sc, int metric) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (metric == funnel_path_end(sc))
        return "◀ ";
    if (b->tie[0] == metric || b->tie[1] == metric)
        return "≈ ";
    return bottleneck_has(b, metric) ? "▾ " : "";
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

/* "✓ 31.2% useful"; false where the model cannot tell. What is wasted is the rest, less what is
 * neither: on some models level 1 is not quite the whole. */
static bool funnel_useful(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    double sum = 0;
    bool has = false;
    for (int i = 0; i < (int)m->n_tree; i++) {
        bool known, useful = words_useful(&m->metric[i], &known);
        if (m->metric[i].level != 1 || !m->metric[i].share || !known || !useful)
            continue;
        sum += sc->frame->at[i].v; /* unknown spreads */
        has = true;
    }
    has &= !isnan(sum) && model_tells_slots(m);
    if (has)
        snprintf(buf, cap, "✓ %4.1f%% useful", sum * 100);
    return has;
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

struct funnel_place {
    struct rect gutter, blocks, legend; /* w or h is 0: no room */
};

/* ---- a block ---- */

/* Writes what fits. Returns true if the name and the number did. */
static bool write_block(const struct scene *sc, struct canvas *c, struct rect at, int metric,
                        enum style st) {
    char name[80], number[32];
    int pad = at.w > 2, room = at.w - pad - (at.w > 8 || metric == funnel_at(sc));
    funnel_number(sc, metric, number, sizeof(number));
    const enum style text = st;
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
 * its corners alone, but none at a number. */
static void draw_cursor(struct canvas *c, struct rect at, enum style st) {
    struct rect clip = {at.x, at.y, at.w > 0 ? at.w : 1, at.h};
    if (at.w < 2) {
        for (int y = 0; y < at.h; y++)
            canvas_put(c, clip, at.x, at.y + y, STYLE_SELECTED, 0x2503);
        return;
    }
    for (int i = 0; i < (at.h > 2 ? 2 : 1); i++) {
        const int y = i ? at.y + at.h - 1 : at.y;
        canvas_put(c, clip, at.x, y, st, '[');
        canvas_put(c, clip, at.x + at.w - 1, y, st, ']');
    }
}

static void draw_unknown(struct canvas *c, struct rect at) {
    canvas_fill(c, at, STYLE_AXIS, 0x2591);
    if (at.w >= 5)
        canvas_text(c, at, at.x + 1, at.y, STYLE_LABEL, "n/a");
}

/* Returns true if all that is to be said about it stands in it. */
static bool draw_block(const struct scene *sc, struct canvas *c, struct rect band,
                       const struct funnel_block *b) {
    struct rect at = {band.x + b->x, band.y, b->w, band.h};
    bool said = false;
    enum style st = STYLE_TEXT;
    if (b->unknown) {
        draw_unknown(c, at);
    } else if (b->w > 0) {
        st = scene_fill(sc, b->metric);
        widget_ground(c, at, st);
        said = write_block(sc, c, at, b->metric, st);
        for (int y = 0; b->x > 0 && b->w > 1 && y < at.h; y++) /* neighbours of one hue */
            canvas_put(c, at, at.x, at.y + y, st, 0x258f);
    }
    if (b->metric == funnel_at(sc) && at.x < band.x + band.w)
        draw_cursor(c, at, st);
    return said;
}

/* ---- a band ---- */

/* "level 3", in one row "3", and of other units also which: a width means nothing without it. */
static void draw_gutter(const struct funnel_place *p, struct canvas *c,
                        const struct funnel_band *b) {
    const struct rect r = p->gutter;
    const int row = r.h > 1, x = row ? 1 : 3;
    if (r.w == 0)
        return;
    canvas_printf(c, r, r.x + 1, r.y, STYLE_LABEL, row ? "level %d" : "%d", b->level);
    if (b->own)
        widget_text(c, r, r.x + x, r.y + row, r.w - x - 1, STYLE_LABEL, b->of ? b->of : "slots");
}

/* Hatched: slots of the other thread of the core, and the like. */
static bool is_neutral(const struct scene *sc, int metric) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    return mt->level == 1 && words_fill(scene_model(sc), metric) == STYLE_TEXT;
}

enum { ENTRY_GAP = 2 };

struct entry {
    int metric;
    int x, w; /* where its block begins; columns of its text */
    char text[112];
};

static void entry_of(const struct scene *sc, const struct funnel_block *b, struct entry *e) {
    char name[64], number[32];
    funnel_name(sc, b->metric, 64, name, sizeof(name));
    funnel_number(sc, b->metric, number, sizeof(number));
    e->metric = b->metric;
    e->x = b->x;
    snprintf(e->text, sizeof(e->text), "%s%s %s", is_neutral(sc, b->metric) ? "╱ " : "", name,
             number);
    e->w = str_width(e->text);
}

/* The smallest that is not looked at leaves, until the others have room. Returns how many stay. */
static int fit_entries(const struct scene *sc, struct entry *e, int n, int w) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += e[i].w + ENTRY_GAP;
    while (n > 0 && sum - ENTRY_GAP > w) {
        int least = -1;
        for (int i = 0; i < n; i++) {
            const double v = sc->frame->at[e[i].metric].v;
            const bool kept = e[i].metric == funnel_at(sc) || e[i].metric == funnel_path_end(sc);
            if (!kept && (least < 0 || !(v >= sc->frame->at[e[least].metric].v)))
                least = i;
        }
        if (least < 0)
            least = n - 1;
        sum -= e[least].w + ENTRY_GAP;
        memmove(&e[least], &e[least + 1], sizeof(*e) * (size_t)(n - least - 1));
        n--;
    }
    return n;
}

/* What has no room in the blocks stands below them, each as near to its own as the others allow. */
static void draw_legend(const struct scene *sc, struct canvas *c, struct rect line,
                        const struct funnel_block *block, const bool *said, int n) {
    struct entry e[FUNNEL_BLOCKS];
    int n_entry = 0, behind = 0, x = 0;
    for (int k = 0; k < n; k++)
        if (!said[k])
            entry_of(sc, &block[k], &e[n_entry++]);
    n_entry = fit_entries(sc, e, n_entry, line.w);
    for (int i = 0; i < n_entry; i++)
        behind += e[i].w + ENTRY_GAP;
    for (int i = 0; i < n_entry; i++) {
        const int last = line.w + ENTRY_GAP - behind; /* later ones need the rest */
        const int at = e[i].x > last ? last : e[i].x;
        x = at > x ? at : x;
        const bool bright = sc->frame->at[e[i].metric].over;
        canvas_text(c, line, line.x + x, line.y,
                    bright ? words_hue(scene_model(sc), e[i].metric) : STYLE_DIM, e[i].text);
        if (e[i].metric == funnel_at(sc))
            canvas_select(c, (struct rect){line.x + x, line.y, e[i].w, 1});
        x += e[i].w + ENTRY_GAP;
        behind -= e[i].w + ENTRY_GAP;
    }
}

static void funnel_draw_band(const struct scene *sc, struct canvas *c, const struct funnel_place *p,
                             const struct funnel_band *b) {
    struct funnel_block block[FUNNEL_BLOCKS];
    struct rect at = p->blocks;
    bool can_say = !b->own || p->gutter.w || p->legend.h; /* the unit, or nothing is drawn */
    int n = can_say ? funnel_blocks(sc, b, at.w, block) : 0;
    draw_gutter(p, c, b);
    bool said[FUNNEL_BLOCKS];
    for (int k = 0; k < n; k++)
        said[k] = draw_block(sc, c, at, &block[k]);
    if (p->legend.h)
        draw_legend(sc, c, p->legend, block, said, n);
}

/* ---- all of it ---- */

enum {
    GUTTER_W = 10, /* "3 clocks" */
    GUTTER_FROM_W = 40,
    BLOCK_MAX_H = 5,
    WIDE = 150,     /* a description takes few lines */
    SCOPE_W = 24,   /* "100% = pipeline slots" */
    PAST_MIN_H = 7, /* title, four rows, the lane, the time */
};

/* Where all is, by the size and the model alone; but for the first band, which follows the
 * selection where not all of them have room. */
struct places {
    struct rect head, past, detail;
    struct funnel_band band[FUNNEL_BANDS];
    int n, first, shown; /* bands: of the path, the first that is shown, how many are */
    int held;            /* there is room for so many, whatever the path */
    int x, w, y;         /* of the blocks; the first row */
    int gutter;          /* columns to their left */
    int block_h, legend_h, step;
    int taller; /* so many of the shown bands have a row more */
};

/* ---- places ---- */

static int detail_rows(int w, int h) {
    return h >= 44 && w < WIDE ? 7 : h >= 30 ? 5 : h >= 16 ? 3 : h >= 9 ? 2 : h >= 4 ? 1 : 0;
}

/* Rows of a band: its blocks, its legend, a gap; the last two only where there is room for the
 * longest path of the model. */
static void place_bands(struct places *p, int most, int rows) {
    int n = most > 0 ? most : 1;
    int each = rows / n < 2 && rows >= 2 ? 2 : rows / n;
    if (each < 1)
        each = 1;
    p->block_h = each >= 9 ? BLOCK_MAX_H : each >= 5 ? 3 : each >= 3 ? 2 : 1;
    p->legend_h = each >= 2;
    p->step = p->block_h + p->legend_h + (each >= 4);
    p->held = rows / p->step < n ? rows / p->step : n;
    p->shown = p->held < p->n ? p->held : p->n;
}

/* What the bands leave shows how it came to that; if it is too little the bands grow. */
static void place_past(struct places *p, struct rect r, int rows) {
    const int used = p->held * p->step, left = rows - used;
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
    int below = detail_rows(r.w, r.h), above = p.head.h;
    int rows = r.h - above - below - (r.h >= 30);
    p.detail = (struct rect){r.x, r.y + r.h - below, r.w, below};
    p.y = r.y + above;
    p.gutter = r.w >= GUTTER_FROM_W ? GUTTER_W : 0;
    p.x = r.x + p.gutter;
    p.w = r.w - p.gutter - (r.w > p.gutter + 1);
    place_bands(&p, funnel_bands_most(scene_model(sc)), rows);
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

/* "100% = pipeline slots                        ✓ 31.2% useful" */
static void draw_head(const struct scene *sc, struct canvas *c, const struct places *p) {
    const struct model *m = scene_model(sc);
    struct rect r = p->head;
    char text[160], sums[128];
    int zoom = funnel_zoom(sc), x = r.x + r.w - 1;
    if (funnel_useful(sc, sums, sizeof(sums))) {
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

/* ---- the selected block ---- */

static void draw_detail(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[400];
    int at = funnel_at(sc);
    if (r.h <= 0 || at == METRIC_NONE)
        return;
    const struct metric *mt = &scene_model(sc)->metric[at];
    struct rect in = {r.x + 1, r.y, r.w - 2, r.h};
    int x = in.x + widget_text(c, in, in.x, in.y, in.w, words_hue(scene_model(sc), at), mt->name);
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
    for (int i = p.first; i < p.first + p.shown; i++) {
        struct rect at = band_at(&p, i);
        const struct funnel_place place = {
            {r.x, at.y, p.gutter, at.h}, at, {p.x, at.y + at.h, p.w, p.legend_h}};
        funnel_draw_band(sc, c, &place, &p.band[i]);
    }
    if (p.past.h)
        pane_stack.draw(sc, c, p.past);
    draw_detail(sc, c, p.detail);
}

/* ---- the mouse ---- */

static int block_under(struct scene *sc, const struct places *p, const struct mouse *m) {
    struct funnel_block block[FUNNEL_BLOCKS];
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
    funnel_move(sc, last ? FUNNEL_BLOCKS : -FUNNEL_BLOCKS);
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
    .want = funnel_want,
    .mouse = mouse,
    .twice = true,
    .move = funnel_move_level,
    .end = end};
