/* The history in equal buckets: evaluated once, kept in a ring, drawn from there. */
#include "model/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int trend_init(struct trend *t, int n, uint64_t bucket_ns, const struct model *m, uint32_t n_slot) {
    *t = (struct trend){.bucket_ns = bucket_ns, .n = n, .n_metric = m->n_metric};
    t->value = calloc((size_t)n * m->n_metric + 1, sizeof(*t->value));
    int rc = t->value ? sample_init(&t->sum, n_slot) : -ENOMEM;
    if (rc == 0)
        rc = frame_init(&t->scratch, m->n_metric);
    if (rc < 0)
        trend_destroy(t);
    return rc;
}

void trend_destroy(struct trend *t) {
    free(t->value);
    sample_destroy(&t->sum);
    frame_destroy(&t->scratch);
    *t = (struct trend){0};
}

void trend_zoom(struct trend *t, uint64_t bucket_ns) {
    t->bucket_ns = bucket_ns;
    t->valid = false;
}

/*
 * A bucket shows the rows that end in it. Where rows are longer than buckets most have none: they
 * show the row that they are part of.
 */
static void evaluate(struct trend *t, const struct history *h, struct eval *ev, uint64_t bucket) {
    float *out = t->value + (size_t)(bucket % (uint64_t)t->n) * t->n_metric;
    const uint64_t begin = bucket * t->bucket_ns;
    const bool measured = history_sum(h, begin, begin + t->bucket_ns, &t->sum) > 0 ||
                          history_at(h, begin + (t->bucket_ns + 1) / 2, &t->sum) > 0;
    if (measured)
        eval_run(ev, &t->sum, &t->scratch);
    for (uint32_t i = 0; i < t->n_metric; i++)
        out[i] = measured ? (float)t->scratch.at[i].v : NAN;
}

void trend_update(struct trend *t, const struct history *h, struct eval *ev, uint64_t end_ns) {
    const uint64_t newest = end_ns ? (end_ns - 1) / t->bucket_ns : 0;
    const uint64_t seen_ns = history_newest_ns(h);
    if (t->valid && newest == t->newest && seen_ns == t->seen_ns)
        return;
    const uint64_t oldest = newest >= (uint64_t)t->n ? newest - (uint64_t)t->n + 1 : 0;
    uint64_t from = oldest;
    if (t->valid && newest >= t->newest) {
        /* Rows that came since the last update began there, so nothing before can have changed. */
        const uint64_t changed = t->seen_ns / t->bucket_ns;
        from = changed < t->newest ? changed : t->newest;
        if (from < oldest)
            from = oldest;
    }
    for (uint64_t bucket = from; bucket <= newest; bucket++)
        evaluate(t, h, ev, bucket);
    t->newest = newest;
    t->seen_ns = seen_ns;
    t->valid = true;
}

double trend_at(const struct trend *t, int metric, int i) {
    const uint64_t back = (uint64_t)(t->n - 1 - i);
    if (!t->valid || metric < 0 || i < 0 || i >= t->n || back > t->newest)
        return NAN;
    const uint64_t bucket = t->newest - back;
    return (double)t->value[(size_t)(bucket % (uint64_t)t->n) * t->n_metric + (size_t)metric];
}
