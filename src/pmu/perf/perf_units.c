/* The units: their memory, opening and closing their groups, CPUs that come and go. Reading is in
 * perf_read.c, new threads in perf_reopen.c. */
#include "pmu/perf/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
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
static int make_groups(struct perf_units *pu) {
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
            usleep(PAUSE_US << (i - AT_ONCE) / 4); /* a busy host takes its time */
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

/* ---- dropping units ---- */

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

/* An ended unit with counters that still hold those of others stays, without a row. */
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

/* Drops units that have ended. */
static void sweep(struct perf_units *pu) {
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

/* ---- CPUs that go offline and come back ---- */

/*
 * CPUs that go offline and come back: the others go on without them. What a CPU counted until it
 * went is taken, and where the whole machine is the target one that was never there before is
 * counted from then on.
 */

static bool is_in(const int *cpu, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (cpu[i] == wanted)
            return true;
    return false;
}

bool perf_unit_is_offline(const struct perf_unit *unit) {
    return unit->cpu >= 0 && unit->state == UNIT_AWAY;
}

static void go(struct perf_units *pu, uint32_t u) {
    log_line("perf: CPU %d is offline", pu->unit[u].cpu);
    perf_units_carry(pu, u);
    perf_units_close_unit(pu, u);
    pu->unit[u].state = UNIT_AWAY;
}

static void come_back(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    if (perf_units_complete(pu, u) != 0) {
        perf_units_close_unit(pu, u);
        unit->state = UNIT_AWAY;
        return;
    }
    unit->partial = true;
    log_line("perf: CPU %d is online", unit->cpu);
}

static bool has_unit(const struct perf_units *pu, int cpu) {
    for (uint32_t u = 0; u < pu->n; u++)
        if (pu->unit[u].cpu == cpu)
            return true;
    return false;
}

/* CPUs that were not there when the target was listed. They are counted if there is room. */
static void adopt(struct perf_units *pu, const int *cpu, int n) {
    for (int i = 0; i < n; i++) {
        if (has_unit(pu, cpu[i]) || perf_units_reserve(pu, pu->n + 1))
            continue;
        perf_units_add(pu, (struct perf_unit){.pid = -1,
                                              .tid = -1,
                                              .cpu = cpu[i],
                                              .state = UNIT_AWAY,
                                              .partial = true,
                                              .proc.cpu = -1});
        pu->next = pu->n;
    }
}

void perf_units_online(struct perf_units *pu, const int *cpu, int n) {
    perf_units_interval(pu);
    if (pu->adopts)
        adopt(pu, cpu, n);
    pu->n_offline = 0;
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        bool online = is_in(cpu, n, unit->cpu);
        if (!online && unit->state == UNIT_OPEN)
            go(pu, u);
        else if (online && unit->state == UNIT_AWAY)
            come_back(pu, u);
        pu->n_offline += unit->state == UNIT_AWAY;
    }
}

/* One that is away is looked for often, so that little is missed when it comes back. */
static void look_online(struct perf_units *pu) {
    enum { AWAY_MS = 50 };
    char text[4096];
    uint64_t now = clock_now_ns();
    if (now < pu->cpus_due_ns)
        return;
    if (str_read_small("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0)
        return;
    int n = str_list(text, pu->online, PERF_CPUS_MAX, NULL);
    if (n > 0)
        perf_units_online(pu, pu->online, n);
    pu->cpus_due_ns = now + (pu->n_offline ? AWAY_MS * NS_PER_MS : NS_PER_S);
}

/* ---- opening ---- */

/* The unit of that number of the list: threads, or CPUs. */
static struct perf_unit listed(const struct perf_units *pu, size_t i) {
    if (i < pu->list.thread.n)
        return (struct perf_unit){.pid = pu->list.thread.at[i].pid,
                                  .tid = pu->list.thread.at[i].tid,
                                  .cpu = -1,
                                  .proc.cpu = -1};
    return (struct perf_unit){
        .pid = -1, .tid = -1, .cpu = pu->target->cpu[i - pu->list.thread.n], .proc.cpu = -1};
}

/* Finds the shape on the first unit that still lives; *at is which. */
static int find_shape(struct perf_units *pu, size_t n, size_t *at) {
    int rc = -ESRCH;
    for (size_t i = 0; i < n && rc == -ESRCH; i++) {
        *at = i;
        pu->failed = listed(pu, i);
        rc = perf_shape_find(pu->shape, &pu->mode, pu->plan, pu->failed.tid, pu->failed.cpu,
                             &pu->event);
    }
    return rc;
}

static int add_all(struct perf_units *pu, size_t from, size_t n) {
    int rc = make_groups(pu);
    if (!rc)
        rc = perf_units_reserve(pu, (uint32_t)(n - from));
    for (size_t i = from; i < n && !rc; i++)
        perf_units_add(pu, listed(pu, i));
    return rc;
}

int perf_units_begin(struct perf_units *pu) {
    size_t at = 0;
    int rc = perf_list_init(&pu->list, pu->target);
    if (!rc)
        rc = perf_list_read(&pu->list, false);
    size_t n = pu->list.thread.n + (size_t)pu->target->n_cpu;
    pu->n_wanted = (uint32_t)n;
    if (!rc && n == 0)
        rc = -ESRCH;
    if (!rc && !pu->shape->n_counter)
        rc = find_shape(pu, n, &at);
    if (!rc)
        rc = add_all(pu, at, n);
    if (rc)
        perf_units_close(pu);
    return rc;
}

void perf_units_limit(struct perf_units *pu, const bool *on, uint32_t most,
                      enum count_state off_state) {
    memcpy(pu->on, on, pu->shape->n_group * sizeof(*on));
    pu->off_state = (uint8_t)off_state;
    for (uint32_t u = most; u < pu->n; u++)
        pu->unit[u].state = UNIT_HIDDEN;
}

/* Nothing more can be opened: units that have nothing yet are hidden. */
static void hide_rest(struct perf_units *pu) {
    log_line("perf: no descriptor is left after %u threads or CPUs", pu->next);
    pu->too_many_fds = true;
    for (; pu->next < pu->n; pu->next++) {
        struct perf_unit *unit = &pu->unit[pu->next];
        if (unit->state != UNIT_PENDING)
            continue;
        perf_units_close_unit(pu, pu->next);
        unit->state = UNIT_HIDDEN;
    }
}

/* What failing to open a unit means; 0 if it goes on. */
static int take_failure(struct perf_units *pu, int rc) {
    struct perf_unit *unit = &pu->unit[pu->next];
    bool gone = unit->tid >= 0 ? rc == -ESRCH : rc == -ENODEV;
    if (!gone)
        return rc;
    perf_units_close_unit(pu, pu->next);
    unit->state = UNIT_AWAY;
    unit->ended = unit->tid >= 0;
    pu->n_offline += unit->tid < 0;
    return 0;
}

/* A group that a unit gets or loses in the middle of an interval misses a part of it. */
static void note_change(struct perf_units *pu, uint32_t u) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (pu->on[g] != perf_units_has(pu, u, g))
            pu->changed[g] = true;
}

static int open_slice(struct perf_units *pu, uint64_t until_ns) {
    perf_units_interval(pu);
    for (; pu->next < pu->n; pu->next++) {
        struct perf_unit *unit = &pu->unit[pu->next];
        if (unit->state > UNIT_OPEN || unit->ended)
            continue;
        unit->partial = unit->partial || unit->state == UNIT_PENDING;
        note_change(pu, pu->next);
        int rc = perf_units_complete(pu, pu->next);
        if (rc && (rc = take_failure(pu, rc)) != 0)
            return rc;
        if (pu->next + 1 < pu->n && clock_now_ns() >= until_ns) {
            pu->next++;
            return -EAGAIN;
        }
    }
    return 0;
}

/* While the last ones were opened, others may have been created that have missed it. */
static void settle(struct perf_units *pu) {
    enum { AT_ONCE = 4 /* times that the list is read again in a row */ };
    for (int i = 0; i < AT_ONCE && !pu->settled; i++)
        perf_units_reopen_changed(pu, REOPEN_NEW);
}

int perf_units_open(struct perf_units *pu, uint64_t until_ns) {
    int rc = open_slice(pu, until_ns);
    if (rc == -EMFILE || rc == -ENFILE) {
        hide_rest(pu);
        rc = pu->n_fd > 0 ? 0 : rc;
    }
    if (rc)
        return rc;
    if (pu->n_fd == 0 && pu->shape->n_counter > 0)
        return -ESRCH;
    pu->settled = !pu->mode.inherit;
    pu->opening = pu->mode.inherit;
    settle(pu);
    perf_units_read(pu); /* finds groups that were inherited half */
    settle(pu);
    return 0;
}

/* ---- other groups ---- */

/* As it was: nothing that is on then has been refused before. */
static void take_back(struct perf_units *pu, const bool *was, uint64_t until_ns) {
    memcpy(pu->on, was, pu->shape->n_group * sizeof(*was));
    pu->next = 0;
    int rc = open_slice(pu, until_ns);
    if (rc && rc != -EAGAIN)
        hide_rest(pu);
}

int perf_units_focus(struct perf_units *pu, const bool *on, uint64_t until_ns) {
    size_t size = pu->shape->n_group * sizeof(*on);
    if (memcmp(pu->on, on, size) == 0)
        return 0;
    if (pu->room && perf_units_need(pu, on) > pu->room)
        return -EMFILE;
    memcpy(pu->was, pu->on, size);
    memcpy(pu->on, on, size);
    pu->next = 0;
    int rc = open_slice(pu, until_ns);
    if (!rc || rc == -EAGAIN)
        return 0;
    log_line("perf: focus: %s", strerror(-rc));
    take_back(pu, pu->was, until_ns);
    return rc;
}

int perf_units_reopen_all(struct perf_units *pu) {
    if (pu->mode.inherit)
        return perf_units_reopen_changed(pu, REOPEN_ALL);
    perf_units_interval(pu);
    for (uint32_t u = 0; u < pu->n; u++)
        if (pu->unit[u].state == UNIT_OPEN) {
            perf_units_carry(pu, u);
            perf_units_close_unit(pu, u);
        }
    pu->next = 0;
    return open_slice(pu, UINT64_MAX);
}

void perf_units_shut(struct perf_units *pu) {
    perf_units_interval(pu);
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        if (unit->state != UNIT_OPEN && unit->state != UNIT_LATE)
            continue;
        perf_units_carry(pu, u);
        perf_units_close_unit(pu, u);
        unit->ended |= unit->state == UNIT_LATE;
        unit->state = unit->state == UNIT_LATE ? UNIT_AWAY : UNIT_PENDING;
    }
    pu->next = 0;
}

/* ---- between reads ---- */

/* Goes on opening. True if that is done. */
static bool go_on(struct perf_units *pu, uint64_t until_ns) {
    if (pu->next == pu->n)
        return true;
    int rc = open_slice(pu, until_ns);
    if (rc == -EAGAIN)
        return false;
    if (rc)
        hide_rest(pu);
    else
        log_line("perf: all of %u threads or CPUs are open", pu->n);
    pu->settled = !pu->mode.inherit;
    pu->opening = pu->mode.inherit;
    return true;
}

bool perf_units_work(struct perf_units *pu, uint64_t until_ns) {
    return !go_on(pu, until_ns);
}

static void maintain_threads(struct perf_units *pu, bool rows) {
    enum { LOOK_EVERY_S = 10, SHARE = 20, WAIT_SHARE = 4 };
    settle(pu);
    bool first = rows && !pu->rows; /* what a look without rows has found is not opened yet */
    pu->rows = rows;
    if (!first && (clock_now_ns() < pu->due_ns || !perf_list_changed(&pu->list)))
        return;
    uint64_t begin = clock_thread_ns(), begin_ns = clock_now_ns();
    perf_units_reopen_changed(pu, rows ? REOPEN_NEW : REOPEN_MANY_ENDED);
    uint64_t rest = SHARE * (clock_thread_ns() - begin) + WAIT_SHARE * (clock_now_ns() - begin_ns);
    pu->due_ns = clock_now_ns() + rest + (rows ? 0 : LOOK_EVERY_S * NS_PER_S);
}

void perf_units_maintain(struct perf_units *pu, bool rows, uint64_t slice_ns) {
    perf_units_interval(pu);
    sweep(pu);
    if (!go_on(pu, clock_now_ns() + slice_ns))
        return;
    if (pu->target->n_cpu) {
        pu->rows = rows;
        look_online(pu);
        return;
    }
    maintain_threads(pu, rows);
}
