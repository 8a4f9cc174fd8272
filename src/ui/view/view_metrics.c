/*
 * Every metric beside the tree: groups, and what can be said of each in one line. What is on the
 * screen is asked for (focus_policy.c), so opening the view makes it measured; what is not known
 * says why, and what would measure it. "! > 5%" stands at what is over its threshold.
 */
#include "base/str.h"
#include "model/load/frame.h"
#include "model/load/model_text.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/term/canvas.h"
#include "ui/view/explain_page.h"
#include "ui/view/metrics.h"
#include "ui/view/metrics_view.h"
#include "ui/view/spark.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Widths of the columns, a blank at the left end of each; 0: left out. */
struct metrics_cols {
    int name, value, unit, mark, err, spark, duty, groups;
};

enum {
    NAME_MIN = 20,
    NAME_MAX = 44,
    VALUE_W = 9,
    UNIT_MIN = 8,
    UNIT_MAX = 16, /* "per instruction" */
    MARK_W = 2,
    ERR_W = 8,
    DUTY_W = 6,
    SPARK_MIN = 9,
    SPARK_MAX = 61,
    GROUPS_MIN = 16,
};

static int take(int *left, int least, int most) {
    int n = *left < most ? *left : most;
    if (n < least)
        return 0;
    *left -= n;
    return n;
}

/* The columns in w cells: by the width alone. */
static struct metrics_cols metrics_cols_for(int w) {
    struct metrics_cols k = {0};
    int left = w;
    k.name = take(&left, 1, NAME_MIN);
    k.value = take(&left, VALUE_W, VALUE_W);
    k.mark = take(&left, MARK_W, MARK_W);
    k.unit = take(&left, UNIT_MIN, UNIT_MIN);
    k.duty = take(&left, DUTY_W, DUTY_W);
    k.err = take(&left, ERR_W, ERR_W);
    k.spark = take(&left, SPARK_MIN, SPARK_MIN);
    k.name += take(&left, 1, 10);
    k.unit += take(&left, 1, UNIT_MAX - UNIT_MIN);
    k.spark += k.spark ? take(&left, 1, 12) : 0;
    k.name += take(&left, 1, NAME_MAX - NAME_MIN - 10);
    k.groups = take(&left, GROUPS_MIN, 28);
    k.spark += k.spark ? take(&left, 1, SPARK_MAX - SPARK_MIN - 12) : 0;
    return k;
}

/* Left edges. */
struct edges {
    int value, mark, unit, err, spark, duty, groups, end;
};

static struct edges edges_of(const struct metrics_cols *k, int x) {
    struct edges e = {.value = x + k->name};
    e.mark = e.value + k->value;
    e.unit = e.mark + k->mark;
    e.err = e.unit + k->unit;
    e.spark = e.err + k->err;
    e.duty = e.spark + k->spark;
    e.groups = e.duty + k->duty;
    e.end = e.groups + k->groups;
    return e;
}

static void draw_name(const struct metrics *mt, struct canvas *c, struct rect r, int metric, int w,
                      enum style st) {
    const char *name = words_name(&mt->model->metric[metric]);
    int indent = mt->order == METRICS_BY_NAME || mt->order == METRICS_BY_DUTY ? 1 : 3;
    search_draw(&mt->filter, c, r, r.x + indent, r.y, w - indent, st, name);
}

static void draw_heading_row(const struct scene *sc, struct canvas *c, struct rect r,
                             const struct metrics_row *row) {
    const struct metrics *mt = metrics_of(sc);
    const struct metrics_group *g = row->group >= 0 ? &mt->group[row->group] : NULL;
    const char *sign = !g ? "·" : g->closed && !mt->filter.text[0] ? "▸" : "▾";
    int x = r.x + 1;
    x += canvas_text(c, r, x, r.y, STYLE_LABEL, sign) + 1;
    x += widget_text(c, r, x, r.y, r.x + r.w - x - 5, STYLE_TITLE, row->heading);
    char text[96];
    snprintf(text, sizeof(text), "  %d%s%s", row->n, g && g->words ? "  " : "",
             g && g->words ? g->words : "");
    widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_LABEL, text);
}

/* Opening the view makes what is in it measured: true while that is so. */
static bool metrics_is_asked(const struct scene *sc) {
    return session_can_focus(sc->s) && sc->cursor.shows == CURSOR_LIVE && !sc->frozen &&
           sc->s->state == STREAM_LIVE;
}

static bool is_resting(const struct value *v) {
    return v->why.kind == WHY_EVENT && v->why.code == COUNT_NOT_FOCUSED;
}

/* "why → what would help". In a row the event has no room: it is below, or beside. */
static void metrics_reason(const struct scene *sc, const struct value *v, bool row, char *buf,
                           size_t cap) {
    char why[256], help[160];
    why_text(scene_model(sc), v->why, why, sizeof(why));
    metrics_remedy(v->why, metrics_is_asked(sc), help, sizeof(help));
    if (row && v->why.kind == WHY_EVENT)
        str_copy(why, sizeof(why), count_state_text((enum count_state)v->why.code));
    if (is_resting(v) && help[0]) /* which event it is matters to nobody */
        str_copy(why, sizeof(why),
                 metrics_is_asked(sc) ? "not in focus until now" : "was not in focus");
    snprintf(buf, cap, "%s%s%s", why, why[0] && help[0] ? " → " : "", help);
}

static void draw_duty(struct canvas *c, struct rect r, int x, int w, float duty, bool split) {
    char text[16];
    enum style st = words_duty(text, sizeof(text), duty, split);
    widget_right(c, r, x, r.y, w, st, text);
}

/* The unit has a place of its own, so that numbers stand below numbers. */
static const char *unit_words(const struct model *m, const struct metric *x) {
    const char *of = metric_share_of(m, x);
    if (of)
        return of;
    return x->share || !x->unit || strcmp(x->unit, "%") == 0 ? "" : x->unit;
}

/* "> 5%", where its own threshold is a number. */
static const char *limit_words(const struct model *m, int metric, double v, char *buf, size_t cap) {
    char number[32];
    const double limit = model_threshold(m, metric);
    if (isnan(limit))
        return str_copy(buf, cap, "");
    snprintf(buf, cap, "%s %s", v < limit ? "<" : ">",
             words_mark(number, sizeof(number), &m->metric[metric], limit));
    return buf;
}

static void draw_known(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct metrics_cols *k, const struct edges *e, int metric) {
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    const struct shown *sh = &sc->shown[metric];
    char text[40];
    int unit = e->unit + 1;
    if (v->over && k->mark)
        canvas_text(c, r, e->mark + 1, r.y, STYLE_WARN, "!");
    if (v->over && limit_words(scene_model(sc), metric, v->v, text, sizeof(text))[0] &&
        str_width(text) < k->unit)
        unit += canvas_text(c, r, unit, r.y, STYLE_WARN, text) + 1;
    const char *of = unit_words(scene_model(sc), x);
    if (k->unit && (unit == e->unit + 1 || unit + str_width(of) <= e->err))
        widget_text(c, r, unit, r.y, e->err - unit, STYLE_DIM, of);
    if (k->err && !isnan(sh->err))
        widget_right(c, r, e->err, r.y, k->err, STYLE_DIM,
                     words_err(text, sizeof(text), x, v->v, (double)sh->err));
    if (k->spark)
        spark_draw(sc, c, r, e->spark + 1, k->spark - 1, metric);
    if (k->duty)
        draw_duty(c, r, e->duty, k->duty, sh->duty, v->split);
}

static void draw_metric(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct metrics_cols *k, int metric) {
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    struct edges e = edges_of(k, r.x);
    char text[480];
    bool known = v && !isnan(v->v);
    enum style st = !known ? STYLE_DIM : v->over ? STYLE_TITLE : STYLE_TEXT;
    draw_name(metrics_of(sc), c, r, metric, k->name, st);
    if (!v)
        return;
    enum style number = !known ? STYLE_DIM : v->state == VALUE_ODD ? STYLE_WARN : STYLE_VALUE;
    if (!known && is_resting(v))
        str_copy(text, sizeof(text), "·");
    else
        words_cell(text, sizeof(text), x, v);
    if (known && x->unit && !x->share && strcmp(x->unit, "%") == 0)
        strncat(text, "%", 2);
    widget_right(c, r, e.value, r.y, k->value, number, text);
    if (known) {
        draw_known(sc, c, r, k, &e, metric);
    } else if (v->state != VALUE_STALE && k->unit) {
        metrics_reason(sc, v, true, text, sizeof(text));
        widget_text(c, r, e.unit + 1, r.y, e.groups - e.unit - 1, STYLE_DIM, text);
    } else if (k->spark) {
        spark_draw(sc, c, r, e.spark + 1, k->spark - 1, metric);
    }
    if (k->groups && x->groups)
        widget_text(c, r, e.groups + 1, r.y, k->groups - 1, STYLE_DIM, x->groups);
}

/* The column that decides the order is marked. */
static void metrics_draw_columns(const struct scene *sc, struct canvas *c, struct rect r,
                                 const struct metrics_cols *k) {
    const struct metrics *mt = metrics_of(sc);
    struct edges e = edges_of(k, r.x);
    const char *way = mt->inverted ? "▴" : "▾";
    char text[32];
    snprintf(text, sizeof(text), "%svalue", mt->order == METRICS_BY_VALUE ? way : "");
    widget_right(c, r, e.value, r.y, k->value, STYLE_LABEL, text);
    if (k->unit)
        widget_text(c, r, e.unit + 1, r.y, k->unit - 1, STYLE_LABEL, "unit");
    if (k->err)
        widget_right(c, r, e.err, r.y, k->err, STYLE_LABEL, "±");
    if (k->spark && sc->trends.has_spark) {
        spark_words(sc, k->spark - 1, text, sizeof(text));
        widget_right(c, r, e.spark + 1, r.y, k->spark - 1, STYLE_LABEL, text);
    }
    snprintf(text, sizeof(text), "%sduty", mt->order == METRICS_BY_DUTY ? way : "");
    if (k->duty)
        widget_right(c, r, e.duty, r.y, k->duty, STYLE_LABEL, text);
    if (k->groups)
        widget_text(c, r, e.groups + 1, r.y, k->groups - 1, STYLE_LABEL, "groups");
}

/* A metric, or the heading of a group. */
static void metrics_draw_row(const struct scene *sc, struct canvas *c, struct rect r,
                             const struct metrics_cols *k, const struct metrics_row *row) {
    if (row->metric == METRIC_NONE)
        draw_heading_row(sc, c, r, row);
    else
        draw_metric(sc, c, r, k, row->metric);
}

/* ---- what is said of the selected one ---- */

static void draw_rule(struct canvas *c, struct rect r, enum style st, const char *name) {
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int w = widget_text(c, r, r.x + 3, r.y, r.w - 6, st, name);
    canvas_put(c, r, r.x + 2, r.y, STYLE_BORDER, ' ');
    canvas_put(c, r, r.x + 3 + w, r.y, STYLE_BORDER, ' ');
}

/* Every metric that has its place in the group. */
static void group_names(const struct metrics *mt, int group, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    bool first = true;
    for (int i = 0; i < (int)mt->model->n_metric; i++)
        if (metrics_is_in(mt, i, group)) {
            strbuf_add(&sb, "%s%s", first ? "" : ", ", words_name(&mt->model->metric[i]));
            first = false;
        }
}

/* How much of what stands below a heading has a value now. */
static void add_known(const struct scene *sc, struct page *p, int group) {
    const struct metrics *mt = metrics_of(sc);
    char text[160];
    int n = 0, known = 0;
    for (int i = 0; i < (int)mt->model->n_metric; i++)
        if (metrics_is_in(mt, i, group)) {
            n++;
            known += sc->frame && !isnan(sc->frame->at[i].v);
        }
    snprintf(text, sizeof(text), "%d of %d have a value", known, n);
    page_text(p, STYLE_TEXT, 0, NULL, text);
}

/* The same places for a heading: what the group is about and what is in it. */
static void draw_group(const struct scene *sc, struct page *p) {
    const struct metrics *mt = metrics_of(sc);
    if (mt->list.n == 0)
        return;
    const struct metrics_row *row = &mt->row[mt->list.at];
    char text[2048];
    if (row->group < 0) {
        snprintf(text, sizeof(text), "%d metrics that can be compared with each other", row->n);
        page_text(p, STYLE_LABEL, 0, NULL, text);
        return;
    }
    add_known(sc, p, row->group);
    if (!mt->group[row->group].closed)
        return; /* they stand below it */
    group_names(mt, row->group, text, sizeof(text));
    page_text(p, STYLE_LABEL, 0, NULL, text);
}

/* "Mem: memory, as the core sees it" */
static const char *heading_words(const struct metrics *mt, char *buf, size_t cap) {
    if (mt->list.n == 0 || !mt->row[mt->list.at].heading)
        return "";
    const struct metrics_row *row = &mt->row[mt->list.at];
    const char *words = row->group >= 0 ? mt->group[row->group].words : NULL;
    snprintf(buf, cap, "%s%s%s", row->heading, words ? ": " : "", words ? words : "");
    return buf;
}

static void draw_about_group(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[160];
    const char *title = heading_words(metrics_of(sc), text, sizeof(text));
    if (!title[0]) {
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
        return;
    }
    draw_rule(c, r, STYLE_TITLE, title);
    struct page p = page_on(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 1}, 0);
    draw_group(sc, &p);
}

/* What it is, then why it is not known, or what it is derived from. */
/* In a few lines below the list. */
static void metrics_draw_about(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct metrics *mt = metrics_of(sc);
    int metric = metrics_metric(mt);
    if (metric == METRIC_NONE) {
        draw_about_group(sc, c, r);
        return;
    }
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    struct page p = page_on(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 1}, 0);
    char text[480];
    metrics_summary(mt, metric, text, sizeof(text));
    draw_rule(c, r, words_hue(scene_model(sc), metric), text[0] ? text : x->name);
    if (v && isnan(v->v) && v->state != VALUE_STALE) {
        metrics_reason(sc, v, false, text, sizeof(text));
        page_text(&p, STYLE_WARN, 0, NULL, text);
    }
    if (x->groups) {
        snprintf(text, sizeof(text), "groups: %s", x->groups);
        page_text(&p, STYLE_LABEL, 0, NULL, text);
    }
    if (x->formula)
        page_text(&p, STYLE_DIM, 0, NULL, x->formula);
}

/* In full beside it, behind a line. */
static void metrics_draw_side(const struct scene *sc, struct canvas *c, struct rect r) {
    for (int y = 0; y < r.h; y++)
        canvas_put(c, r, r.x, r.y + y, STYLE_BORDER, 0x2502);
    int metric = metrics_metric(metrics_of(sc));
    struct rect inner = {r.x + 2, r.y + 1, r.w - 3, r.h - 1};
    if (metric == METRIC_NONE) {
        char text[160];
        widget_text(c, r, inner.x, r.y, inner.w, STYLE_TITLE,
                    heading_words(metrics_of(sc), text, sizeof(text)));
        struct page group = page_on(c, inner, 0);
        page_blank(&group);
        draw_group(sc, &group);
        return;
    }
    widget_text(c, r, inner.x, r.y, inner.w, words_hue(scene_model(sc), metric),
                scene_model(sc)->metric[metric].name);
    struct page p = page_on(c, inner, 0);
    explain_page(sc, &p, metric);
    if (p.line <= inner.h)
        return;
    char text[32];
    snprintf(text, sizeof(text), " %d more: e ", p.line - inner.h + 1);
    canvas_fill(c, (struct rect){inner.x, r.y + r.h - 1, inner.w, 1}, STYLE_TEXT, ' ');
    widget_right(c, inner, inner.x, r.y + r.h - 1, inner.w, STYLE_LABEL, text);
}

/* ---- the list ---- */

enum {
    SIDE_FROM_W = 150, /* the selected one is explained beside the list */
    SIDE_PERCENT = 36,
    SIDE_MAX_W = 78,
    ABOUT_FROM_H = 12, /* else a few lines below it say what it is */
};

/* The room of the list, of what explains the selected one beside it, and of the lines below. */
struct places {
    struct rect list, side, about;
};

static struct places places_in(struct rect r) {
    struct places p = {.list = r};
    if (r.w >= SIDE_FROM_W && r.h >= 6) {
        int w = r.w * SIDE_PERCENT / 100 < SIDE_MAX_W ? r.w * SIDE_PERCENT / 100 : SIDE_MAX_W;
        p.side = (struct rect){r.x + r.w - w, r.y, w, r.h};
        p.list.w -= w + 1;
    } else if (r.h >= ABOUT_FROM_H) {
        int h = r.h >= 24 ? 5 : 4;
        p.about = (struct rect){r.x, r.y + r.h - h, r.w, h};
        p.list.h -= h;
    }
    return p;
}

/* --- the list --- */

/* "36 of 182 with \"l2\"  ↑4 ↓10" */
static void draw_count(const struct metrics *mt, struct canvas *c, struct rect r, int w) {
    char text[160], more[48];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (mt->filter.text[0])
        strbuf_add(&sb, "%d with \"%s\"", mt->n_hit, mt->filter.text);
    else
        strbuf_add(&sb, w >= 28 ? "%d metrics by %s" : "%d by %s", mt->n_hit,
                   metrics_order_word(mt->order));
    strbuf_add(&sb, "%s", list_more(&mt->list, more, sizeof(more)));
    widget_text(c, r, r.x + 1, r.y, w - 1, STYLE_LABEL, text);
}

/* Below the heading, where there is room for one. */
static struct rect rows_in(struct rect list) {
    const int heading = list.h >= 3 ? 1 : 0;
    return (struct rect){list.x, list.y + heading, list.w, list.h - heading};
}

static void draw_list(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct metrics *mt = metrics_of(sc);
    struct metrics_cols k = metrics_cols_for(r.w - 1); /* the last column stays blank */
    const int heading = r.h - rows_in(r).h;
    char words[96];
    struct rect first = {r.x, r.y, r.w, 1};
    if (heading) {
        draw_count(mt, c, first, k.name);
        metrics_draw_columns(sc, c, first, &k);
    }
    struct rect line;
    for (int i = 0, at; list_line(&mt->list, rows_in(r), i, &line, &at); i++) {
        metrics_draw_row(sc, c, line, &k, &mt->row[at]);
        if (at == mt->list.at)
            list_mark(c, line, r.x);
    }
    if (mt->list.n == 0 && r.h > heading)
        widget_text(c, r, r.x + 1, r.y + heading, r.w - 1, STYLE_LABEL,
                    keys_in_words(mt->filter.text[0]
                                      ? "nothing has that in its name, group or words: {back}"
                                      : "this model has no metrics beside its tree: {metrics-tree} "
                                        "shows that",
                                  words, sizeof(words)));
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    if (!metrics_of(sc)->model) {
        widget_text(c, r, r.x + 1, r.y, r.w - 1, STYLE_LABEL, "opening counters ...");
        return;
    }
    struct places p = places_in(r);
    draw_list(sc, c, p.list);
    if (p.side.w > 0)
        metrics_draw_side(sc, c, p.side);
    if (p.about.h > 0)
        metrics_draw_about(sc, c, p.about);
}

static void prepare(struct scene *sc, struct rect r) {
    if (!metrics_of(sc)->model && sc->connected)
        metrics_enter(sc);
    if (!metrics_of(sc)->model)
        return;
    metrics_follow(metrics_of(sc), sc->frame);
    metrics_fit(metrics_of(sc), rows_in(places_in(r).list).h);
    if (places_in(r).side.w > 0)
        explain_page_read(sc, metrics_metric(metrics_of(sc)));
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct metrics *mt = metrics_of(sc);
    if (mt->model && list_mouse(&mt->list, rows_in(places_in(r).list), m) == LIST_DOUBLE)
        action_metrics_enter(sc);
}

static void destroy(void *state) {
    metrics_destroy(state);
}

/* Its rows are made when it is entered. */
static int attach(struct scene *sc) {
    metrics_destroy(metrics_of(sc));
    return 0;
}

static void want(const struct scene *sc, bool *wanted) {
    metrics_want(sc->state, wanted);
}

const struct view view_metrics = {
    .id = "metrics",
    .name = "Metrics",
    .digit = '6',
    .context = IN_METRICS,
    .layout = LAYOUT_MAIN,
    .about = "The metrics beside the tree. What is on the screen is counted as long as it "
             "is; what is not known says why, and what would measure it.",
    .past = true,
    .state_size = sizeof(struct metrics),
    .attach = attach,
    .destroy = destroy,
    .prepare = prepare,
    .draw = draw,
    .want = want,
    .mouse = mouse,
    .twice = true,
    .enter = metrics_enter,
    .list = metrics_list,
    .search = metrics_search,
    .look = metrics_look};
