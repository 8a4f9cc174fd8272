/* What `tdtop plan` shows: a plan, and who reads what of it. */
#ifndef TDTOP_CLI_PLAN_VIEW_H
#define TDTOP_CLI_PLAN_VIEW_H

#include "model/eval/eval.h"
#include "model/load/model.h"
#include "pmu/plan/focus.h"
#include "pmu/plan/plan.h"

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
    bool *shown;        /* [n_metric] asked for, or referred to by such */
    bool *reads;        /* [n_metric][n_group] its own formula reads an event there */
    bool *named;        /* [n_metric][n_event] its own formula names the event */
    double *duty;       /* [n_group] all of them on */
    struct frame split; /* with these duties the parts of which metrics see different times */
};

/* Fills the rest from model, consts, opt and asked, which are the view's own from then on. 0 or a
 * negative errno with words; plan_view_free either way. */
int plan_view_init(struct plan_view *v, struct err *err);
void plan_view_free(struct plan_view *v); /* accepts a zeroed one */

/* General counters that it is planned for; 0, unless opt.probed: not known how many there are. */
int plan_view_general(const struct plan_view *v);

/* Does the metric's own formula read an event in the group, name the event? */
bool plan_view_reads(const struct plan_view *v, uint32_t metric, uint32_t group);
bool plan_view_names(const struct plan_view *v, uint32_t metric, uint32_t event);

/* Will the screen mark it then (÷)? */
bool plan_view_split(const struct plan_view *v, uint32_t metric);
/* Calls each with those that are marked, too, and whose values the metric's own formula reads. */
void plan_view_inherited(const struct plan_view *v, uint32_t metric,
                         void (*each)(void *user, const char *name), void *user);
/* True if the group does not count all the time. */
bool plan_view_turns(const struct plan_view *v, uint32_t group);

/* The least duty of the groups that a metric's own formula reads; NAN if it reads none. */
double plan_view_duty(const struct plan_view *v, uint32_t metric, const double *duty);

/* What opening a node of the tree costs: its children and the path to it, beside what is always in
 * focus. METRIC_NONE: nothing is open; then its metrics are those of levels 1 and 2. */
struct plan_opening {
    uint32_t n_metric; /* its children */
    uint32_t n_group;  /* on, of those that take turns */
    double duty;       /* least of its children; NAN if they read no group themselves */
};
/* 0 or -ENOMEM. */
int plan_view_open(const struct plan_view *v, int node, struct plan_opening *out);

/* What a level of the tree costs; level 0: the metrics beside it. */
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
