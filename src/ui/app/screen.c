#include "ui/app/screen.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/app/borders.h"
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

/* --- trends as wide as the screen, and the buckets of time they are made of --- */

/* Widths of a bucket of time that read well on an axis. */
static const uint64_t buckets[] = {
    NS_PER_S / 10,  NS_PER_S / 5,   NS_PER_S / 2,    NS_PER_S,        NS_PER_S * 2,  NS_PER_S * 3,
    NS_PER_S * 5,   NS_PER_S * 10,  NS_PER_S * 20,   NS_PER_S * 30,   NS_PER_S * 60, NS_PER_S * 120,
    NS_PER_S * 300, NS_PER_S * 600, NS_PER_S * 1800, NS_PER_S * 3600,
};

static uint64_t bucket_for(uint64_t least_ns) {
    size_t i = 0;
    while (i + 1 < sizeof(buckets) / sizeof(buckets[0]) && buckets[i] < least_ns)
        i++;
    return buckets[i];
}

uint64_t screen_longer_ns(uint64_t bucket_ns) {
    const uint64_t next = bucket_for(bucket_ns + 1);
    return next > bucket_ns ? next : 2 * bucket_ns;
}

/* A sparkline moves seldom, so that few bytes go to the terminal: 3 s, or two intervals. */
static uint64_t spark_bucket(uint64_t interval_ns) {
    uint64_t least = interval_ns * 3 / 2 <= 3 * NS_PER_S ? 3 * NS_PER_S : interval_ns * 2;
    return bucket_for(least);
}

/* The plot shows every interval; a recording's may be a little longer than their round name. */
static uint64_t plot_bucket(uint64_t interval_ns) {
    return bucket_for(interval_ns - interval_ns / 10);
}

static void drop_trends(struct screen *sc) {
    trend_destroy(&sc->spark);
    trend_destroy(&sc->plot);
    history_view_drop(&sc->history);
    free(sc->dots);
    free(sc->warning);
    free(sc->pile);
    free(sc->lane);
    sc->dots = sc->warning = sc->pile = NULL;
    sc->lane = NULL;
    sc->has_spark = sc->has_plot = false;
    sc->n_dots = 0;
}

static int make_trend(struct screen *sc, struct trend *t, int n, uint64_t bucket_ns, bool *has) {
    if (n <= 0)
        return 0;
    struct session *s = sc->s;
    int rc = trend_init(t, n, bucket_ns, &s->model, s->source.layout.n_slot);
    *has = rc == 0;
    return rc;
}

enum { FUNNEL_PAST_FROM_H = 20 }; /* below that the funnel has no room for the past */

static int make_scratch(struct screen *sc) {
    sc->n_dots = 2 * sc->canvas.w;
    const size_t n = (size_t)sc->n_dots + 1;
    sc->dots = calloc(n, sizeof(*sc->dots));
    sc->warning = calloc(n, sizeof(*sc->warning));
    sc->pile = calloc(n * ROOTS_MAX, sizeof(*sc->pile));
    sc->lane = calloc(n, sizeof(*sc->lane));
    return sc->dots && sc->warning && sc->pile && sc->lane ? 0 : -ENOMEM;
}

/* Trends are as long as the screen is wide. */
static int make_trends(struct screen *sc) {
    drop_trends(sc);
    if (!sc->connected || sc->panes.too_small)
        return 0;
    uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    int n_spark = sc->panes.at[PANE_TREE].w > 0 ? sc->columns.spark - 1 : 0;
    bool plots = sc->panes.at[PANE_PLOT].w > 0 || sc->canvas.h >= FUNNEL_PAST_FROM_H;
    int n_plot = plots ? 2 * sc->canvas.w : 0; /* the funnel has it over the whole width */
    int rc = make_scratch(sc);
    if (rc == 0)
        rc = make_trend(sc, &sc->spark, n_spark, spark_bucket(interval), &sc->has_spark);
    if (rc == 0)
        rc = make_trend(sc, &sc->plot, n_plot, plot_bucket(interval), &sc->has_plot);
    if (rc == 0 && sc->has_plot)
        rc = trend_keep_err(&sc->plot);
    return rc;
}

static void zoom(struct trend *t, bool has, uint64_t bucket_ns) {
    if (has && t->bucket_ns != bucket_ns)
        trend_zoom(t, bucket_ns);
}

/* Follows the interval between frames once three in a row agree that it has changed. */
static void follow_interval(struct screen *sc) {
    uint64_t dt = sc->newest->t1_ns - sc->newest->t0_ns;
    bool odd = dt * 10 > sc->interval_ns * 14 || dt * 14 < sc->interval_ns * 10;
    sc->odd_intervals = odd ? sc->odd_intervals + 1 : 0;
    if (dt == 0 || (sc->interval_ns && sc->odd_intervals < 3))
        return;
    sc->interval_ns = dt;
    sc->odd_intervals = 0;
    zoom(&sc->plot, sc->has_plot, plot_bucket(dt));
}

/* A young session has finer buckets, so that its sparklines fill their column: it becomes the
 * usual one in two or three steps. */
static uint64_t spark_bucket_now(const struct screen *sc) {
    const uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    const uint64_t usual = spark_bucket(interval);
    uint64_t bucket = plot_bucket(interval);
    while (bucket < usual && bucket * (uint64_t)sc->spark.n < sc->newest->t1_ns)
        bucket = screen_longer_ns(bucket);
    return bucket < usual ? bucket : usual;
}

static void update_trends(struct screen *sc) {
    if (!sc->newest)
        return;
    struct session *s = sc->s;
    zoom(&sc->spark, sc->has_spark, spark_bucket_now(sc));
    if (sc->has_spark)
        trend_update(&sc->spark, &s->history, &s->eval, sc->newest->t1_ns);
    if (sc->has_plot)
        trend_update(&sc->plot, &s->history, &s->eval, sc->newest->t1_ns);
}

/* In whole buckets once there is one: it changes as they do. */
const char *screen_last_words(const struct screen *sc, int n, char *buf, size_t cap) {
    uint64_t bucket = sc->spark.bucket_ns, all = bucket * (uint64_t)n;
    uint64_t now = screen_newest_ns(sc);
    char span[16];
    if (now > bucket)
        now -= now % bucket;
    words_span(span, sizeof(span), now > 0 && now < all ? now : all);
    snprintf(buf, cap, "last %s", span);
    return buf;
}

uint64_t screen_bucket_ns(const struct screen *sc) {
    const uint64_t finest_ns = screen_finest_ns(sc), column_ns = sc->history.x.cell_ns;
    return sc->view == VIEW_HISTORY && column_ns > finest_ns ? column_ns : finest_ns;
}

uint64_t screen_finest_ns(const struct screen *sc) {
    if (sc->has_plot)
        return sc->plot.bucket_ns;
    return plot_bucket(sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns);
}

uint64_t screen_first_bucket(const struct trend *t, int n, int parts) {
    uint64_t step = (uint64_t)(n >= parts ? n / parts : 1);
    uint64_t end = (t->newest / step + 1) * step;
    return end < (uint64_t)n ? 0 : end - (uint64_t)n;
}

int screen_whole_buckets(const struct trend *t, uint64_t first, int n) {
    if (t->newest <= first)
        return 0;
    return t->newest - first < (uint64_t)n ? (int)(t->newest - first) : n;
}

float *screen_values(struct screen *sc, const struct trend *t, int metric, uint64_t first, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t bucket = first + (uint64_t)i;
        bool held = bucket <= t->newest && t->newest - bucket < (uint64_t)t->n;
        sc->dots[i] = held ? (float)trend_at(t, metric, t->n - 1 - (int)(t->newest - bucket)) : NAN;
    }
    return sc->dots;
}

/* --- what is drawn where --- */

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

/* --- life --- */

int screen_init(struct screen *sc, struct session *s, int level, struct err *err) {
    *sc = (struct screen){.s = s, .level = level > 0 ? level : 2, .funnel_zoom = METRIC_NONE};
    sc->search.from = METRIC_NONE;
    sc->pressed = PANE_N;
    cost_begin(&sc->cost);
    if (outline_init(&sc->tree, &s->model, sc->level) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    return 0;
}

void screen_destroy(struct screen *sc) {
    drop_trends(sc);
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

/* The same, but for the plot: its axis holds while the time cursor moves along it. */
static void forget_values(struct screen *sc) {
    for (uint32_t i = 0; i < sc->s->model.n_metric; i++)
        sc->shown[i] = (struct shown){NAN, NAN, NAN};
    for (int i = 0; i < ROOTS_MAX; i++)
        sc->anchor[i] = -1; /* left of every segment: placed again */
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
        make_trends(sc) < 0)
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
    int rc = make_trends(sc);
    if (rc == 0)
        update_trends(sc);
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
    follow_interval(sc);
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
    update_trends(sc);
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
