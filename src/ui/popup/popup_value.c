/*
 * How the selected value came about (model/eval/derivation.h), in the words of --explain-value. It
 * follows the counts while it is open; Space holds it still, as everything.
 */
#include "base/str.h"
#include "ui/popup/explain_view.h"
#include "ui/popup/popup.h"
#include "ui/runs/runs_open.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 122, COUNT_W = 77, LABEL_MIN_W = 24, INDENT = 4 };

static const enum style styles[] = {
    [DERIVATION_HEADING] = STYLE_LABEL,
    [DERIVATION_STRONG] = STYLE_VALUE,
    [DERIVATION_TEXT] = STYLE_POPUP,
    [DERIVATION_DIM] = STYLE_LABEL,
};

/* Name and text in one line where there is room for all of them; else the text is below. */
static void put_named(struct page *p, const struct derivation_line *line) {
    enum style st = styles[line->style];
    int w = str_width(line->text), at = p->r.w - COUNT_W;
    char label[96];
    snprintf(label, sizeof(label), "  %s", line->label);
    if (at >= LABEL_MIN_W && str_width(label) < at && w <= COUNT_W) {
        page_pair(p, at, st, label, st, line->text);
        return;
    }
    page_text(p, STYLE_KEY, 2, NULL, line->label);
    if (w <= p->r.w - INDENT) /* as it is: numbers below numbers */
        page_pair(p, INDENT, st, "", st, line->text);
    else
        page_text(p, st, INDENT, NULL, line->text);
}

static void put_line(void *user, const struct derivation_line *line) {
    struct page *p = user;
    if (line->style == DERIVATION_HEADING)
        page_heading(p, line->text);
    else if (line->label)
        put_named(p, line);
    else
        page_text(p, styles[line->style], line->style == DERIVATION_STRONG ? 0 : 2, NULL,
                  line->text);
}

/* The values that a spread is taken of are only those of the newest intervals. */
static bool is_newest(const struct screen *sc) {
    return sc->scene.frame->seq == sc->scene.s->frame.seq;
}

/* So are those of the moment that the time cursor is at, as far back as packed counts reach. */
static bool is_packed(const struct screen *sc) {
    return sc->scene.frame == &sc->scene.cursor.frame && sc->scene.cursor.packed;
}

/* Of a stored run all of it, at once. */
static bool is_whole(const struct screen *sc) {
    return sc->run_frame && sc->scene.frame == sc->run_frame;
}

static void put_derivation(struct screen *sc, struct page *p, int metric) {
    if (!sc->scene.frame || !sc->derivation.event) {
        page_text(p, STYLE_POPUP, 0, NULL, "Nothing has been measured yet.");
        return;
    }
    const struct derivation_of of = {
        .model = scene_model(&sc->scene),
        .layout = &sc->scene.s->source.layout,
        .eval = &sc->scene.s->eval,
        .sample = sc->scene.sample,
        .frame = sc->scene.frame,
        .window = is_newest(sc)   ? &sc->scene.s->window
                  : is_packed(sc) ? &sc->scene.cursor.past.sums
                                  : NULL,
        .sum = is_packed(sc) || is_whole(sc),
    };
    derivation_make(&sc->derivation, &of, metric);
    derivation_lines(&sc->derivation, put_line, p);
    if (of.window || isnan(sc->scene.frame->at[metric].v))
        return;
    char words[128];
    page_heading(p, "The ±: half of the 95% interval");
    page_text(
        p, STYLE_LABEL, 2, NULL,
        sc->scene.cursor.shows == CURSOR_LIVE
            ? keys_in_words("What it is made of is known of the newest interval only: {freeze} "
                            "goes on.",
                            words, sizeof(words))
            : "Not known: of that time only sums over longer intervals are left, not how the "
              "value varied within them.");
}

static void fill(struct screen *sc, struct page *p) {
    put_derivation(sc, p, explain_metric(sc));
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const int metric = explain_metric(sc);
    char title[160];
    if (metric == METRIC_NONE)
        return;
    snprintf(title, sizeof(title), "%s: this value", scene_model(&sc->scene)->metric[metric].name);
    popup_page(sc, c, r, WIDTH, title, fill);
}

const struct overlay popup_value = {.name = "value",
                                    .state_of = &popup_explain,
                                    .draw = draw,
                                    .mouse = popup_mouse,
                                    .want = explain_want};
