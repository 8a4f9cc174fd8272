/*
 * The tree, one row a node, in the model's order. Columns never move. The bottleneck path has the
 * one accent of the screen; nodes over their threshold are bright, the others dim, unknown ones say
 * n/a and why. State is told by signs as well: "◀" "≈" "~" "?" "÷".
 */
#include "base/clock.h"
#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/spark.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    UNIT_MAX_W = 6,  /* longer ones stand for the bar */
    BAR_LEAST_W = 2, /* shorter ones are none */
    BAR_FULL_W = 12, /* with that much room for bars the unit is spelled out */
};

/* Left edge of each column. */
struct edges {
    int name, mark, value, delta, err, bar, unit, spark, duty, end;
};

/* Where the word leaves no room for a bar; the plot's heading has it in full. */
static const char *short_unit(const char *of) {
    return strcmp(of, "clocks") == 0 ? "clk" : of;
}

/*
 * What the unit of a bar takes of its column, a blank included: of every row, also of those that
 * need none, because the bars below each other have one scale. 0: no room, or no need.
 */
static int unit_room(const struct model *m, int room) {
    int full = 0, brief = 0;
    for (int i = 0; i < (int)m->n_tree; i++) {
        const char *of = metric_share_of(m, &m->metric[i]);
        if (!of || str_width(of) > UNIT_MAX_W)
            continue;
        full = str_width(of) > full ? str_width(of) : full;
        brief = str_width(short_unit(of)) > brief ? str_width(short_unit(of)) : brief;
    }
    if (full && room - full - 1 >= BAR_FULL_W)
        return full + 1;
    return brief && room - brief - 1 >= BAR_LEAST_W ? brief + 1 : 0;
}

static struct edges edges_of(const struct scene *sc, int x) {
    const struct columns *col = &sc->columns;
    struct edges e = {.name = x};
    e.value = e.name + col->name;
    e.mark = e.value + col->value;
    e.delta = e.mark + col->mark;
    e.err = e.delta + col->delta;
    e.bar = e.err + col->err;
    e.spark = e.bar + col->bar;
    e.unit = e.spark - unit_room(scene_model(sc), col->bar - 1);
    e.duty = e.spark + col->spark;
    e.end = e.duty + col->duty;
    return e;
}

/* What is in the column, in as many words as leave room for how much more there is. */
static void draw_what(const struct scene *sc, struct canvas *c, struct rect r, int x, int w) {
    const struct model *m = scene_model(sc);
    char more[32];
    const char *what = m->tma && m->tma[0] ? "top-down tree" : "node";
    int room = w - 1 - str_width(list_more(&sc->tree.list, more, sizeof(more)));
    x += widget_text(c, r, x, r.y, w, STYLE_LABEL, str_width(what) <= room ? what : "tree");
    canvas_text(c, r, x + 1, r.y, STYLE_LABEL, more);
}

/* True if one of the rows that are seen is like that. */
static bool is_any(const struct scene *sc, int h, bool (*is)(const struct value *v)) {
    for (int i = sc->tree.list.top; sc->frame && i < sc->tree.list.n && i < sc->tree.list.top + h;
         i++)
        if (sc->tree.row[i] >= 0 && is(&sc->frame->at[sc->tree.row[i]]))
            return true;
    return false;
}

static bool is_split(const struct value *v) {
    return v->split;
}

/* Counted, but not all of the time. */
static bool is_part(const struct value *v) {
    return v->split || !(words_is_whole(v->duty) || isnan(v->duty));
}

/* What the sign beside a duty means, where there is room for it; the help has it always. */
static void draw_legend(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct edges *e, int h) {
    static const char legend[] = "÷ parts at different times";
    enum { LAST_W = 12 }; /* "last 2m09s", and some distance */
    if (sc->columns.spark - LAST_W >= str_width(legend) && is_any(sc, h, is_split))
        widget_right(c, r, e->spark, r.y, sc->columns.spark, STYLE_LABEL, legend);
}

/* What the row of a metric shows: beside a difference the value that it is of. */
static const struct value *shown_value(const struct scene *sc, int metric) {
    const struct value *v = sc->columns.delta ? baseline_of_other(sc, metric) : NULL;
    return v ? v : &sc->frame->at[metric];
}

static bool is_other(const struct scene *sc, int metric) {
    return shown_value(sc, metric) != &sc->frame->at[metric];
}

static bool shows_other(const struct scene *sc) {
    for (uint32_t i = 0; sc->frame && sc->columns.delta && i < scene_model(sc)->n_tree; i++)
        if (baseline_of_other(sc, (int)i))
            return true;
    return false;
}

static void draw_heading(const struct scene *sc, struct canvas *c, struct rect r,
                         const struct edges *e, int h) {
    const struct columns *col = &sc->columns;
    char text[80];
    draw_what(sc, c, r, e->name + 1, col->name - 1);
    widget_right(c, r, e->value, r.y, col->value, STYLE_LABEL,
                 shows_other(sc) ? "mean B" : "value");
    if (col->delta)
        widget_right(c, r, e->delta, r.y, col->delta - 2, STYLE_LABEL, "Δ base");
    if (col->err)
        widget_right(c, r, e->err, r.y, col->err, STYLE_LABEL, "±");
    if (col->bar) {
        snprintf(text, sizeof(text), "share of %s", model_whole(scene_model(sc)));
        const char *of = strchr(text, ' ') + 1;
        widget_text(c, r, e->bar + 1, r.y, col->bar - 1, STYLE_LABEL,
                    str_width(text) < col->bar - 1 ? text
                    : str_width(of) < col->bar - 1 ? of
                                                   : "share");
    }
    if (col->spark && sc->trends.has_spark) {
        spark_words(sc, col->spark - 1, text, sizeof(text));
        widget_right(c, r, e->spark + 1, r.y, col->spark - 1, STYLE_LABEL, text);
    }
    if (col->duty && is_any(sc, h, is_part))
        widget_right(c, r, e->duty, r.y, col->duty, STYLE_LABEL, "duty");
    if (col->duty)
        draw_legend(sc, c, r, e, h);
}

/* Level 1 and what is beside the tree are told in full; else only what is over its threshold,
 * which alone has its hue. */
static bool stands_out(const struct scene *sc, int metric) {
    if (isnan(sc->frame->at[metric].v))
        return false;
    return scene_model(sc)->metric[metric].level <= 1 || sc->frame->at[metric].over;
}

static enum style bar_style(const struct scene *sc, int metric) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const bool has_hue = sc->frame->at[metric].over || (mt->level == 1 && !mt->threshold);
    return has_hue ? words_hue(scene_model(sc), metric) : STYLE_BORDER;
}

/* The last node of the path that can be seen: where it ends, or the closed branch it ends in. */
static int seen_end(const struct scene *sc) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    for (int i = 0; i < b->n; i++)
        if (i == b->n - 1 || !sc->tree.open[b->at[i]])
            return b->at[i];
    return METRIC_NONE;
}

/* The sign in the mark column, or NULL. */
static const char *sign_of(const struct scene *sc, int metric) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (metric == seen_end(sc))
        return metric == b->at[b->n - 1] ? "◀" : "◁";
    return b->tie[0] == metric || b->tie[1] == metric ? "≈" : NULL;
}

/* Where the name begins, behind indentation and fold mark. */
static int name_x(const struct metric *mt, int x) {
    return x + 1 + (mt->level > 0 ? mt->level : 2) * 2;
}

static void draw_name(const struct scene *sc, struct canvas *c, struct rect r, int metric, int w,
                      enum style st) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const char *name = words_name(mt);
    int x = name_x(mt, r.x);
    if (mt->first_child != METRIC_NONE)
        canvas_text(c, r, x - 2, r.y, STYLE_LABEL, sc->tree.open[metric] ? "▾" : "▸");
    search_draw(&sc->search, c, r, x, r.y, r.x + w - x, st, name);
}

/* All of the time needs no words. */
static void draw_duty(struct canvas *c, struct rect r, int x, int w, float duty, bool split) {
    char text[16];
    if (!split && words_is_whole(duty))
        return;
    enum style st = words_duty(text, sizeof(text), duty, split);
    widget_right(c, r, x, r.y, w, st, text);
}

static void draw_resting(const struct scene *sc, struct canvas *c, struct rect r,
                         const struct edges *e) {
    int from = sc->columns.err ? e->err + 1 : e->bar + 1, room = e->spark - from;
    const char *brief = sc->stored ? "not counted" : "not in focus";
    const char *words = sc->stored                        ? "was not counted in this run"
                        : sc->cursor.shows != CURSOR_LIVE ? "was not in focus then"
                                                          : brief;
    widget_text(c, r, from, r.y, room, STYLE_DIM, str_width(words) <= room ? words : brief);
}

/* What is not known says so, and why, instead of showing an empty row. */
static void draw_reason(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct edges *e, const struct value *v) {
    char text[256];
    if (v->state == VALUE_STALE || scene_is_away(sc))
        return; /* the word is enough: it comes and goes */
    int from = !sc->columns.err ? e->bar + 1 : sc->columns.delta ? e->err + 1 : e->mark + 2;
    why_text(scene_model(sc), v->why, text, sizeof(text));
    widget_text(c, r, from, r.y, e->end - from, STYLE_DIM, text);
}

/*
 * A bar of another unit than its parents' has the word that says so behind it, at a fixed place;
 * where there is no room for both, or many words, they stand for the bar.
 */
static void draw_share(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct edges *e, int metric) {
    const char *of = metric_share_of(scene_model(sc), &scene_model(sc)->metric[metric]);
    const int x = e->bar + 1, w = e->spark - x, unit_w = e->spark - e->unit;
    char text[64];
    if (of && str_width(of) > UNIT_MAX_W) {
        snprintf(text, sizeof(text), "of %s", of);
        widget_text(c, r, x, r.y, w, STYLE_DIM, text);
        return;
    }
    if (of)
        widget_right(c, r, x, r.y, w, STYLE_DIM,
                     str_width(of) < (unit_w > 0 ? unit_w : w + 1) ? of : short_unit(of));
    if (!of || unit_w > 0)
        widget_share(c, r, x, r.y, e->unit - x, bar_style(sc, metric),
                     is_other(sc, metric) ? shown_value(sc, metric)->v
                                          : (double)sc->shown[metric].bar,
                     of != NULL, model_threshold(scene_model(sc), metric));
}

/* Less than this is what every number has: a ± says nothing then. Points of a share, parts of else.
 */
static bool is_worth_saying(const struct metric *mt, double v, double err) {
    const double least_share = 0.003, least = 0.02;
    return !isnan(err) && err > (mt->share ? least_share : least * fabs(v));
}

/* "+3.2 ✗": of what came since the baseline was pinned, or of the moment that the row shows. */
static void draw_delta(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct edges *e, int metric) {
    const struct compare_row *row = baseline_row(&sc->base, metric);
    char text[32];
    enum style st;
    if (!row)
        return;
    const char *sign = baseline_sign(row->verdict, &st);
    widget_right(c, r, e->delta, r.y, sc->columns.delta - 2, st,
                 baseline_delta(row, text, sizeof(text)));
    canvas_text(c, r, e->err - 1, r.y, st, sign);
}

static void draw_known(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct edges *e, int metric) {
    const struct columns *col = &sc->columns;
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct shown *sh = &sc->shown[metric];
    const struct value *v = shown_value(sc, metric);
    const double err = is_other(sc, metric) ? v->err : (double)sh->err;
    char text[32];
    const char *sign = sign_of(sc, metric);
    if (sign)
        canvas_text(c, r, e->mark + 1, r.y, STYLE_ERROR, sign);
    if (col->err && is_worth_saying(mt, v->v, err))
        widget_right(c, r, e->err, r.y, col->err, STYLE_DIM,
                     words_err(text, sizeof(text), mt, v->v, err));
    if (col->bar && mt->share)
        draw_share(sc, c, r, e, metric);
    if (col->bar && !mt->share && mt->unit)
        widget_text(c, r, e->bar + 1, r.y, col->bar - 1, STYLE_DIM, mt->unit);
    if (col->duty)
        draw_duty(c, r, e->duty, col->duty, is_other(sc, metric) ? v->duty : sh->duty, v->split);
}

/* The path to the bottleneck is bold; its end has the sign. */
static enum style name_style(const struct scene *sc, int metric) {
    if (metric == seen_end(sc) && scene_model(sc)->metric[metric].role == ROLE_RETIRING)
        return STYLE_GOOD;
    if (bottleneck_has(&sc->frame->bottleneck, metric))
        return STYLE_TITLE;
    if (sc->frame->at[metric].near)
        return STYLE_WARN;
    return stands_out(sc, metric) ? STYLE_TEXT : STYLE_DIM;
}

/* "▸ 98 other metrics" */
static void draw_beside(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct model *m = scene_model(sc);
    canvas_printf(c, r, r.x + 1, r.y, STYLE_LABEL, "%s %u other metrics",
                  sc->tree.beside ? "▾" : "▸", m->n_metric - m->n_tree);
}

/* "L1 3%": "_Bound" says nothing, as most have it; tenths of what is quiet say nothing either. */
static void add_quiet(struct strbuf *sb, const struct metric *mt, double v) {
    static const char all[] = "_Bound";
    const char *name = words_name(mt);
    const size_t len = strlen(name), tail = sizeof(all) - 1;
    const bool is_bound = len > tail && strcmp(name + len - tail, all) == 0;
    strbuf_add(sb, "  %.*s", (int)(is_bound ? len - tail : len), name);
    if (mt->share && !isnan(v))
        strbuf_add(sb, " %.0f%%", v * 100);
}

/* "3 quiet  L1 3%  L2 0%  Store 1%" */
static void draw_fold(const struct scene *sc, struct canvas *c, struct rect r, int parent) {
    const struct metric *mt = scene_model(sc)->metric;
    char text[256], names[224] = "";
    struct strbuf sb = strbuf_on(names, sizeof(names));
    int n = 0;
    for (int i = mt[parent].first_child; i != METRIC_NONE; i = mt[i].next_sibling)
        if (outline_is_folded(&sc->tree, i)) {
            add_quiet(&sb, &mt[i], (double)sc->shown[i].bar);
            n++;
        }
    snprintf(text, sizeof(text), "%d quiet%s", n, names);
    const int x = name_x(&mt[mt[parent].first_child], r.x);
    canvas_text(c, r, x - 2, r.y, STYLE_LABEL, "▸");
    widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM, text);
}

/* Without a column of duties the sign stands at the value. */
static const char *value_text(const struct scene *sc, int metric, char *buf, size_t cap) {
    const struct value *v = shown_value(sc, metric);
    char cell[40];
    if (scene_is_resting(v))
        return "·";
    words_cell(cell, sizeof(cell), &scene_model(sc)->metric[metric], v);
    snprintf(buf, cap, "%s%s", v->split && !sc->columns.duty ? "÷" : "", cell);
    return buf;
}

static void draw_row(const struct scene *sc, struct canvas *c, struct rect r, const struct edges *e,
                     int metric) {
    if (metric == METRIC_NONE) {
        draw_beside(sc, c, r);
        return;
    }
    if (!sc->frame) {
        draw_name(sc, c, r, metric, sc->columns.name, STYLE_DIM);
        return;
    }
    const struct value *v = shown_value(sc, metric);
    enum style name = name_style(sc, metric), number = name;
    if (name == STYLE_TEXT)
        number = v->state == VALUE_ODD ? STYLE_WARN : STYLE_VALUE;
    const struct fade_mark mark = changes_mark(sc, metric);
    if (mark.step > 0 && name != STYLE_TITLE && !is_other(sc, metric)) /* lights up, and fades */
        number = fade_style(mark);
    draw_name(sc, c, r, metric, sc->columns.name, name);

    char text[48];
    widget_right(c, r, e->value, r.y, sc->columns.value, number,
                 value_text(sc, metric, text, sizeof(text)));
    if (sc->columns.mark > 0 && !isnan(v->v) && !is_other(sc, metric))
        changes_draw(sc, c, r, e->mark, r.y, metric, STYLE_TEXT);
    if (scene_is_resting(v))
        draw_resting(sc, c, r, e);
    else if (isnan(v->v))
        draw_reason(sc, c, r, e, v);
    else
        draw_known(sc, c, r, e, metric);
    if (sc->columns.delta)
        draw_delta(sc, c, r, e, metric);
    if (sc->columns.spark && (!isnan(v->v) || v->state == VALUE_STALE || scene_is_resting(v)))
        spark_draw(sc, c, r, e->spark + 1, sc->columns.spark - 1, metric);
}

static int heading_rows(struct rect r) {
    return r.h >= 4 ? 1 : 0;
}

static void prepare(struct scene *sc, struct rect r) {
    list_fit(&sc->tree.list, r.h - heading_rows(r));
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct edges e = edges_of(sc, r.x);
    int heading = heading_rows(r);
    if (heading)
        draw_heading(sc, c, (struct rect){r.x, r.y, r.w, 1}, &e, r.h - 1);
    r.y += heading;
    r.h -= heading;
    struct rect line;
    for (int i = 0, at; list_line(&sc->tree.list, r, i, &line, &at); i++) {
        const int fold = outline_fold(&sc->tree, at);
        if (fold != METRIC_NONE)
            draw_fold(sc, c, line, fold);
        else
            draw_row(sc, c, line, &e, sc->tree.row[at]);
        if (at == sc->tree.list.at && sc->active)
            list_mark(c, line, r.x);
    }
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    const int heading = heading_rows(r);
    const struct rect lines = {r.x, r.y + heading, r.w, r.h - heading};
    scene_touch(sc);
    if (list_mouse(&sc->tree.list, lines, m) == LIST_DOUBLE)
        outline_toggle(&sc->tree);
}

static struct list *list(struct scene *sc) {
    scene_touch(sc);
    return &sc->tree.list;
}

const struct view view_tree = {
    .id = "tree",
    .name = "Tree",
    .digit = '1',
    .context = IN_TREE,
    .layout = LAYOUT_TREE,
    .about = "Where the slots go, level by level. Bright: over its threshold, the tick on its bar; "
             "the sign ◀ leads to what to look at first.",
    .past = true,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .twice = true,
    .list = list};
