/*
 * Reading units, and what the counts of an interval mean for the whole target.
 *
 * Each group of each unit is scaled by itself (enabled / running), then summed. Three things may be
 * missing from the sum, and each is taken to have gone on like the rest:
 *
 *   units with a group that never ran while it was enabled  -> the units where it ran
 *   the part of the interval in which a group was not open  -> the part in which it was
 *   units that have no counters yet                         -> those that have
 *
 * The last two stretch the sum to `span_ns`, the time that the whole target was enabled: tasks are
 * enabled while they are on a CPU, CPUs always. running_ns stays what it was, so that the duty
 * tells how much was really counted. Before that the ends of the groups' intervals are made one
 * (perf_align.h). Units that will never have counters (descriptors) are left out: they may be of
 * another kind.
 */
#include "pmu/perf/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "pmu/perf/perf_align.h"
#include "pmu/perf/perf_residency.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 3 /* words in front of the counts: number, enabled, running */ };

static uint64_t *last_of(const struct perf_units *pu, uint32_t u, uint32_t g) {
    return pu->last + (size_t)u * pu->shape->n_word + pu->shape->group[g].at;
}

static uint32_t first_row_group(const struct perf_units *pu) {
    uint32_t g = 0;
    while (g < pu->shape->n_group && !(pu->on[g] && pu->row_at[g] != UINT32_MAX))
        g++;
    return g;
}

void perf_units_interval(struct perf_units *pu) {
    const struct perf_shape *sh = pu->shape;
    if (!pu->published)
        return;
    pu->row_group = first_row_group(pu);
    pu->published = false;
    pu->pin_failed = false;
    pu->busy_ns = pu->resident_ns = 0;
    memset(pu->sum, 0, (sh->n_group + 1) * sizeof(*pu->sum));
    memset(pu->value, 0, (sh->n_counter + 1) * sizeof(*pu->value));
    for (uint32_t g = 0; g < sh->n_group; g++)
        pu->changed[g] = sh->group[g].turns;
    for (uint32_t u = 0; u < pu->n; u++) {
        pu->unit[u].enabled_ns = pu->unit[u].running_ns = 0;
        pu->unit[u].partial = false;
        pu->unit[u].ran_before = pu->unit[u].ran;
        pu->unit[u].ran = UNIT_RAN_UNKNOWN;
    }
    for (size_t i = 0; i < (size_t)pu->n * pu->n_row; i++)
        pu->row[i] = NAN;
}

/* ---- one group of one unit ---- */

/* A row's count may come in several parts. */
static void add_row(struct perf_units *pu, uint32_t u, uint32_t g, const uint64_t *now,
                    const uint64_t *last, uint64_t enabled, uint64_t running) {
    const struct perf_group *pg = &pu->shape->group[g];
    if (pu->row_at[g] == UINT32_MAX)
        return;
    double *row = pu->row + (size_t)u * pu->n_row + pu->row_at[g];
    double scale = running == enabled ? 1.0 : (double)enabled / (double)running;
    for (uint32_t i = 0; i < pg->n; i++)
        row[i] =
            (isnan(row[i]) ? 0.0 : row[i]) + (double)(int64_t)(now[2 + i] - last[2 + i]) * scale;
    if (g == pu->row_group) {
        pu->unit[u].enabled_ns += enabled;
        pu->unit[u].running_ns += running;
    }
}

static void note_time(struct perf_unit *unit, uint64_t enabled_ns) {
    if (enabled_ns > 0)
        unit->ran = UNIT_RAN;
    else if (unit->ran == UNIT_RAN_UNKNOWN)
        unit->ran = UNIT_SLEPT;
}

/* Adds what one unit's group counted since it was read last. */
static void add_group(struct perf_units *pu, uint32_t u, uint32_t g, const uint64_t *now) {
    const struct perf_group *pg = &pu->shape->group[g];
    struct perf_sum *sum = &pu->sum[g];
    uint64_t *last = last_of(pu, u, g);
    uint64_t enabled = now[0] - last[0], running = now[1] - last[1];
    running =
        running > enabled ? enabled : running; /* inherited times are read one after the other */
    if (!pg->turns)                            /* else it may have run while this was off */
        note_time(&pu->unit[u], enabled);
    perf_residency_cut(pu, u, g, &enabled, &running);
    sum->reads++;
    sum->enabled_ns += enabled;
    sum->running_ns += running;
    if (running > 0) {
        double scale = running == enabled ? 1.0 : (double)enabled / (double)running;
        sum->counted_ns += enabled;
        for (uint32_t i = 0; i < pg->n; i++)
            pu->value[pg->first + i] += (double)(int64_t)(now[2 + i] - last[2 + i]) * scale *
                                        perf_residency_weight(pu, u, g, pg->first + i);
        add_row(pu, u, g, now, last, enabled, running);
    } else if (enabled == 0) {
        add_row(pu, u, g, now, last, 0, 0); /* nothing, because it did nothing */
    } else if (pg->pinned && !pu->mode.no_pin && !pu->mode.hybrid) {
        pu->pin_failed = true;
    }
    if (running > 0 || enabled == 0)
        memcpy(last, now, (2 + pg->n) * sizeof(*last));
    else
        memcpy(last, now, 2 * sizeof(*last));
}

int perf_units_read_group(int leader, uint64_t *buf, size_t size) {
    enum { AT_ONCE = 3, TRIES = 8, PAUSE_US = 200 };
    for (int i = 0;; i++) {
        ssize_t got = read(leader, buf, size);
        if (got == (ssize_t)size)
            return 0;
        int rc = got < 0 ? -errno : got == 0 ? -ENODATA : -EIO;
        if ((rc != -EINTR && rc != -ECHILD) || i == TRIES)
            return rc;
        if (rc == -ECHILD && i < AT_ONCE)
            sched_yield();
        else if (rc == -ECHILD)
            usleep(PAUSE_US);
    }
}

/*
 * The kernel takes the groups of a CPU that goes apart (__perf_event_exit_context): each counter is
 * a group of its own then and keeps what it had, all up to the same moment.
 */
static int read_apart(const int *fd, uint32_t n, uint64_t *buf) {
    enum { TIMES = 3, ALONE = TIMES + 1 };
    uint64_t one[ALONE];
    for (uint32_t i = 0; i < n; i++) {
        if (read(fd[i], one, sizeof(one)) != (ssize_t)sizeof(one))
            return -EIO;
        if (i == 0) {
            buf[1] = one[1];
            buf[2] = one[2];
        }
        buf[TIMES + i] = one[TIMES];
    }
    buf[0] = n;
    return 0;
}

static int read_group(struct perf_units *pu, uint32_t u, uint32_t g,
                      uint64_t buf[HEADER + PLAN_GROUP_MAX]) {
    const struct perf_group *pg = &pu->shape->group[g];
    const int *fd = perf_units_fds(pu, u) + pg->first;
    int rc = perf_units_read_group(fd[0], buf, (HEADER + pg->n) * sizeof(*buf));
    if (rc != -EIO || pu->unit[u].cpu < 0)
        return rc;
    pu->cpus_due_ns = 0;
    return read_apart(fd, pg->n, buf);
}

/*
 * ENODATA: a pinned group could not be put onto the CPU (perf_event_open(2)). ECHILD again and
 * again: a thread has inherited but a part of the group; what it has counted is there when it can
 * be read again, but it is better reopened.
 */
static void note_failure(struct perf_units *pu, uint32_t u, int rc) {
    enum { ENOUGH = 3 };
    struct perf_unit *unit = &pu->unit[u];
    unit->ran = UNIT_RAN; /* for all that we know */
    pu->pin_failed = pu->pin_failed || (rc == -ENODATA && !pu->mode.no_pin);
    if (rc == -ECHILD && ++unit->failures >= ENOUGH) {
        unit->lost = true;
        pu->settled = false;
    }
    if (unit->cpu >= 0 && rc != -ENODATA)
        pu->cpus_due_ns = 0;
}

static void take_group(struct perf_units *pu, uint32_t u, uint32_t g, int rc, const uint64_t *buf) {
    if (rc == -ENODATA && pu->shape->group[g].turns) /* its next turn begins at 0 */
        return;
    if (rc) {
        note_failure(pu, u, rc);
        return;
    }
    pu->unit[u].failures = 0;
    add_group(pu, u, g, buf + 1);
}

static void carry_group(struct perf_units *pu, uint32_t u, uint32_t g) {
    uint64_t buf[HEADER + PLAN_GROUP_MAX];
    int rc = read_group(pu, u, g, buf);
    take_group(pu, u, g, rc, buf);
}

void perf_units_carry_group(struct perf_units *pu, uint32_t u, uint32_t g) {
    perf_residency_look(pu, u);
    carry_group(pu, u, g);
}

uint64_t perf_units_take_last(struct perf_units *pu, uint32_t u, uint32_t g) {
    enum { TRIES = 1000, PAUSE_US = 1000 };
    uint64_t buf[HEADER + PLAN_GROUP_MAX], before_ns = clock_now_ns();
    int rc = read_group(pu, u, g, buf);
    for (int i = 0; i < TRIES && rc == -ECHILD; i++) {
        usleep(PAUSE_US);
        before_ns = clock_now_ns();
        rc = read_group(pu, u, g, buf);
    }
    uint64_t at_ns = before_ns + (clock_now_ns() - before_ns) / 2;
    if (rc == -ECHILD)
        log_line("perf: what thread %d counted last is lost: a thread does not come to its end",
                 (int)pu->unit[u].tid);
    perf_residency_look(pu, u);
    take_group(pu, u, g, rc, buf);
    return at_ns;
}

void perf_units_carry(struct perf_units *pu, uint32_t u) {
    perf_residency_look(pu, u);
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (perf_units_has(pu, u, g))
            carry_group(pu, u, g);
}

void perf_units_begin_group(struct perf_units *pu, uint32_t u, uint32_t g, const uint64_t *words) {
    memcpy(last_of(pu, u, g), words, (2 + pu->shape->group[g].n) * sizeof(*words));
}

void perf_units_begun(const struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *words) {
    memcpy(words, last_of(pu, u, g), (2 + pu->shape->group[g].n) * sizeof(*words));
}

void perf_units_forget_group(struct perf_units *pu, uint32_t u, uint32_t g) {
    memset(last_of(pu, u, g), 0, (2 + pu->shape->group[g].n) * sizeof(*pu->last));
}

uint64_t perf_units_enabled(const struct perf_units *pu, uint32_t u, uint32_t g) {
    return last_of(pu, u, g)[0];
}

bool perf_units_slept(const struct perf_units *pu, pid_t tid) {
    int64_t u = pu->n ? perf_units_find(pu, tid) : -1;
    return u >= 0 && pu->unit[u].state == UNIT_OPEN && !pu->unit[u].partial &&
           pu->unit[u].ran == UNIT_SLEPT;
}

bool perf_units_ran(const struct perf_units *pu, uint32_t u) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (perf_units_has(pu, u, g) && perf_units_enabled(pu, u, g) > 0)
            return true;
    return false;
}

/* ---- threads that sleep ---- */

/*
 * Most threads of a large program sleep. Then one member of one group, read alone, tells as much as
 * all groups and costs less: the kernel need not fetch all counters of the thread. Its enabled time
 * is compared with itself, as that of the leader may differ, and only if nothing else has happened
 * to the unit since it was read.
 */
static bool sleeps_on(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    const uint64_t before_ns = unit->member_ns;
    uint64_t one[HEADER]; /* count, enabled, running */
    unit->member_ns = UINT64_MAX;
    if (unit->tid < 0 || pu->mode.hybrid || unit->ran_before != UNIT_SLEPT ||
        unit->ran != UNIT_RAN_UNKNOWN)
        return false;
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        const struct perf_group *pg = &pu->shape->group[g];
        if (pg->n < 2 || pg->turns || !perf_units_has(pu, u, g))
            continue;
        if (read(perf_units_fds(pu, u)[pg->first + 1], one, sizeof(one)) == (ssize_t)sizeof(one))
            unit->member_ns = one[1];
        break;
    }
    return unit->member_ns == before_ns && before_ns != UINT64_MAX;
}

/* What reading its groups would have said. */
static void carry_nothing(struct perf_units *pu, uint32_t u) {
    uint64_t same[2 + PLAN_GROUP_MAX];
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (perf_units_has(pu, u, g)) {
            perf_units_begun(pu, u, g, same);
            add_group(pu, u, g, same);
        }
}

/* ---- the whole target ---- */

static void scale_group(struct perf_units *pu, uint32_t g, double scale) {
    for (uint32_t i = 0; i < pu->shape->group[g].n; i++)
        pu->value[pu->shape->group[g].first + i] *= scale;
}

/* A unit where the group never ran is taken to have done as the others did meanwhile. */
static void fill_gaps(struct perf_units *pu) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        const struct perf_sum *sum = &pu->sum[g];
        if (sum->counted_ns > 0 && sum->counted_ns != sum->enabled_ns)
            scale_group(pu, g, (double)sum->enabled_ns / (double)sum->counted_ns);
    }
}

/* CPU time of the target's processes since the last call; 0 if it is not known. */
static uint64_t clock_since(struct perf_units *pu) {
    uint64_t now = 0, last = pu->clock_ns;
    bool whole = pu->target->kind != TARGET_TIDS; /* and not a few of its threads */
    for (int i = 0; i < pu->target->n_process && whole; i++)
        now += clock_process_ns(pu->target->process[i].pid);
    pu->clock_ns = now;
    return last && now > last ? now - last : 0;
}

/* Units that have, or will have, counters; and those that have none yet. */
static uint32_t count_units(struct perf_units *pu, uint32_t *bare) {
    uint32_t n = 0, hidden = 0;
    *bare = 0;
    for (uint32_t u = 0; u < pu->n; u++) {
        hidden += pu->unit[u].state == UNIT_HIDDEN;
        n += pu->unit[u].state < UNIT_HIDDEN || pu->unit[u].state == UNIT_LATE;
        *bare += pu->unit[u].state == UNIT_PENDING;
    }
    uint32_t percent = n + hidden ? 100 * n / (n + hidden) : 0;
    pu->part = (uint8_t)(!hidden ? 0 : percent ? percent : 1);
    return n;
}

static void find_span(struct perf_units *pu, uint32_t n, uint32_t bare) {
    uint64_t most = 0;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        most = pu->sum[g].enabled_ns > most ? pu->sum[g].enabled_ns : most;
    pu->span_ns = most;
    if (!bare) {
        pu->clock_ns = 0;
        return;
    }
    uint64_t clock = pu->part ? 0 : perf_residency_part(pu, clock_since(pu));
    if (clock == 0 && n > bare)
        clock = (uint64_t)((double)most * n / (n - bare));
    pu->span_ns = clock > most ? clock : most;
}

static void stretch(struct perf_units *pu, uint32_t n, uint32_t bare) {
    find_span(pu, n, bare);
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        struct perf_sum *sum = &pu->sum[g];
        bool whole = pu->have[g] == n && !pu->changed[g];
        if (whole || sum->enabled_ns >= pu->span_ns)
            continue;
        if (sum->counted_ns > 0)
            scale_group(pu, g, (double)pu->span_ns / (double)sum->enabled_ns);
        sum->enabled_ns = pu->span_ns;
    }
}

void perf_units_read(struct perf_units *pu) {
    perf_units_interval(pu);
    for (uint32_t u = 0; u < pu->n; u++)
        if (sleeps_on(pu, u))
            carry_nothing(pu, u);
        else
            perf_units_carry(pu, u);
    uint32_t bare, n = count_units(pu, &bare);
    fill_gaps(pu);
    perf_align(pu, n);
    stretch(pu, n, bare);
    pu->published = true;
}
