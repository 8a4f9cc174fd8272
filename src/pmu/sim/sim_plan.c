/*
 * What is counted of a simulated core, and when: the plan that a real core of that model would get
 * (plan.h), so that the demo shows what would be shown there. Pinned groups, and what the kernel
 * counts itself, are on all the time; the others take turns.
 */
#include "pmu/plan/plan.h"
#include "pmu/sim/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const struct sim_event *row;
    const size_t *n;
};

/* Golden Cove's table goes first for it and those that name their events like it: others share
 * names with it, but not always rates. */
static const struct table golden_cove = {sim_events, &sim_n_events},
                          others[] = {
                              {sim_atom_events, &sim_n_atom_events},
                              {sim_intel_events, &sim_n_intel_events},
                              {sim_amd_events, &sim_n_amd_events},
                              {sim_arm_events, &sim_n_arm_events},
                              {sim_kernel_events, &sim_n_kernel_events},
};

/* What the cores of different vendors call their cycles. */
static const char *const cycles_names[] = {"CPU_CLK_UNHALTED.CORE", "CPU_CLK_UNHALTED.THREAD",
                                           "ls_not_halted_cyc", "CPU_CYCLES", "cycles"};

/* ---- an event's rate ---- */

/* "LSD.*" means all that the rows before it have left. */
static bool names(const struct sim_event *row, const char *event) {
    const size_t n = strlen(row->name) - 1;
    return row->name[n] == '*' ? !strncmp(event, row->name, n) : !strcmp(event, row->name);
}

static const struct sim_event *find_in(const struct table *t, const char *event) {
    for (size_t i = 0; i < *t->n; i++)
        if (names(&t->row[i], event))
            return &t->row[i];
    return NULL;
}

static const struct sim_event *find_row(const struct model *m, const char *event) {
    const bool first = model_find_event(m, sim_events[0].name) >= 0;
    const struct sim_event *row = first ? find_in(&golden_cove, event) : NULL;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !row; i++)
        row = find_in(&others[i], event);
    return row ? row : find_in(&golden_cove, event);
}

static bool is_cycles(const char *event) {
    for (size_t i = 0; i < sizeof(cycles_names) / sizeof(cycles_names[0]); i++)
        if (!strcmp(cycles_names[i], event))
            return true;
    return false;
}

/* Something rare, always the same for a name: FNV-1a picks how rare, 1 in 1000 to 1 in 9000. */
static struct sim_slot unheard_of(const char *name) {
    uint32_t h = 2166136261u;
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return (struct sim_slot){.of = Q_INSTRUCTIONS, .factor = 1.0 / (1000 + h % 8000)};
}

static struct sim_slot slot_of(const struct model *m, const struct event *ev) {
    const struct sim_event *row = find_row(m, ev->name);
    struct sim_slot slot = unheard_of(ev->name);
    if (row)
        slot = (struct sim_slot){.of = row->of, .factor = row->factor};
    else if (is_cycles(ev->name))
        slot = (struct sim_slot){.of = Q_CYCLES, .factor = 1};
    slot.fixed = ev->fixed >= 0;
    return slot;
}

/* ---- the plan ---- */

static void fill(const struct model *m, const struct plan *p, struct layout *layout,
                 struct sim_slot *slots) {
    for (uint32_t i = 0; i < layout->n_slot; i++) {
        slots[i] = slot_of(m, &m->event[layout->slot[i].event]);
        slots[i].always = !plan_takes_turns(&p->group[layout->slot[i].group]);
    }
    while (layout->n_pinned < p->n_group && p->group[layout->n_pinned].pinned)
        layout->n_pinned++;
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].pmu == EVENT_UNCORE)
            layout->missing[i] = COUNT_NOT_SIMULATED;
}

int sim_plan(const struct model *m, const struct consts *consts, const struct sim_wish *wish,
             struct layout *layout, struct sim_slot **slots, struct err *err) {
    const struct plan_options opt = {
        .wanted = wish->wanted, .level = wish->level, .consts = consts};
    struct plan p;
    *slots = NULL;
    int rc = plan_make(&p, m, &opt, err);
    if (rc == 0 && (rc = plan_layout(layout, &p, m, &opt)) == 0) {
        *slots = calloc(layout->n_slot + 1u, sizeof(**slots));
        rc = *slots ? 0 : -ENOMEM;
        if (*slots)
            fill(m, &p, layout, *slots);
    }
    plan_free(&p);
    return rc;
}
