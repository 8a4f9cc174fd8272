/*
 * What goes to the terminal, and what that did to it: the bytes of a frame, the look it draws with,
 * and where its cursor is. Every step is taken by the shortest sequence.
 */
#ifndef TDTOP_UI_TERM_OUT_H
#define TDTOP_UI_TERM_OUT_H

#include "ui/term/term_draw.h"

#include <stdbool.h>
#include <stdint.h>

enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8 };

/* A look, ready to be sent. */
struct out_style {
    int fg, bg;
    unsigned attr;
    bool is_ground; /* a blank in this look is only its ground: nothing of it is drawn */
    char set_fg[28], set_bg[28];
};

void out_open(const struct vocabulary *v, draw_write *write);
struct out_style
out_style(const struct term_style *l); /* not ready yet: its sequences are missing */
/* Its sequences, taken from those that have the colour already: a terminal's own are dear. */
void out_style_spell(struct out_style *p, const struct out_style *known, int n);
bool out_style_same(const struct out_style *a, const struct out_style *b);

/* Empty screen of w columns in the ground of p if erasing does that (else the terminal's own), the
 * cursor somewhere. */
void out_clear(int w, const struct out_style *p);
void out_flush(void);

/* The look for letters; and for blanks, whose colour does not matter. */
void out_set(const struct out_style *p);
bool out_is_set(const struct out_style *p);
void out_set_ground(const struct out_style *p);
bool out_is_ground_set(const struct out_style *p);

/* Where the cursor is: false when nobody knows. */
bool out_cursor(int *y, int *x);
void out_move(int y, int x);

/* Writes a character of so many columns. certain: the terminal surely thinks so too. */
void out_char(uint32_t cp, int columns, bool certain);
void out_erase_row(void); /* to the end */
void out_erase(int n);

#endif
