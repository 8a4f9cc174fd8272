#include "ui/runs/runs_keys.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/app/views.h"
#include "ui/runs/runs_keys_impl.h"
#include "ui/runs/runs_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct run_row *runs_selected(const struct screen *sc) {
    const struct runs_trend *t = &sc->runs->trend;
    if (sc->runs->mode == RUNS_TREND)
        return t->n ? t->row[t->selected] : NULL;
    return runs_row(runs_list(sc), runs_list(sc)->selected);
}

const struct run_row *runs_needed(struct screen *sc) {
    const struct run_row *row = runs_selected(sc);
    if (row && row->removed_ns)
        screen_say(sc, "run %.8s is removed: {runs-undo} brings it back", row->id);
    else if (!row)
        screen_say(sc, runs_heading(runs_list(sc), runs_list(sc)->selected)
                           ? "this is a group of runs: {runs-open} opens it"
                           : "no run is selected");
    return row && !row->removed_ns ? row : NULL;
}

int runs_load(struct screen *sc, const char *id, unsigned parts, struct run *out) {
    struct err err = {0};
    const int rc = store_load(&runs_list(sc)->store, id, parts, out, &err);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    return rc;
}

/* ---- there and back ---- */

static void show(struct screen *sc) {
    struct runs_view *rv = sc->runs;
    rv->mode = RUNS_LIST;
    rv->looked_ns = clock_now_ns();
    sc->popup = NULL;
    rv->over_bench = sc->view == VIEW_BENCH;
    if (rv->over_bench) /* it would lie over the list */
        screen_view(sc, VIEW_TREE);
    if (rv->list.state == RUNS_READY)
        runs_look(&rv->list);
    else
        runs_reload(&rv->list); /* it may be there by now */
}

static void leave(struct screen *sc) {
    sc->runs->mode = RUNS_HIDDEN;
    if (sc->runs->over_bench)
        views_go(sc, views_row(VIEW_BENCH));
}

static void hide(struct screen *sc) {
    if (runs_alone(sc))
        screen_say(sc, "q ends the program");
    else
        leave(sc);
}

void runs_key_show(struct screen *sc) {
    if (!sc->runs)
        screen_say(sc, "stored runs cannot be shown here");
    else if (sc->view == VIEW_BENCH && sc->runs->mode != RUNS_HIDDEN)
        screen_view(sc, VIEW_TREE);
    else if (sc->opened)
        sc->runs->closing = true;
    else if (sc->runs->mode == RUNS_HIDDEN)
        show(sc);
    else
        hide(sc);
}

static void leave_trend(struct screen *sc) {
    sc->runs->mode = RUNS_LIST;
    if (sc->runs->of_bench)
        screen_view(sc, VIEW_BENCH);
    sc->runs->of_bench = false;
}

void runs_key_back(struct screen *sc) {
    struct runs *r = runs_list(sc);
    struct err err = {0};
    if (sc->runs->mode == RUNS_TREND) {
        leave_trend(sc);
    } else if (r->text[0] || r->filter_text[0]) {
        r->text[0] = '\0';
        runs_filter(r, "", &err);
    } else if (r->key[0]) {
        runs_group_by(r, "");
    } else {
        hide(sc);
    }
}

void runs_key_quit(struct screen *sc) {
    if (sc->opened)
        sc->runs->closing = true;
    else if (sc->runs->mode == RUNS_TREND)
        leave_trend(sc);
    else if (runs_alone(sc))
        sc->quit = true;
    else
        leave(sc);
}

/* ---- moving ---- */

void runs_key_move(struct screen *sc, int rows) {
    runs_move(runs_list(sc), rows);
}

void runs_key_page(struct screen *sc, int pages) {
    const int h = sc->canvas.h - 9;
    runs_move(runs_list(sc), pages * (h > 1 ? h : 1));
}

/* The top again: what is newest is followed from now on. */
void runs_key_first(struct screen *sc) {
    runs_first(runs_list(sc));
}

void runs_key_last(struct screen *sc) {
    runs_select(runs_list(sc), UINT64_MAX);
}

void runs_key_fold(struct screen *sc, int by) {
    struct runs *r = runs_list(sc);
    if (by < 0 || runs_heading(r, r->selected))
        runs_fold(r, r->selected, by);
}

void runs_key_fold_all(struct screen *sc) {
    if (runs_list(sc)->key[0])
        runs_fold_all(runs_list(sc));
    else
        screen_say(sc, "nothing to open or close: g groups the runs by a label");
}

/* ---- which, and in which order ---- */

static void searched(struct screen *sc, const char *text) {
    if (strcmp(text, runs_list(sc)->text) != 0)
        runs_search(runs_list(sc), text);
}

void runs_key_search(struct screen *sc) {
    ask_begin_following(sc, "runs with the text:", runs_list(sc)->text, searched);
}

static void filtered(struct screen *sc, const char *text) {
    struct err err = {0};
    if (runs_filter(runs_list(sc), text, &err) < 0)
        screen_say(sc, "%s", err.text);
}

void runs_key_filter(struct screen *sc) {
    ask_begin(sc, "key=value key!=value key~part key !key:", runs_list(sc)->filter_text, filtered);
}

static void grouped(struct screen *sc, const char *text) {
    runs_group_by(runs_list(sc), text);
    if (text[0] && runs_list(sc)->n_group == 1 && !runs_list(sc)->group[0].value)
        screen_say(sc, "no run has a label %.60s", text);
}

void runs_key_group(struct screen *sc) {
    ask_begin(
        sc,
        runs_list(sc)->key[0] ? "group by the label (none: no groups):" : "group by the label:", "",
        grouped);
}

static void say_sort(struct screen *sc) {
    const struct runs *r = runs_list(sc);
    screen_say(sc, "sorted by %s, %s first",
               r->sort == RUNS_SORT_METRIC ? r->metric : runs_sorts[r->sort].name,
               runs_sorts[r->sort].order == BY_TIME ? runs_descend(r) ? "the newest" : "the oldest"
               : runs_descend(r)                    ? "the highest"
                                                    : "the lowest");
}

void runs_key_sort(struct screen *sc, int by) {
    runs_sort_step(runs_list(sc), by);
    say_sort(sc);
}

void runs_key_invert(struct screen *sc) {
    runs_invert(runs_list(sc));
    say_sort(sc);
}

/* ---- the trend ---- */

static void read_trend(struct screen *sc) {
    struct runs *r = runs_list(sc);
    struct err err = {0};
    if (runs_trend_read(&sc->runs->trend, r, r->key[0] ? runs_group_of(r, r->selected) : NULL,
                        &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        sc->runs->mode = RUNS_TREND;
}

static void metric_chosen(struct screen *sc, const char *text) {
    struct err err = {0};
    if (!text[0])
        return;
    if (runs_show_metric(runs_list(sc), text, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (sc->runs->mode == RUNS_TREND)
        read_trend(sc);
}

void runs_key_metric(struct screen *sc) {
    ask_begin(sc, "metric, such as Memory_Bound:", "", metric_chosen);
}

/* Of the column that the runs are sorted by, if that is a metric. */
void runs_key_trend(struct screen *sc) {
    struct runs *r = runs_list(sc);
    const char *metric = runs_sorts[r->sort].metric;
    struct err err = {0};
    if (sc->runs->mode == RUNS_TREND)
        leave_trend(sc);
    else if (r->state != RUNS_READY || r->total == 0)
        screen_say(sc, "there are no runs to show a trend of");
    else if (metric && strcmp(metric, r->metric) != 0 && runs_show_metric(r, metric, &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        read_trend(sc);
}

void runs_key_along(struct screen *sc, int by) {
    runs_trend_move(&sc->runs->trend, by);
}

void runs_key_odd(struct screen *sc, int by) {
    if (!runs_trend_jump(&sc->runs->trend, by))
        screen_say(sc, "no run beyond this one stands out");
}

/* ---- one run ---- */

static void show_about(struct screen *sc, struct run *r) {
    run_free(&sc->runs->about);
    sc->runs->about = *r;
    sc->scroll = sc->scroll_max = 0;
    sc->popup = &popup_run;
}

void runs_key_about(struct screen *sc) {
    struct run r;
    const struct run_row *row;
    sc->scroll = sc->scroll_max = 0;
    if (sc->popup == &popup_run)
        sc->popup = NULL;
    else if (sc->opened)
        sc->popup = &popup_run;
    else if (!runs_shown(sc))
        screen_say(sc, "i tells about a stored run: r lists them");
    else if ((row = runs_needed(sc)) && runs_load(sc, row->id, RUN_HEAD, &r) == 0)
        show_about(sc, &r);
}

/* Values that were imported have no counts: they can be read all the same. */
static void open_run(struct screen *sc, const char *id) {
    struct run r, head;
    struct err err = {0};
    if (runs_load(sc, id, RUN_ALL, &r) < 0)
        return;
    const int rc = runs_open_new(sc, &r, &sc->runs->open, &err);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(&sc->runs->open->sc,
                   "{back} goes back to the runs; {runs-about}: labels and environment; {earlier} "
                   "{later} go through time");
    if (rc == -ENODATA && runs_load(sc, id, RUN_HEAD, &head) == 0)
        show_about(sc, &head);
}

void runs_key_open(struct screen *sc) {
    struct runs *r = runs_list(sc);
    const bool heading = sc->runs->mode == RUNS_LIST && runs_heading(r, r->selected);
    const struct run_row *row = heading ? NULL : runs_needed(sc);
    if (heading)
        runs_fold(r, r->selected, 0);
    else if (row)
        open_run(sc, row->id);
}

void runs_key_mark(struct screen *sc) {
    struct runs *r = runs_list(sc);
    if (runs_heading(r, r->selected) || runs_needed(sc)) {
        runs_mark(r, r->selected);
        runs_move(r, 1);
    }
}

void runs_key_baseline(struct screen *sc) {
    const struct run_row *row = runs_needed(sc);
    struct err err = {0};
    struct run r;
    char id[RUN_ID_LEN + 1];
    if (!row)
        return;
    memcpy(id, row->id, sizeof(id));
    if (runs_alone(sc))
        screen_say(
            sc,
            "nothing is measured here: {runs-mark} marks two runs, {runs-compare} compares them");
    else if (runs_load(sc, id, RUN_HEAD, &r) < 0)
        return; /* it has said why */
    else if (baseline_pin_run(sc, &r, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (sc->base.on)
        screen_say(sc, "run %.8s is the baseline: {runs-back}, then {bench} shows what has changed",
                   id);
}
