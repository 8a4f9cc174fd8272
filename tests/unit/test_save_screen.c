/* Screens as files: text, colours, pictures; and what becomes of the files. */
#include "ui/popup/save_screen.h"

#include "base/str.h"
#include "model/load/model.h"
#include "ui/draw/svg_glyph.h"
#include "ui/term/term_style.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct theme load(const char *name) {
    struct theme t;
    struct err err = {0};
    if (theme_load(&t, name, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

/* What save_write gives; to be freed. */
static char *saved(const struct canvas *c, const struct save_options *opt, enum save_format f) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    save_write(c, opt, f, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strlen(text), n);
    return text;
}

/* ---- names ---- */

static void test_format_of(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int rc;
        enum save_format f;
    } cases[] = {
        {"a.svg", 0, SAVE_SVG},   {"/x/y.z/a.txt", 0, SAVE_TEXT},
        {"a.text", 0, SAVE_TEXT}, {"a.ansi", 0, SAVE_ANSI},
        {"a.ans", 0, SAVE_ANSI},  {"a.png", -EINVAL, 0},
        {"a", -EINVAL, 0},        {"", -EINVAL, 0},
        {"svg", -EINVAL, 0},      {"a.svg.gz", -EINVAL, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum save_format f = SAVE_N;
        struct err err = {0};
        const int rc = save_format_of(cases[i].path, &f, &err);
        if (rc != cases[i].rc || (rc == 0 && f != cases[i].f) || (rc && !strstr(err.text, ".svg")))
            fail_msg("%s: %d, %d (%s)", cases[i].path, rc, (int)f, err.text);
    }
}

static void test_name(void **state) {
    (void)state;
    char name[64];
    setenv("TZ", "UTC-2", 1); /* POSIX: two hours east */
    tzset();
    assert_string_equal(save_name(name, sizeof(name), 1793816100, SAVE_SVG),
                        "tdtop-20261104-201500.svg");
    assert_string_equal(save_name(name, sizeof(name), 1793816100, SAVE_TEXT),
                        "tdtop-20261104-201500.txt");
    for (int f = 0; f < SAVE_N; f++) {
        enum save_format back;
        assert_int_equal(
            save_format_of(save_name(name, sizeof(name), 0, (enum save_format)f), &back, NULL), 0);
        assert_int_equal(back, f);
    }
    save_name(name, 8, 0, SAVE_SVG); /* cut, not overflown */
    assert_int_equal(strlen(name), 7);
}

/* ---- text and colours ---- */

/* Two bars, words, a wide character, a selected row. */
static void draw(struct canvas *c) {
    assert_int_equal(canvas_init(c, 16, 4), 0);
    const struct rect all = canvas_rect(c);
    canvas_fill(c, (struct rect){0, 0, 7, 1}, STYLE_FRONTEND_FILL, ' ');
    canvas_fill(c, (struct rect){7, 0, 4, 1}, STYLE_BACKEND_FILL, ' ');
    canvas_text(c, all, 1, 0, STYLE_FRONTEND_FILL, "Fe");
    canvas_text(c, all, 0, 1, STYLE_TEXT, "日本 a<b & \"c\"");
    canvas_text(c, all, 0, 2, STYLE_DIM, "dim");
    canvas_text(c, all, 6, 2, STYLE_BOTTLENECK, "L3▸");
    canvas_text(c, all, 1, 3, STYLE_TEXT, "row");
    canvas_select(c, (struct rect){0, 3, 6, 1});
}

static void test_text(void **state) {
    (void)state;
    struct canvas c;
    const struct theme t = load("default");
    draw(&c);
    static const struct {
        bool ascii;
        const char *want;
    } cases[] = {
        {false, " Fe ░░░▓▓▓▓\n日本 a<b & \"c\"\ndim   L3▸\n row\n"},
        {true, " Fe ...####\n?? a<b & \"c\"\ndim   L3>\n row\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct save_options opt = {.theme = &t, .ascii = cases[i].ascii};
        char *text = saved(&c, &opt, SAVE_TEXT);
        assert_string_equal(text, cases[i].want);
        free(text);
    }
    canvas_destroy(&c);
}

/* A theme without colours has textures however many colours there are. */
static void test_mono(void **state) {
    (void)state;
    struct canvas c;
    const struct theme t = load("mono");
    draw(&c);
    static const int colors[] = {0, 16, 256, DIRECT_COLORS};
    for (size_t i = 0; i < COUNT(colors); i++) {
        const struct save_options opt = {.theme = &t, .colors = colors[i]};
        char *text = saved(&c, &opt, SAVE_ANSI);
        assert_non_null(strstr(text, "Fe"));
        assert_non_null(strstr(text, "░░░"));
        assert_non_null(strstr(text, "▓▓▓▓"));
        free(text);
    }
    canvas_destroy(&c);
}

static void test_ansi(void **state) {
    (void)state;
    struct canvas c;
    const struct theme t = load("default");
    draw(&c);
    static const struct {
        int colors;
        const char *want;
    } cases[] = {
        {8, "\033[0;30;46m Fe    \033[0;30;43m    \033[0m\n"
            "日本 a<b & \"c\"\n"
            "\033[0;2mdim   \033[0;1;37;41mL3▸\033[0m\n"
            "\033[0;7m row  \033[0m\n"},
        {16, "\033[0;30;106m Fe    \033[0;30;103m    \033[0m\n"
             "日本 a<b & \"c\"\n"
             "\033[0;2mdim   \033[0;1;97;41mL3▸\033[0m\n"
             "\033[0;7m row  \033[0m\n"},
        {256, "\033[0;38;5;233;48;5;75m Fe    \033[0;38;5;233;48;5;215m    \033[0m\n"
              "日本 a<b & \"c\"\n"
              "\033[0;38;5;245mdim   \033[0;1;38;5;231;48;5;160mL3▸\033[0m\n"
              "\033[0;38;5;231;48;5;236m row  \033[0m\n"},
        {DIRECT_COLORS,
         "\033[0;38;2;18;18;18;48;2;95;175;255m Fe    "
         "\033[0;38;2;18;18;18;48;2;255;175;95m    \033[0m\n"
         "日本 a<b & \"c\"\n"
         "\033[0;38;2;138;138;138mdim   \033[0;1;38;2;255;255;255;48;2;215;0;0mL3▸\033[0m\n"
         "\033[0;38;2;255;255;255;48;2;48;48;48m row  \033[0m\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct save_options opt = {.theme = &t, .colors = cases[i].colors};
        char *text = saved(&c, &opt, SAVE_ANSI);
        if (strcmp(text, cases[i].want) != 0)
            fail_msg("%d colours:\n%s\nwant\n%s", cases[i].colors, text, cases[i].want);
        free(text);
    }
    canvas_destroy(&c);
}

/* ---- pictures ---- */

/*
 * XML 1.0, as far as a picture needs it: every element is closed in its order, attributes have
 * quotes and no "<", the only references are the five, and every character may be there.
 */
static const char *check_tag(const char *s, char stack[][16], int *depth) {
    const char *name = s + (*s == '/');
    const size_t n = strcspn(name, " />\n");
    assert_true(n > 0 && n < 16);
    if (*s == '/') {
        assert_true(*depth > 0);
        assert_int_equal(strlen(stack[--*depth]), n);
        assert_memory_equal(stack[*depth], name, n);
        assert_int_equal(name[n], '>');
        return name + n + 1;
    }
    const char *at = name + n;
    while (*at != '>' && *at != '/') {
        assert_int_equal(*at++, ' ');
        at += strcspn(at, "=<>");
        assert_memory_equal(at, "=\"", 2);
        at += 2;
        at += strcspn(at, "\"<&");
        assert_int_equal(*at++, '"');
    }
    if (*at == '/')
        return at + 2;
    assert_true(*depth < 8);
    memcpy(stack[*depth], name, n);
    stack[(*depth)++][n] = '\0';
    return at + 1;
}

static const char *check_char(const char *s) {
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    size_t used;
    const uint32_t cp = str_decode(s, &used);
    assert_true(cp != 0xfffd || memcmp(s, "\xef\xbf\xbd", 3) == 0); /* no broken UTF-8 */
    assert_true(cp >= 0x20 || cp == '\n');
    assert_true(cp != 0xfffe && cp != 0xffff && cp != '>');
    if (cp != '&')
        return s + used;
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_starts(s, known[i]))
            return s + strlen(known[i]);
    fail_msg("unknown reference: %.10s", s);
    return s + 1;
}

static void expect_xml(const char *s) {
    static const char first[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    char stack[8][16];
    int depth = 0, roots = 0;
    assert_true(str_starts(s, first));
    s += sizeof(first) - 1;
    while (*s) {
        roots += depth == 0 && *s == '<' && s[1] != '/';
        if (*s == '<')
            s = check_tag(s + 1, stack, &depth);
        else
            s = check_char(s);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        n++;
    return n;
}

static void test_svg(void **state) {
    (void)state;
    struct canvas c;
    const struct theme t = load("default");
    draw(&c);
    const struct save_options opt = {.theme = &t, .title = "a <title> & \x01"};
    char *svg = saved(&c, &opt, SAVE_SVG);
    expect_xml(svg);
    static const struct {
        const char *part;
        int n;
    } parts[] = {
        {"<title>a &lt;title&gt; &amp; ?</title>", 1},
        {"width=\"176\" height=\"96\" viewBox=\"0 0 176 96\"", 1},
        {"<rect width=\"176\" height=\"96\" fill=\"#121212\"/>", 1},
        {"<path d=\"M0 0h70v20h-70z\" fill=\"#5fafff\" shape-rendering=\"crispEdges\"/>", 1},
        {"<path d=\"M70 0h40v20h-40z\" fill=\"#ffaf5f\"", 1},
        {"<path d=\"M0 60h60v20h-60z\" fill=\"#303030\"", 1},
        {"<text x=\"0\" y=\"35\" textLength=\"20\" lengthAdjust=\"spacingAndGlyphs\">日</text>", 1},
        {"<text x=\"20\" y=\"35\" textLength=\"20\"", 1},
        {">a&lt;b</text>", 1},
        {">&quot;c&quot;</text>", 1},
        {"textLength=\"30\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#8a8a8a\">dim</text>", 1},
        {" fill=\"#ffffff\" font-weight=\"bold\">L3</text>", 1},
        {"<text ", 10}, /* Fe, two wide, three words, dim, L3, the arrow, row */
    };
    for (size_t i = 0; i < COUNT(parts); i++)
        if (count(svg, parts[i].part) != parts[i].n)
            fail_msg("%d times %s in\n%s", count(svg, parts[i].part), parts[i].part, svg);
    free(svg);
    canvas_destroy(&c);
}

/* Whatever is on the canvas, in every theme. */
static void test_svg_anything(void **state) {
    (void)state;
    static const uint32_t some[] = {'<',    '>',    '&',    '"',    '\'',   ' ',      0x7f,
                                    0x1,    0xd800, 0xfffe, 0xffff, 0xfffd, 0x110000, 0x1f600,
                                    0x65e5, 0x25b8, 0x300,  ']',    0xa0};
    uint32_t seed = 7;
    for (const struct embedded *e = embedded_themes; e->name; e++) {
        const struct theme t = load(e->name);
        struct canvas c;
        assert_int_equal(canvas_init(&c, 37, 11), 0);
        for (int i = 0; i < c.w * c.h; i++) {
            seed = seed * 1664525u + 1013904223u;
            struct cell *cell = &c.at[i];
            const uint32_t kind = seed >> 29, n = seed >> 8;
            cell->cp = kind < 2   ? some[n % COUNT(some)]
                       : kind < 4 ? 0x2500 + n % 0xa0
                       : kind < 5 ? 0x2800 + n % 256
                       : kind < 6 ? 0 /* also where no wide one is before it */
                                  : 0x20 + n % 0x5f;
            cell->style = (uint8_t)(n / 256 % STYLE_N);
            cell->selected = kind == 3;
        }
        for (int ascii = 0; ascii < 2; ascii++)
            for (int f = 0; f < SAVE_N; f++) {
                const struct save_options opt = {
                    .theme = &t, .ascii = ascii, .colors = DIRECT_COLORS};
                char *text = saved(&c, &opt, (enum save_format)f);
                if (f == SAVE_SVG)
                    expect_xml(text);
                else
                    assert_int_equal(count(text, "\n"), f == SAVE_CAST   ? 2
                                                        : f == SAVE_CARD ? c.h + 4
                                                                         : c.h);
                free(text);
            }
        canvas_destroy(&c);
    }
}

static bool three_moments(void *user, int i, double *at_s) {
    struct canvas *c = user;
    canvas_clear(c);
    canvas_printf(c, canvas_rect(c), 0, 0, STYLE_TEXT, "%d \"\\", i);
    *at_s = i * 2;
    return i < 3;
}

/* A line of JSON each, with the whole screen; nothing behind the last row, which would scroll. */
static void recording(void **state) {
    (void)state;
    const struct theme t = load("mono");
    struct canvas c;
    assert_int_equal(canvas_init(&c, 8, 2), 0);
    const struct save_options opt = {
        .theme = &t, .title = "a \"b\"", .moment = three_moments, .user = &c};
    char *text = saved(&c, &opt, SAVE_CAST);
    assert_string_equal(text, "{\"version\":2,\"width\":8,\"height\":2,\"title\":\"a \\\"b\\\"\"}\n"
                              "[0,\"o\",\"\\u001b[H0 \\\"\\\\\\u001b[K\\r\\n\\u001b[K\"]\n"
                              "[2,\"o\",\"\\u001b[H1 \\\"\\\\\\u001b[K\\r\\n\\u001b[K\"]\n"
                              "[4,\"o\",\"\\u001b[H2 \\\"\\\\\\u001b[K\\r\\n\\u001b[K\"]\n");
    free(text);
    canvas_destroy(&c);
}

static void card(void **state) {
    (void)state;
    const struct theme t = load("mono");
    struct canvas c;
    assert_int_equal(canvas_init(&c, 8, 1), 0);
    canvas_text(&c, canvas_rect(&c), 0, 0, STYLE_TEXT, "a_b *");
    const struct save_options opt = {
        .theme = &t, .title = "x_y", .seen = "Waiting for *L3*, 12%", .next = "Try less"};
    char *text = saved(&c, &opt, SAVE_CARD);
    assert_string_equal(text, "### x\\_y\n\n**Waiting for \\*L3\\*, 12%**  \nTry less\n\n"
                              "```text\na_b *\n```\n");
    free(text);
    canvas_destroy(&c);
}

static void test_empty(void **state) {
    (void)state;
    const struct theme t = load("mono");
    for (int w = 0; w < 2; w++) {
        struct canvas c;
        assert_int_equal(canvas_init(&c, w, 1 - w), 0);
        const struct save_options opt = {.theme = &t};
        for (int f = 0; f < SAVE_N; f++) {
            char *text = saved(&c, &opt, (enum save_format)f);
            if (f == SAVE_SVG)
                expect_xml(text);
            free(text);
        }
        canvas_destroy(&c);
    }
}

/* ---- drawn characters: which of the 10 x 20 units of a cell they cover ---- */

enum { AT_X = 30, AT_Y = 40 };

/* Corners of a path's pieces; arcs count by their ends and their control point. */
struct outline_box {
    double x0, y0, x1, y1, area; /* area: of pieces that are rectangles */
    int pieces;
};

static double number(const char **s) {
    char *end;
    while (**s == ' ')
        (*s)++;
    const double v = strtod(*s, &end);
    assert_true(end != *s);
    *s = end;
    return v;
}

static void reach(struct outline_box *b, double x, double y) {
    b->x0 = fmin(b->x0, x);
    b->y0 = fmin(b->y0, y);
    b->x1 = fmax(b->x1, x);
    b->y1 = fmax(b->y1, y);
}

static struct outline_box measure(const char *d) {
    struct outline_box b = {1e9, 1e9, -1e9, -1e9, 0, 0};
    double x = 0, y = 0, w = 0, h = 0;
    while (*d) {
        const char op = *d++;
        if (op == 'M' || op == 'L') {
            x = number(&d);
            y = number(&d);
            w = h = 0;
            b.pieces += op == 'M';
        } else if (op == 'h' || op == 'v') {
            const double by = number(&d);
            x += op == 'h' ? by : 0;
            y += op == 'v' ? by : 0;
            w = op == 'h' ? fmax(w, by) : w;
            h = op == 'v' ? fmax(h, by) : h;
        } else if (op == 'H' || op == 'V') {
            *(op == 'H' ? &x : &y) = number(&d);
        } else if (op == 'Q') {
            const double cx = number(&d), cy = number(&d);
            reach(&b, cx, cy);
            x = number(&d);
            y = number(&d);
        } else {
            assert_int_equal(op, 'z');
            b.area += w * h;
            continue;
        }
        reach(&b, x, y);
    }
    return b;
}

static struct outline_box glyph(uint32_t cp) {
    char *d = NULL;
    size_t n;
    FILE *out = open_memstream(&d, &n);
    assert_non_null(out);
    svg_glyph_path(out, cp, AT_X, AT_Y);
    fclose(out);
    struct outline_box b = measure(d);
    free(d);
    b.x0 -= AT_X, b.x1 -= AT_X, b.y0 -= AT_Y, b.y1 -= AT_Y;
    return b;
}

static void test_glyphs_stay_inside(void **state) {
    (void)state;
    for (uint32_t cp = 0x2500; cp < 0x2900; cp++) {
        if (svg_glyph_kind(cp) == GLYPH_TEXT || cp == 0x2800)
            continue;
        const struct outline_box b = glyph(cp);
        if (b.pieces == 0 || b.x0 < 0 || b.y0 < 0 || b.x1 > SVG_CELL_W || b.y1 > SVG_CELL_H)
            fail_msg("U+%04x: %d pieces from %g,%g to %g,%g", cp, b.pieces, b.x0, b.y0, b.x1, b.y1);
        if (svg_glyph_kind(cp) == GLYPH_DOTS)
            assert_int_equal(b.pieces, __builtin_popcount(cp & 0xff));
    }
    assert_int_equal(svg_glyph_kind('a'), GLYPH_TEXT);
    assert_int_equal(svg_glyph_kind(0x24ff), GLYPH_TEXT);
    assert_int_equal(svg_glyph_kind(0x25a0), GLYPH_TEXT);
    assert_int_equal(svg_glyph_kind(0x2900), GLYPH_TEXT);
}

/* Lines reach the edge of the cell, at the place where the neighbour's line begins. */
static void test_glyphs_join(void **state) {
    (void)state;
    static const struct {
        uint32_t cp;
        bool left, right, up, down;
    } lines[] = {
        {0x2500, 1, 1, 0, 0}, {0x2502, 0, 0, 1, 1}, {0x250c, 0, 1, 0, 1}, {0x2510, 1, 0, 0, 1},
        {0x2514, 0, 1, 1, 0}, {0x2518, 1, 0, 1, 0}, {0x251c, 0, 1, 1, 1}, {0x2524, 1, 0, 1, 1},
        {0x252c, 1, 1, 0, 1}, {0x2534, 1, 1, 1, 0}, {0x253c, 1, 1, 1, 1}, {0x256d, 0, 1, 0, 1},
        {0x256e, 1, 0, 0, 1}, {0x256f, 1, 0, 1, 0}, {0x2570, 0, 1, 1, 0}, {0x2550, 1, 1, 0, 0},
        {0x2501, 1, 1, 0, 0}, {0x2574, 1, 0, 0, 0}, {0x2577, 0, 0, 0, 1}, {0x2573, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        const struct outline_box b = glyph(lines[i].cp);
        if ((b.x0 == 0) != lines[i].left || (b.x1 == SVG_CELL_W) != lines[i].right ||
            (b.y0 == 0) != lines[i].up || (b.y1 == SVG_CELL_H) != lines[i].down)
            fail_msg("U+%04x: from %g,%g to %g,%g", lines[i].cp, b.x0, b.y0, b.x1, b.y1);
    }
}

static void test_glyph_shares(void **state) {
    (void)state;
    const double all = SVG_CELL_W * SVG_CELL_H;
    for (uint32_t n = 1; n <= 8; n++) {
        const struct outline_box low = glyph(0x2580 + n);
        assert_true(fabs(low.area / all - n / 8.0) <= 0.5 / SVG_CELL_H + 1e-9 &&
                    low.y1 == SVG_CELL_H);
        if (n < 8) {
            const struct outline_box left = glyph(0x2590 - n);
            assert_true(fabs(left.area / all - n / 8.0) <= 0.5 / SVG_CELL_W + 1e-9 && left.x0 == 0);
        }
    }
    static const struct {
        uint32_t cp;
        double share;
    } cases[] = {{0x2580, 0.5},  {0x2590, 0.5}, {0x2591, 1},    {0x2593, 1},   {0x2596, 0.25},
                 {0x2599, 0.75}, {0x259a, 0.5}, {0x259d, 0.25}, {0x259e, 0.5}, {0x259f, 0.75}};
    for (size_t i = 0; i < COUNT(cases); i++)
        if (glyph(cases[i].cp).area != cases[i].share * all)
            fail_msg("U+%04x: %g of the cell", cases[i].cp, glyph(cases[i].cp).area / all);
}

/* ---- files ---- */

static int entries(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static void expect_error(int rc, int want, const struct err *err, const char *words) {
    if (rc != want || err->code != want || !strstr(err->text, words))
        fail_msg("%d (%s), want %d and \"%s\"", rc, err->text, want, words);
}

static void test_files(void **state) {
    (void)state;
    char dir[] = "/tmp/tdtop-save-XXXXXX", path[128], deep[128];
    struct canvas c;
    struct err err = {0};
    struct stat st;
    const struct theme t = load("default");
    const struct save_options opt = {.theme = &t, .colors = 256};
    draw(&c);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/a.svg", dir);
    umask(022);

    assert_int_equal(save_screen(&c, &opt, path, false, &err), 0);
    assert_int_equal(entries(dir), 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    char *want = saved(&c, &opt, SAVE_SVG), *is;
    size_t n;
    assert_int_equal(str_read_file(path, 1 << 20, &is, &n, NULL), 0);
    assert_string_equal(is, want);
    free(is);

    expect_error(save_screen(&c, &opt, path, false, &err), -EEXIST, &err, "is there already");
    assert_int_equal(save_screen(&c, &opt, path, true, &err), 0);
    snprintf(deep, sizeof(deep), "%s/no/a.svg", dir);
    expect_error(save_screen(&c, &opt, deep, false, &err), -ENOENT, &err, "folder");
    snprintf(deep, sizeof(deep), "%s/a.svg/b.svg", dir);
    expect_error(save_screen(&c, &opt, deep, false, &err), -ENOTDIR, &err, "folder");
    snprintf(deep, sizeof(deep), "%s/a.png", dir);
    expect_error(save_screen(&c, &opt, deep, false, &err), -EINVAL, &err, ".svg");

    /* A link, even to nowhere, is a name that is taken. */
    snprintf(deep, sizeof(deep), "%s/link.txt", dir);
    assert_int_equal(symlink("/nonexistent/x", deep), 0);
    expect_error(save_screen(&c, &opt, deep, false, &err), -EEXIST, &err, "is there already");
    unlink(deep);
    assert_int_equal(entries(dir), 1);
    unlink(path);
    rmdir(dir);
    free(want);
    canvas_destroy(&c);
}

/* The disk is full in the middle: what was there before stays, and nothing half is left. */
static void test_full(void **state) {
    (void)state;
    char dir[] = "/tmp/tdtop-save-XXXXXX", path[128];
    struct canvas c;
    struct err err = {0};
    struct stat st;
    const struct theme t = load("default");
    const struct save_options opt = {.theme = &t};
    struct rlimit was, tiny;
    draw(&c);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/a.svg", dir);
    assert_int_equal(save_screen(&c, &opt, path, false, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    const off_t size = st.st_size;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    tiny = (struct rlimit){100, was.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    const int rc = save_screen(&c, &opt, path, true, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, SIG_DFL);
    expect_error(rc, -EFBIG, &err, "cannot be written");
    assert_int_equal(entries(dir), 1);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size == size);
    unlink(path);
    rmdir(dir);
    canvas_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_of),
        cmocka_unit_test(test_name),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_mono),
        cmocka_unit_test(test_ansi),
        cmocka_unit_test(test_svg),
        cmocka_unit_test(test_svg_anything),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(recording),
        cmocka_unit_test(card),
        cmocka_unit_test(test_glyphs_stay_inside),
        cmocka_unit_test(test_glyphs_join),
        cmocka_unit_test(test_glyph_shares),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests_name("save_screen", tests, NULL, NULL);
}
