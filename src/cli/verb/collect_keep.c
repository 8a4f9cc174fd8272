#include "cli/verb/collect_keep.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

enum { KEEP_BYTES = 1 << 20 };

void collect_keep_begin(struct collect_keep *k, uint64_t every_ns) {
    *k = (struct collect_keep){.tried_ns = clock_now_ns(), .every_ns = every_ns};
}

void collect_keep_end(struct collect_keep *k) {
    run_tally_end(&k->tally);
    store_growth_free(&k->growth);
    *k = (struct collect_keep){0};
}

/* No row will be added to what is there. */
static bool is_settled(const struct series *se) {
    const uint32_t n = series_chunks(se);
    return n > 0 && series_chunk_at(se, n - 1).n_row == SERIES_ROWS;
}

bool collect_keep_is_due(const struct collect_keep *k, const struct session *s) {
    const struct series *se = &s->timeline.series;
    if (series_rows(se) > k->n_tallied && clock_now_ns() >= k->tried_ns + k->every_ns)
        return true;
    return series_bytes(se) >= k->tried_bytes + KEEP_BYTES && is_settled(se);
}

static int tally(struct collect_keep *k, const struct session *s, const struct run *r,
                 struct err *err) {
    int rc = k->tally.impl_ ? 0 : run_tally_begin_by(&k->tally, r, &s->model, err);
    if (rc < 0)
        return rc;
    if ((rc = run_tally_add(&k->tally, &r->series, k->n_tallied)) < 0)
        return err_set(err, rc, "run %s: out of memory", r->id);
    k->n_tallied = series_rows(&r->series);
    return 0;
}

int collect_keep_run(struct collect_keep *k, const struct session *s, struct run *r,
                     struct err *err) {
    struct session_draft d;
    *r = (struct run){0};
    int rc =
        session_draft(s, k->from_ns, k->from_ns ? s->sample.t1_ns : 0, k->growth.n_row, &d, err);
    if (rc < 0)
        return rc;
    if (k->id[0])
        str_copy(d.run.id, sizeof(d.run.id), k->id);
    str_copy(k->id, sizeof(k->id), d.run.id);
    rc = session_draft_join(&d, err);
    if (rc == 0)
        rc = tally(k, s, &d.run, err);
    if (rc == 0)
        rc = session_draft_values(&d, &k->tally, err);
    if (rc < 0)
        session_draft_free(&d);
    else
        *r = d.run;
    return rc;
}

static int mark_unfinished(struct run *r, struct err *err) {
    char words[512];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    strbuf_add(&sb, RUN_UNFINISHED "tdtop collect still measures, or was killed%s%s",
               r->warning[0] ? "; " : "", r->warning);
    return run_set_text(&r->warning, words) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* With what is in memory, as a run of its own. */
static void begin_again(struct collect_keep *k, const struct session *s) {
    const uint64_t from_ns = series_begin_ns(&s->timeline.series);
    const uint64_t every_ns = k->every_ns;
    collect_keep_end(k);
    collect_keep_begin(k, every_ns);
    k->from_ns = from_ns;
}

static void settle(struct collect_keep *k, struct session *s) {
    series_clear(&s->timeline.series);
    k->n_tallied = 0;
    k->tried_bytes = 0;
}

int collect_keep_store(struct collect_keep *k, struct store *st, struct session *s, struct run *r,
                       bool over, struct err *err) {
    const bool settled = !over && is_settled(&s->timeline.series);
    int rc = over ? 0 : mark_unfinished(r, err);
    if (rc == 0)
        rc = store_grow(st, r,
                        over      ? GROW_DONE
                        : settled ? GROW_SETTLED
                                  : GROW_MORE,
                        &k->growth, err);
    k->tried_ns = clock_now_ns();
    k->tried_bytes = series_bytes(&s->timeline.series);
    if (rc == -ENOENT && k->growth.begun && series_rows(&s->timeline.series)) {
        begin_again(k, s);
        return 1;
    }
    if (rc == 0 && settled)
        settle(k, s);
    if (rc < 0)
        log_line("collect: %s", err->text);
    return rc;
}

/* The chunks that are there for good, then those of the rest. */
static int join_chunks(const struct collect_keep *k, const struct run *stored, const struct run *r,
                       struct series *out) {
    int rc = series_init(out, &r->layout, 0);
    for (uint32_t i = 0; rc == 0 && i < k->growth.n_chunk; i++) {
        const struct series_chunk c = series_chunk_at(&stored->series, i);
        rc = series_push_chunk(out, &c);
    }
    return rc == 0 ? series_copy(out, &r->series, 0, UINT64_MAX) : rc;
}

int collect_keep_rescue(struct collect_keep *k, struct store *st, struct run *r, struct err *err) {
    struct run stored = {0};
    struct series whole = {0};
    if (!k->growth.begun)
        return 0;
    int rc = store_load(st, r->id, RUN_COUNTS, &stored, err);
    if (rc == 0 && series_chunks(&stored.series) < k->growth.n_chunk)
        rc = err_set(err, -EUCLEAN, "run %s: counts are missing in %s", r->id, st->path);
    if (rc == 0 && (rc = join_chunks(k, &stored, r, &whole)) < 0)
        err_set(err, rc, "run %s: out of memory", r->id);
    run_free(&stored);
    run_new_id(r->id);
    if (rc < 0) {
        series_destroy(&whole);
        return rc;
    }
    series_destroy(&r->series);
    r->series = whole;
    r->n_stored = 0;
    return 0;
}
