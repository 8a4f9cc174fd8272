/*
 * Every metric beside the tree: groups, and what can be said of each in one line. What is on the
 * screen is asked for (attention.c), so opening the view makes it measured; what is not known says
 * why, and what would measure it. "!" stands at what is over its threshold.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_page.h"
#include "ui/view/metrics_about.h"
#include "ui/view/metrics_line.h"
#include "ui/view/metrics_view.h"

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
static void draw_count(const struct metrics *mt, struct canvas *c, struct rect r, int w, int h) {
    char text[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    int below = mt->n_row - mt->top - h;
    if (mt->filter.text[0])
        strbuf_add(&sb, "%d with \"%s\"", mt->n_hit, mt->filter.text);
    else
        strbuf_add(&sb, w >= 28 ? "%d metrics by %s" : "%d by %s", mt->n_hit,
                   metrics_order_word(mt->order));
    if (mt->top > 0)
        strbuf_add(&sb, " ↑%d", mt->top);
    if (below > 0)
        strbuf_add(&sb, " ↓%d", below);
    widget_text(c, r, r.x + 1, r.y, w - 1, STYLE_LABEL, text);
}

static void draw_list(const struct scene *sc, struct canvas *c, struct rect r) {
    struct metrics *mt = metrics_of(sc);
    struct metrics_cols k = metrics_cols_for(r.w - 1); /* the last column stays blank */
    int heading = r.h >= 3 ? 1 : 0;
    char words[96];
    struct rect first = {r.x, r.y, r.w, 1};
    metrics_scroll(mt, r.h - heading);
    if (heading) {
        draw_count(mt, c, first, k.name, r.h - 1);
        metrics_draw_columns(sc, c, first, &k);
    }
    for (int i = 0; i < r.h - heading && mt->top + i < mt->n_row; i++) {
        struct rect line = {r.x, r.y + heading + i, r.w, 1};
        metrics_draw_row(sc, c, line, &k, &mt->row[mt->top + i]);
        if (mt->top + i == mt->selected) {
            canvas_select(c, line);
            canvas_put(c, line, r.x, line.y, STYLE_SELECTED, 0x203a); /* some grounds are faint */
        }
    }
    if (mt->n_row == 0 && r.h > heading)
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
    if (places_in(r).side.w > 0)
        explain_page_read(sc, metrics_metric(metrics_of(sc)));
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct metrics *mt = metrics_of(sc);
    if (!mt->model)
        return;
    struct rect list = places_in(r).list;
    int heading = list.h >= 3 ? 1 : 0, row = mt->top + m->y - list.y - heading;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        metrics_move(mt, m->what == MOUSE_WHEEL_UP ? -3 : 3);
        return;
    }
    if (m->y < list.y + heading || m->y >= list.y + list.h || m->x >= list.x + list.w ||
        row >= mt->n_row)
        return;
    metrics_select(mt, row);
    if (m->what == MOUSE_DOUBLE)
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
    .move = metrics_go_by,
    .end = metrics_end,
    .page = metrics_page};
