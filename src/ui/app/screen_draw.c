/* What is drawn where, and what the mouse does there. */
#include "base/str.h"
#include "ui/app/borders.h"
#include "ui/app/screen_impl.h"
#include "ui/app/views.h"

#include <stdio.h>

/* Which view is drawn in which pane. */
static const struct view_ops *const pane_view[PANE_N] = {
    [PANE_HEADER] = &view_header, [PANE_FUNNEL] = &view_funnel, [PANE_VITALS] = &view_vitals,
    [PANE_TREE] = &view_tree,     [PANE_STACK] = &view_stack,   [PANE_PLOT] = &view_plot,
    [PANE_SIDE] = &view_side,     [PANE_KEYS] = &view_keyline,  [PANE_TYPE] = &view_type,
    [PANE_STRIP] = &view_strip,   [PANE_TABS] = &view_tabs,     [PANE_ADVICE] = &view_advice,
    [PANE_CLOCK] = &view_clock,
};

static const struct view_ops *view_in(const struct screen *sc, int pane) {
    bool own = pane == PANE_ROWS || pane == PANE_MAIN;
    return own ? views_row(sc->view)->ops : pane_view[pane];
}

static const struct panes *panes_of(const struct screen *sc) {
    const struct panes *by[] = {[LAYOUT_TREE] = &sc->panes,
                                [LAYOUT_ROWS] = &sc->row_panes,
                                [LAYOUT_LIST] = &sc->list_panes,
                                [LAYOUT_MAIN] = &sc->main_panes,
                                [LAYOUT_WHOLE] = &sc->whole_panes};
    return by[views_layout(sc, views_row(sc->view))];
}

static void draw_too_small(struct screen *sc) {
    struct canvas *c = &sc->canvas;
    char text[3][64];
    snprintf(text[0], sizeof(text[0]), "tdtop needs %dx%d; this is %dx%d", SCREEN_MIN_W,
             SCREEN_MIN_H, c->w, c->h);
    snprintf(text[1], sizeof(text[1]), "needs %dx%d", SCREEN_MIN_W, SCREEN_MIN_H);
    snprintf(text[2], sizeof(text[2]), "%dx%d", SCREEN_MIN_W, SCREEN_MIN_H);
    int pick = 0;
    while (pick < 2 && str_width(text[pick]) > c->w)
        pick++;
    int y = 0;
    if (sc->s->source.simulated) {
        canvas_text(c, canvas_rect(c), 0, y, STYLE_SIMULATED, c->w < 9 ? "SIM" : "SIMULATED");
        y++;
    }
    canvas_text(c, canvas_rect(c), 0, y, STYLE_WARN, text[pick]);
}

/* A popup leaves the header and the key line to be seen. */
static struct rect popup_room(const struct screen *sc) {
    int top = sc->panes.at[PANE_HEADER].h;
    struct rect r = {0, top, sc->canvas.w, sc->canvas.h - top - 1};
    return r;
}

/* What there is once, however many core types there are beside each other. */
static bool is_shared(int pane) {
    return pane == PANE_HEADER || pane == PANE_TABS || pane == PANE_ADVICE || pane == PANE_KEYS;
}

/* Of one that is beside the active one all but what is shared. */
static void draw_panes(struct screen *sc, struct canvas *c) {
    const struct rect *at = panes_of(sc)->at;
    bool shared = !types_active(sc);
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0 && !(shared && is_shared(i)))
            view_in(sc, i)->draw(sc, c, at[i]);
}

static struct rect runs_room(const struct screen *sc) {
    return sc->whole_panes.at[PANE_MAIN];
}

static const struct view_ops *runs_in(const struct screen *sc) {
    return sc->runs->mode == RUNS_TREND ? &view_runs_trend : &view_runs;
}

static void draw_runs(struct screen *sc, struct canvas *c) {
    const struct rect *at = sc->main_panes.at;
    if (!runs_alone(sc))
        view_header.draw(sc, c, at[PANE_HEADER]);
    if (!runs_alone(sc) && at[PANE_TABS].h > 0)
        view_tabs.draw(sc, c, at[PANE_TABS]);
    runs_in(sc)->draw(sc, c, runs_room(sc));
    view_keyline.draw(sc, c, sc->panes.at[PANE_KEYS]);
}

static void draw_main(struct screen *sc, struct canvas *c) {
    if (runs_shown(sc)) {
        draw_runs(sc, c);
        return;
    }
    draw_panes(sc, c);
    for (int i = 0; types_beside(sc) && i < sc->types->n; i++)
        if (i != sc->type)
            draw_panes(sc->types->at[i], c);
}

static void prepare(const struct view_ops *view, struct screen *sc, struct rect r) {
    if (view->prepare)
        view->prepare(sc, r);
}

static void prepare_panes(struct screen *sc) {
    const struct rect *at = panes_of(sc)->at;
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0)
            prepare(view_in(sc, i), sc, at[i]);
}

void screen_prepare(struct screen *sc) {
    if (sc->panes.too_small)
        return;
    if (runs_shown(sc))
        prepare(runs_in(sc), sc, runs_room(sc));
    else
        prepare_panes(sc);
    for (int i = 0; !runs_shown(sc) && types_beside(sc) && i < sc->types->n; i++)
        if (i != sc->type)
            prepare_panes(sc->types->at[i]);
    if (sc->popup)
        prepare(sc->popup, sc, popup_room(sc));
}

void screen_draw(struct screen *sc) {
    struct canvas *c = &sc->canvas;
    screen_prepare(sc);
    canvas_clear(c);
    if (sc->panes.too_small) {
        draw_too_small(sc);
        return;
    }
    draw_main(sc, c);
    if (sc->popup) {
        if (!sc->popup->bright)
            canvas_fade(c, popup_room(sc));
        sc->popup->draw(sc, c, popup_room(sc));
    }
}

/* --- the mouse --- */

static bool inside(struct rect r, int x, int y) {
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* A click on a time line goes to the past, which not every view can show. */
static bool takes_mouse(const struct screen *sc, int pane) {
    bool timeline = pane == PANE_STACK || pane == PANE_PLOT;
    return view_in(sc, pane)->mouse && (!timeline || views_row(sc->view)->past);
}

/* Two clicks on a name, a key or a button are two presses, however fast. */
static void give(const struct view_ops *view, struct screen *sc, struct rect r,
                 const struct mouse *m) {
    struct mouse e = *m;
    if (e.what == MOUSE_DOUBLE && !view->twice)
        e.what = MOUSE_PRESS;
    view->mouse(sc, r, &e);
}

/* What is dragged goes to where it was pressed: a border, or a view with a time line. */
static void drag_mouse(struct screen *sc, const struct mouse *m) {
    const struct rect *at = panes_of(sc)->at;
    int pane = sc->pressed;
    bool takes = pane == PANE_PLOT || pane == PANE_STACK || pane == PANE_MAIN;
    if (sc->popup || borders_drag(sc, m) || !takes || at[pane].w == 0)
        return;
    if (takes_mouse(sc, pane))
        give(view_in(sc, pane), sc, at[pane], m);
}

/* A border, or what is in a pane. */
static void press_panes(struct screen *sc, const struct mouse *m) {
    const struct rect *at = panes_of(sc)->at;
    if (borders_press(sc, m))
        return;
    for (int i = 0; i < PANE_N; i++)
        if (inside(at[i], m->x, m->y)) {
            sc->pressed = i;
            if (takes_mouse(sc, i))
                give(view_in(sc, i), sc, at[i], m);
            return; /* what was pressed may have changed the panes */
        }
}

void screen_mouse(struct screen *sc, const struct mouse *m) {
    if (!m || sc->panes.too_small || sc->ask.typing) /* a question is about what is selected */
        return;
    if (m->what == MOUSE_DRAG) {
        drag_mouse(sc, m);
        return;
    }
    sc->pressed = PANE_N;
    sc->border = 0;
    bool on_keys = inside(sc->panes.at[PANE_KEYS], m->x, m->y);
    if (sc->popup && !on_keys) {
        if (sc->popup->mouse)
            give(sc->popup, sc, popup_room(sc), m);
        return;
    }
    bool on_tabs = inside(sc->panes.at[PANE_TABS], m->x, m->y) && !runs_alone(sc);
    if (on_tabs && !sc->popup) {
        give(&view_tabs, sc, sc->panes.at[PANE_TABS], m);
        return;
    }
    if (runs_shown(sc) && !on_keys) {
        if (inside(runs_room(sc), m->x, m->y))
            give(runs_in(sc), sc, runs_room(sc), m);
        return;
    }
    struct screen *under = types_under(sc, m);
    if (under != sc) {
        types_switch(sc, under->type - sc->type);
        sc = under;
    }
    press_panes(sc, m);
}
