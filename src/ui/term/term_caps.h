/*
 * What the terminal understands, from terminfo(5): the sequences that it is drawn, entered and left
 * with, and how many colours it gets. Known from newterm() (term.c) on.
 */
#ifndef TDTOP_UI_TERM_CAPS_H
#define TDTOP_UI_TERM_CAPS_H

#include "base/err.h"
#include "ui/term/term_draw.h"

enum {
    CAP_MAX = 80, /* bytes of one capability; terminfo's longest of ours has 20 */
};

/* Those that are copied, without padding. */
enum cap {
    CAP_CLEAR,
    CAP_EL,
    CAP_SGR0,
    CAP_OP,
    CAP_BOLD,
    CAP_DIM,
    CAP_SMUL,
    CAP_REV,
    CAP_SMCUP,
    CAP_RMCUP,
    CAP_SMKX,
    CAP_RMKX,
    CAP_CIVIS,
    CAP_CNORM,
    CAP_N,
};

/* Reads them; name is that of the terminal (may be NULL), for the words. 0, or -ENOTSUP if it
 * cannot move its cursor. */
int caps_read(const char *name, struct err *err);
const char *caps_text(enum cap cap); /* "" if the terminal does not have it */
const char *caps_move(int y, int x); /* until the next call */
bool caps_has(const char *name);     /* a string capability */
int caps_number(const char *name);   /* as tigetnum: -1 if it has none */
/* Colours as asked (-1: as found; NO_COLOR counts then), rounded down to what themes are made for.
 */
int caps_colors(int asked);
struct vocabulary caps_vocabulary(int colors);

#endif
