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
#include "pmu/perf/perf_handover.h"

#include "base/clock.h"
#include "base/log.h"
#include "pmu/host/perf_open.h"
#include "pmu/perf/perf_residency.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { HEADER = 3 /* words in front of the counts: number, enabled, running */ };

int *perf_handover_pending(const struct perf_units *pu, uint32_t u) {
    return pu->pending + (size_t)u * pu->shape->n_counter;
}

bool perf_handover_has_ended(const struct perf_unit *unit) {
    return unit->ended || unit->state == UNIT_LATE;
}

static bool is_pinned(const struct perf_units *pu, uint32_t g) {
    return pu->shape->group[g].pinned && !pu->mode.no_pin;
}

void perf_handover_mark(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    const bool over = perf_handover_has_ended(unit);
    const int *pending = perf_handover_pending(pu, u);
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
    return u >= n || (pu->unit[u].reopening && !perf_handover_has_ended(&pu->unit[u]));
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

void perf_handover_open_clocks(struct perf_units *pu, uint32_t n) {
    perf_handover_close_clocks(pu);
    for (uint32_t u = 0; u < pu->n; u++)
        if (is_handed_over(pu, u, n))
            pu->unit[u].clock = open_clock(pu, pu->unit[u].tid);
}

void perf_handover_close_clocks(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++) {
        if (pu->unit[u].clock)
            close(pu->unit[u].clock - 1);
        pu->unit[u].clock = 0;
    }
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

bool perf_handover_no_clone(const struct perf_units *pu, uint32_t n) {
    enum { CLONE_NS = 1000000 };
    for (uint32_t u = 0; u < pu->n; u++) {
        const struct perf_unit *unit = &pu->unit[u];
        if (is_handed_over(pu, u, n) && read_clock(pu, u) < CLONE_NS &&
            perf_list_is_busy(&(struct perf_thread){unit->pid, unit->tid}))
            return false;
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
                           u < n && pu->unit[u].reopening ? perf_handover_pending(pu, u)[at] : -1};
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
        tell_pinned(pu, perf_handover_pending(pu, u), PERF_EVENT_IOC_ENABLE);
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
    int *pending = perf_handover_pending(pu, u) + pg->first,
        *fd = perf_units_fds(pu, u) + pg->first;
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
    const bool over = perf_handover_has_ended(unit);
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

int perf_handover(struct perf_units *pu, uint32_t n, bool can_wait) {
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
