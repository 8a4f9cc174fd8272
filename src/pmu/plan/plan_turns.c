/*
 * Groups take turns as the kernel lets them (kernel/events/core.c: rotate_ctx, merge_sched_in): at
 * each tick the first of those on the PMU goes to the end of the line; then they go on from the
 * front until one does not fit, and none behind that one is tried. So small groups that are
 * neighbours share a turn.
 */
#include "pmu/plan/plan.h"
#include "pmu/plan/plan_fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
    uint32_t *group; /* of the plan, in the order in which they are opened */
    uint32_t n;
};

bool plan_competes(const struct plan_group *pg) {
    return pg->pmu == EVENT_CORE || pg->pmu == EVENT_GENERIC;
}

bool plan_takes_turns(const struct plan_group *pg) {
    return plan_competes(pg) && !pg->pinned;
}

static struct event_set events_of(const struct plan *p, uint32_t group) {
    struct event_set out = {0};
    for (uint32_t i = 0; i < p->group[group].n; i++)
        set_add(&out, p->event[p->group[group].first + i]);
    return out;
}

/* How many of the line are on the PMU when the one at `first` is at its front. One always is: what
 * does not fit by itself is split by the kernel's answer when it is opened. */
static uint32_t one_turn(const struct line *ln, const struct fit *fit, const struct event_set *all,
                         uint32_t first) {
    struct fit_taken t;
    uint32_t n = 0;
    fit_begin(fit, &t);
    while (n < ln->n && (fit_add_group(fit, &t, &all[ln->group[(first + n) % ln->n]]) || n == 0))
        n++;
    return n;
}

static void rotate(const struct line *ln, const struct fit *fit, const struct event_set *all,
                   double *duty) {
    for (uint32_t first = 0; first < ln->n; first++) {
        uint32_t n = one_turn(ln, fit, all, first);
        for (uint32_t i = 0; i < n; i++)
            duty[ln->group[(first + i) % ln->n]] += 1.0 / ln->n;
    }
}

/* ---- one group ---- */

static uint64_t fixed_of(const struct event *ev) {
    return ev->fixed >= 0 ? 1ull << ev->fixed : 0;
}

static bool find_same(const struct model *m, const uint16_t *event, uint32_t i, uint16_t *same) {
    for (uint32_t k = 0; k < i; k++)
        if (plan_same_count(&m->event[event[k]], &m->event[event[i]])) {
            *same = event[k];
            return true;
        }
    return false;
}

/* The fixed counters that are not free for a group: the watchdog's and the pinned group's. */
static uint64_t fixed_elsewhere(const struct plan *p, const struct fit *fit, uint32_t group) {
    uint64_t taken = fit->fixed_taken;
    for (uint32_t g = 0; g < p->n_group; g++)
        for (uint32_t i = 0; i < p->group[g].n && p->group[g].pinned && g != group; i++)
            taken |= fixed_of(&fit->model->event[p->event[p->group[g].first + i]]);
    return taken;
}

void plan_seats(const struct plan *p, const struct model *m, const struct plan_options *opt,
                uint32_t group, struct plan_seat *seat) {
    const struct plan_group *pg = &p->group[group];
    struct fit fit;
    fit_init(&fit, m, opt);
    uint64_t fixed = fixed_elsewhere(p, &fit, group);
    for (uint32_t i = 0; i < pg->n; i++) {
        const struct event *ev = &m->event[p->event[pg->first + i]];
        struct plan_seat *s = &seat[i];
        *s = (struct plan_seat){.kind = plan_competes(pg) ? SEAT_GENERAL : SEAT_NONE, .fixed = -1};
        s->counters = ev->counters ? ev->counters & fit.free : fit.free;
        if (!plan_competes(pg))
            continue;
        if (ev->perf_metrics) {
            s->kind = SEAT_METRIC;
        } else if (find_same(m, &p->event[pg->first], i, &s->same_as)) {
            s->kind = SEAT_SHARED;
        } else if (fixed_of(ev) & ~fixed) {
            fixed |= fixed_of(ev);
            s->kind = SEAT_FIXED;
            s->fixed = ev->fixed;
        }
    }
}

/* ---- all of them in turns ---- */

int plan_duty(const struct plan *p, const struct model *m, const struct plan_options *opt,
              const bool *on, double *duty) {
    struct fit fit;
    struct event_set *all = calloc(p->n_group + 1u, sizeof(*all));
    struct line ln = {.group = calloc(p->n_group + 1u, sizeof(*ln.group))};
    int rc = all && ln.group ? 0 : -ENOMEM;
    fit_init(&fit, m, opt);
    for (uint32_t g = 0; g < p->n_group && !rc; g++) {
        const struct plan_group *pg = &p->group[g];
        bool is_on = !on || on[g], turns = plan_takes_turns(pg);
        all[g] = events_of(p, g);
        duty[g] = !is_on || turns ? 0.0 : pg->pmu == EVENT_UNCORE ? NAN : 1.0;
        if (is_on && pg->pinned)
            fit_hold(&fit, &all[g]);
        if (is_on && turns)
            ln.group[ln.n++] = g;
    }
    if (!rc)
        rotate(&ln, &fit, all, duty);
    free(all);
    free(ln.group);
    return rc;
}

/* ---- level 1 first ---- */

static bool is_first(const struct plan_group *pg) {
    return pg->level1_values && plan_takes_turns(pg);
}

int plan_level1_turns(const struct plan *p, const struct model *m, const struct plan_options *opt,
                      bool *turn, uint32_t *n) {
    const double enough = 0.5;
    double *duty = calloc(p->n_group + 1u, sizeof(*duty));
    int rc = duty ? plan_duty(p, m, opt, NULL, duty) : -ENOMEM;
    bool lacks = false;
    uint32_t n_other = 0;
    *n = 0;
    for (uint32_t g = 0; g < p->n_group && !rc; g++) {
        turn[g] = is_first(&p->group[g]);
        *n += turn[g];
        lacks |= turn[g] && duty[g] < enough;
        n_other += !turn[g] && plan_takes_turns(&p->group[g]);
    }
    free(duty);
    if (rc || (lacks && n_other > 0))
        return rc;
    memset(turn, 0, p->n_group * sizeof(*turn));
    *n = 0;
    return 0;
}

double plan_level1_share(uint32_t n) {
    const double one = 0.55, several = 0.8; /* the others must not starve */
    return n <= 1 ? one : several;
}
