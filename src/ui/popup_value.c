/* How the selected value came about: the formula, and with what numbers it was filled. */
#include "base/str.h"
#include "model/eval.h"
#include "model/model_text.h"
#include "model/needs.h"
#include "ui/popup.h"
#include "ui/screen.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 92, COUNT_W = 46 };

static void page_value(struct screen *sc, struct page *p, int metric) {
    const struct metric *mt = &screen_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    const char *of = metric_share_of(screen_model(sc), mt);
    char text[512], number[48], why[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s", words_cell(number, sizeof(number), mt, v));
    if (!isnan(v->v) && !isnan(v->err))
        strbuf_add(&sb, " ± %s", words_value(number, sizeof(number), mt, v->err));
    if (of)
        strbuf_add(&sb, " of %s", of);
    if (!isnan(v->v))
        strbuf_add(&sb, " · %s · duty %.0f %%", value_state_name((enum value_state)v->state),
                   (double)v->duty * 100);
    if (why_text(screen_model(sc), v->why, why, sizeof(why))[0])
        strbuf_add(&sb, " · %s", why);
    page_text(p, STYLE_VALUE, 0, NULL, text);
}

static void page_formula(struct screen *sc, struct page *p, int metric) {
    char text[2048];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    const struct ast *used = eval_bound(&sc->s->eval, metric).formula;
    page_heading(p, "Formula");
    if (used)
        model_expr_text(screen_model(sc), used, &sb);
    page_text(p, STYLE_POPUP, 0, NULL, used ? text : "none: what it needs is not here");
}

/* The metrics that were found on the way to the events: the first is the metric itself. */
static void page_metrics(struct screen *sc, struct page *p) {
    const struct needs *nd = &sc->needs;
    char number[48];
    if (nd->n_todo > 1)
        page_heading(p, "Other metrics in it");
    for (uint32_t i = 1; i < nd->n_todo; i++) {
        const struct metric *mt = &screen_model(sc)->metric[nd->todo[i]];
        page_pair(p, p->r.w - 16, STYLE_POPUP, mt->name, STYLE_VALUE,
                  words_cell(number, sizeof(number), mt, &sc->frame->at[nd->todo[i]]));
    }
}

/* " 1.23G    1000 ms   22.1 ms     2 %     3": count, enabled, running, duty, group */
static void count_words(const struct screen *sc, const struct need *need, char *buf, size_t cap) {
    const struct layout *l = &sc->s->source.layout;
    char si[16];
    if (need->slot < 0) {
        str_copy(buf, cap, count_state_text(l->missing[need->event]));
        return;
    }
    const struct count *k = &sc->sample->at[need->slot];
    if (k->state != COUNT_OK)
        str_copy(buf, cap, count_state_text(k->state));
    else
        snprintf(buf, cap, "%7s %8.1f ms %8.1f ms %4.0f %% %5u", str_si(si, sizeof(si), k->value),
                 (double)k->enabled_ns / 1e6, (double)k->running_ns / 1e6, count_duty(k) * 100,
                 l->slot[need->slot].group);
}

/* In one line, or where that is too long in two. */
static void page_event(struct page *p, enum style st, const char *name, const char *words) {
    int at = p->r.w - COUNT_W;
    if (at > str_width(name)) {
        page_pair(p, at, st, name, st, words);
        return;
    }
    page_pair(p, p->r.w, st, name, st, "");
    page_pair(p, at > 0 ? at : 0, st, "", st, words);
}

static void page_events(struct screen *sc, struct page *p) {
    const struct needs *nd = &sc->needs;
    char words[96];
    if (nd->n == 0)
        return;
    page_blank(p);
    page_event(p, STYLE_LABEL, "Events", "  count     enabled     running   duty group");
    for (uint32_t i = 0; i < nd->n; i++) {
        count_words(sc, &nd->at[i], words, sizeof(words));
        page_event(p, STYLE_POPUP, screen_model(sc)->event[nd->at[i].event].name, words);
    }
}

static void page_story(struct screen *sc, struct page *p, int metric) {
    if (!sc->frame || !sc->needs.at) {
        page_text(p, STYLE_POPUP, 0, NULL, "Nothing has been measured yet.");
        return;
    }
    needs_find(&sc->needs, screen_model(sc), &sc->s->source.layout, &sc->s->eval, metric);
    page_value(sc, p, metric);
    page_formula(sc, p, metric);
    page_metrics(sc, p);
    page_events(sc, p);
}

/* Lines that the story will take: the same page, with no place to be drawn. */
static int height(struct screen *sc, struct canvas *c, int w, int metric) {
    struct page p = page_on(c, (struct rect){0, 0, w, 0}, 0);
    page_story(sc, &p, metric);
    return p.line;
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int metric = screen_selected(sc);
    if (metric == METRIC_NONE)
        return;
    char title[160];
    snprintf(title, sizeof(title), "%s: this value", screen_model(sc)->metric[metric].name);
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page p = popup_begin(sc, c, r, w, height(sc, c, w, metric), title);
    page_story(sc, &p, metric);
    popup_end(sc, &p);
}

const struct view_ops popup_value = {.name = "value", .draw = draw, .mouse = popup_mouse};
