/* One line of the list of metrics: which columns have room, and what stands in them. */
#include "ui/view/metrics_line.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/metrics_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    SPARK_PARTS = 6,
    GROUPS_MIN = 16,
};

static int take(int *left, int least, int most) {
    int n = *left < most ? *left : most;
    if (n < least)
        return 0;
    *left -= n;
    return n;
}

struct metrics_cols metrics_cols_for(int w) {
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

/* The part of a name that was looked for. */
static void draw_hit(const struct metrics *mt, struct canvas *c, struct rect r, int x, int room,
                     const char *name) {
    char text[256];
    size_t at, len;
    if (!search_hit(&mt->filter, name, &at, &len))
        return;
    str_copy(text, at + 1 < sizeof(text) ? at + 1 : sizeof(text), name);
    int from = str_width(text);
    str_copy(text, len + 1 < sizeof(text) ? len + 1 : sizeof(text), name + at);
    if (from < room)
        widget_text(c, r, x + from, r.y, room - from, STYLE_MATCH, text);
}

static void draw_name(const struct metrics *mt, struct canvas *c, struct rect r, int metric, int w,
                      enum style st) {
    const char *name = words_name(&mt->model->metric[metric]);
    int indent = mt->order == METRICS_BY_NAME || mt->order == METRICS_BY_DUTY ? 1 : 3;
    widget_text(c, r, r.x + indent, r.y, w - indent, st, name);
    draw_hit(mt, c, r, r.x + indent, w - indent, name);
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

bool metrics_is_asked(const struct scene *sc) {
    return session_can_focus(sc->s) && sc->cursor.shows == CURSOR_LIVE && !sc->frozen &&
           sc->s->state == STREAM_LIVE;
}

static bool is_resting(const struct value *v) {
    return v->why.kind == WHY_EVENT && v->why.code == COUNT_NOT_FOCUSED;
}

/* "why → what would help". In a row the event has no room: it is below, or beside. */
void metrics_reason(const struct scene *sc, const struct value *v, bool row, char *buf,
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

/* The accent is for what is over its threshold: a screen full of hues leads nowhere. */
static enum style spark_style(const struct scene *sc, int metric) {
    return sc->frame->at[metric].over ? words_hue(scene_model(sc), metric) : STYLE_BORDER;
}

static void draw_spark(const struct scene *sc, struct canvas *c, struct rect r, int x, int w,
                       int metric) {
    int n = w < sc->trends.spark.n ? w : sc->trends.spark.n;
    if (!sc->trends.has_spark || !sc->frame || n <= 0 || n > sc->trends.n_dots)
        return;
    uint64_t first = scene_first_bucket(&sc->trends.spark, n, SPARK_PARTS);
    float *v = scene_values(sc, &sc->trends.spark, metric, first, n);
    if (sc->trends.spark.newest > first) /* the newest waits until it is whole: else it flickers */
        v[sc->trends.spark.newest - first] = NAN;
    double top = widget_nice_top(widget_max(v, n));
    if (scene_model(sc)->metric[metric].share && top < 0.05)
        top = 0.05;
    widget_spark(c, r, x, r.y, n, spark_style(sc, metric), v, top);
    widget_gaps(c, r, x, r.y, scene_whole_buckets(&sc->trends.spark, first, n), v);
}

/* The unit has a place of its own, so that numbers stand below numbers. */
static const char *unit_words(const struct model *m, const struct metric *x) {
    const char *of = metric_share_of(m, x);
    if (of)
        return of;
    return x->share || !x->unit || strcmp(x->unit, "%") == 0 ? "" : x->unit;
}

static void draw_known(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct metrics_cols *k, const struct edges *e, int metric) {
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    const struct shown *sh = &sc->shown[metric];
    char text[40];
    if (v->over && k->mark)
        canvas_text(c, r, e->mark + 1, r.y, STYLE_WARN, "!");
    if (k->unit)
        widget_text(c, r, e->unit + 1, r.y, k->unit - 1, STYLE_DIM, unit_words(scene_model(sc), x));
    if (k->err && !isnan(sh->err))
        widget_right(c, r, e->err, r.y, k->err, STYLE_DIM,
                     words_err(text, sizeof(text), x, v->v, (double)sh->err));
    if (k->spark)
        draw_spark(sc, c, r, e->spark + 1, k->spark - 1, metric);
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
        draw_spark(sc, c, r, e.spark + 1, k->spark - 1, metric);
    }
    if (k->groups && x->groups)
        widget_text(c, r, e.groups + 1, r.y, k->groups - 1, STYLE_DIM, x->groups);
}

/* The column that decides the order is marked. */
void metrics_draw_columns(const struct scene *sc, struct canvas *c, struct rect r,
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
        const int n = k->spark - 1 < sc->trends.spark.n ? k->spark - 1 : sc->trends.spark.n;
        scene_last_words(sc, n, text, sizeof(text));
        widget_text(c, r, e.spark + 1, r.y, k->spark - 1, STYLE_LABEL, text);
    }
    snprintf(text, sizeof(text), "%sduty", mt->order == METRICS_BY_DUTY ? way : "");
    if (k->duty)
        widget_right(c, r, e.duty, r.y, k->duty, STYLE_LABEL, text);
    if (k->groups)
        widget_text(c, r, e.groups + 1, r.y, k->groups - 1, STYLE_LABEL, "groups");
}

void metrics_draw_row(const struct scene *sc, struct canvas *c, struct rect r,
                      const struct metrics_cols *k, const struct metrics_row *row) {
    if (row->metric == METRIC_NONE)
        draw_heading_row(sc, c, r, row);
    else
        draw_metric(sc, c, r, k, row->metric);
}
