/*
 * Which rows were counted in the same time? perf prints events group after group but not where a
 * group ends. Signs of an end, strongest first:
 *
 *   1. the running time changes while counters were shared: groups take turns (and another run of
 *      perf stat in the same file is another time)
 *   2. an event comes again: no group has an event twice, so the end lies somewhere between the
 *      two
 *
 * Where it is between them is told by, in this order:
 *
 *   a. where running times change at all, if they are not all equal there: the events of a group
 *      are mostly read together
 *
 *   b. where the most formulas of the model keep their events together: perf -M counts the events
 *      of a metric as a group
 *
 *   c. before the first row with a metric beside it, as the first event of a group mostly has one;
 *      so may others of the group, so that this comes late
 *
 *   d. before the second of the two if the first began its group, else behind the first
 *
 * Examples (Zen 4, all shares equal): the cycles stand behind the events that they belong to, or
 * between them, so "the last cycles seen" would divide by another group's; and in the group of
 * bad_speculation, "retiring" is printed beside the last event.
 */
#include "pmu/replay/replay_plan.h"

#include "pmu/plan/plan_demand.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 64 }; /* events of a hardware group: no PMU has more counters */

/* perf reads the events of a group one after another, so their running times differ by the time of
 * a read: up to 6e-6 of the interval in recordings of whole machines. Turns of 4 ms are longer. */
#define SAME_TIME 5e-5

static bool changes(const struct replay_place *a, const struct replay_place *b) {
    if (a->block != b->block)
        return true;
    if (!a->counted || !b->counted || (a->share >= 1 && b->share >= 1))
        return false;
    if (isnan(a->runtime_ns) || isnan(b->runtime_ns))
        return fabs(a->share - b->share) > 1e-9;
    return fabs(a->runtime_ns - b->runtime_ns) > SAME_TIME * fmax(a->runtime_ns, b->runtime_ns);
}

/* The row from begin to at-1 with the same event as `at`, or at. */
static uint32_t find_same(const struct replay_place *place, uint32_t begin, uint32_t at) {
    for (uint32_t i = begin; i < at; i++)
        if (place[i].event == place[at].event)
            return i;
    return at;
}

/* --- a: running times --- */

static bool same_reading(const struct replay_place *a, const struct replay_place *b) {
    return a->counted == b->counted && a->share == b->share &&
           (a->runtime_ns == b->runtime_ns || isnan(a->runtime_ns) || isnan(b->runtime_ns));
}

/* --- b: formulas --- */

/* The formulas that two or more of the recorded events are in. */
struct formulas {
    struct event_set *set; /* [n] */
    uint32_t n;
    uint32_t *low, *high; /* [n_event] of the model: first and last row of the window that has it */
};

static int find_formulas(struct formulas *f, const struct replay_plan *p) {
    const struct model *m = p->model;
    struct demand_from from = {.model = m, .no_perf_metrics = true};
    uint8_t *blocked = malloc(m->n_event + 1u);
    f->set = calloc(m->n_metric + 1u, sizeof(*f->set));
    f->low = calloc(m->n_event + 1u, sizeof(*f->low));
    f->high = calloc(m->n_event + 1u, sizeof(*f->high));
    if (!blocked || !f->set || !f->low || !f->high) {
        free(blocked);
        return -ENOMEM;
    }
    memset(blocked, COUNT_ABSENT, m->n_event + 1u);
    for (uint32_t i = 0; i < p->event_names.n; i++)
        for (uint32_t k = 0; k < p->event[i].n_target; k++) {
            const uint16_t event = p->event[i].target[k].event;
            blocked[event] = COUNT_OK;
            from.no_perf_metrics &= !m->event[event].perf_metrics;
        }
    from.blocked = blocked;
    consts_init(&from.consts);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct demand d = demand_of(&from, demand_formula(&from, &m->metric[i]));
        if (d.events.n > 1)
            f->set[f->n++] = d.events;
    }
    free(blocked);
    return 0;
}

static void free_formulas(struct formulas *f) {
    free(f->set);
    free(f->low);
    free(f->high);
}

/* Where the model's events are in rows begin..end-1. */
static void locate(struct formulas *f, const struct replay_plan *p, uint32_t begin, uint32_t end) {
    memset(f->low, 0xff, p->model->n_event * sizeof(*f->low));
    for (uint32_t i = begin; i < end; i++) {
        const struct replay_event *e = &p->event[p->place[i].event];
        for (uint32_t k = 0; k < e->n_target; k++) {
            const uint16_t event = e->target[k].event;
            f->low[event] = f->low[event] < i ? f->low[event] : i;
            f->high[event] = i;
        }
    }
}

/* How many formulas have all their events on one side of a cut before row `begin + i`: whole[i], i
 * up to n. */
static void count_whole(const struct formulas *f, uint32_t begin, uint32_t n, uint32_t *whole) {
    memset(whole, 0, (n + 1) * sizeof(*whole));
    for (uint32_t k = 0; k < f->n; k++) {
        uint32_t behind = 0,
                 before = UINT32_MAX; /* whole if cut behind the one or before the other */
        for (uint32_t i = 0; i < f->set[k].n && behind != UINT32_MAX; i++) {
            const uint16_t event = f->set[k].at[i];
            behind = f->low[event] > behind ? f->low[event] : behind;
            before =
                f->low[event] != UINT32_MAX && f->high[event] < before ? f->high[event] : before;
        }
        for (uint32_t i = 0; i <= n && behind != UINT32_MAX; i++)
            whole[i] += begin + i > behind || begin + i <= before;
    }
}

/* --- the cut --- */

/* Candidates: rows from + 0..n, before one of which the group ends. */
struct cuts {
    uint32_t from, n;
    bool in[GROUP_MAX + 1];
};

static void keep_changes(struct cuts *c, const struct replay_place *place) {
    bool any = false;
    for (uint32_t i = 0; i <= c->n; i++)
        any |= !same_reading(&place[c->from + i - 1], &place[c->from + i]);
    for (uint32_t i = 0; any && i <= c->n; i++)
        c->in[i] = !same_reading(&place[c->from + i - 1], &place[c->from + i]);
}

static void keep_whole(struct cuts *c, struct formulas *f, const struct replay_plan *p,
                       uint32_t begin, uint32_t second) {
    uint32_t whole[GROUP_MAX + 1], most = 0, end = second + 1;
    while (end < p->n_place && end < second + GROUP_MAX &&
           !changes(&p->place[end - 1], &p->place[end]) && find_same(p->place, second, end) == end)
        end++;
    locate(f, p, begin, end);
    count_whole(f, c->from, c->n, whole);
    for (uint32_t i = 0; i <= c->n; i++)
        most = c->in[i] && whole[i] > most ? whole[i] : most;
    for (uint32_t i = 0; i <= c->n; i++)
        c->in[i] &= whole[i] == most;
}

/* The group from `begin` on holds `first`, and `second` is the same event: where does it end? */
static uint32_t find_cut(const struct replay_plan *p, struct formulas *f, uint32_t begin,
                         uint32_t first, uint32_t second) {
    struct cuts c = {.from = first + 1, .n = second - first - 1};
    if (c.n > GROUP_MAX)
        return first == begin ? second : first + 1;
    memset(c.in, true, sizeof(c.in));
    keep_changes(&c, p->place);
    keep_whole(&c, f, p, begin, second);
    uint32_t best = UINT32_MAX, titled = UINT32_MAX;
    for (uint32_t i = 0; i <= c.n; i++) {
        const uint32_t at = first == begin ? c.n - i : i; /* the likelier first */
        if (c.in[at] && best == UINT32_MAX)
            best = at;
        if (c.in[at] && titled == UINT32_MAX && p->place[c.from + at].titled)
            titled = at;
    }
    if (titled == UINT32_MAX || (first == begin && best == c.n))
        return c.from + best;
    return c.from + titled;
}

static void form(struct replay_plan *p, struct formulas *f) {
    uint32_t begin = 0;
    uint16_t group = 0;
    for (uint32_t at = 0; at < p->n_place; at++) {
        uint32_t cut = begin, same = find_same(p->place, begin, at);
        if (at > begin && changes(&p->place[at - 1], &p->place[at]))
            cut = at;
        else if (same < at)
            cut = find_cut(p, f, begin, same, at);
        if (cut > begin) {
            group++;
            begin = cut;
            for (uint32_t i = begin; i < at; i++) /* rows that turned out to be of this group */
                p->place[i].group = group;
        }
        p->place[at].group = group;
    }
}

int replay_form_groups(struct replay_plan *p) {
    struct formulas f = {.n = 0};
    const int rc = find_formulas(&f, p);
    if (rc == 0)
        form(p, &f);
    free_formulas(&f);
    return rc;
}
