#include "ui/app/views.h"

#include "ui/app/keys.h"
#include "ui/runs/runs_keys.h"
#include "ui/view/doctor_page.h"
#include "ui/view/funnel.h"
#include "ui/view/metrics_view.h"

#include <string.h>

/* --- the tree --- */

/* The user is at the tree: its selection and its arrow keys are his. */
static void touch(struct screen *sc) {
    sc->touched = true;
    sc->cursor.focused = false;
}

static void tree_move(struct screen *sc, int rows) {
    touch(sc);
    outline_move(&sc->tree, rows);
}

static void tree_end(struct screen *sc, bool last) {
    touch(sc);
    outline_select(&sc->tree, last ? sc->tree.n_row - 1 : 0);
}

/* One screenful but for a row that the eye can hold on to. */
static int tree_page(const struct screen *sc) {
    int h = sc->panes.at[PANE_TREE].h - 2;
    return h > 1 ? h : 1;
}

/* --- the funnel: up and down are its levels --- */

static void funnel_end(struct screen *sc, bool last) {
    funnel_move(sc, last ? SLOTS_BLOCKS : -SLOTS_BLOCKS);
}

/* --- threads and CPUs --- */

static bool has_session(const struct screen *sc) {
    return !runs_alone(sc);
}

static void rows_enter(struct screen *sc) {
    enum rows_kind kind = sc->view == VIEW_CPUS ? ROWS_CPUS : ROWS_THREADS;
    rows_begin(&sc->rows, kind, screen_newest_ns(sc), &sc->s->eval);
    screen_take_rows(sc); /* those of the newest interval, if they were asked for before */
}

/* So many have a cell with a number each beside the other panes; more need the whole width. */
static bool cpus_are_many(const struct screen *sc) {
    return sc->rows.kind == ROWS_CPUS && sc->rows.n_order > 256;
}

static void rows_go_by(struct screen *sc, int rows) {
    rows_move(&sc->rows, rows);
}

static void rows_end(struct screen *sc, bool last) {
    if (last)
        rows_select(&sc->rows, (int)sc->rows.n_shown - 1);
    else
        rows_first(&sc->rows);
}

static int rows_page(const struct screen *sc) {
    return sc->rows.page;
}

/* --- the stored runs, which lie over the view that is there --- */

static bool runs_are_offered(const struct screen *sc) {
    return sc->runs && !sc->opened;
}

static void runs_go(struct screen *sc) {
    if (!runs_shown(sc))
        runs_key_show(sc);
}

/* --- A and B --- */

static bool bench_is_offered(const struct screen *sc) {
    return sc->bench.stored || has_session(sc);
}

/* Two stored runs stay until a baseline takes their place. */
static void bench_go_there(struct screen *sc) {
    if (sc->base.on || !sc->bench.stored)
        bench_open(sc);
    else
        screen_view(sc, VIEW_BENCH);
}

static void bench_end(struct screen *sc, bool last) {
    (last ? bench_last : bench_first)(sc);
}

static int bench_page(const struct screen *sc) {
    return sc->bench.page;
}

/*
 * To add one: its value in enum main_view (screen.h), a context IN_X in keys.h (part of IN_VIEW,
 * and of IN_PAST if it follows the time cursor), its struct view_ops in view.h, a binding "view-ID"
 * in keys.c, and a row here. Rows are in the order of their digits. A row without a file is not put
 * in: what is not in the table is offered nowhere.
 */
static const struct home_view views[] = {
    {.view = VIEW_TREE,
     .digit = '1',
     .id = "tree",
     .name = "Tree",
     .context = IN_TREE,
     .layout = LAYOUT_TREE,
     .past = true,
     .is_offered = has_session,
     .move = tree_move,
     .end = tree_end,
     .page = tree_page},
    {.view = VIEW_FUNNEL,
     .digit = '2',
     .id = "funnel",
     .name = "Funnel",
     .context = IN_FUNNEL,
     .layout = LAYOUT_MAIN,
     .ops = &view_slots,
     .past = true,
     .is_offered = has_session,
     .move = funnel_move_level,
     .end = funnel_end},
    {.view = VIEW_HISTORY,
     .digit = '3',
     .id = "history",
     .name = "History",
     .context = IN_HISTORY,
     .layout = LAYOUT_MAIN,
     .ops = &view_history,
     .past = true,
     .is_offered = has_session,
     .move = history_move,
     .end = history_end,
     .page = history_page},
    {.view = VIEW_THREADS,
     .digit = '4',
     .id = "threads",
     .name = "Threads",
     .context = IN_THREADS,
     .layout = LAYOUT_LIST,
     .ops = &view_threads,
     .is_offered = has_session,
     .enter = rows_enter,
     .move = rows_go_by,
     .end = rows_end,
     .page = rows_page},
    {.view = VIEW_CPUS,
     .digit = '5',
     .id = "cpus",
     .name = "CPUs",
     .context = IN_CPUS,
     .layout = LAYOUT_LIST,
     .is_wide = cpus_are_many,
     .ops = &view_cpus,
     .is_offered = has_session,
     .enter = rows_enter,
     .move = rows_go_by,
     .end = rows_end,
     .page = rows_page},
    {.view = VIEW_METRICS,
     .digit = '6',
     .id = "metrics",
     .name = "Metrics",
     .context = IN_METRICS,
     .layout = LAYOUT_MAIN,
     .ops = &view_metrics,
     .past = true,
     .is_offered = has_session,
     .enter = metrics_enter,
     .move = metrics_go_by,
     .end = metrics_end,
     .page = metrics_page},
    {.view = VIEW_RUNS,
     .digit = '7',
     .id = "runs",
     .name = "Runs",
     .context = IN_RUNS,
     .layout = LAYOUT_MAIN,
     .ops = &view_runs,
     .is_offered = runs_are_offered,
     .go = runs_go},
    {.view = VIEW_BENCH,
     .digit = '8',
     .id = "bench",
     .name = "Bench",
     .context = IN_BENCH,
     .layout = LAYOUT_WHOLE,
     .ops = &view_bench,
     .past = true,
     .is_offered = bench_is_offered,
     .go = bench_go_there,
     .move = bench_move,
     .end = bench_end,
     .page = bench_page},
    {.view = VIEW_DOCTOR,
     .digit = '9',
     .id = "doctor",
     .name = "Doctor",
     .context = IN_DOCTOR,
     .layout = LAYOUT_MAIN,
     .ops = &view_doctor,
     .is_offered = has_session,
     .enter = doctor_enter,
     .move = doctor_go_by,
     .end = doctor_end,
     .page = doctor_page},
};
enum { N_VIEWS = sizeof(views) / sizeof(views[0]) };

const struct home_view *views_all(int *n) {
    *n = N_VIEWS;
    return views;
}

const struct home_view *views_row(enum main_view view) {
    for (int i = 0; i < N_VIEWS; i++)
        if (views[i].view == view)
            return &views[i];
    return NULL;
}

const struct home_view *views_find(const char *id) {
    for (int i = 0; i < N_VIEWS; i++)
        if (strcmp(views[i].id, id) == 0)
            return &views[i];
    return NULL;
}

const struct home_view *views_current(const struct screen *sc) {
    return views_row(runs_shown(sc) ? VIEW_RUNS : sc->view);
}

enum view_layout views_layout(const struct screen *sc, const struct home_view *v) {
    return v->layout == LAYOUT_LIST && v->is_wide && v->is_wide(sc) ? LAYOUT_ROWS : v->layout;
}

bool views_is_offered(const struct screen *sc, const struct home_view *v) {
    return !v->is_offered || v->is_offered(sc);
}

/* The stored runs give way to what was asked for; a stored run that is open has none above it. */
static void leave_runs(struct screen *sc) {
    if (sc->runs && !sc->runs->alone && !sc->opened)
        sc->runs->mode = RUNS_HIDDEN;
}

void views_go(struct screen *sc, const struct home_view *v) {
    bool offered = views_is_offered(sc, v);
    if (v->view != VIEW_RUNS && offered)
        leave_runs(sc);
    if (v->go)
        v->go(sc);
    else if (offered)
        screen_view(sc, v->view);
    else
        screen_say(sc, "nothing is measured here: there are only stored runs");
}

void views_turn(struct screen *sc, int by) {
    const struct home_view *now = views_current(sc);
    int at = (int)(now - views);
    for (int i = 1; i < N_VIEWS; i++) {
        const struct home_view *v = &views[(at + N_VIEWS + by * i) % N_VIEWS];
        if (views_is_offered(sc, v)) {
            views_go(sc, v);
            return;
        }
    }
}
