#include "ui/app/find.h"

#include "ui/app/screen.h"
#include "ui/draw/form.h"
#include "ui/view/funnel.h"
#include "ui/view/metrics_view.h"
#include "ui/view/rows.h"

#include <stddef.h>
#include <string.h>

/* --- which text --- */

static struct rows *rows_in(const struct screen *sc) {
    return screen_state(sc, &view_threads);
}

static struct metrics *metrics_in(const struct screen *sc) {
    return screen_state(sc, &view_metrics);
}

/* The text that "/" asks for. */
static const struct search *asked(const struct screen *sc) {
    return sc->popup == &popup_help          ? &sc->help.find
           : sc->popup == &popup_explain     ? &sc->page_find
           : sc->scene.view == &view_metrics ? &metrics_in(sc)->filter
           : scene_has_rows(&sc->scene)      ? &rows_in(sc)->filter
                                             : &sc->scene.search;
}

struct search *screen_search(struct screen *sc) {
    return (struct search *)(uintptr_t)asked(sc);
}

bool search_is_typed(const struct screen *sc) {
    const bool own = sc->popup == &popup_help || sc->popup == &popup_explain;
    const bool covered = (sc->popup || runs_shown(sc)) && !own;
    return asked(sc)->typing && !covered;
}

void search_end(struct screen *sc) {
    sc->scene.search.typing = rows_in(sc)->filter.typing = sc->page_find.typing = false;
    metrics_in(sc)->filter.typing = sc->help.find.typing = false;
}

void search_settle(struct screen *sc) {
    const bool typed = search_is_typed(sc);
    search_end(sc);
    screen_search(sc)->typing = typed;
}

/* --- what has it --- */

/* In the funnel only what has a block there. */
static bool is_wanted(const struct screen *sc, int metric) {
    return sc->scene.view != &view_funnel || funnel_is_block(scene_model(&sc->scene), metric);
}

/* The first metric from `start` on, in steps round the model, that has the text; or METRIC_NONE. */
static int find(const struct screen *sc, int start, int step) {
    int n = (int)scene_model(&sc->scene)->n_metric;
    for (int i = 0; i < n; i++) {
        int at = ((start + i * step) % n + n) % n;
        size_t from, len;
        if (is_wanted(sc, at) &&
            search_hit(&sc->scene.search, scene_model(&sc->scene)->metric[at].name, &from, &len))
            return at;
    }
    return METRIC_NONE;
}

static void go(struct screen *sc, int start, int step) {
    int hit = find(sc, start, step);
    sc->scene.search.missing = sc->scene.search.text[0] && hit == METRIC_NONE;
    if (hit != METRIC_NONE) {
        outline_go(&sc->scene.tree, hit);
        sc->scene.touched = true;
    }
}

static void look_tree(struct screen *sc) {
    struct search *se = &sc->scene.search;
    if (se->text[0])
        go(sc, se->from < 0 ? 0 : se->from, 1);
    else
        se->missing = false;
}

static void look_rows(struct screen *sc) {
    struct rows *rows = rows_in(sc);
    rows_filter(rows);
    rows->filter.missing = rows->filter.text[0] && rows->n_shown == 0;
}

/* The help is made again with each drawing, which says whether anything was found. */
static void look_help(struct screen *sc) {
    sc->text.top = 0;
}

/* An explanation is found in when it is drawn, too: what is looked for begins where one was. */
static void look_page(struct screen *sc) {
    sc->page_find.seek = sc->page_find.text[0] != '\0';
    sc->page_find.missing = false;
}

/* The text has changed: in the tree its first hit is selected, of all else only hits are left. */
static void look(struct screen *sc) {
    const struct search *se = screen_search(sc);
    if (se == &sc->help.find)
        look_help(sc);
    else if (se == &sc->page_find)
        look_page(sc);
    else if (se == &metrics_in(sc)->filter)
        metrics_look(screen_scene(sc, &view_metrics));
    else if (se == &sc->scene.search)
        look_tree(sc);
    else
        look_rows(sc);
}

void search_begin(struct screen *sc) {
    struct search *se = screen_search(sc);
    *se = (struct search){.typing = true, .from = scene_selected(&sc->scene)};
    if (se == &sc->page_find)
        se->from = sc->text.top;
    if (se != &sc->scene.search)
        look(sc);
}

void search_type(struct screen *sc, uint32_t key) {
    struct search *se = screen_search(sc);
    if (form_end_key(se->text, sizeof(se->text), key))
        look(sc);
}

void search_paste(struct screen *sc, const char *text) {
    struct search *se = screen_search(sc);
    if (form_end_paste(se->text, sizeof(se->text), text))
        look(sc);
}

void search_accept(struct screen *sc) {
    struct search *se = screen_search(sc);
    bool by_name = se == &sc->scene.search || se == &rows_in(sc)->filter;
    se->typing = false;
    if (se->missing)
        screen_say(sc, "nothing has \"%s\"%s", se->text, by_name ? " in its name" : "");
}

bool search_cancel(struct screen *sc) {
    struct search *se = screen_search(sc);
    if (!se->typing && !se->text[0])
        return false;
    bool tree = se == &sc->scene.search;
    if (tree && se->typing && se->from != METRIC_NONE)
        outline_go(&sc->scene.tree, se->from);
    *se = (struct search){.from = METRIC_NONE};
    if (!tree)
        look(sc);
    return true;
}

void search_next(struct screen *sc, int step) {
    if (!sc->scene.search.text[0]) {
        screen_say(sc, "nothing to search for yet: press {search} first");
        return;
    }
    go(sc, scene_selected(&sc->scene) + step, step);
    search_accept(sc);
}
