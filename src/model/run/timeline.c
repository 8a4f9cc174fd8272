#include "model/run/timeline.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int timeline_init(struct timeline *tl, const struct layout *layout, uint32_t n_metric,
                  size_t keep_bytes) {
    tl->n_metric = n_metric;
    tl->moments = calloc(n_metric + 1u, sizeof(*tl->moments));
    tl->mark = calloc(TIMELINE_MARKS, sizeof(*tl->mark));
    if (!tl->moments || !tl->mark)
        return -ENOMEM;
    timeline_reset(tl, 0);
    int rc = tiers_init(&tl->tiers, layout->n_slot);
    return rc < 0 ? rc : series_init(&tl->series, layout, keep_bytes);
}

void timeline_destroy(struct timeline *tl) {
    tiers_destroy(&tl->tiers);
    series_destroy(&tl->series);
    free(tl->moments);
    free(tl->mark);
    *tl = (struct timeline){0};
}

/* The two with the least time between them become one. */
static void join_nearest(struct timeline *tl) {
    struct timeline_loss *l = tl->loss;
    int at = 0;
    for (int i = 1; i + 1 < tl->n_loss; i++)
        if (l[i + 1].first_ns - l[i].last_ns < l[at + 1].first_ns - l[at].last_ns)
            at = i;
    l[at].last_ns = l[at + 1].last_ns;
    l[at].n += l[at + 1].n;
    tl->n_loss--;
    memmove(&l[at + 1], &l[at + 2], (size_t)(tl->n_loss - at - 1) * sizeof(*l));
}

static void lose(struct timeline *tl, uint64_t t1_ns) {
    tl->n_lost++;
    if (!tl->losing) {
        if (tl->n_loss == TIMELINE_LOSSES)
            join_nearest(tl);
        tl->loss[tl->n_loss++] = (struct timeline_loss){.first_ns = t1_ns};
    }
    struct timeline_loss *l = &tl->loss[tl->n_loss - 1];
    l->last_ns = t1_ns;
    l->n++;
}

int timeline_push(struct timeline *tl, const struct sample *s, const struct frame *f) {
    for (uint32_t i = 0; i < tl->n_metric; i++)
        moments_add(&tl->moments[i], f->at[i].v);
    tiers_push(&tl->tiers, s);
    int rc = series_push(&tl->series, s);
    if (rc < 0)
        lose(tl, s->t1_ns);
    tl->losing = rc < 0;
    return rc;
}

int timeline_sum(const struct timeline *tl, uint64_t t0_ns, uint64_t t1_ns, struct sample *out) {
    const int n = tiers_sum(&tl->tiers, t0_ns, t1_ns, out);
    return n > 0 ? n : tiers_at(&tl->tiers, t1_ns, out);
}

bool timeline_reaches(const struct timeline *tl, uint64_t t_ns) {
    return !series_dropped(&tl->series) || series_begin_ns(&tl->series) <= t_ns;
}

/* Rows of the tiers in (t0, t1], the finest there are. */
static int copy_tiers(const struct timeline *tl, uint64_t t0_ns, uint64_t t1_ns,
                      struct series *to) {
    struct sample row;
    int rc = sample_init(&row, to->n_slot);
    uint64_t oldest = tiers_oldest_ns(&tl->tiers), t = t0_ns > oldest ? t0_ns : oldest;
    while (rc == 0 && t < t1_ns && tiers_next(&tl->tiers, t, &row) && row.t1_ns > t) {
        t = row.t1_ns;
        if (t <= t1_ns)
            rc = series_push(to, &row);
    }
    sample_destroy(&row);
    return rc;
}

/* 1: an interval ends in (t0_ns, t1_ns]. 0, or -ENOMEM. */
static int has_row(const struct series *se, uint64_t t0_ns, uint64_t t1_ns) {
    struct series_reader r;
    struct sample row;
    if (series_rows(se) == 0)
        return 0;
    int rc = sample_init(&row, se->n_slot);
    if (rc == 0 && (rc = series_reader_init(&r, se)) == 0) {
        if (t0_ns > 0) /* else from the first on, one of unknown length too */
            series_reader_seek(&r, t0_ns);
        rc = series_reader_next(&r, &row) && row.t1_ns <= t1_ns;
        series_reader_destroy(&r);
    }
    sample_destroy(&row);
    return rc;
}

int timeline_hold(const struct timeline *tl, const struct layout *layout, uint64_t t0_ns,
                  uint64_t t1_ns, struct series *early, struct series *late) {
    int rc = series_init(early, layout, 0);
    if (rc == 0)
        rc = series_init(late, layout, 0);
    if (rc == 0 && !timeline_reaches(tl, t0_ns))
        rc = copy_tiers(tl, t0_ns, series_begin_ns(&tl->series), early);
    if (rc == 0)
        rc = series_hold(late, &tl->series, t0_ns, t1_ns);
    if (rc == 0)
        rc = series_rows(early) ? 1 : has_row(late, t0_ns, t1_ns);
    return rc;
}

/* Of a row that the span cuts, the two at its ends are known to be inside or outside. */
uint64_t timeline_lost(const struct timeline *tl, uint64_t t0_ns, uint64_t t1_ns, bool *at_most) {
    enum { ENDS = 2 };
    uint64_t sum = 0;
    *at_most = false;
    for (int i = 0; i < tl->n_loss; i++) {
        const struct timeline_loss *l = &tl->loss[i];
        if (l->first_ns > t1_ns || l->last_ns <= t0_ns)
            continue;
        const unsigned outside = (l->first_ns <= t0_ns) + (l->last_ns > t1_ns);
        sum += l->n - outside;
        *at_most |= outside && l->n > ENDS;
    }
    return sum;
}

void timeline_reset(struct timeline *tl, uint64_t now_ns) {
    for (uint32_t i = 0; i < tl->n_metric; i++)
        moments_reset(&tl->moments[i]);
    tl->reset_ns = now_ns;
}

static void drop_oldest(struct timeline *tl) {
    memmove(tl->mark, tl->mark + 1, (TIMELINE_MARKS - 1) * sizeof(*tl->mark));
    tl->n_mark--;
}

void timeline_mark(struct timeline *tl, uint64_t t_ns, const char *name) {
    if (!tl->mark)
        return;
    if (tl->n_mark == TIMELINE_MARKS)
        drop_oldest(tl);
    int at = tl->n_mark;
    while (at > 0 && tl->mark[at - 1].t_ns > t_ns)
        at--;
    memmove(tl->mark + at + 1, tl->mark + at, (size_t)(tl->n_mark - at) * sizeof(*tl->mark));
    tl->mark[at].t_ns = t_ns;
    str_safe(tl->mark[at].name, sizeof(tl->mark[at].name), name);
    tl->n_mark++;
}
