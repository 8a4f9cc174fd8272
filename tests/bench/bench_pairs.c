/*
 * How far `tdtop ab` is to be believed, by simulation:
 *
 *   bench_pairs [N]  false alarms of N (200) comparisons, looked at after each of 60 pairs, by kind
 * of noise and number of metrics; and the pairs until the question is answered, by difference
 */
#include "../unit/pairs_sim.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    struct pairs_sim how;
} kinds[] = {
    {"white, 5 metrics", {.metrics = 5}},
    {"white, 40 metrics", {.metrics = 40}},
    {"white, 200 metrics", {.metrics = 200}},
    {"AR(1) 0.5", {.phi = 0.5, .metrics = 40}},
    {"AR(1) 0.8", {.phi = 0.8, .metrics = 40}},
    {"AR(1) 0.95, 200 metrics", {.phi = 0.95, .metrics = 200}},
    {"drift of 0.5 sd a run", {.drift = 0.5, .metrics = 40}},
    {"every second run +2 sd", {.rhythm = 2, .metrics = 40}},
    {"5 % outliers of 10 sd", {.outliers = 0.05, .metrics = 40}},
    {"small counts", {.counts = true, .metrics = 40}},
};

static int alarms_table(int times) {
    int bad = 0;
    printf(
        "no difference, a look after each pair from %d to 60: percent of %d in which anything is "
        "ever called changed\n",
        PAIRS_LEAST, times);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct pairs_sim how = kinds[i].how;
        how.sd = 0.01;
        how.most = 60;
        const double alarms = 100.0 * pairs_sim_score(&how, 1000 * (i + 1), times).alarms / times;
        printf("  %-26s %5.1f\n", kinds[i].name, alarms);
        fflush(stdout);
        bad += alarms > 5;
    }
    return bad;
}

static int pairs_table(int times) {
    static const double ups[] = {0, 0.005, 0.01, 0.02, 0.03, 0.10};
    int bad = 0;
    printf("pairs of runs that vary by 1 %% until the elapsed time is answered; %d times each, at "
           "most 200 pairs\n  B takes   median  95 in 100  open  wrong\n",
           times);
    for (size_t i = 0; i < COUNT_OF(ups); i++) {
        const struct pairs_sim how = {
            .metrics = 5, .sd = 0.01, .up = ups[i], .most = 200, .stops = true};
        const struct pairs_sim_score s = pairs_sim_score(&how, 77 + i, times);
        printf("  +%4.1f %%  %7.0f  %9.0f  %4d  %5d\n", 100 * ups[i], s.median, s.most, s.open,
               s.wrong);
        fflush(stdout);
        bad += s.wrong * 20 > times;
    }
    return bad;
}

int main(int argc, char **argv) {
    const int times = argc > 1 ? atoi(argv[1]) : 200;
    if (times < 1 || times > NOISE_TIMES)
        return 2;
    const int bad = alarms_table(times) + pairs_table(times);
    printf("%d that are not as they should be\n", bad);
    return bad > 0;
}
