/* The threads and CPUs of the simulated program: together they are the program. */
#include "pmu/source.h"

#include "base/clock.h"
#include "model/eval/eval.h"
#include "pmu/sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct run {
    struct model m;
    struct source src;
    struct eval ev;
    struct sample sample, row;
    struct frame frame, one;
    struct unit_table t;
};

static void open_run(struct run *r, const char *model, uint64_t interval_ns) {
    struct err err = {0};
    struct source_options opt = {.interval_ns = interval_ns, .seed = 1};
    memset(r, 0, sizeof(*r));
    consts_init(&opt.consts);
    if (model_open(&r->m, model, NULL, &err) < 0 ||
        source_open(&r->src, &source_sim, &r->m, &opt, &err) < 0 ||
        eval_init(&r->ev, &r->m, &r->src.layout, &r->src.consts, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    assert_int_equal(sample_init(&r->sample, r->src.layout.n_slot), 0);
    assert_int_equal(sample_init(&r->row, r->src.layout.n_slot), 0);
    assert_int_equal(frame_init(&r->frame, r->m.n_metric), 0);
    assert_int_equal(frame_init(&r->one, r->m.n_metric), 0);
}

static void close_run(struct run *r) {
    unit_table_destroy(&r->t);
    frame_destroy(&r->frame);
    frame_destroy(&r->one);
    sample_destroy(&r->sample);
    sample_destroy(&r->row);
    eval_destroy(&r->ev);
    source_close(&r->src);
    model_free(&r->m);
}

static void next(struct run *r) {
    struct err err;
    assert_int_equal(r->src.ops->read(&r->src, &r->sample, &err), 0);
    assert_int_equal(r->src.ops->units(&r->src, &r->t), 0);
    r->t.t0_ns = r->sample.t0_ns;
    r->t.t1_ns = r->sample.t1_ns;
    eval_run(&r->ev, &r->sample, &r->frame);
}

static bool is_root(const struct model *m, uint32_t i) {
    return m->metric[i].level == 1 && m->metric[i].share;
}

/* In every model level 1 of a thread is known and adds up as that of the whole does. */
static void test_every_model(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct run r;
        open_run(&r, e->name, NS_PER_S);
        for (int i = 0; i < 3; i++)
            next(&r);
        assert_true(r.t.n_slot > 0 && r.t.n_slot <= r.src.layout.n_slot);
        for (uint32_t u = 0; u < r.t.n; u++) {
            const struct unit_row *row = &r.t.row[u];
            if (row->busy <= 0)
                continue;
            unit_table_sample(&r.t, u, &r.row);
            eval_run(&r.ev, &r.row, &r.one);
            for (uint32_t i = 0; i < r.m.n_metric; i++)
                if (is_root(&r.m, i) && isnan(r.one.at[i].v) != isnan(r.frame.at[i].v))
                    fail_msg("%s: %s of %s %d is %g, of all %g", e->name, r.m.metric[i].name,
                             row->comm, row->cpu, r.one.at[i].v, r.frame.at[i].v);
            if (fabs(r.one.root_sum - r.frame.root_sum) > 0.05)
                fail_msg("%s: level 1 of %s %d adds up to %g, of all to %g", e->name, row->comm,
                         row->cpu, r.one.root_sum, r.frame.root_sum);
        }
        close_run(&r);
    }
}

/* Sum of a slot over the threads (or CPUs). */
static double sum_of(const struct run *r, uint32_t k, bool cpus) {
    double sum = 0;
    for (uint32_t u = 0; u < r->t.n; u++)
        if ((r->t.row[u].tid < 0) == cpus && !isnan(r->t.value[(size_t)u * r->t.n_slot + k]))
            sum += r->t.value[(size_t)u * r->t.n_slot + k];
    return sum;
}

/* Golden Cove counts level 1 all the time, so the sum of the rows is the count; nearly, because
 * dropped slots do not grow with the machine clears that they come from. */
static void test_sums(void **state) {
    (void)state;
    struct run r;
    open_run(&r, "spr", NS_PER_S);
    for (int i = 0; i < 70; i++) {
        next(&r);
        for (uint32_t k = 0; k < r.t.n_slot; k++) {
            const struct count *c = &r.sample.at[r.t.slot[k]];
            const char *name = r.m.event[r.src.layout.slot[r.t.slot[k]].event].name;
            if (r.src.layout.slot[r.t.slot[k]].group != 0 || c->value < 1e6 ||
                strcmp(name, "INT_MISC.UOP_DROPPING") == 0)
                continue;
            double threads = sum_of(&r, k, false) / c->value;
            double cpus = sum_of(&r, k, true) / c->value;
            if (fabs(threads - 1) > 0.02 || fabs(cpus - 1) > 0.02)
                fail_msg("at %d s: %s: threads count %.6f of all, CPUs %.6f", i, name, threads,
                         cpus);
        }
    }
    close_run(&r);
}

/* No thread and no CPU does more than one CPU can, and both come to the same time. */
static void test_busy(void **state) {
    (void)state;
    static const uint64_t interval[] = {NS_PER_S / 50, NS_PER_S, 5 * NS_PER_S};
    for (size_t n = 0; n < 3; n++) {
        struct run r;
        open_run(&r, "spr", interval[n]);
        for (int i = 0; i < 60; i++) {
            next(&r);
            double dt = (double)interval[n] / 1e9, threads = 0, cpus = 0;
            for (uint32_t u = 0; u < r.t.n; u++) {
                assert_true(r.t.row[u].busy >= 0 && r.t.row[u].busy <= dt * 1.0001);
                *(r.t.row[u].tid < 0 ? &cpus : &threads) += r.t.row[u].busy;
            }
            assert_true(fabs(threads - cpus) < 1e-6 * dt);
            int m = model_find(&r.m, "CPUs_Utilized");
            assert_true(fabs(threads / dt - r.frame.at[m].v) < 0.03);
        }
        close_run(&r);
    }
}

static const struct unit_row *find(const struct run *r, const char *comm) {
    for (uint32_t u = 0; u < r->t.n; u++)
        if (strcmp(r->t.row[u].comm, comm) == 0)
            return &r->t.row[u];
    return NULL;
}

/* "module-scan" lives from 6 s to 14 s of each 22 s, each time with another number. */
static void test_come_and_go(void **state) {
    (void)state;
    struct run r;
    int tid = 0;
    open_run(&r, "spr", NS_PER_S);
    for (int second = 0; second < 60; second++) {
        next(&r);
        const struct unit_row *row = find(&r, "module-scan");
        int at = second % 22;
        if (!row != (at < 6 || at >= 14))
            fail_msg("at %d s it %s", second, row ? "lives" : "is not there");
        if (!row)
            continue;
        assert_int_equal(row->fresh, at == 6);
        assert_int_equal(row->ended, at == 13);
        assert_true((row->tid != tid) == row->fresh);
        tid = row->tid;
        uint32_t living = 0;
        for (uint32_t u = 0; u < r.t.n; u++)
            living += r.t.row[u].tid >= 0 && !r.t.row[u].ended;
        assert_int_equal(living, r.sample.target_threads);
    }
    close_run(&r);
    open_run(&r, "spr", 700 * NS_PER_MS); /* it comes and goes in the middle of intervals */
    for (int i = 0; i < 60; i++) {
        next(&r);
        uint64_t t0 = r.t.t0_ns % (22 * NS_PER_S), t1 = t0 + 700 * NS_PER_MS;
        const struct unit_row *row = find(&r, "module-scan");
        assert_int_equal(row != NULL, t1 > 6 * NS_PER_S && t0 < 14 * NS_PER_S);
        if (row && t0 < 6 * NS_PER_S)
            assert_true(row->fresh && row->busy > 0);
        if (row && t1 > 14 * NS_PER_S)
            assert_true(row->ended && row->busy > 0);
    }
    close_run(&r);
}

/* A thread that has nothing to do has no counts, not zeros. */
static void test_idle(void **state) {
    (void)state;
    struct run r;
    open_run(&r, "spr", NS_PER_S);
    next(&r);
    const struct unit_row *row = find(&r, "bio_lazy_free");
    assert_non_null(row);
    assert_true(row->busy <= 0 && row->enabled_ns == 0);
    size_t u = (size_t)(row - r.t.row);
    for (uint32_t k = 0; k < r.t.n_slot; k++)
        assert_true(isnan(r.t.value[u * r.t.n_slot + k]));
    close_run(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_model), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_busy),        cmocka_unit_test(test_come_and_go),
        cmocka_unit_test(test_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
