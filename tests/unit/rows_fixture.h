/* Tables of threads and CPUs made by hand, for the model of ui_fixture.h. */
#ifndef TDTOP_TESTS_ROWS_FIXTURE_H
#define TDTOP_TESTS_ROWS_FIXTURE_H

#include "ui_fixture.h"

/* A unit of a table; what is left out is 0. */
struct made {
    int tid; /* -1: a CPU */
    const char *comm;
    double busy;     /* CPUs; the interval is 1 s unless the caller says otherwise */
    double frontend; /* shares; the backend gets 0.2, bad speculation 0.1, retiring the rest */
    double duty;     /* 0: 1 */
    int cpu;
    bool fresh, ended;
};

static void rows_table(struct unit_table *t, struct fixture *f) {
    const struct layout *l = &f->s.source.layout;
    uint16_t slot[FIXTURE_EVENTS];
    for (uint32_t i = 0; i < l->n_slot; i++)
        slot[i] = (uint16_t)i;
    assert_int_equal(unit_table_init(t, slot, l->n_slot), 0);
}

static double rows_share(const char *event, double frontend) {
    static const struct {
        const char *event;
        double share;
    } fixed[] = {{"SLOTS", 1},     {"CYCLES", 0.25},   {"BAD.MISPREDICTS", 0.1},
                 {"BE.L1", 0.2},   {"BAD.CLEARS", 0},  {"BE.L2", 0},
                 {"BE.L3", 0},     {"BE.DRAM", 0},     {"BE.PORTS", 0},
                 {"RET.HEAVY", 0}, {"FE.BANDWIDTH", 0}};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (strcmp(event, fixed[i].event) == 0)
            return fixed[i].share;
    if (strcmp(event, "FE.LATENCY") == 0)
        return frontend;
    double useful = 0.7 - frontend;
    return strcmp(event, "INSTRUCTIONS") == 0 ? useful * 0.5 : useful;
}

static void rows_add(struct unit_table *t, struct fixture *f, const struct made *m) {
    const struct layout *l = &f->s.source.layout;
    assert_int_equal(unit_table_reserve(t, t->n + 1), 0);
    struct unit_row *row = &t->row[t->n];
    double *value = t->value + (size_t)t->n++ * t->n_slot;
    *row = (struct unit_row){.pid = m->tid < 0 ? -1 : 4242,
                             .tid = m->tid,
                             .cpu = m->cpu,
                             .fresh = m->fresh,
                             .ended = m->ended};
    str_copy(row->comm, sizeof(row->comm), m->comm ? m->comm : "");
    double seconds = (double)(t->t1_ns - t->t0_ns) / (double)NS_PER_S;
    row->busy = m->busy * seconds;
    row->enabled_ns = (uint64_t)(row->busy * (double)NS_PER_S);
    row->running_ns = (uint64_t)((m->duty > 0 ? m->duty : 1) * (double)row->enabled_ns);
    for (uint32_t k = 0; k < l->n_slot; k++) {
        const char *event = f->s.model.event[l->slot[k].event].name;
        value[k] = m->busy > 0 ? rows_share(event, m->frontend) * row->busy * 12e9 : (double)NAN;
    }
}

/* The table of the interval that ends at t1_ms: n units. */
static void rows_fill(struct unit_table *t, struct fixture *f, uint64_t t0_ms, uint64_t t1_ms,
                      const struct made *m, int n) {
    t->n = t->n_hidden = 0;
    t->seq++;
    t->t0_ns = t0_ms * NS_PER_MS;
    t->t1_ns = t1_ms * NS_PER_MS;
    for (int i = 0; i < n; i++)
        rows_add(t, f, &m[i]);
}

#endif
