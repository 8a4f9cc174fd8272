/* Several runs as one side of a comparison; and runs of values. */
#include "model/compare/compare.h"
#include "model/compare/gate.h"
#include "model/compare/pool.h"
#include "model/run/run_values.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *text(const char *s) {
    char *copy = strdup(s);
    assert_non_null(copy);
    return copy;
}

/* v of the whole; mean of n intervals. */
static void add_node(struct run *r, const char *path, bool share, double v, double mean,
                     uint64_t n) {
    struct run_node node = {
        .name = text(path), .path = text(path), .unit = text(""), .reason = text("")};
    node.share = share;
    node.level = share;
    node.value = (struct value){.v = v, .duty = 1, .over = v > 0.3};
    node.m = (struct moments_result){n, mean, mean / 10, mean, mean, mean / 100, 20, 21};
    node.total = !share;
    assert_int_equal(array_push(&r->node, node), 0);
}

static struct run make(double seconds, double backend, double slots_per_s) {
    struct run r = {.model = text("spr"),
                    .model_text = text(""),
                    .measured_ns = (uint64_t)(seconds * 1e9),
                    .ran_through = true};
    const uint64_t n = (uint64_t)seconds;
    add_node(&r, "Backend_Bound", true, backend, backend, n);
    add_node(&r, "slots", false, slots_per_s * seconds, slots_per_s, n);
    return r;
}

static const struct run_node *find(const struct run *r, const char *path) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].path, path))
            return &r->node.at[i];
    fail_msg("no node %s", path);
    return NULL;
}

static struct run pool_of(const double (*v)[3], size_t n) {
    struct pool p = {0};
    struct run out;
    struct err err = {0};
    for (size_t i = 0; i < n; i++) {
        struct run r = make(v[i][0], v[i][1], v[i][2]);
        assert_int_equal(pool_add(&p, &r, &err), 0);
        run_free(&r);
    }
    assert_int_equal(p.n_run, n);
    assert_int_equal(pool_finish(&p, &out, &err), 0);
    pool_free(&p);
    return out;
}

#define NEAR(a, b)                                                                                 \
    assert_true(fabs((double)(a) - (double)(b)) <= 1e-12 * fmax(1.0, fabs((double)(b))))

/* By hand: of .40 .42 .47 the mean is .43, the variance (.0009 + .0001 + .0016) / 2 = .0013. */
static void each_run_is_one_sample(void **state) {
    (void)state;
    static const double v[][3] = {{10, .40, 100}, {20, .42, 110}, {30, .47, 120}};
    struct run out = pool_of(v, 3);
    const struct run_node *b = find(&out, "Backend_Bound"), *e = find(&out, "elapsed");
    NEAR(b->value.v, 0.43);
    NEAR(b->m.se, sqrt(0.0013 / 3));
    assert_int_equal(b->m.n, 3);
    assert_true(b->m.dof == 2 && b->value.over);
    NEAR(b->m.least, 0.40);
    NEAR(b->m.most, 0.47);
    NEAR(e->value.v, 20);
    NEAR(e->m.se, sqrt(100.0 / 3));
    assert_int_equal(out.measured_ns, 20000000000u);
    run_free(&out);
}

/* A metric that adds up is per second times the mean time, whatever the runs' lengths. */
static void totals_are_per_second(void **state) {
    (void)state;
    static const double v[][3] = {{10, .4, 100}, {20, .4, 100}, {30, .4, 100}, {40, .4, 100}};
    static const double w[][3] = {{10, .4, 100}, {10, .4, 120}, {10, .4, 140}};
    struct run out = pool_of(v, 4);
    NEAR(find(&out, "slots")->value.v, 2500);
    NEAR(find(&out, "slots")->m.se, 0);
    assert_int_equal(find(&out, "slots")->m.n, 4); /* runs, of a sum as well */
    run_free(&out);
    out = pool_of(w, 3);
    const struct run_node *n = find(&out, "slots");
    NEAR(n->value.v, 1200);
    NEAR(n->m.se, 20 / sqrt(3) * 10);
    assert_true(n->m.dof == 2);
    run_free(&out);
}

static void gate_on_elapsed_is_judged(void **state) {
    (void)state;
    static const double fast[][3] = {{10, .4, 1}, {10.1, .4, 1}, {10.2, .4, 1}, {9.9, .4, 1}};
    static const double slow[][3] = {{12, .4, 1}, {12.1, .4, 1}, {12.2, .4, 1}, {11.9, .4, 1}};
    struct run a = pool_of(fast, 4), b = pool_of(slow, 4);
    const struct compare_side x = compare_side_of(&a), y = compare_side_of(&b);
    const struct compare_options opt = compare_defaults();
    struct comparison c;
    struct gate g;
    assert_int_equal(compare_sides(&x, &y, &opt, &c, NULL), 0);
    assert_int_equal(gate_parse("elapsed:+5%", &g, NULL), 0);
    assert_true(gate_check(&g, &c).failed);
    assert_int_equal(gate_parse("elapsed:+30%", &g, NULL), 0);
    const struct gate_result ok = gate_check(&g, &c);
    assert_false(ok.failed || ok.unsure || ok.missing);
    compare_free(&c);
    run_free(&a);
    run_free(&b);
}

static void models_are_not_mixed(void **state) {
    (void)state;
    struct pool p = {0};
    struct err err = {0};
    struct run a = make(10, .4, 1), b = make(10, .4, 1);
    bool by_counts;
    b.model[0] = 'x';
    assert_int_equal(pool_add(&p, &a, &err), 0);
    assert_int_equal(pool_add(&p, &b, &err), -EINVAL);
    assert_non_null(strstr(err.text, "spr and xpr"));
    assert_int_equal(pool_join(&a, &b, &by_counts, &err), -EINVAL);
    pool_free(&p);
    run_free(&a);
    run_free(&b);
}

/* Without counts: by time, 10 s and 30 s; sums are sums. */
static void two_runs_of_values_are_weighted(void **state) {
    (void)state;
    struct run a = make(10, .4, 100), b = make(30, .8, 100);
    bool by_counts = true;
    assert_int_equal(pool_join(&a, &b, &by_counts, NULL), 0);
    assert_false(by_counts);
    NEAR(find(&a, "Backend_Bound")->value.v, 0.7);
    NEAR(find(&a, "Backend_Bound")->m.se, hypot(0.25 * 0.004, 0.75 * 0.008));
    assert_true(find(&a, "Backend_Bound")->m.dof > 20 && find(&a, "Backend_Bound")->m.dof < 40);
    NEAR(find(&a, "slots")->value.v, 4000);
    assert_int_equal(find(&a, "slots")->m.n, 40);
    assert_int_equal(a.measured_ns, 40000000000u);
    run_free(&a);
    run_free(&b);
}

/* What one of two runs has alone stays, a sum as if it had gone on; what none of three knows keeps
 * its reason. */
static void nothing_is_lost(void **state) {
    (void)state;
    struct run a = make(10, .4, 100), b = make(30, .8, 100), out;
    struct pool p = {0};
    bool by_counts;
    add_node(&a, "of_a", false, 50, 5, 10);
    add_node(&b, "of_b", false, 300, 10, 30);
    add_node(&b, "share_of_b", true, .2, .2, 30);
    add_node(&a, "later", true, NAN, NAN, 0);
    add_node(&b, "later", true, .3, .3, 30);
    add_node(&b, "never", true, NAN, NAN, 0);
    free(b.node.at[b.node.n - 1].reason);
    b.node.at[b.node.n - 1].reason = text("not counted");
    for (int i = 0; i < 3; i++)
        assert_int_equal(pool_add(&p, i ? &b : &a, NULL), 0);
    assert_int_equal(pool_finish(&p, &out, NULL), 0);
    assert_true(isnan(find(&out, "never")->value.v));
    assert_string_equal(find(&out, "never")->reason, "not counted");
    NEAR(find(&out, "later")->value.v, .3);
    assert_int_equal(find(&out, "later")->m.n, 2);
    run_free(&out);
    pool_free(&p);
    assert_int_equal(pool_join(&a, &b, &by_counts, NULL), 0);
    NEAR(find(&a, "of_a")->value.v, 200); /* 40 s at 5 per second */
    NEAR(find(&a, "of_b")->value.v, 400);
    NEAR(find(&a, "share_of_b")->value.v, .2);
    NEAR(find(&a, "later")->value.v, .3);
    assert_true(isnan(find(&a, "never")->value.v));
    NEAR(find(&a, "slots")->value.v, 4000);
    assert_false(a.ran_through);
    run_free(&a);
    run_free(&b);
}

/* -d says how long it is: no time of their own. */
static void elapsed_is_of_commands(void **state) {
    (void)state;
    struct pool p = {0};
    struct run out;
    for (int i = 0; i < 3; i++) {
        struct run r = make(10, .4, 1);
        r.ran_through = i > 0;
        assert_int_equal(pool_add(&p, &r, NULL), 0);
        run_free(&r);
    }
    assert_int_equal(pool_finish(&p, &out, NULL), 0);
    assert_false(out.ran_through);
    for (size_t i = 0; i < out.node.n; i++)
        assert_string_not_equal(out.node.at[i].path, "elapsed");
    run_free(&out);
    pool_free(&p);
}

static void values_become_nodes(void **state) {
    (void)state;
    static const struct run_value v[] = {
        {"Retiring", "% Slots <", 30, 1, false, false},
        {"Backend_Bound.Memory_Bound", "% Slots", 40, 1, true, true},
        {"Info.IPC", "Metric <", 1.5, 1, false, false},
        {"Retiring", "% Slots <", 32, 0.5, false, false},
        {"Backend_Bound.Memory_Bound", "% Slots", 44, 1, true, false},
        {"Backend_Bound.Memory_Bound", "% Slots", NAN, 1, true, false},
        {"Info.Bus", "GB/s <", 3, 1, false, false},
    };
    struct run_values rv = {0};
    struct run r = {0};
    struct err err = {0};
    assert_int_equal(run_values_finish(&rv, "", &r, &err), -ENODATA);
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_int_equal(run_values_add(&rv, &v[i]), 0);
    assert_int_equal(run_values_finish(&rv, "no counts", &r, &err), 0);
    run_values_free(&rv);
    assert_int_equal(r.node.n, 4);
    const struct run_node *m = find(&r, "Backend_Bound.Memory_Bound"), *ret = find(&r, "Retiring");
    NEAR(m->value.v, 0.42);
    assert_string_equal(m->name, "Memory_Bound");
    assert_true(m->level == 2 && m->share && m->value.over && m->value.approx && m->m.n == 2);
    assert_true(ret->good_up && !ret->value.over && ret->value.duty == 0.5f);
    assert_int_equal(ret->value.state, VALUE_SCALED);
    assert_string_equal(find(&r, "Info.IPC")->unit, "");
    assert_string_equal(find(&r, "Info.Bus")->unit, "GB/s");
    assert_int_equal(find(&r, "Info.Bus")->level, 0);
    assert_string_equal(r.bottleneck, "Backend_Bound.Memory_Bound");
    assert_string_equal(r.note, "");
    run_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_is_one_sample),
        cmocka_unit_test(totals_are_per_second),
        cmocka_unit_test(gate_on_elapsed_is_judged),
        cmocka_unit_test(models_are_not_mixed),
        cmocka_unit_test(two_runs_of_values_are_weighted),
        cmocka_unit_test(values_become_nodes),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(elapsed_is_of_commands),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
