/*
 * What lies over the views: a pop-up, or a page of the stored runs. Each is one file that ends in
 * one const table, and keeps what it needs on the screen itself (screen_popup).
 */
#ifndef TDTOP_UI_OVERLAY_H
#define TDTOP_UI_OVERLAY_H

#include "ui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list;
struct screen;
struct search;
struct mouse;

/* Every callback may be NULL but draw. */
struct overlay {
    const char *name;
    unsigned context; /* enum key_context: whose keys count, beside those of every pop-up */
    bool own_keys;    /* those of every pop-up do not */

    /* What it keeps: zeroed at the start of the screen. */
    size_t state_size;
    const struct overlay *state_of; /* it shares the state of another */
    void (*destroy)(void *state);   /* accepts a zeroed one */

    /* Reads and allocates what is about to be drawn into r. Without it all is there. */
    void (*prepare)(struct screen *sc, struct rect r);
    /* Draws into r and nowhere else. Neither reads nor allocates. */
    void (*draw)(struct screen *sc, struct canvas *c, struct rect r);
    /* A press or a turn of the wheel inside r. */
    void (*mouse)(struct screen *sc, struct rect r, const struct mouse *m);

    /* What the keys for up, down, pages and ends move in. NULL: its text, screen.text. */
    struct list *(*list)(struct screen *sc);
    /* What "/" looks for in it; and what follows when that has changed. */
    struct search *(*search)(struct screen *sc);
    void (*look)(struct screen *sc);
    /* A key that no binding takes; what was pasted, false: nothing is typed here. */
    void (*type)(struct screen *sc, uint32_t key);
    bool (*paste)(struct screen *sc, const char *text);
    /* Marks the metrics that it shows, which then are counted: [n_metric]. */
    void (*want)(const struct screen *sc, bool *wanted);

    bool twice;  /* a double click means something in it; elsewhere it is two presses */
    bool bright; /* what lies behind it does not fade */
};

extern const struct overlay popup_help, popup_explain, popup_value, popup_cost, popup_doctor,
    popup_snapshot, popup_palette, popup_settings, popup_theme, popup_run, popup_choose, popup_sql;
/* Panes that the program itself draws. */
extern const struct overlay pane_keyline, pane_title, pane_type, pane_strip;
extern const struct overlay runs_page, runs_trend_page;

#endif
