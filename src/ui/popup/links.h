/*
 * Names of metrics in a page of text are links: one of them is chosen, Enter follows it, Backspace
 * returns to where one came from, with the lines scrolled as they were. Found anew with each
 * drawing, in the order of the text. Nothing is allocated.
 */
#ifndef TDTOP_UI_LINKS_H
#define TDTOP_UI_LINKS_H

#include "model/load/model.h"
#include "ui/draw/page.h"

enum {
    LINKS_MAX = 256,     /* of one page; what is beyond is plain text */
    LINKS_BACK_MAX = 32, /* steps back; the oldest is forgotten */
};

struct link {
    int to;      /* metric */
    int line;    /* of the page */
    int x, cols; /* columns, from the left edge of the page */
};

struct links_step {
    int metric, scroll, chosen;
};

struct links {
    int metric; /* that is explained, or METRIC_NONE */
    int chosen; /* index of at, or -1 */
    struct link at[LINKS_MAX];
    int n;
    struct links_step back[LINKS_BACK_MAX];
    int n_back;
    struct rect r; /* of the page as it was drawn last */
    const struct model *model;
};

/* A metric is opened: nothing is chosen, and there is no way back. */
void links_begin(struct links *l, int metric);
/* Makes names of this page's text links: to be called on each page before text is put on it. */
void links_on(struct links *l, const struct model *m, struct page *p);

/* The next (1) or previous (-1) link is chosen, round the end; the first one that can be seen at
 * the begin. Returns the lines to scroll to, so that it can be seen in h of them. */
int links_step(struct links *l, int step, int scroll, int h);
/* The chosen link's metric, or METRIC_NONE. */
int links_chosen(const struct links *l);
/* Goes to a metric; the way back leads here. */
void links_follow(struct links *l, int metric, int scroll);
/* One step back. Returns the lines that were scrolled there, or -1 if there is no way back. */
int links_return(struct links *l);
/* Marks what is explained and what the page names. wanted: [n_metric] */
void links_want(const struct links *l, bool *wanted);
/* The metric whose name is at these columns and line of the page, or METRIC_NONE. */
int links_at(const struct links *l, int x, int line);

#endif
