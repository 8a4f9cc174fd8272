/*
 * Groups as a real core would need them: levels 1 and 2 and the clocks stay on the PMU, the rest
 * takes turns in groups that fit the counters left. Each group brings the cycles along on their
 * fixed counter, so that a ratio's parts saw the same time.
 */
#include "model/expr.h"
#include "pmu/sim.h"

#include <errno.h>
#include <stdlib.h>

#define LOW_COUNTERS 0x0full /* many events can only be counted there */

enum { LOOK_BACK = 3 }; /* groups that are still filled: keeps related events near each other */
enum { CYCLES = 10 };   /* sim_events[] of the fixed counter every group has */

struct room {
    int general, low, alone;
};

struct plan {
    const struct model *model;
    struct layout *layout;
    struct sim_slot *slots;
    struct room *room; /* per group */
    bool *wanted;      /* per event */
    bool *seen;        /* per metric */
    int budget;        /* general counters of a group that takes turns */
};

static void want_metric(struct plan *p, int metric);

static void want_leaf(const struct ast *leaf, void *user) {
    struct plan *p = user;
    if (leaf->op == AST_EVENT)
        p->wanted[leaf->index] = true;
    else if (leaf->op == AST_METRIC)
        want_metric(p, leaf->index);
}

static void want_metric(struct plan *p, int metric) {
    const struct metric *m = &p->model->metric[metric];
    if (p->seen[metric] || !m->ast)
        return;
    p->seen[metric] = true;
    expr_leaves(m->ast, want_leaf, p);
}

/* Level 0 wants every event; else those of the nodes down to that level and of the vital signs. */
static void want(struct plan *p, int level) {
    for (uint32_t i = 0; i < p->model->n_event; i++)
        p->wanted[i] = level <= 0;
    for (uint32_t i = 0; level > 0 && i < p->model->n_metric; i++) {
        const struct metric *m = &p->model->metric[i];
        if (m->vital || (m->kind == METRIC_TREE && m->level <= level))
            want_metric(p, (int)i);
    }
}

static void add(struct plan *p, size_t row, int event, unsigned group) {
    int slot = layout_add(p->layout, (uint16_t)event, (uint16_t)group);
    p->slots[slot] =
        (struct sim_slot){.event = (uint16_t)row, .fixed = p->model->event[event].fixed >= 0};
}

static bool fits(const struct room *r, const struct event *ev) {
    bool low = ev->counters && !(ev->counters & ~LOW_COUNTERS);
    return r->general > 0 && (!low || r->low > 0) && (!ev->alone || r->alone > 0);
}

/* A group with room for the event; a new one begins with the cycles. */
static unsigned group_for(struct plan *p, const struct event *ev, int cycles) {
    unsigned n = p->layout->n_group, first = n > LOOK_BACK + 1 ? n - LOOK_BACK : 1;
    for (unsigned g = first; g < n; g++)
        if (fits(&p->room[g], ev))
            return g;
    p->room[n] = (struct room){.general = p->budget, .low = 4, .alone = 1};
    if (cycles >= 0)
        add(p, CYCLES, cycles, n);
    return n;
}

static void add_in_turn(struct plan *p, size_t row, int event, int cycles) {
    const struct event *ev = &p->model->event[event];
    unsigned g = group_for(p, ev, cycles);
    p->room[g].general--;
    p->room[g].low -= ev->counters && !(ev->counters & ~LOW_COUNTERS);
    p->room[g].alone -= ev->alone;
    add(p, row, event, g);
}

static void fill(struct plan *p) {
    const struct model *m = p->model;
    int cycles = model_find_event(m, sim_events[CYCLES].name);
    for (uint32_t i = 0; i < m->n_event; i++)
        p->layout->missing[i] = m->event[i].pmu == EVENT_UNCORE ? COUNT_UNCORE
                                : p->wanted[i]                  ? COUNT_NOT_SUPPORTED
                                                                : COUNT_NOT_PLANNED;
    for (size_t row = 0; row < sim_n_events; row++) {
        int event = model_find_event(m, sim_events[row].name);
        if (event < 0 || !p->wanted[event])
            continue;
        if (row < sim_n_always || m->event[event].fixed >= 0)
            add(p, row, event, 0);
        else
            add_in_turn(p, row, event, cycles);
    }
}

int sim_plan(const struct model *m, int level, struct layout *layout, struct sim_slot **slots) {
    enum { ALWAYS_ON_GENERAL = 2 }; /* UOP_DROPPING and DISTRIBUTED keep a counter each */
    int general = m->general_counters ? m->general_counters : 8;
    struct plan p = {.model = m, .layout = layout, .budget = general - ALWAYS_ON_GENERAL};
    uint32_t n = m->n_event, cap = 2 * n + 1; /* at worst each event in a group with cycles */
    int rc = layout_init(layout, n, COUNT_NOT_SUPPORTED, cap);
    if (rc < 0)
        return rc;
    p.slots = calloc(cap, sizeof(*p.slots));
    p.room = calloc(cap, sizeof(*p.room));
    p.wanted = calloc(n + 1, sizeof(*p.wanted));
    p.seen = calloc(m->n_metric + 1, sizeof(*p.seen));
    rc = p.slots && p.room && p.wanted && p.seen ? 0 : -ENOMEM;
    if (rc == 0) {
        want(&p, level);
        fill(&p);
        if (!layout->n_slot)
            rc = -EINVAL;
    }
    free(p.room);
    free(p.wanted);
    free(p.seen);
    *slots = p.slots;
    return rc;
}
