/*
 * Which nodes of a tree are open, which rows that makes, and which row is selected. Knows no
 * canvas. Rows keep the order of the model: what is open may change, the order never. Below the
 * tree stands one row for the metrics beside it, which opens like a branch.
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
    bool beside;               /* the metrics beside the tree are open */
    int *row; /* [n_metric + 1] metric of each row; METRIC_NONE: the heading of those beside */
    struct list list;
};

/* Open down to `level` (1 shows the roots alone); small trees show what is beside them. 0 or
 * -ENOMEM. */
int outline_init(struct outline *o, const struct model *m, int level);
void outline_destroy(struct outline *o);

int outline_metric(const struct outline *o); /* selected metric, or METRIC_NONE */
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
