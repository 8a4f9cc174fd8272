/*
 * The cost of comparing two runs, and how far a comparison is to be believed.
 *
 *   bench_compare               compares two simulated runs of the largest model; the limit is 20
 * ms bench_compare statistics [N]  false alarms and changes found in N (1000) comparisons of two
 * runs each, by kind of noise and length; takes minutes
 */
#include "../unit/noise.h"
#include "../unit/sim_run.h"
#include "base/clock.h"

enum { TIMES = 101, LIMIT_US = 20000 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void must_open(struct model *m, const char *name) {
    struct err err = {0};
    sim_run_must(model_open(m, name, NULL, &err), &err);
}

/* ---- cost ---- */

static uint64_t compare_us(const struct run *a, const struct run *b, size_t *n_row) {
    uint64_t ns[TIMES];
    const struct compare_options opt = compare_defaults();
    const struct compare_side sa = compare_side_of(a), sb = compare_side_of(b);
    for (int i = 0; i < TIMES; i++) {
        struct comparison c;
        struct err err = {0};
        const uint64_t t0 = clock_now_ns();
        sim_run_must(compare_sides(&sa, &sb, &opt, &c, &err), &err);
        ns[i] = clock_now_ns() - t0;
        *n_row = c.n_row;
        compare_free(&c);
    }
    qsort(ns, TIMES, sizeof(ns[0]), by_value);
    return ns[TIMES / 2] / 1000;
}

/* Evaluating an hour's counts anew: what tdtop reeval and a cut cost. */
static uint64_t evaluate_us(struct run *r, const struct model *m) {
    struct err err = {0};
    struct eval ev;
    sim_run_must(eval_init(&ev, m, &r->layout, &r->consts, &err), &err);
    const uint64_t t0 = clock_now_ns();
    sim_run_must(run_evaluate(r, m, &ev, &err), &err);
    const uint64_t ns = clock_now_ns() - t0;
    eval_destroy(&ev);
    return ns / 1000;
}

static int cost(void) {
    struct model m;
    struct run a, b;
    size_t n_row;
    must_open(&m, "gnr");
    sim_run(&a, &m, 1, 0, 0, 3600);
    sim_run(&b, &m, 2, 0, 0, 3600);
    const uint64_t us = compare_us(&a, &b, &n_row);
    printf("compare two runs of %zu metrics: median %llu us over %d, limit %d\n", n_row,
           (unsigned long long)us, TIMES, LIMIT_US);
    printf(
        "evaluate 3600 intervals of %u slots: %llu us; packed %.2f bytes per slot and interval\n",
        a.layout.n_slot, (unsigned long long)evaluate_us(&a, &m),
        (double)series_bytes(&a.series) / 3600 / a.layout.n_slot);
    run_free(&a);
    run_free(&b);
    model_free(&m);
    return us > LIMIT_US;
}

/* ---- belief ---- */

static const int lengths[] = {30, 60, 300, 3600};

static const struct {
    const char *name;
    struct noise how;
    bool held; /* to at most 5 % */
} kinds[] = {
    {"white", {NOISE_AR1, 0, 0, 0}, true},
    {"AR(1) 0.5", {NOISE_AR1, 0.5, 0, 0}, true},
    {"AR(1) 0.8", {NOISE_AR1, 0.8, 0, 0}, true},
    {"AR(1) 0.95", {NOISE_AR1, 0.95, 0, 0}, true},
    {"one cause, white", {NOISE_ONE, 0, 0, 0}, true},
    {"one cause, AR(1) 0.8", {NOISE_ONE, 0.8, 0, 0}, true},
    {"one cause, AR(1) 0.95", {NOISE_ONE, 0.95, 0, 0}, true},
    {"half AR(1) 0.5", {NOISE_HALF, 0.5, 0, 0}, true},
    {"half AR(1) 0.8", {NOISE_HALF, 0.8, 0, 0}, false},
    {"half AR(1) 0.95", {NOISE_HALF, 0.95, 0, 0}, true},
    {"white + AR(1) 0.8", {NOISE_MIXED, 0.8, 0, 0}, false},
    {"white + AR(1) 0.95", {NOISE_MIXED, 0.95, 0, 0}, false},
    {"phases 8, large", {NOISE_PHASES, 0, 8, 8}, true},
    {"phases 27, large", {NOISE_PHASES, 0, 27, 8}, true},
    {"phases 27, as noise", {NOISE_PHASES, 0, 27, 2}, false},
    {"switch 10", {NOISE_SWITCH, 0, 10, 2}, false},
    {"switch 20", {NOISE_SWITCH, 0, 20, 2}, false},
    {"switch 100", {NOISE_SWITCH, 0, 100, 2}, false},
};

static int print_score(const struct noise_score *none, const struct noise_score *up) {
    const double alarms = 100.0 * none->alarms / none->times;
    printf(" | %5.1f %5.1f %6.1f", alarms, 100.0 * none->too_few / none->times / METRICS,
           100.0 * up->found / up->times);
    fflush(stdout);
    return alarms > 5.0;
}

static int noise_statistics(int times) {
    int bad = 0;
    printf("%d comparisons each (a quarter at 3600 intervals) of %d metrics; a change of 2 points, "
           "noise of 2 points\n",
           times, METRICS);
    printf("%-22s", "intervals");
    for (size_t j = 0; j < COUNT_OF(lengths); j++)
        printf(" | %-19d", lengths[j]);
    printf("\n%-22s", "percent");
    for (size_t j = 0; j < COUNT_OF(lengths); j++)
        printf(" | alarm  few  found");
    printf("\n");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        printf("%-22s", kinds[i].name);
        for (size_t j = 0; j < COUNT_OF(lengths); j++) {
            const int n = lengths[j] > 1000 ? times / 4 : times;
            const struct noise_score none =
                noise_score(i * 10 + j, &kinds[i].how, lengths[j], 0, 0, n);
            const struct noise_score up =
                noise_score(i * 10 + j + 5000, &kinds[i].how, lengths[j], 0.02, 0.01, n / 2);
            const int over = print_score(&none, &up);
            bad += over && kinds[i].held;
        }
        printf("\n");
    }
    return bad;
}

/* Two runs of the demo with other noise: at the same time of its phases, or shifted. */
static int sim_alarms(const struct model *m, int n, int shift, int times, double least,
                      int *too_few) {
    int alarms = 0;
    struct compare_options opt = compare_defaults();
    opt.least_points = opt.least_relative = least;
    *too_few = 0;
    for (int i = 0; i < times; i++) {
        struct run a, b;
        struct comparison c;
        sim_run(&a, m, (uint64_t)(2 * i + 1), 2, 20, n);
        sim_run(&b, m, (uint64_t)(2 * i + 2), 2, 20 + (shift ? (i * 37) % shift : 0), n);
        const struct compare_side sa = compare_side_of(&a), sb = compare_side_of(&b);
        sim_run_must(compare_sides(&sa, &sb, &opt, &c, NULL), NULL);
        alarms += c.n_verdict[VERDICT_REGRESSED] + c.n_verdict[VERDICT_IMPROVED] +
                      c.n_verdict[VERDICT_CHANGED] >
                  0;
        *too_few += c.n_row ? 100 * c.n_verdict[VERDICT_TOO_FEW] / (int)c.n_row : 0;
        compare_free(&c);
        run_free(&a);
        run_free(&b);
    }
    *too_few /= times;
    return alarms;
}

static int sim_statistics(int times) {
    int bad = 0;
    struct model m;
    must_open(&m, "spr");
    printf("the demo, level 2, other seeds; any change at all counts as an alarm\n");
    for (size_t j = 0; j < COUNT_OF(lengths); j++) {
        const int n = lengths[j], k = n > 1000 ? times / 50 : n > 100 ? times / 5 : times;
        for (int shift = 0; shift <= 140; shift += 140) {
            int few;
            const int alarms = sim_alarms(&m, n, shift, k, 1e-9, &few);
            printf("%5d intervals, %-18s: %4d alarms in %4d (%.1f %%), %d %% without a verdict\n",
                   n, shift ? "shifted in time" : "at the same time", alarms, k, 100.0 * alarms / k,
                   few);
            fflush(stdout);
            bad += alarms * 20 > k && (!shift || n >= 300);
        }
    }
    model_free(&m);
    return bad;
}

int main(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "statistics") != 0)
        return cost();
    const int times = argc > 2 ? atoi(argv[2]) : 1000;
    const int bad = noise_statistics(times) + sim_statistics(times);
    printf("%d over 5 %% that should not be\n", bad);
    return bad > 0;
}
