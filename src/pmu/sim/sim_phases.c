/*
 * The demo's script. Rows are parameters and columns phases, so that a line shows how one cause
 * moves through the demo. The numbers are made up, after what such programs look like on servers.
 */
#include "pmu/sim/sim.h"

#include "base/clock.h"
#include "pmu/source.h"

#include <math.h>

#define BLEND_NS (2 * NS_PER_S) /* a new phase takes this long to settle in */

enum { WARM_UP, REDIS, OUTGROW, BRANCHY, ALLOCATOR, TUNED, N_PHASE };

static const struct {
    const char *name;
    uint64_t seconds;
} phases[N_PHASE] = {
    [WARM_UP] = {"warm-up", 20},
    [REDIS] = {"Redis GET under load", 30},
    [OUTGROW] = {"working set outgrows L3", 30},
    [BRANCHY] = {"branchy parser", 25},
    [ALLOCATOR] = {"allocator storm / TLB", 25},
    [TUNED] = {"tuned build", 30},
};

/* A table to be read down its columns. */
/* clang-format off */
static const double script[P_N][N_PHASE] = {
    /*                             warm    redis  outgrow  branchy    alloc    tuned */
    [P_FETCH_LATENCY]       = {   0.180,   0.230,   0.060,   0.135,   0.095,   0.070},
    [P_FETCH_BANDWIDTH]     = {   0.080,   0.100,   0.030,   0.070,   0.060,   0.080},
    [P_MISPREDICTS]         = {   0.060,   0.050,   0.020,   0.250,   0.035,   0.030},
    [P_CLEARS]              = {   0.012,   0.008,   0.006,   0.010,   0.014,   0.006},
    [P_MEMORY]              = {   0.260,   0.185,   0.620,   0.115,   0.430,   0.135},
    [P_CORE]                = {   0.100,   0.085,   0.085,   0.100,   0.095,   0.125},
    [P_LIGHT]               = {   0.268,   0.307,   0.157,   0.290,   0.216,   0.506},
    [P_HEAVY]               = {   0.040,   0.035,   0.022,   0.030,   0.055,   0.048},
    [P_ICACHE]              = {   0.350,   0.400,   0.250,   0.080,   0.220,   0.220},
    [P_ITLB]                = {   0.100,   0.090,   0.060,   0.030,   0.150,   0.050},
    [P_RESTEERS]            = {   0.220,   0.200,   0.350,   0.680,   0.250,   0.350},
    [P_UNKNOWN_BRANCHES]    = {   0.120,   0.120,   0.080,   0.100,   0.100,   0.060},
    [P_MS_SWITCHES]         = {   0.100,   0.080,   0.120,   0.040,   0.160,   0.120},
    [P_DSB_SWITCHES]        = {   0.100,   0.100,   0.130,   0.060,   0.110,   0.190},
    [P_LCP]                 = {   0.010,   0.010,   0.010,   0.010,   0.010,   0.010},
    [P_CODE_L2_MISS]        = {   0.400,   0.250,   0.500,   0.150,   0.350,   0.100},
    [P_MITE_SLOW]           = {   0.500,   0.450,   0.400,   0.350,   0.450,   0.250},
    [P_DSB_SLOW]            = {   0.380,   0.450,   0.450,   0.550,   0.400,   0.650},
    [P_DSB_UOPS]            = {   0.550,   0.580,   0.650,   0.640,   0.560,   0.780},
    [P_L1]                  = {   0.350,   0.450,   0.060,   0.550,   0.580,   0.550},
    [P_L2]                  = {   0.150,   0.250,   0.050,   0.200,   0.060,   0.200},
    [P_L3]                  = {   0.200,   0.150,   0.220,   0.120,   0.080,   0.120},
    [P_DRAM]                = {   0.200,   0.080,   0.630,   0.060,   0.110,   0.060},
    [P_STORE]               = {   0.100,   0.070,   0.040,   0.070,   0.170,   0.070},
    [P_DTLB_LOAD]           = {   0.050,   0.050,   0.110,   0.025,   0.210,   0.030},
    [P_DTLB_STORE]          = {   0.015,   0.015,   0.030,   0.008,   0.090,   0.010},
    [P_STORE_FORWARD]       = {   0.008,   0.012,   0.003,   0.010,   0.015,   0.006},
    [P_LOCK]                = {   0.010,   0.012,   0.005,   0.003,   0.045,   0.006},
    [P_FB_FULL]             = {   0.020,   0.010,   0.110,   0.005,   0.020,   0.015},
    [P_SQ_FULL]             = {   0.010,   0.005,   0.060,   0.002,   0.010,   0.005},
    [P_DIVIDER]             = {   0.010,   0.008,   0.004,   0.012,   0.006,   0.015},
    [P_SERIALIZING]         = {   0.025,   0.020,   0.010,   0.008,   0.035,   0.010},
    [P_PAUSE]               = {   0.004,   0.003,   0.002,   0.001,   0.012,   0.002},
    [P_WALK]                = {   0.550,   0.450,   0.700,   0.300,   0.720,   0.250},
    [P_HUGE]                = {   0.050,   0.040,   0.060,   0.050,   0.020,   0.600},
    [P_SNOOP]               = {   0.040,   0.030,   0.020,   0.010,   0.060,   0.010},
    [P_BANDWIDTH]           = {   0.150,   0.080,   0.280,   0.050,   0.120,   0.150},
    [P_REMOTE]              = {   0.100,   0.060,   0.080,   0.050,   0.120,   0.040},
    [P_LOADS]               = {   0.290,   0.310,   0.330,   0.240,   0.300,   0.300},
    [P_STORES]              = {   0.140,   0.150,   0.100,   0.100,   0.190,   0.120},
    [P_BRANCHES]            = {   0.190,   0.200,   0.170,   0.240,   0.190,   0.140},
    [P_FP_SCALAR]           = {   0.010,   0.006,   0.012,   0.004,   0.004,   0.020},
    [P_FP_VECTOR]           = {   0.006,   0.004,   0.010,   0.003,   0.003,   0.035},
    [P_INT_VECTOR]          = {   0.006,   0.010,   0.006,   0.008,   0.008,   0.050},
    [P_MICROCODE]           = {   0.550,   0.550,   0.500,   0.450,   0.650,   0.350},
    [P_CPUS]                = {   1.500,   1.920,   1.950,   1.900,   1.880,   1.850},
    [P_TURBO]               = {   1.600,   1.550,   1.580,   1.550,   1.560,   1.530},
    [P_KERNEL]              = {   0.300,   0.340,   0.180,   0.060,   0.260,   0.200},
};
/* clang-format on */

/* The phase at t_ns and how long it has lasted. The warm-up comes once, the others in turn. */
static int phase_at(uint64_t t_ns, int *before, uint64_t *since_ns) {
    int i = WARM_UP, last = WARM_UP;
    while (t_ns >= phases[i].seconds * NS_PER_S) {
        t_ns -= phases[i].seconds * NS_PER_S;
        last = i;
        i = i + 1 < N_PHASE ? i + 1 : WARM_UP + 1;
    }
    *before = last;
    *since_ns = t_ns;
    return i;
}

const char *sim_phase(uint64_t t_ns) {
    int before;
    uint64_t since_ns;
    return phases[phase_at(t_ns, &before, &since_ns)].name;
}

void sim_params(uint64_t t_ns, double p[P_N]) {
    int before;
    uint64_t since_ns;
    int now = phase_at(t_ns, &before, &since_ns);
    double x = since_ns < BLEND_NS ? (double)since_ns / (double)BLEND_NS : 1;
    double s = x * x * (3 - 2 * x); /* smooth at both ends */
    for (int i = 0; i < P_N; i++)
        p[i] = script[i][before] + s * (script[i][now] - script[i][before]);
}

/* ---- several core types ---- */

/*
 * A simulated CPU with several core types: the program spends most of its time on the biggest
 * cores, and does there what it does later on the others, so that the trees differ.
 */

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
