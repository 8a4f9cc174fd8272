/* Whole screens as text: every size, every state of a session. */
#include "ui_fixture.h"

static const struct {
    int w, h;
    const char *name;
} sizes[] = {
    {80, 24, "80x24"}, {120, 40, "120x40"}, {200, 60, "200x60"}, {40, 6, "40x6"}, {39, 5, "39x5"},
};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static const char *const target = "redis-server 4242 · 5 threads";

static void golden_all_sizes(struct fixture *f, const char *what) {
    for (int i = 0; i < SIZES; i++) {
        char name[64];
        assert_int_equal(screen_resize(&f->sc, sizes[i].w, sizes[i].h), 0);
        snprintf(name, sizeof(name), "%s_%s", what, sizes[i].name);
        fixture_golden(f, name);
    }
}

static void test_live(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    str_copy(f.s.why_model, sizeof(f.s.why_model), "full model: this core is known");
    fixture_screen(&f, 80, 24);
    fixture_run(&f, 95);
    golden_all_sizes(&f, "live");
    fixture_close(&f);
}

static void test_simulated(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "simulated core");
    f.s.source.simulated = true;
    f.s.source.live = false;
    str_copy(f.s.phase, sizeof(f.s.phase), "working set outgrows L3");
    fixture_screen(&f, 80, 24);
    fixture_run(&f, 30);
    golden_all_sizes(&f, "simulated");
    for (int h = 1; h <= 60; h++)
        for (int w = 1; w <= 200; w += w < 45 ? 1 : 31) {
            assert_int_equal(screen_resize(&f.sc, w, h), 0);
            if (!fixture_shows(&f, w < 9 ? (w < 3 ? "" : "SIM") : "SIMULATED"))
                fail_msg("%dx%d does not say SIMULATED", w, h);
        }
    fixture_close(&f);
}

static void test_waiting(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 80, 24);
    golden_all_sizes(&f, "waiting");
    fixture_close(&f);
}

/* The first frame of all: neither source nor model are there. */
static void test_opening(void **state) {
    (void)state;
    struct session s = {0};
    struct fixture f = {0};
    struct err err;
    assert_int_equal(screen_init(&f.sc, &s, 2, &err), 0);
    assert_int_equal(screen_resize(&f.sc, 80, 24), 0);
    fixture_golden(&f, "opening_80x24");
    fixture_keys(&f, "jk\x1b*15 e+-/n ?q");
    assert_int_equal(screen_resize(&f.sc, 200, 60), 0);
    screen_draw(&f.sc);
    screen_destroy(&f.sc);
}

static void test_ends(void **state) {
    (void)state;
    static const struct {
        enum stream_state state;
        const char *why, *name;
    } cases[] = {
        {STREAM_GONE, "redis-server exited with code 0", "gone_80x24"},
        {STREAM_FAILED, "read of group 2: Input/output error", "failed_80x24"},
        {STREAM_ENDED, "", "ended_80x24"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        fixture_open(&f, target);
        fixture_screen(&f, 80, 24);
        fixture_run(&f, 12);
        f.s.state = cases[i].state;
        f.s.ended_ns = 12400 * NS_PER_MS;
        str_copy(f.s.last.text, sizeof(f.s.last.text), cases[i].why);
        fixture_golden(&f, cases[i].name);
        fixture_close(&f);
    }
}

static void test_warnings(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 12);
    f.s.frame.root_sum = 1.123;
    f.s.frame.at[0].v = 1.3;
    f.s.frame.at[0].state = VALUE_ODD;
    fixture_golden(&f, "doubts_120x40");
    fixture_close(&f);
}

/* Between two frames of a steady target little changes: each changed cell goes to the terminal. */
static void test_calm(void **state) {
    (void)state;
    struct fixture f;
    struct canvas before;
    fixture_open(&f, target);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 300);
    canvas_init(&before, 120, 40);
    size_t changed = 0;
    enum { FRAMES = 50, CELLS = 120 * 40 };
    for (int i = 0; i < FRAMES; i++) {
        screen_draw(&f.sc);
        memcpy(before.at, f.sc.canvas.at, CELLS * sizeof(*before.at));
        fixture_run(&f, 1);
        screen_draw(&f.sc);
        for (int k = 0; k < CELLS; k++)
            changed += memcmp(&before.at[k], &f.sc.canvas.at[k], sizeof(*before.at)) != 0;
    }
    if (changed / FRAMES > 240)
        fail_msg("%zu cells change per frame", changed / FRAMES);
    canvas_destroy(&before);
    fixture_close(&f);
}

/* --- level 1 in part --- */

static void lose_root(struct fixture *f, const char *name) {
    int i = model_find(&f->s.model, name);
    f->s.frame.at[i] =
        (struct value){.v = NAN, .state = VALUE_NA, .why = {WHY_EVENT, COUNT_NOT_SUPPORTED, 0}};
}

/* What is not known is hatched, whatever its size, and said; the known segments keep theirs. */
static void test_unknown_root(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 12);
    lose_root(&f, "Retiring");
    f.sc.scene.sentence.made = false; /* the frame was changed behind its back */
    fixture_golden(&f, "unknown_root_120x40");
    assert_true(fixture_shows(&f, "Retiring n/a"));
    assert_int_equal(screen_resize(&f.sc, 40, 6), 0);
    lose_root(&f, "Backend_Bound");
    fixture_golden(&f, "unknown_root_40x6");
    struct mouse m = {.x = 30, .y = f.sc.panes[LAYOUT_TREE].at[PANE_FUNNEL].y, .what = MOUSE_PRESS};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(scene_selected(&f.sc.scene), model_find(&f.s.model, "Backend_Bound"));
    for (int w = 40; w <= 200; w++) { /* known shares that leave no room for words */
        f.s.frame.at[0].v = 1 - w / 400.0;
        assert_int_equal(screen_resize(&f.sc, w, 10), 0);
        screen_draw(&f.sc);
    }
    fixture_close(&f);
}

/* The same over time: only the intervals that lack a root are hatched. */
static void test_unknown_root_over_time(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 200, 60);
    fixture_run(&f, 10);
    f.s.source.layout.missing[model_find_event(&f.s.model, "BAD.CLEARS")] = COUNT_LOST;
    for (int i = 0; i < 10; i++) {
        fixture_sample(&f, f.s.n_frames);
        for (uint32_t k = 0; k < f.s.sample.n_slot; k++)
            if (f.s.source.layout.slot[k].event == model_find_event(&f.s.model, "BAD.CLEARS"))
                f.s.sample.at[k] = (struct count){.value = NAN, .state = COUNT_LOST};
        eval_run(&f.s.eval, &f.s.sample, &f.s.frame);
        tiers_push(&f.s.timeline.tiers, &f.s.sample);
        f.s.n_frames++;
        screen_update(&f.sc);
    }
    fixture_golden(&f, "unknown_root_200x60");
    fixture_close(&f);
}

/* --- the verdict in little room --- */

static void test_tie(void **state) {
    (void)state;
    static const struct {
        int w;
        const char *words;
    } cases[] = {
        {120, "● Backend-bound 47.5%, frontend-bound 47.1% of slots"},
        {80, "● Backend-bound 47.5%, frontend-bound 47.1% of slots"},
        {40, "● Backend-bound 47.5%"},
    };
    struct fixture f;
    fixture_open(&f, target);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 12);
    int front = model_find(&f.s.model, "Frontend_Bound"),
        back = model_find(&f.s.model, "Backend_Bound");
    f.s.frame.at[front].v = 0.471;
    f.s.frame.at[back].v = 0.475;
    f.s.frame.bottleneck =
        (struct bottleneck){.at = {(int16_t)back}, .n = 1, .tie = {(int16_t)back, (int16_t)front}};
    f.sc.scene.sentence.made = false;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(screen_resize(&f.sc, cases[i].w, 24), 0);
        if (!fixture_shows(&f, cases[i].words))
            fail_msg("%d columns: not \"%s\"", cases[i].w, cases[i].words);
    }
    /* Of one below a node, too, what is named is what is gone to, and so explained. */
    int memory = model_find(&f.s.model, "Memory_Bound"),
        core = model_find(&f.s.model, "Core_Bound");
    f.s.frame.bottleneck =
        (struct bottleneck){.at = {(int16_t)back}, .n = 1, .tie = {(int16_t)memory, (int16_t)core}};
    screen_key(&f.sc, 'B', NULL);
    assert_int_equal(scene_selected(&f.sc.scene), memory);
    fixture_close(&f);
}

/* A rate says "per second" once. */
static void test_rate(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, target);
    struct metric *mt = &f.s.model.metric[model_find(&f.s.model, "IPC")];
    mt->name = "Context_Switches_Per_S";
    mt->unit = "/s";
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 3);
    f.s.frame.at[mt - f.s.model.metric].v = 12034;
    assert_true(fixture_shows(&f, " Context Switches 12.0k/s "));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_opening),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_calm),
        cmocka_unit_test(test_unknown_root),
        cmocka_unit_test(test_unknown_root_over_time),
        cmocka_unit_test(test_tie),
        cmocka_unit_test(test_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
