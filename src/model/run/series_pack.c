/*
 * Differences to the row before, in as few bytes as they need. All arithmetic is modulo 2^64, so
 * that whatever was given comes back. A count is kept as the whole number that the kernel counted
 * where scaling it gives the very same double again; sums over threads have no such number, and
 * keep the difference of their bits instead: equal exponents cancel, as in a subtraction.
 */
#include "model/run/series_pack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first byte of a slot. */
enum {
    LENGTH = 0x0f,    /* bytes of the difference: 0..8 */
    KIND = 0x30,      /* of the number: below */
    HAS_STATE = 0x40, /* the state follows; else COUNT_OK, or without a number that of before */
    HAS_TIME = 0x80,  /* its own times follow; else they are its group's */
};
enum { HAS_PART = 0x80 }; /* in the state: the part follows; a state without it: the whole */
enum { NO_NUMBER = 0x00, WHOLE = 0x10, BITS = 0x20 };

enum { AS_ENABLED = 15 }; /* instead of a length: running is what enabled is */

/* ---- numbers ---- */

static uint64_t zigzag(uint64_t d) {
    return (d << 1) ^ (0 - (d >> 63));
}

static uint64_t unzigzag(uint64_t z) {
    return (z >> 1) ^ (0 - (z & 1));
}

static unsigned length_of(uint64_t z) {
    unsigned n = 0;
    for (; z; z >>= 8)
        n++;
    return n;
}

static uint8_t *put(uint8_t *at, uint64_t z, unsigned n) {
    for (unsigned i = 0; i < n; i++, z >>= 8)
        *at++ = (uint8_t)z;
    return at;
}

/* Seven bits a byte, the lowest first; the high bit says that more follow. */
static uint8_t *put_varint(uint8_t *at, uint64_t z) {
    for (; z >= 0x80; z >>= 7)
        *at++ = (uint8_t)(z | 0x80);
    *at++ = (uint8_t)z;
    return at;
}

/* What is left to read. Too few bytes, or wrong ones, make it fail; it then gives zeros. */
struct input {
    const uint8_t *at, *end;
    bool failed;
};

static uint64_t take(struct input *in, unsigned n) {
    uint64_t z = 0;
    if (n > 8 || (size_t)(in->end - in->at) < n) {
        in->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < n; i++)
        z |= (uint64_t)in->at[i] << (8 * i);
    in->at += n;
    return z;
}

static uint64_t take_varint(struct input *in) {
    uint64_t z = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint64_t byte = take(in, 1);
        z |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return z;
    }
    in->failed = true;
    return 0;
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static double double_of(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

/* As count_scale, but of any times: what cannot be scaled is taken as it is. */
static double scaled(uint64_t raw, const struct pack_time *t) {
    double v = (double)(int64_t)raw;
    (void)count_scale(v, t->enabled, t->running, &v);
    return v;
}

/* The whole number whose scaled value is v, bit for bit. */
static bool find_raw(double v, const struct pack_time *t, uint64_t *raw) {
    double scale = 1.0;
    (void)count_scale(1.0, t->enabled, t->running, &scale);
    const double near = nearbyint(v / scale);
    if (!(fabs(near) < 9e18))
        return false;
    for (int by = 0; by < 3; by++) { /* the division may have been off by the last bit */
        *raw = (uint64_t)((int64_t)near + (by == 2 ? -1 : by));
        if (bits_of(scaled(*raw, t)) == bits_of(v))
            return true;
    }
    return false;
}

/* ---- memory ---- */

static int pack_alloc(struct pack *p) {
    p->slot = calloc(p->n_slot + 1u, sizeof(*p->slot));
    p->time = calloc(p->n_group + 1u, sizeof(*p->time));
    p->now = calloc(p->n_group + 1u, sizeof(*p->now));
    if (p->slot && p->time && p->now)
        return 0;
    pack_destroy(p);
    return -ENOMEM;
}

int pack_init(struct pack *p, const struct layout *layout) {
    *p = (struct pack){.n_slot = layout->n_slot, .n_group = layout->n_group};
    for (uint32_t i = 0; i < layout->n_slot; i++)
        if (layout->slot[i].group >= p->n_group)
            p->n_group = layout->slot[i].group + 1u;
    int rc = pack_alloc(p);
    for (uint32_t i = 0; i < layout->n_slot && rc == 0; i++)
        p->slot[i].group = layout->slot[i].group;
    return rc;
}

int pack_copy(struct pack *p, const struct pack *like) {
    *p = (struct pack){.n_slot = like->n_slot, .n_group = like->n_group};
    int rc = pack_alloc(p);
    if (rc == 0)
        memcpy(p->slot, like->slot, p->n_slot * sizeof(*p->slot));
    if (rc == 0)
        pack_begin(p);
    return rc;
}

void pack_destroy(struct pack *p) {
    free(p->slot);
    free(p->time);
    free(p->now);
    *p = (struct pack){0};
}

void pack_begin(struct pack *p) {
    p->t1_ns = p->length_ns = p->busy_ns = p->resident_ns = 0;
    p->threads = 0;
    for (uint32_t i = 0; i < p->n_slot; i++)
        p->slot[i] = (struct pack_slot){.group = p->slot[i].group, .state = COUNT_NOT_COUNTED};
    memset(p->time, 0, p->n_group * sizeof(*p->time));
}

enum { VARINTS = 5, VARINT_MAX = 10, TIME_MAX = 1 + 8 + 8, SLOT_MAX = 1 + 2 + TIME_MAX + 8 };

size_t pack_row_max(const struct pack *p) {
    return VARINTS * VARINT_MAX + (size_t)p->n_group * TIME_MAX + (size_t)p->n_slot * SLOT_MAX;
}

size_t pack_row_min(const struct pack *p) {
    return VARINTS + (size_t)p->n_group + p->n_slot;
}

/* ---- times ---- */

/* Two times as differences to what they would be expected to be. */
static uint8_t *put_time(uint8_t *at, const struct pack_time *t, const struct pack_time *expected) {
    const uint64_t enabled = zigzag(t->enabled - expected->enabled);
    const uint64_t running = zigzag(t->running - expected->running);
    const unsigned n = length_of(enabled);
    const unsigned m = t->running == t->enabled ? AS_ENABLED : length_of(running);
    *at++ = (uint8_t)(n | m << 4);
    at = put(at, enabled, n);
    return m == AS_ENABLED ? at : put(at, running, m);
}

static struct pack_time take_time(struct input *in, const struct pack_time *expected) {
    const unsigned head = (unsigned)take(in, 1), m = head >> 4;
    struct pack_time t;
    t.enabled = expected->enabled + unzigzag(take(in, head & LENGTH));
    t.running = m == AS_ENABLED ? t.enabled : expected->running + unzigzag(take(in, m));
    return t;
}

/* All groups of a target are enabled together: a group's time changes as its neighbour's did. */
static struct pack_time expect_time(const struct pack *p, uint32_t g) {
    struct pack_time t = p->time[g];
    if (g > 0)
        t.enabled += p->now[g - 1].enabled - p->time[g - 1].enabled;
    return t;
}

static bool same_time(const struct pack_time *t, const struct count *c) {
    return t->enabled == c->enabled_ns && t->running == c->running_ns;
}

/* A group's times are those of its first slot that has a count, or of its first slot. */
static void find_times(struct pack *p, const struct sample *s) {
    memset(p->now, 0, p->n_group * sizeof(*p->now));
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = p->n_slot; i-- > 0;) {
            const struct count *c = &s->at[i];
            if (pass == 0 || c->state == COUNT_OK)
                p->now[p->slot[i].group] = (struct pack_time){c->enabled_ns, c->running_ns};
        }
}

static void swap_times(struct pack *p) {
    struct pack_time *was = p->time;
    p->time = p->now;
    p->now = was;
}

/* ---- slots ---- */

/* How the number of a slot is kept, and its difference to the one before. */
static unsigned choose_kind(struct pack_slot *slot, const struct count *c,
                            const struct pack_time *t, uint64_t *z) {
    const uint64_t bits = bits_of(c->value), was = slot->bits;
    uint64_t raw;
    *z = 0;
    if (c->state != COUNT_OK && bits == bits_of((double)NAN))
        return NO_NUMBER;
    slot->bits = bits;
    if (find_raw(c->value, t, &raw)) {
        *z = zigzag(raw - slot->raw);
        slot->raw = raw;
        return WHOLE;
    }
    *z = zigzag(bits - was);
    return BITS;
}

static uint8_t *put_slot(uint8_t *at, struct pack_slot *slot, const struct count *c,
                         const struct pack_time *group) {
    const struct pack_time t = {c->enabled_ns, c->running_ns};
    uint64_t z;
    unsigned head = choose_kind(slot, c, &t, &z);
    const uint8_t expected = head == NO_NUMBER ? slot->state : COUNT_OK;
    const unsigned n = length_of(z);
    head |= n | (c->state != expected || c->part != slot->part ? HAS_STATE : 0u);
    head |= same_time(group, c) ? 0u : HAS_TIME;
    *at++ = (uint8_t)head;
    if (head & HAS_STATE)
        *at++ = (uint8_t)(c->state | (c->part ? HAS_PART : 0));
    if ((head & HAS_STATE) && c->part)
        *at++ = c->part;
    if (head & HAS_TIME) {
        at = put_time(at, &t, &slot->own);
        slot->own = t;
    }
    slot->state = c->state;
    slot->part = c->part;
    return put(at, z, n);
}

static double take_number(struct input *in, struct pack_slot *slot, unsigned head,
                          const struct pack_time *t) {
    const uint64_t d = unzigzag(take(in, head & LENGTH));
    switch (head & KIND) {
    case NO_NUMBER:
        in->failed |= (head & LENGTH) != 0;
        return (double)NAN;
    case WHOLE:
        slot->raw += d;
        slot->bits = bits_of(scaled(slot->raw, t));
        break;
    case BITS:
        slot->bits += d;
        break;
    default:
        in->failed = true;
    }
    return double_of(slot->bits);
}

/* The state of a slot, with the part that its count is of. */
static uint8_t take_state(struct input *in, struct pack_slot *slot, unsigned head) {
    const bool number = (head & KIND) != NO_NUMBER;
    if (!(head & HAS_STATE))
        return number ? COUNT_OK : slot->state;
    const unsigned byte = (unsigned)take(in, 1), state = byte & ~(unsigned)HAS_PART;
    slot->part = byte & HAS_PART ? (uint8_t)take(in, 1) : 0;
    in->failed |= state >= COUNT_STATES;
    return (uint8_t)state;
}

static struct count take_slot(struct input *in, struct pack_slot *slot,
                              const struct pack_time *group) {
    const unsigned head = (unsigned)take(in, 1);
    slot->state = take_state(in, slot, head);
    struct pack_time t = *group;
    if (head & HAS_TIME)
        t = slot->own = take_time(in, &slot->own);
    return (struct count){.value = take_number(in, slot, head, &t),
                          .enabled_ns = t.enabled,
                          .running_ns = t.running,
                          .state = slot->state,
                          .part = slot->part};
}

/* ---- rows ---- */

size_t pack_row(struct pack *p, const struct sample *s, uint8_t *out) {
    const uint64_t length_ns = s->t1_ns - s->t0_ns;
    uint8_t *at = put_varint(out, zigzag(s->t0_ns - p->t1_ns));
    at = put_varint(at, zigzag(length_ns - p->length_ns));
    at = put_varint(at, zigzag((uint64_t)s->target_threads - p->threads));
    at = put_varint(at, zigzag(s->busy_ns - p->busy_ns));
    at = put_varint(at, zigzag(s->resident_ns - p->resident_ns));
    p->t1_ns = s->t1_ns;
    p->length_ns = length_ns;
    p->threads = s->target_threads;
    p->busy_ns = s->busy_ns;
    p->resident_ns = s->resident_ns;
    find_times(p, s);
    for (uint32_t g = 0; g < p->n_group; g++) {
        const struct pack_time expected = expect_time(p, g);
        at = put_time(at, &p->now[g], &expected);
    }
    for (uint32_t i = 0; i < p->n_slot; i++)
        at = put_slot(at, &p->slot[i], &s->at[i], &p->now[p->slot[i].group]);
    swap_times(p);
    return (size_t)(at - out);
}

size_t unpack_row(struct pack *p, const uint8_t *bytes, size_t n, struct sample *out) {
    struct input in = {.at = bytes, .end = bytes + n};
    out->t0_ns = p->t1_ns + unzigzag(take_varint(&in));
    p->length_ns += unzigzag(take_varint(&in));
    p->threads += (uint32_t)unzigzag(take_varint(&in));
    p->busy_ns += unzigzag(take_varint(&in));
    p->resident_ns += unzigzag(take_varint(&in));
    out->t1_ns = p->t1_ns = out->t0_ns + p->length_ns;
    out->target_threads = p->threads;
    out->busy_ns = p->busy_ns;
    out->resident_ns = p->resident_ns;
    for (uint32_t g = 0; g < p->n_group && !in.failed; g++) {
        const struct pack_time expected = expect_time(p, g);
        p->now[g] = take_time(&in, &expected);
    }
    for (uint32_t i = 0; i < p->n_slot && !in.failed; i++)
        out->at[i] = take_slot(&in, &p->slot[i], &p->now[p->slot[i].group]);
    swap_times(p);
    return in.failed ? 0 : (size_t)(in.at - bytes);
}
