#include "ui/draw/svg_glyph.h"

enum { W = SVG_CELL_W, H = SVG_CELL_H, CX = W / 2, CY = H / 2, ARC = 5 };

enum svg_glyph svg_glyph_kind(uint32_t cp) {
    if (cp >= 0x2591 && cp <= 0x2593)
        return (enum svg_glyph)(GLYPH_LIGHT + (cp - 0x2591));
    if (cp >= 0x2500 && cp <= 0x259f)
        return GLYPH_AREA;
    return cp >= 0x2800 && cp <= 0x28ff ? GLYPH_DOTS : GLYPH_TEXT;
}

/* [x0, x1) x [y0, y1) of the cell */
static void area(FILE *out, int x, int y, int x0, int y0, int x1, int y1) {
    if (x1 > x0 && y1 > y0)
        fprintf(out, "M%d %dh%dv%dh%dz", x + x0, y + y0, x1 - x0, y1 - y0, x0 - x1);
}

/* ---- blocks ---- */

static int eighth(int of, int n) {
    return (of * n + 4) / 8;
}

static void quadrants(FILE *out, uint32_t cp, int x, int y) {
    /* upper left 1, upper right 2, lower left 4, lower right 8; U+2596 to U+259F */
    static const uint8_t masks[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};
    const unsigned mask = masks[cp - 0x2596];
    for (int i = 0; i < 4; i++)
        if (mask & 1u << i)
            area(out, x, y, i % 2 * CX, i / 2 * CY, i % 2 * CX + CX, i / 2 * CY + CY);
}

static void block(FILE *out, uint32_t cp, int x, int y) {
    const int n = (int)(cp - 0x2580);
    if (cp == 0x2580)
        area(out, x, y, 0, 0, W, CY);
    else if (cp <= 0x2588)
        area(out, x, y, 0, H - eighth(H, n), W, H);
    else if (cp <= 0x258f)
        area(out, x, y, 0, 0, eighth(W, 16 - n), H);
    else if (cp == 0x2590)
        area(out, x, y, CX, 0, W, H);
    else if (cp <= 0x2593)
        area(out, x, y, 0, 0, W, H);
    else if (cp == 0x2594)
        area(out, x, y, 0, 0, W, eighth(H, 1));
    else if (cp == 0x2595)
        area(out, x, y, W - eighth(W, 1), 0, W, H);
    else
        quadrants(out, cp, x, y);
}

/* ---- lines ---- */

enum arm { LEFT, RIGHT, UP, DOWN };
enum weight { NONE, LIGHT, HEAVY, DOUBLE };

/* Two bits each for left, right, up, down, from the lowest: a weight. From the names of the
 * characters U+2500 to U+257F; diagonals (U+2571 to U+2573) have no arms. */
static const uint8_t arms[] = {
    0x05, 0x0a, 0x50, 0xa0, 0x05, 0x0a, 0x50, 0xa0, 0x05, 0x0a, 0x50, 0xa0, 0x44, 0x48, 0x84, 0x88,
    0x41, 0x42, 0x81, 0x82, 0x14, 0x18, 0x24, 0x28, 0x11, 0x12, 0x21, 0x22, 0x54, 0x58, 0x64, 0x94,
    0xa4, 0x68, 0x98, 0xa8, 0x51, 0x52, 0x61, 0x91, 0xa1, 0x62, 0x92, 0xa2, 0x45, 0x46, 0x49, 0x4a,
    0x85, 0x86, 0x89, 0x8a, 0x15, 0x16, 0x19, 0x1a, 0x25, 0x26, 0x29, 0x2a, 0x55, 0x56, 0x59, 0x5a,
    0x65, 0x95, 0xa5, 0x66, 0x69, 0x96, 0x99, 0x6a, 0x9a, 0xa6, 0xa9, 0xaa, 0x05, 0x0a, 0x50, 0xa0,
    0x0f, 0xf0, 0x4c, 0xc4, 0xcc, 0x43, 0xc1, 0xc3, 0x1c, 0x34, 0x3c, 0x13, 0x31, 0x33, 0x5c, 0xf4,
    0xfc, 0x53, 0xf1, 0xf3, 0x4f, 0xc5, 0xcf, 0x1f, 0x35, 0x3f, 0x5f, 0xf5, 0xff, 0x44, 0x41, 0x11,
    0x14, 0x00, 0x00, 0x00, 0x01, 0x10, 0x04, 0x40, 0x02, 0x20, 0x08, 0x80, 0x09, 0x90, 0x06, 0x60,
};

static enum weight weight_of(uint32_t cp, enum arm a) {
    return (enum weight)(arms[cp - 0x2500] >> 2 * a & 3);
}

/* One stroke along an arm, from the middle of the cell to its edge; [from, to) is its breadth. */
static void stroke(FILE *out, int x, int y, enum arm a, int from, int to) {
    if (a == LEFT)
        area(out, x, y, 0, CY + from, CX + 1, CY + to);
    else if (a == RIGHT)
        area(out, x, y, CX, CY + from, W, CY + to);
    else if (a == UP)
        area(out, x, y, CX + from, 0, CX + to, CY + 1);
    else
        area(out, x, y, CX + from, CY, CX + to, H);
}

static void draw_arm(FILE *out, int x, int y, enum arm a, enum weight w) {
    if (w == LIGHT)
        stroke(out, x, y, a, 0, 1);
    else if (w == HEAVY)
        stroke(out, x, y, a, -1, 2);
    else if (w == DOUBLE) {
        stroke(out, x, y, a, -2, -1);
        stroke(out, x, y, a, 2, 3);
    }
}

/* How many dashes a line is made of; 0 = it has no gaps. */
static int dashes_of(uint32_t cp) {
    return cp >= 0x2504 && cp <= 0x2507   ? 3
           : cp >= 0x2508 && cp <= 0x250b ? 4
           : cp >= 0x254c && cp <= 0x254f ? 2
                                          : 0;
}

static void dashed(FILE *out, uint32_t cp, int x, int y, int n) {
    const bool across = weight_of(cp, LEFT) != NONE;
    const int thick = weight_of(cp, LEFT) == HEAVY || weight_of(cp, UP) == HEAVY;
    const int len = across ? W : H;
    for (int i = 0; i < n; i++) {
        const int from = len * i / n, to = len * (i + 1) / n - (across ? 1 : 2);
        if (across)
            area(out, x, y, from, CY - thick, to, CY + 1 + thick);
        else
            area(out, x, y, CX - thick, from, CX + 1 + thick, to);
    }
}

/* A quarter of a ring between two straight pieces, one unit broad. */
static void arc(FILE *out, uint32_t cp, int x, int y) {
    const bool right = weight_of(cp, RIGHT) != NONE, down = weight_of(cp, DOWN) != NONE;
    const int sx = right ? 1 : -1, sy = down ? 1 : -1;
    /* the outer corner of the bend, and the edges of the cell that it leads to */
    const int ox = x + CX + !right, oy = y + CY + !down;
    const int ex = right ? x + W : x, ey = down ? y + H : y;
    fprintf(out, "M%d %dV%dQ%d %d %d %dH%d", ox, ey, oy + sy * ARC, ox, oy, ox + sx * ARC, oy, ex);
    fprintf(out, "v%dH%dQ%d %d %d %dV%dz", sy, ox + sx * ARC, ox + sx, oy + sy, ox + sx,
            oy + sy * ARC, ey);
}

static void diagonals(FILE *out, uint32_t cp, int x, int y) {
    if (cp != 0x2572)
        fprintf(out, "M%d %dh1L%d %dh-1z", x + W - 1, y, x + 1, y + H);
    if (cp != 0x2571)
        fprintf(out, "M%d %dh1L%d %dh-1z", x, y, x + W, y + H);
}

static void lines(FILE *out, uint32_t cp, int x, int y) {
    const int n = dashes_of(cp);
    if (n)
        dashed(out, cp, x, y, n);
    else if (cp >= 0x256d && cp <= 0x2570)
        arc(out, cp, x, y);
    else if (cp >= 0x2571 && cp <= 0x2573)
        diagonals(out, cp, x, y);
    else
        for (int a = LEFT; a <= DOWN; a++)
            draw_arm(out, x, y, (enum arm)a, weight_of(cp, (enum arm)a));
}

/* ---- braille ---- */

static void dots(FILE *out, uint32_t cp, int x, int y) {
    /* bit -> place: 1 2 3 down the left column, 4 5 6 the right, then the lowest row */
    static const struct {
        uint8_t x, y;
    } at[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    for (int i = 0; i < 8; i++)
        if (cp & 1u << i)
            fprintf(out, "M%d.5 %d.5h.01", x + 2 + at[i].x * CX, y + 2 + at[i].y * CX);
}

void svg_glyph_path(FILE *out, uint32_t cp, int x, int y) {
    if (cp >= 0x2800)
        dots(out, cp, x, y);
    else if (cp >= 0x2580)
        block(out, cp, x, y);
    else
        lines(out, cp, x, y);
}
