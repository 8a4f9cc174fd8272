#include "ui/term/term_out.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum {
    BUFFER = 16 << 10, /* a steady frame is 1 kB; a repaint of 200x60 goes out in a few pieces */
    LONGEST = 256,     /* bytes of one step: a jump, a change of look, a character */
    UNKNOWN = -1,
    CANNOT = 99, /* more bytes than any way worth taking */
};

static struct {
    struct vocabulary v;
    draw_write *write;
    int fg, bg; /* what the terminal draws with */
    unsigned attr;
    int x, y; /* its cursor; x UNKNOWN = somewhere */
    int w;
    size_t n;
    size_t look_end; /* where in bytes the last change of look ended; 0 = nowhere */
    char bytes[BUFFER];
} out;

/* ---- bytes ---- */

void out_open(const struct vocabulary *v, draw_write *write) {
    out.v = *v;
    out.write = write;
    out.n = out.look_end = 0;
    out.x = UNKNOWN;
}

void out_flush(void) {
    if (out.n)
        out.write(out.bytes, out.n);
    out.n = out.look_end = 0;
}

/* Sees to it that a step is not torn between two writes. */
static void make_room(void) {
    if (sizeof(out.bytes) - out.n < LONGEST)
        out_flush();
}

static void add(const char *s) {
    const size_t n = strlen(s);
    if (n > sizeof(out.bytes) - out.n)
        return; /* cannot be: every step makes room first */
    memcpy(out.bytes + out.n, s, n);
    out.n += n;
}

static void add_number(int n) {
    char s[16], *at = s + sizeof(s);
    for (*--at = '\0'; n >= 10; n /= 10)
        *--at = (char)('0' + n % 10);
    *--at = (char)('0' + n);
    add(at);
}

/* CSI a ; b final; b < 0: only one number. A frame has hundreds: too many for snprintf. */
static void add_csi(int a, int b, char final) {
    add("\033[");
    add_number(a);
    if (b >= 0) {
        add(";");
        add_number(b);
    }
    add((const char[]){final, '\0'});
}

/* ---- looks ---- */

struct out_style out_style(const struct term_style *l) {
    struct out_style p = {.fg = l->fg, .bg = l->bg};
    p.attr = (l->bold && *out.v.bold ? ATTR_BOLD : 0) | (l->dim && *out.v.dim ? ATTR_DIM : 0) |
             (l->underline && *out.v.underline ? ATTR_UNDERLINE : 0) |
             (l->reverse && *out.v.reverse ? ATTR_REVERSE : 0);
    if (p.fg >= 0 || p.bg >= 0)
        p.attr &= ~out.v.colorless;
    p.is_ground = !(p.attr & (ATTR_UNDERLINE | ATTR_REVERSE));
    return p;
}

void out_style_spell(struct out_style *p, const struct out_style *known, int n) {
    int fg = 0, bg = 0;
    while (fg < n && known[fg].fg != p->fg)
        fg++;
    while (bg < n && known[bg].bg != p->bg)
        bg++;
    if (fg < n)
        str_copy(p->set_fg, sizeof(p->set_fg), known[fg].set_fg);
    else if (p->fg >= 0)
        out.v.color(p->set_fg, sizeof(p->set_fg), p->fg, false);
    if (bg < n)
        str_copy(p->set_bg, sizeof(p->set_bg), known[bg].set_bg);
    else if (p->bg >= 0)
        out.v.color(p->set_bg, sizeof(p->set_bg), p->bg, true);
}

bool out_style_same(const struct out_style *a, const struct out_style *b) {
    return a->fg == b->fg && a->bg == b->bg && a->attr == b->attr && a->is_ground == b->is_ground;
}

static bool is_sgr(const char *s, size_t n) {
    return n >= 3 && s[0] == '\033' && s[1] == '[' && s[n - 1] == 'm';
}

/* Adds a change of look; one that follows another directly becomes part of the same sequence. */
static void add_look(const char *s) {
    const bool sgr = is_sgr(s, strlen(s));
    if (sgr && out.n && out.look_end == out.n) {
        out.bytes[out.n - 1] = ';'; /* was its m; an empty number is 0: CSI m, CSI 1 m = CSI ;1m */
        add(s + 2);
    } else {
        add(s);
    }
    out.look_end = sgr ? out.n : 0;
}

static void set_plain(void) {
    add_look(out.v.plain);
    out.fg = out.bg = -1;
    out.attr = 0;
}

/* Attributes that must go. No terminfo has a switch for bold alone, but every terminal that knows
 * SGR 39 knows 22; it is the shorter one where the colours stay. */
static void drop_attributes(const struct out_style *p) {
    const unsigned off = out.attr & ~p->attr;
    const bool keeps = (p->bg >= 0 && p->bg == out.bg) || (p->fg >= 0 && p->fg == out.fg);
    if (!off)
        return;
    if (!keeps || !out.v.ansi_default) {
        set_plain();
        return;
    }
    if (off & (ATTR_BOLD | ATTR_DIM)) {
        add_look("\033[22m");
        out.attr &= ~(unsigned)(ATTR_BOLD | ATTR_DIM);
    }
    if (off & ATTR_UNDERLINE)
        add_look("\033[24m");
    if (off & ATTR_REVERSE)
        add_look("\033[27m");
    out.attr &= ~off;
}

/* Colours that must become the terminal's own. */
static void drop_colors(const struct out_style *p) {
    const bool fg = p->fg < 0 && out.fg >= 0, bg = p->bg < 0 && out.bg >= 0;
    if (!fg && !bg)
        return;
    if (out.v.ansi_default && fg != bg) {
        add_look(fg ? "\033[39m" : "\033[49m");
        out.fg = fg ? -1 : out.fg;
        out.bg = bg ? -1 : out.bg;
    } else {
        add_look(out.v.both_default);
        out.fg = out.bg = -1;
    }
}

static void add_attributes(unsigned attr) {
    const struct {
        unsigned bit;
        const char *on;
    } attrs[] = {{ATTR_BOLD, out.v.bold},
                 {ATTR_DIM, out.v.dim},
                 {ATTR_UNDERLINE, out.v.underline},
                 {ATTR_REVERSE, out.v.reverse}};
    for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
        if (attr & attrs[i].bit)
            add_look(attrs[i].on);
}

void out_set(const struct out_style *p) {
    make_room();
    drop_attributes(p);
    drop_colors(p);
    add_attributes(p->attr & ~out.attr);
    if (p->fg != out.fg)
        add_look(p->set_fg);
    if (p->bg != out.bg)
        add_look(p->set_bg);
    out.fg = p->fg;
    out.bg = p->bg;
    out.attr = p->attr;
}

bool out_is_set(const struct out_style *p) {
    return p->fg == out.fg && p->bg == out.bg && p->attr == out.attr;
}

bool out_is_ground_set(const struct out_style *p) {
    return p->bg == out.bg && !(out.attr & (ATTR_UNDERLINE | ATTR_REVERSE));
}

void out_set_ground(const struct out_style *p) {
    if (out_is_ground_set(p))
        return;
    if ((out.attr & (ATTR_UNDERLINE | ATTR_REVERSE)) || (p->bg < 0 && !out.v.ansi_default)) {
        out_set(p);
        return;
    }
    make_room();
    add_look(p->bg < 0 ? "\033[49m" : p->set_bg);
    out.bg = p->bg;
}

/* ---- the cursor ---- */

bool out_cursor(int *y, int *x) {
    *y = out.y;
    *x = out.x;
    return out.x != UNKNOWN;
}

static int digits(int n) {
    return n < 10 ? 1 : n < 100 ? 2 : 3;
}

/* What \b, \r, CSI n C cost from one column to another. */
static int across_bytes(int from, int to) {
    if (to < from)
        return from - to < 5 ? from - to : to == 0 ? 1 : CANNOT;
    return to == from ? 0 : 3 + digits(to - from);
}

static void across(int from, int to) {
    if (to < from && from - to >= 5)
        add("\r");
    for (int i = from; i > to && from - to < 5; i--)
        add("\b");
    if (to > from)
        add_csi(to - from, -1, 'C');
}

/* Down by \n (which is only that: the terminal's modes leave it alone) and across; or straight. */
static void jump(int y, int x) {
    const int down = y - out.y;
    int near = CANNOT;
    if (out.x != UNKNOWN && down >= 0 && down <= 3)
        near = down + across_bytes(out.x, x);
    if (near >= 4 + digits(y + 1) + digits(x + 1)) {
        add_csi(y + 1, x + 1, 'H');
        return;
    }
    for (int i = 0; i < down; i++)
        add("\n");
    across(out.x, x);
}

void out_move(int y, int x) {
    if (out.x == x && out.y == y)
        return;
    make_room();
    if (out.v.ansi_move)
        jump(y, x);
    else
        add(out.v.move(y, x));
    out.x = x;
    out.y = y;
}

/* ---- cells ---- */

void out_char(uint32_t cp, int columns, bool certain) {
    make_room();
    out.n += str_encode(cp, out.bytes + out.n);
    out.x += columns;
    if (out.x >= out.w || !certain)
        out.x = UNKNOWN; /* at the right edge terminals differ about where the cursor is */
}

void out_erase_row(void) {
    make_room();
    add(out.v.erase_row);
}

void out_erase(int n) {
    make_room();
    add_csi(n, -1, 'X');
}

void out_clear(int w, const struct out_style *p) {
    make_room();
    set_plain();
    if (out.v.keeps_ground)
        out_set_ground(p);
    add(out.v.clear);
    out.w = w;
    out.x = UNKNOWN;
}
