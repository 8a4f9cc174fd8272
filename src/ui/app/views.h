/*
 * The views of the home screen: what digits, Tab and the line of names go to. One table holds all
 * of them; the key line, the layout and the actions read it, and a view is added by its file and a
 * row of views.c.
 */
#ifndef TDTOP_UI_VIEWS_H
#define TDTOP_UI_VIEWS_H

#include "ui/app/screen.h"

/* How much of the screen it takes. */
enum view_layout {
    LAYOUT_TREE,  /* the tree with its plots */
    LAYOUT_ROWS,  /* PANE_ROWS, below level 1 and the bottleneck in words */
    LAYOUT_LIST,  /* the same; on the largest screens with level 1 over time and the side */
    LAYOUT_MAIN,  /* PANE_MAIN, from the names of the views down to the advice */
    LAYOUT_WHOLE, /* the same, down to the key line */
};

/* What may be NULL is optional. */
struct home_view {
    enum main_view view;
    char digit;            /* its key; a binding of keys.c named "view-ID" */
    const char *id, *name; /* "tree", "Tree" */
    unsigned context;      /* enum key_context: whose keys count here */
    enum view_layout layout;
    const struct view_ops *ops; /* draws PANE_ROWS or PANE_MAIN; unused for the tree and runs */
    bool past;                  /* it can show another moment than now (cursor.h) */
    /* True of rows, LAYOUT_LIST, that have no room beside other panes. NULL: never. */
    bool (*is_wide)(const struct screen *sc);

    /* False while there is nothing to go to: Tab passes it. NULL: always there. */
    bool (*is_offered)(const struct screen *sc);
    /* Goes there, or says why not. NULL: screen_view. */
    void (*go)(struct screen *sc);
    /* It has become, or ceases to be, what screen_view shows; the session is open. */
    void (*enter)(struct screen *sc);
    void (*leave)(struct screen *sc);

    /* What the keys for up, down, pages and ends do. NULL: nothing. */
    void (*move)(struct screen *sc, int rows);
    void (*end)(struct screen *sc, bool last); /* to the first row, or to the last */
    int (*page)(const struct screen *sc);      /* rows that PgUp and PgDn move */
};

/* In the order of their digits; *n gets how many. */
const struct home_view *views_all(int *n);
/* The row of a view; NULL if this build has none. */
const struct home_view *views_row(enum main_view view);
/* By its id; NULL if there is none. */
const struct home_view *views_find(const char *id);
/* What has the screen now: the view, or the stored runs that lie over it. */
const struct home_view *views_current(const struct screen *sc);

/* Where it draws now. */
enum view_layout views_layout(const struct screen *sc, const struct home_view *v);

bool views_is_offered(const struct screen *sc, const struct home_view *v);
/* Goes to a view; what cannot be shown now says why. */
void views_go(struct screen *sc, const struct home_view *v);
/* The next one that is offered, or with by = -1 the one before. */
void views_turn(struct screen *sc, int by);

#endif
