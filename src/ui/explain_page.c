#include "ui/explain_page.h"

#include "base/str.h"
#include "model/expr.h"
#include "ui/screen.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_MAX = 48, DEPTH_MAX = 12 };

/* The events that a formula needs, through the metrics it names. */
struct needs {
    const struct screen *sc;
    int event[EVENTS_MAX];
    int n;
    int depth;
};

/* The formula that is really used here. */
static const struct ast *ast_of(const struct screen *sc, int metric) {
    const struct metric *mt = &screen_model(sc)->metric[metric];
    return mt->alt && sc->s->source.layout.no_perf_metrics ? mt->alt : mt->ast;
}

static const char *formula_of(const struct screen *sc, int metric) {
    const struct metric *mt = &screen_model(sc)->metric[metric];
    return mt->alt && sc->s->source.layout.no_perf_metrics ? mt->alt_formula : mt->formula;
}

static void add_leaf(const struct ast *leaf, void *user) {
    struct needs *nd = user;
    if (leaf->op == AST_METRIC && nd->depth < DEPTH_MAX && ast_of(nd->sc, leaf->index)) {
        nd->depth++;
        expr_leaves(ast_of(nd->sc, leaf->index), add_leaf, nd);
        nd->depth--;
    }
    if (leaf->op != AST_EVENT || nd->n == EVENTS_MAX)
        return;
    for (int i = 0; i < nd->n; i++)
        if (nd->event[i] == leaf->index)
            return;
    nd->event[nd->n++] = leaf->index;
}

/* The count of an event: "1.23G  61 %", or why there is none. */
static void event_words(const struct screen *sc, int event, char *buf, size_t cap) {
    const struct layout *l = &sc->s->source.layout;
    uint32_t slot = 0;
    while (slot < l->n_slot && l->slot[slot].event != event)
        slot++;
    if (slot == l->n_slot || !sc->sample) {
        enum count_state why = (uint32_t)event < l->n_event ? l->missing[event] : COUNT_NO_EVENT;
        str_copy(buf, cap, slot == l->n_slot ? count_state_text(why) : "");
        return;
    }
    const struct count *k = &sc->sample->at[slot];
    char si[16];
    if (k->state == COUNT_OK)
        snprintf(buf, cap, "%6s %4.0f%%", str_si(si, sizeof(si), k->value), count_duty(k) * 100);
    else
        str_copy(buf, cap, count_state_text(k->state));
}

static void page_events(struct screen *sc, struct page *p, int metric) {
    const struct ast *ast = ast_of(sc, metric);
    struct needs nd = {.sc = sc};
    if (!ast)
        return;
    expr_leaves(ast, add_leaf, &nd);
    if (nd.n == 0)
        return;
    page_heading(p, "Events: count in this interval, and duty");
    int at = p->r.w > 60 ? p->r.w - 24 : p->r.w - 13;
    for (int i = 0; i < nd.n; i++) {
        char words[64];
        event_words(sc, nd.event[i], words, sizeof(words));
        page_pair(p, at, STYLE_POPUP, screen_model(sc)->event[nd.event[i]].name, STYLE_POPUP,
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

static void page_value(struct screen *sc, struct page *p, int metric) {
    const struct model *m = screen_model(sc);
    const struct metric *mt = &m->metric[metric];
    char number[48], text[384], why[256];
    if (!sc->frame)
        return;
    const struct value *v = &sc->frame->at[metric];
    words_value(number, sizeof(number), mt, v->v);
    why_text(m, v->why, why, sizeof(why));
    const char *over = v->over          ? " · over its threshold"
                       : !mt->threshold ? ""
                       : isnan(v->v)    ? ""
                                        : " · not over its threshold";
    snprintf(text, sizeof(text), "%s%s%s%s%s%s", number, mt->domain ? " · " : "",
             mt->domain ? mt->domain : "", over, why[0] ? " · " : "", why);
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

static void page_formula(struct screen *sc, struct page *p, int metric) {
    const struct metric *mt = &screen_model(sc)->metric[metric];
    if (formula_of(sc, metric)) {
        page_heading(p, "Formula");
        page_text(p, STYLE_POPUP, 0, NULL, formula_of(sc, metric));
    }
    if (mt->fallback_formula) {
        page_heading(p, "Where an event of it is missing, approximately");
        page_text(p, STYLE_POPUP, 0, NULL, mt->fallback_formula);
        if (mt->fallback_note)
            page_text(p, STYLE_LABEL, 0, NULL, mt->fallback_note);
    }
    if (mt->threshold_text) {
        page_heading(p, "Counts as a problem when");
        page_text(p, STYLE_POPUP, 0, NULL, mt->threshold_text);
    }
}

void explain_page(struct screen *sc, struct page *p, int metric) {
    const struct metric *mt = &screen_model(sc)->metric[metric];
    const struct explain_entry *e = explain_find(&sc->explain, mt->name);
    page_value(sc, p, metric);
    page_names(p, mt);
    const char *summary = e && e->summary ? e->summary : mt->summary;
    if (summary) {
        page_blank(p);
        page_text(p, STYLE_VALUE, 0, NULL, summary);
    }
    if (e && e->description) {
        page_blank(p);
        page_text(p, STYLE_POPUP, 0, NULL, e->description);
    }
    page_list(p, "Usual causes", e ? e->causes : NULL);
    page_list(p, "What to try", e ? e->hints : NULL);
    page_list(p, "How to make sure", e ? e->confirm : NULL);
    page_formula(sc, p, metric);
    page_events(sc, p, metric);
    page_list(p, "Events that find the place in the code", mt->locate);
}
