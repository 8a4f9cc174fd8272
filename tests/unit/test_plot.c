/* Lines as text: their shapes in three alphabets, what lies around them, and where they end. */
#include "ui/draw/plot.h"

#include "plot_fixture.h"

#define GAP NAN

static const struct scale unit = {.low = 0, .top = 1};

/* A plot of n values of 1 s in as many columns as fit two (braille) or one to a cell. */
static struct plot plot_of(enum chart_glyph glyph, const float *v, int n, int cells) {
    return (struct plot){
        .chart = {.glyph = glyph,
                  .y = &unit,
                  .x = {0, glyph == CHART_BRAILLE ? 2 * NS_PER_S : NS_PER_S, cells}},
        .values = {.v = v, .n = n, .step_ns = NS_PER_S},
        .style = STYLE_BACKEND,
        .threshold = (double)NAN,
        .baseline = (double)NAN,
    };
}

static void draw_line(struct canvas *c, const struct plot *p) {
    plot_draw_line(c, canvas_rect(c), &p->chart, &p->values, p->style);
}

/* The line alone: 8 cells of 2 rows in braille, 16 in the others. */
static void test_shapes(void **state) {
    (void)state;
    static const struct {
        const char *what;
        float v[16];
        const char *braille, *blocks, *ascii;
    } cases[] = {
        {"rises by a dot",
         {.01F, .05F, .14F, .18F, .26F, .3F, .39F, .43F, .51F, .55F, .64F, .68F, .76F, .8F, .89F,
          .93F},
         "    ⣀⠤⠒⠉\n⣀⠤⠒⠉\n",
         "         ▁▂▃▄▅▆▇\n▁▁▂▃▄▅▆▇████████\n",
         "        ___---''\n___---''\n"},
        {"steps are shared by their two sides",
         {.05F, .05F, .95F, .95F, .05F, .05F, .05F, .95F, .05F, .95F, .5F, .5F, .5F, .5F, .5F, .5F},
         " ⣿ ⢸⢸⣄⣀⣀\n⣸ ⣇⡇⡇\n",
         NULL,
         NULL},
        {"a gap is a gap, and hatched where it is a whole cell",
         {.5F, .5F, .5F, GAP, .5F, .5F, GAP, GAP, GAP, GAP, .9F, GAP, GAP, .2F, .2F, .2F},
         "⣀⡀⣀  ⠁\n   ░░ ⠠⠤\n",
         "          ▆\n███░██░░░░█░░▃▃▃\n",
         "___ __    '\n   ?  ?\?\?? ?\?---\n"},
        {"0 is known",
         {0, 0, 0, 0, GAP, GAP, GAP, GAP, 0, 0, 0, 0, 0, 0, 0, 0},
         "\n⣀⣀░░⣀⣀⣀⣀\n",
         "\n▁▁▁▁░░░░▁▁▁▁▁▁▁▁\n",
         "\n____?\?\??________\n"},
        {"beyond the axis",
         {.5F, .5F, 2, 2, .5F, .5F, -1, -1, .5F, .5F, INFINITY, INFINITY, .5F, .5F, GAP, GAP},
         "⣠▴⣄ ⣠▴⣄\n  ⠘▾⠁  ░\n",
         NULL,
         NULL},
        {"nothing known",
         {GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP, GAP},
         "\n░░░░░░░░\n",
         "\n░░░░░░░░░░░░░░░░\n",
         "\n?\?\?\?\?\?\?\?\?\?\?\?\?\?\?\?\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int glyph = CHART_BRAILLE; glyph <= CHART_ASCII; glyph++) {
            const char *const want[] = {cases[i].braille, cases[i].blocks, cases[i].ascii};
            const int cells = glyph == CHART_BRAILLE ? 8 : 16;
            const struct plot p = plot_of((enum chart_glyph)glyph, cases[i].v, 16, cells);
            struct canvas c;
            if (!want[glyph])
                continue;
            canvas_init(&c, cells, 2);
            draw_line(&c, &p);
            plot_expect(cases[i].what, &c, want[glyph]);
        }
}

/* Columns that hang from 0 when it is inside the axis. */
static void test_below_zero(void **state) {
    (void)state;
    static const float v[] = {.5F, 1, .25F, 0, -.25F, -.5F, -1, GAP, .5F};
    const struct scale both = {.low = -1, .top = 1};
    struct plot p = plot_of(CHART_BLOCKS, v, 9, 9);
    struct canvas c;
    p.chart.y = &both;
    canvas_init(&c, 9, 4);
    draw_line(&c, &p);
    plot_expect("hang", &c, " █\n██▄▁    █\n    ▀██\n      █░\n");
}

/* Below 0 is below the line of 0, however little, and wherever on the area that line is. */
static void test_just_below_zero(void **state) {
    (void)state;
    static const float v[] = {-.01F, .01F, -.25F};
    static const struct {
        const char *what;
        struct scale y;
        int h;
        const char *want;
    } cases[] = {
        {"0 on the edge of a row", {.low = -1, .top = 1}, 2, " ▁\n▀ ▀\n"},
        {"0 high in the lowest row", {.low = -.9, .top = 2.1}, 3, "\n ▁\n▀ ▀\n"},
        {"0 low in the lowest row", {.low = -.3, .top = 2.7}, 3, "\n ▁\n▀ █\n"},
        {"0 at the top", {.low = -1, .top = .1}, 2, " ▁\n▀ ▀\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plot p = plot_of(CHART_BLOCKS, v, 3, 3);
        struct canvas c;
        p.chart.y = &cases[i].y;
        canvas_init(&c, 3, cases[i].h);
        draw_line(&c, &p);
        plot_expect(cases[i].what, &c, cases[i].want);
    }
}

/* Where several values fall into a column, it shows their mean between their ends. */
static void test_envelope(void **state) {
    (void)state;
    static float v[64];
    for (int i = 0; i < 64; i++)
        v[i] = i % 2 ? .95F : i < 32 ? .55F : .05F;
    static const char *const want[] = {
        "⣀⣀⣀⣀⡪⡪⡪⡪\n"
        "⡪⡪⡪⠘⡄⡪⡪⡪\n"
        "    ⠉⠉⠉⠉\n"
        "    ⡪⡪⡪⡪\n",
        "▇▇▇▇▇▇▇▇\n"
        "████\n"
        "████████\n"
        "████████\n",
        "____::::\n"
        ":::||:::\n"
        "    ''''\n"
        "    ::::\n",
    };
    for (int glyph = CHART_BRAILLE; glyph <= CHART_ASCII; glyph++) {
        struct plot p = plot_of((enum chart_glyph)glyph, v, 64, 8);
        struct canvas c;
        p.chart.x.cell_ns = 8 * NS_PER_S;
        canvas_init(&c, 8, 4);
        draw_line(&c, &p);
        plot_expect("envelope", &c, want[glyph]);
    }
}

/* Straight lines through the middles of values that are longer than a column. */
static void test_wide(void **state) {
    (void)state;
    static const float v[] = {.1F, .9F, .9F, GAP, .5F, .1F};
    static const char *const want[] = {
        "     ⡔⠒⠒⠒⠒⠒⠒\n"
        "   ⡠⠊           ⠒⠒⠤⡀\n"
        "⠤⠤⠜         ░░░░   ⠈⠑⠢⠤⠤\n",
        "    ▆▆▆▆▆▆▆▆\n"
        "    ████████    ▄▄▄▄\n"
        "▂▂▂▂████████░░░░████▂▂▂▂\n",
        "    |-''''''\n"
        "   _'           ---_\n"
        "__-         ?\?\?\?    '-__\n",
    };
    for (int glyph = CHART_BRAILLE; glyph <= CHART_ASCII; glyph++) {
        struct plot p = plot_of((enum chart_glyph)glyph, v, 6, 24);
        struct canvas c;
        p.chart.x.cell_ns = NS_PER_S / 4;
        canvas_init(&c, 24, 3);
        draw_line(&c, &p);
        plot_expect("wide", &c, want[glyph]);
    }
}

/* Everything at once, as it is on the screen. */
static void test_whole(void **state) {
    (void)state;
    static float v[80], err[80];
    for (int i = 0; i < 80; i++) {
        v[i] = i >= 30 && i < 34 ? GAP : .09F + .05F * sinf((float)i / 9);
        err[i] = i < 40 ? .02F : GAP;
    }
    static const struct chart_mark marks[] = {{21 * NS_PER_S, "a"}, {64 * NS_PER_S, "new flags"}};
    static const char *const want[] = {
        "   20% ┤⠁ ⠁ ⠁ ⠁ ⠁ a ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ │ ⠁ ⠁ ⠁new flags⠁ ⠁ ⠁ ⠁ ⠁ ⠁\n"
        "       │⠒⠒⠒ ⠒⠒⠒⡀⠒⠒╎ ⠒⠒⠒ ⠒⠒⠒ ⠒⠒⠒ │⠒⠒ ⠒⠒⠒╎⠒⠒⠒ ⠒⠒⠒ ⠒⠒⠒ ⠒⠒⠒ ⠒⠒⠒\n"
        "   15% ┤⠁ ⠁⡀⡂⣀⡠⠤⢄⡀╎⡀⠁ ⠁ ⠁ ⠁ ⠁ ⠁ │ ⠁ ⠁ ⠁╎⠁⣀⡠⠤⢄⣀⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁\n"
        "       │ ⡀⣀⠔⠉⡂⠂⠂⠂⠈⠑⠤⡀⡂⡀         │     ⢀⠔⠊     ⠉⠢\n"
        "   10% ┤⡠⠊⡂⠂⠂ ⠂ ⠂ ╎⠂⠈⠢⡀ ⠂ ⠂ ⠂ ⠂ │ ⠂ ⢀⠔⠁╎⠂ ⠂ ⠂ ⠂ ⠂ ⠂ ⠂ ⠂ ⠂ ⠂\n"
        "       │⡂⠂        ╎  ⠂⠈  ⡂⡀     │ ⢀⠔⠁  ╎\n"
        "    5% ┤⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄╎⠄⠄⠄⠄⠄⠄⠒⢄⡀⠄⠄⠄⢀⡠⠒⠁⠄⠄⠄⠄╎⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄\n"
        "       │          ╎       ⠂⠈⠉⠉⠉⠁│      ╎\n"
        "    0% ┤          ╎    ░░       │      ╎\n"
        " slots      [  ]       ╵0:30    ▲     ╵1:00  ╵1:15   ╵1:30\n",
        "   20% ┤· · · · · a · · · · · · │ · · ·new flags· · · · · ·\n"
        "       │─── ─▁▂▂▁─╎ ─── ─── ─── │── ───╎─── ─── ─── ─── ───\n"
        "   15% ┤· ▁▄▇▁▂▂▂ ▆▃· · · · · · │ · · ·╎·▁▂▂▂▁· · · · · · ·\n"
        "       │▁▅▁▄▇█████▆▃▇▄          │     ▁▃▆█████▇▄\n"
        "   10% ┤▁▅████████╎██▄  · · · · │ · ▂▄█╎████████· · · · · ·\n"
        "       │██████████╎████  ▅▂     │ ▁▄███╎████████\n"
        "    5% ┤┈┈┈┈┈┈┈┈┈┈╎┈┈┈┈┈┈▅▂┈┈┈┈▁▂▅┈┈┈┈┈╎┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈\n"
        "       │██████████╎████  ███▇▆▇█│██████╎████████\n"
        "    0% ┤██████████╎████░░███████│██████╎████████\n"
        " slots      [  ]       ╵0:30    ▲     ╵1:00  ╵1:15   ╵1:30\n",
        "   20% +          a             |      new flags\n"
        "       |=== ===:==| === === === |== ===|=== === === === ===\n"
        "   15% +  :::_____|:            |      | _____\n"
        "       |::_-':::::'-::          |     _-'     '-\n"
        "   10% +_-:::     |:'-:         |   _-:|\n"
        "       |::        |  :'  ::     | _-:  |\n"
        "    5% +. . . . . | . . .-__. .__-. . .|. . . . . . . . . .\n"
        "       |          |      :::''':|      |\n"
        "    0% +          |    ?\?       |      |\n"
        " slots      [  ]       |0:30    ^     |1:00  |1:15   |1:30\n",
    };
    for (int glyph = CHART_BRAILLE; glyph <= CHART_ASCII; glyph++) {
        const struct rect r = {0, 0, 60, 10};
        const struct rect area = chart_area(r, 0);
        const struct scale_rule rule = {.share = true, .least = .1, .most = 1};
        struct plot p = plot_of((enum chart_glyph)glyph, v, 80, area.w);
        struct scale y = {0};
        struct canvas c;
        double min, max;
        p.values.err = err;
        p.threshold = .05;
        p.baseline = .17;
        p.chart.y = &y;
        p.chart.x = scale_time_until(80 * NS_PER_S, 2 * NS_PER_S, area.w, 8);
        p.chart.unit = "slots";
        p.chart.mark = marks;
        p.chart.n_mark = 2;
        p.chart.cursor_ns = 50 * NS_PER_S;
        p.chart.span0_ns = 8 * NS_PER_S;
        p.chart.span1_ns = 16 * NS_PER_S;
        plot_range(&p, &min, &max);
        scale_fit(&y, min, max, &rule);
        canvas_init(&c, r.w, r.h);
        plot_draw(&c, r, &p);
        plot_expect("whole", &c, want[glyph]);
    }
}

/* ---- what must hold whatever is drawn ---- */

static float values[5000], errors[5000];

static void draw_hostile(struct canvas *c, struct rect r, int i) {
    static const struct chart_mark marks[] = {{0, "zero"},
                                              {3 * NS_PER_S, "a"},
                                              {4 * NS_PER_S, "a name that is far too long"},
                                              {~0ull, "z"}};
    const int n = i % 5 == 0 ? 0 : i % 5 == 1 ? 1 : plot_random((int)COUNT(values));
    fill_hostile(values, n, i % 13);
    fill_hostile(errors, n, (i + 4) % 13);
    const struct rect area = chart_area(r, 0);
    const struct scale_rule rule = {.share = i & 1, .loose = i & 2};
    struct scale y = {0};
    struct plot p = plot_of((enum chart_glyph)(i % 3), values, n, area.w);
    double min, max;
    p.values.err = i & 4 ? errors : NULL;
    p.values.first_ns = i & 8 ? 7 * NS_PER_S : 0;
    p.chart.y = &y;
    p.chart.words = (enum scale_words)(i / 3 % 3);
    p.chart.unit = i & 1 ? "GB/s" : "a unit without end";
    p.chart.mark = marks;
    p.chart.n_mark = 4;
    p.chart.x = scale_time_until((uint64_t)plot_random(n + 9) * NS_PER_S,
                                 NS_PER_S / 8 << plot_random(12), area.w, i % 9);
    p.chart.cursor_ns = (uint64_t)plot_random(n + 9) * NS_PER_S;
    p.chart.span0_ns = (uint64_t)plot_random(99) * NS_PER_S;
    p.chart.span1_ns = (uint64_t)plot_random(99) * NS_PER_S;
    p.threshold = i & 1 ? 0.5 : (double)INFINITY;
    p.baseline = -0.5;
    plot_range(&p, &min, &max);
    scale_fit(&y, min, max, &rule);
    plot_draw(c, r, &p);
}

static void test_stays_inside(void **state) {
    (void)state;
    struct canvas c;
    canvas_init(&c, 306, 105);
    for (int i = 0; i < 500; i++) {
        const struct rect r = next_rect(i);
        fence_up(&c, r);
        draw_hostile(&c, r, i);
        fence_check("plot", &c, r);
    }
    canvas_destroy(&c);
}

/* Also where the rectangle is partly, or wholly, beyond the canvas. */
static void test_beyond_the_canvas(void **state) {
    (void)state;
    struct canvas c;
    canvas_init(&c, 40, 12);
    for (int i = 0; i < 300; i++) {
        const struct rect r = {plot_random(80) - 50, plot_random(40) - 20, plot_random(70),
                               plot_random(30)};
        canvas_clear(&c);
        draw_hostile(&c, r, i);
    }
    canvas_destroy(&c);
}

/* 10^5 values in 100 cells: every one of them counts. */
static void test_many(void **state) {
    (void)state;
    enum { N = 100000 };
    float *v = calloc(N, sizeof(*v));
    struct canvas c;
    canvas_init(&c, 100, 8);
    assert_non_null(v);
    v[51234] = 8000; /* one of a thousand: the mean of its column of dots is 16 */
    struct plot p = plot_of(CHART_BRAILLE, v, N, 100);
    const struct scale y = {.low = 0, .top = 32};
    p.chart.y = &y;
    p.chart.x.cell_ns = 1000 * NS_PER_S;
    double min, max;
    plot_range(&p, &min, &max);
    assert_true(min == 0 && max == 8000);
    draw_line(&c, &p);
    for (int x = 0; x < 100; x++)
        if ((c.at[4 * 100 + x].cp != ' ') != (x == 51))
            fail_msg("column %d: U+%04x", x, c.at[4 * 100 + x].cp);
    canvas_destroy(&c);
    free(v);
}

/* No cell that lies wholly in a gap has a dot of the line; all others of the line's row have one.
 */
static void test_gaps(void **state) {
    (void)state;
    static float v[200];
    for (int round = 0; round < 200; round++) {
        struct canvas c;
        canvas_init(&c, 100, 5);
        for (int i = 0; i < 200; i++)
            v[i] = plot_random(3) ? .5F : GAP;
        const struct plot p = plot_of(CHART_BRAILLE, v, 200, 100);
        draw_line(&c, &p);
        for (int x = 0; x < 100; x++) {
            const uint32_t cp = c.at[2 * 100 + x].cp;
            const bool left = !isnan(v[2 * x]), right = !isnan(v[2 * x + 1]);
            const uint32_t want = left && right ? 0x2812 : left ? 0x2802 : right ? 0x2810 : ' ';
            if (cp != want)
                fail_msg("column %d: U+%04x", x, cp);
        }
        canvas_destroy(&c);
    }
}

static int changed_columns(const struct canvas *a, const struct canvas *b) {
    int n = 0;
    for (int x = 0; x < a->w; x++) {
        bool same = true;
        for (int y = 0; y < a->h; y++)
            same = same && a->at[y * a->w + x].cp == b->at[y * a->w + x].cp;
        n += !same;
    }
    return n;
}

/* While the axes stand a new value changes its own column and the one before, which meets it. */
static void test_stands_still(void **state) {
    (void)state;
    static float v[1000];
    struct canvas c[2];
    struct scale y = {0};
    const struct rect r = {0, 0, 90, 12};
    const struct rect area = chart_area(r, 0);
    const struct scale_rule rule = {.share = true};
    uint64_t from = 0;
    int stood = 0;
    for (int i = 0; i < 1000; i++)
        v[i] = (float)(400 + plot_random(200)) / 1000;
    v[0] = .7F;
    canvas_init(&c[0], r.w, r.h);
    canvas_init(&c[1], r.w, r.h);
    for (int n = 1; n < 1000; n++) {
        struct plot p = plot_of(CHART_BRAILLE, v, n, area.w);
        struct canvas *now = &c[n & 1];
        double min, max;
        p.chart.y = &y;
        p.chart.x = scale_time_until((uint64_t)n * NS_PER_S, 2 * NS_PER_S, area.w, 8);
        plot_range(&p, &min, &max);
        scale_fit(&y, min, max, &rule);
        canvas_clear(now);
        plot_draw(now, r, &p);
        if (n > 1 && p.chart.x.from_ns == from) {
            stood++;
            if (changed_columns(&c[0], &c[1]) > 2)
                fail_msg("value %d changes %d columns", n, changed_columns(&c[0], &c[1]));
        }
        from = p.chart.x.from_ns;
    }
    assert_true(y.top == 0.8 && stood > 900);
    canvas_destroy(&c[0]);
    canvas_destroy(&c[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_below_zero),
        cmocka_unit_test(test_just_below_zero),
        cmocka_unit_test(test_envelope),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_stays_inside),
        cmocka_unit_test(test_beyond_the_canvas),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
