/* What keys change in the store: labels, notes, what is deleted; and files that are written. */
#include "base/str.h"
#include "ui/runs_keys.h"
#include "ui/runs_keys_impl.h"

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
    const struct run_row *row = sc->runs->mode == RUNS_LIST ? runs_needed(sc) : NULL;
    if (row)
        str_copy(sc->runs->asked, sizeof(sc->runs->asked), row->id);
    return row;
}

static void labelled(struct screen *sc, const char *text) {
    struct err err = {0};
    const int rc = runs_edit_labels(path_of(sc), sc->runs->asked, text, &err);
    edited(sc, rc, &err, "labels set");
}

void runs_key_labels(struct screen *sc, uint32_t key) {
    (void)key;
    const struct run_row *row = ask_about(sc);
    char text[FORM_CAP];
    if (row && runs_edit_text(row, text, sizeof(text)))
        ask_begin(sc, "labels:", text, labelled);
    else if (row)
        screen_say(sc, "its labels are too long for a line: tdtop label %.8s KEY=VALUE sets one",
                   row->id);
}

static void noted(struct screen *sc, const char *text) {
    struct err err = {0};
    const int rc = runs_edit_note(path_of(sc), sc->runs->asked, text, &err);
    edited(sc, rc, &err, text[0] ? "note set" : "note removed");
}

void runs_key_note(struct screen *sc, uint32_t key) {
    (void)key;
    const struct run_row *row = ask_about(sc);
    if (row && strlen(row->note) < FORM_CAP && !strchr(row->note, '\n'))
        ask_begin(sc, "note:", row->note, noted);
    else if (row)
        screen_say(sc, "its note is too long for a line: tdtop label %.8s --note TEXT", row->id);
}

void runs_key_delete(struct screen *sc, uint32_t key) {
    (void)key;
    struct err err = {0};
    if (!ask_about(sc))
        return;
    const int rc = runs_edit_delete(path_of(sc), sc->runs->asked, &sc->runs->undo, &err);
    runs_list(sc)->pinned[0] = '\0'; /* the next one takes its place */
    edited(sc, rc, &err, "deleted; u brings it back");
}

void runs_key_undo(struct screen *sc, uint32_t key) {
    (void)key;
    struct err err = {0};
    const int rc = runs_edit_undo(path_of(sc), &sc->runs->undo, sc->runs->asked, &err);
    if (rc == 0)
        str_copy(runs_list(sc)->pinned, sizeof(runs_list(sc)->pinned), sc->runs->asked);
    edited(sc, rc, &err, "is back");
}

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

void runs_key_export(struct screen *sc, uint32_t key) {
    (void)key;
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
