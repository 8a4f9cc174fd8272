/* Themes: each embedded one loads and can be read, also with poor colours and poor colour vision.
 */
#include "ui/term/theme.h"

#include "color_math.h"
#include "model/load/model.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const expected[] = {"colorblind",    "default",        "gruvbox",
                                       "high-contrast", "light",          "mono",
                                       "nord",          "solarized-dark", "solarized-light"};

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
    int32_t ground[3];   /* what terminals have: pure, a usual soft one, and that of the palette */
    double hue_distance; /* of two hues of level 1: the least over all dichromacies */
} grounds[] = {
    {"default", {0x000000, 0x1d1f21, 0x1d1f21}, 8},
    {"high-contrast", {0x000000, 0x1d1f21, 0x1d1f21}, 7},
    {"colorblind", {0x000000, 0x1d1f21, 0x1d1f21}, 12},
    {"solarized-dark", {0x000000, 0x1d1f21, 0x002b36}, 7},
    {"gruvbox", {0x000000, 0x1d1f21, 0x282828}, 7},
    {"nord", {0x000000, 0x1d1f21, 0x2e3440}, 7},
    {"light", {0xffffff, 0xfdf6e3, 0xfdf6e3}, 7},
    {"solarized-light", {0xffffff, 0xfdf6e3, 0xfdf6e3}, 6},
};
enum { HUE_DISTANCE = 20 }; /* with full vision */

/* The least contrast of a style. WCAG 2.1 asks 4.5 for small text (1.4.3) and 3 for what is not
 * text (1.4.11). */
static double contrast_wanted(enum style st) {
    switch (st) {
    case STYLE_BORDER:
    case STYLE_BAND:
    case STYLE_DIM:
    case STYLE_AXIS:
    case STYLE_BASELINE:
    case STYLE_HEAT_0:
        return 3.0;
    default:
        return 4.5;
    }
}

static void expect_contrast(const struct theme *t, enum style st, int32_t bg, double want) {
    const double is = contrast(t->look[st].fg, bg);
    if (is < want)
        fail_msg("%s: %s: contrast %.2f on #%06x, want %.1f", t->name, style_name(st), is,
                 (unsigned)bg, want);
}

static void test_contrast(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (int st = 0; st < STYLE_N; st++) {
            const struct look *l = &t.look[st];
            const double want = contrast_wanted((enum style)st);
            for (int g = 0; g < 3 && l->fg >= 0; g++)
                expect_contrast(&t, (enum style)st, l->bg >= 0 ? l->bg : grounds[i].ground[g],
                                want);
            if (l->fg >= 0 && l->bg < 0 && want > 3)
                expect_contrast(&t, (enum style)st, t.selected_bg, st == STYLE_SELECTED ? 4.5 : 3);
        }
    }
}

/* More heat is further from the ground, step by step, so that grey tones would do. */
static void test_heat(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (int st = STYLE_HEAT_0; st < STYLE_HEAT_4; st++) {
            const int32_t a = t.look[st].fg, b = t.look[st + 1].fg, ground = grounds[i].ground[0];
            if (contrast(b, ground) < 1.1 * contrast(a, ground))
                fail_msg("%s: %s is no more than the step before", t.name,
                         style_name((enum style)(st + 1)));
            for (int v = 0; v < VISIONS; v++)
                if (seen_distance(&visions[v], a, b) < 5)
                    fail_msg("%s: %s and the next are %.1f apart with %s", t.name,
                             style_name((enum style)st), seen_distance(&visions[v], a, b),
                             visions[v].name);
        }
    }
}

/* The grounds of cells: only the bottleneck, bars and a search hit have one. */
static void test_ground_is_the_terminals(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct theme t = load(expected[i]);
        for (int st = 0; st < STYLE_N; st++) {
            const bool may = st == STYLE_BOTTLENECK || st == STYLE_MATCH ||
                             (st >= STYLE_FRONTEND_FILL && st <= STYLE_RETIRING_QUIET);
            if (t.look[st].bg >= 0 && !may)
                fail_msg("%s: %s has a ground", t.name, style_name((enum style)st));
        }
    }
}

/* The supplementary test data of Sharma, Wu, Dalal (2005): pairs 1, 7, 17, 25, 34. */
static void test_ciede2000(void **state) {
    (void)state;
    static const struct {
        double a[3], b[3], want;
    } cases[] = {
        {{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
        {{50, 0, 0}, {50, -1, 2}, 2.3669},
        {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
        {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
        {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (fabs(ciede2000(cases[i].a, cases[i].b) - cases[i].want) > 0.0001)
            fail_msg("pair %zu: %.4f, want %.4f", i, ciede2000(cases[i].a, cases[i].b),
                     cases[i].want);
}

static void test_hues_with_every_vision(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(grounds); i++) {
        const struct theme t = load(grounds[i].theme);
        for (int a = STYLE_FRONTEND; a <= STYLE_RETIRING; a++) {
            assert_int_equal(t.look[a].fg, t.look[a - STYLE_FRONTEND + STYLE_FRONTEND_FILL].bg);
            for (int b = STYLE_FRONTEND; b < a; b++)
                for (int v = 0; v < VISIONS; v++) {
                    const double d = seen_distance(&visions[v], t.look[a].fg, t.look[b].fg);
                    if (d < (v == 0 ? HUE_DISTANCE : grounds[i].hue_distance))
                        fail_msg("%s: %s and %s are %.1f apart with %s", t.name,
                                 style_name((enum style)a), style_name((enum style)b), d,
                                 visions[v].name);
                }
        }
    }
}

/* A second model of the commonest of them, and a distance that is seen at a glance: 2.3 is just
 * noticeable side by side (Mahy and others, 1994), 20 are two colours with two names. */
static void test_deuteranopia(void **state) {
    (void)state;
    static const char *const names[] = {"colorblind", "default"};
    assert_true(deuteranopia_cie76(0x00c000, 0xd04000) < 30); /* 126 with full vision */
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct theme t = load(names[i]);
        for (int a = STYLE_FRONTEND; a <= STYLE_RETIRING; a++)
            for (int b = STYLE_FRONTEND; b < a; b++) {
                const double d = deuteranopia_cie76(t.look[a].fg, t.look[b].fg);
                if (d < 20)
                    fail_msg("%s: %s and %s are %.1f apart", t.name, style_name((enum style)a),
                             style_name((enum style)b), d);
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
                for (int v = 0; v < VISIONS; v++)
                    if (seen_distance(&visions[v], l->bg, mark->bg) < 6)
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
    static const enum style states[] = {STYLE_BOTTLENECK, STYLE_WARN,      STYLE_ERROR,   STYLE_DIM,
                                        STYLE_MATCH,      STYLE_SIMULATED, STYLE_TAB_ON,  STYLE_UP,
                                        STYLE_DOWN,       STYLE_MARK,      STYLE_BASELINE};
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
    assert_false(t.paints);
    assert_int_equal(load_text(&t, "base = \"nord\"\n", &err), 0);
    assert_true(t.paints);
    assert_int_equal(load_text(&t, "base = \"nord\"\nbackground = \"terminal\"\n", &err), 0);
    assert_false(t.paints);
    assert_int_equal(load_text(&t, "background = \"theme\"\nown_bg = \"#102030\"\n", &err), 0);
    assert_true(t.paints && t.own_bg == 0x102030);
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
        {"the same style twice", "[style]\ndim = {}\ndim = {}\n", -EINVAL, ":3:", "dim"},
        {"a style of no word near", "[style]\nqqqqqqqq = {}\n", -EINVAL,
         ":2:1: ", "expected one of text, "},
        {"the last style is in the list", "[style]\nqqqqqqqq = {}\n", -EINVAL, ":2:", "heat_4"},
        {"a new style misspelt", "[style]\nbase_line = {}\n", -EINVAL,
         ":2:1: ", "did you mean \"baseline\"?"},
        {"an attribute twice", "[style]\ndim = { bold = true, bold = false }\n", -EINVAL,
         ":2:", ""},
        {"a name of the palette with another case",
         "[palette]\nInk = \"#000000\"\n[style]\ndim = { fg = \"ink\" }\n", -EINVAL,
         ":4:9: ", "\"ink\" is not a colour"},
        {"a base that has a base", "base = \"/etc/passwd\"\n", -ENOENT,
         ":1:1: ", "not a built-in theme"},
        {"unknown base", "base = \"nope\"\n", -ENOENT, ":1:1: ", "not a built-in theme"},
        {"a background that is a colour", "background = \"#ffffff\"\n", -EINVAL,
         ":1:1: ", "\"theme\" or \"terminal\""},
        {"background of a wrong type", "background = 1\n", -EINVAL, ":1:1: ", "expected a string"},
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_embedded_load),
        cmocka_unit_test(test_style_names),
        cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_ciede2000),
        cmocka_unit_test(test_ground_is_the_terminals),
        cmocka_unit_test(test_hues_with_every_vision),
        cmocka_unit_test(test_deuteranopia),
        cmocka_unit_test(test_bottleneck_stands_out),
        cmocka_unit_test(test_mono_has_no_colors),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_not_found),
    };
    return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
