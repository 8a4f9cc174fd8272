#include "ui/view/axis.h"

#include "base/clock.h"

#include <math.h>

enum chart_glyph axis_glyph(const struct scene *sc) {
    return sc->plot_glyph;
}

/* One scale for the whole of a session: half a second a column with one value a second. */
static uint64_t live_cell(uint64_t bucket_ns) {
    return bucket_ns >= NS_PER_S ? bucket_ns / 2 : bucket_ns * 2;
}

/* What has ended fills the width, as far back as it is held. */
static uint64_t whole_cell(const struct trend *t, int cells) {
    const uint64_t buckets = t->newest + 1 < (uint64_t)t->n ? t->newest + 1 : (uint64_t)t->n;
    const uint64_t n = cells > 0 ? (uint64_t)cells : 1;
    return (buckets * t->bucket_ns + n - 1) / n;
}

/* Each move changes most of a noisy curve's columns: every 2 s is often enough for the eye. */
static int jump_of(uint64_t cell_ns) {
    return (int)(2 * NS_PER_S / cell_ns);
}

struct scale_time axis_newest(const struct scene *sc, const struct trend *t, int cells) {
    const uint64_t end_ns = (t->newest + 1) * t->bucket_ns, cell_ns = live_cell(t->bucket_ns);
    if (sc->s->state != STREAM_LIVE)
        return scale_time_right(end_ns, whole_cell(t, cells), cells, 0);
    return scale_time_right(end_ns, cell_ns, cells, jump_of(cell_ns));
}

static void add_span(const struct cursor *cu, struct chart *ch) {
    if (!cu->begun)
        return;
    ch->span0_ns = cu->begin_ns;
    ch->span1_ns = cu->ended ? cu->end_ns : 0;
}

struct chart axis_chart(const struct scene *sc, struct scale_time x, struct chart_mark *mark) {
    const struct timeline *rec = &sc->s->timeline;
    struct chart ch = {.glyph = axis_glyph(sc),
                       .x = x,
                       .words = sc->view == &view_history ? SCALE_ELAPSED : SCALE_AGO,
                       .mark = mark};
    const struct breaks *br = &sc->s->breaks;
    for (int i = 0, k = 0; i < rec->n_mark || k < br->n;) {
        if (k < br->n && !break_is_phase(&br->at[k]))
            k++;
        else if (k == br->n || (i < rec->n_mark && rec->mark[i].t_ns <= br->at[k].t_ns)) {
            mark[ch.n_mark++] = (struct chart_mark){rec->mark[i].t_ns, rec->mark[i].name};
            i++;
        } else
            mark[ch.n_mark++] = (struct chart_mark){br->at[k++].t_ns, ""};
    }
    if (sc->cursor.shows == CURSOR_MOMENT)
        ch.cursor_ns = sc->cursor.t1_ns;
    add_span(&sc->cursor, &ch);
    return ch;
}

/* ---- values ---- */

/* Buckets of a trend that are held, and the index of the first for trend_at. */
static int held(const struct trend *t, int *first) {
    const uint64_t n = t->newest - trend_oldest(t) + 1;
    *first = t->n - (int)n;
    return (int)n;
}

/*
 * A recording's intervals drift against the buckets: one that ends just behind an empty bucket was
 * measured during it, and fills it.
 */
static bool drifts(const struct scene *sc) {
    return !sc->s->source.live && !sc->s->source.simulated;
}

static bool is_filled(const float *v, int i, int n) {
    return i + 1 < n && isnan(v[i]) && (i == 0 || !isnan(v[i - 1]));
}

struct chart_values axis_values(const struct scene *sc, const struct trend *t, int metric, float *v,
                                float *err) {
    int first, n = held(t, &first);
    for (int i = 0; i < n; i++) {
        v[i] = (float)trend_at(t, metric, first + i);
        if (err)
            err[i] = (float)trend_err_at(t, metric, first + i);
    }
    for (int i = 0; drifts(sc) && i < n; i++)
        if (is_filled(v, i, n)) {
            v[i] = v[i + 1];
            if (err)
                err[i] = err[i + 1];
        }
    return (struct chart_values){.v = v,
                                 .err = err,
                                 .n = n,
                                 .first_ns = trend_oldest(t) * t->bucket_ns,
                                 .step_ns = t->bucket_ns};
}

int axis_ends(const struct scene *sc, const struct trend *t, int16_t *end) {
    int first, n = held(t, &first);
    for (int i = 0; i < n; i++)
        end[i] = (int16_t)trend_end(t, first + i);
    for (int i = 0; drifts(sc) && i + 1 < n; i++)
        if (end[i] == TREND_UNKNOWN && (i == 0 || end[i - 1] != TREND_UNKNOWN))
            end[i] = end[i + 1];
    return n;
}

/* ---- the mouse ---- */

/* Beside the area time goes on as far as there is any. */
void axis_mouse(struct scene *sc, struct rect area, const struct scale_time *x,
                const struct mouse *m) {
    const int64_t at = m->x - area.x + 1;
    const int64_t t_ns = (int64_t)x->from_ns + (at - x->blank) * (int64_t)x->cell_ns;
    cursor_go(sc, t_ns > 0 ? (uint64_t)t_ns : 0);
}
