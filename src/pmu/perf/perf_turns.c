#include "pmu/perf/perf_turns.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum {
    CYCLES = 7,       /* in an interval: no divisor of what programs usually do in a second */
    LEAST_MS = 15,    /* of a cycle: some turns of the kernel's, which are 1 to 4 ms */
    COST_NS = 3000,   /* of a turn on one thread, as measured */
    COST_SHARE = 100, /* at most this part of a CPU */
    JUDGED_AFTER_MS = 100,
};

/* The cycle that costs no more than it may. */
static uint64_t choose_cycle(uint64_t interval_ns, uint32_t n_unit, uint32_t n_turn) {
    uint64_t cycle_ns = interval_ns / CYCLES;
    const uint64_t paid_ns = (uint64_t)n_unit * 2 * (n_turn + 1) * COST_NS * COST_SHARE / 2;
    if (cycle_ns < LEAST_MS * NS_PER_MS)
        cycle_ns = LEAST_MS * NS_PER_MS;
    return cycle_ns < paid_ns ? paid_ns : cycle_ns;
}

static void mark(struct perf_units *pu, const bool *turn, uint32_t *n) {
    *n = 0;
    for (uint32_t g = 0; g < pu->shape->n_group; g++) {
        struct perf_group *pg = &pu->shape->group[g];
        pg->turns = turn && turn[pg->plan_group];
        *n += pg->turns;
    }
}

int perf_turns_begin(struct perf_turns *t, struct perf_units *pu, const struct model *m,
                     const struct plan_options *opt, uint64_t interval_ns) {
    bool *turn = opt ? calloc(pu->plan->n_group + 1u, sizeof(*turn)) : NULL;
    uint32_t n = 0;
    *t = (struct perf_turns){.n = 0};
    int rc = !opt ? 0 : turn ? plan_level1_turns(pu->plan, m, opt, turn, &n) : -ENOMEM;
    t->cycle_ns = choose_cycle(interval_ns, pu->n, n);
    mark(pu, rc || !n || 2 * t->cycle_ns > interval_ns ? NULL : turn, &t->n);
    free(turn);
    if (t->n)
        log_line("perf: level 1 has %u turn%s of its own each %llu ms", t->n, t->n == 1 ? "" : "s",
                 (unsigned long long)(t->cycle_ns / NS_PER_MS));
    return rc;
}

/* Of that many; t->n: none. */
static uint32_t group_of(const struct perf_units *pu, uint32_t turn) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (pu->shape->group[g].turns && turn-- == 0)
            return g;
    return pu->shape->n_group;
}

static void switch_group(struct perf_units *pu, uint32_t g, bool on) {
    for (uint32_t u = 0; u < pu->n; u++)
        if (perf_units_has(pu, u, g))
            ioctl(perf_units_fds(pu, u)[pu->shape->group[g].first],
                  on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static uint64_t length_ns(const struct perf_turns *t) {
    const double share = plan_level1_share(t->n);
    return (uint64_t)((double)t->cycle_ns * (t->at < t->n ? share / t->n : 1 - share));
}

/* All others are switched off, not the last one alone: units may have been opened meanwhile. */
uint64_t perf_turns_go_on(struct perf_turns *t, struct perf_units *pu, uint64_t now_ns) {
    if (!t->n)
        return UINT64_MAX;
    if (now_ns < t->next_ns)
        return t->next_ns;
    t->at = (t->at + 1) % (t->n + 1);
    for (uint32_t i = 0; i < t->n; i++)
        if (i != t->at)
            switch_group(pu, group_of(pu, i), false);
    if (t->at < t->n)
        switch_group(pu, group_of(pu, t->at), true);
    return t->next_ns = now_ns + length_ns(t);
}

void perf_turns_yield(struct perf_turns *t, struct perf_units *pu, uint64_t now_ns) {
    for (uint32_t i = 0; i < t->n; i++)
        switch_group(pu, group_of(pu, i), false);
    t->at = t->n;
    t->next_ns = now_ns + (t->n ? length_ns(t) : 0);
}

bool perf_turns_failed(const struct perf_turns *t, const struct perf_units *pu) {
    if (!t->n || pu->span_ns < JUDGED_AFTER_MS * NS_PER_MS)
        return false;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (pu->shape->group[g].turns && pu->sum[g].running_ns == 0)
            return true;
    return false;
}

void perf_turns_end(struct perf_turns *t, struct perf_units *pu) {
    *t = (struct perf_turns){.n = 0};
    mark(pu, NULL, &t->n);
}
