#include "ui/app/screen.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/app/actions.h"
#include "ui/app/borders.h"
#include "ui/app/find.h"
#include "ui/app/keys.h"
#include "ui/app/views.h"
#include "ui/draw/words.h"
#include "ui/popup/explain_view.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_open.h"
#include "ui/view/rows.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what views keep --- */

/* Panes of the tree that keep something. */
static const struct view *const panes_with_state[] = {&pane_level1, &pane_plot};
enum { N_PANES_WITH_STATE = sizeof(panes_with_state) / sizeof(panes_with_state[0]) };

static const struct view *nth(int i) {
    return i < n_views ? views[i] : panes_with_state[i - n_views];
}

static int n_states(void) {
    return n_views + N_PANES_WITH_STATE;
}

void *screen_state(const struct screen *sc, const struct view *view) {
    const struct view *of = view->state_of ? view->state_of : view;
    for (int i = 0; of->state_size && i < n_states(); i++)
        if (nth(i) == of)
            return sc->state[i];
    return NULL;
}

struct scene *screen_scene(struct screen *sc, const struct view *view) {
    sc->scene.state = screen_state(sc, view);
    return &sc->scene;
}

static int make_states(struct screen *sc) {
    assert(n_states() <= PANES_STATE_MAX);
    for (int i = 0; i < n_states(); i++)
        if (nth(i)->state_size && !(sc->state[i] = calloc(1, nth(i)->state_size)))
            return -ENOMEM;
    return 0;
}

static void drop_states(struct screen *sc) {
    for (int i = 0; i < n_states(); i++) {
        if (sc->state[i] && nth(i)->destroy)
            nth(i)->destroy(sc->state[i]);
        free(sc->state[i]);
        sc->state[i] = NULL;
    }
}

static int attach_views(struct screen *sc) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < n_states(); i++)
        if (nth(i)->attach)
            rc = nth(i)->attach(screen_scene(sc, nth(i)));
    return rc;
}

/* --- the past, as wide as the screen --- */

enum { FUNNEL_PAST_FROM_H = 20 }; /* below that the funnel has no room for the past */

static int make_trends(struct screen *sc) {
    scene_drop_trends(&sc->scene);
    if (!sc->scene.connected || sc->panes.too_small)
        return 0;
    int n_spark = sc->panes.at[PANE_TREE].w > 0 ? sc->scene.columns.spark - 1 : 0;
    bool plots = sc->panes.at[PANE_PLOT].w > 0 || sc->canvas.h >= FUNNEL_PAST_FROM_H;
    int n_plot = plots ? 2 * sc->canvas.w : 0; /* the funnel has it over the whole width */
    return scene_make_trends(&sc->scene, n_spark, n_plot, sc->canvas.w);
}

/* --- what is drawn where --- */

/* What is drawn in a pane: a view, or what the program itself puts there. */
static const struct view *const pane_view[PANE_N] = {
    [PANE_HEADER] = &pane_header, [PANE_FUNNEL] = &pane_level1, [PANE_VITALS] = &pane_vitals,
    [PANE_TREE] = &view_tree,     [PANE_STACK] = &pane_stack,   [PANE_PLOT] = &pane_plot,
    [PANE_SIDE] = &pane_side,     [PANE_ADVICE] = &pane_advice, [PANE_CLOCK] = &pane_clock,
};
static const struct overlay *const pane_own[PANE_N] = {
    [PANE_KEYS] = &pane_keyline,
    [PANE_TYPE] = &pane_type,
    [PANE_STRIP] = &pane_strip,
    [PANE_TABS] = &pane_tabs,
};

static const struct view *view_in(const struct screen *sc, int pane) {
    bool own = pane == PANE_ROWS || pane == PANE_MAIN;
    return own ? sc->scene.view : pane_view[pane];
}

static const struct panes *panes_of(struct screen *sc) {
    const struct panes *by[] = {[LAYOUT_TREE] = &sc->panes,
                                [LAYOUT_ROWS] = &sc->row_panes,
                                [LAYOUT_LIST] = &sc->list_panes,
                                [LAYOUT_MAIN] = &sc->main_panes,
                                [LAYOUT_WHOLE] = &sc->whole_panes};
    return by[views_layout(sc, sc->scene.view)];
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
    bool shared = !sc->scene.active;
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0 && !(shared && is_shared(i)))
            draw_pane(sc, c, i, at[i]);
}

static struct rect runs_room(const struct screen *sc) {
    return sc->whole_panes.at[PANE_MAIN];
}

static const struct overlay *runs_in(const struct screen *sc) {
    return sc->runs->mode == RUNS_TREND ? &runs_trend_page : &runs_page;
}

static void draw_runs(struct screen *sc, struct canvas *c) {
    const struct rect *at = sc->main_panes.at;
    if (!runs_alone(sc))
        draw_pane(sc, c, PANE_HEADER, at[PANE_HEADER]);
    if (!runs_alone(sc) && at[PANE_TABS].h > 0)
        draw_pane(sc, c, PANE_TABS, at[PANE_TABS]);
    runs_in(sc)->draw(sc, c, runs_room(sc));
    draw_pane(sc, c, PANE_KEYS, sc->panes.at[PANE_KEYS]);
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
    if (sc->panes.too_small)
        return;
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
        give(sc->popup, sc, popup_room(sc), m);
        return;
    }
    bool on_tabs = inside(sc->panes.at[PANE_TABS], m->x, m->y) && !runs_alone(sc);
    if (on_tabs && !sc->popup) {
        give(&pane_tabs, sc, sc->panes.at[PANE_TABS], m);
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

/* --- life --- */

int screen_init(struct screen *sc, struct session *s, int level, struct err *err) {
    *sc = (struct screen){.level = level > 0 ? level : 2, .pressed = PANE_N, .text.text = true};
    struct scene *scene = &sc->scene;
    scene->s = s;
    scene->view = &view_tree;
    scene->active = true;
    scene->n_types = 1;
    scene->funnel_zoom = scene->search.from = METRIC_NONE;
    scene->needs = &sc->needs;
    scene->derivation = &sc->derivation;
    cost_begin(&scene->cost);
    if (make_states(sc) < 0 || outline_init(&scene->tree, &s->model, sc->level) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    return 0;
}

void screen_destroy(struct screen *sc) {
    struct scene *scene = &sc->scene;
    drop_states(sc);
    scene_drop_trends(scene);
    frame_destroy(&sc->held);
    sample_destroy(&sc->held_sample);
    frame_destroy(&sc->whole);
    sample_destroy(&sc->whole_sample);
    outline_destroy(&scene->tree);
    focus_policy_destroy(&sc->focus_policy);
    canvas_destroy(&sc->canvas);
    explain_free(&scene->explain);
    guide_free(&sc->guide);
    sentence_destroy(&scene->sentence);
    needs_destroy(&sc->needs);
    derivation_destroy(&sc->derivation);
    cursor_destroy(&scene->cursor);
    baseline_destroy(&scene->base);
    changes_destroy(&scene->changes);
    bench_destroy(&scene->bench);
    baseline_moves_destroy(&scene->moves);
    free(scene->shown);
    *sc = (struct screen){0};
}

/* Nothing that was drawn before holds back what comes. */
static void forget_shown(struct screen *sc) {
    scene_forget(&sc->scene);
    sc->scene.scales++;
}

/* What was asked for by name can be seen. */
static void open_selection(struct screen *sc) {
    const bool *wanted = sc->scene.s->source.opt.wanted;
    for (int i = 0; wanted && i < (int)scene_model(&sc->scene)->n_tree; i++)
        if (wanted[i])
            outline_reveal(&sc->scene.tree, i);
}

int screen_attach(struct screen *sc, struct err *err) {
    struct scene *scene = &sc->scene;
    struct session *s = scene->s;
    scene->connected = true;
    outline_destroy(&scene->tree);
    needs_destroy(&sc->needs);
    derivation_destroy(&sc->derivation);
    free(scene->shown);
    scene->shown = calloc(s->model.n_metric ? s->model.n_metric : 1, sizeof(*scene->shown));
    if (!scene->shown || outline_init(&scene->tree, &s->model, sc->level) < 0 ||
        changes_init(&scene->changes, &s->model) < 0 ||
        focus_policy_init(&sc->focus_policy, &s->model) < 0 ||
        needs_init(&sc->needs, &s->model) < 0 ||
        derivation_init(&sc->derivation, &s->model, &s->source.layout) < 0 ||
        frame_init(&sc->held, s->model.n_metric) < 0 ||
        sample_init(&sc->held_sample, s->source.layout.n_slot) < 0 ||
        frame_init(&sc->whole, s->model.n_metric) < 0 ||
        sample_init(&sc->whole_sample, s->source.layout.n_slot) < 0 ||
        cursor_init(&scene->cursor, s) < 0 || sentence_init(&scene->sentence, &s->model) < 0 ||
        attach_views(sc) < 0 || make_trends(sc) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    explain_free(&sc->scene.explain);
    int rc =
        sc->scene.sentence.loaded ? 0 : sentence_load(&sc->scene.sentence, ADVICE_DEFAULT, err);
    if (rc == 0)
        rc = explain_load_for(&sc->scene.explain, &s->model, err);
    if (rc < 0)
        return rc;
    forget_shown(sc);
    if (s->own_note[0])
        screen_say(sc, "%s", s->own_note);
    open_selection(sc);
    focus_policy_tell(sc);
    return 0;
}

int screen_resize(struct screen *sc, int w, int h) {
    canvas_destroy(&sc->canvas);
    int rc = canvas_init(&sc->canvas, w > 0 ? w : 1, h > 0 ? h : 1);
    return rc < 0 ? rc : screen_place(sc);
}

/* The columns of the tree have changed: places and trends follow. 0 or -ENOMEM. */
static int place_columns(struct screen *sc) {
    layout_columns(sc->panes.at[PANE_TREE].w - 1, sc->scene.base.on, &sc->scene.columns);
    int rc = make_trends(sc);
    if (rc == 0)
        scene_update_trends(&sc->scene);
    return rc;
}

int screen_place(struct screen *sc) {
    const int w = sc->canvas.w, h = sc->canvas.h;
    sc->scene.h = h;
    layout_panes(w, h, &sc->splits, &sc->panes);
    layout_rows(w, h, &sc->row_panes);
    layout_list(w, h, &sc->splits, &sc->list_panes);
    layout_main(w, h, &sc->main_panes);
    layout_whole(w, h, runs_alone(sc), &sc->whole_panes);
    types_layout(sc, w, h);
    return place_columns(sc);
}

/* What has ended is shown as what it was all the time, not as its last interval. */
static void take_whole(struct screen *sc) {
    struct session *s = sc->scene.s;
    if (sc->opened || !sc->scene.connected || s->state != STREAM_GONE ||
        s->window.n + s->before.n == 0)
        return;
    session_whole(s, &sc->whole, &sc->whole_sample);
    sc->scene.over = true;
}

void screen_settle(struct screen *sc) {
    forget_shown(sc);
    take_whole(sc);
    sc->seen = 0; /* the newest is looked at once more */
    if (sc->scene.connected)
        screen_update(sc);
}

void screen_shows_newest(struct screen *sc) {
    sc->scene.frame = sc->scene.newest;
    sc->scene.sample = sc->scene.frozen ? &sc->held_sample : &sc->scene.s->sample;
    if (sc->opened && sc->opened->complete &&
        !sc->scene.frozen) { /* of a stored run the whole of it */
        sc->scene.frame = &sc->opened->whole;
        sc->scene.sample = &sc->opened->whole_sample;
    }
    if (sc->scene.over && !sc->scene.frozen) {
        sc->scene.frame = sc->scene.newest = &sc->whole;
        sc->scene.sample = &sc->whole_sample;
    }
}

/* Once: the end of the path can be seen, and is selected unless the user was faster. */
static void open_path(struct screen *sc) {
    const struct bottleneck *b = &sc->scene.frame->bottleneck;
    if (sc->path_opened || b->n == 0 || focus_policy_follows(sc))
        return;
    sc->path_opened = true;
    if (sc->scene.touched)
        outline_reveal(&sc->scene.tree, b->at[b->n - 1]);
    else
        outline_go(&sc->scene.tree, b->at[b->n - 1]);
    if (b->tie[0] != METRIC_NONE)
        outline_reveal(&sc->scene.tree, b->tie[0]);
}

#define HINT_NS (20 * NS_PER_S)

/* Who has not pressed a key so far wants the line of keys after a while, too. */
static void end_hint(struct screen *sc) {
    const uint64_t now_ns = clock_now_ns();
    if (sc->hint && !sc->hint_ns)
        sc->hint_ns = now_ns;
    if (sc->hint && now_ns - sc->hint_ns >= HINT_NS)
        sc->hint = false;
}

/* What an interval begins with is shown, and forgotten: all that follows from intervals (pace,
 * changes, the open path, words that stay) begins with the first whole one. */
static void show_early(struct screen *sc) {
    screen_shows_newest(sc);
    scene_follow(&sc->scene);
    sentence_follow(&sc->scene);
    sc->scene.sentence.of = NULL;
}

static void show_whole(struct screen *sc) {
    if (sc->scene.cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        scene_follow(&sc->scene);
    }
    baseline_update(&sc->scene);
    sentence_follow(&sc->scene);
}

void screen_sample(struct screen *sc) {
    sc->seen = sc->scene.s->n_frames;
    if (sc->scene.frozen)
        return;
    sc->scene.newest = sc->scene.over ? &sc->whole : &sc->scene.s->frame;
    if (sc->scene.over) {
        show_whole(sc);
        return;
    }
    if (sc->scene.s->sample.early) {
        show_early(sc);
        return;
    }
    end_hint(sc);
    scene_follow_interval(&sc->scene, &sc->odd_intervals);
    changes_frame(&sc->scene);
    if (sc->scene.cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        scene_follow(&sc->scene);
        if (!sc->opened || sc->opened->complete) /* the path of the whole, not of its begin */
            open_path(sc);
        focus_policy_frame(sc);
    }
    baseline_update(&sc->scene); /* the sentence speaks of it */
    sentence_note(&sc->scene);
    if (!sc->opened) /* of a stored run only what is drawn says something */
        sentence_follow(&sc->scene);
}

/* Shows the rows that came last, of a view that has some. */
static void take_rows(struct screen *sc) {
    if (!sc->scene.frozen && scene_has_rows(&sc->scene) &&
        rows_update(screen_state(sc, &view_threads), &sc->scene.s->units, &sc->scene.s->eval) < 0)
        screen_say(sc, "no memory for more rows: close other programs");
}

bool screen_update(struct screen *sc) {
    if (sc->scene.s->n_frames == 0)
        return false;
    cost_note(&sc->scene.cost, sc->scene.s->n_frames);
    if (sc->seen != sc->scene.s->n_frames ||
        (sc->scene.newest != &sc->scene.s->frame && !sc->scene.over) || sc->opened)
        screen_sample(sc);
    focus_policy_tell(sc);
    if (sc->scene.frozen)
        return false;
    scene_update_trends(&sc->scene);
    baseline_update(&sc->scene); /* of what was pinned meanwhile */
    take_rows(sc);
    return true;
}

/* --- rows --- */

/* The tree is back where it was, also where the user goes on to it from a metric beside it. */
static void end_visit(struct scene *sc, const struct view *view) {
    sc->visit.on = false;
    if (view != &view_bench && scene_selected(sc) < (int)scene_model(sc)->n_tree)
        return;
    outline_return(&sc->tree, &sc->visit.tree);
    sc->touched = sc->visit.touched;
}

void screen_view(struct screen *sc, const struct view *view) {
    search_end(sc);
    if (sc->scene.visit.on)
        end_visit(&sc->scene, view);
    sc->scene.view = view;
    if (!sc->scene.connected)
        return;
    if (!view->past)
        cursor_live(&sc->scene); /* the past has no rows */
    if (view->enter)
        view->enter(screen_scene(sc, view));
    take_rows(sc); /* those of the newest interval, if they were asked for before */
    session_units(sc->scene.s, scene_has_rows(&sc->scene));
}

/* --- keys --- */

/* A key that no binding takes: a character of what is being typed. */
static void type_key(struct screen *sc, uint32_t key) {
    if (sc->ask.typing)
        ask_type(sc, key);
    else if (sc->popup == &popup_snapshot)
        snapshot_key(sc, key);
    else if (sc->popup == &popup_palette)
        palette_type(sc, key);
    else if (search_is_typed(sc))
        search_type(sc, key);
}

static bool paste(struct screen *sc, const char *text) {
    if (sc->ask.typing)
        form_paste(&sc->ask.text, text);
    else if (sc->popup == &popup_snapshot)
        return snapshot_paste(sc, text);
    else if (sc->popup == &popup_palette)
        palette_paste(sc, text);
    else if (search_is_typed(sc))
        search_paste(sc, text);
    else
        return false;
    return true;
}

/* True of a click on words that lie over the keys of the key line: it does not press a hidden key.
 */
static bool is_on_message(const struct screen *sc, const struct mouse *m) {
    const struct rect line = sc->panes.at[PANE_KEYS];
    bool covered = sc->message[0] || (sc->hint && !sc->popup);
    return covered && m && m->what != MOUSE_DRAG && line.h > 0 && m->y == line.y;
}

static void press_key(struct screen *sc, uint32_t key) {
    const struct key_binding *kb = keys_find(key, keys_context(sc));
    if (kb)
        keys_do(sc, kb);
    else
        type_key(sc, key);
}

void screen_paste(struct screen *sc, const char *text) {
    sc->message[0] = '\0';
    sc->hint = false;
    search_settle(sc);
    if (!paste(sc, text))
        screen_say(sc, "paste ignored: no text is typed here");
    focus_policy_tell(sc);
}

void screen_key(struct screen *sc, uint32_t key, const struct mouse *m) {
    const bool dismissed = key == KEYC_MOUSE && is_on_message(sc, m);
    sc->message[0] = '\0';
    sc->hint = false;
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

__attribute__((format(printf, 2, 0))) static void say(struct screen *sc, const char *fmt,
                                                      va_list ap) {
    char words[sizeof(sc->message)];
    vsnprintf(words, sizeof(words), fmt, ap);
    keys_in_words(words, sc->message, sizeof(sc->message));
}

void screen_say(struct screen *sc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say(sc, fmt, ap);
    va_end(ap);
}

/* --- what views ask for (ui/scene/app.h) --- */

void app_say(struct scene *sc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say(screen_of(sc), fmt, ap);
    va_end(ap);
}

void app_view(struct scene *sc, const struct view *view) {
    screen_view(screen_of(sc), view);
}

void app_show_newest(struct scene *sc) {
    screen_shows_newest(screen_of(sc));
}

int app_columns_changed(struct scene *sc) {
    return place_columns(screen_of(sc));
}

bool app_is_store_alone(const struct scene *sc) {
    return runs_alone(screen_of(sc));
}

void app_reset_sums(struct scene *sc) {
    action_reset(screen_of(sc));
}

void app_explain(struct scene *sc, int metric) {
    explain_open(screen_of(sc), &popup_explain, metric);
}

void app_value(struct scene *sc, int metric) {
    explain_open(screen_of(sc), &popup_value, metric);
}

bool app_open_source(struct scene *sc, const struct bench_source *from, const struct run_node *n) {
    struct screen *screen = screen_of(sc);
    if (screen->runs)
        runs_compare_enter(screen, from, n);
    return screen->runs;
}

bool app_store_is_blocked(const struct scene *sc) {
    const struct snapshots *sn = screen_of(sc)->snapshot;
    return sn && saver_is_blocked(&sn->saver);
}

const char *app_labels_between(const struct scene *sc, uint64_t t0_ns, uint64_t t1_ns) {
    const struct snapshots *sn = screen_of(sc)->snapshot;
    return sn && sn->repeats && sn->labels_ns > t0_ns && sn->labels_ns <= t1_ns ? sn->last_labels
                                                                                : "";
}
