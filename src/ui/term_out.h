/*
 * What goes to the terminal, and what that did to it: the bytes of a frame, the look it draws with,
 * and where its cursor is. Every step is taken by the shortest sequence.
 */
#ifndef TDTOP_UI_TERM_OUT_H
#define TDTOP_UI_TERM_OUT_H

#include "ui/term_draw.h"

#include <stdbool.h>
#include <stdint.h>

enum { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8 };

/* A look, ready to be sent. */
struct pen {
    int fg, bg;
    unsigned attr;
    bool is_ground; /* a blank in this look is only its ground: nothing of it is drawn */
    char set_fg[28], set_bg[28];
};

void out_open(const struct vocabulary *v, draw_write *write);
struct pen out_pen(const struct term_look *l); /* not ready yet: its sequences are missing */
void out_pen_spell(struct pen *p);
bool out_pen_same(const struct pen *a, const struct pen *b);

void out_clear(int w); /* plain look, empty screen of w columns, the cursor somewhere */
void out_flush(void);

/* The look for letters; and for blanks, whose colour does not matter. */
void out_set(const struct pen *p);
bool out_is_set(const struct pen *p);
void out_set_ground(const struct pen *p);
bool out_is_ground_set(const struct pen *p);

/* Where the cursor is: false when nobody knows. */
bool out_cursor(int *y, int *x);
void out_move(int y, int x);

/* Writes a character of so many columns. certain: the terminal surely thinks so too. */
void out_char(uint32_t cp, int columns, bool certain);
void out_erase_row(void); /* to the end */
void out_erase(int n);

#endif
