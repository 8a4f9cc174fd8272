#include "ui/screen/screen.h"

#include "base/clock.h"
#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/screen/borders.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/views.h"
#include "ui/view/rows.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what views and pop-ups keep --- */

/* Panes of the tree that keep something, and a view without a digit. */
static const struct view *const panes_with_state[] = {&pane_level1, &pane_plot, &view_where};
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

/* Pop-ups that keep something; their states are behind those of the views. */
static const struct overlay *const popups_with_state[] = {
    &popup_help, &popup_explain, &popup_palette, &popup_choose, &popup_sql};
enum { N_POPUPS_WITH_STATE = sizeof(popups_with_state) / sizeof(popups_with_state[0]) };

void *screen_popup(const struct screen *sc, const struct overlay *popup) {
    const struct overlay *of = popup->state_of ? popup->state_of : popup;
    for (int i = 0; i < N_POPUPS_WITH_STATE; i++)
        if (popups_with_state[i] == of)
            return sc->state[n_states() + i];
    return NULL;
}

static int make_state(struct screen *sc, int i, size_t size) {
    sc->state[i] = size ? calloc(1, size) : NULL;
    return size && !sc->state[i] ? -ENOMEM : 0;
}

static int make_states(struct screen *sc) {
    const int n = n_states();
    sc->state = calloc((size_t)n + N_POPUPS_WITH_STATE, sizeof(*sc->state));
    int rc = sc->state ? 0 : -ENOMEM;
    for (int i = 0; rc == 0 && i < n; i++)
        rc = make_state(sc, i, nth(i)->state_size);
    for (int i = 0; rc == 0 && i < N_POPUPS_WITH_STATE; i++)
        rc = make_state(sc, n + i, popups_with_state[i]->state_size);
    return rc;
}

static void drop_state(struct screen *sc, int i, void (*destroy)(void *state)) {
    if (sc->state[i] && destroy)
        destroy(sc->state[i]);
    free(sc->state[i]);
}

static void drop_states(struct screen *sc) {
    if (!sc->state)
        return;
    for (int i = 0; i < n_states(); i++)
        drop_state(sc, i, nth(i)->destroy);
    for (int i = 0; i < N_POPUPS_WITH_STATE; i++)
        drop_state(sc, n_states() + i, popups_with_state[i]->destroy);
    free(sc->state);
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
    if (!sc->scene.connected || sc->panes[LAYOUT_TREE].too_small)
        return 0;
    int n_spark = sc->panes[LAYOUT_TREE].at[PANE_TREE].w > 0 ? sc->scene.columns.spark
                                                             : 0; /* one is not whole */
    bool plots = sc->panes[LAYOUT_TREE].at[PANE_PLOT].w > 0 || sc->canvas.h >= FUNNEL_PAST_FROM_H;
    int n_plot = plots ? 2 * sc->canvas.w : 0; /* the funnel has it over the whole width */
    return scene_make_trends(&sc->scene, n_spark, n_plot, sc->canvas.w);
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
    layout_columns(sc->panes[LAYOUT_TREE].at[PANE_TREE].w - 1, sc->scene.base.on,
                   scene_is_beside(&sc->scene), &sc->scene.columns);
    int rc = make_trends(sc);
    if (rc == 0)
        scene_update_trends(&sc->scene);
    return rc;
}

int screen_place(struct screen *sc) {
    const int w = sc->canvas.w, h = sc->canvas.h;
    sc->scene.h = h;
    layout_panes(w, h, &sc->splits, &sc->panes[LAYOUT_TREE]);
    layout_rows(w, h, &sc->panes[LAYOUT_ROWS]);
    layout_list(w, h, &sc->splits, &sc->panes[LAYOUT_LIST]);
    layout_main(w, h, &sc->panes[LAYOUT_MAIN]);
    layout_whole(w, h, runs_alone(sc), &sc->panes[LAYOUT_WHOLE]);
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

/* The newest is shown again, after another moment was. */
static void screen_shows_newest(struct screen *sc) {
    sc->scene.frame = sc->scene.newest;
    sc->scene.sample = sc->scene.frozen ? &sc->held_sample : &sc->scene.s->sample;
    if (sc->run_frame && !sc->scene.frozen) { /* of a stored run the whole of it */
        sc->scene.frame = sc->run_frame;
        sc->scene.sample = sc->run_sample;
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
    if (b->n > 1)
        outline_path_open(&sc->scene.tree, b->at[b->n - 2]);
    if (b->tie[0] != METRIC_NONE)
        outline_path_open(&sc->scene.tree, scene_model(&sc->scene)->metric[b->tie[0]].parent);
    if (!sc->scene.touched)
        outline_show(&sc->scene.tree, bottleneck_named(b));
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

/* So few rows are counted all the time, so that they have a past when somebody looks. */
static bool counts_rows(const struct screen *sc) {
    const struct session *s = sc->scene.s;
    return scene_has_rows(&sc->scene) ||
           (!sc->opened && !sc->rows_come_fast && s->sample.target_threads <= ROWS_KEPT &&
            s->units.n + s->units.n_hidden <= ROWS_KEPT);
}

/* With rows each new thread gets counters of its own, which costs it time: where many come that is
 * done only while somebody looks. */
static void note_new_rows(struct screen *sc) {
    enum { A_MINUTE = 8 };
    const struct unit_table *t = &sc->scene.s->units;
    const uint64_t minute = t->t1_ns / (60 * NS_PER_S);
    if (minute != sc->rows_minute)
        sc->rows_came = 0;
    sc->rows_minute = minute;
    for (uint32_t i = 0; i < t->n && t->seq != sc->rows_seen; i++)
        sc->rows_came += t->row[i].fresh;
    sc->rows_seen = t->seq;
    sc->rows_come_fast |= sc->rows_came > A_MINUTE;
}

/* Takes the rows that came last. */
static void take_rows(struct screen *sc) {
    note_new_rows(sc);
    session_units(sc->scene.s, counts_rows(sc));
    if (!sc->scene.frozen && counts_rows(sc) &&
        rows_update(screen_state(sc, &view_threads), &sc->scene.s->units,
                    scene_has_rows(&sc->scene), &sc->scene.s->eval) < 0)
        screen_say(sc, "no memory for more rows: close other programs");
}

void screen_sample(struct screen *sc) {
    sc->seen = sc->scene.s->n_frames;
    if (sc->scene.frozen)
        return;
    take_rows(sc);
    sc->scene.newest = sc->scene.over ? &sc->whole : &sc->scene.s->frame;
    if (sc->scene.over) {
        show_whole(sc);
        return;
    }
    if (sc->scene.s->sample.early) {
        show_early(sc);
        return;
    }
    scene_follow_interval(&sc->scene, &sc->odd_intervals);
    changes_frame(&sc->scene);
    if (sc->scene.cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        scene_follow(&sc->scene);
        if (!sc->opened || sc->run_frame) /* the path of the whole, not of its begin */
            open_path(sc);
        focus_policy_frame(sc);
    }
    baseline_update(&sc->scene); /* the sentence speaks of it */
    sentence_note(&sc->scene);
    if (!sc->opened) /* of a stored run only what is drawn says something */
        sentence_follow(&sc->scene);
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
    const struct view *before = sc->scene.view;
    search_end(sc);
    if (sc->scene.visit.on)
        end_visit(&sc->scene, view);
    if (before->leave && sc->scene.connected)
        before->leave(screen_scene(sc, before));
    sc->scene.view = view;
    if (!sc->scene.connected)
        return;
    if (!view->past)
        cursor_live(&sc->scene); /* the past has no rows */
    if (view->enter)
        view->enter(screen_scene(sc, view));
    take_rows(sc); /* those of the newest interval, if they were asked for before */
}

void screen_freeze(struct screen *sc) {
    sc->scene.frozen = !sc->scene.frozen;
    if (sc->scene.frozen) {
        frame_copy(&sc->held, &sc->scene.s->frame);
        sample_copy(&sc->held_sample, &sc->scene.s->sample);
        sc->scene.newest = &sc->held;
        if (sc->scene.cursor.shows == CURSOR_LIVE)
            screen_shows_newest(sc);
    }
    session_request(sc->scene.s, sc->scene.s->control.interval_ns, sc->scene.frozen);
    if (!sc->scene.frozen)
        screen_update(sc);
}

void screen_open(struct screen *sc, const struct overlay *popup) {
    sc->popup = popup;
    list_reset(&sc->text);
}

/* --- words --- */

__attribute__((format(printf, 2, 0))) static void say(struct screen *sc, const char *fmt,
                                                      va_list ap) {
    char words[sizeof(sc->message)];
    vsnprintf(words, sizeof(words), fmt, ap);
    keys_in_words(words, sc->message, sizeof(sc->message));
    sc->message_ns = clock_now_ns();
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
