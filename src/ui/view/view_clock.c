/*
 * The clock above level 1: what part of the time the target ran, waited for a CPU, and did neither,
 * as a bar and in numbers. Level 1 is about the first part alone.
 */
#include "base/str.h"
#include "model/load/model_text.h"
#include "model/load/time_parts.h"
#include "ui/draw/widget.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>

enum {
    LABEL_W = 7, /* " clock " */
    BAR_LEAST_W = 8,
    NUMBER_W = 5, /* "100.0", so that nothing moves */
};

/* A share of waiting that is worth a colour: the threshold of Run_Queue_Wait in software.toml. */
static const double much_waiting = 0.10;

/* The words of each part, from the longest to none; and how the bar shows it. */
static const struct {
    const char *words[3];
    enum style st;
    uint32_t cp;
} parts[TIME_PARTS] = {
    [TIME_RUNNING] = {{"running", "running", "run"}, STYLE_PLOT, 0x2501},
    [TIME_WAITING] = {{"waiting for a CPU", "waiting", "wait"}, STYLE_WARN, 0x254d},
    [TIME_IDLE] = {{"idle", "idle", "idle"}, STYLE_DIM, 0x2508},
};
enum { WORDINGS = sizeof(parts[0].words) / sizeof(parts[0].words[0]) };

static enum style number_style(const struct scene *sc, const struct time_parts *t, int part) {
    if (part == TIME_WAITING && t->share[part] > much_waiting && !sc->frame->idle)
        return STYLE_WARN;
    return isnan(t->share[part]) || part == TIME_IDLE ? STYLE_LABEL : STYLE_VALUE;
}

/* Columns of all numbers in a wording. */
static int words_width(int wording) {
    int w = 0;
    for (int i = TIME_RUNNING; i < TIME_PARTS; i++)
        w += 2 + str_width(parts[i].words[wording]) + 1 + NUMBER_W + 1;
    return w;
}

static int draw_number(const struct scene *sc, struct canvas *c, struct rect r, int x,
                       const struct time_parts *t, int part, const char *word) {
    char text[16];
    x += 2;
    x += canvas_text(c, r, x, r.y, STYLE_LABEL, word) + 1;
    snprintf(text, sizeof(text), "%.1f%%", t->share[part] * 100);
    widget_right(c, r, x, r.y, NUMBER_W + 1, number_style(sc, t, part),
                 isnan(t->share[part]) ? "n/a" : text);
    return x + NUMBER_W + 1;
}

/* Ends of the parts are rounded, not their widths: the last one fills the bar. */
static void draw_bar(struct canvas *c, struct rect r, const struct time_parts *t) {
    double sum = 0;
    int from = 0;
    for (int i = TIME_RUNNING; i < TIME_PARTS; i++) {
        sum += isnan(t->share[i]) ? 0 : t->share[i];
        int to = (int)lround(fmin(fmax(sum, 0), 1) * r.w);
        if (to > from)
            canvas_fill(c, (struct rect){r.x + from, r.y, to - from, 1}, parts[i].st, parts[i].cp);
        from = to > from ? to : from;
    }
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    struct time_parts t;
    char whole[32] = "";
    if (!sc->frame || scene_is_away(sc) || !time_parts_of(scene_model(sc), sc->frame, &t))
        return;
    canvas_text(c, r, r.x + 1, r.y, STYLE_LABEL, "clock");
    if (isnan(t.share[TIME_RUNNING])) {
        char why[256];
        widget_text(c, r, r.x + LABEL_W, r.y, r.w - LABEL_W, STYLE_DIM,
                    why_text(scene_model(sc), t.why, why, sizeof(why)));
        return;
    }
    time_parts_whole(&t, whole, sizeof(whole));
    int wording = 0, least = r.w / 3; /* of the bar */
    while (wording + 1 < WORDINGS && r.w - LABEL_W - words_width(wording) < least)
        wording++;
    int right = words_width(wording) + 1, tail = str_width(whole);
    if (r.w - LABEL_W - right - tail >= least)
        right += tail;
    else
        whole[0] = '\0';
    int w = r.w - LABEL_W - right, x = r.x + r.w - right;
    if (w >= BAR_LEAST_W)
        draw_bar(c, (struct rect){r.x + LABEL_W, r.y, w, 1}, &t);
    else
        x = r.x + LABEL_W - 2;
    for (int i = TIME_RUNNING; i < TIME_PARTS; i++)
        x = draw_number(sc, c, r, x, &t, i, parts[i].words[wording]);
    canvas_text(c, r, x, r.y, STYLE_LABEL, whole);
}

const struct view pane_clock = {.draw = draw};
