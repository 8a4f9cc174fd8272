/* The form: which span, which labels, a note; and where else to, after a failure. */
#include "base/clock.h"
#include "base/str.h"
#include "ui/app/screen.h"
#include "ui/draw/label_text.h"
#include "ui/popup/snapshot_impl.h"
#include "ui/popup/snapshot_offer.h"
#include "ui/runs/runs_open.h"

#include <stdlib.h>
#include <string.h>

int snapshots_init(struct snapshots *sn, const char *db, struct err *err) {
    *sn = (struct snapshots){.db = db, .offered = -1};
    form_set(&sn->seconds, "30");
    return saver_init(&sn->saver, err);
}

static void close_store(struct snapshots *sn) {
    if (sn->has_store)
        store_close(&sn->store);
    sn->has_store = sn->store_tried = false;
    run_free(&sn->automatic);
}

void snapshots_destroy(struct snapshots *sn) {
    close_store(sn);
    saver_destroy(&sn->saver);
}

static void say_saving(struct screen *sc, const struct snapshot_request *q) {
    const bool some = q->skipped[0];
    screen_say(sc, "saving%s%s%s ...", some ? " (nothing was measured then on " : "", q->skipped,
               some ? ")" : "");
}

/* Of a stored run its own. Else none: those of last time are offered. */
static void first_labels(const struct screen *sc, struct form_text *out) {
    char text[FORM_CAP] = "";
    for (size_t i = 0; sc->opened && i < sc->opened->run.label.n; i++) {
        const struct run_label *l = &sc->opened->run.label.at[i];
        if (!l->automatic)
            label_text_add(text, sizeof(text), l->key, l->value);
    }
    form_set(out, text);
    if (out->text[0])
        form_key(out, ' ');
}

void snapshot_repeat(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    struct snapshot_request q = {.note = ""};
    struct form_text labels;
    int rc = snapshot_possible(sc, &err);
    if (rc == 0)
        rc = snapshot_times(sc, sc->opened ? SPAN_MARKED : SPAN_SINCE, 0, &q.t0_ns, &q.t1_ns, &err);
    if (rc == 0) {
        first_labels(sc, &labels);
        q.labels = sn->repeats ? sn->last_labels : labels.text;
        sn->labels_ns = q.t1_ns ? q.t1_ns : sc->scene.s->sample.t1_ns;
        rc = snapshot_save(sc, &q, &err);
    }
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        say_saving(sc, &q);
}

/* ---- the form ---- */

static void show_form(struct screen *sc) {
    sc->popup = &popup_snapshot;
    list_reset(&sc->text);
    sc->snapshot->problem[0] = '\0';
}

void snapshot_ask_path(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    show_form(sc);
    sn->asks = false;
    sc->message[0] = '\0';
    sn->line = SNAPSHOT_PATH;
    str_copy(sn->problem, sizeof(sn->problem), sn->saver.failed->err.text);
    form_set(&sn->path, sn->saver.failed->at);
}

static enum snapshot_span first_span(const struct screen *sc) {
    if (sc->opened || (cursor_has_span(&sc->scene.cursor) && sc->scene.cursor.shows != CURSOR_LIVE))
        return SPAN_MARKED;
    return SPAN_SINCE;
}

void snapshot_open(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    if (snapshot_wants_path(sn)) {
        snapshot_ask_path(sc);
        return;
    }
    if (snapshot_possible(sc, &err) < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    show_form(sc);
    sn->line = SNAPSHOT_LABELS;
    sn->span = first_span(sc);
    first_labels(sc, &sn->labels);
    form_set(&sn->note, "");
    run_free(&sn->automatic);
    if (session_labels(sc->scene.s, &sn->automatic, &err) < 0)
        screen_say(sc, "%s", err.text);
    offer_changed(sn);
}

bool snapshot_is_asked(const struct screen *sc) {
    return sc->popup == &popup_snapshot && sc->snapshot->line != SNAPSHOT_PATH;
}

void snapshot_close(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    bool was_path = sn->line == SNAPSHOT_PATH;
    close_store(sn);
    sc->popup = NULL;
    int n = saver_unsaved(&sn->saver);
    if (was_path && sn->saver.failed)
        screen_say(sc, "%d snapshot%s in memory only: s tries again, or elsewhere", n,
                   n == 1 ? " is" : "s are");
}

static void refuse(struct snapshots *sn, const struct err *err) {
    str_copy(sn->problem, sizeof(sn->problem), err->text);
}

static void accept_path(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    if (!sn->path.text[0] && sn->saver.failed->at[0]) {
        str_copy(sn->problem, sizeof(sn->problem), "path: it is empty; name a file");
        return;
    }
    saver_retry(&sn->saver, sn->path.text[0] ? sn->path.text : NULL);
    sc->popup = NULL;
    screen_say(sc, "saving ...");
}

static void remember(struct snapshots *sn) {
    sn->repeats = true;
    size_t n = strlen(str_copy(sn->last_labels, sizeof(sn->last_labels), sn->labels.text));
    while (n > 0 && sn->last_labels[n - 1] == ' ')
        sn->last_labels[--n] = '\0';
}

void snapshot_accept(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    struct snapshot_request q = {.labels = sn->labels.text, .note = sn->note.text};
    if (sn->line == SNAPSHOT_PATH) {
        accept_path(sc);
        return;
    }
    int rc = snapshot_times(sc, sn->span, snapshot_seconds(sn), &q.t0_ns, &q.t1_ns, &err);
    if (rc == 0)
        rc = snapshot_save(sc, &q, &err);
    if (rc < 0) {
        refuse(sn, &err);
        return;
    }
    remember(sn);
    sn->labels_ns = q.t1_ns ? q.t1_ns : sc->scene.s->sample.t1_ns;
    close_store(sn);
    sc->popup = NULL;
    say_saving(sc, &q);
}

/* ---- keys of the form ---- */

void snapshot_line(struct screen *sc, int lines) {
    struct snapshots *sn = sc->snapshot;
    int to = (int)sn->line + lines;
    if (sn->line != SNAPSHOT_PATH && to >= SNAPSHOT_SPAN && to <= SNAPSHOT_NOTE)
        sn->line = (enum snapshot_line)to;
    if (sn->line == SNAPSHOT_LABELS)
        offer_changed(sn);
}

/* The lines in a ring. */
static void next_line(struct screen *sc, int step) {
    enum { LINES = SNAPSHOT_NOTE + 1 };
    int line = (int)sc->snapshot->line;
    if (line != SNAPSHOT_PATH)
        snapshot_line(sc, (line + step + LINES) % LINES - line);
}

void snapshot_complete(struct screen *sc) {
    if (sc->snapshot->line != SNAPSHOT_LABELS || !offer_complete(sc->snapshot, 1))
        next_line(sc, 1);
}

void snapshot_complete_back(struct screen *sc) {
    if (sc->snapshot->line != SNAPSHOT_LABELS || !offer_complete(sc->snapshot, -1))
        next_line(sc, -1);
}

/* 10, 30, 60 s one after the other: false behind the last. */
static bool next_seconds(struct snapshots *sn, bool back) {
    static const char *const all[] = {"10", "30", "60"};
    const uint64_t now_ns = snapshot_seconds(sn);
    for (int i = back ? 2 : 0; i >= 0 && i < 3; i += back ? -1 : 1) {
        const uint64_t ns = (uint64_t)atoi(all[i]) * NS_PER_S;
        if (back ? ns < now_ns : ns > now_ns) {
            form_set(&sn->seconds, all[i]);
            return true;
        }
    }
    return false;
}

static void next_span(struct screen *sc, bool back) {
    struct snapshots *sn = sc->snapshot;
    if (sn->span == SPAN_LAST && next_seconds(sn, back))
        return;
    do
        sn->span = (enum snapshot_span)((sn->span + (back ? SPANS - 1 : 1)) % SPANS);
    while (!snapshot_has_span(sc, sn->span));
    if (sn->span == SPAN_LAST)
        form_set(&sn->seconds, back ? "60" : "10");
}

/* Left and Right choose; what is typed is the number of seconds. */
static void span_key(struct screen *sc, uint32_t key) {
    struct snapshots *sn = sc->snapshot;
    if (sc->opened)
        return; /* there is but one */
    if (key == KEYC_LEFT || key == KEYC_RIGHT || key == ' ') {
        next_span(sc, key == KEYC_LEFT);
        return;
    }
    if ((key >= '0' && key <= '9') || key == KEYC_BACKSPACE || key < ' ') {
        if (sn->span != SPAN_LAST && key >= '0' && key <= '9')
            form_set(&sn->seconds, "");
        sn->span = SPAN_LAST;
        form_key(&sn->seconds, key);
    }
}

/* It begins the next word: what was chosen is whole. */
static bool is_character(uint32_t key) {
    return key > ' ' && key != 0x7f && key < KEYC_BASE;
}

static void label_key(struct snapshots *sn, uint32_t key) {
    if (offer_is_whole(sn) && is_character(key))
        form_key(&sn->labels, ' ');
    if (form_key(&sn->labels, key))
        sn->problem[0] = '\0';
    offer_changed(sn);
}

bool snapshot_paste(struct screen *sc, const char *text) {
    struct snapshots *sn = sc->snapshot;
    if (sn->line == SNAPSHOT_SPAN)
        return false;
    if (sn->line == SNAPSHOT_LABELS && offer_is_whole(sn))
        form_key(&sn->labels, ' ');
    form_paste(sn->line == SNAPSHOT_LABELS ? &sn->labels
               : sn->line == SNAPSHOT_PATH ? &sn->path
                                           : &sn->note,
               text);
    if (sn->line != SNAPSHOT_PATH)
        sn->problem[0] = '\0';
    if (sn->line == SNAPSHOT_LABELS)
        offer_changed(sn);
    return true;
}

void snapshot_key(struct screen *sc, uint32_t key) {
    struct snapshots *sn = sc->snapshot;
    if (sn->line == SNAPSHOT_SPAN)
        span_key(sc, key);
    else if (sn->line == SNAPSHOT_LABELS)
        label_key(sn, key);
    else if (sn->line == SNAPSHOT_PATH)
        form_key(&sn->path, key); /* why it failed stays to be read */
    else if (form_key(&sn->note, key))
        sn->problem[0] = '\0';
}
