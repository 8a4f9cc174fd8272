/* The ±: its arithmetic, the resolution of PERF_METRICS, and whether 95 of 100 values are in it. */
#include "model/eval/spread.h"
#include "model/eval/window.h"
#include "model_fixture.h"

#define SECOND 1000000000ull

static const char plain[] = MODEL_HEAD "[metric.Only]\nformula = 'C'\n"
                                       "[metric.Ratio]\nformula = 'A / B'\n";

static struct count part(double value, double duty) {
    return (struct count){.value = value,
                          .enabled_ns = SECOND,
                          .running_ns = (uint64_t)(duty * (double)SECOND),
                          .state = COUNT_OK};
}

/* The metric that is its count. */
static void open_only(struct rig *r, struct spread *sp) {
    rig_load(r, plain);
    rig_slot(r, "C", 0);
    rig_bind(r);
    assert_int_equal(spread_init(sp, r->model.n_metric), 0);
}

/* t * sd * sqrt(1 - duty) by hand, for n = 1 .. 10 and t from any statistics book. */
static void by_hand(void **state) {
    (void)state;
    static const double value[] = {4, 7, 1, 5, 9, 2, 6, 3, 8, 12};
    static const double t[] = {0, 0, 0, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365};
    struct rig r;
    struct spread sp;
    open_only(&r, &sp);
    for (int i = 0; i < (int)COUNT_OF(value); i++) {
        r.sample.at[0] = part(value[i], 0.2);
        eval_run(&r.eval, &r.sample, &r.frame);
        spread_interval(&sp, &r.eval, &r.sample, &r.frame);
        const int n = i + 1 < SPREAD_N ? i + 1 : SPREAD_N;
        double sum = 0, squares = 0;
        for (int k = i - n + 1; k <= i; k++) {
            sum += value[k];
            squares += value[k] * value[k];
        }
        const double sd = sqrt((squares - sum * sum / n) / (n - 1));
        const double want = n < 3 ? NAN : t[n] * sd * sqrt(0.8);
        if (!same_number(rig_value(&r, "Only")->err, want, 1e-6))
            fail_msg("%d values: %g, expected %g", i + 1, rig_value(&r, "Only")->err, want);
    }
    /* A sum of them has the spread of all 10, and is sqrt(10) times better. t(9) is 2.262. */
    double sum = 0, squares = 0;
    for (int i = 0; i < 10; i++) {
        sum += value[i];
        squares += value[i] * value[i];
    }
    const double sd = sqrt((squares - sum * sum / 10) / 9);
    spread_sum(&sp, &r.eval, &r.sample, 10, &r.frame);
    assert_true(same_number(rig_value(&r, "Only")->err, 2.262 * sd * sqrt(0.8 / 10), 3e-3));
    spread_destroy(&sp);
    rig_free(&r);
}

/* What is counted grows with the time, and so does how far off it may be. */
static void a_total_of_many_is_worse(void **state) {
    (void)state;
    struct rig r;
    struct spread sp;
    rig_load(&r, plain);
    rig_slot(&r, "A", 0);
    rig_slot(&r, "B", 0);
    rig_slot(&r, "C", 0);
    rig_bind(&r);
    assert_int_equal(spread_init(&sp, r.model.n_metric), 0);
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 3; k++)
            r.sample.at[k] = part(100 + i % 2 * 2 * (k != 1), 0.75);
        eval_run(&r.eval, &r.sample, &r.frame);
        spread_interval(&sp, &r.eval, &r.sample, &r.frame);
    }
    for (int k = 0; k < 3; k++)
        r.sample.at[k] = part(10000 + 100 * (k != 1), 0.75);
    eval_run(&r.eval, &r.sample, &r.frame);
    spread_sum(&sp, &r.eval, &r.sample, 100, &r.frame);
    /* They are 100 and 102 in turns: a deviation of 1; t is 1.98, the square root of 1/4 is 0.5. */
    assert_true(same_number(rig_value(&r, "Only")->err, 1.98 * 1 * 0.5 * 10, 0.01));
    assert_true(same_number(rig_value(&r, "Ratio")->err, 1.98 * 0.01 * 0.5 / 10, 0.01));
    spread_destroy(&sp);
    rig_free(&r);
}

/* The ± is of what the program does now: it is not known for a moment after a step, then small
 * again; a single value that lies apart is no step. */
static void a_step_is_no_noise(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double v[12];
        int n, of; /* values, how many of them the ± is of */
    } cases[] = {
        {"noise", {20, 21, 19, 20, 21, 19, 20, 21, 19, 20}, 10, 8},
        {"a step", {20, 21, 19, 20, 21, 60, 61}, 7, 2},
        {"and on", {20, 21, 19, 20, 21, 60, 61, 59, 60}, 9, 4},
        {"down", {20, 21, 19, 20, 21, 2, 2.1}, 7, 2},
        {"an interval of both", {20, 21, 19, 20, 21, 45, 61}, 7, 1},
        {"a moment", {20, 21, 19, 20, 21, 60, 20, 21}, 8, 8},
        {"there and back", {20, 21, 19, 20, 21, 60, 2}, 7, 7},
        {"too few before it", {20, 21, 60, 61}, 4, 4},
        {"two steps", {20, 21, 19, 20, 60, 61, 59, 60, 20, 21}, 10, 2},
        {"a small one", {20, 21, 19, 20, 21, 23, 23}, 7, 7},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rig r;
        struct spread sp;
        open_only(&r, &sp);
        for (int k = 0; k < cases[i].n; k++) {
            r.sample.at[0] = part(cases[i].v[k], 0.5);
            eval_run(&r.eval, &r.sample, &r.frame);
            spread_interval(&sp, &r.eval, &r.sample, &r.frame);
        }
        const struct value *v = rig_value(&r, "Only");
        const int of = spread_parts(&sp, (int)(v - r.frame.at), v, 0).n;
        if (of != cases[i].of || isnan(v->err) != (of < SPREAD_MIN))
            fail_msg("%s: of %d values, ± %g", cases[i].what, of, v->err);
        spread_destroy(&sp);
        rig_free(&r);
    }
}

static void unknown_values_are_skipped(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double v, duty, err;
    } steps[] = {
        {"one", 5, 0.5, NAN},
        {"two", 5, 0.5, NAN},
        {"unknown has none", NAN, 0.5, NAN},
        {"all counted needs no others", 5, 1, 0},
        {"three equal", 5, 0.5, 0},
        {"unknown", NAN, 0.5, NAN},
    };
    struct rig r;
    struct spread sp;
    open_only(&r, &sp);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        r.sample.at[0] = part(steps[i].v, steps[i].duty);
        eval_run(&r.eval, &r.sample, &r.frame);
        spread_interval(&sp, &r.eval, &r.sample, &r.frame);
        if (!same_number(rig_value(&r, "Only")->err, steps[i].err, 1e-9))
            fail_msg("%s: %g", steps[i].what, rig_value(&r, "Only")->err);
    }
    const struct value *v = rig_value(&r, "Only");
    assert_int_equal(spread_parts(&sp, 0, v, 0).n, 4);
    spread_reset(&sp);
    assert_int_equal(spread_parts(&sp, 0, v, 0).n, 0);
    spread_destroy(&sp);
    rig_free(&r);
}

/* --- PERF_METRICS --- */

static const char fractions[] = "name = 'tiny'\ntitle = 'Tiny core'\nvendor = 'Intel'\nrung = "
                                "'full'\nscope = 'pipeline slots'\nmatch = []\n"
                                "[event]\n'SLOTS' = { config = 0x400 }\n'CYCLES' = { code = 5 }\n"
                                "'R' = { sysfs = 'topdown-retiring', perf_metrics = true }\n"
                                "'F' = { sysfs = 'topdown-fe-bound', perf_metrics = true }\n"
                                "[metric.Retiring]\nformula = 'R / SLOTS:perf_metrics'\n"
                                "[metric.Both]\nformula = '(R + F) / SLOTS:perf_metrics'\n"
                                "[metric.Rest]\nformula = '1 - R / SLOTS:perf_metrics'\n"
                                "[metric.Twice]\nformula = '100 * (2 * R / SLOTS:perf_metrics)'\n"
                                "[metric.Part]\nformula = 'R / (R + F)'\n"
                                "[metric.Ipc]\nformula = 'SLOTS:perf_metrics / CYCLES'\n";

/* Half width of one rounding to n/255, as the issue defines it: sqrt(12) and 1.96. */
static const double one = 1.96 / 255 / 3.4641016151377544;

static void resolution_of_perf_metrics(void **state) {
    (void)state;
    static const struct {
        const char *metric;
        double times;
    } cases[] = {{"Retiring", 1}, {"Both", 1.41421356}, {"Rest", 1}, {"Twice", 200}, {"Ipc", 0}};
    struct rig r;
    struct spread sp;
    rig_load(&r, fractions);
    rig_slot(&r, "SLOTS:perf_metrics", 0);
    rig_slot(&r, "R", 0);
    rig_slot(&r, "F", 0);
    rig_slot(&r, "CYCLES", 0);
    rig_bind(&r);
    rig_count(&r, 0, 6e9);
    rig_count(&r, 1, 2e9);
    rig_count(&r, 2, 1e9);
    rig_count(&r, 3, 1e9);
    assert_int_equal(spread_init(&sp, r.model.n_metric), 0);
    assert_int_equal(spread_layout(&sp, &r.model, &r.layout), 0);
    eval_run(&r.eval, &r.sample, &r.frame);
    for (int n = 1; n <= 100; n += 99) { /* an interval, and a sum of 100 */
        if (n == 1)
            spread_interval(&sp, &r.eval, &r.sample, &r.frame);
        else
            spread_sum(&sp, &r.eval, &r.sample, (uint64_t)n, &r.frame);
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            const double want = cases[i].times * one / sqrt(n);
            if (!same_number(rig_value(&r, cases[i].metric)->err, want, 1e-6))
                fail_msg("%s of %d: %g, expected %g", cases[i].metric, n,
                         rig_value(&r, cases[i].metric)->err, want);
        }
    }
    assert_true(r.sample.at[1].value == 2e9); /* the counts are as they were */
    spread_destroy(&sp);
    rig_free(&r);
}

/* A recording that lacks the leader: the fractions themselves say how many slots there were. */
static void resolution_without_the_leader(void **state) {
    (void)state;
    struct rig r;
    struct spread sp;
    rig_load(&r, fractions);
    rig_slot(&r, "R", 0);
    rig_slot(&r, "F", 0);
    rig_slot(&r, "CYCLES", 0);
    rig_bind(&r);
    assert_int_equal(spread_init(&sp, r.model.n_metric), 0);
    assert_int_equal(spread_layout(&sp, &r.model, &r.layout), 0);
    assert_int_equal(sp.n_fraction, 2);
    assert_int_equal(sp.fraction[0].leader, -1);
    rig_count(&r, 0, 2e9);
    rig_count(&r, 1, 4e9);
    rig_count(&r, 2, 1e9);
    eval_run(&r.eval, &r.sample, &r.frame);
    spread_interval(&sp, &r.eval, &r.sample, &r.frame);
    /* d(R / (R + F)) = (F dR - R dF) / (R + F)^2, each of 6e9 slots. */
    const double want = one * hypot(4.0 / 6, 2.0 / 6);
    assert_true(same_number(rig_value(&r, "Part")->err, want, 0.01));
    assert_true(isnan(rig_value(&r, "Retiring")->err)); /* n/a has none */
    spread_destroy(&sp);
    rig_free(&r);
}

/* What comes of rounding by the hardware is within it: every share, rounded down or to nearest. */
static void rounded_shares_are_within(void **state) {
    (void)state;
    struct rig r;
    struct spread sp;
    int out = 0, n = 0;
    rig_load(&r, fractions);
    rig_slot(&r, "SLOTS:perf_metrics", 0);
    rig_slot(&r, "R", 0);
    rig_bind(&r);
    assert_int_equal(spread_init(&sp, r.model.n_metric), 0);
    assert_int_equal(spread_layout(&sp, &r.model, &r.layout), 0);
    for (int i = 0; i <= 1000; i++, n++) {
        const double truth = i / 1000.0;
        rig_count(&r, 0, 1e9);
        rig_count(&r, 1, floor(truth * 255 + 0.5) / 255 * 1e9);
        eval_run(&r.eval, &r.sample, &r.frame);
        spread_interval(&sp, &r.eval, &r.sample, &r.frame);
        const struct value *v = rig_value(&r, "Retiring");
        out += !(fabs(v->v - truth) <= v->err);
    }
    assert_true(out <= n / 20);
    spread_destroy(&sp);
    rig_free(&r);
}

/* --- the short way to what a count moves --- */

/* Shares like those of a program; what is left is any number; every 7th event has no count. */
static void fill(struct rig *r, double fraction) {
    for (uint32_t i = 0; i < r->sample.n_slot; i++) {
        const struct event *ev = &r->model.event[r->layout.slot[i].event];
        struct count *c = &r->sample.at[i];
        *c = part(ev->slots_leader   ? 6e9
                  : ev->perf_metrics ? 6e9 * fraction
                                     : 1e6 * (double)(1 + i * 37 % 100),
                  i % 5 ? 1.0 : 0.4);
        if (i % 7 == 3 && !ev->slots_leader && !ev->perf_metrics)
            *c = (struct count){.value = NAN, .state = COUNT_STALE};
    }
}

/* Moves one count and evaluates everything: no value may differ from the short way, in any bit. */
static void compare_moves(struct rig *r, uint32_t slot, const char *name) {
    struct frame moved;
    double square[2][512] = {{0}};
    struct count *c = &r->sample.at[slot];
    const double was = c->value;
    assert_in_range(r->model.n_metric, 1, COUNT_OF(square[0]));
    assert_int_equal(frame_init(&moved, r->model.n_metric), 0);
    eval_run(&r->eval, &r->sample, &r->frame);
    eval_moves(&r->eval, slot, was * 1.01, &r->frame, square[0]);
    eval_moves(&r->eval, slot, was, &r->frame, square[0]); /* nothing was left behind: adds 0 */
    c->value = was * 1.01;
    eval_run(&r->eval, &r->sample, &moved);
    c->value = was;
    double sum = 0;
    for (uint32_t i = 0; i < moved.n_metric; i++) {
        const double by = moved.at[i].v - r->frame.at[i].v;
        square[1][i] = isfinite(by) ? by * by : 0;
        sum += square[1][i];
    }
    if (memcmp(square[0], square[1], sizeof(square[0])) != 0 || sum == 0)
        fail_msg("%s, slot %u: %g", name, slot, sum);
    frame_destroy(&moved);
}

/* One metric by itself is what it is among all. */
static void compare_alone(struct rig *r, int step, const char *model) {
    struct frame f;
    assert_int_equal(frame_init(&f, r->model.n_metric), 0);
    for (uint32_t i = 0; i < r->sample.n_slot; i++)
        if ((i + (uint32_t)step) % 5 == 0)
            r->sample.at[i].state = COUNT_STALE;
    eval_run(&r->eval, &r->sample, &f);
    for (uint32_t i = 0; i < f.n_metric; i++) {
        const double v = eval_value(&r->eval, &r->sample, (int)i);
        if (!(v == f.at[i].v || (isnan(v) && isnan(f.at[i].v))))
            fail_msg("%s: %s is %g, alone %g", model, r->model.metric[i].name, f.at[i].v, v);
    }
    frame_destroy(&f);
}

static void moves_are_those_of_everything(void **state) {
    (void)state;
    static const char *const models[] = {"icl", "spr", "adl-glc", "lnl-lnc"};
    for (size_t k = 0; k < COUNT_OF(models); k++) {
        struct rig r = {0};
        struct err err = {0};
        int n = 0;
        if (model_open(&r.model, models[k], NULL, &err) < 0)
            fail_msg("%s", err.text);
        consts_init(&r.consts);
        r.consts.value[CONST_SMT_ON] = 1;
        assert_int_equal(layout_init(&r.layout, r.model.n_event, COUNT_ABSENT, r.model.n_event), 0);
        for (uint32_t e = 0; e < r.model.n_event; e++)
            layout_add(&r.layout, (uint16_t)e, (uint16_t)(e / 8));
        rig_bind(&r);
        for (int step = 0; step < 3; step++) {
            fill(&r, 0.1 + 0.3 * step); /* on all sides of the conditions in formulas */
            for (uint32_t i = 0; i < r.sample.n_slot; i++)
                if (r.model.event[r.layout.slot[i].event].perf_metrics) {
                    compare_moves(&r, i, models[k]);
                    n++;
                }
            compare_alone(&r, step, models[k]);
        }
        assert_true(n >= 12);
        rig_free(&r);
    }
}

/* --- is it true? --- */

static uint64_t random_state;

static double uniform(void) { /* xorshift64*, Vigna 2016 */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (double)((random_state * 2685821657736338717ull) >> 11) / 9007199254740992.0;
}

enum { SLICES = 240, INTERVALS = 12000, SUMMED = 20 };

/* A program of which each slice differs, seen through a group that has every k-th of them. */
struct program_kind {
    const char *what;
    int groups;                              /* k */
    double (*rate)(int interval, int slice); /* of A; B is 100 in each slice */
    bool random_turns;
};

static double steady(int interval, int slice) {
    (void)interval;
    (void)slice;
    return 20 + 40 * uniform();
}

/* Bursts of some slices, rare: nothing like a normal distribution. */
static double bursty(int interval, int slice) {
    (void)interval;
    static int left;
    if (slice == 0)
        left = 0;
    if (left == 0 && uniform() < 0.02)
        left = 1 + (int)(6 * uniform());
    left -= left > 0;
    return left ? 95 : 5 + 5 * uniform();
}

/* The load goes up and down over a minute. */
static double drifting(int interval, int slice) {
    return 20 + 10 * sin(interval / 10.0) + (double)(slice % 3) + 20 * uniform();
}

static bool has_turn(const struct program_kind *k, int slice) {
    return k->random_turns ? uniform() * k->groups < 1 : slice % k->groups == 0;
}

/* Plays one interval: what is seen goes into the sample. Returns the true ratio. */
static double play(const struct program_kind *k, int interval, struct rig *r) {
    double truth = 0, a = 0, b = 0;
    int seen = 0;
    for (int i = 0; i < SLICES; i++) {
        const double rate = k->rate(interval, i);
        truth += rate;
        if (has_turn(k, i)) {
            a += rate;
            b += 100;
            seen++;
        }
    }
    const double duty = (double)seen / SLICES;
    r->sample.at[0] = part(a / duty, duty);
    r->sample.at[1] = part(b / duty, duty);
    return truth / (SLICES * 100.0);
}

/* How many values and sums of 20 were within their error. */
struct score {
    int n, within, sums, sums_within;
    double widest;
};

static bool is_within(const struct value *v, double truth) {
    return fabs(v->v - truth) <= v->err + 1e-12;
}

static void play_all(const struct program_kind *k, struct rig *r, struct window *w,
                     struct score *sc) {
    const struct value *v = rig_value(r, "Ratio");
    double truth = 0;
    for (int t = 0; t < INTERVALS; t++) {
        const double now = play(k, t, r);
        truth += now;
        eval_run(&r->eval, &r->sample, &r->frame);
        window_add(w, &r->sample);
        window_spread(w, &r->eval, &r->sample, &r->frame);
        if (!isnan(v->err)) {
            sc->n++;
            sc->within += is_within(v, now);
            sc->widest = fmax(sc->widest, v->err);
        }
        if (w->n < SUMMED)
            continue;
        window_frame(w, &r->eval, &r->frame);
        sc->sums++;
        sc->sums_within += is_within(v, truth / SUMMED);
        window_reset(w);
        truth = 0;
    }
}

static void nineteen_of_twenty_are_within(void **state) {
    (void)state;
    static const struct program_kind kinds[] = {
        {"steady, 4 groups", 4, steady, false},    {"steady, 12 groups", 12, steady, false},
        {"steady, random turns", 4, steady, true}, {"bursty, 4 groups", 4, bursty, false},
        {"bursty, 12 groups", 12, bursty, false},  {"drifting, 4 groups", 4, drifting, false},
        {"one group", 1, steady, false},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct rig r;
        struct window w;
        struct score sc = {0};
        random_state = 88172645463325252ull + i;
        rig_load(&r, plain);
        rig_slot(&r, "A", 0);
        rig_slot(&r, "B", 0);
        rig_bind(&r);
        assert_int_equal(window_init(&w, 2, r.model.n_metric), 0);
        play_all(&kinds[i], &r, &w, &sc);
        const double share = (double)sc.within / sc.n, sums = (double)sc.sums_within / sc.sums;
        if (share < 0.94 || sums < 0.93)
            fail_msg("%s: %.3f of the values, %.3f of the sums are within", kinds[i].what, share,
                     sums);
        if (kinds[i].groups == 1 ? sc.widest != 0 : share > 0.985 && kinds[i].rate == steady)
            fail_msg("%s: %.3f are within: wider than it must be", kinds[i].what, share);
        window_destroy(&w);
        rig_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(a_total_of_many_is_worse),
        cmocka_unit_test(a_step_is_no_noise),
        cmocka_unit_test(unknown_values_are_skipped),
        cmocka_unit_test(resolution_of_perf_metrics),
        cmocka_unit_test(resolution_without_the_leader),
        cmocka_unit_test(rounded_shares_are_within),
        cmocka_unit_test(moves_are_those_of_everything),
        cmocka_unit_test(nineteen_of_twenty_are_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
