/*
 * A grid of styled cells, clipped on every side, that knows nothing of curses: views draw here,
 * tests compare it as text, term.c brings what changed to the terminal.
 */
#ifndef TDTOP_UI_CANVAS_H
#define TDTOP_UI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a cell means, not how it looks: themes map styles to colours and attributes (theme.h). */
enum style {
    STYLE_TEXT,
    STYLE_DIM,   /* below threshold, secondary */
    STYLE_LABEL, /* column headings, captions */
    STYLE_TITLE, /* program and target in the header */
    STYLE_VALUE, /* numbers that matter */
    STYLE_BORDER,
    STYLE_KEY, /* key in the key line */
    STYLE_KEY_TEXT,
    STYLE_SELECTED, /* the row under the cursor */
    STYLE_BOTTLENECK,
    STYLE_WARN,
    STYLE_ERROR,
    STYLE_GOOD,
    STYLE_FRONTEND, /* the four hues of level 1, the same in bar, number, sparkline and legend */
    STYLE_BADSPEC,
    STYLE_BACKEND,
    STYLE_RETIRING,
    STYLE_FRONTEND_FILL, /* bars: text on the hue */
    STYLE_BADSPEC_FILL,
    STYLE_BACKEND_FILL,
    STYLE_RETIRING_FILL,
    STYLE_FRONTEND_QUIET, /* the same, less bright: made of the fills */
    STYLE_BADSPEC_QUIET,
    STYLE_BACKEND_QUIET,
    STYLE_RETIRING_QUIET,
    STYLE_FRONTEND_GREY, /* the same where another one stands out: hardly more than the ground */
    STYLE_BADSPEC_GREY,
    STYLE_BACKEND_GREY,
    STYLE_RETIRING_GREY,
    STYLE_FRONTEND_SURE, /* the verdict, which is seen first: the fill, without colours reversed */
    STYLE_BADSPEC_SURE,
    STYLE_BACKEND_SURE,
    STYLE_RETIRING_SURE,
    STYLE_PLOT,
    STYLE_AXIS,
    STYLE_POPUP,
    STYLE_POPUP_TITLE,
    STYLE_MATCH, /* search hit */
    STYLE_SIMULATED,
    STYLE_TAB, /* name of a view */
    STYLE_TAB_ON,
    STYLE_UP, /* a value has just grown or fallen: bold at first, then faded, then STYLE_DIM */
    STYLE_UP_FADED,
    STYLE_DOWN,
    STYLE_DOWN_FADED,
    STYLE_BASELINE, /* the line of what is compared with, in a plot */
    STYLE_BAND,     /* uncertainty around a line: behind it, so fainter */
    STYLE_MARK,     /* a mark on the time axis */
    STYLE_ADVICE,   /* the sentence that says what to do next */
    STYLE_HEAT_0,   /* a heat map, from little to much; its glyph says the same */
    STYLE_HEAT_1,
    STYLE_HEAT_2,
    STYLE_HEAT_3,
    STYLE_HEAT_4,
    STYLE_N,
};

struct cell {
    uint32_t cp;      /* code point; 0 = right half of a wide character */
    uint8_t style;    /* enum style */
    uint8_t selected; /* drawn with the selection's background, whatever the style */
    uint8_t ground;   /* a fill behind that of style: two of them share the cell; 0 = none */
};

struct canvas {
    int w, h;
    struct cell *at; /* [h][w] */
};

struct rect {
    int x, y, w, h;
};

int canvas_init(struct canvas *c, int w, int h); /* 0 or -ENOMEM; blank */
void canvas_destroy(struct canvas *c);
void canvas_clear(struct canvas *c);

/* All drawing is clipped to `clip` and the canvas. Returns columns used (also those clipped away).
 */
int canvas_text(struct canvas *c, struct rect clip, int x, int y, enum style st, const char *utf8);
int canvas_printf(struct canvas *c, struct rect clip, int x, int y, enum style st, const char *fmt,
                  ...) __attribute__((format(printf, 6, 7)));
void canvas_put(struct canvas *c, struct rect clip, int x, int y, enum style st, uint32_t cp);
/* A part of a cell in one fill, the rest in another, both quiet or grey (STYLE_TEXT: in none); cp
 * is no blank. */
void canvas_put_on(struct canvas *c, struct rect clip, int x, int y, enum style fill,
                   enum style ground, uint32_t cp);
void canvas_fill(struct canvas *c, struct rect r, enum style st, uint32_t cp);
/* Marks a row's cells as selected, keeping their styles. */
void canvas_select(struct canvas *c, struct rect r);
/* Dims what is behind a popup. */
void canvas_fade(struct canvas *c, struct rect r);

/* The canvas as text: h lines, trailing blanks cut, '\n' after each. Returns bytes; buf is
 * terminated. */
size_t canvas_dump(const struct canvas *c, char *buf, size_t cap);

/* The fills that may share a cell: with another, or with what is behind it (SHARED_NONE). */
enum {
    SHARED_FIRST = STYLE_FRONTEND_QUIET,
    SHARED_N = STYLE_RETIRING_GREY - SHARED_FIRST + 1,
    SHARED_NONE = SHARED_FIRST + SHARED_N,
};

static inline bool cell_is_shared(const struct cell *cell) {
    return cell->ground >= SHARED_FIRST && cell->ground <= SHARED_NONE &&
           cell->style >= SHARED_FIRST && cell->style < SHARED_FIRST + SHARED_N;
}

static inline struct rect canvas_rect(const struct canvas *c) {
    return (struct rect){0, 0, c->w, c->h};
}

#endif
