/*
 * The memory of a series: a ring of bytes in which chunks lie one behind the other, each in one
 * piece, and a ring of what is known of each. The oldest chunk always lies next before the write
 * position (around the end), so making room is dropping from the old end. A series that grows is
 * the same ring, made larger before it would wrap.
 *
 * In memory a run of zero bytes is a zero and its length: a slot without a number that has nothing
 * new to say is a zero byte, and with the focus on some events that is most of a row.
 */
#include "model/run/series.h"

#include "model/eval/sample.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- packing: one row of a series as bytes --- */

/*
 * docs/STORE.md, "Packed intervals", has the format; a row is a difference to the row before it, so
 * packing and unpacking keep what was last.
 *
 * Differences take as few bytes as they need. All arithmetic is modulo 2^64, so that whatever was
 * given comes back. A count is kept as the whole number that the kernel counted where scaling it
 * gives the very same double again; sums over threads have no such number, and keep the difference
 * of their bits instead: equal exponents cancel, as in a subtraction.
 */

struct pack_time {
    uint64_t enabled, running;
};

/* Of one slot, in the row before. */
struct pack_slot {
    struct pack_time own; /* its times, where they were not its group's */
    uint64_t raw, bits;   /* its whole number before scaling; its double as bits */
    uint16_t group;
    uint8_t state, part;
};

struct pack {
    uint32_t n_slot, n_group;
    uint64_t t1_ns, length_ns, busy_ns, resident_ns;
    uint32_t threads;
    struct pack_slot *slot; /* [n_slot] */
    struct pack_time *time; /* [n_group] */
    struct pack_time *now;  /* [n_group] the same in the row that is being read or written */
};

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

/* accepts a zeroed one */
static void pack_destroy(struct pack *p) {
    free(p->slot);
    free(p->time);
    free(p->now);
    *p = (struct pack){0};
}

/* the next row is a chunk's first */
static void pack_begin(struct pack *p) {
    p->t1_ns = p->length_ns = p->busy_ns = p->resident_ns = 0;
    p->threads = 0;
    for (uint32_t i = 0; i < p->n_slot; i++)
        p->slot[i] = (struct pack_slot){.group = p->slot[i].group, .state = COUNT_NOT_COUNTED};
    memset(p->time, 0, p->n_group * sizeof(*p->time));
}

static int pack_alloc(struct pack *p) {
    p->slot = calloc(p->n_slot + 1u, sizeof(*p->slot));
    p->time = calloc(p->n_group + 1u, sizeof(*p->time));
    p->now = calloc(p->n_group + 1u, sizeof(*p->now));
    if (p->slot && p->time && p->now)
        return 0;
    pack_destroy(p);
    return -ENOMEM;
}

/* 0 or -ENOMEM */
static int pack_init(struct pack *p, const struct layout *layout) {
    *p = (struct pack){.n_slot = layout->n_slot, .n_group = layout->n_group};
    for (uint32_t i = 0; i < layout->n_slot; i++)
        if (layout->slot[i].group >= p->n_group)
            p->n_group = layout->slot[i].group + 1u;
    int rc = pack_alloc(p);
    for (uint32_t i = 0; i < layout->n_slot && rc == 0; i++)
        p->slot[i].group = layout->slot[i].group;
    return rc;
}

/* a new one, at the begin of a chunk */
static int pack_copy(struct pack *p, const struct pack *like) {
    *p = (struct pack){.n_slot = like->n_slot, .n_group = like->n_group};
    int rc = pack_alloc(p);
    if (rc == 0)
        memcpy(p->slot, like->slot, p->n_slot * sizeof(*p->slot));
    if (rc == 0)
        pack_begin(p);
    return rc;
}

enum { VARINTS = 5, VARINT_MAX = 10, TIME_MAX = 1 + 8 + 8, SLOT_MAX = 1 + 2 + TIME_MAX + 8 };

/* Most and fewest bytes that a row can take. */
static size_t pack_row_max(const struct pack *p) {
    return VARINTS * VARINT_MAX + (size_t)p->n_group * TIME_MAX + (size_t)p->n_slot * SLOT_MAX;
}

static size_t pack_row_min(const struct pack *p) {
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

/* Writes a row (out has room for pack_row_max). Returns its length. */
static size_t pack_row(struct pack *p, const struct sample *s, uint8_t *out) {
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

/* Reads a row. Returns its length, or 0 if the n bytes at `in` do not begin with one; out and p are
 * then undefined, but nothing outside of them was touched. */
static size_t unpack_row(struct pack *p, const uint8_t *bytes, size_t n, struct sample *out) {
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

/* --- chunks --- */

enum { ROWS_AT_LEAST = 4, CHUNKS_AT_LEAST = 8, CHUNKS_SPARE = 4, GROW_FROM = 64 * 1024 };

struct chunk {
    uint64_t t0_ns, t1_ns;
    size_t at, n_held; /* offset and number of its bytes in memory */
    uint32_t n_row, n_byte;
};

struct impl {
    struct pack pack;    /* after the newest row */
    struct pack check;   /* to try out chunks from outside */
    struct sample tried; /* the same */
    uint8_t *row;        /* [pack_row_max] a row before its place is known */
    uint8_t *plain;      /* [SERIES_ROWS * pack_row_max] a chunk as it is given to others */
    uint8_t *byte;
    size_t cap, end;     /* of byte; where the newest chunk ends */
    size_t chunk_max;    /* bytes of a chunk: so that not much falls out at once */
    struct chunk *chunk; /* ring of cap_chunk; chunk i is at (first + i) % cap_chunk */
    uint32_t cap_chunk, first, n_chunk;
    uint64_t n_row, n_byte, n_dropped;
    bool grows, closed; /* the newest chunk takes no more rows */
};

/* ---- runs of zeros ---- */

enum { RUN_MAX = 255 };

/* The most that n bytes become: each second one is a zero. */
static size_t squeezed_max(size_t n) {
    return n + n / 2 + 1;
}

/* Returns how many bytes there are then. out == NULL: only counts them. */
static size_t squeeze(const uint8_t *in, size_t n, uint8_t *out) {
    size_t held = 0;
    for (size_t i = 0; i < n; held++) {
        size_t run = 0;
        while (run < RUN_MAX && i + run < n && in[i + run] == 0)
            run++;
        if (out)
            out[held] = in[i];
        if (run && out)
            out[held + 1] = (uint8_t)run;
        held += run > 0;
        i += run ? run : 1;
    }
    return held;
}

/* How far a chunk has been expanded. */
struct expansion {
    size_t n_held;
    unsigned zeros; /* of the last run, that are still to come */
};

/* Goes on into out. Returns the number of bytes: less than cap only at the end of the chunk. */
static size_t expand(const struct impl *im, const struct chunk *c, struct expansion *x,
                     uint8_t *out, size_t cap) {
    const uint8_t *in = im->byte + c->at;
    size_t n = 0;
    while (n < cap && (x->zeros || x->n_held < c->n_held)) {
        const size_t run = x->zeros < cap - n ? x->zeros : cap - n;
        memset(out + n, 0, run);
        n += run;
        x->zeros -= (unsigned)run;
        for (; n < cap && !x->zeros && x->n_held < c->n_held; x->n_held++)
            if (in[x->n_held])
                out[n++] = in[x->n_held];
            else
                x->zeros = in[++x->n_held];
    }
    return n;
}

static struct chunk *chunk_of(const struct impl *im, uint32_t i) {
    return &im->chunk[(im->first + i) % im->cap_chunk];
}

static struct chunk *newest(const struct impl *im) {
    return chunk_of(im, im->n_chunk - 1);
}

/* ---- life ---- */

static void size_memory(struct impl *im, size_t max_bytes) {
    const size_t row_max = squeezed_max(pack_row_max(&im->pack)), row_min = pack_row_min(&im->pack);
    im->grows = max_bytes == 0;
    im->cap = im->grows ? GROW_FROM : max_bytes;
    if (im->cap < ROWS_AT_LEAST * row_max)
        im->cap = ROWS_AT_LEAST * row_max;
    im->chunk_max = im->grows || im->cap > UINT32_MAX / 2 ? UINT32_MAX / 2 : im->cap / 8;
    if (im->chunk_max < row_max)
        im->chunk_max = row_max;
    im->cap_chunk = CHUNKS_AT_LEAST + CHUNKS_SPARE;
    if (!im->grows)
        im->cap_chunk += (uint32_t)(im->cap / (row_min * SERIES_ROWS));
}

static int impl_init(struct impl *im, const struct layout *layout, size_t max_bytes) {
    int rc = pack_init(&im->pack, layout);
    if (rc == 0)
        rc = pack_copy(&im->check, &im->pack);
    if (rc == 0)
        rc = sample_init(&im->tried, layout->n_slot);
    if (rc < 0)
        return rc;
    size_memory(im, max_bytes);
    im->row = malloc(pack_row_max(&im->pack));
    im->plain = malloc(SERIES_ROWS * pack_row_max(&im->pack));
    im->byte = malloc(im->cap);
    im->chunk = calloc(im->cap_chunk, sizeof(*im->chunk));
    im->closed = true;
    return im->row && im->plain && im->byte && im->chunk ? 0 : -ENOMEM;
}

int series_init(struct series *se, const struct layout *layout, size_t max_bytes) {
    *se = (struct series){.n_slot = layout->n_slot, .n_group = layout->n_group};
    se->impl_ = calloc(1, sizeof(struct impl));
    int rc = se->impl_ ? impl_init(se->impl_, layout, max_bytes) : -ENOMEM;
    if (rc < 0)
        series_destroy(se);
    return rc;
}

void series_destroy(struct series *se) {
    struct impl *im = se->impl_;
    if (im) {
        pack_destroy(&im->pack);
        pack_destroy(&im->check);
        sample_destroy(&im->tried);
        free(im->row);
        free(im->plain);
        free(im->byte);
        free(im->chunk);
    }
    free(im);
    *se = (struct series){0};
}

void series_clear(struct series *se) {
    struct impl *im = se->impl_;
    if (!im)
        return;
    im->end = im->first = im->n_chunk = 0;
    im->n_row = im->n_byte = im->n_dropped = 0;
    im->closed = true;
}

/* ---- room ---- */

static void drop_oldest(struct impl *im) {
    const struct chunk *c = chunk_of(im, 0);
    im->n_row -= c->n_row;
    im->n_byte -= c->n_held;
    im->n_dropped += c->n_row;
    im->first = (im->first + 1) % im->cap_chunk;
    im->n_chunk--;
}

/* Drops what lies in bytes [from, to), if that is next in turn. */
static void drop_between(struct impl *im, size_t from, size_t to, uint32_t keep) {
    while (im->n_chunk > keep && chunk_of(im, 0)->at >= from && chunk_of(im, 0)->at < to)
        drop_oldest(im);
}

static int grow_bytes(struct impl *im, size_t n) {
    size_t cap = im->cap;
    while (cap - im->end < n)
        cap *= 2;
    if (cap == im->cap)
        return 0;
    uint8_t *byte = realloc(im->byte, cap);
    if (!byte)
        return -ENOMEM;
    im->byte = byte;
    im->cap = cap;
    return 0;
}

static int grow_chunks(struct impl *im) {
    if (im->n_chunk < im->cap_chunk)
        return 0;
    const uint32_t cap = im->cap_chunk * 2; /* never wraps while it grows: first stays 0 */
    struct chunk *chunk = realloc(im->chunk, cap * sizeof(*chunk));
    if (!chunk)
        return -ENOMEM;
    im->chunk = chunk;
    im->cap_chunk = cap;
    return 0;
}

/* Room for n bytes behind the newest chunk, in one piece with it. */
static bool room_behind(struct impl *im, size_t n) {
    if (im->cap - im->end < n)
        return false;
    drop_between(im, im->end, im->end + n, 1);
    return true;
}

/* A new chunk with room for n bytes. */
static int open_chunk(struct impl *im, size_t n) {
    if (im->grows) {
        int rc = grow_bytes(im, n);
        if (rc == 0)
            rc = grow_chunks(im);
        if (rc < 0)
            return rc;
    } else if (im->cap - im->end < n) { /* go on at the begin */
        drop_between(im, im->end, im->cap, 0);
        im->end = 0;
    }
    drop_between(im, im->end, im->end + n, 0);
    if (im->n_chunk == im->cap_chunk)
        drop_oldest(im);
    im->n_chunk++;
    *newest(im) = (struct chunk){.at = im->end};
    return 0;
}

/* There is room for what is left of the bytes. */
static void append(struct impl *im, const uint8_t *bytes, size_t n, uint32_t n_row,
                   uint64_t t1_ns) {
    struct chunk *c = newest(im);
    const size_t held = squeeze(bytes, n, im->byte + im->end);
    im->end += held;
    im->n_byte += held;
    im->n_row += n_row;
    c->n_held += held;
    c->n_byte += (uint32_t)n;
    c->n_row += n_row;
    c->t1_ns = t1_ns;
}

/* ---- writing ---- */

/* As one more row of the newest chunk; false if it takes no more. */
static bool push_behind(struct impl *im, const struct sample *s) {
    if (im->closed || im->n_chunk == 0 || newest(im)->n_row == SERIES_ROWS)
        return false;
    const size_t n = pack_row(&im->pack, s, im->row), held = squeeze(im->row, n, NULL);
    if (newest(im)->n_held + held > im->chunk_max)
        return false;
    if (im->grows ? grow_bytes(im, held) < 0 : !room_behind(im, held))
        return false;
    append(im, im->row, n, 1, s->t1_ns);
    return true;
}

int series_push(struct series *se, const struct sample *s) {
    struct impl *im = se->impl_;
    if (push_behind(im, s))
        return 0;
    im->closed = true;
    pack_begin(&im->pack);
    const size_t n = pack_row(&im->pack, s, im->row);
    int rc = open_chunk(im, squeeze(im->row, n, NULL));
    if (rc < 0)
        return rc;
    newest(im)->t0_ns = s->t0_ns;
    append(im, im->row, n, 1, s->t1_ns);
    im->closed = false;
    return 0;
}

/* Reads it to the end, as a reader would. */
static bool is_chunk(struct impl *im, const struct series_chunk *chunk) {
    if (chunk->n_byte == 0 || chunk->n_row == 0 || chunk->n_row > SERIES_ROWS)
        return false;
    pack_begin(&im->check);
    size_t at = 0;
    for (uint32_t i = 0; i < chunk->n_row; i++) {
        const size_t n = unpack_row(&im->check, chunk->at + at, chunk->n_byte - at, &im->tried);
        if (n == 0 || (i == 0 && im->tried.t0_ns != chunk->t0_ns))
            return false;
        at += n;
    }
    return at == chunk->n_byte && im->tried.t1_ns == chunk->t1_ns;
}

static int push_chunk(struct impl *im, const struct series_chunk *chunk) {
    const size_t held = squeeze(chunk->at, chunk->n_byte, NULL);
    if (!im->grows && held > im->cap)
        return -E2BIG;
    int rc = open_chunk(im, held);
    if (rc < 0)
        return rc;
    newest(im)->t0_ns = chunk->t0_ns;
    append(im, chunk->at, chunk->n_byte, chunk->n_row, chunk->t1_ns);
    im->closed = true;
    return 0;
}

int series_push_chunk(struct series *se, const struct series_chunk *chunk) {
    return is_chunk(se->impl_, chunk) ? push_chunk(se->impl_, chunk) : -EINVAL;
}

/* ---- questions ---- */

uint64_t series_rows(const struct series *se) {
    const struct impl *im = se->impl_;
    return im ? im->n_row : 0;
}

uint64_t series_dropped(const struct series *se) {
    const struct impl *im = se->impl_;
    return im ? im->n_dropped : 0;
}

uint64_t series_bytes(const struct series *se) {
    const struct impl *im = se->impl_;
    return im ? im->n_byte : 0;
}

uint64_t series_begin_ns(const struct series *se) {
    return series_chunks(se) ? chunk_of(se->impl_, 0)->t0_ns : 0;
}

uint64_t series_end_ns(const struct series *se) {
    return series_chunks(se) ? newest(se->impl_)->t1_ns : 0;
}

uint32_t series_chunks(const struct series *se) {
    const struct impl *im = se->impl_;
    return im ? im->n_chunk : 0;
}

struct series_chunk series_chunk_at(const struct series *se, uint32_t i) {
    const struct impl *im = se->impl_;
    const struct chunk *c = chunk_of(im, i);
    expand(im, c, &(struct expansion){0}, im->plain, c->n_byte);
    return (struct series_chunk){.t0_ns = c->t0_ns,
                                 .t1_ns = c->t1_ns,
                                 .n_row = c->n_row,
                                 .n_byte = c->n_byte,
                                 .at = im->plain};
}

/* ---- reading ---- */

struct reading {
    struct pack last; /* the row before */
    struct expansion x;
    size_t at, end, row_max;
    uint8_t plain[]; /* [2 * row_max]: what is to be read next is in at .. end */
};

/* Sees to it that the next row is there in one piece. */
static void have_row(struct reading *rd, const struct impl *im, const struct chunk *c) {
    if (rd->end - rd->at >= rd->row_max)
        return;
    memmove(rd->plain, rd->plain + rd->at, rd->end - rd->at);
    rd->end -= rd->at;
    rd->at = 0;
    rd->end += expand(im, c, &rd->x, rd->plain + rd->end, 2 * rd->row_max - rd->end);
}

int series_reader_init(struct series_reader *r, const struct series *se) {
    *r = (struct series_reader){.se = se};
    const struct impl *im = se->impl_;
    if (!im)
        return 0;
    const size_t row_max = pack_row_max(&im->pack);
    struct reading *rd = malloc(sizeof(*rd) + 2 * row_max);
    if (!rd || pack_copy(&rd->last, &im->pack) < 0) {
        free(rd);
        return -ENOMEM;
    }
    rd->row_max = row_max;
    r->reading_ = rd;
    return 0;
}

void series_reader_destroy(struct series_reader *r) {
    struct reading *rd = r->reading_;
    if (rd)
        pack_destroy(&rd->last);
    free(rd);
    *r = (struct series_reader){0};
}

void series_reader_seek(struct series_reader *r, uint64_t t_ns) {
    uint32_t low = 0, high = series_chunks(r->se);
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (chunk_of(r->se->impl_, mid)->t1_ns > t_ns)
            high = mid;
        else
            low = mid + 1;
    }
    r->n = 0;
    for (uint32_t i = 0; i < low; i++)
        r->n += chunk_of(r->se->impl_, i)->n_row;
    r->chunk = low;
    r->row = 0;
    r->after_ns = t_ns;
}

static bool read_row(struct series_reader *r, struct sample *out) {
    struct reading *rd = r->reading_;
    if (r->chunk >= series_chunks(r->se))
        return false;
    const struct chunk *c = chunk_of(r->se->impl_, r->chunk);
    if (r->row == 0) {
        pack_begin(&rd->last);
        rd->x = (struct expansion){0};
        rd->at = rd->end = 0;
    }
    have_row(rd, r->se->impl_, c);
    rd->at += unpack_row(&rd->last, rd->plain + rd->at, rd->end - rd->at, out);
    out->seq = r->n++;
    if (++r->row == c->n_row) {
        r->chunk++;
        r->row = 0;
    }
    return true;
}

bool series_reader_next(struct series_reader *r, struct sample *out) {
    while (read_row(r, out))
        if (r->after_ns == 0 || out->t1_ns > r->after_ns)
            return true;
    return false;
}

/* ---- both ---- */

/* The rows of the reader's chunk that end until t1_ns. */
static int copy_rows(struct series *se, struct series_reader *r, uint64_t t1_ns) {
    struct sample *row = &((struct impl *)se->impl_)->tried;
    const uint32_t chunk = r->chunk;
    int rc = 0;
    while (rc == 0 && r->chunk == chunk && read_row(r, row))
        if ((r->after_ns == 0 || row->t1_ns > r->after_ns) && row->t1_ns <= t1_ns)
            rc = series_push(se, row);
    return rc;
}

int series_copy(struct series *se, const struct series *from, uint64_t t0_ns, uint64_t t1_ns) {
    struct series_reader r;
    int rc = series_reader_init(&r, from);
    if (rc == 0 && t0_ns > 0)
        series_reader_seek(&r, t0_ns);
    while (rc == 0 && r.chunk < series_chunks(from)) {
        const struct series_chunk c = series_chunk_at(from, r.chunk);
        const bool begins_in = t0_ns == 0 || c.t0_ns > t0_ns;
        if (!begins_in || c.t1_ns > t1_ns) {
            rc = copy_rows(se, &r, t1_ns);
            continue;
        }
        rc = push_chunk(se->impl_, &c);
        r.chunk++;
    }
    series_reader_destroy(&r);
    return rc;
}

static bool may_have(const struct chunk *c, uint64_t t0_ns, uint64_t t1_ns) {
    return (t0_ns == 0 || c->t1_ns > t0_ns) && c->t0_ns <= t1_ns; /* an interval may take no time */
}

int series_hold(struct series *se, const struct series *from, uint64_t t0_ns, uint64_t t1_ns) {
    struct impl *im = se->impl_;
    const struct impl *of = from->impl_;
    size_t n = 0;
    int rc = 0;
    for (uint32_t i = 0; i < series_chunks(from); i++)
        n += may_have(chunk_of(of, i), t0_ns, t1_ns) ? chunk_of(of, i)->n_held : 0;
    for (uint32_t i = 0; i < series_chunks(from) && rc == 0; i++) {
        const struct chunk *c = chunk_of(of, i);
        if (!may_have(c, t0_ns, t1_ns) || (rc = open_chunk(im, n)) < 0)
            continue;
        memcpy(im->byte + im->end, of->byte + c->at, c->n_held);
        *newest(im) = *c;
        newest(im)->at = im->end;
        im->end += c->n_held;
        im->n_byte += c->n_held;
        im->n_row += c->n_row;
        n -= c->n_held;
    }
    if (rc < 0)
        series_clear(se);
    return rc;
}
