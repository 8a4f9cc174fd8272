#include "ui/runs/runs_keys.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/pool_of_runs.h"
#include "db/store.h"
#include "model/stats/outlier.h"
#include "ui/runs/runs_choices.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_pages.h"
#include "ui/runs/runs_view.h"
#include "ui/scene/app.h"
#include "ui/screen/screen.h"
#include "ui/screen/views.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct runs *list_of(const struct screen *sc) {
    return &sc->runs->list;
}

/* The run that is selected, in the list or in the trend; or NULL. */
static const struct run_row *selected_run(const struct screen *sc) {
    const struct runs_trend *t = &sc->runs->trend;
    if (sc->runs->mode == RUNS_TREND)
        return t->n ? t->row[t->selected] : NULL;
    return runs_row(list_of(sc), list_of(sc)->rows.at);
}

/* The same where a key needs one; says so if there is none. */
static const struct run_row *needed_run(struct screen *sc) {
    const struct run_row *row = selected_run(sc);
    if (row && row->removed_ns)
        screen_say(sc, "run %.8s is removed: {runs-undo} brings it back", row->id);
    else if (!row)
        screen_say(sc, runs_heading(list_of(sc), list_of(sc)->rows.at)
                           ? "this is a group of runs: {runs-open} opens it"
                           : "no run is selected");
    return row && !row->removed_ns ? row : NULL;
}

/* Loads a run, or says why not. 0 or negative errno. */
static int load_run(struct screen *sc, const char *id, unsigned parts, struct run *out) {
    struct err err = {0};
    const int rc = store_load(&list_of(sc)->store, id, parts, out, &err);
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
    rv->over_bench = sc->scene.view == &view_bench;
    if (rv->over_bench || sc->scene.view->leave) /* it would lie over the list; nobody sees it */
        screen_view(sc, &view_tree);
    if (rv->list.state == RUNS_READY)
        runs_look(&rv->list);
    else
        runs_reload(&rv->list); /* it may be there by now */
}

static void leave(struct screen *sc) {
    sc->runs->mode = RUNS_HIDDEN;
    if (sc->runs->over_bench)
        views_go(sc, &view_bench);
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
    else if (sc->scene.view == &view_bench && sc->runs->mode != RUNS_HIDDEN)
        screen_view(sc, &view_tree);
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
        screen_view(sc, &view_bench);
    sc->runs->of_bench = false;
}

void runs_key_back(struct screen *sc) {
    struct runs *r = list_of(sc);
    struct err err = {0};
    if (sc->runs->mode == RUNS_TREND) {
        leave_trend(sc);
    } else if (r->text[0]) {
        runs_search(r, "");
    } else if (r->filter_text[0] && !(r->key[0] && r->key_last)) {
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

void runs_key_fold(struct screen *sc, int by) {
    struct runs *r = list_of(sc);
    if (by < 0 || runs_heading(r, r->rows.at))
        runs_fold(r, r->rows.at, by);
}

void runs_key_fold_all(struct screen *sc) {
    if (list_of(sc)->key[0])
        runs_fold_all(list_of(sc));
    else
        screen_say(sc, "nothing to open or close: g groups the runs by a label");
}

/* ---- which, and in which order ---- */

static void searched(struct screen *sc, const char *text) {
    if (strcmp(text, list_of(sc)->text) != 0)
        runs_search(list_of(sc), text);
}

void runs_key_search(struct screen *sc) {
    ask_begin_following(sc, "runs with the text:", list_of(sc)->text, searched);
}

/* ---- the trend ---- */

static void read_trend(struct screen *sc) {
    struct runs *r = list_of(sc);
    struct err err = {0};
    if (runs_trend_read(&sc->runs->trend, r, r->key[0] ? runs_group_of(r, r->rows.at) : NULL,
                        &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        sc->runs->mode = RUNS_TREND;
}

static void metric_chosen(struct screen *sc, const char *text, int at) {
    struct err err = {0};
    (void)at;
    if (!text[0])
        return;
    if (runs_show_metric(list_of(sc), text, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (sc->runs->mode == RUNS_TREND)
        read_trend(sc);
}

void runs_key_metric(struct screen *sc) {
    runs_choose_metric(sc, metric_chosen);
}

/* Of the column that the runs are sorted by, if that is a metric. */
void runs_key_trend(struct screen *sc) {
    struct runs *r = list_of(sc);
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
        screen_say(sc, "no other run stands apart");
}

/* ---- one run ---- */

static void show_about(struct screen *sc, struct run *r) {
    run_free(&sc->runs->about);
    sc->runs->about = *r;
    list_reset(&sc->text);
    sc->popup = &popup_run;
}

void runs_key_about(struct screen *sc) {
    struct run r;
    const struct run_row *row;
    list_reset(&sc->text);
    if (sc->popup == &popup_run)
        sc->popup = NULL;
    else if (sc->opened)
        sc->popup = &popup_run;
    else if (!runs_shown(sc))
        screen_say(sc, "i tells about a stored run: r lists them");
    else if ((row = needed_run(sc)) && load_run(sc, row->id, RUN_HEAD, &r) == 0)
        show_about(sc, &r);
}

/* Values that were imported have no counts: they can be read all the same. */
static void open_run(struct screen *sc, const char *id) {
    struct run r, head;
    struct err err = {0};
    if (load_run(sc, id, RUN_ALL, &r) < 0)
        return;
    const int rc = runs_open_new(sc, &r, &sc->runs->open, &err);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(&sc->runs->open->sc,
                   "{back} goes back to the runs; {runs-about}: labels and environment; {earlier} "
                   "{later} go through time");
    if (rc == -ENODATA && load_run(sc, id, RUN_HEAD, &head) == 0)
        show_about(sc, &head);
}

void runs_key_open(struct screen *sc) {
    struct runs *r = list_of(sc);
    const bool heading = sc->runs->mode == RUNS_LIST && runs_heading(r, r->rows.at);
    const struct run_row *row = heading ? NULL : needed_run(sc);
    if (heading)
        runs_fold(r, r->rows.at, 0);
    else if (row)
        open_run(sc, row->id);
}

void runs_key_mark(struct screen *sc) {
    struct runs *r = list_of(sc);
    if (runs_heading(r, r->rows.at) || needed_run(sc)) {
        runs_mark(r, r->rows.at);
        list_move(&r->rows, 1);
    }
}

void runs_key_baseline(struct screen *sc) {
    const struct run_row *row = needed_run(sc);
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
    else if (load_run(sc, id, RUN_HEAD | RUN_SAMPLES, &r) < 0)
        return; /* it has said why */
    else if (baseline_pin_run(&sc->scene, &r, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (sc->scene.base.on)
        screen_say(sc, "run %.8s is the baseline: {runs-back}, then {bench} shows what has changed",
                   id);
}

/* ---- what keys change in the store ---- */

static void edited(struct screen *sc, int rc, const struct err *err, const char *done) {
    runs_reload(list_of(sc));
    if (rc < 0)
        screen_say(sc, "%s", err->text);
    else
        screen_say(sc, "run %.8s: %s", sc->runs->asked, done);
}

static const char *path_of(const struct screen *sc) {
    return list_of(sc)->path;
}

/* The run that the question is about stays the same, whatever is selected when it is answered. */
static const struct run_row *ask_about(struct screen *sc) {
    const struct run_row *row = needed_run(sc);
    if (row)
        str_copy(sc->runs->asked, sizeof(sc->runs->asked), row->id);
    return row;
}

static void labelled(struct screen *sc, const char *text) {
    struct err err = {0};
    const int rc = runs_edit_labels(path_of(sc), sc->runs->asked, text, &err);
    char said[FORM_CAP + 32];
    snprintf(said, sizeof(said), "labels: %s", *text ? text : "none of yours");
    edited(sc, rc, &err, said);
}

void runs_key_labels(struct screen *sc) {
    const struct run_row *row = ask_about(sc);
    char text[FORM_CAP];
    if (row && runs_edit_text(row, text, sizeof(text))) {
        const size_t n = strlen(text);
        if (n > 0 && n + 1 < sizeof(text))
            str_copy(text + n, sizeof(text) - n, " "); /* the next is typed behind them */
        ask_begin(sc, "labels:", text, labelled);
    } else if (row)
        screen_say(sc, "its labels are too long for a line: tdtop label %.8s KEY=VALUE sets one",
                   row->id);
}

static void noted(struct screen *sc, const char *text) {
    struct err err = {0};
    const int rc = runs_edit_note(path_of(sc), sc->runs->asked, text, &err);
    edited(sc, rc, &err, text[0] ? "note set" : "note removed");
}

void runs_key_note(struct screen *sc) {
    const struct run_row *row = ask_about(sc);
    char safe[FORM_CAP];
    if (row && strlen(row->note) < FORM_CAP && !strchr(row->note, '\n'))
        ask_begin(sc, "note:", str_safe(safe, sizeof(safe), row->note), noted);
    else if (row)
        screen_say(sc, "its note is too long for a line: tdtop label %.8s --note TEXT", row->id);
}

/* ---- removed, and back ---- */

enum { TOGETHER = 200 }; /* runs of a group that are removed at once */

typedef char run_id[RUN_ID_LEN + 1];

static void remove_runs(struct screen *sc, run_id *id, size_t n, bool selected) {
    struct err err = {0};
    const int rc = runs_edit_remove(path_of(sc), id, n, &sc->runs->undo, &err);
    if (rc == 0 && selected)
        runs_step_off(list_of(sc));
    runs_reload(list_of(sc));
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else if (n == 1)
        screen_say(sc, "removed %.8s; u undoes", id[0]);
    else
        screen_say(sc, "removed %zu runs; u undoes", n);
}

/* The runs of the group that was asked about, those of the filter only. */
static int list_group(struct screen *sc, run_id *id, uint64_t *total, struct err *err) {
    static const char *no_labels[] = {NULL};
    struct runs *r = list_of(sc);
    const struct runs_group of = {.value = sc->runs->asked_of.value};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, &of, filter);
    struct run_list l;
    q.order = BY_TIME;
    q.metric = q.by = NULL;
    q.keys = no_labels;
    q.without_top = true;
    q.limit = TOGETHER;
    const int rc = store_list(&r->store, &q, &l, err);
    if (rc < 0)
        return rc;
    const int n = (int)l.n;
    *total = l.total;
    for (int i = 0; i < n; i++)
        memcpy(id[i], l.row[i].id, sizeof(id[i]));
    run_list_free(&l);
    return n;
}

static bool asked_is_selected(const struct screen *sc) {
    const struct runs *r = list_of(sc);
    return runs_heading(r, r->rows.at) &&
           runs_heading(r, r->rows.at) == runs_group_of_value(r, sc->runs->asked_of.value);
}

static bool agrees(struct screen *sc, const char *answer) {
    if (!answer[0])
        screen_say(sc, "nothing was removed");
    return answer[0] != 0;
}

static void remove_one(struct screen *sc, const char *answer) {
    const struct run_row *row = selected_run(sc);
    run_id id;
    if (!agrees(sc, answer))
        return;
    memcpy(id, sc->runs->asked, sizeof(id));
    remove_runs(sc, &id, 1, row && strcmp(row->id, id) == 0);
}

/* What others have saved or removed since the question may be another group: nothing is removed. */
static void remove_group(struct screen *sc, const char *answer) {
    const struct runs_mark *of = &sc->runs->asked_of;
    run_id id[TOGETHER];
    struct err err = {0};
    uint64_t total = 0;
    if (!agrees(sc, answer))
        return;
    const bool same = of->key && strcmp(of->key, list_of(sc)->key) == 0;
    const int n = same ? list_group(sc, id, &total, &err) : 0;
    const bool is_there = n > 0 && total <= sc->runs->asked_n;
    if (!is_there)
        runs_reload(list_of(sc)); /* shows why not */
    if (n < 0)
        screen_say(sc, "%s", err.text);
    else if (n == 0)
        screen_say(sc, "nothing was removed: the group is gone");
    else if (!is_there)
        screen_say(sc, "nothing was removed: the group has %llu runs by now, not %llu",
                   (unsigned long long)total, (unsigned long long)sc->runs->asked_n);
    else
        remove_runs(sc, id, (size_t)n, asked_is_selected(sc));
}

static void ask_for_group(struct screen *sc, const struct runs_group *g) {
    struct runs *r = list_of(sc);
    char question[48];
    if (g->n > TOGETHER) {
        screen_say(sc, "%llu runs are too many at once: tdtop rm --filter %.80s%s%.80s",
                   (unsigned long long)g->n, g->value ? r->key : "!", g->value ? "=" : "",
                   g->value ? g->value : r->key);
        return;
    }
    runs_mark_line(r, g->line, &sc->runs->asked_of);
    sc->runs->asked_n = g->n;
    snprintf(question, sizeof(question), "remove the %d runs of this group? y:", (int)g->n);
    ask_yes(sc, question, remove_group);
}

void runs_key_remove(struct screen *sc) {
    struct runs *r = list_of(sc);
    const struct runs_group *g = runs_heading(r, r->rows.at);
    const struct run_row *row;
    char question[48];
    if (r->removed)
        screen_say(sc, "removed already: {runs-undo} brings it back, tdtop db prune ends it");
    else if (g)
        ask_for_group(sc, g);
    else if ((row = ask_about(sc))) {
        snprintf(question, sizeof(question), "remove run %.8s? y:", row->id);
        ask_yes(sc, question, remove_one);
    }
}

static void say_back(struct screen *sc, int n) {
    struct runs *r = list_of(sc);
    uint64_t line;
    const bool seen = runs_find(r, sc->runs->asked, &line);
    if (n > 1)
        screen_say(sc, "%d runs are back", n);
    else
        screen_say(sc, "run %.8s is back%s", sc->runs->asked,
                   seen || r->removed ? "" : "; the filter hides it");
}

static void bring_back(struct screen *sc) {
    struct err err = {0};
    if (!selected_run(sc))
        return;
    memcpy(sc->runs->asked, selected_run(sc)->id, sizeof(sc->runs->asked));
    const int rc = runs_edit_restore(path_of(sc), &sc->runs->undo, sc->runs->asked, &err);
    if (rc == 0)
        runs_step_off(list_of(sc));
    runs_reload(list_of(sc));
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        say_back(sc, 1);
}

/* Among removed runs the one that is selected comes back, else what was removed last. */
void runs_key_undo(struct screen *sc) {
    struct err err = {0};
    if (list_of(sc)->removed) {
        bring_back(sc);
        return;
    }
    const int n = runs_edit_undo(path_of(sc), &sc->runs->undo, sc->runs->asked, &err);
    if (n > 0)
        runs_choose(list_of(sc), sc->runs->asked);
    runs_reload(list_of(sc));
    if (n < 0)
        screen_say(sc, "%s", err.text);
    else
        say_back(sc, n);
}

/* Adds "is:removed" to the filter, or takes it away. */
void runs_key_removed(struct screen *sc) {
    static const char word[] = "is:removed";
    struct runs *r = list_of(sc);
    struct err err = {0};
    char text[sizeof(r->filter_text)];
    str_copy(text, sizeof(text), r->filter_text);
    char *at = r->removed ? strstr(text, word) : NULL;
    if (at)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
    else
        snprintf(text, sizeof(text), "%.480s%s%s", r->filter_text, r->filter_text[0] ? " " : "",
                 word);
    if (runs_filter(r, text + strspn(text, " "), &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (r->removed && r->total)
        screen_say(sc, "removed runs: {runs-undo} brings one back, {runs-removed} goes back");
}

/* ---- files ---- */

static void exported(struct screen *sc, const char *path) {
    struct err err = {0};
    struct run r;
    if (!path[0] || load_run(sc, sc->runs->asked, RUN_ALL, &r) < 0)
        return;
    if (sc->runs->export_run(&r, path, &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(sc, "run %.8s is in %.200s", r.id, path);
    run_free(&r);
}

void runs_key_export(struct screen *sc) {
    const struct run_row *row = ask_about(sc);
    char path[64];
    if (!row)
        return;
    snprintf(path, sizeof(path), "run-%.8s.json", row->id);
    if (sc->runs->export_run)
        ask_begin(sc, "file (.json whole, .csv intervals, .md report):", path, exported);
    else
        screen_say(sc, "not here: tdtop export %.8s writes it", row->id);
}

/* ---- two against each other: runs, or groups of runs as `tdtop compare --label-a` takes them ----
 */

/* ---- which two ---- */

/* The only two that there are; of runs the one that began earlier is what it was. */
static bool choose_both(const struct runs *r, struct runs_mark found[2]) {
    const struct run_row *one = runs_row(r, 0), *two = runs_row(r, 1);
    const bool swaps = one && two && two->begun_ns < one->begun_ns;
    if (r->rows.n != 2)
        return false;
    for (int i = 0; i < 2; i++)
        runs_mark_line(r, swaps ? 1 - i : i, &found[i]);
    return runs_mark_is_set(&found[0]) && runs_mark_is_set(&found[1]);
}

/* Both that are marked, the marked one and the selected one, or the only two; the older mark is
 * what it was. found: room for what is not marked. */
static bool choose(struct runs *r, const struct runs_mark *side[2], struct runs_mark found[2]) {
    const bool marked = runs_mark_is_set(&r->mark[0]);
    side[0] = marked ? &r->mark[0] : &found[0];
    side[1] = runs_mark_is_set(&r->mark[1]) ? &r->mark[1] : &found[1];
    if (!marked)
        return choose_both(r, found);
    if (side[1] == &r->mark[1])
        return true;
    if (runs_marked(r, r->rows.at) >= 0)
        return false;
    runs_mark_line(r, r->rows.at, &found[1]);
    return runs_mark_is_set(&found[1]);
}

/* ---- what they are ---- */

static int list_side(struct runs *r, const struct runs_group *g, struct run_list *l,
                     struct err *err) {
    static const char *keys[] = {RUN_REEVAL_OF, NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, g, filter);
    q.order = BY_TIME;
    q.ascending = false;
    q.metric = r->metric;
    q.by = NULL;
    q.keys = keys;
    q.without_top = true;
    q.limit = SIDE_RUNS_MAX;
    int rc = store_list(&r->store, &q, l, err);
    if (rc == 0 && run_latest(l) < 0)
        rc = err_set(err, -ENOMEM, "compare: out of memory");
    return rc;
}

/* "3f9a1c22 apart: IPC 0.97": the first that stands out among them by the metric of the list. */
static void find_apart(const struct runs *r, const struct run_list *l, char *buf, size_t cap) {
    double *v = calloc(l->n + 1, sizeof(*v));
    struct outlier *o = calloc(l->n + 1, sizeof(*o));
    char value[64];
    size_t i = 0;
    for (; v && i < l->n && isfinite(l->row[i].value); i++)
        v[i] = l->row[i].value;
    if (v && o && i == l->n) {
        outlier_find(v, i, o);
        for (i = 0; i < l->n && !o[i].anomaly; i++) {
        }
        if (i < l->n)
            snprintf(buf, cap, "%.8s apart: %.30s %s", l->row[i].id, r->metric,
                     runs_value(r, v[i], value, sizeof(value)));
    }
    free(v);
    free(o);
}

/* So that whoever reads the comparison knows what the side is. */
static int name_pool(const struct runs *r, const struct runs_group *g, size_t n, struct run *run) {
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%zu run%s %s%s%s", n, n == 1 ? "" : "s", g->value ? "with " : "without ",
               r->key, g->value ? "=" : "");
    if (g->value)
        strbuf_add(&sb, "%.160s", g->value);
    if (r->filter_text[0])
        strbuf_add(&sb, " · filter %.60s", r->filter_text);
    run->id[0] = '\0';
    for (size_t i = 0; i < run->label.n; i++) { /* of one of them: they are not those of all */
        free(run->label.at[i].key);
        free(run->label.at[i].value);
        free(run->label.at[i].covered);
    }
    run->label.n = 0;
    return run_set_text(&run->process, text);
}

static int load_group(struct runs *r, const struct runs_mark *m, struct run *out,
                      struct bench_source *from, struct err *err) {
    const struct runs_group *g = runs_group_of_value(r, m->value);
    struct run_list l = {0};
    struct pool_of_runs pool = {0};
    if (!g)
        return err_set(err, -ENOENT, "the marked group is gone: {runs-mark} marks another");
    int rc = list_side(r, g, &l, err);
    if (rc == 0 && l.n == 0)
        rc = err_set(err, -ENOENT, "the marked group has no runs now");
    if (rc == 0)
        rc = pool_of_runs(&r->store, &l, &pool, err);
    if (rc == 0 && name_pool(r, g, l.n, &pool.run) < 0)
        rc = err_set(err, -ENOMEM, "compare: out of memory");
    from->n_run = l.n;
    from->samples = pool.kind == SIDE_RUNS;
    if (from->samples)
        find_apart(r, &l, from->apart, sizeof(from->apart));
    run_list_free(&l);
    if (rc < 0)
        pool_of_runs_free(&pool);
    *out = pool.run; /* taken over */
    return rc;
}

/* A label that is longer is another group's: then it is none. */
static struct bench_source source_of(const struct runs_mark *m) {
    struct bench_source s = {.has_value = m->value != NULL};
    memcpy(s.id, m->id, sizeof(s.id));
    if (m->id[0] || (m->value && strlen(m->value) >= sizeof(s.value)))
        return s;
    str_copy(s.key, sizeof(s.key), m->key);
    str_copy(s.value, sizeof(s.value), m->value ? m->value : "");
    return s;
}

static int load_side(struct runs *r, const struct runs_mark *m, struct run *out,
                     struct bench_source *from, struct err *err) {
    *out = (struct run){0};
    *from = source_of(m);
    return m->id[0] ? store_load(&r->store, m->id, RUN_HEAD, out, err)
                    : load_group(r, m, out, from, err);
}

/* The differences lie over the list, which comes back when they are left. */
void runs_key_compare(struct screen *sc) {
    struct runs *r = list_of(sc);
    const struct runs_mark *side[2];
    struct runs_mark found[2] = {{.key = NULL}};
    struct run a = {0}, b = {0};
    struct err err = {0};
    struct bench_source from[2];
    int rc = choose(r, side, found)
                 ? load_side(r, side[0], &a, &from[0], &err)
                 : err_set(&err, -ENOENT,
                           "{runs-mark} marks two runs, or two groups, that are to "
                           "be compared");
    if (rc == 0)
        rc = load_side(r, side[1], &b, &from[1], &err);
    if (rc == 0)
        rc = bench_open_runs(&sc->scene, &a, &b, from, &err); /* takes both over */
    run_free(&a);
    run_free(&b);
    for (int i = 0; i < 2; i++)
        runs_mark_free(&found[i]);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
}

/* ---- a metric of one of them ---- */

static void open_side(struct screen *sc, const char *id, const struct run_node *n) {
    struct run r;
    struct err err = {0};
    if (load_run(sc, id, RUN_ALL, &r) < 0)
        return;
    if (runs_open_new(sc, &r, &sc->runs->open, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (bench_go(&sc->runs->open->sc.scene, n))
        screen_say(&sc->runs->open->sc, "{back} goes back to A and B");
}

/* The list is that of the group, if it still is grouped by the label; else all runs. */
static int read_trend_of(struct runs *r, const struct bench_source *from, struct runs_trend *out,
                         struct err *err) {
    if (strcmp(r->key, from->key) != 0)
        return runs_trend_read(out, r, NULL, err);
    return runs_trend_read(out, r, runs_group_of_value(r, from->has_value ? from->value : NULL),
                           err);
}

static void open_trend(struct screen *sc, const struct bench_source *from,
                       const struct run_node *n) {
    struct runs *r = list_of(sc);
    struct err err = {0};
    int rc = runs_show_metric(r, n->name, &err); /* reads the groups anew */
    if (rc == 0)
        rc = read_trend_of(r, from, &sc->runs->trend, &err);
    if (rc < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    screen_view(sc, &view_tree);
    sc->runs->mode = RUNS_TREND;
    sc->runs->of_bench = true;
}

/* A metric over time in a run that was compared; of a group its trend over the runs. */
static void runs_compare_enter(struct screen *sc, const struct bench_source *from,
                               const struct run_node *n) {
    if (from->id[0])
        open_side(sc, from->id, n);
    else
        open_trend(sc, from, n);
}

/* --- what views ask for (ui/scene/app.h) --- */

bool app_open_source(struct scene *sc, const struct bench_source *from, const struct run_node *n) {
    struct screen *screen = screen_of(sc);
    if (screen->runs)
        runs_compare_enter(screen, from, n);
    return screen->runs;
}
