/*
 * Threads that are born and end, CPUs that go and come back.
 *
 * A thread that was born is counted by the counters of its creator, who is not known: any thread of
 * its process that has run since it was opened may be it. To count the thread apart
 *   1. it is opened, and each possible creator is opened a second time, without the thread; again
 *      for those who were born meanwhile;
 *   2. all of them go over from the first to the second (perf_switch.c);
 *   3. the creators' first counters are closed.
 *
 * What must hold: each task that runs is counted in exactly one descriptor per group, its own or
 * one that it has inherited. At 2 that means: in one of the first, and in one of the second. Who
 * was born before 1 was done and is not in the list may be in none of the second; so if anybody was
 * born, there is no 2, the second are closed, and the first go on. A sum can wait for its rows.
 * Threads that have not run keep what they have.
 *
 * A process that was started by one of ours is treated alike; its threads' creators are those of
 * its parents, too. After that every thread there is has counters of its own, so that those of
 * threads that have ended can be closed. Until then they are read on.
 */
#include "pmu/perf_switch.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- who has come, who has gone ---- */

/* Fills pu->born, marks units that have ended. Returns how many did. */
static uint32_t compare(struct perf_units *pu) {
    uint32_t ended = 0;
    pu->born.n = 0;
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].listed = false;
    for (size_t i = 0; i < pu->list.thread.n; i++) {
        int64_t u = perf_units_find(pu, pu->list.thread.at[i].tid);
        if (u >= 0)
            pu->unit[u].listed = true;
        else if (array_push(&pu->born, pu->list.thread.at[i]))
            break; /* without memory it stays with its creator */
    }
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        if (!unit->listed && !unit->ended && unit->state != UNIT_LATE)
            unit->listed = perf_list_lives(&(struct perf_thread){unit->pid, unit->tid});
        ended += !unit->listed && unit->state != UNIT_LATE;
    }
    return ended;
}

static void mark_ended(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].ended = !pu->unit[u].listed && pu->unit[u].state != UNIT_LATE;
}

/* Processes that have new threads, and all above them. */
static void mark_starting(struct perf_units *pu) {
    for (size_t i = 0; i < pu->list.process.n; i++)
        pu->list.process.at[i].starting = false;
    for (size_t i = 0; i < pu->born.n; i++) {
        struct perf_process *p = perf_list_process(&pu->list, pu->born.at[i].pid);
        for (; p && !p->starting; p = perf_list_process(&pu->list, p->parent))
            p->starting = true;
    }
}

/*
 * A thread that calls exec takes the number of its process, and all others end: what carries that
 * number then is not the thread that was opened. So the last one of a process that has lost others
 * is opened anew.
 */
static void mark_execed(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++) {
        const struct perf_unit *unit = &pu->unit[u];
        if (!unit->ended || unit->pid == unit->tid)
            continue;
        int64_t first = perf_units_find(pu, unit->pid);
        const struct perf_process *p = first < 0 ? NULL : perf_list_process(&pu->list, unit->pid);
        if (p && p->n_thread == 1 && pu->unit[first].listed)
            pu->unit[first].lost = true;
    }
}

/* ---- opening anew ---- */

static bool is_dirty(const struct perf_units *pu, const struct perf_unit *unit, enum renew how) {
    const struct perf_process *p;
    return how == RENEW_ALL || unit->lost || unit->ended || unit->state == UNIT_LATE ||
           ((p = perf_list_process(&pu->list, unit->pid)) != NULL && p->starting);
}

/* Is the unit to be opened anew, or closed? Reads what it has counted until now. */
static bool must_renew(struct perf_units *pu, uint32_t u, enum renew how) {
    struct perf_unit *unit = &pu->unit[u];
    bool open = unit->state == UNIT_OPEN || unit->state == UNIT_LATE;
    if (!(open || (unit->state == UNIT_AWAY && unit->lost)) || !is_dirty(pu, unit, how))
        return false;
    perf_units_carry(pu, u);
    return perf_switch_is_over(unit) || unit->lost || how == RENEW_ALL || perf_units_ran(pu, u);
}

static void no_spares(struct perf_units *pu, uint32_t u) {
    memset(perf_switch_spare(pu, u), 0xff, pu->shape->n_counter * sizeof(*pu->spare)); /* -1 */
}

static int open_spares(struct perf_units *pu, uint32_t u) {
    const struct perf_shape *sh = pu->shape;
    int rc = 0;
    for (uint32_t g = 0; g < sh->n_group && !rc; g++)
        if (pu->on[g] && perf_units_has(pu, u, g))
            rc = perf_units_open_group(pu, u, g, perf_switch_spare(pu, u));
    return rc == -ESRCH ? 0 : rc; /* it has just ended: the next list knows */
}

static uint32_t close_spares(struct perf_units *pu, uint32_t u) {
    uint32_t n = 0;
    for (uint32_t i = pu->shape->n_counter; i-- > 0;)
        if (perf_switch_spare(pu, u)[i] >= 0) {
            close(perf_switch_spare(pu, u)[i]);
            n++;
        }
    return n;
}

static void drop_from(struct perf_units *pu, uint32_t n) {
    for (uint32_t u = n; u < pu->n; u++)
        perf_units_close_unit(pu, u);
    bool any = pu->n > n;
    pu->n = n;
    pu->next = pu->next > n ? n : pu->next;
    if (any)
        perf_units_index(pu);
}

/* Opens those that were born. On failure none of them is open, or counted twice. */
static int open_born(struct perf_units *pu) {
    uint32_t n = pu->n;
    int rc = perf_units_reserve(pu, n + (uint32_t)pu->born.n);
    for (size_t i = 0; i < pu->born.n && !rc; i++) {
        perf_units_add(pu, (struct perf_unit){.pid = pu->born.at[i].pid,
                                              .tid = pu->born.at[i].tid,
                                              .cpu = -1,
                                              .partial = true,
                                              .listed = true,
                                              .proc.cpu = -1});
        rc = perf_units_complete(pu, pu->n - 1);
        if (rc == -ESRCH) { /* it has ended meanwhile */
            drop_from(pu, pu->n - 1);
            rc = 0;
        }
    }
    if (rc)
        drop_from(pu, n);
    pu->next = pu->n;
    return rc;
}

static bool any_lost(const struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++)
        if (pu->unit[u].lost || pu->unit[u].state == UNIT_LATE)
            return true;
    return false;
}

/* ---- the three steps ---- */

struct pass {
    struct perf_units *pu;
    enum renew how;
    uint32_t n;       /* units before it have been there, the others were born */
    bool whole;       /* rather not at all than with the loss of a thread */
    bool gaps;        /* without room for second counters the first may be closed before */
    uint32_t n_spare; /* descriptors, beside pu->n_fd */
};

static uint32_t per_unit(const struct perf_units *pu) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        n += pu->on[g] ? pu->shape->group[g].n : 0;
    return n;
}

/* Are there descriptors for so many more? */
static bool has_room(const struct pass *ps, size_t n) {
    const struct perf_units *pu = ps->pu;
    uint64_t want = pu->n_fd + ps->n_spare + (uint64_t)per_unit(pu) * n;
    return !pu->room || want <= pu->room;
}

static int open_creator(struct pass *ps, uint32_t u) {
    struct perf_units *pu = ps->pu;
    struct perf_unit *unit = &pu->unit[u];
    if (unit->renewing)
        ps->n_spare -= close_spares(pu, u);
    unit->renewing = true;
    no_spares(pu, u);
    int rc = 0;
    if (!perf_switch_is_over(unit)) {
        rc = has_room(ps, 1) ? open_spares(pu, u) : ps->gaps ? 0 : -EMFILE;
        for (uint32_t i = 0; i < pu->shape->n_counter; i++)
            ps->n_spare += perf_switch_spare(pu, u)[i] >= 0;
    }
    perf_switch_mark(pu, u);
    return rc;
}

/* Those that may have created the latest: a second time, those of this pass anew. */
static int open_creators(struct pass *ps) {
    struct perf_units *pu = ps->pu;
    for (uint32_t u = 0; u < ps->n; u++) {
        if (!must_renew(pu, u, ps->how))
            continue;
        int rc = open_creator(ps, u);
        if (rc && ps->whole)
            return rc;
    }
    for (uint32_t u = ps->n; u < pu->n; u++)
        if (is_dirty(pu, &pu->unit[u], ps->how)) {
            perf_units_close_unit(pu, u);
            if (perf_units_complete(pu, u))
                pu->unit[u].state = UNIT_AWAY;
        }
    return 0;
}

/*
 * Who is found by the last look may have been born before its creator had the counters that will
 * remain. Where threads come faster than counters can be opened, all stay with their creators.
 * The kernel lets a thread inherit before it gives it a number, so that the look waits a moment.
 */
static int open_until_none(struct pass *ps) {
    enum { LOOKS = 3, BIRTH_US = 1000 };
    struct perf_units *pu = ps->pu;
    for (int i = 0; i < LOOKS; i++) {
        mark_starting(pu);
        mark_execed(pu);
        int rc = open_creators(ps); /* soon: who is born before that is not theirs */
        if (rc)
            return rc;
        rc = has_room(ps, pu->born.n) ? open_born(pu) : -EMFILE;
        if (rc)
            return rc;
        perf_switch_open_clocks(pu, ps->n);
        usleep(BIRTH_US);
        if (!perf_list_changed(&pu->list))
            return 0;
        rc = perf_list_read(&pu->list, true);
        if (rc)
            return ps->whole ? rc : 0;
        compare(pu);
        mark_ended(pu);
        if (!pu->born.n)
            return 0;
    }
    return ps->whole ? -EAGAIN : 0;
}

static int open_all(struct pass *ps) {
    ps->pu->mode.idle = true;
    int rc = open_until_none(ps);
    ps->pu->mode.idle = false;
    return rc;
}

static void close_all(struct pass *ps) {
    perf_switch_close_clocks(ps->pu);
    for (uint32_t u = 0; u < ps->n; u++) {
        if (ps->pu->unit[u].renewing)
            close_spares(ps->pu, u);
        ps->pu->unit[u].renewing = false;
    }
}

static int renew(struct perf_units *pu, uint32_t ended, enum renew how) {
    struct pass ps = {.pu = pu, .how = how, .n = pu->n};
    ps.whole = !pu->opening && how != RENEW_ALL;
    ps.gaps = !ps.whole || ended > pu->n / 2; /* most of them are in the way of the living */
    pu->n_unlisted = 0;
    if (!pu->born.n && !ended && how != RENEW_ALL && !any_lost(pu))
        return 0;
    int rc = open_all(&ps);
    if (rc) { /* the creators go on as they are, and count them */
        log_line("perf: %zu new threads stay with their creators: %s", pu->born.n, strerror(-rc));
        pu->n_unlisted = pu->n - ps.n + (uint32_t)pu->born.n;
        perf_switch_close_clocks(pu);
        drop_from(pu, ps.n);
    } else {
        perf_switch(pu, ps.n);
    }
    close_all(&ps);
    return rc;
}

int perf_units_renew(struct perf_units *pu, enum renew how) {
    enum { TRIES = 8, MANY = 256 };
    perf_units_interval(pu);
    if (pu->next < pu->n)
        return -EAGAIN; /* first those that are known */
    bool was_settled = pu->settled;
    int rc = perf_list_read(&pu->list, true);
    if (rc) {
        log_line("perf: the list of threads: %s", strerror(-rc));
        pu->settled = true;
        return rc;
    }
    uint32_t ended = compare(pu);
    if (how == RENEW_MANY_ENDED && was_settled && (ended < MANY || ended < pu->n / 2))
        return 0;
    mark_ended(pu);
    rc = renew(pu, ended, how);
    /* Who was born too late for this list is in the next: with rows that is read anyway, without it
     * is read at once. But a storm has no end. */
    pu->tries = was_settled ? 0 : pu->tries + 1;
    pu->settled = pu->rows || rc != 0 || pu->born.n == 0 || pu->tries >= TRIES;
    pu->opening = pu->opening && !pu->settled;
    return rc;
}
