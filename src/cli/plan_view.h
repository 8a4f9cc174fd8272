/* What `tdtop plan` shows: a plan, and who reads what of it. */
#ifndef TDTOP_CLI_PLAN_VIEW_H
#define TDTOP_CLI_PLAN_VIEW_H

#include "model/eval.h"
#include "model/focus.h"
#include "model/model.h"
#include "pmu/plan.h"

struct plan_view {
    struct model model;
    char why_model[256];
    char assumed[160]; /* what the plan takes for granted, or "" */
    struct consts consts;
    struct plan_options opt;
    bool *asked; /* [n_metric] what --nodes selects, or NULL */
    struct plan plan;
    struct layout layout;
    struct eval eval;
    struct focus focus;
    bool *shown;  /* [n_metric] asked for, or referred to by such */
    bool *reads;  /* [n_metric][n_group] its own formula reads an event there */
    bool *named;  /* [n_metric][n_event] its own formula names the event */
    double *duty; /* [n_group] all of them on */
};

/* Fills the rest from model, consts, opt and asked, which are the view's own from then on. */
int plan_view_init(struct plan_view *v, struct err *err);
void plan_view_free(struct plan_view *v); /* accepts a zeroed one */

bool plan_view_reads(const struct plan_view *v, uint32_t metric, uint32_t group);
bool plan_view_names(const struct plan_view *v, uint32_t metric, uint32_t event);

/* The least duty of the groups that a metric's own formula reads; NAN if it reads none. */
double plan_view_duty(const struct plan_view *v, uint32_t metric, const double *duty);

/* What opening a node of the tree costs: its children and the path to it, beside what is always in
 * focus. METRIC_NONE: nothing is open; then its metrics are those of levels 1 and 2. */
struct plan_opening {
    uint32_t n_metric; /* its children */
    uint32_t n_group;  /* on, of those that take turns */
    double duty;       /* least of its children; NAN if they read no group themselves */
};
int plan_view_open(const struct plan_view *v, int node, struct plan_opening *out);

/*
 * What a part of the metrics costs: of a level of the tree; level 0: of those beside it.
 */
struct plan_level {
    uint32_t n_metric; /* that read a group themselves */
    uint32_t n_group;
    double least, most; /* duty of such a metric; NAN if there is none */
};
struct plan_level plan_view_level(const struct plan_view *v, int level);

/* "fixed 1", "general 0-3", "as CPU_CYCLES". Returns buf. */
const char *plan_seat_words(const struct plan_view *v, const struct plan_seat *seat, char *buf,
                            size_t cap);

/* Each prints all of it; verbose: every event and every name. */
void plan_print_text(const struct plan_view *v, bool verbose);
void plan_print_json(const struct plan_view *v);

#endif
