/* `tdtop ab` of two simulated commands, whose truth is known. For test_pairs.c, bench_pairs.c. */
#ifndef TDTOP_TESTS_PAIRS_SIM_H
#define TDTOP_TESTS_PAIRS_SIM_H

#include "model/compare/pairs.h"
#include "model/run/run.h"
#include "noise.h"

enum { PAIRS_SIM_METRICS = 200 };

/* How the values of runs vary, in the order in which they are measured. */
struct pairs_sim {
    double phi;      /* AR(1) from run to run */
    double drift;    /* of the level, a run, in standard deviations */
    double rhythm;   /* every second run is higher by so many of them */
    double outliers; /* share of runs that take 10 more */
    bool counts;     /* small whole numbers, in the place of a normal distribution */
    int metrics;     /* beside elapsed */
    double sd;       /* relative: 0.01 */
    double up;       /* of elapsed in B, relative; other metrics do not differ */
    int most;        /* pairs */
    bool stops;      /* when the question is answered; else the look at all pairs is the last */
};

struct pairs_sim_end {
    int pairs;
    enum pairs_answer answer;
    bool up;    /* changed: B takes longer */
    bool alarm; /* at any look something was called changed that was not */
};

struct pairs_sim_state {
    struct noise_random random;
    const struct pairs_sim *how;
    int n_run;
    double z[PAIRS_SIM_METRICS + 1]; /* AR(1) state of each metric; elapsed is the last */
    struct run_node node[PAIRS_SIM_METRICS];
    char path[PAIRS_SIM_METRICS][16], none[1], model[4];
};

/* In standard deviations. */
static inline double pairs_sim_draw(struct pairs_sim_state *s, int m) {
    const struct pairs_sim *h = s->how;
    if (h->counts)
        return floor(-log(noise_uniform(&s->random)));
    s->z[m] = h->phi * s->z[m] + sqrt(1 - h->phi * h->phi) * noise_normal(&s->random);
    return s->z[m] + h->drift * s->n_run + h->rhythm * (s->n_run % 2) +
           (noise_uniform(&s->random) < h->outliers ? 10 : 0);
}

/* A run of `seconds` before noise. Its nodes are the state's. */
static inline struct run pairs_sim_run(struct pairs_sim_state *s, double seconds) {
    const int n = s->how->metrics;
    struct run r = {.model = s->model, .ran_through = true};
    for (int m = 0; m < n; m++) {
        s->node[m] = (struct run_node){.name = s->path[m],
                                       .path = s->path[m],
                                       .unit = s->none,
                                       .reason = s->none,
                                       .better = -1,
                                       .value = {.duty = 1}};
        s->node[m].value.v = 100 * (1 + s->how->sd * pairs_sim_draw(s, m));
        if (array_push(&r.node, s->node[m]) < 0)
            abort();
    }
    r.measured_ns = (uint64_t)(1e9 * seconds * (1 + s->how->sd * pairs_sim_draw(s, n)));
    s->n_run++;
    return r;
}

static inline bool pairs_sim_is_alarm(const struct comparison *c, bool up) {
    for (size_t i = 0; i < c->n_row; i++)
        if (noise_is_alarm(c->row[i].verdict) && !(up && !strcmp(c->row[i].a->path, RUN_ELAPSED)))
            return true;
    return false;
}

static inline void pairs_sim_look(struct pairs *p, const struct pairs_sim *how,
                                  struct pairs_sim_end *end) {
    struct pairs_runs runs;
    struct comparison c;
    const struct compare_row *by;
    struct compare_options opt = compare_defaults();
    if (!how->stops)
        opt.least_points = opt.least_relative = 1e-9;
    if (pairs_runs(p, &runs, NULL) < 0)
        abort();
    opt.pairs = &runs.difference;
    const struct compare_side a = compare_side_of(&runs.a), b = compare_side_of(&runs.b);
    if (compare_sides(&a, &b, &opt, &c, NULL) < 0)
        abort();
    end->answer = pairs_answer(&c, &opt, &by);
    end->up = end->answer == PAIRS_CHANGED && by->delta > 0;
    end->alarm |= pairs_sim_is_alarm(&c, how->up != 0);
    compare_free(&c);
    pairs_runs_free(&runs);
}

static inline struct pairs_sim_end pairs_sim(const struct pairs_sim *how, uint64_t seed) {
    struct pairs_sim_state s = {.random.state = seed, .how = how, .model = "m"};
    struct pairs_sim_end end = {0};
    struct pairs p = {0};
    for (int m = 0; m < how->metrics; m++)
        snprintf(s.path[m], sizeof(s.path[m]), "m%d", m);
    for (int m = 0; m <= how->metrics; m++)
        s.z[m] = noise_normal(&s.random);
    while (end.pairs < how->most && !(how->stops && end.answer != PAIRS_OPEN)) {
        const bool b_first = pairs_b_first(seed, (size_t)end.pairs);
        struct run first = pairs_sim_run(&s, b_first ? 1 + how->up : 1);
        struct run second = pairs_sim_run(&s, b_first ? 1 : 1 + how->up);
        if (pairs_add(&p, b_first ? &second : &first, b_first ? &first : &second, NULL) < 0)
            abort();
        array_free(&first.node);
        array_free(&second.node);
        if (++end.pairs >= PAIRS_LEAST)
            pairs_sim_look(&p, how, &end);
    }
    pairs_free(&p);
    return end;
}

/* Of many of them. */
struct pairs_sim_score {
    int alarms, wrong;   /* wrong: the answer is not the truth */
    int open;            /* at how->most */
    double median, most; /* pairs; most: of 95 in 100 */
};

static inline struct pairs_sim_score pairs_sim_score(const struct pairs_sim *how, uint64_t seed,
                                                     int times) {
    static double pairs[NOISE_TIMES];
    struct pairs_sim_score score = {0};
    for (int i = 0; i < times; i++) {
        const struct pairs_sim_end end = pairs_sim(how, seed + (uint64_t)i * 7919);
        score.alarms += end.alarm;
        score.open += end.answer == PAIRS_OPEN;
        score.wrong += end.answer == PAIRS_CHANGED && (how->up == 0 || (how->up > 0) != end.up);
        score.wrong += end.answer == PAIRS_SAME && fabs(how->up) > 0.01;
        pairs[i] = end.pairs;
    }
    qsort(pairs, (size_t)times, sizeof(*pairs), noise_by_value);
    score.median = pairs[times / 2];
    score.most = pairs[times * 95 / 100];
    return score;
}

#endif
