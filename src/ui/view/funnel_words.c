#include "ui/view/funnel_words.h"

#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/funnel.h"

#include <math.h>
#include <stdio.h>

int funnel_path_end(const struct scene *sc) {
    const struct bottleneck *b = sc->frame ? &sc->frame->bottleneck : NULL;
    return b && b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
}

static const char *sign_of(const struct scene *sc, int metric) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (metric == funnel_path_end(sc))
        return "◀ ";
    if (b->tie[0] == metric || b->tie[1] == metric)
        return "≈ ";
    for (int i = 0; i < b->n; i++)
        if (b->at[i] == metric)
            return "▾ ";
    return "";
}

bool funnel_name(const struct scene *sc, int metric, int w, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const char *sign = sign_of(sc, metric);
    char brief[64], word[64];
    words_short(brief, sizeof(brief), mt);
    words_brief(word, sizeof(word), mt);
    const char *const names[] = {words_name(mt), brief, word};
    const int n = mt->level == 1 ? 6 : 4; /* a word alone may mean several of the deeper ones */
    for (int i = 0; i < n; i++) {
        snprintf(buf, cap, "%s%s", i % 2 ? "" : sign, names[i / 2]);
        if (str_width(buf) <= w && (i % 2 == 0 || metric != funnel_path_end(sc)))
            return true;
    }
    str_copy(buf, cap, "");
    return false;
}

const char *funnel_number(const struct scene *sc, int metric, char *buf, size_t cap) {
    return words_cell(buf, cap, &scene_model(sc)->metric[metric], &sc->frame->at[metric]);
}

bool funnel_sums(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    double sum[2] = {0, 0};
    bool has = false;
    for (int i = 0; i < (int)m->n_tree; i++) {
        bool known, useful = words_useful(&m->metric[i], &known);
        if (m->metric[i].level != 1 || !m->metric[i].share || !known)
            continue;
        sum[useful] += sc->frame->at[i].v; /* unknown spreads */
        has |= useful;
    }
    if (!has || (isnan(sum[0]) && isnan(sum[1])))
        return false;
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 1; i >= 0; i--) {
        const char *what = i ? "useful" : "wasted", *mark = i ? "✓" : "✗";
        if (isnan(sum[i]))
            strbuf_add(&sb, "%s   n/a %s", mark, what);
        else
            strbuf_add(&sb, "%s %4.1f%% %s", mark, sum[i] * 100, what);
        strbuf_add(&sb, "%s", i ? "  " : "");
    }
    return true;
}

const char *funnel_neutral(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < (int)m->n_tree; i++) {
        char name[64];
        double v = sc->frame->at[i].v;
        if (m->metric[i].level == 1 && m->metric[i].share && m->metric[i].role == ROLE_NONE &&
            !isnan(v))
            strbuf_add(&sb, "  ╱ %4.1f%% %s", v * 100,
                       words_short(name, sizeof(name), &m->metric[i]));
    }
    return buf;
}

static void add_value(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct model *m = scene_model(sc);
    const struct metric *mt = &m->metric[metric];
    char number[32];
    double err = (double)sc->shown[metric].err;
    strbuf_add(sb, "%s", funnel_number(sc, metric, number, sizeof(number)));
    if (!isnan(err) && !isnan(sc->frame->at[metric].v))
        strbuf_add(sb, " ± %s",
                   words_err(number, sizeof(number), mt, sc->frame->at[metric].v, err));
    const char *of = funnel_unit(m, metric);
    strbuf_add(sb, " of %s", of ? of : m->scope ? m->scope : "slots");
}

static void add_threshold(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    double limit = model_threshold(scene_model(sc), metric);
    char number[32];
    if (isnan(limit)) {
        strbuf_add(sb, "%s",
                   v->near   ? " · about at its threshold"
                   : v->over ? " · over its threshold"
                             : "");
        return;
    }
    strbuf_add(sb, " · threshold %s", words_mark(number, sizeof(number), mt, limit));
    if (isnan(v->v))
        return;
    bool below_parent = !v->over && v->v > limit; /* its parent is below its own */
    strbuf_add(sb, ": %s",
               v->near        ? "about at it"
               : v->over      ? "over it"
               : below_parent ? "over it, but not the node above"
                              : "below it");
}

/* Of its parent, where both are shares of the same. */
static void add_part(const struct scene *sc, int metric, struct strbuf *sb) {
    const struct model *m = scene_model(sc);
    int parent = m->metric[metric].parent;
    if (parent == METRIC_NONE || !funnel_is_slots(m, metric))
        return;
    double part = sc->frame->at[metric].v / sc->frame->at[parent].v;
    if (isfinite(part) && part >= 0 && part <= 1)
        strbuf_add(sb, " · %.0f%% of %s", part * 100, m->metric[parent].name);
}

const char *funnel_detail(const struct scene *sc, int metric, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    add_value(sc, metric, &sb);
    add_threshold(sc, metric, &sb);
    add_part(sc, metric, &sb);
    return buf;
}

const char *funnel_sentence(const struct scene *sc, int metric, char *buf, size_t cap) {
    const struct metric *mt = &scene_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    char why[200] = "", said[256];
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v->v))
        why_text(scene_model(sc), v->why, why, sizeof(why));
    const char *known = explain_summary(&sc->explain, mt->name, said, sizeof(said));
    const char *summary = known ? known : mt->summary;
    strbuf_add(&sb, "%s%s%s", why, why[0] && summary ? " · " : "", summary ? summary : "");
    return buf;
}
