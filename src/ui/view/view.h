/*
 * A view draws one pane of the screen. Each is one file that ends in one const table; screen.c
 * knows in which pane it belongs. A popup is a view that lies over the others.
 */
#ifndef TDTOP_UI_VIEW_H
#define TDTOP_UI_VIEW_H

#include "ui/term/canvas.h"

struct screen;
struct mouse;

struct view_ops {
    const char *name;

    /* Reads and allocates what is about to be drawn into r. Optional: without it all is there. */
    void (*prepare)(struct screen *sc, struct rect r);

    /* Draws into r and nowhere else. Neither reads nor allocates. */
    void (*draw)(struct screen *sc, struct canvas *c, struct rect r);

    /* A press or a turn of the wheel inside r. Optional. */
    void (*mouse)(struct screen *sc, struct rect r, const struct mouse *m);

    bool twice;  /* a double click means something in it; elsewhere it is two presses */
    bool bright; /* a popup: what lies behind it does not fade */
};

extern const struct view_ops view_header, view_clock, view_funnel, view_vitals, view_tree,
    view_stack, view_plot, view_side, view_keyline, view_tabs, view_slots, view_history,
    view_advice, view_threads, view_cpus, view_type, view_strip, view_bench, view_metrics,
    view_doctor;
extern const struct view_ops popup_help, popup_explain, popup_value, popup_cost, popup_doctor,
    popup_snapshot, popup_palette, popup_settings, popup_theme;
extern const struct view_ops view_runs, view_runs_trend, popup_run; /* over the others, or alone */

#endif
