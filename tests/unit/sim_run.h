/* Runs of the simulated core, evaluated like any other. */
#ifndef TDTOP_TESTS_SIM_RUN_H
#define TDTOP_TESTS_SIM_RUN_H

#include "model/run/run.h"
#include "pmu/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void sim_run_must(int rc, const struct err *err) {
    if (rc == 0)
        return;
    fprintf(stderr, "simulated run: %s\n", err ? err->text : "out of memory");
    abort();
}

static inline void sim_run_events(struct run *r, const struct model *m, const struct layout *l) {
    sim_run_must(layout_copy(&r->layout, l), NULL);
    r->event = calloc(m->n_event + 1u, sizeof(*r->event));
    for (uint32_t i = 0; i < m->n_event; i++)
        r->event[i] = strdup(m->event[i].name);
}

/* `n` intervals after the first `skip`, without values yet. */
static inline void sim_run_counts(struct run *r, const struct model *m, uint64_t seed, int level,
                                  int skip, int n) {
    struct err err = {0};
    struct source src;
    struct sample s = {0};
    struct source_options opt = {.seed = seed, .interval_ns = 1000000000, .level = level};
    consts_init(&opt.consts);
    sim_run_must(source_open(&src, &source_sim, m, &opt, &err), &err);
    *r = (struct run){.interval_ns = opt.interval_ns, .simulated = true};
    run_new_id(r->id);
    sim_run_events(r, m, &src.layout);
    sim_run_must(run_set_consts(r, &src.consts), NULL);
    sim_run_must(series_init(&r->series, &r->layout, 0), NULL);
    sim_run_must(sample_init(&s, r->layout.n_slot), NULL);
    for (int i = 0; i < skip + n; i++) {
        sim_run_must(src.ops->read(&src, &s, &err), &err);
        if (i >= skip)
            sim_run_must(series_push(&r->series, &s), NULL);
    }
    r->model = strdup(m->name);
    r->model_text = strdup(model_text(m));
    r->t0_ns = series_begin_ns(&r->series);
    r->t1_ns = series_end_ns(&r->series);
    r->begun_ns = 1700000000000000000 + (int64_t)r->t0_ns;
    r->ended_ns = 1700000000000000000 + (int64_t)r->t1_ns;
    r->measured_ns = r->t1_ns - r->t0_ns;
    sample_destroy(&s);
    source_close(&src);
}

/* The same with values. The model is loaded already: binding it anew each time takes longest. */
static inline void sim_run(struct run *r, const struct model *m, uint64_t seed, int level, int skip,
                           int n) {
    struct err err = {0};
    struct eval ev;
    sim_run_counts(r, m, seed, level, skip, n);
    sim_run_must(eval_init(&ev, m, &r->layout, &r->consts, &err), &err);
    sim_run_must(run_evaluate(r, m, &ev, &err), &err);
    eval_destroy(&ev);
}

#endif
