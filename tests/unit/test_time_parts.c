/* The clock above the slots, the metrics that every model has for it, and idle frames. */
#include "model/load/time_parts.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct frame frame_of(const struct model *m) {
    struct frame f;
    assert_int_equal(frame_init(&f, m->n_metric), 0);
    for (uint32_t i = 0; i < m->n_metric; i++)
        f.at[i] = (struct value){.v = NAN, .err = NAN};
    return f;
}

static void set(const struct model *m, struct frame *f, const char *name, double v) {
    const int i = model_find(m, name);
    assert_true(i >= 0);
    f->at[i].v = v;
}

static void words_are(double cpus, double running, double waiting, double idle, const char *want) {
    struct model m;
    struct err err = {0};
    struct time_parts t;
    char text[160];
    assert_int_equal(model_open(&m, "zen4", NULL, &err), 0);
    struct frame f = frame_of(&m);
    set(&m, &f, "CPUs_Utilized", cpus);
    set(&m, &f, "Running", running);
    set(&m, &f, "Run_Queue_Wait", waiting);
    set(&m, &f, "Idle", idle);
    assert_true(time_parts_of(&m, &f, &t));
    assert_string_equal(time_parts_words(&t, text, sizeof(text)), want);
    frame_destroy(&f);
    model_free(&m);
}

static void the_whole_is_said(void **state) {
    (void)state;
    words_are(0.62, 0.62, 0.03, 0.35,
              "running 62.0%, waiting for a CPU 3.0%, idle 35.0% of one CPU");
    words_are(1.8, 0.9, 0.1, 0, "running 90.0%, waiting for a CPU 10.0%, idle 0.0% of 2 CPUs");
    words_are(0.001, 0.001, 0, 0.999,
              "running 0.1%, waiting for a CPU 0.0%, idle 99.9% of one CPU");
    words_are(0.5, 0.5, NAN, 0.5, "running 50.0%, idle 50.0% of one CPU");
    words_are(NAN, NAN, NAN, NAN, "");
}

static void every_model_has_all_three(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        struct err err = {0};
        int n[TIME_PARTS] = {0};
        assert_int_equal(model_open(&m, e->name, NULL, &err), 0);
        for (uint32_t i = 0; i < m.n_metric; i++)
            n[m.metric[i].time]++;
        for (int i = TIME_RUNNING; i < TIME_PARTS; i++)
            if (n[i] != 1)
                fail_msg("%s has part %d of the time %d times", m.name, i, n[i]);
        assert_true(model_find(&m, "Context_Switches_Per_S") >= 0 &&
                    model_find(&m, "Migrations_Per_S") >= 0 &&
                    model_find(&m, "Minor_Faults_Per_S") >= 0 &&
                    model_find(&m, "Major_Faults_Per_S") >= 0);
        model_free(&m);
    }
}

/* The text of a model holds what joined it: loaded again it is the same, and nothing is the user's.
 */
static void a_text_has_it_once(void **state) {
    (void)state;
    struct model m, again, plain;
    struct err err = {0};
    const char *text = "name = 'old'\ntitle = 'Old'\nrung = 'generic'\nscope = 'x'\n"
                       "[event]\n'C' = { pmu = 'software', config = 1 }\n"
                       "[metric.M]\nformula = 'C'\n";
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    assert_int_equal(model_load(&again, model_text(&m), strlen(model_text(&m)), "spr", &err), 0);
    assert_int_equal(again.n_metric, m.n_metric);
    assert_int_equal(again.n_event, m.n_event);
    for (uint32_t i = 0; i < again.n_metric; i++)
        assert_false(again.metric[i].own);
    assert_int_equal(model_load(&plain, text, strlen(text), "old", &err), 0); /* of an old run */
    assert_int_equal(plain.n_metric, 1);
    model_free(&plain);
    model_free(&again);
    model_free(&m);
}

/* A metric of the user's with such a name is his, and nothing else is lost. */
static void the_users_own_comes_first(void **state) {
    (void)state;
    char dir[] = "/tmp/tdtop-own-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/own.toml", dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("[metric.migrations_per_s]\nformula = 'cpu_migrations / DURATION_S / 2'\n", out);
    fclose(out);
    struct model m;
    struct err err = {0};
    if (model_open(&m, "spr", &(struct model_places){.metrics = dir}, &err))
        fail_msg("%s", err.text);
    const int own = model_find(&m, "Migrations_Per_S");
    assert_int_equal(own, (int)m.n_metric - 1); /* the user's own are the last */
    assert_true(m.metric[own].own && !m.metric[own].unavailable);
    assert_true(model_find(&m, "Running") >= 0 && !m.metric[model_find(&m, "Running")].own);
    model_free(&m);
    unlink(path);
    rmdir(dir);
}

/* Below a tenth of a CPU nothing is over, in whatever is no screen, too. */
static void who_sleeps_is_bound_by_nothing(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    assert_int_equal(model_open(&m, "spr", NULL, &err), 0);
    static const struct {
        double cpus;
        bool idle;
    } cases[] = {{0.09, true}, {0.11, false}, {NAN, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct frame f = frame_of(&m);
        char text[256];
        set(&m, &f, "Backend_Bound", 0.7);
        f.at[model_find(&m, "Backend_Bound")].over = true;
        set(&m, &f, "CPUs_Utilized", cases[i].cpus);
        bottleneck_find(&m, &f, &f.bottleneck);
        steady_rest(&m, &f);
        assert_int_equal(f.idle, cases[i].idle);
        assert_int_equal(f.bottleneck.n, cases[i].idle ? 0 : 1);
        assert_int_equal(f.at[model_find(&m, "Backend_Bound")].over, !cases[i].idle);
        bottleneck_text(&m, &f, &f.bottleneck, text, sizeof(text));
        assert_int_equal(str_starts(text, "mostly idle: 0.09 CPUs busy"), cases[i].idle);
        frame_destroy(&f);
    }
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_said),
        cmocka_unit_test(every_model_has_all_three),
        cmocka_unit_test(a_text_has_it_once),
        cmocka_unit_test(the_users_own_comes_first),
        cmocka_unit_test(who_sleeps_is_bound_by_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
