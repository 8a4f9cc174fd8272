/*
 * Groups as a real core would need them: what is always on the PMU (levels 1 and 2 and the clocks
 * of Golden Cove; fixed counters; what the kernel counts itself) is group 0, the rest takes turns
 * in groups that fit the counters left. Each group brings the cycles along, so that a ratio's parts
 * saw the same time.
 */
#include "model/known.h"
#include "pmu/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOW_COUNTERS 0x0full /* many events can only be counted there */

enum { LOOK_BACK = 3 }; /* groups that are still filled: keeps related events near each other */

/* What the cores of different vendors call their cycles. */
static const char *const cycles_names[] = {"CPU_CLK_UNHALTED.CORE", "CPU_CLK_UNHALTED.THREAD",
                                           "ls_not_halted_cyc", "CPU_CYCLES", "cycles"};

static const struct sim_event cycles_row = {"", Q_CYCLES, 1};

struct table {
    const struct sim_event *row;
    const size_t *n;
};

/*
 * In this order, so that the first group is level 1 of the core. Golden Cove and those that name
 * their events like it have level 1 on the PMU all the time: for them its table goes first.
 */
static const struct table golden_cove = {sim_events, &sim_n_events},
                          others[] = {
                              {sim_atom_events, &sim_n_atom_events},
                              {sim_intel_events, &sim_n_intel_events},
                              {sim_amd_events, &sim_n_amd_events},
                              {sim_arm_events, &sim_n_arm_events},
                              {sim_kernel_events, &sim_n_kernel_events},
};

struct room {
    int general, low, alone;
};

struct plan {
    const struct model *model;
    const struct consts *consts;
    struct layout *layout;
    struct sim_slot *slots;
    struct room *room; /* per group */
    bool *wanted;      /* per event */
    bool *placed;      /* per event */
    bool *seen;        /* per metric */
    int cycles;        /* event that every group has; -1: the model has none */
    int budget;        /* general counters of a group that takes turns */
};

/* ---- which events ---- */

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
    known_leaves(p->model, p->consts, m->ast, want_leaf, p);
}

/* Level 0 wants every event; else those of the nodes down to that level and of the vital signs. */
static void want(struct plan *p, const struct sim_wish *wish) {
    const bool all = !wish->wanted && wish->level <= 0;
    for (uint32_t i = 0; i < p->model->n_event; i++)
        p->wanted[i] = all;
    for (uint32_t i = 0; !all && i < p->model->n_metric; i++) {
        const struct metric *m = &p->model->metric[i];
        const bool by_level = m->vital || (m->kind == METRIC_TREE && m->level <= wish->level);
        if (wish->wanted ? wish->wanted[i] : by_level)
            want_metric(p, (int)i);
    }
}

/* ---- which group ---- */

static bool is_general(const struct event *ev) {
    return (ev->pmu == EVENT_CORE || ev->pmu == EVENT_GENERIC) && ev->fixed < 0 &&
           !ev->perf_metrics;
}

static bool is_low(const struct event *ev) {
    return ev->counters && !(ev->counters & ~LOW_COUNTERS);
}

static void add(struct plan *p, const struct sim_event *row, int event, unsigned group) {
    int slot = layout_add(p->layout, (uint16_t)event, (uint16_t)group);
    p->slots[slot] = (struct sim_slot){
        .of = row->of, .factor = row->factor, .fixed = p->model->event[event].fixed >= 0};
    p->placed[event] = true;
}

static bool fits(const struct room *r, const struct event *ev) {
    return r->general > 0 && (!is_low(ev) || r->low > 0) && (!ev->alone || r->alone > 0);
}

/* A group with room for the event; a new one begins with the cycles. */
static unsigned group_for(struct plan *p, const struct event *ev) {
    unsigned n = p->layout->n_group, first = n > LOOK_BACK + 1 ? n - LOOK_BACK : 1;
    for (unsigned g = first; g < n; g++)
        if (fits(&p->room[g], ev))
            return g;
    n = n ? n : 1; /* group 0 is for what is always on, and may be empty */
    p->room[n] = (struct room){.general = p->budget, .low = 4, .alone = 1};
    if (p->cycles >= 0) {
        add(p, &cycles_row, p->cycles, n);
        p->room[n].general -= is_general(&p->model->event[p->cycles]);
    }
    return n;
}

static void add_in_turn(struct plan *p, const struct sim_event *row, int event) {
    const struct event *ev = &p->model->event[event];
    unsigned g = group_for(p, ev);
    if (p->placed[event])
        return; /* the cycles, with which the group began */
    p->room[g].general--;
    p->room[g].low -= is_low(ev);
    p->room[g].alone -= ev->alone;
    add(p, row, event, g);
}

static void place(struct plan *p, const struct sim_event *row, int event, bool always) {
    if (event < 0 || !p->wanted[event] || p->placed[event] ||
        p->model->event[event].pmu == EVENT_UNCORE)
        return;
    if (always || !is_general(&p->model->event[event]))
        add(p, row, event, 0);
    else
        add_in_turn(p, row, event);
}

/* "LSD.*" means all that the rows before it have left. */
static void place_row(struct plan *p, const struct sim_event *row, bool always) {
    const size_t n = strlen(row->name) - 1;
    if (row->name[n] != '*') {
        place(p, row, model_find_event(p->model, row->name), always);
        return;
    }
    for (uint32_t i = 0; i < p->model->n_event; i++)
        if (!strncmp(p->model->event[i].name, row->name, n))
            place(p, row, (int)i, always);
}

static void place_table(struct plan *p, const struct table *t) {
    for (size_t i = 0; i < *t->n; i++)
        place_row(p, &t->row[i], t == &golden_cove && i < sim_n_always);
}

/* Something rare, always the same for a name: FNV-1a picks how rare, 1 in 1000 to 1 in 9000. */
static struct sim_event unheard_of(const char *name) {
    uint32_t h = 2166136261u;
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return (struct sim_event){name, Q_INSTRUCTIONS, 1.0 / (1000 + h % 8000)};
}

static void fill(struct plan *p) {
    const struct model *m = p->model;
    for (uint32_t i = 0; i < m->n_event; i++)
        p->layout->missing[i] =
            m->event[i].pmu == EVENT_UNCORE ? COUNT_NOT_SIMULATED : COUNT_NOT_PLANNED;
    const bool first = model_find_event(m, sim_events[0].name) >= 0;
    if (first)
        place_table(p, &golden_cove);
    else if (p->cycles >= 0 && !is_general(&m->event[p->cycles]))
        place(p, &cycles_row, p->cycles, true);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        place_table(p, &others[i]);
    if (!first)
        place_table(p, &golden_cove);
    for (uint32_t i = 0; i < m->n_event; i++) {
        const struct sim_event row = unheard_of(m->event[i].name);
        place(p, &row, (int)i, false);
    }
}

/* ---- the plan ---- */

/* General counters that the events which are always on do not keep. */
static int general_left(const struct model *m) {
    int n = m->general_counters ? m->general_counters : 8;
    for (size_t i = 0; i < sim_n_always; i++) {
        const int event = model_find_event(m, sim_events[i].name);
        n -= event >= 0 && is_general(&m->event[event]);
    }
    return n > 2 ? n : 2;
}

static int find_cycles(const struct model *m) {
    int event = -1;
    for (size_t i = 0; event < 0 && i < sizeof(cycles_names) / sizeof(cycles_names[0]); i++)
        event = model_find_event(m, cycles_names[i]);
    return event;
}

int sim_plan(const struct model *m, const struct consts *consts, const struct sim_wish *wish,
             struct layout *layout, struct sim_slot **slots) {
    struct plan p = {.model = m,
                     .consts = consts,
                     .layout = layout,
                     .cycles = find_cycles(m),
                     .budget = general_left(m)};
    uint32_t n = m->n_event, cap = 2 * n + 2; /* at worst each event in a group with cycles */
    int rc = layout_init(layout, n, COUNT_NOT_SUPPORTED, cap);
    if (rc < 0)
        return rc;
    p.slots = calloc(cap, sizeof(*p.slots));
    p.room = calloc(cap, sizeof(*p.room));
    p.wanted = calloc(n + 1, sizeof(*p.wanted));
    p.placed = calloc(n + 1, sizeof(*p.placed));
    p.seen = calloc(m->n_metric + 1, sizeof(*p.seen));
    rc = p.slots && p.room && p.wanted && p.placed && p.seen ? 0 : -ENOMEM;
    if (rc == 0) {
        want(&p, wish);
        fill(&p);
    }
    free(p.room);
    free(p.wanted);
    free(p.placed);
    free(p.seen);
    *slots = p.slots;
    return rc;
}
