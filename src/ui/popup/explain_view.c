#include "ui/popup/explain_view.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"
#include "ui/scene/app.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/view/explain_page.h"

#include <stdio.h>

struct explanation *explanation_of(const struct screen *sc) {
    return screen_popup(sc, &popup_explain);
}

void explain_want(const struct screen *sc, bool *wanted) {
    links_want(&explanation_of(sc)->links, wanted);
}

/* Opens one of the two on a metric. */
static void explain_open(struct screen *sc, const struct overlay *popup, int metric) {
    links_begin(&explanation_of(sc)->links, metric);
    explanation_of(sc)->find = (struct search){.from = 0};
    screen_open(sc, popup);
}

int explain_metric(const struct screen *sc) {
    return explanation_of(sc)->links.metric;
}

/* The same key closes it; from one of the two to the other it stays with the metric. */
static void open_or_close(struct screen *sc, const struct overlay *popup,
                          const struct overlay *other) {
    if (sc->popup == popup) {
        sc->popup = NULL;
    } else if (sc->popup == other) {
        screen_open(sc, popup);
        explanation_of(sc)->links.chosen = -1;
    } else if (scene_selected(&sc->scene) != METRIC_NONE) {
        explain_open(sc, popup, scene_selected(&sc->scene));
    } else {
        screen_say(sc, "no node is selected: {down} goes to one");
    }
}

void action_explain(struct screen *sc) {
    open_or_close(sc, &popup_explain, &popup_value);
}

void action_value(struct screen *sc) {
    open_or_close(sc, &popup_value, &popup_explain);
}

void action_find_next(struct screen *sc) {
    struct search *find = &explanation_of(sc)->find;
    if (!find->text[0]) {
        screen_say(sc, "nothing to search for yet: press {search} first");
        return;
    }
    find->from++;
    find->seek = true;
}

void action_link(struct screen *sc, int by) {
    sc->text.top =
        links_step(&explanation_of(sc)->links, by, sc->text.top, explanation_of(sc)->links.r.h);
    if (explanation_of(sc)->links.n == 0)
        screen_say(sc, "no other metric is named here");
}

void action_link_follow(struct screen *sc) {
    int to = links_chosen(&explanation_of(sc)->links);
    if (to == METRIC_NONE) {
        screen_open(sc, NULL);
        return;
    }
    links_follow(&explanation_of(sc)->links, to, sc->text.top);
    sc->text.top = 0;
}

void action_link_back(struct screen *sc) {
    int scroll = links_return(&explanation_of(sc)->links);
    if (scroll >= 0)
        sc->text.top = scroll;
    else
        screen_say(sc, "this is the first page: {close} closes");
}

/* ---- drawing ---- */

enum { WIDTH = 92, EDGE_RIGHT_W = 16 };

/* To the line that has what is looked for, round the end. */
static void scroll_to_hit(struct screen *sc, const struct page *p) {
    struct search *find = &explanation_of(sc)->find;
    const int to = p->hit >= 0 ? p->hit : p->first;
    if (!find->seek)
        return;
    find->seek = false;
    find->missing = to < 0;
    if (to >= 0)
        find->from = sc->text.top = to;
}

static void prepare(struct screen *sc, struct rect r) {
    (void)r;
    explain_page_read(&sc->scene, explain_metric(sc));
}

/* Lines that the page will take: the same page, with no place to be drawn. */
static int height(struct screen *sc, struct canvas *c, int w, int metric) {
    struct page p = page_on(c, (struct rect){0, 0, w, 0}, 0);
    p.match = explanation_of(sc)->find.text;
    p.seek = explanation_of(sc)->find.from;
    links_on(&explanation_of(sc)->links, scene_model(&sc->scene), &p);
    explain_page(&sc->scene, &p, metric);
    scroll_to_hit(sc, &p);
    return p.line;
}

/* On the frame, where there is one: "Enter DRAM_Bound · Backspace L3_Bound". */
static void draw_edge(struct screen *sc, const struct page *p) {
    const struct links *l = &explanation_of(sc)->links;
    const struct metric *m = scene_model(&sc->scene)->metric;
    int to = links_chosen(l), room = p->r.w - EDGE_RIGHT_W;
    char text[512], key[24];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (to != METRIC_NONE)
        strbuf_add(&sb, " %s → %s ", keys_name_of("link-follow", key, sizeof(key)), m[to].name);
    if (l->n_back > 0)
        strbuf_add(&sb, " %s ← %s ", keys_name_of("link-back", key, sizeof(key)),
                   m[l->back[l->n_back - 1].metric].name);
    if (to == METRIC_NONE && l->n_back == 0 && l->n > 0)
        strbuf_add(&sb, " %s: %d links ", keys_name_of("link-next", key, sizeof(key)), l->n);
    struct rect edge = {p->r.x, p->r.y + p->r.h, p->r.w, 1};
    if (p->framed && sb.n > 0)
        widget_text(p->c, edge, edge.x, edge.y, room, STYLE_KEY_TEXT, text);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int metric = explain_metric(sc);
    if (metric == METRIC_NONE)
        return;
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4, h = height(sc, c, w, metric);
    sc->text.n = h;
    list_fit(&sc->text, r.h >= 8 ? r.h - 2 : r.h);
    struct page p = popup_begin(sc, c, r, w, h, scene_model(&sc->scene)->metric[metric].name);
    p.match = explanation_of(sc)->find.text;
    links_on(&explanation_of(sc)->links, scene_model(&sc->scene), &p);
    explain_page(&sc->scene, &p, metric);
    popup_end(sc, &p);
    draw_edge(sc, &p);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct rect at = explanation_of(sc)->links.r;
    int to = METRIC_NONE;
    if (m->what == MOUSE_PRESS && m->y >= at.y && m->y < at.y + at.h)
        to = links_at(&explanation_of(sc)->links, m->x - at.x, m->y - at.y + sc->text.top);
    if (to == METRIC_NONE) {
        popup_mouse(sc, r, m);
        return;
    }
    links_follow(&explanation_of(sc)->links, to, sc->text.top);
    sc->text.top = 0;
}

static struct search *search(struct screen *sc) {
    return &explanation_of(sc)->find;
}

/* It is found when it is drawn; what is looked for begins where one was. */
static void look(struct screen *sc) {
    struct search *find = search(sc);
    find->seek = find->text[0] != '\0';
    find->missing = false;
}

const struct overlay popup_explain = {.name = "explain",
                                      .context = IN_EXPLAIN,
                                      .state_size = sizeof(struct explanation),
                                      .prepare = prepare,
                                      .draw = draw,
                                      .mouse = mouse,
                                      .search = search,
                                      .look = look,
                                      .want = explain_want};

/* --- what views ask for (ui/scene/app.h) --- */

void app_explain(struct scene *sc, int metric) {
    explain_open(screen_of(sc), &popup_explain, metric);
}

void app_value(struct scene *sc, int metric) {
    explain_open(screen_of(sc), &popup_value, metric);
}
