/*
 * Every metric beside the tree: groups, and what can be said of each in one line. What is on the
 * screen is asked for (focus_policy.c), so opening the view makes it measured; what is not known
 * says why, and what would measure it. "!" stands at what is over its threshold.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/term/canvas.h"
#include "ui/view/explain_page.h"
#include "ui/view/metrics_line.h"
#include "ui/view/metrics_view.h"

#include <math.h>
#include <stdio.h>

/* ---- what is said of the selected one ---- */

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
    if (mt->list.n == 0)
        return;
    const struct metrics_row *row = &mt->row[mt->list.at];
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
    if (mt->list.n == 0 || !mt->row[mt->list.at].heading)
        return "";
    const struct metrics_row *row = &mt->row[mt->list.at];
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
/* In a few lines below the list. */
static void metrics_draw_about(const struct scene *sc, struct canvas *c, struct rect r) {
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

/* In full beside it, behind a line. */
static void metrics_draw_side(const struct scene *sc, struct canvas *c, struct rect r) {
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

/* ---- the list ---- */

enum {
    SIDE_FROM_W = 150, /* the selected one is explained beside the list */
    SIDE_PERCENT = 36,
    SIDE_MAX_W = 78,
    ABOUT_FROM_H = 12, /* else a few lines below it say what it is */
};

/* The room of the list, of what explains the selected one beside it, and of the lines below. */
struct places {
    struct rect list, side, about;
};

static struct places places_in(struct rect r) {
    struct places p = {.list = r};
    if (r.w >= SIDE_FROM_W && r.h >= 6) {
        int w = r.w * SIDE_PERCENT / 100 < SIDE_MAX_W ? r.w * SIDE_PERCENT / 100 : SIDE_MAX_W;
        p.side = (struct rect){r.x + r.w - w, r.y, w, r.h};
        p.list.w -= w + 1;
    } else if (r.h >= ABOUT_FROM_H) {
        int h = r.h >= 24 ? 5 : 4;
        p.about = (struct rect){r.x, r.y + r.h - h, r.w, h};
        p.list.h -= h;
    }
    return p;
}

/* --- the list --- */

/* "36 of 182 with \"l2\"  ↑4 ↓10" */
static void draw_count(const struct metrics *mt, struct canvas *c, struct rect r, int w) {
    char text[160], more[48];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (mt->filter.text[0])
        strbuf_add(&sb, "%d with \"%s\"", mt->n_hit, mt->filter.text);
    else
        strbuf_add(&sb, w >= 28 ? "%d metrics by %s" : "%d by %s", mt->n_hit,
                   metrics_order_word(mt->order));
    strbuf_add(&sb, "%s", list_more(&mt->list, more, sizeof(more)));
    widget_text(c, r, r.x + 1, r.y, w - 1, STYLE_LABEL, text);
}

/* Below the heading, where there is room for one. */
static struct rect rows_in(struct rect list) {
    const int heading = list.h >= 3 ? 1 : 0;
    return (struct rect){list.x, list.y + heading, list.w, list.h - heading};
}

static void draw_list(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct metrics *mt = metrics_of(sc);
    struct metrics_cols k = metrics_cols_for(r.w - 1); /* the last column stays blank */
    const int heading = r.h - rows_in(r).h;
    char words[96];
    struct rect first = {r.x, r.y, r.w, 1};
    if (heading) {
        draw_count(mt, c, first, k.name);
        metrics_draw_columns(sc, c, first, &k);
    }
    struct rect line;
    for (int i = 0, at; list_line(&mt->list, rows_in(r), i, &line, &at); i++) {
        metrics_draw_row(sc, c, line, &k, &mt->row[at]);
        if (at == mt->list.at)
            list_mark(c, line, r.x);
    }
    if (mt->list.n == 0 && r.h > heading)
        widget_text(c, r, r.x + 1, r.y + heading, r.w - 1, STYLE_LABEL,
                    keys_in_words(mt->filter.text[0]
                                      ? "nothing has that in its name, group or words: {back}"
                                      : "this model has no metrics beside its tree: {metrics-tree} "
                                        "shows that",
                                  words, sizeof(words)));
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    if (!metrics_of(sc)->model) {
        widget_text(c, r, r.x + 1, r.y, r.w - 1, STYLE_LABEL, "opening counters ...");
        return;
    }
    struct places p = places_in(r);
    draw_list(sc, c, p.list);
    if (p.side.w > 0)
        metrics_draw_side(sc, c, p.side);
    if (p.about.h > 0)
        metrics_draw_about(sc, c, p.about);
}

static void prepare(struct scene *sc, struct rect r) {
    if (!metrics_of(sc)->model && sc->connected)
        metrics_enter(sc);
    if (!metrics_of(sc)->model)
        return;
    metrics_follow(metrics_of(sc), sc->frame);
    metrics_fit(metrics_of(sc), rows_in(places_in(r).list).h);
    if (places_in(r).side.w > 0)
        explain_page_read(sc, metrics_metric(metrics_of(sc)));
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct metrics *mt = metrics_of(sc);
    if (mt->model && list_mouse(&mt->list, rows_in(places_in(r).list), m) == LIST_DOUBLE)
        action_metrics_enter(sc);
}

static void destroy(void *state) {
    metrics_destroy(state);
}

/* Its rows are made when it is entered. */
static int attach(struct scene *sc) {
    metrics_destroy(metrics_of(sc));
    return 0;
}

const struct view view_metrics = {
    .id = "metrics",
    .name = "Metrics",
    .digit = '6',
    .context = IN_METRICS,
    .layout = LAYOUT_MAIN,
    .about = "Every metric beside the tree. What is on the screen is counted as long as it "
             "is; what is not known says why, and what would measure it.",
    .past = true,
    .state_size = sizeof(struct metrics),
    .attach = attach,
    .destroy = destroy,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .twice = true,
    .enter = metrics_enter,
    .list = metrics_list};
