/*
 * Threads that are born and end, CPUs that go and come back.
 *
 * A thread that was born is counted by the counters of its creator, who is not known: any thread of
 * its process that has run since it was opened may be it. To count the thread apart
 *   1. it is opened, and each possible creator is opened a second time, without the thread; again
 *      for those who were born meanwhile;
 *   2. the creators are read for the last time, and what their second counters and those of the
 *      new thread hold by then is skipped: it has been counted twice;
 *   3. the creators' first counters are closed.
 * So everybody is counted all the time. What is lost is what happens between the reads of 2. Only a
 * pinned group cannot be there twice: it is closed and opened in 2. Threads that have not run keep
 * what they have.
 *
 * A process that was started by one of ours is treated alike; its threads' creators are those of
 * its parents, too. After that every thread there is has counters of its own, so that those of
 * threads that have ended can be closed.
 */
#include "pmu/perf_units.h"

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
    for (uint32_t u = 0; u < pu->n; u++)
        ended += !pu->unit[u].listed && pu->unit[u].state != UNIT_LATE;
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

static int *spare_of(const struct perf_units *pu, uint32_t u) {
    return pu->spare + (size_t)u * pu->shape->n_counter;
}

static bool is_over(const struct perf_unit *unit) {
    return unit->ended || unit->state == UNIT_LATE;
}

/* Is the unit to be opened anew, or closed? Reads what it has counted until now. */
static bool must_renew(struct perf_units *pu, uint32_t u, enum renew how) {
    struct perf_unit *unit = &pu->unit[u];
    bool open = unit->state == UNIT_OPEN || unit->state == UNIT_LATE;
    if (!(open || (unit->state == UNIT_AWAY && unit->lost)) || !is_dirty(pu, unit, how))
        return false;
    perf_units_carry(pu, u);
    return is_over(unit) || unit->lost || how == RENEW_ALL || perf_units_ran(pu, u);
}

/* Where the times of a unit's two sets of counters will be compared from: see switch_group. */
static void set_mark(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    uint32_t g = 0;
    while (g < pu->shape->n_group &&
           !(perf_units_has(pu, u, g) &&
             (is_over(unit) || spare_of(pu, u)[pu->shape->group[g].first] >= 0)))
        g++;
    unit->mark = g;
    unit->mark_ns = 0;
    if (g == pu->shape->n_group)
        return;
    perf_units_carry_group(pu, u, g);
    unit->mark_ns = perf_units_enabled(pu, u, g);
}

/* Where descriptors are short, or the kernel wants no second one, the first is closed before. */
static void open_spares(struct perf_units *pu, uint32_t u, bool room) {
    const struct perf_shape *sh = pu->shape;
    memset(spare_of(pu, u), 0xff, sh->n_counter * sizeof(*pu->spare)); /* -1 */
    for (uint32_t g = 0; g < sh->n_group && room && !is_over(&pu->unit[u]); g++)
        if (pu->on[g] && perf_units_has(pu, u, g) && !sh->group[g].pinned)
            perf_units_open_group(pu, u, g, spare_of(pu, u));
    set_mark(pu, u);
}

/*
 * The last read of the first counters; the second take their place, the first become the spare.
 * Returns the time that only the first have seen since both were there: that of others whom they
 * had inherited. Where there are no second ones that is not known, except for a thread that has
 * ended and sees none itself.
 */
static uint64_t switch_group(struct perf_units *pu, uint32_t u, uint32_t g, uint64_t mark_ns) {
    const struct perf_group *pg = &pu->shape->group[g];
    int *spare = spare_of(pu, u) + pg->first, *fd = perf_units_fds(pu, u) + pg->first;
    perf_units_carry_group(pu, u, g);
    uint64_t seen = perf_units_enabled(pu, u, g) - mark_ns;
    if (spare[0] < 0) {
        perf_units_close_group(pu, u, g);
        return is_over(&pu->unit[u]) ? seen : UINT64_MAX;
    }
    for (uint32_t i = 0; i < pg->n; i++) {
        int first = fd[i];
        fd[i] = spare[i];
        spare[i] = first;
    }
    perf_units_skip_group(pu, u, g);
    uint64_t own = perf_units_enabled(pu, u, g);
    return seen > own ? seen - own : 0;
}

/*
 * Returns whether threads that are running have inherited the first counters: that unit may have
 * created those that were born. Unknown is yes.
 */
static bool switch_unit(struct perf_units *pu, uint32_t u) {
    enum { NOISE_NS = 50000 };
    struct perf_unit *unit = &pu->unit[u];
    bool over = is_over(unit), creator = true;
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        if (!perf_units_has(pu, u, g))
            continue;
        uint64_t others = switch_group(pu, u, g, unit->mark_ns);
        if (g == unit->mark)
            creator = others > NOISE_NS;
    }
    unit->lost = false;
    unit->ended |= over;
    unit->state = UNIT_AWAY;
    if (!over && perf_units_complete(pu, u) != 0)
        perf_units_close_unit(pu, u); /* it has just ended: the next list knows */
    return creator;
}

static void close_spares(struct perf_units *pu, uint32_t u) {
    for (uint32_t i = pu->shape->n_counter; i-- > 0;)
        if (spare_of(pu, u)[i] >= 0)
            close(spare_of(pu, u)[i]);
}

static void drop_from(struct perf_units *pu, uint32_t n) {
    for (uint32_t u = n; u < pu->n; u++)
        perf_units_close_unit(pu, u);
    bool any = pu->n > n;
    pu->n = n;
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

/* Are there descriptors for so many more? */
static bool has_room(const struct perf_units *pu, size_t n) {
    uint64_t per_unit = 0;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        per_unit += pu->on[g] ? pu->shape->group[g].n : 0;
    return !pu->room || pu->n_fd + per_unit * n <= pu->room;
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
    uint32_t n; /* units before it have been there, the others were born */
};

/* Those that may have created the latest: a second time, those of this pass anew. */
static void open_creators(struct pass *ps) {
    struct perf_units *pu = ps->pu;
    for (uint32_t u = 0; u < ps->n; u++) {
        if (!must_renew(pu, u, ps->how))
            continue;
        if (pu->unit[u].renewing)
            close_spares(pu, u);
        pu->unit[u].renewing = true;
        open_spares(pu, u, has_room(pu, 1));
    }
    for (uint32_t u = ps->n; u < pu->n; u++)
        if (is_dirty(pu, &pu->unit[u], ps->how)) {
            perf_units_close_unit(pu, u);
            if (perf_units_complete(pu, u))
                pu->unit[u].state = UNIT_AWAY;
        }
}

static int open_all(struct pass *ps) {
    enum { LOOKS = 3 };
    struct perf_units *pu = ps->pu;
    for (int i = 0; i < LOOKS; i++) {
        mark_starting(pu);
        mark_execed(pu);
        open_creators(ps); /* soon: who is born before that is not theirs */
        int rc = has_room(pu, pu->born.n) ? open_born(pu) : -EMFILE;
        if (rc)
            return rc;
        if (!perf_list_changed(&pu->list) || perf_list_read(&pu->list, true))
            return 0;
        compare(pu);
        mark_ended(pu);
        if (!pu->born.n)
            return 0;
    }
    return 0;
}

static void skip_born(struct pass *ps) {
    struct perf_units *pu = ps->pu;
    for (uint32_t u = ps->n; u < pu->n; u++)
        for (uint32_t g = 0; g < pu->shape->n_group; g++)
            if (perf_units_has(pu, u, g))
                perf_units_skip_group(pu, u, g);
}

/* The new ones begin where their creator has been read; others have not counted them. */
static void switch_all(struct pass *ps) {
    struct perf_units *pu = ps->pu;
    bool begun = false;
    for (uint32_t u = 0; u < ps->n; u++)
        if (pu->unit[u].renewing && switch_unit(pu, u)) {
            skip_born(ps);
            begun = true;
        }
    if (!begun)
        skip_born(ps);
}

static void close_all(struct pass *ps) {
    for (uint32_t u = 0; u < ps->n; u++) {
        if (ps->pu->unit[u].renewing)
            close_spares(ps->pu, u);
        ps->pu->unit[u].renewing = false;
    }
}

static int renew(struct perf_units *pu, uint32_t ended, enum renew how) {
    struct pass ps = {.pu = pu, .how = how, .n = pu->n};
    pu->n_unlisted = 0;
    if (!pu->born.n && !ended && how != RENEW_ALL && !any_lost(pu))
        return 0;
    int rc = open_all(&ps);
    if (rc) { /* the creators go on as they are, and count them */
        log_line("perf: %zu new threads stay with their creators: %s", pu->born.n, strerror(-rc));
        pu->n_unlisted = (uint32_t)pu->born.n;
        drop_from(pu, ps.n);
    } else {
        switch_all(&ps);
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
    return rc;
}
