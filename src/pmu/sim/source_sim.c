/*
 * A simulated core for the demo and for tests. Its counts go the same way as real ones: integers,
 * read in groups that take turns on the PMU, scaled by enabled over running time. Everything is a
 * function of seed, time of the demo and number of the interval, so a run repeats exactly.
 */
#include "pmu/sim/sim.h"
#include "pmu/source.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sim {
    struct sim_machine machine;
    struct sim_slot *slots;
    bool *always;         /* [n_group] it takes no turns */
    struct group_set on;  /* groups that are counted */
    uint32_t in_turn;     /* of those, the ones that share what group 0 leaves */
    uint64_t t_ns, index; /* of the next interval */
    struct sim_moment last;
    struct sim_units units;
};

/* The mixer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom generators, 2014). */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

double sim_noise(uint64_t seed, uint64_t stream, uint64_t index) {
    uint64_t bits = mix(mix(mix(seed) ^ stream) ^ index);
    double sum = 0; /* of four uniform numbers: near enough to a normal one */
    for (int i = 0; i < 4; i++, bits >>= 16)
        sum += (double)(bits & 0xffff) / 65536.0 - 0.5;
    return sum * 1.7320508;
}

/* Streams of noise, kept apart by their high bits. */
enum { WANDER = 1 << 20, JITTER = 2 << 20, DUTY = 3 << 20, GROUP = 4 << 20, EVENT = 5 << 20 };

/* A program is never quite steady: each parameter drifts over seconds and jitters. */
static void unsteady(uint64_t seed, const struct sample *s, uint64_t index, double *p) {
    const uint64_t period_ns = 6 * NS_PER_S;
    uint64_t mid = s->t0_ns + (s->t1_ns - s->t0_ns) / 2, step = mid / period_ns;
    double x = (double)(mid % period_ns) / (double)period_ns, blend = x * x * (3 - 2 * x);
    double short_by = sqrt((double)NS_PER_S / (double)(s->t1_ns - s->t0_ns));
    double jitter = 0.012 * fmin(short_by, 3);
    for (unsigned i = 0; i < P_N; i++) {
        double a = sim_noise(seed, WANDER + i, step), b = sim_noise(seed, WANDER + i, step + 1);
        p[i] *= 1 + 0.03 * (a + blend * (b - a)) + jitter * sim_noise(seed, JITTER + i, index);
    }
    double sum = 0;
    for (int i = P_FETCH_LATENCY; i <= P_HEAVY; i++)
        sum += p[i];
    for (int i = P_FETCH_LATENCY; i <= P_HEAVY; i++)
        p[i] /= sum;
}

/* How long group g was on the PMU: all the time, or as long as the others in focus leave it. */
static uint64_t running(const struct source *src, unsigned g, uint64_t index, uint64_t enabled) {
    const struct sim *sim = src->priv;
    if (sim->always[g] || sim->in_turn <= 1)
        return enabled;
    double share = (1 + 0.05 * sim_noise(src->opt.seed, DUTY + g, index)) / (double)sim->in_turn;
    return (uint64_t)(fmin(share, 1) * (double)enabled);
}

/*
 * What a group saw while it was on stands for the whole interval. The less it saw, the more it is
 * off: all its events together, because the load differed, and each for itself; rare ones most.
 */
static void count(const struct source *src, uint64_t index, uint32_t slot, double expected,
                  struct count *out) {
    const struct sim *sim = src->priv;
    const struct slot *at = &src->layout.slot[slot];
    double raw = expected;
    if (out->running_ns < out->enabled_ns) {
        double seen_s = (double)out->running_ns / (double)NS_PER_S, off = sqrt(1 / seen_s);
        double together = sim_noise(src->opt.seed, GROUP + at->group, index);
        double alone = sim_noise(src->opt.seed, EVENT + slot, index);
        raw *= (double)out->running_ns / (double)out->enabled_ns;
        raw *= 1 + fmin(0.004 * off, 0.1) * together;
        double sd = sim->slots[slot].fixed ? 0 : fmin(0.0015 * off, 0.04);
        raw *= 1 + alone * fmin(sqrt(sd * sd + 1 / fmax(raw, 1)), 0.25);
    }
    out->state = COUNT_OK;
    if (count_scale(floor(raw + 0.5), out->enabled_ns, out->running_ns, &out->value) < 0) {
        out->state = COUNT_STALE;
        out->value = NAN;
    }
}

static void remember(struct source *src, uint64_t index, const struct sample *s, const double *p) {
    struct sim *sim = src->priv;
    uint64_t dt_ns = s->t1_ns - s->t0_ns;
    unsigned group = sim->units.n_slot ? src->layout.slot[sim->units.slot[0]].group : 0;
    sim->last =
        (struct sim_moment){.machine = &sim->machine,
                            .slots = sim->slots,
                            .seed = src->opt.seed,
                            .index = index,
                            .t0_ns = s->t0_ns,
                            .t1_ns = s->t1_ns,
                            .duty = (double)running(src, group, index, dt_ns) / (double)dt_ns};
    memcpy(sim->last.p, p, sizeof(sim->last.p));
}

static int sim_rows(struct source *src, struct unit_table *out) {
    const struct sim *sim = src->priv;
    return sim_units_fill(&sim->units, &sim->last, out);
}

static int sim_read(struct source *src, struct sample *out, struct err *err) {
    (void)err;
    struct sim *sim = src->priv;
    uint64_t dt_ns = src->opt.interval_ns, index = sim->index++;
    out->t0_ns = sim->t_ns;
    out->t1_ns = sim->t_ns += dt_ns;
    out->target_threads = sim_threads(out->t1_ns);

    double p[P_N], q[Q_N];
    sim_params(sim_time(&src->opt, out->t0_ns, out->t1_ns), p);
    unsteady(src->opt.seed, out, index, p);
    sim_share(&src->opt, out, p);
    sim_core(&sim->machine, p, (double)dt_ns / 1e9, q);
    q[Q_THREADS] = out->target_threads * (double)dt_ns / 1e9;
    remember(src, index, out, p);
    for (uint32_t i = 0; i < src->layout.n_slot; i++) {
        const struct sim_slot *slot = &sim->slots[i];
        const unsigned group = src->layout.slot[i].group;
        if (!group_set_has(&sim->on, group)) {
            out->at[i] =
                (struct count){.value = NAN, .enabled_ns = dt_ns, .state = COUNT_NOT_FOCUSED};
            continue;
        }
        out->at[i].enabled_ns = dt_ns;
        out->at[i].running_ns = running(src, group, index, dt_ns);
        count(src, index, i, q[slot->of] * slot->factor, &out->at[i]);
    }
    return 0;
}

static int sim_focus(struct source *src, const struct group_set *groups, struct err *err) {
    (void)err;
    struct sim *sim = src->priv;
    sim->on = *groups;
    sim->in_turn = 0;
    for (uint32_t g = 0; g < src->layout.n_group; g++)
        sim->in_turn += !sim->always[g] && group_set_has(groups, g);
    return 0;
}

/* Two sockets of 16 cores; both threads of a core are simulated, where it has two. */
static void sim_consts(const struct model *m, struct consts *c) {
    const bool smt = sim_has_smt(m);
    const struct {
        enum const_id id;
        double value;
    } known[] = {{CONST_SYSTEM_TSC_FREQ, 2.0e9},
                 {CONST_SMT_ON, smt},
                 {CONST_NUM_CPUS, smt ? 64 : 32},
                 {CONST_SOCKET_COUNT, 2},
                 {CONST_CHAS_PER_SOCKET, 16},
                 {CONST_CORES_PER_SOCKET, 16},
                 {CONST_EBS_MODE, 0}};
    if (isnan(c->value[CONST_SLOTS_PER_CYCLE]) && m->slots_per_cycle == 0)
        c->value[CONST_SLOTS_PER_CYCLE] = 5; /* a model of any core: Arm's kernel would say */
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (isnan(c->value[known[i].id]))
            c->value[known[i].id] = known[i].value;
}

static int find_always(struct sim *sim, const struct layout *l) {
    sim->always = calloc(l->n_group + 1u, sizeof(*sim->always));
    if (!sim->always)
        return -ENOMEM;
    for (uint32_t i = 0; i < l->n_slot; i++)
        sim->always[l->slot[i].group] = sim->slots[i].always;
    return 0;
}

static int sim_open(struct source *src, struct err *err) {
    struct sim *sim = calloc(1, sizeof(*sim));
    if (!sim)
        return err_set(err, -ENOMEM, "simulated core: out of memory");
    src->priv = sim;
    src->simulated = true;
    str_copy(src->target_text, sizeof(src->target_text), "simulated core");
    sim_consts(src->model, &src->consts);
    sim_machine_of(src->model, &src->consts, &sim->machine);
    if (!src->opt.interval_ns)
        src->opt.interval_ns = NS_PER_S;
    const struct sim_wish wish = {src->opt.level, src->opt.wanted};
    int rc = sim_plan(src->model, &src->consts, &wish, &src->layout, &sim->slots, err);
    if (rc == 0)
        rc = find_always(sim, &src->layout);
    if (rc == 0)
        rc = sim_units_init(&sim->units, src->model, &src->consts, &src->layout);
    if (rc == -ENOMEM)
        return err_set(err, rc, "simulated core: out of memory; close other programs");
    if (rc < 0)
        return rc; /* the plan has said it */
    return sim_focus(src, &(struct group_set){.only = false}, err);
}

static void sim_close(struct source *src) {
    struct sim *sim = src->priv;
    if (sim) {
        free(sim->slots);
        free(sim->always);
        sim_units_destroy(&sim->units);
    }
    free(sim);
    src->priv = NULL;
}

static const char *phase_of(const struct source *src, uint64_t t0_ns, uint64_t t1_ns) {
    return sim_phase(sim_time(&src->opt, t0_ns, t1_ns));
}

const struct source_ops source_sim = {.name = "sim",
                                      .open = sim_open,
                                      .read = sim_read,
                                      .focus = sim_focus,
                                      .phase = phase_of,
                                      .units = sim_rows,
                                      .close = sim_close};
