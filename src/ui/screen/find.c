#include "ui/screen/find.h"

#include "ui/draw/form.h"
#include "ui/screen/screen.h"
#include "ui/view/funnel.h"

#include <stddef.h>
#include <string.h>

/* --- which text --- */

struct search *search_here(const struct screen *sc) {
    struct screen *of = (struct screen *)(uintptr_t)sc;
    const struct view *v = sc->scene.view;
    if (sc->popup && sc->popup->search)
        return sc->popup->search(of);
    return v->search ? v->search(screen_scene(of, v)) : &of->scene.search;
}

bool search_is_typed(const struct screen *sc) {
    const bool covered = sc->popup ? !sc->popup->search : runs_shown(sc);
    return sc->typed && sc->typed == search_here(sc) && !covered;
}

void search_end(struct screen *sc) {
    sc->typed = NULL;
}

void search_settle(struct screen *sc) {
    if (!search_is_typed(sc))
        search_end(sc);
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
        if (is_wanted(sc, at) &&
            search_has(&sc->scene.search, scene_model(&sc->scene)->metric[at].name))
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

/* The text has changed: in the tree its first hit is selected, of all else only hits are left. */
static void look(struct screen *sc) {
    const struct view *v = sc->scene.view;
    if (sc->popup && sc->popup->search)
        sc->popup->look(sc);
    else if (v->search)
        v->look(screen_scene(sc, v));
    else
        look_tree(sc);
}

/* What a filter leaves rows of, or NULL. */
static struct list *list_here(struct screen *sc) {
    const struct view *v = sc->scene.view;
    return !sc->popup && v->search && v->list ? v->list(screen_scene(sc, v)) : NULL;
}

void search_begin(struct screen *sc) {
    struct search *se = search_here(sc);
    *se = (struct search){.from = sc->popup ? sc->text.top : scene_selected(&sc->scene)};
    const struct list *l = list_here(sc);
    if (l) {
        se->row = l->at;
        se->top = l->top;
    }
    sc->typed = se;
    if (se != &sc->scene.search)
        look(sc);
}

void search_type(struct screen *sc, uint32_t key) {
    struct search *se = search_here(sc);
    if (form_end_key(se->text, sizeof(se->text), key))
        look(sc);
}

void search_paste(struct screen *sc, const char *text) {
    struct search *se = search_here(sc);
    if (form_end_paste(se->text, sizeof(se->text), text))
        look(sc);
}

void search_accept(struct screen *sc) {
    const struct search *se = search_here(sc);
    search_end(sc);
    if (se->missing)
        screen_say(sc, "nothing has \"%s\"", se->text);
}

bool search_cancel(struct screen *sc) {
    struct search *se = search_here(sc);
    const bool tree = se == &sc->scene.search, typed = sc->typed == se;
    if (!typed && !se->text[0])
        return false;
    search_end(sc);
    if (tree && typed && se->from != METRIC_NONE)
        outline_go(&sc->scene.tree, se->from);
    const struct search was = *se;
    *se = (struct search){.from = METRIC_NONE};
    if (!tree)
        look(sc);
    struct list *l = list_here(sc);
    if (l && typed) {
        list_select(l, was.row);
        l->top = was.top;
    }
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
