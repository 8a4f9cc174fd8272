/*
 * Rows of which one is selected and some are on the screen: what keys and mouse do to that, and
 * what stays selected when the rows change. Used by every table of the screen. A text that is
 * longer than its room is a list without a selection: keys move its first line.
 */
#ifndef TDTOP_UI_LIST_H
#define TDTOP_UI_LIST_H

#include "ui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>

struct mouse;

struct list {
    int n;        /* rows, or lines of a text */
    int at;       /* the selected row; 0 where there is none */
    int top;      /* the first line on the screen */
    int lines;    /* that fit on it, as of list_fit */
    int per_line; /* rows in a line; 0: one */
    int wheel;    /* lines that a turn of the wheel moves; 0: 3 */
    bool text;    /* no row is selected */
    bool chosen;  /* a row was selected by somebody; else it is the first, whatever comes there */

    /* Called when the user (list_select and what is below it) has selected a row; NULL: nobody
     * wants to know. */
    void (*moved)(void *owner);
    void *owner; /* borrowed */
};

/* Selects a row, or the nearest that there is. */
void list_select(struct list *l, int row);
void list_move(struct list *l, int rows);
void list_step(struct list *l, int lines); /* a line may have many rows */
void list_page(struct list *l,
               int pages); /* one screenful but for a line that the eye can hold on to */
void list_end(struct list *l, bool last); /* the last row; the first, whatever comes there */

enum list_did {
    LIST_NOTHING, /* the mouse is on no row */
    LIST_MOVED,
    LIST_AGAIN,  /* on the row that was selected already */
    LIST_DOUBLE, /* a double click */
};
/* r: where the lines are. */
enum list_did list_mouse(struct list *l, struct rect r, const struct mouse *m);

/* The rows have changed: there are n, and what was selected is at `at` now; -1: it is gone, and the
 * row that has its place is selected. Returns false then. */
bool list_follow(struct list *l, int n, int at);
/* Chooses `top` so that the selected row is among so many lines, moving as little as possible. */
void list_fit(struct list *l, int lines);
/* Back to the first line of other rows. */
void list_reset(struct list *l);

/* Where row i of those that are shown is, from 0 on: false behind the last. A row has a line. */
bool list_line(const struct list *l, struct rect r, int i, struct rect *line, int *row);
/* Marks the line as the selected one: a sign at x, too, for some grounds are faint. */
void list_mark(struct canvas *c, struct rect line, int x);
/* " ↑4 ↓10": how many rows are above and below what is on the screen; "" if none. Returns buf. */
const char *list_more(const struct list *l, char *buf, size_t cap);

#endif
