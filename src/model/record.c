#include "model/record.h"

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

int record_take(struct record *rec, const struct sample *s, const struct frame *f) {
    for (uint32_t i = 0; i < rec->n_metric; i++)
        moments_add(&rec->moments[i], f->at[i].v);
    int rc = series_push(&rec->series, s);
    if (rc < 0) {
        if (rec->n_lost++ == 0)
            rec->lost_first_ns = s->t1_ns;
        rec->lost_last_ns = s->t1_ns;
    }
    return rc;
}

uint64_t record_lost(const struct record *rec, uint64_t t0_ns, uint64_t t1_ns) {
    return rec->lost_first_ns <= t1_ns && rec->lost_last_ns > t0_ns ? rec->n_lost : 0;
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
