#include "ui/view/explain_page.h"

#include "base/str.h"
#include "model/eval/derivation.h"
#include "model/eval/eval.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain_text.h"
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

/* Why the value is approximate by its very formula, if it is so here. */
static void explain_approximate(const struct scene *sc, struct page *p, int metric) {
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

/* Metric groups and nodes that it leads to, with their values now. */
static void explain_next(const struct scene *sc, struct page *p, int metric) {
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
    snprintf(more, sizeof(more), "and %d more", left);
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

/* Retire latencies in its formulas, and whose they are. */
static void explain_latencies(const struct scene *sc, struct page *p, int metric) {
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

/* Its events as perf takes them. */
static void explain_encodings(const struct scene *sc, struct page *p, int metric) {
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

#include "ui/view/explain_page.h"

#include "base/str.h"
#include "model/eval/derivation.h"
#include "model/eval/eval.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain_text.h"
#include "model/load/model_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

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

/* What is below it in the tree; what is beside it in its group. On pages with links. */
static void explain_parts(const struct scene *sc, struct page *p, int metric) {
    if (has_links(p))
        put_children(sc, p, metric);
}

static void explain_beside(const struct scene *sc, struct page *p, int metric) {
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

/* The formula, and the threshold, with the numbers of the interval for names. On pages with links:
 * elsewhere it would be made anew with every frame. */
static void explain_numbers(const struct scene *sc, struct page *p, int metric) {
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

static void explain_threshold(const struct scene *sc, struct page *p, int metric) {
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

/* How an event is sampled. On pages with links. */
static void explain_sampling(struct page *p, const char *event) {
    char text[256], name[128];
    if (!has_links(p))
        return;
    snprintf(text, sizeof(text), "perf record -e %s -p PID, then perf annotate",
             model_sample_text(event, name, sizeof(name)));
    page_text(p, STYLE_LABEL, 2, NULL, text);
}

#include "ui/view/explain_page.h"

#include "base/str.h"
#include "model/eval/derivation.h"
#include "model/eval/eval.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The count of a slot: "1.23G  61%", or why there is none. */
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

/* Where the verdict is covered, what is over its threshold is what is seen first. */
static void put_reading(const struct scene *sc, struct page *p, int metric, const char *text) {
    const enum style fill = words_fill(scene_model(sc), metric);
    const struct value *v = &sc->frame->at[metric];
    if (v->over && !v->near && has_links(p) && fill != STYLE_TEXT)
        page_band(p, words_sure(fill), text);
    else
        page_text(p, v->over ? STYLE_VALUE : STYLE_POPUP, 0, NULL, text);
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
    const char *unit = metric_share_of(m, mt); /* as beside the tree */
    const char *of = unit || mt->kind != METRIC_TREE || !mt->share ? unit : model_whole(m);
    const char *over = v->near          ? " · about at its threshold"
                       : v->over        ? " · over its threshold"
                       : !mt->threshold ? ""
                       : isnan(v->v)    ? ""
                                        : " · not over its threshold";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    text[0] = '\0';
    if (has_links(p) || isnan(v->v)) /* else the row beside it shows it */
        strbuf_add(&sb, " · %s%s%s%s", v->approx ? "~" : "", number, of ? " of " : "",
                   of ? of : "");
    strbuf_add(&sb, "%s%s%s%s", over, v->split ? " · ÷ " DERIVATION_SPLIT : "", why[0] ? " · " : "",
               why);
    if (text[0])
        put_reading(sc, p, metric, text + strlen(" · "));
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
    p->pid = session_pid(sc->s);
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
