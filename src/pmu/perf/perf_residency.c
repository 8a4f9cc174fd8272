#include "pmu/perf/perf_residency.h"

#include "pmu/perf/source_perf.h"

#include <math.h>
#include <stdlib.h>

enum { HEADER = 3 };

static bool is_core(const struct perf_units *pu, uint32_t g) {
    return plan_competes(&pu->plan->group[pu->shape->group[g].plan_group]);
}

static bool is_pinned(const struct perf_units *pu, uint32_t g) {
    return pu->shape->group[g].pinned && !pu->mode.no_pin;
}

/* The group that a unit's time is known by: the first of this PMU that it has. */
static bool is_first(const struct perf_units *pu, uint32_t u, uint32_t g) {
    for (uint32_t i = 0; i < g; i++)
        if (is_core(pu, i) && perf_units_has(pu, u, i))
            return false;
    return is_core(pu, g);
}

/* ---- how many run at once ---- */

static bool is_on(const struct perf_units *pu, uint32_t plan_group) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (pu->shape->group[g].plan_group == plan_group && pu->on[g])
            return true;
    return false;
}

void perf_residency_plan(const struct source *src) {
    struct perf *p = src->priv;
    const struct plan_options opt = perf_plan_options(src);
    uint32_t n = p->plan.n_group;
    p->units.turns = 1;
    if (!p->units.mode.hybrid)
        return;
    double *duty = calloc(n + 1u, sizeof(*duty)), sum = 0;
    bool *on = calloc(n + 1u, sizeof(*on));
    for (uint32_t g = 0; on && g < n; g++)
        on[g] = is_on(&p->units, g);
    if (duty && on && plan_duty(&p->plan, src->model, &opt, on, duty) == 0)
        for (uint32_t g = 0; g < n; g++)
            if (on[g] && plan_competes(&p->plan.group[g]))
                sum += duty[g];
    if (sum > 1)
        p->units.turns = sum;
    free(duty);
    free(on);
}

/* ---- one unit ---- */

/* Times of the groups of a unit since they were read last. */
struct times {
    uint64_t enabled;   /* the longest */
    uint64_t most, sum; /* running */
    uint64_t pinned;    /* running */
    bool has_pinned;
};

static bool read_times(const struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *enabled,
                       uint64_t *running) {
    uint64_t buf[HEADER + PLAN_GROUP_MAX];
    const struct perf_group *pg = &pu->shape->group[g];
    const uint64_t *last = pu->last + (size_t)u * pu->shape->n_word + pg->at;
    if (perf_units_read_group(perf_units_fds(pu, u)[pg->first], buf,
                              (HEADER + pg->n) * sizeof(*buf)))
        return false;
    *enabled = buf[1] - last[0];
    *running = buf[2] - last[1] < *enabled ? buf[2] - last[1] : *enabled;
    return true;
}

static void add_times(const struct perf_units *pu, uint32_t u, uint32_t g, struct times *t) {
    uint64_t enabled, running;
    if (!read_times(pu, u, g, &enabled, &running))
        return;
    t->enabled = enabled > t->enabled ? enabled : t->enabled;
    t->most = running > t->most ? running : t->most;
    t->sum += running;
    if (is_pinned(pu, g)) {
        t->pinned = running;
        t->has_pinned = true;
    }
}

static uint64_t estimate(const struct times *t, double turns) {
    uint64_t ns = (uint64_t)((double)t->sum / (turns > 1 ? turns : 1));
    ns = ns < t->most ? t->most : ns;
    return ns < t->enabled ? ns : t->enabled;
}

/* A pinned group alone tells; only where there is none the others are read for it. */
static void look(const struct perf_units *pu, uint32_t u, bool pinned, struct times *t) {
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        if (is_core(pu, g) && perf_units_has(pu, u, g) && is_pinned(pu, g) == pinned)
            add_times(pu, u, g, t);
}

void perf_residency_look(struct perf_units *pu, uint32_t u) {
    struct times t = {0};
    if (!pu->mode.hybrid)
        return;
    look(pu, u, true, &t);
    if (!t.has_pinned || (t.pinned == 0 && t.enabled > 0))
        look(pu, u, false, &t);
    bool waits = t.has_pinned && t.pinned == 0 && t.most > 0; /* for its place, not for the task */
    pu->pin_failed |= waits;
    uint64_t here = t.has_pinned && !waits ? t.pinned : estimate(&t, pu->turns);
    pu->unit[u].residency = t.enabled > 0 ? (double)here / (double)t.enabled : 1.0;
}

void perf_residency_cut(struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *enabled,
                        uint64_t *running) {
    uint64_t all = *enabled;
    if (!pu->mode.hybrid)
        return;
    double share = pu->unit[u].residency;
    if (is_core(pu, g) && is_pinned(pu, g) && *running > 0)
        *enabled = *running;
    else if (share < 1)
        *enabled = (uint64_t)(share * (double)all);
    if (!is_core(pu, g) && share < 1)
        *running = (uint64_t)(share * (double)*running);
    if (*enabled < *running)
        *enabled = *running;
    if (is_first(pu, u, g)) {
        pu->busy_ns += all;
        pu->resident_ns += *enabled;
    }
}

double perf_residency_weight(const struct perf_units *pu, uint32_t u, uint32_t g,
                             uint32_t counter) {
    const struct perf_event_attr *attr = &pu->shape->counter[counter].attr;
    bool clock = attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_TASK_CLOCK ||
                                                      attr->config == PERF_COUNT_SW_CPU_CLOCK);
    return pu->mode.hybrid && clock && !is_core(pu, g) ? pu->unit[u].residency : 1.0;
}

/* ---- the whole target ---- */

uint64_t perf_residency_part(const struct perf_units *pu, uint64_t cpu_ns) {
    if (!pu->mode.hybrid || !pu->busy_ns)
        return cpu_ns;
    return (uint64_t)((double)cpu_ns * ((double)pu->resident_ns / (double)pu->busy_ns));
}

bool perf_residency_is_elsewhere(const struct perf_units *pu, uint32_t g) {
    return pu->mode.hybrid && pu->busy_ns > 0 && pu->resident_ns == 0 && is_core(pu, g);
}
