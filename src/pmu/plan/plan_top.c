/*
 * Which groups of a plan are always in focus. Which group a formula reads is decided when it is
 * bound to a layout (eval.h), so the plan is taken for a layout and the answer is asked for there:
 * what the session will ask for is then what the source has opened at first.
 */
#include "model/eval/eval.h"
#include "pmu/plan/focus.h"
#include "pmu/plan/plan.h"

#include <errno.h>
#include <stdlib.h>

int plan_layout(struct layout *l, const struct plan *p, const struct model *m,
                const struct plan_options *opt) {
    int rc = layout_init(l, m->n_event, COUNT_NOT_PLANNED, p->n_event);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < m->n_event; i++)
        l->missing[i] = p->missing[i];
    for (uint32_t g = 0; g < p->n_group; g++)
        for (uint32_t i = 0; i < p->group[g].n; i++)
            layout_add(l, p->event[p->group[g].first + i], (uint16_t)g);
    l->no_perf_metrics = opt->no_perf_metrics;
    return 0;
}

static void mark(struct plan *p, const struct focus *f, const bool *none) {
    struct group_set top, level1 = {.only = true};
    focus_want(f, none, &top);
    for (uint32_t i = 0; i < f->model->n_metric; i++)
        if (f->model->metric[i].kind == METRIC_TREE && f->model->metric[i].level == 1)
            for (int w = 0; w < FOCUS_WORDS; w++)
                level1.bits[w] |= f->groups[(size_t)i * FOCUS_WORDS + (size_t)w];
    for (uint32_t g = 0; g < p->n_group; g++) {
        p->group[g].top = group_set_has(&top, g) || p->group[g].slots;
        p->group[g].level1 = group_set_has(&level1, g) || p->group[g].slots;
        p->group[g].level1_values =
            g < FOCUS_WORDS * 64 && (f->level1.bits[g / 64] >> (g % 64) & 1);
    }
}

int plan_mark_top(struct plan *p, const struct model *m, const struct plan_options *opt,
                  struct err *err) {
    struct layout layout = {0};
    struct eval ev = {0};
    struct focus focus = {0};
    struct consts consts;
    consts_init(&consts);
    bool *none = calloc(m->n_metric + 1u, sizeof(*none));
    int rc = none ? plan_layout(&layout, p, m, opt) : -ENOMEM;
    if (rc)
        err_set(err, rc, "out of memory for the event plan");
    else
        rc = eval_init(&ev, m, &layout, opt->consts ? opt->consts : &consts, err);
    if (!rc && (rc = focus_init(&focus, m, &layout, &ev)) < 0)
        err_set(err, rc, "out of memory for the focus");
    if (!rc)
        mark(p, &focus, none);
    focus_destroy(&focus);
    eval_destroy(&ev);
    layout_destroy(&layout);
    free(none);
    return rc;
}
