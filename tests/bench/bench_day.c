/*
 * A day of one-second samples in fast motion: how long it takes, and what it takes of memory. Exits
 * 1 if anything was allocated after the first hour.
 */
#include "../unit/day.h"

static struct day day;

int main(void) {
    struct err err = {0};
    const uint64_t t0 = clock_now_ns();
    if (day_open(&day, NS_PER_S, &err) < 0) {
        fprintf(stderr, "bench_day: %s\n", err.text);
        return 2;
    }
    if (!day_run(&day) || day.s.n_frames != DAY_S) {
        fprintf(stderr, "bench_day: stood still after %llu samples\n",
                (unsigned long long)day.s.n_frames);
        return 2;
    }
    const double seconds = (double)(clock_now_ns() - t0) / 1e9;
    const struct day_memory *a = &day.after_hour, *z = &day.after_day;
    printf("a day of %d samples in %.1f s (%.0f times as fast, %.0f us each)\n", DAY_S, seconds,
           DAY_S / seconds, seconds / DAY_S * 1e6);
    printf("resident after 1 h %.1f MB, after 24 h %.1f MB (history fills up to %.1f MB); malloc "
           "calls in between: %lu, more bytes in use: %zd\n",
           (double)a->resident / 1e6, (double)z->resident / 1e6,
           (double)tiers_bytes(&day.s.timeline.tiers) / 1e6, z->calls - a->calls,
           (ssize_t)(z->in_use - a->in_use));
    const bool grew = z->calls != a->calls || z->in_use != a->in_use || z->data != a->data ||
                      z->resident > a->resident + tiers_bytes(&day.s.timeline.tiers);
    day_close(&day);
    return grew;
}
