/*
 * Turns what changed on a canvas into the fewest bytes for the terminal. Knows the terminal only by
 * the vocabulary that term.c takes from terminfo, so that a test can be the terminal.
 *
 * Not left to ncurses, which costs many times the CPU time and, as Debian 12 has it, a write at
 * every jump of the cursor, so that the terminal shows half frames; here a frame is one write
 * (docs/PERFORMANCE.md, tests/bench/bench_curses.c).
 */
#ifndef TDTOP_UI_TERM_DRAW_H
#define TDTOP_UI_TERM_DRAW_H

#include "ui/term/term_style.h"

#include <stdbool.h>
#include <stddef.h>

/* What the terminal understands. Strings without padding; "" = it cannot. Borrowed. */
struct vocabulary {
    const char *clear;        /* the screen, cursor to the top left */
    const char *erase_row;    /* from the cursor to the end of the row, see keeps_ground */
    const char *plain;        /* all attributes and colours off */
    const char *both_default; /* both colours back to the terminal's own */
    const char *bold, *dim, *underline, *reverse;
    unsigned colorless;     /* ATTR_* (term_out.h) that cannot be had together with colours */
    bool ansi_move;         /* CSI row;column H, CSI n C, \r \n \b; else `move` is asked */
    bool ansi_erase;        /* CSI n X erases n cells */
    bool keeps_ground;      /* erased cells get the ground that is set, not the terminal's own */
    bool ansi_default;      /* CSI 39 m and 49 m set one colour back, 22, 24, 27 m an attribute */
    bool last_cell_scrolls; /* writing the last cell of the last row would scroll */
    const char *(*move)(int y, int x);
    void (*color)(char *out, size_t cap, int color, bool ground); /* how a colour is set */
};

/* Where the bytes go. Called once per frame, more often only for a repaint. */
typedef void draw_write(const char *bytes, size_t n);

/* Takes a theme in so many colours, for one terminal. ascii: UTF-8 does not arrive. */
void draw_open(const struct vocabulary *v, draw_write *write, const struct theme *t, int colors,
               bool ascii);
/* The same terminal with another theme, other colours: the next frame draws everything. */
void draw_restyle(const struct vocabulary *v, draw_write *write, const struct theme *t, int colors,
                  bool ascii);
void draw_close(void); /* idempotent */

/* A new size: 0 or -ENOMEM, with the old size kept. The screen counts as unknown from now on. */
int draw_resize(int w, int h);

/* The next frame clears and draws everything. */
void draw_forget(void);

/* Brings what differs from the last frame to the terminal. Nothing is written if nothing does. */
void draw_canvas(const struct canvas *c);

#endif
