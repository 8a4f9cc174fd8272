/*
 * The cost of the threads view with 10,000 threads: one interval's table is taken, sorted and what
 * is seen of it drawn, sorted by CPU % (nothing is evaluated for that) and, for comparison, by a
 * share of level 1 (each row that ran is). Prints medians and exits 1 above the limit.
 */
#include "base/clock.h"
#include "base/str.h"
#include "ui/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 10000, RUNS = 31, LIMIT_US = 20000, COLUMN_BUSY = 2, COLUMN_ROOT = 3 };

static struct session s;
static struct screen sc;

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The simulated threads again and again, each busy by chance; one in four did not run. */
static void fill(struct unit_table *t, const struct unit_table *few, int run) {
    static uint32_t x = 1;
    t->n = THREADS;
    t->seq = (uint64_t)run + 1;
    t->t0_ns = few->t1_ns + (uint64_t)run * NS_PER_S;
    t->t1_ns = t->t0_ns + NS_PER_S;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t from = i % 4;    /* all four of them run */
        x = x * 1664525u + 1013904223u; /* Numerical Recipes */
        t->row[i] = few->row[from];
        t->row[i].tid = (pid_t)(1000 + i);
        t->row[i].busy = i % 4 == 3 ? 0 : (double)(x >> 8) / (1 << 24);
        if (i % 4 == 3)
            t->row[i].enabled_ns = t->row[i].running_ns = 0;
        memcpy(t->value + (size_t)i * t->n_slot, few->value + (size_t)from * few->n_slot,
               t->n_slot * sizeof(*t->value));
    }
}

static uint64_t median_us(const struct unit_table *few, struct unit_table *t, int column) {
    static uint64_t ns[RUNS];
    for (int i = 0; i < RUNS; i++) {
        fill(t, few, column * RUNS + i);
        const uint64_t t0 = clock_now_ns();
        rows_update(&sc.rows, t, &s.eval);
        screen_draw(&sc);
        ns[i] = clock_now_ns() - t0;
        if (i == 0)
            rows_choose(&sc.rows, column, &s.eval);
    }
    qsort(ns, RUNS, sizeof(ns[0]), by_value);
    return ns[RUNS / 2] / 1000;
}

static int fail(const char *what) {
    fprintf(stderr, "bench_rows: %s\n", what);
    return 2;
}

int main(void) {
    struct err err = {0};
    struct unit_table few = {0}, many;
    struct source_options opt = {.interval_ns = NS_PER_S, .seed = 1};
    consts_init(&opt.consts);
    if (model_open(&s.model, "spr", NULL, &err) < 0 ||
        session_open(&s, &source_sim, &opt, &err) < 0 || screen_init(&sc, &s, 2, &err) < 0)
        return fail(err.text);
    if (screen_resize(&sc, 200, 60) < 0 || screen_attach(&sc, &err) < 0)
        return fail("out of memory");
    if (s.source.ops->read(&s.source, &s.sample, &err) < 0 ||
        s.source.ops->units(&s.source, &few) < 0)
        return fail("the simulated core cannot be read");
    few.t1_ns = s.sample.t1_ns;
    eval_run(&s.eval, &s.sample, &s.frame);
    s.n_frames = 1;
    screen_update(&sc);
    screen_view(&sc, VIEW_THREADS);
    if (unit_table_init(&many, few.slot, few.n_slot) < 0 || unit_table_reserve(&many, THREADS) < 0)
        return fail("out of memory");

    const uint64_t busy = median_us(&few, &many, COLUMN_BUSY);
    const uint64_t root = median_us(&few, &many, COLUMN_ROOT);
    printf("rows of %d threads: median %llu us an interval by CPU %%, limit %d; %llu us by a "
           "share\n",
           THREADS, (unsigned long long)busy, LIMIT_US, (unsigned long long)root);
    unit_table_destroy(&few);
    unit_table_destroy(&many);
    screen_destroy(&sc);
    session_close(&s);
    return busy <= LIMIT_US ? 0 : 1;
}
