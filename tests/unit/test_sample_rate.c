/* How often to sample, by a target of so many CPUs and a cost of so much per sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "pmu/sampling/sample_rate.h"

/* The target and what its samples cost; reopened counts what was in vain. */
struct world {
    double cpus;    /* that it is on */
    double cost_us; /* of a sample */
    bool deaf;      /* it does not hear of new frequencies until it is opened again */
    uint64_t freq;  /* that it has */
    double seen, cpu_ns;
    uint64_t now_ns;
    int reopened;
};

/* Runs for so long; the samples of the last second. */
static double run(struct sample_rate *r, struct world *w, double s) {
    double before = 0;
    if (!w->freq)
        w->freq = r->freq;
    for (int i = 0; i < s * 10; i++) {
        const double n = (double)w->freq * w->cpus * 0.1;
        w->now_ns += 100 * NS_PER_MS;
        w->seen += n;
        w->cpu_ns += n * w->cost_us * 1e3;
        const enum rate_answer answer =
            sample_rate_step(r, w->now_ns, (uint64_t)w->seen, (uint64_t)w->cpu_ns);
        if (answer == RATE_IN_VAIN || (answer == RATE_CHANGES && !w->deaf))
            w->freq = r->freq;
        w->reopened += answer == RATE_IN_VAIN;
        if (i == (int)(s * 10) - 11)
            before = w->seen;
    }
    return w->seen - before;
}

static struct world world(double cpus, double cost_us) {
    return (struct world){.cpus = cpus, .cost_us = cost_us, .now_ns = NS_PER_S};
}

static void one_cpu_has_all_of_it(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(1, 2);
    sample_rate_init(&r, 0, 0);
    const double n = run(&r, &w, 5);
    assert_true(n > 900 && n <= 1000);
    assert_true(r.freq % 2 == 1); /* not in step with a tick */
}

static void many_cpus_share_it(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(64, 2);
    sample_rate_init(&r, 0, 0);
    const double n = run(&r, &w, 5);
    assert_true(n > 550 && n < 1300);
    w.cpus = 1; /* it comes to rest */
    const double later = run(&r, &w, 10);
    assert_true(later > 550 && later <= 1000);
    assert_int_equal(w.reopened, 0);
}

static void what_is_dear_is_sampled_less(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(1, 50); /* 1 % of a CPU is 200 of them */
    sample_rate_init(&r, 0, 0);
    const double n = run(&r, &w, 5);
    assert_true(n > 110 && n < 260);
    assert_int_equal(w.reopened, 0); /* opening again would only cost more */
}

static void an_idle_target_costs_nothing(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(0, 2);
    sample_rate_init(&r, 0, 0);
    assert_true(run(&r, &w, 5) == 0);
    assert_int_equal(r.freq, r.most);
}

static void who_does_not_hear_is_opened_again(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(16, 2);
    w.deaf = true;
    sample_rate_init(&r, 0, 0);
    const double n = run(&r, &w, 10);
    assert_true(w.reopened >= 1 && w.reopened <= 3);
    assert_true(n < 1300);
}

static void it_is_never_less_than_some(void **state) {
    (void)state;
    struct sample_rate r;
    struct world w = world(8192, 100);
    sample_rate_init(&r, 0, 0);
    run(&r, &w, 20);
    assert_int_equal(r.freq, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cpu_has_all_of_it),
        cmocka_unit_test(many_cpus_share_it),
        cmocka_unit_test(what_is_dear_is_sampled_less),
        cmocka_unit_test(an_idle_target_costs_nothing),
        cmocka_unit_test(who_does_not_hear_is_opened_again),
        cmocka_unit_test(it_is_never_less_than_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
