/*
 * Line 1: what is measured, by which model and source, how well, and the state. Line 2: whatever
 * the user should know about that: an end, warnings, what the model cannot see, why this model.
 * At the right edge of line 1 SIMULATED, the state and the clock always have their place; on the
 * left the least important parts give way first.
 */
#include "base/str.h"
#include "model/load/time_parts.h"
#include "session/hybrid.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 7, SEPARATOR_W = 3, LEAST_W = 12, CUT_LEAST_W = 50 };

struct part {
    char text[192];
    enum style st;
    int rank; /* the highest is left out first */
    bool shown;
};

static const char *state_word(const struct scene *sc, enum style *st, char *buf, size_t cap) {
    const struct session *s = sc->s;
    static const struct {
        const char *word;
        enum style st;
    } ended[] = {
        [STREAM_ENDED] = {"ENDED", STYLE_WARN},
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

/* Draws the fixed right end. Returns the columns it takes. */
static int draw_state(const struct scene *sc, struct canvas *c, struct rect r) {
    enum style st;
    char buf[48], clock[16];
    const char *word = state_word(sc, &st, buf, sizeof(buf));
    const char *badge = sc->s->source.simulated ? "SIMULATED" : "";
    words_clock(clock, sizeof(clock), scene_now_ns(sc));
    int gap1 = badge[0] && word[0] ? 1 : 0;
    int w = (int)strlen(badge) + gap1 + str_width(word) + 1 + (int)strlen(clock) + 1;
    int x = r.x + r.w - w;
    x += canvas_text(c, r, x, r.y, STYLE_SIMULATED, badge) + gap1;
    x += canvas_text(c, r, x, r.y, st, word) + 1;
    canvas_text(c, r, x, r.y, STYLE_VALUE, clock);
    return w + 1;
}

static void set_source(const struct scene *sc, struct part *p) {
    const struct session *s = sc->s;
    char text[16];
    uint64_t ns = s->source.live || s->source.simulated || !sc->interval_ns ? s->control.interval_ns
                                                                            : sc->interval_ns;
    if (s->source.ops && ns)
        snprintf(p->text, sizeof(p->text), "every %s", words_interval(text, sizeof(text), ns));
}

/* What the bar on top rests on, where counters are multiplexed; each row says its own. */
static void set_duty(const struct scene *sc, struct part *p, int room) {
    const float whole = 0.995F, poor = 0.25F;
    const float duty = sc->frame ? sc->frame->duty : NAN;
    if (!(duty < whole) || scene_is_beside(sc)) /* false for NAN */
        return;
    snprintf(p->text, sizeof(p->text), room < 90 ? "counted %.0f%%" : "levels 1-2 counted %.0f%%",
             (double)duty * 100);
    p->st = duty < poor ? STYLE_WARN : STYLE_TEXT;
}

/* Where the clock has no line of its own. */
static void set_clock(const struct scene *sc, struct part *p) {
    struct time_parts t;
    const bool beside = sc->view->layout == LAYOUT_MAIN;
    if (!beside || !sc->frame || !time_parts_of(scene_model(sc), sc->frame, &t) ||
        isnan(t.share[TIME_RUNNING]))
        return;
    if (sc->frame->idle)
        str_copy(p->text, sizeof(p->text), "mostly idle");
    else
        snprintf(p->text, sizeof(p->text), "running %.0f%%", t.share[TIME_RUNNING] * 100);
}

/* "Intel Sapphire Rapids TMA 5.2", or "spr" where lines are short. */
static void set_model(const struct scene *sc, char *buf, size_t cap, int room) {
    const struct session *s = sc->s;
    bool brief = room < 90;
    const char *name = brief ? s->model.name : s->model.title;
    bool tma = !brief && s->model.tma && s->model.tma[0];
    char cores[96];
    scene_type_words(sc, brief, cores, sizeof(cores));
    if (cores[0])
        snprintf(buf, cap, "%s%s%s", cores, brief ? "" : " · ", brief ? "" : name);
    else if (name)
        snprintf(buf, cap, "%s%s%s", name, tma ? " TMA " : "", tma ? s->model.tma : "");
}

static int collect(const struct scene *sc, struct part *p, int room) {
    const struct session *s = sc->s;
    memset(p, 0, PARTS * sizeof(*p));
    p[0] = (struct part){.text = "tdtop", .st = STYLE_TITLE, .rank = 4};
    p[1] = (struct part){.st = STYLE_TITLE, .rank = 0};
    str_copy(p[1].text, sizeof(p[1].text), s->source.target_text);
    p[2] = (struct part){.st = STYLE_TEXT, .rank = sc->n_types > 1 ? 1 : 2};
    if (!scene_is_beside(sc)) /* else the headings of the columns say it */
        set_model(sc, p[2].text, sizeof(p[2].text), room);
    p[3] = (struct part){.st = STYLE_TEXT, .rank = 3};
    set_source(sc, &p[3]);
    p[4] = (struct part){.st = STYLE_TEXT, .rank = 1};
    set_duty(sc, &p[4], room);
    p[6] = (struct part){.st = STYLE_TEXT, .rank = 2};
    set_clock(sc, &p[6]);
    if (sc->connected && session_can_focus(s) && s->state == STREAM_LIVE) {
        p[5] = (struct part){.st = STYLE_TEXT, .rank = 5};
        snprintf(p[5].text, sizeof(p[5].text), "focus %s", scene_focus_word(sc->focus));
    }
    return PARTS;
}

/* Columns of a part with what stands before it. */
static int part_width(const struct part *p, int i) {
    return str_width(p[i].text) + (i == 0 ? 1 : i == 1 ? 2 : 3);
}

/*
 * The target has first call on the room, but not on all of it where that would push out everything
 * else; then by rank.
 */
static void choose(struct part *p, int n, int room) {
    int target = part_width(p, 1), most = room < 60 ? room : room * 2 / 3;
    p[1].shown = true;
    room -= target < most ? target : most;
    for (int rank = 1; rank < PARTS; rank++)
        for (int i = 0; i < n; i++)
            if (i != 1 && p[i].rank == rank && p[i].text[0] && part_width(p, i) <= room) {
                p[i].shown = true;
                room -= part_width(p, i);
            }
}

static void draw_parts(struct canvas *c, struct rect r, struct part *p, int n) {
    int rest = 0;
    for (int i = 2; i < n; i++)
        rest += p[i].shown ? part_width(p, i) : 0;
    int x = r.x + 1;
    if (p[0].shown)
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, p[0].text) + 2;
    if (p[1].shown)
        x += widget_text(c, r, x, r.y, r.x + r.w - rest - x, p[1].st, p[1].text);
    for (int i = 2; i < n; i++)
        if (p[i].shown) {
            x += canvas_text(c, r, x, r.y, STYLE_DIM, x > r.x + 1 ? " · " : "");
            x += canvas_text(c, r, x, r.y, p[i].st, p[i].text);
        }
}

/* What has no room to be understood is left out. */
static int say(struct canvas *c, struct rect r, int x, enum style st, const char *text) {
    int dot = x > r.x + 1 ? SEPARATOR_W : 0, room = r.x + r.w - x - dot, w = str_width(text);
    if (!text[0] || room < (w < LEAST_W ? w : LEAST_W))
        return x;
    if (dot)
        x += canvas_text(c, r, x, r.y, STYLE_DIM, " · ");
    return x + widget_text(c, r, x, r.y, r.x + r.w - x, st, text);
}

static int say_end(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const struct session *s = sc->s;
    if (s->state == STREAM_LIVE || (sc->stored && s->state == STREAM_ENDED))
        return x;
    static const char *const what[] = {
        [STREAM_ENDED] = "the end was reached at",
        [STREAM_GONE] = "the target has gone at",
        [STREAM_FAILED] = "reading failed for good at",
    };
    char text[900], clock[16];
    const char *why = s->state == STREAM_ENDED ? "" : s->last.text; /* all is said then */
    snprintf(text, sizeof(text), "%s %s%s%s", what[s->state],
             words_clock(clock, sizeof(clock), s->ended_ns), why[0] ? ": " : "", why);
    return say(c, r, x, s->state == STREAM_FAILED ? STYLE_ERROR : STYLE_WARN, text);
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

/*
 * What happens to the machine; the popup of D has it in sentences. Warnings stand early, before
 * what has always been so; what is merely good to know comes last, where there is room left.
 */
static int say_environment(const struct scene *sc, struct canvas *c, struct rect r, int x,
                           bool warnings) {
    const struct environment *env = session_environment(sc->s);
    char text[ENV_WORDS_MAX * (sizeof(env->word[0].text) + 2) + 16];
    int n_warn = 0;
    while (n_warn < env->n_word && env->word[n_warn].state >= CHECK_WARN)
        n_warn++;
    const struct env_word *from = warnings ? env->word : env->word + n_warn;
    int n = warnings ? n_warn : env->n_word - n_warn;
    int room = r.x + r.w - x - (x > r.x + 1 ? SEPARATOR_W : 0);
    return say(c, r, x, warnings ? STYLE_WARN : STYLE_DIM,
               environment_words(from, n, room, text, sizeof(text)));
}

/*
 * What the model cannot see is said on every screen that has this line, however much else there is
 * to say: in full, or its first clause, or where it stands.
 */
static const char limits_short[] = "limits: see ?";

static bool has_limits(const struct scene *sc) {
    const char *limits = scene_model(sc)->limits;
    return limits && limits[0];
}

static int say_limits(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    char text[512];
    const char *limits = scene_model(sc)->limits;
    if (!has_limits(sc))
        return x;
    int room = r.x + r.w - x - (x > r.x + 1 ? SEPARATOR_W : 0);
    snprintf(text, sizeof(text), "limits: %s", limits);
    size_t clause = strcspn(limits, ";");
    if (str_width(text) > room && limits[clause])
        snprintf(text, sizeof(text), "limits: %.*s ... (?)", (int)clause, limits);
    bool tells = str_width(text) <= room || room >= CUT_LEAST_W;
    return say(c, r, x, STYLE_TEXT, tells ? text : limits_short);
}

static bool is_lower_rung(const struct scene *sc) {
    const char *rung = scene_model(sc)->rung;
    return rung && strcmp(rung, "full") != 0;
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

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    struct part p[PARTS];
    struct rect first = {r.x, r.y, r.w, 1};
    first.w -= draw_state(sc, c, first);
    int n = collect(sc, p, first.w);
    choose(p, n, first.w - 1);
    draw_parts(c, first, p, n);
    if (r.h < 2)
        return;
    struct rect second = {r.x, r.y + 1, r.w - 1, 1};
    struct rect status = second;
    if (has_limits(sc))
        status.w -= (int)strlen(limits_short) + SEPARATOR_W;
    char base[160];
    int x = say(c, status, r.x + 1, STYLE_WARN, saver_words(sc));
    x = say(c, status, x, STYLE_TEXT, baseline_words(sc, base, sizeof(base)));
    x = say_end(sc, c, status, x);
    x = say_warnings(sc, c, status, x);
    x = say_environment(sc, c, status, x, true);
    x = say(c, status, x, STYLE_WARN, sc->s->source.note);
    x = say_phase(sc, c, status, x);
    /* why it is no better, or not real, matters more than what it cannot see */
    bool why_first = is_lower_rung(sc) || sc->s->source.simulated;
    if (why_first)
        x = say(c, status, x, STYLE_DIM, sc->s->why_model);
    x = say_limits(sc, c, second, x);
    if (!why_first)
        x = say(c, second, x, STYLE_DIM, sc->s->why_model);
    say_environment(sc, c, second, x, false);
}

const struct view pane_header = {.draw = draw};
