#include "ui/snapshot.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/label_text.h"
#include "ui/runs_open.h"
#include "ui/screen.h"
#include "ui/snapshot_offer.h"
#include "ui/words.h"

#include <errno.h>
#include <stdio.h>
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

/* ---- spans ---- */

static uint64_t last_ns(const struct snapshots *sn) {
    uint64_t ns = 0;
    if (str_duration(sn->seconds.text, NS_PER_S, &ns, NULL) < 0)
        return 0;
    return ns;
}

const char *snapshot_span_words(const struct screen *sc, enum snapshot_span span, char *buf,
                                size_t cap) {
    const struct cursor *cu = &sc->cursor;
    char text[16], at[16];
    uint64_t now_ns = sc->s->sample.t1_ns, reset_ns = sc->s->record.reset_ns;
    if (span == SPAN_RESET)
        snprintf(buf, cap, "since %s, %s", reset_ns ? "the reset" : "the start",
                 words_span(text, sizeof(text), now_ns > reset_ns ? now_ns - reset_ns : 0));
    else if (span == SPAN_LAST)
        snprintf(buf, cap, "the last %s s", sc->snapshot->seconds.text);
    else if (cursor_has_span(cu))
        snprintf(buf, cap, "the marked span, %s until %s",
                 words_span(text, sizeof(text), cu->end_ns - cu->begin_ns),
                 words_clock(at, sizeof(at), cu->end_ns));
    else
        str_copy(buf, cap, "a marked span ([ and ] mark one)");
    return buf;
}

/* Both 0: since the reset. */
static int span_times(const struct screen *sc, enum snapshot_span span, uint64_t ns, uint64_t *t0,
                      uint64_t *t1, struct err *err) {
    const struct cursor *cu = &sc->cursor;
    uint64_t now_ns = sc->s->sample.t1_ns;
    *t0 = *t1 = 0;
    if (span == SPAN_LAST && ns == 0)
        return err_set(err, -EINVAL, "span: it is a number of seconds, or a time such as 5m");
    if (span == SPAN_MARKED && !cursor_has_span(cu))
        return err_set(err, -EINVAL,
                       "span: none is marked; , and . move through time, [ and ] mark");
    if (span == SPAN_LAST) {
        *t0 = now_ns > ns ? now_ns - ns : 0;
        *t1 = now_ns;
    } else if (span == SPAN_MARKED) {
        *t0 = cu->begin_ns;
        *t1 = cu->end_ns;
    }
    return 0;
}

/* ---- a run ---- */

struct request {
    uint64_t t0_ns, t1_ns;
    const char *labels, *note;
};

/* The user's labels of the run that a span is cut from: the form offered them, and decides. */
static int drop_labels(struct run *r, struct err *err) {
    int rc = 0;
    for (size_t i = r->label.n; i-- > 0 && rc == 0;)
        if (!r->label.at[i].automatic) {
            char key[128];
            str_copy(key, sizeof(key), r->label.at[i].key);
            rc = run_label_set(r, key, NULL, false, err);
        }
    return rc;
}

/* The run of one core type. On failure there is nothing to free. */
static int make_run(struct screen *sc, const struct request *q, struct run *r, struct err *err) {
    int rc = session_run(sc->s, q->t0_ns, q->t1_ns, r, err);
    if (rc == 0 && sc->opened)
        rc = drop_labels(r, err);
    if (rc == 0)
        rc = label_text_set(q->labels, r, err);
    if (rc == 0 && run_set_text(&r->note, q->note) < 0)
        rc = err_set(err, -ENOMEM, "snapshot: out of memory; close other programs");
    if (rc < 0)
        run_free(r);
    return rc;
}

static void skip_type(const struct screen *sc, char *skipped, size_t cap) {
    const char *cores = session_cores(sc->s);
    const size_t n = strlen(skipped);
    snprintf(skipped + n, cap - n, "%s%s", n ? ", " : "", cores[0] ? cores : session_type(sc->s));
}

/* Of each core type that has an interval in the span; skipped: the others. How many, or negative
 * errno: then there are none. */
static int make_runs(struct screen *sc, const struct request *q, struct run *run, struct err *err) {
    char *skipped = sc->snapshot->skipped;
    const int n_type = types_many(sc->types) ? sc->types->n : 1;
    int n = 0, rc = 0;
    skipped[0] = '\0';
    for (int i = 0; i < n_type; i++) {
        struct screen *of = n_type > 1 ? sc->types->at[i] : sc;
        rc = make_run(of, q, &run[n], err);
        if (rc == 0)
            n++;
        else if (rc == -ENODATA)
            skip_type(of, skipped, sizeof(sc->snapshot->skipped));
        else
            break;
    }
    if (n > 0 && (rc == 0 || rc == -ENODATA))
        return n;
    while (n > 0)
        run_free(&run[--n]);
    return rc;
}

/* All are made before one is stored: what is done again after a failure must not be there twice. */
static int save(struct screen *sc, const struct request *q, struct err *err) {
    struct run try = {0}, run[SESSIONS_MAX];
    int n = 0;
    int rc = label_text_set(q->labels, &try, err); /* before much work is done in vain */
    run_free(&try);
    if (rc == 0 && (n = make_runs(sc, q, run, err)) < 0)
        rc = n;
    for (int i = 0; i < n; i++) { /* each is taken over, whatever the result */
        const int added = saver_add(&sc->snapshot->saver, &run[i], sc->snapshot->db, err);
        rc = rc < 0 ? rc : added;
    }
    return rc;
}

static void say_saving(struct screen *sc) {
    const char *skipped = sc->snapshot->skipped;
    screen_say(sc, "saving%s%s%s ...", skipped[0] ? " (nothing was measured then on " : "", skipped,
               skipped[0] ? ")" : "");
}

static int can_save(const struct screen *sc, struct err *err) {
    if (!sc->snapshot)
        return err_set(err, -ENOTSUP, "snapshot: nothing can be stored from here");
    if (!sc->connected || sc->s->n_frames == 0)
        return err_set(err, -ENODATA, "snapshot: nothing was measured yet; wait for an interval");
    if (!snapshot_is_offered(sc))
        return err_set(err, -EEXIST,
                       "this run is stored, as %.8s: [ and ] mark a span, which s keeps",
                       sc->opened->run.id);
    return 0;
}

bool snapshot_is_offered(const struct screen *sc) {
    return !sc->opened || cursor_has_span(&sc->cursor);
}

bool snapshot_has_span(const struct screen *sc, enum snapshot_span span) {
    return !sc->opened || span == SPAN_MARKED;
}

int snapshot_take(struct screen *sc, const char *labels, struct err *err) {
    const struct request q = {.labels = labels, .note = ""};
    int rc = can_save(sc, err);
    return rc == 0 ? save(sc, &q, err) : rc;
}

void snapshot_repeat(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    struct request q = {.note = ""};
    int rc = can_save(sc, &err);
    if (rc == 0 && !sn->repeats) {
        snapshot_open(sc);
        return;
    }
    if (rc == 0)
        rc = span_times(sc, sc->opened ? SPAN_MARKED : sn->last_span, sn->last_ns, &q.t0_ns,
                        &q.t1_ns, &err);
    if (rc == 0) {
        q.labels = sn->last_labels;
        rc = save(sc, &q, &err);
    }
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else
        say_saving(sc);
}

/* ---- the form ---- */

static bool wants_path(const struct snapshots *sn) {
    return sn && sn->saver.failed && !sn->saver.busy;
}

static void show_form(struct screen *sc) {
    sc->popup = &popup_snapshot;
    sc->scroll = sc->scroll_max = 0;
    sc->snapshot->problem[0] = '\0';
}

static void ask_path(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    show_form(sc);
    sn->asks = false;
    sc->message[0] = '\0';
    sn->line = SNAPSHOT_PATH;
    str_copy(sn->problem, sizeof(sn->problem), sn->saver.failed->err.text);
    form_set(&sn->path, sn->saver.failed->at);
}

static enum snapshot_span first_span(const struct screen *sc) {
    enum snapshot_span last = sc->snapshot->span;
    if (sc->opened || (cursor_has_span(&sc->cursor) && sc->cursor.shows != CURSOR_LIVE))
        return SPAN_MARKED;
    return last == SPAN_MARKED ? SPAN_RESET : last;
}

/* Those of last time; of a stored run its own. */
static void first_labels(const struct screen *sc, struct form_text *out) {
    char text[FORM_CAP] = "";
    for (size_t i = 0; sc->opened && i < sc->opened->run.label.n; i++) {
        const struct run_label *l = &sc->opened->run.label.at[i];
        if (!l->automatic)
            label_text_add(text, sizeof(text), l->key, l->value);
    }
    form_set(out, sc->opened ? text : sc->snapshot->last_labels);
    if (out->text[0])
        form_key(out, ' ');
}

void snapshot_open(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    if (wants_path(sn)) {
        ask_path(sc);
        return;
    }
    if (can_save(sc, &err) < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    show_form(sc);
    sn->line = SNAPSHOT_LABELS;
    sn->span = first_span(sc);
    first_labels(sc, &sn->labels);
    form_set(&sn->note, "");
    run_free(&sn->automatic);
    if (session_labels(sc->s, &sn->automatic, &err) < 0)
        screen_say(sc, "%s", err.text);
    offer_words(sn);
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
    sn->last_span = sn->span;
    sn->last_ns = last_ns(sn);
    size_t n = strlen(str_copy(sn->last_labels, sizeof(sn->last_labels), sn->labels.text));
    while (n > 0 && sn->last_labels[n - 1] == ' ')
        sn->last_labels[--n] = '\0';
}

void snapshot_accept(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    struct err err = {0};
    struct request q = {.labels = sn->labels.text, .note = sn->note.text};
    if (sn->line == SNAPSHOT_PATH) {
        accept_path(sc);
        return;
    }
    int rc = span_times(sc, sn->span, last_ns(sn), &q.t0_ns, &q.t1_ns, &err);
    if (rc == 0)
        rc = save(sc, &q, &err);
    if (rc < 0) {
        refuse(sn, &err);
        return;
    }
    remember(sn);
    close_store(sn);
    sc->popup = NULL;
    say_saving(sc);
}

/* ---- keys of the form ---- */

void snapshot_line(struct screen *sc, int lines) {
    struct snapshots *sn = sc->snapshot;
    int to = (int)sn->line + lines;
    if (sn->line != SNAPSHOT_PATH && to >= SNAPSHOT_SPAN && to <= SNAPSHOT_NOTE)
        sn->line = (enum snapshot_line)to;
    if (sn->line == SNAPSHOT_LABELS)
        offer_words(sn);
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

/* Left and Right choose; what is typed is the number of seconds. */
static void span_key(struct screen *sc, uint32_t key) {
    struct snapshots *sn = sc->snapshot;
    if (sc->opened)
        return; /* there is but one */
    if (key == KEYC_LEFT || key == KEYC_RIGHT || key == ' ') {
        sn->span = (enum snapshot_span)((sn->span + (key == KEYC_LEFT ? SPANS - 1 : 1)) % SPANS);
        return;
    }
    if ((key >= '0' && key <= '9') || key == KEYC_BACKSPACE) {
        if (sn->span != SPAN_LAST && key != KEYC_BACKSPACE)
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
    offer_words(sn);
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

/* ---- what became of it ---- */

static void say_saved(struct screen *sc, const struct saver_result *done) {
    char labels[sizeof(done->labels)];
    str_safe(labels, sizeof(labels), done->labels);
    const char *skipped = sc->snapshot->skipped;
    screen_say(sc, "saved as %.8s%s%s in %s%s%s", done->id, labels[0] ? ": " : "", labels, done->at,
               skipped[0] ? "; nothing was measured then on " : "", skipped);
}

/* A question takes the keys: it waits while they go into something else. */
static bool is_busy(const struct screen *sc) {
    return sc->popup || sc->ask.typing || sc->search.typing || sc->rows.filter.typing ||
           runs_shown(sc);
}

void snapshot_asks(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    if (sn && sn->asks && wants_path(sn) && !is_busy(sc))
        ask_path(sc);
}

static void say_result(struct screen *sc, const struct saver_result *done) {
    struct snapshots *sn = sc->snapshot;
    if (done->err.code == 0) {
        say_saved(sc, done);
        return;
    }
    sn->said_unsaved = 0;
    sn->asks = true;
    screen_say(sc, "snapshot %.8s could not be saved, and is in memory (s: where else to): %s",
               done->id, done->err.text);
}

bool snapshot_news(struct screen *sc) {
    struct saver_result done;
    bool any = false;
    while (saver_take(&sc->snapshot->saver, &done)) {
        say_result(sc, &done);
        any = true;
    }
    snapshot_asks(sc);
    return any || saver_is_blocked(&sc->snapshot->saver); /* the header says so */
}

bool snapshot_may_quit(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    int n = sn && sn->saver.failed ? saver_unsaved(&sn->saver) : 0;
    if (n <= (sn ? sn->said_unsaved : 0)) {
        if (sn)
            sn->gives_up = n > 0;
        return true;
    }
    sn->said_unsaved = n;
    screen_say(sc, "%d snapshot%s not saved: s saves elsewhere, q again quits without", n,
               n == 1 ? " is" : "s are");
    return false;
}
