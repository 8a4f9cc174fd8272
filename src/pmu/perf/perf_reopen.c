/*
 * New threads, threads that end, CPUs that go offline and come back.
 *
 * A new thread is counted by the counters of its creator, which is not known: any thread of
 * its process that has run since it was opened may be it. To count the thread apart
 *   1. it is opened, and each possible creator is opened a second time, without the thread; again
 *      for those created meanwhile;
 *   2. all of them go over from the first to the second (hand_over);
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
#include "pmu/perf/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "pmu/host/perf_open.h"
#include "pmu/perf/perf_residency.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- from first to second counters ---- */

/*
 * From first to second counters without a loss.
 *
 * The kernel has no call that ends one counter and begins another, so the two are read one after
 * the other, and what a busy thread does meanwhile would be lost or counted twice. So
 *
 * - A multiplexed group counts in both sets for a while. Its second is read before and after
 *   the last read of the first, and what it held at that very moment lies between the two as that
 *   moment does.
 * - A pinned group would be given up by the kernel for good if there were two of it: the second
 *   waits until the first has been stopped. The time between is known from clocks that run on: by
 *   how much they are ahead of the group changes by just that. It is added to the time that the
 *   group was enabled, so that the interval's count is scaled by it, and the duty tells.
 *
 * Which thread's first counters a new thread has inherited is not known. Its own begin where those
 * counters were read that have counted other threads than their own; if several have, at the mean.
 */

enum { HEADER = 3 /* words in front of the counts: number, enabled, running */ };

/* A unit's second counters [n_counter], -1 where there is none. */
static int *pending_of(const struct perf_units *pu, uint32_t u) {
    return pu->pending + (size_t)u * pu->shape->n_counter;
}

/* Has its thread ended, so that it needs no second counters? */
static bool has_ended(const struct perf_unit *unit) {
    return unit->ended || unit->state == UNIT_LATE;
}

static bool is_pinned(const struct perf_units *pu, uint32_t g) {
    return pu->shape->group[g].pinned && !pu->mode.no_pin;
}

/* Where the times of a unit's two sets of counters will be compared from: once they are open. */
static void set_mark(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    const bool over = has_ended(unit);
    const int *pending = pending_of(pu, u);
    uint32_t g = 0;
    while (g < pu->shape->n_group &&
           !(perf_units_has(pu, u, g) &&
             (over || (!is_pinned(pu, g) && pending[pu->shape->group[g].first] >= 0))))
        g++;
    unit->mark = g;
    unit->mark_ns = 0;
    if (g == pu->shape->n_group)
        return;
    perf_units_carry_group(pu, u, g);
    unit->mark_ns = perf_units_enabled(pu, u, g);
}

/* ---- pinned groups ---- */

/* The sum of the moments of some calls, for their mean. */
struct moments {
    double sum;
    uint32_t n;
};

static double mean(const struct moments *m) {
    return m->n ? m->sum / m->n : 0;
}

static uint64_t middle(uint64_t a_ns, uint64_t b_ns) {
    return a_ns + (b_ns - a_ns) / 2;
}

struct reading {
    uint64_t at_ns;
    uint64_t word[HEADER + PLAN_GROUP_MAX];
    bool ok;
};

/* What cannot be read now would be counted twice, so that it waits for threads that are ending. */
static void look(const struct perf_units *pu, int leader, uint32_t g, struct reading *r) {
    enum { TRIES = 1000, PAUSE_US = 1000 };
    int rc = -ECHILD;
    for (int i = 0; i < TRIES && rc == -ECHILD; i++) {
        if (i)
            usleep(PAUSE_US);
        uint64_t before_ns = clock_now_ns();
        rc = perf_units_read_group(leader, r->word,
                                   (HEADER + pu->shape->group[g].n) * sizeof(*r->word));
        r->at_ns = middle(before_ns, clock_now_ns());
    }
    r->ok = rc == 0;
}

static bool is_handed_over(const struct perf_units *pu, uint32_t u, uint32_t n) {
    return u >= n || (pu->unit[u].reopening && !has_ended(&pu->unit[u]));
}

/* In the time of the counters; the system's clocks of other processes stand still between ticks. */
static int open_clock(const struct perf_units *pu, pid_t tid) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
                                   .exclude_kernel = pu->shape->counter[0].attr.exclude_kernel,
                                   .exclude_hv = 1,
                                   .inherit = 1};
    int fd = perf_open_fd(&attr, tid, -1, -1);
    return fd < 0 ? 0 : fd + 1;
}

static uint32_t first_pinned(const struct perf_units *pu) {
    uint32_t g = 0;
    while (g < pu->shape->n_group && !(pu->on[g] && is_pinned(pu, g)))
        g++;
    return g;
}

static void close_clocks(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++) {
        if (pu->unit[u].clock)
            close(pu->unit[u].clock - 1);
        pu->unit[u].clock = 0;
    }
}

/*
 * Before: clocks of the units that are handed over; they go on while pinned groups change. Threads
 * created after that inherit them.
 */
static void open_clocks(struct perf_units *pu, uint32_t n) {
    close_clocks(pu);
    for (uint32_t u = 0; u < pu->n; u++)
        if (is_handed_over(pu, u, n))
            pu->unit[u].clock = open_clock(pu, pu->unit[u].tid);
}

/* 0 if there is none. */
static uint64_t read_clock(const struct perf_units *pu, uint32_t u) {
    uint64_t word[2];
    const int clock = pu->unit[u].clock;
    return clock && read(clock - 1, word, sizeof(word)) == (ssize_t)sizeof(word) ? word[1] : 0;
}

static uint64_t read_clocks(const struct perf_units *pu) {
    uint64_t sum = 0;
    for (uint32_t u = 0; u < pu->n; u++)
        sum += read_clock(pu, u);
    return sum;
}

/* ---- clones that have begun ---- */

/*
 * A new thread inherits before it has a number: until then the list lacks it, and it may be in none
 * of the second counters. So each unit that switches must sleep, or have run on for longer than a
 * clone takes, since its clock was opened. And as a virtual CPU can stand still in the middle of
 * one while its clock goes on, it must have run on once more after each CPU got somewhere.
 */
enum progress { PROGRESS_NONE, PROGRESS_RAN, PROGRESS_ASLEEP };

static enum progress progress_of(const struct perf_units *pu, uint32_t n) {
    enum { CLONE_NS = 1000000 };
    enum progress least = PROGRESS_ASLEEP;
    for (uint32_t u = 0; u < pu->n && least != PROGRESS_NONE; u++) {
        const struct perf_unit *unit = &pu->unit[u];
        if (is_handed_over(pu, u, n) &&
            perf_list_is_busy(&(struct perf_thread){unit->pid, unit->tid}))
            least =
                read_clock(pu, u) >= unit->clock_from_ns + CLONE_NS ? PROGRESS_RAN : PROGRESS_NONE;
    }
    return least;
}

static void note_clocks(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].clock_from_ns = read_clock(pu, u);
}

/* Until each CPU has left the kernel, slept or changed tasks: some ms, nothing on the other CPUs
 * (membarrier(2): an RCU grace period; refused where CPUs have no tick). */
static void await_cpus(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* Those that are running may have to wait for a CPU. False: it takes too long. */
static bool wait_for_clones(struct perf_units *pu, uint32_t n) {
    enum { ROUNDS = 2, TRIES = 40, PAUSE_US = 1000 };
    for (int round = 0; round < ROUNDS; round++) {
        enum progress now = PROGRESS_NONE;
        note_clocks(pu);
        for (int i = 0; i < TRIES && now == PROGRESS_NONE; i++) {
            usleep(PAUSE_US);
            now = progress_of(pu, n);
        }
        if (now != PROGRESS_RAN)
            return now == PROGRESS_ASLEEP;
        if (round < ROUNDS - 1)
            await_cpus();
    }
    return true;
}

/* How long the pinned groups have been enabled: the first, the second, those of new threads. False
 * if one cannot be read. */
static bool read_pinned(const struct perf_units *pu, uint32_t n, uint32_t g, uint64_t *sum) {
    *sum = 0;
    for (uint32_t u = 0; u < pu->n; u++) {
        const uint32_t at = pu->shape->group[g].first;
        const int fd[2] = {perf_units_fds(pu, u)[at],
                           u < n && pu->unit[u].reopening ? pending_of(pu, u)[at] : -1};
        for (int i = 0; i < 2 && (u >= n || pu->unit[u].reopening); i++) {
            uint64_t word[HEADER + PLAN_GROUP_MAX];
            if (fd[i] < 0)
                continue;
            if (perf_units_read_group(fd[i], word,
                                      (HEADER + pu->shape->group[g].n) * sizeof(*word)))
                return false;
            *sum += word[1];
        }
    }
    return true;
}

/*
 * By how much the clocks are ahead of a pinned group. That changes only while the group stands
 * still, so that it can be asked until the target did not run meanwhile, or hardly: for no more
 * than fine_ns, if that comes soon. Returns for how long it did.
 */
static uint64_t find_lead(const struct perf_units *pu, uint32_t n, uint32_t g, uint64_t fine_ns,
                          double *lead) {
    enum { TRIES = 6, ENOUGH_NS = 2000, LONGEST_MS = 100, PAUSE_US = 500 };
    const uint64_t until_ns = clock_now_ns() + LONGEST_MS * NS_PER_MS;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES ? least > ENOUGH_NS : least > fine_ns && clock_now_ns() < until_ns;
         i++) {
        uint64_t pinned, before = read_clocks(pu);
        bool ok = read_pinned(pu, n, g, &pinned);
        uint64_t ran = read_clocks(pu) - before;
        if (i >= TRIES)
            usleep(PAUSE_US);
        if (!ok || ran >= least)
            continue;
        least = ran;
        *lead = (double)before + (double)ran / 2 - (double)pinned;
    }
    return least;
}

/* Stops or starts the pinned groups of a set of counters, and of those who have inherited them. */
static void tell_pinned(const struct perf_units *pu, const int *fd, unsigned long request) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        int leader = fd[pu->shape->group[g].first];
        if (leader >= 0 && is_pinned(pu, g))
            ioctl(leader, request, 0);
    }
}

/* One after the other, so that none stands still for long. New threads have inherited from
 * one of the others: they come last. */
static void hand_over_pinned(struct perf_units *pu, uint32_t n) {
    for (uint32_t u = 0; u < n; u++) {
        if (!pu->unit[u].reopening)
            continue;
        tell_pinned(pu, perf_units_fds(pu, u), PERF_EVENT_IOC_DISABLE);
        tell_pinned(pu, pending_of(pu, u), PERF_EVENT_IOC_ENABLE);
    }
    for (uint32_t u = n; u < pu->n; u++)
        tell_pinned(pu, perf_units_fds(pu, u), PERF_EVENT_IOC_ENABLE);
}

static int hand_over_all_pinned(struct perf_units *pu, uint32_t n, bool can_wait) {
    enum { FINE_NS = 100000, SHARE = 250 /* of the time in the interval may be off */ };
    const uint32_t first = first_pinned(pu);
    if (first == pu->shape->n_group)
        return 0;
    const uint64_t share = pu->sum[first].enabled_ns / SHARE;
    const uint64_t fine_ns = share > FINE_NS ? share : FINE_NS;
    double lead = 0, after = 0;
    const uint64_t off_ns = find_lead(pu, n, first, fine_ns, &lead);
    if (can_wait && off_ns > fine_ns)
        return -EBUSY;
    hand_over_pinned(pu, n);
    const uint64_t off_after_ns = find_lead(pu, n, first, fine_ns, &after);
    const bool known = off_ns < UINT64_MAX && off_after_ns < UINT64_MAX;
    const double gap = known ? after - lead : 0;
    uint64_t gap_ns = perf_residency_part(pu, gap > 0 ? (uint64_t)gap : 0);
    for (uint32_t g = first; g < pu->shape->n_group; g++)
        if (pu->on[g] && is_pinned(pu, g))
            pu->sum[g].enabled_ns += gap_ns;
    log_line("perf: %u threads apart, %.3f ms (± %.3f) without their pinned group", pu->n - n,
             (double)gap_ns / 1e6, known ? (double)(off_ns + off_after_ns) / 2e6 : 0.0);
    return 0;
}

/* ---- multiplexed groups ---- */

/* A unit's group begins with what it held at that moment, between two readings of it. */
static void begin_at(struct perf_units *pu, uint32_t u, uint32_t g, const struct reading *a,
                     const struct reading *b, double at_ns) {
    const uint32_t n = HEADER + pu->shape->group[g].n;
    struct reading r = b->ok ? *b : *a;
    double part = (at_ns - (double)a->at_ns) / ((double)b->at_ns - (double)a->at_ns);
    if (!a->ok && !b->ok)
        return; /* its thread has just ended */
    for (uint32_t i = 1; i < n && a->ok && b->ok && part < 1; i++)
        r.word[i] = a->word[i] +
                    (uint64_t)((double)(b->word[i] - a->word[i]) * (part > 0 ? part : 0) + 0.5);
    perf_units_begin_group(pu, u, g, r.word + 1);
}

/* What units have seen of others than their own threads, each with the moment of its last read. */
struct creators {
    double seen_ns, seen_at, begin_ns;
    struct moments any; /* if none has seen any */
};

static double created_at(const struct creators *c) {
    return c->begin_ns + (c->seen_ns > 0 ? c->seen_at / c->seen_ns : mean(&c->any));
}

static void swap_fds(int *a, int *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        int fd = a[i];
        a[i] = b[i];
        b[i] = fd;
    }
}

/*
 * The last read of the first counters; the second take their place, the first become the pending.
 * Returns when that was; *own_ns is the time that the second have seen by then. Where there are
 * none and the thread lives on, there is a gap until they are opened.
 */
static uint64_t hand_over_group(struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *own_ns) {
    const struct perf_group *pg = &pu->shape->group[g];
    int *pending = pending_of(pu, u) + pg->first, *fd = perf_units_fds(pu, u) + pg->first;
    const bool both = pending[0] >= 0 && !is_pinned(pu, g);
    struct reading before = {0}, after = {0};
    if (both)
        look(pu, pending[0], g, &before);
    uint64_t at_ns = perf_units_take_last(pu, u, g);
    if (both)
        look(pu, pending[0], g, &after);
    *own_ns = 0;
    if (pending[0] < 0) {
        perf_units_close_group(pu, u, g);
        return at_ns;
    }
    swap_fds(fd, pending, pg->n);
    perf_units_forget_group(pu, u, g);
    if (both)
        begin_at(pu, u, g, &before, &after, (double)at_ns);
    *own_ns = perf_units_enabled(pu, u, g);
    return at_ns;
}

static void hand_over_unit(struct perf_units *pu, uint32_t u, struct creators *c) {
    enum { NOISE_NS = 50000 };
    struct perf_unit *unit = &pu->unit[u];
    const bool over = has_ended(unit);
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        if (!perf_units_has(pu, u, g))
            continue;
        int leader = perf_units_fds(pu, u)[pu->shape->group[g].first];
        struct reading first = {0};
        if (g == unit->mark)
            look(pu, leader, g, &first);
        uint64_t own_ns, at_ns = hand_over_group(pu, u, g, &own_ns);
        double at = (double)at_ns - c->begin_ns;
        c->any.sum += at;
        c->any.n++;
        if (g != unit->mark || !first.ok || first.word[1] < unit->mark_ns + own_ns + NOISE_NS)
            continue;
        double others_ns = (double)(first.word[1] - unit->mark_ns - own_ns);
        c->seen_ns += others_ns;
        c->seen_at += others_ns * at;
    }
    unit->lost = false;
    unit->ended |= over;
    unit->state = UNIT_AWAY;
    if (!over && perf_units_complete(pu, u) != 0)
        perf_units_close_unit(pu, u); /* it has just ended: the next list knows */
}

/* The first reading of new threads. */
static void read_new_threads(struct perf_units *pu, uint32_t n) {
    for (uint32_t u = n; u < pu->n; u++)
        for (uint32_t g = 0; g < pu->shape->n_group; g++) {
            struct reading r;
            if (!perf_units_has(pu, u, g) || is_pinned(pu, g))
                continue;
            look(pu, perf_units_fds(pu, u)[pu->shape->group[g].first], g, &r);
            if (r.ok)
                perf_units_begin_group(pu, u, g, r.word + 1);
            pu->unit[u].mark_ns = r.at_ns;
        }
}

/* The second. The groups of a thread are read within microseconds: one moment for all. */
static void begin_new_threads(struct perf_units *pu, uint32_t n, double at_ns) {
    for (uint32_t u = n; u < pu->n; u++)
        for (uint32_t g = 0; g < pu->shape->n_group; g++) {
            struct reading a = {.at_ns = pu->unit[u].mark_ns, .ok = true}, b;
            if (!perf_units_has(pu, u, g) || is_pinned(pu, g))
                continue;
            perf_units_begun(pu, u, g, a.word + 1);
            look(pu, perf_units_fds(pu, u)[pu->shape->group[g].first], g, &b);
            begin_at(pu, u, g, &a, &b, at_ns);
        }
}

/*
 * Units before n that are `reopening` go over to their pending counters, where they have any: then
 * those hold the first, for the caller to close. The others, from n on, are new and begin to
 * count. What has been counted belongs to this interval. 0; where it `can_wait`, -EBUSY, and
 * nothing has changed, if it could not be told how long pinned groups stand still: on a machine
 * under load, where the target runs on between two readings.
 */
static int hand_over(struct perf_units *pu, uint32_t n, bool can_wait) {
    int rc = hand_over_all_pinned(pu, n, can_wait);
    if (rc)
        return rc;
    read_new_threads(pu, n);
    struct creators c = {.begin_ns = (double)clock_now_ns()};
    for (uint32_t u = 0; u < n; u++)
        if (pu->unit[u].reopening)
            hand_over_unit(pu, u, &c);
    begin_new_threads(pu, n, created_at(&c));
    return 0;
}

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

/* The kernel says so of the counters of a thread that has ended. */
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
    return has_ended(unit) || unit->lost || how == REOPEN_ALL || perf_units_ran(pu, u);
}

static int open_pending(struct perf_units *pu, uint32_t u) {
    const struct perf_shape *sh = pu->shape;
    int rc = 0;
    for (uint32_t g = 0; g < sh->n_group && !rc; g++)
        if (pu->on[g] && perf_units_has(pu, u, g))
            rc = perf_units_open_group(pu, u, g, pending_of(pu, u));
    return rc == -ESRCH ? 0 : rc; /* it has just ended: the next list knows */
}

static uint32_t close_pending(struct perf_units *pu, uint32_t u) {
    uint32_t n = 0;
    for (uint32_t i = pu->shape->n_counter; i-- > 0;)
        if (pending_of(pu, u)[i] >= 0) {
            close(pending_of(pu, u)[i]);
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
    memset(pending_of(pu, u), 0xff, pu->shape->n_counter * sizeof(*pu->pending)); /* -1 */
    int rc = 0;
    if (!has_ended(unit)) {
        rc = has_room(ps, 1) ? open_pending(pu, u) : ps->gaps ? 0 : -EMFILE;
        for (uint32_t i = 0; i < pu->shape->n_counter; i++)
            ps->n_pending += pending_of(pu, u)[i] >= 0;
    }
    set_mark(pu, u);
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

/*
 * A thread found by the last look may have been created before its creator had the counters that
 * will remain. Where threads come faster than counters can be opened, all stay with their creators.
 * The kernel lets a thread inherit before it gives it a number: the look waits for clones that have
 * begun (wait_for_clones).
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
        open_clocks(pu, ps->n);
        if (!wait_for_clones(pu, ps->n) && ps->whole)
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

static void close_all(struct pass *ps) {
    close_clocks(ps->pu);
    for (uint32_t u = 0; u < ps->n; u++) {
        if (ps->pu->unit[u].reopening)
            close_pending(ps->pu, u);
        ps->pu->unit[u].reopening = false;
    }
}

static int reopen(struct perf_units *pu, uint32_t ended, enum reopen how) {
    struct pass ps = {.pu = pu, .how = how, .n = pu->n};
    ps.whole = !pu->opening && how != REOPEN_ALL;
    ps.gaps = !ps.whole || ended > pu->n / 2; /* most places would be empty */
    pu->n_unlisted = 0;
    mark_passed_on(pu);
    if (!pu->new_thread.n && !ended && how != REOPEN_ALL && !any_lost(pu))
        return 0;
    pu->mode.idle = true;
    int rc = open_until_none(&ps);
    pu->mode.idle = false;
    if (!rc)
        rc = hand_over(pu, ps.n, ps.whole);
    if (rc) { /* the creators go on as they are, and count them */
        log_line("perf: %zu new threads stay with their creators: %s", pu->new_thread.n,
                 strerror(-rc));
        pu->n_unlisted = pu->n - ps.n + (uint32_t)pu->new_thread.n;
        close_clocks(pu);
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
