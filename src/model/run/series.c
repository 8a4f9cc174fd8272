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

#include "model/run/series_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
