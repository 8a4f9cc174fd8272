/*
 * Poorer terminals: every theme in every number of colours. What differs stays different, text can
 * be read, secondary text is seen.
 */

#include "color_math.h"
#include "model/load/model.h"
#include "ui/term/term_style.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_color_nearest(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int32_t rgb;
        int colors, index;
    } cases[] = {
        {"the terminal's own stays", -1, 256, -1},
        {"the terminal's own stays", -1, 8, -1},
        {"black", 0x000000, 256, 16},
        {"white", 0xffffff, 256, 231},
        {"a cube colour", 0x5fafff, 256, 75},
        {"near a cube colour", 0x60aefe, 256, 75},
        {"a grey", 0x8a8a8a, 256, 245},
        {"a dark grey", 0x303030, 256, 236},
        {"black of 8", 0x101010, 8, 0},
        {"white of 8", 0xeeeeee, 8, 7},
        {"red of 8", 0xd70000, 8, 1},
        {"orange is the yellow of 8", 0xffaf5f, 8, 3},
        {"sky blue is the cyan of 8", 0x5fafff, 8, 6},
        {"deep blue of 8", 0x2020c0, 8, 4},
        {"light red of 16", 0xff8787, 16, 9},
        {"dark red of 16", 0xaf0000, 16, 1},
        {"grey of 16", 0x8a8a8a, 16, 8},
        {"white of 16", 0xffffff, 16, 15},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int got = color_nearest(cases[i].rgb, cases[i].colors);
        if (got != cases[i].index)
            fail_msg("%s: #%06x of %d is %d, want %d", cases[i].what, (unsigned)cases[i].rgb,
                     cases[i].colors, got, cases[i].index);
    }
    for (int i = 16; i < 256;
         i++) { /* a palette colour is its own nearest, or one of equal value */
        const int got = color_nearest(color_of_index(i), 256);
        assert_int_equal(color_of_index(got), color_of_index(i));
    }
    for (int32_t rgb = 0; rgb < 1 << 24; rgb += 997) {
        const int c256 = color_nearest(rgb, 256), c16 = color_nearest(rgb, 16),
                  c8 = color_nearest(rgb, 8);
        assert_true(c256 >= 16 && c256 < 256 && c16 >= 0 && c16 < 16 && c8 >= 0 && c8 < 8);
    }
}

/* Hues that fall onto one index by themselves, and must not. */
static void test_hues(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int32_t rgb[HUES], avoid;
        int colors, index[HUES];
    } cases[] = {
        {"each its own", {0x5fafff, 0xd75faf, 0xffaf5f, 0x87d7af}, 0xd70000, 8, {6, 5, 3, 2}},
        {"bright ones", {0x5fafff, 0xd75faf, 0xffaf5f, 0x87d7af}, 0xd70000, 16, {14, 13, 11, 10}},
        {"two greens", {0x5fafff, 0xd75faf, 0x87d75f, 0x5fd7af}, 0xd70000, 8, {4, 5, 2, 6}},
        {"two blues", {0x5fafff, 0x5fd7ff, 0xffaf5f, 0x87d7af}, 0xd70000, 8, {4, 6, 3, 2}},
        {"none", {-1, -1, -1, -1}, -1, 8, {-1, -1, -1, -1}},
        {"one wanted twice", {0x5fafff, 0x5fafff, 0xffaf5f, -1}, -1, 8, {6, 6, 3, -1}},
        {"red is the bottleneck's",
         {0xff0000, 0x0000ff, 0x00ff00, 0x00ffff},
         0xd70000,
         8,
         {3, 4, 2, 6}},
        {"red is free", {0xff0000, 0x0000ff, 0x00ff00, 0x00ffff}, 0xffffff, 8, {1, 4, 2, 6}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int index[HUES];
        color_hues(cases[i].rgb, cases[i].avoid, cases[i].colors, index);
        for (int k = 0; k < HUES; k++)
            if (index[k] != cases[i].index[k])
                fail_msg("%s: hue %d is %d, want %d", cases[i].what, k, index[k],
                         cases[i].index[k]);
    }
}

/* Any four hues that differ: their indices do too, and are colours. */
static void test_any_hues(void **state) {
    (void)state;
    static const int colors[] = {8, 16, 256};
    uint32_t seed = 1;
    for (int n = 0; n < 600; n++) {
        int32_t rgb[HUES];
        int index[HUES];
        for (int i = 0; i < HUES; i++) {
            seed = seed * 1664525u + 1013904223u;
            rgb[i] = i && n % 3 == 0 ? rgb[0] + i : (int32_t)(seed >> 8); /* also all but equal */
        }
        color_hues(rgb, rgb[0] ^ 0x00ff00, colors[n % 3], index);
        for (int a = 0; a < HUES; a++) {
            assert_true(index[a] >= 1 && index[a] < colors[n % 3]);
            assert_true(colors[n % 3] > 16 || (index[a] % 8 != 0 && index[a] % 8 != 7));
            for (int b = 0; b < a; b++)
                assert_true(index[a] != index[b] || rgb[a] == rgb[b]);
        }
    }
}

/* ---- every theme, every number of colours ---- */

static const int depths[] = {0, 8, 16, 256, DIRECT_COLORS};

static bool same_look(const struct term_style *a, const struct term_style *b) {
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->dim == b->dim &&
           a->underline == b->underline && a->reverse == b->reverse;
}

/* Calls test for every theme and number of colours. */
static void each(void (*test)(const struct theme *t, int colors)) {
    for (const struct embedded *e = embedded_themes; e->name; e++) {
        struct theme t;
        assert_int_equal(theme_load(&t, e->name, NULL), 0);
        for (size_t i = 0; i < COUNT(depths); i++)
            test(&t, depths[i]);
    }
}

/* Styles between which the eye must tell. */
static void expect_different(const struct theme *t, int colors) {
    static const enum style pairs[][2] = {
        {STYLE_DIM, STYLE_TEXT},         {STYLE_WARN, STYLE_TEXT},
        {STYLE_ERROR, STYLE_TEXT},       {STYLE_WARN, STYLE_ERROR},
        {STYLE_BOTTLENECK, STYLE_WARN},  {STYLE_BOTTLENECK, STYLE_ERROR},
        {STYLE_BOTTLENECK, STYLE_MATCH}, {STYLE_SIMULATED, STYLE_TEXT},
        {STYLE_TAB_ON, STYLE_TAB},       {STYLE_UP, STYLE_UP_FADED},
        {STYLE_DOWN, STYLE_DOWN_FADED},  {STYLE_UP, STYLE_TEXT},
        {STYLE_UP_FADED, STYLE_DIM},     {STYLE_DOWN_FADED, STYLE_DIM},
        {STYLE_HEAT_0, STYLE_HEAT_4},    {STYLE_MARK, STYLE_AXIS},
        {STYLE_BASELINE, STYLE_MARK},    {STYLE_KEY, STYLE_KEY_TEXT},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const struct term_style a = term_style_of(t, pairs[i][0], false, colors),
                                b = term_style_of(t, pairs[i][1], false, colors);
        if (pairs[i][0] == STYLE_DIM && strcmp(t->name, "high-contrast") == 0)
            continue; /* nothing is dim in it */
        /* without colours a theme that has them is not used: "mono" is (term.c) */
        if ((colors > 0 || strcmp(t->name, "mono") == 0) && same_look(&a, &b))
            fail_msg("%s, %d colours: %s looks like %s", t->name, colors, style_name(pairs[i][0]),
                     style_name(pairs[i][1]));
    }
}

static void test_differences(void **state) {
    (void)state;
    each(expect_different);
}

/* The hues as letters and as bars; the bar has the colour of the letter. */
static void expect_hues(const struct theme *t, int colors) {
    if (colors == 0 || t->look[STYLE_FRONTEND].fg < 0)
        return;
    const struct term_style mark = term_style_of(t, STYLE_BOTTLENECK, false, colors);
    for (int a = 0; a < HUES; a++) {
        const struct term_style text = term_style_of(t, STYLE_FRONTEND + a, false, colors),
                                bar = term_style_of(t, STYLE_FRONTEND_FILL + a, false, colors);
        assert_int_equal(text.fg, bar.bg);
        assert_int_not_equal(bar.bg, mark.bg);
        if (colors <= 16)
            assert_true(text.fg % 8 != 0 && text.fg % 8 != 7); /* a hue, not a grey */
        for (int b = 0; b < a; b++)
            if (term_style_of(t, STYLE_FRONTEND + b, false, colors).fg == text.fg)
                fail_msg("%s, %d colours: two hues are %d", t->name, colors, text.fg);
    }
}

static void test_theme_hues(void **state) {
    (void)state;
    each(expect_hues);
}

/* VGA's sixteen, as the Linux console has them (drivers/tty/vt/vt.c, default_red and so on). */
static int32_t console_color(int index) {
    static const int32_t vga[] = {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa,
                                  0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55,
                                  0x5555ff, 0xff55ff, 0x55ffff, 0xffffff};
    return vga[index];
}

/* What has a ground of its own can be read on it, in xterm and on the console. */
static void expect_readable(const struct theme *t, int colors) {
    for (int st = 0; st < STYLE_N && colors > 0 && colors <= 256; st++)
        for (int selected = 0; selected < 2; selected++) {
            const struct term_style l = term_style_of(t, (enum style)st, selected, colors);
            if (l.fg < 0 || l.bg < 0)
                continue;
            const double here = contrast(color_of_index(l.fg), color_of_index(l.bg));
            const double there =
                colors <= 16 ? contrast(console_color(l.fg), console_color(l.bg)) : 21;
            const bool line = st == STYLE_BORDER || st == STYLE_BAND;
            if (here < (selected || line ? 1.7 : 3.0) || there < 2.7)
                fail_msg("%s, %d colours: %s%s is %d on %d: contrast %.1f, on the console %.1f",
                         t->name, colors, style_name((enum style)st), selected ? ", selected" : "",
                         l.fg, l.bg, here, there);
        }
}

static void test_readable(void **state) {
    (void)state;
    each(expect_readable);
}

/* On the terminal's own ground nothing is drawn in black, white or grey of the sixteen: one of them
 * is that ground, but for bright black on a light one. Nor are letters pale there. */
static void expect_no_grey(const struct theme *t, int colors) {
    const bool light = t->own_bg > 0x808080;
    for (int st = 0; st < STYLE_N && (colors == 8 || colors == 16); st++) {
        const struct term_style l = term_style_of(t, (enum style)st, false, colors);
        const bool drawn = (st >= STYLE_FRONTEND && st <= STYLE_RETIRING) || st == STYLE_PLOT ||
                           (st >= STYLE_HEAT_0 && st <= STYLE_HEAT_4);
        if (l.bg >= 0 || l.fg < 0 || (light && l.fg == 8))
            continue;
        if (l.fg % 8 == 0 || l.fg % 8 == 7)
            fail_msg("%s, %d colours: %s is %d", t->name, colors, style_name((enum style)st), l.fg);
        if (light && !drawn && contrast(color_of_index(l.fg), 0xffffff) < 3)
            fail_msg("%s, %d colours: %s is %d on white", t->name, colors,
                     style_name((enum style)st), l.fg);
    }
}

static void test_no_grey(void **state) {
    (void)state;
    each(expect_no_grey);
}

/* In 256 colours a theme looks as it was made, or nearly: no colour moves far: between the
 * darkest steps of the cube there is a gap of 15. */
static void expect_near(const struct theme *t, int colors) {
    for (int st = 0; st < STYLE_N && colors == 256; st++) {
        const int32_t want = t->look[st].fg;
        const struct term_style l = term_style_of(t, (enum style)st, false, colors);
        if (want >= 0 && seen_distance(&visions[0], want, color_of_index(l.fg)) > 15)
            fail_msg("%s: %s #%06x becomes #%06x, %.1f away", t->name, style_name((enum style)st),
                     (unsigned)want, (unsigned)color_of_index(l.fg),
                     seen_distance(&visions[0], want, color_of_index(l.fg)));
        if (want >= 0 && strcmp(t->name, "default") == 0)
            assert_int_equal(color_of_index(l.fg), want); /* it is made of the 256 */
    }
}

static void test_near(void **state) {
    (void)state;
    each(expect_near);
}

/* ---- contrast ---- */

/* Merely quiet: lines, frames, grids, what is below its threshold, and the least of the heat. WCAG
 * 2.1 asks 4.5 of text (1.4.3) and 3 of what is not text (1.4.11). */
static double contrast_wanted(enum style st) {
    const bool quiet = st == STYLE_BORDER || st == STYLE_BAND || st == STYLE_DIM ||
                       st == STYLE_AXIS || st == STYLE_BASELINE || st == STYLE_HEAT_0 ||
                       (st >= STYLE_FRONTEND_QUIET && st <= STYLE_RETIRING_QUIET);
    return quiet ? 3.0 : 4.5;
}

static int32_t seen_color(const struct term_style *l, bool ground, const struct theme *t,
                          int colors) {
    const bool back = ground != l->reverse;
    const int c = back ? l->bg : l->fg;
    if (c < 0)
        return back ? t->own_bg : t->own_fg;
    return colors > 256 ? c : color_of_index(c);
}

/* As drawn, on the ground that is painted, selected or not. */
static void expect_contrast(const struct theme *t, int colors) {
    for (int i = 0; i < 2 * STYLE_N && colors >= 256; i++) {
        const enum style st = (enum style)(i % STYLE_N);
        const struct term_style l = term_style_of(t, st, i >= STYLE_N, colors);
        const double want = contrast_wanted(st), is = contrast(seen_color(&l, false, t, colors),
                                                               seen_color(&l, true, t, colors));
        if (is < want)
            fail_msg("%s, %d colours: %s%s: contrast %.2f, want %.1f", t->name, colors,
                     style_name(st), i >= STYLE_N ? ", selected" : "", is, want);
    }
}

static void test_contrast(void **state) {
    (void)state;
    each(expect_contrast);
}

/* With few colours: letters on the black or white of the terminal, in xterm and on the console.
 * 4.5 cannot be had of the sixteen: neither blue on black nor green and yellow on white. */
static void expect_seen(const struct theme *t, int colors) {
    const bool light = t->own_bg > 0x808080;
    for (int st = 0; st < STYLE_N && (colors == 8 || colors == 16); st++) {
        const struct term_style l = term_style_of(t, (enum style)st, false, colors);
        if (l.fg < 0 || l.bg >= 0)
            continue;
        const int32_t ground = light ? 0xffffff : 0x000000;
        const double is =
            fmin(contrast(color_of_index(l.fg), ground), contrast(console_color(l.fg), ground));
        const double want = 1.5; /* blue on black */
        if (is < want)
            fail_msg("%s, %d colours: %s is %d: contrast %.2f, want %.1f", t->name, colors,
                     style_name((enum style)st), l.fg, is, want);
    }
}

static void test_seen(void **state) {
    (void)state;
    each(expect_seen);
}

/* A theme paints its ground where it can be had as it is, and keeps the terminal's own if asked to
 * or if the terminal has few colours. */
static void expect_ground(const struct theme *t, int colors) {
    struct theme keeps = *t;
    keeps.paints = false;
    const struct term_style l = term_style_of(t, STYLE_TEXT, false, colors);
    const struct term_style own = term_style_of(&keeps, STYLE_TEXT, false, colors);
    assert_int_equal(t->paints, strcmp(t->name, "mono") != 0);
    assert_int_equal(l.bg >= 0 && l.fg >= 0, t->paints && colors >= 256);
    assert_int_equal(own.bg, -1);
    if (l.bg >= 0 &&
        seen_distance(&visions[0], t->own_bg, colors > 256 ? l.bg : color_of_index(l.bg)) > 15)
        fail_msg("%s, %d colours: the ground is another one", t->name, colors);
}

static void test_ground(void **state) {
    (void)state;
    each(expect_ground);
}

/* So that choosing another theme is seen to do something. 256 colours have no dark cyan, the ground
 * of solarized-dark. */
static void test_grounds_differ(void **state) {
    (void)state;
    static const char *const names[] = {"default",        "nord",  "gruvbox",
                                        "solarized-dark", "light", "solarized-light"};
    for (size_t a = 0; a < COUNT(names); a++)
        for (size_t b = 0; b < a; b++) {
            struct theme x, y;
            assert_int_equal(theme_load(&x, names[a], NULL), 0);
            assert_int_equal(theme_load(&y, names[b], NULL), 0);
            const struct term_style k = term_style_of(&x, STYLE_TEXT, false, 256);
            const struct term_style l = term_style_of(&y, STYLE_TEXT, false, 256);
            const bool grey = strcmp(names[a], "solarized-dark") == 0;
            if (seen_distance(&visions[0], x.own_bg, y.own_bg) < 4 || (k.bg == l.bg && !grey))
                fail_msg("%s and %s: grounds %.1f apart, %d and %d of 256", names[a], names[b],
                         seen_distance(&visions[0], x.own_bg, y.own_bg), k.bg, l.bg);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_color_nearest), cmocka_unit_test(test_hues),
        cmocka_unit_test(test_any_hues),      cmocka_unit_test(test_differences),
        cmocka_unit_test(test_theme_hues),    cmocka_unit_test(test_readable),
        cmocka_unit_test(test_no_grey),       cmocka_unit_test(test_near),
        cmocka_unit_test(test_contrast),      cmocka_unit_test(test_seen),
        cmocka_unit_test(test_ground),        cmocka_unit_test(test_grounds_differ),
    };
    return cmocka_run_group_tests_name("term_color", tests, NULL, NULL);
}
