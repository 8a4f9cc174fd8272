#include "ui/term_draw.h"

#include "base/str.h"
#include "ui/term_glyph.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUFFER = 16 << 10, /* a steady frame is 1 kB; a repaint of 200x60 goes out in a few pieces */
    LONGEST = 256,     /* bytes that one cell can take: a jump, a change of look, a character */
    UNKNOWN = -1,
};

enum { BOLD = 1, DIM = 2, UNDERLINE = 4, REVERSE = 8 };

/* A look, ready to be written. */
struct pen {
    int fg, bg;
    unsigned attr;
    bool erasable; /* a blank in this look is only a ground: nothing of it is drawn */
    char set_fg[28], set_bg[28];
};

static struct {
    struct vocabulary v;
    draw_write *write;
    struct pen pen[2][STYLE_N]; /* [selected][style] */
    bool ascii, mono;
    int w, h;
    struct cell *shown; /* [h][w] */
    bool known;         /* shown is what the screen shows */
    int x, y;           /* the cursor; x UNKNOWN = somewhere */
    int fg, bg;         /* what the terminal draws with now */
    unsigned attr;
    size_t n;
    size_t look_end; /* where in bytes the last change of look ended; 0 = nowhere */
    char bytes[BUFFER];
} d;

/* ---- bytes ---- */

static void flush(void) {
    if (d.n)
        d.write(d.bytes, d.n);
    d.n = d.look_end = 0;
}

static void add(const char *s) {
    const size_t n = strlen(s);
    if (n > sizeof(d.bytes) - d.n)
        flush();
    if (n > sizeof(d.bytes))
        return;
    memcpy(d.bytes + d.n, s, n);
    d.n += n;
}

/* For one cell with all that goes before it; so that a sequence is never torn. */
static void make_room(void) {
    if (sizeof(d.bytes) - d.n < LONGEST)
        flush();
}

/* CSI numbers final; b < 0: only one number. */
static void add_csi(int a, int b, char final) {
    char s[32];
    if (b < 0)
        snprintf(s, sizeof(s), "\033[%d%c", a, final);
    else
        snprintf(s, sizeof(s), "\033[%d;%d%c", a, b, final);
    add(s);
}

/* ---- looks ---- */

static const struct pen *pen_of(const struct cell *cell) {
    const unsigned st = cell->style < STYLE_N ? cell->style : STYLE_TEXT;
    return &d.pen[cell->selected != 0][st];
}

static bool pen_is_set(const struct pen *p) {
    return p->fg == d.fg && p->bg == d.bg && p->attr == d.attr;
}

static bool is_sgr(const char *s, size_t n) {
    return n >= 3 && s[0] == '\033' && s[1] == '[' && s[n - 1] == 'm';
}

/* Adds a change of look; one that follows another directly becomes part of the same sequence. */
static void add_look(const char *s) {
    const bool sgr = is_sgr(s, strlen(s));
    if (sgr && d.n && d.look_end == d.n) {
        d.bytes[d.n - 1] =
            ';'; /* was its m; an empty number is 0, so CSI m + CSI 1 m = CSI ; 1 m */
        add(s + 2);
    } else {
        add(s);
    }
    d.look_end = sgr ? d.n : 0;
}

static void set_plain(void) {
    add_look(d.v.plain);
    d.fg = d.bg = -1;
    d.attr = 0;
}

/* Colours that must become the terminal's own. */
static void drop_colors(const struct pen *p) {
    const bool fg = p->fg < 0 && d.fg >= 0, bg = p->bg < 0 && d.bg >= 0;
    if (!fg && !bg)
        return;
    if (d.v.ansi_default && fg != bg) {
        add_look(fg ? "\033[39m" : "\033[49m");
    } else {
        add_look(d.v.both_default);
        d.fg = d.bg = -1;
    }
    d.fg = fg ? -1 : d.fg;
    d.bg = bg ? -1 : d.bg;
}

static void set_pen(const struct pen *p) {
    make_room();
    if (d.attr & ~p->attr)
        set_plain(); /* attributes have no off-switch that every terminal knows */
    drop_colors(p);
    const struct {
        unsigned bit;
        const char *on;
    } attrs[] = {
        {BOLD, d.v.bold}, {DIM, d.v.dim}, {UNDERLINE, d.v.underline}, {REVERSE, d.v.reverse}};
    for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
        if (p->attr & ~d.attr & attrs[i].bit)
            add_look(attrs[i].on);
    if (p->fg != d.fg)
        add_look(p->set_fg);
    if (p->bg != d.bg)
        add_look(p->set_bg);
    d.fg = p->fg;
    d.bg = p->bg;
    d.attr = p->attr;
}

/* For a cell that is only ground: what letters would look like does not matter. */
static void set_ground(const struct pen *p) {
    if (d.bg == p->bg && !(d.attr & (UNDERLINE | REVERSE)))
        return;
    if ((d.attr & (UNDERLINE | REVERSE)) || (p->bg < 0 && !d.v.ansi_default)) {
        set_pen(p);
        return;
    }
    add_look(p->bg < 0 ? "\033[49m" : p->set_bg);
    d.bg = p->bg;
}

static void make_pen(struct pen *p, const struct term_look *l) {
    *p = (struct pen){.fg = l->fg, .bg = l->bg};
    p->attr = (l->bold && *d.v.bold ? BOLD : 0) | (l->dim && *d.v.dim ? DIM : 0) |
              (l->underline && *d.v.underline ? UNDERLINE : 0) |
              (l->reverse && *d.v.reverse ? REVERSE : 0);
    p->erasable = !(p->attr & (UNDERLINE | REVERSE));
    if (p->fg >= 0)
        d.v.color(p->set_fg, sizeof(p->set_fg), p->fg, false);
    if (p->bg >= 0)
        d.v.color(p->set_bg, sizeof(p->set_bg), p->bg, true);
}

void draw_open(const struct vocabulary *v, draw_write *write, const struct theme *t, int colors,
               bool ascii) {
    draw_close();
    d.v = *v;
    d.write = write;
    d.ascii = ascii;
    d.mono = colors <= 0;
    d.n = 0;
    for (int i = 0; i < 2 * STYLE_N; i++) {
        const enum style st = (enum style)(i % STYLE_N);
        const struct term_look l = term_look_of(t, st, i >= STYLE_N, colors);
        struct pen *p = &d.pen[i / STYLE_N][st];
        make_pen(p, &l);
        if (d.mono && glyph_texture(st, ascii) != ' ')
            p->erasable = false;
    }
}

void draw_close(void) {
    free(d.shown);
    d.shown = NULL;
    d.w = d.h = 0;
}

int draw_resize(int w, int h) {
    const size_t n = (size_t)w * (size_t)h;
    struct cell *shown = calloc(n ? n : 1, sizeof(*shown));
    if (!shown)
        return -ENOMEM;
    free(d.shown);
    d.shown = shown;
    d.w = w;
    d.h = h;
    draw_forget();
    return 0;
}

void draw_forget(void) {
    d.known = false;
}

/* ---- characters ---- */

static bool is_text(const struct cell *row, int w, int x, uint8_t style) {
    return x >= 0 && x < w && row[x].style == style && row[x].cp != ' ';
}

/* Without colours a bar is a texture, with a blank on each side of its words. */
static uint32_t texture(const struct cell *row, int w, int x) {
    const uint8_t st = row[x].style;
    if (is_text(row, w, x - 1, st) || is_text(row, w, x + 1, st))
        return ' ';
    return glyph_texture((enum style)st, d.ascii);
}

/* Characters that every terminal gives the columns that we do: Latin, Greek, and the symbols of
 * the blocks from arrows to braille. After any other one the cursor counts as lost. */
static bool is_certain(uint32_t cp) {
    return cp < 0x300 || (cp >= 0x370 && cp < 0x400) || (cp >= 0x2010 && cp < 0x2028) ||
           (cp >= 0x2190 && cp < 0x2300) || (cp >= 0x2500 && cp < 0x2600) ||
           (cp >= 0x2800 && cp < 0x2900);
}

static void put_glyph(uint32_t cp) {
    const size_t n = str_encode(cp, d.bytes + d.n);
    d.n += n;
}

/* Writes the cell under the cursor. Returns its columns. */
static int put_cell(const struct cell *row, int w, int x) {
    const bool wide = x + 1 < w && row[x + 1].cp == 0;
    uint32_t cp = row[x].cp;
    make_room();
    if (cp == ' ' && d.mono)
        cp = texture(row, w, x);
    if (cp < 0x20 || str_cp_width(cp) != 1 + wide)
        cp = cp == 0 ? ' ' : '?'; /* half a character, at the edge of a smaller screen */
    put_glyph(d.ascii ? (unsigned char)glyph_ascii(cp) : cp);
    if (wide && (d.ascii || cp == '?'))
        put_glyph(' ');
    d.x = x + 1 + wide;
    if (d.x >= d.w || !(d.ascii || is_certain(cp)))
        d.x = UNKNOWN; /* at the right edge terminals differ about where the cursor is */
    return 1 + wide;
}

/* ---- moving ---- */

static bool is_ground(const struct cell *cell) {
    return cell->cp == ' ' && pen_of(cell)->erasable;
}

/* Cells between the cursor and x that can be written again for less than a jump costs. */
static bool cheap_to_rewrite(const struct cell *row, int x) {
    if (x <= d.x || x - d.x > 3)
        return false;
    int bytes = 0;
    for (int i = d.x; i < x; i++) {
        const struct pen *p = pen_of(&row[i]);
        const bool set =
            is_ground(&row[i]) ? p->bg == d.bg && !(d.attr & (UNDERLINE | REVERSE)) : pen_is_set(p);
        if (!set || row[i].cp < 0x20 || !is_certain(row[i].cp))
            return false;
        bytes += d.ascii || row[i].cp < 0x80 ? 1 : 3;
    }
    return bytes <= 4; /* CSI n C */
}

/* What a way of moving sends; more than any way worth taking when it cannot be taken. */
enum { CANNOT = 99 };

static int digits(int n) {
    return n < 10 ? 1 : n < 100 ? 2 : 3;
}

/* From column `from` to column x of the same row: \b, \r, CSI n C. */
static int across_bytes(int from, int x) {
    if (x < from)
        return from - x < 5 ? from - x : x == 0 ? 1 : CANNOT;
    return x == from ? 0 : 3 + digits(x - from);
}

static void across(int from, int x) {
    if (x < from && from - x >= 5)
        add("\r");
    for (int i = from; i > x && from - x < 5; i--)
        add("\b");
    if (x > from)
        add_csi(x - from, -1, 'C');
}

/* Down by \n (which is only that: the terminal's modes leave it alone) and across, or straight. */
static void jump(int y, int x) {
    const int down = y - d.y;
    int near = CANNOT;
    if (d.x != UNKNOWN && down >= 0 && down <= 3)
        near = down + across_bytes(d.x, x);
    if (near >= 4 + digits(y + 1) + digits(x + 1)) {
        add_csi(y + 1, x + 1, 'H');
        return;
    }
    for (int i = 0; i < down; i++)
        add("\n");
    across(d.x, x);
}

static void move_to(const struct cell *row, int w, int y, int x) {
    const bool same_row = d.x != UNKNOWN && d.y == y;
    if (same_row && d.x == x)
        return;
    make_room();
    if (same_row && cheap_to_rewrite(row, x)) {
        while (d.x != UNKNOWN && d.x < x)
            put_cell(row, w, d.x);
    } else if (d.v.ansi_move) {
        jump(y, x);
    } else {
        add(d.v.move(y, x));
    }
    d.x = x;
    d.y = y;
}

/* ---- frames ---- */

static bool looks_same(const struct cell *a, const struct cell *b) {
    if (a->cp == b->cp && a->style == b->style && a->selected == b->selected)
        return true;
    return is_ground(a) && is_ground(b) && pen_of(a)->bg == pen_of(b)->bg;
}

/* How many cells from x on are nothing but the ground of the first; *changed of them are new. */
static int ground_run(const struct cell *row, const struct cell *old, int w, int x, int *changed) {
    int n = 0;
    *changed = 0;
    while (x + n < w && is_ground(&row[x + n]) && looks_same(&row[x], &row[x + n])) {
        *changed += !looks_same(&row[x + n], &old[x + n]);
        n++;
    }
    return n;
}

/* Erases a run of mere ground, where that is shorter than blanks. Returns its columns, or 0. */
static int erase_run(const struct cell *row, const struct cell *old, int w, int y, int x) {
    const struct pen *p = pen_of(&row[x]);
    int changed;
    const int n = ground_run(row, old, w, x, &changed);
    const bool to_end = x + n == d.w && *d.v.erase_row;
    if (changed < (to_end ? 4 : 12) || (!to_end && !d.v.ansi_erase))
        return 0; /* CSI K has 3 bytes; CSI 12 X 5, and as many go for the jump behind it */
    if (p->bg >= 0 && !d.v.keeps_ground)
        return 0;
    move_to(row, w, y, x);
    set_ground(p);
    if (to_end)
        add(d.v.erase_row);
    else
        add_csi(n, -1, 'X');
    return n;
}

/* In mono a texture depends on its neighbours, so the cells beside a change count as changed. */
static bool is_changed(const struct cell *row, const struct cell *old, int w, int x) {
    if (!looks_same(&row[x], &old[x]))
        return true;
    if (!d.mono || pen_of(&row[x])->erasable)
        return false;
    return (x > 0 && !looks_same(&row[x - 1], &old[x - 1])) ||
           (x + 1 < w && !looks_same(&row[x + 1], &old[x + 1]));
}

static void draw_row(const struct cell *row, struct cell *old, int w, int y) {
    for (int x = 0; x < w;) {
        if (!is_changed(row, old, w, x)) {
            x++;
            continue;
        }
        if (d.v.last_cell_scrolls && y == d.h - 1 && x == d.w - 1)
            return;
        const int erased = erase_run(row, old, w, y, x);
        if (erased) {
            x += erased;
            continue;
        }
        if (row[x].cp == 0 && x > 0)
            x--;
        move_to(row, w, y, x);
        if (is_ground(&row[x]))
            set_ground(pen_of(&row[x]));
        else
            set_pen(pen_of(&row[x]));
        x += put_cell(row, w, x);
    }
}

/* Starts from a screen that is known to be empty. */
static void clear_screen(void) {
    set_plain();
    add(d.v.clear);
    for (int i = 0; i < d.w * d.h; i++)
        d.shown[i] = (struct cell){.cp = ' ', .style = STYLE_TEXT};
    d.x = UNKNOWN;
    d.known = true;
}

void draw_canvas(const struct canvas *c) {
    if (!d.known)
        clear_screen();
    const int w = c->w < d.w ? c->w : d.w;
    const int h = c->h < d.h ? c->h : d.h;
    for (int y = 0; y < h; y++) {
        const struct cell *row = c->at + (size_t)y * (size_t)c->w;
        struct cell *old = d.shown + (size_t)y * (size_t)d.w;
        if (memcmp(row, old, (size_t)w * sizeof(*row)) == 0)
            continue; /* padding may differ; then the cells decide */
        draw_row(row, old, w, y);
        memcpy(old, row, (size_t)w * sizeof(*row));
    }
    flush();
}
