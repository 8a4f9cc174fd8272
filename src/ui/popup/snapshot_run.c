/* A stretch of the session, as runs of all core types, on its way to the saver. */
#include "base/clock.h"
#include "base/str.h"
#include "ui/app/screen.h"
#include "ui/draw/label_text.h"
#include "ui/draw/words.h"
#include "ui/popup/snapshot_impl.h"
#include "ui/runs/runs_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- spans ---- */

uint64_t snapshot_seconds(const struct snapshots *sn) {
    uint64_t ns = 0;
    if (str_duration(sn->seconds.text, NS_PER_S, &ns, NULL) < 0)
        return 0;
    return ns;
}

const char *snapshot_span_words(const struct screen *sc, enum snapshot_span span, char *buf,
                                size_t cap) {
    const struct cursor *cu = &sc->scene.cursor;
    char text[16], at[16];
    const struct break_point since = session_since(sc->scene.s);
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
        snprintf(buf, cap, "the last %s s", sc->snapshot->seconds.text);
    else if (cursor_has_span(cu))
        snprintf(buf, cap, "the marked span, %s until %s",
                 words_span(text, sizeof(text), cu->end_ns - cu->begin_ns),
                 words_clock(at, sizeof(at), cu->end_ns));
    else
        str_copy(buf, cap, "a marked span ([ ] mark one, { } take a phase)");
    return buf;
}

int snapshot_times(const struct screen *sc, enum snapshot_span span, uint64_t ns, uint64_t *t0,
                   uint64_t *t1, struct err *err) {
    const struct cursor *cu = &sc->scene.cursor;
    uint64_t now_ns = sc->scene.s->sample.t1_ns;
    *t0 = span == SPAN_WHOLE ? 0 : session_since(sc->scene.s).t_ns;
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
    if (rc == 0 && run_set_text(&r->note, q->note) < 0)
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
int snapshot_save(struct screen *sc, struct snapshot_request *q, struct err *err) {
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

int snapshot_possible(const struct screen *sc, struct err *err) {
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

bool snapshot_has_span(const struct screen *sc, enum snapshot_span span) {
    if (sc->opened || span == SPAN_MARKED)
        return span == SPAN_MARKED;
    return span != SPAN_WHOLE || session_since(sc->scene.s).cause != BREAK_START;
}

int snapshot_take(struct screen *sc, const char *labels, struct err *err) {
    struct snapshot_request q = {.labels = labels, .note = ""};
    int rc = snapshot_possible(sc, err);
    if (rc == 0)
        rc = snapshot_times(sc, SPAN_SINCE, 0, &q.t0_ns, &q.t1_ns, err);
    return rc == 0 ? snapshot_save(sc, &q, err) : rc;
}
