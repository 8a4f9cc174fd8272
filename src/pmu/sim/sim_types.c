/*
 * A simulated CPU with several core types: the program spends most of its time on the biggest
 * cores, and does there what it does later on the others, so that the trees differ.
 */
#include "pmu/sim/sim.h"
#include "pmu/source.h"

#include "base/clock.h"

#include <math.h>

#define AHEAD_NS (55 * NS_PER_S)
#define BIGGEST  0.62 /* share of the time on the biggest cores, on the average */

uint64_t sim_time(const struct source_options *opt, uint64_t t0_ns, uint64_t t1_ns) {
    return t0_ns + (t1_ns - t0_ns) / 2 + (uint64_t)opt->type_at * AHEAD_NS;
}

/* The biggest cores, then each further type the same part of what is left; the last one all. */
static double share_of(const struct source_options *opt, uint64_t t_ns) {
    double first = BIGGEST + 0.07 * sin((double)t_ns / 1e9 / 7), left = 1;
    for (int i = 0; i < opt->type_at; i++)
        left *= 1 - first;
    return opt->type_at + 1 < opt->n_type ? left * first : left;
}

void sim_share(const struct source_options *opt, struct sample *s, double p[P_N]) {
    s->busy_ns = s->resident_ns = 0;
    if (opt->n_type < 2)
        return;
    double share = share_of(opt, s->t1_ns);
    p[P_CPUS] *= share;
    s->busy_ns = s->t1_ns - s->t0_ns;
    s->resident_ns = (uint64_t)(share * (double)s->busy_ns);
}
