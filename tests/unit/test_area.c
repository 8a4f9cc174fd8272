/* Stacked shares as text and as hues: whole cells, shared cells, gaps, the lane below. */
#include "ui/draw/area.h"

#include "plot_fixture.h"

#define GAP NAN

enum { ROOTS = 4 };

static const struct area_key keys[] = {
    {"L3_Bound", STYLE_BACKEND_FILL, 'K'},
    {"Fetch_Latency", STYLE_FRONTEND_FILL, 'F'},
    {"Retiring", STYLE_RETIRING_FILL, 'R'},
};

/* Roots in the order of the screen, from below, without values. */
static void roots_of(struct area_root *out, float v[ROOTS][64]) {
    static const struct area_root plain[ROOTS] = {
        {NULL, STYLE_RETIRING, STYLE_RETIRING_FILL, STYLE_RETIRING_GREY, 'R'},
        {NULL, STYLE_BACKEND, STYLE_BACKEND_FILL, STYLE_BACKEND_GREY, 'K'},
        {NULL, STYLE_BADSPEC, STYLE_BADSPEC_FILL, STYLE_BADSPEC_GREY, 'B'},
        {NULL, STYLE_FRONTEND, STYLE_FRONTEND_FILL, STYLE_FRONTEND_GREY, 'F'},
    };
    for (int i = 0; i < ROOTS; i++) {
        out[i] = plain[i];
        out[i].v = v[i];
    }
}

/* One column of 1 x h cells without axes: what is in it from above, as letters of the hues. A
 * shared cell is two letters and the eighths of the lower one: "FK3" is K below F. */
static const char *column_text(const struct canvas *c, int h) {
    static char text[256];
    static const char letter[] = {'F', 'B', 'K', 'R'};
    size_t n = 0;
    for (int y = 0; y < h; y++) {
        const struct cell *cell = &c->at[y * c->w];
        if (cell->cp == ' ' && cell->style >= STYLE_FRONTEND_FILL)
            n += (size_t)sprintf(text + n, " %c", letter[cell->style - STYLE_FRONTEND_FILL]);
        else if (cell->cp > 0x2580 && cell->cp < 0x2588)
            n += (size_t)sprintf(
                text + n, " %c%c%d",
                cell->ground && cell->ground != SHARED_NONE
                    ? letter[cell->ground - STYLE_FRONTEND_FILL]
                    : '-',
                letter[cell->style - (cell->ground ? STYLE_FRONTEND_FILL : STYLE_FRONTEND)],
                (int)(cell->cp - 0x2580));
        else
            n += (size_t)sprintf(text + n, " %s", cell->cp == 0x2591 ? "?" : "-");
    }
    return text;
}

static void test_columns(void **state) {
    (void)state;
    static const struct {
        const char *what;
        float share[ROOTS]; /* R K B F */
        const char *text;
    } cases[] = {
        {"quarters", {.25F, .25F, .25F, .25F}, " F B K R"},
        {"eighths", {.28125F, .25F, .21875F, .25F}, " F BK1 KR1 R"},
        {"one alone", {1, 0, 0, 0}, " R R R R"},
        {"two in one cell", {.40625F, .59375F, 0, 0}, " K K KR5 R"},
        {"a thin one between two keeps the greater ones",
         {.40625F, .03125F, .5625F, 0},
         " B B BR6 R"},
        {"nearly all is stretched", {.48F, .24F, .12F, .12F}, " FB4 K R R"},
        {"too much is shrunk", {.6F, .3F, .15F, .15F}, " FB4 K R R"},
        {"a rest stays", {.5F, .25F, 0, 0}, " - K R R"},
        {"a rest in a cell", {.5F, .125F, 0, 0}, " - -K4 R R"},
        {"one not known", {.5F, .125F, GAP, 0}, " ? -K4 R R"},
        {"less than nothing", {-.1F, .5F, .25F, .25F}, " F B K K"},
        {"none known", {GAP, GAP, GAP, GAP}, " - - - -"},
        {"infinite is not known", {INFINITY, .5F, .25F, .25F}, " F B K K"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        float v[ROOTS][64] = {{0}};
        struct area_root root[ROOTS];
        struct canvas c;
        roots_of(root, v);
        for (int k = 0; k < ROOTS; k++)
            v[k][0] = cases[i].share[k];
        const struct area a = {.chart = {.glyph = CHART_BLOCKS, .x = {0, NS_PER_S, 1}},
                               .root = root,
                               .n_root = ROOTS,
                               .n = 1,
                               .step_ns = NS_PER_S};
        canvas_init(&c, 1, 5);
        area_draw(&c, (struct rect){0, 0, 1, 5}, &a); /* the fifth row is that of the times */
        if (strcmp(column_text(&c, 4), cases[i].text) != 0)
            fail_msg("%s:%s", cases[i].what, column_text(&c, 4));
        canvas_destroy(&c);
    }
}

static void test_whole(void **state) {
    (void)state;
    static const char *const want[] = {
        "  100% ┤▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   ▁▁▁▁a▁▁▁▁▁▁▁▁▁▁▁▁\n"
        "       │▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂   ▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂\n"
        "   75% ┤    ▏    ▕             ╎       │    ▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂\n"
        "       │    ▏    ▕             ╎▂▃▃▃▃▂▁│    ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃\n"
        "   50% ┤    ▏    ▕         ▁▃▅▆╎       ▇▅▃▁\n"
        "       │▅▃▁ ▏    ▕             ╎       │   ▆\n"
        "   25% ┤   ▆▃▂▁  ▕  ▁▂▃▆       ╎       │\n"
        "       │    ▏  ▇▇▆▇▇           ╎       │    ▄▂\n"
        "    0% ┤    ▏    ▕             ╎       │       ▆▃▂▁   ▁▂▄▅▇\n"
        " phase  ▏ L3_Bound      ░░░     ▏ L3_Bound  ▏ Fetch_Latency\n"
        "            [    ]      ╵0:20   ╵0:30  ▲╵0:40   ╵0:50\n",
        "  100% +FFFF|FFFF|FFFFFF   FFFFaFFFFFFF|FFFFFFFFFFFFFFFFFFFF\n"
        "       |BBBB|BBBB|BBBBBB   BBBB|BBBBBBB|BBBBFFFFFFFFFFFFFFFF\n"
        "   75% +KKKK|KKKK|KKKKKK   KKKK|KKKKKKK|KKKKFFFFFFFFFFFFFFFF\n"
        "       |KKKK|KKKK|KKKKKK   KKKK|KKKKKKK|KKKKBBBBBBBBBBBBBBBB\n"
        "   50% +KKKK|KKKK|KKKKKK   KKRR|RRRRRRR|RKKKKKKKKKKKKKKKKKKK\n"
        "       |RKKK|KKKK|KKKKKK   RRRR|RRRRRRR|RRRRKKKKKKKKKKKKKKKK\n"
        "   25% +RRRR|KKKK|KKKKKR   RRRR|RRRRRRR|RRRRKKKKKKKKKKKKKKKK\n"
        "       |RRRR|RRRR|RRRRRR   RRRR|RRRRRRR|RRRRRKKKKKKKKKKKKKKK\n"
        "    0% +RRRR|RRRR|RRRRRR   RRRR|RRRRRRR|RRRRRRRRKKKKKKKKRRRR\n"
        " phase  K L3_Bound KKKKR?\?\?     K L3_Bound KF Fetch_Latency\n"
        "            [    ]      |0:20   |0:30  ^|0:40   |0:50\n",
    };
    float v[ROOTS][64];
    int16_t lane[64];
    struct area_root root[ROOTS];
    static const struct chart_mark marks[] = {{30 * NS_PER_S, "a"}};
    roots_of(root, v);
    for (int i = 0; i < 64; i++) {
        v[1][i] = .4F + .2F * sinf((float)i / 7);
        v[2][i] = .1F;
        v[3][i] = .1F + (i > 44 ? .2F : 0);
        v[0][i] = 1 - v[1][i] - v[2][i] - v[3][i];
        lane[i] = i < 18 ? 0 : i < 24 ? 2 : i < 30 ? AREA_NOTHING : i > 44 ? 1 : 0;
        if (i >= 20 && i < 24) {
            v[0][i] = v[1][i] = v[2][i] = v[3][i] = GAP;
            lane[i] = AREA_UNKNOWN;
        }
    }
    for (int i = 0; i < 2; i++) {
        const struct rect r = {0, 0, 60, 11};
        const struct rect area = chart_area(r, 1);
        const struct area a = {.chart = {.glyph = i ? CHART_ASCII : CHART_BLOCKS,
                                         .x = {0, NS_PER_S * 5 / 4, area.w},
                                         .mark = marks,
                                         .n_mark = 1,
                                         .cursor_ns = 40 * NS_PER_S,
                                         .span0_ns = 5 * NS_PER_S,
                                         .span1_ns = 12 * NS_PER_S},
                               .root = root,
                               .n_root = ROOTS,
                               .n = 64,
                               .step_ns = NS_PER_S,
                               .lane = lane,
                               .key = keys,
                               .n_key = 3};
        struct canvas c;
        canvas_init(&c, r.w, r.h);
        area_draw(&c, r, &a);
        plot_expect("whole", &c, want[i]);
    }
}

/* The lane shows what was the bottleneck most of the time, the newer one of equals. */
static void test_lane(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int16_t lane[4];
        enum style st;
    } cases[] = {
        {"one", {0, 0, 0, 0}, STYLE_BACKEND_FILL},
        {"most", {1, 0, 1, 1}, STYLE_FRONTEND_FILL},
        {"equals", {1, 1, 0, 0}, STYLE_BACKEND_FILL},
        {"nothing over its threshold", {AREA_NOTHING, AREA_NOTHING, 1, AREA_NOTHING}, STYLE_TEXT},
        {"not known", {AREA_UNKNOWN, AREA_UNKNOWN, AREA_UNKNOWN, 0}, STYLE_AXIS},
        {"no such key is not known", {77, -9, 300, 3}, STYLE_AXIS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct area a = {.chart = {.glyph = CHART_BLOCKS, .x = {0, 4 * NS_PER_S, 1}},
                               .n = 4,
                               .step_ns = NS_PER_S,
                               .lane = cases[i].lane,
                               .key = keys,
                               .n_key = 3};
        struct canvas c;
        canvas_init(&c, 1, 3);
        area_draw(&c, canvas_rect(&c), &a);
        if (c.at[2].style != cases[i].st)
            fail_msg("%s: %d", cases[i].what, c.at[2].style);
        canvas_destroy(&c);
    }
}

/* A phase is one stretch: what is too short for a name does not interrupt another of its root. */
static void test_phases(void **state) {
    (void)state;
    static const struct {
        const char *what;
        const char *lane; /* '0' L3_Bound, '3' DRAM_Bound, both of one root, '1' Fetch_Latency */
        const char *text;
    } cases[] = {
        {"a moment of another node", "00000000003000000000", "▏ L3_Bound"},
        {"and back for good", "00000000003300333333333333333", "▏ L3_Bound    ▏ DRAM_Bound"},
        {"a moment of another root", "00000000000010000000000000", "▏ L3_Bound   ▏ L3_Bound"},
        {"short ones until one is named", "030300000000000", "▏ L3_Bound"},
    };
    static const struct area_key four[] = {{"L3_Bound", STYLE_BACKEND_FILL, 'K'},
                                           {"Fetch_Latency", STYLE_FRONTEND_FILL, 'F'},
                                           {"Retiring", STYLE_RETIRING_FILL, 'R'},
                                           {"DRAM_Bound", STYLE_BACKEND_FILL, 'K'}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int16_t lane[64];
        const int n = (int)strlen(cases[i].lane);
        for (int k = 0; k < n; k++)
            lane[k] = (int16_t)(cases[i].lane[k] - '0');
        const struct rect r = {0, 0, n + 8, 3};
        const struct area a = {.chart = {.glyph = CHART_BLOCKS, .x = {0, NS_PER_S, n}},
                               .n = n,
                               .step_ns = NS_PER_S,
                               .lane = lane,
                               .key = four,
                               .n_key = 4};
        struct canvas c;
        char text[2048];
        canvas_init(&c, r.w, r.h);
        area_draw(&c, r, &a);
        canvas_dump(&c, text, sizeof(text));
        if (!strstr(text, cases[i].text))
            fail_msg("%s:\n%s", cases[i].what, text);
        canvas_destroy(&c);
    }
}

static void test_stays_inside(void **state) {
    (void)state;
    static float v[ROOTS][64];
    static int16_t lane[64];
    static const struct chart_mark marks[] = {{3 * NS_PER_S, "a"}, {9 * NS_PER_S, "a long name"}};
    struct area_root root[ROOTS];
    struct canvas c;
    roots_of(root, v);
    canvas_init(&c, 306, 105);
    for (int i = 0; i < 500; i++) {
        const struct rect r = next_rect(i);
        const struct rect area = chart_area(r, i & 1);
        for (int k = 0; k < ROOTS; k++)
            fill_hostile(v[k], 64, (i + k * (i & 2)) % 13);
        for (int k = 0; k < 64; k++)
            lane[k] = (int16_t)(plot_random(8) - 3);
        const struct area a = {
            .chart = {.glyph = (enum chart_glyph)(i % 3),
                      .x = scale_time_until((uint64_t)plot_random(90) * NS_PER_S,
                                            NS_PER_S / 8 << plot_random(7), area.w, i % 9),
                      .mark = marks,
                      .n_mark = 2,
                      .cursor_ns = (uint64_t)plot_random(90) * NS_PER_S,
                      .span0_ns = (uint64_t)plot_random(90) * NS_PER_S,
                      .span1_ns = (uint64_t)plot_random(90) * NS_PER_S},
            .root = root,
            .n_root = i % (ROOTS + 1),
            .n = i % 65,
            .step_ns = NS_PER_S,
            .lane = i & 1 ? lane : NULL,
            .key = keys,
            .n_key = 3};
        fence_up(&c, r);
        area_draw(&c, r, &a);
        fence_check("area", &c, r);
    }
    canvas_destroy(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),      cmocka_unit_test(test_whole),
        cmocka_unit_test(test_lane),         cmocka_unit_test(test_phases),
        cmocka_unit_test(test_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
