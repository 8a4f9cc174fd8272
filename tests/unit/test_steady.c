#include "base/clock.h"
#include "model/eval/bottleneck.h"
#include "model/eval/steady.h"
#include "model_fixture.h"
#include "session/session.h"

#include <poll.h>

static const char tree[] =
    "name = 'tree'\ntitle = 'Tree'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"
    "[event]\n'f' = {code = 1}\n'b' = {code = 2}\n'm' = {code = 3}\n'c' = {code = 4}\n"
    "[node.Frontend]\nformula = 'f'\nthreshold = 0.15\nrole = 'frontend'\n"
    "[node.Backend]\nformula = 'b'\nthreshold = 0.2\nrole = 'backend'\n"
    "[node.Memory]\nparent = 'Backend'\nformula = 'm'\nthreshold = 0.1\n"
    "[metric.CPUs_Utilized]\nformula = 'c'\nsummary = 'CPUs kept busy'\n";
enum { FRONTEND, BACKEND, MEMORY, CPUS };

struct tried {
    struct model m;
    struct frame f;
    struct steady st;
    double cpus;
};

static void begin(struct tried *t) {
    *t = (struct tried){.cpus = 2};
    struct err err = {0};
    if (model_load(&t->m, tree, strlen(tree), "tree.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(model_find(&t->m, "Memory"), MEMORY);
    assert_int_equal(frame_init(&t->f, t->m.n_metric), 0);
    assert_int_equal(steady_init(&t->st, &t->m), 0);
}

static void end(struct tried *t) {
    steady_destroy(&t->st);
    frame_destroy(&t->f);
    model_free(&t->m);
}

static void put(struct tried *t, int node, double v, double err, double limit) {
    t->f.at[node] = (struct value){.v = v, .err = err, .over = v > limit};
}

/* An interval; the end of the path that is shown. */
static int interval(struct tried *t, double f, double b, double m, double err) {
    put(t, FRONTEND, f, err, .15);
    put(t, BACKEND, b, err, .2);
    put(t, MEMORY, m, err, .1);
    t->f.at[CPUS] = (struct value){.v = t->cpus, .err = 0};
    steady_take(&t->st, &t->m, &t->f);
    return t->f.bottleneck.n ? t->f.bottleneck.at[t->f.bottleneck.n - 1] : METRIC_NONE;
}

static void level_1_at_once_the_rest_after_three(void **state) {
    (void)state;
    struct tried t;
    begin(&t);
    assert_int_equal(interval(&t, .1, .5, .15, .01), BACKEND);
    assert_true(t.f.at[MEMORY].near && !t.f.at[MEMORY].over);
    assert_int_equal(interval(&t, .1, .5, .15, .01), BACKEND);
    interval(&t, .1, .5, .15, .01);
    assert_true(t.f.at[MEMORY].over && !t.f.at[MEMORY].near);
    for (int i = 0; i < 2; i++) /* found for three intervals, it is shown */
        interval(&t, .1, .5, .15, .01);
    assert_int_equal(interval(&t, .1, .5, .15, .01), MEMORY);
    end(&t);
}

/* However long: the threshold lies within its ±. Nor where the ± is not known yet. */
static void within_its_error_it_is_near(void **state) {
    (void)state;
    struct tried t;
    begin(&t);
    for (int i = 0; i < 20; i++)
        assert_int_equal(interval(&t, .1, .5, .105, .01), BACKEND);
    assert_true(t.f.at[MEMORY].near);
    for (int i = 0; i < 20; i++)
        assert_int_equal(interval(&t, .1, .5, .105, NAN), BACKEND);
    assert_true(t.f.at[MEMORY].near);
    for (int i = 0; i < 6; i++)
        interval(&t, .1, .5, .2, NAN);
    assert_true(t.f.at[MEMORY].over);
    end(&t);
}

/* A single interval changes neither what is over nor the path; three do. What is unknown does not
 * count. */
static void one_interval_changes_nothing(void **state) {
    (void)state;
    struct tried t;
    begin(&t);
    for (int i = 0; i < 6; i++)
        interval(&t, .1, .25, .15, .01);
    assert_int_equal(interval(&t, .18, .19, .09, .01), MEMORY);
    assert_true(t.f.at[MEMORY].over && t.f.at[MEMORY].near);
    assert_int_equal(interval(&t, .1, .25, .15, .01), MEMORY);
    assert_int_equal(interval(&t, .18, .19, NAN, .01), BACKEND); /* it cannot be shown */
    assert_false(t.f.at[MEMORY].over);
    assert_int_equal(interval(&t, .1, .25, .15, .01), BACKEND);
    for (int i = 0; i < 2; i++)
        interval(&t, .1, .25, .15, .01);
    int path = METRIC_NONE;
    for (int i = 0; i < 3; i++)
        path = interval(&t, .18, .19, .09, .01);
    assert_int_equal(path, FRONTEND);
    assert_false(t.f.at[BACKEND].over);
    end(&t);
}

/* What no noise does is said at once, both ways. */
static void a_large_change_is_said_at_once(void **state) {
    (void)state;
    struct tried t;
    begin(&t);
    for (int i = 0; i < 6; i++)
        interval(&t, .1, .5, .3, .01);
    assert_int_equal(interval(&t, .6, .05, .02, .01), FRONTEND);
    assert_false(t.f.at[MEMORY].over || t.f.at[MEMORY].near);
    for (int i = 0; i < 6; i++)
        interval(&t, .3, .3, .02, .01);
    assert_int_equal(interval(&t, .3, .5, .02, .01), BACKEND); /* both are over */
    end(&t);
}

/* Idle, nothing is over; one interval does not make it so, but one makes it busy. */
static void idle_is_no_bottleneck(void **state) {
    (void)state;
    struct tried t;
    char text[160];
    begin(&t);
    t.cpus = 0.02;
    assert_int_equal(interval(&t, .1, .5, .3, .01), METRIC_NONE);
    assert_true(t.f.idle && !t.f.at[BACKEND].over && !t.f.at[BACKEND].near);
    bottleneck_text(&t.m, &t.f, &t.f.bottleneck, text, sizeof(text));
    assert_string_equal(text, "mostly idle: 0.02 CPUs busy");
    for (int i = 0; i < 6; i++) {
        t.cpus = 1.5;
        interval(&t, .1, .5, .3, .01);
    }
    assert_int_equal(t.f.bottleneck.at[t.f.bottleneck.n - 1], MEMORY);
    t.cpus = 0.02;
    assert_int_equal(interval(&t, .1, .5, .3, .01), MEMORY);
    t.cpus = NAN;
    assert_int_equal(interval(&t, .1, .5, .3, .01), MEMORY);
    t.cpus = 0.02;
    for (int i = 0; i < 2; i++)
        assert_int_equal(interval(&t, .1, .5, .3, .01), MEMORY);
    assert_int_equal(interval(&t, .1, .5, .3, .01), METRIC_NONE);
    end(&t);
}

/* The simulated core, seed 1: in its first minute the path changes at most once in each phase, but
 * for getting longer, and begins at level 1. */
static void the_demo_is_calm(void **state) {
    (void)state;
    enum { INTERVALS = 60 };
    static struct session s;
    struct err err = {0};
    struct source_options opt = {
        .seed = 1, .interval_ns = NS_PER_S, .until_ns = INTERVALS * NS_PER_S};
    struct bottleneck last = {0};
    char phase[sizeof(s.phase)] = "";
    int changes = 0, n = 0;
    consts_init(&opt.consts);
    s.calm = true;
    assert_int_equal(model_open(&s.model, "spr", NULL, &err), 0);
    assert_int_equal(session_open(&s, &source_sim, &opt, &err), 0);
    assert_int_equal(session_start(&s, &err), 0);
    while (s.state == STREAM_LIVE) {
        struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
        if (!session_take(&s)) {
            poll(&fd, 1, 1000);
            continue;
        }
        const struct bottleneck *b = &s.frame.bottleneck;
        if (n++ == 0)
            assert_true(b->n == 1);
        if (strcmp(phase, s.phase) != 0) {
            strcpy(phase, s.phase);
            changes = 0;
        }
        const bool longer = b->n >= last.n && last.n > 0 &&
                            memcmp(b->at, last.at, sizeof(b->at[0]) * (size_t)last.n) == 0;
        if (n > 1 && !longer)
            changes++;
        if (changes > 1)
            fail_msg("interval %d, %s: the path has changed again", n, phase);
        last = *b;
    }
    assert_int_equal(n, INTERVALS);
    session_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_1_at_once_the_rest_after_three),
        cmocka_unit_test(within_its_error_it_is_near),
        cmocka_unit_test(one_interval_changes_nothing),
        cmocka_unit_test(a_large_change_is_said_at_once),
        cmocka_unit_test(idle_is_no_bottleneck),
        cmocka_unit_test(the_demo_is_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
