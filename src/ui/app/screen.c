#include "ui/app/keys_map.h"
#include "ui/app/screen_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/app/keys.h"
#include "ui/app/views.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_open.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int screen_init(struct screen *sc, struct session *s, int level, struct err *err) {
    *sc = (struct screen){.s = s, .level = level > 0 ? level : 2, .funnel_zoom = METRIC_NONE};
    sc->search.from = METRIC_NONE;
    sc->pressed = PANE_N;
    cost_begin(&sc->cost);
    if (outline_init(&sc->tree, &s->model, sc->level) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    return 0;
}

/* --- life --- */

void screen_destroy(struct screen *sc) {
    screen_drop_trends(sc);
    frame_destroy(&sc->held);
    sample_destroy(&sc->held_sample);
    frame_destroy(&sc->whole);
    sample_destroy(&sc->whole_sample);
    outline_destroy(&sc->tree);
    focus_policy_destroy(&sc->focus_policy);
    canvas_destroy(&sc->canvas);
    explain_free(&sc->explain);
    guide_free(&sc->guide);
    sentence_destroy(&sc->sentence);
    needs_destroy(&sc->needs);
    derivation_destroy(&sc->derivation);
    rows_destroy(&sc->rows);
    metrics_destroy(&sc->metrics);
    cursor_destroy(&sc->cursor);
    baseline_destroy(&sc->base);
    changes_destroy(&sc->changes);
    bench_destroy(&sc->bench);
    baseline_moves_destroy(&sc->moves);
    free(sc->shown);
    *sc = (struct screen){0};
}

/* The same, but for the plot, whose axis holds while the time cursor moves along it. */
static void forget_values(struct screen *sc) {
    for (uint32_t i = 0; i < sc->s->model.n_metric; i++)
        sc->shown[i] = (struct shown){NAN, NAN, NAN};
    for (int i = 0; i < ROOTS_MAX; i++)
        sc->anchor[i] = -1; /* left of every segment: placed anew */
    sc->edge_w = 0;
}

/* Nothing that was drawn before holds back what comes. */
static void forget_shown(struct screen *sc) {
    forget_values(sc);
    sc->plot_scale = sc->history.scale = (struct scale){.low = 0};
}

/* What was asked for by name can be seen. */
static void open_selection(struct screen *sc) {
    const bool *wanted = sc->s->source.opt.wanted;
    for (int i = 0; wanted && i < (int)screen_model(sc)->n_tree; i++)
        if (wanted[i])
            outline_reveal(&sc->tree, i);
}

int screen_attach(struct screen *sc, struct err *err) {
    struct session *s = sc->s;
    sc->connected = true;
    outline_destroy(&sc->tree);
    needs_destroy(&sc->needs);
    derivation_destroy(&sc->derivation);
    rows_destroy(&sc->rows);
    metrics_destroy(&sc->metrics);
    free(sc->shown);
    sc->shown = calloc(s->model.n_metric ? s->model.n_metric : 1, sizeof(*sc->shown));
    if (!sc->shown || outline_init(&sc->tree, &s->model, sc->level) < 0 ||
        changes_init(&sc->changes, &s->model) < 0 ||
        focus_policy_init(&sc->focus_policy, &s->model) < 0 ||
        needs_init(&sc->needs, &s->model) < 0 ||
        derivation_init(&sc->derivation, &s->model, &s->source.layout) < 0 ||
        frame_init(&sc->held, s->model.n_metric) < 0 ||
        sample_init(&sc->held_sample, s->source.layout.n_slot) < 0 ||
        frame_init(&sc->whole, s->model.n_metric) < 0 ||
        sample_init(&sc->whole_sample, s->source.layout.n_slot) < 0 ||
        rows_init(&sc->rows, &s->model, s->source.layout.n_slot) < 0 ||
        cursor_init(&sc->cursor, s) < 0 || sentence_init(&sc->sentence, &s->model) < 0 ||
        screen_make_trends(sc) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    explain_free(&sc->explain);
    int rc = sc->sentence.loaded ? 0 : sentence_load(&sc->sentence, ADVICE_DEFAULT, err);
    if (rc == 0)
        rc = explain_load_for(&sc->explain, &s->model, err);
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

int screen_place(struct screen *sc) {
    const int w = sc->canvas.w, h = sc->canvas.h;
    layout_panes(w, h, &sc->splits, &sc->panes);
    layout_rows(w, h, &sc->row_panes);
    layout_list(w, h, &sc->splits, &sc->list_panes);
    layout_main(w, h, &sc->main_panes);
    layout_whole(w, h, runs_alone(sc), &sc->whole_panes);
    types_layout(sc, w, h);
    return screen_columns(sc);
}

int screen_columns(struct screen *sc) {
    layout_columns(sc->panes.at[PANE_TREE].w - 1, sc->base.on, &sc->columns);
    sc->edge_w = 0;
    int rc = screen_make_trends(sc);
    if (rc == 0)
        screen_update_trends(sc);
    return rc;
}

uint64_t screen_now_ns(const struct screen *sc) {
    if (sc->frame == sc->newest && !sc->frozen && sc->s->state != STREAM_LIVE && sc->s->ended_ns)
        return sc->s->ended_ns;
    return sc->frame ? sc->frame->t1_ns : 0;
}

uint64_t screen_newest_ns(const struct screen *sc) {
    return sc->newest ? sc->newest->t1_ns : 0;
}

/* What has ended is shown as what it was all the time, not as its last interval. */
static void take_whole(struct screen *sc) {
    struct session *s = sc->s;
    if (sc->opened || !sc->connected || s->state != STREAM_GONE || s->window.n + s->before.n == 0)
        return;
    session_whole(s, &sc->whole, &sc->whole_sample);
    sc->over = true;
}

void screen_settle(struct screen *sc) {
    forget_shown(sc);
    take_whole(sc);
    sc->seen = 0; /* the newest is looked at once more */
    if (sc->connected)
        screen_update(sc);
}

static void follow(float *shown, double now, double dead_band) {
    if (isnan(now) != isnan(*shown) || fabs(now - (double)*shown) > dead_band)
        *shown = (float)now;
}

static void follow_shown(struct screen *sc) {
    int eighths = sc->columns.bar > 1 ? (sc->columns.bar - 1) * 8 : 8;
    for (uint32_t i = 0; i < sc->frame->n_metric; i++) {
        const struct value *v = &sc->frame->at[i];
        struct shown *sh = &sc->shown[i];
        follow(&sh->err, v->err, 0.25 * (double)sh->err);
        follow(&sh->bar, v->v, 0.8 / eighths);
        follow(&sh->duty, (double)v->duty, v->duty >= 1 ? 0 : 0.008);
    }
}

void screen_jump(struct screen *sc) {
    if (!sc->shown || !sc->frame)
        return;
    forget_values(sc);
    follow_shown(sc);
}

void screen_shows_newest(struct screen *sc) {
    sc->frame = sc->newest;
    sc->sample = sc->frozen ? &sc->held_sample : &sc->s->sample;
    if (sc->opened && sc->opened->complete && !sc->frozen) { /* of a stored run the whole of it */
        sc->frame = &sc->opened->whole;
        sc->sample = &sc->opened->whole_sample;
    }
    if (sc->over && !sc->frozen) {
        sc->frame = sc->newest = &sc->whole;
        sc->sample = &sc->whole_sample;
    }
}

const char *screen_away_words(const struct screen *sc, char *buf, size_t cap) {
    const char *name = sc->s->source.opt.target.name;
    char safe[48];
    snprintf(buf, cap, "waiting for %s", str_safe(safe, sizeof(safe), name ? name : "a process"));
    return buf;
}

/* Once: the end of the path can be seen, and is selected unless the user was faster. */
static void open_path(struct screen *sc) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (sc->path_opened || b->n == 0 || focus_policy_follows(sc))
        return;
    sc->path_opened = true;
    if (sc->touched)
        outline_reveal(&sc->tree, b->at[b->n - 1]);
    else
        outline_go(&sc->tree, b->at[b->n - 1]);
    if (b->tie[0] != METRIC_NONE)
        outline_reveal(&sc->tree, b->tie[0]);
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
    follow_shown(sc);
    sentence_follow(sc);
    sc->sentence.of = NULL;
}

static void show_whole(struct screen *sc) {
    if (sc->cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        follow_shown(sc);
    }
    baseline_update(sc);
    sentence_follow(sc);
}

void screen_sample(struct screen *sc) {
    sc->seen = sc->s->n_frames;
    if (sc->frozen)
        return;
    sc->newest = sc->over ? &sc->whole : &sc->s->frame;
    if (sc->over) {
        show_whole(sc);
        return;
    }
    if (sc->s->sample.early) {
        show_early(sc);
        return;
    }
    end_hint(sc);
    screen_follow_interval(sc);
    changes_frame(sc);
    if (sc->cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        follow_shown(sc);
        if (!sc->opened || sc->opened->complete) /* the path of the whole, not of its begin */
            open_path(sc);
        focus_policy_frame(sc);
    }
    baseline_update(sc); /* the sentence speaks of it */
    sentence_note(sc);
    if (!sc->opened) /* of a stored run only what is drawn says something */
        sentence_follow(sc);
}

bool screen_update(struct screen *sc) {
    if (sc->s->n_frames == 0)
        return false;
    cost_note(&sc->cost, sc->s->n_frames);
    if (sc->seen != sc->s->n_frames || (sc->newest != &sc->s->frame && !sc->over) || sc->opened)
        screen_sample(sc);
    focus_policy_tell(sc);
    if (sc->frozen)
        return false;
    screen_update_trends(sc);
    baseline_update(sc); /* of what was pinned meanwhile */
    screen_take_rows(sc);
    return true;
}

/* --- rows --- */

void screen_take_rows(struct screen *sc) {
    if (!sc->frozen && screen_has_rows(sc) &&
        rows_update(&sc->rows, &sc->s->units, &sc->s->eval) < 0)
        screen_say(sc, "no memory for more rows: close other programs");
}

/* The tree is back where it was, also where the user goes on to it from a metric beside it. */
static void end_visit(struct screen *sc, enum main_view view) {
    sc->visit.on = false;
    if (view != VIEW_BENCH && screen_selected(sc) < (int)screen_model(sc)->n_tree)
        return;
    outline_return(&sc->tree, &sc->visit.tree);
    sc->touched = sc->visit.touched;
}

void screen_view(struct screen *sc, enum main_view view) {
    const struct home_view *from = views_row(sc->view), *to = views_row(view);
    search_end(sc);
    if (sc->visit.on)
        end_visit(sc, view);
    if (sc->connected && from && from->leave)
        from->leave(sc);
    sc->view = view;
    if (!sc->connected)
        return;
    if (to && !to->past)
        cursor_live(sc); /* the past has no rows */
    if (to && to->enter)
        to->enter(sc);
    session_units(sc->s, screen_has_rows(sc));
}

const char *screen_no_rows(const struct screen *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    bool cpus = sc->view == VIEW_CPUS;
    if (!sc->connected || !s->source.ops)
        return str_copy(buf, cap, "opening counters ...");
    if (!s->source.ops->units)
        return str_copy(buf, cap, "no rows per thread or CPU: this source has sums only");
    if (sc->rows.table.n > 0)
        return keys_in_words(cpus ? "What is measured are threads: {threads} shows them. A row for "
                                    "each CPU needs the whole machine: start tdtop -a."
                                  : "What is measured are CPUs: {cpus} shows them. A row for each "
                                    "thread needs a process: start tdtop -p PID, or tdtop alone to "
                                    "choose one.",
                             buf, cap);
    if (s->state != STREAM_LIVE)
        return str_copy(buf, cap, "counting has ended: no rows were taken at its end");
    if (sc->frozen)
        return keys_in_words("frozen before rows were counted: {freeze} goes on", buf, cap);
    char text[16];
    snprintf(buf, cap, "rows are counted from now on (%s) ...",
             words_interval(text, sizeof(text), s->control.interval_ns));
    return buf;
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

/* True of a click on words that lie over the keys of the key line: it is none on a key that nobody
 * sees. */
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
        screen_mouse(sc, m);
    focus_policy_tell(sc);
    if (!types_active(sc)) /* it was one for another core type */
        sc = sc->types->at[sc->types->active];
    search_settle(sc);
    snapshot_asks(sc);
    focus_policy_tell(sc);
    types_follow(sc);
}

void screen_say(struct screen *sc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char words[sizeof(sc->message)];
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    keys_in_words(words, sc->message, sizeof(sc->message));
}
