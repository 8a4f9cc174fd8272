/*
 * The rows of the metrics view: every metric beside the tree (its nodes, too, on a key) in groups,
 * filtered by what is typed and in the order that was chosen. A metric that is in several groups
 * stands once, in the largest of them, so that a screenful is a screenful of different things; a
 * filter that names another group of it finds it all the same. Knows no canvas.
 */
#ifndef TDTOP_UI_METRICS_H
#define TDTOP_UI_METRICS_H

#include "model/knowledge/explain.h"
#include "model/load/frame.h"
#include "model/load/model.h"
#include "ui/draw/list.h"
#include "ui/scene/search.h"

#include <stdbool.h>
#include <stdint.h>

enum metrics_order {
    METRICS_BY_GROUP,
    METRICS_BY_NAME,
    METRICS_BY_VALUE, /* below headings of their units: others cannot be compared */
    METRICS_BY_DUTY,  /* the least first, and last what is not known */
    METRICS_ORDERS,
};

struct metrics_group {
    char name[48];
    const char *words; /* what the vendor's short name stands for, or NULL */
    int n;             /* metrics that have their place here */
    bool tree;         /* nodes below a root of the tree */
    bool closed;
};

struct metrics_row {
    int metric;          /* METRIC_NONE: a heading */
    int group;           /* of the heading; -1: it cannot be opened and closed */
    const char *heading; /* NULL for metrics */
    int n;               /* metrics below the heading */
};

struct metrics {
    const struct model *model; /* borrowed; NULL: not made yet */
    struct metrics_group *group;
    int n_group;
    int *home;                     /* [n_metric] its group */
    bool *lacks;                   /* [n_metric] it cannot have a value here */
    int lacking;                   /* the group of those, below all others, closed at first */
    const struct explain *explain; /* borrowed */
    struct metrics_row *row;
    struct list list;
    int n_hit; /* metrics that the filter leaves */
    struct search filter;
    enum metrics_order order;
    bool inverted;
    bool tree;        /* nodes of the tree are there, too */
    bool entered;     /* the selection is the user's from then on */
    uint64_t made_ns; /* session time of the values that the order was made of */
    int *sorted;      /* private: [n_metric] scratch */
};

/* 0 or -ENOMEM. What is borrowed must outlive it. */
int metrics_init(struct metrics *mt, const struct model *m, const struct explain *ex);
void metrics_destroy(struct metrics *mt); /* accepts a zeroed one; leaves it zeroed */

/* Makes the rows anew; the selection stays with its metric, or its group. f may be NULL. */
void metrics_make(struct metrics *mt, const struct frame *f);
/* The same if an order by values is older than is good; rows must be readable. */
void metrics_follow(struct metrics *mt, const struct frame *f);

/* True if the metric stands below the heading of the group. */
bool metrics_is_in(const struct metrics *mt, int metric, int group);
/* Selects the first metric that has a value; once. */
void metrics_begin(struct metrics *mt, const struct frame *f);

/* The selected metric, or METRIC_NONE. */
int metrics_metric(const struct metrics *mt);
/* list_fit; coming from below, the heading of the selected metric is shown, too. */
void metrics_fit(struct metrics *mt, int h);
/* Opens or closes the selected group. False if a metric is selected. */
bool metrics_toggle(struct metrics *mt);
/* Opens (or closes) the group of the selected row; a closed one's heading is selected then. */
void metrics_fold(struct metrics *mt, bool open);
/* Opens all groups, or closes them if all are open. */
void metrics_toggle_all(struct metrics *mt);

/* Marks what is on the screen, and a screenful on both sides of it. wanted: [n_metric] */
void metrics_want(const struct metrics *mt, bool *wanted);

/* One line of what it is, or "". Returns buf. */
const char *metrics_summary(const struct metrics *mt, int metric, char *buf, size_t cap);
/* "group", "name", "value", "duty". */
const char *metrics_order_word(enum metrics_order order);

/*
 * What would measure a value that is not known: "tdtop -a counts what is outside the core". "" if
 * nothing is known to help. `asked` says that its counters have been asked for. Returns buf.
 */
const char *metrics_remedy(struct why why, bool asked, char *buf, size_t cap);

#endif
