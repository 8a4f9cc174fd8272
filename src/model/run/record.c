#include "model/run/record.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int record_init(struct record *rec, const struct layout *layout, uint32_t n_metric,
                size_t keep_bytes) {
    rec->n_metric = n_metric;
    rec->moments = calloc(n_metric + 1u, sizeof(*rec->moments));
    rec->mark = calloc(RECORD_MARKS, sizeof(*rec->mark));
    if (!rec->moments || !rec->mark)
        return -ENOMEM;
    record_reset(rec, 0);
    return series_init(&rec->series, layout, keep_bytes);
}

void record_destroy(struct record *rec) {
    series_destroy(&rec->series);
    free(rec->moments);
    free(rec->mark);
    *rec = (struct record){0};
}

/* The two with the least time between them become one. */
static void join_nearest(struct record *rec) {
    struct record_loss *l = rec->loss;
    int at = 0;
    for (int i = 1; i + 1 < rec->n_loss; i++)
        if (l[i + 1].first_ns - l[i].last_ns < l[at + 1].first_ns - l[at].last_ns)
            at = i;
    l[at].last_ns = l[at + 1].last_ns;
    l[at].n += l[at + 1].n;
    rec->n_loss--;
    memmove(&l[at + 1], &l[at + 2], (size_t)(rec->n_loss - at - 1) * sizeof(*l));
}

static void lose(struct record *rec, uint64_t t1_ns) {
    rec->n_lost++;
    if (!rec->losing) {
        if (rec->n_loss == RECORD_LOSSES)
            join_nearest(rec);
        rec->loss[rec->n_loss++] = (struct record_loss){.first_ns = t1_ns};
    }
    struct record_loss *l = &rec->loss[rec->n_loss - 1];
    l->last_ns = t1_ns;
    l->n++;
}

int record_take(struct record *rec, const struct sample *s, const struct frame *f) {
    for (uint32_t i = 0; i < rec->n_metric; i++)
        moments_add(&rec->moments[i], f->at[i].v);
    int rc = series_push(&rec->series, s);
    if (rc < 0)
        lose(rec, s->t1_ns);
    rec->losing = rc < 0;
    return rc;
}

/* Of a row that the span cuts, the two at its ends are known to be inside or outside. */
uint64_t record_lost(const struct record *rec, uint64_t t0_ns, uint64_t t1_ns, bool *at_most) {
    enum { ENDS = 2 };
    uint64_t sum = 0;
    *at_most = false;
    for (int i = 0; i < rec->n_loss; i++) {
        const struct record_loss *l = &rec->loss[i];
        if (l->first_ns > t1_ns || l->last_ns <= t0_ns)
            continue;
        const unsigned outside = (l->first_ns <= t0_ns) + (l->last_ns > t1_ns);
        sum += l->n - outside;
        *at_most |= outside && l->n > ENDS;
    }
    return sum;
}

void record_reset(struct record *rec, uint64_t now_ns) {
    for (uint32_t i = 0; i < rec->n_metric; i++)
        moments_reset(&rec->moments[i]);
    rec->reset_ns = now_ns;
}

static void drop_oldest(struct record *rec) {
    memmove(rec->mark, rec->mark + 1, (RECORD_MARKS - 1) * sizeof(*rec->mark));
    rec->n_mark--;
}

void record_mark(struct record *rec, uint64_t t_ns, const char *name) {
    if (!rec->mark)
        return;
    if (rec->n_mark == RECORD_MARKS)
        drop_oldest(rec);
    int at = rec->n_mark;
    while (at > 0 && rec->mark[at - 1].t_ns > t_ns)
        at--;
    memmove(rec->mark + at + 1, rec->mark + at, (size_t)(rec->n_mark - at) * sizeof(*rec->mark));
    rec->mark[at].t_ns = t_ns;
    str_safe(rec->mark[at].name, sizeof(rec->mark[at].name), name);
    rec->n_mark++;
}
