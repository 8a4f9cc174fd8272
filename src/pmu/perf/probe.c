#include "pmu/perf/probe.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/host/encode.h"
#include "pmu/host/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* ---- which events to ask with ---- */

static bool is_plain(const struct event *ev) {
    return !ev->alone && !ev->config1 && !ev->percore && !ev->perf_metrics && !ev->kernel_only &&
           !ev->user_only;
}

/* Branches and what they miss have no fixed counter anywhere. */
static bool is_generic_branch(const struct event *ev) {
    return ev->pmu == EVENT_GENERIC && ev->type == PERF_TYPE_HARDWARE &&
           (ev->config == PERF_COUNT_HW_BRANCH_MISSES ||
            ev->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

static uint64_t code_of(const struct event *ev) {
    return ev->config & 0xff;
}

/*
 * The kernel puts an event onto a fixed counter by its code, whatever the model calls it:
 * CPU_CLK_UNHALTED.THREAD_P is THREAD there, and which umasks it takes differs between kernels
 * (arch/x86/events/intel/core.c, FIXED_EVENT_CONSTRAINT).
 */
static bool has_fixed_code(const struct model *m, const struct event *ev) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].fixed >= 0 && code_of(&m->event[i]) == code_of(ev))
            return true;
    return false;
}

/* Does every general counter count it, and no fixed one? */
static bool is_general(const struct model *m, const struct event *ev) {
    const uint64_t all = (1ull << m->general_counters) - 1;
    if (is_generic_branch(ev))
        return true;
    return ev->pmu == EVENT_CORE && ev->has_code && ev->fixed < 0 && is_plain(ev) &&
           !has_fixed_code(m, ev) && (!ev->counters || (ev->counters & all) == all);
}

/* A user may always ask for their own share, and which counters are free is the same for both. */
static bool encode(const struct machine *mc, const struct event *ev, struct perf_event_attr *attr) {
    const struct encode_options opt = {.root = "", .user_only = true};
    return encode_event(mc, ev, &opt, attr) == 0;
}

/* An event for any general counter; of another code than `not_code`, in case the kernel knows
 * of a constraint that the model does not. */
static bool find_general(const struct machine *mc, const struct model *m, uint64_t not_code,
                         struct perf_event_attr *attr, uint64_t *code) {
    for (uint32_t i = m->n_event; i-- > 0;) {
        const struct event *ev = &m->event[i];
        *code = code_of(ev);
        if (is_general(m, ev) && !encode_any_thread(m, ev) && *code != not_code &&
            encode(mc, ev, attr))
            return true;
    }
    return false;
}

static bool find_fixed(const struct machine *mc, const struct model *m, int fixed,
                       struct perf_event_attr *attr) {
    for (uint32_t i = 0; i < m->n_event; i++) {
        const struct event *ev = &m->event[i];
        if (ev->pmu == EVENT_CORE && ev->fixed == fixed && is_plain(ev) &&
            !encode_any_thread(m, ev) && encode(mc, ev, attr))
            return true;
    }
    return false;
}

/* ---- how many ---- */

struct asking {
    const struct machine *mc;
    const struct model *m;
    const struct probe_pmu *pmu;
    struct perf_event_attr attr[PROBE_FIXED_MOST + PROBE_MOST];
};

static enum probe_answer try(const struct asking *a, const struct perf_event_attr *attr, int n,
                             bool pinned, int *n_run) {
    *n_run = 0;
    return a->pmu->try(a->pmu->user, attr, n, pinned, n_run);
}

/* What an event finds. False if it cannot be opened at all. */
static bool count_general(struct asking *a, const struct perf_event_attr *attr, struct budget *b) {
    int run, there = 0;
    for (int i = 1; i <= PROBE_MOST; i++)
        a->attr[i] = *attr;
    const enum probe_answer answer = try(a, &a->attr[1], PROBE_MOST, true, &run);
    if (answer == PROBE_UNKNOWN || (answer == PROBE_REFUSED && run == 0))
        return false;
    if (answer == PROBE_HELD)
        try(a, &a->attr[1], PROBE_MOST, false, &there);
    b->known = true;
    b->general = run > b->general ? run : b->general;
    b->there = there > b->there ? there : b->there;
    b->there = run > b->there ? run : b->there;
    return true;
}

/* A second event is asked only if the first one finds less than the model's core has. */
static void find_generals(struct asking *a, struct budget *b) {
    enum { CODES = 4 };
    struct perf_event_attr attr;
    uint64_t code = UINT64_MAX;
    int n_asked = 0;
    for (int i = 0; i < CODES && n_asked < 2; i++) {
        if (!find_general(a->mc, a->m, code, &attr, &code))
            return;
        n_asked += count_general(a, &attr, b);
        if (b->known && b->general >= a->m->general_counters)
            return;
    }
}

/*
 * A fixed counter is free if its event runs beside as many others as there are general counters to
 * be had: then it took none of those.
 */
static void find_fixed_counters(struct asking *a, struct budget *b) {
    for (int f = 0; f < a->m->fixed_counters; f++) {
        int run;
        if (!find_fixed(a->mc, a->m, f, &a->attr[0]))
            continue;
        switch (try(a, a->attr, 1 + b->general, true, &run)) {
        case PROBE_HELD:
            b->fixed_taken |= 1ull << f;
            break;
        case PROBE_REFUSED:
            b->fixed_gone |= 1ull << f;
            break;
        case PROBE_RUNS:
        case PROBE_UNKNOWN:
            break;
        }
    }
}

/* ---- which ---- */

static uint64_t lowest(uint64_t set, int n) {
    uint64_t out = 0;
    for (; n > 0 && set; n--) {
        out |= set & -set;
        set &= set - 1;
    }
    return out;
}

/* Of two sets of counters the one with fewer comes first. */
static bool is_before(uint64_t a, uint64_t b) {
    const int n_a = __builtin_popcountll(a), n_b = __builtin_popcountll(b);
    return n_a != n_b ? n_a < n_b : a < b;
}

/* The first set after `after` that events are limited to, and such an event. */
static bool find_limited(const struct asking *a, uint64_t all, uint64_t after, uint64_t *set,
                         struct perf_event_attr *attr) {
    uint64_t first = all;
    for (uint32_t i = 0; i < a->m->n_event; i++) {
        const struct event *ev = &a->m->event[i];
        const uint64_t c = ev->counters & all;
        struct perf_event_attr one;
        if (ev->pmu != EVENT_CORE || !ev->has_code || ev->fixed >= 0 || !is_plain(ev) ||
            has_fixed_code(a->m, ev) || encode_any_thread(a->m, ev))
            continue;
        if (c && is_before(after, c) && is_before(c, first) && encode(a->mc, ev, &one)) {
            first = c;
            *attr = one;
        }
    }
    *set = first;
    return first != all;
}

/*
 * From the smallest such set to the largest: how many of it can be had, less those that were found
 * in smaller ones, are taken as its lowest.
 */
static void find_which(struct asking *a, struct budget *b) {
    const uint64_t all = (1ull << b->there) - 1;
    uint64_t set = 0, decided = 0;
    struct perf_event_attr attr;
    b->free = 0;
    while (b->general < b->there && find_limited(a, all, set, &set, &attr)) {
        int n = __builtin_popcountll(set), run;
        for (int i = 0; i < n; i++)
            a->attr[i] = attr;
        if (try(a, a->attr, n, true, &run) <= PROBE_HELD) {
            b->free |= lowest(set & ~decided, run - __builtin_popcountll(b->free & set));
            decided |= set;
        }
    }
    b->free |= lowest(all & ~decided, b->general - __builtin_popcountll(b->free));
}

/* Mostly nothing is held, and one group shows it: as many as the model knows of, or more, and what
 * ends it is that there are no others. */
static bool is_all_there(struct asking *a, struct budget *b) {
    struct perf_event_attr general;
    uint64_t code;
    int n = 0, run;
    for (int f = 0; f < a->m->fixed_counters && n < PROBE_FIXED_MOST; f++)
        n += find_fixed(a->mc, a->m, f, &a->attr[n]);
    if (!a->m->general_counters || !find_general(a->mc, a->m, UINT64_MAX, &general, &code))
        return false;
    for (int i = 0; i < PROBE_MOST; i++)
        a->attr[n + i] = general;
    if (try(a, a->attr, n + PROBE_MOST, true, &run) != PROBE_REFUSED ||
        run - n < a->m->general_counters)
        return false;
    *b = (struct budget){
        .known = true, .general = run - n, .there = run - n, .free = (1ull << (run - n)) - 1};
    return true;
}

void probe_budget(const struct machine *mc, const struct model *m, const struct probe_pmu *pmu,
                  struct budget *out) {
    struct asking a = {.mc = mc, .m = m, .pmu = pmu};
    *out = (struct budget){.known = false};
    if (is_all_there(&a, out))
        return;
    find_generals(&a, out);
    if (!out->known)
        return;
    find_fixed_counters(&a, out);
    find_which(&a, out);
}

bool budget_is_less(const struct budget *now, const struct budget *before) {
    return now->known && before->known &&
           (now->general < before->general || (before->free & ~now->free) != 0 ||
            (now->fixed_taken & ~before->fixed_taken) != 0);
}

bool budget_is_same(const struct budget *a, const struct budget *b) {
    return a->known == b->known && a->general == b->general && a->free == b->free &&
           a->fixed_taken == b->fixed_taken;
}

uint64_t probe_slots(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].slots_leader && m->event[i].fixed >= 0)
            return 1ull << m->event[i].fixed;
    return 0;
}

/* ---- asking the kernel ---- */

/*
 * The kernel's side of the probe. A pinned group that is enabled is put onto the counters within
 * the system call that adds its last member, or becomes one that reads as end of file
 * (perf_event_open(2), "pinned"); so nothing has to be waited for.
 */

enum {
    MOST_MS = 8,    /* of asking many CPUs */
    THREAD_MS = 20, /* of waiting for another thread to run */
};

struct on {
    pid_t tid;
    int cpu;
    uint64_t until_ns; /* another thread, which may sleep: waited for until then; else 0 */
    bool slept;        /* it did not run, so that something is not known */
};

/* A group that is open. */
struct open_group {
    int fd[PROBE_FIXED_MOST + PROBE_MOST];
    int n;
    uint64_t running_ns; /* as last read */
};

static int add_event(struct open_group *g, const struct on *on, const struct perf_event_attr *from,
                     bool pinned) {
    struct perf_event_attr attr = *from;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.exclude_hv = 1;
    attr.pinned = pinned && g->n == 0;
    int fd = perf_open_fd(&attr, on->tid, on->cpu, g->n ? g->fd[0] : -1);
    if (fd >= 0)
        g->fd[g->n++] = fd;
    return fd < 0 ? fd : 0;
}

/*
 * Is it on the counters? That of a pinned group that failed reads as end of file. Some clocks need
 * a while to move on.
 */
static enum probe_answer look(struct open_group *g, struct on *on) {
    enum { TRIES = 5, PAUSE_US = 200 };
    struct {
        uint64_t value, enabled_ns, running_ns;
    } now;
    for (int i = 0; i < TRIES || clock_now_ns() < on->until_ns; i++) {
        ssize_t got = read(g->fd[0], &now, sizeof(now));
        if (got == 0)
            return PROBE_HELD;
        if (got != (ssize_t)sizeof(now))
            return PROBE_UNKNOWN;
        if (now.running_ns > g->running_ns) {
            g->running_ns = now.running_ns;
            return PROBE_RUNS;
        }
        if (i > 0)
            usleep(PAUSE_US);
    }
    on->slept = true;
    return PROBE_UNKNOWN; /* or a core of another kind */
}

static enum probe_answer refused(int rc) {
    return perf_is_unsupported(rc) ? PROBE_REFUSED : PROBE_UNKNOWN;
}

/* One more each time, until there is none left. */
static enum probe_answer try_group(void *user, const struct perf_event_attr *attr, int n,
                                   bool pinned, int *n_run) {
    struct open_group g = {.n = 0};
    enum probe_answer answer = PROBE_RUNS;
    *n_run = 0;
    for (int i = 0; i < n && answer == PROBE_RUNS; i++) {
        int rc = add_event(&g, user, &attr[i], pinned);
        answer = rc ? refused(rc) : pinned ? look(&g, user) : PROBE_RUNS;
        *n_run += answer == PROBE_RUNS;
    }
    while (g.n > 0)
        close(g.fd[--g.n]);
    return answer;
}

/* ---- where ---- */

static void ask(const struct machine *mc, const struct model *m, struct on *on,
                struct budget *out) {
    const struct probe_pmu pmu = {.try = try_group, .user = on};
    probe_budget(mc, m, &pmu, out);
}

/* The least of both. */
static void merge(struct budget *b, const struct budget *other) {
    if (!other->known)
        return;
    if (!b->known) {
        *b = *other;
        return;
    }
    b->free &= other->free;
    b->general = other->general < b->general ? other->general : b->general;
    if (__builtin_popcountll(b->free) < b->general)
        b->general = __builtin_popcountll(b->free);
    b->there = other->there < b->there ? other->there : b->there;
    b->fixed_taken |= other->fixed_taken;
    b->fixed_gone |= other->fixed_gone;
}

static void ask_cpus(const struct machine *mc, const struct model *m, const int *cpu, int n,
                     struct budget *out) {
    const uint64_t end = clock_now_ns() + MOST_MS * NS_PER_MS;
    for (int i = 0; i < n && (i == 0 || clock_now_ns() < end); i++) {
        struct budget one;
        ask(mc, m, &(struct on){.tid = -1, .cpu = cpu[i]}, &one);
        merge(out, &one);
    }
}

/* On a hybrid CPU this thread must stand on a core of the kind in question. */
static bool move_to_core(const struct machine *mc, cpu_set_t *before) {
    enum { CPUS_MAX = CPU_SETSIZE };
    const struct core_type *core = mc->n_core ? &mc->core[mc->chosen] : NULL;
    int cpu[CPUS_MAX];
    cpu_set_t to;
    if (mc->n_core < 2 || !core->cpus[0] || sched_getaffinity(0, sizeof(*before), before))
        return false;
    int n = str_list(core->cpus, cpu, CPUS_MAX, NULL);
    CPU_ZERO(&to);
    for (int i = 0; i < n; i++)
        if (CPU_ISSET(cpu[i], before))
            CPU_SET(cpu[i], &to);
    return CPU_COUNT(&to) > 0 && sched_setaffinity(0, sizeof(to), &to) == 0;
}

static void ask_here(const struct machine *mc, const struct model *m, struct budget *out) {
    cpu_set_t before;
    bool moved = move_to_core(mc, &before);
    ask(mc, m, &(struct on){.tid = 0, .cpu = -1}, out);
    if (moved)
        sched_setaffinity(0, sizeof(before), &before);
}

static void say(const struct budget *b) {
    log_line("probe: %s, %d of %d general counters, fixed held 0x%llx, not there 0x%llx; %llu us",
             b->known ? "known" : "not told", b->general, b->there,
             (unsigned long long)b->fixed_taken, (unsigned long long)b->fixed_gone,
             (unsigned long long)b->cost_ns / 1000);
}

void probe_counters(const struct machine *mc, const struct model *m, const int *cpu, int n,
                    struct budget *out) {
    const uint64_t begin = clock_now_ns();
    *out = (struct budget){.known = false};
    if (n > 0)
        ask_cpus(mc, m, cpu, n, out);
    if (!out->known)
        ask_here(mc, m, out);
    out->cost_ns = clock_now_ns() - begin;
    say(out);
}

void probe_thread(const struct machine *mc, const struct model *m, pid_t tid, struct budget *out) {
    const uint64_t begin = clock_now_ns();
    struct on on = {.tid = tid, .cpu = -1, .until_ns = begin + THREAD_MS * NS_PER_MS};
    ask(mc, m, &on, out);
    out->known = out->known && !on.slept;
    out->cost_ns = clock_now_ns() - begin;
    say(out);
}
