#include "pmu/sampling/sample_rate.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

enum { STEP_MS = 200, LEAST_HZ = 10, VAIN = 3 };
/* Within these of the budget it is left as it is; below, it aims at nearly all of it. */
static const double low = 0.6, aim = 0.9, high = 1.25;

/* Odd, so that the samples do not keep step with the kernel's tick, which is 1000 or a part of it.
 */
static uint64_t odd_freq(double hz) {
    const uint64_t f = (uint64_t)fmax(hz, LEAST_HZ);
    return f > 100 ? (f - 1) | 1 : f;
}

/* The kernel refuses more than this (kernel.perf_event_max_sample_rate), which it lowers itself
 * when interrupts take too long. */
static double kernel_most(void) {
    char text[32];
    const int n = str_read_small("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text));
    const double v = n > 0 ? atof(text) : 0;
    return v > 0 ? v : INFINITY;
}

void sample_rate_init(struct sample_rate *p, double rate_hz, double cpu_share) {
    *p = (struct sample_rate){.rate_hz = rate_hz > 0 ? rate_hz : 1000,
                              .cpu_share = cpu_share > 0 ? cpu_share : 0.01};
    p->most = p->freq = odd_freq(fmin(p->rate_hz, kernel_most()) - 2);
}

static enum rate_answer lower(struct sample_rate *p, double over, bool too_many) {
    const uint64_t before = p->freq;
    p->in_vain = too_many ? p->in_vain + 1 : 0;
    const bool vain = p->in_vain > VAIN;
    if (vain)
        p->in_vain = 0;
    p->freq = odd_freq((double)p->freq / fmin(over, 4));
    return vain ? RATE_IN_VAIN : p->freq == before ? RATE_STAYS : RATE_CHANGES;
}

enum rate_answer sample_rate_step(struct sample_rate *p, uint64_t now_ns, uint64_t seen,
                                  uint64_t cpu_ns) {
    const struct sample_rate was = *p;
    if (was.at_ns && now_ns < was.at_ns + STEP_MS * NS_PER_MS)
        return RATE_STAYS;
    p->at_ns = now_ns;
    p->seen = seen;
    p->cpu_ns = cpu_ns;
    if (!was.at_ns)
        return RATE_STAYS;
    const double s = (double)(now_ns - was.at_ns) / 1e9;
    const double rate = (double)(seen - was.seen) / s / p->rate_hz;
    const double over = fmax(rate, (double)(cpu_ns - was.cpu_ns) / 1e9 / s / p->cpu_share);
    if (over > high)
        return lower(p, over, rate > high);
    p->in_vain = 0;
    if (over > low || p->freq == p->most)
        return RATE_STAYS;
    p->freq = odd_freq(fmin((double)p->freq * fmin(aim / fmax(over, 0.1), 2), (double)p->most));
    return p->freq == was.freq ? RATE_STAYS : RATE_CHANGES;
}
