/*
 * Which nodes of a tree are open, which rows that makes, and which row is selected. Knows no
 * canvas. Rows keep the order of the model: what is open may change, the order never. Siblings with
 * nothing to say are one row together, below the others. Below the tree stands one row for the
 * metrics beside it. Both open like a branch.
 */
#ifndef TDTOP_UI_OUTLINE_H
#define TDTOP_UI_OUTLINE_H

#include "model/load/model.h"
#include "ui/draw/list.h"

/* Who opened or closed a branch. What a user decided, nobody else undoes. */
enum outline_by { BY_START, BY_USER, BY_PATH };

struct outline {
    const struct model *model; /* borrowed */
    bool *open;                /* [n_tree]; leaves are never open */
    uint8_t *by;               /* [n_tree] enum outline_by, of its state now */
    bool *quiet;               /* [n_tree] nor has anything below it something to say */
    uint64_t *loud_ns;         /* [n_tree] when it last had */
    bool beside;               /* the metrics beside the tree are open */
    int *row; /* [n_metric + 1] what each row is: outline_at, outline_fold; METRIC_NONE: the heading
                 of those beside */
    int kept; /* what was selected when they were made: it is no part of a row of quiet ones */
    struct list list;
};

/* Open down to `level` (1 shows the roots alone); small trees show what is beside them. 0 or
 * -ENOMEM. */
int outline_init(struct outline *o, const struct model *m, int level);
void outline_destroy(struct outline *o);

/* The metric of row i, of a row of quiet siblings their parent; METRIC_NONE: the heading. */
int outline_at(const struct outline *o, int i);
int outline_fold(const struct outline *o, int i); /* whose quiet children row i is; METRIC_NONE */
/* True for a child that the row of quiet siblings of its parent stands for, if there is one. */
bool outline_is_folded(const struct outline *o, int metric);
int outline_metric(const struct outline *o); /* that of the selected row */
/*
 * A moment of the tree: which nodes have something to say. Two or more siblings that had nothing
 * for 10 s (`live`; else: have nothing) fold, but for the selected one and where the user opened
 * the branch.
 */
void outline_hear(struct outline *o, bool (*loud)(const void *user, int metric), const void *user,
                  uint64_t now_ns, bool live);
/* Opens all ancestors of a metric and selects it. */
void outline_go(struct outline *o, int metric);
/* What is selected, and what of the rows is on the screen: to come back to it. */
struct outline_place {
    int metric, top;
    bool beside;
};
struct outline_place outline_place(const struct outline *o);
/* What was opened meanwhile stays open, but for the metrics beside the tree. */
void outline_return(struct outline *o, const struct outline_place *to);
/* Opens the ancestors of a metric; the selected node stays selected. */
void outline_reveal(struct outline *o, int metric);

void outline_open(struct outline *o);  /* the selected node; if it is open, its first child */
void outline_close(struct outline *o); /* the selected node; if it is closed, its parent */
void outline_toggle(struct outline *o);
void outline_level(struct outline *o, int level);
/* As after outline_init: nothing was decided by anybody. */
void outline_forget(struct outline *o, int level);
bool outline_is_all_open(
    const struct outline *o); /* the tree is; what is beside it may be closed */

/*
 * For a path that opens itself: opens a branch and those above it, unless the user closed one of
 * them; closes one that was opened so. The selected node stays selected. Both return whether they
 * changed anything.
 */
bool outline_path_open(struct outline *o, int metric);
bool outline_path_close(struct outline *o, int metric);
bool outline_path_opened(const struct outline *o, int metric);
/* Selects a metric, or the closed branch that it lies in. Opens nothing. */
void outline_show(struct outline *o, int metric);
/* True if the metric is `below` or lies below it. */
bool outline_is_below(const struct outline *o, int metric, int below);

#endif
