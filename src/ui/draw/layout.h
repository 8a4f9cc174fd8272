/*
 * Where things are on a screen of a given size: arithmetic only. Places depend on the size alone,
 * never on what is shown, so that the eye learns them.
 */
#ifndef TDTOP_UI_LAYOUT_H
#define TDTOP_UI_LAYOUT_H

#include "ui/term/canvas.h"

enum { SCREEN_MIN_W = 40, SCREEN_MIN_H = 6 };

enum pane {
    PANE_HEADER,  /* what is measured, its vital signs, the state */
    PANE_CLOCK,   /* running, waiting, idle */
    PANE_FUNNEL,  /* level 1 as one stacked bar */
    PANE_VERDICT, /* what is seen and what to do next, in words */
    PANE_TITLE,   /* of what is below: its name, what there is to know of it, its keys */
    PANE_TREE,
    PANE_STACK, /* level 1 over time, where there is much room */
    PANE_PLOT,  /* the selected node over time */
    PANE_SIDE,  /* the selected node explained */
    PANE_KEYS,  /* the last line: views to go to; a question, a message, the keys of a pop-up */
    PANE_ROWS,  /* threads or CPUs, in place of tree, plots and side */
    PANE_TYPE,  /* heading of a core type's column */
    PANE_STRIP, /* the other core types, a line each */
    PANE_MAIN,  /* a view that takes all below the title */
    PANE_N,
};

struct panes {
    bool too_small;         /* smaller than SCREEN_MIN_*: no pane at all */
    struct rect at[PANE_N]; /* w == 0 where there is no room for it */
    /* Frames, where there is room for any: their first line is that of a title, a pane's own or
     * PANE_TITLE. n_frame of them. */
    struct rect frame[PANE_N];
    int n_frame;
};

/* Where the user has put the borders between panes, in thousandths of the room that is divided;
 * 0: where the size of the screen puts them; SPLIT_NONE: the pane is left out. */
enum { SPLIT_NONE = -1 };
struct splits {
    int side, plot, stack; /* what those panes take */
};

/* Splits with a name; the first is what the size says. */
struct layout_preset {
    const char *name, *words;
    struct splits splits;
};
/* All of them; *n gets how many. */
const struct layout_preset *layout_presets(int *n);
/* The one that these splits are, or NULL: they were moved by hand. */
const struct layout_preset *layout_preset_of(const struct splits *splits);

/* splits may be NULL. */
void layout_panes(int w, int h, const struct splits *splits, struct panes *out);
/* The same while rows are shown. */
void layout_rows(int w, int h, struct panes *out);
/* Rows that can do with less: on the largest screens level 1 over time and the side stay. */
void layout_list(int w, int h, const struct splits *splits, struct panes *out);
/* The same while one view takes all. */
void layout_main(int w, int h, struct panes *out);
/* The same without a verdict; alone: where nothing is measured, its title and the keys are all that
 * is beside it. */
void layout_whole(int w, int h, bool alone, struct panes *out);

/*
 * Several core types. Where there is room each of n has a column of its own between header and
 * keys: out is that of column `at`, with a heading. Else false: the screen is that of one type.
 */
bool layout_beside(int w, int h, int n, int at, const struct splits *splits, struct panes *out);
/* Takes n lines for the other types from above the tree or the rows, if that has enough. */
void layout_strip(struct panes *p, int n);

/* Widths of the tree's columns, in the order they are drawn; 0 = left out. A blank is included at
 * the left end of each. Their sum never exceeds the width they were made for. */
struct columns {
    int name; /* indentation and fold mark included */
    int mark; /* the end of the bottleneck path */
    int value;
    int delta; /* the difference to a baseline, while there is one */
    int err;
    int bar;
    int spark;
    int duty;
};

/* delta: with a column for the difference to a baseline, where there is room. The past and names
 * give way to bars with their units; half a screen (beside another core type's) that has no room
 * for bars that can be compared has no past: its plot shows that. */
void layout_columns(int w, bool delta, bool half, struct columns *out);

#endif
