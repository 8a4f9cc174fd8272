#include "pmu/perf/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "model/eval/sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 4 /* times that the list is read again in a row */ };

/* ---- the first of all ---- */

static int list_units(struct perf_units *pu) {
    const struct target_set *ts = pu->target;
    int rc = perf_list_init(&pu->list, ts);
    if (!rc)
        rc = perf_list_read(&pu->list, false);
    return rc;
}

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
    int rc = perf_units_make_groups(pu);
    if (!rc)
        rc = perf_units_reserve(pu, (uint32_t)(n - from));
    for (size_t i = from; i < n && !rc; i++)
        perf_units_add(pu, listed(pu, i));
    return rc;
}

int perf_units_begin(struct perf_units *pu) {
    size_t at = 0;
    int rc = list_units(pu);
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

/* ---- going on ---- */

static bool out_of_fds(int rc) {
    return rc == -EMFILE || rc == -ENFILE;
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
    for (int i = 0; i < AT_ONCE && !pu->settled; i++)
        perf_units_reopen_changed(pu, REOPEN_NEW);
}

int perf_units_open(struct perf_units *pu, uint64_t until_ns) {
    int rc = open_slice(pu, until_ns);
    if (out_of_fds(rc)) {
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
    perf_units_sweep(pu);
    if (!go_on(pu, clock_now_ns() + slice_ns))
        return;
    if (pu->target->n_cpu) {
        pu->rows = rows;
        perf_units_look_online(pu);
        return;
    }
    maintain_threads(pu, rows);
}
