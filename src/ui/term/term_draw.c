/*
 * First the frame is compared with the last one, which gives runs of cells that are to be written.
 * Then the runs are written look by look, not row by row: a jump costs fewer bytes than a change of
 * look, and the numbers of one column share theirs.
 */
#include "ui/term/term_draw.h"

#include "base/str.h"
#include "ui/term/term_glyph.h"
#include "ui/term/term_out.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 2 * STYLE_N + SHARED_N * (SHARED_N + 1) };

/* Cells x .. x+n of a row in one look; or, erase, mere ground. */
struct run {
    uint16_t x, y, n;
    uint8_t look;
    bool erase;
    int next; /* of the same look, or NO_RUN */
};
enum { NO_RUN = -1 };

static struct {
    struct vocabulary v;
    struct out_style style[LOOKS];         /* those that look the same are there once */
    uint8_t look[2][STYLE_N];              /* [selected][style] -> pen */
    uint8_t mixed[SHARED_N][SHARED_N + 1]; /* [fill][ground] -> pen */
    uint8_t ground_look[LOOKS];            /* the first pen with the same ground */
    int n_style;
    bool ascii, mono;
    int w, h;
    struct cell *shown; /* [h][w] what the terminal shows, if known */
    struct run *runs;   /* [h * w]; no frame has more */
    int n_run;
    bool known;
} d;

/* ---- setting up ---- */

static uint8_t add_style(const struct out_style *p) {
    int i = 0;
    while (i < d.n_style && !(p->is_ground && out_style_same(&d.style[i], p)))
        i++; /* a look with a texture is like no other */
    if (i == d.n_style) {
        d.style[d.n_style++] = *p;
        out_style_spell(&d.style[i], d.style, i);
    }
    return (uint8_t)i;
}

static void add_looks(const struct theme *t, int colors) {
    d.n_style = 0;
    for (int i = 0; i < 2 * STYLE_N; i++) {
        const enum style st = (enum style)(i % STYLE_N);
        const struct term_style l = term_style_of(t, st, i >= STYLE_N, colors);
        struct out_style p = out_style(&l);
        if (d.mono && glyph_texture(st, d.ascii) != ' ')
            p.is_ground = false;
        d.look[i / STYLE_N][st] = add_style(&p);
    }
    struct term_style fill[SHARED_N + 1];
    for (int i = 0; i <= SHARED_N; i++)
        fill[i] = term_style_of(t, i < SHARED_N ? SHARED_FIRST + i : STYLE_TEXT, false, colors);
    for (int i = 0; i < SHARED_N; i++)
        for (int k = 0; k <= SHARED_N; k++) {
            const struct term_style l = term_style_shared(&fill[i], &fill[k], k == SHARED_N);
            const struct out_style p = out_style(&l);
            d.mixed[i][k] = add_style(&p);
        }
    for (int i = 0; i < d.n_style; i++) {
        int k = 0;
        while (k < i && !(d.style[k].is_ground && d.style[k].bg == d.style[i].bg))
            k++;
        d.ground_look[i] = (uint8_t)k;
    }
}

void draw_open(const struct vocabulary *v, draw_write *write, const struct theme *t, int colors,
               bool ascii) {
    draw_close();
    draw_restyle(v, write, t, colors, ascii);
}

void draw_restyle(const struct vocabulary *v, draw_write *write, const struct theme *t, int colors,
                  bool ascii) {
    d.v = *v;
    d.ascii = ascii;
    d.mono = colors <= 0;
    out_open(v, write);
    add_looks(t, colors);
    draw_forget();
}

void draw_close(void) {
    free(d.shown);
    free(d.runs);
    d.shown = NULL;
    d.runs = NULL;
    d.w = d.h = 0;
}

int draw_resize(int w, int h) {
    const size_t n = (size_t)w * (size_t)h;
    struct cell *shown = calloc(n ? n : 1, sizeof(*shown));
    struct run *runs = calloc(n ? n : 1, sizeof(*runs));
    if (!shown || !runs) {
        free(shown);
        free(runs);
        return -ENOMEM;
    }
    free(d.shown);
    free(d.runs);
    d.shown = shown;
    d.runs = runs;
    d.w = w;
    d.h = h;
    draw_forget();
    return 0;
}

void draw_forget(void) {
    d.known = false;
}

/* ---- cells ---- */

static uint8_t look_of(const struct cell *cell) {
    if (cell_is_shared(cell))
        return d.mixed[cell->style - SHARED_FIRST][cell->ground - SHARED_FIRST];
    return d.look[cell->selected != 0][cell->style < STYLE_N ? cell->style : STYLE_TEXT];
}

static const struct out_style *style_of(const struct cell *cell) {
    return &d.style[look_of(cell)];
}

/* A blank of which only the ground can be seen. */
static bool is_ground(const struct cell *cell) {
    return cell->cp == ' ' && style_of(cell)->is_ground;
}

/* As nearly all are. Padding may differ: false does not say that they look different. */
static bool is_equal(const struct cell *a, const struct cell *b) {
    return memcmp(a, b, sizeof(*a)) == 0;
}

static bool looks_same(const struct cell *a, const struct cell *b) {
    if (is_equal(a, b))
        return true;
    if (a->cp == b->cp && look_of(a) == look_of(b))
        return true;
    return is_ground(a) && is_ground(b) && style_of(a)->bg == style_of(b)->bg;
}

/* In mono a texture depends on its neighbours, so the cells beside a change count as changed. */
static bool is_changed(const struct cell *row, const struct cell *old, int w, int x) {
    enum { REACH = 3 }; /* cell_texture */
    if (!looks_same(&row[x], &old[x]))
        return true;
    if (!d.mono || style_of(&row[x])->is_ground)
        return false;
    for (int i = x > REACH ? x - REACH : 0; i < w && i <= x + REACH; i++)
        if (!looks_same(&row[i], &old[i]))
            return true;
    return false;
}

/* ---- what has changed ---- */

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

/* Columns from x on that are better erased than overwritten with blanks, or 0. */
static int erasable(const struct cell *row, const struct cell *old, int w, int x) {
    int changed;
    const int n = ground_run(row, old, w, x, &changed);
    const bool to_end = x + n == d.w && *d.v.erase_row;
    if (n == 0 || (style_of(&row[x])->bg >= 0 && !d.v.keeps_ground))
        return 0;
    if (to_end)
        return changed >= 4 ? n : 0;                /* CSI K has 3 bytes */
    return changed >= 12 && d.v.ansi_erase ? n : 0; /* CSI 12 X has 5, and so has a jump over it */
}

/* The look of a run when a cell joins it; -1 if the cell needs another. Blanks join any ground. */
static int joined_look(int look, bool all_ground, const struct cell *cell) {
    const int own = look_of(cell);
    if (own == look)
        return look;
    const struct out_style *run = &d.style[look], *style = &d.style[own];
    if (run->bg != style->bg || !run->is_ground || !style->is_ground)
        return -1;
    return is_ground(cell) ? look : all_ground ? own : -1;
}

static bool is_wide(const struct cell *row, int w, int x) {
    return x + 1 < w && row[x + 1].cp == 0;
}

/* Notes the run that begins with the changed cell x. Returns where to go on. */
static int add_run(const struct cell *row, const struct cell *old, int w, int y, int x) {
    struct run *r = &d.runs[d.n_run++];
    const int erase = erasable(row, old, w, x);
    *r = (struct run){.x = (uint16_t)x, .y = (uint16_t)y, .look = look_of(&row[x])};
    bool all_ground = is_ground(&row[x]);
    if (all_ground)
        r->look = d.ground_look[r->look];
    if (erase) {
        r->erase = true;
        r->n = (uint16_t)erase;
        return x + erase;
    }
    int end = x + 1 + is_wide(row, w, x);
    while (end < w && is_changed(row, old, w, end) && !erasable(row, old, w, end)) {
        const int look = joined_look(r->look, all_ground, &row[end]);
        if (look < 0)
            break;
        r->look = (uint8_t)look;
        all_ground = all_ground && is_ground(&row[end]);
        end += 1 + is_wide(row, w, end);
    }
    r->n = (uint16_t)(end - x);
    return end;
}

static void compare_row(const struct cell *row, const struct cell *old, int w, int y) {
    if (d.v.last_cell_scrolls && y == d.h - 1 && w == d.w)
        w--; /* its last cell stays as it is */
    for (int x = 0; x < w;) {
        if ((!d.mono && is_equal(&row[x], &old[x])) || !is_changed(row, old, w, x))
            x++;
        else if (row[x].cp == 0 && x > 0)
            x = add_run(row, old, w, y, x - 1);
        else
            x = add_run(row, old, w, y, x);
    }
}

/* ---- writing it ---- */

/* Characters that every terminal gives the columns that we do: Latin, Greek, and the symbols of
 * the blocks from arrows to braille. After any other one the cursor counts as lost. */
static bool is_certain(uint32_t cp) {
    return cp < 0x300 || (cp >= 0x370 && cp < 0x400) || (cp >= 0x2010 && cp < 0x2028) ||
           (cp >= 0x2190 && cp < 0x2300) || (cp >= 0x2500 && cp < 0x2600) ||
           (cp >= 0x2800 && cp < 0x2900);
}

/* Writes the cell under the cursor. Returns its columns. */
static int put_cell(const struct cell *row, int w, int x) {
    const int columns = 1 + is_wide(row, w, x);
    uint32_t cp = row[x].cp;
    if (d.mono)
        cp = cell_texture(row, w, x, d.ascii);
    if (cp < 0x20 || str_cp_width(cp) != columns)
        cp = cp == 0 ? ' ' : '?'; /* half a character, at the edge of a smaller screen */
    if (d.ascii)
        cp = (unsigned char)glyph_ascii(cp);
    if (columns == 2 && cp < 0x7f) {
        out_char(cp, 1, true);
        out_char(' ', 1, true);
    } else {
        out_char(cp, columns, is_certain(cp));
    }
    return columns;
}

/* The few cells between the cursor and x, if writing them again is less than a jump. */
static void rewrite_up_to(const struct cell *row, int w, int y, int x) {
    int at, at_y, bytes = 0;
    if (!out_cursor(&at_y, &at) || at_y != y || at >= x || x - at > 3)
        return;
    for (int i = at; i < x; i++) {
        const struct out_style *p = style_of(&row[i]);
        const bool set = is_ground(&row[i]) ? out_is_ground_set(p) : out_is_set(p);
        if (!set || row[i].cp < 0x20 || !is_certain(row[i].cp))
            return;
        bytes += d.ascii || row[i].cp < 0x80 ? 1 : 3;
    }
    for (int i = at; i < x && bytes <= 4; i++) /* CSI n C has 4 */
        put_cell(row, w, i);
}

static void put_run(const struct run *r, const struct cell *row, int w) {
    const struct out_style *p = &d.style[r->look];
    if (r->erase) {
        out_move(r->y, r->x);
        out_set_ground(p);
        if (r->x + r->n == d.w && *d.v.erase_row)
            out_erase_row();
        else
            out_erase(r->n);
        return;
    }
    if (!(is_ground(&row[r->x]) && out_is_ground_set(p)))
        out_set(p);
    rewrite_up_to(row, w, r->y, r->x);
    for (int x = r->x; x < r->x + r->n;) {
        if (!is_ground(&row[x]) && !out_is_set(p))
            out_set(p); /* a run that began with blanks in another colour */
        out_move(r->y, x);
        x += put_cell(row, w, x);
    }
}

/* Look by look, the one that the terminal has now first; in each, from the top. */
static void put_runs(const struct canvas *c, int w) {
    int of_look[LOOKS], first = 0;
    for (int i = 0; i < d.n_style; i++)
        of_look[i] = NO_RUN;
    for (int k = d.n_run - 1; k >= 0; k--) {
        d.runs[k].next = of_look[d.runs[k].look];
        of_look[d.runs[k].look] = k;
    }
    while (first < d.n_style && !out_is_set(&d.style[first]))
        first++;
    for (int i = 0; i < d.n_style; i++)
        for (int k = of_look[(first + i) % d.n_style]; k != NO_RUN; k = d.runs[k].next)
            put_run(&d.runs[k], c->at + (size_t)d.runs[k].y * (size_t)c->w, w);
}

/* Starts from a screen that is known to be empty: in the ground of the theme, or else in that of
 * the terminal, and then like no cell of a frame. */
static void clear_screen(void) {
    const struct out_style *text = &d.style[d.look[0][STYLE_TEXT]];
    const uint32_t cp = text->bg < 0 || d.v.keeps_ground ? ' ' : 1;
    out_clear(d.w, text);
    for (int i = 0; i < d.w * d.h; i++)
        d.shown[i] = (struct cell){.cp = cp, .style = STYLE_TEXT};
    d.known = true;
}

void draw_canvas(const struct canvas *c) {
    if (!d.known)
        clear_screen();
    const int w = c->w < d.w ? c->w : d.w;
    const int h = c->h < d.h ? c->h : d.h;
    d.n_run = 0;
    for (int y = 0; y < h; y++) {
        const struct cell *row = c->at + (size_t)y * (size_t)c->w;
        struct cell *old = d.shown + (size_t)y * (size_t)d.w;
        if (memcmp(row, old, (size_t)w * sizeof(*row)) == 0)
            continue; /* padding may differ; then the cells decide */
        compare_row(row, old, w, y);
        memcpy(old, row, (size_t)w * sizeof(*row));
    }
    put_runs(c, w);
    out_flush();
}
