#include "ui/popup/snapshot.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/label_text.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/popup/popup.h"
#include "ui/popup/snapshot_offer.h"
#include "ui/runs/runs_open.h"
#include "ui/scene/app.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/view/where_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is to be stored, of session time. */
struct snapshot_request {
    uint64_t t0_ns, t1_ns;
    const char *labels, *note;
    char skipped[64]; /* filled: core types that had no interval in it */
};

/* True if something could not be saved, and nothing is being saved. */
static bool snapshot_wants_path(const struct snapshots *sn) {
    return sn && sn->saver.failed && !sn->saver.busy;
}

/* ---- a run of it ---- */

/* ---- spans ---- */

static uint64_t snapshot_seconds(const struct snapshots *sn) {
    uint64_t ns = 0;
    if (str_duration(sn->seconds.text, NS_PER_S, &ns, NULL) < 0)
        return 0;
    return ns;
}

/* "the last 42s, since the change at 00:01:04": what the chosen span covers. Returns buf. */
static const char *snapshot_span_words(const struct screen *sc, enum snapshot_span span, char *buf,
                                       size_t cap) {
    const struct cursor *cu = &sc->scene.cursor;
    char text[16], at[16];
    const struct break_point since = sc->snapshot->since;
    const uint64_t now_ns = sc->scene.s->sample.t1_ns;
    words_span(text, sizeof(text), now_ns > since.t_ns ? now_ns - since.t_ns : 0);
    if (span == SPAN_SINCE && since.cause == BREAK_START)
        snprintf(buf, cap, "the last %s, since the start", text);
    else if (span == SPAN_SINCE)
        snprintf(buf, cap, "the last %s, since %s at %s", text, break_words(since.cause),
                 words_clock(at, sizeof(at), since.t_ns));
    else if (span == SPAN_WHOLE)
        snprintf(buf, cap, "all of the session, %s", words_span(text, sizeof(text), now_ns));
    else if (span == SPAN_LAST)
        snprintf(buf, cap, "the last %.64s s", sc->snapshot->seconds.text);
    else if (cursor_has_span(cu))
        snprintf(buf, cap, "the marked span, %s until %s",
                 words_span(text, sizeof(text), cu->end_ns - cu->begin_ns),
                 words_clock(at, sizeof(at), cu->end_ns));
    else
        str_copy(buf, cap, "a marked span ([ ] mark one, { } take a phase)");
    return buf;
}

static int snapshot_times(const struct screen *sc, enum snapshot_span span, uint64_t since_ns,
                          uint64_t ns, uint64_t *t0, uint64_t *t1, struct err *err) {
    const struct cursor *cu = &sc->scene.cursor;
    uint64_t now_ns = sc->scene.s->sample.t1_ns;
    *t0 = span == SPAN_WHOLE ? 0 : since_ns;
    *t1 = now_ns;
    if (span == SPAN_LAST && ns == 0)
        return err_set(err, -EINVAL, "span: type how many seconds, at least 1");
    if (span == SPAN_MARKED && !cursor_has_span(cu))
        return err_set(
            err, -EINVAL,
            "span: none is marked; , and . move through time, [ and ] mark, { and } take a phase");
    if (span == SPAN_LAST) {
        *t0 = now_ns > ns ? now_ns - ns : 0;
    } else if (span == SPAN_MARKED) {
        *t0 = cu->begin_ns;
        *t1 = cu->end_ns;
    }
    return 0;
}

/* ---- a run ---- */

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

/* The run of one core type, without its values. On failure there is nothing to free. */
static int make_run(struct screen *sc, const struct snapshot_request *q, struct session_draft *d,
                    struct err *err) {
    struct run *r = &d->run;
    int rc = session_draft(sc->scene.s, q->t0_ns, q->t1_ns, 0, d, err);
    if (rc < 0)
        return rc;
    if (sc->opened)
        rc = drop_labels(r, err);
    if (rc == 0)
        rc = label_text_set(q->labels, r, err);
    if (rc == 0 && (run_set_text(&r->note, q->note) < 0 || app_add_samples(&sc->scene, r) < 0))
        rc = err_set(err, -ENOMEM, "snapshot: out of memory; close other programs");
    if (rc < 0)
        session_draft_free(d);
    return rc;
}

static void skip_type(const struct screen *sc, char *skipped, size_t cap) {
    const char *cores = session_cores(sc->scene.s);
    const size_t n = strlen(skipped);
    snprintf(skipped + n, cap - n, "%s%s", n ? ", " : "",
             cores[0] ? cores : session_type(sc->scene.s));
}

/* Of each core type that has an interval in the span; q->skipped: the others. How many, or
 * negative errno: then there are none. */
static int make_runs(struct screen *sc, struct snapshot_request *q, struct session_draft *run,
                     struct err *err) {
    const int n_type = types_many(sc->types) ? sc->types->n : 1;
    int n = 0, rc = 0;
    for (int i = 0; i < n_type; i++) {
        struct screen *of = n_type > 1 ? sc->types->at[i] : sc;
        rc = make_run(of, q, &run[n], err);
        if (rc == 0)
            n++;
        else if (rc == -ENODATA)
            skip_type(of, q->skipped, sizeof(q->skipped));
        else
            break;
    }
    if (n > 0 && (rc == 0 || rc == -ENODATA))
        return n;
    while (n > 0)
        session_draft_free(&run[--n]);
    return rc;
}

/* All are stored or none: what is done again after a failure must not be there twice. */
static int snapshot_save(struct screen *sc, struct snapshot_request *q, struct err *err) {
    struct run try = {0};
    struct session_draft run[SESSIONS_MAX];
    int rc = label_text_set(q->labels, &try, err); /* before much work is done in vain */
    run_free(&try);
    if (rc < 0)
        return rc;
    const int n = make_runs(sc, q, run, err);
    if (n < 0)
        return n;
    rc = saver_add(&sc->snapshot->saver, run, n, sc->snapshot->db, q->skipped, err);
    for (int i = 0; rc == 0 && !sc->opened && i < (types_many(sc->types) ? sc->types->n : 1); i++)
        session_break((types_many(sc->types) ? sc->types->at[i] : sc)->scene.s, BREAK_SNAPSHOT);
    return rc;
}

static int snapshot_possible(const struct screen *sc, struct err *err) {
    if (!sc->snapshot)
        return err_set(err, -ENOTSUP, "snapshot: nothing can be stored from here");
    if (!sc->scene.connected || sc->scene.s->n_frames == 0)
        return err_set(err, -ENODATA, "snapshot: nothing was measured yet; wait for an interval");
    if (!snapshot_is_offered(sc))
        return err_set(err, -EEXIST,
                       "this run is stored, as %.8s: {begin-span} and {end-span} mark a span, "
                       "which {snapshot} keeps",
                       sc->opened->run.id);
    return 0;
}

bool snapshot_is_offered(const struct screen *sc) {
    return !sc->opened || cursor_has_span(&sc->scene.cursor);
}

/* True if the form has this span to choose. */
static bool snapshot_has_span(const struct screen *sc, enum snapshot_span span) {
    if (sc->opened || span == SPAN_MARKED)
        return span == SPAN_MARKED;
    return span != SPAN_WHOLE || sc->snapshot->since.cause != BREAK_START;
}

int snapshot_take(struct screen *sc, const char *labels, struct err *err) {
    struct snapshot_request q = {.labels = labels, .note = ""};
    int rc = snapshot_possible(sc, err);
    if (rc == 0)
        rc = snapshot_times(sc, SPAN_SINCE, session_since(sc->scene.s).t_ns, 0, &q.t0_ns, &q.t1_ns,
                            err);
    return rc == 0 ? snapshot_save(sc, &q, err) : rc;
}

/* ---- the form ---- */

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
        rc = snapshot_times(sc, sc->opened ? SPAN_MARKED : SPAN_SINCE,
                            session_since(sc->scene.s).t_ns, 0, &q.t0_ns, &q.t1_ns, &err);
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

static void snapshot_ask_path(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    show_form(sc);
    sn->asks = false;
    sc->message[0] = '\0';
    sn->line = SNAPSHOT_PATH;
    str_copy(sn->problem, sizeof(sn->problem), sn->saver.failed->err.text);
    form_set(&sn->path, sn->saver.failed->at);
}

static enum snapshot_span first_span(const struct screen *sc) {
    const uint64_t least = 5 * NS_PER_S, since = sc->snapshot->since.t_ns;
    if (sc->opened || (cursor_has_span(&sc->scene.cursor) && sc->scene.cursor.shows != CURSOR_LIVE))
        return SPAN_MARKED;
    return since && sc->scene.s->sample.t1_ns - since < least ? SPAN_LAST : SPAN_SINCE;
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
    sn->since = session_since(sc->scene.s);
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
    int rc = snapshot_times(sc, sn->span, sn->since.t_ns, snapshot_seconds(sn), &q.t0_ns, &q.t1_ns,
                            &err);
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

/* Into the line that is typed; false if that is a number of seconds. */
static bool snapshot_paste(struct screen *sc, const char *text) {
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

/* A key for the form that no binding takes. */
static void snapshot_key(struct screen *sc, uint32_t key) {
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

/* ---- what the saver says ---- */

/* ---- what became of it ---- */

static void say_saved(struct screen *sc, const struct saver_result *done) {
    char labels[sizeof(done->labels)], span[16];
    str_safe(labels, sizeof(labels), done->labels);
    words_span(span, sizeof(span), done->measured_ns);
    screen_say(sc, "saved as %.8s, %s%s%s in %s%s%s", done->id, span,
               labels[0] ? ": " : ", no labels", labels, done->at,
               done->skipped[0] ? "; nothing was measured then on " : "", done->skipped);
}

/* A question takes the keys: it waits while they go into something else. */
static bool is_busy(const struct screen *sc) {
    return sc->popup || sc->ask.typing || search_is_typed(sc) || runs_shown(sc);
}

void snapshot_asks(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    if (sn && sn->asks && snapshot_wants_path(sn) && !is_busy(sc))
        snapshot_ask_path(sc);
}

static void say_result(struct screen *sc, const struct saver_result *done) {
    struct snapshots *sn = sc->snapshot;
    if (done->err.code == 0) {
        say_saved(sc, done);
        return;
    }
    sn->said_unsaved = 0;
    sn->asks = true;
    screen_say(sc,
               "snapshot %.8s could not be saved, and is in memory ({snapshot}: where else to): %s",
               done->id, done->err.text);
}

bool snapshot_status(struct screen *sc) {
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
    screen_say(sc,
               "%d snapshot%s not saved: {snapshot} saves elsewhere, {quit} again quits without", n,
               n == 1 ? " is" : "s are");
    return false;
}

/* ---- drawing ---- */

enum { WIDTH = 76, NAME_W = 9 };

/* A line of the form: its name, and the place for what is typed. */
static struct rect line(struct page *p, const struct snapshots *sn, enum snapshot_line which,
                        const char *name) {
    struct rect r = {p->r.x + NAME_W, p->r.y + p->line - p->skip, p->r.w - NAME_W, 1};
    bool here = sn->line == which;
    char text[32];
    snprintf(text, sizeof(text), "%s%s", here ? "▸ " : "  ", name);
    page_pair(p, NAME_W, here ? STYLE_KEY : STYLE_LABEL, text, STYLE_POPUP, "");
    return r;
}

static void text_line(struct page *p, const struct snapshots *sn, enum snapshot_line which,
                      const char *name, const struct form_text *text) {
    struct rect r = line(p, sn, which, name);
    if (r.y >= p->r.y && r.y < p->r.y + p->r.h)
        form_draw(text, p->c, r, r.x, r.y, r.w, STYLE_VALUE, sn->line == which);
}

/* "(*) since the start, 42s" */
static void page_spans(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    const char *name = sn->line == SNAPSHOT_SPAN ? "▸ span" : "  span";
    char words[96], text[128];
    for (int i = 0; i < SPANS; i++) {
        bool chosen = (int)sn->span == i;
        if (!snapshot_has_span(sc, (enum snapshot_span)i))
            continue;
        snprintf(text, sizeof(text), "(%s) %s", chosen ? "•" : " ",
                 snapshot_span_words(sc, (enum snapshot_span)i, words, sizeof(words)));
        page_pair(p, NAME_W, sn->line == SNAPSHOT_SPAN ? STYLE_KEY : STYLE_LABEL, name,
                  chosen ? STYLE_VALUE : STYLE_LABEL, text);
        name = "";
    }
}

static void page_offers(struct page *p, const struct snapshots *sn) {
    char text[OFFERS_MAX * (OFFER_LEN + 2) + 16] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (sn->line != SNAPSHOT_LABELS || (sn->n_offer == 0 && sn->labels.text[0])) {
        page_blank(p);
        return;
    }
    if (sn->n_offer == 0) {
        page_pair(p, NAME_W, STYLE_LABEL, "", STYLE_LABEL, "key=value, as in: step=before");
        return;
    }
    char key[24];
    keys_name_of("form-complete", key, sizeof(key));
    strbuf_add(&sb, "%s:", offer_is_meant(sn) ? key : "recent");
    for (int i = 0; i < sn->n_offer; i++)
        strbuf_add(&sb, i == sn->offered ? "  [%s]" : "  %s", sn->offer[i]);
    page_pair(p, NAME_W, STYLE_LABEL, "", STYLE_LABEL, text);
}

static void page_automatic(struct page *p, const struct snapshots *sn) {
    char text[2048] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < sn->automatic.label.n; i++) {
        const struct run_label *l = &sn->automatic.label.at[i];
        if (l->automatic)
            strbuf_add(&sb, "%s%s=%.48s", sb.n ? "  " : "", l->key, l->value);
    }
    char safe[2048];
    page_text(p, STYLE_DIM, NAME_W, NULL, str_safe(safe, sizeof(safe), text));
}

static void page_form(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    page_spans(sc, p);
    page_blank(p);
    text_line(p, sn, SNAPSHOT_LABELS, "labels", &sn->labels);
    page_offers(p, sn);
    text_line(p, sn, SNAPSHOT_NOTE, "note", &sn->note);
    page_blank(p);
    if (sn->problem[0]) {
        page_text(p, STYLE_ERROR, 0, NULL, sn->problem);
        page_blank(p);
    }
    page_text(p, STYLE_LABEL, 0, NULL, "Automatic labels, unless you give them:");
    page_automatic(p, sn);
}

static void page_failed(struct screen *sc, struct page *p) {
    const struct snapshots *sn = sc->snapshot;
    page_text(p, STYLE_ERROR, 0, NULL, sn->problem);
    page_blank(p);
    char words[160];
    page_text(
        p, STYLE_POPUP, 0, NULL,
        keys_in_words("Nothing is lost: the run is in memory. {form-accept} saves it into this "
                      "file, {form-close} keeps it for later.",
                      words, sizeof(words)));
    page_blank(p);
    text_line(p, sn, SNAPSHOT_PATH, "file", &sn->path);
}

static void prepare(struct screen *sc, struct rect r) {
    (void)r;
    offer_settle(sc->snapshot);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const bool failed = sc->snapshot->line == SNAPSHOT_PATH;
    popup_page(sc, c, r, WIDTH, failed ? "Snapshot: not saved" : "Snapshot",
               failed ? page_failed : page_form);
}

const struct overlay popup_snapshot = {.name = "snapshot",
                                       .context = IN_FORM,
                                       .own_keys = true,
                                       .prepare = prepare,
                                       .draw = draw,
                                       .mouse = popup_mouse,
                                       .type = snapshot_key,
                                       .paste = snapshot_paste};

/* --- what views ask for (ui/scene/app.h) --- */

bool app_store_is_blocked(const struct scene *sc) {
    const struct snapshots *sn = screen_of(sc)->snapshot;
    return sn && saver_is_blocked(&sn->saver);
}

int app_add_samples(struct scene *sc, struct run *r) {
    struct where_state *w = screen_state(screen_of(sc), &view_where);
    const uint64_t start_ns = sc->s->t_start_ns;
    return w && !sc->stored ? where_live_give(&w->live, start_ns + r->t0_ns, start_ns + r->t1_ns, r)
                            : 0;
}

const char *app_labels_between(const struct scene *sc, uint64_t t0_ns, uint64_t t1_ns) {
    const struct snapshots *sn = screen_of(sc)->snapshot;
    return sn && sn->repeats && sn->labels_ns > t0_ns && sn->labels_ns <= t1_ns ? sn->last_labels
                                                                                : "";
}
