#include "pmu/perf/probe.h"

#include "pmu/host/encode.h"

#include <linux/perf_event.h>
#include <string.h>

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

/* A user may always ask for his own share, and which counters are free is the same for both. */
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
