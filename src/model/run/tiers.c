#include "model/run/tiers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { DUTY_ONE = 250, NOT_FOCUSED = 0 };

static int tier_init(struct tier *t, uint32_t n_slot, bool folds) {
    const size_t cells = (size_t)TIERS_ROWS * n_slot + 1;
    t->t0_ns = calloc(TIERS_ROWS, sizeof(*t->t0_ns));
    t->t1_ns = calloc(TIERS_ROWS, sizeof(*t->t1_ns));
    t->covered_ns = calloc(TIERS_ROWS, sizeof(*t->covered_ns));
    t->enabled_ns = calloc(TIERS_ROWS, sizeof(*t->enabled_ns));
    t->count = calloc(cells, sizeof(*t->count));
    t->duty = calloc(cells, sizeof(*t->duty));
    if (!t->t0_ns || !t->t1_ns || !t->covered_ns || !t->enabled_ns || !t->count || !t->duty)
        return -ENOMEM;
    return folds ? window_init(&t->fold, n_slot, 0) : 0;
}

static void tier_destroy(struct tier *t) {
    free(t->t0_ns);
    free(t->t1_ns);
    free(t->covered_ns);
    free(t->enabled_ns);
    free(t->count);
    free(t->duty);
    window_destroy(&t->fold);
}

int tiers_init(struct tiers *h, uint32_t n_slot) {
    *h = (struct tiers){.n_slot = n_slot};
    h->stale_ns = calloc(n_slot + 1u, sizeof(*h->stale_ns));
    h->part = calloc(n_slot + 1u, sizeof(*h->part));
    int rc = h->stale_ns && h->part ? 0 : -ENOMEM;
    for (int i = 0; i < TIERS_N && rc == 0; i++)
        rc = tier_init(&h->tier[i], n_slot, i + 1 < TIERS_N);
    if (rc < 0)
        tiers_destroy(h);
    return rc;
}

void tiers_destroy(struct tiers *h) {
    for (int i = 0; i < TIERS_N; i++)
        tier_destroy(&h->tier[i]);
    free(h->stale_ns);
    free(h->part);
    *h = (struct tiers){0};
}

size_t tiers_bytes(const struct tiers *h) {
    const struct tier *t = h->tier;
    const size_t cell = sizeof(*t->count) + sizeof(*t->duty);
    const size_t row =
        sizeof(*t->t0_ns) + sizeof(*t->t1_ns) + sizeof(*t->covered_ns) + sizeof(*t->enabled_ns);
    const size_t fold = 2 * sizeof(struct count) + sizeof(uint64_t); /* per slot of a window */
    const size_t fixed = 1024; /* what malloc adds to some dozens of blocks */
    return sizeof(*h) + TIERS_N * (TIERS_ROWS * (row + cell * h->n_slot) + fixed) +
           (TIERS_N - 1) * fold * h->n_slot + h->n_slot * (sizeof(*h->stale_ns) + sizeof(*h->part));
}

static uint8_t duty_code(const struct count *c) {
    const long code = lround(count_duty(c) * DUTY_ONE);
    return (uint8_t)(code < 1 ? 1 : code > DUTY_ONE ? DUTY_ONE : code);
}

/* Of the slots that could be counted in s; uncore boxes are many, but as many in each row. */
static uint64_t enabled_in(const struct sample *s) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->n_slot; i++)
        if (s->at[i].enabled_ns > most)
            most = s->at[i].enabled_ns;
    return most;
}

/* s covers s->t1_ns - s->t0_ns of the time from t0_ns to s->t1_ns. */
static void push_row(struct tier *t, const struct sample *s, uint64_t t0_ns, uint32_t n_slot) {
    const size_t row = t->pushed++ % TIERS_ROWS;
    t->t0_ns[row] = t0_ns;
    t->t1_ns[row] = s->t1_ns;
    t->covered_ns[row] = s->t1_ns - s->t0_ns;
    t->enabled_ns[row] = enabled_in(s);
    uint8_t *duty = t->duty + row * n_slot;
    for (uint32_t i = 0; i < n_slot; i++) {
        const struct count *c = &s->at[i];
        const bool known = c->state == COUNT_OK && !isnan(c->value);
        duty[i] = known                           ? duty_code(c)
                  : c->state == COUNT_OK          ? COUNT_NOT_COUNTED
                  : c->state == COUNT_NOT_FOCUSED ? NOT_FOCUSED
                                                  : c->state;
        if (duty[i] != NOT_FOCUSED)
            t->count[(size_t)i * TIERS_ROWS + row] = known ? (float)c->value : NAN;
    }
}

void tiers_push(struct tiers *h, const struct sample *s) {
    uint64_t t0_ns = s->t0_ns;
    for (uint32_t i = 0; i < h->n_slot; i++)
        h->part[i] = s->at[i].part;
    for (int i = 0; i < TIERS_N; i++) {
        struct tier *t = &h->tier[i];
        push_row(t, s, t0_ns, h->n_slot);
        h->timed |= t->enabled_ns[(t->pushed - 1) % TIERS_ROWS] > 0;
        if (i + 1 == TIERS_N)
            return;
        window_add(&t->fold, s);
        if (t->fold.n == 1) /* s->t0_ns is later after a pause */
            t->fold.sum.t0_ns = t0_ns;
        if (t->fold.n < TIERS_FOLD)
            return;
        t0_ns = t->fold.sum.t0_ns;
        s = window_sample(&t->fold);
        window_reset(&t->fold);
    }
}

/* The rest of a row of the next tier that has lost its begin does not count: so a finer tier takes
 * over where a row of a coarser one ends, and between the two there is neither gap nor overlap. */
static uint64_t oldest_row(const struct tier *t) {
    const uint64_t oldest = t->pushed > TIERS_ROWS ? t->pushed - TIERS_ROWS : 0;
    const uint64_t whole = t->fold.sum.at ? TIERS_FOLD : 1; /* the coarsest has no next */
    return (oldest + whole - 1) / whole * whole;
}

static uint64_t newest_end(const struct tier *t) {
    return t->pushed ? t->t1_ns[(t->pushed - 1) % TIERS_ROWS] : 0;
}

/* First row held that ends after t_ns; t->pushed if none does. */
static uint64_t row_after(const struct tier *t, uint64_t t_ns) {
    uint64_t low = oldest_row(t), high = t->pushed;
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        if (t->t1_ns[mid % TIERS_ROWS] > t_ns)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static void sum_begin(const struct tiers *h, struct sample *out) {
    out->seq = out->t0_ns = out->t1_ns = 0;
    out->target_threads = 0;
    for (uint32_t i = 0; i < h->n_slot; i++) {
        out->at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
        h->stale_ns[i] = 0;
    }
}

/* Adds a row; enabled_ns and running_ns gather the time in which the slot had a count. */
static void sum_row(const struct tiers *h, const struct tier *t, uint64_t n, struct sample *out) {
    const size_t row = n % TIERS_ROWS;
    const uint64_t len = h->timed ? t->enabled_ns[row] : t->covered_ns[row];
    const uint8_t *duty = t->duty + row * h->n_slot;
    for (uint32_t i = 0; i < h->n_slot; i++) {
        struct count *c = &out->at[i];
        const float count = duty[i] == NOT_FOCUSED ? NAN : t->count[i * (size_t)TIERS_ROWS + row];
        if (isnan(count)) {
            const enum count_state why =
                duty[i] == NOT_FOCUSED ? COUNT_NOT_FOCUSED : (enum count_state)duty[i];
            h->stale_ns[i] += count_waits(why) ? len : 0;
            if (c->state != COUNT_OK &&
                !(count_waits((enum count_state)c->state) && !count_waits(why)))
                c->state = (uint8_t)why;
            continue;
        }
        if (c->state != COUNT_OK)
            *c = (struct count){.state = COUNT_OK, .part = h->part[i]};
        c->value += (double)count;
        c->enabled_ns += len;
        c->running_ns += duty[i] == DUTY_ONE ? len : len * duty[i] / DUTY_ONE;
    }
    out->t0_ns += t->covered_ns[row]; /* until sum_end: the time covered */
    out->t1_ns = t->t1_ns[row];
}

/* Rows in which a slot was not scheduled are filled up from the others, as in window_sample. */
static void sum_end(const struct tiers *h, struct sample *out) {
    out->t0_ns = out->t1_ns - out->t0_ns;
    for (uint32_t i = 0; i < h->n_slot; i++) {
        struct count *c = &out->at[i];
        if (h->stale_ns[i] == 0)
            continue;
        if (c->state == COUNT_OK && c->enabled_ns > 0)
            c->value *= 1.0 + (double)h->stale_ns[i] / (double)c->enabled_ns;
        c->enabled_ns += h->stale_ns[i];
    }
}

/* The finest tier that lost nothing which ended after t_ns. */
static int tier_for(const struct tiers *h, uint64_t t_ns) {
    int i = 0;
    for (; i + 1 < TIERS_N; i++) {
        const struct tier *t = &h->tier[i];
        if (t->pushed <= TIERS_ROWS || t->t0_ns[oldest_row(t) % TIERS_ROWS] <= t_ns)
            return i;
    }
    return i;
}

int tiers_sum(const struct tiers *h, uint64_t t0_ns, uint64_t t1_ns, struct sample *out) {
    int rows = 0;
    sum_begin(h, out);
    for (int i = tier_for(h, t0_ns); i >= 0; i--) {
        const struct tier *t = &h->tier[i];
        for (uint64_t n = row_after(t, t0_ns); n < t->pushed; n++, rows++) {
            if (t->t1_ns[n % TIERS_ROWS] > t1_ns)
                break;
            sum_row(h, t, n, out);
            t0_ns = t->t1_ns[n % TIERS_ROWS];
        }
        /* A row that ends after t1, or is not folded yet, is in the finer tiers, if they reach back
         * that far. */
    }
    sum_end(h, out);
    return rows;
}

/* The finest row that covers t_ns; in a gap none, or with `later` the first behind it. */
static int find_row(const struct tiers *h, uint64_t t_ns, bool later, struct sample *out) {
    sum_begin(h, out);
    if (t_ns == 0)
        return 0;
    const int first = tier_for(h, t_ns - 1);
    for (int i = first; i >= 0; i--) {
        const struct tier *t = &h->tier[i];
        const uint64_t n = row_after(t, t_ns - 1);
        if (n == t->pushed)
            continue; /* not folded yet */
        if (t->t0_ns[n % TIERS_ROWS] >= t_ns && !later)
            return 0; /* a gap */
        sum_row(h, t, n, out);
        sum_end(h, out);
        return 1;
    }
    return 0;
}

int tiers_at(const struct tiers *h, uint64_t t_ns, struct sample *out) {
    return find_row(h, t_ns, false, out);
}

int tiers_next(const struct tiers *h, uint64_t t_ns, struct sample *out) {
    return find_row(h, t_ns + 1, true, out);
}

uint64_t tiers_oldest_ns(const struct tiers *h) {
    uint64_t oldest = 0;
    for (int i = 0; i < TIERS_N; i++) {
        const struct tier *t = &h->tier[i];
        if (t->pushed && (i == 0 || t->t0_ns[oldest_row(t) % TIERS_ROWS] < oldest))
            oldest = t->t0_ns[oldest_row(t) % TIERS_ROWS];
    }
    return oldest;
}

uint64_t tiers_newest_ns(const struct tiers *h) {
    return newest_end(&h->tier[0]);
}
