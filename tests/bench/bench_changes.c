/*
 * How soon changes of level are found, and how often where there are none.
 *
 *   bench_changes [HOURS]   six metrics of independent noise, one interval a second; false changes
 * in HOURS (200) hours, and 1000 changes of one metric for each size
 *
 * Fails if a change of 3 sd of white noise is found within 6 intervals in less than 95 %, or if
 * there are more false changes than one in an hour of white noise, two of AR(1).
 */
#include "../unit/change_noise.h"

/* A baseline of 60 that B is compared with at every interval, B beginning anew with each change
 * that is found; a change comes 20 intervals after the pin. */
static int loop_table(int times) {
    static const double rhos[] = {0, 0.5, 0.8};
    int bad = 0;
    printf(
        "the loop: pin at 60, compared at every interval for 120 more; percent of %d\n"
        "memory  metrics | ever an alarm  (B began anew) | 3 sd: verdict after, median  95 in 100 "
        "| 5 sd | 10 sd\n",
        times);
    for (int metrics = 20; metrics <= METRICS; metrics += METRICS - 20)
        for (int i = 0; i < 3; i++) {
            const struct noise how = {NOISE_AR1, rhos[i], 0, 0, metrics};
            const struct loop_score none = change_noise_loop(5, &how, 60, 0, 120, 0, times),
                                    three = change_noise_loop(6, &how, 60, 20, 60, 0.06, times / 4),
                                    five = change_noise_loop(6, &how, 60, 20, 60, 0.10, times / 4),
                                    ten = change_noise_loop(7, &how, 60, 20, 60, 0.20, times / 4);
            const double alarms = 100.0 * none.looks.alarms / times;
            printf("%6.1f  %7d | %13.1f  %14.1f | %26.0f %10.0f | %.0f %.0f | %.0f %.0f\n", rhos[i],
                   metrics, alarms, 100.0 * none.restarts / times, three.looks.found,
                   three.looks.latest, five.looks.found, five.looks.latest, ten.looks.found,
                   ten.looks.latest);
            fflush(stdout);
            bad += alarms > 5 || (rhos[i] == 0 && ten.looks.latest > 8);
        }
    return bad;
}

int main(int argc, char **argv) {
    const int hours = argc > 1 ? atoi(argv[1]) : 200, times = 1000;
    static const double rhos[] = {0, 0.5, 0.8, 0.9};
    int bad = 0;
    printf("changes of one of six metrics; false ones of %d hours at 1 s; percent of %d, the level "
           "before of 60 intervals (20)\n"
           "memory | false in an hour |  size | found in 6   in 12 | median  95 in 100 | begin off "
           "by more than 1\n",
           hours, times);
    for (size_t i = 0; i < sizeof(rhos) / sizeof(rhos[0]); i++) {
        const double rate = (double)change_noise_false(11 + i, rhos[i], hours * 3600) / hours;
        for (int sd = 3; sd <= 10; sd += sd < 5 ? 2 : 5)
            for (int before = 60; before >= 20; before -= 40) {
                const struct change_score s =
                    change_noise_found(100 + i, rhos[i], sd, before, 0, times);
                printf("%6.1f | %16.2f | %2d sd | %9.1f %8.1f | %6d %10d | %6.1f   (%d before)\n",
                       rhos[i], rate, sd, 100.0 * s.in_6 / times, 100.0 * s.in_12 / times, s.median,
                       s.latest, 100.0 * s.off / times, before);
                fflush(stdout);
                bad += rhos[i] == 0 && sd == 3 && before == 60 && s.in_6 < 0.95 * times;
            }
        bad += rhos[i] < 0.9 && rate > (rhos[i] > 0 ? 2 : 1);
    }
    bad += loop_table(400);
    printf("%d that are not as they should be\n", bad);
    return bad > 0;
}
