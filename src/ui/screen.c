#include "ui/screen.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/explain_fit.h"
#include "ui/keys.h"
#include "ui/runs_open.h"
#include "ui/words.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which view is drawn in which pane. */
static const struct view_ops *const pane_view[PANE_N] = {
    [PANE_HEADER] = &view_header, [PANE_FUNNEL] = &view_funnel, [PANE_VITALS] = &view_vitals,
    [PANE_TREE] = &view_tree,     [PANE_STACK] = &view_stack,   [PANE_PLOT] = &view_plot,
    [PANE_SIDE] = &view_side,     [PANE_KEYS] = &view_keyline,  [PANE_TYPE] = &view_type,
    [PANE_STRIP] = &view_strip,
};
static const struct view_ops *const rows_view[VIEW_N] = {
    [VIEW_THREADS] = &view_threads, [VIEW_CPUS] = &view_cpus, [VIEW_DIFF] = &view_diff};

static const struct view_ops *view_in(const struct screen *sc, int pane) {
    return pane == PANE_ROWS ? rows_view[sc->view] : pane_view[pane];
}

static const struct panes *panes_of(const struct screen *sc) {
    return sc->view == VIEW_TREE ? &sc->panes : &sc->row_panes;
}

int screen_init(struct screen *sc, struct session *s, int level, struct err *err) {
    *sc = (struct screen){.s = s, .level = level > 0 ? level : 2, .plot_metric = METRIC_NONE};
    sc->search.from = METRIC_NONE;
    sc->pressed = PANE_N;
    cost_begin(&sc->cost);
    int rc = explain_load(&sc->explain, err);
    if (rc < 0)
        return rc;
    if (outline_init(&sc->tree, &s->model, sc->level) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    return 0;
}

/* --- trends --- */

/* Widths of a bucket of time that read well on an axis. */
static const uint64_t buckets[] = {
    NS_PER_S / 10, NS_PER_S / 5,   NS_PER_S / 2,   NS_PER_S,       NS_PER_S * 2,
    NS_PER_S * 3,  NS_PER_S * 5,   NS_PER_S * 10,  NS_PER_S * 20,  NS_PER_S * 30,
    NS_PER_S * 60, NS_PER_S * 120, NS_PER_S * 300, NS_PER_S * 600, NS_PER_S * 3600,
};

static uint64_t bucket_for(uint64_t least_ns) {
    size_t i = 0;
    while (i + 1 < sizeof(buckets) / sizeof(buckets[0]) && buckets[i] < least_ns)
        i++;
    return buckets[i];
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
    free(sc->dots);
    free(sc->pile);
    sc->dots = sc->pile = NULL;
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

/* Trends are as long as the screen is wide. */
static int make_trends(struct screen *sc) {
    drop_trends(sc);
    if (!sc->connected || sc->panes.too_small)
        return 0;
    uint64_t interval = sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns;
    int n_spark = sc->panes.at[PANE_TREE].w > 0 ? sc->columns.spark - 1 : 0;
    int n_plot = sc->panes.at[PANE_PLOT].w > 0 ? 2 * sc->panes.at[PANE_PLOT].w : 0;
    sc->n_dots = n_plot > n_spark ? n_plot : n_spark;
    sc->dots = calloc((size_t)(sc->n_dots > 0 ? sc->n_dots : 1), sizeof(*sc->dots));
    sc->pile = calloc((size_t)(sc->n_dots > 0 ? sc->n_dots : 1), sizeof(*sc->pile));
    if (!sc->dots || !sc->pile)
        return -ENOMEM;
    int rc = make_trend(sc, &sc->spark, n_spark, spark_bucket(interval), &sc->has_spark);
    if (rc == 0)
        rc = make_trend(sc, &sc->plot, n_plot, plot_bucket(interval), &sc->has_plot);
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
    zoom(&sc->spark, sc->has_spark, spark_bucket(dt));
    zoom(&sc->plot, sc->has_plot, plot_bucket(dt));
}

static void update_trends(struct screen *sc) {
    if (!sc->newest)
        return;
    struct session *s = sc->s;
    if (sc->has_spark)
        trend_update(&sc->spark, &s->history, &s->eval, sc->newest->t1_ns);
    if (sc->has_plot)
        trend_update(&sc->plot, &s->history, &s->eval, sc->newest->t1_ns);
}

uint64_t screen_bucket_ns(const struct screen *sc) {
    if (sc->has_plot)
        return sc->plot.bucket_ns;
    return plot_bucket(sc->interval_ns ? sc->interval_ns : sc->s->control.interval_ns);
}

uint64_t screen_first_bucket(const struct trend *t, int n, int parts) {
    uint64_t step = (uint64_t)(n >= parts ? n / parts : 1);
    uint64_t end = (t->newest / step + 1) * step;
    return end < (uint64_t)n ? 0 : end - (uint64_t)n;
}

float *screen_values(struct screen *sc, const struct trend *t, int metric, uint64_t first, int n) {
    for (int i = 0; i < n; i++) {
        uint64_t bucket = first + (uint64_t)i;
        bool held = bucket <= t->newest && t->newest - bucket < (uint64_t)t->n;
        sc->dots[i] = held ? (float)trend_at(t, metric, t->n - 1 - (int)(t->newest - bucket)) : NAN;
    }
    return sc->dots;
}

/* --- life --- */

void screen_destroy(struct screen *sc) {
    drop_trends(sc);
    frame_destroy(&sc->held);
    sample_destroy(&sc->held_sample);
    outline_destroy(&sc->tree);
    attention_destroy(&sc->attention);
    canvas_destroy(&sc->canvas);
    explain_free(&sc->explain);
    needs_destroy(&sc->needs);
    account_destroy(&sc->account);
    rows_destroy(&sc->rows);
    cursor_destroy(&sc->cursor);
    baseline_destroy(&sc->base);
    diff_destroy(&sc->diff);
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
    sc->plot_metric = METRIC_NONE;
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
    account_destroy(&sc->account);
    rows_destroy(&sc->rows);
    free(sc->shown);
    sc->shown = calloc(s->model.n_metric ? s->model.n_metric : 1, sizeof(*sc->shown));
    if (!sc->shown || outline_init(&sc->tree, &s->model, sc->level) < 0 ||
        attention_init(&sc->attention, &s->model) < 0 || needs_init(&sc->needs, &s->model) < 0 ||
        account_init(&sc->account, &s->model, &s->source.layout) < 0 ||
        frame_init(&sc->held, s->model.n_metric) < 0 ||
        sample_init(&sc->held_sample, s->source.layout.n_slot) < 0 ||
        rows_init(&sc->rows, &s->model, s->source.layout.n_slot) < 0 ||
        cursor_init(&sc->cursor, s->model.n_metric, s->source.layout.n_slot) < 0 ||
        make_trends(sc) < 0)
        return err_set(err, -ENOMEM, "screen: out of memory");
    forget_shown(sc);
    explain_fit(&sc->explain, &s->model);
    if (s->own_note[0])
        screen_say(sc, "%s", s->own_note);
    open_selection(sc);
    attention_tell(sc);
    return 0;
}

/* Nothing is measured: rows and keys have all the room. */
static void leave_rows(struct panes *p) {
    const struct rect last = p->at[PANE_KEYS];
    memset(p->at, 0, sizeof(p->at));
    p->at[PANE_KEYS] = last;
    p->at[PANE_ROWS] = (struct rect){0, 0, last.w, last.y};
}

int screen_resize(struct screen *sc, int w, int h) {
    canvas_destroy(&sc->canvas);
    int rc = canvas_init(&sc->canvas, w > 0 ? w : 1, h > 0 ? h : 1);
    if (rc < 0)
        return rc;
    layout_panes(w, h, &sc->panes);
    layout_rows(w, h, &sc->row_panes);
    if (sc->runs && sc->runs->alone)
        leave_rows(&sc->row_panes);
    types_layout(sc, w, h);
    return screen_columns(sc);
}

int screen_columns(struct screen *sc) {
    layout_columns(sc->panes.at[PANE_TREE].w - 1, sc->beside, sc->base.on, &sc->columns);
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

void screen_settle(struct screen *sc) {
    forget_shown(sc);
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
}

/* Once: the end of the path can be seen, and is selected unless the user was faster. */
static void open_path(struct screen *sc) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    if (sc->path_opened || b->n == 0 || attention_follows(sc))
        return;
    sc->path_opened = true;
    if (sc->touched)
        outline_reveal(&sc->tree, b->at[b->n - 1]);
    else
        outline_go(&sc->tree, b->at[b->n - 1]);
    if (b->tie[0] != METRIC_NONE)
        outline_reveal(&sc->tree, b->tie[0]);
}

bool screen_update(struct screen *sc) {
    if (sc->s->n_frames == 0)
        return false;
    cost_note(&sc->cost, sc->s->n_frames);
    if (sc->frozen) {
        attention_tell(sc);
        return false;
    }
    sc->newest = &sc->s->frame;
    follow_interval(sc);
    if (sc->cursor.shows == CURSOR_LIVE) {
        screen_shows_newest(sc);
        follow_shown(sc);
        open_path(sc);
        attention_frame(sc);
    }
    attention_tell(sc);
    update_trends(sc);
    baseline_update(sc);
    if (screen_has_rows(sc) && rows_update(&sc->rows, &sc->s->units, &sc->s->eval) < 0)
        screen_say(sc, "no memory for more rows: close other programs");
    return true;
}

/* --- rows --- */

void screen_view(struct screen *sc, enum main_view view) {
    static const enum rows_kind kind[VIEW_N] = {[VIEW_CPUS] = ROWS_CPUS};
    sc->view = view;
    if (!sc->connected)
        return;
    if (view != VIEW_TREE)
        cursor_live(sc); /* the past has no rows */
    if (screen_has_rows(sc))
        rows_begin(&sc->rows, kind[view], screen_newest_ns(sc), &sc->s->eval);
    session_units(sc->s, screen_has_rows(sc));
}

struct search *screen_search(struct screen *sc) {
    return screen_has_rows(sc) ? &sc->rows.filter : &sc->search;
}

const char *screen_no_rows(const struct screen *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    bool cpus = sc->view == VIEW_CPUS;
    if (!sc->connected || !s->source.ops)
        return str_copy(buf, cap, "opening counters ...");
    if (!s->source.ops->units)
        return str_copy(buf, cap, "no rows per thread or CPU: this source has sums only");
    if (sc->rows.table.n > 0)
        return str_copy(buf, cap,
                        cpus ? "counted per thread: t shows them; -a counts per CPU"
                             : "counted per CPU: c shows them; -p PID counts per thread");
    if (s->state != STREAM_LIVE)
        return str_copy(buf, cap, "counting has ended: no rows were taken at its end");
    if (sc->frozen)
        return str_copy(buf, cap, "frozen before rows were counted: Space goes on");
    char text[16];
    snprintf(buf, cap, "rows are counted from now on (%s) ...",
             words_interval(text, sizeof(text), s->control.interval_ns));
    return buf;
}

/* --- drawing --- */

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

/* Of one that is beside the active one all but header and keys. */
static void draw_panes(struct screen *sc, struct canvas *c) {
    const struct rect *at = panes_of(sc)->at;
    bool shared = !types_active(sc);
    for (int i = 0; i < PANE_N; i++)
        if (at[i].w > 0 && !(shared && (i == PANE_HEADER || i == PANE_KEYS)))
            view_in(sc, i)->draw(sc, c, at[i]);
}

/* The stored runs leave header and key line, as a popup does; alone they need no header. */
static struct rect runs_room(const struct screen *sc) {
    struct rect r = popup_room(sc);
    if (sc->runs->alone) {
        r.h += r.y;
        r.y = 0;
    }
    return r;
}

static const struct view_ops *runs_in(const struct screen *sc) {
    return sc->runs->mode == RUNS_TREND ? &view_runs_trend : &view_runs;
}

static void draw_runs(struct screen *sc, struct canvas *c) {
    struct rect r = runs_room(sc);
    runs_prepare(sc, r);
    if (!sc->runs->alone)
        view_header.draw(sc, c, sc->panes.at[PANE_HEADER]);
    runs_in(sc)->draw(sc, c, r);
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

void screen_draw(struct screen *sc) {
    struct canvas *c = &sc->canvas;
    canvas_clear(c);
    if (sc->panes.too_small) {
        draw_too_small(sc);
        return;
    }
    draw_main(sc, c);
    if (sc->popup) {
        canvas_fade(c, popup_room(sc));
        sc->popup->draw(sc, c, popup_room(sc));
    }
}

/* --- keys --- */

static bool inside(struct rect r, int x, int y) {
    return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

/* What is dragged goes to where it was pressed, and only the plot takes it. */
static void drag_mouse(struct screen *sc, const struct mouse *m) {
    const struct rect *at = panes_of(sc)->at;
    if (!sc->popup && sc->pressed == PANE_PLOT && at[PANE_PLOT].w > 0)
        view_plot.mouse(sc, at[PANE_PLOT], m);
}

static void press_mouse(struct screen *sc, const struct mouse *m) {
    if (!m || sc->panes.too_small)
        return;
    if (m->what == MOUSE_DRAG) {
        drag_mouse(sc, m);
        return;
    }
    sc->pressed = PANE_N;
    bool on_keys = inside(sc->panes.at[PANE_KEYS], m->x, m->y);
    if (sc->popup && !on_keys) {
        if (sc->popup->mouse)
            sc->popup->mouse(sc, popup_room(sc), m);
        return;
    }
    if (runs_shown(sc) && !on_keys) {
        if (inside(runs_room(sc), m->x, m->y))
            runs_in(sc)->mouse(sc, runs_room(sc), m);
        return;
    }
    struct screen *under = types_under(sc, m);
    if (under != sc) {
        types_switch(sc, under->type - sc->type);
        sc = under;
    }
    const struct rect *at = panes_of(sc)->at;
    for (int i = 0; i < PANE_N; i++)
        if (inside(at[i], m->x, m->y)) {
            sc->pressed = i;
            if (view_in(sc, i)->mouse)
                view_in(sc, i)->mouse(sc, at[i], m);
        }
}

/* A key that no binding takes: a character of what is being typed. */
static void type_key(struct screen *sc, uint32_t key) {
    if (sc->ask.typing)
        form_key(&sc->ask.text, key);
    else if (sc->popup == &popup_snapshot)
        snapshot_key(sc, key);
    else if (screen_search(sc)->typing)
        search_type(sc, key);
}

void screen_key(struct screen *sc, uint32_t key, const struct mouse *m) {
    sc->message[0] = '\0';
    if (key == KEYC_MOUSE) {
        press_mouse(sc, m);
        return;
    }
    const struct key_binding *kb = keys_find(key, keys_context(sc));
    if (kb)
        kb->act(sc, key);
    else
        type_key(sc, key);
    attention_tell(sc);
    types_follow(sc);
}

void screen_say(struct screen *sc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(sc->message, sizeof(sc->message), fmt, ap);
    va_end(ap);
}
