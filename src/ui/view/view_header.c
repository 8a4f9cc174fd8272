/*
 * One line: what is measured, on which core, its vital signs (IPC, frequency, CPUs; on fallback
 * models their own), and the state. At the right edge SIMULATED, the state, the clock and the
 * interval always have their place; the vital signs have theirs left of it. What is left is for the
 * names, of which the model gives way first.
 */
#include "base/str.h"
#include "session/hybrid.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the state ---- */

enum {
    PROGRAM_W = 7, /* "tdtop" and two blanks */
    NUMBER_W = 4,  /* of a vital sign, at least: nothing moves */
    VITAL_GAP = 2,
    VITALS_MOST = 8,
    STATE_FROM_W = 60, /* lines this long have room for the interval */
    NAME_FROM_W = 60,  /* and names for the model's in full */
};

static const char *state_word(const struct scene *sc, enum style *st, char *buf, size_t cap) {
    const struct session *s = sc->s;
    static const struct {
        const char *word;
        enum style st;
    } ended[] = {
        [STREAM_ENDED] = {"ENDED", STYLE_VALUE},
        [STREAM_GONE] = {"GONE", STYLE_WARN},
        [STREAM_FAILED] = {"FAILED", STYLE_ERROR},
    };
    *st = STYLE_WARN;
    if (!sc->connected)
        return sc->waits ? "WAITING" : "OPENING";
    if (sc->cursor.shows != CURSOR_LIVE)
        return cursor_words(sc, buf, cap);
    if (sc->frozen)
        return "FROZEN";
    if (s->pausing && s->state == STREAM_LIVE)
        return "PAUSED";
    if (s->away && s->state == STREAM_LIVE)
        return "WAITING";
    if (sc->stored && s->state != STREAM_FAILED) {
        *st = STYLE_VALUE;
        return s->state == STREAM_LIVE ? "READING" : "WHOLE RUN";
    }
    if (s->state != STREAM_LIVE) {
        *st = ended[s->state].st;
        return ended[s->state].word;
    }
    *st = STYLE_GOOD;
    if (s->source.simulated)
        return ""; /* the badge says it */
    return s->source.live ? "LIVE" : "REPLAY";
}

static const char *interval_words(const struct scene *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    const uint64_t ns = s->source.live || s->source.simulated || !sc->interval_ns
                            ? s->control.interval_ns
                            : sc->interval_ns;
    return s->source.ops && ns ? words_interval(buf, cap, ns) : str_copy(buf, cap, "");
}

/* Draws the right end. Returns the columns it takes. */
static int draw_state(const struct scene *sc, struct canvas *c, struct rect r) {
    enum style st;
    char buf[48], clock[16], interval[16];
    const char *word = state_word(sc, &st, buf, sizeof(buf));
    const char *badge = sc->s->source.simulated ? "SIMULATED" : "";
    const int gap = badge[0] && word[0] ? 1 : 0;
    words_clock(clock, sizeof(clock), scene_now_ns(sc));
    interval_words(sc, interval, sizeof(interval));
    int w = str_width(badge) + gap + str_width(word) + 1 + str_width(clock) + 1;
    if (r.w >= STATE_FROM_W && interval[0])
        w += 1 + str_width(interval);
    else
        interval[0] = '\0';
    int x = r.x + r.w - w;
    x += canvas_text(c, r, x, r.y, STYLE_SIMULATED, badge) + gap;
    x += canvas_text(c, r, x, r.y, st, word) + 1;
    x += canvas_text(c, r, x, r.y, STYLE_VALUE, clock) + 1;
    canvas_text(c, r, x, r.y, STYLE_LABEL, interval);
    return w + 1;
}

/* ---- vital signs ---- */

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
    if (strcmp(buf, "CPUs_Utilized") == 0)
        buf[strlen("CPUs")] = '\0';
    for (char *p = buf; *p; p++)
        if (*p == '_')
            *p = ' ';
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
    else /* "CPUs 0.08", as the columns beside it have two decimals */
        (names_unit(mt) || rank_of(mt) < N_COMMON ? words_number : words_value)(
            buf, cap, mt, sc->frame->at[metric].v);
}

/* One vital sign: a dim name and a number of steady width. */
struct vital {
    char name[64], value[48];
    int w; /* columns of both */
    bool known;
};

static struct vital vital_of(const struct scene *sc, int metric) {
    struct vital v = {.known = sc->frame && !isnan(sc->frame->at[metric].v)};
    spoken(v.name, sizeof(v.name), &scene_model(sc)->metric[metric]);
    value_text(sc, metric, v.value, sizeof(v.value));
    const int number = str_width(v.value);
    v.w = str_width(v.name) + 1 + (number < NUMBER_W ? NUMBER_W : number);
    return v;
}

/* As many as fit, the first ones first, up to the right edge. Returns the columns they take. */
static int draw_vitals(const struct scene *sc, struct canvas *c, struct rect r) {
    struct vital v[VITALS_MOST];
    int n = 0, w = 0, metric;
    while (n < VITALS_MOST && (metric = vital_at(scene_model(sc), n)) != METRIC_NONE) {
        v[n] = vital_of(sc, metric);
        if (w + VITAL_GAP + v[n].w > r.w)
            break;
        w += VITAL_GAP + v[n++].w;
    }
    int x = r.x + r.w - w;
    for (int i = 0; i < n; i++) {
        canvas_text(c, r, x, r.y, STYLE_LABEL, v[i].name);
        x += v[i].w;
        canvas_text(c, r, x - str_width(v[i].value), r.y, v[i].known ? STYLE_VALUE : STYLE_DIM,
                    v[i].value);
        x += VITAL_GAP;
    }
    return w;
}

/* ---- names ---- */

/* "Intel Sapphire Rapids TMA 5.2", or "spr" where lines are short. */
static void set_model(const struct scene *sc, char *buf, size_t cap, int room) {
    const struct session *s = sc->s;
    bool brief = room < NAME_FROM_W;
    const char *name = brief ? s->model.name : s->model.title;
    bool tma = !brief && s->model.tma && s->model.tma[0];
    char cores[96];
    scene_type_words(sc, brief, cores, sizeof(cores));
    if (cores[0])
        snprintf(buf, cap, "%s%s%s", cores, brief ? "" : " · ", brief ? "" : name);
    else if (name)
        snprintf(buf, cap, "%s%s%s", name, tma ? " TMA " : "", tma ? s->model.tma : "");
}

/* " tdtop  redis-server 4242 · 5 threads  Intel Sapphire Rapids TMA 5.2" */
static void draw_names(const struct scene *sc, struct canvas *c, struct rect r) {
    const char *target = sc->s->source.target_text;
    char model[192] = "";
    if (!scene_is_beside(sc)) /* else the headings of the columns say it */
        set_model(sc, model, sizeof(model), r.w);
    int room = r.w - 1 - str_width(target), x = r.x + 1;
    if (room - (model[0] ? 2 + str_width(model) : 0) >= PROGRAM_W) {
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, "tdtop") + 2;
        room -= PROGRAM_W;
    }
    x += widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_TITLE, target);
    if (room >= 2 + str_width(model))
        canvas_text(c, r, x + 2, r.y, STYLE_LABEL, model);
}

/* What names need before vital signs may take the rest: the target, but not all of the line. */
static int least_of_names(const struct scene *sc, int room) {
    enum { MODEL_W = 10 };
    const int want = 1 + PROGRAM_W + str_width(sc->s->source.target_text) + MODEL_W;
    const int most = room * 3 / 5;
    return want < most ? want : most;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    r.w -= draw_state(sc, c, r);
    const int least = least_of_names(sc, r.w);
    const int vitals = draw_vitals(sc, c, (struct rect){r.x + least, r.y, r.w - least, 1});
    r.w -= vitals + (vitals > 0);
    draw_names(sc, c, r);
}

const struct view pane_header = {.draw = draw};
