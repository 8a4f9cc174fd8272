/*
 * New threads, threads that end, CPUs that go offline and come back.
 *
 * A new thread is counted by the counters of its creator, which is not known: any thread of
 * its process that has run since it was opened may be it. To count the thread apart
 *   1. it is opened, and each possible creator is opened a second time, without the thread; again
 *      for those created meanwhile;
 *   2. all of them go over from the first to the second (perf_handover.c);
 *   3. the creators' first counters are closed.
 *
 * What must hold: each task that runs is counted in exactly one descriptor per group, its own or
 * one that it has inherited. At 2 that means: in one of the first, and in one of the second. Who
 * was created before 1 was done and is not in the list may be in none of the second; so if there is
 * one, there is no 2, the second are closed, and the first go on. A sum can wait for its rows.
 * Threads that have not run keep what they have.
 *
 * A process that was started by one of ours is treated alike; its threads' creators are those of
 * its parents, too. After that every thread there is has counters of its own, so that those of
 * threads that have ended can be closed. Until then they are read on.
 */
#include "pmu/perf/perf_handover.h"

#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- who has come, who has gone ---- */

/* Fills pu->new_thread, marks units that have ended. Returns how many did. */
static uint32_t compare(struct perf_units *pu) {
    uint32_t ended = 0;
    pu->new_thread.n = 0;
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].listed = false;
    for (size_t i = 0; i < pu->list.thread.n; i++) {
        int64_t u = perf_units_find(pu, pu->list.thread.at[i].tid);
        if (u >= 0)
            pu->unit[u].listed = true;
        else if (array_push(&pu->new_thread, pu->list.thread.at[i]))
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
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        unit->ended = !unit->listed && unit->state != UNIT_LATE;
        int64_t first = unit->ended && unit->pid != unit->tid ? perf_units_find(pu, unit->pid) : -1;
        if (first >= 0)
            pu->unit[first].threads_ended = true;
    }
}

/* Processes that have new threads, and all above them. */
static void mark_starting(struct perf_units *pu) {
    for (size_t i = 0; i < pu->list.process.n; i++)
        pu->list.process.at[i].starting = false;
    for (size_t i = 0; i < pu->new_thread.n; i++) {
        struct perf_process *p = perf_list_process(&pu->list, pu->new_thread.at[i].pid);
        for (; p && !p->starting; p = perf_list_process(&pu->list, p->parent))
            p->starting = true;
    }
}

/* The kernel says so of counters whose thread has ended. */
static bool counts_the_dead(const struct perf_units *pu, uint32_t u) {
    struct pollfd first = {.fd = -1, .events = 0};
    for (uint32_t i = 0; i < pu->shape->n_counter && first.fd < 0; i++)
        first.fd = perf_units_fds(pu, u)[i];
    return first.fd >= 0 && poll(&first, 1, 0) == 1 && (first.revents & POLLHUP);
}

/*
 * A thread that calls exec takes the number of its process, and all others end: what carries that
 * number then is not the thread that was opened. So the last one of a process that has lost others
 * is reopened. The number may be passed on later than the list was read; then the counters of
 * the first thread say that theirs has ended, though the number lives (mark_passed_on).
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

static void mark_passed_on(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        unit->lost |= unit->threads_ended && unit->listed && counts_the_dead(pu, u);
    }
}

/* ---- reopening ---- */

static bool is_dirty(const struct perf_units *pu, const struct perf_unit *unit, enum reopen how) {
    const struct perf_process *p;
    return how == REOPEN_ALL || unit->lost || unit->ended || unit->state == UNIT_LATE ||
           ((p = perf_list_process(&pu->list, unit->pid)) != NULL && p->starting);
}

/* Is the unit to be reopened, or closed? Reads what it has counted until now. */
static bool must_reopen(struct perf_units *pu, uint32_t u, enum reopen how) {
    struct perf_unit *unit = &pu->unit[u];
    bool open = unit->state == UNIT_OPEN || unit->state == UNIT_LATE;
    if (!(open || (unit->state == UNIT_AWAY && unit->lost)) || !is_dirty(pu, unit, how))
        return false;
    perf_units_carry(pu, u);
    return perf_handover_has_ended(unit) || unit->lost || how == REOPEN_ALL ||
           perf_units_ran(pu, u);
}

static void no_pending(struct perf_units *pu, uint32_t u) {
    memset(perf_handover_pending(pu, u), 0xff,
           pu->shape->n_counter * sizeof(*pu->pending)); /* -1 */
}

static int open_pending(struct perf_units *pu, uint32_t u) {
    const struct perf_shape *sh = pu->shape;
    int rc = 0;
    for (uint32_t g = 0; g < sh->n_group && !rc; g++)
        if (pu->on[g] && perf_units_has(pu, u, g))
            rc = perf_units_open_group(pu, u, g, perf_handover_pending(pu, u));
    return rc == -ESRCH ? 0 : rc; /* it has just ended: the next list knows */
}

static uint32_t close_pending(struct perf_units *pu, uint32_t u) {
    uint32_t n = 0;
    for (uint32_t i = pu->shape->n_counter; i-- > 0;)
        if (perf_handover_pending(pu, u)[i] >= 0) {
            close(perf_handover_pending(pu, u)[i]);
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

/* Opens new threads. On failure none of them is open, or counted twice. */
static int open_new_threads(struct perf_units *pu) {
    uint32_t n = pu->n;
    int rc = perf_units_reserve(pu, n + (uint32_t)pu->new_thread.n);
    for (size_t i = 0; i < pu->new_thread.n && !rc; i++) {
        perf_units_add(pu, (struct perf_unit){.pid = pu->new_thread.at[i].pid,
                                              .tid = pu->new_thread.at[i].tid,
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
    enum reopen how;
    uint32_t n;         /* units before it have been there, the others are new */
    bool whole;         /* rather not at all than with the loss of a thread */
    bool gaps;          /* without room for second counters the first may be closed before */
    uint32_t n_pending; /* descriptors, beside pu->n_fd */
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
    uint64_t want = pu->n_fd + ps->n_pending + (uint64_t)per_unit(pu) * n;
    return !pu->room || want <= pu->room;
}

static int open_creator(struct pass *ps, uint32_t u) {
    struct perf_units *pu = ps->pu;
    struct perf_unit *unit = &pu->unit[u];
    if (unit->reopening)
        ps->n_pending -= close_pending(pu, u);
    unit->reopening = true;
    no_pending(pu, u);
    int rc = 0;
    if (!perf_handover_has_ended(unit)) {
        rc = has_room(ps, 1) ? open_pending(pu, u) : ps->gaps ? 0 : -EMFILE;
        for (uint32_t i = 0; i < pu->shape->n_counter; i++)
            ps->n_pending += perf_handover_pending(pu, u)[i] >= 0;
    }
    perf_handover_mark(pu, u);
    return rc;
}

/* Possible creators of the newest threads are opened a second time; those of this pass again. */
static int open_creators(struct pass *ps) {
    struct perf_units *pu = ps->pu;
    for (uint32_t u = 0; u < ps->n; u++) {
        if (!must_reopen(pu, u, ps->how))
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

/* Those that are running may have to wait for a CPU. */
static bool wait_for_clones(const struct pass *ps) {
    enum { TRIES = 40, PAUSE_US = 1000 };
    bool none = false;
    for (int i = 0; i < TRIES && !none; i++) {
        usleep(PAUSE_US);
        none = perf_handover_no_clone(ps->pu, ps->n);
    }
    return none;
}

/*
 * A thread found by the last look may have been created before its creator had the counters that
 * will remain. Where threads come faster than counters can be opened, all stay with their creators.
 * The kernel lets a thread inherit before it gives it a number: the look waits for clones that have
 * begun (perf_handover_no_clone).
 */
static int open_until_none(struct pass *ps) {
    enum { LOOKS = 3 };
    struct perf_units *pu = ps->pu;
    for (int i = 0; i < LOOKS; i++) {
        mark_starting(pu);
        mark_execed(pu);
        int rc = open_creators(ps); /* soon: threads created before that are not theirs */
        if (rc)
            return rc;
        rc = has_room(ps, pu->new_thread.n) ? open_new_threads(pu) : -EMFILE;
        if (rc)
            return rc;
        perf_handover_open_clocks(pu, ps->n);
        if (!wait_for_clones(ps) && ps->whole)
            return -EINPROGRESS;
        if (!pu->list.lacks && !perf_list_changed(&pu->list))
            return 0;
        rc = perf_list_read(&pu->list, true);
        if (rc)
            return ps->whole ? rc : 0;
        compare(pu);
        mark_ended(pu);
        if (!pu->list.lacks && !pu->new_thread.n)
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
    perf_handover_close_clocks(ps->pu);
    for (uint32_t u = 0; u < ps->n; u++) {
        if (ps->pu->unit[u].reopening)
            close_pending(ps->pu, u);
        ps->pu->unit[u].reopening = false;
    }
}

static int reopen(struct perf_units *pu, uint32_t ended, enum reopen how) {
    struct pass ps = {.pu = pu, .how = how, .n = pu->n};
    ps.whole = !pu->opening && how != REOPEN_ALL;
    ps.gaps = !ps.whole || ended > pu->n / 2; /* most of them are in the way of the living */
    pu->n_unlisted = 0;
    mark_passed_on(pu);
    if (!pu->new_thread.n && !ended && how != REOPEN_ALL && !any_lost(pu))
        return 0;
    int rc = open_all(&ps);
    if (!rc)
        rc = perf_handover(pu, ps.n, ps.whole);
    if (rc) { /* the creators go on as they are, and count them */
        log_line("perf: %zu new threads stay with their creators: %s", pu->new_thread.n,
                 strerror(-rc));
        pu->n_unlisted = pu->n - ps.n + (uint32_t)pu->new_thread.n;
        perf_handover_close_clocks(pu);
        drop_from(pu, ps.n);
    }
    close_all(&ps);
    return rc;
}

int perf_units_reopen_changed(struct perf_units *pu, enum reopen how) {
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
    if (how == REOPEN_MANY_ENDED && was_settled && (ended < MANY || ended < pu->n / 2))
        return 0;
    mark_ended(pu);
    rc = reopen(pu, ended, how);
    /* Threads created too late for this list are in the next: with rows that is read anyway,
     * without it is read at once. But a storm has no end. */
    pu->tries = was_settled ? 0 : pu->tries + 1;
    pu->settled = pu->rows || rc != 0 || pu->new_thread.n == 0 || pu->tries >= TRIES;
    pu->opening = pu->opening && !pu->settled;
    return rc;
}
