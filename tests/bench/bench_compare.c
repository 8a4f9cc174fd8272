/*
 * The cost of comparing two runs, and how far a comparison is to be believed.
 *
 *   bench_compare               compares two simulated runs of the largest model; the limit is 20
 * ms bench_compare statistics [N]  changes found and false alarms in N (1000) comparisons of two
 * runs each, by kind of noise and length, and of a baseline watched live; takes minutes
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

static const int lengths[] = {20, 30, 60, 300, 3600};

/* What is wanted of a comparison, beside what simulation says is to be had with the memory known:
 * ideal, and pooled over metrics that have nothing in common (from the same table). */
static const struct {
    double phi;
    int n, sd; /* of the change, in standard deviations of the noise */
    int found, pooled;
    double width; /* at most so many times the ideal */
} powers[] = {
    {0, 20, 2, 80, 98, 2},   {0, 30, 2, 95, 100, 2},   {0.5, 30, 5, 80, 100, 2},
    {0.5, 60, 2, 85, 99, 2}, {0.8, 60, 5, 65, 100, 3}, {0.8, 120, 2, 65, 94, 3},
};

static int power_table(int times) {
    int bad = 0;
    printf("a change of metric 0 of 40, noise of 2 points; percent of %d comparisons\n"
           "memory  intervals  change | found  wanted  pooled | other alarms | width of the ideal  "
           "wanted\n",
           times);
    for (size_t i = 0; i < COUNT_OF(powers); i++) {
        const struct noise how = {NOISE_AR1, powers[i].phi, 0, 0, 0};
        const struct noise_score s =
            noise_score(900 + i, &how, powers[i].n, 0.02 * powers[i].sd, 0, times);
        const double found = 100.0 * s.found / times, alarms = 100.0 * s.alarms / times,
                     width = s.width / noise_ideal(powers[i].phi, powers[i].n);
        printf("%6.1f  %9d  %3d sd | %5.1f  %6d  %6d | %12.1f | %18.2f  %6.0f\n", powers[i].phi,
               powers[i].n, powers[i].sd, found, powers[i].found, powers[i].pooled, alarms, width,
               powers[i].width);
        fflush(stdout);
        bad += found < powers[i].found || alarms > 5 || width > powers[i].width;
    }
    return bad;
}

/* A baseline that stands still against what is live, looked at with each of 120 intervals. */
static int watched_table(int times) {
    int bad = 0;
    printf(
        "looked at with every interval, a baseline of 60; percent of %d, and the look in which a "
        "change is found first\n"
        "memory  metrics | ever an alarm | 5 sd: median, 95 in 100 | 10 sd\n",
        times);
    for (int metrics = METRICS; metrics <= METRICS_MOST; metrics += METRICS_MOST - METRICS)
        for (int i = 0; i < 3; i++) {
            const double phi[] = {0, 0.5, 0.8};
            const struct noise how = {NOISE_AR1, phi[i], 0, 0, metrics};
            const struct noise_looks none = noise_looks(5, &how, true, 60, 120, 0, times),
                                     five = noise_looks(6, &how, true, 60, 120, 0.10, times),
                                     ten = noise_looks(7, &how, true, 60, 120, 0.20, times);
            const double alarms = 100.0 * none.alarms / times;
            printf("%6.1f  %7d | %13.1f | %12.0f %10.0f | %.0f %.0f\n", phi[i], metrics, alarms,
                   five.found, five.latest, ten.found, ten.latest);
            fflush(stdout);
            bad += alarms > 5 || (phi[i] == 0 && ten.latest > 8);
        }
    return bad;
}

static const struct {
    const char *name;
    struct noise how;
    bool held; /* to at most 5 % */
} kinds[] = {
    {"white", {NOISE_AR1, 0, 0, 0, 0}, true},
    {"white, 20 metrics", {NOISE_AR1, 0, 0, 0, 20}, true},
    {"white, 200 metrics", {NOISE_AR1, 0, 0, 0, 200}, true},
    {"AR(1) 0.5", {NOISE_AR1, 0.5, 0, 0, 0}, true},
    {"AR(1) 0.8", {NOISE_AR1, 0.8, 0, 0, 0}, true},
    {"AR(1) 0.8, 20 metrics", {NOISE_AR1, 0.8, 0, 0, 20}, true},
    {"AR(1) 0.8, 200 metr.", {NOISE_AR1, 0.8, 0, 0, 200}, true},
    {"AR(1) 0.95", {NOISE_AR1, 0.95, 0, 0, 0}, false},
    {"one cause, white", {NOISE_ONE, 0, 0, 0, 0}, true},
    {"one cause, AR(1) 0.8", {NOISE_ONE, 0.8, 0, 0, 0}, true},
    {"half AR(1) 0.5", {NOISE_HALF, 0.5, 0, 0, 0}, true},
    {"half AR(1) 0.8", {NOISE_HALF, 0.8, 0, 0, 0}, true},
    {"half 0.8, 200 metrics", {NOISE_HALF, 0.8, 0, 0, 200}, true},
    {"white + AR(1) 0.8", {NOISE_MIXED, 0.8, 0, 0, 0}, true},
    {"phases 8, large", {NOISE_PHASES, 0, 8, 8, 0}, true},
    {"phases 27, large", {NOISE_PHASES, 0, 27, 8, 0}, false},
    {"phases 27, as noise", {NOISE_PHASES, 0, 27, 2, 0}, false},
    {"half AR(1) 0.95", {NOISE_HALF, 0.95, 0, 0, 0}, false},
    {"switch 10", {NOISE_SWITCH, 0, 10, 2, 0}, false},
    {"switch 100", {NOISE_SWITCH, 0, 100, 2, 0}, false},
};

static int print_alarms(const struct noise_score *none) {
    const double alarms = 100.0 * none->alarms / none->times;
    printf(" %7.1f", alarms);
    fflush(stdout);
    return alarms > 5.0;
}

static int noise_statistics(int times) {
    int bad = 0;
    printf(
        "no change, 40 metrics: percent of %d comparisons (a quarter at 3600 intervals) in which "
        "any is called\n%-22s",
        times, "intervals");
    for (size_t j = 0; j < COUNT_OF(lengths); j++)
        printf(" %7d", lengths[j]);
    printf("\n");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        printf("%-22s", kinds[i].name);
        for (size_t j = 0; j < COUNT_OF(lengths); j++) {
            const int n = lengths[j] > 1000 ? times / 4 : times;
            const struct noise_score none =
                noise_score(i * 10 + j, &kinds[i].how, lengths[j], 0, 0, n);
            bad += print_alarms(&none) && kinds[i].held;
        }
        printf("%s\n", kinds[i].held ? "" : "  (not held)");
    }
    return bad;
}

/* Two runs of the demo with other noise: at the same time of its phases, or shifted. */
static int sim_alarms(const struct model *m, int n, int shift, int times, double least) {
    int alarms = 0;
    struct compare_options opt = compare_defaults();
    opt.least_points = opt.least_relative = least;
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
        compare_free(&c);
        run_free(&a);
        run_free(&b);
    }
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
            const int alarms = sim_alarms(&m, n, shift, k, 1e-9);
            printf("%5d intervals, %-18s: %4d alarms in %4d (%.1f %%)\n", n,
                   shift ? "shifted in time" : "at the same time", alarms, k, 100.0 * alarms / k);
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
    const int bad = power_table(times) + watched_table(times / 2) + noise_statistics(times) +
                    sim_statistics(times);
    printf("%d that are not as they should be\n", bad);
    return bad > 0;
}
