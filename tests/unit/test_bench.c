/* The bench: what changed from A to B in order, in words and as bars; and what keys do to A and B.
 */
#include "noise.h"
#include "ui_fixture.h"

#include "ui/view/bench_side.h"
#include "ui/view/bench_words.h"

/* ---- runs made by hand ---- */

enum { INTERVALS = 60 };

struct value_of {
    const char *path;
    double a, b, sd; /* NAN: that side does not have it */
    const char *unit;
};

/* The story of the picture: DRAM is waited for where the frontend was, and each instruction costs
 * more; nothing else. */
static const struct value_of story[] = {
    {"Backend_Bound", 0.28, 0.70, 0.010, "percent"},
    {"Backend_Bound.Memory_Bound", 0.18, 0.619, 0.010, "percent"},
    {"Backend_Bound.Memory_Bound.DRAM_Bound", 0.014, 0.391, 0.012, "percent"},
    {"Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Latency", 0.011, 0.352, 0.012, "percent"},
    {"Backend_Bound.Memory_Bound.L1_Bound", 0.040, 0.041, 0.010, "percent"},
    {"Backend_Bound.Memory_Bound.L2_Bound", 0.030, 0.038, 0.045, "percent"},
    {"Backend_Bound.Memory_Bound.L3_Bound", 0.050, 0.063, 0.031, "percent"},
    {"Backend_Bound.Core_Bound", 0.102, 0.081, 0.004, "percent"},
    {"Frontend_Bound", 0.270, 0.091, 0.008, "percent"},
    {"Frontend_Bound.Fetch_Latency", 0.182, 0.050, 0.006, "percent"},
    {"Bad_Speculation", 0.062, 0.031, 0.004, "percent"},
    {"Retiring", 0.385, 0.177, 0.007, "percent"},
    {"IPC", 1.63, 0.965, 0.02, ""},
    {"GHz", 3.1, 3.1, 0.001, "GHz"},
    {"CPUs_Utilized", 0.38, 0.81, 0.01, "CPUs"},
    {"Context_Switches_Per_S", 6177, 741, 60, "/s"},
    {"Info_DSB_Misses", 12.0, 30.0, 0.5, ""},
    {"Info_One", 12.0, 12.0, 0.5, ""},
    {"Info_Gone", 12.0, (double)NAN, 0.5, ""},
    {"Info_Come", (double)NAN, 12.0, 0.5, ""},
};
enum { STORY = sizeof(story) / sizeof(story[0]) };

static int level_of(const char *path) {
    int level = 1;
    for (const char *p = path; *p; p++)
        level += *p == '.';
    return level;
}

static struct run_node node(const struct value_of *of, double v) {
    const char *dot = strrchr(of->path, '.');
    const bool share = strcmp(of->unit, "percent") == 0;
    struct run_node n = {.level = share ? level_of(of->path) : 0, .share = share};
    n.name = strdup(dot ? dot + 1 : of->path);
    n.path = strdup(of->path);
    n.unit = strdup(of->unit);
    n.reason = strdup("");
    n.good_up = strcmp(of->path, "Retiring") == 0 || strcmp(of->path, "User") == 0;
    n.value = (struct value){.v = v, .duty = 1};
    n.m = (struct moments_result){.n = INTERVALS,
                                  .mean = v,
                                  .sd = of->sd,
                                  .least = v - 2 * of->sd,
                                  .most = v + 2 * of->sd,
                                  .se = of->sd / sqrt(INTERVALS),
                                  .dof = INTERVALS - 1,
                                  .effective_n = INTERVALS};
    run_node_guess(&n);
    return n;
}

static struct run stored(const struct value_of *of, int n, bool b) {
    struct run r = {.measured_ns = INTERVALS * NS_PER_S};
    str_copy(r.id, sizeof(r.id), b ? "bbbbbbbbcdef0123" : "0123456789abcdef");
    assert_int_equal(run_set_text(&r.process, "redis-server"), 0);
    assert_int_equal(run_set_text(&r.model, "hand"), 0);
    assert_int_equal(
        run_set_text(&r.bottleneck, b ? "Backend_Bound.Memory_Bound.DRAM_Bound" : "Frontend_Bound"),
        0);
    assert_int_equal(run_label_set(&r, "io-threads", "1", false, NULL), 0);
    assert_int_equal(run_label_set(&r, "pipe", b ? "32" : "1", false, NULL), 0);
    for (int i = 0; i < n; i++) {
        const double v = b ? of[i].b : of[i].a;
        if (!isnan(v))
            assert_int_equal(array_push(&r.node, node(&of[i], v)), 0);
    }
    return r;
}

/* Both in the view, on a screen of that size. */
static void open_story(struct fixture *f, const struct value_of *of, int n, int w, int h) {
    struct err err = {0};
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 5);
    struct run a = stored(of, n, false), b = stored(of, n, true);
    if (bench_open_runs(&f->sc.scene, &a, &b, NULL, &err) < 0)
        fail_msg("%s", err.text);
    screen_draw(&f->sc);
}

/* ---- what is seen ---- */

static void test_pictures(void **state) {
    (void)state;
    static const int size[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        struct fixture f;
        char name[32];
        open_story(&f, story, STORY, size[i][0], size[i][1]);
        snprintf(name, sizeof(name), "bench_%dx%d", size[i][0], size[i][1]);
        fixture_golden(&f, name);
        fixture_close(&f);
    }
}

static const char *path_at(const struct fixture *f, int line) {
    const struct compare_row *r = &bench_shown(&f->sc.scene)->row[f->sc.scene.bench.line[line].row];
    return (r->a ? r->a : r->b)->path;
}

/* The largest first, each below its nearest ancestor that changed; nothing is there twice. */
static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int depth;
    } want[] = {
        {"Backend_Bound.Memory_Bound", 1},
        {"Backend_Bound.Memory_Bound.DRAM_Bound", 2},
        {"Backend_Bound.Memory_Bound.DRAM_Bound.MEM_Latency", 3},
        {"Backend_Bound.Core_Bound", 1},
        {"Retiring", 0},
        {"Frontend_Bound", 0},
        {"Frontend_Bound.Fetch_Latency", 1},
        {"Bad_Speculation", 0},
    };
    struct fixture f;
    open_story(&f, story, STORY, 120, 40);
    assert_string_equal(path_at(&f, 0), "Backend_Bound");
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        assert_string_equal(path_at(&f, (int)i + 1), want[i].path);
        assert_int_equal(f.sc.scene.bench.line[i + 1].depth, want[i].depth);
    }
    assert_int_equal(f.sc.scene.bench.line[9].kind, BENCH_UNSURE);
    assert_true(fixture_shows(&f, "? L3_Bound +1.3 ±"));
    assert_true(fixture_shows(&f, "2 other metrics changed, most Info_DSB_Misses +150%"));
    assert_true(fixture_shows(&f, "others: no sure change above 1 point; 1 could still hide 2"));
    assert_true(fixture_shows(&f, "1 only in A, 1 only in B"));
    assert_true(fixture_shows(&f, "sure at 95% for all 18 metrics together"));
    fixture_close(&f);
}

/* Where there is little room the largest stay, and one line stands for the others. */
static void test_folds(void **state) {
    (void)state;
    struct fixture f;
    open_story(&f, story, STORY, 80, 20);
    assert_true(fixture_shows(&f, "smaller changes"));
    assert_false(fixture_shows(&f, "Bad_Speculation"));
    while (!fixture_shows(&f, "›▸"))
        fixture_keys(&f, "j");
    fixture_keys(&f, "\n");
    assert_true(f.sc.scene.bench.open & 1u << FOLD_SMALLER);
    screen_draw(&f.sc);
    bool found = false;
    for (int i = 0; i < f.sc.scene.bench.list.n; i++)
        found |= f.sc.scene.bench.line[i].kind == BENCH_CHANGE &&
                 strcmp(path_at(&f, i), "Bad_Speculation") == 0;
    assert_true(found);
    fixture_keys(&f, "\nG\n"); /* the last line: what one side has alone */
    assert_int_equal(f.sc.scene.bench.open, 1u << FOLD_ALONE);
    assert_true(fixture_shows(&f, "Info_Come")); /* what has opened is seen */
    fixture_keys(&f, "G");
    assert_true(fixture_shows(&f, "Info_Come"));
    assert_true(fixture_shows(&f, "only B"));
    fixture_keys(&f, "g");
    assert_int_equal(bench_selected(&f.sc.scene), 0);
    fixture_close(&f);
}

/* From B to A: signs, verdicts, words and boxes. */
static void test_swap(void **state) {
    (void)state;
    struct fixture f;
    struct bench_change ch;
    open_story(&f, story, STORY, 120, 40);
    const struct compare_row *r = compare_find(bench_shown(&f.sc.scene), "Memory_Bound");
    ch = bench_change(&f.sc.scene.bench, r);
    assert_int_equal(ch.verdict, VERDICT_REGRESSED);
    assert_true(fabs(ch.delta - 0.439) < 1e-9);
    fixture_keys(&f, "x");
    ch = bench_change(&f.sc.scene.bench, r);
    assert_int_equal(ch.verdict, VERDICT_IMPROVED);
    assert_true(fabs(ch.delta + 0.439) < 1e-9 && fabs(ch.a - 0.619) < 1e-9);
    assert_true(fabs(ch.relative + 0.439 / 0.619) < 1e-9);
    char words[256];
    assert_string_equal(bench_sentence(&f.sc.scene, words, sizeof(words)),
                        "B does less work per second but each instruction costs 41% fewer cycles; "
                        "the saving is MEM_Latency (-34.1 points)");
    assert_true(fixture_shows(&f, "1 only in A, 1 only in B"));
    struct bench_side a;
    bench_side_of(&f.sc.scene, false, &a);
    assert_true(str_starts(a.state, "bbbbbbbb"));
    fixture_keys(&f, "u");
    assert_false(f.sc.scene.bench.swapped);
    assert_true(fixture_shows(&f, "A and B are as they were"));
    fixture_keys(&f, "u");
    assert_true(fixture_shows(&f, "there is nothing to undo"));
    fixture_close(&f);
}

/* ---- in words ---- */

/* Each part needs a verdict of its own. */
static void test_sentence(void **state) {
    (void)state;
    enum { N = 6 };
    static const struct {
        double ipc, cpus, dram, sd;
        const char *words;
    } cases[] = {
        {0.965, 0.81, 0.391, 0.01,
         "B does more work per second but each instruction costs 69% more cycles; the added cost "
         "is DRAM_Bound (+37.7 points)"},
        {0.965, 0.38, 0.391, 0.01,
         "B does less work per second and each instruction costs 69% more cycles; the added cost "
         "is DRAM_Bound (+37.7 points)"},
        {2.1, 0.38, 0.014, 0.01,
         "B does more work per second and each instruction costs 22% fewer cycles"},
        {1.63, 0.81, 0.014, 0.01, "B does more work per second"},
        {1.63, 0.38, 0.391, 0.01, "B is worse at DRAM_Bound (+37.7 points)"},
        {1.63, 0.38, 0.014, 0.01, "no change is sure"},
        {0.965, 0.81, 0.391, 40, "no change is sure"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        char words[256];
        const double sd = cases[i].sd;
        const struct value_of of[N] = {
            {"Backend_Bound", 0.3, 0.3, sd, "percent"},
            {"Backend_Bound.DRAM_Bound", 0.014, cases[i].dram, sd, "percent"},
            {"IPC", 1.63, cases[i].ipc, sd, ""},
            {"GHz", 3.1, 3.1, sd / 10, "GHz"},
            {"CPUs_Utilized", 0.38, cases[i].cpus, sd, "CPUs"},
            {"Retiring", 0.3, 0.3, sd, "percent"},
        };
        open_story(&f, of, N, 80, 24);
        assert_string_equal(bench_sentence(&f.sc.scene, words, sizeof(words)), cases[i].words);
        fixture_close(&f);
    }
}

/* Where nothing is known of instructions, and where the largest change is not sure. */
static void test_sentence_of_parts(void **state) {
    (void)state;
    static const struct value_of time[] = {
        {"User", 0.055, 0.422, 0.02, "percent"},
        {"Kernel", 0.39, 0.28, 0.02, "percent"},
        {"Idle", 0.30, 0.04, 0.9, "percent"},
    };
    static const struct value_of slots[] = {
        {"Backend_Bound", 0.36, 0.27, 0.3, "percent"},
        {"Backend_Bound.L3_Bound", 0.052, 0.027, 0.001, "percent"},
        {"IPC", 1.6, 1.7, 2, ""},
    };
    static const struct {
        const struct value_of *of;
        int n;
        const char *words;
    } cases[] = {
        {time, 3, "B is better at User (+36.7 points)"},
        {slots, 3, "B is better at L3_Bound (-2.5 points); not sure yet: Backend_Bound -9.0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        char words[256];
        open_story(&f, cases[i].of, cases[i].n, 80, 24);
        bench_sentence(&f.sc.scene, words, sizeof(words));
        if (strncmp(words, cases[i].words, strlen(cases[i].words)) != 0)
            fail_msg("%s, wanted %s", words, cases[i].words);
        fixture_close(&f);
    }
}

/* Cycles are what IPC is the inverse of, its interval too; instructions are a product whose
 * interval no factor can leave. */
static void test_units(void **state) {
    (void)state;
    struct fixture f;
    open_story(&f, story, STORY, 120, 40);
    struct bench_change ch = bench_unit_change(&f.sc.scene, &bench_units[1]);
    assert_true(fabs(ch.a - 1 / 1.63) < 1e-9 && fabs(ch.b - 1 / 0.965) < 1e-9);
    assert_int_equal(ch.verdict, VERDICT_REGRESSED);
    const struct compare_row *ipc = compare_find(bench_shown(&f.sc.scene), "IPC");
    const double low = 1 / (0.965 + ipc->err), high = 1 / (0.965 - ipc->err);
    assert_true(fabs(ch.err - (high - low) / 2) < 1e-9);
    ch = bench_unit_change(&f.sc.scene, &bench_units[2]);
    assert_true(fabs(ch.b / ch.a - 0.965 * 0.81 / (1.63 * 0.38)) < 1e-9);
    assert_int_equal(ch.verdict, VERDICT_CHANGED);
    const struct bench_unit none = {"Nothing", "", false};
    ch = bench_unit_change(&f.sc.scene, &none);
    assert_true(isnan(ch.a) && isnan(ch.b));
    assert_true(fixture_shows(&f, "context switches/s"));
    assert_false(fixture_shows(&f, "migrations/s")); /* the model has none */
    fixture_close(&f);
}

/* Where the model has the CPI itself, that is what is told, once, also where it is unsure. */
static void test_cpi(void **state) {
    (void)state;
    static const struct value_of of[] = {
        {"Retiring", 0.385, 0.385, 0.01, "percent"}, {"IPC", 1.0, 1.16, 0.4, ""},
        {"Info_Thread_CPI", 1.0, 0.9, 0.26, ""},     {"GHz", 3.1, 3.1, 0.01, "GHz"},
        {"CPUs_Utilized", 0.5, 0.5, 0.01, "CPUs"},
    };
    static const int height[] = {40, 24};
    for (size_t i = 0; i < sizeof(height) / sizeof(height[0]); i++) {
        struct fixture f;
        open_story(&f, of, sizeof(of) / sizeof(of[0]), 120, height[i]);
        const struct compare_row *cpi = compare_find(bench_shown(&f.sc.scene), "Info_Thread_CPI");
        assert_int_equal(cpi->verdict, VERDICT_UNSURE);
        const struct bench_change ch = bench_unit_change(&f.sc.scene, &bench_units[1]);
        assert_true(fabs(ch.a - 1.0) < 1e-9 && fabs(ch.b - 0.9) < 1e-9);
        assert_true(fabs(ch.err - cpi->err) < 1e-9);
        assert_int_equal(ch.verdict, VERDICT_UNSURE);
        assert_true(fixture_shows(&f, "cycles/instruction"));
        assert_false(fixture_shows(&f, "? Info_Thread_CPI"));
        assert_false(fixture_shows(&f, "? IPC"));
        assert_false(fixture_shows(&f, "unsure: "));
        assert_false(fixture_shows(&f, "more unsure"));
        fixture_close(&f);
    }
}

static void test_cells(void **state) {
    (void)state;
    const struct run_node share = {.share = true, .level = 1}, rate = {.unit = (char[]){""}};
    static const struct {
        bool share;
        double a, delta, err;
        const char *text, *plus;
    } cases[] = {
        {true, 0.5, 0.0321, 0.004, "+3.2", "±0.4"}, {true, 0.5, -0.0004, 0.004, "+0.0", "±0.4"},
        {false, 2, 0.082, 0.02, "+4.1%", "±1.0"},   {false, 2, 1.38, 0.04, "+69%", "±2"},
        {false, 2, 99, 0.04, ">999%", "±2"},        {false, 0, 1, 1, "", ""},
        {false, 2, -0.86, 1.13, "-43%", "±56"},     {false, 2, -0.86, 1.15, "-43%", ""},
        {false, 2, 0.2, 5.9, "+10%", ""},           {true, 0.5, 0.1, 1, "+10.0", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct bench_change ch = {.node = cases[i].share ? &share : &rate,
                                        .a = cases[i].a,
                                        .delta = cases[i].delta,
                                        .err = cases[i].err};
        char text[32];
        assert_string_equal(bench_delta(&ch, text, sizeof(text)), cases[i].text);
        assert_string_equal(bench_err(&ch, text, sizeof(text)), cases[i].plus);
    }
    struct bench_change ch = {.node = &share, .delta = 0.2, .verdict = VERDICT_REGRESSED};
    enum style st;
    assert_string_equal(bench_verdict(&ch, 0.4, &st), "WORSE");
    assert_int_equal(st, STYLE_ERROR);
    assert_string_equal(bench_verdict(&ch, 0.41, &st), "worse");
    ch.verdict = VERDICT_UNSURE;
    assert_string_equal(bench_verdict(&ch, 0.2, &st), "unsure");
}

/* ---- the sides ---- */

static void test_labels(void **state) {
    (void)state;
    struct fixture f;
    struct bench_side s[2];
    open_story(&f, story, STORY, 120, 40);
    for (int i = 0; i < 2; i++)
        bench_side_of(&f.sc.scene, i == 1, &s[i]);
    bench_sides_differ(&s[0], &s[1]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s[i].n_label, 2);
        assert_string_equal(s[i].label[0].key, "pipe"); /* what differs is first */
        assert_true(s[i].label[0].differs);
        assert_false(s[i].label[1].differs);
    }
    assert_string_equal(s[1].bottleneck, "DRAM_Bound");
    assert_true(fabs(s[1].ipc - 0.965) < 1e-9);
    fixture_close(&f);
}

static void test_progress(void **state) {
    (void)state;
    static const struct {
        struct bench_side s;
        double done;
        const char *words;
    } cases[] = {
        {{.err = 0.008, .n = 20}, 1, "ready"},
        {{.err = 0.02, .n = 10, .measured_ns = 2 * NS_PER_S, .growing = true},
         0.25,
         "6s more for ±1 point"},
        {{.err = 0.02, .n = 3, .measured_ns = 3 * NS_PER_S, .growing = true},
         0.25,
         "a few intervals more"},
        {{.err = 0.02, .n = 10, .measured_ns = 2 * NS_PER_S}, 0.25, "±2.0 points"},
        {{.err = 0.8, .n = 10, .measured_ns = 10 * NS_PER_S, .growing = true},
         1.0 / 6400,
         "±80.0 points"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char words[64];
        assert_true(fabs(bench_progress(&cases[i].s) - cases[i].done) < 1e-9);
        assert_string_equal(bench_progress_words(&cases[i].s, words, sizeof(words)),
                            cases[i].words);
    }
}

/* ---- live ---- */

static void open_live(struct fixture *f) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, 120, 40);
    fixture_run(f, 60);
    f->s.opened = true; /* as after session_open: sums can be reset */
}

static void close_live(struct fixture *f) {
    f->s.opened = false;
    fixture_close(f);
}

static const struct run_node *node_of(const struct run_node *n, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(n[i].name, name) == 0)
            return &n[i];
    fail_msg("no %s", name);
    return NULL;
}

static double a_of(const struct fixture *f, const char *name) {
    const struct run *r = &f->sc.scene.base.run;
    return node_of(r->node.at, r->node.n, name)->value.v;
}

static double b_of(const struct fixture *f, const char *name) {
    return node_of(f->sc.scene.base.live_node, f->s.model.n_metric, name)->value.v;
}

/* B becomes A with its very values; u brings back both, and what came meanwhile is in B. */
static void test_advance(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "b8");
    f.more_clears = 0.12;
    fixture_run(&f, 30);
    const double a = a_of(&f, "Machine_Clears"), b = b_of(&f, "Machine_Clears");
    assert_true(b > a + 0.1);
    assert_true(fixture_shows(&f, "Machine_Clears"));
    fixture_keys(&f, "b");
    assert_true(fabs(a_of(&f, "Machine_Clears") - b) < 1e-12);
    assert_int_equal(f.sc.scene.base.n_interval, 30);
    assert_true(fixture_shows(&f, "B begins with the next interval"));
    fixture_run(&f, 10);
    assert_int_equal(f.sc.scene.base.live.sums.n, 10);
    fixture_keys(&f, "u");
    assert_true(fabs(a_of(&f, "Machine_Clears") - a) < 1e-12);
    assert_int_equal(f.sc.scene.base.live.sums.n, 40);
    fixture_keys(&f, "u");
    assert_int_equal(f.sc.scene.base.live.sums.n, 40);
    close_live(&f);
}

/* The first b pins; u takes that back, too. Of nothing there is nothing to pin. */
static void test_first_pin(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "8b");
    assert_true(f.sc.scene.base.on);
    fixture_keys(&f, "b");
    assert_true(fixture_shows(&f, "B has no interval yet"));
    assert_true(f.sc.scene.base.on);
    fixture_keys(&f, "u");
    assert_false(f.sc.scene.base.on);
    assert_true(fixture_shows(&f, "b      pins what is shown as A"));
    close_live(&f);
}

static void test_restart(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "b8");
    fixture_run(&f, 20);
    fixture_keys(&f, "0");
    fixture_run(&f, 3);
    assert_int_equal(f.sc.scene.base.live.sums.n, 3);
    fixture_keys(&f, "u");
    assert_int_equal(f.sc.scene.base.live.sums.n, 23);
    fixture_run(&f, 2); /* the reset that was taken back is not found again */
    assert_int_equal(f.sc.scene.base.live.sums.n, 25);
    fixture_keys(&f, "0");
    fixture_run(&f, 1);
    assert_int_equal(f.sc.scene.base.live.sums.n, 1);
    close_live(&f);
}

/* Swapped, what is pinned is B: it becomes A by staying where it is. */
static void test_advance_swapped(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "b8");
    fixture_run(&f, 20);
    const double a = a_of(&f, "L3_Bound");
    fixture_keys(&f, "xb");
    fixture_run(&f, 2);
    assert_false(f.sc.scene.bench.swapped);
    assert_true(fabs(a_of(&f, "L3_Bound") - a) < 1e-12);
    assert_int_equal(f.sc.scene.base.live.sums.n, 2);
    fixture_keys(&f, "u");
    assert_true(f.sc.scene.bench.swapped);
    assert_int_equal(f.sc.scene.base.live.sums.n, 22);
    fixture_keys(&f, "1bb"); /* another baseline is A */
    assert_false(f.sc.scene.bench.swapped);
    close_live(&f);
}

/* Enter: the metric over time. */
static void test_enter(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "b8");
    f.more_clears = 0.12;
    fixture_run(&f, 60);
    screen_draw(&f.sc);
    assert_int_equal(f.sc.scene.bench.line[0].kind, BENCH_CHANGE);
    const char *name = strrchr(path_at(&f, 0), '.');
    name = name ? name + 1 : path_at(&f, 0);
    fixture_keys(&f, "\n");
    assert_ptr_equal(f.sc.scene.view, &view_history);
    assert_string_equal(f.s.model.metric[scene_selected(&f.sc.scene)].name, name);
    fixture_keys(&f, "dd");
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    close_live(&f);
}

/* Esc comes back to the line, and the tree is where it was; so it is where a metric beside the
 * tree was shown and the user goes on to the tree himself. */
static void test_back(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        const struct view *view;
    } ways[] = {{"\x1b", &view_bench}, {"1", &view_tree}, {"d\x1b", &view_tree}};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct fixture f;
        open_live(&f);
        fixture_keys(&f, "jjj");
        screen_draw(&f.sc);
        const int metric = scene_selected(&f.sc.scene), top = f.sc.scene.tree.list.top;
        const bool beside = f.sc.scene.tree.beside;
        fixture_keys(&f, "b8");
        f.more_clears = 0.12;
        fixture_run(&f, 60);
        screen_draw(&f.sc);
        str_copy(f.sc.scene.bench.selected, sizeof(f.sc.scene.bench.selected), "IPC");
        fixture_keys(&f, "\n");
        assert_ptr_equal(f.sc.scene.view, &view_history);
        assert_string_equal(f.s.model.metric[scene_selected(&f.sc.scene)].name, "IPC");
        for (const char *k = ways[i].keys; *k; k++)
            screen_key(&f.sc, *k == '\x1b' ? KEYC_ESC : (uint32_t)*k, NULL);
        assert_int_equal(f.sc.scene.view, ways[i].view);
        assert_string_equal(f.sc.scene.bench.selected, "IPC");
        assert_int_equal(scene_selected(&f.sc.scene), metric);
        assert_int_equal(f.sc.scene.tree.list.top, top);
        assert_int_equal(f.sc.scene.tree.beside, beside);
        if (ways[i].view == &view_bench) {
            screen_key(&f.sc, KEYC_ESC, NULL);
            assert_ptr_equal(f.sc.scene.view, &view_tree);
        }
        close_live(&f);
    }
}

/* What was left out of both sides is told. */
static void test_left_out(void **state) {
    (void)state;
    struct fixture f;
    open_live(&f);
    fixture_keys(&f, "b8");
    fixture_run(&f, 13);
    f.sc.scene.base.n_left_out = 3;
    assert_true(fixture_shows(&f, "13s · 13 intervals (3 before it left out)"));
    close_live(&f);
}

/* How many of 20 runs are called not steady: 40 metrics of n intervals, level 1 among them, white
 * noise but for a step of so many sd at half of the time. */
static int moved_of_20(int n, double step) {
    static struct moments m[METRICS];
    static struct moments_result r[METRICS];
    struct fixture f;
    struct bench_side s;
    struct run *b = &f.sc.scene.bench.b;
    int moved = 0;
    open_story(&f, story, STORY, 120, 40);
    for (int run = 0; run < 20; run++) {
        struct noise_random noise = {.state = (uint64_t)run + 1};
        for (int i = 0; i < METRICS; i++)
            moments_reset(&m[i]);
        for (int t = 0; t < n; t++)
            for (int i = 0; i < METRICS; i++)
                moments_add(&m[i], 0.3 + 0.02 * (noise_normal(&noise) + (2 * t >= n ? step : 0)));
        moments_results(m, METRICS, r);
        for (size_t i = 0; i < b->node.n; i++)
            b->node.at[i].m = r[i];
        bench_side_of(&f.sc.scene, true, &s);
        moved += strcmp(s.steadiness, "not steady") == 0;
    }
    fixture_close(&f);
    return moved;
}

/* A level that moved is told from one that stands. */
static void test_steadiness(void **state) {
    (void)state;
    static const int n[] = {20, 60, 600};
    for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
        assert_int_equal(moved_of_20(n[i], 0), 0);
        assert_int_equal(moved_of_20(n[i], 4), 20);
    }
}

/* Wheel and double click. */
static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_story(&f, story, STORY, 120, 40);
    const struct rect main = f.sc.panes[LAYOUT_WHOLE].at[PANE_MAIN];
    const struct mouse wheel = {.what = MOUSE_WHEEL_DOWN, .x = 10, .y = main.y + 12};
    screen_key(&f.sc, KEYC_MOUSE, &wheel);
    assert_int_equal(bench_selected(&f.sc.scene), 3);
    const struct mouse press = {.what = MOUSE_PRESS, .x = 10, .y = main.y + 6 + 2 + 4};
    screen_key(&f.sc, KEYC_MOUSE, &press);
    screen_draw(&f.sc);
    assert_int_equal(bench_selected(&f.sc.scene), 4);
    const struct mouse twice = {.what = MOUSE_DOUBLE, .x = 10, .y = main.y + 6 + 2 + 0};
    screen_key(&f.sc, KEYC_MOUSE, &twice);
    assert_ptr_equal(f.sc.scene.view, &view_history); /* Backend_Bound, which the model has, too */
    fixture_close(&f);
}

/* Worse is told from better without colours on the smallest screen, too. */
static void test_narrow(void **state) {
    (void)state;
    struct fixture f;
    open_story(&f, story, STORY, 40, 24);
    assert_true(fixture_shows(&f, "+42.0  WORSE"));
    assert_true(fixture_shows(&f, "-17.9  better"));
    fixture_close(&f);
}

/* Any size, and nothing outside. */
static void test_sizes(void **state) {
    (void)state;
    for (int w = 40; w <= 220; w += 9)
        for (int h = 6; h <= 62; h += 4) {
            struct fixture f;
            open_story(&f, story, STORY, w, h);
            fixture_keys(&f, "Gg\nG\n");
            screen_draw(&f.sc);
            fixture_close(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_folds),           cmocka_unit_test(test_swap),
        cmocka_unit_test(test_sentence),        cmocka_unit_test(test_sentence_of_parts),
        cmocka_unit_test(test_units),           cmocka_unit_test(test_cpi),
        cmocka_unit_test(test_cells),           cmocka_unit_test(test_labels),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_first_pin),       cmocka_unit_test(test_restart),
        cmocka_unit_test(test_enter),           cmocka_unit_test(test_back),
        cmocka_unit_test(test_advance_swapped), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_steadiness),      cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
