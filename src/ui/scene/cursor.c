#include "ui/scene/cursor.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>

int cursor_init(struct cursor *cu, const struct session *s) {
    cursor_destroy(cu);
    int rc = frame_init(&cu->frame, s->model.n_metric);
    if (rc == 0)
        rc = sample_init(&cu->sample, s->source.layout.n_slot);
    if (rc == 0)
        rc = sample_init(&cu->found, s->source.layout.n_slot);
    return rc == 0 ? past_init(&cu->past, s) : rc;
}

void cursor_destroy(struct cursor *cu) {
    frame_destroy(&cu->frame);
    sample_destroy(&cu->sample);
    sample_destroy(&cu->found);
    past_destroy(&cu->past);
    *cu = (struct cursor){0};
}

/* ---- what was counted then ---- */

enum { MOMENT_ROWS = 64 };

/* A column of hours has so many intervals that adding them up would be felt. */
static bool is_long(const struct scene *sc) {
    const struct cursor *cu = &sc->cursor;
    return cu->shows == CURSOR_MOMENT &&
           cu->t1_ns - cu->t0_ns > MOMENT_ROWS * sc->s->control.interval_ns;
}

/* Of a moment the intervals that the history has in one row: the plot shows them as one. */
static bool find_packed(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    const struct sample *row = &cu->sample;
    bool span = cu->shows == CURSOR_SPAN;
    uint64_t t0_ns = span || row->t0_ns > cu->t0_ns ? cu->t0_ns : row->t0_ns;
    return past_take(&cu->past, sc->s, t0_ns, span ? cu->t1_ns : row->t1_ns) > 0;
}

static void evaluate(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    cu->packed = !is_long(sc) && find_packed(sc);
    if (cu->packed) {
        sample_copy(&cu->sample, window_sample(&cu->past.sums));
        window_frame(&cu->past.sums, &sc->s->eval, &cu->frame);
    } else {
        eval_run(&sc->s->eval, &cu->sample, &cu->frame);
        for (uint32_t i = 0; i < cu->frame.n_metric; i++)
            cu->frame.at[i].err = NAN;
    }
    cu->frame.seq = cu->sample.seq = UINT64_MAX; /* no interval of the source */
    sc->frame = &cu->frame;
    sc->sample = &cu->sample;
    scene_jump(sc);
}

bool cursor_show(struct scene *sc, uint64_t t0_ns, uint64_t t1_ns, enum cursor_shows as) {
    struct cursor *cu = &sc->cursor;
    if (!sc->newest || timeline_sum(&sc->s->timeline, t0_ns, t1_ns, &cu->found) == 0) {
        app_say(sc, "nothing was measured then");
        return false;
    }
    sample_copy(&cu->sample, &cu->found);
    cu->shows = as;
    cu->t0_ns = t0_ns;
    cu->t1_ns = t1_ns;
    evaluate(sc);
    baseline_moved(sc);
    return true;
}

/* ---- moving ---- */

static uint64_t bucket_of(uint64_t t_ns, uint64_t bucket_ns) {
    return t_ns ? (t_ns - 1) / bucket_ns : 0;
}

static uint64_t newest_bucket(const struct scene *sc) {
    return bucket_of(scene_newest_ns(sc), scene_bucket_ns(sc));
}

static uint64_t shown_bucket(const struct scene *sc) {
    return sc->cursor.shows == CURSOR_LIVE ? newest_bucket(sc)
                                           : bucket_of(sc->cursor.t1_ns, scene_bucket_ns(sc));
}

static bool has_bucket(struct scene *sc, uint64_t bucket) {
    uint64_t ns = scene_bucket_ns(sc);
    return timeline_sum(&sc->s->timeline, bucket * ns, (bucket + 1) * ns, &sc->cursor.found) > 0;
}

void cursor_step(struct scene *sc, int buckets) {
    if (!sc->newest)
        return;
    uint64_t first = bucket_of(tiers_oldest_ns(&sc->s->timeline.tiers) + 1, scene_bucket_ns(sc));
    uint64_t last = newest_bucket(sc), at = shown_bucket(sc);
    for (int way = buckets < 0 ? -1 : 1, left = buckets; left != 0;) {
        if (way < 0 ? at <= first : at >= last)
            break;
        at += (uint64_t)(int64_t)way;
        if (has_bucket(sc, at))
            left -= way; /* gaps are stepped over */
    }
    if (at >= last && buckets > 0)
        cursor_live(sc);
    else if (at == shown_bucket(sc) && sc->cursor.shows != CURSOR_SPAN)
        app_say(sc, "nothing older is known");
    else
        cursor_show(sc, at * scene_bucket_ns(sc), (at + 1) * scene_bucket_ns(sc), CURSOR_MOMENT);
    sc->cursor.focused = sc->cursor.shows != CURSOR_LIVE;
}

void cursor_go(struct scene *sc, uint64_t t_ns) {
    uint64_t ns = scene_bucket_ns(sc), at = bucket_of(t_ns, ns);
    if (!sc->newest)
        return;
    if (at >= newest_bucket(sc))
        cursor_live(sc);
    else
        cursor_show(sc, at * ns, (at + 1) * ns, CURSOR_MOMENT);
    sc->cursor.focused = true;
}

void cursor_live(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    cu->focused = false;
    if (cu->shows == CURSOR_LIVE)
        return;
    cu->shows = CURSOR_LIVE;
    app_show_newest(sc);
    scene_jump(sc);
    baseline_moved(sc);
}

bool cursor_back(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    if (cu->shows != CURSOR_LIVE) {
        cursor_live(sc);
        return true;
    }
    bool had = cu->begun || cu->ended;
    cu->begun = cu->ended = false;
    return had;
}

/* ---- a span ---- */

bool cursor_has_span(const struct cursor *cu) {
    return cu->begun && cu->ended;
}

void cursor_begin_span(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    if (!sc->newest)
        return;
    cu->begin_ns = cu->shows == CURSOR_LIVE ? scene_newest_ns(sc) : cu->t0_ns;
    cu->begun = true;
    cu->ended &= cu->end_ns > cu->begin_ns;
    if (cu->ended)
        cursor_show(sc, cu->begin_ns, cu->end_ns, CURSOR_SPAN);
    else
        app_say(sc, "a span begins here: ] marks its end");
}

void cursor_end_span(struct scene *sc) {
    struct cursor *cu = &sc->cursor;
    if (!sc->newest)
        return;
    uint64_t end_ns = cu->shows == CURSOR_LIVE ? scene_newest_ns(sc) : cu->t1_ns;
    if (!cu->begun || end_ns <= cu->begin_ns) {
        app_say(sc, cu->begun ? "the span would end before it begins: [ marks another begin"
                              : "no span begins before this: [ marks its begin");
        return;
    }
    cu->end_ns = end_ns;
    cu->ended = true;
    if (!cursor_show(sc, cu->begin_ns, end_ns, CURSOR_SPAN))
        cu->ended = false;
}

void cursor_phase(struct scene *sc, int by) {
    struct cursor *cu = &sc->cursor;
    struct session_phase p[BREAKS_MOST];
    const int n = sc->newest ? session_phases(sc->s, p, BREAKS_MOST) : 0;
    int at = n;
    while (cu->shows != CURSOR_LIVE && at > 0 && p[at - 1].t0_ns >= cu->t1_ns)
        at--; /* behind what is shown */
    if (cu->shows != CURSOR_LIVE)
        at--; /* the one that it is in */
    at += by;
    if (n == 0 || at < 0) {
        app_say(sc, "no phase before this is known");
        return;
    }
    if (at >= n) {
        cursor_live(sc);
        return;
    }
    cu->begin_ns = p[at].t0_ns;
    cu->end_ns = p[at].t1_ns;
    cu->begun = true;
    cu->ended = cursor_show(sc, cu->begin_ns, cu->end_ns, CURSOR_SPAN);
    char name[64];
    if (cu->ended)
        app_say(sc, "phase %d of %d: %s", at + 1, n,
                phase_name(scene_model(sc), &p[at], name, sizeof(name)));
}

const char *phase_name(const struct model *m, const struct session_phase *p, char *buf,
                       size_t cap) {
    return p->main == METRIC_NONE ? str_copy(buf, cap, "idle")
                                  : words_short(buf, cap, &m->metric[p->main]);
}

const char *cursor_words(const struct scene *sc, char *buf, size_t cap) {
    const struct cursor *cu = &sc->cursor;
    char length[16], ago[16];
    uint64_t now_ns = scene_newest_ns(sc);
    words_span(ago, sizeof(ago), now_ns > cu->t1_ns ? now_ns - cu->t1_ns : 0);
    words_span(length, sizeof(length), cu->t1_ns - cu->t0_ns);
    if (cu->shows == CURSOR_LIVE)
        return str_copy(buf, cap, "");
    if (cu->shows == CURSOR_MOMENT)
        snprintf(buf, cap, "%s ago", ago);
    else if (now_ns > cu->t1_ns)
        snprintf(buf, cap, "%s until %s ago", length, ago);
    else
        snprintf(buf, cap, "the last %s", length);
    return buf;
}
