#include "ui/view/explain_page.h"

#include "base/str.h"
#include "model/eval/derivation.h"
#include "model/eval/eval.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_more.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The count of a slot: "1.23G  61 %", or why there is none. */
static void count_words(const struct count *k, char *buf, size_t cap) {
    char si[16];
    if (k->state == COUNT_OK)
        snprintf(buf, cap, "%6s %4.0f%%", str_si(si, sizeof(si), k->value), count_duty(k) * 100);
    else
        str_copy(buf, cap, count_state_text(k->state));
}

static void need_words(const struct scene *sc, const struct need *need, char *buf, size_t cap) {
    const struct layout *l = &sc->s->source.layout;
    buf[0] = '\0';
    if (need->slot < 0)
        str_copy(buf, cap, count_state_text(l->missing[need->event]));
    else if (sc->sample)
        count_words(&sc->sample->at[need->slot], buf, cap);
}

static void page_events(const struct scene *sc, struct page *p, int metric) {
    struct needs *nd = sc->needs;
    if (!nd->at)
        return; /* not connected yet */
    needs_find(nd, scene_model(sc), &sc->s->source.layout, &sc->s->eval, metric);
    if (nd->n == 0)
        return;
    page_heading(p, "Events: count in this interval, and duty");
    int at = p->r.w > 60 ? p->r.w - 24 : p->r.w - 13;
    for (uint32_t i = 0; i < nd->n; i++) {
        char words[64];
        need_words(sc, &nd->at[i], words, sizeof(words));
        page_pair(p, at, STYLE_POPUP, scene_model(sc)->event[nd->at[i].event].name, STYLE_POPUP,
                  words);
    }
}

static void page_list(struct page *p, const char *heading, const char **list) {
    if (!list || !list[0])
        return;
    page_heading(p, heading);
    for (int i = 0; list[i]; i++)
        page_text(p, STYLE_POPUP, 2, "•", list[i]);
}

static void page_value(const struct scene *sc, struct page *p, int metric) {
    const struct model *m = scene_model(sc);
    const struct metric *mt = &m->metric[metric];
    char number[48], text[384], why[256];
    if (!sc->frame)
        return;
    const struct value *v = &sc->frame->at[metric];
    words_value(number, sizeof(number), mt, v->v);
    why_text(m, v->why, why, sizeof(why));
    const char *of = metric_share_of(m, mt); /* as beside the tree */
    const char *over = v->near          ? " · about at its threshold"
                       : v->over        ? " · over its threshold"
                       : !mt->threshold ? ""
                       : isnan(v->v)    ? ""
                                        : " · not over its threshold";
    snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s", v->approx ? "~" : "", number, of ? " of " : "",
             of ? of : "", over, v->split ? " · ÷ " DERIVATION_PARTED : "", why[0] ? " · " : "",
             why);
    page_text(p, v->over ? STYLE_VALUE : STYLE_POPUP, 0, NULL, text);
}

static void page_names(struct page *p, const struct metric *mt) {
    char text[320];
    if (strcmp(mt->path, mt->name) != 0) {
        snprintf(text, sizeof(text), "%s", mt->path);
        page_text(p, STYLE_LABEL, 0, NULL, text);
    }
    if (mt->vendor) {
        snprintf(text, sizeof(text), "the vendor calls it %s", mt->vendor);
        page_text(p, STYLE_LABEL, 0, NULL, text);
    }
}

static void page_text_under(struct page *p, const char *heading, const char *text) {
    page_heading(p, heading);
    page_text(p, STYLE_POPUP, 0, NULL, text);
}

/* The formula that is really used here comes first. */
static void page_formula(const struct scene *sc, struct page *p, int metric) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct ast *used = eval_bound(&sc->s->eval, metric).formula;
    bool by_alt = mt->alt && used == mt->alt;
    bool by_fallback = mt->fallback && used == mt->fallback;
    const char *exact = by_alt ? mt->alt_formula : mt->formula;
    if (exact && !by_fallback)
        page_text_under(p, "Formula", exact);
    if (mt->fallback_formula) {
        page_text_under(p,
                        by_fallback ? "Formula, approximate: an event of the exact one is missing"
                                    : "Where an event of it is missing, approximately",
                        mt->fallback_formula);
        if (mt->fallback_note)
            page_text(p, STYLE_LABEL, 0, NULL, mt->fallback_note);
    }
    if (exact && by_fallback)
        page_text_under(p, "The exact formula", exact);
    explain_numbers(sc, p, metric);
    if (mt->threshold_text) {
        page_heading(p, "Counts as a problem when");
        page_text(p, STYLE_POPUP, 0, NULL, mt->threshold_text);
    }
    explain_threshold(sc, p, metric);
}

void explain_page_read(struct scene *sc, int metric) {
    if (metric != METRIC_NONE)
        explain_read(&sc->explain, scene_model(sc)->metric[metric].name);
}

void explain_page(const struct scene *sc, struct page *p, int metric) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct explain_entry *e = explain_find(&sc->explain, mt->name);
    page_value(sc, p, metric);
    page_names(p, mt);
    const struct text_sink sink = page_sink(p);
    if (e)
        explain_text(e, scene_model(sc), &sink);
    else if (mt->summary) /* a metric of the user's own */
        sink.summary(p, mt->summary);
    explain_approximate(sc, p, metric);
    explain_next(sc, p, metric);
    explain_parts(sc, p, metric);
    page_formula(sc, p, metric);
    explain_latencies(sc, p, metric);
    page_events(sc, p, metric);
    explain_beside(sc, p, metric);
    explain_encodings(sc, p, metric);
    page_list(p, "Events that find the place in the code", mt->locate);
    if (mt->locate && mt->locate[0])
        explain_sampling(p, mt->locate[0]);
    explain_limits(sc, p);
    if (e)
        explain_text_on(&sc->explain, e, &sink);
}
