/*
 * A canvas as SVG 1.1: a rectangle for the ground, then for each row the grounds of its cells, and
 * for each run of cells of one look its areas, dots and words. Words are placed one by one and are
 * given the width they must have, so that the grid holds in any font. Colours stand at each
 * element, for readers that know no style sheets.
 */
#include "base/str.h"
#include "ui/draw/svg_glyph.h"
#include "ui/popup/save_screen.h"
#include "ui/term/term_style.h"

enum {
    W = SVG_CELL_W,
    H = SVG_CELL_H,
    MARGIN = 8,
    BASE = 15,      /* from the top of a cell to the line that letters stand on */
    UNDERLINE = 17, /* and to the line below them */
};

/* DejaVu's letters are 0.602 of their size broad, the others of the list about as much. */
#define FONT                                                                                       \
    "font-family=\"DejaVu Sans Mono,Menlo,Consolas,Liberation Mono,monospace\" font-size=\"16.6\""

/* What a look comes to on paper. */
struct ink {
    int32_t fg, bg; /* bg -1: that of the picture */
    bool bold, dim, underline;
};

struct page {
    const struct canvas *c;
    const struct save_options *opt;
    FILE *out;
    bool has_colors;
};

static struct ink ink_of(const struct page *p, const struct cell *cell) {
    const struct theme *t = p->opt->theme;
    const struct term_style l = cell_style(t, cell, DIRECT_COLORS);
    struct ink i = {l.fg >= 0 ? l.fg : t->own_fg, l.bg, l.bold, l.dim, l.underline};
    if (l.reverse) {
        i.fg = l.bg >= 0 ? l.bg : t->own_bg;
        i.bg = l.fg >= 0 ? l.fg : t->own_fg;
    }
    return i;
}

static bool same_ink(const struct ink *a, const struct ink *b) {
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim &&
           a->underline == b->underline;
}

/* ---- text ---- */

/* XML 1.0 has no way to write these at all. */
static bool is_forbidden(uint32_t cp) {
    return (cp < 0x20 && cp != '\t' && cp != '\n') || (cp >= 0xd800 && cp < 0xe000) ||
           cp == 0xfffe || cp == 0xffff || cp > 0x10ffff;
}

static void put_escaped(FILE *out, uint32_t cp) {
    char bytes[4];
    if (cp == '<' || cp == '>' || cp == '&' || cp == '"')
        fputs(cp == '<' ? "&lt;" : cp == '>' ? "&gt;" : cp == '&' ? "&amp;" : "&quot;", out);
    else
        fwrite(bytes, 1, str_encode(is_forbidden(cp) ? '?' : cp, bytes), out);
}

static void put_title(FILE *out, const char *title) {
    fputs("<title>", out);
    for (size_t used; *title; title += used)
        put_escaped(out, str_decode(title, &used));
    fputs("</title>\n", out);
}

/* Letters that all fonts of the list have, equally broad: they may share an element. */
static bool is_letter(uint32_t cp) {
    return cp > 0x20 && cp < 0x180;
}

/* The word that begins in column x; returns its columns. */
static int put_word(const struct page *p, const struct cell *row, int x, int end, int y,
                    const char *look) {
    const int w = p->c->w;
    int n = x + 1 < w && row[x + 1].cp == 0 ? 2 : 1;
    if (is_letter(cell_char(row, w, x, !p->has_colors, p->opt->ascii)))
        while (x + n < end && is_letter(cell_char(row, w, x + n, !p->has_colors, p->opt->ascii)))
            n++;
    fprintf(p->out,
            "<text x=\"%d\" y=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"%s>", x * W,
            y * H + BASE, n * W, look);
    for (int i = x; i < x + n; i++) {
        const uint32_t cp = cell_char(row, w, i, !p->has_colors, p->opt->ascii);
        if (cp)
            put_escaped(p->out, cp);
    }
    fputs("</text>\n", p->out);
    return n;
}

/* ---- rows ---- */

static void put_ground(const struct page *p, int x, int n, int y, const struct ink *i) {
    if (i->bg >= 0)
        fprintf(p->out,
                "<path d=\"M%d %dh%dv%dh-%dz\" fill=\"#%06x\" shape-rendering=\"crispEdges\"/>\n",
                x * W, y * H, n * W, H, n * W, (unsigned)i->bg);
}

/* All glyphs of one kind among the cells from x to end, as one path. */
static void put_glyphs(const struct page *p, const struct cell *row, int x, int end, int y,
                       enum svg_glyph kind, const struct ink *i) {
    static const char *const extra[] = {
        [GLYPH_AREA] = "\" shape-rendering=\"crispEdges",
        [GLYPH_LIGHT] = "\" fill-opacity=\".25",
        [GLYPH_MEDIUM] = "\" fill-opacity=\".5",
        [GLYPH_DARK] = "\" fill-opacity=\".75",
        [GLYPH_DOTS] = "\" stroke-linecap=\"round\" stroke-width=\"3",
    };
    bool begun = false;
    for (int at = x; at < end; at++) {
        const uint32_t cp = cell_char(row, p->c->w, at, !p->has_colors, p->opt->ascii);
        if (svg_glyph_kind(cp) != kind || cp == 0x2800)
            continue;
        if (!begun)
            fprintf(p->out, "<path %s=\"#%06x%s\"%s d=\"", kind == GLYPH_DOTS ? "stroke" : "fill",
                    (unsigned)i->fg, extra[kind], i->dim ? " opacity=\".6\"" : "");
        begun = true;
        svg_glyph_path(p->out, cp, at * W, y * H);
    }
    if (begun)
        fputs("\"/>\n", p->out);
}

static void put_run(const struct page *p, const struct cell *row, int x, int end, int y,
                    const struct ink *i) {
    char look[96];
    struct strbuf sb = strbuf_on(look, sizeof(look));
    if (i->fg != p->opt->theme->own_fg)
        strbuf_add(&sb, " fill=\"#%06x\"", (unsigned)i->fg);
    strbuf_add(&sb, "%s%s", i->bold ? " font-weight=\"bold\"" : "",
               i->dim ? " opacity=\".6\"" : "");
    for (int kind = GLYPH_AREA; kind <= GLYPH_DOTS; kind++)
        put_glyphs(p, row, x, end, y, (enum svg_glyph)kind, i);
    if (i->underline)
        fprintf(p->out, "<path d=\"M%d %dh%dv1h-%dz\"%s/>\n", x * W, y * H + UNDERLINE,
                (end - x) * W, (end - x) * W, look);
    for (int at = x; at < end;) {
        const uint32_t cp = cell_char(row, p->c->w, at, !p->has_colors, p->opt->ascii);
        if (cp <= ' ' || svg_glyph_kind(cp) != GLYPH_TEXT)
            at++;
        else
            at += put_word(p, row, at, end, y, look);
    }
}

/* The end of the run of one look that begins in column x; a wide character is never torn. */
static int run_end(const struct page *p, const struct cell *row, int x, struct ink *first) {
    int end = x + 1;
    *first = ink_of(p, &row[x]);
    for (; end < p->c->w; end++) {
        const struct ink i = ink_of(p, &row[end]);
        if (row[end].cp != 0 && !same_ink(&i, first))
            break;
    }
    return end;
}

static void put_row(const struct page *p, int y) {
    const struct cell *row = p->c->at + (size_t)y * (size_t)p->c->w;
    struct ink i;
    for (int x = 0, end; x < p->c->w; x = end) { /* first, so that no ground covers a letter */
        end = run_end(p, row, x, &i);
        put_ground(p, x, end - x, y, &i);
    }
    for (int x = 0, end; x < p->c->w; x = end) {
        end = run_end(p, row, x, &i);
        put_run(p, row, x, end, y, &i);
    }
}

int save_svg(const struct canvas *c, const struct save_options *opt, FILE *out) {
    const struct page p = {c, opt, out, theme_has_colors(opt->theme)};
    const int w = c->w * W + 2 * MARGIN, h = c->h * H + 2 * MARGIN;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\">\n",
            w, h, w, h);
    put_title(out, opt->title ? opt->title : "tdtop");
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", w, h,
            (unsigned)opt->theme->own_bg);
    fprintf(out, "<g transform=\"translate(%d %d)\" fill=\"#%06x\" " FONT ">\n", MARGIN, MARGIN,
            (unsigned)opt->theme->own_fg);
    for (int y = 0; y < c->h; y++)
        put_row(&p, y);
    fputs("</g>\n</svg>\n", out);
    return 0;
}
