/*
 * Drawing on a terminal: the test is the terminal. It understands what an xterm does of the bytes
 * that are sent, so whatever is drawn in whatever order, its screen must show the canvas.
 */
#include "term_vocabulary.h"
#include "ui/term/term_draw.h"

#include "base/str.h"
#include "ui/term/term_glyph.h"
#include "ui/term/term_out.h"
#include "ui/term/term_style.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the terminal ---- */

enum { W_MAX = 60, H_MAX = 20 };

struct spot {
    uint32_t cp; /* 0 = right half */
    int fg, bg;
    unsigned attr; /* 1 bold, 2 dim, 4 underline, 8 reverse */
};

static struct {
    int w, h, x, y;
    bool lost; /* a character was written in the last column */
    bool bce;  /* erased cells get the ground that is set */
    struct spot style, at[H_MAX][W_MAX];
    size_t bytes, writes, jumps;
} vt;

static void vt_size(int w, int h) {
    memset(&vt, 0, sizeof(vt));
    vt.bce = true;
    vt.w = w;
    vt.h = h;
    vt.style = (struct spot){' ', -1, -1, 0};
    for (int y = 0; y < H_MAX; y++)
        for (int x = 0; x < W_MAX; x++)
            vt.at[y][x] = (struct spot){'X', 99, 99, 0}; /* what was there before */
}

static void vt_erase(int y, int x0, int x1) {
    for (int x = x0; x < x1; x++)
        vt.at[y][x] = (struct spot){' ', -1, vt.bce ? vt.style.bg : -1, 0};
}

static void vt_put(uint32_t cp) {
    const int width = str_cp_width(cp);
    if (vt.lost || vt.x + width > vt.w)
        fail_msg("written beyond the right edge: U+%04x", cp);
    for (int i = 0; i < width; i++) { /* half of a wide character goes with the other */
        struct spot *s = &vt.at[vt.y][vt.x + i];
        if (s->cp == 0 && vt.x + i > 0)
            s[-1].cp = ' ';
        if (vt.x + i + 1 < vt.w && s[1].cp == 0)
            s[1].cp = ' ';
        *s = vt.style;
        s->cp = cp;
    }
    if (width == 2)
        vt.at[vt.y][vt.x + 1].cp = 0;
    vt.x += width;
    vt.lost = vt.x >= vt.w;
}

static void vt_sgr(const int *n, int count) {
    for (int i = 0; i < count; i++) {
        if (n[i] == 0)
            vt.style = (struct spot){' ', -1, -1, 0};
        else if (n[i] == 38 || n[i] == 48)
            *(n[i] == 38 ? &vt.style.fg : &vt.style.bg) = n[i + 2], i += 2;
        else if (n[i] == 22)
            vt.style.attr &= ~3u;
        else if (n[i] == 24 || n[i] == 27)
            vt.style.attr &= ~(n[i] == 24 ? 4u : 8u);
        else if (n[i] == 39)
            vt.style.fg = -1;
        else if (n[i] == 49)
            vt.style.bg = -1;
        else
            vt.style.attr |= n[i] == 1   ? 1u
                             : n[i] == 2 ? 2u
                             : n[i] == 4 ? 4u
                             : n[i] == 7 ? 8u
                                         : 1u << 9;
    }
}

static void vt_csi(char final, const int *n, int count) {
    switch (final) {
    case 'H':
        vt.y = n[0] ? n[0] - 1 : 0;
        vt.x = n[1] ? n[1] - 1 : 0;
        vt.lost = false;
        vt.jumps++;
        break;
    case 'C':
        assert_false(vt.lost);
        vt.x += n[0] ? n[0] : 1;
        vt.jumps++;
        break;
    case 'K':
        assert_false(vt.lost);
        vt_erase(vt.y, vt.x, vt.w);
        break;
    case 'X':
        assert_false(vt.lost);
        assert_true(vt.x + n[0] <= vt.w);
        vt_erase(vt.y, vt.x, vt.x + n[0]);
        break;
    case 'J':
        for (int y = 0; y < vt.h; y++)
            vt_erase(y, 0, vt.w);
        break;
    case 'm':
        vt_sgr(n, count);
        break;
    default:
        fail_msg("unknown sequence: CSI ... %c", final);
    }
    assert_true(vt.lost || (vt.x >= 0 && vt.x < vt.w && vt.y >= 0 && vt.y < vt.h));
}

static void vt_write(const char *s, size_t n) {
    const char *end = s + n;
    vt.bytes += n;
    vt.writes++;
    while (s < end) {
        size_t used = 1;
        if (s[0] == '\033' && s[1] == '[') {
            int num[8] = {0}, count = 1;
            for (s += 2; *s == ';' || (*s >= '0' && *s <= '9'); s++)
                if (*s == ';')
                    count++;
                else
                    num[count - 1] = num[count - 1] * 10 + (*s - '0');
            vt_csi(*s, num, count);
        } else if (*s == '\n' || *s == '\r' || *s == '\b') {
            assert_false(vt.lost);
            vt.y += *s == '\n';
            vt.x = *s == '\r' ? 0 : *s == '\b' ? vt.x - 1 : vt.x;
            assert_true(vt.x >= 0 && vt.y < vt.h);
        } else {
            vt_put(str_decode(s, &used));
        }
        s += used;
    }
}

/* Erased cells get the terminal's own ground; what is not known of moves and looks is asked. */
static const struct vocabulary screen = {
    .clear = "\033[H\033[2J",
    .erase_row = "\033[K",
    .plain = "\033[m",
    .both_default = "\033[39;49m",
    .bold = "\033[1m",
    .dim = "\033[2m",
    .underline = "\033[4m",
    .reverse = "\033[7m",
    .ansi_erase = true,
    .move = slow_move,
    .color = xterm_color,
};

/* The Linux console: neither dim nor underlined while there are colours (its ncv is 18). */
static const struct vocabulary console = {
    .clear = "\033[H\033[2J",
    .erase_row = "\033[K",
    .plain = "\033[m",
    .both_default = "\033[39;49m",
    .bold = "\033[1m",
    .dim = "\033[2m",
    .underline = "\033[4m",
    .reverse = "\033[7m",
    .colorless = ATTR_DIM | ATTR_UNDERLINE,
    .ansi_move = true,
    .ansi_erase = true,
    .keeps_ground = true,
    .move = slow_move,
    .color = xterm_color,
};

/* As little as a terminal can know and still be drawn on. */
static const struct vocabulary poor = {
    .clear = "\033[H\033[2J",
    .erase_row = "",
    .plain = "\033[m",
    .both_default = "\033[39;49m",
    .bold = "\033[1m",
    .dim = "",
    .underline = "",
    .reverse = "\033[7m",
    .last_cell_scrolls = true,
    .move = slow_move,
    .color = xterm_color,
};

/* ---- what it must show ---- */

static struct theme theme;

/* Looked up once for each number of colours: finding the nearest of 256 takes its time. */
static struct term_style look_of(const struct cell *cell, int colors) {
    static struct term_style known[STYLE_N][2];
    static bool is_known[STYLE_N][2];
    static int of_colors;
    if (cell->ground) /* of two fills: the ink is the ground of one, the ground that of the other */
        return cell_style(&theme, cell, colors);
    if (of_colors != colors)
        memset(is_known, 0, sizeof(is_known));
    of_colors = colors;
    struct term_style *l = &known[cell->style][cell->selected != 0];
    if (!is_known[cell->style][cell->selected != 0])
        *l = term_style_of(&theme, (enum style)cell->style, cell->selected, colors);
    is_known[cell->style][cell->selected != 0] = true;
    return *l;
}

static struct spot want_spot(const struct canvas *c, int x, int y, int colors,
                             const struct vocabulary *v) {
    const struct cell *cell = &c->at[y * c->w + x];
    const struct term_style l = look_of(cell, colors);
    struct spot s = {cell->cp, l.fg, l.bg, 0};
    s.attr = (l.bold && *v->bold ? 1u : 0) | (l.dim && *v->dim ? 2u : 0) |
             (l.underline && *v->underline ? 4u : 0) | (l.reverse && *v->reverse ? 8u : 0);
    if (l.fg >= 0 || l.bg >= 0)
        s.attr &= ~v->colorless;
    return s;
}

static void expect_shown(const char *what, const struct canvas *c, int colors,
                         const struct vocabulary *v) {
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            if (v->last_cell_scrolls && y == vt.h - 1 && x == vt.w - 1)
                continue;
            const struct spot want = want_spot(c, x, y, colors, v);
            const struct spot *got = &vt.at[y][x];
            const bool blank = want.cp == ' ' && !(want.attr & 12u); /* its colour cannot be seen */
            if (got->cp != want.cp || got->bg != want.bg || (!blank && got->fg != want.fg) ||
                (!blank && want.cp && got->attr != want.attr) || (blank && (got->attr & 12u)))
                fail_msg("%s: at %d,%d: U+%04x %d/%d attr %u, want U+%04x %d/%d attr %u", what, x,
                         y, got->cp, got->fg, got->bg, got->attr, want.cp, want.fg, want.bg,
                         want.attr);
        }
}

static uint32_t seed;

static int below(int n) {
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 12) % n;
}

static void scribble(struct canvas *c) {
    static const char *const words[] = {"Backend", "12.3", "日本語", "▁▂▃▄▅▆▇█",
                                        "   ",     "⠁⠋é→", "🙂x"};
    const struct rect all = canvas_rect(c);
    for (int i = below(6); i >= 0; i--) {
        const int x = below(c->w + 4) - 2, y = below(c->h);
        const enum style st = (enum style)below(STYLE_N);
        switch (below(6)) {
        case 5:
            canvas_put_on(c, all, x, y, SHARED_FIRST + below(SHARED_N),
                          SHARED_FIRST + below(SHARED_N), 0x2581 + (uint32_t)below(7));
            break;
        case 0:
            canvas_fill(c, (struct rect){x, y, below(c->w), below(3)}, st, ' ');
            break;
        case 1:
            canvas_select(c, (struct rect){0, y, c->w, 1});
            break;
        case 2:
            canvas_fill(c, (struct rect){x, y, c->w, 1}, STYLE_TEXT, ' ');
            break;
        default:
            canvas_text(c, all, x, y, st, words[below((int)COUNT(words))]);
        }
    }
}

static void test_random_frames(void **state) {
    (void)state;
    static const struct {
        const char *what;
        const struct vocabulary *v;
        int colors, w, h;
    } cases[] = {
        {"xterm, 256 colours", &xterm, 256, 50, 12},
        {"xterm, 8 colours", &xterm, 8, 50, 12},
        {"screen, 256 colours", &screen, 256, 50, 12},
        {"Linux console", &console, 8, 50, 12},
        {"one column", &xterm, 256, 1, 5},
        {"one row", &xterm, 16, 40, 1},
        {"poor terminal", &poor, 8, 50, 12},
        {"poor and tiny", &poor, 8, 3, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        seed = 7;
        vt_size(cases[i].w, cases[i].h);
        vt.bce = cases[i].v->keeps_ground;
        assert_int_equal(canvas_init(&c, cases[i].w, cases[i].h), 0);
        draw_open(cases[i].v, vt_write, &theme, cases[i].colors, false);
        assert_int_equal(draw_resize(cases[i].w, cases[i].h), 0);
        for (int frame = 0; frame < 1500; frame++) {
            scribble(&c);
            if (frame % 200 == 199)
                draw_forget();
            draw_canvas(&c);
            expect_shown(cases[i].what, &c, cases[i].colors, cases[i].v);
        }
        canvas_destroy(&c);
        draw_close();
    }
}

/* Without colours bars have textures; in ASCII every character is one byte. */
static void test_mono_and_ascii(void **state) {
    (void)state;
    static const struct {
        bool ascii;
        const char *row;
    } cases[] = {{false, " Fe ░░░▓▓▓▓ │x"}, {true, " Fe ...#### |x"}};
    struct theme mono;
    assert_int_equal(theme_load(&mono, "mono", NULL), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        vt_size(14, 1);
        assert_int_equal(canvas_init(&c, 14, 1), 0);
        draw_open(&xterm, vt_write, &mono, 0, cases[i].ascii);
        draw_resize(14, 1);
        for (int again = 0; again < 2; again++) { /* the second time over a longer word */
            canvas_clear(&c);
            canvas_fill(&c, (struct rect){0, 0, 7, 1}, STYLE_FRONTEND_FILL, ' ');
            canvas_fill(&c, (struct rect){7, 0, 4, 1}, STYLE_BACKEND_FILL, ' ');
            canvas_text(&c, canvas_rect(&c), 1, 0, STYLE_FRONTEND_FILL, again ? "Fe" : "Front");
            canvas_text(&c, canvas_rect(&c), 12, 0, STYLE_BORDER, "│x");
            draw_canvas(&c);
        }
        const char *want = cases[i].row;
        for (int x = 0; x < 14; x++) {
            size_t used;
            const uint32_t cp = str_decode(want, &used);
            if (vt.at[0][x].cp != cp)
                fail_msg("ascii %d, column %d: U+%04x, want U+%04x", cases[i].ascii, x,
                         vt.at[0][x].cp, cp);
            want += used;
        }
        canvas_destroy(&c);
        draw_close();
    }
}

/* Without colours the letter of a legend has its texture on both sides; a word in a bar has blanks,
 * also while one grows into the other. */
static void test_mono_legend(void **state) {
    (void)state;
    static const struct {
        int from, to; /* of the fill */
        const char *letters, *want;
    } cases[] = {
        {2, 5, "F", "  ░F░   "}, {2, 6, "F", "   F ░  "}, {2, 5, "F", "  ░F░   "},
        {1, 5, "F", " ░ F    "}, {2, 5, "%", "  ░%░   "}, {2, 8, "Fe", "   Fe ░░"},
        {5, 8, "", "     ░░░"},
    };
    struct theme mono;
    struct canvas c;
    assert_int_equal(theme_load(&mono, "mono", NULL), 0);
    vt_size(8, 1);
    assert_int_equal(canvas_init(&c, 8, 1), 0);
    draw_open(&xterm, vt_write, &mono, 0, false);
    draw_resize(8, 1);
    for (size_t i = 0; i < COUNT(cases); i++) { /* each drawn over the one before */
        const char *want = cases[i].want;
        canvas_clear(&c);
        canvas_fill(&c, (struct rect){cases[i].from, 0, cases[i].to - cases[i].from, 1},
                    STYLE_FRONTEND_FILL, ' ');
        canvas_text(&c, canvas_rect(&c), 3, 0, STYLE_FRONTEND_FILL, cases[i].letters);
        draw_canvas(&c);
        for (int x = 0; x < 8; x++) {
            size_t used;
            const uint32_t cp = str_decode(want, &used);
            if (vt.at[0][x].cp != cp)
                fail_msg("case %zu, column %d: U+%04x, want U+%04x", i, x, vt.at[0][x].cp, cp);
            want += used;
        }
    }
    canvas_destroy(&c);
    draw_close();
}

/* Two hues share a cell as ink and ground; without colours the greater one has its texture. */
static void test_mixed(void **state) {
    (void)state;
    struct canvas c;
    for (int mono = 0; mono < 2; mono++) {
        struct theme none;
        assert_int_equal(theme_load(&none, "mono", NULL), 0);
        vt_size(2, 1);
        assert_int_equal(canvas_init(&c, 2, 1), 0);
        draw_open(&xterm, vt_write, mono ? &none : &theme, mono ? 0 : 256, false);
        draw_resize(2, 1);
        canvas_put_on(&c, canvas_rect(&c), 0, 0, STYLE_BACKEND_QUIET, STYLE_FRONTEND_QUIET, 0x2582);
        canvas_put_on(&c, canvas_rect(&c), 1, 0, STYLE_BACKEND_QUIET, STYLE_FRONTEND_QUIET, 0x2587);
        draw_canvas(&c);
        const struct term_style over = term_style_of(&theme, STYLE_BACKEND_QUIET, false, 256),
                                under = term_style_of(&theme, STYLE_FRONTEND_QUIET, false, 256);
        assert_int_equal(vt.at[0][0].cp, mono ? glyph_texture(STYLE_FRONTEND_FILL, false) : 0x2582);
        assert_int_equal(vt.at[0][1].cp, mono ? glyph_texture(STYLE_BACKEND_FILL, false) : 0x2587);
        assert_int_equal(vt.at[0][0].fg, mono ? -1 : over.bg);
        assert_int_equal(vt.at[0][0].bg, mono ? -1 : under.bg);
        canvas_destroy(&c);
        draw_close();
    }
}

/* What a frame may cost: nothing when nothing changed, one write else, and few bytes. */
static void test_cost(void **state) {
    (void)state;
    struct canvas c;
    vt_size(60, 20);
    assert_int_equal(canvas_init(&c, 60, 20), 0);
    draw_open(&xterm, vt_write, &theme, 256, false);
    draw_resize(60, 20);
    canvas_text(&c, canvas_rect(&c), 0, 5, STYLE_VALUE, "12.3  a longer text that stays");
    draw_canvas(&c);

    const size_t bytes = vt.bytes, writes = vt.writes;
    draw_canvas(&c);
    assert_int_equal(vt.bytes, bytes);
    assert_int_equal(vt.writes, writes);

    canvas_text(&c, canvas_rect(&c), 0, 5, STYLE_VALUE, "12.4");
    draw_canvas(&c);
    assert_int_equal(vt.writes, writes + 1);
    assert_true(vt.bytes - bytes <= strlen("\033[m\033[6;4H4"));

    /* A bar that grows by 40 columns is one erased run, not 40 blanks. */
    const size_t bar = vt.bytes;
    canvas_fill(&c, (struct rect){0, 6, 40, 1}, STYLE_BACKEND_FILL, ' ');
    draw_canvas(&c);
    assert_true(vt.bytes - bar <= strlen("\033[7;1H\033[38;5;233;48;5;215m\033[40X"));

    const size_t before = vt.bytes;
    canvas_clear(&c);
    draw_canvas(&c);
    assert_true(vt.bytes - before <=
                strlen("\033[6;1H\033[48;5;233m\033[K\n\033[40X")); /* not 70 blanks */
    canvas_destroy(&c);
    draw_close();
}

/* A canvas of another size than the terminal: the common part is shown. */
static void test_sizes_differ(void **state) {
    (void)state;
    static const int sizes[][4] = {{10, 3, 20, 6}, {20, 6, 10, 3}, {1, 1, 9, 9}, {9, 9, 1, 1}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct canvas c;
        vt_size(sizes[i][2], sizes[i][3]);
        assert_int_equal(canvas_init(&c, sizes[i][0], sizes[i][1]), 0);
        draw_open(&xterm, vt_write, &theme, 256, false);
        draw_resize(vt.w, vt.h);
        canvas_fill(&c, canvas_rect(&c), STYLE_TEXT, 'a');
        draw_canvas(&c);
        for (int y = 0; y < vt.h; y++)
            for (int x = 0; x < vt.w; x++)
                assert_int_equal(vt.at[y][x].cp, x < c.w && y < c.h ? 'a' : ' ');
        canvas_destroy(&c);
        draw_close();
        draw_close();
    }
}

static void test_glyph_ascii(void **state) {
    (void)state;
    static const struct {
        uint32_t cp;
        char to;
    } cases[] = {
        {'a', 'a'},     {'~', '~'},    {0x2500, '-'}, {0x2502, '|'},   {0x250c, '+'}, {0x253c, '+'},
        {0x2550, '='},  {0x2551, '|'}, {0x2570, '+'}, {0x2581, '_'},   {0x2588, '#'}, {0x2589, '#'},
        {0x258f, '.'},  {0x2590, '|'}, {0x2591, '.'}, {0x2593, '%'},   {0x2800, ' '}, {0x28ff, '#'},
        {0x2801, '\''}, {0x2840, '.'}, {0x2190, '<'}, {0x2192, '>'},   {0x25b2, '^'}, {0x25b8, '>'},
        {0x25be, 'v'},  {0x25c0, '<'}, {0x26a0, '!'}, {0x00b7, '.'},   {0x00b1, '+'}, {0x2026, '~'},
        {0x0394, 'd'},  {0x65e5, '?'}, {0x0000, '?'}, {0x10ffff, '?'},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (glyph_ascii(cases[i].cp) != cases[i].to)
            fail_msg("U+%04x is '%c', want '%c'", cases[i].cp, glyph_ascii(cases[i].cp),
                     cases[i].to);
    for (uint32_t cp = 0; cp < 0x3000; cp++)
        assert_true(glyph_ascii(cp) >= 0x20 && glyph_ascii(cp) < 0x7f);
    for (uint32_t cp = 0x2500; cp < 0x25a0;
         cp++) /* what bars and boxes are made of has a likeness */
        assert_int_not_equal(glyph_ascii(cp), '?');
}

/* What has two characters takes the blank beside it: nothing else moves. */
static void test_spell_out(void **state) {
    (void)state;
    static const struct {
        const char *what, *from, *to;
    } cases[] = {
        {"before a blank", "12.8% ± 0.9", "12.8% +-0.9"},
        {"end of a heading", "value      ± share", "value     +- share"},
        {"no blank behind it", " ±0.3%", "+-0.3%"},
        {"no blank at all", "a±b", "a+b"},
        {"nothing to spell", "12.8% x 0.9", "12.8% x 0.9"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct canvas c;
        char text[64];
        assert_int_equal(canvas_init(&c, str_width(cases[i].from), 1), 0);
        canvas_text(&c, canvas_rect(&c), 0, 0, STYLE_TEXT, cases[i].from);
        glyph_spell_out(&c);
        for (int x = 0; x < c.w; x++)
            text[x] = glyph_ascii(c.at[x].cp);
        text[c.w] = '\0';
        if (strcmp(text, cases[i].to) != 0)
            fail_msg("%s: \"%s\", want \"%s\"", cases[i].what, text, cases[i].to);
        canvas_destroy(&c);
    }
}

static int load_theme(void **state) {
    (void)state;
    return theme_load(&theme, "default", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_frames), cmocka_unit_test(test_mono_and_ascii),
        cmocka_unit_test(test_mono_legend),   cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_cost),          cmocka_unit_test(test_sizes_differ),
        cmocka_unit_test(test_glyph_ascii),   cmocka_unit_test(test_spell_out),
    };
    return cmocka_run_group_tests_name("term_draw", tests, load_theme, NULL);
}
