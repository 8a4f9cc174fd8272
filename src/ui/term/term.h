/*
 * The terminal: the only file that includes <ncurses.h>. Brings changed cells of a canvas to the
 * screen, turns bytes into keys, and gives the terminal back after every exit: term_close, a
 * signal, a crash.
 */
#ifndef TDTOP_UI_TERM_H
#define TDTOP_UI_TERM_H

#include "base/clock.h"
#include "base/err.h"
#include "ui/term/canvas.h"

struct theme;

enum key { /* codes above any code point */
           KEYC_BASE = 0x200000,
           KEYC_UP,
           KEYC_DOWN,
           KEYC_LEFT,
           KEYC_RIGHT,
           KEYC_PGUP,
           KEYC_PGDN,
           KEYC_HOME,
           KEYC_END,
           KEYC_ENTER,
           KEYC_ESC,
           KEYC_TAB,
           KEYC_BTAB,
           KEYC_BACKSPACE,
           KEYC_DELETE,
           KEYC_F1,
           KEYC_F2,
           KEYC_F3,
           KEYC_F4,
           KEYC_F5,
           KEYC_F6,
           KEYC_F7,
           KEYC_F8,
           KEYC_F9,
           KEYC_F10,
           KEYC_CTRL_C,
           KEYC_CTRL_L,
           KEYC_CTRL_Z,
           KEYC_RESIZE,
           KEYC_MOUSE,
           KEYC_PASTE,     /* text was pasted: term_pasted() */
           KEYC_PASTE_END, /* never given out by term_key */
           KEYC_ANSWER,    /* likewise: what the terminal says of its ground begins */
};

struct mouse {
    int x, y; /* cell, from 0 */
    enum { MOUSE_PRESS, MOUSE_DOUBLE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN, MOUSE_DRAG } what;
};

/* How long keys are taken at a time, however many there are: signals and samples come between. */
#define TERM_KEYS_NS (50 * NS_PER_MS)

struct term_options {
    bool mouse;
    bool ascii; /* --ascii; also when the locale is not UTF-8 */
    int colors; /* -1 detect; 0 mono, 8, 16, 256, 1<<24 */
};

/*
 * Takes the terminal; one that is taken already gets these looks. -ENOTTY, -ENOTSUP (TERM unknown
 * or too dumb) with words that suggest --batch. Installs handlers for all signals that end the
 * process: each gives the terminal back. SIGTERM SIGHUP SIGINT SIGQUIT SIGWINCH SIGTSTP SIGCONT
 * arrive as bytes on term_fd()'s companion (term_signal_fd).
 */
int term_open(const struct term_options *opt, const struct theme *theme, struct err *err);
/* Another theme, other options, while it is open; the next term_show draws everything. */
void term_restyle(const struct term_options *opt, const struct theme *theme);
void term_close(void);    /* idempotent */
int term_fd(void);        /* keyboard, for poll() */
int term_signal_fd(void); /* readable after SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT */
/* Takes one pending signal number, or 0. */
int term_signal(void);
void term_size(int *w, int *h);
/* Next key, code point or KEYC_*; 0 when there is none. m is filled for KEYC_MOUSE. Never blocks.
 */
uint32_t term_key(struct mouse *m);
/* Of the last KEYC_PASTE, until the next key is asked for: UTF-8 without control characters, cut to
 * what a line of text has room for; line ends and tabs are blanks. */
const char *term_pasted(void);
/* Asks the terminal for the colour of its ground, where terminals like it answer. */
void term_ask_ground(void);
/* CLOCK_MONOTONIC when no answer is waited for any longer; 0 = none is waited for. */
uint64_t term_ground_due_ns(void);
/*
 * True once, when term_key has read in time that the ground is light and the theme is "default":
 * that is "light" now, and the terminal shows it. Later answers are swallowed.
 */
bool term_goes_light(const struct term_options *opt, struct theme *theme);
/* Shows the canvas: only cells that differ from what was shown. full = repaint everything (Ctrl-L).
 * Returns before all is shown if the terminal takes nothing; the next call repaints it then. */
void term_show(struct canvas *c, bool full);
/* -1; while a terminal that took nothing is waited for: poll() it for POLLOUT, then term_show. */
int term_room_fd(void);
/* Suspends (Ctrl-Z): gives the terminal back, stops the process, takes the terminal again on
 * SIGCONT. */
void term_suspend(void);

#endif
