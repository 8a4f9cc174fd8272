#include "pmu/perf/perf_units.h"

#include "model/eval/sample.h"
#include "pmu/perf/perf_align.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory ---- */

int *perf_units_fds(const struct perf_units *pu, uint32_t u) {
    return pu->fd + (size_t)u * pu->shape->n_counter;
}

/* Grows one of the arrays that have `each` elements per unit. */
static bool grow(void **at, size_t cap, size_t each, size_t size) {
    void *p = realloc(*at, (cap * each + 1) * size);
    if (p)
        *at = p;
    return p;
}

int perf_units_reserve(struct perf_units *pu, uint32_t n) {
    if (n <= pu->cap)
        return 0;
    size_t cap = n + n / 4u + 16; /* threads come in flocks */
    uint32_t n_hash = 64;
    while (n_hash < cap * 2)
        n_hash *= 2;
    void *unit = pu->unit, *fd = pu->fd, *last = pu->last, *row = pu->row, *hash = pu->hash,
         *pending = pu->pending;
    bool ok = grow(&unit, cap, 1, sizeof(*pu->unit)) &&
              grow(&fd, cap, pu->shape->n_counter, sizeof(*pu->fd)) &&
              grow(&last, cap, pu->shape->n_word, sizeof(*pu->last)) &&
              grow(&pending, cap, pu->shape->n_counter, sizeof(*pu->pending)) &&
              grow(&row, cap, pu->n_row, sizeof(*pu->row)) &&
              grow(&hash, n_hash, 1, sizeof(*pu->hash));
    pu->unit = unit; /* those that have moved have moved, whatever failed then */
    pu->fd = fd;
    pu->last = last;
    pu->row = row;
    pu->hash = hash;
    pu->pending = pending;
    if (!ok)
        return -ENOMEM;
    pu->cap = (uint32_t)cap;
    pu->n_hash = n_hash;
    perf_units_index(pu);
    return 0;
}

static void free_arrays(struct perf_units *pu) {
    void *all[] = {pu->unit, pu->fd,  pu->pending, pu->last, pu->row,   pu->hash, pu->row_at,
                   pu->on,   pu->was, pu->changed, pu->have, pu->value, pu->sum,  pu->online};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
    perf_align_free(pu);
    pu->unit = NULL;
    pu->fd = pu->pending = NULL;
    pu->last = NULL;
    pu->row = NULL;
    pu->hash = NULL;
    pu->row_at = NULL;
    pu->online = NULL;
    pu->on = pu->was = pu->changed = NULL;
    pu->have = NULL;
    pu->value = NULL;
    pu->sum = NULL;
    pu->n = pu->cap = pu->n_hash = 0;
}

/* What there is once per group or counter. */
int perf_units_make_groups(struct perf_units *pu) {
    const struct perf_shape *sh = pu->shape;
    pu->on = calloc(sh->n_group + 1u, sizeof(*pu->on));
    pu->was = calloc(sh->n_group + 1u, sizeof(*pu->was));
    pu->changed = calloc(sh->n_group + 1u, sizeof(*pu->changed));
    pu->have = calloc(sh->n_group + 1u, sizeof(*pu->have));
    pu->row_at = calloc(sh->n_group + 1u, sizeof(*pu->row_at));
    pu->sum = calloc(sh->n_group + 1u, sizeof(*pu->sum));
    pu->value = calloc(sh->n_counter + 1u, sizeof(*pu->value));
    pu->online = calloc(PERF_CPUS_MAX, sizeof(*pu->online));
    if (!pu->on || !pu->was || !pu->changed || !pu->have || !pu->row_at || !pu->sum || !pu->value ||
        !pu->online || perf_align_init(pu) < 0)
        return -ENOMEM;
    pu->n_row = 0;
    for (uint32_t g = 0; g < sh->n_group; g++) {
        pu->on[g] = true;
        pu->row_at[g] = sh->group[g].top ? pu->n_row : UINT32_MAX;
        pu->n_row += sh->group[g].top ? sh->group[g].n : 0;
    }
    pu->off_state = COUNT_NOT_FOCUSED;
    pu->published = true;
    return 0;
}

/* ---- finding a thread ---- */

static uint32_t hash_of(const struct perf_units *pu, pid_t tid) {
    return (uint32_t)tid * 2654435761u & (pu->n_hash - 1);
}

static void index_unit(struct perf_units *pu, uint32_t u) {
    if (pu->unit[u].tid < 0 || pu->unit[u].state == UNIT_LATE) /* its number may be another's now */
        return;
    uint32_t h = hash_of(pu, pu->unit[u].tid);
    while (pu->hash[h])
        h = (h + 1) & (pu->n_hash - 1);
    pu->hash[h] = u + 1;
}

void perf_units_index(struct perf_units *pu) {
    memset(pu->hash, 0, pu->n_hash * sizeof(*pu->hash));
    for (uint32_t u = 0; u < pu->n; u++)
        index_unit(pu, u);
}

int64_t perf_units_find(const struct perf_units *pu, pid_t tid) {
    for (uint32_t h = hash_of(pu, tid); pu->hash[h]; h = (h + 1) & (pu->n_hash - 1))
        if (pu->unit[pu->hash[h] - 1].tid == tid)
            return pu->hash[h] - 1;
    return -1;
}

void perf_units_add(struct perf_units *pu, struct perf_unit unit) {
    uint32_t u = pu->n++;
    pu->unit[u] = unit;
    memset(perf_units_fds(pu, u), 0xff, pu->shape->n_counter * sizeof(int)); /* -1 */
    memset(pu->last + (size_t)u * pu->shape->n_word, 0, pu->shape->n_word * sizeof(*pu->last));
    for (uint32_t i = 0; i < pu->n_row; i++)
        pu->row[(size_t)u * pu->n_row + i] = NAN;
    index_unit(pu, u);
}

/* ---- groups of a unit ---- */

bool perf_units_has(const struct perf_units *pu, uint32_t u, uint32_t g) {
    return perf_units_fds(pu, u)[pu->shape->group[g].first] >= 0;
}

/* The leader last. */
static void close_fds(int *fd, uint32_t n) {
    while (n-- > 0) {
        if (fd[n] >= 0)
            close(fd[n]);
        fd[n] = -1;
    }
}

void perf_units_close_group(struct perf_units *pu, uint32_t u, uint32_t g) {
    const struct perf_group *pg = &pu->shape->group[g];
    if (!perf_units_has(pu, u, g))
        return;
    close_fds(perf_units_fds(pu, u) + pg->first, pg->n);
    pu->unit[u].ran = UNIT_RAN; /* from now on nothing tells */
    memset(pu->last + (size_t)u * pu->shape->n_word + pg->at, 0,
           (2 + pg->n) * sizeof(*pu->last)); /* opened again it counts from 0 */
    pu->have[g]--;
    pu->n_fd -= pg->n;
}

/*
 * A thread created while its creator's group is half open has inherited a part of it; as long
 * as it lives the group cannot be read (ECHILD). Only now can that have happened.
 */
static bool is_inherited_half(struct perf_units *pu, uint32_t g, const int *fd) {
    const struct perf_group *pg = &pu->shape->group[g];
    uint64_t buf[3 + PLAN_GROUP_MAX];
    return pu->mode.inherit && pg->n > 1 &&
           perf_units_read_group(fd[pg->first], buf, (3 + pg->n) * sizeof(*buf)) == -ECHILD;
}

/*
 * While a thread creates others, the kernel may also hand its events to the new one (a context
 * switch between clones swaps their contexts) and then refuses the next member of the group with
 * EINVAL, or ENODEV if that one has ended. In all cases it is tried again: what was accepted before
 * will be.
 */
int perf_units_open_group(struct perf_units *pu, uint32_t u, uint32_t g, int *fd) {
    enum { AT_ONCE = 6, AGAIN = 20, PAUSE_US = 500 };
    const struct perf_unit *unit = &pu->unit[u];
    int rc = -EINVAL;
    for (int i = 0; i < AGAIN && (rc == -EINVAL || (rc == -ENODEV && unit->tid >= 0)); i++) {
        if (i >= AT_ONCE)
            usleep(PAUSE_US);
        rc = perf_shape_open(pu->shape, &pu->mode, g, unit->tid, unit->cpu, fd, &pu->event);
        if (rc || !is_inherited_half(pu, g, fd))
            continue;
        close_fds(fd + pu->shape->group[g].first, pu->shape->group[g].n);
        rc = -EINVAL;
    }
    return rc;
}

static int open_group(struct perf_units *pu, uint32_t u, uint32_t g) {
    int rc = perf_units_open_group(pu, u, g, perf_units_fds(pu, u));
    if (rc)
        return rc;
    pu->unit[u].ran = UNIT_RAN; /* before it was open nothing tells */
    pu->have[g]++;
    pu->n_fd += pu->shape->group[g].n;
    return 0;
}

void perf_units_close_unit(struct perf_units *pu, uint32_t u) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        perf_units_close_group(pu, u, g);
}

int perf_units_complete(struct perf_units *pu, uint32_t u) {
    uint32_t n_group = pu->shape->n_group;
    for (uint32_t g = 0; g < n_group; g++) /* first: it makes room */
        if (!pu->on[g] && perf_units_has(pu, u, g)) {
            perf_units_take_last(pu, u, g);
            perf_units_close_group(pu, u, g);
        }
    for (uint32_t g = 0; g < n_group; g++) {
        int rc = pu->on[g] && !perf_units_has(pu, u, g) ? open_group(pu, u, g) : 0;
        if (!rc)
            continue;
        pu->failed = pu->unit[u];
        return rc;
    }
    pu->unit[u].state = UNIT_OPEN;
    return 0;
}

/* ---- how many ---- */

uint32_t perf_units_present(const struct perf_units *pu) {
    uint32_t n = pu->n_unlisted;
    for (uint32_t u = 0; u < pu->n; u++)
        n += !pu->unit[u].ended && pu->unit[u].state <= UNIT_HIDDEN;
    return n;
}

uint32_t perf_units_counted(const struct perf_units *pu) {
    uint32_t n = pu->n_unlisted;
    for (uint32_t u = 0; u < pu->n; u++)
        n += !pu->unit[u].ended && pu->unit[u].state == UNIT_OPEN &&
             (u < pu->next || pu->next == pu->n);
    return n;
}

uint64_t perf_units_need(const struct perf_units *pu, const bool *on) {
    uint64_t per_unit = 0, units = 0;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        per_unit += on[g] ? pu->shape->group[g].n : 0;
    for (uint32_t u = 0; u < pu->n; u++)
        units += pu->unit[u].state == UNIT_PENDING || pu->unit[u].state == UNIT_OPEN ||
                 pu->unit[u].state == UNIT_LATE;
    return per_unit * units;
}

/* ---- dropping ---- */

void perf_units_close(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++)
        perf_units_close_unit(pu, u);
    free_arrays(pu);
    array_free(&pu->new_thread);
    perf_list_free(&pu->list);
}

/* Moves unit `from` to the place of a dropped one. */
static void move_unit(struct perf_units *pu, uint32_t to, uint32_t from) {
    const struct perf_shape *sh = pu->shape;
    pu->unit[to] = pu->unit[from];
    memcpy(perf_units_fds(pu, to), perf_units_fds(pu, from), sh->n_counter * sizeof(*pu->fd));
    memcpy(pu->last + (size_t)to * sh->n_word, pu->last + (size_t)from * sh->n_word,
           sh->n_word * sizeof(*pu->last));
    memcpy(pu->row + (size_t)to * pu->n_row, pu->row + (size_t)from * pu->n_row,
           pu->n_row * sizeof(*pu->row));
}

/* An ended unit whose counters still hold those of others stays, without a row. */
static bool is_dropped(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    if (!unit->ended)
        return false;
    unit->ended = false;
    if (unit->state == UNIT_OPEN) {
        unit->state = UNIT_LATE;
        return false;
    }
    perf_units_close_unit(pu, u);
    return true;
}

void perf_units_sweep(struct perf_units *pu) {
    uint32_t kept = 0, next = pu->next;
    bool ended = false;
    for (uint32_t u = 0; u < pu->n; u++) {
        ended |= pu->unit[u].ended;
        if (is_dropped(pu, u)) {
            next -= u < pu->next;
            continue;
        }
        if (kept != u)
            move_unit(pu, kept, u);
        kept++;
    }
    pu->n = kept;
    pu->next = next;
    if (ended)
        perf_units_index(pu);
}
