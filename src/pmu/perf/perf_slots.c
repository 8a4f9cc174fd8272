#include "pmu/perf/perf_slots.h"

#include "pmu/perf/perf_residency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int proc_of(const struct event *ev, enum proc_scope scope) {
    if (scope == PROC_OF_CPUS && encode_is_cpu_clock(ev))
        return PROC_BUSY; /* what a CPU's clock counts is all time, idle or not */
    return ev->pmu == EVENT_PROC ? proc_event_find(ev->name) : -1;
}

/* What of /proc says the same of processes and threads, however many of them are counted; or -1. */
static int8_t whole_of(const struct event *ev, enum proc_scope scope) {
    static const struct {
        uint64_t config;
        enum proc_event what;
    } list[] = {{PERF_COUNT_SW_CPU_CLOCK, PROC_RUN_NS},
                {PERF_COUNT_SW_TASK_CLOCK, PROC_RUN_NS},
                {PERF_COUNT_SW_CONTEXT_SWITCHES, PROC_SWITCHES},
                {PERF_COUNT_SW_PAGE_FAULTS_MIN, PROC_MINOR_FAULTS},
                {PERF_COUNT_SW_PAGE_FAULTS_MAJ, PROC_MAJOR_FAULTS}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (scope == PROC_OF_TASKS && ev->pmu == EVENT_SOFTWARE && ev->config == list[i].config)
            return (int8_t)list[i].what;
    return -1;
}

/* Does this alias live in the group of the counter? A split group may hold its counter twice. */
static bool is_alias_of(const struct perf_alias *a, const struct perf_shape *sh,
                        const struct perf_group *pg, uint32_t counter) {
    return a->of == sh->counter[counter].event && a->plan_group == pg->plan_group;
}

static uint32_t count_slots(const struct perf_shape *sh, const struct plan *plan) {
    uint32_t n = sh->n_counter + plan->n_event; /* the latter for /proc and outside the cores */
    for (uint32_t g = 0; g < sh->n_group; g++)
        for (uint32_t i = sh->group[g].first; i < sh->group[g].first + sh->group[g].n; i++)
            for (uint32_t k = 0; k < sh->n_alias; k++)
                n += is_alias_of(&sh->alias[k], sh, &sh->group[g], i);
    return n;
}

static void add_perf_slot(struct perf_slots *ps, struct layout *layout, uint16_t event,
                          uint32_t group, uint32_t counter) {
    layout_add(layout, event, (uint16_t)group);
    ps->group[ps->n_perf] = group;
    ps->counter[ps->n_perf++] = counter;
}

static void add_group(struct perf_slots *ps, struct layout *layout, const struct perf_shape *sh,
                      uint32_t g) {
    const struct perf_group *pg = &sh->group[g];
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        add_perf_slot(ps, layout, sh->counter[i].event, g, i);
        for (uint32_t k = 0; k < sh->n_alias; k++)
            if (is_alias_of(&sh->alias[k], sh, pg, i))
                add_perf_slot(ps, layout, sh->alias[k].event, g, i);
    }
}

/* Each a group of its own, behind those of the cores. */
static void add_uncore(struct perf_slots *ps, struct layout *layout, const struct uncore *uncore,
                       uint32_t n_group) {
    for (uint32_t i = 0; i < uncore->n_event; i++) {
        if (!uncore->event[i].open)
            continue;
        int slot = layout_add(layout, uncore->event[i].event, (uint16_t)(n_group + ps->n_uncore));
        ps->uncore[ps->n_uncore++] = (struct uncore_slot){(uint32_t)slot, i};
    }
}

/* How long its tasks waited a cgroup does not know. */
static bool exists(enum proc_event what, enum proc_scope scope) {
    if (scope == PROC_OF_CGROUP)
        return what != PROC_RUN_WAIT_NS;
    return proc_event_exists("/proc", what, scope == PROC_OF_CPUS);
}

static void add_proc(struct perf_slots *ps, struct layout *layout, const struct model *m,
                     uint16_t event, uint16_t group, enum proc_scope scope,
                     bool want[PROC_EVENTS]) {
    int what = proc_of(&m->event[event], scope);
    if (what < 0 || layout->missing[event] == COUNT_OK)
        return;
    if (what < PROC_EVENTS && !exists((enum proc_event)what, scope)) {
        layout->missing[event] = COUNT_NOT_SUPPORTED;
        return;
    }
    uint32_t slot = (uint32_t)layout_add(layout, event, group);
    ps->proc[ps->n_proc++] = (struct proc_slot){slot, what};
    if (what == PROC_BUSY)
        want[PROC_UTIME_NS] = want[PROC_STIME_NS] = true;
    else
        want[what] = true;
}

int perf_slots_make(struct perf_slots *ps, struct layout *layout, const struct model *m,
                    const struct plan *plan, const struct perf_shape *shape,
                    const struct uncore *uncore, enum proc_scope scope, bool want[PROC_EVENTS],
                    struct err *err) {
    uint32_t cap = count_slots(shape, plan);
    *ps = (struct perf_slots){0};
    int rc = layout_init(layout, m->n_event, COUNT_NOT_PLANNED, cap);
    ps->counter = calloc(cap + 1, sizeof(*ps->counter));
    ps->whole = calloc(cap + 1, sizeof(*ps->whole));
    ps->group = calloc(cap + 1, sizeof(*ps->group));
    ps->uncore = calloc(uncore->n_event + 1u, sizeof(*ps->uncore));
    ps->proc = calloc(cap + 1, sizeof(*ps->proc));
    if (rc || !ps->counter || !ps->whole || !ps->group || !ps->uncore || !ps->proc)
        return err_set(err, -ENOMEM, "out of memory for %u counts", cap);
    /* Planned is not yet counted: an event has a slot, or a reason why not. */
    for (uint32_t i = 0; i < m->n_event; i++)
        layout->missing[i] =
            shape->missing[i] == COUNT_OK ? COUNT_NOT_SUPPORTED : shape->missing[i];
    for (uint32_t g = 0; g < shape->n_group; g++)
        add_group(ps, layout, shape, g);
    while (layout->n_pinned < shape->n_group && shape->group[layout->n_pinned].pinned)
        layout->n_pinned++;
    for (uint32_t i = 0; i < ps->n_perf; i++)
        ps->whole[i] = whole_of(&m->event[layout->slot[i].event], scope);
    add_uncore(ps, layout, uncore, shape->n_group);
    uint16_t proc_group = (uint16_t)(shape->n_group + ps->n_uncore);
    for (uint32_t i = 0; i < plan->n_event; i++)
        add_proc(ps, layout, m, plan->event[i], proc_group, scope, want);
    return 0;
}

void perf_slots_free(struct perf_slots *ps) {
    free(ps->counter);
    free(ps->whole);
    free(ps->group);
    free(ps->uncore);
    free(ps->proc);
    *ps = (struct perf_slots){0};
}

/* A sum over threads, CPUs or boxes as a count. */
static struct count count_of(const struct perf_sum *sum, double value, enum count_state unread) {
    struct count c = {.value = NAN, .enabled_ns = sum->enabled_ns, .running_ns = sum->running_ns};
    if (sum->reads == 0) {
        c.state = (uint8_t)unread;
    } else if (sum->counted_ns == 0 && sum->enabled_ns > 0) {
        c.state = COUNT_STALE;
    } else {
        c.state = COUNT_OK; /* 0 if the target did not run at all */
        c.value = value;
    }
    return c;
}

/* Groups that are off, those that are on but not open anywhere yet, and slots that none serves. */
static struct count count_of_closed(const struct perf_units *units, uint32_t group) {
    bool waits = group == NOT_SERVED || units->on[group];
    return (struct count){.value = NAN,
                          .enabled_ns = units->span_ns,
                          .state = waits ? COUNT_STALE : units->off_state};
}

static struct count count_of_group(const struct perf_units *units, uint32_t group,
                                   uint32_t counter) {
    const bool counted = group != NOT_SERVED && units->sum[group].reads > 0;
    if (units->n_fd == 0 && !counted) /* all threads have ended */
        return (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    if (group != NOT_SERVED && perf_residency_is_elsewhere(units, group))
        return (struct count){.value = NAN, .state = COUNT_ELSEWHERE};
    if (group == NOT_SERVED || (units->sum[group].reads == 0 && units->have[group] == 0))
        return count_of_closed(units, group);
    return count_of(&units->sum[group], units->value[counter],
                    units->pin_failed ? COUNT_STALE : COUNT_LOST);
}

/* A part's count makes way for that of the whole, where it is known. */
static struct count count_of_slot(const struct perf_slots *ps, const struct perf_units *units,
                                  const struct count proc[PROC_EVENTS], uint32_t i) {
    if (units->part && ps->whole[i] >= 0 && proc[ps->whole[i]].state == COUNT_OK)
        return proc[ps->whole[i]];
    struct count c = count_of_group(units, ps->group[i], ps->counter[i]);
    c.part = units->part;
    return c;
}

void perf_slots_fill(const struct perf_slots *ps, const struct perf_units *units,
                     const struct uncore *uncore, const struct count proc[PROC_EVENTS],
                     struct sample *out) {
    out->busy_ns = units->busy_ns;
    out->resident_ns = units->resident_ns;
    for (uint32_t i = 0; i < ps->n_perf; i++)
        out->at[i] = count_of_slot(ps, units, proc, i);
    for (uint32_t i = 0; i < ps->n_uncore; i++) {
        const struct uncore_event *ue = &uncore->event[ps->uncore[i].event];
        out->at[ps->uncore[i].slot] = count_of(&ue->sum, ue->value, COUNT_LOST);
    }
    for (uint32_t i = 0; i < ps->n_proc; i++) {
        const struct proc_slot *s = &ps->proc[i];
        struct count *c = &out->at[s->slot];
        *c = proc[s->what == PROC_BUSY ? PROC_UTIME_NS : s->what];
        if (s->what == PROC_BUSY)
            c->value += proc[PROC_STIME_NS].value;
        if (s->what == PROC_THREADS) /* a gauge becomes thread-seconds, which can be summed */
            c->value *= (double)(out->t1_ns - out->t0_ns) / 1e9;
    }
}
