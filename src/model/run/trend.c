/* The history in equal buckets: evaluated once, kept in a ring, drawn from there. */
#include "model/run/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int trend_init(struct trend *t, int n, uint64_t bucket_ns, const struct model *m, uint32_t n_slot) {
    *t =
        (struct trend){.bucket_ns = bucket_ns, .n = n, .n_metric = m->n_metric, .next = UINT64_MAX};
    t->value = calloc((size_t)n * m->n_metric + 1, sizeof(*t->value));
    t->end = calloc((size_t)n + 1, sizeof(*t->end));
    t->part = calloc((size_t)n + 1, sizeof(*t->part));
    int rc = t->value && t->end && t->part ? sample_init(&t->sum, n_slot) : -ENOMEM;
    if (rc == 0)
        rc = frame_init(&t->scratch, m->n_metric);
    if (rc < 0)
        trend_destroy(t);
    return rc;
}

int trend_keep_err(struct trend *t) {
    t->err = calloc((size_t)t->n * t->n_metric + 1, sizeof(*t->err));
    t->of_now = calloc((size_t)t->n * t->n_metric + 1, sizeof(*t->of_now));
    return t->err && t->of_now ? spread_init(&t->spread, t->n_metric) : -ENOMEM;
}

void trend_destroy(struct trend *t) {
    free(t->value);
    free(t->err);
    free(t->of_now);
    free(t->end);
    free(t->part);
    spread_destroy(&t->spread);
    sample_destroy(&t->sum);
    frame_destroy(&t->scratch);
    *t = (struct trend){0};
}

void trend_zoom(struct trend *t, uint64_t bucket_ns) {
    t->bucket_ns = bucket_ns;
    t->valid = false;
}

/* ---- a bucket ---- */

static size_t slot_of(const struct trend *t, uint64_t bucket) {
    return (size_t)(bucket % (uint64_t)t->n);
}

enum found { FOUND_NOTHING, FOUND_PART, FOUND_WHOLE };

/*
 * A bucket shows the rows that end in it. Where rows are longer than buckets most have none: they
 * show the row that they are part of. The values are in scratch then.
 */
static enum found evaluate(struct trend *t, const struct tiers *h, struct eval *ev,
                           uint64_t bucket) {
    const uint64_t begin = bucket * t->bucket_ns;
    enum found found = FOUND_NOTHING;
    if (tiers_sum(h, begin, begin + t->bucket_ns, &t->sum) > 0)
        found = FOUND_WHOLE;
    else if (tiers_at(h, begin + (t->bucket_ns + 1) / 2, &t->sum) > 0)
        found = FOUND_PART;
    if (found != FOUND_NOTHING)
        eval_run(ev, &t->sum, &t->scratch);
    return found;
}

/* What is evaluated is in scratch, the spread that of the buckets before. */
static void keep_err(struct trend *t, struct eval *ev, uint64_t bucket, enum found found) {
    float *err = t->err + slot_of(t, bucket) * t->n_metric;
    uint8_t *of_now = t->of_now + slot_of(t, bucket) * t->n_metric;
    if (found == FOUND_WHOLE)
        spread_interval(&t->spread, ev, &t->sum, &t->scratch);
    for (uint32_t i = 0; i < t->n_metric; i++) {
        err[i] = found == FOUND_WHOLE ? (float)t->scratch.at[i].err : NAN;
        of_now[i] = (uint8_t)spread_of_now(&t->spread, (int)i);
    }
}

static int end_of(const struct frame *f) {
    if (f->bottleneck.n > 0)
        return f->bottleneck.at[f->bottleneck.n - 1];
    return isnan(f->root_sum) ? TREND_UNKNOWN : TREND_NOTHING; /* what is not known may be over */
}

static void keep(struct trend *t, struct eval *ev, uint64_t bucket, enum found found) {
    const size_t slot = slot_of(t, bucket);
    float *out = t->value + slot * t->n_metric;
    for (uint32_t i = 0; i < t->n_metric; i++)
        out[i] = found != FOUND_NOTHING ? (float)t->scratch.at[i].v : NAN;
    t->end[slot] = (int16_t)(found != FOUND_NOTHING ? end_of(&t->scratch) : TREND_UNKNOWN);
    t->part[slot] = found == FOUND_PART;
    if (t->err)
        keep_err(t, ev, bucket, found);
}

/* ---- the spread of the buckets before ---- */

static void remember_kept(struct trend *t, uint64_t bucket) {
    const float *v = t->value + slot_of(t, bucket) * t->n_metric;
    if (t->part[slot_of(t, bucket)])
        return;
    for (uint32_t i = 0; i < t->n_metric; i++)
        t->scratch.at[i].v = (double)v[i];
    spread_remember(&t->spread, &t->scratch);
}

/* Those from `oldest` on are in the ring; others are not kept: they are evaluated once more, twice
 * as many, so that a step among those that count is seen. */
static void look_back(struct trend *t, const struct tiers *h, struct eval *ev, uint64_t bucket,
                      uint64_t oldest) {
    const uint64_t kept = bucket > oldest ? bucket - oldest : 0;
    const uint64_t back = kept >= SPREAD_N - 1 ? SPREAD_N - 1 : 2 * SPREAD_N;
    if (!t->err || t->next == bucket)
        return;
    spread_reset(&t->spread);
    for (uint64_t k = bucket > back ? bucket - back : 0; k < bucket; k++)
        if (k >= oldest) {
            remember_kept(t, k);
        } else if (evaluate(t, h, ev, k) == FOUND_WHOLE) {
            spread_remember(&t->spread, &t->scratch);
            for (uint32_t i = 0; i < t->n_metric; i++)
                spread_notice(&t->spread, (int)i);
        }
    for (uint32_t i = 0; kept > 0 && i < t->n_metric; i++)
        spread_set_of_now(&t->spread, (int)i, t->of_now[slot_of(t, bucket - 1) * t->n_metric + i]);
}

/* ---- all ---- */

static uint64_t oldest_of(const struct trend *t, uint64_t newest) {
    return newest >= (uint64_t)t->n ? newest - (uint64_t)t->n + 1 : 0;
}

uint64_t trend_oldest(const struct trend *t) {
    return oldest_of(t, t->newest);
}

void trend_update(struct trend *t, const struct tiers *h, struct eval *ev, uint64_t end_ns) {
    const uint64_t newest = end_ns ? (end_ns - 1) / t->bucket_ns : 0;
    const uint64_t seen_ns = tiers_newest_ns(h), oldest = oldest_of(t, newest);
    if (t->valid && newest == t->newest && seen_ns == t->seen_ns)
        return;
    uint64_t from = 0, to = 0; /* held, and still right */
    if (t->valid && seen_ns >= t->seen_ns) {
        /* Rows that came since the last update began there, so nothing before can have changed. */
        const uint64_t changed = t->seen_ns / t->bucket_ns;
        from = oldest_of(t, t->newest);
        to = changed <= t->newest ? changed : t->newest + 1;
    }
    t->next = UINT64_MAX;
    for (uint64_t bucket = oldest; bucket <= newest; bucket++) {
        if (bucket >= from && bucket < to)
            continue;
        look_back(t, h, ev, bucket, oldest);
        keep(t, ev, bucket, evaluate(t, h, ev, bucket));
        t->next = bucket + 1;
    }
    t->newest = newest;
    t->seen_ns = seen_ns;
    t->valid = true;
}

/* Bucket i of n, the newest last; -1 if it is not held. */
static int64_t held(const struct trend *t, int i) {
    const uint64_t back = (uint64_t)(t->n - 1 - i);
    if (!t->valid || i < 0 || i >= t->n || back > t->newest)
        return -1;
    return (int64_t)slot_of(t, t->newest - back);
}

double trend_at(const struct trend *t, int metric, int i) {
    const int64_t slot = held(t, i);
    if (slot < 0 || metric < 0)
        return NAN;
    return (double)t->value[(size_t)slot * t->n_metric + (size_t)metric];
}

double trend_err_at(const struct trend *t, int metric, int i) {
    const int64_t slot = held(t, i);
    if (slot < 0 || metric < 0 || !t->err)
        return NAN;
    return (double)t->err[(size_t)slot * t->n_metric + (size_t)metric];
}

int trend_end(const struct trend *t, int i) {
    const int64_t slot = held(t, i);
    return slot < 0 ? TREND_UNKNOWN : t->end[slot];
}
