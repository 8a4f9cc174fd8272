/*
 * The verdict: what is seen, how sure, since when, and what to do next, each said once. One line,
 * two where there is room.
 */
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void prepare(struct scene *sc, struct rect r) {
    (void)r;
    sentence_follow(sc);
}

/* ---- where there is no verdict ---- */

/* Why there is none yet, or no more; "" where there is one. */
static const char *waiting(const struct scene *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    char text[16];
    if (scene_is_away(sc))
        return scene_away_words(sc, buf, cap);
    if (sc->frame)
        return "";
    if (!sc->connected)
        return sc->waits ? "no process yet" : "opening counters ...";
    if (s->state != STREAM_LIVE)
        return "ended before the first interval";
    snprintf(buf, cap, "waiting for the first interval (%s) ...",
             words_interval(text, sizeof(text), s->control.interval_ns));
    return buf;
}

/* ---- since when ---- */

/* The path's end in bucket i of a trend, where 0 is the newest. */
static int end_at(const struct trend *t, int i) {
    return trend_end(t, t->n - 1 - i);
}

/* Is one of the two on the path to the other? Then both say the same, one of them in more detail.
 */
static bool is_one(const struct model *m, int a, int b) {
    for (int i = a; i >= 0; i = m->metric[i].parent)
        if (i == b)
            return true;
    for (int i = b; i >= 0; i = m->metric[i].parent)
        if (i == a)
            return true;
    return false;
}

/* What stood before bucket i, and for some; one or two between them are the change. */
static int before(const struct trend *t, int i, int n) {
    enum { LEAST = 3, BETWEEN = 2 };
    for (int k = i; k <= i + BETWEEN && k < n; k++) {
        int same = 0;
        while (k + same < n && same < LEAST && end_at(t, k) >= 0 &&
               end_at(t, k + same) == end_at(t, k))
            same++;
        if (same == LEAST)
            return end_at(t, k);
    }
    return METRIC_NONE;
}

/* ", for 13s, before that frontend-bound": where it has been the same for a while. "" else. */
static const char *since_words(const struct scene *sc, int node, char *buf, size_t cap) {
    enum { LEAST = 3 };
    const struct model *m = scene_model(sc);
    const struct trend *t = &sc->trends.plot;
    const struct bottleneck *b = &sc->frame->bottleneck;
    char span[16], plain[ADVICE_PLAIN], now[ADVICE_PLAIN];
    int i = 1; /* the newest is not whole */
    buf[0] = '\0';
    if (b->n > 0 && b->tie[0] == node) /* a part of what is sure */
        node = b->at[b->n - 1];
    if (!sc->trends.has_plot || sc->frame != sc->newest || b->n == 0 || b->at[b->n - 1] != node)
        return buf;
    const int n = (int)(t->newest - trend_oldest(t) + 1);
    while (i < n && end_at(t, i) >= 0 && is_one(m, end_at(t, i), node))
        i++;
    if (i < LEAST)
        return buf;
    struct strbuf sb = strbuf_on(buf, cap);
    const int was = before(t, i, n);
    strbuf_add(&sb, ", for %s", words_span(span, sizeof(span), (uint64_t)i * t->bucket_ns));
    if (was == METRIC_NONE)
        return buf;
    advice_plain(&sc->sentence.advice, &m->metric[was], false, plain, sizeof(plain));
    advice_plain(&sc->sentence.advice, &m->metric[node], false, now, sizeof(now));
    if (strcmp(plain, now) != 0)
        strbuf_add(&sb, ", before that %s", plain);
    return buf;
}

/* ---- drawing ---- */

/* An alarm only where something is over its limit, and the target does run. */
static enum style mark_style(const struct scene *sc) {
    const struct advice_text *t = &sc->sentence.text;
    if (t->node == METRIC_NONE || t->certainty >= ADVICE_CLEAR || sc->frame->idle)
        return STYLE_LABEL;
    return scene_model(sc)->metric[t->node].role == ROLE_RETIRING ? STYLE_GOOD : STYLE_ERROR;
}

/* What was said some seconds ago and has fallen below its threshold since is not sure any more. */
static bool is_sure(const struct scene *sc) {
    const struct advice_text *t = &sc->sentence.text;
    return t->certainty == ADVICE_SURE && t->node != METRIC_NONE &&
           !isnan(sc->frame->at[t->node].err) && sc->frame->at[t->node].over;
}

/* What is sure is to be seen first: on the hue of its level 1, as in the bar. */
static enum style seen_style(const struct scene *sc) {
    const struct advice_text *t = &sc->sentence.text;
    if (mark_style(sc) != STYLE_ERROR || !is_sure(sc))
        return STYLE_TITLE;
    const enum style fill = words_fill(scene_model(sc), t->node);
    return fill == STYLE_TEXT ? STYLE_TITLE : words_sure(fill);
}

/* "e why", "h where": at the right end of the last line. Returns the columns they leave. */
static int draw_keys(const struct scene *sc, struct canvas *c, struct rect r, enum style st) {
    enum { FROM_W = 60 };
    const struct {
        const char *action, *words;
        bool shown;
    } keys[] = {{"where", "where", scene_has_code(sc)}, {"explain", "why", true}};
    const enum style key_st = st == STYLE_TITLE ? STYLE_KEY : st;
    const enum style words_st = st == STYLE_TITLE ? STYLE_KEY_TEXT : st;
    int left = r.w - 1;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && r.w >= FROM_W; i++) {
        char key[24];
        if (!keys[i].shown || !app_key_here(sc, keys[i].action, key, sizeof(key))[0])
            continue;
        const int words_w = str_width(keys[i].words), key_w = str_width(key);
        canvas_text(c, r, r.x + left - words_w, r.y, words_st, keys[i].words);
        canvas_text(c, r, r.x + left - words_w - 1 - key_w, r.y, key_st, key);
        left -= words_w + 1 + key_w + 2;
    }
    return left;
}

/* What is seen, how sure, since when, and what else is to be known, in one line. */
static void draw_seen(const struct scene *sc, struct canvas *c, struct rect r) {
    enum { WIDE = 100, SINCE_W = 18 }; /* ", sure, for 12s" goes before details */
    static const char sure[] = "sure";
    const enum style st = seen_style(sc), label = st == STYLE_TITLE ? STYLE_LABEL : st;
    char text[512], words[96], rest[512] = "";
    advice_fit(&sc->sentence.text, ADVICE_SEEN, r.w - (r.w >= WIDE ? SINCE_W : 0), text,
               sizeof(text));
    const char *since = since_words(sc, sc->sentence.text.node, words, sizeof(words));
    const int sure_w = is_sure(sc) ? 2 + str_width(sure) : 0, room = r.w - str_width(text);
    char *tail = str_width(since) + sure_w > room ? strstr(words, ", before") : NULL;
    if (tail)
        *tail = '\0';
    char *more = strstr(text, "; ");
    if (more) {
        str_copy(rest, sizeof(rest), more);
        *more = '\0';
    }
    int used = canvas_text(c, r, r.x, r.y, st, text), left = room;
    if (sure_w && sure_w <= left) { /* it is the value that is sure, not what was before */
        left -= sure_w;
        used += canvas_text(c, r, r.x + used, r.y, label, ", ");
        used += canvas_text(c, r, r.x + used, r.y, label == st ? st : STYLE_GOOD, sure);
    }
    if (str_width(since) <= left)
        used += canvas_text(c, r, r.x + used, r.y, label, since);
    canvas_text(c, r, r.x + used, r.y, label, rest);
}

/* A sentence that one line would cut, on all lines of r. Returns how many; 0: one line has it. */
static int draw_long(const struct scene *sc, struct canvas *c, struct rect r, enum style st) {
    enum { LONGEST_WORD = 12 }; /* what a line may lose at its end */
    const struct advice_text *t = &sc->sentence.text;
    char text[512];
    if (r.h < 2 || !str_ends(advice_fit(t, ADVICE_SEEN, r.w, text, sizeof(text)), "…"))
        return 0;
    advice_fit(t, ADVICE_SEEN, r.h * (r.w - LONGEST_WORD), text, sizeof(text));
    struct page p = page_on(c, r, 0);
    page_text(&p, st, 0, NULL, text);
    return p.line;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    enum { MARK_W = 3, ROOMY_H = 4 };
    const struct advice_text *t = &sc->sentence.text;
    const struct rect whole = r;
    if (r.h >= ROOMY_H) /* a blank line above and below */
        r = (struct rect){r.x, r.y + 1, r.w, r.h - 2};
    const int x = r.x + MARK_W, w = r.w - MARK_W - 1;
    char text[512];
    const char *none = waiting(sc, text, sizeof(text));
    if (none[0] || !sc->sentence.made) {
        widget_text(c, r, x, r.y, w, STYLE_LABEL, none);
        return;
    }
    const enum style st = seen_style(sc);
    if (st != STYLE_TITLE)
        widget_ground(c, whole, st);
    canvas_put(c, r, r.x + 1, r.y, st != STYLE_TITLE ? st : mark_style(sc), 0x25cf);
    if (r.h < 2) {
        canvas_text(c, r, x, r.y, st != STYLE_TITLE ? st : STYLE_ADVICE,
                    advice_fit(t, ADVICE_BOTH, w, text, sizeof(text)));
        return;
    }
    const struct rect seen = {x, r.y, w, r.h - 1};
    const int lines = draw_long(sc, c, seen, st);
    if (lines == 0)
        draw_seen(sc, c, seen);
    const struct rect second = {r.x, r.y + (lines ? lines : 1), r.w, 1};
    const int room = draw_keys(sc, c, second, st) - MARK_W;
    canvas_text(c, second, x, second.y, st == STYLE_TITLE ? STYLE_TEXT : st,
                advice_fit(t, ADVICE_NEXT, room, text, sizeof(text)));
}

const struct view pane_verdict = {.prepare = prepare, .draw = draw};
