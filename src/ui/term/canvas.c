/*
 * Every cell holds one code point. A wide character takes two cells: its own and one with cp 0;
 * the two are always written and erased together, so a view that overwrites half of one leaves a
 * blank, never a stray half. Combining characters have no cell of their own: they join the letter
 * before them where the two have a code point together ("e" and an acute accent), and are else left
 * out: the base character alone still says what it is, and no terminal has to agree with us about
 * widths.
 */
#include "ui/term/canvas.h"

#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 1024, /* bytes of one canvas_printf; wider than any terminal */
    SHADE = 0x2591,  /* LIGHT SHADE */
};

static const struct cell blank = {.cp = ' ', .style = STYLE_TEXT};

int canvas_init(struct canvas *c, int w, int h) {
    *c = (struct canvas){.w = w > 0 ? w : 0, .h = h > 0 ? h : 0};
    const size_t n = (size_t)c->w * (size_t)c->h;
    c->at = calloc(n ? n : 1, sizeof(*c->at));
    if (!c->at) {
        c->w = c->h = 0;
        return -ENOMEM;
    }
    canvas_clear(c);
    return 0;
}

void canvas_destroy(struct canvas *c) {
    free(c->at);
    *c = (struct canvas){0};
}

void canvas_clear(struct canvas *c) {
    const size_t n = (size_t)c->w * (size_t)c->h;
    for (size_t i = 0; i < n; i++)
        c->at[i] = blank;
}

/* A rectangle as half-open ranges inside the canvas; empty when x0 >= x1 or y0 >= y1. */
struct range {
    int x0, y0, x1, y1;
};

/* The end of `size` cells from `from` on, of at most `max`. */
static int end_of(int from, int size, int max) {
    const int64_t end = (int64_t)from + (size > 0 ? size : 0);
    return end < max ? (int)end : max;
}

static struct range visible(const struct canvas *c, struct rect r) {
    return (struct range){r.x > 0 ? r.x : 0, r.y > 0 ? r.y : 0, end_of(r.x, r.w, c->w),
                          end_of(r.y, r.h, c->h)};
}

static bool covers(const struct range *v, int64_t x, int64_t y) {
    return x >= v->x0 && x < v->x1 && y >= v->y0 && y < v->y1;
}

/* Writes one cell; the other half of a wide character that lay there becomes blank. */
static inline void set_cell(struct canvas *c, int x, int y, enum style st, uint32_t cp) {
    struct cell *row = c->at + (size_t)y * (size_t)c->w;
    if (row[x].cp == 0 && x > 0)
        row[x - 1].cp = ' ';
    if (x + 1 < c->w && row[x + 1].cp == 0)
        row[x + 1].cp = ' ';
    row[x] = (struct cell){.cp = cp, .style = (uint8_t)st};
}

/* Writes one character where v covers it and returns its columns. Half a wide one is a blank. */
static int put_char(struct canvas *c, const struct range *v, int64_t x, int64_t y, enum style st,
                    uint32_t cp) {
    if (str_cp_plain(cp)) {
        if (covers(v, x, y))
            set_cell(c, (int)x, (int)y, st, cp);
        return 1;
    }
    if (str_cp_unsafe(cp))
        cp = '?'; /* callers make outside text safe; this is the last fence */
    const int w = str_cp_width(cp);
    const bool left = w > 0 && covers(v, x, y);
    const bool right = w == 2 && covers(v, x + 1, y);
    if (left)
        set_cell(c, (int)x, (int)y, st, w == 2 && !right ? ' ' : cp);
    if (right) {
        set_cell(c, (int)x + 1, (int)y, st, ' ');
        if (left) { /* only now: set_cell of a right half would blank its left one */
            c->at[y * c->w + x].cp = cp;
            c->at[y * c->w + x + 1].cp = 0;
        }
    }
    return w;
}

/* A mark, onto the letter that ends before x. */
static void join_mark(struct canvas *c, const struct range *v, int64_t x, int64_t y,
                      uint32_t mark) {
    if (!covers(v, x - 1, y))
        return;
    struct cell *cell = &c->at[y * c->w + x - 1];
    const uint32_t whole = str_compose(cell->cp, mark);
    if (whole)
        cell->cp = whole;
}

int canvas_text(struct canvas *c, struct rect clip, int x, int y, enum style st, const char *utf8) {
    const struct range v = visible(c, clip);
    int64_t at = x;
    while (*utf8) {
        size_t used = 1;
        const unsigned char first = (unsigned char)*utf8;
        const uint32_t cp = first < 0x80 ? first : str_decode(utf8, &used);
        const int w = put_char(c, &v, at, y, st, cp);
        if (w == 0 && at > x)
            join_mark(c, &v, at, y, cp);
        utf8 += used;
        at += w;
    }
    return (int)(at - x);
}

int canvas_printf(struct canvas *c, struct rect clip, int x, int y, enum style st, const char *fmt,
                  ...) {
    char text[TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return n < 0 ? 0 : canvas_text(c, clip, x, y, st, text);
}

void canvas_put(struct canvas *c, struct rect clip, int x, int y, enum style st, uint32_t cp) {
    const struct range v = visible(c, clip);
    put_char(c, &v, x, y, st, cp);
}

void canvas_put_on(struct canvas *c, struct rect clip, int x, int y, enum style fill,
                   enum style ground, uint32_t cp) {
    const struct range v = visible(c, clip);
    put_char(c, &v, x, y, fill, cp);
    if (covers(&v, x, y))
        c->at[(size_t)y * (size_t)c->w + (size_t)x].ground =
            (uint8_t)(ground == STYLE_TEXT ? SHARED_NONE : ground);
}

void canvas_fill(struct canvas *c, struct rect r, enum style st, uint32_t cp) {
    const struct range v = visible(c, r);
    const int step = str_cp_width(cp) == 2 ? 2 : 1;
    for (int y = v.y0; y < v.y1; y++)
        for (int x = v.x0; x < v.x1; x += step)
            put_char(c, &v, x, y, st, cp);
}

void canvas_select(struct canvas *c, struct rect r) {
    const struct range v = visible(c, r);
    for (int y = v.y0; y < v.y1; y++)
        for (int x = v.x0; x < v.x1; x++)
            c->at[y * c->w + x].selected = 1;
}

/* A bar drawn as blanks on a hue keeps its shape behind the popup as a light shade; the blanks
 * between its words stay. */
static bool is_bar(const struct canvas *c, int x, int y) {
    const struct cell *row = c->at + (size_t)y * (size_t)c->w;
    if (row[x].ground != STYLE_TEXT)
        return true;
    if (row[x].cp != ' ' || row[x].style < STYLE_FRONTEND_FILL ||
        row[x].style > STYLE_RETIRING_GREY)
        return false;
    const bool after_text = x > 0 && row[x - 1].cp != ' ' && row[x - 1].cp != SHADE;
    return !after_text && !(x + 1 < c->w && row[x + 1].cp != ' ');
}

void canvas_fade(struct canvas *c, struct rect r) {
    const struct range v = visible(c, r);
    for (int y = v.y0; y < v.y1; y++)
        for (int x = v.x0; x < v.x1; x++) {
            struct cell *cell = &c->at[y * c->w + x];
            if (is_bar(c, x, y))
                cell->cp = SHADE;
            cell->style = STYLE_DIM;
            cell->selected = 0;
            cell->ground = STYLE_TEXT;
        }
}

/* The row without its trailing blanks, as columns. */
static int row_end(const struct canvas *c, int y) {
    int end = c->w;
    while (end > 0 && c->at[(size_t)y * (size_t)c->w + (size_t)end - 1].cp == ' ')
        end--;
    return end;
}

size_t canvas_dump(const struct canvas *c, char *buf, size_t cap) {
    size_t n = 0;
    if (!cap)
        return 0;
    for (int y = 0; y < c->h; y++) {
        const int end = row_end(c, y);
        for (int x = 0; x <= end; x++) {
            const uint32_t cp = x == end ? '\n' : c->at[(size_t)y * (size_t)c->w + (size_t)x].cp;
            char bytes[4];
            const size_t len = cp ? str_encode(cp, bytes) : 0;
            if (n + len >= cap)
                goto full;
            memcpy(buf + n, bytes, len);
            n += len;
        }
    }
full:
    buf[n] = '\0';
    return n;
}
