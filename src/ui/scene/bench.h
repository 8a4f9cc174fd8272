/*
 * What the bench (view_bench.c) shows: A and B, and what changed from A to B. A is the baseline and
 * B what came since, or both are stored runs or groups of runs. All values and verdicts are those
 * of the one comparison (model/compare/compare.h); here they are put in order as lines.
 *
 * What changed in the tree comes first, the largest first, a node below its nearest ancestor that
 * changed, too. Then what is large but unsure, what was paid for a unit of work, and one line for
 * each of the other kinds; Enter opens such a line.
 */
#ifndef TDTOP_UI_BENCH_H
#define TDTOP_UI_BENCH_H

#include "model/compare/compare.h"
#include "ui/draw/list.h"

struct scene;

enum {
    BENCH_LINES = 1024 /* the largest model has some 400 metrics */
};

enum bench_kind {
    BENCH_CHANGE, /* a row of the comparison, with its bar */
    BENCH_UNSURE, /* one that is unsure, and how long until it may be told */
    BENCH_UNIT,   /* one of what is paid for a unit of work; `row`: of bench_units */
    BENCH_FOLD,   /* one line for many; `row`: enum bench_fold */
    BENCH_WORDS,  /* a heading or a blank; not to be selected */
};

/* What one line stands for many of. */
enum bench_fold {
    FOLD_SMALLER, /* changes of the tree that have no room */
    FOLD_UNSURE,  /* unsure: all but the largest */
    FOLD_BESIDE,  /* changes of metrics beside the tree */
    FOLD_SAME,    /* no sure change */
    FOLD_ALONE,   /* on one side only */
    FOLDS,
};

struct bench_line {
    uint8_t kind, depth;
    int16_t row;      /* of the comparison, of bench_units, or enum bench_fold */
    const char *text; /* of BENCH_WORDS */
};

/* A stored run, or a group of runs, that is a side. */
struct bench_source {
    char id[RUN_ID_LEN + 1];  /* "": a group */
    char key[65], value[160]; /* the label of a group; "" for both: neither */
    bool has_value;           /* false: runs without the label */
    size_t n_run;             /* of a group */
    bool samples;             /* they are what is compared, not their intervals (pool.h) */
    char apart[80];           /* "3f9a1c22 apart: IPC 0.97": one that stands out among them; "" */
};

struct bench_view {
    bool stored;     /* a and b below; else the baseline of the screen */
    struct run a, b; /* owned */
    struct bench_source from[2];
    struct comparison c;

    bool swapped;  /* A is what the comparison calls b */
    int side;      /* stored: what Enter goes to: 0 A, 1 B */
    unsigned open; /* bit of each enum bench_fold that is open */
    char
        selected[160]; /* path of the metric, or name of the fold, of the selected line; "" first */
    struct list list;
    struct bench_line line[BENCH_LINES];
    int room_;                    /* private: that the lines were made for */
    int16_t parent_[BENCH_LINES]; /* private: scratch */
};

/* A row as the view tells it: from A to B, whichever of them the comparison calls a. */
struct bench_change {
    const struct run_node *node;
    double a, b, delta, relative, err; /* as of struct compare_row; a or b NAN: not known there */
    bool total, leads;
    enum verdict verdict;
};

/* What is paid for a unit of work. */
struct bench_unit {
    const char *metric; /* of the comparison; NULL: instructions per second */
    const char *words;  /* "cycles/instruction" */
    bool inverse;       /* it is 1 / the metric's value */
};
extern const struct bench_unit bench_units[];

void bench_destroy(struct bench_view *d); /* accepts a zeroed one; leaves it zeroed */

/* Opens the view on the baseline; without one it says how to begin. */
void bench_open(struct scene *sc);
/* Opens the view on two stored runs, of which nodes and head are enough. Takes both over, whatever
 * the result. from: where they are in the store; NULL: nowhere. 0, or negative errno with words. */
int bench_open_runs(struct scene *sc, struct run *a, struct run *b,
                    const struct bench_source from[2], struct err *err);
/* A and B in each other's place. */
void bench_swap(struct scene *sc);

/* The comparison that is shown; it has no rows before there is anything to compare. */
const struct comparison *bench_shown(const struct scene *sc);
struct bench_change bench_change(const struct bench_view *d, const struct compare_row *r);
/* What is paid for a unit of work: a and b NAN if it is not known on both sides. Cycles per
 * instruction are the CPI of the model where it has one, else 1 / IPC. The verdict of
 * instructions per second, which no metric is, is VERDICT_CHANGED if the product of the intervals
 * of IPC, GHz and CPUs_Utilized excludes no change and one of them has changed for sure, else
 * VERDICT_UNSURE. */
struct bench_change bench_unit_change(const struct scene *sc, const struct bench_unit *u);
/* True of a verdict that is sure. */
static inline bool bench_is_sure(enum verdict v) {
    return v == VERDICT_REGRESSED || v == VERDICT_IMPROVED || v == VERDICT_CHANGED;
}
/* What is paid for a unit of work, in whatever words a model says it. */
bool bench_is_unit(const struct compare_row *r);
/* How many rows a fold stands for, where `shown` of its kind, the largest, have lines of their own.
 */
int bench_folded(const struct comparison *c, enum bench_fold f, int shown);

/* Makes the lines for h rows of the screen, by which the functions below go. Allocates nothing. */
void bench_make(struct scene *sc, int h);
/* The selected line, or -1. */
int bench_selected(const struct scene *sc);
/* The metric of the selected line, METRIC_NONE: it is of none that the model has. */
int bench_metric(const struct scene *sc);
/* The lines as they are now, for keys to move in. */
struct list *bench_list(struct scene *sc);
/* Goes to a metric over time, from where Esc comes back. False, with a message, if the model of the
 * session has none. */
bool bench_go(struct scene *sc, const struct run_node *n);
/* Opens or closes a fold; of a metric: goes to it over time, of stored runs in the run of `side`,
 * or in the trend over the group. */
void bench_enter(struct scene *sc);
void bench_explain(struct scene *sc); /* the selected metric, from the knowledge base */

#endif
