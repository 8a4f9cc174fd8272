/* Themes: each embedded one loads and can be read, also with poor colours and poor colour vision.
 */
#include "ui/theme.h"

#include "model/model.h"
#include "ui/term_color.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const expected[] = {"colorblind", "default", "high-contrast", "light", "mono"};

/* ---- colour arithmetic of the tests, independent of the program's ---- */

static double linear(int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void linear_rgb(int32_t rgb, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = linear(rgb >> (16 - 8 * i) & 255);
}

/* WCAG 2.1, "contrast ratio": 1 (none) to 21 (black on white). */
static double contrast(int32_t a, int32_t b) {
    double l[2];
    const int32_t rgb[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        double c[3];
        linear_rgb(rgb[i], c);
        l[i] = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05;
    }
    return l[0] > l[1] ? l[0] / l[1] : l[1] / l[0];
}

static void multiply(const double m[3][3], const double in[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
}

/* Bjoern Ottosson, "A perceptual color space for image processing" (2020): linear sRGB -> Oklab. */
static void oklab(const double rgb[3], double lab[3]) {
    static const double to_lms[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                        {0.2119034982, 0.6806995451, 0.1073969566},
                                        {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double to_lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                        {1.9779984951, -2.4285922050, 0.4505937099},
                                        {0.0259040371, 0.7827717662, -0.8086757660}};
    double lms[3];
    multiply(to_lms, rgb, lms);
    for (int i = 0; i < 3; i++)
        lms[i] = cbrt(lms[i]);
    multiply(to_lab, lms, lab);
}

/*
 * How the colour is seen, as linear sRGB: full vision and the three dichromacies, by Machado,
 * Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency"
 * (2009), severity 1.0.
 */
static const struct vision {
    const char *name;
    double m[3][3];
} visions[] = {
    {"full", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

/* Distance in Oklab x 100 as seen with a vision; about 2 is just noticeable side by side. */
static double seen_distance(const struct vision *v, int32_t a, int32_t b) {
    double lab[2][3];
    const int32_t rgb[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        double full[3], seen[3];
        linear_rgb(rgb[i], full);
        multiply(v->m, full, seen);
        for (int k = 0; k < 3; k++)
            seen[k] = fmin(fmax(seen[k], 0), 1);
        oklab(seen, lab[i]);
    }
    return 100 * hypot(hypot(lab[0][0] - lab[1][0], lab[0][1] - lab[1][1]), lab[0][2] - lab[1][2]);
}

/* ---- the embedded themes ---- */

static struct theme load(const char *name) {
    struct theme t;
    struct err err = {0};
    if (theme_load(&t, name, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    return t;
}

static void test_all_embedded_load(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(load(expected[i]).name, expected[i]);
    for (const struct embedded *e = embedded_themes; e->name; e++)
        assert_string_equal(load(e->name).name, e->name);
}

static void test_style_names(void **state) {
    (void)state;
    for (int a = 0; a < STYLE_N; a++) {
        assert_non_null(style_name((enum style)a));
        assert_string_not_equal(style_name((enum style)a), "?");
        for (int b = 0; b < a; b++)
            assert_string_not_equal(style_name((enum style)a), style_name((enum style)b));
    }
    assert_string_equal(style_name(STYLE_N), "?");
}

static const struct ground {
    const char *theme;
    int32_t ground[2];   /* what terminals have: pure, and a usual soft one */
    double hue_distance; /* the least, over all visions */
} grounds[] = {
    {"default", {0x000000, 0x1e1e1e}, 8},
    {"high-contrast", {0x000000, 0x1e1e1e}, 8},
    {"colorblind", {0x000000, 0x1e1e1e}, 12},
    {"light", {0xffffff, 0xfdf6e3}, 7},
};

/* Text can be read: WCAG AA asks 4.5 for small text. Lines may be fainter, but must be seen. */
static void test_contrast(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (int st = 0; st < STYLE_N; st++) {
            const struct look *l = &t.look[st];
            const bool line = st == STYLE_BORDER || st == STYLE_AXIS;
            const double want = line ? 2.0 : 4.3;
            for (int g = 0; g < 2; g++) {
                const int32_t bg = l->bg >= 0 ? l->bg : grounds[i].ground[g];
                if (l->fg >= 0 && contrast(l->fg, bg) < want)
                    fail_msg("%s: %s: contrast %.1f on #%06x, want %.1f", t.name,
                             style_name((enum style)st), contrast(l->fg, bg), (unsigned)bg, want);
            }
            if (l->fg >= 0 && l->bg < 0 && !line && contrast(l->fg, t.selected_bg) < 3.0)
                fail_msg("%s: %s: contrast %.1f when selected", t.name, style_name((enum style)st),
                         contrast(l->fg, t.selected_bg));
        }
    }
}

/* The grounds of cells: only the bottleneck, the bars and a search hit have one. */
static void test_ground_is_the_terminals(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct theme t = load(expected[i]);
        for (int st = 0; st < STYLE_N; st++) {
            const bool may = st == STYLE_BOTTLENECK || st == STYLE_MATCH ||
                             (st >= STYLE_FRONTEND_FILL && st <= STYLE_RETIRING_FILL);
            if (t.look[st].bg >= 0 && !may)
                fail_msg("%s: %s has a ground", t.name, style_name((enum style)st));
        }
    }
}

static void test_hues_with_every_vision(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (int a = STYLE_FRONTEND; a <= STYLE_RETIRING; a++) {
            assert_int_equal(t.look[a].fg, t.look[a - STYLE_FRONTEND + STYLE_FRONTEND_FILL].bg);
            for (int b = STYLE_FRONTEND; b < a; b++)
                for (size_t v = 0; v < COUNT(visions); v++) {
                    const double d = seen_distance(&visions[v], t.look[a].fg, t.look[b].fg);
                    if (d < grounds[i].hue_distance)
                        fail_msg("%s: %s and %s are %.1f apart with %s", t.name,
                                 style_name((enum style)a), style_name((enum style)b), d,
                                 visions[v].name);
                }
        }
    }
}

static void test_hues_with_few_colors(void **state) {
    (void)state;
    static const int colors[] = {8, 16, 256};
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (size_t c = 0; c < COUNT(colors); c++)
            for (int a = STYLE_FRONTEND; a <= STYLE_RETIRING; a++) {
                const int ca = color_nearest(t.look[a].fg, colors[c]);
                assert_true(ca % 8 != 0 || colors[c] > 16); /* a hue, not a grey */
                for (int b = STYLE_FRONTEND; b < a; b++)
                    if (ca == color_nearest(t.look[b].fg, colors[c]))
                        fail_msg("%s: %s and %s are the same of %d colours", t.name,
                                 style_name((enum style)a), style_name((enum style)b), colors[c]);
            }
    }
}

/* The eye goes to the bottleneck: no other style looks like it, with colours or without. */
static void test_bottleneck_stands_out(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct theme t = load(expected[i]);
        const struct look *mark = &t.look[STYLE_BOTTLENECK];
        assert_true(mark->bold);
        assert_true(mark->reverse || mark->bg >= 0);
        for (int st = 0; st < STYLE_N; st++) {
            const struct look *l = &t.look[st];
            if (st != STYLE_BOTTLENECK && l->bg == mark->bg && l->reverse == mark->reverse)
                fail_msg("%s: %s looks like the bottleneck", t.name, style_name((enum style)st));
            if (st != STYLE_BOTTLENECK && l->bg >= 0)
                for (size_t v = 0; v < COUNT(visions); v++)
                    if (seen_distance(&visions[v], l->bg, mark->bg) < 7)
                        fail_msg("%s: %s is %.1f from the bottleneck with %s", t.name,
                                 style_name((enum style)st),
                                 seen_distance(&visions[v], l->bg, mark->bg), visions[v].name);
        }
    }
}

static void test_mono_has_no_colors(void **state) {
    (void)state;
    const struct theme t = load("mono");
    assert_int_equal(t.selected_bg, -1);
    for (int st = 0; st < STYLE_N; st++)
        assert_true(t.look[st].fg == -1 && t.look[st].bg == -1);
    /* What must not be missed differs from plain text all the same. */
    static const enum style states[] = {STYLE_BOTTLENECK, STYLE_WARN,  STYLE_ERROR,
                                        STYLE_DIM,        STYLE_MATCH, STYLE_SIMULATED};
    for (size_t i = 0; i < COUNT(states); i++)
        assert_memory_not_equal(&t.look[states[i]], &t.look[STYLE_TEXT], sizeof(struct look));
}

/* ---- files ---- */

/* Writes text to a file, loads it as a theme and removes it. */
static int load_text(struct theme *t, const char *text, struct err *err) {
    char path[] = "/tmp/tdtop-theme-XXXXXX.toml";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    const int rc = theme_load(t, path, err);
    unlink(path);
    return rc;
}

static void test_file(void **state) {
    (void)state;
    struct theme t, base = load("light");
    struct err err = {0};
    const int rc = load_text(&t,
                             "base = \"light\"\nselected_bg = \"#010203\"\n"
                             "[palette]\nmine = \"#AbCdEf\"\n"
                             "[style]\nwarn = { fg = \"mine\", bg = \"default\", dim = true }\n"
                             "good.underline = true\n",
                             &err);
    if (rc != 0)
        fail_msg("%s", err.text);
    assert_true(strncmp(t.name, "tdtop-theme-", 12) == 0 && !strchr(t.name, '.'));
    assert_int_equal(t.selected_bg, 0x010203);
    assert_int_equal(t.look[STYLE_WARN].fg, 0xabcdef);
    assert_int_equal(t.look[STYLE_WARN].bg, -1);
    assert_true(t.look[STYLE_WARN].dim && !t.look[STYLE_WARN].bold);
    assert_int_equal(t.look[STYLE_GOOD].fg, -1); /* given anew: what is left out is off */
    assert_true(t.look[STYLE_GOOD].underline);
    assert_int_equal(t.look[STYLE_BACKEND].fg, base.look[STYLE_BACKEND].fg);

    assert_int_equal(load_text(&t, "", &err), 0); /* plain */
    assert_int_equal(t.look[STYLE_ERROR].fg, -1);
}

static void test_wrong_files(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        int rc;
        const char *where, *words;
    } cases[] = {
        {"not TOML", "[style\n", -EINVAL, ":1:", ""},
        {"unknown key", "\nstyles = 1\n", -EINVAL, ":2:1: ", "did you mean \"style\"?"},
        {"unknown key, nothing near", "zzzzzzzz = 1\n", -EINVAL,
         ":1:1: ", "expected one of base, "},
        {"style is not a table", "style = 1\n", -EINVAL, ":1:1: ", "expected a table"},
        {"unknown style", "[style]\n\n  botleneck = {}\n", -EINVAL,
         ":3:3: ", "did you mean \"bottleneck\"?"},
        {"a style that is a text", "[style]\ndim = \"#ffffff\"\n", -EINVAL,
         ":2:1: ", "expected a table"},
        {"unknown attribute", "[style]\ndim = { blod = true }\n", -EINVAL,
         ":2:9: ", "did you mean \"bold\"?"},
        {"attribute of a wrong type", "[style]\ndim = { bold = 1 }\n", -EINVAL,
         ":2:9: ", "bold is a"},
        {"colour of a wrong type", "[style]\ndim = { fg = 7 }\n", -EINVAL, ":2:9: ", "fg is a"},
        {"colour without a name", "[style]\ndim = { fg = \"pink\" }\n", -EINVAL,
         ":2:9: ", "\"pink\" is not a colour"},
        {"colour too short", "selected_bg = \"#fff\"\n", -EINVAL, ":1:1: ", "\"#rrggbb\""},
        {"colour too long", "selected_bg = \"#fffffff\"\n", -EINVAL, ":1:1: ", "\"#rrggbb\""},
        {"colour not hexadecimal", "selected_bg = \"#12345g\"\n", -EINVAL, ":1:1: ", "\"#rrggbb\""},
        {"palette of a wrong type", "[palette]\na = 1\n", -EINVAL, ":2:1: ", "expected a string"},
        {"palette not a colour", "[palette]\na = \"default\"\n", -EINVAL, ":2:1: ", "\"#rrggbb\""},
        {"unknown base", "base = \"nope\"\n", -ENOENT, ":1:1: ", "not a built-in theme"},
        {"base of a wrong type", "base = true\n", -EINVAL, ":1:1: ", "expected a string"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct theme t = {.name = "before"};
        struct err err = {0};
        const int rc = load_text(&t, cases[i].text, &err);
        if (rc != cases[i].rc || err.code != rc)
            fail_msg("%s: rc %d (%s)", cases[i].what, rc, err.text);
        if (!strstr(err.text, ".toml:") || !strstr(err.text, cases[i].where) ||
            !strstr(err.text, cases[i].words))
            fail_msg("%s: \"%s\" lacks \"%s\" or \"%s\"", cases[i].what, err.text, cases[i].where,
                     cases[i].words);
        assert_string_equal(t.name, "before"); /* untouched on error */
    }
}

static void test_not_found(void **state) {
    (void)state;
    struct theme t;
    struct err err = {0};
    assert_int_equal(theme_load(&t, "solarised", &err), -ENOENT);
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_non_null(strstr(err.text, expected[i]));
    assert_int_equal(theme_load(&t, "/nonexistent/x.toml", &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/x.toml"));
    assert_int_equal(theme_load(&t, "solarised", NULL), -ENOENT);
}

/* ---- poorer terminals ---- */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_embedded_load),
        cmocka_unit_test(test_style_names),
        cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_ground_is_the_terminals),
        cmocka_unit_test(test_hues_with_every_vision),
        cmocka_unit_test(test_hues_with_few_colors),
        cmocka_unit_test(test_bottleneck_stands_out),
        cmocka_unit_test(test_mono_has_no_colors),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_color_nearest),
    };
    return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
