#include "ui/scene/past.h"

#include "session/session.h"

#include <errno.h>
#include <stdlib.h>

int past_init(struct past *p, const struct session *s) {
    *p = (struct past){.n_metric = s->model.n_metric};
    p->moments = calloc(s->model.n_metric + 1u, sizeof(*p->moments));
    int rc = p->moments ? 0 : -ENOMEM;
    if (rc == 0)
        rc = window_init(&p->sums, s->source.layout.n_slot, s->model.n_metric);
    if (rc == 0)
        rc = window_layout(&p->sums, &s->model, &s->source.layout);
    if (rc == 0)
        rc = sample_init(&p->row, s->source.layout.n_slot);
    if (rc == 0)
        rc = frame_init(&p->of_row, s->model.n_metric);
    if (rc == 0)
        rc = series_reader_init(&p->reader, &s->timeline.series);
    if (rc == 0)
        past_reset(p);
    return rc;
}

void past_destroy(struct past *p) {
    window_destroy(&p->sums);
    free(p->moments);
    sample_destroy(&p->row);
    frame_destroy(&p->of_row);
    series_reader_destroy(&p->reader);
    *p = (struct past){0};
}

void past_reset(struct past *p) {
    window_reset(&p->sums);
    for (uint32_t i = 0; i < p->n_metric; i++)
        moments_reset(&p->moments[i]);
    p->t0_ns = p->t1_ns = 0;
}

static void evaluate_row(struct past *p, struct session *s) {
    eval_run(&s->eval, &p->row, &p->of_row);
    window_remember(&p->sums, &p->of_row);
}

static void add_row(struct past *p, struct session *s) {
    evaluate_row(p, s);
    for (uint32_t i = 0; i < p->n_metric; i++)
        moments_add(&p->moments[i], p->of_row.at[i].v);
    if (p->sums.n == 0)
        p->t0_ns = p->row.t0_ns;
    p->t1_ns = p->row.t1_ns;
    window_add(&p->sums, &p->row);
}

uint64_t past_add(struct past *p, struct session *s, uint64_t t0_ns, uint64_t t1_ns) {
    uint64_t n = 0;
    if (!p->moments)
        return 0;
    series_reader_seek(&p->reader, t0_ns);
    while (series_reader_next(&p->reader, &p->row) && p->row.t1_ns <= t1_ns) {
        add_row(p, s);
        n++;
    }
    return n;
}

/* What came in the last intervals before. They are of one length, or nearly. */
static void add_before(struct past *p, struct session *s, uint64_t t0_ns) {
    const uint64_t back_ns = (SPREAD_N - 1) * s->control.interval_ns;
    series_reader_seek(&p->reader, t0_ns > back_ns ? t0_ns - back_ns : 0);
    while (series_reader_next(&p->reader, &p->row) && p->row.t1_ns <= t0_ns)
        evaluate_row(p, s);
}

uint64_t past_take(struct past *p, struct session *s, uint64_t t0_ns, uint64_t t1_ns) {
    if (!p->moments || !timeline_reaches(&s->timeline, t0_ns))
        return 0;
    past_reset(p);
    if (t0_ns > 0 && t1_ns - t0_ns < SPREAD_N * s->control.interval_ns)
        add_before(p, s, t0_ns);
    return past_add(p, s, t0_ns, t1_ns);
}
