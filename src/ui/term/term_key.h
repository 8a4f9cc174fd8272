/*
 * Turns escape sequences into keys and mouse events. ncurses knows the keys of the terminal that
 * TERM names; this reads what is left over, because TERM is often wrong: the usual xterm sequences
 * for keys, SGR mouse reports (mode 1006), and any other sequence, which is swallowed whole so that
 * its letters are not taken for keys.
 */
#ifndef TDTOP_UI_TERM_KEY_H
#define TDTOP_UI_TERM_KEY_H

#include "ui/term/term.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PASTE_CAP = 1024, /* what a line of text has room for (form.h) */
    ANSWER_CAP = 32,
};

struct key_reader {
    /* Code point or KEYC_*, of which KEYC_PASTE and KEYC_PASTE_END are the marks round what is
     * pasted; 0 = nothing there now. */
    uint32_t (*next)(void);
    uint32_t pushed;     /* read too far: given out next; 0 = none */
    uint64_t pressed_ns; /* of the last mouse press, to tell a double click */
    int pressed_x, pressed_y;
    bool held;    /* the left button is down: its release is still to come */
    bool pasting; /* the end of what is pasted is still to come */
    size_t n_pasted;
    char pasted[PASTE_CAP];
    bool asked;         /* ESC ] begins an answer of the terminal (OSC 11), and is no key */
    bool answering;     /* the end of one is still to come */
    bool answer_esc;    /* it may have begun: ESC \ */
    uint64_t answer_ns; /* when the last of it came */
    int n_answer;
    char answer[ANSWER_CAP];
    bool answered;  /* one was read that says a colour */
    int32_t ground; /* that: 0xRRGGBB */
};

/* The next key, code point or KEYC_*, or 0. Never waits. now_ns times double clicks and torn
 * answers. */
uint32_t key_read(struct key_reader *r, uint64_t now_ns, struct mouse *m);

#endif
