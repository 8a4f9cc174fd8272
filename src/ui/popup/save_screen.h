/*
 * A screen as a file: what is on a canvas, with a theme, as text, as text with colours for a
 * terminal, or as a picture. Knows neither the screen nor the terminal, so that a picture can be
 * made where there is neither.
 */
#ifndef TDTOP_UI_SAVE_SCREEN_H
#define TDTOP_UI_SAVE_SCREEN_H

#include "base/err.h"
#include "ui/term/canvas.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum save_format {
    SAVE_TEXT, /* characters alone; bars are textures */
    SAVE_ANSI, /* with colours: cat shows it */
    SAVE_SVG,
    SAVE_CAST, /* asciicast: the last minute, for asciinema's player */
    SAVE_CARD, /* Markdown: what is seen, what to do, and the screen as text */
    SAVE_N,
};

struct save_options {
    const struct theme *theme; /* borrowed */
    int colors;                /* SAVE_ANSI: 0, 8, 16, 256 or DIRECT_COLORS (term_style.h) */
    bool ascii;                /* text in ASCII alone */
    const char *title;         /* of a picture; NULL: "tdtop" */
    const char *seen, *next;   /* the two lines of the verdict, for SAVE_CARD; NULL: none */
    /* Brings the canvas to the i-th moment of SAVE_CAST, at_s seconds after the first; false, and
     * as it was before, behind the last. NULL: one frame. */
    bool (*moment)(void *user, int i, double *at_s);
    void *user;
};

/* By the ending of a path: .txt .text, .ansi .ans, .svg, .cast, .md. 0, or -EINVAL with words. */
int save_format_of(const char *path, enum save_format *f, struct err *err);

/* "tdtop-20261104-181500.svg", in local time. Returns buf. */
char *save_name(char *buf, size_t cap, time_t when, enum save_format f);

/* Writes to a stream; the caller asks ferror(). 0 or -ENOMEM. */
int save_write(const struct canvas *c, const struct save_options *opt, enum save_format f,
               FILE *out);

/*
 * Writes a file, whole or not at all; the format is that of the path's ending. -EEXIST if there is
 * one already and overwrite is false; other negative errno with words.
 */
int save_screen(const struct canvas *c, const struct save_options *opt, const char *path,
                bool overwrite, struct err *err);

/* The formats; save_svg.c and save_cast.c have some. Rows of save_ansi end in `end`. 0 or -ENOMEM.
 */
int save_text(const struct canvas *c, const struct save_options *opt, FILE *out);
int save_ansi(const struct canvas *c, const struct save_options *opt, FILE *out, const char *end);
int save_svg(const struct canvas *c, const struct save_options *opt, FILE *out);
int save_card(const struct canvas *c, const struct save_options *opt, FILE *out);
int save_cast(const struct canvas *c, const struct save_options *opt, FILE *out);

#endif
