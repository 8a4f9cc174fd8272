/* What term.c finds for xterm-256color, for tests that are their own terminal. */
#ifndef TDTOP_TESTS_TERM_VOCABULARY_H
#define TDTOP_TESTS_TERM_VOCABULARY_H

#include "ui/term/term_draw.h"

#include <stdio.h>

static void xterm_color(char *out, size_t cap, int color, bool ground) {
    snprintf(out, cap, "\033[%d;5;%dm", ground ? 48 : 38, color);
}

static const char *slow_move(int y, int x) {
    static char s[32];
    snprintf(s, sizeof(s), "\033[%d;%dH", y + 1, x + 1);
    return s;
}

static const struct vocabulary xterm = {
    .clear = "\033[H\033[2J",
    .erase_row = "\033[K",
    .plain = "\033[m",
    .both_default = "\033[39;49m",
    .bold = "\033[1m",
    .dim = "\033[2m",
    .underline = "\033[4m",
    .reverse = "\033[7m",
    .ansi_move = true,
    .ansi_erase = true,
    .keeps_ground = true,
    .ansi_default = true,
    .move = slow_move,
    .color = xterm_color,
};

#endif
