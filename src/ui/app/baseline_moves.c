#include "ui/app/baseline_moves.h"

#include "base/str.h"
#include "ui/app/actions.h"
#include "ui/app/screen.h"
#include "ui/draw/label_text.h"
#include "ui/draw/words.h"

#include <errno.h>
#include <stdio.h>

void baseline_moves_destroy(struct baseline_moves *mv) {
    baseline_destroy(&mv->was);
    *mv = (struct baseline_moves){0};
}

/* A stays: only where B begins, and who is who, is remembered. */
static void remember(struct screen *sc) {
    baseline_moves_destroy(&sc->moves);
    sc->moves = (struct baseline_moves){.can_undo = true,
                                        .since_ns = sc->base.since_ns,
                                        .n_left_out = sc->base.n_left_out,
                                        .swapped = sc->bench.swapped};
}

/* A leaves its place. */
static void put_away(struct screen *sc) {
    remember(sc);
    sc->moves.replaced = true;
    sc->moves.was = sc->base;
    sc->base = (struct baseline){0};
}

static void put_back(struct screen *sc) {
    struct baseline_moves *mv = &sc->moves;
    baseline_destroy(&sc->base);
    sc->base = mv->was;
    mv->was = (struct baseline){0};
    if (screen_columns(sc) < 0)
        screen_say(sc, "out of memory: close other programs");
}

/* ---- B becomes A ---- */

/* The newest intervals of the session, as a run. */
static int keep_live(struct screen *sc, struct run *r, char *name, size_t cap, struct err *err) {
    const struct baseline *b = &sc->base;
    char span[16], at[16];
    if (b->live.sums.n == 0)
        return err_set(err, -ENODATA, "B has no interval yet: it begins with the next one");
    const int rc = session_run(sc->s, b->since_ns, sc->s->sample.t1_ns, r, err);
    r->id[0] = '\0'; /* it is not stored */
    if (rc == 0)
        snprintf(name, cap, "%s until %s", words_span(span, sizeof(span), b->live.sums.covered_ns),
                 words_clock(at, sizeof(at), r->t1_ns));
    return rc;
}

static int pin_live_side(struct screen *sc, struct err *err) {
    struct run r = {0};
    char name[sizeof(sc->base.name)];
    int rc = keep_live(sc, &r, name, sizeof(name), err);
    if (rc < 0)
        return rc;
    const uint64_t n = series_rows(&r.series);
    put_away(sc);
    rc = baseline_pin_run(sc, &r, err);
    if (rc < 0)
        return rc;
    str_copy(sc->base.name, sizeof(sc->base.name), name);
    sc->base.n_interval = n;
    return 0;
}

int baseline_advance(struct screen *sc, struct err *err) {
    const bool live = sc->cursor.shows == CURSOR_LIVE && !sc->opened;
    int rc = 0;
    if (sc->base.on && sc->bench.swapped && live) { /* B is what is pinned: it stays */
        baseline_begin_again(sc);
        sc->bench.swapped = false;
        return 0;
    }
    if (sc->base.on && live) {
        rc = pin_live_side(sc, err);
    } else {
        put_away(sc);
        rc = baseline_pin_live(sc, err);
    }
    if (rc < 0 && sc->moves.replaced && !sc->base.on) {
        put_back(sc);
        sc->moves.can_undo = false;
        return rc;
    }
    sc->bench.swapped = false;
    baseline_label(sc);
    return rc;
}

void baseline_label(struct screen *sc) {
    const struct snapshots *sn = sc->snapshot;
    const struct run *r = &sc->base.run;
    if (sn && sn->repeats && !sc->opened && sn->labels_ns > r->t0_ns && sn->labels_ns <= r->t1_ns)
        label_text_set(sn->last_labels, &sc->base.run, NULL);
}

/* ---- the others ---- */

void baseline_begin_again(struct screen *sc) {
    remember(sc);
    action_reset(sc);
    baseline_moved(sc);
}

void baseline_exchange(struct screen *sc) {
    remember(sc);
    bench_swap(sc);
}

/* B has what came since it began then, and what came since the key that is taken back. */
bool baseline_undo(struct screen *sc) {
    struct baseline_moves *mv = &sc->moves;
    struct baseline *b = &sc->base;
    if (!mv->can_undo)
        return false;
    if (mv->replaced)
        put_back(sc);
    sc->bench.swapped = mv->swapped;
    if (b->on) {
        if (b->since_ns != mv->since_ns)
            past_reset(&b->live);
        b->since_ns = mv->since_ns;
        b->n_left_out = mv->n_left_out;
        b->level_ns = b->since_ns;
        b->seen_seq = sc->s->breaks.seq;
        b->seen_id = sc->s->breaks.id;
        baseline_moved(sc);
    }
    mv->can_undo = false;
    return true;
}
