#include "ui/term/term_glyph.h"

#include "base/str.h"

#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Ranges in ascending order; `to` has one character per code point, or one for all of them. */
static const struct glyphs {
    uint32_t first, last;
    const char *to;
} table[] = {
    {0x00a0, 0x00a0, " "},
    {0x00ab, 0x00ab, "<"},
    {0x00b0, 0x00b3, "o+23"},
    {0x00b5, 0x00b7, "uP."},
    {0x00bb, 0x00bb, ">"},
    {0x00d7, 0x00d7, "x"},
    {0x00f7, 0x00f7, "/"},
    {0x0394, 0x0394, "d"},
    {0x03a3, 0x03a3, "S"},
    {0x03bc, 0x03bc, "u"},
    {0x03c3, 0x03c3, "s"},
    {0x2010, 0x2015, "-"},
    {0x2018, 0x201b, "'"},
    {0x201c, 0x201f, "\""},
    {0x2020, 0x2022, "++*"},
    {0x2026, 0x2026, "~"},
    {0x2030, 0x2030, "%"},
    {0x2039, 0x203a, "<>"},
    {0x2190, 0x2195, "<^>v-|"},
    {0x21b5, 0x21b5, "<"},
    {0x21d0, 0x21d3, "<^>v"},
    {0x21e5, 0x21e7, ">^^"},
    {0x2211, 0x2213, "S-+"},
    {0x2219, 0x2219, "."},
    {0x221e, 0x221e, "8"},
    {0x2248, 0x2248, "~"},
    {0x2260, 0x2260, "!"},
    {0x2264, 0x2265, "<>"},
    {0x23ce, 0x23ce, "<"},
    {0x23f4, 0x23f8, "<>^v="},
    {0x23fa, 0x23fa, "*"},
    /* Box drawing, by the Unicode chart: lines, then corners and crossings, doubles, arcs, ends. */
    {0x2500, 0x250b, "-=||--||--||"},
    {0x250c, 0x254b, "+"},
    {0x254c, 0x2551, "--||=|"},
    {0x2552, 0x2570, "+"},
    {0x2571, 0x2573, "/\\x"},
    {0x2574, 0x257f, "-|-|=|-|-|-|"},
    /* Blocks: half and lower eighths (a ramp for sparklines), left eighths, shades, quadrants. */
    {0x2580, 0x2588, "\"_.-=+*%#"},
    {0x2589, 0x2590, "##==--.|"},
    {0x2591, 0x2593, ".:%"},
    {0x2594, 0x2595, "\"|"},
    {0x2596, 0x259f, "#"},
    {0x25a0, 0x25a1, "#o"},
    {0x25aa, 0x25ab, "*o"},
    {0x25b2, 0x25b5, "^"},
    {0x25b6, 0x25bb, ">"},
    {0x25bc, 0x25bf, "v"},
    {0x25c0, 0x25c5, "<"},
    {0x25c6, 0x25c7, "*"},
    {0x25c9, 0x25cb, "*oo"},
    {0x25cf, 0x25cf, "o"},
    {0x25e6, 0x25e6, "o"},
    {0x2605, 0x2606, "*"},
    {0x26a0, 0x26a1, "!"},
    {0x2713, 0x2714, "+"},
    {0x2715, 0x2718, "x"},
    {0x276e, 0x276f, "<>"},
    {0x279c, 0x279e, ">"},
    {0x27f5, 0x27f7, "<>-"},
};

/* Dots 1 2 3 7 are the left column from the top, 4 5 6 8 the right one (Unicode, Braille Patterns).
 */
static char braille(uint32_t dots) {
    const bool top = dots & 0x1b, bottom = dots & 0xe4;
    if (top && bottom)
        return __builtin_popcount(dots) >= 5 ? '#' : ':';
    return top ? '\'' : bottom ? '.' : ' ';
}

/* A letter that is one of ASCII but for its accents. */
static bool is_marked(uint32_t cp) {
    return cp >= 0xc0 && cp < 0x2000 && str_base_letter(cp) < 0x7f;
}

char glyph_ascii(uint32_t cp) {
    if (cp >= 0x20 && cp < 0x7f)
        return (char)cp;
    if (cp >= 0x2800 && cp <= 0x28ff)
        return braille(cp & 0xff);
    if (is_marked(cp))
        return (char)str_base_letter(cp);
    size_t lo = 0, hi = COUNT(table);
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        const struct glyphs *g = &table[mid];
        if (cp < g->first)
            hi = mid;
        else if (cp > g->last)
            lo = mid + 1;
        else
            return g->to[1] ? g->to[cp - g->first] : g->to[0];
    }
    return '?';
}

static bool is_blank(const struct cell *row, int w, int x) {
    return x >= 0 && x < w && row[x].cp == ' ';
}

/* The blank behind it is taken, "12.8% +-0.9"; before it at the right end of a column's heading. */
static void spell(struct cell *row, int w, int x) {
    bool heading = is_blank(row, w, x - 1) && is_blank(row, w, x - 2);
    int left = !heading && is_blank(row, w, x + 1) ? x : x - 1;
    if (left < x && !is_blank(row, w, left))
        return;
    row[left] = row[left + 1] = row[x];
    row[left].cp = '+';
    row[left + 1].cp = '-';
}

void glyph_spell_out(struct canvas *c) {
    for (int y = 0; y < c->h; y++) {
        struct cell *row = c->at + (size_t)y * (size_t)c->w;
        for (int x = 0; x < c->w; x++)
            if (row[x].cp == 0xb1)
                spell(row, c->w, x);
    }
}

uint32_t glyph_texture(enum style st, bool ascii) {
    static const struct {
        uint32_t unicode;
        char ascii;
    } textures[] = {{0x2591, '.'}, {0x2592, 'x'}, {0x2593, '#'}, {0x2550, '='}};
    if (st < STYLE_FRONTEND_FILL || st > STYLE_RETIRING_GREY)
        return ' ';
    const size_t i = (size_t)(st - STYLE_FRONTEND_FILL) % COUNT(textures);
    return ascii ? (unsigned char)textures[i].ascii : textures[i].unicode;
}
