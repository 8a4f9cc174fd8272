/* What only the pop-up says of a metric: numbers in its formula, and its relatives as links. */
#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_more.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RELATIVES_MAX = 12 };

static bool has_links(const struct page *p) {
    return p->word != NULL;
}

/* --- relatives --- */

enum { VALUE_W = 9 }; /* "! 12.5%", numbers below numbers */

/* "!   9.5% of clocks": over its threshold, and what it is a share of where there is room. */
static void value_words(const struct scene *sc, int metric, bool wide, char *buf, size_t cap) {
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    const char *of = wide && x->share ? metric_share_of(scene_model(sc), x) : NULL;
    char cell[64] = "–";
    if (v && !isnan(v->v)) {
        str_copy(cell, sizeof(cell), v->approx ? "~" : "");
        size_t n = strlen(cell);
        words_value(cell + n, sizeof(cell) - n, x, v->v);
    } else if (v) {
        words_cell(cell, sizeof(cell), x, v);
    }
    const int pad = x->share || !v || isnan(v->v) ? VALUE_W - 2 - str_width(cell) : 0;
    snprintf(buf, cap, "%s%*s%s%s%s", v && v->over ? "! " : "  ", pad > 0 ? pad : 0, "", cell,
             of ? " of " : "", of ? of : "");
}

static void put_value(const struct scene *sc, struct page *p, int metric) {
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    const bool wide = p->r.w > 60;
    char text[128];
    value_words(sc, metric, wide, text, sizeof(text));
    enum style st = v && v->over ? STYLE_VALUE : STYLE_POPUP;
    page_pair(p, wide ? p->r.w - 30 : p->r.w - 13, st, words_name(x), st, text);
}

static void put_children(const struct scene *sc, struct page *p, int metric) {
    const struct metric *m = scene_model(sc)->metric;
    if (m[metric].first_child == METRIC_NONE)
        return;
    page_heading(p, "Its parts");
    for (int i = m[metric].first_child; i != METRIC_NONE; i = m[i].next_sibling)
        put_value(sc, p, i);
}

/* The first group of its list; the others are in the metrics view. */
static void put_group(const struct scene *sc, struct page *p, int metric) {
    const struct model *m = scene_model(sc);
    const char *groups = m->metric[metric].groups;
    char group[96], heading[128];
    if (!groups || metric < (int)m->n_tree)
        return;
    groups += strspn(groups, "; ");
    size_t len = strcspn(groups, "; ");
    str_copy(group, len + 1 < sizeof(group) ? len + 1 : sizeof(group), groups);
    int n = 0;
    for (int i = (int)m->n_tree; i < (int)m->n_metric; i++) {
        if (i == metric || !model_in_group(&m->metric[i], group) || ++n > RELATIVES_MAX)
            continue;
        snprintf(heading, sizeof(heading), "Beside it in the group %s", group);
        if (n == 1)
            page_heading(p, heading);
        put_value(sc, p, i);
    }
    snprintf(heading, sizeof(heading), "and %d more in the metrics view", n - RELATIVES_MAX);
    if (n > RELATIVES_MAX)
        page_text(p, STYLE_LABEL, 0, NULL, heading);
}

void explain_parts(const struct scene *sc, struct page *p, int metric) {
    if (has_links(p))
        put_children(sc, p, metric);
}

void explain_beside(const struct scene *sc, struct page *p, int metric) {
    if (has_links(p))
        put_group(sc, p, metric);
}

/* --- numbers --- */

static bool derivation_for(const struct scene *sc, int metric) {
    if (!sc->frame || !sc->sample || !sc->derivation->event)
        return false;
    const struct derivation_of of = {
        .model = scene_model(sc),
        .layout = &sc->s->source.layout,
        .eval = &sc->s->eval,
        .sample = sc->sample,
        .frame = sc->frame,
    };
    derivation_make(sc->derivation, &of, metric);
    return sc->derivation->kind != DERIVATION_NONE;
}

void explain_numbers(const struct scene *sc, struct page *p, int metric) {
    char text[DERIVATION_TEXT_MAX], value[48];
    if (!has_links(p) || !derivation_for(sc, metric))
        return;
    const struct value *v = &sc->frame->at[metric];
    derivation_filled(sc->derivation, text, sizeof(text) - sizeof(value) - 4);
    if (!text[0] || isnan(v->v))
        return;
    words_value(value, sizeof(value), &scene_model(sc)->metric[metric], v->v);
    size_t n = strlen(text);
    snprintf(text + n, sizeof(text) - n, " = %s", value);
    page_heading(p, "The same with the numbers of this interval");
    page_text(p, STYLE_POPUP, 0, NULL, text);
}

void explain_threshold(const struct scene *sc, struct page *p, int metric) {
    char text[DERIVATION_TEXT_MAX];
    if (!has_links(p) || !scene_model(sc)->metric[metric].threshold || !derivation_for(sc, metric))
        return;
    derivation_threshold(sc->derivation, text, sizeof(text) - 16);
    if (!text[0] || isnan(sc->frame->at[metric].v))
        return;
    size_t n = strlen(text);
    snprintf(text + n, sizeof(text) - n, ": %s", sc->frame->at[metric].over ? "yes" : "no");
    page_text(p, STYLE_LABEL, 0, NULL, text);
}

void explain_sampling(struct page *p, const char *event) {
    char text[256], name[128];
    if (!has_links(p))
        return;
    snprintf(text, sizeof(text), "perf record -e %s -p PID, then perf annotate",
             model_sample_text(event, name, sizeof(name)));
    page_text(p, STYLE_LABEL, 2, NULL, text);
}
