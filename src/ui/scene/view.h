/*
 * A view draws one part of the screen. Each ends its file with its row, which has all that is known
 * of it; ui/app/views.c lists the rows in the order of their digits. A view sees the scene and what
 * it keeps itself (its state), and asks the rest of the program through ui/scene/app.h.
 */
#ifndef TDTOP_UI_SCENE_VIEW_H
#define TDTOP_UI_SCENE_VIEW_H

#include "ui/scene/key_context.h"
#include "ui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list;
struct scene;
struct search;
struct mouse;

/* How much of the screen it takes. */
enum view_layout {
    LAYOUT_TREE,  /* the tree with its plots */
    LAYOUT_ROWS,  /* PANE_ROWS, below level 1 and the bottleneck in words */
    LAYOUT_LIST,  /* the same; on the largest screens with level 1 over time and the side */
    LAYOUT_MAIN,  /* PANE_MAIN, all below the verdict */
    LAYOUT_WHOLE, /* the same without a verdict: it has words of its own */
    LAYOUT_N,
};

/* Every callback may be NULL but draw. While one runs, scene->state is the view's own. */
struct view {
    /* Of a view; a pane of the tree has none of these. */
    const char *id, *name; /* "tree", "Tree" */
    char digit;       /* its key; 0: it is reached from another, and has no name in the last line */
    unsigned context; /* enum key_context: whose keys count here; 0: those of all views */
    enum view_layout layout;
    const char *about; /* what it is for, in the help */
    bool past;         /* it can show another moment than now (cursor.h) */

    /* What it keeps: zeroed at the start of the screen. */
    size_t state_size;
    const struct view *state_of;     /* it shares the state of another */
    int (*attach)(struct scene *sc); /* the model is known. 0 or -ENOMEM */
    void (*destroy)(void *state);    /* accepts a zeroed one; leaves it zeroed */

    /* Reads and allocates what is about to be drawn into r. Without it all is there. */
    void (*prepare)(struct scene *sc, struct rect r);
    /* Draws into r and nowhere else. Neither reads nor allocates. */
    void (*draw)(const struct scene *sc, struct canvas *c, struct rect r);
    /* Marks what is to be counted for it, beside what the tree shows: wanted [n_metric]. */
    void (*want)(const struct scene *sc, bool *wanted);
    /* A press or a turn of the wheel inside r. */
    void (*mouse)(struct scene *sc, struct rect r, const struct mouse *m);
    bool twice; /* a double click means something in it; elsewhere it is two presses */

    /* True of rows, LAYOUT_LIST, that have no room beside other panes. NULL: never. */
    bool (*is_wide)(const struct scene *sc);
    /* False while there is nothing to go to: Tab passes it. NULL: while anything is measured. */
    bool (*is_offered)(const struct scene *sc);
    /* Goes there, or says why not. NULL: app_view. */
    void (*go)(struct scene *sc);
    /* It has become what is shown; the session is open. */
    void (*enter)(struct scene *sc);
    /* It is shown no longer. */
    void (*leave)(struct scene *sc);
    /* Esc: one step back within it. False: there is none. */
    bool (*back)(struct scene *sc);
    /* When it is to be drawn though no sample and no key comes: CLOCK_MONOTONIC; 0: never. */
    uint64_t (*due)(const struct scene *sc);

    /* What the keys for up, down, pages and ends are about to move in. */
    struct list *(*list)(struct scene *sc);
    /* What "/" looks for, and what follows when that has changed. NULL: a node of the tree. */
    struct search *(*search)(struct scene *sc);
    void (*look)(struct scene *sc);
    /* What they do where that is no list, or not in all of them. */
    void (*move)(struct scene *sc, int lines);
    void (*end)(struct scene *sc, bool last); /* to the first, or to the last */
};

extern const struct view view_tree, view_funnel, view_history, view_threads, view_cpus,
    view_metrics, view_bench, view_doctor, view_where;
extern const struct view pane_header, pane_clock, pane_level1, pane_verdict, pane_stack, pane_plot,
    pane_side;

#endif
