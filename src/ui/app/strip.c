/*
 * The core types of a hybrid CPU: the heading of a column, where they are beside each other, and
 * else a line for each that is not shown: its level 1 and its bottleneck.
 */
#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/screen/screen.h"
#include "ui/screen/types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *duty_words(const struct screen *sc, char *buf, size_t cap) {
    buf[0] = '\0';
    if (sc->scene.frame && !isnan(sc->scene.frame->duty))
        snprintf(buf, cap, "counted %.0f%%", (double)sc->scene.frame->duty * 100);
    return buf;
}

/* "─ P-cores 62% of the CPU time · adl-glc ───── counted 100% ─": the active one is bold. */
static void draw_heading(struct screen *sc, struct canvas *c, struct rect r) {
    char words[96], duty[32];
    enum style st = sc->scene.active ? STYLE_TITLE : STYLE_LABEL;
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    scene_type_words(&sc->scene, r.w < 50, words, sizeof(words));
    int x = r.x + 1;
    x += canvas_printf(c, r, x, r.y, st, "%s%s ", sc->scene.active ? "▸ " : "  ", words);
    x += canvas_printf(c, r, x, r.y, STYLE_LABEL, "· %s ", scene_model(&sc->scene)->name);
    duty_words(sc, duty, sizeof(duty));
    int w = str_width(duty) + 2;
    if (duty[0] && r.x + r.w - 1 - w > x)
        canvas_printf(c, r, r.x + r.w - 1 - w, r.y, STYLE_LABEL, " %s ", duty);
}

static void draw_type(struct screen *sc, struct canvas *c, struct rect r) {
    draw_heading(sc, c, r);
    int bottom = sc->panes[LAYOUT_TREE].at[PANE_KEYS].y;
    for (int y = r.y; r.x > 0 && y < bottom; y++) /* towards the column to the left */
        canvas_put(c, canvas_rect(c), r.x - 1, y, STYLE_BORDER, 0x2502);
}

/* ---- a line ---- */

/* "Front 25.8 Bad 7.1 Back 36.6 Ret 30.6": each in its hue; letters where there is no room. */
static int draw_roots(const struct screen *sc, struct canvas *c, struct rect r, int x, int y) {
    const struct model *m = scene_model(&sc->scene);
    enum { NAMES_FROM_W = 72 };
    char number[32], name[64];
    for (int i = 0; i < (int)m->n_tree; i++) {
        const struct metric *mt = &m->metric[i];
        if (mt->level != 1 || !mt->share)
            continue;
        if (r.w >= NAMES_FROM_W)
            words_brief(name, sizeof(name), mt);
        else
            snprintf(name, sizeof(name), "%c", words_letter(m, i));
        x += canvas_text(c, r, x, y, words_hue(m, i), name) + 1;
        double v = sc->scene.frame->at[i].v;
        x += canvas_text(c, r, x, y, isnan(v) ? STYLE_DIM : STYLE_VALUE,
                         isnan(v) ? "n/a" : words_number(number, sizeof(number), mt, v)) +
             1;
    }
    return x;
}

static int add_node(const struct screen *sc, struct canvas *c, struct rect r, int x, int y,
                    int metric, const char *before) {
    const struct metric *mt = &scene_model(&sc->scene)->metric[metric];
    const enum style st = mt->role == ROLE_RETIRING ? STYLE_GOOD : STYLE_BOTTLENECK;
    char plain[ADVICE_PLAIN], number[48], text[160];
    advice_plain(&sc->scene.sentence.advice, mt, false, plain, sizeof(plain));
    words_value(number, sizeof(number), mt, sc->scene.frame->at[metric].v);
    snprintf(text, sizeof(text), "%s%s %s", before, plain, number);
    return x + widget_text(c, r, x, y, r.x + r.w - 1 - x, st, text);
}

/* "full buffers 66.7%": the end of the path, and what it ties with. */
static void draw_path(const struct screen *sc, struct canvas *c, struct rect r, int x, int y) {
    const struct bottleneck *b = &sc->scene.frame->bottleneck;
    struct bottleneck_words words;
    if (b->n == 0) {
        bottleneck_words(scene_model(&sc->scene), sc->scene.frame, b, 0, &words);
        widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_TEXT, words.end);
        return;
    }
    const bool tie = b->tie[0] != METRIC_NONE;
    x = add_node(sc, c, r, x, y, tie ? b->tie[0] : b->at[b->n - 1], "");
    if (tie)
        add_node(sc, c, r, x, y, b->tie[1], " ≈ ");
}

static void draw_line(const struct screen *sc, struct canvas *c, struct rect r, int y) {
    const char *cores = session_cores(sc->scene.s);
    int x = r.x + 1;
    x += canvas_text(c, r, x, y, STYLE_KEY, "o");
    x += canvas_printf(c, r, x, y, STYLE_LABEL, " %s ",
                       cores[0] ? cores : session_type(sc->scene.s));
    if (!sc->scene.frame) {
        canvas_text(c, r, x, y, STYLE_LABEL, "waiting for the first interval ...");
        return;
    }
    if (!isnan(sc->scene.frame->here))
        x += canvas_printf(c, r, x, y, STYLE_VALUE, "%.0f%% ", sc->scene.frame->here * 100);
    if (sc->scene.frame->here == 0) {
        canvas_text(c, r, x, y, STYLE_DIM, "does not run there now");
        return;
    }
    x = draw_roots(sc, c, r, x + 1, y);
    if (r.x + r.w - x > 12)
        draw_path(sc, c, r, x + 1, y);
}

/* In the order in which the key goes through them. */
static void draw_strip(struct screen *sc, struct canvas *c, struct rect r) {
    const struct types *t = sc->types;
    for (int i = 1; types_many(t) && i < t->n && i <= r.h; i++)
        draw_line(t->at[(sc->scene.type + i) % t->n], c, r, r.y + i - 1);
}

static void press_strip(struct screen *sc, struct rect r, const struct mouse *m) {
    if (m->what == MOUSE_PRESS)
        types_switch(sc, m->y - r.y + 1);
}

const struct overlay pane_type = {.name = "type", .draw = draw_type};
const struct overlay pane_strip = {.name = "strip", .draw = draw_strip, .mouse = press_strip};
