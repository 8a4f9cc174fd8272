#include "ui/view/explain_more.h"

#include "base/str.h"
#include "model/eval/eval.h"
#include "model/eval/needs.h"
#include "model/load/known.h"
#include "model/load/model_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct consts *consts_of(const struct scene *sc) {
    return &sc->s->source.consts;
}

/* --- approximate --- */

/* The value's own reason may be this one: then it stands beside the value. */
static bool is_said(const struct scene *sc, int metric) {
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    return v && v->why.kind == WHY_FALLBACK && v->why.index == metric && v->why.code == 0;
}

void explain_approximate(const struct scene *sc, struct page *p, int metric) {
    const struct model *m = scene_model(sc);
    const struct metric *mt = &m->metric[metric];
    if (known_warning(m, consts_of(sc), mt) != WARNING_SURE || is_said(sc, metric))
        return;
    page_heading(p, "Approximate, because");
    page_text(p, STYLE_POPUP, 0, NULL, mt->approximate);
}

/* --- where to look next --- */

enum { NEXT_MAX = 24 }; /* lines of values: more is a table, and that is beside the tree */

static void next_value(const struct scene *sc, struct page *p, int metric, int indent) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    char name[96], cell[48] = "–";
    snprintf(name, sizeof(name), "%*s%s", indent, "", words_name(mt));
    bool over = sc->frame && sc->frame->at[metric].over;
    if (sc->frame) {
        const struct value *v = &sc->frame->at[metric];
        cell[0] = '\0';
        if (v->approx && !isnan(v->v))
            str_copy(cell, sizeof(cell), "~");
        size_t n = strlen(cell);
        if (v->state == VALUE_STALE && isnan(v->v))
            str_copy(cell, sizeof(cell), "stale");
        else
            words_value(cell + n, sizeof(cell) - n, mt, v->v);
    }
    page_pair(p, p->r.w > 60 ? p->r.w - 24 : p->r.w - 13, over ? STYLE_VALUE : STYLE_POPUP, name,
              over ? STYLE_VALUE : STYLE_POPUP, cell);
}

static int group_size(const struct model *m, const char *group, int but) {
    int n = 0;
    for (int i = 0; i < (int)m->n_metric; i++)
        n += i != but && model_in_group(&m->metric[i], group);
    return n;
}

static int next_group(const struct scene *sc, struct page *p, const char *group, int from,
                      int room) {
    const struct model *m = scene_model(sc);
    int shown = 0;
    page_text(p, STYLE_VALUE, 0, NULL, group);
    for (int i = 0; i < (int)m->n_metric && shown < room; i++)
        if (i != from && model_in_group(&m->metric[i], group)) {
            next_value(sc, p, i, 2);
            shown++;
        }
    return shown;
}

void explain_next(const struct scene *sc, struct page *p, int metric) {
    const struct model *m = scene_model(sc);
    const char **next = m->metric[metric].next;
    int room = NEXT_MAX, left = 0;
    if (!next || !next[0])
        return;
    page_heading(p, "Look next at");
    for (int i = 0; next[i]; i++) {
        int size = group_size(m, next[i], metric), node = model_find(m, next[i]);
        if (size > 0) {
            int shown = room > 0 ? next_group(sc, p, next[i], metric, room) : 0;
            room -= shown;
            left += size - shown;
        } else if (node != METRIC_NONE) {
            next_value(sc, p, node, 0);
            room--;
        }
    }
    char more[64];
    snprintf(more, sizeof(more), "and %d more beside the tree", left);
    if (left > 0)
        page_text(p, STYLE_LABEL, 0, NULL, more);
}

/* --- retire latencies --- */

enum { LATENCIES_SHOWN = 16 };

struct latencies {
    const struct scene *sc;
    int at[LATENCIES_SHOWN]; /* indexes of model latencies */
    int n;
};

static void note_latency(const struct ast *leaf, void *user) {
    struct latencies *l = user;
    if (leaf->op != AST_CONST || leaf->index < CONST_N)
        return;
    int index = leaf->index - CONST_N;
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == index)
            return;
    if (l->n < LATENCIES_SHOWN)
        l->at[l->n++] = index;
}

/* Those of a metric's own formula and of all it names: the walk that found its events. */
static void find_latencies(const struct scene *sc, int metric, struct latencies *l) {
    struct needs *nd = sc->needs;
    needs_find(nd, scene_model(sc), &sc->s->source.layout, &sc->s->eval, metric);
    for (uint32_t i = 0; i < nd->n_todo; i++) {
        const struct ast *used = eval_bound(&sc->s->eval, nd->todo[i]).formula;
        if (used)
            expr_leaves(used, note_latency, l);
    }
}

static void latency_words(const struct scene *sc, const struct latency *la, char *buf, size_t cap) {
    const struct latency_setting *own = known_latency_setting(consts_of(sc), la->event);
    if (own)
        snprintf(buf, cap, "%.4g cycles, as --const says", own->cycles);
    else if (isnan(la->cycles))
        str_copy(buf, cap, "not known: a fixed cost is used");
    else
        snprintf(buf, cap, "%.4g cycles, %s", la->cycles,
                 la->own ? "as your metrics say" : "the vendor's average");
}

void explain_latencies(const struct scene *sc, struct page *p, int metric) {
    struct latencies l = {.sc = sc};
    if (!sc->needs->at)
        return; /* not connected yet */
    find_latencies(sc, metric, &l);
    if (l.n == 0)
        return;
    page_heading(p, "Retire latencies");
    for (int i = 0; i < l.n; i++) {
        const struct latency *la = &scene_model(sc)->latency[l.at[i]];
        char words[96];
        latency_words(sc, la, words, sizeof(words));
        page_pair(p, p->r.w / 2, STYLE_POPUP, la->event, STYLE_POPUP, words);
    }
}

/* --- encodings --- */

void explain_encodings(const struct scene *sc, struct page *p, int metric) {
    const struct model *m = scene_model(sc);
    struct needs *nd = sc->needs;
    if (!nd->at)
        return;
    needs_find(nd, m, &sc->s->source.layout, &sc->s->eval, metric);
    bool any = false;
    for (uint32_t i = 0; i < nd->n; i++) {
        const struct event *e = &m->event[nd->at[i].event];
        char text[256];
        if (!model_event_text(m, e, text, sizeof(text))[0])
            continue;
        if (!any)
            page_heading(p, "Events, as perf stat -e takes them");
        any = true;
        bool fits = str_width(text) <= p->r.w - p->r.w / 2 && str_width(e->name) < p->r.w / 2;
        page_pair(p, p->r.w / 2, STYLE_POPUP, e->name, STYLE_LABEL, fits ? text : "");
        if (!fits) /* whole, or it is of no use */
            page_text(p, STYLE_LABEL, 2, NULL, text);
    }
}

/* --- the model --- */

void explain_limits(const struct scene *sc, struct page *p) {
    const struct model *m = scene_model(sc);
    char heading[128];
    if (!m->limits || !m->limits[0])
        return;
    snprintf(heading, sizeof(heading), EXPLAIN_LIMITS, m->name);
    page_heading(p, heading);
    page_text(p, STYLE_POPUP, 0, NULL, m->limits);
}
