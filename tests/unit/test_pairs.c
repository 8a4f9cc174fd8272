/* Pairs of runs in turns: the bound that may be looked at at any time, what decides, what was
 * simulated.
 */
#include "pairs_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* p and bound are each other's inverse, and of the formula by hand: n = 4, t = 5, prior 0.1:
 * r = .1 / 4.1 = .0243902, E = sqrt(r) ((1 + 25/3) / (1 + r 25/3))^2
 *   = .156174 (9.33333 / 1.203252)^2 = 9.39659, p = .106422. */
static void chance_and_bound(void **state) {
    (void)state;
    assert_true(fabs(pairs_chance(5, 4) - 0.106422) < 1e-5);
    assert_true(fabs(pairs_chance(-5, 4) - pairs_chance(5, 4)) < 1e-15);
    for (int n = 8; n < 1000; n *= 2)
        for (double p = 0.1; p > 1e-3; p /= 3)
            assert_true(fabs(pairs_chance(pairs_bound(p, n), n) / p - 1) < 1e-9);
    assert_true(isinf(pairs_bound(0.05, 2)));
    assert_true(pairs_chance(1e9, 1) == 1.0);
    assert_true(pairs_chance(0, 100) == 1.0);
    /* Many pairs: not much wider than one look's 1.96 standard errors. */
    assert_true(pairs_bound(0.05, 100) > 3.5 && pairs_bound(0.05, 100) < 3.9);
}

/* Each block of two pairs is ABBA or BAAB, both come, and the seed decides. */
static void order_is_of_blocks(void **state) {
    (void)state;
    int first = 0, differ = 0;
    for (size_t i = 0; i < 200; i += 2) {
        assert_true(pairs_b_first(7, i) != pairs_b_first(7, i + 1));
        first += pairs_b_first(7, i);
        differ += pairs_b_first(7, i) != pairs_b_first(8, i);
    }
    assert_in_range(first, 30, 70);
    assert_in_range(differ, 30, 70);
}

/* ---- what the comparison makes of pairs ---- */

static char slots[] = "slots", none[] = "", model_m[] = "m", model_other[] = "other";

static struct run run_of(double seconds, double total, char *model) {
    struct run r = {.model = model, .ran_through = seconds < 1};
    const struct run_node node = {.name = slots,
                                  .path = slots,
                                  .unit = none,
                                  .reason = none,
                                  .total = true,
                                  .value = {.v = total, .duty = 1}};
    assert_int_equal(array_push(&r.node, node), 0);
    r.measured_ns = (uint64_t)(1e9 * seconds);
    return r;
}

struct told {
    struct comparison c;
    struct pairs_runs runs;
    enum pairs_answer answer;
    const struct compare_row *by;
    struct compare_options opt;
};

static void tell(struct pairs *p, struct told *t) {
    t->opt = compare_defaults();
    assert_int_equal(pairs_runs(p, &t->runs, NULL), 0);
    t->opt.pairs = &t->runs.difference;
    const struct compare_side a = compare_side_of(&t->runs.a), b = compare_side_of(&t->runs.b);
    assert_int_equal(compare_sides(&a, &b, &t->opt, &t->c, NULL), 0);
    t->answer = pairs_answer(&t->c, &t->opt, &t->by);
}

static void forget(struct told *t) {
    compare_free(&t->c);
    pairs_runs_free(&t->runs);
}

static void add(struct pairs *p, double seconds_a, double total_a, double seconds_b,
                double total_b) {
    struct run a = run_of(seconds_a, total_a, model_m), b = run_of(seconds_b, total_b, model_m);
    assert_int_equal(pairs_add(p, &a, &b, NULL), 0);
    array_free(&a.node);
    array_free(&b.node);
}

/* A drift of ten times the difference is in both runs of a pair. */
static void drift_falls_out(void **state) {
    (void)state;
    struct pairs p = {0};
    struct told t = {0};
    static const double noise[] = {.0001, -.0002, .0002, -.0001, .0003, -.0003, 0, .0001};
    for (int i = 0; i < 8; i++)
        add(&p, .1 + .02 * i, 1e6, .1 + .02 * i + .005 + noise[i], 1e6);
    tell(&p, &t);
    assert_int_equal(t.answer, PAIRS_CHANGED);
    assert_string_equal(t.by->a->path, RUN_ELAPSED);
    assert_int_equal(t.by->verdict, VERDICT_REGRESSED);
    assert_true(fabs(t.by->delta - .0050125) < 1e-9);
    assert_true(t.by->err > 0 && t.by->err < .001);
    forget(&t);
    t = (struct told){0};
    /* The same runs by themselves say nothing. */
    struct compare_options opt = compare_defaults();
    assert_int_equal(pairs_runs(&p, &t.runs, NULL), 0);
    const struct compare_side a = compare_side_of(&t.runs.a), b = compare_side_of(&t.runs.b);
    assert_int_equal(compare_sides(&a, &b, &opt, &t.c, NULL), 0);
    assert_int_equal(compare_find(&t.c, RUN_ELAPSED)->verdict, VERDICT_NOISE);
    forget(&t);
    pairs_free(&p);
}

/* Of what adds up, the difference is that of the rates, over the mean time of A. */
static void sums_are_of_rates(void **state) {
    (void)state;
    struct pairs p = {0};
    struct told t = {0};
    for (int i = 0; i < 6; i++)
        add(&p, 2, 2e6, 4, 4e6 + 4000 * (i + 1));
    tell(&p, &t);
    const struct compare_row *r = compare_find(&t.c, "slots");
    assert_true(fabs(r->delta - 2 * 3500) < 1e-6);
    assert_null(compare_find(&t.c, RUN_ELAPSED)); /* they did not run through */
    assert_null(t.by);                            /* neither level 1 nor IPC */
    assert_int_equal(t.answer, PAIRS_OPEN);
    forget(&t);
    pairs_free(&p);
}

/* Counts that differ by the same each time: n signs of a coin. */
static void equal_differences_are_coins(void **state) {
    (void)state;
    struct pairs p = {0};
    for (int i = 0; i < 12; i++) {
        struct told t = {0};
        add(&p, .5, 5, .5, 6);
        tell(&p, &t);
        const struct compare_row *r = compare_find(&t.c, "slots");
        if (i == 0)
            assert_true(isnan(r->p));
        else
            assert_true(fabs(r->p - fmin(2 * pow(2, -i), 1)) < 1e-12);
        forget(&t);
    }
    pairs_free(&p);
}

static void models_must_be_the_same(void **state) {
    (void)state;
    struct pairs p = {0};
    struct err err = {0};
    struct run a = run_of(.1, 1, model_m), b = run_of(.1, 1, model_other);
    assert_int_equal(pairs_add(&p, &a, &a, &err), 0);
    assert_int_equal(pairs_add(&p, &a, &b, &err), -EINVAL);
    assert_int_equal(p.n, 1);
    array_free(&a.node);
    array_free(&b.node);
    pairs_free(&p);
}

static void needed_falls_with_the_square(void **state) {
    (void)state;
    const struct run_node n = {.unit = none, .value.v = 100};
    const struct compare_options opt = compare_defaults();
    struct compare_row r = {.a = &n, .b = &n, .delta = 0, .err = 2};
    assert_true(pairs_needed(&r, &opt, 10) == 40); /* +-2 % to within 1 % */
    r.delta = 4, r.err = 8;
    assert_true(pairs_needed(&r, &opt, 10) == 40); /* to be sure of 4 % */
    r.err = NAN;
    assert_true(isnan(pairs_needed(&r, &opt, 10)));
}

/* ---- simulated: the large tables are of bench_pairs ---- */

static void false_alarms_are_rare(void **state) {
    (void)state;
    const struct pairs_sim all[] = {
        {.metrics = 40, .sd = 0.01, .most = 40},
        {.metrics = 40, .sd = 0.01, .most = 40, .phi = 0.8},
        {.metrics = 200, .sd = 0.01, .most = 20, .phi = 0.5},
        {.metrics = 40, .sd = 0.01, .most = 40, .counts = true},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_in_range(pairs_sim_score(&all[i], 100 + i, 60).alarms, 0, 3);
}

static void differences_are_found(void **state) {
    (void)state;
    static const struct {
        double up, median, most;
    } cases[] = {{0.1, 5, 6}, {0.03, 8, 14}, {-0.03, 8, 14}, {0, 55, 90}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pairs_sim how = {
            .metrics = 3, .sd = 0.01, .up = cases[i].up, .most = 200, .stops = true};
        const struct pairs_sim_score s = pairs_sim_score(&how, 900 + i, 60);
        assert_in_range(s.wrong, 0, 2);
        assert_int_equal(s.open, 0);
        assert_true(s.median <= cases[i].median);
        assert_true(s.most <= cases[i].most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_and_bound),
        cmocka_unit_test(order_is_of_blocks),
        cmocka_unit_test(drift_falls_out),
        cmocka_unit_test(sums_are_of_rates),
        cmocka_unit_test(equal_differences_are_coins),
        cmocka_unit_test(models_must_be_the_same),
        cmocka_unit_test(needed_falls_with_the_square),
        cmocka_unit_test(false_alarms_are_rare),
        cmocka_unit_test(differences_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
