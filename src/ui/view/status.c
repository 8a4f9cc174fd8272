/*
 * What there is to know of what is measured, beside the numbers: an end, warnings, what it is
 * compared with, how much was counted. One line, the most important first; what has no room to be
 * understood is left out. The doctor has all of it in sentences.
 */
#include "ui/view/status.h"

#include "base/str.h"
#include "model/load/time_parts.h"
#include "session/hybrid.h"
#include "ui/draw/split.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEPARATOR_W = 3, LEAST_W = 12 };

/* What has no room to be understood is left out. */
static int say(struct canvas *c, struct rect r, int x, enum style st, const char *text) {
    int dot = x > r.x ? SEPARATOR_W : 0, room = r.x + r.w - x - dot, w = str_width(text);
    if (!text[0] || room < (w < LEAST_W ? w : LEAST_W))
        return x;
    if (dot)
        x += canvas_text(c, r, x, r.y, STYLE_DIM, " · ");
    return x + widget_text(c, r, x, r.y, r.x + r.w - x, st, text);
}

static int say_end(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const struct session *s = sc->s;
    if (s->state != STREAM_GONE && s->state != STREAM_FAILED)
        return x; /* the title line says when it ended */
    return say(c, r, x, s->state == STREAM_FAILED ? STYLE_ERROR : STYLE_WARN, s->last.text);
}

/* Validity of the whole. */
static int say_warnings(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    char text[96];
    if (sc->frame)
        x = say(c, r, x, STYLE_WARN, session_warning(sc->s, sc->frame, text, sizeof(text)));
    return x;
}

/* "throttled 12x, steal 8% +2 (D)": as many as have room, and how many have not. */
static const char *environment_words(const struct env_word *w, int n, int room, char *buf,
                                     size_t cap) {
    for (int shown = n; shown > 0; shown--) {
        struct strbuf sb = strbuf_on(buf, cap);
        char key[24];
        for (int i = 0; i < shown; i++)
            strbuf_add(&sb, "%s%s", i ? ", " : "", w[i].text);
        if (shown < n)
            strbuf_add(&sb, " +%d", n - shown);
        strbuf_add(&sb, " (%s)", keys_name_of("doctor", key, sizeof(key)));
        if (shown == 1 || str_width(buf) <= room)
            return buf;
    }
    return str_copy(buf, cap, "");
}

/* What happens to the machine and may decide the numbers. */
static int say_environment(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const struct environment *env = session_environment(sc->s);
    char text[ENV_WORDS_MAX * (sizeof(env->word[0].text) + 2) + 16];
    int n = 0;
    while (n < env->n_word && env->word[n].state >= CHECK_WARN)
        n++;
    const int room = r.x + r.w - x - (x > r.x ? SEPARATOR_W : 0);
    return say(c, r, x, STYLE_WARN, environment_words(env->word, n, room, text, sizeof(text)));
}

/* What level 1 rests on, where counters are multiplexed; each row says its own. */
static int say_duty(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const float poor = 0.25F, duty = sc->frame ? sc->frame->duty : NAN;
    char text[48];
    if (isnan(duty) || words_is_whole(duty) || scene_is_beside(sc))
        return x;
    snprintf(text, sizeof(text), "levels 1-2 counted %.0f%%", (double)duty * 100);
    return say(c, r, x, duty < poor ? STYLE_WARN : STYLE_LABEL, text);
}

/* Where the clock has no line of its own. */
static int say_clock(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    struct time_parts t;
    char text[32];
    if (sc->view->layout != LAYOUT_MAIN || !sc->frame ||
        !time_parts_of(scene_model(sc), sc->frame, &t) || isnan(t.share[TIME_RUNNING]))
        return x;
    snprintf(text, sizeof(text), "running %.0f%%", t.share[TIME_RUNNING] * 100);
    return say(c, r, x, STYLE_LABEL, sc->frame->idle ? "mostly idle" : text);
}

static const char *percent(char *buf, size_t cap, const struct scene *sc, const struct split *sp,
                           double share) {
    if (isnan(share))
        return str_copy(buf, cap, "n/a");
    snprintf(buf, cap, "%s%.1f%%", sc->frame->at[sp->kernel].approx ? "~" : "", share * 100);
    return buf;
}

/* "user 83.1% kernel 16.9% of cycles", where it was asked for. */
static int say_split(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    struct split sp;
    double user = NAN, kernel = NAN;
    char number[2][16], why[256] = "", text[320];
    if (!sc->split || !sc->frame || !split_find(scene_model(sc), &sp))
        return x;
    split_shares(&sp, sc->frame, &user, &kernel);
    const struct value *v = &sc->frame->at[sp.kernel];
    if (isnan(v->v) && v->state != VALUE_STALE && v->why.code != COUNT_NOT_FOCUSED)
        why_text(scene_model(sc), v->why, why, sizeof(why));
    snprintf(text, sizeof(text), "user %s kernel %s%s%s", percent(number[0], 16, sc, &sp, user),
             percent(number[1], 16, sc, &sp, kernel),
             why[0]                   ? ": "
             : isnan(v->v)            ? ""
             : sp.user == METRIC_NONE ? " of cycles"
                                      : " of CPU time",
             why);
    return say(c, r, x, STYLE_TEXT, text);
}

/* What the simulated core is doing: the answer that the screen should come to. */
static int say_phase(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    char text[80];
    if (!sc->s->phase[0] || sc->frozen || sc->cursor.shows != CURSOR_LIVE)
        return x;
    snprintf(text, sizeof(text), "phase: %s", sc->s->phase);
    return say(c, r, x, STYLE_TEXT, text);
}

/* While a snapshot waits for another program; the measuring does not. */
static const char *saver_words(const struct scene *sc) {
    return app_store_is_blocked(sc) ? "waiting for the store: another program writes to it" : "";
}

/* Why it is no better model: of the one that was hoped for nothing need be said. */
static int say_model(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const char *rung = scene_model(sc)->rung;
    char text[256];
    if (!rung || strcmp(rung, "full") == 0 || sc->s->source.simulated)
        return x;
    /* Keys of the view need the room; the doctor has all of it. */
    static const char *const joint[] = {";", " ("};
    str_copy(text, sizeof(text), sc->s->why_model);
    for (size_t i = 0; i < 2 && str_width(text) > r.w / 2; i++) {
        char *at = strstr(text, joint[i]);
        if (at)
            *at = '\0';
    }
    return say(c, r, x, STYLE_LABEL, text);
}

static int say_focus(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    char text[32];
    if (!sc->connected || !session_can_focus(sc->s) || sc->s->state != STREAM_LIVE ||
        sc->focus == FOCUS_AUTO)
        return x;
    snprintf(text, sizeof(text), "focus %s", scene_focus_word(sc->focus));
    return say(c, r, x, STYLE_LABEL, text);
}

int status_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    char base[160];
    int x = say(c, r, r.x, STYLE_WARN, saver_words(sc));
    x = say_end(sc, c, r, x);
    x = say_warnings(sc, c, r, x);
    x = say_environment(sc, c, r, x);
    x = say(c, r, x, STYLE_WARN, sc->s->source.note);
    if (sc->view != &view_bench) /* which says it at length */
        x = say(c, r, x, STYLE_TEXT, baseline_words(sc, base, sizeof(base)));
    x = say_split(sc, c, r, x);
    x = say_duty(sc, c, r, x);
    x = say_clock(sc, c, r, x);
    x = say_focus(sc, c, r, x);
    x = say_phase(sc, c, r, x);
    return say_model(sc, c, r, x);
}
