/* What keys change in the store: labels, notes, what is deleted; and files that are written. */
#include "base/str.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_keys_impl.h"
#include "ui/runs/runs_pages.h"

#include <stdio.h>
#include <string.h>

static void edited(struct screen *sc, int rc, const struct err *err, const char *done) {
    runs_reload(runs_list(sc));
    if (rc < 0)
        screen_say(sc, "%s", err->text);
    else
        screen_say(sc, "run %.8s: %s", sc->runs->asked, done);
}

static const char *path_of(const struct screen *sc) {
    return runs_list(sc)->path;
}

/* The run that the question is about stays the same, whatever is selected when it is answered. */
static const struct run_row *ask_about(struct screen *sc) {
    const struct run_row *row = runs_needed(sc);
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
        runs_step_off(runs_list(sc));
    runs_reload(runs_list(sc));
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
    struct runs *r = runs_list(sc);
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
    const struct runs *r = runs_list(sc);
    return runs_heading(r, r->selected) &&
           runs_heading(r, r->selected) == runs_group_of_value(r, sc->runs->asked_of.value);
}

/* What others have saved or removed since the question may be another group: it is asked anew. */
static void remove_group(struct screen *sc, const char *answer) {
    const struct runs_mark *of = &sc->runs->asked_of;
    run_id id[TOGETHER];
    struct err err = {0};
    uint64_t total = 0;
    if (strcmp(answer, "yes") != 0 && strcmp(answer, "y") != 0) {
        screen_say(sc, "nothing was removed");
        return;
    }
    const bool same = of->key && strcmp(of->key, runs_list(sc)->key) == 0;
    const int n = same ? list_group(sc, id, &total, &err) : 0;
    const bool is_there = n > 0 && total <= sc->runs->asked_n;
    if (!is_there)
        runs_reload(runs_list(sc)); /* shows why not */
    if (n < 0)
        screen_say(sc, "%s", err.text);
    else if (n == 0)
        screen_say(sc, "nothing was removed: the group is gone");
    else if (!is_there)
        screen_say(sc,
                   "nothing was removed: the group has %llu runs by now, not %llu; x asks again",
                   (unsigned long long)total, (unsigned long long)sc->runs->asked_n);
    else
        remove_runs(sc, id, (size_t)n, asked_is_selected(sc));
}

static void ask_for_group(struct screen *sc, const struct runs_group *g) {
    struct runs *r = runs_list(sc);
    char question[48];
    if (g->n > TOGETHER) {
        screen_say(sc, "%llu runs are too many at once: tdtop rm --filter %.80s%s%.80s",
                   (unsigned long long)g->n, g->value ? r->key : "!", g->value ? "=" : "",
                   g->value ? g->value : r->key);
        return;
    }
    runs_mark_line(r, g->line, &sc->runs->asked_of);
    sc->runs->asked_n = g->n;
    snprintf(question, sizeof(question), "remove all %d runs of this group? yes:", (int)g->n);
    ask_begin(sc, question, "", remove_group);
}

void runs_key_remove(struct screen *sc) {
    struct runs *r = runs_list(sc);
    const struct runs_group *g = runs_heading(r, r->selected);
    run_id id;
    if (r->removed)
        screen_say(
            sc,
            "these are removed: {runs-undo} brings one back, tdtop db prune ends them for good");
    else if (g)
        ask_for_group(sc, g);
    else if (ask_about(sc)) {
        memcpy(id, sc->runs->asked, sizeof(id));
        remove_runs(sc, &id, 1, true);
    }
}

static void say_back(struct screen *sc, int n) {
    struct runs *r = runs_list(sc);
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
    if (!runs_selected(sc))
        return;
    memcpy(sc->runs->asked, runs_selected(sc)->id, sizeof(sc->runs->asked));
    const int rc = runs_edit_restore(path_of(sc), &sc->runs->undo, sc->runs->asked, &err);
    if (rc == 0)
        runs_step_off(runs_list(sc));
    runs_reload(runs_list(sc));
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        say_back(sc, 1);
}

/* Among removed runs the one that is selected comes back, else what was removed last. */
void runs_key_undo(struct screen *sc) {
    struct err err = {0};
    if (runs_list(sc)->removed) {
        bring_back(sc);
        return;
    }
    const int n = runs_edit_undo(path_of(sc), &sc->runs->undo, sc->runs->asked, &err);
    if (n > 0)
        runs_choose(runs_list(sc), sc->runs->asked);
    runs_reload(runs_list(sc));
    if (n < 0)
        screen_say(sc, "%s", err.text);
    else
        say_back(sc, n);
}

/* Adds "is:removed" to the filter, or takes it away. */
void runs_key_removed(struct screen *sc) {
    static const char word[] = "is:removed";
    struct runs *r = runs_list(sc);
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
        screen_say(sc, "removed runs, kept until tdtop db prune: {runs-undo} brings one back, "
                       "{runs-removed} goes back");
}

/* ---- files ---- */

static void exported(struct screen *sc, const char *path) {
    struct err err = {0};
    struct run r;
    if (!path[0] || runs_load(sc, sc->runs->asked, RUN_ALL, &r) < 0)
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
