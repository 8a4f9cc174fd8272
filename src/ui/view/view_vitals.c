/*
 * The verdict in words, on every size: where the time goes, and the vital signs of the model (IPC,
 * frequency, CPUs; on lower rungs their own) beside it. Row 1 the sentence, the last row the vital
 * signs, and between them, where there is room, what the sentence means.
 */
#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"
#include "ui/draw/split.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *waiting(const struct scene *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    char text[16];
    if (!sc->connected)
        return str_copy(buf, cap, sc->waits ? "no process yet" : "opening counters ...");
    if (s->state != STREAM_LIVE)
        return str_copy(buf, cap, "ended before the first interval");
    snprintf(buf, cap, "waiting for the first interval (%s) ...",
             words_interval(text, sizeof(text), s->control.interval_ns));
    return buf;
}

static int end_of_path(const struct scene *sc) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    return b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
}

/*
 * The end of the path says most: in a narrow place the way there is cut, then what "≈" says as
 * well, then what else is to be said at its own end; the end of the path last of all.
 */
static void fit_words(const struct scene *sc, int w, struct bottleneck_words *out) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    int skip = 0;
    do
        bottleneck_words(scene_model(sc), sc->frame, b, skip, out);
    while (str_width(out->way) + str_width(out->end) + str_width(out->rest) > w && ++skip < b->n);
    if (str_width(out->way) + str_width(out->end) + str_width(out->rest) + str_width(out->note) > w)
        out->note[0] = '\0';
}

/* A part of the sentence at x; returns the column after it. */
static int draw_part(struct canvas *c, struct rect r, int x, enum style st, const char *text) {
    return x + widget_text(c, r, x, r.y, r.x + r.w - x, st, text);
}

/* Returns the column after the sentence; the end of the path, with its number, has the accent. */
static int draw_sentence(const struct scene *sc, struct canvas *c, struct rect r) {
    struct bottleneck_words words;
    char text[64];
    int x = r.x + 1, end;
    if (!sc->frame)
        return draw_part(c, r, x, STYLE_LABEL, waiting(sc, text, sizeof(text)));
    if (scene_is_away(sc))
        return draw_part(c, r, x, STYLE_LABEL, scene_away_words(sc, text, sizeof(text)));
    if ((end = end_of_path(sc)) == METRIC_NONE) {
        fit_words(sc, r.x + r.w - x, &words);
        return draw_part(c, r, x, STYLE_TEXT, words.end);
    }
    bool useful = scene_model(sc)->metric[end].role == ROLE_RETIRING;
    if (r.w >= 60)
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, useful ? "mostly " : "bottleneck ");
    fit_words(sc, r.x + r.w - x, &words);
    x = draw_part(c, r, x, STYLE_TITLE, words.way);
    x = draw_part(c, r, x, useful ? STYLE_GOOD : STYLE_BOTTLENECK, words.end);
    x = draw_part(c, r, x, STYLE_TEXT, words.rest);
    return draw_part(c, r, x, STYLE_TEXT, words.note);
}

static const char *summary_of(const struct scene *sc, int metric, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    if (!explain_summary(&sc->explain, mt->name, buf, cap))
        str_copy(buf, cap, mt->summary ? mt->summary : "");
    return buf;
}

/* What the path's end means, or what the deepest node means that somebody has described. */
static const char *meaning(const struct scene *sc, char *buf, size_t cap) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    buf[0] = '\0';
    for (int i = b->n - 1; i >= 0 && !buf[0]; i--)
        summary_of(sc, b->at[i], buf, cap);
    return buf;
}

/*
 * "Info_System_Core_Frequency" -> "Core Frequency": names are read here, not typed. What the unit
 * says is left out: "Switches Per S" 120/s.
 */
static void spoken(char *buf, size_t cap, const struct metric *mt) {
    static const char per_s[] = "_Per_S";
    const char *name = mt->name;
    const char *group_end = str_starts(name, "Info_") ? strchr(name + strlen("Info_"), '_') : NULL;
    str_copy(buf, cap, group_end && group_end[1] ? group_end + 1 : name);
    if (mt->unit && strcmp(mt->unit, "/s") == 0 && str_ends(buf, per_s))
        buf[strlen(buf) - strlen(per_s)] = '\0';
    for (char *p = buf; *p; p++)
        if (*p == '_')
            *p = ' ';
}

/* One vital sign: a dim name and a number of steady width. Returns the columns used. */
static int draw_vital(struct canvas *c, struct rect r, int x, const char *name, const char *value,
                      enum style st) {
    int from = x;
    x += canvas_text(c, r, x, r.y, STYLE_LABEL, name) + 1;
    int w = str_width(value);
    int pad = w < 4 ? 4 - w : 0;
    x += pad + canvas_text(c, r, x + pad, r.y, st, value);
    return x - from;
}

/* "GHz 3.19", not "GHz 3.19 GHz". */
static bool names_unit(const struct metric *mt) {
    return mt->unit && mt->unit[0] && !mt->share && str_ends(mt->name, mt->unit);
}

/* Every model has these, under these names; they come first, and always in this order. */
static const char *const common[] = {"IPC", "GHz", "CPUs_Utilized"};
enum { N_COMMON = sizeof(common) / sizeof(common[0]) };

static int rank_of(const struct metric *mt) {
    int i = 0;
    while (i < N_COMMON && strcmp(mt->name, common[i]) != 0)
        i++;
    return i;
}

/* The vital sign number n of the model, or METRIC_NONE behind the last. */
static int vital_at(const struct model *m, int n) {
    for (int rank = 0; rank <= N_COMMON; rank++)
        for (uint32_t i = 0; i < m->n_metric; i++)
            if (m->metric[i].vital && rank_of(&m->metric[i]) == rank && n-- == 0)
                return (int)i;
    return METRIC_NONE;
}

static void value_text(const struct scene *sc, int metric, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    if (!sc->frame)
        str_copy(buf, cap, "–");
    else
        (names_unit(mt) ? words_number : words_value)(buf, cap, mt, sc->frame->at[metric].v);
}

static const char *percent(char *buf, size_t cap, const struct scene *sc, const struct split *sp,
                           double share) {
    if (!sc->frame)
        return str_copy(buf, cap, "–");
    if (isnan(share))
        return str_copy(buf, cap, "n/a");
    snprintf(buf, cap, "%s%.1f%%", sc->frame->at[sp->kernel].approx ? "~" : "", share * 100);
    return buf;
}

/* What they are shares of; why they are not known, unless their counters have just been asked for.
 */
static int draw_split_words(const struct scene *sc, struct canvas *c, struct rect r, int x,
                            const struct split *sp) {
    enum { WHY_MAX_W = 40, LEAST_W = 80 };
    char why[256], text[300];
    const struct value *v = sc->frame ? &sc->frame->at[sp->kernel] : NULL;
    if (!v || r.w < LEAST_W)
        return 0;
    if (!isnan(v->v))
        return canvas_printf(c, r, x, r.y, STYLE_LABEL, " of %s",
                             sp->user == METRIC_NONE ? "cycles" : "CPU time");
    why_text(scene_model(sc), v->why, why, sizeof(why));
    if (v->state == VALUE_STALE || !why[0] || v->why.code == COUNT_NOT_FOCUSED)
        return 0;
    snprintf(text, sizeof(text), " (%s)", why);
    return widget_text(c, r, x, r.y, WHY_MAX_W, STYLE_DIM, text);
}

/* "user 83.1%   kernel 16.9% of cycles", where it was asked for. Returns the column after it. */
static int draw_split(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    struct split sp;
    double user = NAN, kernel = NAN;
    char text[2][16];
    if (!sc->split || !split_find(scene_model(sc), &sp))
        return x;
    if (sc->frame)
        split_shares(&sp, sc->frame, &user, &kernel);
    enum style st = isnan(user) ? STYLE_DIM : STYLE_VALUE;
    x += draw_vital(c, r, x, "user", percent(text[0], sizeof(text[0]), sc, &sp, user), st) + 3;
    x += draw_vital(c, r, x, "kernel", percent(text[1], sizeof(text[1]), sc, &sp, kernel), st);
    return x + draw_split_words(sc, c, r, x, &sp) + 3;
}

static void draw_vitals(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct model *m = scene_model(sc);
    int x = r.x + 1, metric;
    char name[64], value[48];
    x = draw_split(sc, c, r, x);
    for (int n = 0; (metric = vital_at(m, n)) != METRIC_NONE; n++) {
        spoken(name, sizeof(name), &m->metric[metric]);
        value_text(sc, metric, value, sizeof(value));
        int w = str_width(name) + 1 + str_width(value);
        if (x + w > r.x + r.w)
            return;
        bool known = sc->frame && !isnan(sc->frame->at[metric].v);
        x += draw_vital(c, r, x, name, value, known ? STYLE_VALUE : STYLE_DIM) + 3;
    }
    if (!sc->frame || sc->frame->threads == 0)
        return;
    snprintf(value, sizeof(value), "%u", sc->frame->threads);
    if (x + 8 + (int)strlen(value) <= r.x + r.w)
        draw_vital(c, r, x, "threads", value, STYLE_VALUE);
}

/* Where one line must do, the vital signs have its right end: a place of their own. */
static int beside_width(struct rect r) {
    enum { TWO_SIGNS = 22, FROM_W = 60 };
    if (r.h > 1 || r.w < FROM_W)
        return 0;
    return r.w / 3 > 2 * TWO_SIGNS ? r.w / 3 : TWO_SIGNS;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    int beside = beside_width(r);
    struct rect row = {r.x, r.y, r.w - beside, 1};
    int x = draw_sentence(sc, c, row);
    char said[512];
    const char *means = sc->frame ? meaning(sc, said, sizeof(said)) : "";
    if (r.h >= 3) {
        row.y++;
        widget_text(c, row, r.x + 1, row.y, r.w - 2, STYLE_DIM, means);
    } else if (row.x + row.w - x > 30) {
        widget_text(c, row, x + 2, row.y, row.x + row.w - x - 3, STYLE_DIM, means);
    }
    if (r.h >= 2) {
        row.y++;
        draw_vitals(sc, c, row);
    } else if (beside) {
        draw_vitals(sc, c, (struct rect){r.x + r.w - beside, r.y, beside, 1});
    }
}

const struct view pane_vitals = {.draw = draw};
