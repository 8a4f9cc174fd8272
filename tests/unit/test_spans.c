/* Spans of a session: what B of a comparison is, what a snapshot keeps, phases, and what has ended.
 * By a session made by hand whose level is changed, and by the demo across its phases. */
#include "ui_fixture.h"

#include <poll.h>

/* A session whose changes are looked for. */
static void open_at(struct fixture *f) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, 120, 40);
    f->steady = true;
    f->s.control.interval_ns = NS_PER_S;
    f->s.opened = true; /* as after session_open: sums can be reset */
    assert_int_equal(sample_init(&f->s.of_phase, f->s.source.layout.n_slot), 0);
    assert_int_equal(frame_init(&f->s.in_phase, f->s.model.n_metric), 0);
    assert_int_equal(window_init(&f->s.before, f->s.source.layout.n_slot, f->s.model.n_metric), 0);
    change_point_init(&f->s.change, &f->s.model);
    assert_true(f->s.change.n_metric >= 5);
}

static void close_it(struct fixture *f) {
    f->s.opened = false;
    frame_destroy(&f->s.in_phase);
    sample_destroy(&f->s.of_phase);
    window_destroy(&f->s.before);
    fixture_close(f);
}

static void level(struct fixture *f, double more, int n) {
    f->more_clears = more;
    fixture_run(f, n);
}

static const struct compare_row *row(const struct fixture *f, const char *name) {
    return baseline_row(&f->sc.scene.base, model_find(&f->s.model, name));
}

/* A is what came since the last change, not all since the start. */
static void test_pin_since_change(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 40);
    level(&f, 0.12, 20);
    fixture_keys(&f, "b");
    assert_int_equal(f.sc.scene.base.n_interval, 20);
    assert_true(fabs(f.sc.scene.base.run.node.at[model_find(&f.s.model, "Machine_Clears")].value.v -
                     0.126) < 0.005);
    assert_true(fixture_shows(&f, "pinned: 20s until"));
    assert_true(fixture_shows(&f, "0 starts anew"));
    assert_true(fixture_shows(&f, "0 restart B") || f.sc.message[0]);
    close_it(&f);
}

/* First the old level, then a ramp, then the new one: B has the new one alone. */
static void test_b_begins_with_change(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 40);
    fixture_keys(&f, "b");
    level(&f, 0, 10);
    level(&f, 0.05, 1);
    level(&f, 0.10, 1);
    level(&f, 0.15, 8);
    const struct baseline *b = &f.sc.scene.base;
    assert_int_equal(b->live.sums.n, 8);
    assert_int_equal(b->n_left_out, 12);
    assert_int_equal(b->since, BREAK_LEVEL);
    assert_int_equal(row(&f, "Machine_Clears")->verdict, VERDICT_REGRESSED);
    assert_true(fabs(row(&f, "Machine_Clears")->delta - 0.15) < 0.005);
    assert_true(
        fixture_shows(&f, "Δ: the 8s since the change at 00:00:52 against 40s until 00:00:40"));
    /* beside the difference stands what it is of: the mean, not the last interval */
    assert_true(fixture_shows(&f, "mean B"));

    level(&f, 0, 8); /* back to the level of A: B is of that now */
    assert_int_equal(b->live.sums.n, 8);
    assert_int_equal(row(&f, "Machine_Clears")->verdict, VERDICT_NOISE);
    close_it(&f);
}

/* Pinned while a change had begun that nobody knew of yet: its intervals are in neither. */
static void test_pin_in_change(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 40);
    level(&f, 0.06, 1);
    level(&f, 0.15, 1);
    fixture_keys(&f, "b");
    assert_int_equal(f.sc.scene.base.n_interval, 42);
    level(&f, 0.15, 8);
    assert_int_equal(f.sc.scene.base.n_interval, 40);
    assert_int_equal(f.sc.scene.base.live.sums.n, 8);
    assert_true(fabs(row(&f, "Machine_Clears")->delta - 0.15) < 0.005);
    assert_true(fixture_shows(&f, "the 40s before the change"));
    close_it(&f);
}

/* 0 is what starts anew, B included; A stays. */
static void test_restart(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 40);
    fixture_keys(&f, "b");
    level(&f, 0, 10);
    fixture_keys(&f, "0");
    assert_true(fixture_shows(&f, "what is compared with the baseline starts anew"));
    level(&f, 0, 4);
    assert_int_equal(f.sc.scene.base.live.sums.n, 4);
    assert_int_equal(f.sc.scene.base.n_left_out, 0);
    assert_int_equal(f.sc.scene.base.n_interval, 40);
    close_it(&f);
}

/* A program with phases of its own: B goes on over them after three short ones. */
static void test_own_phases(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 40);
    fixture_keys(&f, "b");
    for (int i = 0; i < 8; i++)
        level(&f, i % 2 ? 0 : 0.15, 12);
    assert_true(f.sc.scene.base.live.sums.n > 48); /* it goes on over them */
    fixture_keys(&f, "0");
    level(&f, 0.15, 12);
    assert_true(f.sc.scene.base.live.sums.n <= 12);
    close_it(&f);
}

/* The newest span begins with the last change of anything that something was measured since. */
static void test_since(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    fixture_run(&f, 30);
    assert_int_equal(session_since(&f.s).cause, BREAK_START);
    session_break(&f.s, BREAK_SNAPSHOT);
    fixture_run(&f, 1);
    assert_int_equal(session_since(&f.s).cause, BREAK_START); /* b, just after s: the same span */
    fixture_run(&f, 4);
    assert_int_equal(session_since(&f.s).cause, BREAK_SNAPSHOT);
    assert_int_equal(session_since(&f.s).t_ns, 30 * NS_PER_S);
    fixture_keys(&f, "mio 4\n");
    fixture_run(&f, 4);
    assert_int_equal(session_since(&f.s).cause, BREAK_MARK);
    session_reset(&f.s);
    assert_int_equal(session_since(&f.s).cause, BREAK_RESET);
    assert_int_equal(session_since(&f.s).t_ns, 39 * NS_PER_S);
    close_it(&f);
}

/* A reset loses nothing of the whole. */
static void test_whole(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    struct frame all, again;
    assert_int_equal(frame_init(&all, f.s.model.n_metric), 0);
    assert_int_equal(frame_init(&again, f.s.model.n_metric), 0);
    level(&f, 0, 30);
    level(&f, 0.12, 30);
    session_whole(&f.s, &all, NULL);
    session_reset(&f.s);
    session_whole(&f.s, &again, NULL);
    const int clears = model_find(&f.s.model, "Machine_Clears");
    assert_true(fabs(all.at[clears].v - 0.066) < 0.002);
    assert_true(fabs(all.at[clears].v - again.at[clears].v) < 1e-12);
    level(&f, 0.12, 30);
    session_reset(&f.s);
    level(&f, 0.12, 30);
    session_whole(&f.s, &again, NULL);
    assert_true(fabs(again.at[clears].v - 0.096) < 0.002);
    assert_int_equal(again.t0_ns, 0);
    frame_destroy(&all);
    frame_destroy(&again);
    close_it(&f);
}

/* Phases: what they are called, and as the span. */
static void test_phases(void **state) {
    (void)state;
    struct fixture f;
    struct session_phase p[8];
    char name[64];
    open_at(&f);
    level(&f, 0, 40);
    assert_int_equal(session_phases(&f.s, p, 8), 1);
    level(&f, 0.40, 40);
    assert_int_equal(session_phases(&f.s, p, 8), 2);
    assert_int_equal(p[0].t0_ns, 0);
    assert_int_equal(p[0].t1_ns, 40 * NS_PER_S);
    assert_int_equal(p[1].t0_ns, 40 * NS_PER_S);
    assert_string_equal(phase_name(&f.s.model, &p[1], name, sizeof(name)), "Machine Clears");
    fixture_keys(&f, "3");
    assert_true(fixture_shows(&f, "0:40 Machine Clears"));
    fixture_keys(&f, "{");
    assert_true(fixture_shows(&f, "phase 2 of 2: Machine Clears"));
    assert_int_equal(f.sc.scene.cursor.begin_ns, 40 * NS_PER_S);
    fixture_keys(&f, "{");
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_SPAN);
    assert_int_equal(f.sc.scene.cursor.begin_ns, 0);
    assert_int_equal(f.sc.scene.cursor.end_ns, 40 * NS_PER_S);
    fixture_keys(&f, "{");
    assert_true(fixture_shows(&f, "no phase before this is known"));
    fixture_keys(&f, "}}");
    assert_int_equal(f.sc.scene.cursor.shows, CURSOR_LIVE);
    close_it(&f);
}

/* What has gone is shown as what it was all the time. */
static void test_ended(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f);
    level(&f, 0, 30);
    level(&f, 0.12, 29);
    level(&f, 0.50, 1); /* its last fragment */
    f.s.state = STREAM_GONE;
    screen_settle(&f.sc);
    const int clears = model_find(&f.s.model, "Machine_Clears");
    assert_true(fabs(f.sc.scene.frame->at[clears].v - 0.0720) < 0.003);
    screen_update(&f.sc);
    fixture_keys(&f, ",L"); /* to the past and back */
    assert_true(fabs(f.sc.scene.frame->at[clears].v - 0.0720) < 0.003);
    assert_false(fixture_shows(&f, "what it waits for"));
    close_it(&f);
}

/* ---- the demo ---- */

struct demo {
    struct session s;
    struct screen sc;
};

static void demo_open(struct demo *d, uint64_t seed) {
    struct err err = {0};
    struct source_options opt = {.seed = seed, .interval_ns = NS_PER_S, .until_ns = 200 * NS_PER_S};
    memset(d, 0, sizeof(*d));
    consts_init(&opt.consts);
    d->s.calm = true;
    if (model_open(&d->s.model, "spr", NULL, &err) < 0 ||
        session_open(&d->s, &source_sim, &opt, &err) < 0 || session_start(&d->s, &err) < 0 ||
        screen_init(&d->sc, &d->s, 2, &err) < 0 || screen_resize(&d->sc, 120, 40) < 0 ||
        screen_attach(&d->sc, &err) < 0)
        fail_msg("%s", err.text);
}

static void demo_run(struct demo *d, int n) {
    while (n > 0) {
        if (session_take(&d->s)) {
            screen_sample(&d->sc);
            n -= !d->s.sample.early;
            continue;
        }
        assert_int_equal(d->s.state, STREAM_LIVE);
        struct pollfd fd = {.fd = session_fd(&d->s), .events = POLLIN};
        assert_true(poll(&fd, 1, 5000) > 0);
    }
}

/* Pinned in one phase: within 12 s of the next the verdict stands, in the right direction. */
static void test_demo(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        int pin, change; /* s */
        const char *metric;
        int up;
    } cases[] = {
        {1, 45, 50, "Backend_Bound", 1}, /* Redis, then a working set that outgrows L3 */
        {2, 45, 50, "Backend_Bound", 1},   {3, 45, 50, "Frontend_Bound", -1},
        {1, 75, 80, "Bad_Speculation", 1}, /* then a branchy parser */
        {1, 125, 130, "Retiring", 1},      /* the tuned build */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct demo d;
        struct err err = {0};
        demo_open(&d, cases[i].seed);
        demo_run(&d, cases[i].pin);
        assert_int_equal(baseline_pin_live(&d.sc.scene, &err), 0);
        demo_run(&d, cases[i].change - cases[i].pin);
        int sure = 0;
        for (int after = 1; after <= 12; after++) {
            demo_run(&d, 1);
            const struct compare_row *r =
                baseline_row(&d.sc.scene.base, model_find(&d.s.model, cases[i].metric));
            if (!r || (r->verdict != VERDICT_REGRESSED && r->verdict != VERDICT_IMPROVED))
                continue;
            sure = sure ? sure : after;
            if ((r->delta > 0 ? 1 : -1) != cases[i].up)
                fail_msg("seed %d, %d s after %d s: %s %+.3f", (int)cases[i].seed, after,
                         cases[i].change, cases[i].metric, r->delta);
        }
        if (!sure || d.sc.scene.base.live.t0_ns < (uint64_t)cases[i].change * NS_PER_S)
            fail_msg("seed %d, %d s: no verdict of %s; B since %.0f s", (int)cases[i].seed,
                     cases[i].change, cases[i].metric, (double)d.sc.scene.base.live.t0_ns / 1e9);
        screen_destroy(&d.sc);
        session_close(&d.s);
    }
}

/* Its phases are found where they are, and no others. */
static void test_demo_phases(void **state) {
    (void)state;
    struct demo d;
    struct session_phase p[BREAKS_MOST];
    static const int begin[] = {0, 20, 50, 80, 105, 130};
    demo_open(&d, 1);
    demo_run(&d, 158);
    const int n = session_phases(&d.s, p, BREAKS_MOST);
    assert_true(n <= 9); /* it drifts within its phases, too */
    for (int k = 0; k < 6; k++) {
        int i = 0;
        while (i < n && !((int)(p[i].t0_ns / NS_PER_S) >= begin[k] &&
                          (int)(p[i].t0_ns / NS_PER_S) <= begin[k] + 4))
            i++;
        if (i == n)
            fail_msg("no phase begins at %d s", begin[k]);
    }
    screen_destroy(&d.sc);
    session_close(&d.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pin_since_change),
        cmocka_unit_test(test_b_begins_with_change),
        cmocka_unit_test(test_pin_in_change),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_own_phases),
        cmocka_unit_test(test_since),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_ended),
        cmocka_unit_test(test_demo),
        cmocka_unit_test(test_demo_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
