/*
 * Measuring allocates nothing after start-up: each step of one interval by itself.
 */
#include "count_malloc.h"
#include "model/run/trend.h"
#include "model_fixture.h"
#include "pmu/mailbox.h"

/* One of each, made for the full model. */
struct pipeline {
    struct rig rig;
    struct window window;
    struct tiers history;
    struct trend trend;
    struct mailbox box;
    struct sample taken;
    uint64_t t;
};

static void open_pipeline(struct pipeline *p) {
    struct err err = {0};
    struct rig *r = &p->rig;
    memset(p, 0, sizeof(*p));
    if (model_open(&r->model, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
    consts_init(&r->consts);
    r->consts.value[CONST_SYSTEM_TSC_FREQ] = 2e9;
    assert_int_equal(layout_init(&r->layout, r->model.n_event, COUNT_ABSENT, r->model.n_event), 0);
    rig_all_slots(r);
    rig_bind(r);
    const uint32_t n_slot = r->layout.n_slot, n_metric = r->model.n_metric;
    assert_int_equal(window_init(&p->window, n_slot, n_metric), 0);
    assert_int_equal(window_layout(&p->window, &r->model, &r->layout), 0);
    assert_int_equal(tiers_init(&p->history, n_slot), 0);
    assert_int_equal(trend_init(&p->trend, 60, 1000000000, &r->model, n_slot), 0);
    assert_int_equal(trend_keep_err(&p->trend), 0);
    const struct control first = {.interval_ns = 1000000000};
    assert_int_equal(mailbox_init(&p->box, n_slot, false, &first), 0);
    assert_int_equal(sample_init(&p->taken, n_slot), 0);
}

static void close_pipeline(struct pipeline *p) {
    window_destroy(&p->window);
    tiers_destroy(&p->history);
    trend_destroy(&p->trend);
    mailbox_destroy(&p->box);
    sample_destroy(&p->taken);
    rig_free(&p->rig);
}

static void next_counts(struct pipeline *p) {
    struct sample *s = &p->rig.sample;
    p->t++;
    s->t0_ns = (p->t - 1) * 1000000000;
    s->t1_ns = p->t * 1000000000;
    for (uint32_t i = 0; i < s->n_slot; i++) {
        const bool stale = (i + p->t) % 50 == 0;
        s->at[i] = (struct count){.value = stale ? NAN : (double)((i * 31 + p->t * 17) % 1000),
                                  .enabled_ns = 1000,
                                  .running_ns = stale ? 0 : 500,
                                  .state = stale ? COUNT_STALE : COUNT_OK};
    }
}

/* --- the steps of one interval, each by itself --- */

static void do_push(struct pipeline *p) {
    mailbox_push(&p->box, &p->rig.sample, NULL);
}
static void do_pop(struct pipeline *p) {
    mailbox_pop(&p->box, &p->taken, NULL);
}
static void do_eval(struct pipeline *p) {
    eval_run(&p->rig.eval, &p->taken, &p->rig.frame);
}
static void do_add(struct pipeline *p) {
    window_add(&p->window, &p->taken);
}
static void do_spread(struct pipeline *p) {
    window_spread(&p->window, &p->rig.eval, &p->taken, &p->rig.frame);
}
static void do_window(struct pipeline *p) {
    window_frame(&p->window, &p->rig.eval, &p->rig.frame);
}
static void do_history(struct pipeline *p) {
    tiers_push(&p->history, &p->taken);
}
static void do_trend(struct pipeline *p) {
    trend_update(&p->trend, &p->history, &p->rig.eval, p->taken.t1_ns);
}
static void do_zoom(struct pipeline *p) {
    if (p->t % 40 == 0)
        trend_zoom(&p->trend, (p->t % 80 ? 4 : 1) * 1000000000ull);
}
static void do_request(struct pipeline *p) {
    uint64_t seq = 0;
    struct control c = {.interval_ns = p->t};
    mailbox_request(&p->box, &c);
    mailbox_control(&p->box, &seq, &c);
    mailbox_state(&p->box, NULL, NULL);
}

static const struct {
    const char *what;
    void (*run)(struct pipeline *p);
} steps[] = {
    {"mailbox_push", do_push},       {"mailbox_pop", do_pop},      {"eval_run", do_eval},
    {"window_add", do_add},          {"window_spread", do_spread}, {"window_frame", do_window},
    {"tiers_push", do_history},      {"trend_update", do_trend},   {"trend_zoom", do_zoom},
    {"mailbox_request", do_request},
};

/* Long enough for every tier of the history to get rows, and for the finest ring to come round. */
static void nothing_is_allocated(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message(
        "SKIP test_noalloc: the sanitizer brings its own malloc, calls are not counted\n");
    skip();
#endif
    static struct pipeline p;
    open_pipeline(&p);
    for (int i = 0; i < 1200; i++) {
        next_counts(&p);
        for (size_t s = 0; s < COUNT_OF(steps); s++) {
            const unsigned long before = calls_now();
            steps[s].run(&p);
            if (calls_now() != before)
                fail_msg("%s: %lu allocations in interval %d", steps[s].what, calls_now() - before,
                         i);
        }
    }
    assert_true(p.history.tier[TIERS_N - 1].pushed > 0);
    close_pipeline(&p);
}

/* The counter counts: else the test above could not fail. */
static void the_counter_works(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    const unsigned long before = calls_now();
    struct sample s;
    assert_int_equal(sample_init(&s, 3), 0);
    assert_true(calls_now() > before);
    sample_destroy(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_works),
        cmocka_unit_test(nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
