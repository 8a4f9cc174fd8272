/* What lies over the views: a pop-up, or a page of the stored runs. Each is one file that ends in
 * one const table. */
#ifndef TDTOP_UI_OVERLAY_H
#define TDTOP_UI_OVERLAY_H

#include "ui/term/canvas.h"

struct list;
struct screen;
struct mouse;

struct overlay {
    const char *name;

    /* Reads and allocates what is about to be drawn into r. Optional: without it all is there. */
    void (*prepare)(struct screen *sc, struct rect r);

    /* Draws into r and nowhere else. Neither reads nor allocates. */
    void (*draw)(struct screen *sc, struct canvas *c, struct rect r);

    /* A press or a turn of the wheel inside r. Optional. */
    void (*mouse)(struct screen *sc, struct rect r, const struct mouse *m);

    /* What the keys for up, down, pages and ends move in. Without it: its text, screen.text. */
    struct list *(*list)(struct screen *sc);

    bool twice;  /* a double click means something in it; elsewhere it is two presses */
    bool bright; /* what lies behind it does not fade */
};

extern const struct overlay popup_help, popup_explain, popup_value, popup_cost, popup_doctor,
    popup_snapshot, popup_palette, popup_settings, popup_theme, popup_run;
/* Panes that the program itself draws. */
extern const struct overlay pane_keyline, pane_tabs, pane_type, pane_strip;
extern const struct overlay runs_page, runs_trend_page;

#endif
