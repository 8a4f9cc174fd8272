/*
 * Units are told apart by their number. Between two sorts rows keep their order: the numbers of the
 * old order are looked up in the new table, what is new goes to the end.
 */
#include "ui/view/rows.h"

#include "base/clock.h"
#include "ui/draw/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOVES_ROWS = 256,
    TRIES = 8,
    ROLES = 4
}; /* a power of two; a row is at one of so many places */

int rows_moves_init(struct rows_moves *m, int n_column) {
    *m = (struct rows_moves){.n_column = n_column};
    m->id = calloc(MOVES_ROWS, sizeof(*m->id));
    m->seen_ns = calloc(MOVES_ROWS, sizeof(*m->seen_ns));
    m->at = calloc((size_t)MOVES_ROWS * (size_t)n_column, sizeof(*m->at));
    return m->id && m->seen_ns && m->at ? 0 : -ENOMEM;
}

void rows_moves_destroy(struct rows_moves *m) {
    free(m->id);
    free(m->seen_ns);
    free(m->at);
    *m = (struct rows_moves){0};
}

void rows_moves_forget(struct rows_moves *m) {
    memset(m->seen_ns, 0, MOVES_ROWS * sizeof(*m->seen_ns));
}

/* Where it is; else the place, among those that it may have, that is free or was for longest. */
static uint32_t place_of(const struct rows_moves *m, int32_t id, bool *found) {
    const uint32_t first = (uint32_t)id * 2654435769u >> 16;
    uint32_t oldest = first % MOVES_ROWS;
    *found = false;
    for (uint32_t i = 0; i < TRIES; i++) {
        const uint32_t at = (first + i) % MOVES_ROWS;
        *found = m->seen_ns[at] && m->id[at] == id;
        if (*found)
            return at;
        if (m->seen_ns[at] < m->seen_ns[oldest])
            oldest = at;
    }
    return oldest;
}

struct fade *rows_moves_of(struct rows_moves *m, int32_t id, uint64_t now_ns) {
    bool found;
    const uint32_t at = place_of(m, id, &found);
    struct fade *fade = &m->at[at * (uint32_t)m->n_column];
    if (!found)
        memset(fade, 0, (size_t)m->n_column * sizeof(*fade));
    m->id[at] = id;
    m->seen_ns[at] = now_ns ? now_ns : 1;
    return fade;
}

const struct fade *rows_moves_find(const struct rows_moves *m, int32_t id) {
    bool found;
    const uint32_t at = place_of(m, id, &found);
    return found ? &m->at[at * (uint32_t)m->n_column] : NULL;
}

/* ---- the last minute ---- */

#define CELL_NS (2 * NS_PER_S)
#define GONE_NS (60 * NS_PER_S)

static uint32_t bucket_of(uint64_t ns) {
    return (uint32_t)(ns / CELL_NS) + 1;
}

/* CPUs are below the numbers of threads, each at a place of its own. */
static int32_t strip_id(const struct unit_row *row) {
    return row->tid < 0 ? -1 - (int32_t)row->cpu : (int32_t)row->tid;
}

/* Its place; else, where asked for, the one that is free or was noted longest ago. */
static struct strip *strip_of(const struct rows *r, int32_t id, bool make) {
    const uint32_t first = id < 0 ? ~(uint32_t)id : (uint32_t)id * 2654435769u >> 16;
    struct strip *oldest = &r->strip[first % MOVES_ROWS];
    for (uint32_t i = 0; i < TRIES; i++) {
        struct strip *s = &r->strip[(first + i) % MOVES_ROWS];
        if (s->newest && s->id == id)
            return s;
        if (s->newest < oldest->newest)
            oldest = s;
    }
    if (!make)
        return NULL;
    memset(oldest, 0, sizeof(*oldest));
    oldest->id = id;
    return oldest;
}

/* Place of a root among the four parts of a cell, by its hue; -1: it has none. */
static int part_of(const struct model *m, int root) {
    const int part = (int)words_hue(m, root) - (int)STYLE_FRONTEND;
    return m->metric[root].level == 1 && part >= 0 && part < ROLES ? part : -1;
}

/* Returns share. */
static const float *shares_of(const struct frame *f, const struct model *m, float share[ROLES]) {
    memset(share, 0, ROLES * sizeof(*share));
    for (int i = 0; i < (int)m->n_tree; i++)
        if (part_of(m, i) >= 0 && f->at[i].v > 0)
            share[part_of(m, i)] += (float)f->at[i].v;
    return share;
}

/* Its newest interval is in its strip. */
static bool is_noted(const struct rows *r, const struct unit_row *row) {
    const struct strip *s = strip_of(r, strip_id(row), false);
    return s && s->noted_ns == r->table.t1_ns;
}

/* Adds the interval to its cell, and to those before that it fills. */
static void note_strip(struct rows *r, const struct unit_row *row, const float share[ROLES]) {
    const uint32_t to = bucket_of(r->table.t1_ns - 1);
    const float dt = (float)(r->table.t1_ns - r->table.t0_ns) / NS_PER_S;
    struct strip *s = strip_of(r, strip_id(row), true);
    s->noted_ns = r->table.t1_ns;
    if (row->fresh) /* the number may have been another's */
        memset(s->cell, 0, sizeof(s->cell));
    uint32_t from = bucket_of(r->table.t0_ns + CELL_NS - 1);
    from = from > to ? to : to - from >= STRIP_CELLS ? to - STRIP_CELLS + 1 : from;
    for (uint32_t b = from; b <= to; b++) {
        struct strip_cell *cell = &s->cell[b % STRIP_CELLS];
        if (cell->bucket != b)
            *cell = (struct strip_cell){.bucket = b};
        const float busy = isnan(row->busy) ? 0 : (float)row->busy;
        cell->busy_s += busy;
        cell->covered_s += dt;
        for (int i = 0; share && i < ROLES; i++)
            cell->part[i] += share[i] > 0 ? share[i] * busy : 0;
    }
    s->newest = to;
}

double rows_strip(const struct rows *r, const struct unit_row *row, int back,
                  enum metric_role *role) {
    const struct strip *s = strip_of(r, strip_id(row), false);
    const uint32_t b = bucket_of(r->table.t1_ns - 1) - (uint32_t)back;
    *role = ROLE_NONE;
    const struct strip_cell *cell = s ? &s->cell[b % STRIP_CELLS] : NULL;
    if (!cell || cell->bucket != b || !(cell->covered_s > 0))
        return NAN;
    float most = 0;
    for (int i = 0; i < 4; i++) {
        const enum metric_role is = (enum metric_role)(ROLE_FRONTEND + i);
        if (is == ROLE_RETIRING ? cell->part[i] > cell->busy_s / 2 : cell->part[i] > most) {
            most = is == ROLE_RETIRING ? INFINITY : cell->part[i];
            *role = is;
        }
    }
    return (double)(cell->busy_s / cell->covered_s);
}

uint64_t rows_gone_ns(const struct rows *r, const struct unit_row *row) {
    for (int i = 0; row->ended && !row->enabled_ns && i < GONE_MAX; i++)
        if (r->gone[i].ended_ns && r->gone[i].row.tid == row->tid)
            return r->gone[i].ended_ns;
    return 0;
}

#define HELD_NS NS_PER_S /* rows keep their places for so long */

/* ---- columns ---- */

static void add_column(struct rows *r, enum row_field field, int metric) {
    if (r->n_column < ROWS_COLUMNS)
        r->column[r->n_column++] = (struct row_column){field, metric};
}

static void make_columns(struct rows *r, const struct model *m) {
    add_column(r, FIELD_ID, METRIC_NONE);
    add_column(r, FIELD_NAME, METRIC_NONE);
    r->chosen[ROWS_THREADS] = r->chosen[ROWS_CPUS] = r->n_column;
    add_column(r, FIELD_BUSY, METRIC_NONE);
    for (int i = 0; i < (int)m->n_tree && model_tells_slots(m); i++)
        if (m->metric[i].level == 1 && m->metric[i].role == ROLE_RETIRING)
            add_column(r, FIELD_LOST, i);
    for (int i = 0, roots = 0; i < (int)m->n_tree && roots < ROWS_ROOTS; i++)
        if (m->metric[i].level == 1) {
            add_column(r, FIELD_METRIC, i);
            roots++;
        }
    int ipc = model_find(m, "IPC");
    if (ipc != METRIC_NONE)
        add_column(r, FIELD_METRIC, ipc);
    add_column(r, FIELD_DUTY, METRIC_NONE);
}

static const struct row_column *chosen(const struct rows *r) {
    return &r->column[r->chosen[r->kind]];
}

/* The map of CPUs shows what can be a shade. */
static bool is_for(enum rows_kind kind, const struct row_column *col) {
    return kind == ROWS_THREADS || col->field == FIELD_BUSY || col->field == FIELD_METRIC;
}

/* ---- memory ---- */

static int32_t id_of(const struct unit_row *row) {
    return row->tid < 0 ? (int32_t)row->cpu : (int32_t)row->tid;
}

static void note_selected(void *rows) {
    struct rows *r = rows;
    const struct unit_row *row = rows_at(r, r->list.at);
    if (row)
        r->selected_id = id_of(row);
}

int rows_init(struct rows *r, const struct model *m, uint32_t n_slot) {
    *r = (struct rows){.filter = {.from = METRIC_NONE}};
    r->list = (struct list){.per_line = 1, .lines = 1, .moved = note_selected, .owner = r};
    make_columns(r, m);
    int rc = sample_init(&r->sample, n_slot);
    if (rc == 0)
        rc = frame_init(&r->frame, m->n_metric);
    if (rc == 0)
        rc = rows_moves_init(&r->moves, r->n_column);
    if (rc == 0 && !(r->strip = calloc(MOVES_ROWS, sizeof(*r->strip))))
        rc = -ENOMEM;
    if (rc < 0)
        rows_destroy(r);
    return rc;
}

void rows_destroy(struct rows *r) {
    unit_table_destroy(&r->table);
    sample_destroy(&r->sample);
    frame_destroy(&r->frame);
    rows_moves_destroy(&r->moves);
    free(r->strip);
    free(r->order);
    free(r->shown);
    free(r->key);
    free(r->scratch);
    free(r->was);
    free(r->bucket);
    *r = (struct rows){0};
}

static int grow(void *array, uint32_t n, size_t size) {
    void **at = array, *bigger = realloc(*at, n * size);
    if (!bigger)
        return -ENOMEM;
    *at = bigger;
    return 0;
}

/* Room for as many rows as the table has room for, and twice as many buckets. */
static int reserve(struct rows *r) {
    uint32_t n = r->table.cap, n_bucket = 64;
    if (n <= r->cap)
        return 0;
    while (n_bucket < 2 * n)
        n_bucket *= 2;
    if (grow(&r->order, n, sizeof(*r->order)) || grow(&r->shown, n, sizeof(*r->shown)) ||
        grow(&r->scratch, n, sizeof(*r->scratch)) || grow(&r->was, n, sizeof(*r->was)) ||
        grow(&r->key, n, sizeof(*r->key)) || grow(&r->bucket, n_bucket, sizeof(*r->bucket)))
        return -ENOMEM;
    r->cap = n;
    r->n_bucket = n_bucket;
    return 0;
}

static int copy_table(struct rows *r, const struct unit_table *t) {
    struct unit_table *mine = &r->table;
    if (!mine->slot || mine->n_slot != t->n_slot) {
        unit_table_destroy(mine);
        r->n_order = r->n_shown = 0;
        int rc = unit_table_init(mine, t->slot, t->n_slot);
        if (rc < 0)
            return rc;
    }
    if (unit_table_reserve(mine, t->n + GONE_MAX) < 0 || reserve(r) < 0)
        return -ENOMEM;
    struct unit_table was = *mine;
    *mine = *t;
    mine->row = was.row;
    mine->slot = was.slot;
    mine->value = was.value;
    mine->cap = was.cap;
    memcpy(mine->slot, t->slot, t->n_slot * sizeof(*t->slot));
    if (t->n == 0)
        return 0;
    memcpy(mine->row, t->row, t->n * sizeof(*t->row));
    memcpy(mine->value, t->value, (size_t)t->n * t->n_slot * sizeof(*t->value));
    return 0;
}

static bool has_thread(const struct unit_table *t, uint32_t n, pid_t tid) {
    uint32_t i = 0;
    while (i < n && t->row[i].tid != tid)
        i++;
    return i < n;
}

static void note_gone(struct rows *r, const struct unit_row *row) {
    struct rows_gone *to = &r->gone[0];
    for (int i = 1; i < GONE_MAX; i++)
        if (r->gone[i].ended_ns < to->ended_ns)
            to = &r->gone[i];
    *to = (struct rows_gone){.row = *row, .ended_ns = r->table.t1_ns};
    to->row.busy = 0;
    to->row.enabled_ns = to->row.running_ns = 0;
    to->row.fresh = to->row.begins = false;
}

/* Behind those that are counted, the ones that have ended in the last minute. */
static void keep_gone(struct rows *r) {
    struct unit_table *t = &r->table;
    const uint32_t n = t->n;
    for (int i = 0; i < GONE_MAX; i++) {
        struct rows_gone *g = &r->gone[i];
        if (!g->ended_ns)
            continue;
        if (t->t1_ns < g->ended_ns || t->t1_ns - g->ended_ns >= GONE_NS ||
            has_thread(t, n, g->row.tid)) {
            g->ended_ns = 0;
            continue;
        }
        for (uint32_t k = 0; k < t->n_slot; k++)
            t->value[(size_t)t->n * t->n_slot + k] = NAN;
        t->row[t->n++] = g->row;
    }
    for (uint32_t i = 0; i < n; i++)
        if (t->row[i].ended && t->row[i].tid >= 0)
            note_gone(r, &t->row[i]);
}

/* ---- values ---- */

static bool is_of(const struct unit_row *row, enum rows_kind kind) {
    return (row->tid < 0) == (kind == ROWS_CPUS);
}

double rows_busy(const struct rows *r, const struct unit_row *row) {
    uint64_t ns = r->table.t1_ns - r->table.t0_ns;
    return ns ? row->busy * (double)NS_PER_S / (double)ns : (double)NAN;
}

double rows_duty(const struct unit_row *row) {
    return row->enabled_ns ? (double)row->running_ns / (double)row->enabled_ns : (double)NAN;
}

static bool has_counts(const struct unit_row *row) {
    return row->enabled_ns > 0 || row->busy > 0;
}

static const struct frame *eval_row(struct rows *r, uint32_t i, struct eval *ev) {
    if (!has_counts(&r->table.row[i]))
        return NULL;
    unit_table_sample(&r->table, i, &r->sample);
    eval_run(ev, &r->sample, &r->frame);
    return &r->frame;
}

static double value_of(struct rows *r, uint32_t i, const struct row_column *col, struct eval *ev) {
    const struct unit_row *row = &r->table.row[i];
    switch (col->field) {
    case FIELD_BUSY:
        return rows_busy(r, row);
    case FIELD_DUTY:
        return rows_duty(row);
    case FIELD_METRIC:
        if (!has_counts(row))
            return NAN;
        unit_table_sample_next(&r->table, i, &r->sample);
        return eval_value(ev, &r->sample, col->metric);
    case FIELD_LOST: {
        const struct row_column useful = {FIELD_METRIC, col->metric};
        return rows_busy(r, row) * (1 - value_of(r, i, &useful, ev));
    }
    default:
        return id_of(row);
    }
}

/* ---- order ---- */

bool rows_descend(const struct rows *r) {
    enum row_field field = chosen(r)->field;
    return (field != FIELD_ID && field != FIELD_NAME) != r->inverted;
}

/* What is not known comes last either way; what is equal stands by its number. */
static bool is_before(const struct rows *r, uint32_t a, uint32_t b) {
    const struct unit_row *ra = &r->table.row[a], *rb = &r->table.row[b];
    double ka = r->key[a], kb = r->key[b];
    if (r->kind == ROWS_CPUS)
        return id_of(ra) < id_of(rb);
    if (isnan(ka) != isnan(kb))
        return isnan(kb);
    int cmp = chosen(r)->field == FIELD_NAME ? strcmp(ra->comm, rb->comm)
              : isnan(ka)                    ? 0
                                             : (ka > kb) - (ka < kb);
    if (cmp == 0)
        return id_of(ra) < id_of(rb);
    return (cmp > 0) == rows_descend(r);
}

/* Merges two sorted runs, in[from..mid) and in[mid..to), into out. */
static void merge(const struct rows *r, const uint32_t *in, uint32_t *out, uint32_t from,
                  uint32_t mid, uint32_t to) {
    uint32_t a = from, b = mid;
    for (uint32_t i = from; i < to; i++)
        out[i] = a < mid && (b == to || !is_before(r, in[b], in[a])) ? in[a++] : in[b++];
}

/* Merge sort: the one of the C library takes memory. */
static void sort(struct rows *r) {
    uint32_t n = r->n_order;
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t from = 0; from < n; from += 2 * run) {
            uint32_t mid = from + run < n ? from + run : n;
            uint32_t to = from + 2 * run < n ? from + 2 * run : n;
            merge(r, r->order, r->scratch, from, mid, to);
        }
        uint32_t *was = r->order;
        r->order = r->scratch;
        r->scratch = was;
    }
}

/* The rows of the kind, in the order of the table. */
static void collect(struct rows *r) {
    r->n_order = 0;
    r->busy = 0;
    for (uint32_t i = 0; i < r->table.n; i++) {
        const struct unit_row *row = &r->table.row[i];
        if (!is_of(row, r->kind))
            continue;
        r->order[r->n_order++] = i;
        r->busy += isnan(row->busy) ? 0 : rows_busy(r, row);
    }
}

/* Fibonacci hashing: numbers of threads come in sequence. */
static uint32_t first_bucket(const struct rows *r, int32_t id) {
    return (uint32_t)id * 2654435769u & (r->n_bucket - 1);
}

static void enter(struct rows *r, uint32_t i) {
    uint32_t b = first_bucket(r, id_of(&r->table.row[i]));
    while (r->bucket[b])
        b = (b + 1) & (r->n_bucket - 1);
    r->bucket[b] = i + 1;
}

/* Takes the row with that id out of the table of buckets; its place is kept, so that others are
 * still found behind it. Returns its number + 1, or 0. */
static uint32_t take(struct rows *r, int32_t id) {
    enum { TAKEN = -1 };
    for (uint32_t b = first_bucket(r, id); r->bucket[b]; b = (b + 1) & (r->n_bucket - 1)) {
        uint32_t i = r->bucket[b];
        if (i == (uint32_t)TAKEN || id_of(&r->table.row[i - 1]) != id)
            continue;
        r->bucket[b] = (uint32_t)TAKEN;
        return i;
    }
    return 0;
}

/* The order of before; what is new is at the end. */
static void carry_over(struct rows *r, uint32_t n_was) {
    memset(r->bucket, 0, r->n_bucket * sizeof(*r->bucket));
    for (uint32_t k = 0; k < r->n_order; k++)
        enter(r, r->order[k]);
    uint32_t n = 0;
    uint32_t *place = r->shown; /* made anew afterwards */
    for (uint32_t k = 0; k < n_was; k++) {
        uint32_t i = take(r, r->was[k]);
        if (i)
            place[n++] = i - 1;
    }
    for (uint32_t k = 0; k < r->n_order; k++) {
        int32_t id = id_of(&r->table.row[r->order[k]]);
        uint32_t i = take(r, id);
        if (i)
            place[n++] = i - 1;
    }
    memcpy(r->order, place, n * sizeof(*place));
}

/* ---- what is shown ---- */

static bool passes(const struct rows *r, uint32_t i) {
    return r->kind != ROWS_THREADS || !r->filter.text[0] ||
           search_has(&r->filter, r->table.row[i].comm);
}

/* The selection follows its unit; where that is gone, its place has another. */
static void follow(struct rows *r) {
    int at = -1;
    for (uint32_t k = 0; r->list.chosen && k < r->n_shown && at < 0; k++)
        if (id_of(&r->table.row[r->shown[k]]) == r->selected_id)
            at = (int)k;
    if (!list_follow(&r->list, (int)r->n_shown, at))
        note_selected(r);
}

void rows_filter(struct rows *r) {
    r->n_shown = 0;
    for (uint32_t k = 0; k < r->n_order; k++)
        if (passes(r, r->order[k]))
            r->shown[r->n_shown++] = r->order[k];
    follow(r);
}

/* Keys of all rows; only metrics have to be evaluated. */
static void set_keys(struct rows *r, struct eval *ev) {
    const struct row_column *col = chosen(r);
    unit_table_sample_begin(&r->table, &r->sample);
    for (uint32_t k = 0; k < r->n_order; k++)
        r->key[r->order[k]] = value_of(r, r->order[k], col, ev);
}

static void sort_now(struct rows *r, struct eval *ev) {
    set_keys(r, ev);
    sort(r);
    r->sorted_ns = r->table.t1_ns;
    rows_filter(r);
}

void rows_begin(struct rows *r, enum rows_kind kind, uint64_t now_ns, struct eval *ev) {
    if (r->kind != kind) {
        list_reset(&r->list);
        rows_moves_forget(&r->moves);
    }
    r->kind = kind;
    r->since_ns = now_ns;
    if (r->table.t1_ns != now_ns)
        r->table.n = 0;
    collect(r);
    r->n_shown = 0;
    sort_now(r, ev);
}

/* A tenth of an interval early is in time: intervals are never quite as long as they should be. */
static bool is_due(const struct rows *r) {
    uint64_t t1 = r->table.t1_ns, dt = t1 - r->table.t0_ns;
    return t1 < r->sorted_ns || t1 - r->sorted_ns + dt / 10 >= HELD_NS;
}

/* ---- what moves ---- */

/*
 * How much a number must move to be marked: 3 points of a share and of CPU time, 5 percent of
 * another number, for a unit that has run all the time. Who ran a hundredth of it was counted for a
 * hundredth, so that chance alone moves it ten times as far.
 */
static double least_move(const struct fade *f, const struct row_column *col, double busy,
                         bool share) {
    const double ran = busy < 0.001 ? 0.001 : busy > 1 ? 1 : busy;
    if (col->field == FIELD_BUSY || col->field == FIELD_LOST)
        return 0.03;
    return (share ? 0.03 : f->known ? 0.05 * fabs((double)f->mean) : 0) / sqrt(ran);
}

static void note_row(struct rows *r, uint32_t i, struct eval *ev) {
    const struct unit_row *row = &r->table.row[i];
    const double busy = rows_busy(r, row);
    struct fade *fade = rows_moves_of(&r->moves, id_of(row), r->table.t1_ns);
    const struct frame *f = r->brief ? NULL : eval_row(r, i, ev);
    if (!is_noted(r, row)) {
        float share[ROLES];
        note_strip(r, row, f ? shares_of(f, ev->model, share) : NULL);
    }
    for (int k = 0; k < r->n_column; k++) {
        const struct row_column *col = &r->column[k];
        double v = NAN;
        bool share = col->field == FIELD_METRIC && ev->model->metric[col->metric].share;
        if (col->field == FIELD_BUSY)
            v = busy;
        else if (k == r->chosen[r->kind] && col->field == FIELD_METRIC && r->brief)
            v = r->key[i];
        else if (f && col->field == FIELD_METRIC)
            v = f->at[col->metric].v;
        else if (f && col->field == FIELD_LOST)
            v = busy * (1 - f->at[col->metric].v);
        fade_push(&fade[k], r->table.t1_ns, v, (double)NAN, least_move(&fade[k], col, busy, share));
    }
}

/* Of those that are seen: evaluating all of thousands would cost too much. */
static void note_moves(struct rows *r, struct eval *ev) {
    const int from = r->list.top * r->list.per_line, to = from + r->list.lines * r->list.per_line;
    for (int at = from; at < to && at < (int)r->n_shown; at++)
        note_row(r, r->shown[at], ev);
}

/* Those that are not seen, while they are few: what their cells have of level 1, one metric after
 * the other, which is what evaluating one for many rows is made for. */
static void note_unseen(struct rows *r, struct eval *ev) {
    float share[ROWS_KEPT][ROLES] = {0};
    uint32_t row[ROWS_KEPT], n = 0;
    const struct model *m = ev->model;
    for (uint32_t i = 0; r->table.n <= ROWS_KEPT && i < r->table.n; i++)
        if (!is_noted(r, &r->table.row[i]))
            row[n++] = i;
    unit_table_sample_begin(&r->table, &r->sample);
    for (int i = 0; n > 0 && i < (int)m->n_tree; i++) {
        const struct row_column col = {FIELD_METRIC, i};
        const int part = part_of(m, i);
        for (uint32_t k = 0; part >= 0 && k < n; k++)
            share[k][part] += (float)fmax(value_of(r, row[k], &col, ev), 0);
    }
    for (uint32_t k = 0; k < n; k++)
        note_strip(r, &r->table.row[row[k]], share[k]);
}

static void note_busy(struct rows *r, uint32_t i) {
    if (!is_noted(r, &r->table.row[i]))
        note_strip(r, &r->table.row[i], NULL);
}

/* Of many that are not seen how much they ran, as long as there is room for them: what is scrolled
 * to later has a past. */
static void note_strips(struct rows *r) {
    for (uint32_t k = 0; k < r->n_order && k < MOVES_ROWS; k++)
        note_busy(r, r->order[k]);
    for (uint32_t i = 0; i < r->table.n && i < MOVES_ROWS; i++)
        if (!is_of(&r->table.row[i], r->kind))
            note_busy(r, i);
}

struct fade_mark rows_moved(const struct rows *r, int at, int column) {
    const struct unit_row *row = rows_at(r, at);
    const struct fade *fade = row ? rows_moves_find(&r->moves, id_of(row)) : NULL;
    return fade ? fade_at(&fade[column], r->table.t1_ns) : (struct fade_mark){0, 0};
}

int rows_update(struct rows *r, const struct unit_table *t, bool shown, struct eval *ev) {
    bool first = r->table.n == 0;
    if (!t->slot || t->t1_ns < r->since_ns || (!first && t->seq == r->table.seq))
        return 0;
    uint32_t n_was = first ? 0 : r->n_order;
    for (uint32_t k = 0; k < n_was; k++)
        r->was[k] = id_of(&r->table.row[r->order[k]]);
    int rc = copy_table(r, t);
    if (rc < 0)
        return rc;
    keep_gone(r);
    collect(r);
    if (first || r->kind == ROWS_CPUS || is_due(r)) {
        sort_now(r, ev);
    } else {
        carry_over(r, n_was);
        rows_filter(r);
    }
    if (shown)
        note_moves(r, ev);
    note_unseen(r, ev);
    note_strips(r);
    return 0;
}

/* ---- what the user does ---- */

void rows_choose(struct rows *r, int column, struct eval *ev) {
    if (column < 0 || column >= r->n_column || !is_for(r->kind, &r->column[column]))
        return;
    r->chosen[r->kind] = column;
    if (r->kind == ROWS_THREADS)
        r->inverted = false;
    sort_now(r, ev);
}

void rows_step(struct rows *r, int step, struct eval *ev) {
    int at = r->chosen[r->kind];
    do
        at = (at + step + r->n_column) % r->n_column;
    while (!is_for(r->kind, &r->column[at]));
    rows_choose(r, at, ev);
}

void rows_invert(struct rows *r, struct eval *ev) {
    r->inverted = !r->inverted;
    sort_now(r, ev);
}

const struct unit_row *rows_at(const struct rows *r, int at) {
    return at >= 0 && at < (int)r->n_shown ? &r->table.row[r->shown[at]] : NULL;
}

const struct frame *rows_eval(struct rows *r, int at, struct eval *ev) {
    return rows_at(r, at) ? eval_row(r, r->shown[at], ev) : NULL;
}
