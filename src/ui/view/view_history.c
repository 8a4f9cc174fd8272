#include "ui/view/view_history.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/view/metric_plot.h"
#include "ui/view/stack.h"

#include <stdio.h>

/* ---- places ---- */

/* From the top down; h == 0: no room. By the size alone. */
struct places {
    struct rect title, numbers, stack, plot;
};

static struct history_view *history_of(const struct scene *sc) {
    struct history_view *hv = sc->state;
    if (hv->scales != sc->scales)
        hv->scale = (struct scale){.low = 0};
    hv->scales = sc->scales;
    return hv;
}

enum {
    PLOT_FROM_H = 14, /* with the selected metric below */
    PLOT_PERCENT = 34,
    PLOT_MIN_H = 6,
    PLOT_MAX_H = 18,
    PARTS = 8, /* of the width, by which the screen moves on */
};

static struct rect take_top(struct rect *left, int h) {
    const struct rect r = {left->x, left->y, left->w, h < left->h ? h : left->h};
    left->y += r.h;
    left->h -= r.h;
    return r;
}

static struct places places_of(struct rect r) {
    struct places p = {.plot = {.w = 0}};
    int plot = r.h >= PLOT_FROM_H ? r.h * PLOT_PERCENT / 100 : 0;
    if (plot > 0)
        plot = plot < PLOT_MIN_H ? PLOT_MIN_H : plot > PLOT_MAX_H ? PLOT_MAX_H : plot;
    if (plot > 0) {
        p.plot = (struct rect){r.x, r.y + r.h - plot, r.w, plot};
        r.h -= plot;
    }
    p.title = take_top(&r, r.h >= 3);
    p.numbers = take_top(&r, 1);
    p.stack = r;
    return p;
}

/* ---- which time is shown ---- */

static void drop(struct history_view *hv) {
    if (hv->has_trend)
        trend_destroy(&hv->trend);
    hv->has_trend = false;
    hv->x.cells = 0;
}

/*
 * Columns go from half an interval up: where a value has several, then one, then several values a
 * column. What is shorter than an interval is one of the first two.
 */
static uint64_t longer_column(uint64_t column_ns, uint64_t finest_ns) {
    return column_ns < 2 * finest_ns ? 2 * column_ns : 2 * scene_longer_ns(column_ns / 2);
}

static uint64_t shortest_column(uint64_t finest_ns) {
    return finest_ns > 1 ? finest_ns / 2 : 1;
}

/* The shortest columns in which the whole session is on the screen; what has ended fills it. */
static uint64_t whole_column(const struct scene *sc, int cells) {
    const uint64_t finest_ns = scene_finest_ns(sc), now_ns = scene_newest_ns(sc);
    uint64_t ns = shortest_column(finest_ns);
    if (sc->s->state != STREAM_LIVE && now_ns && cells > 0)
        return now_ns / (uint64_t)cells + 1;
    while (now_ns / ns + 1 > (uint64_t)cells)
        ns = longer_column(ns, finest_ns);
    return ns;
}

/* The axis on which the moment is in column `at`, as far as there is anything behind it. */
static struct scale_time axis_around(const struct scale_time *newest, uint64_t t_ns, int at) {
    struct scale_time x = *newest;
    const uint64_t before = t_ns ? (t_ns - 1) / x.cell_ns : 0;
    x.from_ns = before > (uint64_t)at ? (before - (uint64_t)at) * x.cell_ns : 0;
    if (x.from_ns && x.from_ns >= newest->from_ns)
        return *newest;
    if (!x.from_ns && at - (int)before > x.blank)
        x.blank = at - (int)before;
    return x;
}

/* While the cursor is within what is shown, that stays; beyond it the screen moves on by a part. */
static struct scale_time find_axis(const struct scene *sc, int cells) {
    const struct history_view *hv = history_of(sc);
    const uint64_t whole_ns = whole_column(sc, cells);
    const uint64_t ns = hv->column_ns && hv->column_ns < whole_ns ? hv->column_ns : whole_ns;
    const struct scale_time newest =
        scale_time_right(scene_newest_ns(sc), ns, cells, cells / PARTS);
    const uint64_t t_ns = sc->cursor.t1_ns;
    if (sc->cursor.shows == CURSOR_LIVE)
        return newest;
    const bool same = hv->x.cells == cells && hv->x.cell_ns == ns;
    const int was = hv->x.cell_ns && hv->x.cells == cells ? scale_time_x(&hv->x, t_ns) : -1;
    if (same && was >= 0)
        return hv->x;
    if (was >= 0)
        return axis_around(&newest, t_ns, was);
    const int at = t_ns <= hv->x.from_ns ? cells / PARTS : cells - 1 - cells / PARTS;
    struct scale_time x = axis_around(&newest, t_ns, at);
    x.blank = newest.blank;
    return x;
}

static bool make_trend(struct scene *sc, int n, uint64_t bucket_ns) {
    struct history_view *hv = history_of(sc);
    struct session *s = sc->s;
    if (hv->has_trend && hv->trend.n == n)
        return true;
    drop(hv);
    if (n > sc->trends.n_dots ||
        trend_init(&hv->trend, n, bucket_ns, &s->model, s->source.layout.n_slot) < 0)
        return false;
    hv->has_trend = true;
    if (trend_keep_err(&hv->trend) == 0)
        return true;
    drop(hv);
    return false;
}

/* A moment is a column, also after another zoom: what is read is what the plot has there. Where
 * nothing was measured in that it stays what it was. */
static void fit_moment(struct scene *sc) {
    struct history_view *hv = history_of(sc);
    const struct cursor *cu = &sc->cursor;
    const uint64_t ns = scene_bucket_ns(sc), at = cu->t1_ns ? (cu->t1_ns - 1) / ns : 0;
    const bool tried = hv->tried_ns == ns && hv->tried_t1_ns == cu->t1_ns;
    if (cu->shows != CURSOR_MOMENT || cu->t1_ns - cu->t0_ns == ns || tried)
        return;
    cursor_show(sc, at * ns, (at + 1) * ns, CURSOR_MOMENT);
    hv->tried_ns = ns;
    hv->tried_t1_ns = cu->t1_ns;
}

/* "0:50 DRAM" */
static void take_phases(struct scene *sc) {
    struct history_view *hv = history_of(sc);
    struct session_phase p[HISTORY_PHASES];
    char name[64];
    if (hv->phases_at == sc->s->n_frames)
        return;
    hv->phases_at = sc->s->n_frames;
    hv->n_phase = session_phases(sc->s, p, HISTORY_PHASES);
    const int n = hv->n_phase;
    hv->n_phase = 0;
    for (int i = 0, k = 0; i < n; i++) {
        if (i > 0 && p[i].main == p[i - 1].main) /* another level of the same */
            continue;
        k = hv->n_phase++;
        const unsigned s = (unsigned)(p[i].t0_ns / NS_PER_S);
        hv->phase[k].t_ns = p[i].t0_ns;
        snprintf(hv->phase[k].name, sizeof(hv->phase[k].name), "%u:%02u %s", s / 60, s % 60,
                 phase_name(scene_model(sc), &p[i], name, sizeof(name)));
    }
}

/* Evaluates what is about to be seen, and has not been seen before. */
static void prepare(struct scene *sc, struct rect r) {
    struct history_view *hv = history_of(sc);
    const int cells = stack_area(places_of(r).stack).w;
    if (!sc->connected || !sc->newest || cells <= 0)
        return;
    const struct scale_time x = find_axis(sc, cells);
    const uint64_t finest_ns = scene_finest_ns(sc), end_ns = scale_time_at(&x, cells);
    const uint64_t bucket_ns = x.cell_ns / 2 > finest_ns ? x.cell_ns / 2 : finest_ns;
    const uint64_t newest_ns = scene_newest_ns(sc);
    if (!make_trend(sc, 2 * cells, bucket_ns))
        return;
    hv->x = x;
    sc->column_ns = x.cell_ns;
    take_phases(sc);
    fit_moment(sc);
    if (hv->trend.bucket_ns != bucket_ns)
        trend_zoom(&hv->trend, bucket_ns);
    trend_update(&hv->trend, &sc->s->timeline.tiers, &sc->s->eval,
                 end_ns < newest_ns ? end_ns : newest_ns);
}

/* ---- keys ---- */

static void say_column(struct scene *sc) {
    char text[32];
    app_say(sc, "%s a column", words_interval(text, sizeof(text), history_of(sc)->column_ns));
}

void history_key_closer(struct scene *sc) {
    struct history_view *hv = history_of(sc);
    const uint64_t finest_ns = scene_finest_ns(sc);
    const uint64_t now_ns = hv->x.cell_ns;
    uint64_t ns = shortest_column(finest_ns);
    if (!hv->has_trend)
        return;
    if (now_ns <= ns) {
        app_say(sc, "every interval is shown: there is nothing finer");
        return;
    }
    for (uint64_t next; (next = longer_column(ns, finest_ns)) < now_ns;)
        ns = next;
    hv->column_ns = ns;
    say_column(sc);
}

void history_key_farther(struct scene *sc) {
    struct history_view *hv = history_of(sc);
    if (!hv->has_trend)
        return;
    const uint64_t next = longer_column(hv->x.cell_ns, scene_finest_ns(sc));
    const uint64_t whole_ns = whole_column(sc, hv->x.cells);
    hv->column_ns = next < whole_ns ? next : 0;
    if (hv->column_ns)
        say_column(sc);
    else
        app_say(sc, "the whole session");
}

/* By time, because a step of the cursor asks for what was measured then. */
void history_key_screen(struct scene *sc, int by) {
    const int cells = history_of(sc)->x.cells;
    const int64_t columns = cells > PARTS ? cells - cells / PARTS : 1;
    const int64_t by_ns = by * columns * (int64_t)history_of(sc)->x.cell_ns;
    const bool live = sc->cursor.shows == CURSOR_LIVE;
    const int64_t at_ns = (int64_t)(live ? scene_newest_ns(sc) : sc->cursor.t1_ns) + by_ns;
    if (history_of(sc)->has_trend)
        cursor_go(sc, at_ns > 0 ? (uint64_t)at_ns : 1);
}

/* ---- the metric ---- */

static struct list *list(struct scene *sc) {
    sc->touched = true;
    return &sc->tree.list;
}

static void end(struct scene *sc, bool last) {
    (void)sc;
    if (last)
        cursor_live(sc);
    else
        cursor_go(sc, 1);
}

/* ---- drawing ---- */

/* "── level 1 over time · 2.0s a column, 5m20s a screen ────" */
static void draw_title(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct history_view *hv = history_of(sc);
    char text[128], column[32], length[32], names[96] = "";
    if (r.h < 1)
        return;
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int x = r.x + 2 + widget_text(c, r, r.x + 2, r.y, r.w - 4, STYLE_TITLE, " level 1 over time ");
    if (hv->has_trend) {
        const uint64_t shown_ns = (uint64_t)hv->x.cells * hv->x.cell_ns;
        words_span(length, sizeof(length), shown_ns);
        if (sc->s->state != STREAM_LIVE && !hv->column_ns)
            snprintf(text, sizeof(text), "· all %s ", length);
        else
            snprintf(text, sizeof(text), "· %s a column, %s a screen ",
                     words_interval(column, sizeof(column), hv->x.cell_ns), length);
        if (x + str_width(text) + 2 < r.x + r.w)
            x += canvas_text(c, r, x, r.y, STYLE_LABEL, text);
    }
    if (sc->frame && words_unknown_roots(names, sizeof(names), scene_model(sc), sc->frame)[0]) {
        snprintf(text, sizeof(text), "· %s n/a ", names);
        if (x + str_width(text) + 2 < r.x + r.w)
            x += canvas_text(c, r, x, r.y, STYLE_LABEL, text);
    }
}

/* "now 12:40", "0:45, 12s ago", "10s until 22s ago". */
static const char *moment_words(const struct scene *sc, char *buf, size_t cap) {
    char clock[32], ago[48];
    words_clock(clock, sizeof(clock), scene_now_ns(sc));
    if (sc->cursor.shows == CURSOR_LIVE && sc->stored)
        return str_copy(buf, cap, "the whole run");
    if (sc->cursor.shows == CURSOR_LIVE)
        snprintf(buf, cap, "now %s", clock);
    else if (sc->cursor.shows == CURSOR_MOMENT)
        snprintf(buf, cap, "%s, %s", clock, cursor_words(sc, ago, sizeof(ago)));
    else
        cursor_words(sc, buf, cap);
    return buf;
}

enum { MOMENT_W = 22, MOMENT_NARROW_W = 17, NARROW = 100, VALUE_W = 7 };

/* How much of a name stands behind its letter: by the model and the width alone. */
enum naming { NAME_WIDE, NAME_FULL, NAME_BRIEF, NAME_NONE };

static const char *name_of(const struct metric *mt, enum naming naming, char *buf, size_t cap) {
    return naming == NAME_NONE    ? str_copy(buf, cap, "")
           : naming == NAME_BRIEF ? words_brief(buf, cap, mt)
                                  : words_short(buf, cap, mt);
}

/* Columns between a letter and its name, and behind a number. */
static int gap_of(enum naming naming) {
    return naming == NAME_WIDE;
}

static bool names_fit(const struct model *m, const int *root, int n, int room, enum naming naming) {
    char text[64];
    for (int i = 0; i < n; i++)
        room -= STACK_CHIP_W + VALUE_W + 1 + 2 * gap_of(naming) +
                str_width(name_of(&m->metric[root[i]], naming, text, sizeof(text)));
    return room >= -1 - gap_of(naming);
}

/* A share in its hue with its letter: the legend of what is drawn below, too. */
static int draw_root(const struct scene *sc, struct canvas *c, struct rect r, int x, int metric,
                     enum naming naming) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    char text[64];
    stack_chip(sc, c, r, x, r.y, metric);
    x += STACK_CHIP_W + gap_of(naming);
    x += canvas_text(c, r, x, r.y, STYLE_TEXT, name_of(mt, naming, text, sizeof(text)));
    widget_right(c, r, x, r.y, VALUE_W, STYLE_VALUE,
                 words_cell(text, sizeof(text), mt, &sc->frame->at[metric]));
    return x + VALUE_W + 1 + gap_of(naming);
}

/* What is under the cursor, in places that never move. */
static void draw_numbers(const struct scene *sc, struct canvas *c, struct rect r) {
    int root[ROOTS_MAX], n = stack_roots(scene_model(sc), root);
    char text[96];
    if (r.h < 1)
        return;
    const int moment = r.w < NARROW ? MOMENT_NARROW_W : MOMENT_W;
    widget_text(c, r, r.x + 1, r.y, moment,
                sc->cursor.shows == CURSOR_LIVE ? STYLE_LABEL : STYLE_KEY,
                moment_words(sc, text, sizeof(text)));
    int x = r.x + 1 + moment + 2;
    enum naming naming = NAME_WIDE;
    while (naming < NAME_NONE && !names_fit(scene_model(sc), root, n, r.x + r.w - x, naming))
        naming++;
    for (int i = n - 1; i >= 0; i--)
        x = draw_root(sc, c, r, x, root[i], naming);
}

/* Phases are named where they begin; the first only where there are others. mark has room for one
 * before those of the chart. */
static void name_phases(const struct history_view *hv, struct chart_mark *mark, struct chart *ch) {
    for (int i = 0; i < ch->n_mark; i++)
        for (int k = 0; k < hv->n_phase && !mark[i + 1].name[0]; k++)
            if (hv->phase[k].t_ns == mark[i + 1].t_ns)
                mark[i + 1].name = hv->phase[k].name;
    if (hv->n_phase < 2 || hv->phase[0].t_ns > 0)
        return;
    mark[0] = (struct chart_mark){1, hv->phase[0].name};
    ch->mark = mark;
    ch->n_mark++;
}

static void draw_plot(const struct scene *sc, struct canvas *c, struct rect r,
                      const struct chart *ch) {
    const int metric = scene_selected(sc);
    const bool fits = metric_plot_area(r).w == ch->x.cells;
    if (r.h < 1)
        return;
    if (metric == METRIC_NONE)
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    else
        metric_plot_draw(sc, c, r, metric, fits ? &history_of(sc)->trend : NULL, ch,
                         &history_of(sc)->scale);
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct places at = places_of(r);
    struct chart_mark mark[AXIS_MARKS + 1];
    draw_title(sc, c, at.title);
    if (!sc->frame || !history_of(sc)->has_trend) {
        widget_text(c, r, r.x + 1, at.numbers.y, r.w - 2, STYLE_LABEL,
                    sc->frame ? "too little room for a plot" : "nothing was measured yet");
        return;
    }
    struct chart ch = axis_chart(sc, history_of(sc)->x, mark + 1);
    draw_numbers(sc, c, at.numbers);
    stack_draw(sc, c, at.stack, &history_of(sc)->trend, &ch);
    name_phases(history_of(sc), mark, &ch);
    draw_plot(sc, c, at.plot, &ch);
}

/* A click goes to a moment, dragging goes on from there; the wheel comes closer, or goes away. */
static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    const struct history_view *hv = history_of(sc);
    if (!hv->has_trend)
        return;
    if (m->what == MOUSE_WHEEL_UP)
        history_key_closer(sc);
    else if (m->what == MOUSE_WHEEL_DOWN)
        history_key_farther(sc);
    else
        axis_mouse(sc, stack_area(places_of(r).stack), &hv->x, m);
}

static void destroy(void *state) {
    drop(state);
}

static int attach(struct scene *sc) {
    drop(history_of(sc));
    return 0;
}

const struct view view_history = {
    .id = "history",
    .name = "History",
    .digit = '3',
    .context = IN_HISTORY,
    .layout = LAYOUT_MAIN,
    .about = "Level 1 over time, with marks and the bottleneck of each moment.",
    .past = true,
    .state_size = sizeof(struct history_view),
    .attach = attach,
    .destroy = destroy,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .list = list,
    .end = end};
