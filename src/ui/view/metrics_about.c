/* What is said of the selected metric, or of the group whose heading is. */
#include "ui/view/metrics_about.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_page.h"
#include "ui/view/metrics_line.h"
#include "ui/view/metrics_view.h"

#include <math.h>
#include <stdio.h>

static void draw_rule(struct canvas *c, struct rect r, enum style st, const char *name) {
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    int w = widget_text(c, r, r.x + 3, r.y, r.w - 6, st, name);
    canvas_put(c, r, r.x + 2, r.y, STYLE_BORDER, ' ');
    canvas_put(c, r, r.x + 3 + w, r.y, STYLE_BORDER, ' ');
}

/* Every metric that has its place in the group: a closed one shows none of them. */
static void group_names(const struct metrics *mt, int group, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    bool first = true;
    for (int i = 0; i < (int)mt->model->n_metric; i++)
        if (mt->home[i] == group) {
            strbuf_add(&sb, "%s%s", first ? "" : ", ", words_name(&mt->model->metric[i]));
            first = false;
        }
}

/* How much of what stands below a heading has a value now. */
static void add_known(const struct scene *sc, struct page *p, int group) {
    const struct metrics *mt = metrics_of(sc);
    char text[160];
    int n = 0, known = 0;
    for (int i = 0; i < (int)mt->model->n_metric; i++)
        if (mt->home[i] == group) {
            n++;
            known += sc->frame && !isnan(sc->frame->at[i].v);
        }
    snprintf(text, sizeof(text), "%d of its %d metrics have a value now%s", known, n,
             known < n && metrics_is_asked(sc) ? "; what is on the screen is asked for" : "");
    page_text(p, STYLE_TEXT, 0, NULL, text);
}

/* The same places for a heading: what the group is about and what is in it. */
static void draw_group(const struct scene *sc, struct page *p) {
    const struct metrics *mt = metrics_of(sc);
    if (mt->selected < 0 || mt->selected >= mt->n_row)
        return;
    const struct metrics_row *row = &mt->row[mt->selected];
    char text[2048];
    if (row->group < 0) {
        snprintf(text, sizeof(text), "%d metrics that can be compared with each other", row->n);
        page_text(p, STYLE_LABEL, 0, NULL, text);
        return;
    }
    add_known(sc, p, row->group);
    group_names(mt, row->group, text, sizeof(text));
    page_text(p, STYLE_LABEL, 0, NULL, text);
}

/* "Mem: memory, as the core sees it" */
static const char *heading_words(const struct metrics *mt, char *buf, size_t cap) {
    if (mt->selected < 0 || mt->selected >= mt->n_row || !mt->row[mt->selected].heading)
        return "";
    const struct metrics_row *row = &mt->row[mt->selected];
    const char *words = row->group >= 0 ? mt->group[row->group].words : NULL;
    snprintf(buf, cap, "%s%s%s", row->heading, words ? ": " : "", words ? words : "");
    return buf;
}

static void draw_about_group(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[160];
    const char *title = heading_words(metrics_of(sc), text, sizeof(text));
    if (!title[0]) {
        widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
        return;
    }
    draw_rule(c, r, STYLE_TITLE, title);
    struct page p = page_on(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 1}, 0);
    draw_group(sc, &p);
}

/* What it is, then why it is not known, or what it is derived from. */
void metrics_draw_about(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct metrics *mt = metrics_of(sc);
    int metric = metrics_metric(mt);
    if (metric == METRIC_NONE) {
        draw_about_group(sc, c, r);
        return;
    }
    const struct metric *x = &scene_model(sc)->metric[metric];
    const struct value *v = sc->frame ? &sc->frame->at[metric] : NULL;
    draw_rule(c, r, words_hue(scene_model(sc), metric), x->name);
    struct page p = page_on(c, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 1}, 0);
    char text[480];
    if (metrics_summary(mt, metric, text, sizeof(text))[0])
        page_text(&p, STYLE_TEXT, 0, NULL, text);
    if (v && isnan(v->v) && v->state != VALUE_STALE) {
        metrics_reason(sc, v, false, text, sizeof(text));
        page_text(&p, STYLE_WARN, 0, NULL, text);
    }
    if (x->groups) {
        snprintf(text, sizeof(text), "groups: %s", x->groups);
        page_text(&p, STYLE_LABEL, 0, NULL, text);
    }
    if (x->formula)
        page_text(&p, STYLE_DIM, 0, NULL, x->formula);
}

void metrics_draw_side(const struct scene *sc, struct canvas *c, struct rect r) {
    for (int y = 0; y < r.h; y++)
        canvas_put(c, r, r.x, r.y + y, STYLE_BORDER, 0x2502);
    int metric = metrics_metric(metrics_of(sc));
    struct rect inner = {r.x + 2, r.y + 1, r.w - 3, r.h - 1};
    if (metric == METRIC_NONE) {
        char text[160];
        widget_text(c, r, inner.x, r.y, inner.w, STYLE_TITLE,
                    heading_words(metrics_of(sc), text, sizeof(text)));
        struct page group = page_on(c, inner, 0);
        page_blank(&group);
        draw_group(sc, &group);
        return;
    }
    widget_text(c, r, inner.x, r.y, inner.w, words_hue(scene_model(sc), metric),
                scene_model(sc)->metric[metric].name);
    struct page p = page_on(c, inner, 0);
    explain_page(sc, &p, metric);
    if (p.line <= inner.h)
        return;
    char text[32];
    snprintf(text, sizeof(text), " %d more: e ", p.line - inner.h + 1);
    canvas_fill(c, (struct rect){inner.x, r.y + r.h - 1, inner.w, 1}, STYLE_TEXT, ' ');
    widget_right(c, inner, inner.x, r.y + r.h - 1, inner.w, STYLE_LABEL, text);
}
