#include "ui/screen/types.h"

#include "base/str.h"
#include "model/knowledge/advice.h"
#include "ui/screen/borders.h"
#include "ui/screen/find.h"
#include "ui/screen/screen.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int types_add(struct types *t, struct session *s, const struct types_options *opt,
              struct err *err) {
    struct screen *sc = calloc(1, sizeof(*sc));
    if (!sc)
        return err_set(err, -ENOMEM, "screen: out of memory");
    int rc = screen_init(sc, s, opt->level, err);
    if (rc == 0 && opt->advice && opt->advice[0] && strcmp(opt->advice, ADVICE_DEFAULT) != 0)
        rc = sentence_load(&sc->scene.sentence, opt->advice, err);
    if (rc == 0 && opt->layout)
        rc = borders_parse(opt->layout, &sc->splits, err);
    sc->scene.focus = (enum focus_mode)opt->focus;
    sc->scene.type = t->n;
    sc->scene.active = t->n == t->active;
    sc->types = t;
    sc->snapshot = opt->snapshots;
    sc->runs = opt->runs;
    sc->settings = opt->settings;
    t->at[t->n++] = sc;
    for (int i = 0; i < t->n; i++)
        t->at[i]->scene.n_types = t->n;
    return rc;
}

void types_destroy(struct types *t) {
    for (int i = 0; i < t->n; i++) {
        screen_destroy(t->at[i]);
        free(t->at[i]);
    }
    t->n = 0;
}

void types_layout(struct screen *sc, int w, int h) {
    if (!types_many(sc->types))
        return;
    sc->scene.beside =
        layout_beside(w, h, sc->types->n, sc->scene.type, &sc->splits, &sc->panes[LAYOUT_TREE]);
    if (!sc->scene.beside)
        layout_strip(&sc->panes[LAYOUT_TREE], sc->types->n - 1);
    layout_strip(&sc->panes[LAYOUT_ROWS], sc->types->n - 1);
    layout_strip(&sc->panes[LAYOUT_LIST], sc->types->n - 1);
}

int types_all(struct screen *sc, struct screen **out) {
    const bool many = types_many(sc->types) && !sc->opened;
    const int n = many ? sc->types->n : 1;
    for (int i = 0; i < n; i++)
        out[i] = many ? sc->types->at[i] : sc;
    return n;
}

/* The one that is left keeps its tree, but has nothing on top of it, and no rows. */
static void hand_over(struct screen *from, struct screen *to) {
    const struct view *view = from->scene.view;
    to->popup = from->popup;
    list_reset(&to->text);
    to->scene.cost = from->scene.cost;
    to->message[0] = '\0';
    from->popup = NULL;
    search_end(from);
    if (view != &view_tree)
        screen_view(from, &view_tree);
    if (view != to->scene.view)
        screen_view(to, view);
}

void types_switch(struct screen *sc, int by) {
    struct types *t = sc->types;
    if (!types_many(t))
        return;
    int next = (t->active + by + t->n) % t->n;
    if (next == t->active)
        return;
    hand_over(t->at[t->active], t->at[next]);
    t->at[t->active]->scene.active = false;
    t->at[next]->scene.active = true;
    t->active = next;
}

static bool holds(struct rect r, const struct mouse *m) {
    return m->x >= r.x && m->x < r.x + r.w && m->y >= r.y && m->y < r.y + r.h;
}

struct screen *types_under(struct screen *sc, const struct mouse *m) {
    static const enum pane own[] = {PANE_TYPE, PANE_CLOCK, PANE_FUNNEL, PANE_VERDICT,
                                    PANE_TREE, PANE_STACK, PANE_PLOT};
    for (int i = 0; scene_is_beside(&sc->scene) && i < sc->types->n; i++)
        for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++)
            if (holds(sc->types->at[i]->panes[LAYOUT_TREE].at[own[k]], m))
                return sc->types->at[i];
    return sc;
}

static void follow(const struct screen *sc, struct screen *to) {
    struct session *s = to->scene.s;
    if (to->scene.frozen != sc->scene.frozen)
        screen_freeze(to);
    if (s->control.interval_ns != sc->scene.s->control.interval_ns && s->state == STREAM_LIVE)
        session_request(s, sc->scene.s->control.interval_ns, to->scene.frozen);
    if (to->scene.focus != sc->scene.focus) {
        to->scene.focus = sc->scene.focus;
        to->focus_policy.asked = 0;
        focus_policy_tell(to);
    }
    to->scene.split = sc->scene.split;
}

void types_follow(struct screen *sc) {
    if (!types_many(sc->types) || !sc->scene.active)
        return;
    for (int i = 0; i < sc->types->n; i++)
        if (sc->types->at[i] != sc && sc->types->at[i]->scene.connected)
            follow(sc, sc->types->at[i]);
}
