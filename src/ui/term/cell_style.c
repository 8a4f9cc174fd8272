#include "ui/term/cell_style.h"

#include "ui/term/term_glyph.h"

static bool is_mixed(const struct cell *cell) {
    return cell->ground >= STYLE_FRONTEND_FILL && cell->ground <= STYLE_RETIRING_FILL &&
           cell->style >= STYLE_FRONTEND && cell->style <= STYLE_RETIRING;
}

struct term_style cell_style(const struct theme *t, const struct cell *cell, int colors) {
    if (is_mixed(cell))
        return term_style_mixed(t, (enum style)cell->style, (enum style)cell->ground, colors);
    return term_style_of(t, (enum style)cell->style, cell->selected, colors);
}

/* Of two hues in a cell, that of the greater share. */
static enum style mixed_fill(const struct cell *cell) {
    const bool over = cell->cp > 0x2584; /* LOWER HALF BLOCK */
    return (enum style)(over ? cell->style - STYLE_FRONTEND + STYLE_FRONTEND_FILL : cell->ground);
}

static bool is_text(const struct cell *row, int w, int x, uint8_t style) {
    return x >= 0 && x < w && row[x].style == style && row[x].cp != ' ';
}

/* A bar is a texture, with a blank on each side of its words. */
static uint32_t texture(const struct cell *row, int w, int x, bool ascii) {
    const uint8_t st = row[x].style;
    if (is_text(row, w, x - 1, st) || is_text(row, w, x + 1, st))
        return ' ';
    return glyph_texture((enum style)st, ascii);
}

uint32_t cell_char(const struct cell *row, int w, int x, bool without_colors, bool ascii) {
    uint32_t cp = row[x].cp;
    if (cp == 0)
        return x > 0 ? 0 : ' ';
    if (without_colors && is_mixed(&row[x]))
        cp = glyph_texture(mixed_fill(&row[x]), ascii);
    else if (without_colors && cp == ' ')
        cp = texture(row, w, x, ascii);
    return ascii ? (unsigned char)glyph_ascii(cp) : cp;
}
