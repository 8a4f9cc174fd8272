/* Which view or pop-up is drawn where, and gets the keys and the mouse. */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/borders.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/view/moves.h"

#include <stdio.h>

/* --- what is drawn where --- */

/* What is drawn in a pane: a view, or what the program itself puts there. */
static const struct view *const pane_view[PANE_N] = {
    [PANE_HEADER] = &pane_header, [PANE_FUNNEL] = &pane_level1, [PANE_VERDICT] = &pane_verdict,
    [PANE_TREE] = &view_tree,     [PANE_STACK] = &pane_stack,   [PANE_PLOT] = &pane_plot,
    [PANE_SIDE] = &pane_side,     [PANE_CLOCK] = &pane_clock,
};
static const struct overlay *const pane_own[PANE_N] = {
    [PANE_KEYS] = &pane_keyline,
    [PANE_TYPE] = &pane_type,
    [PANE_STRIP] = &pane_strip,
    [PANE_TITLE] = &pane_title,
};

static const struct view *view_in(const struct screen *sc, int pane) {
    bool own = pane == PANE_ROWS || pane == PANE_MAIN;
    return own ? sc->scene.view : pane_view[pane];
}

static const struct panes *panes_of(struct screen *sc) {
    return &sc->panes[views_layout(sc, sc->scene.view)];
}

static void draw_pane(struct screen *sc, struct canvas *c, int pane, struct rect r) {
    if (pane_own[pane]) {
        pane_own[pane]->draw(sc, c, r);
        return;
    }
    const struct view *v = view_in(sc, pane);
    v->draw(screen_scene(sc, v), c, r);
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
    if (sc->scene.s->source.simulated) {
        canvas_text(c, canvas_rect(c), 0, y, STYLE_SIMULATED, c->w < 9 ? "SIM" : "SIMULATED");
        y++;
    }
    canvas_text(c, canvas_rect(c), 0, y, STYLE_WARN, text[pick]);
}

/* A popup leaves the header and the key line to be seen. */
static struct rect popup_room(const struct screen *sc) {
    int top = sc->panes[LAYOUT_TREE].at[PANE_HEADER].h;
    struct rect r = {0, top, sc->canvas.w, sc->canvas.h - top - 1};
    return r;
}

/* What there is once, however many core types there are beside each other. */
static bool is_shared(int pane) {
    return pane == PANE_HEADER || pane == PANE_TITLE || pane == PANE_KEYS;
}

static void draw_frames(const struct panes *p, struct canvas *c) {
    for (int i = 0; i < p->n_frame; i++)
        widget_box(c, p->frame[i]);
    const struct rect side = p->at[PANE_SIDE];
    for (int y = 0; p->n_frame == 0 && y < side.h; y++)
        canvas_put(c, canvas_rect(c), side.x - 1, side.y + y, STYLE_BORDER, 0x2502);
}

/* In the lower border of the tree. */
static void draw_moves(const struct screen *sc, const struct panes *p, struct canvas *c) {
    const struct rect r = p->frame[0];
    if (p->n_frame > 0 && p->at[PANE_TREE].w > 0)
        moves_draw(&sc->scene, c, (struct rect){r.x + 2, r.y + r.h - 1, r.w - 4, 1});
}

/* Of one that is beside the active one all but what is shared. */
static void draw_panes(struct screen *sc, struct canvas *c) {
    const struct rect *at = panes_of(sc)->at;
    bool shared = !sc->scene.active;
    draw_frames(panes_of(sc), c);
    draw_moves(sc, panes_of(sc), c);
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0 && !(shared && is_shared(i)))
            draw_pane(sc, c, i, at[i]);
}

static struct rect runs_room(const struct screen *sc) {
    return sc->panes[LAYOUT_WHOLE].at[PANE_MAIN];
}

static const struct overlay *runs_in(const struct screen *sc) {
    return sc->runs->mode == RUNS_TREND ? &runs_trend_page : &runs_page;
}

static void draw_runs(struct screen *sc, struct canvas *c) {
    const struct rect *at = sc->panes[LAYOUT_WHOLE].at;
    if (!runs_alone(sc))
        draw_pane(sc, c, PANE_HEADER, at[PANE_HEADER]);
    draw_frames(&sc->panes[LAYOUT_WHOLE], c);
    if (at[PANE_TITLE].h > 0)
        draw_pane(sc, c, PANE_TITLE, at[PANE_TITLE]);
    runs_in(sc)->draw(sc, c, runs_room(sc));
    draw_pane(sc, c, PANE_KEYS, sc->panes[LAYOUT_TREE].at[PANE_KEYS]);
}

static void draw_main(struct screen *sc, struct canvas *c) {
    if (runs_shown(sc)) {
        draw_runs(sc, c);
        return;
    }
    draw_panes(sc, c);
    for (int i = 0; scene_is_beside(&sc->scene) && i < sc->types->n; i++)
        if (i != sc->scene.type)
            draw_panes(sc->types->at[i], c);
}

static void prepare(const struct overlay *over, struct screen *sc, struct rect r) {
    if (over->prepare)
        over->prepare(sc, r);
}

static void prepare_panes(struct screen *sc) {
    const struct rect *at = panes_of(sc)->at;
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0 && !pane_own[i] && view_in(sc, i)->prepare)
            view_in(sc, i)->prepare(screen_scene(sc, view_in(sc, i)), at[i]);
}

void screen_prepare(struct screen *sc) {
    if (sc->panes[LAYOUT_TREE].too_small)
        return;
    settings_prepare(sc);
    if (runs_shown(sc))
        prepare(runs_in(sc), sc, runs_room(sc));
    else
        prepare_panes(sc);
    for (int i = 0; !runs_shown(sc) && scene_is_beside(&sc->scene) && i < sc->types->n; i++)
        if (i != sc->scene.type)
            prepare_panes(sc->types->at[i]);
    if (sc->popup)
        prepare(sc->popup, sc, popup_room(sc));
}

void screen_draw(struct screen *sc) {
    struct canvas *c = &sc->canvas;
    screen_prepare(sc);
    canvas_clear(c);
    if (sc->panes[LAYOUT_TREE].too_small) {
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

/* Two clicks on a name, a key or a button are two presses, however fast. */
static struct mouse event_for(const struct mouse *m, bool twice) {
    struct mouse e = *m;
    if (e.what == MOUSE_DOUBLE && !twice)
        e.what = MOUSE_PRESS;
    return e;
}

static void give(const struct overlay *over, struct screen *sc, struct rect r,
                 const struct mouse *m) {
    const struct mouse e = event_for(m, over->twice);
    if (over->mouse)
        over->mouse(sc, r, &e);
}

/* A click on a time line goes to the past, which not every view can show. */
static void give_pane(struct screen *sc, int pane, const struct mouse *m) {
    const struct rect r = panes_of(sc)->at[pane];
    bool timeline = pane == PANE_STACK || pane == PANE_PLOT;
    if (pane_own[pane]) {
        give(pane_own[pane], sc, r, m);
        return;
    }
    const struct view *v = view_in(sc, pane);
    const struct mouse e = event_for(m, v->twice);
    if (v->mouse && (!timeline || sc->scene.view->past))
        v->mouse(screen_scene(sc, v), r, &e);
}

/* What is dragged goes to where it was pressed: a border, or a view with a time line. */
static void drag_mouse(struct screen *sc, const struct mouse *m) {
    const struct rect *at = panes_of(sc)->at;
    int pane = sc->pressed;
    bool takes = pane == PANE_PLOT || pane == PANE_STACK || pane == PANE_MAIN;
    if (sc->popup || borders_drag(sc, m) || !takes || at[pane].w == 0)
        return;
    give_pane(sc, pane, m);
}

/* A border, or what is in a pane. */
static void press_panes(struct screen *sc, const struct mouse *m) {
    const struct rect *at = panes_of(sc)->at;
    if (borders_press(sc, m))
        return;
    for (int i = 0; i < PANE_N; i++)
        if (inside(at[i], m->x, m->y)) {
            sc->pressed = i;
            give_pane(sc, i, m);
            return; /* what was pressed may have changed the panes */
        }
}

static void take_mouse(struct screen *sc, const struct mouse *m) {
    if (!m || sc->panes[LAYOUT_TREE].too_small ||
        sc->ask.typing) /* a question is about what is selected */
        return;
    if (m->what == MOUSE_DRAG) {
        drag_mouse(sc, m);
        return;
    }
    sc->pressed = PANE_N;
    sc->border = 0;
    bool on_keys = inside(sc->panes[LAYOUT_TREE].at[PANE_KEYS], m->x, m->y);
    if (sc->popup && !on_keys) {
        give(sc->popup, sc, popup_room(sc), m);
        return;
    }
    const struct rect title = sc->panes[LAYOUT_WHOLE].at[PANE_TITLE];
    if (runs_shown(sc) && !sc->popup && inside(title, m->x, m->y)) {
        give(&pane_title, sc, title, m);
        return;
    }
    if (runs_shown(sc) && !on_keys) {
        if (inside(runs_room(sc), m->x, m->y))
            give(runs_in(sc), sc, runs_room(sc), m);
        return;
    }
    struct screen *under = types_under(sc, m);
    if (under != sc) {
        types_switch(sc, under->scene.type - sc->scene.type);
        sc = under;
    }
    press_panes(sc, m);
}

/* --- keys --- */

/* A key that no binding takes: a character of what is being typed. */
static void type_key(struct screen *sc, uint32_t key) {
    if (sc->ask.typing)
        ask_type(sc, key);
    else if (sc->popup && sc->popup->type)
        sc->popup->type(sc, key);
    else if (search_is_typed(sc))
        search_type(sc, key);
    else if (key > ' ' && key < 0x7f)
        screen_say(sc, "%c does nothing here; {help} shows the keys", (char)key);
}

static bool paste(struct screen *sc, const char *text) {
    if (sc->ask.typing)
        ask_paste(sc, text);
    else if (sc->popup && sc->popup->paste)
        return sc->popup->paste(sc, text);
    else if (search_is_typed(sc))
        search_paste(sc, text);
    else
        return false;
    return true;
}

/* True of a click on words that lie over the keys of the key line: it does not press a hidden key.
 */
static bool is_on_message(const struct screen *sc, const struct mouse *m) {
    const struct rect line = sc->panes[LAYOUT_TREE].at[PANE_KEYS];
    const bool covered = sc->message[0];
    const bool press = m && (m->what == MOUSE_PRESS || m->what == MOUSE_DOUBLE);
    return covered && press && line.h > 0 && m->y == line.y;
}

static void press_key(struct screen *sc, uint32_t key) {
    const struct key_binding *kb = keys_find(key, keys_context(sc));
    if (kb)
        keys_do(sc, kb);
    else if (key >= KEYC_F1 && key <= KEYC_F10)
        screen_say(sc, "F%d does nothing here; {help} shows the keys", (int)(key - KEYC_F1) + 1);
    else
        type_key(sc, key);
}

void screen_paste(struct screen *sc, const char *text) {
    sc->message[0] = '\0';
    search_settle(sc);
    if (!paste(sc, text))
        screen_say(sc, "paste ignored: no text is typed here");
    focus_policy_tell(sc);
}

void screen_key(struct screen *sc, uint32_t key, const struct mouse *m) {
    const bool dismissed = key == KEYC_MOUSE && is_on_message(sc, m);
    sc->message[0] = '\0';
    search_settle(sc); /* something may have come over it that no key has asked for */
    if (key != KEYC_MOUSE)
        press_key(sc, key);
    else if (!dismissed)
        take_mouse(sc, m);
    focus_policy_tell(sc);
    if (!sc->scene.active) /* it was one for another core type */
        sc = sc->types->at[sc->types->active];
    search_settle(sc);
    snapshot_asks(sc);
    focus_policy_tell(sc);
    types_follow(sc);
}
